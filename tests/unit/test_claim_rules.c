/* DynamicResources on clusters of a few nodes: claims that are allocated already, claims that can't
 * be searched for, and the claims of extended resources that an earlier attempt has written. */
#define SMALL_KUBERNETES 36
#include "profile_points.h"
#include "rule_cluster.h"

#define CLASS(name, more)                                                                         \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " name "}\nspec: {" more \
    "}\n---\n"
#define SLICE(name, node, devices)                                                            \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name             \
    "}\nspec: {driver: x.org, pool: {name: " name ", generation: 1, resourceSliceCount: 1}, " \
    "nodeName: " node ", devices: [" devices "]}\n---\n"
#define CLAIM(name, requests, status)                                             \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name \
    "}\nspec: {devices: {requests: [" requests "]}}\nstatus: {" status "}\n---\n"
#define USES(name) "resourceClaims: [{name: " name ", resourceClaimName: " name "}]"
#define EXACTLY "{name: r, exactly: {deviceClassName: gpu}}"

#define UNAVAILABLE "DynamicResources: resourceclaim not available on the node"

/* Decide a pod; the node has this refusal ("": it fits). */
static void expect(small_cluster *c, berth_pod_id pod, berth_node_id node, const char *text)
{
    small_decide(c, pod);
    assert_string_equal(small_refusal(c, node), text);
    assert_int_equal(c->placement.verdict,
                     text[0] == '\0' ? BERTH_VERDICT_PLACED : BERTH_VERDICT_UNSCHEDULABLE);
}

/* The claim that the last decision takes devices from; "": none. */
static void expect_freed(const small_cluster *c, const char *wanted)
{
    berth_str space = {0}, name = {0};
    assert_int_equal(berth_explanation_freed_claim(c->explanation, &space, &name),
                     wanted[0] != '\0');
    if (wanted[0] == '\0')
        return;
    assert_text(space, "default");
    assert_text(name, wanted);
}

/* ---- binding conditions ---- */

#define RESULT(device)                                     \
    "{request: r, driver: x.org, pool: p, device: " device \
    ", bindingConditions: [Ready, Warm], bindingFailureConditions: [Hot, Broken]}"
#define STATUS(driver, pool, device, conditions) \
    "{driver: " driver ", pool: " pool ", device: " device ", conditions: [" conditions "]}"
#define IS(type, value) "{type: " type ", status: '" value "'}"
#define BROKEN IS("Broken", "True")
#define READY IS("Ready", "True") ", " IS("Warm", "True")

/* A claim whose device says that it can't be bound is available nowhere; one that is not ready yet
 * is. */
static void test_binding_conditions(void **state)
{
    static const struct {
        const char *statuses;
        bool failed;
    } cases[] = {
        {"", false}, /* nothing said of the device yet */
        {STATUS("x.org", "p", "d0", BROKEN), true},
        {STATUS("x.org", "p", "d0", IS("Broken", "False")), false},
        {STATUS("x.org", "p", "d0", IS("Broken", "Unknown")), false},
        {STATUS("x.org", "p", "d0", IS("Other", "True")), false},
        {STATUS("x.org", "p", "d0", IS("Hot", "True")), true},
        /* of another driver, pool or device */
        {STATUS("y.org", "p", "d0", BROKEN), false},
        {STATUS("x.org", "q", "d0", BROKEN), false},
        {STATUS("x.org", "p", "d9", BROKEN), false},
        {STATUS("x.org", "p", "d9", READY) ", " STATUS("x.org", "p", "d0", BROKEN), true},
        /* the second device is asked only once the first is ready */
        {STATUS("x.org", "p", "d0", READY) ", " STATUS("x.org", "p", "d1", BROKEN), true},
        {STATUS("x.org", "p", "d0", IS("Ready", "True")) ", " STATUS("x.org", "p", "d1", BROKEN),
         false},
        {STATUS("x.org", "p", "d0", READY) ", " STATUS("x.org", "p", "d1", READY), false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        const berth_node_id node = small_node(&c, "a", "");
        small_addf(&c,
                   CLAIM("c", EXACTLY,
                         "devices: [%s], allocation: {devices: {results: [" RESULT(
                             "d0") ", " RESULT("d1") ", {request: r, driver: x.org, pool: p, "
                                                     "device: d2}]}}"),
                   cases[i].statuses);
        const berth_pod_id pod = small_pod(&c, "pod", NULL, "", USES("c"));
        expect(&c, pod, node, cases[i].failed ? UNAVAILABLE : "");
        expect_freed(&c, cases[i].failed ? "c" : "");
        small_close(&c);
    }
}

/* Devices are taken from a claim only if no other pod has reserved it. */
static void test_reserved_for(void **state)
{
#define FOR(uid) "{resource: pods, name: pod, uid: " uid "}"
    static const struct {
        const char *reserved;
        bool freed;
    } cases[] = {
        {"", true},
        {FOR("u"), true},
        {FOR("v"), false},
        {FOR("u") ", " FOR("v"), false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        const berth_node_id node = small_node(&c, "a", "");
        small_addf(&c,
                   CLAIM("c", EXACTLY,
                         "reservedFor: [%s], allocation: {nodeSelector: {nodeSelectorTerms: "
                         "[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}, "
                         "devices: {results: [{request: r, driver: x.org, pool: p, device: d}]}}"),
                   cases[i].reserved);
        const berth_pod_id pod = small_pod(&c, "pod", NULL, ", uid: u", USES("c"));
        expect(&c, pod, node, UNAVAILABLE);
        expect_freed(&c, cases[i].freed ? "c" : "");
        small_close(&c);
    }
}

/* ---- claims that can't be searched for ---- */

/* One node; the pod is refused before any node is asked. */
static void test_refused_at_once(void **state)
{
    static const struct {
        const char *objects, *spec, *text;
    } cases[] = {
        {"", "resourceClaims: [{name: x}]",
         "pod \"default/pod\", spec.resourceClaim \"x\": none of the supported fields are set"},
        {"", "resourceClaims: [{name: x, resourceClaimTemplateName: t}]",
         "pod \"default/pod\": ResourceClaim not created yet"},
        {CLAIM("c", "{name: r}", ""), USES("c"),
         "resource claim default/c, request r: unknown request type"},
        {CLAIM("c", "{name: r, firstAvailable: [{deviceClassName: none}]}", ""), USES("c"),
         "request r/: device class none does not exist"},
        {CLAIM("c", "{name: r, firstAvailable: [{name: s, deviceClassName: none}]}", ""), USES("c"),
         "request r/s: device class none does not exist"},
        {CLAIM("c", "{name: r, exactly: {deviceClassName: none}}", ""), USES("c"),
         "request r: device class none does not exist"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        (void)small_node(&c, "a", "");
        if (cases[i].objects[0] != '\0')
            small_add(&c, cases[i].objects);
        const berth_pod_id pod = small_pod(&c, "pod", NULL, "", cases[i].spec);
        small_decide(&c, pod);
        assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
        assert_text(berth_explanation_pre_filter(c.explanation), cases[i].text);
        small_close(&c);
    }
}

/* ---- claims whose search fails ---- */

#define OTHER_SLICE(reach, devices)                                                               \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: {driver: "   \
    "x.org, pool: {name: p, generation: 1, resourceSliceCount: 1}, " reach ", devices: [" devices \
    "]}\n---\n"
#define BAD_TERMS                                                                               \
    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: Likes, values: " \
    "[v]}]}]}"
#define ASKS(more) "{name: r, exactly: {deviceClassName: gpu, " more "}}"
#define ON_A "nodeName: a"
#define D "{name: d}"

#define FAILED "running \"DynamicResources\" filter plugin: "
#define LIKES                                                                                     \
    "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Likes\": supported " \
    "values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\""
#define NOT_ALLOCATED                                                                            \
    "0/1 nodes are available: 1 cannot allocate all claims. still not schedulable, preemption: " \
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling."

/* The message about a pod with claim c; "": it is placed. */
static void test_searches_that_fail(void **state)
{
    static const struct {
        const char *objects, *text;
    } cases[] = {
        {OTHER_SLICE(ON_A, D) CLAIM("c", EXACTLY, ""), ""},
        {OTHER_SLICE(ON_A, D) CLAIM("c", ASKS("selectors: [{}]"), ""),
         FAILED "claim default/c, request r, selector #0: CEL expression empty "
                "(unsupported selector type?)"},
        {OTHER_SLICE(ON_A, D) CLAIM("c", ASKS("allocationMode: Some"), ""),
         FAILED "claim default/c, request r: unsupported count mode Some"},
        {OTHER_SLICE(ON_A, D) CLAIM(
             "c", ASKS("count: 20") ", {name: q, exactly: {deviceClassName: gpu, count: 13}}", ""),
         FAILED "claim default/c: number of requested devices 33 exceeds the claim "
                "limit of 32"},
        /* nodes that can't be selected */
        {OTHER_SLICE(BAD_TERMS, D) CLAIM("c", EXACTLY, ""),
         FAILED "gather pool information: failed to perform node selection for slice s: " LIKES},
        {OTHER_SLICE("perDeviceNodeSelection: true", D ", {name: e, " BAD_TERMS "}")
             CLAIM("c", EXACTLY, ""),
         FAILED "gather pool information: failed to perform node selection for device e in slice "
                "s: " LIKES},
        {CLAIM("c", EXACTLY,
               "allocation: {" BAD_TERMS
               ", devices: {results: [{request: r, driver: x.org, pool: p, device: d}]}}"),
         "running PreFilter plugin \"DynamicResources\": " LIKES},
        /* devices that say where they are */
        {OTHER_SLICE("perDeviceNodeSelection: true", D) CLAIM("c", EXACTLY, ""), NOT_ALLOCATED},
        {OTHER_SLICE("perDeviceNodeSelection: true", "{name: d, nodeName: a}")
             CLAIM("c", EXACTLY, ""),
         ""},
        {OTHER_SLICE("perDeviceNodeSelection: true", "{name: d, nodeName: b}")
             CLAIM("c", EXACTLY, ""),
         NOT_ALLOCATED},
        {OTHER_SLICE("perDeviceNodeSelection: true", "{name: d, nodeName: b}, {name: e, "
                                                     "allNodes: true}") CLAIM("c", EXACTLY, ""),
         ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        (void)small_node(&c, "a", "");
        small_add(&c, CLASS("gpu", ""));
        small_add(&c, cases[i].objects);
        const berth_pod_id pod = small_pod(&c, "pod", NULL, "", USES("c"));
        small_decide(&c, pod);
        const bool failed = strncmp(cases[i].text, "running ", 8) == 0;
        assert_int_equal(c.placement.verdict, cases[i].text[0] == '\0' ? BERTH_VERDICT_PLACED
                                              : failed                 ? BERTH_VERDICT_ERROR
                                                       : BERTH_VERDICT_UNSCHEDULABLE);
        if (cases[i].text[0] != '\0')
            assert_text(berth_explanation_message(c.explanation), cases[i].text);
        small_close(&c);
    }
}

/* Of a pod's claims, the first that can't be searched for is named. */
static void test_first_of_several_claims(void **state)
{
    small_cluster *c = *state;
    (void)small_node(c, "a", "");
    small_add(c, CLASS("gpu", "") OTHER_SLICE(ON_A, D) CLAIM("c0", ASKS("selectors: [{}]"), "")
                     CLAIM("c1", EXACTLY, "") CLAIM("c2", EXACTLY, "") CLAIM("c3", EXACTLY, ""));
    small_decide(c, small_pod(c, "pod", NULL, "",
                              "resourceClaims: [{name: a, resourceClaimName: c0}, {name: b, "
                              "resourceClaimName: c1}, {name: c, resourceClaimName: c2}, {name: d, "
                              "resourceClaimName: c3}]"));
    assert_text(berth_explanation_message(c->explanation),
                FAILED "claim default/c0, request r, selector #0: CEL expression empty "
                       "(unsupported selector type?)");
}

/* A profile whose DynamicResources has no filter: preFilter knows the pod's claims all the same. */
static void test_claims_without_filter(void **state)
{
    (void)state;
    static const char left_out[] = "DynamicResources";
    berth_profile profile = *berth_profile_default_of(SMALL_KUBERNETES);
    berth_plugin_ref kept[32];
    profile_points points;
    berth_plugin_list *filters = &own_points(&profile, &points)[BERTH_POINT_FILTER];
    uint32_t count = 0;
    assert_true(filters->count < 32);
    for (uint32_t i = 0; i < filters->count; i++)
        if (filters->items[i].name.len != strlen(left_out) ||
            memcmp(filters->items[i].name.data, left_out, strlen(left_out)) != 0)
            kept[count++] = filters->items[i];
    assert_int_equal(count, filters->count - 1);
    *filters = (berth_plugin_list){kept, count};
    small_cluster c;
    small_open(&c, &profile);
    (void)small_node(&c, "a", "}\nspec: {unschedulable: true");
    small_add(&c, CLASS("gpu", "") CLAIM("c", EXACTLY, ""));
    small_decide(&c, small_pod(&c, "pod", NULL, "", USES("c")));
    assert_text(berth_explanation_message(c.explanation),
                "0/1 nodes are available: 1 node(s) were unschedulable. still not schedulable, "
                "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
    small_decide(&c, small_pod(&c, "plain", NULL, "", "containers: [{name: c}]"));
    assert_text(berth_explanation_message(c.explanation),
                "0/1 nodes are available: 1 node(s) were unschedulable. no new claims to "
                "deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for "
                "scheduling.");
    small_close(&c);
}

/* ---- the score of chosen alternatives ---- */

/* The alternative that an allocated claim has got counts in the score once another claim is
 * searched for: 100, of weight 2. */
static void test_score_of_allocated(void **state)
{
    static const struct {
        const char *request;
        int64_t score;
    } cases[] = {
        {"r/one", 200}, {"r/two", 200}, {"r/six", 0}, {"r/on", 0},
        {"s/one", 0},   {"r-one", 0},   {"r", 0},     {"r/one/two", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        small_open(&c, berth_profile_default_of(SMALL_KUBERNETES));
        const berth_node_id a = small_node(&c, "a", "");
        const berth_node_id b = small_node(&c, "b", "");
        small_add(&c, CLASS("gpu", "") SLICE("sa", "a", "{name: d}") SLICE("sb", "b", "{name: d}")
                          CLAIM("new", EXACTLY, ""));
        small_addf(&c,
                   CLAIM("old",
                         "{name: r, firstAvailable: [{name: one, deviceClassName: gpu}, {name: "
                         "two, deviceClassName: gpu}]}",
                         "allocation: {devices: {results: [{request: %s, driver: x.org, pool: p, "
                         "device: d}]}}"),
                   cases[i].request);
        const berth_pod_id pod = small_pod(&c, "pod", NULL, "",
                                           "resourceClaims: [{name: old, resourceClaimName: old}, "
                                           "{name: new, resourceClaimName: new}]");
        expect(&c, pod, a, "");
        assert_string_equal(small_refusal(&c, b), "");
        assert_int_equal(small_score(&c, "DynamicResources", a), cases[i].score);
        assert_int_equal(small_score(&c, "DynamicResources", b), cases[i].score);
        small_close(&c);
    }
}

/* Of two filters that fail on different nodes, the error of the first node is told, and only that
 * one, although the other filter comes first. */
static void test_first_error(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_node(c, "b", "");
    small_add(c,
              CLASS("gpu", "") SLICE("a", "a", "{name: d}")
                  CLAIM("one",
                        "{name: r, exactly: {deviceClassName: gpu, selectors: [{cel: {expression: "
                        "'device.attributes[\"x.org\"].absent == 1'}}]}}",
                        "") "apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: b}\n"
                            "spec: {drivers: [{name: disk.csi.azure.com, nodeID: b}]}\n");
    small_decide(c, small_pod(c, "p", NULL, "",
                              USES("one") ", volumes: [{name: v, azureDisk: {diskName: d, diskURI: "
                                          "u, kind: Dedicated}}]"));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_ERROR);
    assert_text(berth_explanation_message(c->explanation),
                "running \"DynamicResources\" filter plugin: claim default/one: selector #0: CEL "
                "runtime error: no such key: absent");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_binding_conditions),    cmocka_unit_test(test_reserved_for),
        cmocka_unit_test(test_refused_at_once),       cmocka_unit_test(test_searches_that_fail),
        WITH_CLUSTER(test_first_of_several_claims),   cmocka_unit_test(test_score_of_allocated),
        cmocka_unit_test(test_claims_without_filter), WITH_CLUSTER(test_first_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
