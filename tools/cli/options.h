/* Command-line options: one table of options drives parsing, usage errors and --help alike. */
#ifndef BERTH_TOOLS_OPTIONS_H
#define BERTH_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of an option's value, and the type of its target. */
typedef enum option_kind {
    OPTION_FLAG,   /* no value; bool */
    OPTION_TEXT,   /* any text; const char * */
    OPTION_TEXTS,  /* any text, repeatable; text_list */
    OPTION_NUMBER, /* a whole number from min to max; uint64_t */
    OPTION_CHOICE, /* one of the words of `choices`; int, its index */
} option_kind;

/* Words given for a repeatable option, or operands. The texts are argv's own. */
typedef struct text_list {
    const char **items;
    size_t count;
    size_t capacity;
} text_list;

typedef struct option {
    const char *name; /* "threads", given as --threads N or --threads=N */
    char letter;      /* given as -x; 0: none */
    option_kind kind;
    const char *alias; /* another name, not listed in help; or NULL */
    const char *value; /* name of the value in help: "N"; NULL for a flag */
    const char *help;
    void *target;
    uint64_t min, max;          /* for a number */
    const char *const *choices; /* for a choice; ends with NULL */
    bool *given;                /* optional: set when the option is used */
    bool *denied;               /* optional, for a flag: allows --name=false, which sets this */
    bool joins;                 /* for a text: repeated values are joined by commas */
} option;

/* The part of the help in which a group is shown, in this order. */
typedef enum option_part {
    OPTIONS_OWN,    /* the command's own options */
    OPTIONS_LIST,   /* what is listed, and how */
    OPTIONS_INPUT,  /* the input */
    OPTIONS_COMMON, /* options of every command */
    OPTIONS_ENGINE, /* how decisions are made */
    OPTION_PARTS,
} option_part;

/* The title of each part in the help; NULL: no title, the options continue the part before. */
extern const char *const option_part_titles[OPTION_PARTS];

typedef struct option_group {
    const option *items;
    size_t count;
    option_part part;
} option_group;

#define OPTION_GROUP(array)                                      \
    {                                                            \
        (array), sizeof(array) / sizeof((array)[0]), OPTIONS_OWN \
    }

/* Whether a part has options. */
bool options_has_part(const option_group *groups, size_t group_count, option_part part);

/* Every option with its present value, a line NAME=VALUE each. Freed with free. */
char *options_values(const option_group *groups, size_t group_count);

/* The help of a subcommand. */
typedef struct command_help {
    const char *name;
    const char *synopsis; /* after the name: "[OPTION...] FILE..." */
    const char *text;     /* what it does; whole lines */
    const char *examples; /* whole lines */
} command_help;

typedef enum options_result {
    OPTIONS_RUN,   /* go on */
    OPTIONS_HELP,  /* help was requested and printed */
    OPTIONS_WRONG, /* reported on standard error */
} options_result;

/* Read argv[1..] into the targets, and apply the options that every command has: --color, -q, -v.
 * Words that are not options are added to `operands` (the caller frees the list with
 * text_list_free). "--" ends the options; "-" is an operand. */
options_result options_parse(const command_help *help, const option_group *groups,
                             size_t group_count, text_list *operands, int argc, char **argv);

/* Between options_visit(visit) and options_visit(NULL), options_parse passes a command's tables to
 * `visit` instead of reading words, and returns OPTIONS_HELP. */
typedef void (*options_visit_fn)(const command_help *help, const option_group *groups,
                                 size_t group_count);
void options_visit(options_visit_fn visit);

/* Whether the value of an option names a file or a folder. */
bool option_takes_path(const option *o);

/* Read a whole number. Returns false if `text` is not one, or is outside min..max. */
bool options_number(const char *text, uint64_t min, uint64_t max, uint64_t *out);

void text_list_add(text_list *list, const char *text);
void text_list_free(text_list *list);

#endif
