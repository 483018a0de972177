/* Nodes from a template (berth/template.h): their names and contents, equal to nodes and pods added
 * by hand, on engines and branches; a failed call leaves nothing behind. */
#include "arena_pieces.h"
#include "branch_cluster.h"
#include "counted_memory.h"

#define NAME(literal)                \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static const berth_key_value labels[] = {
    {NAME("kubernetes.io/hostname"), NAME("of-the-template")},
    {NAME("zone"), NAME("z1")},
    {NAME("rack"), NAME("r1")},
    {NAME("kind"), NAME("large")},
};
static const berth_resource room[] = {
    {NAME("cpu"), {4, 0}}, {NAME("memory"), {INT64_C(8) << 30, 0}}, {NAME("pods"), {10, 0}}};
static const berth_resource need[] = {{NAME("cpu"), {1, 0}}};
static const berth_container container = {.image = NAME("agent:1"), .requests = {need, 1}};
static const berth_pod agents[] = {
    {.meta = {.name = NAME("agent"), .namespace_name = NAME("kube-system"), .uid = NAME("u")},
     .containers = &container,
     .container_count = 1,
     .phase = NAME("Succeeded")},
    {.meta = {.name = NAME("logger"), .namespace_name = NAME("kube-system")},
     .containers = &container,
     .container_count = 1},
};
static const berth_node shape = {.meta = {.name = NAME("big"), .labels = {labels, 4}},
                                 .allocatable = {room, 3}};
static const berth_node_template from = {
    .size = sizeof(from), .pod_count = 2, .pods = agents, .node = &shape};

static berth_str words(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

static bool is(berth_str got, const char *wanted)
{
    return got.len == strlen(wanted) && memcmp(got.data, wanted, got.len) == 0;
}

/* Add the same three nodes object by object. */
static void add_by_hand(berth_engine *engine)
{
    berth_error error = {.code = BERTH_OK};
    for (int i = 1; i <= 3; i++) {
        char name[16], pod_name[32];
        snprintf(name, sizeof(name), "big-%d", i);
        const berth_key_value own[] = {
            {labels[0].key, words(name)}, labels[1], labels[2], labels[3]};
        berth_node node = shape;
        node.meta.name = words(name);
        node.meta.labels.entries = own;
        small_require(berth_engine_add_node(engine, &node, NULL, &error), &error);
        for (int k = 0; k < 2; k++) {
            berth_pod pod = agents[k];
            snprintf(pod_name, sizeof(pod_name), "%s-%s", k == 0 ? "agent" : "logger", name);
            pod.meta.name = words(pod_name);
            pod.meta.uid = pod.phase = (berth_str){0};
            pod.node_name = words(name);
            small_require(berth_engine_add_pod(engine, &pod, NULL, &error), &error);
        }
    }
}

/* Place pods that spread over hosts; both clusters must choose the same places. */
static void fill_up(berth_engine *engine, berth_placement *out)
{
    berth_pod_id pods[8];
    uint64_t count = 0;
    uint32_t fitted = 0;
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_pending(engine, pods, 8, &count, &error), &error);
    assert_int_equal(count, 8);
    small_require(berth_engine_schedule_pods(engine, pods, 8, NULL, out, &fitted, &error), &error);
    assert_int_equal(fitted, 6); /* the agents use two of four cpus */
}

static void add_pods(small_cluster *c)
{
    for (int i = 0; i < 8; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        small_pod(c, name, NULL, ", labels: {app: web}",
                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
                  "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}], "
                  "containers: [{name: c, image: i, resources: {requests: {cpu: '1'}}}]");
    }
}

static void check_added(berth_engine *engine)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement got[8], wanted[8];
    berth_node_id nodes[3];
    small_cluster other;
    small_require(berth_engine_add_nodes(engine, &from, 3, nodes, &error), &error);
    assert_true(is(berth_engine_node_name(engine, nodes[2]), "big-3"));
    assert_true(
        is(berth_engine_node_label(engine, nodes[1], words("kubernetes.io/hostname")), "big-2"));
    assert_true(is(berth_engine_node_label(engine, nodes[1], words("zone")), "z1"));
    assert_true(is(berth_engine_node_label(engine, nodes[1], words("kind")), "large"));
    assert_int_equal(
        berth_engine_pod_node(
            engine, berth_engine_find_pod(engine, words("kube-system"), words("agent-big-2"))),
        nodes[1]);
    small_open(&other, berth_profile_default());
    add_pods(&other);
    add_by_hand(other.engine);
    assert_true(berth_engine_digest(engine) == berth_engine_digest(other.engine));
    fill_up(engine, got);
    fill_up(other.engine, wanted);
    assert_memory_equal(got, wanted, sizeof(got));
    assert_true(berth_engine_digest(engine) == berth_engine_digest(other.engine));
    small_require(berth_engine_check(engine, &error), &error);
    small_close(&other);
}

static void test_engine(void **state)
{
    small_cluster *c = *state;
    add_pods(c);
    check_added(c->engine);
}

static void test_branch(void **state)
{
    small_cluster *c = *state;
    add_pods(c);
    berth_engine *branch = branch_off(c);
    check_added(branch);
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_find_node(c->engine, words("big-1")), BERTH_NODE_NONE);
}

/* Existing node names are skipped; an existing pod fails the whole call. */
static void test_taken(void **state)
{
    small_cluster *c = *state;
    berth_node_id nodes[2];
    berth_error error = {.code = BERTH_OK};
    berth_counts counts;
    small_node(c, "big-2", "");
    small_require(berth_engine_add_nodes(c->engine, &from, 2, nodes, &error), &error);
    assert_true(is(berth_engine_node_name(c->engine, nodes[0]), "big-1"));
    assert_true(is(berth_engine_node_name(c->engine, nodes[1]), "big-3"));
    small_pod(c, "agent-big-5", NULL, ", namespace: kube-system", "");
    assert_int_equal(berth_engine_add_nodes(c->engine, &from, 2, nodes, &error), BERTH_E_EXISTS);
    assert_string_equal(error.object, "Pod kube-system/agent-big-5");
    berth_engine_counts(c->engine, &counts);
    assert_int_equal(counts.nodes, 3);
    assert_int_equal(counts.pods_running, 4);
    assert_int_equal(berth_engine_depth(c->engine), 0);
}

/* A template without names: the numbers and the node's name are what is left of them. */
static void test_without_names(void **state)
{
    small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    berth_node_id id;
    berth_pod pod = agents[1];
    berth_node node = shape;
    pod.meta.name = node.meta.name = (berth_str){NULL, 0};
    const berth_node_template bare = {
        .size = sizeof(bare), .pod_count = 1, .pods = &pod, .node = &node};
    small_require(berth_engine_add_nodes(c->engine, &bare, 1, &id, &error), &error);
    assert_true(is(berth_engine_node_name(c->engine, id), "-1"));
    assert_true(berth_engine_find_pod(c->engine, words("kube-system"), words("--1")) !=
                BERTH_POD_NONE);
}

static void test_incomplete(void **state)
{
    small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    berth_node_template wrong = from;
    wrong.node = NULL;
    assert_int_equal(berth_engine_add_nodes(c->engine, &wrong, 1, NULL, &error), BERTH_E_ARG);
    wrong = from;
    wrong.pods = NULL;
    assert_int_equal(berth_engine_add_nodes(c->engine, &wrong, 1, NULL, &error), BERTH_E_ARG);
    assert_non_null(strstr(error.message, "the pods it counts"));
    wrong.pod_count = 0;
    small_require(berth_engine_add_nodes(c->engine, &wrong, 1, NULL, &error), &error);
    assert_true(berth_engine_find_node(c->engine, words("big-1")) != BERTH_NODE_NONE);
}

/* Whichever allocation fails, no node is left. */
static void test_memory_runs_out(void **state)
{
    bool succeeded = false;
    (void)state;
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        counted memory = {0};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        berth_error error = {.code = BERTH_OK};
        berth_engine_config config;
        berth_counts counts;
        small_cluster c;
        berth_engine_config_init(&config);
        config.allocator = &allocator;
        small_open_as(&c, config);
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status = berth_engine_add_nodes(c.engine, &from, 2, NULL, &error);
        atomic_store(&memory.fail_at, 0);
        succeeded = atomic_load(&memory.calls) < at;
        berth_engine_counts(c.engine, &counts);
        assert_int_equal(berth_engine_depth(c.engine), 0);
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_int_equal(error.code, BERTH_E_NOMEM);
            assert_int_equal(counts.nodes + counts.pods_running, 0);
            small_require(berth_engine_add_nodes(c.engine, &from, 2, NULL, &error), &error);
            berth_engine_counts(c.engine, &counts);
        }
        assert_int_equal(counts.nodes, 2);
        assert_int_equal(counts.pods_running, 4);
        small_close(&c);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
    assert_true(succeeded);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_engine, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_branch, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_taken, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_without_names, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_incomplete, small_set_up, small_tear_down),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
