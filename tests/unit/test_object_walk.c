/* Objects that are handed out one after the other (berth_engine_objects): what a placement adds to
 * them, functions that fail, and memory that ends meanwhile. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "rule_cluster.h"

static void open_keeping(small_cluster *c, const berth_allocator *allocator)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.keep_objects = true;
    config.allocator = allocator;
    small_open_as(c, config);
}

/* A claim for a volume that exists, one whose volume will be made, and one for a device; a pod that
 * uses them all and is placed. */
static berth_pod_id add_all(small_cluster *c, const char *pod_meta)
{
    berth_error error = {.code = BERTH_OK};
    small_add(c, "{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: slow},"
                 " provisioner: kubernetes.io/no-provisioner,"
                 " volumeBindingMode: WaitForFirstConsumer}\n---\n"
                 "{kind: StorageClass, apiVersion: storage.k8s.io/v1, metadata: {name: made},"
                 " provisioner: csi.x, volumeBindingMode: WaitForFirstConsumer}\n---\n"
                 "{kind: PersistentVolume, apiVersion: v1, metadata: {name: pv},"
                 " spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce],"
                 " storageClassName: slow}, status: {phase: Available}}\n---\n"
                 "{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: c, uid: cu}, spec:"
                 " {accessModes: [ReadWriteOnce], storageClassName: slow, resources: {requests:"
                 " {storage: 1Gi}}}}\n---\n"
                 "{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: d, annotations:"
                 " {kept: 'yes'}}, spec:"
                 " {accessModes: [ReadWriteOnce], storageClassName: made, resources: {requests:"
                 " {storage: 1Gi}}}}\n---\n");
    small_add(c, "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}}\n---\n"
                 "{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: s}, spec:"
                 " {driver: x.org, nodeName: n1, pool: {name: n1, generation: 1,"
                 " resourceSliceCount: 1}, devices: [{name: d0}]}}\n---\n"
                 "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: e,"
                 " uid: eu}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName:"
                 " gpu}}]}}}\n---\n");
    small_node(c, "n1", "");
    const berth_pod_id pod =
        small_pod(c, "p", NULL, pod_meta,
                  "containers: [{name: c, image: i}], volumes: [{name: v, persistentVolumeClaim: "
                  "{claimName: c}}, {name: w, persistentVolumeClaim: {claimName: d}}], "
                  "resourceClaims: [{name: a, resourceClaimName: e}]");
    small_require(berth_engine_schedule(c->engine, pod, &c->placement, &error), &error);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    return pod;
}

/* What a walk saw of the objects that a placement changes. */
typedef struct seen {
    uint32_t size; /* that each object must have; 0: any */
    uint32_t count;
    uint32_t annotations; /* of claim d */
    bool kept, selected;  /* two of them */
    bool reserved;        /* volume pv has a claim */
    uint32_t uid_bytes;   /* of that claim's uid */
    uint32_t consumers;   /* of claim e */
    uint32_t devices;
    uint32_t disrupted; /* pods that are to go */
    uint32_t conditions;
} seen;

static bool is(berth_str text, const char *word)
{
    return text.len == strlen(word) && memcmp(text.data, word, text.len) == 0;
}

static void look_at_claim(seen *s, const berth_persistent_volume_claim *claim)
{
    if (!is(claim->meta.name, "d"))
        return;
    s->annotations = claim->meta.annotations.count;
    for (uint32_t i = 0; i < s->annotations; i++) {
        const berth_key_value *one = &claim->meta.annotations.entries[i];
        s->kept |= is(one->key, "kept") && is(one->value, "yes");
        s->selected |= is(one->key, "volume.kubernetes.io/selected-node") && is(one->value, "n1");
    }
}

static void look_at_pod(seen *s, const berth_pod *pod)
{
    s->conditions += pod->condition_count;
    for (uint32_t i = 0; i < pod->condition_count; i++)
        s->disrupted += is(pod->conditions[i].type, "DisruptionTarget");
}

static berth_status look(void *context, const berth_object *object, berth_error *error)
{
    seen *s = context;
    (void)error;
    s->count++;
    if (s->size > 0)
        assert_int_equal(object->size, s->size);
    if (object->kind == BERTH_KIND_POD)
        look_at_pod(s, object->as.pod);
    if (object->kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        look_at_claim(s, object->as.persistent_volume_claim);
    if (object->kind == BERTH_KIND_PERSISTENT_VOLUME) {
        s->reserved = object->as.persistent_volume->has_claim_ref;
        s->uid_bytes = object->as.persistent_volume->claim_uid.len;
    }
    if (object->kind == BERTH_KIND_RESOURCE_CLAIM) {
        const berth_resource_claim *claim = object->as.resource_claim;
        s->consumers = claim->reserved_for_count;
        s->devices = claim->allocation != NULL ? claim->allocation->result_count : 0;
    }
    return BERTH_OK;
}

static berth_status walk(const small_cluster *c, berth_kind kind, seen *out)
{
    berth_error error = {.code = BERTH_OK};
    return berth_engine_objects(c->engine, kind, look, out, &error);
}

/* ---- conditions of nodes ---- */

static berth_status join_conditions(void *context, const berth_object *object, berth_error *error)
{
    char *text = context;
    (void)error;
    for (uint32_t i = 0; i < object->as.node->condition_count; i++) {
        const berth_condition *one = &object->as.node->conditions[i];
        memcpy(text, one->type.data, one->type.len);
        text += one->type.len;
        *text++ = '=';
        memcpy(text, one->status.data, one->status.len);
        text += one->status.len;
        *text++ = ' ';
    }
    return BERTH_OK;
}

/* Those that old releases read are told again. */
static void test_conditions_of_nodes(void **state)
{
    small_cluster c;
    char text[256] = "";
    berth_error error = {.code = BERTH_OK};
    (void)state;
    small_open(&c, NULL);
    small_addf(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: sick}\nstatus: {conditions: ["
                   "{type: PIDPressure, status: 'True'}, {type: MemoryPressure, status: 'True'}, "
                   "{type: NetworkUnavailable, status: 'True'}, {type: Ready, status: Unknown}, "
                   "{type: DiskPressure, status: 'True'}]}\n");
    assert_int_equal(berth_engine_objects(c.engine, BERTH_KIND_NODE, join_conditions, text, &error),
                     BERTH_OK);
    assert_string_equal(text, "Ready=False NetworkUnavailable=True MemoryPressure=True "
                              "DiskPressure=True PIDPressure=True ");
    small_close(&c);
}

/* ---- what a placement adds ---- */

static void test_added(void **state)
{
    small_cluster c;
    seen s = {.count = 0};
    (void)state;
    open_keeping(&c, NULL);
    add_all(&c, ", uid: pu");
    assert_int_equal(walk(&c, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &s), BERTH_OK);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.annotations, 2); /* the node is not named twice */
    assert_true(s.kept && s.selected);
    assert_int_equal(walk(&c, BERTH_KIND_PERSISTENT_VOLUME, &s), BERTH_OK);
    assert_true(s.reserved);
    assert_int_equal(s.uid_bytes, 2);
    assert_int_equal(walk(&c, BERTH_KIND_RESOURCE_CLAIM, &s), BERTH_OK);
    assert_int_equal(s.devices, 1);
    assert_int_equal(s.consumers, 1);
    small_close(&c);
}

/* A pod without a uid cannot be named as a consumer. */
static void test_nameless_consumer(void **state)
{
    small_cluster c;
    seen s = {.count = 0};
    (void)state;
    open_keeping(&c, NULL);
    add_all(&c, "");
    assert_int_equal(walk(&c, BERTH_KIND_RESOURCE_CLAIM, &s), BERTH_OK);
    assert_int_equal(s.devices, 1);
    assert_int_equal(s.consumers, 0);
    small_close(&c);
}

/* The volume of a claim that was removed meanwhile keeps its reservation, without a uid. */
static void test_claim_is_gone(void **state)
{
    small_cluster c;
    seen s = {.uid_bytes = 9};
    (void)state;
    open_keeping(&c, NULL);
    add_all(&c, "");
    assert_int_equal(berth_engine_remove(c.engine, BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                         (berth_str)TEXT("default"), (berth_str)TEXT("c"), NULL),
                     BERTH_OK);
    assert_int_equal(walk(&c, BERTH_KIND_PERSISTENT_VOLUME, &s), BERTH_OK);
    assert_true(s.reserved);
    assert_int_equal(s.uid_bytes, 0);
    small_close(&c);
}

/* ---- functions that fail ---- */

static berth_status stop(void *context, const berth_object *object, berth_error *error)
{
    uint32_t *calls = context;
    (void)object;
    if (++*calls >= 10) {
        error->code = BERTH_E_STATE;
        snprintf(error->message, sizeof(error->message), "it is enough");
        return BERTH_E_STATE;
    }
    return BERTH_E_CONFLICT;
}

/* The first failure ends the walk, with the function's own error if it has one. */
static void test_failing_functions(void **state)
{
    small_cluster c;
    (void)state;
    open_keeping(&c, NULL);
    add_all(&c, "");
    small_node(&c, "n2", "");
    static const berth_kind kinds[] = {BERTH_KIND_NODE, BERTH_KIND_POD,
                                       BERTH_KIND_PERSISTENT_VOLUME_CLAIM,
                                       BERTH_KIND_RESOURCE_CLAIM};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        berth_error error = {.code = BERTH_OK};
        uint32_t calls = 0;
        assert_int_equal(berth_engine_objects(c.engine, kinds[i], stop, &calls, &error),
                         BERTH_E_CONFLICT);
        assert_int_equal(calls, 1);
        assert_int_equal(error.code, BERTH_E_CONFLICT);
        assert_string_equal(error.message, "the function that was given objects failed");
        calls = 9;
        assert_int_equal(berth_engine_objects(c.engine, kinds[i], stop, &calls, &error),
                         BERTH_E_STATE);
        assert_string_equal(error.message, "it is enough");
        assert_int_equal(berth_engine_objects(c.engine, kinds[i], stop, &calls, NULL),
                         BERTH_E_STATE);
        assert_int_equal(calls, 11);
    }
    small_close(&c);
}

/* ---- memory ---- */

/* A caller with larger structures than the engine's, which are copied. */
static void test_memory_runs_out(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    uint32_t sizes[1 + BERTH_KIND_COUNT] = {BERTH_KIND_COUNT};
    (void)state;
    open_keeping(&c, &allocator);
    add_all(&c, ", uid: pu");
    for (int i = 0; i < 2; i++) /* alike but for their end */
        small_addf(
            &c, "{apiVersion: v1, kind: Pod, metadata: {name: alike%d}, spec: {nodeName: n1}%s}", i,
            i == 0 ? ""
                   : ", status: {conditions: [{type: DisruptionTarget, status: 'True', "
                     "reason: PreemptionByScheduler}]}");
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        sizes[1 + kind] = berth_object_sizes()[1 + kind] + 16;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        seen whole = {.count = 0}, s;
        assert_int_equal(walk(&c, (berth_kind)kind, &whole), BERTH_OK);
        bool failed = true;
        for (unsigned at = 1; failed; at++) {
            berth_error error = {.code = BERTH_OK};
            s = (seen){.size = sizes[1 + kind]};
            atomic_store(&memory.calls, 0);
            atomic_store(&memory.fail_at, at);
            const berth_status status =
                berth_engine_objects_sized(c.engine, (berth_kind)kind, sizes, look, &s, &error);
            atomic_store(&memory.fail_at, 0);
            failed = atomic_load(&memory.calls) >= at;
            assert_int_equal(error.code, status);
            assert_int_equal(status, failed ? BERTH_E_NOMEM : BERTH_OK);
            assert_true(s.count <= whole.count);
        }
        assert_int_equal(s.count, whole.count);
        assert_int_equal(s.annotations, whole.annotations);
        assert_int_equal(s.devices, whole.devices);
        assert_int_equal(s.reserved, whole.reserved);
        assert_int_equal(s.conditions, whole.conditions);
        assert_int_equal(s.disrupted, kind == BERTH_KIND_POD);
    }
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions_of_nodes), cmocka_unit_test(test_added),
        cmocka_unit_test(test_nameless_consumer),   cmocka_unit_test(test_claim_is_gone),
        cmocka_unit_test(test_failing_functions),   cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
