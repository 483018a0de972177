/* The options of commands that print lists: what is listed, in which order and form. */
#ifndef BERTH_TOOLS_LISTING_H
#define BERTH_TOOLS_LISTING_H

#include "cli/options.h"
#include "cli/output.h"

enum {
    LISTING_NAMESPACE = 1 << 0, /* the listed objects have a namespace */
    LISTING_PENDING = 1 << 1,   /* some of them may remain pending */
    LISTING_EXIT_CODE = 1 << 2, /* the answer may be no */
};

enum { LISTING_OPTIONS_MAX = 5 };

typedef struct listing {
    int format; /* an output_format */
    int sort;   /* index of the command's own words */
    const char *namespace_name;
    bool pending;
    bool exit_code;
    option options[LISTING_OPTIONS_MAX];
} listing;

/* The options, as a group for options_parse. `sorts` are the words of --sort, NULL if there is only
 * one order. `negative` is the help of --exit-code: it says when the exit code is 1. `l` must not
 * move afterwards. */
option_group listing_options(listing *l, uint32_t flags, const char *const *sorts,
                             const char *negative);

/* After parsing: set the form of tables to that of -o. */
void listing_apply(const listing *l);

/* After parsing, for a command whose --summary omits the list: refuses --summary with a form that
 * prints only the list. Returns EXIT_DONE, or EXIT_USAGE after a message on standard error. */
int listing_check(const listing *l, bool summary_only, const char *command);

/* Whether the results are text, not a document. */
bool listing_is_table(const listing *l);

/* Whether only the list's table is printed: CSV or Markdown. */
bool listing_is_flat(const listing *l);

/* Whether objects of this namespace are listed. */
bool listing_has(const listing *l, berth_str namespace_name);

#endif
