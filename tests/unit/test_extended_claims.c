/* The claim that a placement makes for extended resources: its requests, which containers they
 * serve, and its allocation; and the amounts of devices that back a resource, by which nodes are
 * scored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "berth/berth.h"
#include "devices/verdicts.h"
#include "plugins/extended_resources.h"
#include "profile_points.h"
#include "versions/engine_state.h"

#define NODE(name, more)                                                          \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {side: " name \
    "}}\nstatus: {allocatable: {cpu: 8, memory: 8Gi, pods: 20" more "}}\n---\n"
#define CLASS(name, resource, model)                                                               \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " name                    \
    "}\nspec: {" resource "selectors: [{cel: {expression: 'device.attributes[\"x.org\"].model == " \
    "\"" model "\"'}}]}\n---\n"
#define SLICE(name, reach, devices)                                               \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name \
    "}\nspec: {driver: x.org, pool: {name: " name                                 \
    ", generation: 1, resourceSliceCount: 1}, " reach ", devices: [" devices "]}\n---\n"
#define DEVICE(name, model) "{name: " name ", attributes: {model: {string: " model "}}}"
#define GPUS "extendedResourceName: x.org/gpu, "
#define ASKS(resource, count) \
    "resources: {requests: {" resource ": " count "}, limits: {" resource ": " count "}}"
#define POD(name, inits, containers)                    \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name \
    ", namespace: shop}\nspec: {initContainers: [" inits "], containers: [" containers "]}\n---\n"

static void load(berth_engine *engine, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    const berth_str all = {text, (uint32_t)strlen(text)};
    if (berth_engine_load_text(engine, all, "t", NULL, NULL, &error) != BERTH_OK)
        fail_msg("%s: %s: %s", error.object, error.field, error.message);
}

static berth_engine *make(const char *text)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = NULL;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_OK);
    load(engine, text);
    return engine;
}

static berth_str text_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

static berth_pod_id pod(const berth_engine *engine, const char *name)
{
    return berth_engine_find_pod(engine, BERTH_STR("shop"), text_of(name));
}

/* Decide a pod and bind it; returns the node's name, or "". */
static berth_str place(berth_engine *engine, const char *name)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    if (berth_engine_schedule(engine, pod(engine, name), &placement, &error) != BERTH_OK)
        fail_msg("%s: %s", name, error.message);
    return placement.verdict == BERTH_VERDICT_PLACED
               ? berth_engine_node_name(engine, placement.node)
               : BERTH_STR("");
}

/* Check which node is best for a pod, without binding it. */
static void expect_best(berth_engine *engine, const char *name, const char *node)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_engine_decide(engine, pod(engine, name), NULL, &placement, &error),
                     BERTH_OK);
    assert_memory_equal(berth_engine_node_name(engine, placement.node).data, node, strlen(node));
}

/* Check for a text in the message of a pod that finds no node. */
static void expect_words(berth_engine *engine, const char *name, const char *wanted)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    berth_explanation *explanation;
    assert_int_equal(berth_explanation_create(NULL, &explanation, &error), BERTH_OK);
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    assert_int_equal(berth_engine_decide(engine, pod(engine, name), &options, &placement, &error),
                     BERTH_OK);
    const berth_str message = berth_explanation_message(explanation);
    assert_non_null(strstr(message.data, wanted));
    berth_explanation_destroy(explanation);
}

/* All mappings as "container resource request; ...". */
static void expect_mappings(const berth_engine *engine, const char *name, const char *wanted)
{
    berth_extended_request out[16];
    char text[1024] = "";
    const uint32_t count = berth_engine_pod_extended_requests(engine, pod(engine, name), out, 16);
    for (uint32_t i = 0; i < count; i++) {
        const size_t at = strlen(text);
        snprintf(text + at, sizeof(text) - at, "%s%.*s %.*s %.*s", i > 0 ? "; " : "",
                 (int)out[i].container.len, out[i].container.data, (int)out[i].resource.len,
                 out[i].resource.data, (int)out[i].request.len, out[i].request.data);
    }
    assert_string_equal(text, wanted);
}

/* The claim as "request class count; ... = device of request; ...". */
static void expect_claim(const berth_engine *engine, const char *name, const char *wanted)
{
    berth_error error = {.code = BERTH_OK};
    berth_object *object = NULL;
    char text[1024] = "";
    size_t at = 0;
    if (berth_engine_pod_extended_claim(engine, pod(engine, name), NULL, &object, &error) !=
        BERTH_OK) {
        assert_int_equal(error.code, BERTH_E_NOT_FOUND);
        assert_string_equal(error.message, wanted);
        return;
    }
    const berth_resource_claim *claim = object->as.resource_claim;
    assert_int_equal(claim->meta.name.len, 0); /* it must be created */
    assert_memory_equal(claim->meta.namespace_name.data, "shop", 4);
    for (uint32_t i = 0; i < claim->request_count; i++) {
        const berth_claim_request *request = &claim->requests[i];
        assert_memory_equal(request->exactly->allocation_mode.data, "ExactCount", 10);
        at += (size_t)snprintf(
            text + at, sizeof(text) - at, "%s%.*s %.*s %u", i > 0 ? "; " : "",
            (int)request->name.len, request->name.data, (int)request->exactly->class_name.len,
            request->exactly->class_name.data, (unsigned)request->exactly->count);
    }
    for (uint32_t i = 0; i < claim->allocation->result_count; i++) {
        const berth_allocated_device *result = &claim->allocation->results[i];
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s of %.*s", i > 0 ? "; " : " = ",
                               (int)result->device.len, result->device.data,
                               (int)result->request.len, result->request.data);
    }
    assert_string_equal(text, wanted);
    berth_object_destroy(object);
}

/* ---- claims ---- */

#define GPU(name) DEVICE(name, "big")
#define NIC(name) DEVICE(name, "nic")
#define IMPLICIT "deviceclass.resource.kubernetes.io/nic"

static const char objects[] = NODE("a", ", x.org/own: 4") CLASS("gpu", GPUS, "big")
    CLASS("nic", "", "nic") SLICE("s", "nodeName: a",
                                  GPU("d0") ", " GPU("d1") ", " GPU("d2") ", " GPU("d3") ", " GPU(
                                      "d4") ", " NIC("n0") ", " NIC("n1"));

typedef struct claim_case {
    const char *text; /* pod p */
    const char *node, *mappings, *claim;
} claim_case;

#define NO_CLAIM \
    "there is no pod with this id, or devices were not chosen for its extended resources"

static const claim_case cases[] = {
    /* an init container that ends uses what keeps running after it */
    {POD("p",
         "{name: i, " ASKS("x.org/gpu",
                           "2") "}, {name: s, restartPolicy: Always, " ASKS("x.org/gpu", "1") "}",
         "{name: c, " ASKS("x.org/gpu", "1") "}, {name: d, " ASKS("x.org/gpu", "2") "}"),
     "a",
     "s x.org/gpu container-1-request-0; c x.org/gpu container-2-request-0; "
     "d x.org/gpu container-3-request-0; i x.org/gpu container-1-request-0; "
     "i x.org/gpu container-2-request-0",
     "container-1-request-0 gpu 1; container-2-request-0 gpu 1; container-3-request-0 gpu 2 = "
     "d0 of container-1-request-0; d1 of container-2-request-0; d2 of container-3-request-0; "
     "d3 of container-3-request-0"},
    /* and a request of its own for the rest */
    {POD("p", "{name: i, " ASKS("x.org/gpu", "3") "}", "{name: c, " ASKS("x.org/gpu", "1") "}"),
     "a",
     "c x.org/gpu container-1-request-0; i x.org/gpu container-1-request-0; "
     "i x.org/gpu container-0-request-0",
     "container-0-request-0 gpu 2; container-1-request-0 gpu 1 = d0 of container-0-request-0; "
     "d1 of container-0-request-0; d2 of container-1-request-0"},
    /* which the init container with the largest need has, for all; what an earlier sidecar has
     * stays with that */
    {POD("p",
         "{name: s, restartPolicy: Always, " ASKS("x.org/gpu", "1") "}, {name: i, " ASKS(
             "x.org/gpu", "3") "}, {name: j, " ASKS("x.org/gpu", "4") "}",
         "{name: c, " ASKS("x.org/gpu", "1") "}"),
     "a",
     "s x.org/gpu container-0-request-0; c x.org/gpu container-3-request-0; "
     "i x.org/gpu container-3-request-0; i x.org/gpu container-2-request-0; "
     "j x.org/gpu container-3-request-0; j x.org/gpu container-2-request-0",
     "container-0-request-0 gpu 1; container-2-request-0 gpu 3; container-3-request-0 gpu 1 = "
     "d0 of container-0-request-0; d1 of container-2-request-0; d2 of container-2-request-0; "
     "d3 of container-2-request-0; d4 of container-3-request-0"},
    /* by resource, in the order of their names */
    {POD("p", "",
         "{name: c, resources: {requests: {x.org/gpu: 1, " IMPLICIT
         ": 2}, limits: {x.org/gpu: 1, " IMPLICIT ": 2}}}, {name: d, " ASKS("x.org/gpu", "1") "}"),
     "a",
     "c " IMPLICIT " container-0-request-0; c x.org/gpu container-0-request-1; "
     "d x.org/gpu container-1-request-0",
     "container-0-request-0 nic 2; container-0-request-1 gpu 1; container-1-request-0 gpu 1 = "
     "n0 of container-0-request-0; n1 of container-0-request-0; d0 of container-0-request-1; "
     "d1 of container-1-request-0"},
    /* a resource that the node itself has takes no devices */
    {POD("p", "",
         "{name: c, resources: {requests: {x.org/gpu: 1, x.org/own: 1}, limits: {x.org/gpu: 1, "
         "x.org/own: 1}}}"),
     "a", "c x.org/gpu container-0-request-0",
     "container-0-request-0 gpu 1 = d0 of container-0-request-0"},
    {POD("p", "", "{name: c}"), "a", "", NO_CLAIM},
    {POD("p", "", "{name: c, " ASKS("x.org/gpu", "0") "}"), "a", "", NO_CLAIM},
    {POD("p", "", "{name: c, " ASKS("x.org/gpu", "6") "}"), "", "", NO_CLAIM},
    {POD("p", "", "{name: c, " ASKS("x.org/other", "1") "}"), "", "", NO_CLAIM},
};

static void test_claims(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth_engine *engine = make(objects);
        load(engine, cases[i].text);
        expect_mappings(engine, "p", "");
        expect_claim(engine, "p", NO_CLAIM);
        const berth_str node = place(engine, "p");
        assert_int_equal(node.len, strlen(cases[i].node));
        expect_mappings(engine, "p", cases[i].mappings);
        expect_claim(engine, "p", cases[i].claim);
        berth_engine_destroy(engine);
    }
}

/* Among equally new classes that name a resource, the first by name backs it. */
static void test_first_class_by_name(void **state)
{
    static const char text[] = NODE("a", "") CLASS("zwei", GPUS, "big") CLASS("drei", GPUS, "big")
        CLASS("vier", GPUS, "big") SLICE("s", "nodeName: a", GPU("d0"))
            POD("p", "", "{name: c, " ASKS("x.org/gpu", "1") "}");
    (void)state;
    berth_engine *engine = make(text);
    assert_int_equal(place(engine, "p").len, 1);
    expect_claim(engine, "p", "container-0-request-0 drei 1 = d0 of container-0-request-0");
    berth_engine_destroy(engine);
}

/* On a branch, a pod that leaves gives its devices back, if this is the branch's first operation,
 * too. */
static void test_leaves_a_branch(void **state)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine *branch = NULL;
    (void)state;
    berth_engine *engine =
        make(NODE("a", "") CLASS("gpu", GPUS, "big") SLICE("s", "nodeName: a", GPU("d0")));
    load(engine, POD("p", "", "{name: c, " ASKS("x.org/gpu", "1") "}")
                     POD("q", "", "{name: c, " ASKS("x.org/gpu", "1") "}"));
    assert_int_equal(place(engine, "p").len, 1);
    assert_int_equal(place(engine, "q").len, 0);
    assert_int_equal(berth_engine_publish(engine, &error), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, &error), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    assert_int_equal(
        berth_engine_remove(branch, BERTH_KIND_POD, BERTH_STR("shop"), BERTH_STR("p"), &error),
        BERTH_OK);
    assert_int_equal(place(branch, "q").len, 1);
    expect_claim(branch, "q", "container-0-request-0 gpu 1 = d0 of container-0-request-0");
    berth_branch_drop(branch);
    berth_engine_destroy(engine);
}

/* A node that has the resource itself gives no devices. */
static void test_own_resource(void **state)
{
    (void)state;
    berth_engine *engine = make(NODE("a", ", x.org/gpu: 1") CLASS("gpu", GPUS, "big")
                                    SLICE("s", "nodeName: a", GPU("d0")));
    load(engine, POD("p", "", "{name: c, " ASKS("x.org/gpu", "1") "}"));
    assert_int_equal(place(engine, "p").len, 1);
    expect_claim(engine, "p", NO_CLAIM);
    berth_engine_destroy(engine);
}

/* A claim that is allocated already is none of the placement's; the extended resource has one. */
static void test_allocated_claim(void **state)
{
    (void)state;
    berth_taken_device taken[2];
    berth_engine *engine = make(objects);
    load(engine, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: own, "
                 "namespace: shop, uid: s}\nspec: {devices: {requests: [{name: r, exactly: "
                 "{deviceClassName: nic}}]}}\nstatus: {allocation: {devices: {results: [{request: "
                 "r, driver: x.org, pool: s, device: n0}]}}}\n---\n"
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\nspec: {"
                 "resourceClaims: [{name: nic, resourceClaimName: own}], containers: [{name: "
                 "c, " ASKS("x.org/gpu", "1") "}]}\n");
    assert_int_equal(place(engine, "p").len, 1);
    assert_int_equal(berth_engine_pod_devices(engine, pod(engine, "p"), taken, 2), 1);
    assert_memory_equal(taken[0].device.data, "d0", 2);
    expect_claim(engine, "p", "container-0-request-0 gpu 1 = d0 of container-0-request-0");
    berth_engine_destroy(engine);
}

/* The special claim of an earlier attempt that has devices, on node b, and no requests: the pod
 * gets no more devices. Only if it names claims, too, the node of the devices matters: if it gets
 * none, the special claim is deleted, as no other pod could use its devices. */
static void test_written_claim(void **state)
{
    static const char written[] =
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: p-extended, "
        "namespace: shop, uid: e, annotations: {resource.kubernetes.io/extended-resource-claim: "
        "'true'}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: p-uid, controller: "
        "true}]}\nspec: {}\nstatus: {allocation: {nodeSelector: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: side, operator: In, values: [b]}]}]}}}\n---\n"
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: own, namespace: "
        "shop, uid: s}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: "
        "nic}}]}}\n---\n";
    static const struct {
        const char *side, *claims, *node;
    } tries[] = {
        {"a", "", "a"},
        {"b", "", "b"},
        {"a", "resourceClaims: [{name: nic, resourceClaimName: own}], ", ""},
        {"b", "resourceClaims: [{name: nic, resourceClaimName: own}], ", "b"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
        char text[600];
        berth_taken_device taken[2];
        berth_engine *engine = make(NODE("a", "") NODE("b", "") CLASS("gpu", GPUS, "big") CLASS(
            "nic", "", "nic") SLICE("s", "allNodes: true", NIC("n0")));
        load(engine, written);
        snprintf(text, sizeof(text),
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop, uid: p-uid}\n"
                 "spec: {nodeSelector: {side: %s}, %scontainers: [{name: c, " ASKS("x.org/gpu",
                                                                                   "1") "}]}\n",
                 tries[i].side, tries[i].claims);
        load(engine, text);
        if (i == 2)
            expect_words(engine, "p", "deletion of ResourceClaim completed");
        const berth_str node = place(engine, "p");
        assert_int_equal(node.len, strlen(tries[i].node));
        assert_memory_equal(node.data, tries[i].node, node.len);
        expect_claim(engine, "p", NO_CLAIM);
        assert_int_equal(berth_engine_pod_devices(engine, pod(engine, "p"), taken, 2), i == 3);
        berth_engine_destroy(engine);
    }
}

/* The special claim of an earlier attempt that has no devices yet is used, under its own name. */
static void test_claim_without_devices(void **state)
{
    (void)state;
    berth_object *object = NULL;
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = make(objects);
    load(engine,
         "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: p-extended, "
         "namespace: shop, uid: e, annotations: {resource.kubernetes.io/extended-resource-claim: "
         "'true'}, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: p-uid, controller: "
         "true}]}\nspec: {}\n---\n"
         "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop, uid: p-uid}\n"
         "spec: {containers: [{name: c, " ASKS("x.org/gpu", "1") "}]}\n");
    assert_int_equal(place(engine, "p").len, 1);
    assert_int_equal(
        berth_engine_pod_extended_claim(engine, pod(engine, "p"), NULL, &object, &error), BERTH_OK);
    const berth_resource_claim *claim = object->as.resource_claim;
    assert_text(claim->meta.name, "p-extended");
    assert_text(claim->meta.uid, "e");
    assert_int_equal(claim->request_count, 1);
    assert_int_equal(claim->allocation->result_count, 1);
    berth_object_destroy(object);
    berth_engine_destroy(engine);
}

/* More mappings than there is room for are counted. */
static void test_room(void **state)
{
    (void)state;
    berth_extended_request out[2] = {{.container = BERTH_STR("before")},
                                     {.container = BERTH_STR("before")}};
    berth_engine *engine = make(objects);
    load(engine, cases[1].text);
    assert_int_equal(place(engine, "p").len, 1);
    assert_int_equal(berth_engine_pod_extended_requests(engine, pod(engine, "p"), out, 1), 3);
    assert_memory_equal(out[0].container.data, "c", 1);
    assert_memory_equal(out[1].container.data, "before", 6);
    berth_engine_destroy(engine);
}

/* Each of three resources is counted by some nodes, and backed by devices on the others: eight
 * claims for one pod. */
static void test_every_mix_of_resources(void **state)
{
    enum { RESOURCES = 3, MIXES = 1 << RESOURCES };
    static char text[1 << 15];
    size_t at = 0;
    (void)state;
#define PUT(...) at += (size_t)snprintf(text + at, sizeof(text) - at, __VA_ARGS__)
    for (int r = 0; r < RESOURCES; r++)
        PUT(CLASS("c%d", "extendedResourceName: x.org/r%d, ", "m%d"), r, r, r);
    for (int n = 0; n < MIXES; n++) {
        PUT("apiVersion: v1\nkind: Node\nmetadata: {name: n%d}\n"
            "status: {allocatable: {cpu: 8, memory: 8Gi, pods: 20",
            n);
        for (int r = 0; r < RESOURCES; r++)
            if ((n >> r & 1) != 0)
                PUT(", x.org/r%d: 1", r);
        PUT("}}\n---\n");
        for (int r = 0; r < RESOURCES; r++)
            if ((n >> r & 1) == 0)
                PUT(SLICE("n%d-%d", "nodeName: n%d", DEVICE("d", "m%d")), n, r, n, r, n, r);
    }
    for (int p = 0; p <= MIXES; p++)
        PUT("apiVersion: v1\nkind: Pod\nmetadata: {name: p%d, namespace: shop}\n"
            "spec: {containers: [{name: c, resources: {requests: {x.org/r0: 1, x.org/r1: 1, "
            "x.org/r2: 1}, limits: {x.org/r0: 1, x.org/r1: 1, x.org/r2: 1}}}]}\n---\n",
            p);
#undef PUT
    assert_true(at < sizeof(text));
    berth_engine *engine = make(text);
    uint32_t used = 0;
    for (int p = 0; p < MIXES; p++) {
        char name[8];
        snprintf(name, sizeof(name), "p%d", p);
        const berth_str node = place(engine, name);
        assert_int_equal(node.len, 2);
        used |= 1u << (node.data[1] - '0');
    }
    assert_int_equal(used, (1u << MIXES) - 1);
    assert_int_equal(place(engine, "p8").len, 0);
    berth_engine_destroy(engine);
}

/* ---- amounts ---- */

/* After a decision, which follows the objects. */
static void expect_amounts(berth_engine *engine, const char *class_name, const char *node,
                           int64_t capacity, int64_t used)
{
    assert_int_equal(place(engine, "large").len, 0);
    const berth__view *view = &engine->cluster.view;
    const berth__device_class *of = berth__storage_device_class(
        view->storage, berth__intern_find(&view->model->strings, text_of(class_name)));
    const uint32_t slot =
        berth__view_slot_of(view, berth__intern_find(&view->model->strings, text_of(node)));
    assert_non_null(of);
    const berth__backed_amounts amounts = berth__backed_amounts_of(view, of, slot);
    assert_int_equal(amounts.capacity, capacity);
    assert_int_equal(amounts.used, used);
}

static void test_amounts(void **state)
{
#define ON_A "nodeName: a"
#define FOR(node)                                                                               \
    "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: side, operator: In, values: " \
    "[" node "]}]}]}"
    (void)state;
    berth_engine *engine =
        make(NODE("a", "") NODE("b", "") CLASS("gpu", GPUS, "big") CLASS("nic", "", "nic")
                 SLICE("s1", ON_A, GPU("d0") ", " NIC("n0") ", " GPU("d1"))
                     SLICE("s2", "allNodes: true", GPU("e0"))
                         SLICE("s3", FOR("b"), GPU("f0") ", " GPU("f1")));
    load(engine, POD("large", "", "{name: c, " ASKS("x.org/gpu", "9") "}"));
    expect_amounts(engine, "nic", "a", 1, 0);
    expect_amounts(engine, "nic", "b", 0, 0);
    expect_amounts(engine, "gpu", "a", 3, 0);
    expect_amounts(engine, "gpu", "b", 3, 0);
    load(engine, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: taken, "
                 "namespace: shop, uid: u}\nspec: {devices: {requests: [{name: r, exactly: "
                 "{deviceClassName: gpu, count: 2}}]}}\nstatus: {allocation: {devices: {results: "
                 "[{request: r, driver: x.org, pool: s1, device: d1}, {request: r, driver: x.org, "
                 "pool: s3, device: f0}]}}}\n");
    expect_amounts(engine, "gpu", "a", 3, 1);
    expect_amounts(engine, "gpu", "b", 3, 1);
    /* Devices of one slice for different nodes. */
    load(engine, SLICE("s4", "perDeviceNodeSelection: true",
                       "{name: g0, nodeName: a, attributes: {model: {string: big}}}, {name: g1, "
                       "nodeName: b, attributes: {model: {string: big}}}, {name: g2, allNodes: "
                       "true, attributes: {model: {string: big}}}"));
    expect_amounts(engine, "gpu", "a", 5, 1);
    expect_amounts(engine, "gpu", "b", 5, 1);
    /* A device whose selector can't be evaluated, after one that is counted: nothing is counted on
     * its node. */
    load(engine, SLICE("s5", ON_A, GPU("h0") ", {name: h1, attributes: {other: {string: big}}}"));
    expect_amounts(engine, "gpu", "a", 0, 0);
    expect_amounts(engine, "gpu", "b", 5, 1);
    /* A slice that names no nodes counts on each. */
    load(engine, SLICE("s6", "allNodes: false", NIC("n1")));
    expect_amounts(engine, "nic", "a", 0, 0);
    expect_amounts(engine, "nic", "b", 1, 0);
    berth_engine_destroy(engine);
}

/* A pod that asks for half of the cores gets one of two devices, not the only one. */
static void test_devices_and_cores_in_balance(void **state)
{
    (void)state;
    const berth_weighted_resource resources[] = {{BERTH_STR("cpu"), 1},
                                                 {BERTH_STR("x.org/gpu"), 1}};
    const berth_plugin_args args = {.balanced = {resources, 2}};
    const berth_plugin_ref score = {
        .name = BERTH_STR("NodeResourcesBalancedAllocation"), .weight = 1, .args = &args};
    berth_profile profile = *berth_profile_default();
    profile_points room;
    berth_plugin_list *points = own_points(&profile, &room);
    points[BERTH_POINT_SCORE] = (berth_plugin_list){&score, 1};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.path = BERTH_PATH_SCAN;
    config.profiles = &profile;
    config.profile_count = 1;
    for (int i = 0; i < 2; i++) {
        berth_error error = {.code = BERTH_OK};
        berth_engine *engine = NULL;
        assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_OK);
        load(engine, NODE("a", "") NODE("b", "") CLASS("gpu", GPUS, "big"));
        load(engine, i == 0 ? SLICE("s1", ON_A, GPU("d0") ", " GPU("d1"))
                            : SLICE("s1", "nodeName: b", GPU("d0") ", " GPU("d1")));
        load(engine, i == 0 ? SLICE("s2", "nodeName: b", GPU("e0")) : SLICE("s2", ON_A, GPU("e0")));
        load(engine, POD("p", "",
                         "{name: c, resources: {requests: {cpu: 4, x.org/gpu: 1}, "
                         "limits: {cpu: 4, x.org/gpu: 1}}}"));
        assert_memory_equal(place(engine, "p").data, i == 0 ? "a" : "b", 1);
        berth_engine_destroy(engine);
    }
}

/* A profile without DynamicResources that scores by devices sees which ones pods of another profile
 * have taken since its last decision. */
static void test_devices_taken_by_another_profile(void **state)
{
    (void)state;
    const berth_weighted_resource resource = {BERTH_STR("x.org/gpu"), 1};
    const berth_plugin_args args = {.fit = {.resources = &resource, .resource_count = 1}};
    const berth_plugin_ref score = {
        .name = BERTH_STR("NodeResourcesFit"), .weight = 1, .args = &args};
    berth_profile profiles[] = {*berth_profile_default(), *berth_profile_default()};
    profile_points room;
    berth_plugin_list *points = own_points(&profiles[1], &room);
    for (int p = 0; p < BERTH_POINT_COUNT; p++)
        if (p != BERTH_POINT_QUEUE_SORT && p != BERTH_POINT_BIND)
            points[p] = (berth_plugin_list){0};
    points[BERTH_POINT_SCORE] = (berth_plugin_list){&score, 1};
    profiles[1].scheduler_name = BERTH_STR("counting");
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.profiles = profiles;
    config.profile_count = 2;
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = NULL;
    if (berth_engine_create(&config, &engine, &error) != BERTH_OK)
        fail_msg("%s: %s", error.field, error.message);
    load(engine, NODE("a", "") NODE("b", "") CLASS("gpu", GPUS, "big"));
    load(engine, SLICE("s1", ON_A, GPU("d0") ", " GPU("d1") ", " GPU("d2")));
    load(engine, SLICE("s2", "nodeName: b", GPU("e0") ", " GPU("e1")));
    load(engine, "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: shop}\n"
                 "spec: {schedulerName: counting, containers: [{name: c, resources: "
                 "{requests: {x.org/gpu: 1}, limits: {x.org/gpu: 1}}}]}\n---\n"
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: q, namespace: shop}\n"
                 "spec: {nodeSelector: {side: a}, containers: [{name: c, resources: "
                 "{requests: {x.org/gpu: 1}, limits: {x.org/gpu: 1}}}]}\n---\n"
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: r, namespace: shop}\n"
                 "spec: {nodeSelector: {side: b}, containers: [{name: c, resources: "
                 "{requests: {x.org/gpu: 1}, limits: {x.org/gpu: 1}}}]}\n");
    /* No device is in use; q takes one of three on a; r takes one of two on b. */
    expect_best(engine, "p", "a");
    assert_memory_equal(place(engine, "q").data, "a", 1);
    expect_best(engine, "p", "b");
    assert_memory_equal(place(engine, "r").data, "b", 1);
    expect_best(engine, "p", "a");
    berth_engine_destroy(engine);
}

/* ---- many selectors ---- */

enum { CLAIMS = 2, REQUESTS = 17, SELECTORS = 32 };

/* Claim number `c`, with selectors that differ in each request, and devices for it on node b. */
static void print_claim(FILE *out, int c)
{
    fprintf(out,
            "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: n%d}\nspec: "
            "{driver: x.org, pool: {name: n%d, generation: 1, resourceSliceCount: 1}, nodeName: b, "
            "devices: [",
            c, c);
    for (int r = 0; r < REQUESTS; r++)
        fprintf(out, "{name: d%d, attributes: {model: {string: small}}}, ", r);
    fprintf(out,
            "]}\n---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: c%d, "
            "namespace: shop, uid: u%d}\nspec: {devices: {requests: [",
            c, c);
    for (int r = 0; r < REQUESTS; r++) {
        fprintf(out, "{name: r%d, firstAvailable: [{name: s, deviceClassName: nic, selectors: [",
                r);
        for (int i = 0; i < SELECTORS; i++)
            fprintf(out, "{cel: {expression: 'device.driver != \"%d.%d.%d\"'}}, ", c, r, i);
        fprintf(out, "]}]}, ");
    }
    fprintf(out, "]}}\n---\n");
}

/* More different selectors than programs are kept (devices/verdicts.h), for one pod whose requests
 * have alternatives, so that its claims are prepared for filters and for scores: programs stay
 * until the question is answered. */
static void test_many_selectors(void **state)
{
    static_assert(CLAIMS * REQUESTS * SELECTORS > BERTH__PROGRAMS_MAX, "programs are freed");
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    (void)state;
    assert_non_null(out);
    for (int c = 0; c < CLAIMS; c++)
        print_claim(out, c);
    fprintf(out, POD("p", "",
                     "{name: c, " ASKS(
                         "x.org/gpu",
                         "1") "}], resourceClaims: [{name: one, "
                              "resourceClaimName: c0}, {name: two, resourceClaimName: c1}"));
    assert_int_equal(fclose(out), 0);
    berth_engine *engine = make(NODE("a", "") NODE("b", "") CLASS("gpu", GPUS, "big") CLASS(
        "nic", "", "small") SLICE("s1", "nodeName: b", DEVICE("g", "big")));
    load(engine, text);
    assert_memory_equal(place(engine, "p").data, "b", 1);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
    free(text);
}

/* ---- preemption ---- */

/* How many pods would have to go for a pod. */
static uint32_t victims_for(berth_engine *engine, const char *name)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    berth_explanation *explanation;
    assert_int_equal(berth_explanation_create(NULL, &explanation, &error), BERTH_OK);
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    assert_int_equal(berth_engine_decide(engine, pod(engine, name), &options, &placement, &error),
                     BERTH_OK);
    const uint32_t count = berth_explanation_victim_count(explanation);
    berth_explanation_destroy(explanation);
    return count;
}

/* A node whose pod could make way is none once its device has gone, although its pods stay. */
static void test_preemption_follows_devices(void **state)
{
#define SPEC(name, spec)                                                                   \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", namespace: shop}\nspec: {" spec \
    "}\n---\n"
#define ALL_CORES "resources: {requests: {cpu: 8}}"
#define HIGH "resources: {requests: {cpu: 8, x.org/gpu: 1}, limits: {x.org/gpu: 1}}"
    (void)state;
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine =
        make(NODE("a", "") CLASS("gpu", GPUS, "big") SLICE("a", "nodeName: a", DEVICE("d", "big"))
                 SPEC("low", "nodeName: a, containers: [{name: c, " ALL_CORES "}]")
                     SPEC("high", "priority: 10, containers: [{name: c, " HIGH "}]"));
    assert_int_equal(victims_for(engine, "high"), 1);
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_RESOURCE_SLICE, (berth_str){0},
                                         BERTH_STR("a"), &error),
                     BERTH_OK);
    assert_int_equal(victims_for(engine, "high"), 0);
    load(engine, SLICE("a", "nodeName: a", DEVICE("d", "big")));
    assert_int_equal(victims_for(engine, "high"), 1);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims),
        cmocka_unit_test(test_first_class_by_name),
        cmocka_unit_test(test_leaves_a_branch),
        cmocka_unit_test(test_own_resource),
        cmocka_unit_test(test_written_claim),
        cmocka_unit_test(test_claim_without_devices),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_every_mix_of_resources),
        cmocka_unit_test(test_allocated_claim),
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_devices_and_cores_in_balance),
        cmocka_unit_test(test_devices_taken_by_another_profile),
        cmocka_unit_test(test_many_selectors),
        cmocka_unit_test(test_preemption_follows_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
