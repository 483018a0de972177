/* The memory limit of an engine: calls beyond it fail and change nothing, calls within it succeed,
 * and the engine counts the same bytes as an allocator of the caller. */
#include <inttypes.h>
#include <stdio.h>

#include "berth/branch.h"
#include "berth/transaction.h"
#include "counted_memory.h"
#include "small_cluster.h"
#include "versions/engine_state.h"

static berth_status create(uint64_t limit_bytes, counted *c, berth_engine **out)
{
    const berth_allocator allocator = {c, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.memory_limit_bytes = limit_bytes;
    config.allocator = c != NULL ? &allocator : NULL;
    return berth_engine_create(&config, out, NULL);
}

static uint64_t used(const berth_engine *engine)
{
    berth_memory memory;
    assert_int_equal(berth_engine_memory(engine, &memory, NULL), BERTH_OK);
    return memory.limited_bytes;
}

static berth_status add_pod(berth_engine *engine, unsigned number)
{
    small_pod pod;
    berth_object object;
    char name[32];
    snprintf(name, sizeof(name), "p%u", number);
    small_pod_object(&pod, &object, name, NULL, 100);
    return berth_engine_add(engine, &object, NULL, NULL);
}

static void add_node(berth_engine *engine)
{
    small_node node;
    berth_object object;
    small_node_object(&node, &object, "n1", "z1");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
}

/* Fill an engine up to its limit; then it is consistent, decides, and has room for what follows a
 * removal. */
static void fill(berth_engine *engine, uint64_t limit_bytes)
{
    berth_counts counts;
    berth_status status;
    unsigned number = 0;
    add_node(engine);
    while ((status = add_pod(engine, number)) == BERTH_OK)
        number++;
    assert_int_equal(status, BERTH_E_NOMEM);
    assert_true(number > 100);
    assert_true(used(engine) <= limit_bytes);
    berth_engine_counts(engine, &counts);
    assert_int_equal(counts.pods_pending, number);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    assert_true(berth_engine_find_pod(engine, text("default"), text("p0")) != BERTH_POD_NONE);
    for (unsigned i = 0; i < number; i++) {
        char name[32];
        snprintf(name, sizeof(name), "p%u", i);
        assert_int_equal(
            berth_engine_remove(engine, BERTH_KIND_POD, text("default"), text(name), NULL),
            BERTH_OK);
    }
    assert_int_equal(add_pod(engine, 0), BERTH_OK);
    berth_placement placement;
    assert_int_equal(
        berth_engine_schedule(engine, berth_engine_find_pod(engine, text("default"), text("p0")),
                              &placement, NULL),
        BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
}

/* The memory of an engine with one node: tests add to it to set limits that leave room for some
 * pods. */
static uint64_t empty_bytes(void)
{
    berth_engine *engine;
    assert_int_equal(create(UINT64_MAX, NULL, &engine), BERTH_OK);
    add_node(engine);
    uint64_t bytes = used(engine);
    berth_engine_destroy(engine);
    return bytes;
}

static void test_own_heap(void **state)
{
    (void)state;
    berth_engine *engine;
    uint64_t limit = empty_bytes() + (4 << 20);
    assert_int_equal(create(limit, NULL, &engine), BERTH_OK);
    fill(engine, limit);
    berth_engine_destroy(engine);
}

static void test_callers_allocator(void **state)
{
    (void)state;
    counted c = {0};
    berth_engine *engine;
    uint64_t limit = empty_bytes() + (4 << 20);
    assert_int_equal(create(limit, &c, &engine), BERTH_OK);
    fill(engine, limit);
    assert_true(used(engine) <= c.bytes && c.bytes <= used(engine) + (1 << 16)); /* the engine */
    berth_engine_destroy(engine);
    assert_int_equal(c.bytes, 0);
}

/* Every limit from nothing on: the engine is created or not, and nothing leaks. */
static void test_create(void **state)
{
    (void)state;
    uint64_t enough = empty_bytes() * 2, made = 0, refused = 0;
    for (uint64_t limit = 1; limit < enough; limit += enough / 40) {
        counted c = {0};
        berth_engine *engine;
        berth_status status = create(limit, &c, &engine);
        made += status == BERTH_OK;
        refused += status == BERTH_E_NOMEM;
        berth_engine_destroy(engine);
        assert_int_equal(c.bytes, 0);
    }
    assert_true(made > 0);
    assert_true(refused > 0);
}

/* A transaction that runs out of memory can be rolled back. */
static void test_transaction(void **state)
{
    (void)state;
    berth_engine *engine;
    unsigned number = 0;
    assert_int_equal(create(empty_bytes() + (4 << 20), NULL, &engine), BERTH_OK);
    add_node(engine);
    assert_int_equal(add_pod(engine, number++), BERTH_OK);
    uint64_t digest = berth_engine_digest(engine);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    while (add_pod(engine, number) == BERTH_OK)
        number++;
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
    assert_true(berth_engine_digest(engine) == digest);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
}

/* Snapshots and branches count, and their memory comes back. */
static void test_branches(void **state)
{
    (void)state;
    berth_engine *engine, *branch;
    assert_int_equal(create(UINT64_MAX, NULL, &engine), BERTH_OK);
    add_node(engine);
    assert_int_equal(add_pod(engine, 0), BERTH_OK);
    uint64_t before = used(engine);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    assert_int_equal(add_pod(branch, 1), BERTH_OK);
    assert_true(used(engine) > before);
    berth_memory memory;
    assert_int_equal(berth_engine_memory(branch, &memory, NULL), BERTH_E_UNSUPPORTED);
    berth_branch_drop(branch);
    berth_engine_destroy(engine);
}

/* How many bytes of search trees are kept: 1 GiB, and a quarter of it on a branch and with a limit.
 * Only clusters with as large trees show it otherwise. */
static void test_search_trees(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        berth_engine *engine, *branch;
        assert_int_equal(create(limited != 0 ? UINT64_MAX : 0, NULL, &engine), BERTH_OK);
        assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
        berth_snapshot *snapshot = berth_engine_pin(engine);
        assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
        berth_snapshot_unpin(snapshot);
        assert_int_equal(engine->decider.indexes.bytes_max >> 20, limited != 0 ? 256 : 1024);
        assert_int_equal(branch->decider.indexes.bytes_max >> 20, 256);
        berth_branch_drop(branch);
        berth_engine_destroy(engine);
    }
}

static void test_no_limit(void **state)
{
    (void)state;
    berth_engine *engine;
    assert_int_equal(create(0, NULL, &engine), BERTH_OK);
    assert_int_equal(used(engine), 0);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_heap),     cmocka_unit_test(test_callers_allocator),
        cmocka_unit_test(test_create),       cmocka_unit_test(test_transaction),
        cmocka_unit_test(test_branches),     cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_search_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
