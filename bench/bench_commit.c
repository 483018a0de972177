/* Changes of a cluster, and their effect on the next decision: binding and unbinding a pod with the
 * counters that its rules need; adding and removing a pod of a known or a new kind; and updating
 * the index for a number of changed nodes before it answers. */
#include <stdlib.h>

#include "changed_engine.h"
#include "cli/heap.h"
#include "harness.h"
#include "ruled_objects.h"

enum { CHANGES_MAX = 4096 };

/* ---- commit ---- */

/* Bind and unbind once in each round. The first decision of each kind makes its counters. */
static void commit(bench_state *state, const char *kind)
{
    enum { PODS = 64 };
    changed_engine c;
    berth_placement placement;
    bool ok = changed_engine_open(&c, kind, CHANGED_NODES, BERTH_PATH_AUTO, PODS);
    for (uint64_t i = 0; i < PODS && ok; i++)
        ok = berth_engine_schedule(c.engine, c.pods[i], &placement, &c.error) == BERTH_OK &&
             berth_engine_unbind(c.engine, c.pods[i], &c.error) == BERTH_OK;
    uint32_t round = 0;
    while (ok && bench_next(state)) {
        berth_pod_id pod = c.pods[round % PODS];
        ok = berth_engine_bind(c.engine, pod, round * 61 % CHANGED_NODES, &c.error) == BERTH_OK &&
             berth_engine_unbind(c.engine, pod, &c.error) == BERTH_OK;
        round++;
    }
    bench_items(state, bench_rounds(state));
    changed_engine_close(state, &c, ok);
}

BENCH_OF(commit_basic, BENCH_ONCE, commit, "basic")
BENCH_OF(commit_spread, BENCH_ONCE, commit, "spread")
BENCH_OF(commit_anti, BENCH_ONCE, commit, "anti")
BENCH_OF(commit_preferred, BENCH_ONCE, commit, "preferred")
BENCH_OF(commit_volumes, BENCH_ONCE, commit, "volumes")

/* ---- pods come and go ---- */

static void come_and_go(bench_state *state, bool rules, bool known)
{
    changed_engine c;
    draft *d = heap_new(1, sizeof(*d));
    bool ok = changed_engine_open_empty(&c, BERTH_PATH_AUTO, 1);
    ruled_node(d, 0);
    ok = ok && changed_engine_add(&c, &d->object) == BERTH_OK;
    ruled_pod(d, 0, rules, UINT32_MAX);
    d->pod.meta.name = draft_text(d, "keeps-its-kind-known");
    ok = ok && changed_engine_add(&c, &d->object) == BERTH_OK;
    for (uint64_t idx = 0; ok && bench_next(state); idx += !known) {
        ruled_pod(d, idx, rules, UINT32_MAX);
        const berth_metadata *meta = &d->pod.meta;
        ok = changed_engine_add(&c, &d->object) == BERTH_OK &&
             berth_engine_remove(c.engine, BERTH_KIND_POD, meta->namespace_name, meta->name,
                                 &c.error) == BERTH_OK;
    }
    bench_items(state, bench_rounds(state));
    changed_engine_close(state, &c, ok);
    free(d);
}

BENCH_OF(pod_of_known_kind, BENCH_ONCE, come_and_go, false, true)
BENCH_OF(pod_of_new_kind, BENCH_ONCE, come_and_go, false, false)
BENCH_OF(pod_of_new_kind_with_rules, BENCH_ONCE, come_and_go, true, false)

/* ---- index ---- */

/* One decision after `changed` nodes have changed; 0 measures the query of the tree alone. The
 * changes themselves are not timed. Always uses the tree, even where a scan would be cheaper. */
static void index_catch_up(bench_state *state, uint64_t changed)
{
    const berth_decide_options options = {.size = sizeof(options)};
    changed_engine c;
    berth_placement placement;
    bool ok = changed_engine_open(&c, "basic", CHANGED_NODES, BERTH_PATH_INDEX, CHANGES_MAX + 1);
    berth_pod_id asked = c.pods[CHANGES_MAX];
    ok = ok && berth_engine_decide(c.engine, asked, &options, &placement, &c.error) == BERTH_OK;
    bool bound = false;
    while (ok && bench_next(state)) {
        if (changed > 0)
            bench_pause(state);
        for (uint64_t i = 0; i < changed && ok; i++)
            ok = (bound ? berth_engine_unbind(c.engine, c.pods[i], &c.error)
                        : berth_engine_bind(c.engine, c.pods[i], (uint32_t)(i * 61 % CHANGED_NODES),
                                            &c.error)) == BERTH_OK;
        bound = !bound;
        if (changed > 0)
            bench_resume(state);
        ok = ok && berth_engine_decide(c.engine, asked, &options, &placement, &c.error) == BERTH_OK;
    }
    if (ok && placement.path != BERTH_PATH_INDEX)
        bench_fail(state, "the decision did not take the index");
    if (changed > 0)
        bench_time_per(state, "ns_per_change", (double)changed);
    changed_engine_close(state, &c, ok);
}

BENCH_OF(index_query, BENCH_ONCE, index_catch_up, 0)

static void index_repair(bench_state *state)
{
    index_catch_up(state, (uint64_t)bench_argument(state));
}
BENCH(index_repair, ((bench_range){8, CHANGES_MAX}))
