/* Rules that differ between Kubernetes versions: each case is decided for two versions, or for one
 * with a feature gate switched. The texts are kube-scheduler's. */
#include "profile_points.h"
#include "rule_cluster.h"

static void open_profile(small_cluster *c, uint32_t minor, const char *gates,
                         const berth_profile *profile)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = minor;
    config.profiles = profile;
    config.profile_count = profile != NULL;
    config.feature_gates = (berth_str){gates, (uint32_t)strlen(gates)};
    small_open_as(c, config);
}

static void open_as(small_cluster *c, uint32_t minor, const char *gates)
{
    open_profile(c, minor, gates, NULL);
}

static void expect_message(const small_cluster *c, const char *wanted)
{
    char text[4096];
    berth_str message = berth_explanation_message(c->explanation);
    snprintf(text, sizeof(text), "%.*s", (int)message.len, message.data);
    assert_string_equal(text, wanted);
}

/* Decide a pod with this spec on a cluster of `objects`, as version `minor`. */
static void decide_as(small_cluster *c, uint32_t minor, const char *gates, const char *objects,
                      const char *spec)
{
    open_as(c, minor, gates);
    if (objects[0] != '\0')
        small_add(c, objects);
    small_decide(c, small_pod(c, "p", NULL, ", labels: {app: a}", spec));
}

static void check_message(uint32_t minor, const char *objects, const char *spec, const char *wanted)
{
    small_cluster c;
    decide_as(&c, minor, "", objects, spec);
    expect_message(&c, wanted);
    small_close(&c);
}

static bool is_placed(uint32_t minor, const char *gates, const char *objects, const char *spec)
{
    small_cluster c;
    decide_as(&c, minor, gates, objects, spec);
    bool placed = c.placement.verdict == BERTH_VERDICT_PLACED;
    small_close(&c);
    return placed;
}

#define NODE(name, spec, status)                                                              \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {host: " name             \
    "}}\nspec: {" spec "}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}" status \
    "}\n---\n"
#define POD(name, space, node, spec)                                          \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: " space \
    ", labels: {app: x}}\nspec: {nodeName: " node ", containers: [{name: c}]" spec "}\n---\n"
#define TAINTED NODE("a", "taints: [{key: level, value: '5', effect: NoSchedule}]", "")
#define TOLERATES(op, value) \
    "tolerations: [{key: level, operator: " op ", value: '" value "', effect: NoSchedule}]"

#define TWO_ON_A                                                \
    NODE("a", "", "")                                           \
    NODE("b", "taints: [{key: level, effect: NoSchedule}]", "") \
    POD("one", "default", "a", "") POD("two", "default", "a", "")
#define SPREAD(rest)                                                                  \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: host, whenUnsatisfiable: " \
    "DoNotSchedule, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}" rest "}]"

/* Both pods on the only free node count unless matchLabelKeys leaves them out, or nodeTaintsPolicy
 * leaves out the other node. */
static void test_spread_gates(void **state)
{
    (void)state;
    const char *keys = SPREAD(", matchLabelKeys: [app]");
    const char *policy = SPREAD(", nodeTaintsPolicy: Honor");
    assert_false(is_placed(32, "", TWO_ON_A, SPREAD("")));
    assert_true(is_placed(32, "", TWO_ON_A, keys));
    assert_true(is_placed(37, "", TWO_ON_A, keys));
    assert_false(is_placed(32, "MatchLabelKeysInPodTopologySpread=false", TWO_ON_A, keys));
    assert_false(is_placed(37,
                           "MatchLabelKeysInPodTopologySpread=false,"
                           "MatchLabelKeysInPodTopologySpreadSelectorMerge=false",
                           TWO_ON_A, keys));
    assert_true(is_placed(32, "", TWO_ON_A, policy));
    assert_false(is_placed(32, "NodeInclusionPolicyInPodTopologySpread=false", TWO_ON_A, policy));
}

/* Huge pages that the pod as a whole requests count, if its requests do. */
static void test_huge_pages_of_pods(void **state)
{
    static const char node[] =
        "apiVersion: v1\nkind: Node\nmetadata: {name: a}\nstatus: {allocatable: {cpu: '4', memory: "
        "8Gi, pods: '110', hugepages-2Mi: 4Mi}}\n---\n";
    static const char asks[] = "resources: {requests: {cpu: 1, hugepages-2Mi: 8Mi}, limits: "
                               "{hugepages-2Mi: 8Mi}}, containers: [{name: c}]";
    static const char gate[] = "PodLevelResources=true";
    (void)state;
    assert_true(is_placed(33, "", node, asks));
    assert_false(is_placed(33, gate, node, asks));
    assert_false(is_placed(34, gate, node, asks));
    assert_true(is_placed(34, "PodLevelResources=false", node, asks));
}

static void test_taint_text(void **state)
{
    (void)state;
    check_message(
        32, TAINTED, "",
        "0/1 nodes are available: 1 node(s) had untolerated taint {level: 5}. preemption: "
        "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    check_message(
        36, TAINTED, "",
        "0/1 nodes are available: 1 node(s) had untolerated taint(s). no new claims to "
        "deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
        "scheduling.");
}

static void test_taint_comparisons(void **state)
{
    (void)state;
    static const char gate[] = "TaintTolerationComparisonOperators=true";
    static const struct {
        const char *spec;
        bool placed;
    } cases[] = {
        {TOLERATES("Lt", "6"), true},
        {TOLERATES("Lt", "5"), false},
        {TOLERATES("Gt", "4"), true},
        {TOLERATES("Gt", "5"), false},
        {TOLERATES("Gt", "-4"), true},
        {TOLERATES("Gt", "+4"), false},
        {TOLERATES("Gt", "04"), false},
        {TOLERATES("Gt", "x"), false},
        {TOLERATES("Gt", "-0"), false},
        {TOLERATES("Gt", "-9223372036854775808"), true},
        {TOLERATES("Lt", "9223372036854775807"), true},
        {TOLERATES("Lt", "9223372036854775808"), false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(is_placed(36, gate, TAINTED, cases[i].spec), cases[i].placed);
        assert_false(is_placed(36, "", TAINTED, cases[i].spec));
        assert_false(is_placed(32, "", TAINTED, cases[i].spec));
    }
}

#define SIDECAR(policy)                                                 \
    "initContainers: [{name: i" policy ", ports: [{containerPort: 80, " \
    "hostPort: 80}]}]"

static void test_sidecar_ports(void **state)
{
    (void)state;
    static const char wants[] =
        "containers: [{name: c, ports: [{containerPort: 80, hostPort: 80}]}]";
    static const char used[] =
        NODE("a", "", "") POD("r", "default", "a", ", " SIDECAR(", restartPolicy: Always"));
    static const char used_for_a_while[] =
        NODE("a", "", "") POD("r", "default", "a", ", " SIDECAR(""));
    static const char taken[] = NODE("a", "", "") POD(
        "r", "default", "a", ", hostNetwork: false") "apiVersion: v1\nkind: Pod\nmetadata: "
                                                     "{name: s}\nspec: {nodeName: a, containers: "
                                                     "[{name: c, ports: [{containerPort: 80, "
                                                     "hostPort: 80}]}]}\n";
    assert_true(is_placed(32, "", used, wants));
    assert_false(is_placed(33, "", used, wants));
    assert_false(is_placed(36, "", used, wants));
    assert_true(is_placed(36, "", used_for_a_while, wants));
    assert_true(is_placed(32, "", taken, SIDECAR(", restartPolicy: Always")));
    assert_false(is_placed(36, "", taken, SIDECAR(", restartPolicy: Always")));
    assert_true(is_placed(36, "", taken, SIDECAR("")));
}

#define CLAIM(name, spec, annotations, phase)                                      \
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: " name          \
    ", annotations: {" annotations                                                 \
    "}}\nspec: {accessModes: [ReadWriteOnce], storageClassName: late, resources: " \
    "{requests: {storage: 1Gi}}" spec "}\nstatus: {phase: " phase "}\n---\n"
#define VOLUME(name, spec, phase)                                                           \
    "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: " name "}\nspec: {capacity: " \
    "{storage: 1Gi}, accessModes: [ReadWriteOnce], storageClassName: late" spec "}\n"       \
    "status: {phase: " phase "}\n---\n"
#define LATE                                                                      \
    "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n" \
    "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer\n---\n"
#define USES "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]"

static void test_volume_texts(void **state)
{
    (void)state;
    static const char elsewhere[] = NODE("a", "", "")
        LATE VOLUME("v",
                    ", nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
                    "host, operator: In, values: [b]}]}]}}",
                    "Bound")
            CLAIM("c", ", volumeName: v", "pv.kubernetes.io/bind-completed: 'yes'", "Bound");
    check_message(
        32, elsewhere, USES,
        "0/1 nodes are available: 1 node(s) had volume node affinity conflict. preemption: "
        "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    check_message(
        34, elsewhere, USES,
        "0/1 nodes are available: 1 node(s) didn't match PersistentVolume's node affinity. "
        "no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is "
        "not helpful for scheduling.");
    static const char in_use[] = NODE("a", "", "") LATE VOLUME(
        "v", "",
        "Bound") "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, annotations: "
                 "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {accessModes: "
                 "[ReadWriteOncePod], "
                 "storageClassName: late, volumeName: v, resources: {requests: {storage: 1Gi}}}\n"
                 "status: {phase: Bound}\n---\n" POD("r", "default", "a", ", " USES);
    check_message(
        33, in_use, USES ", preemptionPolicy: Never",
        "0/1 nodes are available: 1 node has pod using PersistentVolumeClaim with the same "
        "name and ReadWriteOncePod access mode. preemption: not eligible due to "
        "preemptionPolicy=Never.");
    check_message(
        36, in_use, USES ", preemptionPolicy: Never",
        "0/1 nodes are available: 1 node(s) unavailable due to PersistentVolumeClaim with "
        "ReadWriteOncePod access mode already in-use by another pod. no new claims to "
        "deallocate, preemption: not eligible due to preemptionPolicy=Never.");
}

static void test_volume_attributes_classes(void **state)
{
    (void)state;
#define OFFER(claimed, offered) \
    NODE("a", "", "") LATE VOLUME("v", offered, "Available") CLAIM("c", claimed, "", "Pending")
    static const char same[] =
        OFFER(", volumeAttributesClassName: gold", ", volumeAttributesClassName: gold");
    static const char none[] = OFFER("", "");
    static const char offered[] = OFFER("", ", volumeAttributesClassName: gold");
    static const char wanted[] = OFFER(", volumeAttributesClassName: gold", "");
    assert_true(is_placed(36, "", same, USES));
    assert_true(is_placed(36, "", none, USES));
    assert_true(is_placed(32, "", none, USES));
    assert_false(is_placed(36, "", offered, USES));
    assert_false(is_placed(36, "", wanted, USES));
    assert_false(is_placed(32, "", offered, USES));
    small_cluster c;
    decide_as(&c, 32, "", same, USES);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    expect_message(&c, "running \"VolumeBinding\" filter plugin: unsupported "
                       "volumeAttributesClassName is set on claim default/c when the feature-gate "
                       "VolumeAttributesClass is disabled");
    small_close(&c);
}

static void test_portworx(void **state)
{
    (void)state;
    static const char full[] =
        NODE("a", "", "") "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: "
                          "a}\nspec: {drivers: [{name: "
                          "pxd.portworx.com, nodeID: x, allocatable: {count: 0}}]}\n---\n";
    static const char wants[] = "volumes: [{name: v, portworxVolume: {volumeID: p}}]";
    assert_true(is_placed(32, "", full, wants));
    assert_true(is_placed(35, "", full, wants));
    assert_false(is_placed(36, "", full, wants));
}

/* ---- InterPodAffinity ---- */

#define SPACES                                                                    \
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {env: prod}}\n" \
    "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: b, labels: {env: dev}}\n---\n"
#define AGAINST(kind, namespaces)                                                                 \
    "affinity: {" kind ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: host, " \
    "labelSelector: {matchLabels: {app: x}}, namespaceSelector: {matchExpressions: [" namespaces  \
    "]}}]}}"
#define NOT_PROD "{key: env, operator: NotIn, values: [prod]}"

static void test_own_namespaces(void **state)
{
    (void)state;
    static const char both[] = SPACES NODE("na", "", "") NODE("nb", "", "") POD("ra", "a", "na", "")
        POD("rb", "b", "nb", "");
    static const char *const specs[] = {
        AGAINST("podAntiAffinity", NOT_PROD),
        AGAINST("podAntiAffinity", NOT_PROD ", {key: x, operator: DoesNotExist}"),
    };
    for (size_t i = 0; i < 2; i++) {
        assert_true(is_placed(32, "", both, specs[i]));
        assert_false(is_placed(34, "", both, specs[i]));
        assert_false(is_placed(36, "", both, specs[i]));
    }
    /* One requirement that the label exists limits the others to their usual meaning. */
    assert_true(is_placed(36, "", both,
                          AGAINST("podAntiAffinity", NOT_PROD ", {key: env, operator: Exists}")));
    /* Now the pod of namespace a satisfies the affinity. */
    static const char alone[] = SPACES NODE("na", "", "") POD("ra", "a", "na", "");
    assert_false(is_placed(32, "", alone, AGAINST("podAffinity", NOT_PROD)));
    assert_true(is_placed(36, "", alone, AGAINST("podAffinity", NOT_PROD)));
}

/* Terms of running pods are unchanged: the namespace of the pod to be placed decides. */
static void test_namespaces_of_running_pods(void **state)
{
    (void)state;
    static const char holder[] = SPACES NODE(
        "na", "",
        "") "apiVersion: v1\nkind: Pod\nmetadata: "
            "{name: h, namespace: b}\nspec: {nodeName: na, containers: [{name: c}], " AGAINST(
                "podAntiAffinity", NOT_PROD) "}\n---\n";
    small_cluster c;
    open_as(&c, 36, "");
    small_add(&c, holder);
    small_decide(&c, small_pod(&c, "p", NULL, ", namespace: a, labels: {app: x}", ""));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    small_decide(&c, small_pod(&c, "q", NULL, ", namespace: b, labels: {app: x}", ""));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    small_close(&c);
}

/* For the first pod of a series, the terms are applied to the pod itself as to other pods. */
static void test_first_of_a_series(void **state)
{
    (void)state;
    small_cluster c;
    static const uint32_t minors[] = {32, 36};
    for (size_t i = 0; i < 2; i++) {
        open_as(&c, minors[i], "");
        small_add(&c, SPACES NODE("na", "", ""));
        small_decide(&c, small_pod(&c, "p", NULL, ", namespace: a, labels: {app: x}",
                                   AGAINST("podAffinity", NOT_PROD)));
        assert_int_equal(c.placement.verdict,
                         minors[i] == 32 ? BERTH_VERDICT_UNSCHEDULABLE : BERTH_VERDICT_PLACED);
        small_close(&c);
    }
}

/* ---- NodeDeclaredFeatures, ImageLocality, DynamicResources ---- */

#define RESTARTS                                                                  \
    "containers: [{name: c, restartPolicy: Never, restartPolicyRules: [{action: " \
    "RestartAllContainers, exitCodes: {operator: In, values: [1]}}]}]"

static void test_declared_features(void **state)
{
    (void)state;
    static const char plain[] = NODE("a", "", "");
    static const char able[] =
        NODE("a", "", ", declaredFeatures: [RestartAllContainersOnContainerExits, Zork]");
    static const char users[] =
        NODE("a", "", ", declaredFeatures: [UserNamespacesHostNetworkSupport]");
    static const char host[] = "hostNetwork: true, hostUsers: false";
    assert_true(is_placed(36, "", able, RESTARTS));
    assert_true(is_placed(36, "", plain, ""));
    assert_true(is_placed(36, "", plain, "hostNetwork: true"));
    assert_true(is_placed(36, "", users, host));
    assert_false(is_placed(36, "", able, host));
    assert_true(is_placed(35, "", plain, RESTARTS));
    assert_true(is_placed(36,
                          "NodeDeclaredFeatures=false,ExtendWebSocketsToKubelet=false,"
                          "InPlacePodLevelResourcesVerticalScaling=false,"
                          "InPlacePodVerticalScalingInitContainers=false,"
                          "RestartAllContainersOnContainerExits=false",
                          plain, RESTARTS));
    check_message(36, plain, RESTARTS,
                  "0/1 nodes are available: 1 node(s) didn't match Pod's required features. no new "
                  "claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not "
                  "helpful for scheduling.");
}

static void declare(small_cluster *c, const char *feature)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str features = {feature, (uint32_t)strlen(feature)};
    const berth_resource room = {TEXT("pods"), {.units = 10}};
    const berth_node node = {.meta = {.name = TEXT("a")},
                             .allocatable = {&room, 1},
                             .declared_features = {&features, 1}};
    berth_object object = {.kind = BERTH_KIND_NODE};
    object.as.node = &node;
    small_require(berth_engine_update(c->engine, &object, &error), &error);
}

/* Declared features are facts of a node: when they change, prepared results are renewed. */
static void test_features_change(void **state)
{
    (void)state;
    static const struct {
        const char *declared;
        berth_verdict verdict;
    } steps[] = {{"Zork", BERTH_VERDICT_UNSCHEDULABLE},
                 {"RestartAllContainersOnContainerExits", BERTH_VERDICT_PLACED},
                 {"UserNamespacesHostNetworkSupport", BERTH_VERDICT_UNSCHEDULABLE}};
    small_cluster c;
    open_as(&c, 36, "");
    small_add(&c, NODE("a", "", ""));
    berth_pod_id pod = small_pod(&c, "p", NULL, "", RESTARTS);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        declare(&c, steps[i].declared);
        small_decide(&c, pod);
        assert_int_equal(c.placement.verdict, steps[i].verdict);
    }
    small_close(&c);
}

static void test_image_volumes(void **state)
{
    (void)state;
    static const uint32_t minors[] = {35, 36};
    static const int64_t wanted[] = {0, 48}; /* (524288000 - 24117248) / (1048576000 - 24117248) */
    for (size_t i = 0; i < 2; i++) {
        small_cluster c;
        open_as(&c, minors[i], "");
        berth_node_id has = (berth_node_id)small_add(
            &c, NODE("a", "", ", images: [{names: ['model:latest'], sizeBytes: 1048576000}]"));
        small_add(&c, NODE("b", "", ""));
        small_decide(&c, small_pod(&c, "p", NULL, "",
                                   "containers: [{name: c, image: other}], volumes: [{name: m, "
                                   "image: {reference: model}}]"));
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
        assert_int_equal(small_score(&c, "ImageLocality", has), wanted[i]);
        small_close(&c);
    }
}

#define CLAIMED "resourceClaims: [{name: gpu, resourceClaimName: mine}]"
#define TEMPLATED "resourceClaims: [{name: gpu, resourceClaimTemplateName: one}]"

static void test_claims_of_devices(void **state)
{
    (void)state;
    small_cluster c;
    assert_true(is_placed(32, "", NODE("a", "", ""), CLAIMED));
    check_message(36, NODE("a", "", ""), CLAIMED,
                  "0/1 nodes are available: could not find ResourceClaim \"default/mine\". no new "
                  "claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not "
                  "helpful for scheduling.");
    check_message(
        36, NODE("a", "", ""), TEMPLATED,
        "0/1 nodes are available: pod \"default/p\": ResourceClaim not created yet. no new "
        "claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not "
        "helpful for scheduling.");
    open_as(&c, 36, "");
    small_add(&c, NODE("a", "", ""));
    small_decide(&c,
                 small_add(&c, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: "
                               "{containers: [{name: c}], " TEMPLATED "}\nstatus: "
                               "{resourceClaimStatuses: [{name: gpu, resourceClaimName: x}]}\n"));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    small_close(&c);
}

/* ---- postFilter ---- */

static void test_refused_before_claims(void **state)
{
    (void)state;
    static const char lost[] = NODE("a", "", "");
    check_message(32, lost, USES,
                  "0/1 nodes are available: persistentvolumeclaim \"c\" not found. preemption: 0/1 "
                  "nodes are available: 1 Preemption is not helpful for scheduling.");
    check_message(34, lost, USES,
                  "0/1 nodes are available: persistentvolumeclaim \"c\" not found. not found");
    check_message(36, lost, USES,
                  "0/1 nodes are available: persistentvolumeclaim \"c\" not found. not found");
}

static void test_order_of_post_filters(void **state)
{
    (void)state;
    static const berth_plugin_ref both[] = {{.name = TEXT("DefaultPreemption")},
                                            {.name = TEXT("DynamicResources")}};
#define REFUSED "0/1 nodes are available: 1 node(s) had untolerated taint(s)."
#define HOPELESS "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    static const struct {
        const berth_plugin_ref *refs;
        uint32_t count;
        const char *wanted, *before_claims;
    } cases[] = {
        {both, 2, REFUSED " " HOPELESS ", no new claims to deallocate", " not found"},
        {both, 1, REFUSED " " HOPELESS, " " HOPELESS},
        {both + 1, 1, REFUSED " no new claims to deallocate", " not found"},
        {NULL, 0, REFUSED, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth_profile profile = *berth_profile_default_of(36);
        profile_points points;
        own_points(&profile, &points)[BERTH_POINT_POST_FILTER] =
            (berth_plugin_list){cases[i].refs, cases[i].count};
        char wanted[512];
        small_cluster c;
        open_profile(&c, 36, "", &profile);
        small_add(&c, TAINTED);
        small_decide(&c, small_pod(&c, "p", NULL, "", ""));
        expect_message(&c, cases[i].wanted);
        small_decide(&c, small_pod(&c, "q", NULL, "", USES));
        snprintf(wanted, sizeof(wanted),
                 "0/1 nodes are available: persistentvolumeclaim \"c\" not found.%s",
                 cases[i].before_claims);
        expect_message(&c, wanted);
        small_close(&c);
    }
}

/* ---- selectors that cannot be read ---- */

#define VALUE_RULE                                                                                \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value'," \
    "  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define TERM(selector)                                                                         \
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " \
    "host, labelSelector: {" selector "}}]}}"

static void test_unreadable_terms(void **state)
{
    (void)state;
    static const char bad_value[] = TERM("matchLabels: {app: 'a b'}");
    static const char no_value[] = TERM("matchExpressions: [{key: app, operator: In}]");
    static const char bad_key[] = TERM("matchExpressions: [{key: a/b/c, operator: Exists}]");
#define PARSING "0/1 nodes are available: parsing pod: requiredAffinityTerms: "
#define UNHELPFUL \
    " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    check_message(32, NODE("a", "", ""), bad_value,
                  PARSING "values[0][app]: Invalid value: \"a b\": " VALUE_RULE "." UNHELPFUL);
    check_message(36, NODE("a", "", ""), bad_value,
                  PARSING "values[0][app]: Invalid value: \"a b\": " VALUE_RULE ". not found");
    check_message(32, NODE("a", "", ""), no_value,
                  PARSING
                  "values: Invalid value: []string(nil): for 'in', 'notin' operators, values "
                  "set can't be empty." UNHELPFUL);
    check_message(36, NODE("a", "", ""), no_value,
                  PARSING "values: Invalid value: null: for 'in', 'notin' operators, values set "
                          "can't be empty. not found");
#define NAME_RULE                                                                               \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "      \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain " \
    "prefix and '/' (e.g. 'example.com/MyName')"
    check_message(32, NODE("a", "", ""), bad_key,
                  PARSING "key: Invalid value: \"a/b/c\": a qualified name " NAME_RULE
                          "." UNHELPFUL);
    check_message(36, NODE("a", "", ""), bad_key,
                  PARSING "key: Invalid value: \"a/b/c\": a valid label key " NAME_RULE
                          ". not found");
}

/* An unreadable preferred node affinity is an error only if nodes are compared by it. */
static void test_unreadable_preference(void **state)
{
    (void)state;
    static const char spec[] =
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
        "preference: {matchExpressions: [{key: host, operator: In, values: ['a b']}]}}]}}";
    small_cluster c;
    assert_true(is_placed(36, "", NODE("a", "", ""), spec));
    decide_as(&c, 36, "", NODE("a", "", "") NODE("b", "", ""), spec);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    expect_message(&c, "running PreScore plugin \"NodeAffinity\": [0].matchExpressions[0].values[0]"
                       "[host]: Invalid value: \"a b\": " VALUE_RULE);
    small_close(&c);
}

/* A victim that is already terminating still makes the node a candidate; since 1.35 it is not
 * evicted again. */
static void test_leaving_victims(void **state)
{
    (void)state;
    static const char leaving[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: v, deletionTimestamp: "
        "'2026-02-01T00:00:00Z'}\n"
        "spec: {nodeName: a, containers: [{name: c, resources: {requests: {cpu: 3}}}]}\n";
    for (uint32_t minor = 32; minor <= 36; minor++) {
        small_cluster c;
        open_as(&c, minor, "");
        small_add(&c, NODE("a", "", ""));
        small_add(&c, leaving);
        small_decide(&c, small_pod(&c, "p", NULL, "",
                                   "priority: 10, containers: [{name: c, resources: {requests:"
                                   " {cpu: 2}}}]"));
        assert_int_not_equal(berth_explanation_nominated(c.explanation), BERTH_NODE_NONE);
        assert_int_equal(berth_explanation_victim_count(c.explanation), minor < 35);
        small_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_huge_pages_of_pods),
        cmocka_unit_test(test_taint_text),
        cmocka_unit_test(test_spread_gates),
        cmocka_unit_test(test_taint_comparisons),
        cmocka_unit_test(test_sidecar_ports),
        cmocka_unit_test(test_volume_texts),
        cmocka_unit_test(test_volume_attributes_classes),
        cmocka_unit_test(test_portworx),
        cmocka_unit_test(test_own_namespaces),
        cmocka_unit_test(test_namespaces_of_running_pods),
        cmocka_unit_test(test_first_of_a_series),
        cmocka_unit_test(test_declared_features),
        cmocka_unit_test(test_features_change),
        cmocka_unit_test(test_image_volumes),
        cmocka_unit_test(test_claims_of_devices),
        cmocka_unit_test(test_refused_before_claims),
        cmocka_unit_test(test_order_of_post_filters),
        cmocka_unit_test(test_unreadable_terms),
        cmocka_unit_test(test_unreadable_preference),
        cmocka_unit_test(test_leaving_victims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
