/* Prints tables that fit the terminal. If a table is too wide, the domain that all nodes share is
 * removed from their names, then less important columns are omitted. -o wide shows everything. */
#include "top/top_print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/plain_text.h"
#include "cli/terminal.h"
#include "top/top_cost.h"
#include "top/top_summary.h"
#include "top/top_words.h"

enum {
    NOTES_WIDTH = 14, /* least width for remarks */
    COLUMNS_MAX = 16
};

typedef struct layout {
    node_names names; /* the domain omitted from node names; zeroed: none */
    bool narrow;      /* omit limits of nodes, or percentages of namespaces and owners */
    bool flat; /* only rows, with one amount in each cell, because spreadsheets read 5/10 as a
                       * date. In CSV, amounts are plain numbers with their unit in the title */
    const char *titles[COLUMNS_MAX]; /* titles of the filled rows */
} layout;

static uint32_t right_of(uint32_t first, uint32_t last)
{
    return ((2u << last) - 1) & ~((1u << first) - 1);
}

/* ---- cells ---- */

/* Whether numbers are plain: CSV is read by machines. */
static bool is_plain(void)
{
    return table_get_form() == TABLE_CSV;
}

static void put_amount(const top *t, uint32_t resource, int64_t amount, rows *out)
{
    char text[TOP_AMOUNT_BYTES];
    berth_str name = word_table_get(&t->resources, resource);
    if (is_plain())
        top_plain_text(name, amount, text, sizeof(text));
    else
        top_amount_text(name, amount, text, sizeof(text));
    rows_cell(out, "%s", text);
}

static void put_limits(const top *t, const top_row *row, uint32_t resource, rows *out)
{
    if (row->cells[resource].limited)
        put_amount(t, resource, row->cells[resource].limits, out);
    else
        rows_cell(out, "%s", is_plain() ? "" : "-");
}

static void put_free(const top *t, const top_row *row, uint32_t resource, rows *out)
{
    if (row->usable > 0)
        put_amount(t, resource, row->cells[resource].free, out);
    else
        rows_cell(out, "%s", is_plain() ? "" : "-");
}

static void put_share(const top *t, const top_row *row, uint32_t resource, bool flat, rows *out)
{
    char text[2 * TOP_AMOUNT_BYTES];
    const top_cell *cell = &row->cells[resource];
    if (flat) {
        put_amount(t, resource, cell->requested, out);
        put_amount(t, resource, cell->allocatable, out);
        return;
    }
    top_share_text(word_table_get(&t->resources, resource), cell->requested, cell->allocatable,
                   text, sizeof(text));
    rows_cell(out, "%s", text);
}

static void put_cost(const top *t, const top_row *row, money amount, rows *out)
{
    char text[MONEY_BYTES];
    if (is_plain() && !top_cost_is_known(t, row)) {
        rows_cell(out, "%s", "");
        return;
    }
    top_cost_text(t, row, amount, text);
    rows_cell(out, "%s", text);
}

/* Open a table whose first `names` columns are aligned to the left. If there are prices, `costs`
 * price columns precede the last column. */
static void open_rows(const top *t, const char *const *titles, uint32_t count, uint32_t names,
                      uint32_t costs, layout *form, rows *out)
{
    static const char *const cost_titles[] = {"COST/H", "IDLE/H"};
    static const char *const flat_titles[] = {"COST PER HOUR", "IDLE PER HOUR"};
    uint32_t added = top_cost_shown(t) ? costs : 0;
    for (uint32_t i = 0; i + 1 < count; i++)
        form->titles[i] = titles[i];
    for (uint32_t i = 0; i < added; i++)
        form->titles[count - 1 + i] = form->flat ? flat_titles[i] : cost_titles[i];
    form->titles[count - 1 + added] = titles[count - 1];
    rows_open(out, form->titles, count + added, right_of(names, count + added - 2));
}

static void put_requested(const top *t, const top_row *row, uint32_t resource, rows *out)
{
    put_amount(t, resource, row->cells[resource].requested, out);
}

static berth_status put_notes(const top *t, const top_row *row, rows *out, berth_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return error_set(error, BERTH_E_NOMEM, NULL, "there is no memory for the table");
    berth_status status = top_notes_write(t, row, memory, error);
    if (fclose(memory) != 0 && status == BERTH_OK)
        status = error_set(error, BERTH_E_NOMEM, NULL, "there is no memory for the table");
    rows_cell(out, "%s", status == BERTH_OK ? text : "");
    free(text);
    return status;
}

/* ---- nodes ---- */

static node_names names_of(const top *t)
{
    node_names names = {.seen = false};
    for (size_t i = 0; i < t->row_count; i++)
        node_names_add(&names, t->rows[i].name);
    return names;
}

static berth_status put_node(const top *t, const top_row *row, const layout *form, rows *out,
                             berth_error *error)
{
    berth_str name = row->node != BERTH_NODE_NONE ? row->name : words_of("all");
    if (row->node != BERTH_NODE_NONE)
        name = node_names_short(&form->names, name);
    rows_cell_str(out, name);
    put_share(t, row, TOP_PODS, form->flat, out);
    for (uint32_t r = TOP_CPU; r <= TOP_MEMORY; r++) {
        put_share(t, row, r, form->flat, out);
        if (!form->narrow)
            put_limits(t, row, r, out);
        put_free(t, row, r, out);
    }
    if (top_cost_shown(t)) {
        put_cost(t, row, row->price, out);
        put_cost(t, row, row->idle, out);
    }
    return put_notes(t, row, out, error);
}

static berth_status fill_nodes(const top *t, layout *form, rows *out, berth_error *error)
{
    static const char *const titles[] = {"NODE",   "PODS",   "CPU",  "LIMITS", "FREE",
                                         "MEMORY", "LIMITS", "FREE", "NOTES"};
    static const char *const narrow[] = {"NODE", "PODS", "CPU", "FREE", "MEMORY", "FREE", "NOTES"};
    static const char *const flat[] = {"NODE",
                                       "PODS",
                                       "PODS ALLOCATABLE",
                                       "CPU",
                                       "CPU ALLOCATABLE",
                                       "CPU LIMITS",
                                       "CPU FREE",
                                       "MEMORY",
                                       "MEMORY ALLOCATABLE",
                                       "MEMORY LIMITS",
                                       "MEMORY FREE",
                                       "NOTES"};
    static const char *const plain[] = {"NODE",
                                        "PODS",
                                        "PODS ALLOCATABLE",
                                        "CPU (CORES)",
                                        "CPU ALLOCATABLE (CORES)",
                                        "CPU LIMITS (CORES)",
                                        "CPU FREE (CORES)",
                                        "MEMORY (BYTES)",
                                        "MEMORY ALLOCATABLE (BYTES)",
                                        "MEMORY LIMITS (BYTES)",
                                        "MEMORY FREE (BYTES)",
                                        "NOTES"};
    uint32_t count = form->flat ? 12 : form->narrow ? 7 : 9;
    open_rows(t,
              form->flat     ? is_plain() ? plain : flat
              : form->narrow ? narrow
                             : titles,
              count, 1, 2, form, out);
    for (size_t i = 0; i < t->row_count; i++)
        TRY(put_node(t, &t->rows[i], form, out, error));
    return form->flat ? BERTH_OK : put_node(t, &t->total, form, out, error);
}

/* ---- namespaces and owners ---- */

/* Write the percentage of the amount of all nodes. */
static void put_percent(const top *t, const top_row *row, uint32_t resource, rows *out)
{
    int64_t all = t->nodes.cells[resource].allocatable;
    double percent = top_percent(row->cells[resource].requested, all);
    if (all <= 0)
        rows_cell(out, "%s", is_plain() ? "" : "-");
    else if (is_plain())
        rows_cell(out, "%.2f", percent);
    else
        rows_cell(out, "%.0f%%", percent);
}

static berth_status put_group(const top *t, const top_row *row, const layout *form, rows *out,
                              berth_error *error)
{
    bool all = row == &t->total;
    rows_cell_str(out, all ? words_of("all") : row->namespace_name);
    if (t->by == TOP_BY_OWNER && all)
        rows_cell(out, "%zu owner%s", t->row_count, t->row_count == 1 ? "" : "s");
    else if (t->by == TOP_BY_OWNER)
        rows_cell(out, "%.*s/%.*s", (int)row->kind.len, row->kind.data, (int)row->name.len,
                  row->name.data);
    rows_cell(out, "%" PRIu64, row->pods);
    for (uint32_t r = TOP_CPU; r <= TOP_MEMORY; r++) {
        put_requested(t, row, r, out);
        if (!form->narrow)
            put_percent(t, row, r, out);
        put_limits(t, row, r, out);
    }
    if (top_cost_shown(t))
        put_cost(t, row, row->used, out);
    return put_notes(t, row, out, error);
}

static berth_status fill_groups(const top *t, layout *form, rows *out, berth_error *error)
{
    static const char *const wide[] = {"NAMESPACE", "OWNER",  "PODS",    "CPU",    "CPU%",
                                       "LIMITS",    "MEMORY", "MEMORY%", "LIMITS", "NOTES"};
    static const char *const narrow[] = {"NAMESPACE", "OWNER",  "PODS",   "CPU",
                                         "LIMITS",    "MEMORY", "LIMITS", "NOTES"};
    static const char *const flat[] = {"NAMESPACE",  "OWNER",  "PODS",    "CPU",           "CPU%",
                                       "CPU LIMITS", "MEMORY", "MEMORY%", "MEMORY LIMITS", "NOTES"};
    static const char *const plain[] = {"NAMESPACE",
                                        "OWNER",
                                        "PODS",
                                        "CPU (CORES)",
                                        "CPU (PERCENT)",
                                        "CPU LIMITS (CORES)",
                                        "MEMORY (BYTES)",
                                        "MEMORY (PERCENT)",
                                        "MEMORY LIMITS (BYTES)",
                                        "NOTES"};
    enum { TITLES = sizeof(wide) / sizeof(wide[0]), NAMES = 2 };
    const char *const *titles = form->narrow ? narrow : wide;
    if (form->flat)
        titles = is_plain() ? plain : flat;
    uint32_t count = form->narrow ? TITLES - 2 : TITLES, names = NAMES;
    const char *without_owner[TITLES] = {titles[0]};
    if (t->by != TOP_BY_OWNER) {
        count--;
        names--;
        memcpy(&without_owner[1], &titles[2], (count - 1) * sizeof(*titles));
        titles = without_owner;
    }
    open_rows(t, titles, count, names, 1, form, out);
    for (size_t i = 0; i < t->row_count; i++)
        TRY(put_group(t, &t->rows[i], form, out, error));
    return form->flat ? BERTH_OK : put_group(t, &t->total, form, out, error);
}

/* ---- zones ---- */

/* Write the zone and how many of its nodes are usable. */
static void put_zone_name(const top_row *row, berth_str name, bool flat, rows *out)
{
    rows_cell_str(out, name);
    if (!flat) {
        rows_cell(out, "%" PRIu64 "/%" PRIu64, row->usable, row->nodes);
    } else {
        rows_cell(out, "%" PRIu64, row->usable);
        rows_cell(out, "%" PRIu64, row->nodes);
    }
}

/* Write the cost of the zone's nodes as if it were a resource. */
static void put_zone_cost(const top *t, const top_row *row, berth_str name, bool flat, rows *out)
{
    double use = row->price > 0 ? 100.0 * (double)row->used / (double)row->price : 0.0;
    if (!top_cost_shown(t))
        return;
    put_zone_name(row, name, flat, out);
    rows_cell(out, is_plain() ? "cost" : "cost per hour");
    if (is_plain())
        rows_cell(out, "per hour");
    put_cost(t, row, row->used, out);
    rows_cell(out, "%s", is_plain() ? "" : "-");
    put_cost(t, row, row->price, out);
    rows_cell(out, is_plain() ? "%.2f" : "%.1f%%", use);
    put_cost(t, row, row->idle, out);
    rows_cell(out, "%s", is_plain() ? "" : "-");
}

static void put_zone(const top *t, const top_row *row, berth_str name, bool flat, rows *out)
{
    for (uint32_t r = 0; r < t->resources.count; r++) {
        const top_cell *cell = &row->cells[r];
        berth_str resource = word_table_get(&t->resources, r);
        double use = top_percent(cell->requested, cell->allocatable);
        if (r >= TOP_FIXED_RESOURCES && cell->allocatable == 0 && cell->requested == 0)
            continue;
        put_zone_name(row, name, flat, out);
        rows_cell_str(out, resource);
        if (is_plain())
            rows_cell(out, "%s", top_unit(resource));
        put_requested(t, row, r, out);
        put_limits(t, row, r, out);
        put_amount(t, r, cell->allocatable, out);
        rows_cell(out, is_plain() ? "%.2f" : "%.1f%%", use);
        put_free(t, row, r, out);
        put_amount(t, r, cell->closed, out);
    }
    put_zone_cost(t, row, name, flat, out);
}

static void print_zones(const top *t, bool flat, FILE *file)
{
    static const char *const titles[] = {"ZONE",        "USABLE", "RESOURCE", "REQUESTED", "LIMITS",
                                         "ALLOCATABLE", "USE",    "FREE",     "CLOSED"};
    static const char *const flat_titles[] = {"ZONE",      "USABLE", "NODES",       "RESOURCE",
                                              "REQUESTED", "LIMITS", "ALLOCATABLE", "USE",
                                              "FREE",      "CLOSED"};
    static const char *const plain_titles[] = {
        "ZONE",   "USABLE",      "NODES",         "RESOURCE", "UNIT",  "REQUESTED",
        "LIMITS", "ALLOCATABLE", "USE (PERCENT)", "FREE",     "CLOSED"};
    rows out;
    if (flat && is_plain())
        rows_open(&out, plain_titles, 11, right_of(5, 10) | 3u << 1);
    else if (flat)
        rows_open(&out, flat_titles, 10, right_of(4, 9) | 3u << 1);
    else
        rows_open(&out, titles, 9, right_of(3, 8) | 1u << 1);
    for (size_t i = 0; i < t->row_count; i++)
        put_zone(t, &t->rows[i], t->rows[i].name, flat, &out);
    if (!flat)
        put_zone(t, &t->total, words_of("all"), false, &out);
    rows_print(&out, file);
}

/* ---- all ---- */

static berth_status fill(const top *t, layout *form, rows *out, berth_error *error)
{
    return t->by == TOP_BY_NODE ? fill_nodes(t, form, out, error)
                                : fill_groups(t, form, out, error);
}

static berth_status print_rows(const top *t, FILE *file, berth_error *error)
{
    const node_names names = t->by == TOP_BY_NODE ? names_of(t) : (node_names){0};
    layout forms[] = {{.narrow = false}, {.names = names}, {.names = names, .narrow = true}};
    const size_t last = sizeof(forms) / sizeof(forms[0]) - 1;
    for (size_t i = 0; i <= last; i++) {
        rows out;
        berth_status status = fill(t, &forms[i], &out, error);
        bool fits = rows_width(&out) <= terminal_width() - NOTES_WIDTH;
        if (status == BERTH_OK && (fits || i == last)) {
            rows_print(&out, file);
            if (forms[i].names.domain.len == 0)
                return BERTH_OK;
            fputc('\n', file);
            node_names_tell(&forms[i].names, file);
            return BERTH_OK;
        }
        rows_free(&out);
        TRY(status);
    }
    return BERTH_OK;
}

berth_status top_print_list(const top *t, FILE *file, berth_error *error)
{
    layout form = {.flat = true};
    rows out;
    if (t->by == TOP_BY_ZONE) {
        print_zones(t, true, file);
        return BERTH_OK;
    }
    berth_status status = fill(t, &form, &out, error);
    if (status == BERTH_OK)
        rows_print(&out, file);
    else
        rows_free(&out);
    return status;
}

berth_status top_print(const top *t, bool summary_only, FILE *file, berth_error *error)
{
    if (t->row_count == 0)
        fprintf(file, "%s\n",
                t->by == TOP_BY_NODE || t->by == TOP_BY_ZONE ? "No nodes" : "No pods");
    else if (!summary_only && t->by == TOP_BY_ZONE)
        print_zones(t, false, file);
    else if (!summary_only)
        TRY(print_rows(t, file, error));
    if (!summary_only || t->row_count == 0)
        fputc('\n', file);
    top_summary_print(t, file);
    return BERTH_OK;
}

static void print_owner(const top_row *row, FILE *file)
{
    char kind[64];
    uint32_t len = row->kind.len < sizeof(kind) ? row->kind.len : (uint32_t)sizeof(kind) - 1;
    for (uint32_t i = 0; i < len; i++) {
        char c = row->kind.data[i];
        kind[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    plain_text_line(file, "%.*s/%.*s/%.*s", (int)len, kind, (int)row->namespace_name.len,
                    row->namespace_name.data, (int)row->name.len, row->name.data);
}

void top_print_names(const top *t, FILE *file)
{
    static const char *const kinds[] = {
        [TOP_BY_NODE] = "node/", [TOP_BY_NAMESPACE] = "namespace/", [TOP_BY_ZONE] = ""};
    for (size_t i = 0; i < t->row_count; i++) {
        if (t->by == TOP_BY_OWNER)
            print_owner(&t->rows[i], file);
        else
            plain_text_line(file, "%s%.*s", kinds[t->by], (int)t->rows[i].name.len,
                            t->rows[i].name.data);
    }
}
