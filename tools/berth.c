/* The berth program: finds the subcommand and runs it. */
#include <stdio.h>
#include <string.h>

#include "berth/status.h"
#include "cli/exits.h"
#include "cli/output.h"
#include "commands/commands.h"

typedef struct subcommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} subcommand;

#ifndef BERTH_LIVE
int cmd_run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return exit_usage("",
                      "this berth was built without libcurl and libmicrohttpd: there is no 'run'");
}
#endif

static const subcommand subcommands[] = {
    {"schedule", cmd_schedule, "place the pods that have no node, and say why where there is none"},
    {"capacity", cmd_capacity, "count how many more of a pod fit, where, and what stops the next"},
    {"drain", cmd_drain, "tell whether the pods of nodes fit elsewhere"},
    {"dump", cmd_dump, "print the kubectl command that fetches all that matters of a cluster"},
    {"generate", cmd_generate, "write a synthetic cluster as Kubernetes objects"},
    {"import", cmd_import, "write a published trace as Kubernetes objects"},
    {"verify", cmd_verify, "replay decisions of kube-scheduler and report every difference"},
    {"replay", cmd_replay, "run a trace in virtual time and tell what came of it"},
    {"bench", cmd_bench, "measure decisions on a synthetic cluster"},
    {"run", cmd_run, "schedule a live cluster through its API server"},
};

enum { SUBCOMMAND_COUNT = sizeof(subcommands) / sizeof(subcommands[0]) };

static int print_help(void)
{
    printf("Usage: berth COMMAND [ARGUMENT...]\n\n"
           "Decides which node of a Kubernetes cluster a pod runs on, as kube-scheduler does.\n\n"
           "Commands:\n");
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        printf("  %-10s %s\n", subcommands[i].name, subcommands[i].summary);
    printf("\n'berth COMMAND --help' tells more; 'berth --version' prints the version.\n\n"
           "Results go to standard output, diagnostics and progress to standard error.\n"
           "Exit code: 0 done, 1 the answer is no, 2 wrong usage, 3 wrong or unreadable input,\n"
           "4 internal failure.\n");
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return exit_usage("", "no command given");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return print_help();
    if (strcmp(word, "--version") == 0) {
        printf("berth %s\n", berth_version());
        return EXIT_DONE;
    }
    for (int i = 0; i < SUBCOMMAND_COUNT; i++)
        if (strcmp(word, subcommands[i].name) == 0)
            return subcommands[i].run(argc - 1, argv + 1);
    return exit_usage("", "unknown %s '%s'", word[0] == '-' ? "option" : "command", word);
}

int main(int argc, char **argv)
{
    return output_finish(run(argc, argv));
}
