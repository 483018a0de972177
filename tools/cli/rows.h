/* A small table that is built cell by cell and kept until it is printed. Large tables are written
 * with cli/table.h directly. */
#ifndef BERTH_TOOLS_ROWS_H
#define BERTH_TOOLS_ROWS_H

#include "cli/table.h"

typedef struct rows {
    const char *const *titles;
    uint32_t column_count;
    uint32_t right_mask;
    char **cells; /* row by row */
    size_t count;
    size_t capacity;
} rows;

/* `titles` must outlive the rows; the arguments are those of table_open. */
void rows_open(rows *r, const char *const *titles, uint32_t column_count, uint32_t right_mask);
void rows_cell(rows *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void rows_cell_str(rows *r, berth_str text);

/* The width of the lines in terminal columns. A last column that is aligned to the left is broken
 * to fit and counts with the width of its title. */
uint32_t rows_width(const rows *r);

/* Free them unprinted. */
void rows_free(rows *r);

/* Print them under their titles, and free them. */
void rows_print(rows *r, FILE *file);

#endif
