/* berth run: schedules a live cluster through its API server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "commands/live_flags.h"
#include "commands/run_clients.h"
#include "commands/run_unused.h"
#include "live/credentials/kubeconfig_files.h"
#include "live/extenders/extenders.h"
#include "live/log/log.h"
#include "live/run/run_config.h"
#include "live/run/session.h"
#include "live/run/written_config.h"

static const command_help help = {
    .name = "run",
    .synopsis = "[OPTION...]",
    .text =
        "Schedules a live cluster: watches its API server, decides as kube-scheduler does, and\n"
        "binds. Without a kubeconfig it assumes that it runs in a pod of the cluster. It runs\n"
        "until a signal (TERM or INT) ends it. Options that kube-scheduler has, too, mean the\n"
        "same; times are written like 15s, 1m30s or 100ms. On SIGHUP, the configuration file is\n"
        "read again.\n"
        "With --dry-run nothing is written: each pod that another scheduler binds is decided\n"
        "at the same moment, and the agreement is printed at the end.\n",
    .examples = "  berth run --kubeconfig /etc/kubernetes/scheduler.conf --leader-elect\n"
                "  berth run --kubeconfig ~/.kube/config --dry-run --placements 1000\n",
};

enum { DEFAULT_PORT = 10259, MAX_RATE = 1000000 };

typedef struct run_flags {
    engine_setup setup;
    const char *unschedulable_max;
    const char *emulated_version, *write_config_to;
    const char *rate; /* --kube-api-qps, which may have a fraction */
    uint64_t burst, secure_port;
    bool profiling; /* the default */
    bool burst_given, elect, elect_denied, port_given;
    const char *times[3]; /* in the order of run_config_times */
    const char *lease_name, *lease_namespace, *lease_lock;
    const char *bind_address;
    session_options session;
    char address[300];       /* built from bind_address and secure_port */
    char gates[4096];        /* --feature-gates without the names of components */
    char *values;            /* of all options, for /flagz */
    engine_setup unresolved; /* the setup before a session */
    uint64_t reloads, bad_reloads;
} run_flags;

/* The command runs once in a program; options point into these. */
static run_flags flags = {.profiling = true};

static const option of_server[] = {
    {.name = "kube-api-qps",
     .kind = OPTION_TEXT,
     .value = "N",
     .target = &flags.rate,
     .help = "limit of writes per second (default: as fast as the server\naccepts them)"},
    {.name = "kube-api-burst",
     .kind = OPTION_NUMBER,
     .value = "N",
     .max = 1000000,
     .given = &flags.burst_given,
     .target = &flags.burst,
     .help = "limit of writes in a burst, if there is a rate"},
    {.name = "pod-max-in-unschedulable-pods-duration",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &flags.unschedulable_max,
     .help = "time after which a pod is tried again in any case (5m)"},
    {.name = "emulated-version",
     .kind = OPTION_TEXT,
     .value = "VERSION",
     .target = &flags.emulated_version,
     .help = "as --kubernetes VERSION; also kube=VERSION"},
    {.name = "dry-run",
     .kind = OPTION_FLAG,
     .target = &flags.session.dry_run,
     .help = "write nothing; compare with the cluster's scheduler"},
    {.name = "placements",
     .kind = OPTION_NUMBER,
     .value = "N",
     .max = INT64_MAX,
     .target = &flags.session.dry_run_placements,
     .help = "end a dry run after N placements"},
    {.name = "write-config-to",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .target = &flags.write_config_to,
     .help = "write the configuration to FILE, with all defaults, and end"},
};

static const option of_lease[] = {
    {.name = "leader-elect",
     .kind = OPTION_FLAG,
     .denied = &flags.elect_denied,
     .target = &flags.elect,
     .help = "schedule only while holding a Lease; =false overrides the\nconfiguration"},
    {.name = "leader-elect-lease-duration",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &flags.times[0],
     .help = "how long a lease lasts without renewal (15s)"},
    {.name = "leader-elect-renew-deadline",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &flags.times[1],
     .help = "stop writing so long after the last renewal (10s)"},
    {.name = "leader-elect-retry-period",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &flags.times[2],
     .help = "time between two attempts (2s)"},
    {.name = "leader-elect-resource-name",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .target = &flags.lease_name,
     .help = "name of the Lease (kube-scheduler)"},
    {.name = "leader-elect-resource-namespace",
     .kind = OPTION_TEXT,
     .value = "NAME",
     .target = &flags.lease_namespace,
     .help = "namespace of the Lease (kube-system)"},
    {.name = "leader-elect-resource-lock",
     .kind = OPTION_TEXT,
     .value = "KIND",
     .target = &flags.lease_lock,
     .help = "leases: no other kind is supported"},
};

static const option of_looks[] = {
    {.name = "serve",
     .kind = OPTION_TEXT,
     .value = "ADDRESS",
     .target = &flags.session.serve,
     .help = "serve /livez, /readyz, /metrics, /configz and more at\nHOST:PORT; "
             "http://HOST:PORT: without TLS"},
    {.name = "bind-address",
     .kind = OPTION_TEXT,
     .value = "HOST",
     .target = &flags.bind_address,
     .help = "host of that address (0.0.0.0)"},
    {.name = "secure-port",
     .kind = OPTION_NUMBER,
     .value = "PORT",
     .max = 65535,
     .given = &flags.port_given,
     .target = &flags.secure_port,
     .help = "port of that address (10259); 0: serve nothing"},
    {.name = "profiling",
     .kind = OPTION_FLAG,
     .denied = &flags.session.no_profiles,
     .target = &flags.profiling,
     .help = "serve profiles under /debug/pprof/ (default); =false: not"},
};

/* As in kube-scheduler, the configuration's kubeconfig takes precedence over the flag, which serves
 * when there is no configuration. */
static berth_status read_access(const run_config *file, kubeconfig *config, berth_error *error)
{
    const live_flags *given = &live_flags_given;
    const kubeconfig_search search = {
        .path = file->kubeconfig != NULL ? file->kubeconfig : given->kubeconfig,
        .choice = {.context = given->context, .server = given->master}};
    return kubeconfig_find(config, &search, error);
}

/* Returns false, after a message, if the text is not a rate. As in kube-scheduler, a rate below 0
 * is no limit. */
static bool take_rate(double *out)
{
    char *end;
    if (flags.rate == NULL)
        return true;
    *out = strtod(flags.rate, &end);
    if (end != flags.rate && *end == '\0' && *out >= -MAX_RATE && *out <= MAX_RATE)
        return true;
    (void)exit_usage(help.name, "--kube-api-qps: '%s' is no number up to %d", flags.rate, MAX_RATE);
    return false;
}

static bool take_rates(const run_config *file)
{
    flags.session.rate = file->qps;
    flags.session.burst = flags.burst_given ? (double)flags.burst : file->burst;
    if (!take_rate(&flags.session.rate))
        return false;
    if (flags.session.rate <= 0)
        LOG_INFO(0, "requests are limited by the server alone, not by a rate of our own");
    return true;
}

/* Returns false, after a message, if the text is not a duration. */
static bool take_time(const char *name, const char *text, int64_t *out)
{
    if (text == NULL || duration_read(text, out))
        return true;
    (void)exit_usage(help.name, "--%s: '%s' is no time such as 15s or 1m30s", name, text);
    return false;
}

/* Whether a text may be a name; it becomes part of a path. */
static bool is_name(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789-.";
    return text[0] != '\0' && strspn(text, plain) == strlen(text);
}

/* Without a flag or a configuration there is no election: someone who starts the program by hand
 * wants it to schedule. */
static bool take_election(run_config *file)
{
    session_options *options = &flags.session;
    bool of_file = flags.setup.config_path != NULL && file->leader_elect;
    int64_t *times[] = {&file->lease_ns, &file->renew_deadline_ns, &file->retry_period_ns};
    for (int i = 0; i < 3; i++)
        if (!take_time(of_lease[1 + i].name, flags.times[i], times[i]))
            return false;
    options->leader_elect = flags.elect || (of_file && !flags.elect_denied);
    const bool counts = options->leader_elect || flags.times[0] != NULL || flags.times[1] != NULL ||
                        flags.times[2] != NULL;
    const char *wrong = counts ? run_config_wrong_times(file) : NULL;
    if (wrong != NULL) {
        (void)exit_usage(help.name, "--leader-elect-...: %s", wrong);
        return false;
    }
    options->lease_namespace =
        flags.lease_namespace != NULL ? flags.lease_namespace : file->resource_namespace;
    options->lease_name = flags.lease_name != NULL ? flags.lease_name : file->resource_name;
    options->lease_ns = file->lease_ns;
    options->renew_deadline_ns = file->renew_deadline_ns;
    options->retry_period_ns = file->retry_period_ns;
    options->volume_timeout_ns = file->volume_timeout_ns;
    options->device_timeout_ns = file->device_timeout_ns;
    if (options->dry_run)
        options->leader_elect = false;
    if (is_name(options->lease_name) && is_name(options->lease_namespace))
        return true;
    (void)exit_usage(help.name, "'%s/%s' is no name of a Lease", options->lease_namespace,
                     options->lease_name);
    return false;
}

/* The text behind the name of kube-scheduler's component and `separator`, if that name is given. */
static const char *without_component(const char *text, char separator)
{
    return strncmp(text, "kube", 4) == 0 && text[4] == separator ? text + 5 : text;
}

/* Take the options that select rules. kube-scheduler accepts "kube:Gate=true" and, for a version,
 * "kube=1.36" since 1.33. */
static void take_rules(void)
{
    engine_setup *setup = &flags.setup;
    setup->places_groups = !flags.session.dry_run;
    setup->asks_extenders = true;
    if (flags.emulated_version != NULL && setup->kubernetes == NULL)
        setup->kubernetes = without_component(flags.emulated_version, '=');
    if (setup->feature_gates == NULL)
        return;
    const char *from = setup->feature_gates;
    size_t at = 0;
    while (*from != '\0' && at + 1 < sizeof(flags.gates)) {
        if (at == 0 || flags.gates[at - 1] == ',')
            from = without_component(from, ':');
        flags.gates[at++] = *from++;
    }
    if (*from == '\0')
        setup->feature_gates = flags.gates;
}

/* Take the address from --serve, or from kube-scheduler's two flags for it. */
static void take_address(void)
{
    session_options *options = &flags.session;
    if (options->serve != NULL || (flags.bind_address == NULL && !flags.port_given))
        return;
    unsigned port = flags.port_given ? (unsigned)flags.secure_port : DEFAULT_PORT;
    const char *host = flags.bind_address != NULL ? flags.bind_address : "";
    const bool six = strchr(host, ':') != NULL && host[0] != '[';
    snprintf(flags.address, sizeof(flags.address), six ? "[%s]:%u" : "%s:%u", host, port);
    if (port != 0)
        options->serve = flags.address;
}

static bool take_flags(run_config *file)
{
    if (flags.lease_lock != NULL && strcmp(flags.lease_lock, "leases") != 0) {
        (void)exit_usage(help.name, "--leader-elect-resource-lock: '%s' is not leases",
                         flags.lease_lock);
        return false;
    }
    run_unused_warn();
    take_rules();
    if (!take_rates(file))
        return false;
    take_address();
    return take_time("pod-max-in-unschedulable-pods-duration", flags.unschedulable_max,
                     &flags.session.unschedulable_max_ns) &&
           take_election(file);
}

static berth_status check_version(engine_setup *setup, const char *kubernetes, berth_error *error)
{
    berth_engine *engine = NULL;
    extenders *asked = NULL;
    const char *given = setup->kubernetes;
    const uint64_t threads = setup->threads;
    setup->kubernetes = kubernetes;
    setup->threads = 1;
    berth_status status = engine_setup_resolve(setup, error);
    if (status == BERTH_OK)
        status = engine_setup_create(setup, &engine, error);
    if (status == BERTH_OK)
        status = extenders_create(setup->config, (extender_wait){NULL, NULL}, &asked, error);
    extenders_destroy(asked);
    berth_engine_destroy(engine);
    engine_setup_release(setup);
    setup->kubernetes = given;
    setup->threads = threads;
    return status;
}

/* Check the profiles and the feature gates before the server is asked. Without --kubernetes, they
 * must suit some version: the server's is not known yet. */
static berth_status check_setup(engine_setup *setup, berth_error *error)
{
    static const char *const versions[] = {"1.37", "1.36", "1.35", "1.34", "1.33", "1.32"};
    if (setup->kubernetes != NULL)
        return check_version(setup, setup->kubernetes, error);
    berth_status status = check_version(setup, versions[0], error);
    for (size_t i = 1; status != BERTH_OK && i < sizeof(versions) / sizeof(versions[0]); i++) {
        berth_error ignored;
        if (check_version(setup, versions[i], &ignored) == BERTH_OK)
            status = BERTH_OK;
    }
    return status;
}

/* Whether the file is good for a new session. A bad one changes nothing. */
static bool try_reload(void *context)
{
    run_config file;
    berth_error error = {.code = BERTH_OK};
    engine_setup setup = flags.unresolved;
    (void)context;
    setup.kubernetes = flags.setup.kubernetes; /* the server's, once it is known */
    run_config_init(&file);
    berth_status status = run_config_read(&file, setup.config_path, &error);
    if (status == BERTH_OK)
        status = check_setup(&setup, &error);
    run_config_free(&file);
    flags.reloads += status == BERTH_OK;
    flags.bad_reloads += status != BERTH_OK;
    if (status == BERTH_OK)
        return true;
    char text[1024];
    berth_error_format(&error, text, sizeof(text));
    LOG_ERROR("the configuration is wrong; the old one stays", "error", text);
    return false;
}

/* What kube-scheduler would write: its own defaults, not those of a program started by hand. */
static int write_config(const run_config *file)
{
    berth_error error = {.code = BERTH_OK};
    const bool rate_given = flags.rate != NULL || file->qps_given;
    berth_status status = engine_setup_resolve(&flags.setup, &error);
    const written_config config = {
        .setup = &flags.setup,
        .file = file,
        .kubeconfig = live_flags_given.kubeconfig,
        .leader_elect = flags.elect || (file->leader_elect && !flags.elect_denied),
        .profiling = flags.profiling,
        .qps = rate_given && flags.session.rate != 0 ? flags.session.rate : 50,
        .burst = flags.session.burst > 0 ? (uint32_t)flags.session.burst : 100};
    if (status == BERTH_OK)
        status = written_config_write(&config, flags.write_config_to, &error);
    engine_setup_release(&flags.setup);
    return status == BERTH_OK ? EXIT_DONE : exit_error(help.name, &error);
}

static int run_with(run_config *file)
{
    kubeconfig config;
    berth_error error = {.code = BERTH_OK};
    if (!take_flags(file))
        return EXIT_USAGE;
    if (check_setup(&flags.setup, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    if (flags.write_config_to != NULL)
        return write_config(file);
    berth_status status = run_clients_read(&flags.session, &error);
    if (status == BERTH_E_ARG)
        return exit_usage(help.name, "%s", error.message);
    if (status != BERTH_OK || read_access(file, &config, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    flags.session.config = &config;
    flags.session.setup = &flags.setup;
    flags.unresolved = flags.setup;
    int code = session_run(&flags.session);
    if (code == SESSION_RELOAD) {
        engine_setup_release(&flags.setup);
        flags.setup = flags.unresolved;
    }
    kubeconfig_free(&config);
    run_clients_free();
    return code;
}

static int run_once(void)
{
    run_config file;
    berth_error error = {.code = BERTH_OK};
    int code;
    run_config_init(&file);
    if (flags.setup.config_path != NULL &&
        run_config_read(&file, flags.setup.config_path, &error) != BERTH_OK)
        code = exit_error(help.name, &error);
    else
        code = run_with(&file);
    run_config_free(&file);
    return code;
}

static int run(const option_group *groups, size_t group_count)
{
    int code;
    live_flags_set_log();
    flags.session.certificate_file = live_flags_given.certificate_file;
    flags.session.key_file = live_flags_given.key_file;
    flags.values = options_values(groups, group_count);
    flags.session.flags = flags.values;
    flags.session.reload = flags.setup.config_path != NULL ? try_reload : NULL;
    flags.session.reloads = &flags.reloads;
    flags.session.bad_reloads = &flags.bad_reloads;
    do
        code = run_once();
    while (code == SESSION_RELOAD);
    free(flags.values);
    return code;
}

int cmd_run(int argc, char **argv)
{
    text_list operands = {0};
    const option_group groups[] = {live_flags_of_access(),  OPTION_GROUP(of_server),
                                   OPTION_GROUP(of_lease),  OPTION_GROUP(of_looks),
                                   live_flags_of_serving(), engine_setup_options(&flags.setup),
                                   run_clients_options(),   run_unused_options()};
    enum { GROUPS = sizeof(groups) / sizeof(groups[0]) };
    options_result parsed = options_parse(&help, groups, GROUPS, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN)
        code = run(groups, GROUPS);
    text_list_free(&operands);
    engine_setup_release(&flags.setup);
    return code;
}
