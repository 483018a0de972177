/* The order of rows. */
#ifndef BERTH_TOOLS_TOP_SORT_H
#define BERTH_TOOLS_TOP_SORT_H

#include "top/top.h"

/* Sorts by an amount: the largest request first. Ties, and --sort name: by namespace, then by name
 * (numbers in names by value: n2 before n10), then by kind. */
void top_sort_rows(top_row *rows, size_t count, top_sort sort);

#endif
