/* Columns of text on standard output, aligned. */
#include "cli/table.h"

#include <assert.h>
#include <string.h>

#include "cli/plain_text.h"
#include "cli/terminal.h"

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

/* `len`: of the text as it is written. */
static void put_text(table *t, berth_str text, uint32_t len, bool last, const char *on,
                     const char *off)
{
    fprintf(t->file, "%*s%s", (int)t->pending, "", on);
    t->at += t->pending;
    if (last)
        terminal_wrap(t->file, text.data, text.len, t->at, t->at);
    else
        plain_text_write(t->file, text.data, text.len);
    fputs(off, t->file);
    t->at += len;
    t->pending = 0;
}

static void put_cell(table *t, berth_str text, const char *on, const char *off)
{
    uint32_t len = (uint32_t)plain_text_length(text.data, text.len);
    uint32_t fill = t->widths[t->column] > len ? t->widths[t->column] - len : 0;
    bool right = (t->right_mask >> t->column & 1) != 0;
    if (right)
        t->pending += fill;
    if (text.len > 0)
        put_text(t, text, len, !right && t->column + 1 == t->column_count, on, off);
    t->pending += TABLE_COLUMN_GAP + (right ? 0 : fill);
    if (++t->column < t->column_count)
        return;
    fputc('\n', t->file);
    t->column = 0;
    t->pending = 0;
    t->at = 0;
}

void table_cell(table *t, berth_str text)
{
    put_cell(t, text, "", "");
}

void table_cell_text(table *t, const char *text)
{
    table_cell(t, (berth_str){text, (uint32_t)strlen(text)});
}

void table_cell_painted(table *t, berth_str text, int paint)
{
    put_cell(t, text, terminal_paint_on((terminal_paint)paint), terminal_paint_off());
}

void table_head(table *t)
{
    for (uint32_t c = 0; c < t->column_count; c++)
        table_cell_painted(t, (berth_str){t->titles[c], (uint32_t)strlen(t->titles[c])},
                           PAINT_HEAD);
}
