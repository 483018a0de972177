/* Prints what follows the rows: the resources of all nodes, unless the rows are zones; the numbers
 * of nodes by state and of pods by place; and the number of containers without limits. */
#include "top/top_summary.h"

#include <inttypes.h>
#include <string.h>

#include "cli/plain_text.h"
#include "cli/rows.h"
#include "top/top_cost.h"
#include "top/top_words.h"

static void put_resource(const top *t, uint32_t resource, rows *out)
{
    const top_cell *cell = &t->nodes.cells[resource];
    berth_str name = word_table_get(&t->resources, resource);
    const int64_t amounts[] = {cell->requested, cell->allocatable, cell->free, cell->most,
                               cell->closed};
    char texts[5][TOP_AMOUNT_BYTES];
    char limits[TOP_AMOUNT_BYTES];
    for (size_t i = 0; i < 5; i++)
        top_amount_text(name, amounts[i], texts[i], sizeof(texts[i]));
    top_limits_text(t, &t->nodes, resource, limits, sizeof(limits));
    rows_cell_str(out, name);
    rows_cell(out, "%s", texts[0]);
    rows_cell(out, "%s", limits);
    rows_cell(out, "%s", texts[1]);
    rows_cell(out, "%.1f%%", top_percent(cell->requested, cell->allocatable));
    for (size_t i = 2; i < 5; i++)
        rows_cell(out, "%s", texts[i]);
}

static void print_resources(const top *t, FILE *file)
{
    static const char *const titles[] = {"RESOURCE", "REQUESTED", "LIMITS",      "ALLOCATABLE",
                                         "USE",      "FREE",      "ON ONE NODE", "CLOSED"};
    rows out;
    rows_open(&out, titles, 8, 0xfe);
    for (uint32_t r = 0; r < t->resources.count; r++)
        if (top_is_shown(t, r))
            put_resource(t, r, &out);
    rows_print(&out, file);
    fputc('\n', file);
}

static void print_count(uint64_t count, const char *what, FILE *file)
{
    if (count > 0)
        fprintf(file, ", %" PRIu64 " %s", count, what);
}

static void print_nodes(const top *t, FILE *file)
{
    fprintf(file, "Nodes        %" PRIu64 ": %" PRIu64 " usable", t->nodes.nodes, t->nodes.usable);
    print_count(t->state_nodes[NODE_STATE_CORDONED], "cordoned", file);
    print_count(t->state_nodes[NODE_STATE_TAINTED], "tainted", file);
    print_count(t->state_nodes[NODE_STATE_NOT_READY], "not ready", file);
    print_count(t->full_nodes, "without room for another pod", file);
    fputc('\n', file);
    if (t->nodes.usable < t->nodes.nodes)
        fputs("Closed       free capacity of unusable nodes, which FREE does not include\n", file);
}

/* Prints ": cpu 1.0, memory 2.0Gi". */
static void print_requests(const top *t, const top_row *row, FILE *file)
{
    const char *before = ": ";
    for (uint32_t r = 0; r < t->resources.count; r++) {
        berth_str name = word_table_get(&t->resources, r);
        char text[TOP_AMOUNT_BYTES];
        if (r == TOP_PODS || row->cells[r].requested == 0)
            continue;
        top_amount_text(name, row->cells[r].requested, text, sizeof(text));
        fputs(before, file);
        plain_text_write(file, name.data, name.len);
        fprintf(file, " %s", text);
        before = ", ";
    }
    fputc('\n', file);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_pods(const top *t, FILE *file)
{
    uint64_t waiting = t->waiting.pods;
    uint64_t stranded = t->stranded.pods;
    fprintf(file, "Pods         %" PRIu64 " on nodes\n", t->nodes.pods);
    if (waiting > 0) {
        fprintf(file, "Pending      %" PRIu64 " pod%s", waiting, plural(waiting));
        print_requests(t, &t->waiting, file);
    }
    if (stranded > 0) {
        fprintf(file, "Elsewhere    %" PRIu64 " pod%s on nodes that are not in the input", stranded,
                plural(stranded));
        print_requests(t, &t->stranded, file);
    }
    if (t->refused > 0)
        fprintf(file,
                "Refused      %" PRIu64 " pod%s by a LimitRange or ResourceQuota, not counted\n",
                t->refused, plural(t->refused));
}

static void print_containers(const top *t, FILE *file)
{
    bool by_pod = t->by == TOP_BY_NAMESPACE || t->by == TOP_BY_OWNER;
    const top_row *sum = by_pod ? &t->total : &t->nodes;
    fprintf(file, "Containers   %" PRIu64, sum->containers);
    if (t->only_namespace != NULL) {
        fputs(" in namespace ", file);
        plain_text_write(file, t->only_namespace, strlen(t->only_namespace));
    }
    fprintf(file, ": %" PRIu64 " without a cpu limit, %" PRIu64 " without a memory limit\n",
            sum->without_cpu, sum->without_memory);
}

void top_summary_print(const top *t, FILE *file)
{
    if (t->by != TOP_BY_ZONE && t->nodes.nodes > 0)
        print_resources(t, file);
    print_nodes(t, file);
    print_pods(t, file);
    print_containers(t, file);
    top_cost_print(t, file);
}
