/* Filter and score tile after tile, for each default plugin that takes part in placing a pod with
 * rules (or one with volumes) and for each instruction set; and all plugins together, as a scan
 * runs them on a slice. ns_per_node is the cost of a node. */
#include <stdio.h>

#include "base/text.h"
#include "cli/heap.h"
#include "harness.h"
#include "inside_cluster.h"

typedef struct plugin_case {
    inside_cluster *inside;
    const inside_stage *stage; /* NULL: all */
    const berth__kernels *kernels;
} plugin_case;

enum { TILES = INSIDE_NODES / BERTH__TILE };

static void filter_one(const plugin_case *c, const inside_stage *one, uint32_t tile,
                       berth__mask *mask)
{
    if (one->outcome == BERTH__ACTIVE)
        one->stage->plugin->filter(&c->inside->cycle, one->stage->instance, one->state, tile, mask);
}

static void score_one(const plugin_case *c, const inside_stage *one, uint32_t tile, int64_t *out)
{
    if (one->outcome == BERTH__ACTIVE)
        one->stage->plugin->score(&c->inside->cycle, one->stage->instance, one->state, tile,
                                  &c->inside->feasible[tile], out);
}

static void report(bench_state *state)
{
    bench_items(state, bench_rounds(state) * BERTH__TILE);
    bench_time_per(state, "ns_per_node", BERTH__TILE);
}

static void filter(bench_state *state)
{
    const plugin_case *c = bench_context(state);
    const berth__ready_profile *profile = &c->inside->profile;
    uint32_t tile = 0;
    c->inside->cluster.view.kernels = c->kernels;
    while (bench_next(state)) {
        berth__mask mask = c->inside->feasible[tile];
        if (c->stage != NULL)
            filter_one(c, c->stage, tile, &mask);
        for (uint32_t i = 0; c->stage == NULL && i < profile->filter_count; i++)
            filter_one(c, &c->inside->filters[i], tile, &mask);
        bench_keep(mask);
        tile = (tile + 1) % TILES;
    }
    report(state);
}

static void score(bench_state *state)
{
    const plugin_case *c = bench_context(state);
    const berth__ready_profile *profile = &c->inside->profile;
    _Alignas(64) int64_t values[BERTH__TILE], totals[BERTH__TILE] = {0};
    uint32_t tile = 0;
    c->inside->cluster.view.kernels = c->kernels;
    while (bench_next(state)) {
        if (c->stage != NULL)
            score_one(c, c->stage, tile, values);
        for (uint32_t i = 0; c->stage == NULL && i < profile->scorer_count; i++) {
            score_one(c, &c->inside->scorers[i], tile, values);
            c->kernels->accumulate(totals, values, profile->scorers[i].weight);
        }
        bench_keep(values);
        tile = (tile + 1) % TILES;
    }
    bench_keep(totals);
    report(state);
}

static void add(const char *phase, bench_fn fn, plugin_case c)
{
    char name[128];
    plugin_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    berth_str plugin = c.stage != NULL ? c.stage->stage->name : BERTH_STR("all");
    snprintf(name, sizeof(name), "%s/%.*s/%s", phase, (int)plugin.len, plugin.data, c.kernels->isa);
    bench_case_add(&(bench_case){.name = name, .fn = fn, .context = kept});
}

/* Adds the stages of `phase` that take part, except those already added for the pod with rules. */
static void add_stages(const char *phase, bench_fn fn, inside_kind kind, bool filters,
                       const berth__kernels *kernels)
{
    inside_cluster *inside = inside_cluster_get(kind), *first = inside_cluster_get(INSIDE_RULES);
    uint32_t count = filters ? inside->profile.filter_count : inside->profile.scorer_count;
    const inside_stage *stages = filters ? inside->filters : inside->scorers;
    const inside_stage *shown = filters ? first->filters : first->scorers;
    for (uint32_t i = 0; i < count; i++)
        if (stages[i].outcome == BERTH__ACTIVE &&
            (kind == INSIDE_RULES || shown[i].outcome != BERTH__ACTIVE))
            add(phase, fn, (plugin_case){inside, &stages[i], kernels});
    if (kind == INSIDE_RULES)
        add(phase, fn, (plugin_case){inside, NULL, kernels});
}

static void not_made(bench_state *state)
{
    bench_fail(state, "the cluster could not be made");
}

static void fill(bench_suite suite)
{
    (void)suite;
    if (!inside_cluster_get(INSIDE_RULES)->ok || !inside_cluster_get(INSIDE_VOLUMES)->ok) {
        bench_case_add(&(bench_case){.name = "filter", .fn = not_made});
        return;
    }
    for (uint32_t isa = 0; isa < 3; isa++) {
        const berth__kernels *kernels = berth__kernels_at(isa);
        for (inside_kind kind = INSIDE_RULES; kernels != NULL && kind <= INSIDE_VOLUMES; kind++) {
            add_stages("filter", filter, kind, true, kernels);
            add_stages("score", score, kind, false, kernels);
        }
    }
}
BENCH_SUITE(fill)
