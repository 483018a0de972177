/* Cancellation: a call whose flag is set ends between two decisions or objects with
 * BERTH_E_CANCELLED, says how much it has done, and leaves the engine as the header promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "one_plugin.h"
#include "small_cluster.h"

enum { PODS = 6 };

typedef struct setup {
    one_plugin room;
    berth_engine *engine;
    berth_pod_id pods[PODS];
    uint64_t digest;
    int32_t flag; /* set after `bindings_left` more pods have come to nodes */
    int bindings_left;
} setup;

static setup now;

static void pass_all(const berth_cycle *cycle, const void *instance, const void *state,
                     berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slice;
}

static berth_status count_down(void *context, const berth_cycle *cycle, berth_pod_id pod,
                               berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
    if (now.bindings_left > 0 && --now.bindings_left == 0)
        now.flag = 1;
    return BERTH_OK;
}

static void ignore(void *context, const berth_cycle *cycle, berth_pod_id pod, berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
}

static const berth_plugin alarm_plugin = {.size = sizeof(alarm_plugin),
                                          .name = "Alarm",
                                          .filter = pass_all,
                                          .reserve = count_down,
                                          .unreserve = ignore};

static int start(void **state)
{
    small_node node;
    small_pod pod;
    berth_object object;
    char name[16];
    (void)state;
    now = (setup){.flag = 0};
    assert_int_equal(
        berth_engine_create(one_plugin_config(&now.room, &alarm_plugin), &now.engine, NULL),
        BERTH_OK);
    small_node_object(&node, &object, "n1", NULL);
    assert_int_equal(berth_engine_add(now.engine, &object, NULL, NULL), BERTH_OK);
    for (int i = 0; i < PODS; i++) {
        berth_object_id id;
        snprintf(name, sizeof(name), "p%d", i);
        small_pod_object(&pod, &object, name, NULL, 500);
        assert_int_equal(berth_engine_add(now.engine, &object, &id, NULL), BERTH_OK);
        now.pods[i] = id.pod;
    }
    now.digest = berth_engine_digest(now.engine);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    berth_engine_destroy(now.engine);
    return 0;
}

static void assert_unchanged(void)
{
    berth_counts counts;
    berth_engine_counts(now.engine, &counts);
    assert_int_equal(counts.pods_pending, PODS);
    assert_int_equal(berth_engine_depth(now.engine), 0);
    assert_true(berth_engine_digest(now.engine) == now.digest);
    assert_int_equal(berth_engine_check(now.engine, NULL), BERTH_OK);
}

static void test_schedule_pods(void **state)
{
    (void)state;
    const berth_group_options options = {.size = sizeof(options), .cancel = &now.flag};
    berth_placement placements[PODS];
    berth_error error = {.code = BERTH_OK};
    uint32_t fitted = 99;
    now.bindings_left = 2;
    assert_int_equal(berth_engine_schedule_pods(now.engine, now.pods, PODS, &options, placements,
                                                &fitted, &error),
                     BERTH_E_CANCELLED);
    assert_int_equal(error.code, BERTH_E_CANCELLED);
    assert_string_equal(error.message, "cancelled by the caller's flag");
    assert_int_equal(fitted, 2);
    assert_int_equal(placements[1].verdict, BERTH_VERDICT_PLACED);
    for (int i = 2; i < PODS; i++)
        assert_int_equal(placements[i].node, BERTH_NODE_NONE);
    assert_unchanged();
    assert_int_equal(
        berth_engine_schedule_pods(now.engine, now.pods, PODS, &options, NULL, &fitted, NULL),
        BERTH_E_CANCELLED); /* the flag is still set */
    assert_int_equal(fitted, 0);
    now.flag = 0;
    assert_int_equal(
        berth_engine_schedule_pods(now.engine, now.pods, PODS, &options, NULL, &fitted, NULL),
        BERTH_OK);
    assert_int_equal(fitted, PODS);
}

/* The options of a caller that was compiled before the flag existed. */
static void test_older_caller(void **state)
{
    (void)state;
    struct {
        uint32_t size, flags, minimum, foreign[8];
    } older = {.size = 12};
    uint32_t fitted;
    memset(older.foreign, 0xff, sizeof(older.foreign));
    assert_int_equal(berth_engine_schedule_pods(now.engine, now.pods, PODS,
                                                (const berth_group_options *)(const void *)&older,
                                                NULL, &fitted, NULL),
                     BERTH_OK);
    assert_int_equal(fitted, PODS);
}

static void test_fit_count(void **state)
{
    (void)state;
    berth_node_id nodes[20];
    berth_fit_count_options options = {
        .size = sizeof(options), .limit = 20, .nodes = nodes, .cancel = &now.flag};
    uint32_t count = 99;
    now.bindings_left = 3;
    assert_int_equal(berth_engine_fit_count_with(now.engine, now.pods[0], &options, &count, NULL),
                     BERTH_E_CANCELLED);
    assert_int_equal(count, 3);
    assert_int_equal(nodes[2], berth_engine_find_node(now.engine, text("n1")));
    assert_unchanged();
    now.flag = 0;
    assert_int_equal(berth_engine_fit_count_with(now.engine, now.pods[0], &options, &count, NULL),
                     BERTH_OK);
    assert_int_equal(count, 8); /* 4 cores */
    assert_unchanged();
}

static void test_fit_count_arguments(void **state)
{
    (void)state;
    berth_fit_count_options options = {.size = 0, .limit = 20};
    berth_error error = {.code = BERTH_OK};
    uint32_t count = 99;
    assert_int_equal(berth_engine_fit_count_with(now.engine, now.pods[0], NULL, &count, &error),
                     BERTH_E_ARG);
    assert_string_equal(error.message, "`options` is NULL");
    assert_int_equal(berth_engine_fit_count_with(now.engine, now.pods[0], &options, &count, &error),
                     BERTH_E_ARG);
    assert_int_equal(count, 0);
    options.size = sizeof(options);
    assert_int_equal(berth_engine_fit_count_with(now.engine, now.pods[0], &options, NULL, &error),
                     BERTH_E_ARG);
}

/* ---- reading ---- */

static const char three_nodes[] = "{kind: Node, apiVersion: v1, metadata: {name: a1}}\n---\n"
                                  "{kind: Node, apiVersion: v1, metadata: {name: a2}}\n---\n"
                                  "{kind: Node, apiVersion: v1, metadata: {name: a3}}\n";
static const char three_in_json[] =
    "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": [\n"
    "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"a1\"}},\n"
    "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"a2\"}},\n"
    "{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"a3\"}}]}\n";

static berth_status count_objects(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)object;
    (void)origin;
    (void)error;
    if (++*(int *)context == 2)
        now.flag = 1;
    return BERTH_OK;
}

static void read_until_two(const char *from)
{
    const berth_read_options options = {.size = sizeof(options), .cancel = &now.flag};
    berth_reader *reader;
    berth_error error = {.code = BERTH_OK};
    int objects = 0;
    now.flag = 0;
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(
        berth_reader_text(reader, text(from), "nodes", count_objects, &objects, &error),
        BERTH_E_CANCELLED);
    assert_int_equal(objects, 2);
    assert_int_equal(error.code, BERTH_E_CANCELLED);
    assert_string_equal(error.source, "nodes");
    berth_reader_destroy(reader);
}

static void test_reader(void **state)
{
    (void)state;
    read_until_two(three_nodes);
    read_until_two(three_in_json);
}

static void test_load(void **state)
{
    (void)state;
    const berth_read_options options = {.size = sizeof(options), .cancel = &now.flag};
    uint64_t objects = 99;
    now.flag = 1;
    assert_int_equal(
        berth_engine_load_text(now.engine, text(three_nodes), "nodes", &options, &objects, NULL),
        BERTH_E_CANCELLED);
    assert_int_equal(objects, 0);
    assert_unchanged();
    now.flag = 0;
    assert_int_equal(
        berth_engine_load_text(now.engine, text(three_nodes), "nodes", &options, &objects, NULL),
        BERTH_OK);
    assert_int_equal(objects, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_schedule_pods, start, stop),
        cmocka_unit_test_setup_teardown(test_older_caller, start, stop),
        cmocka_unit_test_setup_teardown(test_fit_count, start, stop),
        cmocka_unit_test_setup_teardown(test_fit_count_arguments, start, stop),
        cmocka_unit_test_setup_teardown(test_reader, start, stop),
        cmocka_unit_test_setup_teardown(test_load, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
