/* Snapshots: publishing with and without changes since the last one, the copies that the first
 * changes afterwards cost, pinning, and reading a pinned snapshot. Pods of the workload `basic`. */
#include <inttypes.h>
#include <stdio.h>

#include "berth/snapshot.h"
#include "changed_engine.h"
#include "cli/heap.h"
#include "harness.h"

typedef struct publish_case {
    uint64_t nodes;
    uint32_t changes; /* pods bound or unbound before each publication */
} publish_case;

static bool change(changed_engine *c, const publish_case *p, bool bind)
{
    bool ok = true;
    for (uint32_t i = 0; i < p->changes && ok; i++)
        ok = (bind ? berth_engine_bind(c->engine, c->pods[i],
                                       (uint32_t)(i * UINT64_C(61) % p->nodes), &c->error)
                   : berth_engine_unbind(c->engine, c->pods[i], &c->error)) == BERTH_OK;
    return ok;
}

/* A round changes and publishes; the changes of the next round copy the published pages. */
static void publish(bench_state *state)
{
    const publish_case *p = bench_context(state);
    changed_engine c;
    bool ok = changed_engine_open(&c, "basic", p->nodes, BERTH_PATH_AUTO, p->changes + 1);
    for (bool bind = true; ok && bench_next(state); bind = !bind)
        ok = change(&c, p, bind) && berth_engine_publish(c.engine, &c.error) == BERTH_OK;
    if (p->changes > 0)
        bench_time_per(state, "ns_per_change", p->changes);
    changed_engine_close(state, &c, ok);
}

static void snapshot_pin(bench_state *state)
{
    changed_engine c;
    bool ok = changed_engine_open(&c, "basic", CHANGED_NODES, BERTH_PATH_AUTO, 1) &&
              berth_engine_publish(c.engine, &c.error) == BERTH_OK;
    while (ok && bench_next(state))
        berth_snapshot_unpin(berth_engine_pin(c.engine));
    changed_engine_close(state, &c, ok);
}
BENCH(snapshot_pin, BENCH_ONCE)

/* Finds the node of a pod, by names. */
static void snapshot_find(bench_state *state)
{
    enum { PODS = 1024 };
    const publish_case all = {CHANGED_NODES, PODS};
    changed_engine c;
    bool ok = changed_engine_open(&c, "basic", CHANGED_NODES, BERTH_PATH_AUTO, PODS) &&
              change(&c, &all, true) && berth_engine_publish(c.engine, &c.error) == BERTH_OK;
    berth_snapshot *snapshot = berth_engine_pin(c.engine);
    for (uint32_t i = 0; ok && bench_next(state); i++) {
        berth_str namespace_name, name;
        berth_snapshot_pod_name(snapshot, c.pods[i % PODS], &namespace_name, &name);
        berth_pod_id pod = berth_snapshot_find_pod(snapshot, namespace_name, name);
        bench_keep(berth_snapshot_pod_node(snapshot, pod));
    }
    berth_snapshot_unpin(snapshot);
    changed_engine_close(state, &c, ok);
}
BENCH(snapshot_find, BENCH_ONCE)

static void fill(bench_suite suite)
{
    static const uint64_t nodes[] = {CHANGED_NODES, 100000};
    static const uint32_t changes[] = {0, 1, 64};
    for (size_t n = 0; n < (suite == BENCH_SMOKE ? 1 : 2); n++)
        for (size_t i = 0; i < 3; i++) {
            char name[64];
            publish_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
            *kept = (publish_case){nodes[n], changes[i]};
            snprintf(name, sizeof(name), "publish/nodes:%" PRIu64 "/changes:%" PRIu32, nodes[n],
                     changes[i]);
            bench_case_add(&(bench_case){.name = name, .fn = publish, .context = kept});
        }
}
BENCH_SUITE(fill)
