/* Checks whether an object has members that were added after this library was built, which the
 * `later` pointers refer to. */
#include "base/assert.h"
#include "base/error.h"
#include "objects/sized_object.h"

static __attribute__((noinline)) berth_status refuse_one(berth_error *error, const char *field)
{
    berth__error_set(error, BERTH_E_ARG,
                     "`later` refers to members that this library does not know");
    berth__error_field(error, "%s", field);
    return BERTH_E_ARG;
}

static __attribute__((noinline)) berth_status refuse(berth_error *error, const char *list,
                                                     uint32_t i)
{
    (void)refuse_one(error, list);
    berth__error_field(error, "%s[%u]", list, (unsigned)i);
    return BERTH_E_ARG;
}

/* Check every item of an array. A NULL array has no items, whatever its count. Most arrays are
 * empty, and every object passes here, so the count is tested first. */
#define CHECK_EACH(items, count, field)                              \
    do {                                                             \
        for (uint32_t i_ = 0; i_ < (count) && (items) != NULL; i_++) \
            if (BERTH_UNLIKELY((items)[i_].later != NULL))           \
                return refuse(error, field, i_);                     \
    } while (0)

static inline berth_status check_metadata(const berth_metadata *meta, berth_error *error)
{
    if (meta->later != NULL)
        return refuse_one(error, "metadata");
    CHECK_EACH(meta->owners, meta->owner_count, "metadata.ownerReferences");
    return BERTH_OK;
}

static inline berth_status check_node(const berth_node *node, berth_error *error)
{
    CHECK_EACH(node->taints, node->taint_count, "spec.taints");
    CHECK_EACH(node->images, node->image_count, "status.images");
    CHECK_EACH(node->conditions, node->condition_count, "status.conditions");
    return BERTH_OK;
}

static inline berth_status check_containers(const berth_container *containers, uint32_t count,
                                            const char *field, berth_error *error)
{
    CHECK_EACH(containers, count, field);
    for (uint32_t i = 0; i < count && containers != NULL; i++)
        CHECK_EACH(containers[i].ports, containers[i].port_count, "spec.containers.ports");
    return BERTH_OK;
}

static inline berth_status check_affinity(const berth_pod_affinity *affinity, berth_error *error)
{
    CHECK_EACH(affinity->required, affinity->required_count,
               "requiredDuringSchedulingIgnoredDuringExecution");
    CHECK_EACH(affinity->preferred, affinity->preferred_count,
               "preferredDuringSchedulingIgnoredDuringExecution");
    return BERTH_OK;
}

static inline berth_status check_volumes(const berth_pod *pod, berth_error *error)
{
    for (uint32_t i = 0; i < pod->volume_count && pod->volumes != NULL; i++)
        if (pod->volumes[i].source.later != NULL)
            return refuse(error, "spec.volumes", i);
    return BERTH_OK;
}

static inline berth_status check_pod_status(const berth_pod *pod, berth_error *error)
{
    CHECK_EACH(pod->conditions, pod->condition_count, "status.conditions");
    CHECK_EACH(pod->resource_claim_statuses, pod->resource_claim_status_count,
               "status.resourceClaimStatuses");
    CHECK_EACH(pod->container_statuses, pod->container_status_count, "status.containerStatuses");
    CHECK_EACH(pod->init_container_statuses, pod->init_container_status_count,
               "status.initContainerStatuses");
    return BERTH_OK;
}

/* The number of parts that a pod has and most pods lack; any number if it is not 0. */
static inline uint32_t rare_parts(const berth_pod *pod)
{
    return pod->init_container_count | pod->pod_affinity.required_count |
           pod->pod_affinity.preferred_count | pod->pod_anti_affinity.required_count |
           pod->pod_anti_affinity.preferred_count | pod->toleration_count | pod->spread_count |
           pod->volume_count | pod->resource_claim_count | pod->condition_count |
           pod->resource_claim_status_count | pod->container_status_count |
           pod->init_container_status_count;
}

static __attribute__((noinline)) berth_status check_rare_parts(const berth_pod *pod,
                                                               berth_error *error)
{
    BERTH_TRY(check_containers(pod->init_containers, pod->init_container_count,
                               "spec.initContainers", error));
    BERTH_TRY(check_affinity(&pod->pod_affinity, error));
    BERTH_TRY(check_affinity(&pod->pod_anti_affinity, error));
    CHECK_EACH(pod->tolerations, pod->toleration_count, "spec.tolerations");
    CHECK_EACH(pod->spreads, pod->spread_count, "spec.topologySpreadConstraints");
    CHECK_EACH(pod->resource_claims, pod->resource_claim_count, "spec.resourceClaims");
    BERTH_TRY(check_volumes(pod, error));
    return check_pod_status(pod, error);
}

static inline berth_status check_pod(const berth_pod *pod, berth_error *error)
{
    BERTH_TRY(check_containers(pod->containers, pod->container_count, "spec.containers", error));
    return rare_parts(pod) == 0 ? BERTH_OK : check_rare_parts(pod, error);
}

/* ---- devices ---- */

static berth_status check_configs(const berth_claim_config *configs, uint32_t count,
                                  berth_error *error)
{
    CHECK_EACH(configs, count, "config");
    return BERTH_OK;
}

static berth_status check_requests(const berth_exact_request *requests, uint32_t count,
                                   berth_error *error)
{
    CHECK_EACH(requests, count, "spec.devices.requests");
    for (uint32_t i = 0; i < count && requests != NULL; i++) {
        CHECK_EACH(requests[i].selectors, requests[i].selector_count, "selectors");
        CHECK_EACH(requests[i].tolerations, requests[i].toleration_count, "tolerations");
    }
    return BERTH_OK;
}

static berth_status check_allocation(const berth_claim_allocation *allocation, berth_error *error)
{
    if (allocation == NULL)
        return BERTH_OK;
    if (allocation->later != NULL)
        return refuse_one(error, "status.allocation");
    CHECK_EACH(allocation->results, allocation->result_count, "status.allocation.devices.results");
    return check_configs(allocation->configs, allocation->config_count, error);
}

static berth_status check_claim(const berth_resource_claim *claim, berth_error *error)
{
    CHECK_EACH(claim->requests, claim->request_count, "spec.devices.requests");
    for (uint32_t i = 0; i < claim->request_count && claim->requests != NULL; i++) {
        const berth_claim_request *request = &claim->requests[i];
        BERTH_TRY(check_requests(request->exactly, 1, error));
        BERTH_TRY(check_requests(request->first_available, request->first_available_count, error));
    }
    CHECK_EACH(claim->constraints, claim->constraint_count, "spec.devices.constraints");
    BERTH_TRY(check_configs(claim->configs, claim->config_count, error));
    CHECK_EACH(claim->reserved_for, claim->reserved_for_count, "status.reservedFor");
    CHECK_EACH(claim->devices, claim->device_count, "status.devices");
    for (uint32_t i = 0; i < claim->device_count && claim->devices != NULL; i++)
        CHECK_EACH(claim->devices[i].conditions, claim->devices[i].condition_count,
                   "status.devices.conditions");
    return check_allocation(claim->allocation, error);
}

static berth_status check_device(const berth_slice_device *device, berth_error *error)
{
    CHECK_EACH(device->attributes, device->attribute_count, "attributes");
    CHECK_EACH(device->capacities, device->capacity_count, "capacity");
    CHECK_EACH(device->consumes_counters, device->consumes_counter_count, "consumesCounters");
    CHECK_EACH(device->taints, device->taint_count, "taints");
    for (uint32_t i = 0; i < device->capacity_count && device->capacities != NULL; i++)
        if (device->capacities[i].policy != NULL && device->capacities[i].policy->later != NULL)
            return refuse(error, "capacity", i);
    return BERTH_OK;
}

static berth_status check_slice(const berth_resource_slice *slice, berth_error *error)
{
    CHECK_EACH(slice->devices, slice->device_count, "spec.devices");
    for (uint32_t i = 0; i < slice->device_count && slice->devices != NULL; i++)
        BERTH_TRY(check_device(&slice->devices[i], error));
    CHECK_EACH(slice->shared_counters, slice->shared_counter_count, "spec.sharedCounters");
    return BERTH_OK;
}

static berth_status check_device_class(const berth_device_class *device_class, berth_error *error)
{
    CHECK_EACH(device_class->selectors, device_class->selector_count, "spec.selectors");
    return check_configs(device_class->configs, device_class->config_count, error);
}

static inline berth_status check_rest(const berth_object *object, berth_error *error)
{
    if (object->kind == BERTH_KIND_NODE)
        return check_node(object->as.node, error);
    if (object->kind == BERTH_KIND_POD)
        return check_pod(object->as.pod, error);
    if (object->kind == BERTH_KIND_PERSISTENT_VOLUME &&
        object->as.persistent_volume->source.later != NULL)
        return refuse_one(error, "spec");
    if (object->kind == BERTH_KIND_CSI_NODE)
        CHECK_EACH(object->as.csi_node->drivers, object->as.csi_node->driver_count, "spec.drivers");
    if (object->kind == BERTH_KIND_RESOURCE_SLICE)
        return check_slice(object->as.resource_slice, error);
    if (object->kind == BERTH_KIND_DEVICE_CLASS)
        return check_device_class(object->as.device_class, error);
    if (object->kind == BERTH_KIND_RESOURCE_CLAIM)
        return check_claim(object->as.resource_claim, error);
    if (object->kind == BERTH_KIND_DEVICE_TAINT_RULE &&
        object->as.device_taint_rule->taint.later != NULL)
        return refuse_one(error, "spec.taint");
    return BERTH_OK;
}

berth_status berth__object_has_no_later(const berth_object *object, berth_error *error)
{
    const berth_metadata *meta = object->as.any; /* every object begins with it */
    berth_status status = check_metadata(meta, error);
    if (status == BERTH_OK)
        status = check_rest(object, error);
    if (BERTH_UNLIKELY(status != BERTH_OK))
        berth__error_named(error, berth_kind_name(object->kind), meta->namespace_name, meta->name);
    return status;
}
