/* Small clusters with branches: creating them, deciding on them, and running out of memory at every
 * step in turn. */
#ifndef BERTH_TESTS_UNIT_BRANCH_CLUSTER_H
#define BERTH_TESTS_UNIT_BRANCH_CLUSTER_H

#include <stdlib.h>

#include "counted_memory.h"
#include "rule_cluster.h"

/* Make a branch of the engine's present state; fails without memory. */
static inline berth_status branch_make(berth_engine *engine, berth_engine **out, berth_error *error)
{
    berth_status status = berth_engine_publish(engine, error);
    if (status != BERTH_OK)
        return status;
    berth_snapshot *snapshot = berth_engine_pin(engine);
    status = berth_branch_create(snapshot, out, error);
    berth_snapshot_unpin(snapshot);
    return status;
}

static inline berth_engine *branch_off(const small_cluster *c)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine *branch = NULL;
    small_require(branch_make(c->engine, &branch, &error), &error);
    return branch;
}

static inline berth_node_id place(berth_engine *engine, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    small_require(berth_engine_schedule(engine, pod, &placement, &error), &error);
    small_require(berth_engine_check(engine, &error), &error);
    return placement.node;
}

static inline void take_off(berth_engine *engine, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_unbind(engine, pod, &error), &error);
    small_require(berth_engine_check(engine, &error), &error);
}

static inline void remove_named(berth_engine *engine, berth_kind kind, const char *name)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str space = {"default", kind == BERTH_KIND_POD ? 7 : 0};
    small_require(
        berth_engine_remove(engine, kind, space, (berth_str){name, (uint32_t)strlen(name)}, &error),
        &error);
}

/* Checks and commits the branch if all went well so far, and drops it. */
static inline berth_status branch_end(berth_engine *branch, berth_status status)
{
    uint32_t conflicts = 0;
    if (status == BERTH_OK)
        status = berth_engine_check(branch, NULL);
    if (status == BERTH_OK)
        status = berth_branch_commit(branch, NULL, 0, &conflicts, NULL);
    berth_branch_drop(branch);
    return status;
}

/* ---- memory ---- */

typedef struct counted_cluster {
    counted counted;
    berth_allocator allocator;
    small_cluster c;
    berth_pod_id pods[4];
} counted_cluster;

static inline void counted_open(counted_cluster *t, void (*fill)(counted_cluster *t))
{
    berth_engine_config config;
    *t = (counted_cluster){.allocator = {NULL, counted_allocate, counted_release}};
    t->allocator.context = &t->counted;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &t->allocator;
    assert_int_equal(berth_engine_create(&config, &t->c.engine, NULL), BERTH_OK);
    const berth_read_options options = {.size = sizeof(options)};
    assert_int_equal(berth_reader_create(&options, &t->c.reader, NULL), BERTH_OK);
    fill(t);
}

static inline void counted_close(counted_cluster *t)
{
    berth_reader_destroy(t->c.reader);
    berth_engine_destroy(t->c.engine);
    assert_int_equal(atomic_load(&t->counted.bytes), 0);
}

/* Run `try` with the nth allocation failing, for every n: it then succeeds, and nothing leaks.
 * `keeps`: a failure leaves the engine unchanged. */
static inline void fail_each(void (*fill)(counted_cluster *t),
                             berth_status (*try)(counted_cluster *t), bool keeps)
{
    static counted_cluster t;
    bool failing = true;
    for (unsigned n = 1; failing; n++) {
        berth_error error = {.code = BERTH_OK};
        counted_open(&t, fill);
        uint64_t digest = berth_engine_digest(t.c.engine);
        atomic_store(&t.counted.calls, 0);
        atomic_store(&t.counted.fail_at, n);
        berth_status status = try(&t);
        failing = atomic_load(&t.counted.calls) >= n;
        atomic_store(&t.counted.fail_at, 0);
        assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
        if (status != BERTH_OK && keeps)
            assert_int_equal(berth_engine_digest(t.c.engine), digest);
        small_require(berth_engine_check(t.c.engine, &error), &error);
        if (status != BERTH_OK)
            assert_int_equal(try(&t), BERTH_OK);
        counted_close(&t);
    }
}

#endif
