/* Completions for shells. */
#ifndef BERTH_TOOLS_PAGE_SHELLS_H
#define BERTH_TOOLS_PAGE_SHELLS_H

#include "cli/options.h"
#include "cli/pages.h"

typedef struct page_shell {
    const char *name;
    void (*begin)(const subcommand *commands, size_t count);
    options_visit_fn visit; /* once for each command */
    void (*end)(const subcommand *commands, size_t count);
} page_shell;

extern const page_shell page_shells[]; /* ends with a NULL name */

#endif
