/* Columns of text, aligned. Written in two passes over the caller's rows, so that nothing is kept:
 * first table_measure on every cell, then table_cell on every cell, row by row. The last column, if
 * it is aligned to the left, is broken to the width of the terminal (cli/terminal.h).
 *
 * As CSV and Markdown nothing is aligned or broken. In all forms, characters that a terminal might
 * obey are shown instead (cli/plain_text.h): a row is a line. */
#ifndef BERTH_TOOLS_TABLE_H
#define BERTH_TOOLS_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "berth/status.h"
#include "cli/node_names.h"

enum { TABLE_COLUMNS_MAX = 12, TABLE_COLUMN_GAP = 2 };

/* The form of all tables of the program. */
typedef enum table_form {
    TABLE_ALIGNED,
    TABLE_CSV,      /* RFC 4180 but for its line breaks, which are single line feeds */
    TABLE_MARKDOWN, /* of GitHub: rows between '|' */
} table_form;

/* Settled once, before the first table is opened. Without a call: aligned. */
void table_set_form(table_form form);
table_form table_get_form(void);

typedef struct table {
    FILE *file;
    const char *const *titles;
    uint32_t column_count;
    uint32_t right_mask; /* bit c: column c is aligned to the right */
    uint32_t column;     /* of the next cell */
    uint32_t pending;    /* blanks owed before the next text, so that no line ends in blanks */
    uint32_t at;         /* columns written of the line */
    uint32_t widths[TABLE_COLUMNS_MAX];
    uint32_t node_mask; /* bit c: column c has names of nodes */
    bool shortens;      /* names of nodes are written without the domain that they share */
    node_names nodes;
} table;

void table_open(table *t, FILE *file, const char *const *titles, uint32_t column_count,
                uint32_t right_mask);

/* Make a column at least as wide as `len`. */
void table_measure(table *t, uint32_t column, uint32_t len);

/* The same for the name of a node, which is borrowed until table_foot. If the rows do not fit the
 * terminal and all nodes of the table share a domain, their names are written without it. */
void table_measure_node(table *t, uint32_t column, berth_str name);

/* The titles, as a row. */
void table_head(table *t);

/* What has to be said below the rows: which domain was left out. */
void table_foot(const table *t);

/* The next cell; the last one of a row ends the line. */
void table_cell(table *t, berth_str text);
void table_cell_text(table *t, const char *text);
/* The same in a colour; `paint` is a terminal_paint. */
void table_cell_painted(table *t, berth_str text, int paint);

#endif
