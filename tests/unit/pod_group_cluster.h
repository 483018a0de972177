/* PodGroups on a small cluster, for tests of their cycles. */
#ifndef BERTH_TESTS_UNIT_POD_GROUP_CLUSTER_H
#define BERTH_TESTS_UNIT_POD_GROUP_CLUSTER_H

#include "counted_memory.h"
#include "rule_cluster.h"

enum { PODS_MAX = 8 };

typedef struct group_test {
    small_cluster cluster;
    berth_node_id nodes[PODS_MAX], nominated[PODS_MAX];
    bool ended[PODS_MAX];
    berth_pod_id victims[PODS_MAX];
    char message[256];
    berth_pod_group_outcome outcome;
} group_test;

static inline void open_with(group_test *t, const char *gates, const berth_allocator *allocator)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str){gates, (uint32_t)strlen(gates)};
    config.allocator = allocator;
    small_open_as(&t->cluster, config);
}

static inline int set_up_with(void **state, const char *gates)
{
    group_test *t = calloc(1, sizeof(*t));
    assert_non_null(t);
    open_with(t, gates, NULL);
    *state = t;
    return 0;
}

static inline int tear_down(void **state)
{
    group_test *t = *state;
    small_close(&t->cluster);
    free(t);
    return 0;
}

static inline void add_group(group_test *t, const char *name, const char *spec)
{
    small_addf(&t->cluster,
               "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: %s}\n"
               "spec: {%s}\n",
               name, spec);
}

/* A pod of one core; `group` NULL: of none, `node` NULL: pending. `more` ends with a comma. */
static inline berth_pod_id add_pod(group_test *t, const char *name, const char *group, int priority,
                                   const char *node, const char *more)
{
    char of_group[128] = "", on_node[64] = "";
    if (group != NULL)
        snprintf(of_group, sizeof(of_group), "schedulingGroup: {podGroupName: %s}, ", group);
    if (node != NULL)
        snprintf(on_node, sizeof(on_node), "nodeName: %s, ", node);
    return small_addf(&t->cluster,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\n"
                      "spec: {priority: %d, %s%s%s containers: [{name: c, image: i,\n"
                      "  resources: {requests: {cpu: 1}}}]}\n",
                      name, priority, of_group, on_node, more);
}

static inline berth_status schedule(group_test *t, const berth_pod_id *pods, uint32_t count,
                                    berth_error *error)
{
    t->outcome = (berth_pod_group_outcome){.size = sizeof(t->outcome),
                                           .nodes = t->nodes,
                                           .nominated = t->nominated,
                                           .ended = t->ended,
                                           .victims = t->victims,
                                           .victim_capacity = PODS_MAX,
                                           .message = t->message,
                                           .message_capacity = sizeof(t->message)};
    return berth_engine_schedule_pod_group(t->cluster.engine, pods, count, &t->outcome, error);
}

static inline void cycle(group_test *t, const berth_pod_id *pods, uint32_t count)
{
    berth_error error = {.code = BERTH_OK};
    small_require(schedule(t, pods, count, &error), &error);
}

static inline void nominate(group_test *t, berth_pod_id pod, const char *node)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str name = {node, (uint32_t)strlen(node)};
    small_require(berth_engine_nominate(t->cluster.engine, pod,
                                        berth_engine_find_node(t->cluster.engine, name), &error),
                  &error);
}

static inline uint64_t pending(const group_test *t)
{
    uint64_t count = 0;
    assert_int_equal(berth_engine_pending(t->cluster.engine, NULL, 0, &count, NULL), BERTH_OK);
    return count;
}

/* A node of four cores in a rack. */
static inline void add_in_rack(group_test *t, const char *name, const char *rack)
{
    char labels[64];
    snprintf(labels, sizeof(labels), ", labels: {rack: %s}", rack);
    small_node(&t->cluster, name, labels);
}

static inline void add_pods_with(group_test *t, const char *group, int priority, const char *more,
                                 berth_pod_id *pods, int count)
{
    char name[32];
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%s-%d", group, i);
        pods[i] = add_pod(t, name, group, priority, NULL, more);
    }
}

static inline void add_pods(group_test *t, const char *group, int priority, berth_pod_id *pods,
                            int count)
{
    add_pods_with(t, group, priority, "", pods, count);
}

static inline const char *rack_of(const group_test *t, int member)
{
    static char name[64];
    berth_node_info node = {.size = sizeof(node)};
    assert_int_equal(berth_engine_node_info(t->cluster.engine, t->nodes[member], &node, NULL),
                     BERTH_OK);
    snprintf(name, sizeof(name), "%.*s", (int)node.name.len, node.name.data);
    return name;
}

/* Let each allocation of a cycle with preemption fail in turn, and check that nothing has changed.
 */
static inline void try_memory(const char *gates, const char *constraints)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    group_test t = {0};
    char spec[256];
    open_with(&t, gates, &allocator);
    small_node(&t.cluster, "n1", ", labels: {rack: a}");
    add_group(&t, "low", "schedulingPolicy: {basic: {}}, priority: 1, disruptionMode: {all: {}}");
    snprintf(spec, sizeof(spec), "schedulingPolicy: {gang: {minCount: 4}}, priority: 9%s",
             constraints);
    add_group(&t, "g", spec);
    add_pod(&t, "low", "low", 1, "n1", "");
    berth_pod_id pods[4];
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = add_pod(&t, name, "g", 9, NULL, "");
    }
    bool succeeded = false;
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        berth_error error = {.code = BERTH_OK};
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status = schedule(&t, pods, 4, &error);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
        succeeded = atomic_load(&memory.calls) < at;
        assert_int_equal(pending(&t), 4);
        small_require(berth_engine_check(t.cluster.engine, &error), &error);
        assert_int_equal(berth_engine_depth(t.cluster.engine), 0);
    }
    assert_true(succeeded);
    assert_true(t.outcome.preempts);
    assert_int_equal(t.outcome.victim_count, 1);
    small_close(&t.cluster);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

#endif
