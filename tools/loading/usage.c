/* Measures how full a cluster is: adds up the nodes by zone and resource, and prints the sums. */
#include "loading/usage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/amounts.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/table.h"
#include "loading/node_list.h"

enum { FIXED_RESOURCES = 3 };

static const char *const fixed_names[FIXED_RESOURCES] = {"cpu", "memory", "pods"};

static bool starts_with(berth_str text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

static bool is_bytes(berth_str resource)
{
    return words_equal(resource, words_of("memory")) ||
           words_equal(resource, words_of("ephemeral-storage")) ||
           starts_with(resource, "hugepages-");
}

static bool is_cpu(berth_str resource)
{
    return words_equal(resource, words_of("cpu"));
}

berth_str usage_zone(const berth_engine *engine, berth_node_id node)
{
    static const char *const keys[] = {"topology.kubernetes.io/zone",
                                       "failure-domain.beta.kubernetes.io/zone"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        berth_str zone = berth_engine_node_label(engine, node, words_of(keys[i]));
        if (zone.len > 0)
            return zone;
    }
    return words_of("-");
}

static usage_cell sum_of(const berth_engine *engine, const berth_node_id *nodes, uint32_t count,
                         berth_str resource)
{
    usage_cell sum = {0, 0};
    for (uint32_t i = 0; i < count; i++) {
        usage_cell cell = {0, 0};
        (void)berth_engine_node_resource(engine, nodes[i], resource, &cell.allocatable,
                                         &cell.requested, NULL);
        sum.allocatable = amount_sum(sum.allocatable, cell.allocatable);
        sum.requested = amount_sum(sum.requested, cell.requested);
    }
    return sum;
}

static int by_bytes(const void *a, const void *b)
{
    const berth_str *left = a;
    const berth_str *right = b;
    return words_compare(*left, *right);
}

static void choose_resources(usage *u, const berth_engine *engine, const berth_node_id *nodes,
                             uint32_t node_count, const word_table *resources)
{
    for (size_t i = 0; i < FIXED_RESOURCES; i++)
        word_table_add(&u->resources, words_of(fixed_names[i]));
    berth_str *sorted = heap_new(resources->count, sizeof(*sorted));
    for (uint32_t i = 0; i < resources->count; i++)
        sorted[i] = word_table_get(resources, i);
    qsort(sorted, resources->count, sizeof(*sorted), by_bytes);
    for (size_t i = 0; i < resources->count; i++) {
        usage_cell sum = sum_of(engine, nodes, node_count, sorted[i]);
        bool extended = memchr(sorted[i].data, '/', sorted[i].len) != NULL;
        if (sum.requested > 0 || (extended && sum.allocatable > 0))
            word_table_add(&u->resources, sorted[i]);
    }
    free(sorted);
}

static void add_cell(usage_cell *to, usage_cell cell)
{
    to->requested = amount_sum(to->requested, cell.requested);
    to->allocatable = amount_sum(to->allocatable, cell.allocatable);
}

berth_status usage_measure(usage *u, berth_engine *engine, const word_table *resources,
                           berth_error *error)
{
    uint32_t node_count = 0;
    berth_node_id *nodes = NULL;
    *u = (usage){0};
    TRY(node_list_make(engine, &nodes, &node_count, error));
    uint32_t *zones = heap_new(node_count, sizeof(*zones));
    for (uint32_t i = 0; i < node_count; i++)
        zones[i] = word_table_add(&u->zones, usage_zone(engine, nodes[i]));
    choose_resources(u, engine, nodes, node_count, resources);
    size_t width = u->resources.count;
    u->cells = heap_new((u->zones.count + 1) * width, sizeof(*u->cells));
    usage_cell *all = u->cells + u->zones.count * width;
    for (uint32_t i = 0; i < node_count; i++) {
        for (uint32_t r = 0; r < width; r++) {
            usage_cell cell = sum_of(engine, &nodes[i], 1, word_table_get(&u->resources, r));
            add_cell(&u->cells[zones[i] * width + r], cell);
            add_cell(&all[r], cell);
        }
    }
    free(zones);
    free(nodes);
    return BERTH_OK;
}

void usage_release(usage *u)
{
    word_table_free(&u->resources);
    word_table_free(&u->zones);
    free(u->cells);
}

static double percent(usage_cell cell)
{
    return cell.allocatable > 0 ? 100.0 * (double)cell.requested / (double)cell.allocatable : 0.0;
}

/* Writes a rounded amount for reading: "12.5", "25.3Gi", "8". */
static void format_rounded(berth_str resource, int64_t amount, char *out, size_t size)
{
    static const char units[] = "KMGTPE";
    if (is_cpu(resource)) {
        snprintf(out, size, "%.1f", (double)amount / 1000.0);
        return;
    }
    if (!is_bytes(resource) || amount < 1024) {
        snprintf(out, size, "%" PRId64, amount);
        return;
    }
    double value = (double)amount / 1024.0;
    size_t unit = 0;
    for (; value >= 1024.0 && units[unit + 1] != '\0'; unit++)
        value /= 1024.0;
    snprintf(out, size, "%.1f%ci", value, units[unit]);
}

void usage_amount(berth_str resource, int64_t amount, char *out, size_t size)
{
    berth_quantity quantity = {amount, 0};
    if (is_cpu(resource))
        quantity = (berth_quantity){amount / 1000, (int32_t)(amount % 1000) * 1000000};
    berth_quantity_format(quantity, is_bytes(resource), out, size);
}

/* The number of rows to show. A single zone equals the total, so the total is left out then. */
static size_t row_count(const usage *u)
{
    return u->zones.count > 1 ? u->zones.count + 1 : u->zones.count;
}

static berth_str row_name(const usage *u, size_t row)
{
    return row < u->zones.count ? word_table_get(&u->zones, (uint32_t)row) : words_of("all");
}

/* Whether to show a zone's row for a resource. Extended resources exist in few zones. */
static bool is_shown(const usage *u, size_t row, uint32_t resource)
{
    usage_cell cell = u->cells[row * u->resources.count + resource];
    return resource < FIXED_RESOURCES || cell.allocatable != 0 || cell.requested != 0;
}

typedef struct row_texts {
    berth_str zone;
    berth_str resource;
    char requested[32];
    char allocatable[32];
    char percent[16];
} row_texts;

static void format_row(const usage *u, size_t row, uint32_t resource, row_texts *texts)
{
    usage_cell cell = u->cells[row * u->resources.count + resource];
    texts->zone = row_name(u, row);
    texts->resource = word_table_get(&u->resources, resource);
    format_rounded(texts->resource, cell.requested, texts->requested, sizeof(texts->requested));
    format_rounded(texts->resource, cell.allocatable, texts->allocatable,
                   sizeof(texts->allocatable));
    snprintf(texts->percent, sizeof(texts->percent), "%.1f%%", percent(cell));
}

void usage_print(const usage *u, FILE *file)
{
    if (u->zones.count == 0) {
        fputs("No nodes\n", file);
        return;
    }
    static const char *const titles[] = {"ZONE", "RESOURCE", "REQUESTED", "ALLOCATABLE", "USE"};
    table t;
    row_texts texts;
    table_open(&t, file, titles, 5, 0x1c);
    for (size_t row = 0; row < row_count(u); row++) {
        for (uint32_t r = 0; r < u->resources.count; r++) {
            if (!is_shown(u, row, r))
                continue;
            format_row(u, row, r, &texts);
            table_measure(&t, 0, texts.zone.len);
            table_measure(&t, 1, texts.resource.len);
            table_measure(&t, 2, (uint32_t)strlen(texts.requested));
            table_measure(&t, 3, (uint32_t)strlen(texts.allocatable));
            table_measure(&t, 4, (uint32_t)strlen(texts.percent));
        }
    }
    table_head(&t);
    for (size_t row = 0; row < row_count(u); row++) {
        for (uint32_t r = 0; r < u->resources.count; r++) {
            if (!is_shown(u, row, r))
                continue;
            format_row(u, row, r, &texts);
            table_cell(&t, texts.zone);
            table_cell(&t, texts.resource);
            table_cell_text(&t, texts.requested);
            table_cell_text(&t, texts.allocatable);
            table_cell_text(&t, texts.percent);
        }
    }
}

void usage_write(const usage *u, output *o)
{
    output_array(o);
    for (size_t row = 0; row < row_count(u); row++) {
        for (uint32_t r = 0; r < u->resources.count; r++) {
            if (!is_shown(u, row, r))
                continue;
            usage_cell cell = u->cells[row * u->resources.count + r];
            berth_str resource = word_table_get(&u->resources, r);
            char text[64];
            output_object(o);
            output_pair_str(o, "zone", row_name(u, row));
            output_pair_str(o, "resource", resource);
            usage_amount(resource, cell.requested, text, sizeof(text));
            output_pair_text(o, "requested", text);
            usage_amount(resource, cell.allocatable, text, sizeof(text));
            output_pair_text(o, "allocatable", text);
            output_pair_real(o, "percent", percent(cell), 1);
            output_object_end(o);
        }
    }
    output_array_end(o);
}
