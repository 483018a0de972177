/* PodGroups that preempt: who waits, who counts as a victim, what the spread of members allows, and
 * how preemption and claims share a message. Random groups are compared with kube-scheduler by
 * tests/oracle, families groups and grouppoints. */
#include "arena_pieces.h"
#include "berth/kube.h"
#include "pod_group_cluster.h"

static const char gates[] = "GenericWorkload=true";

static int set_up(void **state)
{
    return set_up_with(state, gates);
}

/* ---- pods that are leaving already ---- */

/* A pod of one core on n1 that is being deleted, and `disrupted`: because a scheduler evicts it. */
static void add_leaving(group_test *t, const char *name, int priority, bool disrupted)
{
    small_addf(&t->cluster,
               "apiVersion: v1\nkind: Pod\n"
               "metadata: {name: %s, deletionTimestamp: '2026-01-01T00:00:00Z'}\n"
               "spec: {priority: %d, nodeName: n1, containers: [{name: c, image: i,\n"
               "  resources: {requests: {cpu: 1}}}]}\n%s",
               name, priority,
               disrupted ? "status: {conditions: [{type: DisruptionTarget, status: 'True',\n"
                           "  reason: PreemptionByScheduler}]}\n"
                         : "");
}

/* A gang of four pods on n1, which has room for four. */
static void add_four(group_test *t, berth_pod_id *pods)
{
    small_node(&t->cluster, "n1", "");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 4}}, priority: 9");
    add_pods(t, "g", 9, pods, 4);
}

/* Victims that are leaving are not evicted again, but the message counts them. */
static void test_leaving_victim(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    add_four(t, pods);
    add_leaving(t, "leaving", 1, false);
    const berth_pod_id low = add_pod(t, "low", NULL, 1, "n1", "");
    cycle(t, pods, 4);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 1);
    assert_int_equal(t->victims[0], low);
    assert_non_null(strstr(t->message, "preempting 2 victims"));
}

/* A group whose victims are leaving the node of a member's nomination waits for them. */
static void test_waits_for_victims(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    add_four(t, pods);
    add_leaving(t, "victim", 1, true);
    cycle(t, pods, 4); /* no member has a nomination yet */
    assert_null(strstr(t->message, "ongoing preemption"));
    nominate(t, pods[1], "n1");
    cycle(t, pods, 4);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 0);
    assert_non_null(strstr(t->message, "ongoing preemption on nominated nodes"));
    assert_int_equal(t->nominated[0], BERTH_NODE_NONE);
    assert_int_equal(t->nominated[1],
                     berth_engine_find_node(t->cluster.engine, (berth_str)TEXT("n1")));
}

/* While it waits, each member keeps its nomination, the first one, too. */
static void test_first_member_stays_nominated(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    add_four(t, pods);
    add_leaving(t, "victim", 1, true);
    nominate(t, pods[0], "n1");
    cycle(t, pods, 4);
    assert_non_null(strstr(t->message, "ongoing preemption on nominated nodes"));
    assert_int_equal(t->nominated[0],
                     berth_engine_find_node(t->cluster.engine, (berth_str)TEXT("n1")));
}

/* It does not wait for pods that are leaving for another reason, nor for more important ones, nor
 * for victims that are not leaving yet. */
static void test_waits_for_nobody_else(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    add_four(t, pods);
    nominate(t, pods[1], "n1");
    add_leaving(t, "leaving", 1, false);
    add_leaving(t, "important", 10, true);
    small_addf(&t->cluster, "apiVersion: v1\nkind: Pod\nmetadata: {name: marked}\n"
                            "spec: {priority: 1, nodeName: n1, containers: [{name: c, image: i}]}\n"
                            "status: {conditions: [{type: DisruptionTarget, status: 'True',\n"
                            "  reason: PreemptionByScheduler}]}\n");
    cycle(t, pods, 4);
    assert_null(strstr(t->message, "ongoing preemption"));
    assert_false(t->outcome.preempts); /* beside the important pod there is no room */
}

/* ---- spread ---- */

static const char tight[] = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                            "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], ";
static const char no_hard[] = "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                              "whenUnsatisfiable: ScheduleAnyway, labelSelector: {}}], ";

/* Zone a is full of pods of low priority, zone b of pods that stay. */
static void add_zones(group_test *t)
{
    char name[8];
    small_node(&t->cluster, "n1", ", labels: {zone: a}");
    small_node(&t->cluster, "n2", ", labels: {zone: b}");
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "low%d", i);
        add_pod(t, name, NULL, 1, "n1", "");
        snprintf(name, sizeof(name), "high%d", i);
        add_pod(t, name, NULL, 10, "n2", "");
    }
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 9");
}

/* Only hard constraints keep victims from staying. */
static void test_soft_spread(void **state)
{
    group_test *t = *state;
    add_zones(t);
    const berth_pod_id soft = add_pod(t, "soft", "g", 9, NULL, no_hard);
    cycle(t, &soft, 1);
    assert_int_equal(t->outcome.victim_count, 1);
    const berth_pod_id hard = add_pod(t, "hard", "g", 9, NULL, tight);
    cycle(t, &hard, 1);
    assert_int_equal(t->outcome.victim_count, 4);
}

/* Victims of another namespace do not count for the spread. */
static void test_spread_by_namespace(void **state)
{
    group_test *t = *state;
    small_node(&t->cluster, "n1", ", labels: {zone: a}");
    small_node(&t->cluster, "n2", ", labels: {zone: b}");
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 9");
    for (int i = 0; i < 8; i++)
        small_addf(&t->cluster,
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: p%d, namespace: other}\n"
                   "spec: {priority: %d, nodeName: %s, containers: [{name: c, image: i,\n"
                   "  resources: {requests: {cpu: 1}}}]}\n",
                   i, i < 4 ? 1 : 10, i < 4 ? "n1" : "n2");
    const berth_pod_id pod = add_pod(t, "a", "g", 9, NULL, tight);
    cycle(t, &pod, 1);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 1);
}

/* Zone a has one node with eight pods of low priority; a new pod may follow three of its group's
 * namespace there. Returns that pod. */
static berth_pod_id add_wide(group_test *t)
{
    static const char wide[] = "topologySpreadConstraints: [{maxSkew: 3, topologyKey: zone, "
                               "whenUnsatisfiable: DoNotSchedule, labelSelector: {}}], ";
    static const char node[] = "apiVersion: v1\nkind: Node\n"
                               "metadata: {name: %s, labels: {zone: %s}}\n"
                               "status: {allocatable: {cpu: '%d', memory: 8Gi, pods: '110'}}\n";
    char name[8];
    small_addf(&t->cluster, node, "n1", "a", 8);
    small_addf(&t->cluster, node, "n2", "b", 0);
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof(name), "low%d", i);
        add_pod(t, name, NULL, 1, "n1", "");
    }
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 9");
    return add_pod(t, "a", "g", 9, NULL, wide);
}

/* A pod nominated for the member's node takes the place of a victim, if it is as important. */
static void test_nominated_pod_takes_a_place(void **state)
{
    group_test *t = *state;
    const berth_pod_id pod = add_wide(t);
    cycle(t, &pod, 1);
    assert_int_equal(t->outcome.victim_count, 6); /* 2 and the new pod are 3 */
    nominate(t, add_pod(t, "less", NULL, 8, NULL, ""), "n1");
    nominate(t, pod, "n1"); /* its own nomination does not count either */
    cycle(t, &pod, 1);
    assert_int_equal(t->outcome.victim_count, 6);
    nominate(t, add_pod(t, "kept", NULL, 9, NULL, ""), "n1");
    nominate(t, add_pod(t, "more", NULL, 9, NULL, ""), "n1");
    cycle(t, &pod, 1);
    assert_int_equal(t->outcome.victim_count, 8);
}

/* ---- claims ---- */

static void open_with_points(group_test *t, const char *post)
{
    char text[512];
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_config *read = NULL;
    berth_engine_config config;
    const int length = snprintf(text, sizeof(text),
                                "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                "kind: KubeSchedulerConfiguration\n"
                                "profiles: [{plugins: {podGroupPostFilter: {\n"
                                "  disabled: [{name: '*'}], enabled: [%s]}}}]\n",
                                post);
    small_require(berth_scheduler_config_text((berth_str){text, (uint32_t)length}, "test.yaml", 37,
                                              &read, &error),
                  &error);
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str){gates, sizeof(gates) - 1};
    config.profiles = berth_scheduler_config_profiles(read, &config.profile_count);
    small_open_as(&t->cluster, config);
    berth_scheduler_config_destroy(read);
}

/* DynamicResources knows nothing of a group of which no pod was tried. If it is the last plugin,
 * that matters only when preemption has not ended the attempt. */
static void test_claims_last(void **state)
{
    group_test t = {0};
    (void)state;
    open_with_points(&t, "{name: DefaultPreemption}, {name: DynamicResources}");
    small_node(&t.cluster, "n1", "");
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 9}}, priority: 9");
    const berth_pod_id eager = add_pod(&t, "eager", "g", 9, NULL, "");
    const berth_pod_id calm = add_pod(&t, "calm", "g", 9, NULL, "preemptionPolicy: Never,");
    cycle(&t, &eager, 1);
    assert_int_equal(t.outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_string_equal(t.message,
                        "pod group is unschedulable, minCount (9) cannot be satisfied: 0 "
                        "scheduled, 1 remaining, pod group preemption: No preemption victims "
                        "found for incoming preemptor");
    cycle(&t, &calm, 1);
    assert_int_equal(t.outcome.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(t.message,
                        "error in \"DynamicResources\" PodGroupPostFilter plugins: not found");
    small_close(&t.cluster);
}

/* Without the feature gate for domains, DynamicResources runs for groups with constraints, too. */
static void test_claims_of_constrained_groups(void **state)
{
    static const char *const all[] = {gates,
                                      "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"};
    (void)state;
    for (int domains = 0; domains < 2; domains++) {
        group_test t = {0};
        berth_pod_id pods[5];
        open_with(&t, all[domains], NULL);
        add_in_rack(&t, "a1", "a");
        add_group(&t, "g",
                  "schedulingPolicy: {gang: {minCount: 5}}, priority: 9,\n"
                  "  schedulingConstraints: {topology: [{key: rack}]}");
        add_pods_with(&t, "g", 9, "preemptionPolicy: Never,", pods, 5);
        cycle(&t, pods, 5);
        const char *claims =
            strstr(t.message, "deallocation and deletion of ResourceClaims completed");
        assert_true((claims == NULL) == (domains != 0));
        assert_non_null(strstr(t.message, "not eligible due to preemptionPolicy=Never."));
        small_close(&t.cluster);
    }
}

/* ---- memory ---- */

/* Adds what the test of memory needs, and returns the member. A budget protects all victims, and
 * the member is nominated for its node beside another pod. */
static berth_pod_id build(group_test *t)
{
    const berth_pod_id pod = add_wide(t);
    small_budget(&t->cluster, "{}", "disruptionsAllowed: 0");
    nominate(t, add_pod(t, "kept", NULL, 9, NULL, ""), "n1");
    nominate(t, pod, "n1");
    return pod;
}

/* Whichever allocation fails, nothing has changed. Each attempt needs a new engine, because an
 * engine keeps memory that an earlier attempt got. */
static void test_memory_runs_out(void **state)
{
    bool succeeded = false;
    (void)state;
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        counted memory = {0};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        group_test t = {0};
        berth_error error = {.code = BERTH_OK};
        open_with(&t, gates, &allocator);
        const berth_pod_id pod = build(&t);
        const uint64_t before = berth_engine_digest(t.cluster.engine);
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        const berth_status status = schedule(&t, &pod, 1, &error);
        atomic_store(&memory.fail_at, 0);
        succeeded = atomic_load(&memory.calls) < at;
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_int_equal(berth_engine_digest(t.cluster.engine), before);
            assert_int_equal(berth_engine_depth(t.cluster.engine), 0);
            cycle(&t, &pod, 1);
        }
        assert_true(t.outcome.preempts);
        assert_int_equal(t.outcome.victim_count, 7);
        small_close(&t.cluster);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
    assert_true(succeeded);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_leaving_victim, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waits_for_victims, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_first_member_stays_nominated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_waits_for_nobody_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_soft_spread, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spread_by_namespace, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nominated_pod_takes_a_place, set_up, tear_down),
        cmocka_unit_test(test_claims_last),
        cmocka_unit_test(test_claims_of_constrained_groups),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
