/* The tables of berth top. */
#ifndef BERTH_TOOLS_TOP_PRINT_H
#define BERTH_TOOLS_TOP_PRINT_H

#include <stdio.h>

#include "cli/rows.h"
#include "top/top.h"

/* Print rows, totals and a summary; `summary_only`: no rows. Errors: those of node_state_notes. */
berth_status top_print(const top *t, bool summary_only, FILE *file, berth_error *error);

/* Print only the rows, in the form of all tables and without shortening. Errors: those of
 * node_state_notes. */
berth_status top_print_list(const top *t, FILE *file, berth_error *error);

/* Print one name per line, as kubectl's -o name. */
void top_print_names(const top *t, FILE *file);

#endif
