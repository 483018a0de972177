/* Snapshots with very many pins and pods: a pin refers to its snapshot after any number of others,
 * notes held for a transaction are not used by others, and an unavailable page of pods is an
 * error. */
#include "branch_cluster.h"

#include "base/cow_owner.h"
#include "model/pod.h"

/* More than 16 bits of pins, on two snapshots one after the other. */
static void test_many_pins(void **state)
{
    enum { PINS = 70000 };
    small_cluster *c = *state;
    berth_error error;
    small_node(c, "a", "");
    small_require(berth_engine_publish(c->engine, &error), &error);
    berth_snapshot *first = berth_engine_pin(c->engine);
    for (int i = 0; i < PINS; i++)
        assert_ptr_equal(berth_engine_pin(c->engine), first);
    small_node(c, "b", "");
    small_require(berth_engine_publish(c->engine, &error), &error);
    berth_snapshot *second = berth_engine_pin(c->engine);
    assert_ptr_not_equal(second, first);
    for (int i = 0; i < PINS; i++) {
        assert_ptr_equal(berth_engine_pin(c->engine), second);
        berth_snapshot_unpin(second);
        berth_snapshot_unpin(first);
    }
    berth_engine *branch;
    small_require(berth_branch_create(first, &branch, &error), &error);
    berth_counts counts;
    berth_engine_counts(branch, &counts);
    assert_int_equal(counts.nodes, 1);
    berth_branch_drop(branch);
    berth_snapshot_unpin(first);
    berth_snapshot_unpin(second);
}

/* Another pin of the same snapshot keeps it after the first is gone. */
static void test_pin_again(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    const berth_node_id node = small_node(c, "a", "");
    small_require(berth_engine_publish(c->engine, &error), &error);
    berth_snapshot *first = berth_engine_pin(c->engine);
    berth_snapshot *again = berth_snapshot_pin(first);
    assert_ptr_equal(again, first);
    berth_snapshot_unpin(first);
    small_node(c, "b", "");
    small_require(berth_engine_publish(c->engine, &error), &error);
    berth_counts counts;
    berth_snapshot_counts(again, &counts);
    assert_int_equal(counts.nodes, 1);
    assert_int_equal(berth_snapshot_node_name(again, node).len, 1);
    berth_snapshot_unpin(again);
    assert_null(berth_snapshot_pin(NULL));
}

/* Reserved notes do not include the held ones. */
static void test_held_notes(void **state)
{
    (void)state;
    counted memory = {0};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__cow_owner cow;
    berth__cow_owner_init(&cow, &allocator, NULL);
    (void)berth__cow_owner_publish(&cow, 2);
    assert_true(berth__cow_owner_hold(&cow, 3));
    assert_int_equal(cow.spare_count, 3);
    memory.for_good = true;
    atomic_store(&memory.fail_at, atomic_load(&memory.calls) + 1);
    assert_false(berth__cow_owner_reserve(&cow, 1));
    assert_false(berth__cow_owner_hold(&cow, 1));
    atomic_store(&memory.fail_at, 0);
    assert_true(berth__cow_owner_reserve(&cow, 2));
    assert_int_equal(cow.spare_count, 5);
    assert_true(berth__cow_owner_hold(&cow, 2));
    assert_int_equal(cow.spare_count, 5);
    berth__cow_owner_unhold(&cow, 5);
    assert_true(berth__cow_owner_reserve(&cow, 5));
    assert_int_equal(cow.spare_count, 5);
    berth__cow_owner_destroy(&cow);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void fill_a_page(counted_cluster *t)
{
    char name[16];
    small_node(&t->c, "a", "");
    for (int i = 0; i < BERTH__PODS_A_PAGE; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        small_pod(&t->c, name, NULL, "", "containers: []");
    }
}

static void fill_a_page_and_publish(counted_cluster *t)
{
    fill_a_page(t);
    assert_int_equal(berth_engine_publish(t->c.engine, NULL), BERTH_OK);
}

/* Adds the first pod of a page. Returns the status. */
static berth_status add_one_more(counted_cluster *t)
{
    const berth_pod pod = {.meta = {.name = TEXT("more"), .namespace_name = TEXT("default")}};
    return berth_engine_add_pod(t->c.engine, &pod, &t->pods[0], NULL);
}

static void test_page_of_pods(void **state)
{
    (void)state;
    fail_each(fill_a_page, add_one_more, true);
    fail_each(fill_a_page_and_publish, add_one_more, true);
}

static void fill_and_publish(counted_cluster *t)
{
    small_node(&t->c, "a", "");
    t->pods[0] = small_pod(&t->c, "p", "a", ", labels: {app: x}", "containers: []");
    assert_int_equal(berth_engine_publish(t->c.engine, NULL), BERTH_OK);
}

/* Updates a pod that a snapshot shows, giving it a label of its own, and rolls back. Returns the
 * status. */
static berth_status update_and_roll_back(counted_cluster *t)
{
    const berth_key_value label = {TEXT("app"), TEXT("y")};
    const berth_pod pod = {
        .meta = {.name = TEXT("p"), .namespace_name = TEXT("default"), .labels = {&label, 1}},
        .node_name = TEXT("a")};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    berth_status status = berth_engine_begin(t->c.engine, NULL);
    if (status != BERTH_OK)
        return status;
    status = berth_engine_update(t->c.engine, &object, NULL);
    assert_int_equal(berth_engine_rollback(t->c.engine, NULL), BERTH_OK);
    return status;
}

static void test_update_of_a_shown_pod(void **state)
{
    (void)state;
    fail_each(fill_and_publish, update_and_roll_back, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_many_pins, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_pin_again, small_set_up, small_tear_down),
        cmocka_unit_test(test_held_notes),
        cmocka_unit_test(test_page_of_pods),
        cmocka_unit_test(test_update_of_a_shown_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
