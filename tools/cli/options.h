/* Command-line options: one table of options drives parsing, usage errors and --help alike. */
#ifndef BERTH_TOOLS_OPTIONS_H
#define BERTH_TOOLS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an option takes, and what its target points to. */
typedef enum option_kind {
    OPTION_FLAG,   /* nothing; bool */
    OPTION_TEXT,   /* any text; const char * */
    OPTION_TEXTS,  /* any text, repeatable; text_list */
    OPTION_NUMBER, /* a whole number from min to max; uint64_t */
    OPTION_CHOICE, /* one of the words of `choices`; int, its place in the list */
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
    const char *alias; /* another name, which help does not list; or NULL */
    const char *value; /* what help calls the value: "N"; NULL for a flag */
    const char *help;
    void *target;
    uint64_t min, max;          /* of a number */
    const char *const *choices; /* of a choice, ended by NULL */
    bool *given;                /* optional: set when the option is used */
    bool *denied; /* optional, of a flag: it may be given as --name=false, which sets this */
} option;

/* Where help shows a group: in this order. */
typedef enum option_part {
    OPTIONS_OWN,    /* of the command */
    OPTIONS_LIST,   /* what is listed, and how */
    OPTIONS_INPUT,  /* what it works on */
    OPTIONS_COMMON, /* of every command */
    OPTIONS_ENGINE, /* how decisions are made */
    OPTION_PARTS,
} option_part;

/* What help writes above the options of a part; NULL: nothing, they continue the part before. */
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

/* A subcommand as its help tells it. */
typedef struct command_help {
    const char *name;
    const char *synopsis; /* what follows the name: "[OPTION...] FILE..." */
    const char *text;     /* what it does; whole lines */
    const char *examples; /* whole lines */
} command_help;

typedef enum options_result {
    OPTIONS_RUN,   /* go on */
    OPTIONS_HELP,  /* help was asked for and printed */
    OPTIONS_WRONG, /* said on standard error */
} options_result;

/* Read argv[1..] into the targets, and settle what every command has: --color, -q, -v. What is no
 * option goes to `operands` (its list is the caller's, to be freed with text_list_free). "--" ends
 * the options; "-" is an operand. */
options_result options_parse(const command_help *help, const option_group *groups,
                             size_t group_count, text_list *operands, int argc, char **argv);

/* From options_visit(visit) to options_visit(NULL), options_parse hands a command's tables to
 * `visit` instead of reading words, and answers OPTIONS_HELP. */
typedef void (*options_visit_fn)(const command_help *help, const option_group *groups,
                                 size_t group_count);
void options_visit(options_visit_fn visit);

/* Whether the value of an option names a file or a folder. */
bool option_takes_path(const option *o);

/* Read a whole number; false if `text` is none, or is outside min..max. */
bool options_number(const char *text, uint64_t min, uint64_t max, uint64_t *out);

void text_list_add(text_list *list, const char *text);
void text_list_free(text_list *list);

#endif
