/* What changes a cluster and what a decision does about it, through the engine: putting a pod on a
 * node and taking it off with the counters that its rules need; adding and removing a pod of a kind
 * that is known or new; and the index, which catches up with so many changed nodes before it answers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/berth.h"
#include "harness.h"
#include "heap.h"
#include "ruled_objects.h"
#include "workloads.h"

enum { NODES = 5000, CHANGES_MAX = 4096 };

typedef struct changes {
    berth_engine *engine;
    berth_pod_id *pods;
    uint64_t pod_count, pod_capacity;
    berth_error error;
} changes;

static berth_status add(void *context, const berth_object *object, berth_error *error)
{
    changes *c = context;
    uint64_t id = 0;
    berth_status status = berth_engine_add(c->engine, object, &id, error);
    if (status == BERTH_OK && object->kind == BERTH_KIND_POD && c->pod_count < c->pod_capacity)
        c->pods[c->pod_count++] = id;
    return status;
}

static bool open_engine(changes *c, berth_path path, uint64_t pods)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.path = path;
    *c = (changes){.pods = heap_new(pods, sizeof(*c->pods)), .pod_capacity = pods};
    return berth_engine_create(&config, &c->engine, &c->error) == BERTH_OK;
}

static bool open_changes(changes *c, const char *kind, berth_path path, uint64_t pods)
{
    char text[160], reason[160];
    workload_spec spec = workload_spec_default();
    snprintf(text, sizeof(text), "workload=%s,nodes=%d,pods=%" PRIu64, kind, (int)NODES, pods);
    if (!open_engine(c, path, pods) || !workload_spec_parse(text, &spec, reason, sizeof(reason)))
        return false;
    workload_source *source = workload_source_create(&spec);
    berth_status status = workload_source_make_all(source, add, c, &c->error);
    workload_source_destroy(source);
    berth_engine_node_order(c->engine, NULL, 0);
    return status == BERTH_OK;
}

static void close_changes(changes *c)
{
    berth_engine_destroy(c->engine);
    free(c->pods);
}

/* ---- commit ---- */

/* Bind and unbind, both, once a round. The first decision of each kind makes its counters. */
static void commit(bench_state *state, const char *kind)
{
    enum { PODS = 64 };
    changes c;
    berth_placement placement;
    bool ok = open_changes(&c, kind, BERTH_PATH_AUTO, PODS);
    for (uint64_t i = 0; i < PODS && ok; i++)
        ok = berth_engine_schedule(c.engine, c.pods[i], &placement, &c.error) == BERTH_OK &&
             berth_engine_unbind(c.engine, c.pods[i], &c.error) == BERTH_OK;
    uint32_t round = 0;
    while (ok && bench_next(state)) {
        berth_pod_id pod = c.pods[round % PODS];
        ok = berth_engine_bind(c.engine, pod, round * 61 % NODES, &c.error) == BERTH_OK &&
             berth_engine_unbind(c.engine, pod, &c.error) == BERTH_OK;
        round++;
    }
    if (!ok)
        bench_fail(state, "a call failed");
    bench_items(state, bench_rounds(state));
    close_changes(&c);
}

static void commit_basic(bench_state *state)
{
    commit(state, "basic");
}
BENCH(commit_basic, BENCH_ONCE)

static void commit_spread(bench_state *state)
{
    commit(state, "spread");
}
BENCH(commit_spread, BENCH_ONCE)

static void commit_anti(bench_state *state)
{
    commit(state, "anti");
}
BENCH(commit_anti, BENCH_ONCE)

static void commit_preferred(bench_state *state)
{
    commit(state, "preferred");
}
BENCH(commit_preferred, BENCH_ONCE)

static void commit_volumes(bench_state *state)
{
    commit(state, "volumes");
}
BENCH(commit_volumes, BENCH_ONCE)

/* ---- pods come and go ---- */

static void come_and_go(bench_state *state, bool rules, bool known)
{
    changes c;
    draft *d = heap_new(1, sizeof(*d));
    bool ok = open_engine(&c, BERTH_PATH_AUTO, 1);
    ruled_node(d, 0);
    ok = ok && add(&c, &d->object, &c.error) == BERTH_OK;
    ruled_pod(d, 0, rules, UINT32_MAX);
    d->pod.meta.name = draft_text(d, "keeps-its-kind-known");
    ok = ok && add(&c, &d->object, &c.error) == BERTH_OK;
    for (uint64_t idx = 0; ok && bench_next(state); idx += !known) {
        ruled_pod(d, idx, rules, UINT32_MAX);
        const berth_metadata *meta = &d->pod.meta;
        ok = add(&c, &d->object, &c.error) == BERTH_OK &&
             berth_engine_remove(c.engine, BERTH_KIND_POD, meta->namespace_name, meta->name,
                                 &c.error) == BERTH_OK;
    }
    if (!ok)
        bench_fail(state, "a call failed");
    bench_items(state, bench_rounds(state));
    close_changes(&c);
    free(d);
}

static void pod_of_known_kind(bench_state *state)
{
    come_and_go(state, false, true);
}
BENCH(pod_of_known_kind, BENCH_ONCE)

static void pod_of_new_kind(bench_state *state)
{
    come_and_go(state, false, false);
}
BENCH(pod_of_new_kind, BENCH_ONCE)

static void pod_of_new_kind_with_rules(bench_state *state)
{
    come_and_go(state, true, false);
}
BENCH(pod_of_new_kind_with_rules, BENCH_ONCE)

/* ---- index ---- */

/* One decision after so many nodes have changed: 0 is the query of the tree alone. The changes
 * themselves are not timed. Always by the tree, also where a scan would be cheaper. */
static void index_catch_up(bench_state *state, uint64_t changed)
{
    const berth_decide_options options = {.size = sizeof(options)};
    changes c;
    berth_placement placement;
    bool ok = open_changes(&c, "basic", BERTH_PATH_INDEX, CHANGES_MAX + 1);
    berth_pod_id asked = c.pods[CHANGES_MAX];
    ok = ok && berth_engine_decide(c.engine, asked, &options, &placement, &c.error) == BERTH_OK;
    bool bound = false;
    while (ok && bench_next(state)) {
        if (changed > 0)
            bench_pause(state);
        for (uint64_t i = 0; i < changed && ok; i++)
            ok = (bound ? berth_engine_unbind(c.engine, c.pods[i], &c.error)
                        : berth_engine_bind(c.engine, c.pods[i], (uint32_t)(i * 61 % NODES),
                                            &c.error)) == BERTH_OK;
        bound = !bound;
        if (changed > 0)
            bench_resume(state);
        ok = ok && berth_engine_decide(c.engine, asked, &options, &placement, &c.error) ==
                       BERTH_OK;
    }
    if (!ok)
        bench_fail(state, "a call failed");
    else if (placement.path != BERTH_PATH_INDEX)
        bench_fail(state, "the decision did not take the index");
    if (changed > 0)
        bench_time_per(state, "ns_per_change", (double)changed);
    close_changes(&c);
}

static void index_query(bench_state *state)
{
    index_catch_up(state, 0);
}
BENCH(index_query, BENCH_ONCE)

static void index_repair(bench_state *state)
{
    index_catch_up(state, (uint64_t)bench_argument(state));
}
BENCH(index_repair, ((bench_range){8, CHANGES_MAX}))
