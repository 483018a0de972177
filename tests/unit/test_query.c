/* Queries (berth/query.h): the answer to each, and cases that random clusters (test_query_model)
 * seldom contain: errors of plugins, gates, closed nodes, sizes of structs. */
#include "rule_cluster.h"

#define CPU(n) "containers: [{name: c, image: i, resources: {requests: {cpu: '" n "'}}}]"

static berth_fit ask(small_cluster *c, berth_pod_id pod, berth_node_id node, uint32_t flags)
{
    berth_fit fit = {.size = sizeof(fit)};
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_fits(c->engine, pod, node, flags, &fit, &error), &error);
    assert_int_equal(fit.size, sizeof(fit));
    return fit;
}

static bool says(berth_str got, const char *wanted)
{
    return got.len == strlen(wanted) && memcmp(got.data, wanted, got.len) == 0;
}

static void expect_refusal(small_cluster *c, berth_pod_id pod, berth_node_id node,
                           const char *plugin, berth_code code, const char *reason)
{
    berth_fit fit = ask(c, pod, node, 0);
    assert_int_equal(fit.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(fit.code, code);
    assert_true(says(fit.plugin, plugin));
    assert_int_equal(fit.reason_count, 0);
    assert_null(fit.reasons);
    fit = ask(c, pod, node, BERTH_FIT_REASONS);
    assert_true(says(fit.plugin, plugin));
    assert_int_equal(fit.code, code);
    assert_int_equal(fit.reason_count, 1);
    assert_true(says(fit.reasons[0], reason));
}

static void test_one_node(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", ""), b = small_node(c, "b", "");
    small_pod(c, "there", "a", "", CPU("3"));
    berth_pod_id two = small_pod(c, "two", NULL, "", CPU("2"));
    berth_pod_id nine = small_pod(c, "nine", NULL, "", CPU("9"));
    assert_int_equal(ask(c, two, b, 0).verdict, BERTH_VERDICT_PLACED);
    expect_refusal(c, two, a, "NodeResourcesFit", BERTH_CODE_UNSCHEDULABLE, "Insufficient cpu");
    expect_refusal(c, nine, b, "NodeResourcesFit", BERTH_CODE_UNRESOLVABLE, "Insufficient cpu");
    assert_int_equal(berth_engine_close_node(c->engine, b, true, NULL), BERTH_OK);
    expect_refusal(c, two, b, "NodeUnschedulable", BERTH_CODE_UNRESOLVABLE,
                   "node(s) were unschedulable");
    assert_int_equal(berth_engine_close_node(c->engine, b, false, NULL), BERTH_OK);
    berth_pod_id gated = small_pod(c, "gated", NULL, "", "schedulingGates: [{name: g}], " CPU("1"));
    expect_refusal(c, gated, b, "SchedulingGates", BERTH_CODE_UNRESOLVABLE,
                   "waiting for scheduling gates: [g]");
}

/* A pod whose node is not there shares all that is prepared for its kind with pods that name no
 * node, but fits nowhere. */
static void test_absent_node(void **state)
{
    small_cluster *c = *state;
    berth_placement placement;
    small_node(c, "a", "");
    small_node(c, "b", "");
    const berth_pod_id free = small_pod(c, "free", NULL, "", CPU("1"));
    const berth_pod_id bound = small_pod(c, "bound", "gone", "", CPU("1"));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(berth_engine_decide(c->engine, free, NULL, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
        assert_int_equal(placement.feasible_count, 2);
        assert_int_equal(berth_engine_decide(c->engine, bound, NULL, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
        assert_int_equal(placement.feasible_count, 0);
    }
}

/* A node is kept for a nominated pod against pods of the same or lower priority, but not higher. */
static void test_nominated(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id kept = small_pod(c, "kept", NULL, "", "priority: 5, " CPU("3"));
    berth_pod_id two = small_pod(c, "two", NULL, "", CPU("2"));
    berth_pod_id urgent = small_pod(c, "urgent", NULL, "", "priority: 9, " CPU("2"));
    assert_int_equal(berth_engine_nominate(c->engine, kept, a, NULL), BERTH_OK);
    expect_refusal(c, two, a, "NodeResourcesFit", BERTH_CODE_UNSCHEDULABLE, "Insufficient cpu");
    assert_int_equal(ask(c, urgent, a, 0).verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(ask(c, kept, a, 0).verdict, BERTH_VERDICT_PLACED);
    uint32_t count = 7;
    assert_int_equal(berth_engine_feasible_nodes(c->engine, two, NULL, NULL, 0, &count, NULL),
                     BERTH_OK);
    assert_int_equal(count, 0);
}

/* A plugin fails for a pod: when it is pending, and when it is on a node. */
static void test_errors_of_plugins(void **state)
{
    small_cluster *c = *state, old;
    berth_node_id a = small_node(c, "a", "");
    uint32_t count = 7;
    small_add(c, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: mine}\n"
                 "spec: {devices: {requests: [{name: r, exactly: {count: 1}}]}}\n");
    berth_pod_id devices =
        small_pod(c, "devices", NULL, "", "resourceClaims: [{name: gpu, resourceClaimName: mine}]");
    berth_fit fit = ask(c, devices, a, BERTH_FIT_REASONS);
    assert_int_equal(fit.verdict, BERTH_VERDICT_ERROR);
    assert_true(says(fit.plugin, "DynamicResources"));
    assert_int_equal(fit.reason_count, 1);
    assert_int_equal(berth_engine_feasible_nodes(c->engine, devices, NULL, NULL, 0, &count, NULL),
                     BERTH_OK);
    assert_int_equal(count, 0);
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 32;
    small_open_as(&old, config);
    a = small_node(&old, "a", "");
    small_add(&old, "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n"
                    "provisioner: kubernetes.io/no-provisioner\n"
                    "volumeBindingMode: WaitForFirstConsumer\n---\n"
                    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: claim}\n"
                    "spec: {storageClassName: late, accessModes: [ReadWriteOnce],\n"
                    "  volumeAttributesClassName: gold, resources: {requests: {storage: 1Gi}}}\n"
                    "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n"
                    "spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],\n"
                    "  volumeAttributesClassName: gold, storageClassName: late,\n"
                    "  hostPath: {path: /x}}\nstatus: {phase: Available}\n");
    berth_pod_id claims = small_pod(&old, "claims", NULL, "",
                                    "volumes: [{name: v, persistentVolumeClaim: "
                                    "{claimName: claim}}]");
    fit = ask(&old, claims, a, 0);
    assert_int_equal(fit.verdict, BERTH_VERDICT_ERROR);
    assert_true(says(fit.plugin, "VolumeBinding"));
    fit = ask(&old, claims, a, BERTH_FIT_REASONS);
    assert_int_equal(fit.reason_count, 1);
    static const char wanted[] =
        "running \"VolumeBinding\" filter plugin: unsupported volumeAttributesClassName is set on "
        "claim default/claim when the feature-gate VolumeAttributesClass is disabled";
    assert_true(says(fit.reasons[0], wanted));
    small_close(&old);
}

static uint32_t reasons; /* how often the plugin was asked why it refused a node */

static void refuse_all(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                       berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)plugin_state;
    slice->mask[0] = slice->mask[1] = 0;
}

static berth_str reason(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                        uint32_t slot)
{
    (void)cycle;
    (void)instance;
    (void)plugin_state;
    (void)slot;
    reasons++;
    return (berth_str)TEXT("too green");
}

/* A plugin that refuses a node words its reason only for a caller who wants it. */
static void test_reasons_of_own_plugins(void **state)
{
    static const berth_plugin table = {
        .size = sizeof(table), .name = "Picky", .filter = refuse_all, .reason = reason};
    static const berth_plugin *const plugins[] = {&table};
    static const berth_plugin_ref ref = {.name = TEXT("Picky"), .weight = 1};
    static const berth_plugin_list points[] = {[BERTH_POINT_FILTER] = {&ref, 1}};
    static const berth_profile profile = {.points = points, .point_count = BERTH_POINT_FILTER + 1};
    small_cluster c;
    berth_engine_config config;
    (void)state;
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    config.plugins = plugins;
    config.plugin_count = 1;
    small_open_as(&c, config);
    const berth_node_id a = small_node(&c, "a", "");
    const berth_pod_id pod = small_pod(&c, "p", NULL, "", CPU("1"));
    berth_fit fit = ask(&c, pod, a, 0);
    assert_int_equal(fit.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_true(says(fit.plugin, "Picky"));
    assert_int_equal(reasons, 0);
    fit = ask(&c, pod, a, BERTH_FIT_REASONS);
    assert_true(says(fit.reasons[0], "too green"));
    assert_int_equal(reasons, 1);
    small_close(&c);
}

/* Unreadable preferred node affinity is an error only if totals are requested. */
static void test_totals_that_fail(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_node(c, "b", "");
    berth_node_id nodes[4];
    int64_t totals[4];
    uint32_t count = 0;
    berth_error error = {.code = BERTH_OK};
    berth_pod_id pod = small_pod(
        c, "p", NULL, "",
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
        "preference: {matchExpressions: [{key: host, operator: In, values: ['a b']}]}}]}}");
    small_require(berth_engine_feasible_nodes(c->engine, pod, nodes, NULL, 4, &count, &error),
                  &error);
    assert_int_equal(count, 2);
    assert_int_equal(berth_engine_feasible_nodes(c->engine, pod, nodes, totals, 4, &count, &error),
                     BERTH_E_INVALID);
}

/* All nodes are reported, however many a decision would visit; if only one fits, it has its
 * total. */
static void test_all_nodes(void **state)
{
    small_cluster *c = *state;
    enum { NODES = 300 };
    static berth_node_id nodes[NODES];
    static int64_t totals[NODES];
    uint32_t count = 0;
    berth_pod_id pod = small_pod(c, "p", NULL, "", CPU("1"));
    assert_int_equal(berth_engine_feasible_nodes(c->engine, pod, nodes, NULL, NODES, &count, NULL),
                     BERTH_OK);
    assert_int_equal(count, 0);
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        small_node(c, name, "");
        small_pod(c, name, name, "", i % 3 == 0 ? CPU("4") : i == 1 ? CPU("2") : CPU("1"));
    }
    for (int round = 0; round < 20; round++) { /* by scan first, then by index */
        assert_int_equal(
            berth_engine_feasible_nodes(c->engine, pod, nodes, totals, NODES, &count, NULL),
            BERTH_OK);
        assert_int_equal(count, 200);
        assert_int_equal(nodes[0], 1);
        assert_int_equal(nodes[1], 2);
        assert_true(totals[0] < totals[1]);
        assert_int_equal(totals[1], totals[199]);
        small_decide(c, pod);
    }
    nodes[2] = 77;
    assert_int_equal(berth_engine_feasible_nodes(c->engine, pod, nodes, NULL, 2, &count, NULL),
                     BERTH_OK);
    assert_int_equal(count, 200);
    assert_int_equal(nodes[2], 77);
}

/* Refusals as numbers, and the number of reasons if the array is too small. */
static void test_reasons(void **state)
{
    small_cluster *c = *state;
    static const char taint[] = "}\nspec: {taints: [{key: k, effect: NoSchedule}]";
    berth_reason_count counts[4];
    char name[16];
    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        small_node(c, name, i % 3 == 0 ? taint : "");
        if (i % 3 == 1)
            small_pod(c, name, name, "", CPU("4"));
    }
    berth_pod_id pod = small_pod(c, "p", NULL, "",
                                 "containers: [{name: c, image: i, resources: {requests: "
                                 "{cpu: '3', memory: 9Gi}}}]");
    small_decide(c, pod);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(berth_explanation_reason_counts(c->explanation, counts, 4), 3);
    uint32_t cpu = 0, memory = 0, taints = 0;
    for (int i = 0; i < 3; i++) {
        cpu += says(counts[i].reason, "Insufficient cpu") ? counts[i].nodes : 0;
        memory += says(counts[i].reason, "Insufficient memory") ? counts[i].nodes : 0;
        if (says(counts[i].plugin, "TaintToleration")) {
            taints += counts[i].nodes;
            assert_int_equal(counts[i].code, BERTH_CODE_UNRESOLVABLE);
        }
    }
    assert_true(cpu == 3 && memory == 6 && taints == 3);
    assert_int_equal(berth_explanation_reason_counts(c->explanation, counts, 1), 3);
    assert_int_equal(berth_explanation_reason_counts(c->explanation, NULL, 0), 3);
}

/* A caller with an older, smaller struct gets the members it has; one with a newer struct gets
 * zeros. */
static void test_sizes(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    berth_pod_id pod = small_pod(c, "p", NULL, "", CPU("9"));
    struct {
        berth_fit fit;
        uint64_t more;
    } newer = {.fit.size = sizeof(newer), .more = 7};
    berth_fit older = {.size = offsetof(berth_fit, code), .code = (berth_code)77};
    assert_int_equal(berth_engine_fits(c->engine, pod, a, 0, &newer.fit, NULL), BERTH_OK);
    assert_int_equal(newer.fit.size, sizeof(newer));
    assert_int_equal(newer.more, 0);
    assert_int_equal(berth_engine_fits(c->engine, pod, a, 0, &older, NULL), BERTH_OK);
    assert_int_equal(older.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal((int)older.code, 77);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, small_set_up, small_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_one_node),
        TEST(test_absent_node),
        TEST(test_nominated),
        TEST(test_errors_of_plugins),
        cmocka_unit_test(test_reasons_of_own_plugins),
        TEST(test_totals_that_fail),
        TEST(test_all_nodes),
        TEST(test_sizes),
        TEST(test_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
