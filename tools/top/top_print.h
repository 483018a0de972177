/* The tables of berth top. */
#ifndef BERTH_TOOLS_TOP_PRINT_H
#define BERTH_TOOLS_TOP_PRINT_H

#include <stdio.h>

#include "cli/rows.h"
#include "top/top.h"

/* Rows, totals and a summary; `summary_only`: no rows. Errors: those of node_state_notes. */
berth_status top_print(const top *t, bool summary_only, FILE *file, berth_error *error);

/* The rows alone, in the form that is settled, without what a line is shortened by. Errors: those
 * of node_state_notes. */
berth_status top_print_list(const top *t, FILE *file, berth_error *error);

/* A name a line, as kubectl's -o name. */
void top_print_names(const top *t, FILE *file);

#endif
