/* Calls that fail leave their results empty. Also: which results may be omitted, and amounts that
 * are not valid quantities. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "berth/kube.h"
#include "small_cluster.h"

static berth_engine *engine;
static berth_snapshot *snapshot;
static berth_engine *branch;
static berth_scheduler *scheduler;

/* Results with values that no call would write. */
static union {
    unsigned char bytes[256];
    void *pointer;
    berth_object_id object;
    berth_node_id node;
    berth_pod_id pod;
    uint32_t count;
    uint64_t long_count;
    int64_t amounts[2];
    berth_placement placement;
    berth_step step;
    berth_memory memory;
    berth_quantity quantity;
    int64_t duration_ns;
    berth_fit fit;
} got;

static const berth_node no_name;
static const berth_pod no_pod_name;
static const berth_object nameless = {.kind = BERTH_KIND_NODE, .as.node = &no_name};
static const uint32_t wrong_size[64] = {1};

/* A call that fails, and a check that its result is empty. */
typedef struct row {
    const char *name;
    berth_status (*call)(void);
    bool (*nothing)(void);
} row;

static bool no_pointer(void)
{
    return got.pointer == NULL;
}

static bool no_object(void)
{
    return got.object.node == BERTH_NODE_NONE && got.object.pod == BERTH_POD_NONE;
}

static bool no_node(void)
{
    return got.node == BERTH_NODE_NONE;
}

static bool no_pod(void)
{
    return got.pod == BERTH_POD_NONE;
}

static bool no_count(void)
{
    return got.count == 0;
}

static bool no_amounts(void)
{
    return got.amounts[0] == 0 && got.amounts[1] == 0;
}

static bool no_amount(void)
{
    return got.amounts[0] == 0;
}

static bool no_placement(void)
{
    return got.placement.node == BERTH_NODE_NONE && got.placement.verdict == BERTH_VERDICT_ERROR &&
           got.placement.total == 0;
}

static bool no_step(void)
{
    return got.step.kind == BERTH_STEP_IDLE && got.step.pod == BERTH_POD_NONE &&
           got.step.nominated == BERTH_NODE_NONE;
}

static bool no_memory(void)
{
    return got.memory.used_bytes == 0 && got.memory.resident_bytes == 0;
}

static bool no_quantity(void)
{
    return got.quantity.units == 0 && got.quantity.nanos == 0;
}

static bool no_duration(void)
{
    return got.duration_ns == 0;
}

static bool no_fit(void)
{
    return got.fit.verdict == BERTH_VERDICT_ERROR && got.fit.plugin.len == 0 &&
           got.fit.reason_count == 0;
}

/* Name, call, expected state of the result. */
#define ROWS(X)                                                                                    \
    X(engine_create, berth_engine_create((const void *)wrong_size, (void *)&got, NULL),            \
      no_pointer)                                                                                  \
    X(engine_add, berth_engine_add(engine, &nameless, &got.object, NULL), no_object)               \
    X(engine_add_node, berth_engine_add_node(engine, &no_name, &got.node, NULL), no_node)          \
    X(engine_add_pod, berth_engine_add_pod(engine, &no_pod_name, &got.pod, NULL), no_pod)          \
    X(engine_add_like, berth_engine_add_like(engine, 99, text("x"), &got.pod, NULL), no_pod)       \
    X(engine_memory, berth_engine_memory(branch, &got.memory, NULL), no_memory)                    \
    X(engine_node_resource,                                                                        \
      berth_engine_node_resource(engine, 99, text("cpu"), &got.amounts[0], &got.amounts[1], NULL), \
      no_amounts)                                                                                  \
    X(snapshot_node_resource,                                                                      \
      berth_snapshot_node_resource(snapshot, 99, text("cpu"), &got.amounts[0], &got.amounts[1],    \
                                   NULL),                                                          \
      no_amounts)                                                                                  \
    X(engine_pod_resource,                                                                         \
      berth_engine_pod_resource(engine, 99, text("cpu"), &got.amounts[0], NULL), no_amount)        \
    X(engine_decide, berth_engine_decide(engine, 99, NULL, &got.placement, NULL), no_placement)    \
    X(engine_schedule, berth_engine_schedule(engine, 99, &got.placement, NULL), no_placement)      \
    X(engine_schedule_group,                                                                       \
      berth_engine_schedule_group(engine, &(berth_pod_id){99}, 1, NULL, &got.count, NULL),         \
      no_count)                                                                                    \
    X(engine_fit_count, berth_engine_fit_count(engine, 99, 1, &got.count, NULL, NULL, NULL),       \
      no_count)                                                                                    \
    X(engine_schedule_pods,                                                                        \
      berth_engine_schedule_pods(engine, &(berth_pod_id){99}, 1, NULL, NULL, &got.count, NULL),    \
      no_count)                                                                                    \
    X(engine_fits,                                                                                 \
      (got.fit.size = sizeof(got.fit), berth_engine_fits(engine, 99, 0, 0, &got.fit, NULL)),       \
      no_fit)                                                                                      \
    X(engine_feasible_nodes,                                                                       \
      berth_engine_feasible_nodes(engine, 99, NULL, NULL, 0, &got.count, NULL), no_count)          \
    X(branch_commit, berth_branch_commit(engine, NULL, 0, &got.count, NULL), no_count)             \
    X(object_copy, berth_object_copy(NULL, NULL, (void *)&got, NULL), no_pointer)                  \
    X(reader_create, berth_reader_create((const void *)wrong_size, (void *)&got, NULL),            \
      no_pointer)                                                                                  \
    X(scheduler_create, berth_scheduler_create(branch, NULL, (void *)&got, NULL), no_pointer)      \
    X(scheduler_add, berth_scheduler_add(scheduler, 0, &nameless, &got.object, NULL), no_object)   \
    X(scheduler_add_node, berth_scheduler_add_node(scheduler, 0, &no_name, &got.node, NULL),       \
      no_node)                                                                                     \
    X(scheduler_add_pod, berth_scheduler_add_pod(scheduler, 0, &no_pod_name, &got.pod, NULL),      \
      no_pod)                                                                                      \
    X(config_file, berth_scheduler_config_file("", 0, (void *)&got, NULL), no_pointer)             \
    X(config_text, berth_scheduler_config_text(text("{"), "x", 0, (void *)&got, NULL), no_pointer) \
    X(duration_parse, berth_duration_parse(text("1x"), &got.duration_ns, NULL), no_duration)       \
    X(quantity_parse, berth_quantity_parse(text("1x"), &got.quantity, NULL), no_quantity)

#define X(name, call, nothing)            \
    static berth_status call_##name(void) \
    {                                     \
        return (call);                    \
    }
ROWS(X)
#undef X

static const row rows[] = {
#define X(name, call, nothing) {#name, call_##name, nothing},
    ROWS(X)
#undef X
};

static int set_up(void **state)
{
    (void)state;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    if (berth_engine_create(&config, &engine, NULL) != BERTH_OK ||
        berth_engine_publish(engine, NULL) != BERTH_OK)
        return 1;
    snapshot = berth_engine_pin(engine);
    return berth_branch_create(snapshot, &branch, NULL) != BERTH_OK ||
           berth_scheduler_create(engine, NULL, &scheduler, NULL) != BERTH_OK;
}

static int tear_down(void **state)
{
    (void)state;
    berth_scheduler_destroy(scheduler);
    berth_branch_drop(branch);
    berth_snapshot_unpin(snapshot);
    berth_engine_destroy(engine);
    return 0;
}

static void test_failures_leave_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        memset(&got, 0x5a, sizeof(got));
        if (rows[i].call() == BERTH_OK)
            fail_msg("%s does not fail", rows[i].name);
        if (!rows[i].nothing())
            fail_msg("%s fails and leaves something", rows[i].name);
    }
}

/* While a transaction is open, the scheduler does nothing. */
static void test_step_in_transaction(void **state)
{
    (void)state;
    memset(&got, 0x5a, sizeof(got));
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_step(scheduler, 0, &got.step, NULL), BERTH_E_STATE);
    assert_true(no_step());
    assert_int_equal(berth_engine_commit(engine, NULL), BERTH_OK);
}

static void test_ids_may_be_absent(void **state)
{
    (void)state;
    small_node node;
    small_pod pod;
    berth_object object;
    (void)small_node_object(&node, &object, "n", NULL);
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    (void)small_pod_object(&pod, &object, "p", NULL, 100);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, NULL, NULL), BERTH_OK);
    berth_pod_id like = berth_engine_find_pod(engine, text("default"), text("p"));
    assert_int_equal(berth_engine_add_like(engine, like, text("q"), NULL, NULL), BERTH_OK);
    assert_int_not_equal(berth_engine_find_pod(engine, text("default"), text("q")), BERTH_POD_NONE);
    assert_int_equal(berth_engine_node_order(engine, NULL, 0, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_pending(engine, NULL, 0, NULL, NULL), BERTH_OK);
}

/* 1e9 nanos make a unit, and the two parts of an amount cannot have different signs. */
static void test_nanos_out_of_range(void **state)
{
    (void)state;
    static const berth_quantity wrong[] = {
        {0, 1000000000}, {1, INT32_MAX}, {1, -1}, {5, -999999999}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        berth_error error;
        small_node node;
        small_pod pod;
        berth_object object;
        (void)small_node_object(&node, &object, "wrong", NULL);
        node.allocatable[0].amount = wrong[i];
        assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_INVALID);
        assert_string_equal(error.field, "status.allocatable.cpu");
        (void)small_pod_object(&pod, &object, "wrong", NULL, 100);
        pod.requests[0].amount = wrong[i];
        assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_INVALID);
        const berth_persistent_volume_claim claim = {.meta = {.name = text("wrong")},
                                                     .request = wrong[i]};
        object = (berth_object){.kind = BERTH_KIND_PERSISTENT_VOLUME_CLAIM};
        object.as.persistent_volume_claim = &claim;
        assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_INVALID);
        assert_string_equal(error.field, "spec.resources.requests.storage");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failures_leave_nothing),
        cmocka_unit_test(test_step_in_transaction),
        cmocka_unit_test(test_ids_may_be_absent),
        cmocka_unit_test(test_nanos_out_of_range),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
