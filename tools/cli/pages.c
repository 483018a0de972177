/* Commands that print manual pages and completions: each subcommand is asked for its options. */
#include "cli/pages.h"

#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/page_manual.h"
#include "cli/page_shells.h"

static int run_visited(const subcommand *one, options_visit_fn visit)
{
    char name[64];
    char *words[] = {name, NULL};
    snprintf(name, sizeof(name), "%s", one->name);
    options_visit(visit);
    int code = one->run(1, words);
    options_visit(NULL);
    return code;
}

static const page_shell *find_shell(const char *name)
{
    for (size_t i = 0; page_shells[i].name != NULL; i++)
        if (strcmp(page_shells[i].name, name) == 0)
            return &page_shells[i];
    return NULL;
}

int pages_completion(const subcommand *commands, size_t count, int argc, char **argv)
{
    const page_shell *shell = argc == 2 ? find_shell(argv[1]) : NULL;
    if (shell == NULL)
        return exit_usage("", "'berth completion' takes the name of a shell: bash, zsh or fish");
    shell->begin(commands, count);
    for (size_t i = 0; i < count; i++) {
        int code = run_visited(&commands[i], shell->visit);
        if (code != EXIT_DONE)
            return code;
    }
    shell->end(commands, count);
    return EXIT_DONE;
}

int pages_manual(const subcommand *commands, size_t count, int argc, char **argv)
{
    if (argc > 2)
        return exit_usage("", "'berth manual' takes one command, or none");
    if (argc < 2) {
        page_manual_of_program(commands, count);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i].name, argv[1]) == 0) {
            page_manual_summary = commands[i].summary;
            return run_visited(&commands[i], page_manual_of_command);
        }
    return exit_usage("", "unknown command '%s'", argv[1]);
}
