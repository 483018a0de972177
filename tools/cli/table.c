/* Columns of text on standard output, aligned. */
#include "cli/table.h"

#include <assert.h>
#include <string.h>

enum { COLUMN_GAP = 2 };

void table_open(table *t, FILE *file, const char *const *titles, uint32_t column_count,
                uint32_t right_mask)
{
    assert(column_count <= TABLE_COLUMNS_MAX);
    *t = (table){
        .file = file, .titles = titles, .column_count = column_count, .right_mask = right_mask};
    for (uint32_t c = 0; c < column_count; c++)
        table_measure(t, c, (uint32_t)strlen(titles[c]));
}

void table_measure(table *t, uint32_t column, uint32_t len)
{
    assert(column < t->column_count);
    if (t->widths[column] < len)
        t->widths[column] = len;
}

void table_cell(table *t, berth_str text)
{
    uint32_t fill = t->widths[t->column] > text.len ? t->widths[t->column] - text.len : 0;
    bool right = (t->right_mask >> t->column & 1) != 0;
    if (right)
        t->pending += fill;
    if (text.len > 0) {
        fprintf(t->file, "%*s%.*s", (int)t->pending, "", (int)text.len, text.data);
        t->pending = 0;
    }
    t->pending += COLUMN_GAP + (right ? 0 : fill);
    if (++t->column < t->column_count)
        return;
    fputc('\n', t->file);
    t->column = 0;
    t->pending = 0;
}

void table_cell_text(table *t, const char *text)
{
    table_cell(t, (berth_str){text, (uint32_t)strlen(text)});
}

void table_head(table *t)
{
    for (uint32_t c = 0; c < t->column_count; c++)
        table_cell_text(t, t->titles[c]);
}
