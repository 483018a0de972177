/* Commands that print manual pages and completions, from the options that each subcommand passes to
 * options_parse. */
#include "cli/pages.h"

#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/page_manual.h"
#include "cli/page_shells.h"

static const command_help completion_help = {
    .name = "completion",
    .synopsis = "bash | zsh | fish",
    .text =
        "Prints completions of the program's commands and options for a shell. Packages install\n"
        "them; after a build by hand, load them as the examples do.\n",
    .examples = "  source <(berth completion bash)\n"
                "  berth completion bash > ~/.local/share/bash-completion/completions/berth\n"
                "  berth completion zsh > \"${fpath[1]}/_berth\"\n"
                "  berth completion fish > ~/.config/fish/completions/berth.fish\n",
};

static const command_help manual_help = {
    .name = "manual",
    .synopsis = "[COMMAND]",
    .text = "Prints the manual page of a command, or of the program, as the source text that man\n"
            "shows. Packages install the pages: 'man berth-schedule'.\n",
    .examples = "  berth manual schedule | man -l -\n"
                "  berth manual | man -l -\n"
                "  berth manual drain > berth-drain.1\n",
};

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
    text_list words = {0};
    options_result parsed = options_parse(&completion_help, NULL, 0, &words, argc, argv);
    const page_shell *shell = words.count == 1 ? find_shell(words.items[0]) : NULL;
    text_list_free(&words);
    if (parsed != OPTIONS_RUN)
        return parsed == OPTIONS_HELP ? EXIT_DONE : EXIT_USAGE;
    if (shell == NULL)
        return exit_usage(completion_help.name, "name one shell: bash, zsh or fish");
    shell->begin(commands, count);
    for (size_t i = 0; i < count; i++) {
        int code = run_visited(&commands[i], shell->visit);
        if (code != EXIT_DONE)
            return code;
    }
    shell->end(commands, count);
    return EXIT_DONE;
}

static int print_manual(const subcommand *commands, size_t count, const text_list *words)
{
    if (words->count > 1)
        return exit_usage(manual_help.name, "name one command, or none");
    if (words->count == 0) {
        page_manual_of_program(commands, count);
        return EXIT_DONE;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i].name, words->items[0]) == 0) {
            page_manual_summary = commands[i].summary;
            return run_visited(&commands[i], page_manual_of_command);
        }
    return exit_usage(manual_help.name, "unknown command '%s'", words->items[0]);
}

int pages_manual(const subcommand *commands, size_t count, int argc, char **argv)
{
    text_list words = {0};
    options_result parsed = options_parse(&manual_help, NULL, 0, &words, argc, argv);
    int code = parsed == OPTIONS_WRONG ? EXIT_USAGE : EXIT_DONE;
    if (parsed == OPTIONS_RUN)
        code = print_manual(commands, count, &words);
    text_list_free(&words);
    return code;
}
