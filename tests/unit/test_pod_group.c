/* PodGroups: what a cycle of a group places, refuses and evicts, and the errors of the call. Random
 * groups are compared with kube-scheduler by tests/oracle, family groups. */
#include "arena_pieces.h"
#include "one_plugin.h"
#include "pod_group_cluster.h"
#include "profile_points.h"

static int set_up(void **state)
{
    return set_up_with(state, "GenericWorkload=true");
}

/* ---- placing ---- */

static void test_all_or_none(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[5];
    char name[8];
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 5}}");
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = add_pod(t, name, "g", 0, NULL, "");
    }
    cycle(t, pods, 5); /* the node has four cores */
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(t->outcome.placed, 0);
    assert_int_equal(t->outcome.minimum, 5);
    assert_string_equal(t->message, "minCount (5) cannot be satisfied: 4 scheduled, 0 remaining, "
                                    "pod group preemption: No preemption victims found for "
                                    "incoming preemptor");
    assert_int_equal(pending(t), 5);
    assert_true(t->ended[0]);  /* it would have fitted, */
    assert_false(t->ended[4]); /* unlike this one */
    small_node(&t->cluster, "n2", "");
    cycle(t, pods, 5);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t->outcome.placed, 5);
    assert_string_equal(t->message, "");
    assert_int_equal(pending(t), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(t->nodes[i], berth_engine_pod_node(t->cluster.engine, pods[i]));
}

/* A minimum below the number of pods, pods that are on nodes already, and a basic group. */
static void test_minimum(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 4}}");
    add_pod(t, "old", "g", 0, "n1", "");
    berth_pod_id pods[5];
    char name[8];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = add_pod(t, name, "g", 0, NULL, "");
    }
    cycle(t, pods, 4);
    assert_int_equal(t->outcome.already, 1);
    assert_int_equal(t->outcome.placed, 3);
    assert_int_equal(t->nodes[3], BERTH_NODE_NONE);
    cycle(t, &pods[3], 1); /* enough are there, but the node is full */
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_string_equal(t->message,
                        "pod group is unschedulable, pod group preemption: No preemption "
                        "victims found for incoming preemptor");
    small_node(&t->cluster, "n2", "");
    add_group(t, "basic", "schedulingPolicy: {basic: {}}");
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "b%d", i);
        pods[i] = add_pod(t, name, "basic", 0, NULL, "");
    }
    cycle(t, pods, 5);
    assert_int_equal(t->outcome.placed, 4);
}

/* After a cycle that places nothing, nodes are tried from where its last pod has ended. */
static void test_rotation_of_refused(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[3];
    char name[8];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        small_node(&t->cluster, name, "");
    }
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 3}}");
    add_pods(t, "g", 0, pods, 2);
    pods[2] = add_pod(t, "none", "g", 0, NULL, "nodeSelector: {no: node}, ");
    const berth_pod_id alone = add_pod(t, "alone", NULL, 0, NULL, "");
    cycle(t, pods, 3);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_placement placement;
    assert_int_equal(berth_engine_schedule(t->cluster.engine, alone, &placement, NULL), BERTH_OK);
    assert_true(placement.feasible_count < 300);
    assert_int_equal(placement.start, 2 * placement.feasible_count % 300);
}

/* ---- preemption ---- */

static void test_preemption(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    small_node(&t->cluster, "n2", "");
    add_group(t, "low", "schedulingPolicy: {basic: {}}, priority: 1, disruptionMode: {all: {}}");
    add_group(t, "high", "schedulingPolicy: {gang: {minCount: 2}}, priority: 9");
    const berth_pod_id low1 = add_pod(t, "low1", "low", 1, "n1", "");
    const berth_pod_id low2 = add_pod(t, "low2", "low", 1, "n2", "");
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof(name), "k%d", i);
        add_pod(t, name, NULL, 9, i % 2 == 0 ? "n1" : "n2", "");
    }
    const berth_pod_id pods[] = {add_pod(t, "high1", "high", 9, NULL, ""),
                                 add_pod(t, "high2", "high", 9, NULL, "")};
    cycle(t, pods, 2);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 2);
    assert_int_equal(t->victims[0], low1);
    assert_int_equal(t->victims[1], low2);
    assert_int_not_equal(t->nominated[0], t->nominated[1]);
    assert_int_equal(berth_engine_pod_node(t->cluster.engine, low1),
                     berth_engine_find_node(t->cluster.engine, (berth_str)TEXT("n1")));
    assert_non_null(strstr(t->message, "found a placement for podgroup, preempting 2 victims"));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(berth_engine_nominate(t->cluster.engine, pods[i], t->nominated[i], NULL),
                         BERTH_OK);
        char name[8];
        const int len = snprintf(name, sizeof(name), "low%d", i + 1);
        assert_int_equal(berth_engine_remove(t->cluster.engine, BERTH_KIND_POD,
                                             (berth_str)TEXT("default"),
                                             (berth_str){name, (uint32_t)len}, NULL),
                         BERTH_OK);
    }
    cycle(t, pods, 2);
    assert_int_equal(t->outcome.placed, 2);
}

/* A nomination for a node that is gone takes no room there, and stays valid. */
static void test_nominated_for_a_node_that_is_gone(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    const berth_node_id gone = (berth_node_id)small_node(&t->cluster, "n2", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 4}}, priority: 9");
    add_pod(t, "low", NULL, 1, "n1", "");
    berth_pod_id pods[4];
    add_pods(t, "g", 9, pods, 4);
    assert_int_equal(berth_engine_nominate(t->cluster.engine, pods[0], gone, NULL), BERTH_OK);
    assert_int_equal(berth_engine_remove(t->cluster.engine, BERTH_KIND_NODE, (berth_str){0},
                                         (berth_str)TEXT("n2"), NULL),
                     BERTH_OK);
    cycle(t, pods, 4);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 1);
    for (int i = 0; i < 4; i++)
        assert_int_not_equal(t->nominated[i], gone);
}

/* Two nodes with pods of one core; on each node, one of them belongs to a group that a single pod
 * can evict only as a whole. */
static berth_pod_id add_victims(group_test *t)
{
    small_node(&t->cluster, "n1", "");
    small_node(&t->cluster, "n2", "");
    add_group(t, "low", "schedulingPolicy: {basic: {}}, priority: 1, disruptionMode: {all: {}}");
    for (int i = 0; i < 8; i++) {
        char name[8];
        snprintf(name, sizeof(name), "k%d", i);
        const char *node = i % 2 == 0 ? "n1" : "n2";
        if (i < 2)
            add_pod(t, name, "low", 1, node, "");
        else
            add_pod(t, name, NULL, 9, node, "");
    }
    return add_pod(t, "one", NULL, 5, NULL, "");
}

/* A single pod evicts the pods of a group together, including those on other nodes. */
static void test_group_as_victim(void **state)
{
    group_test *t = *state;
    berth_placement placement;
    const berth_decide_options options = {.size = sizeof(options),
                                          .explanation = t->cluster.explanation};
    const berth_pod_id pod = add_victims(t);
    assert_int_equal(berth_engine_decide(t->cluster.engine, pod, &options, &placement, NULL),
                     BERTH_OK);
    assert_int_equal(berth_explanation_victim_count(t->cluster.explanation), 2);
}

/* A budget that protects one pod of a group protects all of them, whichever pod it is: a more
 * important pod without a budget is evicted instead. */
static void test_budget_of_one_in_a_group(void **state)
{
    group_test *t = *state;
    small_cluster *c = &t->cluster;
    const berth_decide_options options = {.size = sizeof(options), .explanation = c->explanation};
    add_group(t, "low", "schedulingPolicy: {basic: {}}, priority: 1, disruptionMode: {all: {}}");
    for (int i = 1; i <= 3; i++) {
        char name[8];
        snprintf(name, sizeof(name), "n%d", i);
        small_node(c, name, "");
        for (int k = 0; k < 3; k++) {
            char pod[8];
            snprintf(pod, sizeof(pod), "k%d%d", i, k);
            add_pod(t, pod, NULL, 9, name, "");
        }
    }
    for (int i = 1; i <= 2; i++)
        small_addf(c,
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: low%d, labels: {number: '%d'}}\n"
                   "spec: {priority: 1, nodeName: n%d, schedulingGroup: {podGroupName: low}, "
                   "containers: [{name: c, image: i, resources: {requests: {cpu: 1}}}]}\n",
                   i, i, i);
    const berth_pod_id plain = add_pod(t, "plain", NULL, 3, "n3", "");
    const berth_pod_id pod = add_pod(t, "one", NULL, 5, NULL, "");
    for (int i = 1; i <= 2; i++) {
        char selector[64];
        berth_placement placement;
        snprintf(selector, sizeof(selector), "{matchLabels: {number: '%d'}}", i);
        small_budget(c, selector, "disruptionsAllowed: 0");
        assert_int_equal(berth_engine_decide(c->engine, pod, &options, &placement, NULL), BERTH_OK);
        assert_int_equal(berth_explanation_victim_count(c->explanation), 1);
        assert_int_equal(berth_explanation_victim(c->explanation, 0), plain);
        assert_int_equal(berth_engine_remove(c->engine, BERTH_KIND_POD_DISRUPTION_BUDGET,
                                             berth_str_of("default"), berth_str_of("b"), NULL),
                         BERTH_OK);
    }
}

/* Nodes are compared by their first victim, the most important one by its group's priority. Its own
 * priority is 0 on n1 and 1 on n2, although n1 also has a victim of priority 5. */
static void test_first_victim(void **state)
{
    group_test *t = *state;
    berth_placement placement;
    const berth_decide_options options = {.size = sizeof(options),
                                          .explanation = t->cluster.explanation};
    small_node(&t->cluster, "n1", "");
    small_node(&t->cluster, "n2", "");
    add_group(t, "low", "schedulingPolicy: {basic: {}}");
    add_pod(t, "a", "low", 0, "n1", "");
    add_pod(t, "b", "low", 5, "n1", "");
    add_pod(t, "c", NULL, 1, "n2", "");
    const berth_pod_id pod =
        (berth_pod_id)small_pod(&t->cluster, "high", NULL, "",
                                "priority: 9, containers: [{name: c, image: i, resources: "
                                "{requests: {cpu: 4}}}]");
    assert_int_equal(berth_engine_decide(t->cluster.engine, pod, &options, &placement, NULL),
                     BERTH_OK);
    assert_int_equal(berth_explanation_victim_count(t->cluster.explanation), 2);
}

/* While victims are put back, an empty selector counts them, although it counts no pod at first. So
 * no victim can be put back: maxSkew leaves room only for the new pod. */
static void test_spread_by_hooks(void **state)
{
    static const char spread[] = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                                 "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], ";
    static const char wide_spread[] = "topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, "
                                      "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], ";
    group_test *t = *state;
    char name[8];
    small_node(&t->cluster, "n1", ", labels: {zone: a}");
    small_node(&t->cluster, "n2", ", labels: {zone: b}");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 9");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "low%d", i);
        add_pod(t, name, NULL, 1, "n1", "");
        snprintf(name, sizeof(name), "high%d", i);
        add_pod(t, name, NULL, 10, "n2", "");
    }
    const berth_pod_id pods[2] = {add_pod(t, "a", "g", 9, NULL, spread),
                                  add_pod(t, "b", "g", 9, NULL, "")};
    cycle(t, pods, 1);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 4);
    cycle(t, &pods[1], 1); /* without the constraint one is enough */
    assert_int_equal(t->outcome.victim_count, 1);
    /* A pod that is nominated for the node counts, too: then the member does not even fit alone. */
    nominate(t, add_pod(t, "kept", NULL, 9, NULL, ""), "n1");
    cycle(t, pods, 1);
    assert_false(t->outcome.preempts);
    /* If there is room for both, the nominated pod counts beside each victim that would be put
     * back. */
    const berth_pod_id wide = add_pod(t, "c", "g", 9, NULL, wide_spread);
    cycle(t, &wide, 1);
    assert_int_equal(t->outcome.victim_count, 4);
}

/* Whichever allocation fails while hooks count a nominated pod, too: no memory, or the victims that
 * there are with enough of it. */
static void test_memory_of_hooks(void **state)
{
    (void)state;
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    group_test t = {0};
    open_with(&t, "GenericWorkload=true", &allocator);
    small_node(&t.cluster, "n1", ", labels: {zone: a}");
    small_node(&t.cluster, "n2", ", labels: {zone: b}");
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 9");
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof(name), "low%d", i);
        add_pod(&t, name, NULL, 1, "n1", "");
        snprintf(name, sizeof(name), "high%d", i);
        add_pod(&t, name, NULL, 10, "n2", "");
    }
    nominate(&t, add_pod(&t, "kept", NULL, 9, NULL, ""), "n1");
    const berth_pod_id pod =
        add_pod(&t, "c", "g", 9, NULL,
                "topologySpreadConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: "
                "DoNotSchedule, labelSelector: {}}], ");
    bool succeeded = false;
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        berth_error error = {.code = BERTH_OK};
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status = schedule(&t, &pod, 1, &error);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
        assert_true(status == BERTH_E_NOMEM || t.outcome.victim_count == 4);
        succeeded = atomic_load(&memory.calls) < at;
        small_require(berth_engine_check(t.cluster.engine, &error), &error);
    }
    assert_true(succeeded);
    small_close(&t.cluster);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void test_never(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 5}}, priority: 9");
    add_pod(t, "low", NULL, 1, "n1", "");
    berth_pod_id pods[5];
    add_pods_with(t, "g", 9, "preemptionPolicy: Never,", pods, 5);
    cycle(t, pods, 5);
    assert_false(t->outcome.preempts);
    assert_non_null(strstr(t->message, "not eligible due to preemptionPolicy=Never."));
}

/* ---- contradictions ---- */

static void test_contradictions(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 2");
    berth_pod_id pods[2] = {add_pod(t, "a", "g", 2, NULL, ""), add_pod(t, "b", "g", 3, NULL, "")};
    cycle(t, pods, 2);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(t->message,
                        "all pods in a single pod group should have the same priority as "
                        "the pod group's priority, got 3 and 2");
    assert_int_equal(pending(t), 2);
    pods[1] = add_pod(t, "c", "g", 2, NULL, "preemptionPolicy: Never,");
    cycle(t, pods, 2);
    assert_string_equal(t->message,
                        "all pods in a single pod group should have the same preemption "
                        "policy, got Never and PreemptLowerPriority");
    t->outcome.verdict = BERTH_VERDICT_PLACED;
    char small[12];
    t->outcome.message = small;
    t->outcome.message_capacity = sizeof(small);
    assert_int_equal(berth_engine_schedule_pod_group(t->cluster.engine, pods, 2, &t->outcome, NULL),
                     BERTH_OK);
    assert_string_equal(small, "all pods in");
}

/* ---- errors ---- */

static void expect(group_test *t, const berth_pod_id *pods, uint32_t count, berth_status status,
                   const char *words)
{
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(schedule(t, pods, count, &error), status);
    assert_non_null(strstr(error.message, words));
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
}

static void test_errors(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {basic: {}}");
    add_group(t, "h", "schedulingPolicy: {basic: {}}");
    const berth_pod_id of_g = add_pod(t, "a", "g", 0, NULL, "");
    const berth_pod_id of_h = add_pod(t, "b", "h", 0, NULL, "");
    const berth_pod_id alone = add_pod(t, "c", NULL, 0, NULL, "");
    const berth_pod_id absent = add_pod(t, "d", "x", 0, NULL, "");
    const berth_pod_id placed = add_pod(t, "e", "g", 0, "n1", "");
    expect(t, &of_g, 0, BERTH_E_ARG, "0 pods");
    expect(t, NULL, 1, BERTH_E_ARG, "`pods` is NULL");
    expect(t, (berth_pod_id[]){of_g, of_g}, 2, BERTH_E_ARG, "\"a\" is given twice");
    const berth_pod_id between = add_pod(t, "f", "g", 0, NULL, "");
    expect(t, (berth_pod_id[]){between, of_g, between}, 3, BERTH_E_ARG, "\"f\" is given twice");
    expect(t, (berth_pod_id[]){of_g, of_h}, 2, BERTH_E_INVALID, "entry 1 is of another group");
    expect(t, &alone, 1, BERTH_E_INVALID, "no spec.schedulingGroup");
    expect(t, &absent, 1, BERTH_E_NOT_FOUND, "no PodGroup default/x");
    expect(t, (berth_pod_id[]){of_g, BERTH_POD_NONE}, 2, BERTH_E_NOT_FOUND, "entry 1");
    expect(t, &placed, 1, BERTH_E_STATE, "on a node");
    berth_pod_group_outcome unsized = {0};
    assert_int_equal(berth_engine_schedule_pod_group(t->cluster.engine, &of_g, 1, &unsized, NULL),
                     BERTH_E_ARG);
    assert_int_equal(berth_engine_schedule_pod_group(t->cluster.engine, &of_g, 1, NULL, NULL),
                     BERTH_E_ARG);
    assert_int_equal(berth_engine_schedule_pod_group(NULL, &of_g, 1, &t->outcome, NULL),
                     BERTH_E_ARG);
}

/* The same errors for a group that is given up before its first pod is tried. */
static void test_errors_before_the_first_pod(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 5}}");
    const berth_pod_id placed = add_pod(t, "a", "g", 0, "n1", "");
    const berth_pod_id strange = add_pod(t, "b", "g", 0, NULL, "schedulerName: other,");
    const berth_pod_id pending_pod = add_pod(t, "c", "g", 0, NULL, "");
    expect(t, &placed, 1, BERTH_E_STATE, "the pod in entry 0 is on a node");
    expect(t, &strange, 1, BERTH_E_NOT_FOUND, "no profile serves scheduler \"other\"");
    const berth_pod_id both[] = {pending_pod, strange};
    berth_error error = {.code = BERTH_OK};
    small_require(schedule(t, both, 2, &error), &error);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_non_null(strstr(t->message, "should have the same .spec.schedulerName"));
}

/* Groups of the same name in two namespaces are two groups. */
static void test_namespaces(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}");
    const berth_pod_id own = add_pod(t, "a", "g", 0, NULL, "");
    for (int i = 0; i < 2; i++)
        small_addf(&t->cluster,
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: other%d, namespace: other}\n"
                   "spec: {schedulingGroup: {podGroupName: g}, %s\n"
                   "  containers: [{name: c, image: i}]}\n",
                   i, i == 0 ? "nodeName: n1," : "");
    const berth_pod_id other = small_last(&t->cluster);
    expect(t, (berth_pod_id[]){own, other}, 2, BERTH_E_INVALID,
           "the pod in entry 1 is of another group than the first");
    cycle(t, &own, 1);
    assert_int_equal(t->outcome.placed, 1);
    assert_int_equal(t->outcome.already, 0); /* the running one is not of this group */
    expect(t, &other, 1, BERTH_E_NOT_FOUND, "there is no PodGroup other/g");
}

/* With PodGroupPreemptionPolicy, the group has the policy, which its pods must repeat. */
static void test_policy_of_the_group(void **state)
{
    group_test t = {0};
    berth_pod_id pods[5];
    (void)state;
    open_with(&t, "GenericWorkload=true,PodGroupPreemptionPolicy=true", NULL);
    small_node(&t.cluster, "n1", "");
    add_group(&t, "g",
              "schedulingPolicy: {gang: {minCount: 4}}, priority: 9, preemptionPolicy: Never");
    add_group(&t, "h", "schedulingPolicy: {gang: {minCount: 4}}, priority: 9");
    add_pod(&t, "low", NULL, 1, "n1", "");
    pods[0] = add_pod(&t, "eager", "g", 9, NULL, "");
    cycle(&t, pods, 1);
    assert_int_equal(t.outcome.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(t.message,
                        "all pods in a single pod group should have the same preemption policy as "
                        "the pod group's preemption policy, got PreemptLowerPriority and Never");
    add_pods_with(&t, "g", 9, "preemptionPolicy: Never,", pods, 4);
    cycle(&t, pods, 4);
    assert_false(t.outcome.preempts);
    assert_non_null(strstr(t.message, "not eligible due to preemptionPolicy=Never."));
    add_pods(&t, "h", 9, pods, 4);
    cycle(&t, pods, 4);
    assert_true(t.outcome.preempts);
    small_close(&t.cluster);
}

/* All arrays of the outcome may be absent, and victims that do not fit into theirs are counted. */
static void test_outcome_without_arrays(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4], victims[2] = {77, 77};
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 4}}, priority: 9");
    add_pod(t, "low1", NULL, 1, "n1", "");
    add_pod(t, "low2", NULL, 1, "n1", "");
    add_pods(t, "g", 9, pods, 4);
    cycle(t, pods, 4);
    assert_int_equal(t->outcome.victim_count, 2);
    berth_pod_group_outcome bare = {.size = sizeof(bare)};
    assert_int_equal(berth_engine_schedule_pod_group(t->cluster.engine, pods, 4, &bare, NULL),
                     BERTH_OK);
    assert_true(bare.preempts);
    assert_int_equal(bare.victim_count, 2);
    bare.victims = victims;
    bare.victim_capacity = 1;
    bare.message = t->message;
    bare.message_capacity = 0;
    t->message[0] = '?';
    assert_int_equal(berth_engine_schedule_pod_group(t->cluster.engine, pods, 4, &bare, NULL),
                     BERTH_OK);
    assert_int_equal(bare.victim_count, 2);
    assert_int_equal(victims[0], t->victims[0]);
    assert_int_equal(victims[1], 77);
    assert_int_equal(t->message[0], '?');
}

static void test_without_the_gate(void **state)
{
    (void)state;
    group_test t = {0};
    open_with(&t, "", NULL);
    add_group(&t, "g", "schedulingPolicy: {basic: {}}");
    const berth_pod_id pod = add_pod(&t, "a", "g", 0, NULL, "");
    expect(&t, &pod, 1, BERTH_E_STATE, "GenericWorkload=true");
    small_close(&t.cluster);
}

/* ---- members that fail ---- */

static void take_all(const berth_cycle *cycle, const void *instance, const void *state,
                     berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slice;
}

/* Refuses the first pod that it may refuse. */
static berth_status refuse_first(void *context, const berth_cycle *cycle, berth_pod_id pod,
                                 berth_node_id node)
{
    int *refused = context;
    (void)pod;
    (void)node;
    return berth_cycle_may_refuse(cycle) && (*refused)++ == 0 ? BERTH_E_CONFLICT : BERTH_OK;
}

/* Refuses one pod, even where refusing is not allowed. */
static berth_status refuse_one(void *context, const berth_cycle *cycle, berth_pod_id pod,
                               berth_node_id node)
{
    const berth_pod_id *refused = context;
    (void)cycle;
    (void)node;
    return pod == *refused ? BERTH_E_CONFLICT : BERTH_OK;
}

static void forget(void *context, const berth_cycle *cycle, berth_pod_id pod, berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
}

/* Open the test's engine with a plugin that reserves, and with DefaultPreemption. */
static void open_reserving(group_test *t, void *context,
                           berth_status (*reserve)(void *, const berth_cycle *, berth_pod_id,
                                                   berth_node_id))
{
    const berth_plugin moody = {.size = sizeof(moody),
                                .name = "Moody",
                                .context = context,
                                .filter = take_all,
                                .reserve = reserve,
                                .unreserve = forget};
    const berth_plugin_ref preemption = {.name = TEXT("DefaultPreemption")};
    berth_plugin_list points[BERTH_POINT_COUNT] = {0};
    one_plugin room;
    berth_engine_config *config = one_plugin_config(&room, &moody);
    memcpy(points, room.points, sizeof(room.points));
    points[BERTH_POINT_POST_FILTER] = (berth_plugin_list){&preemption, 1};
    room.profile.points = points;
    room.profile.point_count = BERTH_POINT_COUNT;
    config->kubernetes = 37;
    config->feature_gates = (berth_str)TEXT("GenericWorkload=true");
    small_open_as(&t->cluster, *config);
    small_node(&t->cluster, "n1", "");
}

/* A member for which a plugin's Reserve fails stays pending; the others count. */
static void test_reserve(void **state)
{
    (void)state;
    int refused = 0;
    group_test t = {0};
    open_reserving(&t, &refused, refuse_first);
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 1}}");
    const berth_pod_id pods[] = {add_pod(&t, "a", "g", 0, NULL, ""),
                                 add_pod(&t, "b", "g", 0, NULL, "")};
    cycle(&t, pods, 2);
    assert_int_equal(t.outcome.placed, 1);
    assert_int_equal(t.nodes[0], BERTH_NODE_NONE);
    assert_int_not_equal(t.nodes[1], BERTH_NODE_NONE);
    small_close(&t.cluster);
}

static const char faulty_spread[] =
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone,\n  whenUnsatisfiable: "
    "DoNotSchedule, labelSelector: {matchExpressions: [{key: a, operator: Foo}]}}],";

/* A member whose attempt ends in an error makes the whole group fail. */
static void test_member_in_error(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}");
    const berth_pod_id pods[] = {add_pod(t, "a", "g", 0, NULL, ""),
                                 add_pod(t, "b", "g", 0, NULL, faulty_spread)};
    cycle(t, pods, 2);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_non_null(strstr(
        t->message, "failed to schedule other pod from a pod group: running PreFilter plugin"));
    assert_int_equal(pending(t), 2);
    assert_true(t->ended[0] && t->ended[1]);
}

/* While victims are put back in the simulation, a plugin's refusals do not matter. */
static void test_victims_are_not_refused(void **state)
{
    (void)state;
    berth_pod_id refused = BERTH_POD_NONE;
    group_test t = {0};
    open_reserving(&t, &refused, refuse_one);
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 4}}, priority: 9");
    refused = add_pod(&t, "low", NULL, 1, "n1", "");
    berth_pod_id pods[4];
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = add_pod(&t, name, "g", 9, NULL, "");
    }
    cycle(&t, pods, 4);
    assert_true(t.outcome.preempts);
    assert_int_equal(t.outcome.victim_count, 1);
    small_close(&t.cluster);
}

/* Lets the allocation with this number fail while a pod evicts a group that is on two nodes.
 * Returns whether there were fewer allocations. Each call needs a new engine, because an engine
 * keeps memory that an earlier attempt got. */
static bool survives_without(unsigned at)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    group_test t = {0};
    open_with(&t, "GenericWorkload=true", &allocator);
    const berth_pod_id pod = add_victims(&t);
    const berth_decide_options options = {.size = sizeof(options),
                                          .explanation = t.cluster.explanation};
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.fail_at, at);
    berth_status status = berth_engine_decide(t.cluster.engine, pod, &options, &placement, &error);
    atomic_store(&memory.fail_at, 0);
    assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
    const bool fewer = atomic_load(&memory.calls) < at;
    small_require(berth_engine_check(t.cluster.engine, &error), &error);
    small_require(berth_engine_decide(t.cluster.engine, pod, &options, &placement, &error), &error);
    assert_int_equal(berth_explanation_victim_count(t.cluster.explanation), 2);
    small_close(&t.cluster);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void test_memory_of_other_nodes(void **state)
{
    (void)state;
    unsigned at = 1;
    while (!survives_without(at))
        at++;
    assert_in_range(at, 2, 1000);
}

/* Let each allocation fail while a member's error becomes the message of its group. */
static void test_memory_of_an_error(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    bool succeeded = false;
    (void)state;
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        group_test t = {0};
        berth_error error = {.code = BERTH_OK};
        open_with(&t, "GenericWorkload=true", &allocator);
        small_node(&t.cluster, "n1", "");
        add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 1}}");
        const berth_pod_id pod = add_pod(&t, "a", "g", 0, NULL, faulty_spread);
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status = schedule(&t, &pod, 1, &error);
        atomic_store(&memory.fail_at, 0);
        succeeded = atomic_load(&memory.calls) < at;
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_int_equal(berth_engine_depth(t.cluster.engine), 0);
            cycle(&t, &pod, 1);
        }
        assert_int_equal(t.outcome.verdict, BERTH_VERDICT_ERROR);
        assert_non_null(strstr(t.message, "other pod from a pod group: running PreFilter plugin"));
        small_close(&t.cluster);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
    assert_true(succeeded);
}

static void test_memory(void **state)
{
    (void)state;
    try_memory("GenericWorkload=true", "");
}

/* ---- filters of an embedder ---- */

enum { OWN_FILTERS = 64, FILTERS_MOST = 64 };

static void clear_none(const berth_cycle *pod, const void *instance, const void *state,
                       berth_slice *slice)
{
    (void)pod;
    (void)instance;
    (void)state;
    (void)slice;
}

/* Open an engine with so many filters behind those of Kubernetes. */
static void open_behind(group_test *t, uint32_t count)
{
    static char names[OWN_FILTERS][16];
    static berth_plugin plugins[OWN_FILTERS];
    static berth_plugin_ref refs[2 * OWN_FILTERS];
    const berth_plugin *list[OWN_FILTERS];
    profile_points points;
    berth_profile profile = *berth_profile_default_of(37);
    berth_engine_config config;
    own_points(&profile, &points);
    berth_plugin_list *filters = &points.lists[BERTH_POINT_FILTER];
    uint32_t all = filters->count;
    memcpy(refs, filters->items, all * sizeof(*refs));
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "Own%u", (unsigned)i);
        plugins[i] =
            (berth_plugin){.size = sizeof(berth_plugin), .name = names[i], .filter = clear_none};
        list[i] = &plugins[i];
        refs[all++] = (berth_plugin_ref){.name = {names[i], (uint32_t)strlen(names[i])}};
    }
    *filters = (berth_plugin_list){refs, all};
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = BERTH_STR("GenericWorkload=true");
    config.profiles = &profile;
    config.profile_count = 1;
    config.plugins = list;
    config.plugin_count = count;
    small_open_as(&t->cluster, config);
}

/* Place a group there. */
static berth_status place_behind(uint32_t count, berth_error *error)
{
    group_test t = {.message = ""};
    berth_pod_id pods[2];
    open_behind(&t, count);
    small_node(&t.cluster, "n0", "");
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 2}}");
    add_pods(&t, "g", 0, pods, 2);
    const berth_status status = schedule(&t, pods, 2, error);
    assert_int_equal(t.outcome.verdict,
                     status == BERTH_OK ? BERTH_VERDICT_PLACED : BERTH_VERDICT_ERROR);
    small_close(&t.cluster);
    return status;
}

/* Create a scheduler there. */
static berth_status queue_behind(uint32_t count, berth_error *error)
{
    group_test t = {.message = ""};
    berth_scheduler *scheduler = NULL;
    berth_scheduler_options options;
    open_behind(&t, count);
    berth_scheduler_options_init(&options);
    const berth_status status =
        berth_scheduler_create(t.cluster.engine, &options, &scheduler, error);
    berth_scheduler_destroy(scheduler);
    small_close(&t.cluster);
    return status;
}

/* Which filters refused a pod of a scheduler is a set of 64, of which two have another meaning. */
static void test_number_of_filters_of_a_scheduler(void **state)
{
    enum { MOST = 62 };
    berth_error error = {.code = BERTH_OK};
    unsigned all = 0;
    (void)state;
    assert_int_equal(queue_behind(OWN_FILTERS, &error), BERTH_E_UNSUPPORTED);
    assert_int_equal(
        sscanf(error.message, "a profile of a scheduler has at most 62 filters, not %u", &all), 1);
    const uint32_t others = all - OWN_FILTERS;
    assert_int_equal(queue_behind(MOST - others, &error), BERTH_OK);
    assert_int_equal(queue_behind(MOST + 1 - others, &error), BERTH_E_UNSUPPORTED);
}

/* What a pod skips is a set of 64 filters. */
static void test_number_of_filters(void **state)
{
    berth_error error = {.code = BERTH_OK};
    unsigned all = 0;
    (void)state;
    assert_int_equal(place_behind(OWN_FILTERS, &error), BERTH_E_UNSUPPORTED);
    assert_int_equal(
        sscanf(error.message, "a profile of groups has at most 64 filters, not %u", &all), 1);
    assert_in_range(all, OWN_FILTERS + 1, 2 * OWN_FILTERS - 1);
    const uint32_t others = all - OWN_FILTERS;
    assert_int_equal(place_behind(FILTERS_MOST - others, &error), BERTH_OK);
    assert_int_equal(place_behind(FILTERS_MOST + 1 - others, &error), BERTH_E_UNSUPPORTED);
}

/* Victims of one group stand on three tiles, each shared with a snapshot. Whichever copy of a tile
 * fails, the pod finds all victims or memory was short, never some of them. */
static void test_memory_of_victims_elsewhere(void **state)
{
    enum { NODES = 300 };
    static const char *const places[] = {"n0", "n130", "n260"};
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    group_test t = {0};
    bool succeeded = false;
    unsigned refused = 0;
    char name[8];
    (void)state;
    open_with(&t, "GenericWorkload=true", &allocator);
    for (int i = 0; i < NODES; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        add_in_rack(&t, name, "a");
    }
    add_group(&t, "low", "schedulingPolicy: {basic: {}}, priority: 1, disruptionMode: {all: {}}");
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "low-%d", i);
        add_pod(&t, name, "low", 1, places[i], "");
    }
    const berth_pod_id pod = add_pod(
        &t, "p", NULL, 9, NULL,
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
        "[n0]}]}]}}, "
        "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: rack, "
        "labelSelector: {matchExpressions: [{key: x, operator: DoesNotExist}]}}]}},");
    const berth_decide_options options = {.size = sizeof(options),
                                          .explanation = t.cluster.explanation};
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        berth_placement placement;
        small_require(berth_engine_close_node(t.cluster.engine, NODES - 1, at % 2 == 1, NULL),
                      NULL);
        small_require(berth_engine_publish(t.cluster.engine, NULL), NULL);
        berth_snapshot *snapshot = berth_engine_pin(t.cluster.engine);
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status =
            berth_engine_decide(t.cluster.engine, pod, &options, &placement, NULL);
        succeeded = atomic_load(&memory.calls) < at;
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
        refused += status == BERTH_E_NOMEM;
        if (status == BERTH_OK)
            assert_int_equal(berth_explanation_victim_count(t.cluster.explanation), 3);
        berth_snapshot_unpin(snapshot);
    }
    assert_true(succeeded && refused > 0);
    small_close(&t.cluster);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_or_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_minimum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_rotation_of_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_preemption, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nominated_for_a_node_that_is_gone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_group_as_victim, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_budget_of_one_in_a_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_victim, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spread_by_hooks, set_up, tear_down),
        cmocka_unit_test(test_memory_of_hooks),
        cmocka_unit_test_setup_teardown(test_never, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_contradictions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_errors_before_the_first_pod, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_namespaces, set_up, tear_down),
        cmocka_unit_test(test_policy_of_the_group),
        cmocka_unit_test_setup_teardown(test_outcome_without_arrays, set_up, tear_down),
        cmocka_unit_test(test_without_the_gate),
        cmocka_unit_test(test_victims_are_not_refused),
        cmocka_unit_test(test_memory_of_other_nodes),
        cmocka_unit_test(test_reserve),
        cmocka_unit_test_setup_teardown(test_member_in_error, set_up, tear_down),
        cmocka_unit_test(test_memory_of_an_error),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_memory_of_victims_elsewhere),
        cmocka_unit_test(test_number_of_filters),
        cmocka_unit_test(test_number_of_filters_of_a_scheduler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
