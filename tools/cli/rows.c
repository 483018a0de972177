/* Tables of a few rows. */
#include "cli/rows.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/plain_text.h"

void rows_open(rows *r, const char *const *titles, uint32_t column_count, uint32_t right_mask)
{
    *r = (rows){.titles = titles, .column_count = column_count, .right_mask = right_mask};
}

static void keep(rows *r, char *cell)
{
    r->cells = heap_grow(r->cells, &r->capacity, r->count + 1, sizeof(*r->cells));
    r->cells[r->count++] = cell;
}

void rows_cell(rows *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *cell = heap_new((size_t)len + 1, 1);
    va_start(args, format);
    vsnprintf(cell, (size_t)len + 1, format, args);
    va_end(args);
    keep(r, cell);
}

void rows_cell_str(rows *r, berth_str text)
{
    rows_cell(r, "%.*s", (int)text.len, text.data != NULL ? text.data : "");
}

/* Whether a column's width follows its cells. Not for a last column that is broken to fit. */
static bool has_width(const rows *r, size_t column)
{
    return column + 1 < r->column_count || (r->right_mask >> column & 1) != 0;
}

static void measure(const rows *r, table *t, FILE *file)
{
    table_open(t, file, r->titles, r->column_count, r->right_mask);
    for (size_t i = 0; i < r->count; i++)
        if (has_width(r, i % r->column_count))
            table_measure(t, (uint32_t)(i % r->column_count),
                          (uint32_t)plain_text_length(r->cells[i], strlen(r->cells[i])));
}

uint32_t rows_width(const rows *r)
{
    table t;
    uint32_t width = 0;
    measure(r, &t, NULL);
    for (uint32_t c = 0; c < r->column_count; c++)
        width += t.widths[c] + (c > 0 ? TABLE_COLUMN_GAP : 0);
    return width;
}

void rows_free(rows *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->cells[i]);
    free(r->cells);
    *r = (rows){0};
}

void rows_print(rows *r, FILE *file)
{
    assert(r->count % r->column_count == 0);
    table t;
    measure(r, &t, file);
    table_head(&t);
    for (size_t i = 0; i < r->count; i++)
        table_cell_text(&t, r->cells[i]);
    rows_free(r);
}
