/* Branches: created and dropped, with or without a pod placed between, and committed; and engine
 * commits that publish, with and without pinned snapshots. Ten pods run on each node. */
#include <stdio.h>

#include "changed_engine.h"
#include "harness.h"

/* A large cluster is made once for each measurement, not once for each number of rounds that the
 * harness tries. */
enum { RUNNING = 10, WAITING = 64, PINNED = 4, LARGE_ROUNDS = 2000 };

/* Opens and publishes an engine with pods running on all nodes and WAITING pending pods. */
static bool open_running(changed_engine *c, uint32_t nodes)
{
    bool ok = changed_engine_open(c, "basic", nodes, BERTH_PATH_AUTO,
                                  (uint64_t)nodes * RUNNING + WAITING);
    for (uint64_t i = WAITING; ok && i < c->pod_count; i++)
        ok = berth_engine_bind(c->engine, c->pods[i], (berth_node_id)(i % nodes), &c->error) ==
             BERTH_OK;
    return ok && berth_engine_publish(c->engine, &c->error) == BERTH_OK;
}

static const uint32_t *nodes_of(bench_state *state)
{
    return bench_context(state);
}

static void branch_and_drop(bench_state *state)
{
    changed_engine c;
    berth_engine *branch = NULL;
    bool ok = open_running(&c, *nodes_of(state));
    while (ok && bench_next(state)) {
        berth_snapshot *snapshot = berth_engine_pin(c.engine);
        ok = berth_branch_create(snapshot, &branch, &c.error) == BERTH_OK;
        berth_branch_drop(branch);
        berth_snapshot_unpin(snapshot);
    }
    changed_engine_close(state, &c, ok);
}

static bool place_and_drop(changed_engine *c, berth_snapshot *snapshot, berth_pod_id pod)
{
    berth_engine *branch = NULL;
    berth_placement placement;
    bool ok = berth_branch_create(snapshot, &branch, &c->error) == BERTH_OK &&
              berth_engine_schedule(branch, pod, &placement, &c->error) == BERTH_OK;
    berth_branch_drop(branch);
    return ok;
}

/* Creates a branch, decides on and binds one pod, and drops the branch. The very first branch walks
 * over the running pods, and each kind of pod builds its tree once: neither of these is timed. */
static void branch_place_drop(bench_state *state)
{
    changed_engine c;
    bool ok = open_running(&c, *nodes_of(state));
    berth_snapshot *snapshot = berth_engine_pin(c.engine);
    for (uint64_t i = 0; ok && i < 4 * WAITING; i++)
        ok = place_and_drop(&c, snapshot, c.pods[i % WAITING]);
    for (uint64_t i = 0; ok && bench_next(state); i++)
        ok = place_and_drop(&c, snapshot, c.pods[i % WAITING]);
    berth_snapshot_unpin(snapshot);
    changed_engine_close(state, &c, ok);
}

/* The same with a commit to the engine, on snapshots that differ from the last by one placement. */
static void branch_place_commit(bench_state *state)
{
    changed_engine c;
    berth_engine *branch = NULL;
    berth_placement placement;
    uint32_t conflicts = 0;
    bool ok = open_running(&c, *nodes_of(state));
    for (uint64_t i = 0; ok && bench_next(state); i++) {
        berth_pod_id pod = c.pods[i % WAITING];
        berth_snapshot *snapshot = berth_engine_pin(c.engine);
        ok = berth_branch_create(snapshot, &branch, &c.error) == BERTH_OK &&
             berth_engine_schedule(branch, pod, &placement, &c.error) == BERTH_OK &&
             berth_branch_commit(branch, NULL, 0, &conflicts, &c.error) == BERTH_OK;
        berth_branch_drop(branch);
        berth_snapshot_unpin(snapshot);
        bench_pause(state);
        ok = ok && conflicts == 0 && berth_engine_unbind(c.engine, pod, &c.error) == BERTH_OK &&
             berth_engine_publish(c.engine, &c.error) == BERTH_OK;
        bench_resume(state);
    }
    changed_engine_close(state, &c, ok);
}

/* Bind a pod, publish, and unbind the pod, while the last `pinned` snapshots are pinned. */
static void commit(bench_state *state, uint32_t pinned)
{
    berth_snapshot *snapshots[PINNED] = {NULL};
    changed_engine c;
    uint32_t nodes = *nodes_of(state);
    bool ok = open_running(&c, nodes);
    for (uint64_t i = 0; ok && bench_next(state); i++) {
        berth_pod_id pod = c.pods[i % WAITING];
        ok = berth_engine_bind(c.engine, pod, (berth_node_id)(i * 7919 % nodes), &c.error) ==
                 BERTH_OK &&
             berth_engine_publish(c.engine, &c.error) == BERTH_OK &&
             berth_engine_unbind(c.engine, pod, &c.error) == BERTH_OK;
        if (pinned == 0)
            continue;
        berth_snapshot_unpin(snapshots[i % pinned]);
        snapshots[i % pinned] = berth_engine_pin(c.engine);
    }
    for (uint32_t i = 0; i < pinned; i++)
        berth_snapshot_unpin(snapshots[i]);
    changed_engine_close(state, &c, ok);
}

static void commit_none_pinned(bench_state *state)
{
    commit(state, 0);
}

static void commit_four_pinned(bench_state *state)
{
    commit(state, PINNED);
}

static void fill(bench_suite suite)
{
    static const uint32_t nodes[] = {CHANGED_NODES, 100000};
    static const struct {
        const char *format;
        bench_fn fn;
    } all[] = {
        {"branch/drop/nodes:%u/pods:0", branch_and_drop},
        {"branch/drop/nodes:%u/pods:1", branch_place_drop},
        {"branch/commit/nodes:%u/pods:1", branch_place_commit},
        {"publish_commit/nodes:%u/pinned:0", commit_none_pinned},
        {"publish_commit/nodes:%u/pinned:4", commit_four_pinned},
    };
    for (uint32_t n = 0; n < (suite == BENCH_SMOKE ? 1 : 2); n++)
        for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
            char name[64];
            snprintf(name, sizeof(name), all[i].format, (unsigned)nodes[n]);
            bench_case_add(&(bench_case){.name = name,
                                         .fn = all[i].fn,
                                         .context = &nodes[n],
                                         .rounds = n == 1 ? LARGE_ROUNDS : 0});
        }
}
BENCH_SUITE(fill)
