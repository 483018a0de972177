/* The berth program: finds the subcommand and runs it. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "berth/status.h"
#include "cli/exits.h"
#include "cli/output.h"
#include "cli/page_kubectl.h"
#include "cli/pages.h"
#include "cli/suggest.h"
#include "commands/commands.h"

#ifdef BERTH_LIVE
#include "live/read/cluster_read.h"
#endif

#ifndef BERTH_LIVE
int cmd_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return exit_usage("",
                      "this berth was built without libcurl and libmicrohttpd: there is no 'run'");
}

int cmd_serve(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return exit_usage(
        "", "this berth was built without libcurl and libmicrohttpd: there is no 'serve'");
}
#endif

static const subcommand subcommands[] = {
    {"schedule", cmd_schedule, "place the pods that have no node, and say why where there is none"},
    {"explain", cmd_explain, "tell why a pod goes where it goes, or nowhere, and what would help"},
    {"top", cmd_top, "show requests, limits and free capacity by node, namespace, zone or owner"},
    {"capacity", cmd_capacity, "count how many more of a pod fit, where, and what stops the next"},
    {"compare", cmd_compare, "put several configurations or clusters side by side"},
    {"drain", cmd_drain, "tell whether the pods of nodes fit elsewhere"},
    {"grow", cmd_grow, "find the nodes that pending pods need, and those that could go"},
    {"dump", cmd_dump, "print the kubectl command that fetches all that matters of a cluster"},
    {"generate", cmd_generate, "write a synthetic cluster as Kubernetes objects"},
    {"import", cmd_import, "write a published trace as Kubernetes objects"},
    {"verify", cmd_verify, "replay decisions of kube-scheduler and report every difference"},
    {"report", cmd_report, "make a page of a cluster or a replay, to look at in a browser"},
    {"replay", cmd_replay, "run a trace in virtual time and tell what came of it"},
    {"bench", cmd_bench, "measure decisions on a synthetic cluster"},
    /* the last rows, because these commands may be missing */
    {"run", cmd_run, "schedule a live cluster through its API server"},
    {"serve", cmd_serve, "answer questions about a live cluster over HTTP"},
};

enum { SUBCOMMAND_COUNT = sizeof(subcommands) / sizeof(subcommands[0]) };

#ifdef BERTH_LIVE
enum { PAGE_COUNT = SUBCOMMAND_COUNT };
#else
enum { PAGE_COUNT = SUBCOMMAND_COUNT - 2 };
#endif

static int print_help(void)
{
    printf("Usage: berth COMMAND [ARGUMENT...]\n\n"
           "Decides which node of a Kubernetes cluster a pod runs on, as kube-scheduler does.\n\n"
           "Commands:\n");
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        printf("  %-10s %s\n", subcommands[i].name, subcommands[i].summary);
    printf("  completion, manual  completions for a shell, manual pages\n"
           "\n'berth help COMMAND' describes a command; 'berth --version' prints the version.\n\n"
           "Results go to standard output, diagnostics and progress to standard error.\n"
           "Exit code: 0 done, 1 the answer is no, 2 wrong usage, 3 wrong or unreadable input,\n"
           "4 internal failure.\n");
    return EXIT_DONE;
}

static const subcommand *find_subcommand(const char *name)
{
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        if (strcmp(name, subcommands[i].name) == 0)
            return &subcommands[i];
    return NULL;
}

static int unknown_command(const char *word)
{
    suggestion like;
    suggestion_begin(&like, word);
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        suggestion_offer(&like, subcommands[i].name);
    suggestion_offer(&like, "completion");
    suggestion_offer(&like, "manual");
    const char *best = word[0] != '-' ? suggestion_end(&like) : NULL;
    return exit_usage("", "unknown %s '%s'%s%s%s", word[0] == '-' ? "option" : "command", word,
                      best != NULL ? "; did you mean '" : "", best != NULL ? best : "",
                      best != NULL ? "'?" : "");
}

static int run_command(int argc, char **argv)
{
    if (strcmp(argv[0], "completion") == 0)
        return pages_completion(subcommands, PAGE_COUNT, argc, argv);
    if (strcmp(argv[0], "manual") == 0)
        return pages_manual(subcommands, PAGE_COUNT, argc, argv);
    const subcommand *sub = find_subcommand(argv[0]);
    return sub != NULL ? sub->run(argc, argv) : unknown_command(argv[0]);
}

/* berth help, berth help SUB */
static int run_help(int argc, char **argv)
{
    if (argc < 3)
        return print_help();
    if (argc > 3)
        return exit_usage("", "help takes one command: unexpected argument '%s'", argv[3]);
    char word[] = "--help";
    char *words[] = {argv[2], word, NULL};
    return run_command(2, words);
}

/* The releases of kube-scheduler whose decisions were compared: those of tests/oracle/versions, and
 * the one of the v1.15 era's vectors. */
static int print_version(void)
{
    printf("berth %s\n"
           "decides as kube-scheduler of Kubernetes 1.32 to 1.37; compared with 1.15.3, 1.32.2,\n"
           "1.33.13, 1.34.4, 1.35.4, 1.36.2, 1.36.3 and 1.37.2\n",
           berth_version());
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return exit_usage("", "no command given");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_help();
    if (strcmp(word, "help") == 0)
        return run_help(argc, argv);
    if (strcmp(word, "--version") == 0) {
        return print_version();
    }
    if (argc == 3 && strcmp(argv[2], "--version") == 0)
        return print_version();
    return run_command(argc - 1, argv + 1);
}

#ifdef BERTH_LIVE
/* As a kubectl plugin ("kubectl berth top" runs kubectl-berth), the program reads kubectl's cluster
 * if no input is given. */
static void register_live(const char *name)
{
    static cluster_source source = {.read = cluster_read};
    source.is_default = strcmp(name, "kubectl-berth") == 0;
    cluster_source_register(&source);
}
#endif

int main(int argc, char **argv)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    const char *name = slash != NULL ? slash + 1 : argc > 0 ? argv[0] : "";
#ifdef BERTH_LIVE
    register_live(name);
#endif
    signal(SIGXFSZ, SIG_IGN); /* a file that reaches the size limit is an error of writing it */
    if (strcmp(name, "kubectl_complete-berth") == 0) /* kubectl asks for completions */
        return output_finish(page_kubectl(subcommands, PAGE_COUNT, argc - 1, argv + 1));
    return output_finish(run(argc, argv));
}
