/* Completions for bash, zsh and fish. Words that are not options are completed as files. */
#include "cli/page_shells.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The program's words that are in no table of options. */
static const char *const other_words[] = {"completion", "help", "manual", "--help", "--version"};
enum { OTHER_WORDS = sizeof(other_words) / sizeof(other_words[0]) };

static void put_choices(const option *o)
{
    for (size_t i = 0; o->choices[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", o->choices[i]);
}

static void put_commands(const subcommand *commands, size_t count)
{
    for (size_t i = 0; i < count; i++)
        printf("%s ", commands[i].name);
}

/* ---- bash ---- */

static void bash_begin(const subcommand *commands, size_t count)
{
    fputs("# bash completion of berth, written by 'berth completion bash'.\n"
          "_berth() {\n"
          "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "  local IFS=$'\\n'\n"
          "  COMPREPLY=()\n"
          "  if [[ $cur == = ]]; then\n"
          "    cur=\n"
          "  elif [[ $prev == = ]]; then\n"
          "    prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "  fi\n"
          "  _berth_words() {\n"
          "    IFS=' '\n"
          "    local words=$*\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "  }\n"
          "  _berth_files() {\n"
          "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
          "    compopt -o filenames 2>/dev/null\n"
          "  }\n"
          "  if ((COMP_CWORD == 1)); then\n"
          "    _berth_words ",
          stdout);
    put_commands(commands, count);
    for (int i = 0; i < OTHER_WORDS; i++)
        printf("%s ", other_words[i]);
    fputs("\n    return\n  fi\n"
          "  case ${COMP_WORDS[1]} in\n"
          "  completion) _berth_words bash zsh fish ;;\n"
          "  manual) _berth_words ",
          stdout);
    put_commands(commands, count);
    fputs(";;\n  help) _berth_words completion manual ", stdout);
    put_commands(commands, count);
    fputs(";;\n", stdout);
}

static void bash_names(const option *o)
{
    if (o->letter != '\0')
        printf("-%c | ", o->letter);
    if (o->alias != NULL)
        printf("--%s | ", o->alias);
    printf("--%s) ", o->name);
}

static void bash_visit(const command_help *help, const option_group *groups, size_t group_count)
{
    printf("  %s)\n    case $prev in\n", help->name);
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            const option *o = &groups[g].items[i];
            if (o->kind == OPTION_FLAG)
                continue;
            fputs("    ", stdout);
            bash_names(o);
            if (o->kind == OPTION_CHOICE) {
                fputs("_berth_words ", stdout);
                put_choices(o);
            } else if (option_takes_path(o)) {
                fputs("_berth_files", stdout);
            } else {
                fputs(":", stdout);
            }
            fputs("; return ;;\n", stdout);
        }
    fputs("    esac\n    if [[ $cur == -* ]]; then\n      _berth_words ", stdout);
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++)
            printf("--%s ", groups[g].items[i].name);
    fputs("--help\n    else\n      _berth_files\n    fi\n    ;;\n", stdout);
}

static void bash_end(const subcommand *commands, size_t count)
{
    (void)commands;
    (void)count;
    fputs("  esac\n}\ncomplete -F _berth berth\n", stdout);
}

/* ---- zsh ---- */

/* Writes help for zsh: in brackets within single quotes, on one line. */
static void zsh_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            printf("\\%c", *text);
        else
            putchar(*text == '\n' ? ' ' : *text);
    }
}

static void zsh_begin(const subcommand *commands, size_t count)
{
    fputs("#compdef berth\n"
          "# zsh completion of berth, written by 'berth completion zsh'.\n"
          "_berth() {\n"
          "  local -a commands\n"
          "  commands=(\n",
          stdout);
    for (size_t i = 0; i < count; i++) {
        printf("    '%s:", commands[i].name);
        zsh_text(commands[i].summary);
        fputs("'\n", stdout);
    }
    fputs("    'completion:print completions for a shell'\n"
          "    'help:print help of a command'\n"
          "    'manual:print a manual page'\n"
          "  )\n"
          "  if ((CURRENT == 2)); then\n"
          "    _describe command commands\n"
          "    return\n"
          "  fi\n"
          "  local command=$words[2]\n"
          "  shift words\n"
          "  ((CURRENT--))\n"
          "  case $command in\n"
          "  completion) _values shell bash zsh fish ;;\n"
          "  help | manual) _describe command commands ;;\n",
          stdout);
}

static void zsh_option(const option *o)
{
    bool repeats = o->kind == OPTION_TEXTS;
    if (o->letter != '\0')
        printf("      %s{-%c,--%s}'[", repeats ? "'*'" : "", o->letter, o->name);
    else
        printf("      '%s--%s[", repeats ? "*" : "", o->name);
    zsh_text(o->help);
    putchar(']');
    if (o->value != NULL) {
        putchar(':');
        zsh_text(o->value);
        putchar(':');
    }
    if (o->kind == OPTION_CHOICE) {
        putchar('(');
        put_choices(o);
        putchar(')');
    } else if (option_takes_path(o)) {
        fputs("_files", stdout);
    }
    fputs("' \\\n", stdout);
}

static void zsh_visit(const command_help *help, const option_group *groups, size_t group_count)
{
    printf("  %s)\n    _arguments -s \\\n", help->name);
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++)
            zsh_option(&groups[g].items[i]);
    fputs("      {-h,--help}'[print the options and stop]' \\\n      '*:file:_files'\n    ;;\n",
          stdout);
}

static void zsh_end(const subcommand *commands, size_t count)
{
    (void)commands;
    (void)count;
    fputs("  esac\n}\nif [[ $funcstack[1] == _berth ]]; then\n  _berth \"$@\"\nelse\n"
          "  compdef _berth berth\nfi\n",
          stdout);
}

/* ---- fish ---- */

static void fish_text(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
    putchar('\'');
}

static void fish_begin(const subcommand *commands, size_t count)
{
    fputs("# fish completion of berth, written by 'berth completion fish'.\n", stdout);
    for (size_t i = 0; i < count; i++) {
        printf("complete -c berth -n __fish_use_subcommand -f -a %s -d ", commands[i].name);
        fish_text(commands[i].summary);
        putchar('\n');
    }
    fputs("complete -c berth -n __fish_use_subcommand -f -a completion -d 'print completions'\n"
          "complete -c berth -n __fish_use_subcommand -f -a help -d 'print help of a command'\n"
          "complete -c berth -n __fish_use_subcommand -f -a manual -d 'print a manual page'\n"
          "complete -c berth -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n"
          "complete -c berth -n '__fish_seen_subcommand_from help manual' -f -a '",
          stdout);
    put_commands(commands, count);
    fputs("'\n", stdout);
}

static void fish_visit(const command_help *help, const option_group *groups, size_t group_count)
{
    for (size_t g = 0; g < group_count; g++)
        for (size_t i = 0; i < groups[g].count; i++) {
            const option *o = &groups[g].items[i];
            printf("complete -c berth -n '__fish_seen_subcommand_from %s' -l %s", help->name,
                   o->name);
            if (o->letter != '\0')
                printf(" -s %c", o->letter);
            if (o->kind == OPTION_CHOICE) {
                fputs(" -x -a '", stdout);
                put_choices(o);
                putchar('\'');
            } else if (o->kind != OPTION_FLAG) {
                fputs(option_takes_path(o) ? " -r -F" : " -x", stdout);
            }
            fputs(" -d ", stdout);
            fish_text(o->help);
            putchar('\n');
        }
}

static void fish_end(const subcommand *commands, size_t count)
{
    (void)commands;
    (void)count;
}

const page_shell page_shells[] = {{"bash", bash_begin, bash_visit, bash_end},
                                  {"zsh", zsh_begin, zsh_visit, zsh_end},
                                  {"fish", fish_begin, fish_visit, fish_end},
                                  {NULL, NULL, NULL, NULL}};
