/* Prints and writes the results of a growth. */
#include "plans/growth_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/plain_text.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verbosity.h"
#include "explain/pod_lookup.h"
#include "plans/growth_cost.h"
#include "plans/plan_pods.h"
#include "traces/id_table.h"

enum { NODES_SHOWN = 20, PODS_SHOWN = 20 };

/* ---- what is left ---- */

static berth_status reason_of(growth_answer *a, const growth_kind *kind, berth_pod_id pod,
                              berth_explanation *explanation, uint32_t *out, berth_error *error)
{
    text_buffer text = {0};
    if (kind != NULL && kind->refusal != NULL && kind->fits == 0) {
        *out = word_table_add(&a->reasons, words_of(kind->refusal));
        return BERTH_OK;
    }
    berth_status status = plan_reason(a->growth->engine, pod, explanation, false, &text, error);
    *out = word_table_add(&a->reasons, text_str(&text));
    text_free(&text);
    return status;
}

/* List the pods without a node; all pods of a kind share one reason. `kinds`: 0, or the number of
 * the kind's reason + 1. */
static berth_status list_left(growth_answer *a, const berth_pod_id *pods, uint64_t count,
                              berth_explanation *explanation, id_table *kinds, berth_error *error)
{
    const growth *g = a->growth;
    a->left = heap_new(count, sizeof(*a->left));
    for (uint64_t i = 0; i < count; i++) {
        berth_pod_info info = {.size = sizeof(info)};
        if (berth_engine_pod_node(g->engine, pods[i]) != BERTH_NODE_NONE)
            continue;
        TRY(berth_engine_pod_info(g->engine, pods[i], &info, error));
        uint32_t reason = id_table_find(kinds, info.kind);
        if (reason == ID_TABLE_NONE) {
            const growth_kind *kind = i < g->pod_count ? &g->kinds[g->pods[i].kind] : NULL;
            TRY(reason_of(a, kind, pods[i], explanation, &reason, error));
            id_table_add(kinds, info.kind, reason);
        }
        a->left[a->left_count++] = (growth_left){reason, pods[i]};
    }
    return BERTH_OK;
}

static growth_filled fill_of(const growth *g, size_t added)
{
    static const char *const names[] = {"cpu", "memory"};
    growth_filled out = {.pods = berth_engine_node_pods(g->engine, g->added[added], NULL, 0)};
    for (size_t i = 0; i < 2; i++) {
        int64_t allocatable = 0;
        int64_t requested = 0;
        (void)berth_engine_node_resource(g->engine, g->added[added], words_of(names[i]),
                                         &allocatable, &requested, NULL);
        out.use[i] = allocatable > 0 ? (double)requested / (double)allocatable : 0.0;
    }
    return out;
}

static void remember_plan(growth_answer *a)
{
    const growth *g = a->growth;
    a->filled = heap_new(g->added_count, sizeof(*a->filled));
    a->planned = heap_new(g->pod_count, sizeof(*a->planned));
    for (size_t i = 0; i < g->added_count; i++)
        a->filled[i] = fill_of(g, i);
    for (size_t i = 0; i < g->pod_count; i++)
        a->planned[i] = berth_engine_pod_node(g->engine, g->pods[i].pod);
}

berth_status growth_answer_pods(growth_answer *a, const berth_pod_id *pods, uint64_t count,
                                berth_error *error)
{
    berth_explanation *explanation = NULL;
    id_table kinds = {0};
    remember_plan(a);
    TRY(berth_explanation_create(NULL, &explanation, error));
    berth_status status = list_left(a, pods, count, explanation, &kinds, error);
    berth_explanation_destroy(explanation);
    id_table_free(&kinds);
    return status;
}

void growth_answer_free(growth_answer *a)
{
    free(a->filled);
    free(a->planned);
    free(a->left);
    word_table_free(&a->reasons);
}

/* ---- for people ---- */

/* Writes a price, exact to a millionth, with as few digits as possible: "0.72", "3", "1234.5". */
static void format_price(double price, char out[32])
{
    int len = snprintf(out, 32, "%.6f", price);
    while (len > 0 && out[len - 1] == '0')
        len--;
    out[len > 0 && out[len - 1] == '.' ? len - 1 : len] = '\0';
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void row(table *t, bool writing, const char *const *cells)
{
    for (uint32_t i = 0; i < t->column_count; i++) {
        if (writing)
            table_cell_text(t, cells[i]);
        else
            table_measure(t, i, (uint32_t)strlen(cells[i]));
    }
}

static uint64_t taken_by(const growth *g, size_t shape)
{
    uint64_t count = 0;
    for (size_t k = 0; k < g->kind_count; k++)
        count += (g->kinds[k].fits >> shape & 1) != 0 ? g->kinds[k].count : 0;
    return count;
}

/* Print for each shape the nodes in the plan, and how many nodes would be needed of this shape
 * alone. */
static void print_shapes(const growth *g, FILE *file)
{
    static const char *const titles[] = {"SHAPE", "PRICE", "ADD", "COST", "ALONE", "COST", "PODS"};
    static const char *const flat_titles[] = {"SHAPE", "PRICE",      "ADD", "COST",
                                              "ALONE", "ALONE COST", "PODS"};
    const bool aligned = table_get_form() == TABLE_ALIGNED;
    table t;
    table_open(&t, file, aligned ? titles : flat_titles, 7, ~1u);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t s = 0; s < g->shapes->count; s++) {
            const node_shape *shape = &g->shapes->items[s];
            const growth_plan *alone = &g->alone[s];
            char price[32], add[24], cost[32], nodes[24] = "-", alone_cost[32] = "-", pods[64];
            format_price(shape->price, price);
            snprintf(add, sizeof(add), "%" PRIu32, g->best.counts[s]);
            format_price(shape->price * g->best.counts[s], cost);
            if (alone->tried) {
                snprintf(nodes, sizeof(nodes), "%" PRIu64, alone->nodes);
                format_price(alone->price, alone_cost);
            }
            snprintf(pods, sizeof(pods), "%" PRIu64 " of %" PRIu64, alone->placed, taken_by(g, s));
            const char *const cells[] = {shape->name, price, add, cost, nodes, alone_cost, pods};
            row(&t, writing != 0, cells);
        }
    }
}

/* Print the nodes of the cluster and which of them could be removed. */
static void print_nodes(const growth_answer *a, FILE *file)
{
    static const char *const titles[] = {"NODE", "VERDICT", "PODS"};
    table t;
    table_open(&t, file, titles, 3, 1u << 2);
    table_head(&t);
    for (uint32_t i = 0; i < a->shrink->count; i++) {
        const shrink_node *one = &a->shrink->nodes[i];
        char pods[24];
        snprintf(pods, sizeof(pods), "%" PRIu32, one->pods);
        table_cell(&t, berth_engine_node_name(a->growth->engine, one->node));
        table_cell_text(&t, shrink_verdict_names[one->verdict]);
        table_cell_text(&t, pods);
    }
}

void growth_print_list(const growth_answer *a, FILE *file)
{
    if (a->growth->shapes->count > 0)
        print_shapes(a->growth, file);
    else if (a->shrink != NULL)
        print_nodes(a, file);
}

static void print_added(const growth_answer *a, FILE *file)
{
    const growth *g = a->growth;
    static const char *const titles[] = {"NEW NODE", "PODS", "CPU", "MEMORY"};
    size_t shown = g->added_count < NODES_SHOWN ? g->added_count : NODES_SHOWN;
    table t;
    if (shown == 0)
        return;
    table_open(&t, file, titles, 4, ~1u);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t i = 0; i < shown; i++) {
            char cpu[16], memory[16], pods[24], name[320];
            berth_str node = berth_engine_node_name(g->engine, g->added[i]);
            snprintf(name, sizeof(name), "%.*s", (int)node.len, node.data);
            snprintf(pods, sizeof(pods), "%" PRIu32, a->filled[i].pods);
            snprintf(cpu, sizeof(cpu), "%.0f%%", 100.0 * a->filled[i].use[0]);
            snprintf(memory, sizeof(memory), "%.0f%%", 100.0 * a->filled[i].use[1]);
            const char *const cells[] = {name, pods, cpu, memory};
            row(&t, writing != 0, cells);
        }
    }
    if (shown < g->added_count)
        fprintf(file, "and %zu more nodes\n", g->added_count - shown);
    fputc('\n', file);
}

/* Print where the pods of removed nodes would go. */
static void print_moves(const growth_answer *a, FILE *file)
{
    static const char *const titles[] = {"NAMESPACE", "NAME", "FROM", "TO"};
    const shrink *s = a->shrink;
    const berth_engine *engine = a->growth->engine;
    size_t shown = s->move_count < PODS_SHOWN ? s->move_count : PODS_SHOWN;
    table t;
    if (shown == 0)
        return;
    fputs("Pods that would move if the nodes that could go were removed:\n", file);
    table_open(&t, file, titles, 4, 0);
    for (int writing = 0; writing <= 1; writing++) {
        if (writing)
            table_head(&t);
        for (size_t i = 0; i < shown; i++) {
            berth_str cells[4] = {{0}};
            berth_engine_pod_name(engine, s->moves[i].pod, &cells[0], &cells[1]);
            cells[2] = berth_engine_node_name(engine, s->moves[i].from);
            cells[3] = berth_engine_node_name(engine, s->moves[i].to);
            for (uint32_t k = 0; k < 4; k++) {
                if (writing)
                    table_cell(&t, cells[k]);
                else if (k >= 2)
                    table_measure_node(&t, k, cells[k]);
                else
                    table_measure(&t, k, cells[k].len);
            }
        }
    }
    if (shown < s->move_count)
        fprintf(file, "and %zu more pods\n", s->move_count - shown);
    table_foot(&t);
    fputc('\n', file);
}

static void print_left(const growth_answer *a, FILE *file)
{
    for (uint32_t r = 0; r < a->reasons.count; r++) {
        berth_str text = word_table_get(&a->reasons, r);
        uint64_t count = 0;
        for (size_t i = 0; i < a->left_count; i++)
            count += a->left[i].reason == r;
        fprintf(file, "  %8" PRIu64 "  ", count);
        terminal_wrap(file, text.data, text.len, 12, 12);
        fputc('\n', file);
    }
}

static void print_plan(const growth_answer *a, FILE *file)
{
    const growth *g = a->growth;
    char price[32], bound[32];
    if (g->best.nodes == 0) {
        if (a->unfitted > 0)
            fputs("Add          nothing: no shape takes any of them\n", file);
        return;
    }
    format_price(g->best.price, price);
    format_price(g->bound_price, bound);
    fprintf(file, "Add          %" PRIu64 " node%s", g->best.nodes, plural(g->best.nodes));
    if (g->shapes->priced)
        fprintf(file, " at %s", price);
    fprintf(file, ": %" PRIu64 " of %" PRIu64 " pods fit then\n", g->best.placed, a->unfitted);
    growth_cost_print_plan(a, file);
    growth_cost_print_alone(a, file);
    if (g->ended_early)
        fputs("Search       ended by --effort; more may find better\n", file);
    if (g->target == 0 || g->best.placed < g->target)
        return;
    if (g->best.price <= g->bound_price * (1.0 + 1e-9))
        fputs("Bound        nothing cheaper would do\n", file);
    else if (g->shapes->priced)
        fprintf(file, "Bound        nothing below %s would do: at most %.1f%% could be saved\n",
                bound, 100.0 * (1.0 - g->bound_price / g->best.price));
    else
        fprintf(file, "Bound        no fewer than %" PRIu64 " node%s would do\n", g->bound_nodes,
                plural(g->bound_nodes));
}

static void print_going(const growth_answer *a, FILE *file)
{
    const shrink *s = a->shrink;
    uint32_t counts[SHRINK_VERDICTS] = {0};
    uint32_t empty = 0;
    size_t shown = 0;
    for (uint32_t i = 0; i < s->count; i++)
        counts[s->nodes[i].verdict]++;
    fprintf(file, "Could go     %" PRIu32 " of %" PRIu32 " nodes, together\n", s->going, s->count);
    growth_cost_print_saved(a, file);
    for (uint32_t i = 0; i < s->count; i++)
        empty += s->nodes[i].verdict == SHRINK_GOES && s->nodes[i].pods == 0;
    if (empty > 0)
        fprintf(file, "  %8" PRIu32 "  of them %s empty\n", empty, empty == 1 ? "is" : "are");
    for (uint32_t i = 0; i < s->count && shown < NODES_SHOWN; i++) {
        if (s->nodes[i].verdict != SHRINK_GOES || s->nodes[i].pods == 0)
            continue;
        berth_str name = berth_engine_node_name(a->growth->engine, s->nodes[i].node);
        plain_text_line(file, "  %8" PRIu32 "  pod%s would leave %.*s", s->nodes[i].pods,
                        plural(s->nodes[i].pods), (int)name.len, name.data);
        shown++;
    }
    if (shown < s->going - empty)
        fprintf(file, "            and %zu more nodes\n", s->going - empty - shown);
    for (int v = SHRINK_GOES + 1; v < SHRINK_VERDICTS; v++)
        if (counts[v] > 0)
            fprintf(file, "Stay         %" PRIu32 " %s\n", counts[v], shrink_verdict_texts[v]);
}

void growth_print(const growth_answer *a, FILE *file, bool summary_only)
{
    const growth *g = a->growth;
    if (g->shapes->count > 0 && a->unfitted > 0) {
        print_shapes(g, file);
        fputc('\n', file);
        if (!summary_only)
            print_added(a, file);
    }
    if (a->shrink != NULL && !summary_only)
        print_moves(a, file);
    fprintf(file, "Pending      %" PRIu64 " pod%s: %" PRIu64 " fit as it is, %" PRIu64 " do not",
            a->pending, plural(a->pending), a->fitted, a->unfitted);
    if (a->passed_over > 0)
        fprintf(file, ", %" PRIu64 " are no scheduler's here", a->passed_over);
    fputc('\n', file);
    if (g->shapes->count > 0)
        print_plan(a, file);
    if (a->left_count > 0)
        fprintf(file, "Without      %zu pod%s no place:\n", a->left_count,
                a->left_count == 1 ? " has" : "s have");
    print_left(a, file);
    if (a->shrink != NULL)
        print_going(a, file);
    verbosity_note("%" PRIu64 " plan%s tried in %.6f s", g->trials, plural(g->trials), a->seconds);
}

/* ---- for programs ---- */

static void write_shapes(const growth *g, output *o)
{
    output_key(o, "shapes");
    output_array(o);
    for (size_t s = 0; s < g->shapes->count; s++) {
        const growth_plan *alone = &g->alone[s];
        output_object(o);
        output_pair_text(o, "shape", g->shapes->items[s].name);
        output_pair_real(o, "price", g->shapes->items[s].price, 6);
        output_pair_int(o, "add", g->best.counts[s]);
        output_pair_int(o, "takesPods", (int64_t)taken_by(g, s));
        if (alone->tried) {
            output_key(o, "alone");
            output_object(o);
            output_pair_int(o, "nodes", (int64_t)alone->nodes);
            output_pair_real(o, "price", alone->price, 6);
            output_pair_int(o, "placed", (int64_t)alone->placed);
            output_object_end(o);
        }
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_plan(const growth_answer *a, output *o)
{
    const growth *g = a->growth;
    output_key(o, "plan");
    output_object(o);
    output_pair_int(o, "nodes", (int64_t)g->best.nodes);
    output_pair_real(o, "price", g->best.price, 6);
    output_pair_int(o, "placed", (int64_t)g->best.placed);
    output_key(o, "mixed");
    output_bool(o, g->best.mixed);
    output_pair_int(o, "boundNodes", (int64_t)g->bound_nodes);
    output_pair_real(o, "boundPrice", g->bound_price, 6);
    output_key(o, "endedEarly");
    output_bool(o, g->ended_early);
    output_pair_int(o, "plansTried", (int64_t)g->trials);
    growth_cost_write_plan(a, o);
    output_object_end(o);
}

static void write_added(const growth_answer *a, output *o)
{
    const growth *g = a->growth;
    output_key(o, "newNodes");
    output_array(o);
    for (size_t i = 0; i < g->added_count; i++) {
        output_object(o);
        output_pair_str(o, "node", berth_engine_node_name(g->engine, g->added[i]));
        output_pair_text(o, "shape", g->shapes->items[g->added_shapes[i]].name);
        output_pair_int(o, "pods", a->filled[i].pods);
        output_object_end(o);
    }
    output_array_end(o);
}

/* Write the pods for which the cluster had no room, and where they are placed: on new nodes, or on
 * its own nodes after other pods were placed. */
static void write_pods(const growth_answer *a, output *o)
{
    const growth *g = a->growth;
    output_key(o, "placements");
    output_array(o);
    for (size_t i = 0; i < g->pod_count; i++) {
        berth_node_id node = a->planned[i];
        if (node == BERTH_NODE_NONE)
            continue;
        output_object(o);
        pod_lookup_write(g->engine, g->pods[i].pod, o);
        output_pair_str(o, "node", berth_engine_node_name(g->engine, node));
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_left(const growth_answer *a, output *o)
{
    output_key(o, "without");
    output_array(o);
    for (size_t i = 0; i < a->left_count; i++) {
        output_object(o);
        pod_lookup_write(a->growth->engine, a->left[i].pod, o);
        output_pair_str(o, "reason", word_table_get(&a->reasons, a->left[i].reason));
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_nodes(const growth_answer *a, output *o)
{
    output_key(o, "nodes");
    output_array(o);
    for (uint32_t i = 0; i < a->shrink->count; i++) {
        const shrink_node *one = &a->shrink->nodes[i];
        output_object(o);
        output_pair_str(o, "node", berth_engine_node_name(a->growth->engine, one->node));
        output_pair_text(o, "verdict", shrink_verdict_names[one->verdict]);
        output_pair_int(o, "pods", one->pods);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_moves(const growth_answer *a, output *o)
{
    output_key(o, "moves");
    output_array(o);
    for (size_t i = 0; i < a->shrink->move_count; i++) {
        const shrink_move *one = &a->shrink->moves[i];
        output_object(o);
        pod_lookup_write(a->growth->engine, one->pod, o);
        output_pair_str(o, "from", berth_engine_node_name(a->growth->engine, one->from));
        output_pair_str(o, "node", berth_engine_node_name(a->growth->engine, one->to));
        output_object_end(o);
    }
    output_array_end(o);
}

void growth_write(const growth_answer *a, FILE *file, output_format format, bool summary_only)
{
    const growth *g = a->growth;
    output o;
    output_open(&o, file, format, 2); /* one shape, node or pod per line */
    output_object(&o);
    output_schema(&o, "grow");
    if (g->shapes->count > 0) {
        write_shapes(g, &o);
        write_plan(a, &o);
    }
    if (!summary_only) {
        write_added(a, &o);
        write_pods(a, &o);
        write_left(a, &o);
        if (a->shrink != NULL) {
            write_nodes(a, &o);
            write_moves(a, &o);
        }
    }
    output_key(&o, "summary");
    output_object(&o);
    output_pair_int(&o, "pending", (int64_t)a->pending);
    output_pair_int(&o, "fit", (int64_t)a->fitted);
    output_pair_int(&o, "doNotFit", (int64_t)a->unfitted);
    output_pair_int(&o, "passedOver", (int64_t)a->passed_over);
    output_pair_int(&o, "without", (int64_t)a->left_count);
    if (a->shrink != NULL)
        output_pair_int(&o, "nodesThatCouldGo", a->shrink->going);
    if (a->shrink != NULL)
        growth_cost_write_saved(a, &o);
    output_pair_real(&o, "seconds", a->seconds, 6);
    output_object_end(&o);
    output_object_end(&o);
    output_close(&o);
}
