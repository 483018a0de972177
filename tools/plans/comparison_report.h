/* Shows a comparison: to people as aligned columns, to programs as JSON or YAML. */
#ifndef BERTH_TOOLS_COMPARISON_REPORT_H
#define BERTH_TOOLS_COMPARISON_REPORT_H

#include <stdio.h>

#include "cli/output.h"
#include "plans/side_comparison.h"

/* `summary_only` omits the pods that differ; otherwise the first 20 of them, or all, are listed. */
/* Print only one table, in the form of all tables: the figures, or the pods that differ. */
void comparison_print_list(const comparison *c, FILE *file, bool pods);

void comparison_print(const comparison *c, FILE *file, bool summary_only, bool all_pods);

void comparison_write(const comparison *c, FILE *file, output_format format, bool summary_only);

#endif
