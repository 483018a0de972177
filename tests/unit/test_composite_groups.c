/* CompositePodGroups: which of the groups below one are placed, and what the others say. Random
 * trees of groups are compared with kube-scheduler by tests/oracle, family composites. */
#include "arena_pieces.h"
#include "pod_group_cluster.h"

static const char composite_gates[] =
    "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";

static int set_up(void **state)
{
    return set_up_with(state, composite_gates);
}

static int set_up_without(void **state)
{
    return set_up_with(state, "GenericWorkload=true,TopologyAwareWorkloadScheduling=true");
}

static void add_composite(group_test *t, const char *name, const char *spec)
{
    small_addf(&t->cluster,
               "apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\n"
               "metadata: {name: %s}\nspec: {%s}\n",
               name, spec);
}

/* A gang below a composite group, created at a second of the day. */
static void add_below(group_test *t, const char *name, const char *parent, int least, int second)
{
    small_addf(&t->cluster,
               "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"
               "metadata: {name: %s, creationTimestamp: '2026-01-01T00:00:%02dZ'}\n"
               "spec: {parentCompositePodGroupName: %s, "
               "schedulingPolicy: {gang: {minCount: %d}}}\n",
               name, second, parent, least);
}

static void node_of_four(group_test *t, const char *name)
{
    small_node(&t->cluster, name, "");
}

/* ---- results by PodGroup ---- */

typedef struct results {
    int count;
    char names[8][32], messages[8][512];
    berth_verdict verdicts[8];
    uint32_t placed[8], already[8];
} results;

static void note(void *context, const berth_pod_group_result *result)
{
    results *r = context;
    assert_true(r->count < 8);
    assert_int_equal(result->namespace_name.len, strlen("default"));
    snprintf(r->names[r->count], sizeof(r->names[0]), "%.*s", (int)result->name.len,
             result->name.data);
    snprintf(r->messages[r->count], sizeof(r->messages[0]), "%.*s", (int)result->message.len,
             result->message.data != NULL ? result->message.data : "");
    r->verdicts[r->count] = result->verdict;
    r->placed[r->count] = result->placed;
    r->already[r->count++] = result->already;
}

static results cycle_with_results(group_test *t, const berth_pod_id *pods, uint32_t count)
{
    results r = {0};
    berth_error error = {.code = BERTH_OK};
    t->outcome = (berth_pod_group_outcome){.size = sizeof(t->outcome),
                                           .nodes = t->nodes,
                                           .nominated = t->nominated,
                                           .ended = t->ended,
                                           .victims = t->victims,
                                           .victim_capacity = PODS_MAX,
                                           .message = t->message,
                                           .message_capacity = sizeof(t->message),
                                           .of_group = note,
                                           .context = &r};
    small_require(
        berth_engine_schedule_pod_group(t->cluster.engine, pods, count, &t->outcome, &error),
        &error);
    small_require(berth_engine_check(t->cluster.engine, NULL), NULL);
    assert_int_equal(berth_engine_depth(t->cluster.engine), 0);
    return r;
}

static bool is_placed(const group_test *t, uint32_t pod)
{
    return t->nodes[pod] != BERTH_NODE_NONE;
}

/* ---- placing ---- */

/* The older group is placed first, whatever the order of the pods. */
static void test_all_fit(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    node_of_four(t, "n1");
    add_composite(t, "c", "schedulingPolicy: {gang: {minGroupCount: 2}}");
    add_below(t, "young", "c", 2, 9);
    add_below(t, "old", "c", 2, 1);
    add_pods(t, "young", 0, pods, 2);
    add_pods(t, "old", 0, pods + 2, 2);
    const results r = cycle_with_results(t, pods, 4);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t->outcome.placed, 4);
    assert_int_equal(t->outcome.minimum, 2);
    assert_int_equal(pending(t), 0);
    assert_int_equal(r.count, 2);
    assert_string_equal(r.names[0], "old");
    assert_string_equal(r.names[1], "young");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(r.verdicts[i], BERTH_VERDICT_PLACED);
        assert_int_equal(r.placed[i], 2);
        assert_string_equal(r.messages[i], "");
    }
}

/* Two gangs of three below c, of which a node of four cores takes one. */
static void add_two_gangs(group_test *t, berth_pod_id *pods)
{
    add_below(t, "a", "c", 3, 1);
    add_below(t, "b", "c", 3, 2);
    add_pods(t, "a", 0, pods, 3);
    add_pods(t, "b", 0, pods + 3, 3);
}

/* A composite group without a gang needs one of its groups; the other leaves nothing behind. */
static void test_one_of_two(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[6];
    node_of_four(t, "n1");
    add_composite(t, "c", "schedulingPolicy: {basic: {}}");
    add_two_gangs(t, pods);
    const results r = cycle_with_results(t, pods, 6);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t->outcome.placed, 3);
    assert_true(is_placed(t, 0) && is_placed(t, 2) && !is_placed(t, 3) && !is_placed(t, 5));
    assert_int_equal(pending(t), 3);
    assert_int_equal(r.verdicts[0], BERTH_VERDICT_PLACED);
    assert_int_equal(r.verdicts[1], BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(r.placed[1], 0);
    assert_string_equal(r.messages[1],
                        "pod group is unschedulable, 0/1 placements are available, first placement "
                        "status: minCount (3) cannot be satisfied: 1 scheduled, 1 remaining");
    assert_true(t->ended[3]); /* it fitted, but its group did not */
    assert_false(t->ended[4]);
    assert_false(t->ended[0]);
}

/* If too few groups fit, none is placed. One that fitted says what its composite group says. */
static void test_too_few(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[6];
    node_of_four(t, "n1");
    add_composite(t, "c", "schedulingPolicy: {gang: {minGroupCount: 2}}");
    add_two_gangs(t, pods);
    const results r = cycle_with_results(t, pods, 6);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(t->outcome.placed, 0);
    assert_int_equal(pending(t), 6);
    static const char of_root[] =
        "pod group is unschedulable, 0/1 placements are available, first placement status: "
        "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining";
    assert_memory_equal(r.messages[0], of_root, sizeof(of_root) - 1);
    /* The root and the group that fitted share a status, to which preemption adds twice. */
    assert_string_equal(r.messages[0] + sizeof(of_root) - 1,
                        ", pod group preemption: No preemption victims found for incoming preemptor"
                        ", pod group preemption: No preemption victims found for incoming "
                        "preemptor");
    assert_memory_equal(t->message, r.messages[0], sizeof(t->message) - 1); /* it is cut */
    assert_non_null(strstr(r.messages[1], "minCount (3) cannot be satisfied"));
    assert_false(t->ended[0]);
    assert_true(t->ended[3]);
}

/* Pods on nodes count for their group, which may be placed without another one. */
static void test_already(void **state)
{
    group_test *t = *state;
    berth_pod_id pod;
    node_of_four(t, "n1");
    add_composite(t, "c", "schedulingPolicy: {gang: {minGroupCount: 2}}");
    add_below(t, "a", "c", 2, 1);
    add_below(t, "b", "c", 1, 2);
    add_pod(t, "on1", "a", 0, "n1", "");
    add_pod(t, "on2", "a", 0, "n1", "");
    add_pods(t, "b", 0, &pod, 1);
    const results r = cycle_with_results(t, &pod, 1);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t->outcome.already, 2);
    assert_int_equal(r.already[0], 2);
    assert_int_equal(r.already[1], 0);
    assert_int_equal(r.verdicts[0], BERTH_VERDICT_PLACED);
    assert_int_equal(r.placed[0], 0);
}

/* A tree without all its pods can be kept back, as the queue does. */
static void test_waits(void **state)
{
    group_test *t = *state;
    berth_error error = {.code = BERTH_OK};
    node_of_four(t, "n1");
    add_composite(t, "c", "schedulingPolicy: {gang: {minGroupCount: 2}}");
    add_below(t, "a", "c", 1, 1);
    add_below(t, "b", "c", 1, 2);
    berth_pod_id pods[2] = {add_pod(t, "a", "a", 0, NULL, "")};
    results r = {0};
    t->outcome = (berth_pod_group_outcome){.size = sizeof(t->outcome),
                                           .nodes = t->nodes,
                                           .message = t->message,
                                           .message_capacity = sizeof(t->message),
                                           .of_group = note,
                                           .context = &r,
                                           .waits = true};
    berth_pod_group_outcome *out = &t->outcome;
    small_require(berth_engine_schedule_pod_group(t->cluster.engine, pods, 1, out, &error), &error);
    static const char words[] = "waiting for composite pod group \"c\" tree to meet quorum";
    assert_int_equal(out->verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_string_equal(t->message, words);
    assert_int_equal(r.count, 2);
    assert_string_equal(r.messages[1], words);
    pods[1] = add_pod(t, "b", "b", 0, NULL, "");
    small_require(berth_engine_schedule_pod_group(t->cluster.engine, pods, 2, out, &error), &error);
    assert_int_equal(out->placed, 2);
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 2}}");
    pods[0] = add_pod(t, "g", "g", 0, NULL, "");
    small_require(berth_engine_schedule_pod_group(t->cluster.engine, pods, 1, out, &error), &error);
    assert_string_equal(t->message,
                        "waiting for minCount pods from a gang to appear in scheduling queue");
}

/* ---- levels ---- */

static void test_four_levels(void **state)
{
    group_test *t = *state;
    berth_error error = {.code = BERTH_OK};
    berth_pod_id pod;
    node_of_four(t, "n1");
    add_composite(t, "one", "schedulingPolicy: {basic: {}}");
    add_composite(t, "two", "schedulingPolicy: {basic: {}}, parentCompositePodGroupName: one");
    add_composite(t, "three", "schedulingPolicy: {basic: {}}, parentCompositePodGroupName: two");
    add_below(t, "leaf", "three", 1, 1);
    add_pods(t, "leaf", 0, &pod, 1);
    cycle_with_results(t, &pod, 1);
    assert_int_equal(t->outcome.placed, 1);
    add_composite(t, "four", "schedulingPolicy: {basic: {}}, parentCompositePodGroupName: three");
    add_below(t, "deep", "four", 1, 1);
    add_pods(t, "deep", 0, &pod, 1);
    assert_int_equal(schedule(t, &pod, 1, &error), BERTH_E_INVALID);
    assert_string_equal(error.message, "default/deep is below more than 3 other groups");
    pod = add_pod(t, "again", "leaf", 0, NULL, "");
    cycle_with_results(t, &pod, 1); /* the tree has no place for it */
    assert_int_equal(t->outcome.placed, 1);
}

static void test_circle(void **state)
{
    group_test *t = *state;
    berth_error error = {.code = BERTH_OK};
    berth_pod_id pod;
    add_composite(t, "a", "schedulingPolicy: {basic: {}}, parentCompositePodGroupName: b");
    add_composite(t, "b", "schedulingPolicy: {basic: {}}, parentCompositePodGroupName: a");
    add_below(t, "leaf", "a", 1, 1);
    add_pods(t, "leaf", 0, &pod, 1);
    assert_int_equal(schedule(t, &pod, 1, &error), BERTH_E_INVALID);
    assert_string_equal(error.message, "default/leaf is below more than 3 other groups");
}

static void test_missing(void **state)
{
    group_test *t = *state;
    berth_error error = {.code = BERTH_OK};
    berth_pod_id pods[2];
    add_below(t, "leaf", "c", 1, 1);
    add_pods(t, "leaf", 0, pods, 1);
    assert_int_equal(schedule(t, pods, 1, &error), BERTH_E_NOT_FOUND);
    assert_string_equal(error.message, "there is no CompositePodGroup default/c");
    berth_pod_info info = {.size = sizeof(info)};
    small_require(berth_engine_pod_info(t->cluster.engine, pods[0], &info, &error), &error);
    assert_memory_equal(info.composite_group.data, "c", 1);
    assert_int_equal(info.composite_group.len, 1);
    add_composite(t, "c", "schedulingPolicy: {basic: {}}, parentCompositePodGroupName: top");
    small_require(berth_engine_pod_info(t->cluster.engine, pods[0], &info, &error), &error);
    assert_memory_equal(info.composite_group.data, "top", 3);
    add_composite(t, "top", "schedulingPolicy: {basic: {}}");
    add_group(t, "alone", "schedulingPolicy: {basic: {}}");
    add_pods(t, "alone", 0, pods + 1, 1);
    small_require(berth_engine_pod_info(t->cluster.engine, pods[1], &info, &error), &error);
    assert_null(info.composite_group.data);
    assert_int_equal(schedule(t, pods, 2, &error), BERTH_E_INVALID);
    assert_string_equal(error.message, "the pod in entry 1 is of another group than the first");
}

/* A nested group that fails takes only its own pods back. */
static void test_nested_fails(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    node_of_four(t, "n1");
    add_composite(t, "root", "schedulingPolicy: {basic: {}}");
    add_composite(t, "all",
                  "schedulingPolicy: {gang: {minGroupCount: 2}}, "
                  "parentCompositePodGroupName: root");
    add_below(t, "a", "all", 2, 1);
    add_below(t, "b", "all", 9, 2);
    add_below(t, "z", "root", 2, 3);
    add_pods(t, "a", 0, pods, 2);
    add_pods(t, "z", 0, pods + 2, 2);
    const results r = cycle_with_results(t, pods, 4);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t->outcome.placed, 2);
    assert_false(is_placed(t, 0));
    assert_true(is_placed(t, 2) && is_placed(t, 3));
    assert_int_equal(r.count, 3);
    assert_string_equal(r.messages[0],
                        "pod group is unschedulable, 0/1 placements are available, first placement "
                        "status: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining");
    assert_string_equal(r.messages[1],
                        "pod group is unschedulable, 0/1 placements are available, first placement "
                        "status: pod group is unschedulable");
    assert_int_equal(r.verdicts[2], BERTH_VERDICT_PLACED);
}

/* Without its gate, the parent is not read. */
static void test_without_gate(void **state)
{
    group_test *t = *state;
    berth_pod_id pod;
    node_of_four(t, "n1");
    add_below(t, "leaf", "missing", 1, 1);
    add_pods(t, "leaf", 0, &pod, 1);
    const results r = cycle_with_results(t, &pod, 1);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(r.count, 1);
}

/* ---- domains ---- */

/* All groups share the rack of the composite one, although two racks would be easier. */
static void test_one_rack(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[6];
    add_in_rack(t, "a1", "a");
    add_in_rack(t, "b1", "b");
    add_in_rack(t, "b2", "b");
    add_composite(t, "c",
                  "schedulingPolicy: {gang: {minGroupCount: 2}}, "
                  "schedulingConstraints: {topology: [{key: rack}]}");
    add_below(t, "v", "c", 3, 1);
    add_below(t, "w", "c", 3, 2);
    add_pods(t, "v", 0, pods, 3);
    add_pods(t, "w", 0, pods + 3, 3);
    cycle_with_results(t, pods, 6);
    assert_int_equal(t->outcome.placed, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(rack_of(t, i)[0], 'b');
}

/* A group below it chooses among the nodes of the domain that was chosen above. */
static void test_domain_in_domain(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    static const char *const racks[][3] = {
        {"n1", "east", "r1"}, {"n2", "east", "r1"}, {"n3", "west", "r1"}, {"n4", "west", "r2"}};
    char labels[64];
    for (int i = 0; i < 4; i++) {
        snprintf(labels, sizeof(labels), ", labels: {side: %s, rack: %s}", racks[i][1],
                 racks[i][2]);
        small_node(&t->cluster, racks[i][0], labels);
    }
    add_composite(t, "c", "schedulingConstraints: {topology: [{key: side}]}");
    small_addf(&t->cluster,
               "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g}\n"
               "spec: {parentCompositePodGroupName: c, schedulingPolicy: {gang: {minCount: 4}}, "
               "schedulingConstraints: {topology: [{key: rack}]}}\n%s",
               "");
    add_pod(t, "big", NULL, 0, "n1", "");
    add_pods(t, "g", 0, pods, 4);
    const results r = cycle_with_results(t, pods, 4);
    assert_int_equal(t->outcome.placed, 4);
    assert_int_equal(r.verdicts[0], BERTH_VERDICT_PLACED);
    const char first = rack_of(t, 0)[1];
    for (int i = 1; i < 4; i++)
        assert_true((rack_of(t, i)[1] <= '2') == (first <= '2'));
}

/* A pod outside of the domains is an error of the whole tree. */
static void test_stray(void **state)
{
    group_test *t = *state;
    berth_pod_id pod;
    add_in_rack(t, "a1", "a");
    small_node(&t->cluster, "bare", "");
    add_composite(t, "c", "schedulingConstraints: {topology: [{key: rack}]}");
    add_below(t, "x", "c", 1, 1);
    add_pod(t, "far", "x", 0, "bare", "");
    add_pods(t, "x", 0, &pod, 1);
    const results r = cycle_with_results(t, &pod, 1);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(r.verdicts[0], BERTH_VERDICT_ERROR);
    assert_string_equal(r.messages[0], "cannot determine domain for already scheduled pods: no "
                                       "topology domain found for pod default/far");
    assert_true(t->ended[0]);
}

/* ---- preemption ---- */

/* Victims below a composite group of mode All leave together, and count more than a group. */
static void test_victims_together(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[3];
    node_of_four(t, "n1");
    node_of_four(t, "n2");
    add_composite(t, "low", "priority: 1, disruptionMode: {all: {}}");
    add_below(t, "low-a", "low", 1, 1);
    add_below(t, "low-b", "low", 1, 2);
    add_group(t, "plain", "priority: 1, disruptionMode: {all: {}}");
    add_pod(t, "a", "low-a", 1, "n1", "");
    add_pod(t, "b", "low-b", 1, "n2", "");
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        add_pod(t, name, "plain", 1, i < 2 ? "n1" : "n2", "");
    }
    add_pod(t, "s1", NULL, 9, "n1", "");
    add_pod(t, "s2", NULL, 9, "n2", "");
    add_pod(t, "s3", NULL, 9, "n2", "");
    add_composite(t, "high", "priority: 5, schedulingPolicy: {gang: {minGroupCount: 1}}");
    add_below(t, "g", "high", 3, 1);
    add_pods(t, "g", 5, pods, 3);
    results r = cycle_with_results(t, pods, 3);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 3); /* the three of the smaller rank */
    assert_non_null(strstr(r.messages[0], "preempting 3 victims"));
    for (int i = 0; i < 3; i++)
        assert_true(t->nominated[i] != BERTH_NODE_NONE);
    add_pod(t, "late", "g", 5, NULL, "");
    berth_pod_id four[4] = {pods[0], pods[1], pods[2], add_pod(t, "fourth", "g", 5, NULL, "")};
    add_pod(t, "s4", NULL, 9, NULL, "");
    r = cycle_with_results(t, four, 4);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 5); /* both groups, each as a whole */
}

/* The highest group of mode All counts, up to three above the PodGroup, and its priority. */
static void test_victims_of_the_highest(void **state)
{
    group_test *t = *state;
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    node_of_four(t, "n1");
    node_of_four(t, "n2");
    add_composite(t, "top", "priority: 1, disruptionMode: {all: {}}");
    add_composite(t, "mid", "priority: 50, parentCompositePodGroupName: top");
    add_composite(t, "low", "priority: 50, parentCompositePodGroupName: mid");
    small_addf(&t->cluster,
               "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: %s}\n"
               "spec: {parentCompositePodGroupName: low, priority: 50}\n",
               "leaf");
    add_below(t, "other", "top", 1, 1);
    add_pod(t, "a", "leaf", 50, "n1", "");
    add_pod(t, "b", "leaf", 50, "n1", "");
    add_pod(t, "c", "other", 50, "n2", "");
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof(name), "s%d", i);
        add_pod(t, name, NULL, 99, i < 2 ? "n1" : "n2", "");
    }
    const berth_pod_id pod = add_pod(t, "new", NULL, 9, NULL, "");
    small_decide(&t->cluster, pod);
    assert_int_equal(berth_explanation_victim_count(t->cluster.explanation), 3);
    small_require(berth_engine_schedule(t->cluster.engine, pod, &placement, &error), &error);
    assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
}

static void test_memory(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    group_test t = {0};
    berth_pod_id pods[4];
    (void)state;
    open_with(&t, composite_gates, &allocator);
    add_in_rack(&t, "n1", "a");
    add_composite(&t, "low", "priority: 1, disruptionMode: {all: {}}");
    add_below(&t, "low-a", "low", 1, 1);
    add_pod(&t, "victim", "low-a", 1, "n1", "");
    add_composite(&t, "c",
                  "priority: 9, schedulingPolicy: {gang: {minGroupCount: 2}}, "
                  "schedulingConstraints: {topology: [{key: rack}]}");
    add_below(&t, "a", "c", 2, 1);
    add_below(&t, "b", "c", 2, 2);
    add_pods(&t, "a", 9, pods, 2);
    add_pods(&t, "b", 9, pods + 2, 2);
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
    }
    assert_true(succeeded);
    assert_int_equal(t.outcome.victim_count, 1);
    small_close(&t.cluster);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_all_fit),
        TEST(test_one_of_two),
        TEST(test_too_few),
        TEST(test_already),
        TEST(test_waits),
        TEST(test_four_levels),
        TEST(test_circle),
        TEST(test_missing),
        TEST(test_nested_fails),
        cmocka_unit_test_setup_teardown(test_without_gate, set_up_without, tear_down),
        TEST(test_one_rack),
        TEST(test_domain_in_domain),
        TEST(test_stray),
        TEST(test_victims_together),
        TEST(test_victims_of_the_highest),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
