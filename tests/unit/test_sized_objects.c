/* Objects passed to and from callers that were compiled with other headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "objects/sized_object.h"
#include "sized_room.h"
#include "small_cluster.h"

/* The sizes known to a caller whose struct for one kind is shorter or longer. */
typedef struct known_sizes {
    uint32_t list[1 + BERTH_KIND_COUNT];
} known_sizes;

static known_sizes sizes_but(berth_kind kind, uint32_t size)
{
    known_sizes out;
    memcpy(out.list, berth_object_sizes(), sizeof(out.list));
    out.list[1 + kind] = size;
    return out;
}

/* ---- input ---- */

static const size_t short_node = SHORT_OF(berth_node, allocatable);
static const size_t short_pod = SHORT_OF(berth_pod, container_count);

static void test_nodes_and_pods(void **state)
{
    (void)state;
    berth_engine *engine = new_engine();
    berth_error error;
    berth_object object;
    small_node node;
    small_pod pod;
    room older, newer;
    berth_pod_id id;
    berth_placement placement;
    int64_t amount;
    size_t size = sizeof(node.node) + MORE;

    (void)small_node_object(&node, &object, "old", "z");
    (void)sized(&older, &node.node, sizeof(node.node), short_node);
    assert_int_equal(
        berth_engine_add_node_sized(engine, (berth_node *)older.bytes, short_node, NULL, NULL),
        BERTH_OK);
    (void)small_node_object(&node, &object, "new", "z");
    (void)sized(&newer, &node.node, sizeof(node.node), size);
    assert_int_equal(
        berth_engine_add_node_sized(engine, (berth_node *)newer.bytes, size, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_node_label(engine, berth_engine_find_node(engine, text("old")),
                                             text("kubernetes.io/hostname"))
                         .len,
                     3);

    (void)small_pod_object(&pod, &object, "old", NULL, 1000);
    (void)sized(&older, &pod.pod, sizeof(pod.pod), short_pod);
    assert_int_equal(
        berth_engine_add_pod_sized(engine, (berth_pod *)older.bytes, short_pod, &id, &error),
        BERTH_OK);
    assert_int_equal(berth_engine_schedule(engine, id, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(berth_engine_pod_resource(engine, id, text("cpu"), &amount, NULL), BERTH_OK);
    assert_int_equal(amount, 1000);

    (void)small_pod_object(&pod, &object, "new", NULL, 1000);
    size = sizeof(pod.pod) + MORE;
    (void)sized(&newer, &pod.pod, sizeof(pod.pod), size);
    newer.bytes[size - 1] = 1;
    assert_int_equal(
        berth_engine_add_pod_sized(engine, (berth_pod *)newer.bytes, size, &id, &error),
        BERTH_E_ARG);
    assert_int_equal(id, BERTH_POD_NONE);
    assert_non_null(strstr(error.message, "Pod"));
    newer.bytes[size - 1] = 0;
    assert_int_equal(
        berth_engine_add_pod_sized(engine, (berth_pod *)newer.bytes, size, &id, &error), BERTH_OK);
    static const size_t senseless[] = {0, 1, SIZE_MAX, 5000};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(berth_engine_add_pod_sized(engine, &pod.pod, senseless[i], &id, &error),
                         BERTH_E_ARG);
    berth_engine_destroy(engine);
}

/* Pass a pod by every call that takes objects: once with its size only in the caller's table, once
 * with a size of its own. */
static void check_ways(const berth_object *object, const uint32_t *sizes, berth_status expected)
{
    berth_engine *engine = new_engine();
    berth_scheduler *scheduler;
    berth_object *copy = NULL;
    berth_object_id id;
    berth_error error = {0};
    assert_int_equal(berth_scheduler_create(engine, NULL, &scheduler, NULL), BERTH_OK);
    assert_int_equal(berth_engine_add_sized(engine, object, sizes, &id, sizeof(id), &error),
                     expected);
    assert_int_equal(id.pod == BERTH_POD_NONE, expected != BERTH_OK);
    assert_int_equal(berth_engine_update_sized(engine, object, sizes, NULL), expected);
    (void)berth_engine_remove(engine, BERTH_KIND_POD, text("default"), text("p"), NULL);
    assert_int_equal(berth_scheduler_add_sized(scheduler, 0, object, sizes, &id, sizeof(id), NULL),
                     expected);
    assert_int_equal(berth_scheduler_update_sized(scheduler, 0, object, sizes, NULL), expected);
    assert_int_equal(berth_scheduler_post_update_sized(scheduler, object, sizes, NULL), expected);
    assert_int_equal(berth_scheduler_advance(scheduler, 1, NULL), BERTH_OK);
    (void)berth_engine_remove(engine, BERTH_KIND_POD, text("default"), text("p"), NULL);
    assert_int_equal(berth_scheduler_post_add_sized(scheduler, object, sizes, NULL), expected);
    assert_int_equal(berth_scheduler_advance(scheduler, 1, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_last_trouble(scheduler)->code, BERTH_OK);
    if (expected == BERTH_OK)
        assert_true(berth_engine_find_pod(engine, text("default"), text("p")) != BERTH_POD_NONE);
    assert_int_equal(berth_object_copy_sized(object, sizes, NULL, &copy, NULL), expected);
    assert_int_equal(copy == NULL, expected != BERTH_OK);
    berth_object_destroy(copy);
    berth_scheduler_destroy(scheduler);
    berth_engine_destroy(engine);
}

static void test_ways(void **state)
{
    (void)state;
    small_pod pod;
    room other;
    berth_object object;
    (void)small_pod_object(&pod, &object, "p", NULL, 500);
    const uint32_t sizes[] = {(uint32_t)short_pod, sizeof(pod.pod) + MORE};
    for (int i = 0; i < 2; i++) {
        const known_sizes known = sizes_but(BERTH_KIND_POD, sizes[i]);
        object = (berth_object){.kind = BERTH_KIND_POD,
                                .as.any = sized(&other, &pod.pod, sizeof(pod.pod), sizes[i])};
        check_ways(&object, known.list, BERTH_OK);
        object.size = sizes[i]; /* overrides the call's sizes */
        check_ways(&object, berth_object_sizes(), BERTH_OK);
        check_ways(&object, NULL, BERTH_OK);
    }
    other.bytes[sizeof(pod.pod)] = 1;
    check_ways(&object, berth_object_sizes(), BERTH_E_ARG);
    other.bytes[sizeof(pod.pod)] = 0;
    object.size = 5000;
    check_ways(&object, berth_object_sizes(), BERTH_E_ARG);
    object.size = 0;
    check_ways(&object, NULL, BERTH_E_ARG);
    const uint32_t none = 0; /* a caller that knows no kinds */
    check_ways(&object, &none, BERTH_E_ARG);
}

/* The copy of each kind has the caller's size, shorter or longer. */
static void test_copies(void **state)
{
    (void)state;
    room other;
    static const room nothing;
    for (int k = 0; k < BERTH_KIND_COUNT; k++) {
        berth_kind kind = (berth_kind)k;
        uint32_t known = berth__object_size(kind);
        const uint32_t sizes[] = {sizeof(berth_metadata), known, known + MORE};
        for (int i = 0; i < 3; i++) {
            const known_sizes all = sizes_but(kind, sizes[i]);
            berth_object *copy;
            const berth_object object = {.kind = kind,
                                         .as.any = sized(&other, &nothing, known, sizes[i])};
            assert_int_equal(berth_object_copy_sized(&object, all.list, NULL, &copy, NULL),
                             BERTH_OK);
            assert_int_equal(copy->size, sizes[i] > known ? sizes[i] : known);
            assert_memory_equal(copy->as.any, &nothing, copy->size);
            berth_object_destroy(copy);
        }
    }
    assert_int_equal(berth__object_size(BERTH_KIND_COUNT), 0);
}

/* Whoever uses the object refuses it: its size is not looked at. */
static void test_unknown_kind_is_left_alone(void **state)
{
    (void)state;
    static const room nothing;
    berth__sized_object own;
    for (uint32_t size = 1; size <= 2; size++) {
        berth_object object = {.kind = BERTH_KIND_COUNT, .size = size, .as.any = &nothing};
        const berth_object *given = &object;
        assert_int_equal(berth__object_fit(&given, berth_object_sizes(), &own, NULL), BERTH_OK);
        assert_ptr_equal(given, &object);
    }
}

/* Pods of a template are an array with the caller's element size. */
static void test_template(void **state)
{
    (void)state;
    const size_t sizes[] = {short_pod, sizeof(berth_pod) + MORE};
    for (int s = 0; s < 2; s++) {
        berth_engine *engine = new_engine();
        berth_object object;
        small_node node;
        small_pod pods[2];
        room all;
        const known_sizes known = sizes_but(BERTH_KIND_POD, (uint32_t)sizes[s]);
        (void)small_node_object(&node, &object, "n", "z");
        memset(all.bytes, s == 0 ? ELSE : 0, sizeof(all.bytes));
        for (int i = 0; i < 2; i++) {
            (void)small_pod_object(&pods[i], &object, i == 0 ? "p" : "q", NULL, 500);
            memcpy(all.bytes + i * sizes[s], &pods[i].pod,
                   s == 0 ? short_pod : sizeof(pods[i].pod));
        }
        const berth_node_template from = {.size = sizeof(from),
                                          .node = &node.node,
                                          .pods = (const berth_pod *)all.bytes,
                                          .pod_count = 2};
        assert_int_equal(berth_engine_add_nodes_sized(engine, &from, known.list, 2, NULL, NULL),
                         BERTH_OK);
        berth_counts counts;
        berth_engine_counts(engine, &counts);
        assert_int_equal(counts.nodes, 2);
        assert_int_equal(counts.pods_running, 4);
        assert_true(berth_engine_find_pod(engine, text("default"), text("q-n-2")) !=
                    BERTH_POD_NONE);
        assert_int_equal(berth_engine_add_nodes_sized(engine, &from, NULL, 1, NULL, NULL),
                         BERTH_E_ARG);
        berth_engine_destroy(engine);
    }
}

/* ---- members behind `later` ---- */

static const struct berth_later *const something = (const struct berth_later *)&short_pod;

static void refuse(const berth_object *object, const char *field)
{
    berth_engine *engine = new_engine();
    berth_object *copy;
    berth_error error = {0};
    assert_int_equal(berth_engine_add(engine, object, NULL, &error), BERTH_E_ARG);
    assert_int_equal(error.code, BERTH_E_ARG);
    assert_string_equal(error.message, "`later` refers to members that this library does not know");
    assert_string_equal(error.field, field);
    assert_non_null(strstr(error.object, berth_kind_name(object->kind)));
    assert_int_equal(berth_engine_update(engine, object, &error), BERTH_E_ARG);
    assert_int_equal(berth_object_copy(object, NULL, &copy, &error), BERTH_E_ARG);
    berth_engine_destroy(engine);
}

static void refuse_pod(const berth_pod *pod, const char *field)
{
    berth_pod named = *pod;
    named.meta.name = text("p");
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &named};
    refuse(&object, field);
}

static void test_later_of_pods(void **state)
{
    (void)state;
    const berth_owner owner = {.later = something};
    const berth_port port = {.later = something};
    const berth_container container = {.later = something};
    const berth_container ported = {.ports = &port, .port_count = 1};
    const berth_container_status status = {.later = something};
    const berth_toleration tolerations[] = {{.op = BERTH_STR("Exists")}, {.later = something}};
    const berth_topology_spread spread = {.later = something};
    const berth_pod_affinity_term term = {.later = something};
    const berth_volume volume = {.source.later = something};
    const berth_pod_claim claim = {.later = something};
    const berth_condition condition = {.later = something};
#define REFUSE_POD(field, ...) refuse_pod(&(const berth_pod){__VA_ARGS__}, field)
    REFUSE_POD("metadata", .meta.later = something);
    REFUSE_POD("metadata.ownerReferences[0]", .meta.owners = &owner, .meta.owner_count = 1);
    REFUSE_POD("spec.containers[0]", .containers = &container, .container_count = 1);
    REFUSE_POD("spec.containers.ports[0]", .containers = &ported, .container_count = 1);
    REFUSE_POD("spec.initContainers[0]", .init_containers = &container, .init_container_count = 1);
    REFUSE_POD("spec.tolerations[1]", .tolerations = tolerations, .toleration_count = 2);
    REFUSE_POD("spec.topologySpreadConstraints[0]", .spreads = &spread, .spread_count = 1);
    REFUSE_POD("requiredDuringSchedulingIgnoredDuringExecution[0]", .pod_affinity.required = &term,
               .pod_affinity.required_count = 1);
    REFUSE_POD("preferredDuringSchedulingIgnoredDuringExecution[0]",
               .pod_affinity.preferred = &term, .pod_affinity.preferred_count = 1);
    REFUSE_POD("requiredDuringSchedulingIgnoredDuringExecution[0]",
               .pod_anti_affinity.required = &term, .pod_anti_affinity.required_count = 1);
    REFUSE_POD("preferredDuringSchedulingIgnoredDuringExecution[0]",
               .pod_anti_affinity.preferred = &term, .pod_anti_affinity.preferred_count = 1);
    REFUSE_POD("spec.volumes[0]", .volumes = &volume, .volume_count = 1);
    REFUSE_POD("spec.resourceClaims[0]", .resource_claims = &claim, .resource_claim_count = 1);
    REFUSE_POD("status.conditions[0]", .conditions = &condition, .condition_count = 1);
    REFUSE_POD("status.resourceClaimStatuses[0]", .resource_claim_statuses = &claim,
               .resource_claim_status_count = 1);
    REFUSE_POD("status.containerStatuses[0]", .container_statuses = &status,
               .container_status_count = 1);
    REFUSE_POD("status.initContainerStatuses[0]", .init_container_statuses = &status,
               .init_container_status_count = 1);
}

static void test_later_of_others(void **state)
{
    (void)state;
    const berth_taint taint = {.later = something};
    const berth_image image = {.later = something};
    const berth_condition condition = {.later = something};
    const berth_csi_node_driver driver = {.later = something};
#define REFUSE(KIND, type, field, ...)                                                            \
    refuse(                                                                                       \
        &(const berth_object){.kind = BERTH_KIND_##KIND,                                          \
                              .as.any = &(const type){.meta.name = BERTH_STR("o"), __VA_ARGS__}}, \
        field)
    REFUSE(NODE, berth_node, "spec.taints[0]", .taints = &taint, .taint_count = 1);
    REFUSE(NODE, berth_node, "status.images[0]", .images = &image, .image_count = 1);
    REFUSE(NODE, berth_node, "status.conditions[0]", .conditions = &condition,
           .condition_count = 1);
    REFUSE(CSI_NODE, berth_csi_node, "spec.drivers[0]", .drivers = &driver, .driver_count = 1);
    REFUSE(PERSISTENT_VOLUME, berth_persistent_volume, "spec", .source.later = something);
    REFUSE(SERVICE, berth_service, "metadata", .meta.later = something);
}

static void test_later_of_claims(void **state)
{
    (void)state;
    const berth_cel_selector selector = {.later = something};
    const berth_toleration toleration = {.later = something};
    const berth_claim_config config = {.later = something};
    const berth_claim_constraint constraint = {.later = something};
    const berth_claim_consumer consumer = {.later = something};
    const berth_allocated_device device = {.later = something};
    const berth_condition condition = {.later = something};
    const berth_allocated_status statuses[] = {{.later = something},
                                               {.conditions = &condition, .condition_count = 1}};
    const berth_exact_request exact[] = {{.later = something},
                                         {.selectors = &selector, .selector_count = 1},
                                         {.tolerations = &toleration, .toleration_count = 1}};
    const berth_claim_request requests[] = {
        {.later = something},
        {.exactly = &exact[0]},
        {.exactly = &exact[1]},
        {.exactly = &exact[2]},
        {.first_available = &exact[0], .first_available_count = 1},
        {.first_available = &exact[1], .first_available_count = 1},
        {.first_available = &exact[2], .first_available_count = 1}};
    static const char *const fields[] = {"spec.devices.requests[0]",
                                         "spec.devices.requests[0]",
                                         "selectors[0]",
                                         "tolerations[0]",
                                         "spec.devices.requests[0]",
                                         "selectors[0]",
                                         "tolerations[0]"};
    const berth_claim_allocation allocations[] = {{.later = something},
                                                  {.results = &device, .result_count = 1},
                                                  {.configs = &config, .config_count = 1}};
    static const char *const parts[] = {"status.allocation", "status.allocation.devices.results[0]",
                                        "config[0]"};
#define REFUSE_CLAIM(field, ...) REFUSE(RESOURCE_CLAIM, berth_resource_claim, field, __VA_ARGS__)
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        REFUSE_CLAIM(fields[i], .requests = &requests[i], .request_count = 1);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        REFUSE_CLAIM(parts[i], .allocation = &allocations[i]);
    REFUSE_CLAIM("spec.devices.constraints[0]", .constraints = &constraint, .constraint_count = 1);
    REFUSE_CLAIM("config[0]", .configs = &config, .config_count = 1);
    REFUSE_CLAIM("status.reservedFor[0]", .reserved_for = &consumer, .reserved_for_count = 1);
    REFUSE_CLAIM("status.devices[0]", .devices = &statuses[0], .device_count = 1);
    REFUSE_CLAIM("status.devices.conditions[0]", .devices = &statuses[1], .device_count = 1);
}

static void test_later_of_slices(void **state)
{
    (void)state;
    const berth_slice_attribute attribute = {.later = something};
    const berth_request_policy policy = {.later = something};
    const berth_slice_capacity capacities[] = {{.later = something}, {.policy = &policy}};
    const berth_slice_counters counters = {.later = something};
    const berth_taint taint = {.later = something};
    const berth_slice_device devices[] = {
        {.later = something},
        {.attributes = &attribute, .attribute_count = 1},
        {.capacities = &capacities[0], .capacity_count = 1},
        {.capacities = &capacities[1], .capacity_count = 1},
        {.consumes_counters = &counters, .consumes_counter_count = 1},
        {.taints = &taint, .taint_count = 1}};
    static const char *const fields[] = {"spec.devices[0]", "attributes[0]",       "capacity[0]",
                                         "capacity[0]",     "consumesCounters[0]", "taints[0]"};
    const berth_cel_selector selector = {.later = something};
    const berth_claim_config config = {.later = something};
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        REFUSE(RESOURCE_SLICE, berth_resource_slice, fields[i], .devices = &devices[i],
               .device_count = 1);
    REFUSE(RESOURCE_SLICE, berth_resource_slice, "spec.sharedCounters[0]",
           .shared_counters = &counters, .shared_counter_count = 1);
    REFUSE(DEVICE_CLASS, berth_device_class, "spec.selectors[0]", .selectors = &selector,
           .selector_count = 1);
    REFUSE(DEVICE_CLASS, berth_device_class, "config[0]", .configs = &config, .config_count = 1);
    REFUSE(DEVICE_TAINT_RULE, berth_device_taint_rule, "spec.taint", .taint.later = something);
}

static void test_later_of_profiles(void **state)
{
    (void)state;
    const berth_plugin_args args = {.later = something};
    const berth_plugin_ref refs[] = {{.name = BERTH_STR("NodeName"), .later = something},
                                     {.name = BERTH_STR("NodeName"), .args = &args}};
    const berth_plugin_list with_ref[] = {[BERTH_POINT_FILTER] = {&refs[0], 1}};
    const berth_plugin_list with_args[] = {[BERTH_POINT_FILTER] = {&refs[1], 1}};
    const berth_profile profiles[] = {
        {.later = something},
        {.points = with_ref, .point_count = BERTH_POINT_FILTER + 1},
        {.points = with_args, .point_count = BERTH_POINT_FILTER + 1},
    };
    for (int i = 0; i < 3; i++) {
        berth_engine_config config;
        berth_engine *engine;
        berth_error error;
        berth_engine_config_init(&config);
        config.threads = 1;
        config.profiles = &profiles[i];
        config.profile_count = 1;
        assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_ARG);
        assert_non_null(strstr(error.message, "later"));
    }
}

/* ---- arrays that are NULL ---- */

static void copy_empty(const berth_object *object)
{
    berth_error error = {0};
    berth_object *copy = NULL;
    if (berth_object_copy(object, NULL, &copy, &error) != BERTH_OK)
        fail_msg("%s: %s", berth_kind_name(object->kind), error.message);
    assert_int_equal(copy->kind, object->kind);
    berth_object_destroy(copy);
}

/* A list that is NULL has no items whatever its count, at the top of an object and within. */
#define COPY(KIND, type, ...)                            \
    copy_empty(                                          \
        &(const berth_object){.kind = BERTH_KIND_##KIND, \
                              .as.any = &(const type){.meta.name = BERTH_STR("o"), __VA_ARGS__}})

static void test_no_arrays_of_pods_and_nodes(void **state)
{
    (void)state;
    const berth_container container = {.port_count = 1};
    COPY(NODE, berth_node, .meta.owner_count = 1, .taint_count = 1, .image_count = 1,
         .condition_count = 1);
    COPY(CSI_NODE, berth_csi_node, .driver_count = 1);
    COPY(POD, berth_pod, .container_count = 1, .init_container_count = 1,
         .pod_affinity.required_count = 1, .pod_affinity.preferred_count = 1,
         .pod_anti_affinity.required_count = 1, .pod_anti_affinity.preferred_count = 1,
         .toleration_count = 1, .spread_count = 1, .volume_count = 1, .resource_claim_count = 1,
         .condition_count = 1, .resource_claim_status_count = 1, .container_status_count = 1,
         .init_container_status_count = 1);
    COPY(POD, berth_pod, .containers = &container, .container_count = 1,
         .init_containers = &container, .init_container_count = 1);
}

static void test_no_arrays_of_devices(void **state)
{
    (void)state;
    const berth_exact_request exact = {.selector_count = 1, .toleration_count = 1};
    const berth_claim_request requests[] = {{.exactly = &exact},
                                            {.first_available = &exact, .first_available_count = 1},
                                            {.first_available_count = 1}};
    const berth_claim_allocation allocation = {.result_count = 1, .config_count = 1};
    const berth_allocated_status status = {.condition_count = 1};
    const berth_slice_device device = {
        .attribute_count = 1, .capacity_count = 1, .consumes_counter_count = 1, .taint_count = 1};
    COPY(RESOURCE_CLAIM, berth_resource_claim, .request_count = 1, .constraint_count = 1,
         .config_count = 1, .reserved_for_count = 1, .device_count = 1);
    COPY(RESOURCE_CLAIM, berth_resource_claim, .requests = requests, .request_count = 3,
         .devices = &status, .device_count = 1, .allocation = &allocation);
    COPY(RESOURCE_SLICE, berth_resource_slice, .device_count = 1, .shared_counter_count = 1);
    COPY(RESOURCE_SLICE, berth_resource_slice, .devices = &device, .device_count = 1);
    COPY(DEVICE_CLASS, berth_device_class, .selector_count = 1, .config_count = 1);
}

/* ---- output ---- */

static berth_status look(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    const uint32_t *size = context;
    uint32_t known = berth__object_size(object->kind);
    static const char zeros[MORE];
    (void)origin;
    (void)error;
    assert_int_equal(object->size, *size > known ? *size : known);
    if (*size > known)
        assert_memory_equal((const char *)object->as.any + known, zeros, *size - known);
    return BERTH_OK;
}

/* A caller with newer headers gets zeros for members that this library lacks. */
static void test_out(void **state)
{
    (void)state;
    const uint32_t sizes[] = {(uint32_t)short_pod, sizeof(berth_pod) + MORE};
    for (int s = 0; s < 2; s++) {
        berth_engine *engine = new_engine();
        const known_sizes known = sizes_but(BERTH_KIND_POD, sizes[s]);
        const known_sizes node_known =
            sizes_but(BERTH_KIND_NODE, sizeof(berth_node) + (s == 0 ? 0 : MORE));
        berth_reader *reader;
        berth_object object, *out;
        small_node node;
        small_pod pod;
        berth_pod_id id;
        uint32_t size = sizes[s];
        assert_int_equal(berth_reader_create_sized(NULL, known.list, &reader, NULL), BERTH_OK);
        assert_int_equal(berth_reader_text(reader,
                                           BERTH_STR("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", "
                                                     "\"metadata\": {\"name\": \"p\"}}"),
                                           "text", look, &size, NULL),
                         BERTH_OK);
        berth_reader_destroy(reader);
        (void)small_node_object(&node, &object, "a", "z");
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
        (void)small_pod_object(&pod, &object, "p", NULL, 500);
        assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
        assert_int_equal(berth_engine_pod_object_sized(engine, id, known.list, NULL, &out, NULL),
                         BERTH_OK);
        assert_int_equal(look(&size, out, NULL, NULL), BERTH_OK);
        assert_int_equal(berth_engine_update(engine, out, NULL), BERTH_OK);
        berth_object_destroy(out);
        size = node_known.list[1 + BERTH_KIND_NODE];
        assert_int_equal(
            berth_engine_node_object_sized(engine, 0, node_known.list, NULL, &out, NULL), BERTH_OK);
        assert_int_equal(look(&size, out, NULL, NULL), BERTH_OK);
        berth_object_destroy(out);
        berth_engine_destroy(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_and_pods),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_unknown_kind_is_left_alone),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_later_of_pods),
        cmocka_unit_test(test_later_of_others),
        cmocka_unit_test(test_later_of_claims),
        cmocka_unit_test(test_later_of_slices),
        cmocka_unit_test(test_later_of_profiles),
        cmocka_unit_test(test_no_arrays_of_pods_and_nodes),
        cmocka_unit_test(test_no_arrays_of_devices),
        cmocka_unit_test(test_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
