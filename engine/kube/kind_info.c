/* The register of kinds. */
#include "kube/kind_info.h"

#include <string.h>

#include "base/text.h"
#include "kube/admission_fields.h"
#include "kube/claim_template.h"
#include "kube/workload_fields.h"

/* Kinds that are read but not kept have no number in berth/objects.h; theirs follow. */
enum {
    DEPLOYMENT = BERTH_KIND_COUNT,
    DAEMON_SET,
    JOB,
    CRON_JOB,
    CLAIM_TEMPLATE,
    PRIORITY_CLASS,
    RUNTIME_CLASS,
    LIMIT_RANGE,
    RESOURCE_QUOTA,
    KINDS
};

#define CLUSTER(name_, version, fields_)                                          \
    {                                                                             \
        .name = {name_, sizeof(name_) - 1}, .fields = (fields_), .api_version = { \
            version,                                                              \
            sizeof(version) - 1                                                   \
        }                                                                         \
    }
#define NAMESPACED(name_, version, fields_)                               \
    {                                                                     \
        .name = {name_, sizeof(name_) - 1}, .fields = (fields_),          \
        .api_version = {version, sizeof(version) - 1}, .namespaced = true \
    }
#define DEVICES(name_, in_namespace, fields_)                                    \
    {                                                                            \
        .name = {name_, sizeof(name_) - 1}, .fields = (fields_),                 \
        .api_version = {"resource.k8s.io/v1", sizeof("resource.k8s.io/v1") - 1}, \
        .namespaced = (in_namespace), .of_devices = true                         \
    }

/* Source: kubernetes v1.32 to v1.36, api/discovery; v1.37 for pod groups and DeviceTaintRule. */
static const berth__kind_info kinds[KINDS] = {
    [BERTH_KIND_NAMESPACE] = CLUSTER("Namespace", "v1", berth__fields_namespace),
    [BERTH_KIND_STORAGE_CLASS] =
        CLUSTER("StorageClass", "storage.k8s.io/v1", berth__fields_storage_class),
    [BERTH_KIND_CSI_DRIVER] = CLUSTER("CSIDriver", "storage.k8s.io/v1", berth__fields_csi_driver),
    [BERTH_KIND_CSI_NODE] = CLUSTER("CSINode", "storage.k8s.io/v1", berth__fields_csi_node),
    [BERTH_KIND_CSI_STORAGE_CAPACITY] =
        NAMESPACED("CSIStorageCapacity", "storage.k8s.io/v1", berth__fields_csi_storage_capacity),
    [BERTH_KIND_PERSISTENT_VOLUME] =
        CLUSTER("PersistentVolume", "v1", berth__fields_persistent_volume),
    [BERTH_KIND_PERSISTENT_VOLUME_CLAIM] =
        NAMESPACED("PersistentVolumeClaim", "v1", berth__fields_persistent_volume_claim),
    [BERTH_KIND_VOLUME_ATTACHMENT] =
        CLUSTER("VolumeAttachment", "storage.k8s.io/v1", berth__fields_volume_attachment),
    [BERTH_KIND_SERVICE] = NAMESPACED("Service", "v1", berth__fields_service),
    [BERTH_KIND_REPLICATION_CONTROLLER] =
        NAMESPACED("ReplicationController", "v1", berth__workload_fields_replication),
    [BERTH_KIND_REPLICA_SET] =
        NAMESPACED("ReplicaSet", "apps/v1", berth__workload_fields_replica_set),
    [BERTH_KIND_STATEFUL_SET] =
        NAMESPACED("StatefulSet", "apps/v1", berth__workload_fields_stateful_set),
    [BERTH_KIND_POD_DISRUPTION_BUDGET] =
        NAMESPACED("PodDisruptionBudget", "policy/v1", berth__fields_pod_disruption_budget),
    [BERTH_KIND_NODE] = CLUSTER("Node", "v1", berth__fields_node),
    [BERTH_KIND_POD] = NAMESPACED("Pod", "v1", berth__fields_pod),
    [BERTH_KIND_RESOURCE_SLICE] = DEVICES("ResourceSlice", false, berth__fields_resource_slice),
    [BERTH_KIND_DEVICE_CLASS] = DEVICES("DeviceClass", false, berth__fields_device_class),
    [BERTH_KIND_RESOURCE_CLAIM] = DEVICES("ResourceClaim", true, berth__fields_resource_claim),
    [BERTH_KIND_DEVICE_TAINT_RULE] =
        DEVICES("DeviceTaintRule", false, berth__fields_device_taint_rule),
    [BERTH_KIND_POD_GROUP] =
        NAMESPACED("PodGroup", "scheduling.k8s.io/v1beta1", berth__fields_pod_group),
    [BERTH_KIND_COMPOSITE_POD_GROUP] = NAMESPACED("CompositePodGroup", "scheduling.k8s.io/v1alpha3",
                                                  berth__fields_composite_pod_group),
    [DEPLOYMENT] = NAMESPACED("Deployment", "apps/v1", berth__workload_fields_deployment),
    [DAEMON_SET] = NAMESPACED("DaemonSet", "apps/v1", berth__workload_fields_daemon_set),
    [JOB] = NAMESPACED("Job", "batch/v1", berth__workload_fields_job),
    [CRON_JOB] = NAMESPACED("CronJob", "batch/v1", berth__workload_fields_cron_job),
    [CLAIM_TEMPLATE] = DEVICES("ResourceClaimTemplate", true, berth__claim_template_fields),
    [PRIORITY_CLASS] =
        CLUSTER("PriorityClass", "scheduling.k8s.io/v1", berth__admission_fields_priority_class),
    [RUNTIME_CLASS] =
        CLUSTER("RuntimeClass", "node.k8s.io/v1", berth__admission_fields_runtime_class),
    [LIMIT_RANGE] = NAMESPACED("LimitRange", "v1", berth__admission_fields_limit_range),
    [RESOURCE_QUOTA] = NAMESPACED("ResourceQuota", "v1", berth__admission_fields_resource_quota),
};

const berth__kind_info *berth__kind_info_of(berth_kind kind)
{
    return &kinds[kind];
}

static berth_str group_of(berth_str api_version)
{
    const char *slash = api_version.len > 0 ? memchr(api_version.data, '/', api_version.len) : NULL;
    return slash == NULL ? BERTH_STR("")
                         : (berth_str){api_version.data, (uint32_t)(slash - api_version.data)};
}

bool berth__kind_info_group_is(berth_str api_version, berth_str group)
{
    const berth_str found = group_of(api_version);
    /* Controllers used to be in the group "extensions". */
    return api_version.data == NULL || berth__str_eq(found, group) ||
           (berth__str_is(group, "apps") && berth__str_is(found, "extensions"));
}

bool berth__kind_info_find(berth_str name, berth_str api_version, berth_kind *out)
{
    for (int i = BERTH_KIND_COUNT; i-- > 0;) { /* nodes and pods, the most, are near the end */
        if (berth__str_eq(name, kinds[i].name) &&
            berth__kind_info_group_is(api_version, group_of(kinds[i].api_version))) {
            *out = (berth_kind)i;
            return true;
        }
    }
    return false;
}

const berth__kind_info *berth__kind_info_named(berth_str name)
{
    for (uint32_t i = 0; i < KINDS; i++)
        if (berth__str_eq(name, kinds[i].name))
            return &kinds[i];
    return NULL;
}

const berth__kind_info *berth__kind_info_at(uint32_t i)
{
    return i < KINDS ? &kinds[i] : NULL;
}
