/* PodGroups in one domain of a topology, and profiles that change what runs for groups. Random
 * groups and profiles are compared with kube-scheduler by tests/oracle, families placements and
 * grouppoints. */
#include "arena_pieces.h"
#include "berth/kube.h"
#include "pod_group_cluster.h"

static const char domain_gates[] = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true";

static int set_up_domains(void **state)
{
    return set_up_with(state, domain_gates);
}

/* A gang that needs one rack for all of its pods; `more` is inserted into its spec. */
static void add_gang(group_test *t, const char *name, int least, const char *more)
{
    char spec[256];
    snprintf(spec, sizeof(spec),
             "schedulingPolicy: {gang: {minCount: %d}}, "
             "schedulingConstraints: {topology: [{key: rack}]}%s",
             least, more);
    add_group(t, name, spec);
}

/* One node in each of the racks a and b. */
static void add_racks(group_test *t)
{
    add_in_rack(t, "a1", "a");
    add_in_rack(t, "b1", "b");
}

/* Adds so many pods of the group and decides on them. */
static void cycle_new(group_test *t, const char *group, int priority, berth_pod_id *pods,
                      uint32_t count)
{
    add_pods(t, group, priority, pods, (int)count);
    cycle(t, pods, count);
}

/* The group is placed in one rack, although single pods would spread: in the rack that takes more
 * of its pods, and among equal racks in the fuller one. */
static void test_one_domain(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[6];
    add_racks(t);
    add_in_rack(t, "b2", "b");
    small_node(&t->cluster, "bare", "");
    add_gang(t, "g", 3, "");
    cycle_new(t, "g", 0, pods, 6);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t->outcome.placed, 6); /* a1 takes four */
    for (int i = 0; i < 6; i++)
        assert_int_equal(rack_of(t, i)[0], 'b');
    add_gang(t, "small", 2, "");
    cycle_new(t, "small", 0, pods, 2);
    assert_int_equal(t->outcome.placed, 2);
    assert_int_equal(rack_of(t, 0)[0], 'b'); /* six of eight cores are in use there */
    small_require(berth_engine_check(t->cluster.engine, NULL), NULL);
}

/* Members that come later go where the first ones are. */
static void test_domain_of_running_pods(void **state)
{
    group_test *t = *state;
    berth_pod_id pod;
    add_racks(t);
    add_gang(t, "g", 2, "");
    add_pod(t, "old", "g", 0, "b1", "");
    add_pod(t, "filler1", NULL, 0, "a1", ""); /* rack a is the fuller one */
    add_pod(t, "filler2", NULL, 0, "a1", "");
    pod = add_pod(t, "new", "g", 0, NULL, "");
    nominate(t, pod, "a1"); /* the nominated pod takes no part */
    cycle(t, &pod, 1);
    assert_int_equal(t->outcome.placed, 1);
    assert_string_equal(rack_of(t, 0), "b1");
    small_node(&t->cluster, "bare", "");
    add_pod(t, "astray", "g", 0, "bare", "");
    pod = add_pod(t, "newer", "g", 0, NULL, "");
    cycle(t, &pod, 1);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(t->message, "cannot determine domain for already scheduled pods: no "
                                    "topology domain found for pod default/astray");
}

/* Decide on a new pod of the group "g", which the engine must end with this error. */
static void expect_stray(group_test *t, const char *name, const char *words)
{
    char message[256];
    const berth_pod_id pod = add_pod(t, name, "g", 0, NULL, "");
    cycle(t, &pod, 1);
    snprintf(message, sizeof(message), "cannot determine domain for already scheduled pods: %s",
             words);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(t->message, message);
}

/* Running pods in two domains are an error; of several problems, the first one is named. */
static void test_pods_in_two_domains(void **state)
{
    group_test *t = *state;
    add_racks(t);
    small_node(&t->cluster, "bare", "");
    add_gang(t, "g", 2, "");
    add_pod(t, "first", "g", 0, "a1", "");
    add_pod(t, "second", "g", 0, "a1", "");
    const berth_pod_id pod = add_pod(t, "third", "g", 0, NULL, "");
    cycle(t, &pod, 1); /* the same domain twice is no problem */
    assert_int_equal(t->outcome.placed, 1);
    assert_string_equal(rack_of(t, 0), "a1");
    add_pod(t, "astray", "g", 0, "b1", "");
    expect_stray(t, "fourth", "more than 1 domain found for pod group: a, b");
    add_pod(t, "bare", "g", 0, "bare", "");
    expect_stray(t, "fifth", "more than 1 domain found for pod group: a, b");
}

/* An empty label value does not contradict a later one. */
static void test_domain_without_a_name(void **state)
{
    group_test *t = *state;
    add_in_rack(t, "none", "''");
    add_racks(t);
    add_gang(t, "g", 2, "");
    add_pod(t, "first", "g", 0, "none", "");
    add_pod(t, "second", "g", 0, "b1", "");
    const berth_pod_id pod = add_pod(t, "third", "g", 0, NULL, "");
    cycle(t, &pod, 1);
    assert_int_equal(t->outcome.placed, 1);
    assert_string_equal(rack_of(t, 0), "b1");
}

/* A pod on a node that is gone has no domain. */
static void test_pod_on_a_node_that_is_gone(void **state)
{
    group_test *t = *state;
    add_racks(t);
    add_gang(t, "g", 2, "");
    add_pod(t, "first", "g", 0, "a1", "");
    assert_int_equal(berth_engine_remove(t->cluster.engine, BERTH_KIND_NODE, (berth_str){0},
                                         (berth_str)TEXT("a1"), NULL),
                     BERTH_OK);
    expect_stray(t, "second",
                 "getting node for pod default/first: nodeinfo not found for node name \"a1\"");
}

/* Without the feature gate for domains, the label does not matter. */
static void test_without_the_gate(void **state)
{
    group_test t = {0};
    berth_pod_id pods[6];
    (void)state;
    open_with(&t, "GenericWorkload=true", NULL);
    add_racks(&t);
    add_gang(&t, "g", 2, "");
    add_pod(&t, "first", "g", 0, "a1", "");
    add_pod(&t, "second", "g", 0, "b1", "");
    cycle_new(&t, "g", 0, pods, 6);
    assert_int_equal(t.outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t.outcome.placed, 6);
    small_close(&t.cluster);
}

/* The error of a member ends the search in the first domain. */
static void test_member_in_error(void **state)
{
    group_test *t = *state;
    add_racks(t);
    add_gang(t, "g", 1, "");
    const berth_pod_id pods[] = {
        add_pod(t, "a", "g", 0, NULL, ""),
        add_pod(t, "b", "g", 0, NULL,
                "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone,\n  whenUnsatisfiable: "
                "DoNotSchedule, labelSelector: {matchExpressions: [{key: a, operator: Foo}]}}],")};
    cycle(t, pods, 2);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(strncmp(t->message, "failed to schedule other pod from a pod group: ", 47), 0);
    assert_int_equal(pending(t), 2);
    assert_int_equal(berth_engine_depth(t->cluster.engine), 0);
}

/* Two domains suit a gang that needs no pod, but no pod of it fits there: scoring them fails. */
static void test_domains_without_pods(void **state)
{
    group_test *t = *state;
    berth_pod_id pod;
    add_racks(t);
    for (int i = 0; i < 8; i++) {
        char name[8];
        snprintf(name, sizeof(name), "k%d", i);
        add_pod(t, name, NULL, 0, i % 2 == 0 ? "a1" : "b1", "");
    }
    add_gang(t, "g", 0, "");
    cycle_new(t, "g", 0, &pod, 1);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(t->outcome.minimum, 0);
    assert_string_equal(t->message,
                        "running NormalizePlacementScore on PlacementScore plugins: plugin "
                        "\"PodGroupPodsCount\" failed with: no pods from pod group are assigned to "
                        "any of the candidate placements");
}

/* In a cluster without nodes, each nomination ends. */
static void test_no_nodes(void **state)
{
    group_test *t = *state;
    berth_pod_id pod;
    add_gang(t, "g", 1, "");
    cycle_new(t, "g", 0, &pod, 1);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_true(t->ended[0]);
    small_node(&t->cluster, "bare", "");
    cycle(t, &pod, 1); /* with a node, it stays if the pod fits nowhere */
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_false(t->ended[0]);
}

static void test_no_domain(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[5];
    add_racks(t);
    add_gang(t, "g", 5, "");
    cycle_new(t, "g", 0, pods, 5);
    assert_int_equal(t->outcome.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_string_equal(t->message,
                        "pod group is unschedulable, 0/2 placements are available, first placement "
                        "status: minCount (5) cannot be satisfied: 4 scheduled, 0 remaining, pod "
                        "group preemption: No preemption victims found for incoming preemptor");
    assert_int_equal(pending(t), 5);
    add_group(t, "lost",
              "schedulingPolicy: {basic: {}}, "
              "schedulingConstraints: {topology: [{key: row}]}");
    cycle_new(t, "lost", 0, pods, 1);
    assert_string_equal(t->message, "no feasible placements found, pod group preemption: No "
                                    "preemption victims found for incoming preemptor");
    add_pods(t, "any", 0, pods, 1);
    add_group(t, "any", "schedulingPolicy: {gang: {minCount: 2}}, schedulingConstraints: {}");
    cycle(t, pods, 1);
    assert_string_equal(t->message,
                        "pod group is unschedulable, 0/1 placements are available, first placement "
                        "status: pod group is unschedulable, pod group preemption: No preemption "
                        "victims found for incoming preemptor");
}

/* Preemption tries the domains, too. */
static void test_preemption_in_a_domain(void **state)
{
    group_test *t = *state;
    berth_pod_id pods[4];
    add_racks(t);
    add_gang(t, "g", 4, ", priority: 9");
    add_pod(t, "stays", NULL, 10, "a1", "");
    const berth_pod_id low = add_pod(t, "low", NULL, 1, "b1", "");
    cycle_new(t, "g", 9, pods, 4);
    assert_true(t->outcome.preempts);
    assert_int_equal(t->outcome.victim_count, 1);
    assert_int_equal(t->victims[0], low);
    small_require(berth_engine_remove(t->cluster.engine, BERTH_KIND_POD, BERTH_STR("default"),
                                      BERTH_STR("low"), NULL),
                  NULL);
    cycle(t, pods, 4);
    assert_int_equal(t->outcome.placed, 4);
    assert_string_equal(rack_of(t, 3), "b1");
}

static void test_memory_of_domains(void **state)
{
    (void)state;
    try_memory(domain_gates, ", schedulingConstraints: {topology: [{key: rack}]}");
}

/* Let each allocation fail while a group is placed in the better one of two racks. */
static void test_memory_of_the_choice(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    bool succeeded = false;
    (void)state;
    for (unsigned at = 1; !succeeded && at < 4000; at++) {
        group_test t = {0};
        berth_error error = {.code = BERTH_OK};
        berth_pod_id pods[2];
        open_with(&t, domain_gates, &allocator);
        add_racks(&t);
        add_pod(&t, "filler", NULL, 0, "b1", "");
        add_gang(&t, "g", 2, "");
        add_pods(&t, "g", 0, pods, 2);
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        berth_status status = schedule(&t, pods, 2, &error);
        atomic_store(&memory.fail_at, 0);
        succeeded = atomic_load(&memory.calls) < at;
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_int_equal(pending(&t), 2);
            assert_int_equal(berth_engine_depth(t.cluster.engine), 0);
            cycle(&t, pods, 2);
        }
        assert_int_equal(t.outcome.placed, 2);
        assert_string_equal(rack_of(&t, 0), "b1"); /* the fuller one */
        small_close(&t.cluster);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
    assert_true(succeeded);
}

/* ---- profiles ---- */

/* Read a configuration with these plugins. */
static berth_scheduler_config *read_plugins(const char *plugins)
{
    char text[512];
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_config *config = NULL;
    const int length = snprintf(text, sizeof(text),
                                "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                "kind: KubeSchedulerConfiguration\n"
                                "profiles: [{plugins: {%s}}]\n",
                                plugins);
    small_require(berth_scheduler_config_text((berth_str){text, (uint32_t)length}, "test.yaml", 37,
                                              &config, &error),
                  &error);
    return config;
}

static berth_engine_config with_plugins(const berth_scheduler_config *plugins)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str){domain_gates, sizeof(domain_gates) - 1};
    config.profiles = berth_scheduler_config_profiles(plugins, &config.profile_count);
    return config;
}

static void open_with_plugins(group_test *t, const char *plugins)
{
    berth_scheduler_config *read = read_plugins(plugins);
    small_open_as(&t->cluster, with_plugins(read));
    berth_scheduler_config_destroy(read);
}

/* Put a group of four pods on a cluster with these plugins: rack a has room for all of them, rack b
 * is the fuller one and has room for three. Returns the rack of the first pod. */
static char rack_with(const char *plugins)
{
    group_test t = {0};
    berth_pod_id pods[4];
    open_with_plugins(&t, plugins);
    add_in_rack(&t, "a1", "a");
    add_in_rack(&t, "a2", "a");
    add_in_rack(&t, "b1", "b");
    add_pod(&t, "filler", NULL, 0, "b1", "");
    add_gang(&t, "g", 2, "");
    cycle_new(&t, "g", 0, pods, 4);
    assert_int_equal(t.outcome.verdict, BERTH_VERDICT_PLACED);
    const char rack = rack_of(&t, 0)[0];
    small_close(&t.cluster);
    return rack;
}

/* By the number of pods, rack a wins with 100 to 75 points; by use, rack b wins with 100 to 50. The
 * weight of NodeResourcesFit at the point score is a separate one. */
static void test_placement_scores(void **state)
{
    static const char by_use[] = "placementScore: {enabled: [{name: NodeResourcesFit, weight: 9}]}";
    (void)state;
    assert_int_equal(rack_with("placementScore: {disabled: [{name: NodeResourcesFit}]}"), 'a');
    assert_int_equal(rack_with(by_use), 'b');
    assert_int_equal(rack_with("placementScore: {enabled: [{name: NodeResourcesFit, weight: 9}, "
                               "{name: PodGroupPodsCount, weight: 90}]}"),
                     'a');
    assert_int_equal(rack_with("placementScore: {disabled: [{name: PodGroupPodsCount}]}"), 'b');
    assert_int_equal(rack_with("score: {enabled: [{name: NodeResourcesFit, weight: 9}]}"),
                     rack_with(""));
    assert_int_equal(rack_with("placementScore: {disabled: [{name: '*'}]}"), 'a'); /* the first */
    assert_int_equal(rack_with("score: {disabled: [{name: NodeResourcesFit}]}, "
                               "placementScore: {disabled: [{name: PodGroupPodsCount}]}"),
                     'b');
}

/* Without a plugin that generates placements, all nodes together form the only placement. */
static void test_no_placements(void **state)
{
    group_test t = {0};
    berth_pod_id pods[6];
    (void)state;
    open_with_plugins(&t, "multiPoint: {disabled: [{name: TopologyPlacementGenerator}]}");
    add_racks(&t);
    add_gang(&t, "g", 6, "");
    cycle_new(&t, "g", 0, pods, 6);
    assert_int_equal(t.outcome.placed, 6); /* no rack has six cores */
    small_close(&t.cluster);
}

/* Whether a group that needs room evicts with these plugins. */
static bool evicts_with(const char *plugins)
{
    group_test t = {0};
    berth_pod_id pods[4];
    open_with_plugins(&t, plugins);
    add_in_rack(&t, "a1", "a");
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 4}}, priority: 9");
    add_pod(&t, "low", NULL, 1, "a1", "");
    cycle_new(&t, "g", 9, pods, 4);
    const bool evicts = t.outcome.victim_count == 1;
    small_close(&t.cluster);
    return evicts;
}

static void test_preemption_by_profile(void **state)
{
    (void)state;
    assert_true(evicts_with(""));
    assert_true(evicts_with("postFilter: {disabled: [{name: '*'}]}"));
    assert_false(evicts_with("podGroupPostFilter: {disabled: [{name: DefaultPreemption}]}"));
    assert_false(evicts_with("multiPoint: {disabled: [{name: DefaultPreemption}]}"));
}

/* Own plugins have no functions for these points. */
static void test_foreign_plugins(void **state)
{
    static const char *const points[] = {"placementGenerate", "placementScore",
                                         "podGroupPostFilter"};
    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        char plugins[128], words[128];
        berth_error error = {.code = BERTH_OK};
        berth_engine *engine = NULL;
        snprintf(plugins, sizeof(plugins), "%s: {disabled: [{name: '*'}], enabled: [{name: Mine}]}",
                 points[i]);
        snprintf(words, sizeof(words), "no plugin of this name has a %s phase", points[i]);
        berth_scheduler_config *read = read_plugins(plugins);
        const berth_engine_config config = with_plugins(read);
        assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_UNSUPPORTED);
        assert_string_equal(error.message, words);
        berth_scheduler_config_destroy(read);
    }
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_domain, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_domain_of_running_pods, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_pods_in_two_domains, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_domain_without_a_name, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_pod_on_a_node_that_is_gone, set_up_domains, tear_down),
        cmocka_unit_test(test_without_the_gate),
        cmocka_unit_test_setup_teardown(test_member_in_error, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_domains_without_pods, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_no_nodes, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_no_domain, set_up_domains, tear_down),
        cmocka_unit_test_setup_teardown(test_preemption_in_a_domain, set_up_domains, tear_down),
        cmocka_unit_test(test_memory_of_domains),
        cmocka_unit_test(test_memory_of_the_choice),
        cmocka_unit_test(test_placement_scores),
        cmocka_unit_test(test_no_placements),
        cmocka_unit_test(test_preemption_by_profile),
        cmocka_unit_test(test_foreign_plugins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
