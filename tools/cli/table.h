/* Aligned columns of text. The caller passes over its rows twice, so that nothing is kept: first it
 * calls table_measure for every cell, then table_cell for every cell, row by row. If the last
 * column is aligned to the left, it is broken to the width of the terminal (cli/terminal.h).
 *
 * CSV and Markdown are neither aligned nor broken. In all forms, characters that a terminal might
 * interpret are escaped (cli/plain_text.h), so a row is always one line. */
#ifndef BERTH_TOOLS_TABLE_H
#define BERTH_TOOLS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/status.h"
#include "cli/node_names.h"

enum { TABLE_COLUMNS_MAX = 16, TABLE_COLUMN_GAP = 2 };

/* The form of all tables of the program. */
typedef enum table_form {
    TABLE_ALIGNED,
    TABLE_CSV,      /* RFC 4180, except that lines end with a single line feed */
    TABLE_MARKDOWN, /* GitHub's: cells between '|' */
} table_form;

/* Call once, before the first table is opened. Default: aligned. */
void table_set_form(table_form form);
table_form table_get_form(void);

typedef struct table {
    FILE *file;
    const char *const *titles;
    uint32_t column_count;
    uint32_t right_mask; /* bit c: column c is aligned to the right */
    uint32_t column;     /* of the next cell */
    uint32_t pending; /* blanks to write before the next text, so that no line ends with blanks */
    uint32_t at;      /* columns of the line written so far */
    uint32_t widths[TABLE_COLUMNS_MAX];
    uint32_t node_mask; /* bit c: column c contains names of nodes */
    bool shortens;      /* names of nodes are written without their shared domain */
    node_names nodes;
} table;

void table_open(table *t, FILE *file, const char *const *titles, uint32_t column_count,
                uint32_t right_mask);

/* Make a column at least as wide as `len`. */
void table_measure(table *t, uint32_t column, uint32_t len);

/* The same for the name of a node, which must live until table_foot. If the rows do not fit the
 * terminal and all nodes of the table share a domain, the names are written without it. */
void table_measure_node(table *t, uint32_t column, berth_str name);

/* Write the titles as a row. */
void table_head(table *t);

/* Write the note below the rows: which domain was omitted. */
void table_foot(const table *t);

/* Write the next cell; the last cell of a row ends the line. */
void table_cell(table *t, berth_str text);
void table_cell_text(table *t, const char *text);
/* The same in a colour; `paint` is a terminal_paint. */
void table_cell_painted(table *t, berth_str text, int paint);

/* Write one cell of CSV, without its separator: in quotes if it contains a comma or a quote. A text
 * that a spreadsheet would take for a formula gets an apostrophe in front. */
void table_csv_text(FILE *file, berth_str text);

#endif
