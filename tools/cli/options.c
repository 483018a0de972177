/* Parses command-line options by table. getopt is not used: its messages cannot name the
 * subcommand, and the help text would need a second list of long options. */
#include "cli/options.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/suggest.h"
#include "cli/terminal.h"
#include "cli/verbosity.h"

/* The words being read, and the options that they may name. */
typedef struct parse {
    const command_help *help;
    const option_group *groups;
    size_t group_count;
    text_list *operands;
    int argc;
    char **argv;
    int at; /* the next word */
} parse;

void text_list_add(text_list *list, const char *text)
{
    list->items = heap_grow(list->items, &list->capacity, list->count + 1, sizeof(*list->items));
    list->items[list->count++] = text;
}

void text_list_free(text_list *list)
{
    free(list->items);
    *list = (text_list){0};
}

bool options_number(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (text[0] == '\0')
        return false;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '9')
            return false;
        uint64_t digit = (uint64_t)(*c - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    if (value < min || value > max)
        return false;
    *out = value;
    return true;
}

/* The options that every command has. */
static struct {
    int color;
    bool quiet;
    bool verbose;
} common_values;

enum { COMMON_OPTIONS = 3, GROUPS_MAX = 12 };

static const option common_options[COMMON_OPTIONS] = {
    {.name = "color",
     .kind = OPTION_CHOICE,
     .value = "WHEN",
     .target = &common_values.color,
     .choices = terminal_color_names,
     .help = "colour in tables"},
    {.name = "quiet",
     .letter = 'q',
     .kind = OPTION_FLAG,
     .target = &common_values.quiet,
     .help = "no progress bar and no warnings"},
    {.name = "verbose",
     .letter = 'v',
     .kind = OPTION_FLAG,
     .target = &common_values.verbose,
     .help = "say more on standard error"},
};

const char *const option_part_titles[OPTION_PARTS] = {
    [OPTIONS_OWN] = "Options",
    [OPTIONS_INPUT] = "Options of the input",
    [OPTIONS_COMMON] = "Options of every command",
    [OPTIONS_ENGINE] = "Options of the engine",
};

bool options_has_part(const option_group *groups, size_t group_count, option_part part)
{
    for (size_t g = 0; g < group_count; g++)
        if (groups[g].part == part && groups[g].count > 0)
            return true;
    return false;
}

static bool is_name(const char *known, const char *name, size_t len)
{
    return known != NULL && name != NULL && strlen(known) == len && memcmp(known, name, len) == 0;
}

static bool is_option(const option *o, const char *name, size_t len, char letter)
{
    return (letter != '\0' && o->letter == letter) || is_name(o->name, name, len) ||
           is_name(o->alias, name, len);
}

static const option *find_option(const parse *p, const char *name, size_t len, char letter)
{
    for (size_t g = 0; g < p->group_count; g++)
        for (size_t i = 0; i < p->groups[g].count; i++)
            if (is_option(&p->groups[g].items[i], name, len, letter))
                return &p->groups[g].items[i];
    return NULL;
}

static options_result unknown_option(const parse *p, const char *name, size_t len)
{
    char wanted[64];
    suggestion like;
    snprintf(wanted, sizeof(wanted), "%.*s", (int)len, name);
    suggestion_begin(&like, wanted);
    for (size_t g = 0; g < p->group_count; g++)
        for (size_t i = 0; i < p->groups[g].count; i++)
            suggestion_offer(&like, p->groups[g].items[i].name);
    suggestion_offer(&like, "help");
    const char *best = suggestion_end(&like);
    exit_usage(p->help->name, "unknown option '--%.*s'%s%s%s", (int)len, name,
               best != NULL ? "; did you mean '--" : "", best != NULL ? best : "",
               best != NULL ? "'?" : "");
    return OPTIONS_WRONG;
}

static void list_choices(char *out, size_t size, const char *const *choices)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; choices[i] != NULL && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i > 0 ? ", " : "", choices[i]);
}

static options_result unknown_choice(const parse *p, const option *o, const char *value)
{
    char known[256];
    const char *best = suggest_among(value, o->choices);
    list_choices(known, sizeof(known), o->choices);
    exit_usage(p->help->name, "--%s is '%s', which is none of: %s%s%s%s", o->name, value, known,
               best != NULL ? "; did you mean '" : "", best != NULL ? best : "",
               best != NULL ? "'?" : "");
    return OPTIONS_WRONG;
}

static int choose(const char *const *choices, const char *value)
{
    for (int i = 0; choices[i] != NULL; i++)
        if (strcmp(choices[i], value) == 0)
            return i;
    return -1;
}

static options_result wrong_number(const parse *p, const option *o, const char *value)
{
    uint64_t number = 0;
    if (options_number(value, 0, UINT64_MAX, &number))
        exit_usage(p->help->name, "--%s is %s, which is not between %" PRIu64 " and %" PRIu64,
                   o->name, value, o->min, o->max);
    else
        exit_usage(p->help->name, "--%s takes a whole number, not '%s'", o->name, value);
    return OPTIONS_WRONG;
}

/* Joined texts live as long as the program: options point to them. */
static void take_text(const option *o, const char *value)
{
    static text_list joined;
    const char **target = o->target;
    if (!o->joins || *target == NULL) {
        *target = value;
        return;
    }
    size_t bytes = strlen(*target) + strlen(value) + 2;
    char *text = heap_new(bytes, 1);
    (void)snprintf(text, bytes, "%s,%s", *target, value);
    text_list_add(&joined, text);
    *target = text;
}

static options_result store(const parse *p, const option *o, const char *value)
{
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)o->target = true;
        break;
    case OPTION_TEXT:
        take_text(o, value);
        break;
    case OPTION_TEXTS:
        text_list_add(o->target, value);
        break;
    case OPTION_NUMBER:
        if (!options_number(value, o->min, o->max, o->target))
            return wrong_number(p, o, value);
        break;
    case OPTION_CHOICE: {
        int choice = choose(o->choices, value);
        if (choice < 0)
            return unknown_choice(p, o, value);
        *(int *)o->target = choice;
        break;
    }
    }
    if (o->given != NULL)
        *o->given = true;
    return OPTIONS_RUN;
}

static void print_option(const option *o)
{
    char left[64];
    char letter[8] = "    ";
    if (o->letter != '\0')
        snprintf(letter, sizeof(letter), "-%c, ", o->letter);
    snprintf(left, sizeof(left), "%s--%s%s%s", letter, o->name, o->value != NULL ? " " : "",
             o->value != NULL ? o->value : "");
    printf("  %-26s", left);
    if (strlen(left) > 25)
        printf("\n  %-26s", "");
    for (const char *c = o->help; *c != '\0'; c++) {
        putchar(*c);
        if (*c == '\n')
            printf("  %-26s", "");
    }
    if (o->kind == OPTION_CHOICE) {
        char known[256];
        list_choices(known, sizeof(known), o->choices);
        printf(" (%s)", known);
    }
    putchar('\n');
}

static void print_part(const parse *p, option_part part)
{
    if (!options_has_part(p->groups, p->group_count, part))
        return;
    if (option_part_titles[part] != NULL)
        printf("\n%s:\n", option_part_titles[part]);
    for (size_t g = 0; g < p->group_count; g++)
        for (size_t i = 0; i < p->groups[g].count && p->groups[g].part == part; i++)
            print_option(&p->groups[g].items[i]);
    if (part == OPTIONS_COMMON)
        printf("  %-26s%s\n", "-h, --help", "print this and stop");
}

static void print_help(const parse *p)
{
    printf("Usage: berth %s %s\n\nExamples:\n%s\n%s", p->help->name, p->help->synopsis,
           p->help->examples, p->help->text);
    for (int part = 0; part < OPTION_PARTS; part++)
        print_part(p, (option_part)part);
    printf("\nExit code: 0 done, 1 the answer is no, 2 wrong usage, 3 wrong or unreadable input,\n"
           "4 internal failure.\n");
}

/* --name, --name=value, --name value */
static options_result parse_long(parse *p, const char *word)
{
    const char *name = word + 2;
    const char *equals = strchr(name, '=');
    size_t len = equals != NULL ? (size_t)(equals - name) : strlen(name);
    if (len == 4 && memcmp(name, "help", 4) == 0) {
        print_help(p);
        return OPTIONS_HELP;
    }
    const option *o = find_option(p, name, len, '\0');
    if (o == NULL)
        return unknown_option(p, name, len);
    if (o->kind == OPTION_FLAG) {
        bool on = equals == NULL || strcmp(equals, "=true") == 0;
        if (on)
            return store(p, o, NULL);
        if (o->denied != NULL && strcmp(equals, "=false") == 0) {
            *(bool *)o->target = false;
            *o->denied = true;
            return OPTIONS_RUN;
        }
        exit_usage(p->help->name, "--%s takes no value", o->name);
        return OPTIONS_WRONG;
    }
    if (equals != NULL)
        return store(p, o, equals + 1);
    if (p->at == p->argc) {
        exit_usage(p->help->name, "--%s needs a value: --%s %s", o->name, o->name, o->value);
        return OPTIONS_WRONG;
    }
    return store(p, o, p->argv[p->at++]);
}

/* -x, -xVALUE, -x VALUE; flags may share one dash */
static options_result parse_short(parse *p, const char *word)
{
    for (const char *c = word + 1; *c != '\0'; c++) {
        if (*c == 'h') {
            print_help(p);
            return OPTIONS_HELP;
        }
        const option *o = find_option(p, NULL, 0, *c);
        if (o == NULL) {
            exit_usage(p->help->name, "unknown option '-%c'", *c);
            return OPTIONS_WRONG;
        }
        if (o->kind == OPTION_FLAG) {
            store(p, o, NULL);
            continue;
        }
        if (c[1] != '\0') /* -v=2 as well as -v2 */
            return store(p, o, c + 1 + (c[1] == '=' && o->kind == OPTION_NUMBER));
        if (p->at == p->argc) {
            exit_usage(p->help->name, "-%c needs a value: -%c %s", *c, *c, o->value);
            return OPTIONS_WRONG;
        }
        return store(p, o, p->argv[p->at++]);
    }
    return OPTIONS_RUN;
}

static options_result parse_words(parse *p)
{
    bool options_ended = false;
    while (p->at < p->argc) {
        const char *word = p->argv[p->at++];
        if (options_ended || word[0] != '-' || word[1] == '\0') {
            text_list_add(p->operands, word);
            continue;
        }
        if (strcmp(word, "--") == 0) {
            options_ended = true;
            continue;
        }
        options_result result = word[1] == '-' ? parse_long(p, word) : parse_short(p, word);
        if (result != OPTIONS_RUN)
            return result;
    }
    return OPTIONS_RUN;
}

static options_visit_fn visitor;

void options_visit(options_visit_fn visit)
{
    visitor = visit;
}

/* Append the common group to a command's groups. A letter that the command uses itself keeps the
 * command's meaning. */
static void add_common(const option_group *groups, size_t group_count, option_group *all,
                       option common[COMMON_OPTIONS])
{
    const parse own = {.groups = groups, .group_count = group_count};
    assert(group_count < GROUPS_MAX);
    memcpy(common, common_options, sizeof(common_options));
    for (size_t i = 0; i < COMMON_OPTIONS; i++)
        if (common[i].letter != '\0' && find_option(&own, NULL, 0, common[i].letter) != NULL)
            common[i].letter = '\0';
    for (size_t g = 0; g < group_count; g++)
        all[g] = groups[g];
    all[group_count] = (option_group){common, COMMON_OPTIONS, OPTIONS_COMMON};
}

options_result options_parse(const command_help *help, const option_group *groups,
                             size_t group_count, text_list *operands, int argc, char **argv)
{
    option_group all[GROUPS_MAX];
    option common[COMMON_OPTIONS];
    add_common(groups, group_count, all, common);
    if (visitor != NULL) {
        visitor(help, all, group_count + 1);
        return OPTIONS_HELP;
    }
    parse p = {help, all, group_count + 1, operands, argc, argv, 1};
    options_result result = parse_words(&p);
    terminal_set_color((terminal_color)common_values.color);
    verbosity_set(common_values.quiet, common_values.verbose);
    return result;
}

bool option_takes_path(const option *o)
{
    return o->value != NULL &&
           (strstr(o->value, "FILE") != NULL || strstr(o->value, "DIR") != NULL ||
            strstr(o->value, "PATH") != NULL || strcmp(o->value, "SHAPE") == 0) &&
           o->kind != OPTION_CHOICE;
}

/* ---- values ---- */

static void print_option_value(FILE *out, const option *o)
{
    const char *text;
    const text_list *list;
    switch (o->kind) {
    case OPTION_FLAG:
        fputs(*(const bool *)o->target ? "true" : "false", out);
        break;
    case OPTION_TEXT:
        text = *(const char *const *)o->target;
        fputs(text != NULL ? text : "", out);
        break;
    case OPTION_TEXTS:
        list = o->target;
        for (size_t i = 0; i < list->count; i++)
            fprintf(out, i > 0 ? ",%s" : "%s", list->items[i]);
        break;
    case OPTION_NUMBER:
        fprintf(out, "%" PRIu64, *(const uint64_t *)o->target);
        break;
    case OPTION_CHOICE:
        fputs(o->choices[*(const int *)o->target], out);
        break;
    }
}

char *options_values(const option_group *groups, size_t group_count)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL)
        return heap_text("", 0);
    for (size_t i = 0; i < group_count; i++)
        for (size_t k = 0; k < groups[i].count; k++) {
            fprintf(out, "%s=", groups[i].items[k].name);
            print_option_value(out, &groups[i].items[k]);
            fputc('\n', out);
        }
    fclose(out);
    return text;
}
