/* Predicates and priorities of v1.15, one by one, on clusters of a few nodes. */
#include "legacy_rules.h"

#define BETA_ZONE "failure-domain.beta.kubernetes.io/zone"
#define REQUESTS(text) "containers: [{name: c, image: i, resources: {requests: {" text "}}}]"

/* ---- predicates ---- */

static void test_conditions(void **state)
{
    static const struct {
        const char *predicate;
        const char *condition; /* "TYPE, status: STATUS" */
        const char *reason;    /* NULL: the pod fits */
    } cases[] = {
        {"CheckNodeMemoryPressure", "MemoryPressure, status: 'True'",
         "CheckNodeMemoryPressure: node(s) had memory pressure"},
        {"CheckNodeMemoryPressure", "MemoryPressure, status: Unknown", ""},
        {"CheckNodeDiskPressure", "DiskPressure, status: 'True'",
         "CheckNodeDiskPressure: node(s) had disk pressure"},
        {"CheckNodeDiskPressure", "MemoryPressure, status: 'True'", ""},
        {"CheckNodePIDPressure", "PIDPressure, status: 'True'",
         "CheckNodePIDPressure: node(s) had pid pressure"},
        {"CheckNodeCondition", "Ready, status: 'True'", ""},
        {"CheckNodeCondition", "Ready, status: Unknown",
         "CheckNodeCondition: node(s) were not ready"},
        {"CheckNodeCondition", "NetworkUnavailable, status: 'False'", ""},
        {"CheckNodeCondition", "NetworkUnavailable, status: Unknown",
         "CheckNodeCondition: node(s) had unavailable network"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        open_with_predicate(&c, cases[i].predicate);
        berth_node_id node =
            (berth_node_id)small_addf(&c,
                                      "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                      "status: {conditions: [{type: %s}]}\n",
                                      cases[i].condition);
        check_pod(&c, node, "p", "", cases[i].reason);
        small_close(&c);
    }
}

/* Memory pressure repels only pods without requests; a cordon needs no toleration here. */
static void test_condition_exceptions(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "CheckNodeMemoryPressure");
    berth_node_id node = (berth_node_id)small_add(
        &c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
            "status: {conditions: [{type: MemoryPressure, status: 'True'}]}\n");
    check_pod(&c, node, "p", REQUESTS("cpu: 1m"), "");
    small_close(&c);

    open_with_predicate(&c, "CheckNodeCondition");
    node = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                        "spec: {unschedulable: true}\n");
    check_pod(&c, node, "p", "tolerations: [{operator: Exists}]",
              "CheckNodeCondition: node(s) were unschedulable");
    small_close(&c);

    open_with_predicate(&c, "CheckNodeUnschedulable");
    node = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                        "spec: {unschedulable: true}\n");
    check_pod(&c, node, "p", "tolerations: [{operator: Exists}]", "");
    check_pod(&c, node, "q", "", "CheckNodeUnschedulable: node(s) were unschedulable");
    small_close(&c);
}

static void test_taints(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "PodToleratesNodeTaints");
    berth_node_id node =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                     "spec: {taints: [{key: k, value: v, effect: NoExecute}]}\n");
    check_pod(&c, node, "p", "",
              "PodToleratesNodeTaints: node(s) had taints that the pod didn't tolerate");
    check_pod(&c, node, "q", "tolerations: [{key: k, value: v}]", "");
    small_close(&c);
}

/* A resource that the pod requests with 0 is tested, too, if the pod requests anything; the amounts
 * of containers are rounded up one by one, and only the largest init container counts. */
static void test_resources(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "PodFitsResources");
    berth_node_id node = small_node(&c, "n1", "");
    small_pod(&c, "running", "n1", "", REQUESTS("cpu: 5"));
    check_pod(&c, node, "nothing", "", "");
    check_pod(&c, node, "memory", REQUESTS("memory: 1Mi"), "PodFitsResources: Insufficient cpu");
    small_close(&c);

    open_with_predicate(&c, "PodFitsResources");
    node = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                        "status: {allocatable: {cpu: 1m, pods: '0'}}\n");
    check_pod(&c, node, "p",
              "containers: [{name: a, resources: {requests: {cpu: 500u}}}, "
              "{name: b, resources: {requests: {cpu: 500u}}}]",
              "PodFitsResources: Insufficient pods, Insufficient cpu");
    small_close(&c);
}

static void test_node_selector(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "MatchNodeSelector");
    berth_node_id with = small_node(&c, "with", ", labels: {disk: ssd}");
    berth_node_id without = small_node(&c, "without", "");
    small_decide(&c, small_pod(&c, "p", NULL, "", "nodeSelector: {disk: ssd}"));
    check_refusal(&c, with, "");
    check_refusal(&c, without, "MatchNodeSelector: node(s) didn't match node selector");
    small_decide(&c, small_pod(&c, "by-name", NULL, "",
                               "affinity: {nodeAffinity: {requiredDuringSchedulingIgnored"
                               "DuringExecution: {nodeSelectorTerms: [{matchFields: [{key: "
                               "metadata.name, operator: In, values: [without]}]}]}}}"));
    check_refusal(&c, without, "");
    check_refusal(&c, with, "MatchNodeSelector: node(s) didn't match node selector");
    small_close(&c);
}

/* All parts of GeneralPredicates report their reasons. */
static void test_general(void **state)
{
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "GeneralPredicates");
    berth_node_id node = small_node(&c, "n1", "");
    berth_node_id other = small_node(&c, "m", ", labels: {disk: ssd}");
    small_pod(&c, "running", "n1", "",
              "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80, protocol: TCP}]}]");
    small_decide(&c, small_pod(&c, "p", NULL, "",
                               "nodeSelector: {disk: ssd}, containers: [{name: c, resources: "
                               "{requests: {cpu: 9, memory: 1Gi}}, ports: [{containerPort: 80, "
                               "hostPort: 80, protocol: TCP}]}]"));
    check_refusal(&c, node,
                  "GeneralPredicates: Insufficient cpu, node(s) didn't have free ports for the "
                  "requested pod ports, node(s) didn't match node selector");
    check_refusal(&c, other, "GeneralPredicates: Insufficient cpu");
    assert_int_equal(berth_explanation_refusal(c.explanation, 0).code, BERTH_CODE_UNRESOLVABLE);
    assert_int_equal(berth_explanation_refusal(c.explanation, 1).code, BERTH_CODE_UNSCHEDULABLE);
    small_close(&c);
}

/* A pod that names a missing node fits nowhere. */
static void test_host_name(void **state)
{
    static const char *const predicates[] = {"HostName", "GeneralPredicates"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char wanted[128];
        small_cluster c;
        open_with_predicate(&c, predicates[i]);
        berth_node_id node = small_node(&c, "n1", "");
        small_decide(&c, small_pod(&c, "p", "gone", "", ""));
        snprintf(wanted, sizeof(wanted), "%s: node(s) didn't match the requested hostname",
                 predicates[i]);
        check_refusal(&c, node, wanted);
        check_pod(&c, node, "q", "", "");
        small_close(&c);
    }
}

static void test_label_presence(void **state)
{
    static const berth_str keys[] = {TEXT("a"), TEXT("b")};
    (void)state;
    for (int presence = 0; presence < 2; presence++) {
        const berth_plugin_args args = {.label = {{keys, 2}, presence != 0}};
        lone_plugin plugin;
        small_cluster c;
        small_open(&c, lone(&plugin, "CheckNodeLabelPresence", NULL, &args));
        berth_node_id both = small_node(&c, "both", ", labels: {a: x, b: ''}");
        berth_node_id one = small_node(&c, "one", ", labels: {a: x}");
        berth_node_id none = small_node(&c, "none", "");
        const char *reason = "CheckNodeLabelPresence: node(s) didn't have the requested labels";
        small_decide(&c, small_pod(&c, "p", NULL, "", ""));
        check_refusal(&c, both, presence ? "" : reason);
        check_refusal(&c, one, reason);
        check_refusal(&c, none, presence ? reason : "");
        small_close(&c);
    }
}

/* Without always_check_all only the first failing predicate is reported. */
static void test_first_failure(void **state)
{
    static const berth_plugin_ref both[] = {{.name = TEXT("MatchNodeSelector")},
                                            {.name = TEXT("PodFitsResources")}};
    (void)state;
    for (int all = 0; all < 2; all++) {
        berth_profile profile = {.era = BERTH_ERA_V1ALPHA1, .always_check_all = all != 0};
        profile_points points;
        own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){both, 2};
        small_cluster c;
        small_open(&c, &profile);
        berth_node_id node = small_node(&c, "n1", "");
        check_pod(&c, node, "p", "nodeSelector: {a: b}, " REQUESTS("cpu: 9"),
                  all ? "MatchNodeSelector: node(s) didn't match node selector; "
                        "PodFitsResources: Insufficient cpu"
                      : "MatchNodeSelector: node(s) didn't match node selector");
        berth_str message = berth_explanation_message(c.explanation);
        char wanted[128];
        snprintf(wanted, sizeof(wanted),
                 "0/1 nodes are available: %s1 node(s) didn't match node "
                 "selector.",
                 all ? "1 Insufficient cpu, " : "");
        assert_text(message, wanted);
        small_close(&c);
    }
}

/* ---- priorities ---- */

/* One node with 2 of 4 cpu and 2 of 8Gi used, an empty one, and a pod without requests. */
static void check_resource_priority(const char *priority, int64_t half, int64_t full)
{
    small_cluster c;
    open_with_priority(&c, priority);
    berth_node_id node = small_node(&c, "n1", "");
    berth_node_id small =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: small}\n"
                                     "status: {allocatable: {cpu: 2, memory: 2Gi, pods: 10}}\n");
    small_decide(&c, small_pod(&c, "p", NULL, "", REQUESTS("cpu: 2, memory: 2Gi")));
    assert_int_equal(small_score(&c, priority, node), half);
    assert_int_equal(small_score(&c, priority, small), full);
    small_close(&c);
}

static void test_resource_priorities(void **state)
{
    (void)state;
    check_resource_priority("LeastRequestedPriority", 6, 0);
    check_resource_priority("MostRequestedPriority", 3, 10);
    check_resource_priority("BalancedResourceAllocation", 7, 0);
    check_resource_priority("RequestedToCapacityRatioPriority", 6, 0);
}

/* Beyond the capacity MostRequestedPriority returns 0; containers without requests count 100m and
 * 200Mi; amounts beyond the exact range of the tile kernels are computed with integers. */
static void test_resource_edges(void **state)
{
    (void)state;
    small_cluster c;
    open_with_priority(&c, "MostRequestedPriority");
    berth_node_id node = small_node(&c, "n1", "");
    small_node(&c, "m", "");
    small_pod(&c, "running", "n1", "", REQUESTS("cpu: 3, memory: 8Gi"));
    small_decide(&c, small_pod(&c, "p", NULL, "", REQUESTS("cpu: 1, memory: 1")));
    assert_int_equal(small_score(&c, "MostRequestedPriority", node), (10 + 0) / 2);
    small_close(&c);

    open_with_priority(&c, "LeastRequestedPriority");
    node = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
                                        "status: {allocatable: {cpu: 1, memory: 400Mi}}\n");
    berth_node_id wide =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: wide}\n"
                                     "status: {allocatable: {cpu: 1, memory: 400Pi}}\n");
    /* Ten times the free part of the largest amount wraps around to less than nothing. */
    berth_node_id widest = (berth_node_id)small_add(
        &c, "apiVersion: v1\nkind: Node\nmetadata: {name: widest}\n"
            "status: {allocatable: {cpu: 1, memory: '9223372036854775807'}}\n");
    small_decide(&c, small_pod(&c, "p", NULL, "", "containers: [{name: c}]"));
    assert_int_equal(small_score(&c, "LeastRequestedPriority", node), (9 + 5) / 2);
    assert_int_equal(small_score(&c, "LeastRequestedPriority", wide), (9 + 9) / 2);
    assert_int_equal(small_score(&c, "LeastRequestedPriority", widest), (9 + 0) / 2);
    small_close(&c);

    /* Half of the cores and a quarter of the memory; beside the wide node, half and nothing. */
    open_with_priority(&c, "BalancedResourceAllocation");
    node = small_node(&c, "n1", "");
    wide =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: wide}\n"
                                     "status: {allocatable: {cpu: 4, memory: 400Pi, pods: 9}}\n");
    small_decide(&c, small_pod(&c, "p", NULL, "", REQUESTS("cpu: 2, memory: 2Gi")));
    assert_int_equal(small_score(&c, "BalancedResourceAllocation", node), 7);
    assert_int_equal(small_score(&c, "BalancedResourceAllocation", wide), 5);
    small_close(&c);
}

static void test_shape(void **state)
{
    static const berth_shape_point packing[] = {{0, 0}, {100, 10}};
    const berth_plugin_args args = {.fit = {.strategy = BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO,
                                            .shape = packing,
                                            .shape_count = 2}};
    (void)state;
    lone_plugin plugin;
    small_cluster c;
    small_open(&c, lone(&plugin, NULL, "RequestedToCapacityRatioPriority", &args));
    berth_node_id node = small_node(&c, "n1", "");
    berth_node_id none =
        (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: none}\n");
    small_decide(&c, small_pod(&c, "p", NULL, "", REQUESTS("cpu: 2, memory: 2Gi")));
    assert_int_equal(small_score(&c, "RequestedToCapacityRatioPriority", node), (5 + 2) / 2);
    assert_int_equal(small_score(&c, "RequestedToCapacityRatioPriority", none), 10);
    small_close(&c);

    /* 100 times 400Pi wraps around: 18 % of it appear to be free. */
    small_open(&c, lone(&plugin, NULL, "RequestedToCapacityRatioPriority", &args));
    node = (berth_node_id)small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: wide}\n"
                                        "status: {allocatable: {cpu: 4, memory: 400Pi}}\n");
    small_decide(&c, small_pod(&c, "p", NULL, "", REQUESTS("cpu: 2, memory: 2Gi")));
    assert_int_equal(small_score(&c, "RequestedToCapacityRatioPriority", node), (5 + 8) / 2);
    small_close(&c);
}

static void test_taint_priority(void **state)
{
    static const char *const taints[] = {
        ("[{key: a, effect: PreferNoSchedule}, {key: b, effect: PreferNoSchedule}, "
         "{key: c, effect: PreferNoSchedule}]"),
        "[{key: a, effect: PreferNoSchedule}]", "[]"};
    static const int64_t wanted[] = {0, 7, 10};
    berth_node_id nodes[3];
    (void)state;
    small_cluster c;
    open_with_priority(&c, "TaintTolerationPriority");
    for (int i = 0; i < 3; i++) {
        nodes[i] = (berth_node_id)small_addf(
            &c, "apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nspec: {taints: %s}\n", i,
            taints[i]);
    }
    small_decide(&c, small_pod(&c, "p", NULL, "", ""));
    for (int i = 0; i < 3; i++)
        assert_int_equal(small_score(&c, "TaintTolerationPriority", nodes[i]), wanted[i]);
    small_decide(&c, small_pod(&c, "q", NULL, "", "tolerations: [{operator: Exists}]"));
    for (int i = 0; i < 3; i++)
        assert_int_equal(small_score(&c, "TaintTolerationPriority", nodes[i]), 10);
    small_close(&c);
}

/* matchFields are ignored: a term with nothing else matches no node. */
static void test_node_affinity_priority(void **state)
{
    (void)state;
    small_cluster c;
    open_with_priority(&c, "NodeAffinityPriority");
    berth_node_id a = small_node(&c, "a", ", labels: {disk: ssd, gen: '5'}");
    berth_node_id b = small_node(&c, "b", ", labels: {gen: '7'}");
    small_decide(
        &c,
        small_pod(
            &c, "p", NULL, "",
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: ["
            "{weight: 7, preference: {matchExpressions: [{key: disk, operator: Exists}]}}, "
            "{weight: 3, preference: {matchExpressions: [{key: gen, operator: Gt, values: ['4']}], "
            "matchFields: [{key: metadata.name, operator: In, values: [nobody]}]}}, "
            "{weight: 90, preference: {matchFields: [{key: metadata.name, operator: In, values: "
            "[b]}]}}]}}"));
    assert_int_equal(small_score(&c, "NodeAffinityPriority", a), 10);
    assert_int_equal(small_score(&c, "NodeAffinityPriority", b), 3);
    small_decide(&c, small_pod(&c, "q", NULL, "", ""));
    assert_int_equal(small_score(&c, "NodeAffinityPriority", a), 0);
    small_close(&c);
}

static void test_image_priority(void **state)
{
    (void)state;
    small_cluster c;
    open_with_priority(&c, "ImageLocalityPriority");
    berth_node_id nodes[3];
    for (int i = 0; i < 3; i++) {
        nodes[i] = (berth_node_id)small_addf(
            &c, "apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\nstatus: {images: [%s]}\n", i,
            i < 2 ? "{names: ['app:1'], sizeBytes: 524288000}" : "");
    }
    small_decide(&c, small_pod(&c, "p", NULL, "",
                               "initContainers: [{name: i, image: 'app:1'}], "
                               "containers: [{name: c, image: 'app:1'}]"));
    assert_int_equal(small_score(&c, "ImageLocalityPriority", nodes[0]), 3);
    assert_int_equal(small_score(&c, "ImageLocalityPriority", nodes[2]), 0);
    small_close(&c);
}

#define AVOID(list) ", annotations: {scheduler.alpha.kubernetes.io/preferAvoidPods: '" list "'}"

static void test_avoid_pods(void **state)
{
    static const struct {
        const char *annotation;
        int64_t score;
    } cases[] = {
        {"", 10},
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"apiVersion\": "
               "\"v1\", \"kind\": \"ReplicaSet\", \"uid\": \"u1\", \"controller\": true}}, "
               "\"reason\": \"x\"}]}"),
         0},
        {AVOID("{\"PREFERAVOIDPODS\": [{}, {\"podSignature\": {\"podController\": {\"kind\": "
               "\"Replica\\u0053et\", \"uid\": \"u1\"}}}], \"more\": [1.5e3, null]}"),
         0},
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"kind\": "
               "\"ReplicaSet\", \"uid\": \"u2\"}}}]}"),
         10},
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"kind\": "
               "\"ReplicaSet\", \"uid\": \"u1\"}}}]} more"),
         10},
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"kind\": "
               "\"ReplicaSet\", \"uid\": \"u1\"}}, \"reason\": 1}]}"),
         10},
        /* a pair of surrogates, halves of one, and fewer than four digits */
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"kind\": "
               "\"ReplicaSet\", \"uid\": \"u1\"}}, \"reason\": \"\\ud83d\\ude00\"}]}"),
         0},
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"kind\": "
               "\"ReplicaSet\", \"uid\": \"u1\"}}, \"reason\": \"\\ud83d\\u0041 \\ud83d "
               "\\ude00\"}]}"),
         0},
        {AVOID("{\"preferAvoidPods\": [{\"podSignature\": {\"podController\": {\"kind\": "
               "\"ReplicaSet\", \"uid\": \"u1\"}}, \"reason\": \"\\ud83d\\ude0\"}]}"),
         10},
        {AVOID("nonsense"), 10},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        open_with_priority(&c, "NodePreferAvoidPodsPriority");
        berth_node_id node = small_node(&c, "n1", cases[i].annotation);
        berth_node_id other = small_node(&c, "m", "");
        small_decide(&c, small_pod(&c, "p", NULL,
                                   ", ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, "
                                   "name: rs, uid: u1, controller: true}]",
                                   ""));
        assert_int_equal(small_score(&c, "NodePreferAvoidPodsPriority", node), cases[i].score);
        assert_int_equal(small_score(&c, "NodePreferAvoidPodsPriority", other), 10);
        small_decide(&c, small_pod(&c, "q", NULL,
                                   ", ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, "
                                   "name: rs, uid: u1, controller: true}]",
                                   ""));
        assert_int_equal(small_score(&c, "NodePreferAvoidPodsPriority", node), 10);
        small_close(&c);
    }
}

static void test_label_priority(void **state)
{
    static const berth_str key = TEXT("disk");
    (void)state;
    for (int presence = 0; presence < 2; presence++) {
        const berth_plugin_args args = {.label = {{&key, 1}, presence != 0}};
        lone_plugin plugin;
        small_cluster c;
        small_open(&c, lone(&plugin, NULL, "NodeLabelPriority", &args));
        berth_node_id with = small_node(&c, "with", ", labels: {disk: ssd}");
        berth_node_id without = small_node(&c, "without", "");
        small_decide(&c, small_pod(&c, "p", NULL, "", ""));
        assert_int_equal(small_score(&c, "NodeLabelPriority", with), presence ? 10 : 0);
        assert_int_equal(small_score(&c, "NodeLabelPriority", without), presence ? 0 : 10);
        small_close(&c);
    }
}

/* Every node scores 1 by EqualPriority, and also if no priority is configured. */
static void test_equal(void **state)
{
    static const char *const priorities[] = {"EqualPriority", NULL};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        small_cluster c;
        open_with_priority(&c, priorities[i]);
        small_node(&c, "n1", "");
        small_node(&c, "m", "");
        small_decide(&c, small_pod(&c, "p", NULL, "", ""));
        assert_int_equal(c.placement.total, 1);
        assert_int_equal(c.placement.best_count, 2);
        small_close(&c);
    }
}

#define APP(value) ", labels: {app: " value "}"

static void add_app_pods(small_cluster *c, const char *node, int count)
{
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof(name), "%s-%d", node, i);
        small_pod(c, name, node, APP("web"), "");
    }
    char name[64];
    snprintf(name, sizeof(name), "%s-other", node);
    small_pod(c, name, node, APP("db"), "");
}

#define SERVICE                                              \
    "apiVersion: v1\nkind: Service\nmetadata: {name: web}\n" \
    "spec: {selector: {app: web}}\n"

static void test_selector_spread(void **state)
{
    static const int64_t wanted[] = {0, 1, 10, 5};
    berth_node_id nodes[4];
    (void)state;
    small_cluster c;
    open_with_priority(&c, "SelectorSpreadPriority");
    nodes[0] = small_node(&c, "a", ", labels: {" BETA_ZONE ": z1}");
    nodes[1] = small_node(&c, "b", ", labels: {" BETA_ZONE ": z1}");
    nodes[2] = small_node(&c, "c", ", labels: {" BETA_ZONE ": z2}");
    nodes[3] = small_node(&c, "d", ", labels: {topology.kubernetes.io/zone: z1}");
    small_add(&c, SERVICE);
    add_app_pods(&c, "a", 2);
    add_app_pods(&c, "b", 1);
    add_app_pods(&c, "c", 0);
    add_app_pods(&c, "d", 1);
    small_decide(&c, small_pod(&c, "p", NULL, APP("web"), ""));
    for (int i = 0; i < 4; i++)
        assert_int_equal(small_score(&c, "SelectorSpreadPriority", nodes[i]), wanted[i]);
    small_decide(&c, small_pod(&c, "q", NULL, APP("nobody"), ""));
    for (int i = 0; i < 4; i++)
        assert_int_equal(small_score(&c, "SelectorSpreadPriority", nodes[i]), 10);
    small_close(&c);
}

/* Only Services, or also controllers; all selectors must match. */
static void test_selectors(void **state)
{
    static const char *const priorities[] = {"ServiceSpreadingPriority", "SelectorSpreadPriority"};
    (void)state;
    for (int all = 0; all < 2; all++) {
        small_cluster c;
        open_with_priority(&c, priorities[all]);
        berth_node_id a = small_node(&c, "a", ""), b = small_node(&c, "b", "");
        small_add(&c, SERVICE);
        small_add(&c, "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc}\n"
                      "spec: {replicas: 0, selector: {tier: front}, template: {metadata: {labels: "
                      "{tier: front}}, spec: {containers: [{name: c, image: i}]}}}\n");
        small_pod(&c, "p1", "a", APP("web"), "");
        small_pod(&c, "p2", "b", ", labels: {app: web, tier: front}", "");
        small_decide(&c, small_pod(&c, "p", NULL, ", labels: {app: web, tier: front}", ""));
        assert_int_equal(small_score(&c, priorities[all], a), all ? 10 : 0);
        assert_int_equal(small_score(&c, priorities[all], b), 0);
        small_close(&c);
    }
}

/* All of many selectors count: a pod that one of them does not match is none of the siblings. */
static void test_many_selectors(void **state)
{
    enum { MANY = 6 };
    static const char all[] = ", labels: {l0: x, l1: x, l2: x, l3: x, l4: x, l5: x}";
    (void)state;
    for (int without = 0; without < MANY; without++) {
        small_cluster c;
        char labels[128] = ", labels: {";
        open_with_priority(&c, "SelectorSpreadPriority");
        const berth_node_id a = small_node(&c, "a", ""), b = small_node(&c, "b", "");
        for (int i = 0; i < MANY; i++) {
            const size_t at = strlen(labels);
            small_addf(&c,
                       "apiVersion: v1\nkind: Service\nmetadata: {name: s%d}\n"
                       "spec: {selector: {l%d: x}}\n",
                       i, i);
            (void)snprintf(labels + at, sizeof(labels) - at, "l%d: %s%s", i,
                           i == without ? "z" : "x", i + 1 < MANY ? ", " : "}");
        }
        small_pod(&c, "other", "a", labels, "");
        small_pod(&c, "sibling", "b", all, "");
        small_decide(&c, small_pod(&c, "p", NULL, all, ""));
        assert_int_equal(small_score(&c, "SelectorSpreadPriority", a), 10);
        assert_int_equal(small_score(&c, "SelectorSpreadPriority", b), 0);
        small_close(&c);
    }
}

static void test_service_anti_affinity(void **state)
{
    static const berth_str rack = TEXT("rack");
    const berth_plugin_args args = {.label = {{&rack, 1}, false}};
    (void)state;
    lone_plugin plugin;
    small_cluster c;
    small_open(&c, lone(&plugin, NULL, "ServiceAntiAffinityPriority", &args));
    berth_node_id a = small_node(&c, "a", ", labels: {rack: r1}");
    berth_node_id b = small_node(&c, "b", ", labels: {rack: r1}");
    berth_node_id d = small_node(&c, "d", ", labels: {rack: r2}");
    berth_node_id none = small_node(&c, "none", "");
    small_add(&c, SERVICE);
    add_app_pods(&c, "a", 1);
    add_app_pods(&c, "b", 2);
    add_app_pods(&c, "d", 1);
    small_decide(&c, small_pod(&c, "p", NULL, APP("web"), ""));
    assert_int_equal(small_score(&c, "ServiceAntiAffinityPriority", a), 2);
    assert_int_equal(small_score(&c, "ServiceAntiAffinityPriority", b), 2);
    assert_int_equal(small_score(&c, "ServiceAntiAffinityPriority", d), 7);
    assert_int_equal(small_score(&c, "ServiceAntiAffinityPriority", none), 0);
    small_decide(&c, small_pod(&c, "q", NULL, APP("nobody"), ""));
    assert_int_equal(small_score(&c, "ServiceAntiAffinityPriority", a), 10);
    assert_int_equal(small_score(&c, "ServiceAntiAffinityPriority", none), 0);
    small_close(&c);
}

/* Values come from the nodeSelector, then from the node of a similar pod if the pod has a
 * Service. */
static void test_service_affinity(void **state)
{
    static const berth_str keys[] = {TEXT("region"), TEXT("zone")};
    const berth_plugin_args args = {.label = {{keys, 2}, false}};
    const char *reason = "CheckServiceAffinity: node(s) didn't match service affinity";
    (void)state;
    lone_plugin plugin;
    small_cluster c;
    small_open(&c, lone(&plugin, "CheckServiceAffinity", NULL, &args));
    berth_node_id a = small_node(&c, "a", ", labels: {region: r1, zone: z1}");
    berth_node_id b = small_node(&c, "b", ", labels: {region: r1, zone: z2}");
    berth_node_id d = small_node(&c, "d", ", labels: {region: r2, zone: z2}");
    small_decide(&c, small_pod(&c, "p1", NULL, APP("web"), ""));
    check_refusal(&c, d, "");
    small_pod(&c, "running", "b", APP("web"), "");
    small_decide(&c, small_pod(&c, "p2", NULL, APP("web"), ""));
    check_refusal(&c, a, ""); /* no Service yet */
    small_add(&c, SERVICE);
    small_decide(&c, small_pod(&c, "p3", NULL, APP("web"), ""));
    check_refusal(&c, a, reason);
    check_refusal(&c, b, "");
    check_refusal(&c, d, reason);
    small_decide(&c, small_pod(&c, "p4", NULL, APP("web"), "nodeSelector: {region: r2}"));
    check_refusal(&c, a, reason);
    check_refusal(&c, b, reason);
    check_refusal(&c, d, "");
    small_decide(&c, small_pod(&c, "p5", NULL, APP("web"), "nodeSelector: {region: r1, zone: z1}"));
    check_refusal(&c, a, "");
    check_refusal(&c, b, reason);
    small_decide(&c, small_pod(&c, "p6", NULL, ", labels: {app: web, tier: front}", ""));
    check_refusal(&c, a, ""); /* no node has all of its labels */
    small_close(&c);
}

/* Each of many labels counts. */
static void test_service_affinity_of_many_labels(void **state)
{
    static const berth_str keys[] = {TEXT("k0"), TEXT("k1"), TEXT("k2"), TEXT("k3"), TEXT("k4")};
    enum { KEYS = sizeof(keys) / sizeof(keys[0]) };
    const berth_plugin_args args = {.label = {{keys, KEYS}, false}};
    const char *reason = "CheckServiceAffinity: node(s) didn't match service affinity";
    (void)state;
    lone_plugin plugin;
    small_cluster c;
    small_open(&c, lone(&plugin, "CheckServiceAffinity", NULL, &args));
    small_node(&c, "like", ", labels: {k0: v, k1: v, k2: v, k3: v, k4: v}");
    small_add(&c, SERVICE);
    small_pod(&c, "running", "like", APP("web"), "");
    berth_node_id same = small_node(&c, "same", ", labels: {k0: v, k1: v, k2: v, k3: v, k4: v}");
    berth_node_id other[KEYS];
    for (int i = 0; i < KEYS; i++) {
        char name[8], labels[64];
        snprintf(name, sizeof(name), "n%d", i);
        int at = snprintf(labels, sizeof(labels), ", labels: {k%d: w", i);
        for (int k = 0; k < KEYS; k++)
            if (k != i)
                at += snprintf(labels + at, sizeof(labels) - (size_t)at, ", k%d: v", k);
        snprintf(labels + at, sizeof(labels) - (size_t)at, "}");
        other[i] = small_node(&c, name, labels);
    }
    small_decide(&c, small_pod(&c, "p", NULL, APP("web"), ""));
    check_refusal(&c, same, "");
    for (int i = 0; i < KEYS; i++)
        check_refusal(&c, other[i], reason);
    small_close(&c);
}

/* A required unreadable term: for affinity an error if there are pods to compare with, for
 * anti-affinity a refusal of every node; without pods it is never read. */
static void test_unreadable_terms(void **state)
{
#define UNREADABLE(kind)                                                                      \
    "affinity: {" kind ": {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: " \
    "{matchLabels: {app: 'a b'}}, topologyKey: zone}]}}"
    const char *common = "MatchInterPodAffinity: node(s) didn't match pod affinity/anti-affinity, ";
    char wanted[256];
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "MatchInterPodAffinity");
    berth_node_id a = small_node(&c, "a", ", labels: {zone: z1}");
    berth_pod_id near = small_pod(&c, "near", NULL, APP("web"), UNREADABLE("podAffinity"));
    berth_pod_id far = small_pod(&c, "far", NULL, APP("web"), UNREADABLE("podAntiAffinity"));
    small_decide(&c, near);
    snprintf(wanted, sizeof(wanted), "%snode(s) didn't match pod affinity rules", common);
    check_refusal(&c, a, wanted);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    small_decide(&c, far);
    check_refusal(&c, a, "");
    small_pod(&c, "running", "a", APP("db"), "");
    small_decide(&c, near);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    const char *refusal = small_refusal(&c, a);
    assert_non_null(strstr(refusal, "error: Cannot schedule pod default/near onto node a, because "
                                    "of PodAffinity: invalid label value: \"a b\": a valid label "
                                    "must be an empty string"));
    small_decide(&c, far);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    snprintf(wanted, sizeof(wanted), "%snode(s) didn't match pod anti-affinity rules", common);
    check_refusal(&c, a, wanted);
    small_close(&c);
}

static void test_inter_pod_affinity(void **state)
{
    static const char near[] =
        "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: "
        "{matchLabels: {app: web}}, topologyKey: zone}]}}";
    static const char far[] =
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{labelSelector: {matchLabels: {app: web}}, topologyKey: zone}]}}";
    const char *common = "MatchInterPodAffinity: node(s) didn't match pod affinity/anti-affinity, ";
    char wanted[256];
    (void)state;
    small_cluster c;
    open_with_predicate(&c, "MatchInterPodAffinity");
    berth_node_id a = small_node(&c, "a", ", labels: {zone: z1}");
    berth_node_id b = small_node(&c, "b", ", labels: {zone: z2}");
    berth_node_id none = small_node(&c, "none", "");
    /* the first of a group fits anywhere, even on nodes without the key */
    small_decide(&c, small_pod(&c, "first", NULL, APP("web"), near));
    check_refusal(&c, a, "");
    check_refusal(&c, none, "");
    small_pod(&c, "running", "a", APP("web"), far);
    small_decide(&c, small_pod(&c, "p", NULL, APP("db"), near));
    check_refusal(&c, a, "");
    snprintf(wanted, sizeof(wanted), "%snode(s) didn't match pod affinity rules", common);
    check_refusal(&c, b, wanted);
    check_refusal(&c, none, wanted);
    assert_int_equal(berth_explanation_refusal(c.explanation, 0).code, BERTH_CODE_UNRESOLVABLE);
    small_decide(&c, small_pod(&c, "q", NULL, APP("db"), far));
    snprintf(wanted, sizeof(wanted), "%snode(s) didn't match pod anti-affinity rules", common);
    check_refusal(&c, a, wanted);
    check_refusal(&c, b, "");
    assert_int_equal(berth_explanation_refusal(c.explanation, 0).code, BERTH_CODE_UNSCHEDULABLE);
    /* objections of running pods are reported first */
    small_decide(&c, small_pod(&c, "r", NULL, APP("web"), far));
    snprintf(wanted, sizeof(wanted), "%snode(s) didn't satisfy existing pods anti-affinity rules",
             common);
    check_refusal(&c, a, wanted);
    check_refusal(&c, none, "");
    small_close(&c);
}

/* Sums of 5, 3 and 8: the range includes 0, so 3 is not the lowest value. */
static void test_affinity_priority(void **state)
{
    static const int weights[] = {5, 3, 8};
    static const int64_t wanted[] = {6, 3, 10};
    berth_node_id nodes[3];
    char spec[1024] = "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [";
    (void)state;
    small_cluster c;
    open_with_priority(&c, "InterPodAffinityPriority");
    for (int i = 0; i < 3; i++) {
        char name[16], more[64];
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(more, sizeof(more), ", labels: {host: n%d}", i);
        nodes[i] = small_node(&c, name, more);
        snprintf(more, sizeof(more), ", labels: {app: a%d}", i);
        snprintf(name, sizeof(name), "p%d", i);
        char node[16];
        snprintf(node, sizeof(node), "n%d", i);
        small_pod(&c, name, node, more, "");
        size_t at = strlen(spec);
        snprintf(spec + at, sizeof(spec) - at,
                 "%s{weight: %d, podAffinityTerm: {labelSelector: {matchLabels: {app: a%d}}, "
                 "topologyKey: host}}",
                 i > 0 ? ", " : "", weights[i], i);
    }
    strcat(spec, "]}}");
    small_decide(&c, small_pod(&c, "p", NULL, "", spec));
    for (int i = 0; i < 3; i++)
        assert_int_equal(small_score(&c, "InterPodAffinityPriority", nodes[i]), wanted[i]);
    small_decide(&c, small_pod(&c, "q", NULL, "", ""));
    for (int i = 0; i < 3; i++)
        assert_int_equal(small_score(&c, "InterPodAffinityPriority", nodes[i]), 0);
    small_close(&c);
}

/* ---- the default provider ---- */

enum { FLEET = 400, FLEET_PODS = 700 };

/* Places the same pods on the same nodes by one path; returns a digest of the result. */
static uint64_t place_fleet(berth_path path, uint32_t threads, uint32_t *indexed)
{
    static const char config_text[] =
        "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n";
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_config *config = NULL;
    berth_engine_config engine_config;
    small_cluster c = {.last_id.node = 0};
    small_require(berth_scheduler_config_text(str(config_text), "test", 0, &config, &error),
                  &error);
    berth_engine_config_init(&engine_config);
    engine_config.threads = threads;
    engine_config.path = path;
    engine_config.profiles = berth_scheduler_config_profiles(config, &engine_config.profile_count);
    small_require(berth_engine_create(&engine_config, &c.engine, &error), &error);
    assert_int_equal(berth_reader_create(&(berth_read_options){.size = sizeof(berth_read_options)},
                                         &c.reader, &error),
                     BERTH_OK);
    for (int i = 0; i < FLEET; i++) {
        char name[16], more[128];
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(more, sizeof(more), ", labels: {" BETA_ZONE ": z%d, disk: %s}", i % 3,
                 i % 5 == 0 ? "ssd" : "hdd");
        small_node(&c, name, more);
    }
    small_add(&c, SERVICE);
    for (int i = 0; i < FLEET_PODS; i++) {
        static const char *const specs[] = {
            REQUESTS("cpu: 500m, memory: 1Gi"),
            REQUESTS("cpu: 250m") ", nodeSelector: {disk: ssd}",
            "containers: [{name: c, image: i}]",
            "containers: [{name: c, image: i, ports: [{containerPort: 80, hostPort: 80}]}]",
        };
        char name[16];
        berth_placement placement;
        snprintf(name, sizeof(name), "p%d", i);
        berth_pod_id pod = small_pod(&c, name, NULL, i % 7 == 0 ? APP("web") : "", specs[i % 4]);
        small_require(berth_engine_schedule(c.engine, pod, &placement, &error), &error);
        *indexed += placement.path == BERTH_PATH_INDEX;
    }
    uint64_t digest = berth_engine_digest(c.engine);
    small_close(&c);
    berth_scheduler_config_destroy(config);
    return digest;
}

/* By index or scan, on one thread or several, the pods are on the same nodes. */
static void test_paths(void **state)
{
    uint32_t scanned = 0, indexed = 0;
    (void)state;
    uint64_t digest = place_fleet(BERTH_PATH_SCAN, 1, &scanned);
    assert_int_equal(scanned, 0);
    assert_true(place_fleet(BERTH_PATH_INDEX, 1, &indexed) == digest);
    assert_int_not_equal(indexed, 0);
    assert_true(place_fleet(BERTH_PATH_AUTO, 1, &indexed) == digest);
    assert_true(place_fleet(BERTH_PATH_SCAN, 4, &scanned) == digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_condition_exceptions),
        cmocka_unit_test(test_taints),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_node_selector),
        cmocka_unit_test(test_general),
        cmocka_unit_test(test_host_name),
        cmocka_unit_test(test_label_presence),
        cmocka_unit_test(test_first_failure),
        cmocka_unit_test(test_resource_priorities),
        cmocka_unit_test(test_resource_edges),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_taint_priority),
        cmocka_unit_test(test_node_affinity_priority),
        cmocka_unit_test(test_image_priority),
        cmocka_unit_test(test_avoid_pods),
        cmocka_unit_test(test_label_priority),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_selector_spread),
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_many_selectors),
        cmocka_unit_test(test_service_anti_affinity),
        cmocka_unit_test(test_service_affinity),
        cmocka_unit_test(test_service_affinity_of_many_labels),
        cmocka_unit_test(test_unreadable_terms),
        cmocka_unit_test(test_inter_pod_affinity),
        cmocka_unit_test(test_affinity_priority),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
