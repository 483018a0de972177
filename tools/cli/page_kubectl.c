/* Completion of `kubectl berth`: kubectl runs kubectl_complete-berth with the words typed so far
 * and offers the words that it prints. Words that are not options are completed as files, as in the
 * other shells. Protocol: kubectl v0.37, pkg/cmd/plugin/plugin_completion.go. */
#include "cli/page_kubectl.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/options.h"

/* Values of Cobra's ShellCompDirective. */
enum { COMPLETE_FILES = 0, COMPLETE_NO_FILES = 4 };

/* The request, while a command's options are visited. */
static struct {
    const char *before; /* the word in front of the one to complete */
    const char *word;
} asked;

/* Only the first line of the description is used. */
static void offer(const char *before, const char *word, const char *description)
{
    size_t typed = strlen(asked.word), len = strlen(before);
    char whole[128];
    snprintf(whole, sizeof(whole), "%s%s", before, word);
    if (strncmp(whole, asked.word, typed) != 0)
        return;
    len = strcspn(description, "\n");
    printf("%s%s%.*s\n", whole, len > 0 ? "\t" : "", (int)len, description);
}

static int end(int directive)
{
    printf(":%d\n", directive);
    return EXIT_DONE;
}

static const option *find_option(const option_group *groups, size_t group_count, const char *word,
                                 size_t len)
{
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            const option *o = &groups[g].items[i];
            bool is_letter = len == 2 && word[0] == '-' && word[1] == o->letter;
            bool is_long = len > 2 && strncmp(word, "--", 2) == 0;
            bool is_name =
                is_long && strlen(o->name) == len - 2 && strncmp(o->name, word + 2, len - 2) == 0;
            bool is_alias = is_long && o->alias != NULL && strlen(o->alias) == len - 2 &&
                            strncmp(o->alias, word + 2, len - 2) == 0;
            if (is_letter || is_name || is_alias)
                return o;
        }
    return NULL;
}

/* `before`: the text before the value in the same word. */
static int offer_values(const option *o, const char *before)
{
    if (o->kind != OPTION_CHOICE)
        return end(option_takes_path(o) ? COMPLETE_FILES : COMPLETE_NO_FILES);
    for (size_t i = 0; o->choices[i] != NULL; i++)
        offer(before, o->choices[i], "");
    return end(COMPLETE_NO_FILES);
}

static void visit(const command_help *help, const option_group *groups, size_t group_count)
{
    const char *equals = strncmp(asked.word, "--", 2) == 0 ? strchr(asked.word, '=') : NULL;
    const size_t len = equals != NULL ? (size_t)(equals - asked.word) : strlen(asked.before);
    const option *o =
        find_option(groups, group_count, equals != NULL ? asked.word : asked.before, len);
    char before[80] = "";
    (void)help;
    if (equals != NULL)
        snprintf(before, sizeof(before), "%.*s=", (int)len, asked.word);
    if (o != NULL && o->kind != OPTION_FLAG) {
        (void)offer_values(o, before);
        return;
    }
    if (asked.word[0] != '-') {
        (void)end(COMPLETE_FILES);
        return;
    }
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++)
            offer("--", groups[g].items[i].name, groups[g].items[i].help);
    offer("--", "help", "print the options and stop");
    (void)end(COMPLETE_NO_FILES);
}

static void offer_commands(const subcommand *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        offer("", commands[i].name, commands[i].summary);
}

static int offer_first(const subcommand *commands, size_t count)
{
    offer_commands(commands, count);
    offer("", "completion", "print completions for a shell");
    offer("", "help", "print help of a command");
    offer("", "manual", "print a manual page");
    offer("--", "help", "print the commands and stop");
    offer("--", "version", "print the version and stop");
    return end(COMPLETE_NO_FILES);
}

int page_kubectl(const subcommand *commands, size_t count, int word_count, char **words)
{
    asked.word = word_count > 0 ? words[word_count - 1] : "";
    asked.before = word_count > 1 ? words[word_count - 2] : "";
    if (word_count < 2)
        return offer_first(commands, count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(commands[i].name, words[0]) == 0) {
            char *alone[] = {words[0], NULL};
            options_visit(visit);
            (void)commands[i].run(1, alone);
            options_visit(NULL);
            return EXIT_DONE;
        }
    if (word_count == 2 && (strcmp(words[0], "help") == 0 || strcmp(words[0], "manual") == 0)) {
        offer_commands(commands, count);
    } else if (word_count == 2 && strcmp(words[0], "completion") == 0) {
        offer("", "bash", "");
        offer("", "zsh", "");
        offer("", "fish", "");
    }
    return end(COMPLETE_NO_FILES);
}
