/* Prints a comparison as tables of figures and of pods, and writes it as a document. */
#include "plans/comparison_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/table.h"
#include "cli/verbosity.h"

enum { PODS_SHOWN = 20, NODES_SHOWN = 20, CELL_BYTES = 48, ZONES_SHOWN = 12 };

/* ---- rows of figures ---- */

typedef struct figure_row {
    char title[96];
    char cells[COMPARISON_SIDES_MAX][CELL_BYTES];
} figure_row;

typedef struct figure_table {
    figure_row *rows;
    size_t count;
    size_t capacity;
} figure_table;

static figure_row *add_row(figure_table *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static figure_row *add_row(figure_table *t, const char *format, ...)
{
    va_list args;
    t->rows = heap_grow(t->rows, &t->capacity, t->count + 1, sizeof(*t->rows));
    figure_row *row = &t->rows[t->count++];
    memset(row, 0, sizeof(*row));
    va_start(args, format);
    vsnprintf(row->title, sizeof(row->title), format, args);
    va_end(args);
    return row;
}

static void set_count(figure_row *row, size_t side, uint64_t count)
{
    snprintf(row->cells[side], CELL_BYTES, "%" PRIu64, count);
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0.0;
}

static void set_percent(figure_row *row, size_t side, double part)
{
    snprintf(row->cells[side], CELL_BYTES, "%.1f%%", 100.0 * part);
}

static const side_resource *find_resource(const cluster_side *side, berth_str name)
{
    for (uint32_t r = 0; r < side->resource_count; r++)
        if (words_equal(side->resources[r].name, name))
            return &side->resources[r];
    return NULL;
}

static const side_zone *find_zone(const cluster_side *side, berth_str name)
{
    for (uint32_t z = 0; z < side->zone_count; z++)
        if (words_equal(side->zones[z].name, name))
            return &side->zones[z];
    return NULL;
}

/* The names of resources of all sides, in the order of first appearance. */
static word_table resource_names(const comparison *c)
{
    word_table names = {0};
    for (size_t i = 0; i < c->side_count; i++)
        for (uint32_t r = 0; r < c->sides[i].side.resource_count; r++) {
            const side_resource *resource = &c->sides[i].side.resources[r];
            if (resource->requested > 0)
                word_table_add(&names, resource->name);
        }
    return names;
}

static word_table zone_names(const comparison *c)
{
    word_table names = {0};
    for (size_t i = 0; i < c->side_count; i++)
        for (uint32_t z = 0; z < c->sides[i].side.zone_count; z++)
            word_table_add(&names, c->sides[i].side.zones[z].name);
    return names;
}

/* ---- for people ---- */

static uint64_t stranded_pods(const comparison *c)
{
    uint64_t count = 0;
    for (size_t i = 0; i < c->side_count; i++)
        count += c->sides[i].side.stranded;
    return count;
}

static void add_missing_row(const comparison *c, figure_table *t)
{
    if (stranded_pods(c) == 0)
        return;
    figure_row *row = add_row(t, "On nodes not in the input");
    for (size_t i = 0; i < c->side_count; i++)
        set_count(row, i, c->sides[i].side.stranded);
}

static void add_pod_rows(const comparison *c, figure_table *t)
{
    static const char *const titles[] = {"Pods",      "Pending",  "  placed",   "  no place",
                                         "  skipped", "Moved",    "Newly fits", "No longer fits",
                                         "Only here", "Not here", "Nodes",      "Nodes in use"};
    bool presence = false;
    for (size_t i = 0; i < c->side_count; i++)
        presence = presence || c->sides[i].here_alone + c->sides[i].there_alone > 0;
    for (size_t k = 0; k < sizeof(titles) / sizeof(titles[0]); k++) {
        if (!presence && (k == 8 || k == 9))
            continue;
        figure_row *row = add_row(t, "%s", titles[k]);
        for (size_t i = 0; i < c->side_count; i++) {
            const comparison_side *s = &c->sides[i];
            const uint64_t values[] = {s->side.pod_count,   s->side.pending,
                                       s->side.placed,      cluster_side_unplaced(&s->side),
                                       s->side.passed_over, s->moved,
                                       s->gained,           s->lost,
                                       s->here_alone,       s->there_alone,
                                       s->side.node_count,  s->side.nodes_in_use};
            if (k >= 5 && k <= 9 && i == 0)
                snprintf(row->cells[i], CELL_BYTES, "-");
            else
                set_count(row, i, values[k]);
        }
    }
    add_missing_row(c, t);
}

static void add_resource_rows(const comparison *c, figure_table *t)
{
    word_table names = resource_names(c);
    for (uint32_t n = 0; n < names.count; n++) {
        berth_str name = word_table_get(&names, n);
        figure_row rows[3];
        memset(rows, 0, sizeof(rows));
        for (size_t i = 0; i < c->side_count; i++) {
            const side_resource *r = find_resource(&c->sides[i].side, name);
            for (int k = 0; k < 3; k++)
                snprintf(rows[k].cells[i], CELL_BYTES, "-");
            if (r == NULL)
                continue;
            set_percent(&rows[0], i, share(r->requested, r->allocatable));
            set_percent(&rows[1], i, share(r->requested_used, r->allocatable_used));
            set_percent(&rows[2], i, r->fragmentation);
        }
        static const char *const titles[] = {"use", "use of nodes in use", "fragmentation"};
        for (int k = 0; k < 3; k++) {
            figure_row *row = add_row(t, "%.*s %s", (int)name.len, name.data, titles[k]);
            memcpy(row->cells, rows[k].cells, sizeof(row->cells));
        }
    }
    word_table_free(&names);
}

/* The smallest and the largest number of pods in a named zone. */
static void zone_range(const cluster_side *side, uint64_t *fewest, uint64_t *most)
{
    bool any = false;
    *fewest = *most = 0;
    for (uint32_t z = 0; z < side->zone_count; z++) {
        uint64_t pods = side->zones[z].pods;
        if (words_equal(side->zones[z].name, words_of("-")))
            continue;
        *fewest = !any || pods < *fewest ? pods : *fewest;
        *most = pods > *most ? pods : *most;
        any = true;
    }
}

static void add_zone_rows(const comparison *c, figure_table *t)
{
    word_table names = zone_names(c);
    for (uint32_t n = 0; n < names.count && n < ZONES_SHOWN && names.count > 1; n++) {
        berth_str name = word_table_get(&names, n);
        figure_row *row = words_equal(name, words_of("-"))
                              ? add_row(t, "Pods in no zone")
                              : add_row(t, "Pods in %.*s", (int)name.len, name.data);
        for (size_t i = 0; i < c->side_count; i++) {
            const side_zone *zone = find_zone(&c->sides[i].side, name);
            if (zone != NULL)
                set_count(row, i, zone->pods);
            else
                snprintf(row->cells[i], CELL_BYTES, "-");
        }
    }
    if (names.count > 1) {
        figure_row *row = add_row(t, "Zones, fewest to most");
        for (size_t i = 0; i < c->side_count; i++) {
            uint64_t fewest, most;
            zone_range(&c->sides[i].side, &fewest, &most);
            snprintf(row->cells[i], CELL_BYTES, "%" PRIu64 "-%" PRIu64, fewest, most);
        }
    }
    word_table_free(&names);
}

static void print_figures(const comparison *c, FILE *file)
{
    figure_table figures = {0};
    const char *titles[1 + COMPARISON_SIDES_MAX] = {"FIGURE"};
    table t;
    add_pod_rows(c, &figures);
    add_resource_rows(c, &figures);
    add_zone_rows(c, &figures);
    for (size_t i = 0; i < c->side_count; i++)
        titles[1 + i] = c->sides[i].title;
    table_open(&t, file, titles, 1 + (uint32_t)c->side_count, ~1u);
    for (size_t r = 0; r < figures.count; r++) {
        table_measure(&t, 0, (uint32_t)strlen(figures.rows[r].title));
        for (uint32_t i = 0; i < c->side_count; i++)
            table_measure(&t, 1 + i, (uint32_t)strlen(figures.rows[r].cells[i]));
    }
    table_head(&t);
    for (size_t r = 0; r < figures.count; r++) {
        const char *title = figures.rows[r].title;
        table_cell_text(&t, table_get_form() == TABLE_ALIGNED ? title : title + strspn(title, " "));
        for (size_t i = 0; i < c->side_count; i++)
            table_cell_text(&t, figures.rows[r].cells[i]);
    }
    free(figures.rows);
    for (size_t i = 0; i < c->side_count; i++)
        verbosity_note("%s: %.0f decisions a second", c->sides[i].title,
                       cluster_side_decisions_a_second(&c->sides[i].side));
}

static void print_sides(const comparison *c, FILE *file)
{
    for (size_t i = 0; i < c->side_count; i++) {
        const comparison_side *s = &c->sides[i];
        bool own = strcmp(s->config, "default") != 0;
        char version[32];
        cluster_version_decides(&s->side.setup, version, sizeof(version));
        fprintf(file, "%-7s%s, kube-scheduler %s", s->title,
                own ? s->config : "default configuration", version);
        if (s->feature_gates != NULL)
            fprintf(file, ", %s", s->feature_gates);
        for (size_t k = 0; s->files != NULL && k < s->files->count; k++)
            fprintf(file, ", %s", s->files->items[k]);
        fputc('\n', file);
    }
    fputc('\n', file);
}

/* Print for each side the nodes that pods are bound to and that its input lacks. */
static void print_missing(const comparison *c, FILE *file)
{
    for (size_t i = 0; i < c->side_count; i++) {
        const cluster_side *side = &c->sides[i].side;
        for (size_t k = 0; k < side->missing_count; k++) {
            const side_missing *missing = &side->missing[k];
            if (k == NODES_SHOWN) {
                fprintf(file, "%s: and pods on %zu more such nodes\n", c->sides[i].title,
                        side->missing_count - k);
                break;
            }
            plain_text_line(file,
                            "%s: %" PRIu64 " pod%s bound to node %.*s, which is not in the input",
                            c->sides[i].title, missing->pods, missing->pods == 1 ? " is" : "s are",
                            (int)missing->name.len, missing->name.data);
        }
    }
}

static void pod_row(const comparison *c, const changed_pod *pod, table *t, bool writing)
{
    berth_str cells[4 + COMPARISON_SIDES_MAX];
    const side_pod *named = comparison_pod(c, pod);
    uint32_t count = 0;
    cells[count++] = named->namespace_name;
    cells[count++] = named->name;
    for (size_t i = 0; i < c->side_count; i++)
        cells[count++] = pod->on[i] != NULL ? comparison_node(c, pod, i) : words_of("(absent)");
    cells[count++] = words_of(pod->reason != NULL ? pod->reason : "");
    for (uint32_t k = 0; k < count; k++) {
        if (writing)
            table_cell(t, cells[k]);
        else if (k >= 2 && k + 1 < count && pod->on[k - 2] != NULL &&
                 pod->on[k - 2]->node != BERTH_NODE_NONE)
            table_measure_node(t, k, cells[k]);
        else
            table_measure(t, k, cells[k].len);
    }
}

static void print_pods(const comparison *c, FILE *file, bool all)
{
    size_t shown = all || c->pod_count < PODS_SHOWN ? c->pod_count : PODS_SHOWN;
    const char *titles[4 + COMPARISON_SIDES_MAX] = {"NAMESPACE", "NAME"};
    table t;
    if (c->pod_count == 0 && table_get_form() == TABLE_ALIGNED) {
        fputs(stranded_pods(c) == 0 ? "\nEvery pod is on the same node.\n"
                                    : "\nEvery other pod is on the same node.\n",
              file);
        return;
    }
    for (size_t i = 0; i < c->side_count; i++)
        titles[2 + i] = c->sides[i].title;
    titles[2 + c->side_count] = "WHY NOT";
    table_open(&t, file, titles, 3 + (uint32_t)c->side_count, 0);
    for (size_t i = 0; i < shown; i++)
        pod_row(c, &c->pods[i], &t, false);
    if (table_get_form() == TABLE_ALIGNED)
        fputc('\n', file);
    table_head(&t);
    for (size_t i = 0; i < shown; i++)
        pod_row(c, &c->pods[i], &t, true);
    if (shown < c->pod_count)
        fprintf(file, "and %zu more pods: --moves lists all\n", c->pod_count - shown);
    table_foot(&t);
}

void comparison_print(const comparison *c, FILE *file, bool summary_only, bool all_pods)
{
    print_sides(c, file);
    print_figures(c, file);
    if (stranded_pods(c) > 0)
        fputc('\n', file);
    print_missing(c, file);
    if (!summary_only)
        print_pods(c, file, all_pods);
}

void comparison_print_list(const comparison *c, FILE *file, bool pods)
{
    if (pods)
        print_pods(c, file, true);
    else
        print_figures(c, file);
}

/* ---- for programs ---- */

static void write_resources(const cluster_side *side, output *o)
{
    output_key(o, "resources");
    output_array(o);
    for (uint32_t i = 0; i < side->resource_count; i++) {
        const side_resource *r = &side->resources[i];
        output_object(o);
        output_pair_str(o, "name", r->name);
        output_pair_int(o, "requested", r->requested);
        output_pair_int(o, "allocatable", r->allocatable);
        output_pair_real(o, "use", share(r->requested, r->allocatable), 6);
        output_pair_real(o, "useOfNodesInUse", share(r->requested_used, r->allocatable_used), 6);
        output_pair_real(o, "fragmentation", r->fragmentation, 6);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_zones(const cluster_side *side, output *o)
{
    output_key(o, "zones");
    output_array(o);
    for (uint32_t z = 0; z < side->zone_count; z++) {
        output_object(o);
        output_pair_str(o, "zone", side->zones[z].name);
        output_pair_int(o, "nodes", side->zones[z].nodes);
        output_pair_int(o, "pods", (int64_t)side->zones[z].pods);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_missing(const cluster_side *side, output *o)
{
    output_pair_int(o, "podsOnMissingNodes", (int64_t)side->stranded);
    output_key(o, "missingNodes");
    output_array(o);
    for (size_t i = 0; i < side->missing_count; i++) {
        output_object(o);
        output_pair_str(o, "node", side->missing[i].name);
        output_pair_int(o, "pods", (int64_t)side->missing[i].pods);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_side(const comparison_side *s, output *o)
{
    char digest[32];
    const cluster_side *side = &s->side;
    snprintf(digest, sizeof(digest), "%016" PRIx64, berth_engine_digest(side->engine));
    output_object(o);
    output_pair_text(o, "side", s->title);
    output_pair_text(o, "config", s->config);
    if (s->kubernetes != NULL)
        output_pair_text(o, "kubernetes", s->kubernetes);
    if (s->feature_gates != NULL)
        output_pair_text(o, "featureGates", s->feature_gates);
    output_pair_int(o, "pods", (int64_t)side->pod_count);
    output_pair_int(o, "pending", (int64_t)side->pending);
    output_pair_int(o, "placed", (int64_t)side->placed);
    output_pair_int(o, "notPlaced", (int64_t)cluster_side_unplaced(side));
    output_pair_int(o, "passedOver", (int64_t)side->passed_over);
    output_pair_int(o, "moved", (int64_t)s->moved);
    output_pair_int(o, "newlyFits", (int64_t)s->gained);
    output_pair_int(o, "noLongerFits", (int64_t)s->lost);
    output_pair_int(o, "onlyHere", (int64_t)s->here_alone);
    output_pair_int(o, "notHere", (int64_t)s->there_alone);
    output_pair_int(o, "nodeNotInInput", (int64_t)s->unhoused);
    output_pair_int(o, "worse", (int64_t)s->worse);
    write_missing(side, o);
    output_pair_int(o, "nodes", side->node_count);
    output_pair_int(o, "nodesInUse", side->nodes_in_use);
    write_resources(side, o);
    write_zones(side, o);
    output_pair_real(o, "seconds", side->seconds, 6);
    output_pair_real(o, "decisionsPerSecond", cluster_side_decisions_a_second(side), 0);
    output_pair_text(o, "digest", digest);
    output_object_end(o);
}

/* Write one node per side: "" if the pod has none, absent if the side lacks the pod. */
static void write_pod(const comparison *c, const changed_pod *pod, output *o)
{
    const side_pod *named = comparison_pod(c, pod);
    output_object(o);
    output_pair_str(o, "namespace", named->namespace_name);
    output_pair_str(o, "name", named->name);
    output_pair_text(o, "change", pod_change_names[pod->change]);
    output_key(o, "nodes");
    output_object(o);
    for (size_t i = 0; i < c->side_count; i++) {
        if (pod->on[i] == NULL)
            continue;
        output_pair_str(o, c->sides[i].title,
                        pod->on[i]->node == BERTH_NODE_NONE ? words_of("")
                                                            : comparison_node(c, pod, i));
    }
    output_object_end(o);
    if (pod->reason != NULL)
        output_pair_text(o, "reason", pod->reason);
    output_object_end(o);
}

void comparison_write(const comparison *c, FILE *file, output_format format, bool summary_only)
{
    output o;
    output_open(&o, file, format, 4); /* one resource and one zone per line */
    output_object(&o);
    output_schema(&o, "compare");
    output_key(&o, "sides");
    output_array(&o);
    for (size_t i = 0; i < c->side_count; i++)
        write_side(&c->sides[i], &o);
    output_array_end(&o);
    if (!summary_only) {
        o.flat_depth = 2; /* one pod per line */
        output_key(&o, "pods");
        output_array(&o);
        for (size_t i = 0; i < c->pod_count; i++)
            write_pod(c, &c->pods[i], &o);
        output_array_end(&o);
    }
    output_object_end(&o);
    output_close(&o);
}
