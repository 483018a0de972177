/* Comma-separated values with a header line, as in traces: no quotes, no escapes. */
#ifndef BERTH_TOOLS_CSV_TABLE_H
#define BERTH_TOOLS_CSV_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/status.h"

enum {
    CSV_COLUMNS_MAX = 32,
    CSV_COLUMN_NONE = CSV_COLUMNS_MAX,
};

typedef struct csv_table {
    const char *path;
    FILE *file;
    char *line;
    size_t line_capacity;
    uint32_t line_number;
    uint32_t column_count;
    char *header; /* the text of the header, split */
    const char *names[CSV_COLUMNS_MAX];
    const char *cells[CSV_COLUMNS_MAX]; /* of the current row; valid until the next */
} csv_table;

/* Open a file and read its header. Call csv_table_close, even after a failure. */
berth_status csv_table_open(csv_table *t, const char *path, berth_error *error);
void csv_table_close(csv_table *t);

/* The column of this name; CSV_COLUMN_NONE and an error if it is missing. */
uint32_t csv_table_column(const csv_table *t, const char *name, berth_error *error);

/* Read the next row; `*more` is false at the end. Errors: BERTH_E_IO, BERTH_E_PARSE (too few or too
 * many cells). */
berth_status csv_table_next(csv_table *t, bool *more, berth_error *error);

/* Read a cell as a non-negative whole number. Errors: BERTH_E_INVALID. */
berth_status csv_table_number(const csv_table *t, uint32_t column, uint64_t max, uint64_t *out,
                              berth_error *error);

#endif
