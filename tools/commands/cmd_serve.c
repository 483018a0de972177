/* berth serve: answers questions about a live cluster over HTTP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/exits.h"
#include "commands/commands.h"
#include "commands/live_flags.h"
#include "commands/run_clients.h"
#include "live/answer/answering.h"
#include "live/credentials/kubeconfig_files.h"
#include "live/log/log.h"
#include "live/run/run_config.h"

static const command_help help = {
    .name = "serve",
    .synopsis = "[OPTION...]",
    .text =
        "Follows a live cluster and answers questions about it over HTTP, as JSON: whether the\n"
        "pods of a manifest fit (POST /v1/fits), how many more of them fit (POST /v1/capacity),\n"
        "why a pod of the cluster gets its node or none (GET /v1/explain), whether the pods of\n"
        "nodes fit elsewhere (GET /v1/drain), and which nodes pending pods need (GET /v1/grow),\n"
        "with those of a manifest (POST /v1/grow).\n"
        "Each question is answered on a branch of the newest state, many at once. Nothing is\n"
        "written to the cluster.\n"
        "A browser finds a page at /: the cluster as 'berth report' shows it, and a form that\n"
        "asks whether a manifest fits. /openapi.json describes the interface.\n\n"
        "Over HTTPS, the API server authenticates each client and decides whether its user may\n"
        "use a path: a ClusterRole allows it by nonResourceURLs, verbs get and post. Over plain\n"
        "HTTP, everyone who can reach the address may ask. /livez, /readyz and /metrics are\n"
        "there, too. A signal (TERM or INT) ends it.\n",
    .examples = "  berth serve --listen 127.0.0.1:8470\n"
                "  berth serve --kubeconfig ~/.kube/config --listen http://127.0.0.1:8470\n"
                "  curl --data-binary @web.yaml 'http://127.0.0.1:8470/v1/fits?namespace=shop'\n"
                "  curl --data-binary @web.yaml 'http://127.0.0.1:8470/v1/capacity?max=100'\n"
                "  curl 'http://127.0.0.1:8470/v1/explain?pod=shop/web-0'\n"
                "  curl 'http://127.0.0.1:8470/v1/drain?nodes=node-17'\n",
};

enum { OF_CLIENT = 64, OF_CLIENT_MAX = 4096, THREADS_MAX = 1024 };

typedef struct serve_flags {
    engine_setup setup;
    const char *deadline;
    uint64_t threads, of_client;
    answering_options answering;
} serve_flags;

/* The command runs once in a program; options point into these. */
static serve_flags flags = {
    .of_client = OF_CLIENT, .deadline = "10s", .answering.listen = "127.0.0.1:8470"};

static const option of_answers[] = {
    {.name = "listen",
     .kind = OPTION_TEXT,
     .value = "ADDRESS",
     .target = &flags.answering.listen,
     .help = "answer at HOST:PORT (127.0.0.1:8470); http://HOST:PORT:\nwithout TLS"},
    {.name = "answering-threads",
     .kind = OPTION_NUMBER,
     .value = "N",
     .max = THREADS_MAX,
     .target = &flags.threads,
     .help = "questions answered at a time (default: one for each\nprocessor)"},
    {.name = "deadline",
     .kind = OPTION_TEXT,
     .value = "TIME",
     .target = &flags.deadline,
     .help = "time for an answer, waiting included (10s)"},
    {.name = "questions-of-client",
     .kind = OPTION_NUMBER,
     .value = "N",
     .max = OF_CLIENT_MAX,
     .target = &flags.of_client,
     .help = "questions of one address at a time (64); others are\nanswered 429"},
};

/* Returns false, after a message, if an option's value is wrong. */
static bool take_limits(void)
{
    answering_options *o = &flags.answering;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!duration_read(flags.deadline, &o->time_ns) || o->time_ns <= 0) {
        (void)exit_usage(help.name, "--deadline: '%s' is no time such as 10s or 500ms",
                         flags.deadline);
        return false;
    }
    if (flags.of_client == 0) {
        (void)exit_usage(help.name, "--questions-of-client: with 0, nobody could ask");
        return false;
    }
    o->threads =
        flags.threads > 0 ? (uint32_t)flags.threads : (uint32_t)(processors > 0 ? processors : 1);
    o->of_client = (uint32_t)flags.of_client;
    return true;
}

/* The options about clients are those of `berth run`. */
static berth_status take_clients(berth_error *error)
{
    static session_options session;
    session.serve = flags.answering.listen;
    TRY(run_clients_read(&session, error));
    flags.answering.reviewing = session.reviewing;
    flags.answering.client_ca_file = session.client_ca_file;
    return BERTH_OK;
}

static int run(void)
{
    kubeconfig config;
    berth_error error = {.code = BERTH_OK};
    const live_flags *given = &live_flags_given;
    const kubeconfig_search search = {
        .path = given->kubeconfig,
        .home = true, /* it only reads */
        .choice = {.context = given->context, .server = given->master}};
    live_flags_set_log();
    flags.answering.certificate_file = given->certificate_file;
    flags.answering.key_file = given->key_file;
    if (!take_limits())
        return EXIT_USAGE;
    berth_status status = take_clients(&error);
    if (status == BERTH_E_ARG)
        return exit_usage(help.name, "%s", error.message);
    if (status != BERTH_OK || kubeconfig_find(&config, &search, &error) != BERTH_OK)
        return exit_error(help.name, &error);
    flags.answering.config = &config;
    flags.answering.setup = &flags.setup;
    const int code = answering_run(&flags.answering);
    kubeconfig_free(&config);
    return code;
}

int cmd_serve(int argc, char **argv)
{
    text_list operands = {0};
    const option_group groups[] = {live_flags_of_access(), OPTION_GROUP(of_answers),
                                   live_flags_of_serving(), run_clients_options(),
                                   engine_setup_options(&flags.setup)};
    enum { GROUPS = sizeof(groups) / sizeof(groups[0]) };
    options_result parsed = options_parse(&help, groups, GROUPS, &operands, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    char *values = options_values(groups, GROUPS);
    flags.answering.flags = values;
    if (parsed == OPTIONS_RUN && operands.count > 0)
        code = exit_usage(help.name, "unexpected argument '%s'", operands.items[0]);
    else if (parsed == OPTIONS_RUN)
        code = run();
    free(values);
    text_list_free(&operands);
    run_clients_free();
    engine_setup_release(&flags.setup);
    return code;
}
