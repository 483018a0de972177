/* Manual pages of the program and its commands, as man(7) on standard output. */
#include "cli/page_manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "berth/status.h"

const char *page_manual_summary;

/* Writes text for roff: no escapes, no requests, and '-' as a character that can be copied and
 * typed. */
static void put(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (i == 0 && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else if (text[i] == '\'')
            fputs("\\(aq", stdout);
        else if (text[i] == '"')
            fputs("\\(dq", stdout);
        else if (text[i] == '`')
            fputs("\\(ga", stdout);
        else if (text[i] == '^')
            fputs("\\(ha", stdout);
        else if (text[i] == '~')
            fputs("\\(ti", stdout);
        else
            putchar(text[i]);
    }
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

static void title(const char *name)
{
    printf(".TH BERTH");
    if (name != NULL) {
        fputs("\\-", stdout);
        for (const char *c = name; *c != '\0'; c++)
            putchar(toupper((unsigned char)*c));
    }
    printf(" 1 \"\" \"berth %s\" \"Berth\"\n.SH NAME\nberth", berth_version());
    if (name != NULL)
        printf("\\-%s", name);
}

/* Writes indented lines unchanged, all others as filled paragraphs. */
static void put_lines(const char *text, bool as_they_are)
{
    bool literal = as_they_are;
    if (literal)
        fputs(".nf\n", stdout);
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool indented = as_they_are || text[0] == ' ';
        if (length > 0 && indented != literal) {
            fputs(indented ? ".PP\n.nf\n" : ".fi\n.PP\n", stdout);
            literal = indented;
        }
        if (length == 0 && text[1] != '\0')
            fputs(literal ? "\n" : ".PP\n", stdout);
        else if (length > 0) {
            put(text, length);
            putchar('\n');
        }
        text += length + (text[length] == '\n');
    }
    if (literal)
        fputs(".fi\n", stdout);
}

static void put_option(const option *o)
{
    fputs(".TP\n", stdout);
    if (o->letter != '\0')
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    put_text(o->name);
    fputs("\\fR", stdout);
    if (o->value != NULL) {
        fputs(" \\fI", stdout);
        put_text(o->value);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_lines(o->help, false);
    if (o->kind != OPTION_CHOICE)
        return;
    putchar('(');
    for (size_t i = 0; o->choices[i] != NULL; i++) {
        if (i > 0)
            fputs(", ", stdout);
        put_text(o->choices[i]);
    }
    fputs(")\n", stdout);
}

static void put_part(const option_group *groups, size_t group_count, option_part part)
{
    if (!options_has_part(groups, group_count, part))
        return;
    if (part != OPTIONS_OWN && option_part_titles[part] != NULL)
        printf(".SS %s\n", option_part_titles[part]);
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count && groups[g].part == part; i++)
            put_option(&groups[g].items[i]);
    if (part == OPTIONS_COMMON)
        fputs(".TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nprint the options and stop\n", stdout);
}

static void put_exits(void)
{
    static const char *const exits[][2] = {{"0", "done"},
                                           {"1", "the answer is no"},
                                           {"2", "wrong usage"},
                                           {"3", "wrong or unreadable input"},
                                           {"4", "internal failure"}};
    fputs(".SH EXIT STATUS\n", stdout);
    for (size_t i = 0; i < sizeof(exits) / sizeof(exits[0]); i++)
        printf(".TP\n%s\n%s\n", exits[i][0], exits[i][1]);
}

void page_manual_of_command(const command_help *help, const option_group *groups,
                            size_t group_count)
{
    title(help->name);
    fputs(" \\- ", stdout);
    put_text(page_manual_summary);
    fputs("\n.SH SYNOPSIS\n\\fBberth ", stdout);
    put_text(help->name);
    fputs("\\fR ", stdout);
    put_text(help->synopsis);
    fputs("\n.SH DESCRIPTION\n", stdout);
    put_lines(help->text, false);
    fputs(".SH EXAMPLES\n", stdout);
    put_lines(help->examples, true);
    fputs(".SH OPTIONS\n", stdout);
    for (int part = 0; part < OPTION_PARTS; part++)
        put_part(groups, group_count, (option_part)part);
    put_exits();
    fputs(".SH SEE ALSO\n.BR berth (1)\n", stdout);
}

void page_manual_of_program(const subcommand *commands, size_t count)
{
    title(NULL);
    fputs(" \\- decide which node of a Kubernetes cluster a pod runs on\n"
          ".SH SYNOPSIS\n\\fBberth\\fR COMMAND [ARGUMENT...]\n"
          ".SH DESCRIPTION\nDecides which node of a Kubernetes cluster a pod runs on, as "
          "kube\\-scheduler does.\nResults go to standard output, diagnostics and progress to "
          "standard error.\n.SH COMMANDS\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n.BR berth\\-%s (1)\n", commands[i].name);
        put_text(commands[i].summary);
        putchar('\n');
    }
    fputs(".TP\n\\fBberth completion\\fR bash|zsh|fish\nprint completions for a shell\n"
          ".TP\n\\fBberth manual\\fR [COMMAND]\nprint a manual page such as this one\n"
          ".TP\n\\fBberth \\-\\-version\\fR\nprint the version\n",
          stdout);
    put_exits();
}
