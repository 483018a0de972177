/* Calls without an engine or a snapshot, and with ids that nothing has: each answers as if nothing
 * were there, or returns an error that says so; an output never keeps what it held before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "small_cluster.h"

enum { NODE = 7, POD = 9 }; /* ids of no object */

static const berth_object junk;

/* Every reading function of an engine that may be NULL, about objects that are not there. */
static void read_engine(const berth_engine *engine, berth_status wanted)
{
    berth_error error = {.code = BERTH_OK};
    berth_key_value label;
    berth_taint taint;
    berth_amount amount;
    berth_pod_info pod = {.size = sizeof(pod)};
    berth_node_info node = {.size = sizeof(node)};
    berth_claim_choice claim;
    berth_taken_device device;
    berth_extended_request request;
    int64_t value = 5;
    berth_str text_out = text("old");
    assert_int_equal(berth_engine_pod_priority(engine, POD), 0);
    assert_null(berth_engine_node_label(engine, NODE, text("k")).data);
    assert_true(berth_engine_orphan(engine, &text_out) == BERTH_POD_NONE);
    assert_int_equal(berth_engine_pod_resource(engine, POD, text("cpu"), &value, &error), wanted);
    assert_int_equal(error.code, wanted);
    assert_int_equal(value, 0);
    assert_false(berth_engine_node_present(engine, NODE));
    assert_true(berth_engine_next_pod(engine, NODE, BERTH_POD_NONE) == BERTH_POD_NONE);
    assert_int_equal(berth_engine_pod_nominated(engine, POD), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_node_info(engine, NODE, &node, NULL), wanted);
    assert_int_equal(berth_engine_node_labels(engine, NODE, &label, 1), 0);
    assert_int_equal(berth_engine_node_taints(engine, NODE, &taint, 1), 0);
    assert_int_equal(berth_engine_node_allocatable(engine, NODE, &amount, 1), 0);
    assert_int_equal(berth_engine_pod_info(engine, POD, &pod, NULL), wanted);
    assert_int_equal(berth_engine_pod_labels(engine, POD, &label, 1), 0);
    assert_int_equal(berth_engine_pod_requests(engine, POD, &amount, 1), 0);
    assert_null(berth_engine_pod_label(engine, POD, text("k")).data);
    assert_int_equal(berth_engine_pod_claims(engine, POD, &claim, 1), 0);
    assert_int_equal(berth_engine_pod_devices(engine, POD, &device, 1), 0);
    assert_int_equal(berth_engine_pod_extended_requests(engine, POD, &request, 1), 0);
}

/* Copies of objects that are not there. */
static void copy_objects(const berth_engine *engine, berth_status wanted)
{
    berth_object *out = (berth_object *)(uintptr_t)&junk;
    assert_int_equal(berth_engine_node_object(engine, NODE, NULL, &out, NULL), wanted);
    assert_null(out);
    out = (berth_object *)(uintptr_t)&junk;
    assert_int_equal(berth_engine_pod_object(engine, POD, NULL, &out, NULL), wanted);
    assert_null(out);
    out = (berth_object *)(uintptr_t)&junk;
    assert_int_equal(berth_engine_pod_claim_object(engine, POD, 0, NULL, &out, NULL), wanted);
    assert_null(out);
    out = (berth_object *)(uintptr_t)&junk;
    assert_int_equal(berth_engine_pod_extended_claim(engine, POD, NULL, &out, NULL), wanted);
    assert_null(out);
}

static void read_snapshot(const berth_snapshot *snapshot, berth_status wanted)
{
    berth_key_value label;
    berth_taint taint;
    berth_amount amount;
    berth_pod_info pod = {.size = sizeof(pod)};
    berth_node_info node = {.size = sizeof(node)};
    assert_int_equal(berth_snapshot_node_info(snapshot, NODE, &node, NULL), wanted);
    assert_int_equal(berth_snapshot_node_labels(snapshot, NODE, &label, 1), 0);
    assert_int_equal(berth_snapshot_node_taints(snapshot, NODE, &taint, 1), 0);
    assert_int_equal(berth_snapshot_node_allocatable(snapshot, NODE, &amount, 1), 0);
    assert_int_equal(berth_snapshot_pod_info(snapshot, POD, &pod, NULL), wanted);
    assert_int_equal(berth_snapshot_pod_labels(snapshot, POD, &label, 1), 0);
    assert_int_equal(berth_snapshot_pod_requests(snapshot, POD, &amount, 1), 0);
    assert_null(berth_snapshot_pod_label(snapshot, POD, text("k")).data);
}

/* The rest of what a snapshot tells about objects that are not there. */
static void read_more(const berth_snapshot *snapshot, berth_status wanted)
{
    berth_error error = {.code = BERTH_OK};
    int64_t allocatable = 5, requested = 6;
    berth_str space = text("old"), name = text("old");
    assert_int_equal(berth_snapshot_find_node(snapshot, text("absent")), BERTH_NODE_NONE);
    assert_true(berth_snapshot_find_pod(snapshot, text("default"), text("absent")) ==
                BERTH_POD_NONE);
    assert_null(berth_snapshot_node_name(snapshot, NODE).data);
    berth_snapshot_pod_name(snapshot, POD, &space, &name);
    assert_null(space.data);
    assert_null(name.data);
    assert_int_equal(berth_snapshot_pod_node(snapshot, POD), BERTH_NODE_NONE);
    assert_int_equal(
        berth_snapshot_node_resource(snapshot, NODE, text("cpu"), &allocatable, &requested, &error),
        wanted);
    assert_int_equal(error.code, wanted);
    assert_int_equal(allocatable, 0);
    assert_int_equal(requested, 0);
    assert_null(berth_snapshot_node_label(snapshot, NODE, text("k")).data);
    assert_false(berth_snapshot_node_present(snapshot, NODE));
    assert_true(berth_snapshot_next_pod(snapshot, NODE, BERTH_POD_NONE) == BERTH_POD_NONE);
}

static void test_no_engine(void **state)
{
    (void)state;
    berth_str name;
    berth_error error = {.code = BERTH_OK};
    berth_memory memory;
    bool forbidden = true;
    const berth_pod_id pod = POD;
    read_engine(NULL, BERTH_E_ARG);
    assert_int_equal(berth_engine_memory(NULL, &memory, &error), BERTH_E_ARG);
    assert_int_equal(error.code, BERTH_E_ARG);
    assert_int_equal(berth_engine_forbidden(NULL, &pod, 1, &forbidden), 0);
    copy_objects(NULL, BERTH_E_ARG);
    assert_int_equal(berth_engine_resource_names(NULL, &name, 1), 0);
    assert_int_equal(berth_engine_resource_by_node(NULL, text("cpu"), NULL, NULL, NULL, 0), 0);
}

static void test_no_snapshot(void **state)
{
    (void)state;
    berth_str name;
    berth_error error = {.code = BERTH_OK};
    read_snapshot(NULL, BERTH_E_ARG);
    read_more(NULL, BERTH_E_ARG);
    assert_int_equal(berth_snapshot_number(NULL), 0);
    assert_int_equal(berth_snapshot_digest(NULL), 0);
    assert_int_equal(berth_snapshot_node_limit(NULL), 0);
    assert_int_equal(berth_snapshot_check(NULL, &error), BERTH_E_ARG);
    assert_int_equal(error.code, BERTH_E_ARG);
    assert_int_equal(berth_snapshot_resource_names(NULL, &name, 1), 0);
    assert_int_equal(berth_snapshot_resource_by_node(NULL, text("cpu"), NULL, NULL, NULL, 0), 0);
}

static void test_no_object(void **state)
{
    (void)state;
    small_node node;
    berth_object object;
    berth_engine *engine;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    small_node_object(&node, &object, "n", "z");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    read_engine(engine, BERTH_E_NOT_FOUND);
    copy_objects(engine, BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_non_null(snapshot);
    read_snapshot(snapshot, BERTH_E_NOT_FOUND);
    read_more(snapshot, BERTH_E_NOT_FOUND);
    assert_int_equal(berth_snapshot_number(snapshot), 1);
    assert_int_equal(berth_snapshot_node_limit(snapshot), 1);
    berth_snapshot_unpin(snapshot);
    berth_engine_destroy(engine);
}

/* An explanation answers for places that it does not have as if nothing were there. */
static void test_no_place(void **state)
{
    (void)state;
    int64_t total = 5;
    berth_explanation *explanation;
    assert_int_equal(berth_explanation_create(NULL, &explanation, NULL), BERTH_OK);
    assert_int_equal(berth_explanation_feasible(explanation, 0, &total), BERTH_NODE_NONE);
    assert_null(berth_explanation_score_plugin(explanation, 0).data);
    assert_null(berth_explanation_reason(explanation, 0, 0).data);
    assert_true(berth_explanation_victim(explanation, 0) == BERTH_POD_NONE);
    berth_explanation_destroy(explanation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_engine),
        cmocka_unit_test(test_no_snapshot),
        cmocka_unit_test(test_no_object),
        cmocka_unit_test(test_no_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
