/* berth run: schedules a live cluster through its API server. */
#include "cli/exits.h"
#include "commands/commands.h"
#include "live/log/log.h"
#include "live/run/run_config.h"
#include "live/run/session.h"

static const command_help help = {
    .name = "run",
    .synopsis = "[OPTION...]",
    .text =
        "Schedules a live cluster: watches its API server, decides as kube-scheduler does, and\n"
        "binds. Without a kubeconfig it is taken to run in a pod of the cluster. It runs until\n"
        "a signal (TERM or INT) ends it.\n"
        "With --dry-run nothing is written: each pod that another scheduler binds is decided\n"
        "at the same moment, and the agreement is printed at the end.\n",
    .examples = "  berth run --kubeconfig /etc/kubernetes/scheduler.conf --leader-elect\n"
                "  berth run --kubeconfig ~/.kube/config --dry-run --placements 1000\n",
};

typedef struct run_flags {
    engine_setup setup;
    const char *kubeconfig, *master;
    uint64_t verbosity;
    int format;
    bool rate_given, burst_given, elect, elect_denied;
    uint64_t rate, burst;
    session_options session;
} run_flags;

static const char *const formats[] = {"text", "json", NULL};

/* As kube-scheduler: the configuration's word goes before the flag's, which is there for when there is
 * no configuration. */
static berth_status read_access(const run_flags *flags, const run_config *file, kubeconfig *config,
                                berth_error *error)
{
    const char *path = file->kubeconfig != NULL ? file->kubeconfig : flags->kubeconfig;
    if (path != NULL)
        return kubeconfig_read_file(config, path, flags->master, error);
    return kubeconfig_in_cluster(config, NULL, error);
}

static void take_rates(run_flags *flags, const run_config *file)
{
    flags->session.rate = flags->rate_given ? (double)flags->rate : file->qps;
    flags->session.burst = flags->burst_given ? (double)flags->burst : file->burst;
    if (flags->session.rate <= 0)
        LOG_INFO(0, "requests are limited by the server alone, not by a rate of our own");
}

/* Without a word of either there is no election: whoever starts it by hand wants it to schedule. */
static void take_election(run_flags *flags, const run_config *file)
{
    session_options *options = &flags->session;
    bool of_file = flags->setup.config_path != NULL && file->leader_elect;
    options->leader_elect = flags->elect || (of_file && !flags->elect_denied);
    options->lease_namespace = file->resource_namespace;
    options->lease_name = file->resource_name;
    options->lease_ns = file->lease_ns;
    options->renew_deadline_ns = file->renew_deadline_ns;
    options->retry_period_ns = file->retry_period_ns;
    options->volume_timeout_ns = file->volume_timeout_ns;
    if (options->dry_run)
        options->leader_elect = false;
}

static int run_with(run_flags *flags, const run_config *file)
{
    kubeconfig config;
    berth_error error = {.code = BERTH_OK};
    if (read_access(flags, file, &config, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    take_rates(flags, file);
    take_election(flags, file);
    session_options options = flags->session;
    options.config = &config;
    options.setup = &flags->setup;
    int code = session_run(&options);
    kubeconfig_free(&config);
    return code;
}

static int run(run_flags *flags)
{
    run_config file;
    berth_error error = {.code = BERTH_OK};
    int code;
    log_setup(flags->format == 1, (int)flags->verbosity);
    run_config_init(&file);
    if (flags->setup.config_path != NULL &&
        run_config_read(&file, flags->setup.config_path, &error) != BERTH_OK)
        code = exit_error(help.name, &error);
    else
        code = run_with(flags, &file);
    run_config_free(&file);
    return code;
}

int cmd_run(int argc, char **argv)
{
    run_flags flags = {.format = 0};
    text_list operands = {0};
    const option own[] = {
        {.name = "kubeconfig",
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &flags.kubeconfig,
         .help = "where the API server is, and who we are (default: as in a\npod)"},
        {.name = "master",
         .kind = OPTION_TEXT,
         .value = "URL",
         .target = &flags.master,
         .help = "the API server, in place of the kubeconfig's"},
        {.name = "kube-api-qps",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = 1000000,
         .target = &flags.rate,
         .given = &flags.rate_given,
         .help = "writes a second (default: as the server takes them)"},
        {.name = "kube-api-burst",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = 1000000,
         .target = &flags.burst,
         .given = &flags.burst_given,
         .help = "writes at once, with a rate"},
        {.name = "leader-elect",
         .kind = OPTION_FLAG,
         .target = &flags.elect,
         .denied = &flags.elect_denied,
         .help = "schedule only while the Lease of the configuration is ours\n"
                 "(kube-system/kube-scheduler); =false: whatever it says"},
        {.name = "serve",
         .kind = OPTION_TEXT,
         .value = "ADDRESS",
         .target = &flags.session.serve,
         .help = "HOST:PORT to show /livez, /readyz, /metrics and /configz at"},
        {.name = "tls-cert-file",
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &flags.session.certificate_file,
         .help = "certificate to serve with (default: plain HTTP)"},
        {.name = "tls-private-key-file",
         .kind = OPTION_TEXT,
         .value = "FILE",
         .target = &flags.session.key_file,
         .help = "and its key"},
        {.name = "dry-run",
         .kind = OPTION_FLAG,
         .target = &flags.session.dry_run,
         .help = "write nothing; compare with the scheduler that is there"},
        {.name = "placements",
         .kind = OPTION_NUMBER,
         .value = "N",
         .max = INT64_MAX,
         .target = &flags.session.dry_run_placements,
         .help = "end a dry run after so many"},
        {.name = "v",
         .kind = OPTION_NUMBER,
         .value = "LEVEL",
         .max = 10,
         .target = &flags.verbosity,
         .help = "how much is logged: 2 a line a binding, 3 an attempt"},
        {.name = "logging-format",
         .kind = OPTION_CHOICE,
         .value = "FORM",
         .target = &flags.format,
         .choices = formats,
         .help = "form of the log, on standard error"},
    };
    const option_group groups[] = {OPTION_GROUP(own), engine_setup_options(&flags.setup)};
    options_result parsed = options_parse(&help, groups, 2, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN)
        code = run(&flags);
    text_list_free(&operands);
    engine_setup_release(&flags.setup);
    return code;
}
