/* Trials of a growth: adds nodes, places pods, and takes everything back. */
#include "plans/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"

/* The cost of an added node, and of a decision that finds no node, in units of a decision that
 * finds one. */
enum { PASSES_MAX = 8, NODE_EFFORT = 32, REFUSAL_EFFORT = 16 };

berth_status growth_add_nodes(growth *g, size_t shape, uint32_t count, berth_error *error)
{
    berth_pod *pods = heap_new(g->daemon_count, sizeof(*pods));
    berth_node_template from = {
        .size = sizeof(from), .pods = pods, .node = g->shapes->items[shape].object->as.node};
    for (size_t i = 0; i < g->daemon_count; i++)
        if ((g->daemons[i].runs_on >> shape & 1) != 0)
            pods[from.pod_count++] = *g->daemons[i].object->as.pod;
    g->added = heap_grow(g->added, &g->added_capacity, g->added_count + count, sizeof(*g->added));
    g->added_shapes = heap_grow(g->added_shapes, &g->added_shape_capacity, g->added_count + count,
                                sizeof(*g->added_shapes));
    berth_status status =
        berth_engine_add_nodes(g->engine, &from, count, g->added + g->added_count, error);
    free(pods);
    g->decisions += (uint64_t)count * NODE_EFFORT;
    if (status != BERTH_OK)
        return status;
    for (uint32_t i = 0; i < count; i++)
        g->added_shapes[g->added_count++] = (uint32_t)shape;
    return BERTH_OK;
}

/* Try each remaining pod once. A kind that was refused is not tried again unless other pods may
 * have changed that. */
static berth_status place_once(growth *g, uint64_t *count, bool *again, berth_error *error)
{
    uint64_t placed = 0;
    bool waits = false;
    memset(g->refused, 0, g->kind_count * sizeof(*g->refused));
    for (size_t i = 0; i < g->pod_count; i++) {
        const growth_pod *pod = &g->pods[i];
        bool conditional = g->kinds[pod->kind].conditional;
        if (g->placed[i] || (g->refused[pod->kind] && !conditional))
            continue;
        berth_placement placement;
        TRY(berth_engine_schedule(g->engine, pod->pod, &placement, error));
        g->placed[i] = placement.verdict == BERTH_VERDICT_PLACED;
        g->decisions += g->placed[i] ? 1 : REFUSAL_EFFORT;
        g->refused[pod->kind] = !g->placed[i];
        placed += g->placed[i];
        waits = waits || (conditional && !g->placed[i]);
    }
    *count += placed;
    *again = placed > 0 && waits;
    return BERTH_OK;
}

berth_status growth_place(growth *g, uint64_t *count, berth_error *error)
{
    uint64_t placed = 0;
    bool again = true;
    for (int pass = 0; pass < PASSES_MAX && again; pass++)
        TRY(place_once(g, &placed, &again, error));
    if (count != NULL)
        *count = placed;
    return BERTH_OK;
}

static uint32_t daemons_on(const growth *g, size_t shape)
{
    uint32_t count = 0;
    for (size_t i = 0; i < g->daemon_count; i++)
        count += (g->daemons[i].runs_on >> shape & 1) != 0;
    return count;
}

uint32_t growth_used(const growth *g, size_t first)
{
    uint32_t used = 0;
    for (size_t i = first; i < g->added_count; i++)
        used += berth_engine_node_pods(g->engine, g->added[i], NULL, 0) >
                daemons_on(g, g->added_shapes[i]);
    return used;
}

berth_status growth_carry_out(growth *g, const growth_plan *plan, berth_error *error)
{
    g->added_count = 0;
    memset(g->placed, 0, g->pod_count * sizeof(*g->placed));
    for (size_t s = 0; s < g->shapes->count; s++)
        if (plan->counts[s] > 0)
            TRY(growth_add_nodes(g, s, plan->counts[s], error));
    return growth_place(g, NULL, error);
}

/* Compute a plan's figures from the engine. Nodes that took no pod are removed from the plan if the
 * others work as well without them; the next trial shows this. */
static void sum_up(growth *g, growth_plan *plan)
{
    plan->nodes = 0;
    plan->price = 0.0;
    plan->placed = 0;
    plan->tried = true;
    for (size_t s = 0; s < g->shapes->count; s++) {
        plan->nodes += plan->counts[s];
        plan->price += plan->counts[s] * g->shapes->items[s].price;
    }
    for (size_t i = 0; i < g->pod_count; i++)
        plan->placed += g->placed[i];
}

berth_status growth_try(growth *g, growth_plan *plan, berth_error *error)
{
    if (g->cancel != NULL && __atomic_load_n(g->cancel, __ATOMIC_RELAXED) != 0)
        return error_set(error, BERTH_E_CANCELLED, NULL, "the time for an answer is up");
    TRY(berth_engine_begin(g->engine, error));
    berth_status status = growth_carry_out(g, plan, error);
    if (status == BERTH_OK)
        sum_up(g, plan);
    g->trials++;
    berth_engine_rollback(g->engine, NULL);
    g->added_count = 0;
    return status;
}

/* ---- the bound ---- */

/* The smallest amount of one resource that the pods of a kind take, as a share of a node, counted
 * in nodes and in their prices. INFINITY: no shape has the resource. */
static void least_parts(const growth *g, const growth_kind *kind, uint64_t shapes, uint32_t r,
                        double *nodes, double *price)
{
    *nodes = INFINITY;
    *price = INFINITY;
    for (size_t s = 0; s < g->shapes->count; s++) {
        int64_t room = g->room[s * g->resources.count + r];
        if ((kind->fits & shapes & UINT64_C(1) << s) == 0 || room <= 0)
            continue;
        double part = (double)kind->requests[r] * (double)kind->count / (double)room;
        *nodes = part < *nodes ? part : *nodes;
        part *= g->shapes->items[s].price;
        *price = part < *price ? part : *price;
    }
}

/* The price of a node, if all of these shapes have the same; 0: they differ. */
static double single_price(const growth *g, uint64_t shapes)
{
    double price = 0.0;
    for (size_t s = 0; s < g->shapes->count; s++) {
        if ((shapes >> s & 1) == 0)
            continue;
        if (price != 0.0 && g->shapes->items[s].price != price)
            return 0.0;
        price = g->shapes->items[s].price;
    }
    return price;
}

/* No node can be more than full. So, for each resource, the shares of a node that
 * the pods take cannot add up to more than the number of nodes. Each pod counts with the smallest
 * share that it takes on any shape. */
void growth_bound(const growth *g, uint64_t shapes, uint64_t *nodes, double *price)
{
    double most_nodes = 0.0;
    double most_price = 0.0;
    for (uint32_t r = 0; r < g->resources.count; r++) {
        double node_sum = 0.0;
        double price_sum = 0.0;
        for (size_t k = 0; k < g->kind_count; k++) {
            const growth_kind *kind = &g->kinds[k];
            double node_part, price_part;
            if (kind->conditional || (kind->fits & shapes) == 0 || kind->requests[r] <= 0)
                continue;
            least_parts(g, kind, shapes, r, &node_part, &price_part);
            if (!isfinite(node_part))
                continue;
            node_sum += node_part;
            price_sum += price_part;
        }
        most_nodes = node_sum > most_nodes ? node_sum : most_nodes;
        most_price = price_sum > most_price ? price_sum : most_price;
    }
    *nodes = (uint64_t)ceil(most_nodes - 1e-9);
    double single = single_price(g, shapes);
    *price = single > 0.0 ? single * (double)*nodes : most_price;
}
