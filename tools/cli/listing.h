/* The options of commands that list things: which, in what order, in what form. */
#ifndef BERTH_TOOLS_LISTING_H
#define BERTH_TOOLS_LISTING_H

#include "cli/options.h"
#include "cli/output.h"

enum {
    LISTING_NAMESPACE = 1 << 0, /* what is listed has a namespace */
    LISTING_PENDING = 1 << 1,   /* some of it may be left pending */
    LISTING_EXIT_CODE = 1 << 2, /* the answer may be no */
};

enum { LISTING_OPTIONS_MAX = 5 };

typedef struct listing {
    int format; /* an output_format */
    int sort;   /* which word of the command's own */
    const char *namespace_name;
    bool pending;
    bool exit_code;
    option options[LISTING_OPTIONS_MAX];
} listing;

/* The options as a group for options_parse. `sorts` are the words of --sort, NULL if there is but
 * one order; `negative` says when --exit-code makes the code 1. `l` must not move afterwards. */
option_group listing_options(listing *l, uint32_t flags, const char *const *sorts,
                             const char *negative);

/* After parsing: tables take the form of -o. */
void listing_apply(const listing *l);

/* After parsing, of a command whose --summary leaves the list out: that leaves nothing of a form
 * that has the list alone. Returns EXIT_DONE, or EXIT_USAGE, said on standard error. */
int listing_check(const listing *l, bool summary_only, const char *command);

/* Whether it is written as text, not as a document. */
bool listing_is_table(const listing *l);

/* Whether it is the list's table alone: CSV or Markdown. */
bool listing_is_flat(const listing *l);

/* Whether something of this namespace is listed. */
bool listing_has(const listing *l, berth_str namespace_name);

#endif
