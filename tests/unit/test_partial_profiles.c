/* Profiles that leave a plugin out at one of its extension points: the outcomes and messages are
 * kube-scheduler's. */
#include "profile_points.h"
#include "rule_cluster.h"

/* The newest default profile without a plugin at one of its points. */
typedef struct partial {
    berth_profile profile;
    profile_points points;
    berth_plugin_ref refs[32];
} partial;

static bool is_named(berth_str a, const char *name)
{
    return a.len == strlen(name) && memcmp(a.data, name, a.len) == 0;
}

static const berth_profile *leave_out(partial *own, berth_point point, const char *name)
{
    own->profile = *berth_profile_default();
    berth_plugin_list *list = &own_points(&own->profile, &own->points)[point];
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_named(list->items[i].name, name))
            own->refs[count++] = list->items[i];
    assert_int_equal(count + 1, list->count);
    *list = (berth_plugin_list){own->refs, count};
    return &own->profile;
}

/* Decide a pod on two nodes; the default profile lacks this plugin at this point. */
static void decide(small_cluster *c, berth_point point, const char *name, const char *spec)
{
    partial own;
    small_open(c, leave_out(&own, point, name));
    small_node(c, "a", ", labels: {disk: ssd, topology.kubernetes.io/zone: z}");
    small_node(c, "b", ", labels: {disk: hdd, topology.kubernetes.io/zone: z}");
    small_decide(c, small_pod(c, "p", NULL, "", spec));
}

static void expect_error(const small_cluster *c, const char *wanted)
{
    char text[1024];
    berth_str message = berth_explanation_message(c->explanation);
    snprintf(text, sizeof(text), "%.*s", (int)message.len, message.data);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_ERROR);
    assert_string_equal(text, wanted);
}

static void test_filters_without_state(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"NodePorts", "reading \"PreFilterNodePorts\" from cycleState: not found"},
        {"NodeResourcesFit",
         "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found"},
        {"VolumeRestrictions", "cannot read \"PreFilterVolumeRestrictions\" from cycleState"},
        {"VolumeBinding", "not found"},
        {"PodTopologySpread", "reading \"PreFilterPodTopologySpread\" from cycleState: not found"},
        {"InterPodAffinity",
         "error reading \"PreFilterInterPodAffinity\" from cycleState: not found"},
        {"NodeDeclaredFeatures",
         "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        char wanted[256];
        snprintf(wanted, sizeof(wanted), "running \"%s\" filter plugin: %s", cases[i][0],
                 cases[i][1]);
        decide(&c, BERTH_POINT_PRE_FILTER, cases[i][0], "");
        expect_error(&c, wanted);
        small_close(&c);
    }
}

static void test_scores_without_state(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"TaintToleration",
         "failed to read \"PreScoreTaintToleration\" from cycleState: not found"},
        {"PodTopologySpread",
         "error reading \"PreScorePodTopologySpread\" from cycleState: not found"},
        {"InterPodAffinity",
         "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        char wanted[256];
        snprintf(wanted, sizeof(wanted), "running Score plugins: plugin \"%s\" failed with: %s",
                 cases[i][0], cases[i][1]);
        decide(&c, BERTH_POINT_PRE_SCORE, cases[i][0], "");
        expect_error(&c, wanted);
        small_close(&c);
    }
}

/* These plugins compute what their missing point would have prepared. */
static void test_those_that_go_without(void **state)
{
    (void)state;
    static const struct {
        berth_point point;
        const char *name;
    } cases[] = {
        {BERTH_POINT_PRE_FILTER, "NodeAffinity"},
        {BERTH_POINT_PRE_FILTER, "NodeVolumeLimits"},
        {BERTH_POINT_PRE_FILTER, "VolumeZone"},
        {BERTH_POINT_PRE_SCORE, "NodeAffinity"},
        {BERTH_POINT_PRE_SCORE, "NodeResourcesFit"},
        {BERTH_POINT_PRE_SCORE, "NodeResourcesBalancedAllocation"},
        {BERTH_POINT_PRE_SCORE, "VolumeBinding"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        decide(&c, cases[i].point, cases[i].name, "nodeSelector: {disk: hdd}");
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
        assert_int_equal(c.placement.feasible_count, 1);
        small_close(&c);
    }
}

#define BY_NAME                                                                  \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}}}"

/* At preFilter, NodeAffinity restricts the search even without its filter, and no other plugin does
 * so. */
static void test_restriction_alone(void **state)
{
    (void)state;
    small_cluster c;
    decide(&c, BERTH_POINT_FILTER, "NodeAffinity", BY_NAME);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(c.placement.feasible_count, 1);
    assert_int_equal(c.placement.next, 1); /* of one node */
    small_close(&c);
    decide(&c, BERTH_POINT_FILTER, "NodeAffinity", "nodeSelector: {disk: none}");
    assert_int_equal(c.placement.feasible_count, 2);
    small_close(&c);
    decide(&c, BERTH_POINT_PRE_FILTER, "NodeAffinity", BY_NAME);
    assert_int_equal(c.placement.feasible_count, 1);
    assert_int_equal(c.placement.next, 0); /* of two */
    assert_int_equal(berth_explanation_refusal_count(c.explanation), 1);
    small_close(&c);
}

#define NO_CLAIM "volumes: [{name: v, persistentVolumeClaim: {claimName: lost}}]"

/* A plugin only at preFilter may refuse the pod; a plugin only at filter refuses nodes. */
static void test_refusals_alone(void **state)
{
    (void)state;
    small_cluster c;
    decide(&c, BERTH_POINT_FILTER, "VolumeRestrictions", NO_CLAIM);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_not_equal(berth_explanation_pre_filter(c.explanation).len, 0);
    small_close(&c);
}

/* Without VolumeBinding, the first check whether the pod owns an ephemeral volume's claim is in
 * NodeVolumeLimits, which treats a failure as an error. */
static void test_claim_of_another_pod(void **state)
{
    (void)state;
    partial own, filters;
    small_cluster c;
    (void)leave_out(&filters, BERTH_POINT_FILTER, "VolumeBinding");
    const berth_profile *profile = leave_out(&own, BERTH_POINT_PRE_FILTER, "VolumeBinding");
    own.points.lists[BERTH_POINT_FILTER] = filters.points.lists[BERTH_POINT_FILTER];
    small_open(&c, profile);
    small_node(&c, "a", "");
    small_add(&c, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: p-v, "
                  "ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: other, "
                  "controller: true}]}\nspec: {storageClassName: late}\n---\n"
                  "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n"
                  "provisioner: drv\nvolumeBindingMode: WaitForFirstConsumer\n");
    small_decide(&c, small_pod(&c, "p", NULL, ", uid: mine",
                               "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]"));
    expect_error(&c, "running \"NodeVolumeLimits\" filter plugin: PVC default/p-v was not created "
                     "for pod default/p (pod is not owner)");
    small_close(&c);
}

/* An error in a dry run is reported at postFilter, and the pod keeps its nominated node. */
static void test_errors_of_dry_runs(void **state)
{
    (void)state;
    static const char error[] = "preemption: running \"PodTopologySpread\" filter plugin: reading "
                                "\"PreFilterPodTopologySpread\" from cycleState: not found";
    static const char full[] =
        "containers: [{name: c, resources: {requests: {cpu: '3'}}}], priority: ";
    partial own;
    small_cluster c;
    char spec[256];
    small_open(&c, leave_out(&own, BERTH_POINT_PRE_FILTER, "PodTopologySpread"));
    small_node(&c, "a", "");
    snprintf(spec, sizeof(spec), "%s0", full);
    small_pod(&c, "low", "a", "", spec);
    snprintf(spec, sizeof(spec), "%s5", full);
    small_decide(&c, small_pod(&c, "high", NULL, "", spec));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(berth_explanation_nominated(c.explanation), BERTH_NODE_NONE);
    berth_str message = berth_explanation_message(c.explanation);
    assert_true(message.len > strlen(error));
    assert_memory_equal(message.data + message.len - strlen(error), error, strlen(error));
    small_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_without_state), cmocka_unit_test(test_scores_without_state),
        cmocka_unit_test(test_those_that_go_without), cmocka_unit_test(test_restriction_alone),
        cmocka_unit_test(test_refusals_alone),        cmocka_unit_test(test_claim_of_another_pod),
        cmocka_unit_test(test_errors_of_dry_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
