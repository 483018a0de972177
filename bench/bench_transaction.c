/* Transactions on an engine: opened and ended, empty and around changes; and a group of pods placed
 * as a whole and taken back. Pods of the workload `basic` on 5,000 nodes, unless the name says
 * `spread`. */
#include <stdlib.h>

#include "changed_engine.h"
#include "harness.h"

typedef berth_status (*end_fn)(berth_engine *engine, berth_error *error);

static void transaction_empty(bench_state *state)
{
    changed_engine c;
    bool ok = changed_engine_open(&c, "basic", CHANGED_NODES, BERTH_PATH_AUTO, 1);
    while (ok && bench_next(state))
        ok = berth_engine_begin(c.engine, &c.error) == BERTH_OK &&
             berth_engine_rollback(c.engine, &c.error) == BERTH_OK;
    changed_engine_close(state, &c, ok);
}
BENCH(transaction_empty, BENCH_ONCE)

/* Decide on and bind `count` pods in a transaction that `end` ends. Committed pods are unbound
 * afterwards, which is not timed. */
static void place_and(bench_state *state, const char *kind, end_fn end)
{
    uint32_t count = (uint32_t)bench_argument(state);
    bool keeps = end == berth_engine_commit;
    changed_engine c;
    berth_placement placement;
    bool ok = changed_engine_open(&c, kind, CHANGED_NODES, BERTH_PATH_AUTO, count);
    while (ok && bench_next(state)) {
        ok = berth_engine_begin(c.engine, &c.error) == BERTH_OK;
        for (uint32_t i = 0; i < count && ok; i++)
            ok = berth_engine_schedule(c.engine, c.pods[i], &placement, &c.error) == BERTH_OK;
        ok = ok && end(c.engine, &c.error) == BERTH_OK;
        if (!keeps)
            continue;
        bench_pause(state);
        for (uint32_t i = 0; i < count && ok; i++)
            ok = berth_engine_unbind(c.engine, c.pods[i], &c.error) == BERTH_OK;
        bench_resume(state);
    }
    bench_items(state, bench_rounds(state) * count);
    bench_time_per(state, "ns_per_pod", count);
    changed_engine_close(state, &c, ok);
}

BENCH_OF(transaction_place_rollback, ((bench_range){8, 512}), place_and, "basic",
         berth_engine_rollback)
BENCH_OF(transaction_place_rollback_spread, ((bench_range){8, 512}), place_and, "spread",
         berth_engine_rollback)
BENCH_OF(transaction_place_commit, ((bench_range){8, 512}), place_and, "basic", berth_engine_commit)

/* Bind and roll back without a decision: the cost of the undo log alone. */
static void transaction_bind_rollback(bench_state *state)
{
    uint32_t count = (uint32_t)bench_argument(state);
    changed_engine c;
    bool ok = changed_engine_open(&c, "basic", CHANGED_NODES, BERTH_PATH_AUTO, count);
    while (ok && bench_next(state)) {
        ok = berth_engine_begin(c.engine, &c.error) == BERTH_OK;
        for (uint32_t i = 0; i < count && ok; i++)
            ok = berth_engine_bind(c.engine, c.pods[i], i * 61 % CHANGED_NODES, &c.error) ==
                 BERTH_OK;
        ok = ok && berth_engine_rollback(c.engine, &c.error) == BERTH_OK;
    }
    bench_items(state, bench_rounds(state) * count);
    bench_time_per(state, "ns_per_pod", count);
    changed_engine_close(state, &c, ok);
}
BENCH(transaction_bind_rollback, ((bench_range){8, 512}))

/* The same pods placed as a group, all or none, and unbound. */
static void transaction_group(bench_state *state)
{
    uint32_t count = (uint32_t)bench_argument(state), placed = 0;
    changed_engine c;
    bool ok = changed_engine_open(&c, "basic", CHANGED_NODES, BERTH_PATH_AUTO, count);
    while (ok && bench_next(state)) {
        ok = berth_engine_begin(c.engine, &c.error) == BERTH_OK &&
             berth_engine_schedule_group(c.engine, c.pods, count, NULL, &placed, &c.error) ==
                 BERTH_OK &&
             placed == count && berth_engine_rollback(c.engine, &c.error) == BERTH_OK;
    }
    bench_items(state, bench_rounds(state) * count);
    bench_time_per(state, "ns_per_pod", count);
    changed_engine_close(state, &c, ok);
}
BENCH(transaction_group, ((bench_range){8, 512}))
