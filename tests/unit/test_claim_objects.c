/* The claims of placed pods as objects: what the placement chose, its node selector, shares and
 * amounts; and that memory may end meanwhile. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "rule_cluster.h"

#define CLASS(name, more)                                 \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n" \
    "metadata: {name: " name "}\nspec: {" more "}\n---\n"
#define NODE(name, labels, more)                                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {" labels "}}\nstatus: " \
    "{allocatable: {cpu: 8, pods: 20" more "}}\n---\n"
#define SLICE(name, reach, devices)                                               \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name \
    "}\nspec: {driver: x.org, pool: {name: " name                                 \
    ", generation: 1, resourceSliceCount: 1}, " reach ", devices: [" devices "]}\n---\n"
#define CLAIM(name, request)                                                                       \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name ", uid: u-" name \
    "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu" request              \
    "}}]}}\n---\n"

static berth_engine_config newest(const berth_allocator *allocator)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.allocator = allocator;
    return config;
}

static void place(small_cluster *c, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_schedule(c->engine, pod, &c->placement, &error), &error);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
}

static void expect_text(berth_str got, const char *wanted)
{
    assert_int_equal(got.len, strlen(wanted));
    assert_memory_equal(got.data, wanted, got.len);
}

/* ---- what was chosen ---- */

/* Three nodes, of which the device is for the second; a pod with one claim. */
static berth_pod_id add_shared(small_cluster *c)
{
    small_add(c, NODE("a", "rank: '3'", "") NODE("b", "rank: '4'", "") NODE("c", "rank: '9'", "")
                     CLASS("gpu", ""));
    small_add(c, SLICE("s",
                       "nodeSelector: {nodeSelectorTerms: [{matchExpressions: ["
                       "{key: rank, operator: Gt, values: ['3']}, "
                       "{key: rank, operator: Lt, values: ['9']}, "
                       "{key: old, operator: NotIn, values: [u, v]}], "
                       "matchFields: [{key: metadata.name, operator: In, values: [b]}]}]}",
                       "{name: d, allowMultipleAllocations: true, capacity: {memory: {value: 8Gi}, "
                       "y.org/speed: {value: 3, requestPolicy: {default: 1500m}}}}")
                     CLAIM("one", ", capacity: {requests: {memory: 1Gi}}"));
    return small_pod(c, "p", NULL, ", uid: p",
                     "resourceClaims: [{name: a, resourceClaimName: one}], containers: [{name: c, "
                     "image: i, resources: {claims: [{name: a}]}}]");
}

static berth_status copy_claim(const small_cluster *c, berth_pod_id pod, berth_object **out)
{
    berth_error error = {.code = BERTH_OK};
    return berth_engine_pod_claim_object(c->engine, pod, 0, NULL, out, &error);
}

static const berth_requirement *requirement_with(const berth_requirements *all, const char *op)
{
    for (uint32_t i = 0; i < all->count; i++)
        if (all->items[i].op.len == strlen(op) &&
            memcmp(all->items[i].op.data, op, all->items[i].op.len) == 0)
            return &all->items[i];
    fail_msg("no requirement with %s", op);
    return NULL;
}

static void expect_number(const berth_requirements *all, const char *op, const char *number)
{
    const berth_requirement *found = requirement_with(all, op);
    expect_text(found->key, "rank");
    assert_int_equal(found->values.count, 1);
    expect_text(found->values.items[0], number);
}

static void expect_selector(const berth_node_selector *selector)
{
    assert_non_null(selector);
    assert_int_equal(selector->count, 1);
    const berth_requirements *all = &selector->terms[0].match_expressions;
    assert_int_equal(all->count, 3);
    expect_number(all, "Gt", "3");
    expect_number(all, "Lt", "9");
    assert_int_equal(requirement_with(all, "NotIn")->values.count, 2);
    assert_int_equal(selector->terms[0].match_fields.count, 1);
    expect_text(selector->terms[0].match_fields.items[0].key, "metadata.name");
}

/* The amount that a result takes of a capacity, in thousandths. */
static int64_t consumed(const berth_allocated_device *result, const char *name)
{
    for (uint32_t i = 0; i < result->consumed_capacity.count; i++) {
        const berth_resource *one = &result->consumed_capacity.items[i];
        if (one->name.len == strlen(name) && memcmp(one->name.data, name, one->name.len) == 0)
            return one->amount.units * 1000 + one->amount.nanos / 1000000;
    }
    return -1;
}

static void expect_shared(const berth_object *object)
{
    const berth_resource_claim *claim = object->as.resource_claim;
    expect_text(claim->meta.name, "one");
    expect_text(claim->meta.uid, "u-one");
    assert_non_null(claim->allocation);
    assert_int_equal(claim->allocation->result_count, 1);
    const berth_allocated_device *result = &claim->allocation->results[0];
    expect_text(result->device, "d");
    assert_int_equal(consumed(result, "memory"), (INT64_C(1) << 30) * 1000);
    assert_int_equal(consumed(result, "y.org/speed"), 1500);
    assert_int_equal(result->share_id.len, 36);
    assert_int_equal(result->share_id.data[14], '8'); /* the version of the UUID */
    expect_selector(claim->allocation->node_selector);
}

static void test_chosen(void **state)
{
    small_cluster c;
    berth_object *object, *again;
    (void)state;
    small_open_as(&c, newest(NULL));
    const berth_pod_id pod = add_shared(&c);
    assert_int_equal(copy_claim(&c, pod, &object), BERTH_OK);
    assert_null(object->as.resource_claim->allocation); /* nothing was chosen yet */
    berth_object_destroy(object);
    place(&c, pod);
    expect_text(berth_engine_node_name(c.engine, c.placement.node), "b");
    assert_int_equal(copy_claim(&c, pod, &object), BERTH_OK);
    expect_shared(object);
    assert_int_equal(copy_claim(&c, pod, &again), BERTH_OK);
    assert_memory_equal(object->as.resource_claim->allocation->results[0].share_id.data,
                        again->as.resource_claim->allocation->results[0].share_id.data, 36);
    berth_object_destroy(again);
    /* Another claim's share has an ID of its own. */
    small_add(&c, CLAIM("two", ", capacity: {requests: {memory: 1Gi}}"));
    const berth_pod_id other =
        small_pod(&c, "q", NULL, ", uid: q", "resourceClaims: [{name: g, resourceClaimName: two}]");
    place(&c, other);
    assert_int_equal(copy_claim(&c, other, &again), BERTH_OK);
    assert_memory_not_equal(object->as.resource_claim->allocation->results[0].share_id.data,
                            again->as.resource_claim->allocation->results[0].share_id.data, 36);
    berth_object_destroy(object);
    berth_object_destroy(again);
    small_close(&c);
}

/* A claim whose name the pod does not know yet is passed over, and so is one that does not exist.
 */
static void test_claims_that_do_not_exist(void **state)
{
    small_cluster c;
    berth_object *object;
    (void)state;
    small_open_as(&c, newest(NULL));
    small_add(&c, CLASS("gpu", "") CLAIM("one", ""));
    const berth_pod_id pod =
        small_pod(&c, "p", NULL, ", uid: p",
                  "resourceClaims: [{name: a, resourceClaimTemplateName: t}, "
                  "{name: b, resourceClaimName: absent}, {name: c, resourceClaimName: one}], "
                  "containers: [{name: c, image: i}]");
    assert_int_equal(copy_claim(&c, pod, &object), BERTH_OK);
    expect_text(object->as.resource_claim->meta.name, "one");
    berth_object_destroy(object);
    assert_int_equal(berth_engine_pod_claim_object(c.engine, pod, 1, NULL, &object, NULL),
                     BERTH_E_NOT_FOUND);
    assert_null(object);
    small_close(&c);
}

/* ---- extended resources ---- */

#define GPUS "extendedResourceName: x.org/gpu"
#define NICS "extendedResourceName: x.org/nic"
#define ASKS(resource, count) \
    "resources: {requests: {" resource ": " count "}, limits: {" resource ": " count "}}"

/* A pod that has claims of its own beside the one for its extended resource, of which one was
 * allocated before: each is copied as it should be written. */
static void test_own_claims_beside(void **state)
{
    small_cluster c;
    berth_object *object;
    (void)state;
    small_open_as(&c, newest(NULL));
    small_add(&c, NODE("a", "", "") CLASS("gpu", GPUS) SLICE(
                      "s", "nodeName: a", "{name: d0}, {name: d1}, {name: d2}") CLAIM("one", ""));
    small_add(&c, "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
                  "metadata: {name: two, uid: u-two}\n"
                  "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n"
                  "status: {allocation: {devices: {results: [{request: r, driver: x.org, pool: s, "
                  "device: d2}]}}}\n");
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, ", uid: p",
        "resourceClaims: [{name: a, resourceClaimName: one}, {name: b, resourceClaimName: two}], "
        "containers: [{name: c, image: i, resources: {claims: [{name: a}, {name: b}], requests: "
        "{x.org/gpu: 1}, limits: {x.org/gpu: 1}}}]");
    place(&c, pod);
    assert_int_equal(berth_engine_pod_extended_claim(c.engine, pod, NULL, &object, NULL), BERTH_OK);
    assert_int_equal(object->as.resource_claim->request_count, 1);
    assert_int_equal(object->as.resource_claim->allocation->result_count, 1);
    expect_text(object->as.resource_claim->allocation->results[0].request, "container-0-request-0");
    berth_object_destroy(object);
    assert_int_equal(berth_engine_pod_claim_object(c.engine, pod, 0, NULL, &object, NULL),
                     BERTH_OK);
    expect_text(object->as.resource_claim->meta.name, "one");
    expect_text(object->as.resource_claim->allocation->results[0].request, "r");
    berth_object_destroy(object);
    assert_int_equal(berth_engine_pod_claim_object(c.engine, pod, 1, NULL, &object, NULL),
                     BERTH_OK);
    expect_text(object->as.resource_claim->meta.name, "two");
    assert_null(object->as.resource_claim->allocation); /* it has its own */
    berth_object_destroy(object);
    small_close(&c);
}

/* A node that has the resource itself, in a cluster without any devices. */
static void test_no_devices(void **state)
{
    small_cluster c;
    berth_object *object;
    berth_extended_request mapping;
    (void)state;
    small_open_as(&c, newest(NULL));
    small_add(&c, NODE("a", "", ", x.org/gpu: 2"));
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, ", uid: p", "containers: [{name: c, image: i, " ASKS("x.org/gpu", "1") "}]");
    place(&c, pod);
    assert_int_equal(berth_engine_pod_extended_claim(c.engine, pod, NULL, &object, NULL),
                     BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_pod_extended_requests(c.engine, pod, &mapping, 1), 0);
    small_close(&c);
}

/* An init container that ends uses only requests of its own resource. */
static void test_mappings_by_resource(void **state)
{
    static const char *const wanted[] = {
        "c x.org/gpu container-2-request-0", "i x.org/gpu container-2-request-0",
        "i x.org/gpu container-0-request-0", "d x.org/nic container-3-request-0",
        "j x.org/nic container-3-request-0", "j x.org/nic container-1-request-0"};
    small_cluster c;
    berth_extended_request mappings[8];
    (void)state;
    small_open_as(&c, newest(NULL));
    small_add(&c, NODE("a", "", "")
                      CLASS("gpu", GPUS ", selectors: [{cel: {expression: 'device.driver == "
                                        "\"x.org\" && !device.allowMultipleAllocations && "
                                        "\"gpu\" in device.attributes[\"x.org\"]'}}]")
                          CLASS("nic", NICS ", selectors: [{cel: {expression: '"
                                            "\"nic\" in device.attributes[\"x.org\"]'}}]"));
#define GPU(name) "{name: " name ", attributes: {gpu: {bool: true}}}"
#define NIC(name) "{name: " name ", attributes: {nic: {bool: true}}}"
    small_add(&c,
              SLICE("s", "nodeName: a", GPU("g0") ", " GPU("g1") ", " NIC("n0") ", " NIC("n1")));
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, ", uid: p",
        "initContainers: [{name: i, image: i, " ASKS(
            "x.org/gpu",
            "2") "}, {name: j, image: i, " ASKS("x.org/nic",
                                                "2") "}], containers: [{name: c, image: "
                                                     "i, " ASKS("x.org/gpu",
                                                                "1") "}, "
                                                                     "{name: d, image: "
                                                                     "i, " ASKS("x.org/nic",
                                                                                "1") "}]");
    place(&c, pod);
    assert_int_equal(berth_engine_pod_extended_requests(c.engine, pod, mappings, 8), 6);
    for (int i = 0; i < 6; i++) {
        char text[128];
        snprintf(text, sizeof(text), "%.*s %.*s %.*s", (int)mappings[i].container.len,
                 mappings[i].container.data, (int)mappings[i].resource.len,
                 mappings[i].resource.data, (int)mappings[i].request.len, mappings[i].request.data);
        assert_string_equal(text, wanted[i]);
    }
    small_close(&c);
}

/* ---- memory ---- */

static void test_memory_of_a_claim(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    berth_object *object = NULL;
    (void)state;
    small_open_as(&c, newest(&allocator));
    const berth_pod_id pod = add_shared(&c);
    place(&c, pod);
    berth_status status = BERTH_E_NOMEM;
    unsigned at = 1;
    for (; status != BERTH_OK; at++) {
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        status = copy_claim(&c, pod, &object);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || (status == BERTH_E_NOMEM && object == NULL));
    }
    assert_in_range(at, 10, 1000);
    expect_shared(object);
    berth_object_destroy(object);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

static void test_memory_of_an_extended_claim(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    berth_object *object = NULL;
    (void)state;
    small_open_as(&c, newest(&allocator));
    small_add(&c, NODE("a", "", "") CLASS("gpu", GPUS) SLICE("s", "nodeName: a", "{name: d0}"));
    const berth_pod_id pod = small_pod(
        &c, "p", NULL, ", uid: p", "containers: [{name: c, image: i, " ASKS("x.org/gpu", "1") "}]");
    place(&c, pod);
    berth_status status = BERTH_E_NOMEM;
    unsigned at = 1;
    for (; status != BERTH_OK; at++) {
        atomic_store(&memory.calls, 0);
        atomic_store(&memory.fail_at, at);
        status = berth_engine_pod_extended_claim(c.engine, pod, NULL, &object, NULL);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || (status == BERTH_E_NOMEM && object == NULL));
    }
    assert_in_range(at, 4, 1000);
    expect_text(object->as.resource_claim->requests[0].exactly->class_name, "gpu");
    expect_text(object->as.resource_claim->allocation->results[0].device, "d0");
    berth_object_destroy(object);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_claims_that_do_not_exist),
        cmocka_unit_test(test_own_claims_beside),
        cmocka_unit_test(test_no_devices),
        cmocka_unit_test(test_mappings_by_resource),
        cmocka_unit_test(test_memory_of_a_claim),
        cmocka_unit_test(test_memory_of_an_extended_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
