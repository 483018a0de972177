/* ResourceSlices, DeviceClasses and ResourceClaims: read in each version, kept, replaced, removed;
 * reservations of claims, in transactions, on branches, and when memory runs out. */
#include "branch_cluster.h"
#include "store/device_facts.h"
#include "versions/engine_state.h"

#define SLICE(name, generation)                                                                  \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name "}\nspec: "    \
    "{driver: gpu.x, pool: {name: p, generation: " generation ", resourceSliceCount: 1}, "       \
    "nodeName: a, devices: [{name: d0, attributes: {model: {string: big}, x.org/n: {int: 3}}, "  \
    "capacity: {memory: {value: 40Gi, requestPolicy: {default: 1Gi, validRange: {min: 1Gi, "     \
    "step: 1Gi}}}}, taints: [{key: k, effect: NoSchedule}], consumesCounters: [{counterSet: s, " \
    "counters: {c: {value: 2}}}]}, {name: d1, nodeSelector: {nodeSelectorTerms: "                \
    "[{matchExpressions: [{key: k, operator: Bad}]}]}}], sharedCounters: [{name: s, counters: "  \
    "{c: {value: '4'}}}]}\n---\n"
#define CLASS                                                                          \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\nspec: " \
    "{selectors: [{cel: {expression: device.driver == 'gpu.x'}}, {}], "                \
    "extendedResourceName: x.org/gpu}\n---\n"
#define CLAIM_AS(name, uid, status)                                                              \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name ", uid: " uid  \
    ", namespace: default}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: "   \
    "gpu, count: 2}}, {name: f, firstAvailable: [{name: big, deviceClassName: gpu, selectors: "  \
    "[{cel: {expression: 'true'}}]}, {name: small, deviceClassName: gpu, allocationMode: All}]}" \
    "], constraints: [{requests: [r], matchAttribute: x.org/n}]}}\n" status "---\n"
#define CLAIM(name) CLAIM_AS(name, "u-" name, "")
#define ALLOCATED                                                                             \
    "status: {allocation: {devices: {results: [{request: r, driver: gpu.x, pool: p, device: " \
    "d0, shareID: s1, consumedCapacity: {memory: 2Gi}}]}, nodeSelector: {nodeSelectorTerms: " \
    "[{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}, reservedFor: "     \
    "[{resource: pods, name: q, uid: uq}], devices: [{driver: gpu.x, pool: p, device: d0, "   \
    "conditions: [{type: Ready, status: 'True'}]}]}\n"
#define WITH_CLAIM(name)                                                                         \
    "resourceClaims: [{name: dev, resourceClaimName: " name "}], containers: [{name: c, image: " \
    "i}]"

static berth__storage *store_of(berth_engine *engine)
{
    return engine->cluster.view.storage;
}

static berth__sym sym(berth_engine *engine, const char *name)
{
    return berth__intern_find(&engine->cluster.model->strings,
                              (berth_str){name, (uint32_t)strlen(name)});
}

static const char *word(berth_engine *engine, berth__sym id)
{
    return berth__text(engine->cluster.model, id).data;
}

static berth__device_claim *claim_of(berth_engine *engine, const char *name)
{
    return berth__storage_device_claim(store_of(engine), sym(engine, "default"), sym(engine, name));
}

static berth__slice *slice_of(berth_engine *engine, const char *name)
{
    const berth__storage *storage = store_of(engine);
    for (uint32_t i = 0; i < storage->slices.count; i++)
        if (berth__storage_slice_at(storage, i)->record.key.name == sym(engine, name))
            return berth__storage_slice_at(storage, i);
    return NULL;
}

static void expect_word(berth_engine *engine, berth__sym id, const char *text)
{
    assert_int_not_equal(id, 0);
    assert_int_equal(berth__text(engine->cluster.model, id).len, strlen(text));
    assert_memory_equal(word(engine, id), text, strlen(text));
}

/* ---- reading ---- */

static void expect_slice(berth_engine *engine)
{
    const berth__slice_facts *facts = slice_of(engine, "s1")->facts;
    expect_word(engine, facts->driver, "gpu.x");
    expect_word(engine, facts->pool, "p");
    expect_word(engine, facts->reach.node_name, "a");
    assert_int_equal(facts->slice_count, 1);
    assert_int_equal(facts->device_count, 2);
    const berth__device *device = &facts->devices[0];
    assert_int_equal(device->attribute_count, 2);
    expect_word(engine, device->attributes[0].name.id, "model");
    assert_int_equal(device->attributes[0].name.domain, 0);
    expect_word(engine, device->attributes[0].text, "big");
    expect_word(engine, device->attributes[1].name.domain, "x.org");
    assert_int_equal(device->attributes[1].number, 3);
    assert_int_equal(device->capacities[0].policy, BERTH__CAPACITY_RANGE);
    assert_true(device->capacities[0].has_step && !device->capacities[0].has_max);
    assert_true(device->capacities[0].value == (__int128)40 * 1024 * 1024 * 1024 * 1000000000);
    assert_int_equal(device->taint_count, 1);
    assert_int_equal(device->consumes[0].count, 1);
    assert_true(facts->shared_counters[0].items[0].value == (__int128)4 * 1000000000);
    assert_int_equal(facts->devices[1].reach.problem.len > 0, 1);
    static const char wrong[] =
        "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value";
    const berth_str problem = facts->devices[1].reach.problem;
    assert_non_null(memmem(problem.data, problem.len, wrong, sizeof(wrong) - 1));
}

static void test_slices(void **state)
{
    small_cluster *c = *state;
    small_add(c, SLICE("s1", "1"));
    expect_slice(c->engine);
    assert_int_equal(slice_of(c->engine, "s1")->facts->generation, 1);
    small_add(c, "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nmetadata: {name: s0}\n"
                 "spec: {driver: old, pool: {name: q, generation: 2, resourceSliceCount: 1}, "
                 "allNodes: true, devices: [{name: d, basic: {attributes: {a: {version: 1.0.0}, b: "
                 "{bool: true}, c: {strings: [x]}}, capacity: {m: {value: 1}}}}]}\n");
    const berth__slice_facts *old = slice_of(c->engine, "s0")->facts;
    assert_true(old->reach.all_nodes);
    assert_int_equal(old->devices[0].attribute_count, 3);
    assert_int_equal(old->devices[0].attributes[0].kind, BERTH__ATTRIBUTE_VERSION);
    assert_int_equal(old->devices[0].attributes[1].number, 1);
    assert_int_equal(old->devices[0].attributes[2].kind, BERTH__ATTRIBUTE_UNSUPPORTED);
    assert_int_equal(old->devices[0].capacity_count, 1);
}

static void test_classes(void **state)
{
    small_cluster *c = *state;
    small_add(c, CLASS);
    const berth__device_class *gpu =
        berth__storage_device_class(store_of(c->engine), sym(c->engine, "gpu"));
    assert_int_equal(gpu->facts->selector_count, 2);
    assert_true(gpu->facts->selectors[0].cel && !gpu->facts->selectors[1].cel);
    expect_word(c->engine, gpu->facts->extended_resource, "x.org/gpu");
    assert_ptr_equal(berth__storage_device_class_at(store_of(c->engine), gpu->id), gpu);
    remove_named(c->engine, BERTH_KIND_DEVICE_CLASS, "gpu");
    assert_null(gpu->facts);
}

static void test_claims(void **state)
{
    small_cluster *c = *state;
    small_add(c, CLAIM("c") CLAIM_AS("given", "ug", ALLOCATED));
    const berth__device_claim_facts *facts = claim_of(c->engine, "c")->facts;
    assert_int_equal(facts->request_count, 2);
    assert_false(facts->requests[0].first_available);
    assert_int_equal(facts->requests[0].asks[0].count, 2);
    assert_true(facts->requests[1].first_available);
    assert_int_equal(facts->requests[1].asks[0].count, 1);
    assert_int_equal(facts->requests[1].asks[1].mode, BERTH__ALLOCATE_ALL);
    expect_word(c->engine, facts->constraints[0].match.id, "n");
    assert_null(facts->allocation);
    facts = claim_of(c->engine, "given")->facts;
    assert_int_equal(facts->allocation->result_count, 1);
    expect_word(c->engine, facts->allocation->results[0].share_id, "s1");
    assert_int_equal(facts->allocation->results[0].consumed_count, 1);
    assert_true(facts->allocation->has_selector);
    assert_int_equal(facts->reserved_for_count, 1);
    assert_true(facts->statuses[0].conditions[0].is_true);
}

static void test_older_claim(void **state)
{
    small_cluster *c = *state;
    small_add(c, "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata: {name: c, "
                 "namespace: default}\nspec: {devices: {requests: [{name: r, deviceClassName: gpu, "
                 "allocationMode: ExactCount, count: 3, adminAccess: true}]}}\n");
    const berth__device_claim_facts *facts = claim_of(c->engine, "c")->facts;
    assert_int_equal(facts->requests[0].ask_count, 1);
    assert_int_equal(facts->requests[0].asks[0].count, 3);
    assert_true(facts->requests[0].asks[0].admin_access);
}

static void test_pods(void **state)
{
    small_cluster *c = *state;
    (void)small_node(c, "a", "");
    (void)small_pod(c, "p", NULL, "",
                    "resourceClaims: [{name: x, resourceClaimName: c}, {name: t, "
                    "resourceClaimTemplateName: t}, {name: none}], containers: "
                    "[{name: c, image: i}]");
    const berth__class *cls = berth__pod_at(&c->engine->cluster.pods, 0)->cls;
    assert_int_equal(cls->claims->count, 3);
    expect_word(c->engine, cls->claims->pod_name, "p");
    expect_word(c->engine, cls->claims->items[0].claim, "c");
    assert_false(cls->claims->items[0].from_template || cls->claims->items[0].neither);
    assert_true(cls->claims->items[1].from_template && cls->claims->items[1].claim == 0);
    assert_true(cls->claims->items[2].neither);
}

/* ---- reserving ---- */

static berth_status reserve(berth_engine *engine, uint32_t pod, const char *name)
{
    bool ok = true;
    berth__intern *strings = &engine->cluster.model->strings;
    berth__model_lock(engine->cluster.model); /* texts are added while branches read */
    const berth__device_result result = {
        .request = berth__intern_add(strings, BERTH_STR("r"), &ok),
        .driver = berth__intern_add(strings, BERTH_STR("gpu.x"), &ok),
        .pool = berth__intern_add(strings, BERTH_STR("p"), &ok),
        .device = berth__intern_add(strings, BERTH_STR("d0"), &ok),
    };
    const berth__device_allocation allocation = {.results = &result, .result_count = 1};
    const berth__device_grant grant = {claim_of(engine, name), &allocation};
    berth_status status = ok && berth__undo_reserve(&engine->cluster.undo, 4, 640)
                              ? berth__storage_reserve_devices(store_of(engine), pod, &grant, 1)
                              : BERTH_E_NOMEM;
    berth__model_unlock(engine->cluster.model);
    return status;
}

static void expect_reserved(berth_engine *engine, const char *name, bool is)
{
    const berth__device_allocation *has = berth__device_claim_allocation(claim_of(engine, name));
    assert_int_equal(has != NULL, is);
    if (has != NULL)
        expect_word(engine, has->results[0].device, "d0");
}

/* Add or replace. */
static berth_status put_one(void *engine, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    (void)origin;
    berth_status status = berth_engine_add(engine, object, NULL, error);
    return status == BERTH_E_EXISTS ? berth_engine_update(engine, object, error) : status;
}

static void update(small_cluster *c, const char *text)
{
    berth_error error = {.code = BERTH_OK};
    berth_reader *reader;
    assert_int_equal(berth_reader_create(NULL, &reader, NULL), BERTH_OK);
    small_require(berth_reader_text(reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    put_one, c->engine, &error),
                  &error);
    berth_reader_destroy(reader);
}

static void test_reserving(void **state)
{
    small_cluster *c = *state;
    small_add(c, CLAIM("c") CLAIM("d"));
    assert_int_equal(reserve(c->engine, 0, "c"), BERTH_OK);
    expect_reserved(c->engine, "c", true);
    assert_ptr_equal(berth__storage_granted_claim(store_of(c->engine), 0, 0),
                     claim_of(c->engine, "c"));
    update(c, CLAIM("c")); /* an update without changes: it stays reserved */
    expect_reserved(c->engine, "c", true);
    berth__storage_unreserve_devices(store_of(c->engine), 0);
    expect_reserved(c->engine, "c", false);
    assert_int_equal(reserve(c->engine, 0, "c"), BERTH_OK);
    update(c, CLAIM_AS("c", "u-c", ALLOCATED));
    assert_null(claim_of(c->engine, "c")->chosen);
    assert_int_equal(reserve(c->engine, 1, "d"), BERTH_OK);
    update(c, CLAIM_AS("d", "another", ""));
    expect_reserved(c->engine, "d", false);
    assert_int_equal(reserve(c->engine, 1, "d"), BERTH_OK);
    berth__storage_forget(store_of(c->engine), 1);
    expect_reserved(c->engine, "d", true);
    update(c, CLAIM_AS("d", "another", ""));
    expect_reserved(c->engine, "d", false);
}

static void test_undone(void **state)
{
    small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    small_add(c, CLAIM("c"));
    for (int kept = 0; kept < 2; kept++) {
        assert_int_equal(reserve(c->engine, 0, "c"), BERTH_OK);
        uint64_t journal = store_of(c->engine)->device_journal_end;
        small_require(berth_engine_begin(c->engine, &error), &error);
        update(c, CLAIM_AS("c", "u-c", ALLOCATED));
        small_require(berth_engine_rollback(c->engine, &error), &error);
        expect_reserved(c->engine, "c", true);
        assert_true(store_of(c->engine)->device_journal_end > journal);
        small_require(berth_engine_begin(c->engine, &error), &error);
        update(c, CLAIM("c")); /* an update that changes nothing */
        expect_reserved(c->engine, "c", true);
        small_require(berth_engine_rollback(c->engine, &error), &error);
        expect_reserved(c->engine, "c", true);
        small_require(berth_engine_begin(c->engine, &error), &error);
        berth__storage_unreserve_devices(store_of(c->engine), 0);
        expect_reserved(c->engine, "c", false);
        small_require(berth_engine_rollback(c->engine, &error), &error);
        expect_reserved(c->engine, "c", true);
        small_require(berth_engine_begin(c->engine, &error), &error);
        remove_named(c->engine, BERTH_KIND_RESOURCE_CLAIM, "c");
        small_require(kept ? berth_engine_commit(c->engine, &error)
                           : berth_engine_rollback(c->engine, &error),
                      &error);
        if (!kept)
            berth__storage_unreserve_devices(store_of(c->engine), 0);
    }
    assert_null(claim_of(c->engine, "c")->facts);
}

static void test_branches(void **state)
{
    small_cluster *c = *state;
    berth_node_id a = small_node(c, "a", "");
    small_add(c, CLAIM("c") CLAIM("d"));
    berth_pod_id p = small_pod(c, "p", NULL, "", WITH_CLAIM("c"));
    assert_int_equal(reserve(c->engine, 0, "c"), BERTH_OK);
    for (int round = 0; round < 3; round++) {
        berth_error error = {.code = BERTH_OK};
        berth_engine *branch = branch_off(c);
        small_require(berth_engine_bind(branch, p, a, &error), &error); /* updates the state */
        expect_reserved(branch, "c", round < 2);
        expect_reserved(branch, "d", false);
        assert_int_equal(reserve(branch, 7, "d"), BERTH_OK);
        expect_reserved(branch, "d", true);
        expect_reserved(c->engine, "d", false);
        berth_taken_device choice;
        assert_int_equal(berth_engine_pod_devices(branch, p, &choice, 1), round < 2);
        if (round == 1)
            berth__storage_unreserve_devices(store_of(c->engine), 0);
        expect_reserved(branch, "c", round < 2);
        berth_branch_drop(branch);
    }
}

/* ---- memory ---- */

static void fill_nothing(counted_cluster *t)
{
    t->pods[0] = small_pod(&t->c, "p", NULL, "", WITH_CLAIM("c"));
    (void)small_node(&t->c, "a", "");
}

static berth_status put(berth_engine *engine, const char *text)
{
    berth_reader *reader;
    assert_int_equal(berth_reader_create(NULL, &reader, NULL), BERTH_OK);
    berth_status status = berth_reader_text(reader, (berth_str){text, (uint32_t)strlen(text)},
                                            "test", put_one, engine, NULL);
    berth_reader_destroy(reader);
    return status;
}

static berth_status use_branch(counted_cluster *t)
{
    berth_engine *branch = NULL;
    berth_status status = branch_make(t->c.engine, &branch, NULL);
    if (status == BERTH_OK)
        status = berth_engine_bind(branch, t->pods[0],
                                   berth_engine_find_node(branch, BERTH_STR("a")), NULL);
    if (status == BERTH_OK)
        status = reserve(branch, 5, "d");
    berth_branch_drop(branch);
    return status;
}

static berth_status try_all(counted_cluster *t)
{
    berth_engine *engine = t->c.engine;
    berth_status status = put(engine, SLICE("s1", "1") CLASS CLAIM("c") CLAIM("d"));
    if (status == BERTH_OK)
        status = reserve(engine, 0, "c");
    for (int i = 0; i < 2 && status == BERTH_OK; i++) {
        status = use_branch(t);
        if (status == BERTH_OK)
            status = put(engine, CLAIM_AS("c", "u-c", ALLOCATED) SLICE("s1", "2"));
    }
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    fail_each(fill_nothing, try_all, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_slices, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_classes, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_claims, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_older_claim, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_pods, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_reserving, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_undone, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_branches, small_set_up, small_tear_down),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
