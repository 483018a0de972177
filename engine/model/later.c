/* Whether an object has members that came later than this library, behind the pointers `later`. */
#include "base/assert.h"
#include "base/error.h"
#include "model/sized_object.h"

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

/* Every item of an array; an array that is NULL has none, whatever its count. Most have none at all,
 * and every object comes by here: the count is what is looked at first. */
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

/* How many parts a pod has that most have not, or any number that is 0 where that is. */
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
    return BERTH_OK;
}

berth_status berth__object_has_no_later(const berth_object *object, berth_error *error)
{
    const berth_metadata *meta = object->as.any; /* which every one begins with */
    berth_status status = check_metadata(meta, error);
    if (status == BERTH_OK)
        status = check_rest(object, error);
    if (BERTH_UNLIKELY(status != BERTH_OK))
        berth__error_named(error, berth_kind_name(object->kind), meta->namespace_name, meta->name);
    return status;
}
