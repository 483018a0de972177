/* Reading back (berth/read.h): an engine, a snapshot and a branch return nodes and pods as the
 * objects described them. */
#include "branch_cluster.h"

static const char objects[] =
    "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {zone: z1, disk: ssd}}\n"
    "spec: {unschedulable: true, taints: [{key: k, value: v, effect: NoSchedule},\n"
    "  {key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}\n"
    "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10', example.com/gpu: '2'}}\n---\n"
    "apiVersion: v1\nkind: Node\nmetadata: {name: b}\n"
    "status: {allocatable: {cpu: 1500m, memory: 1Gi, pods: '5'}}\n---\n"
    "apiVersion: v1\nkind: Pod\n"
    "metadata: {name: 'on', namespace: ml, labels: {app: web, tier: front}, ownerReferences: [\n"
    "  {apiVersion: apps/v1, kind: ReplicaSet, name: rs, uid: u-1, controller: true}]}\n"
    "spec: {nodeName: a, priority: 7, preemptionPolicy: Never, schedulerName: default-scheduler,\n"
    "  containers: [{name: c, image: i, resources: {requests: {cpu: 250m, example.com/gpu: "
    "'1'}}},\n"
    "    {name: d, image: i, resources: {requests: {cpu: 250m, memory: 1Mi}}}]}\n"
    "status: {startTime: '1970-01-01T00:00:02Z'}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: waits}\n"
    "spec: {schedulingGates: [{name: g}], containers: [{name: c, image: i}]}\n";

/* An engine or a snapshot to read from. */
typedef struct source {
    const berth_engine *engine;
    const berth_snapshot *snapshot;
} source;

#define READ(from, name, ...)                                                \
    ((from).engine != NULL ? berth_engine_##name((from).engine, __VA_ARGS__) \
                           : berth_snapshot_##name((from).snapshot, __VA_ARGS__))

static bool is(berth_str got, const char *wanted)
{
    return got.len == strlen(wanted) && memcmp(got.data, wanted, got.len) == 0;
}

static const char *value_of(const berth_key_value *labels, uint32_t count, const char *key)
{
    static char value[64];
    for (uint32_t i = 0; i < count; i++)
        if (is(labels[i].key, key)) {
            snprintf(value, sizeof(value), "%.*s", (int)labels[i].value.len, labels[i].value.data);
            return value;
        }
    return "";
}

static int64_t amount_of(const berth_amount *amounts, uint32_t count, const char *resource)
{
    for (uint32_t i = 0; i < count; i++)
        if (is(amounts[i].resource, resource))
            return amounts[i].amount;
    return -1;
}

static void check_nodes(source from, bool closed)
{
    berth_node_info info = {.size = sizeof(info)};
    berth_key_value labels[4];
    berth_taint taints[4];
    berth_amount amounts[8];
    assert_int_equal(READ(from, node_info, 0, &info, NULL), BERTH_OK);
    assert_true(is(info.name, "a") && info.unschedulable);
    assert_int_equal(info.closed, closed);
    assert_int_equal(info.pod_count, 1);
    assert_int_equal(info.label_count, 2);
    assert_int_equal(info.taint_count, 2);
    assert_int_equal(info.resource_count, 4);
    assert_int_equal(READ(from, node_labels, 0, labels, 4), 2);
    assert_string_equal(value_of(labels, 2, "zone"), "z1");
    assert_string_equal(value_of(labels, 2, "disk"), "ssd");
    assert_int_equal(READ(from, node_taints, 0, taints, 4), 2);
    assert_true(is(taints[0].key, "k") && is(taints[0].value, "v"));
    assert_true(is(taints[0].effect, "NoSchedule"));
    taints[1].key = (berth_str){"kept", 4};
    assert_int_equal(READ(from, node_taints, 0, taints, 1), 2);
    assert_true(is(taints[0].key, "k") && is(taints[1].key, "kept"));
    assert_int_equal(READ(from, node_allocatable, 0, amounts, 8), 4);
    assert_int_equal(amount_of(amounts, 4, "cpu"), 4000);
    assert_int_equal(amount_of(amounts, 4, "memory"), INT64_C(8) << 30);
    assert_int_equal(amount_of(amounts, 4, "example.com/gpu"), 2);
    assert_int_equal(amount_of(amounts, 4, "pods"), 10);
    amounts[1].amount = 77;
    assert_int_equal(READ(from, node_allocatable, 0, amounts, 1), 4);
    assert_int_equal(amounts[1].amount, 77);
    assert_int_equal(READ(from, node_labels, 77, labels, 4), 0);
    assert_int_equal(READ(from, node_taints, 77, taints, 4), 0);
    assert_int_equal(READ(from, node_allocatable, 77, amounts, 4), 0);
}

static void check_arrays(source from)
{
    berth_node_id nodes[4];
    int64_t has[4], used[4];
    berth_str names[8];
    const berth_str cpu = TEXT("cpu"), gpu = TEXT("example.com/gpu"), pods = TEXT("pods"),
                    none = TEXT("no.such/thing");
    assert_int_equal(READ(from, resource_by_node, cpu, nodes, has, used, 4), 2);
    assert_true(nodes[0] == 0 && nodes[1] == 1);
    assert_true(has[0] == 4000 && has[1] == 1500 && used[0] == 500 && used[1] == 0);
    assert_int_equal(READ(from, resource_by_node, gpu, NULL, has, used, 4), 2);
    assert_true(has[0] == 2 && has[1] == 0 && used[0] == 1 && used[1] == 0);
    assert_int_equal(READ(from, resource_by_node, pods, NULL, has, used, 4), 2);
    assert_true(has[0] == 10 && has[1] == 5 && used[0] == 1 && used[1] == 0);
    assert_int_equal(READ(from, resource_by_node, none, NULL, has, used, 4), 2);
    assert_true(has[0] == 0 && used[0] == 0);
    has[1] = 77;
    assert_int_equal(READ(from, resource_by_node, cpu, NULL, has, NULL, 1), 2);
    assert_true(has[0] == 4000 && has[1] == 77);
    assert_int_equal(READ(from, resource_names, names, 8), 4);
    assert_true(is(names[0], "cpu") && is(names[1], "memory"));
    assert_true(is(names[2], "ephemeral-storage") && is(names[3], "example.com/gpu"));
}

static void check_pods(source from)
{
    berth_pod_info info = {.size = sizeof(info)}, other = {.size = sizeof(other)};
    berth_key_value labels[4];
    berth_amount amounts[4];
    const berth_str tier = TEXT("tier"), absent = TEXT("absent");
    berth_pod_id on = READ(from, next_pod, 0, BERTH_POD_NONE);
    berth_pod_id waits = READ(from, next_pod, BERTH_NODE_NONE, BERTH_POD_NONE);
    assert_true(READ(from, next_pod, 0, on) == BERTH_POD_NONE);
    assert_true(READ(from, next_pod, BERTH_NODE_NONE, waits) == BERTH_POD_NONE);
    assert_true(READ(from, next_pod, 1, BERTH_POD_NONE) == BERTH_POD_NONE);
    assert_int_equal(READ(from, pod_info, on, &info, NULL), BERTH_OK);
    assert_true(is(info.namespace_name, "ml") && is(info.name, "on"));
    assert_true(is(info.scheduler_name, "default-scheduler"));
    assert_true(is(info.owner_api_version, "apps/v1") && is(info.owner_kind, "ReplicaSet"));
    assert_true(is(info.owner_name, "rs") && is(info.owner_uid, "u-1"));
    assert_true(info.priority == 7 && info.node == 0 && info.start_time_ns == 2000000000);
    assert_true(!info.gated && !info.deleting && !info.has_volumes && !info.may_preempt);
    assert_int_equal(info.label_count, 2);
    assert_int_equal(READ(from, pod_labels, on, labels, 4), 2);
    assert_string_equal(value_of(labels, 2, "app"), "web");
    assert_true(is(READ(from, pod_label, on, tier), "front"));
    assert_true(READ(from, pod_label, on, absent).data == NULL);
    assert_int_equal(info.resource_count, 3);
    assert_int_equal(READ(from, pod_requests, on, amounts, 4), 3);
    assert_int_equal(amount_of(amounts, 3, "cpu"), 500);
    assert_int_equal(amount_of(amounts, 3, "memory"), 1 << 20);
    assert_int_equal(amount_of(amounts, 3, "example.com/gpu"), 1);
    assert_int_equal(READ(from, pod_info, waits, &other, NULL), BERTH_OK);
    assert_true(other.gated && other.may_preempt && other.node == BERTH_NODE_NONE);
    assert_true(other.owner_kind.data == NULL && other.kind != info.kind);
    assert_int_equal(other.resource_count, 0);
    assert_int_equal(READ(from, pod_labels, 77, labels, 4), 0);
    assert_int_equal(READ(from, pod_requests, 77, amounts, 4), 0);
    assert_true(READ(from, pod_label, 77, tier).data == NULL);
}

static void check(source from, bool closed)
{
    check_nodes(from, closed);
    check_arrays(from);
    check_pods(from);
}

static void test_all(void **state)
{
    small_cluster *c = *state;
    small_add(c, objects);
    check((source){.engine = c->engine}, false); /* nodes have no slots yet */
    assert_int_equal(berth_engine_node_order(c->engine, NULL, 0, NULL, NULL), BERTH_OK);
    check((source){.engine = c->engine}, false);
    berth_engine *branch = branch_off(c);
    berth_snapshot *snapshot = berth_engine_pin(c->engine);
    assert_int_equal(berth_engine_close_node(c->engine, 0, true, NULL), BERTH_OK);
    check((source){.engine = c->engine}, true);
    check((source){.engine = branch}, false);
    check((source){.snapshot = snapshot}, false);
    berth_engine_remove(c->engine, BERTH_KIND_POD, (berth_str)TEXT("ml"), (berth_str)TEXT("on"),
                        NULL);
    check((source){.snapshot = snapshot}, false);
    berth_snapshot_unpin(snapshot);
    berth_branch_drop(branch);
}

/* A resource that comes after the columns were made is read from the node. */
static void test_later_resource(void **state)
{
    small_cluster *c = *state;
    const berth_str fpga = TEXT("example.com/fpga");
    small_add(c, objects);
    assert_int_equal(berth_engine_node_order(c->engine, NULL, 0, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_publish(c->engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(c->engine);
    static const berth_resource amounts[] = {{TEXT("cpu"), {1, 500000000}},
                                             {TEXT("example.com/fpga"), {3, 0}}};
    static const berth_node later = {.meta = {.name = TEXT("b")}, .allocatable = {amounts, 2}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &later};
    assert_int_equal(berth_engine_update(c->engine, &object, NULL), BERTH_OK);
    const source sources[] = {{.engine = c->engine}, {.snapshot = snapshot}};
    for (int i = 0; i < 2; i++) {
        int64_t has[2] = {7, 7}, used[2] = {7, 7};
        assert_int_equal(READ(sources[i], resource_by_node, fpga, NULL, has, used, 2), 2);
        assert_true(has[0] == 0 && has[1] == (i == 0 ? 3 : 0));
        assert_true(used[0] == 0 && used[1] == 0);
    }
    berth_snapshot_unpin(snapshot);
}

/* Ids of removed nodes are gaps. Pods of one template are of one kind. A nomination is suspended
 * while its pod is on a node. */
static void test_walk(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", ""), b = small_node(c, "b", "");
    berth_pod_id first = small_pod(c, "p1", NULL, "", "containers: [{name: c, image: i}]"), second;
    berth_pod_info infos[2] = {{.size = sizeof(infos[0])}, {.size = sizeof(infos[0])}};
    assert_int_equal(berth_engine_add_like(c->engine, first, (berth_str)TEXT("p2"), &second, NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_pod_info(c->engine, first, &infos[0], NULL), BERTH_OK);
    assert_int_equal(berth_engine_pod_info(c->engine, second, &infos[1], NULL), BERTH_OK);
    assert_true(infos[0].kind == infos[1].kind);
    assert_true(berth_engine_next_pod(c->engine, BERTH_NODE_NONE, first) == second);
    remove_named(c->engine, BERTH_KIND_NODE, "a");
    assert_int_equal(berth_engine_node_limit(c->engine), 2);
    assert_false(berth_engine_node_present(c->engine, a));
    assert_true(berth_engine_node_present(c->engine, b));
    assert_false(berth_engine_node_present(c->engine, 77));
    assert_false(berth_engine_node_present(NULL, b));
    assert_int_equal(berth_engine_nominate(c->engine, first, b, NULL), BERTH_OK);
    assert_int_equal(berth_engine_pod_nominated(c->engine, first), b);
    assert_int_equal(berth_engine_pod_nominated(c->engine, second), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_bind(c->engine, first, b, NULL), BERTH_OK);
    assert_int_equal(berth_engine_pod_nominated(c->engine, first), BERTH_NODE_NONE);
}

/* A cluster with resources of its own, and a branch of it whose node brings another. */
static void check_joined(const char *first, const char *second, const char *third)
{
    small_cluster c, on;
    berth_str names[8];
    small_open(&c, berth_profile_default());
    small_addf(&c,
               "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n"
               "status: {allocatable: {%s: 1, %s: 1}}\n",
               first, second);
    on = c;
    on.engine = branch_off(&c);
    small_addf(&on,
               "apiVersion: v1\nkind: Node\nmetadata: {name: b}\nstatus: {allocatable: {%s: 1}}\n",
               third);
    assert_int_equal(berth_engine_resource_names(on.engine, names, 8), 6);
    assert_true(is(names[0], "cpu") && is(names[1], "memory") && is(names[2], "ephemeral-storage"));
    assert_true(is(names[3], first) && is(names[4], second) && is(names[5], third));
    berth_branch_drop(on.engine);
    small_close(&c);
}

/* A pod as an object has the conditions that it came with. */
static void test_conditions_of_a_pod(void **state)
{
    static const char *const types[] = {"DisruptionTarget", "PodScheduled", "PodResizePending",
                                        "Ready"};
    small_cluster c;
    berth_engine_config config;
    berth_error error = {.code = BERTH_OK};
    berth_object *object = NULL;
    bool seen[4] = {false};
    (void)state;
    berth_engine_config_init(&config);
    config.keep_objects = true;
    small_open_as(&c, config);
    small_node(&c, "a", "");
    const berth_pod_id pod =
        small_addf(&c,
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {nodeName: a}\n"
                   "status: {conditions: [{type: %s, status: 'True', reason: "
                   "PreemptionByScheduler}, {type: %s, status: 'True'}, {type: %s, status: 'True', "
                   "reason: Infeasible}, {type: %s, status: 'True'}]}\n",
                   types[0], types[1], types[2], types[3]);
    small_require(berth_engine_pod_object(c.engine, pod, NULL, &object, &error), &error);
    const berth_pod *read = object->as.pod;
    for (uint32_t i = 0; i < read->condition_count; i++)
        for (uint32_t t = 0; t < 4; t++)
            seen[t] |= is(read->conditions[i].type, types[t]);
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    assert_int_equal(read->condition_count, 4);
    berth_object_destroy(object);
    small_close(&c);
}

/* A branch names the resources of its snapshot and then its own, each branch those of its own
 * cluster. */
static void test_joined_names(void **state)
{
    (void)state;
    check_joined("x.org/a", "x.org/b", "x.org/c");
    check_joined("y.org/long-name", "x.org/c", "x.org/a");
    check_joined("x.org/c", "y.org/b", "z.org/a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_later_resource, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_walk, small_set_up, small_tear_down),
        cmocka_unit_test(test_conditions_of_a_pod),
        cmocka_unit_test(test_joined_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
