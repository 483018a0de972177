/* Aligned columns of text on standard output. */
#include "cli/table.h"

#include <assert.h>
#include <string.h>

#include "cli/plain_text.h"
#include "cli/terminal.h"

static table_form form_of_all;

void table_set_form(table_form form)
{
    form_of_all = form;
}

table_form table_get_form(void)
{
    return form_of_all;
}

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

void table_measure_node(table *t, uint32_t column, berth_str name)
{
    table_measure(t, column, name.len);
    t->node_mask |= 1u << column;
    node_names_add(&t->nodes, name);
}

/* Whether the rows fit the terminal, if a last column that can be broken has LAST_LEAST columns. */
static bool fits(const table *t)
{
    enum { LAST_LEAST = 24 };
    uint64_t width = 0;
    const uint32_t last = t->column_count - 1;
    const bool broken = (t->right_mask >> last & 1) == 0;
    for (uint32_t c = 0; c <= last; c++) {
        const uint32_t least = t->widths[c] < LAST_LEAST ? t->widths[c] : LAST_LEAST;
        width += c == last && broken && (t->node_mask >> c & 1) == 0 ? least : t->widths[c];
    }
    return width + (uint64_t)last * TABLE_COLUMN_GAP <= terminal_width();
}

/* Decide whether node names are shortened. Their columns become narrower by the length of the
 * domain, but not narrower than their titles. */
static void shorten(table *t)
{
    t->shortens = form_of_all == TABLE_ALIGNED && t->nodes.domain.len > 0 && !fits(t);
    for (uint32_t c = 0; t->shortens && c < t->column_count; c++) {
        const uint32_t title = (uint32_t)strlen(t->titles[c]);
        if ((t->node_mask >> c & 1) == 0)
            continue;
        const uint32_t width =
            t->widths[c] > t->nodes.domain.len ? t->widths[c] - t->nodes.domain.len : 0;
        t->widths[c] = width > title ? width : title;
    }
}

/* ---- CSV and Markdown ---- */

/* Writes text with `escape` before each character of `escaped`. */
static void put_escaped(FILE *file, berth_str text, const char *escaped, char escape)
{
    uint32_t from = 0;
    for (uint32_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\0' || strchr(escaped, text.data[i]) == NULL)
            continue;
        plain_text_write(file, text.data + from, i - from);
        fputc(escape, file);
        from = i;
    }
    if (from < text.len)
        plain_text_write(file, text.data + from, text.len - from);
}

static bool is_number(berth_str text)
{
    bool digits = false;
    for (uint32_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const bool sign = i == 0 && (c == '-' || c == '+');
        digits = digits || (c >= '0' && c <= '9');
        if (!sign && c != '.' && c != '%' && (c < '0' || c > '9'))
            return false;
    }
    return digits;
}

/* Whether a spreadsheet would take the text for a formula, which could read other cells and send
 * them elsewhere. "-" alone, which stands for nothing, and numbers are not formulas. */
static bool is_formula(berth_str text)
{
    return text.len > 1 && strchr("=+-@", text.data[0]) != NULL && text.data[0] != '\0' &&
           !is_number(text);
}

void table_csv_text(FILE *file, berth_str text)
{
    const bool formula = is_formula(text);
    const bool quoted = text.len > 0 && (memchr(text.data, ',', text.len) != NULL ||
                                         memchr(text.data, '"', text.len) != NULL);
    if (quoted)
        fputc('"', file);
    if (formula)
        fputc('\'', file);
    put_escaped(file, text, "\"", '"');
    if (quoted)
        fputc('"', file);
}

static void put_flat(table *t, berth_str text)
{
    const bool csv = form_of_all == TABLE_CSV;
    fputs(csv ? t->column > 0 ? "," : "" : "| ", t->file);
    if (csv)
        table_csv_text(t->file, text);
    else
        put_escaped(t->file, text, "\\|`*<[]~", '\\');
    if (!csv)
        fputc(' ', t->file);
    if (++t->column < t->column_count)
        return;
    fputs(csv ? "\n" : "|\n", t->file);
    t->column = 0;
}

/* Writes the Markdown line under the titles. */
static void put_rule(const table *t)
{
    for (uint32_t c = 0; c < t->column_count; c++)
        fputs((t->right_mask >> c & 1) != 0 ? "| ---: " : "| --- ", t->file);
    fputs("|\n", t->file);
}

/* ---- aligned ---- */

/* `len`: the length of the text as it will be written. */
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
    if (form_of_all != TABLE_ALIGNED) {
        put_flat(t, text);
        return;
    }
    if (t->shortens && (t->node_mask >> t->column & 1) != 0)
        text = node_names_short(&t->nodes, text);
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
    shorten(t);
    for (uint32_t c = 0; c < t->column_count; c++)
        table_cell_painted(t, (berth_str){t->titles[c], (uint32_t)strlen(t->titles[c])},
                           PAINT_HEAD);
    if (form_of_all == TABLE_MARKDOWN)
        put_rule(t);
}

void table_foot(const table *t)
{
    if (!t->shortens)
        return;
    fputc('\n', t->file);
    node_names_tell(&t->nodes, t->file);
}
