/* The fields that engine/kube reads of each kind. Fields that a kubelet writes every few seconds
 * are left out: times of conditions, states of containers. */
#include "live/watch/kept_fields.h"

#define ALL(name)                                    \
    {                                                \
        .key = (name), .key_bytes = sizeof(name) - 1 \
    }
#define FACT(name, which)                                             \
    {                                                                 \
        .key = (name), .key_bytes = sizeof(name) - 1, .fact = (which) \
    }
#define FACT_ONLY(name, which)                                                        \
    {                                                                                 \
        .key = (name), .key_bytes = sizeof(name) - 1, .fact = (which), .fact_only = 1 \
    }
#define PART(name, fields)                                              \
    {                                                                   \
        .key = (name), .key_bytes = sizeof(name) - 1, .inner = (fields) \
    }
#define LAST \
    {        \
        0    \
    }

/* ---- metadata ---- */

#define IDENTITY                                                                              \
    FACT("name", FACT_NAME), FACT("namespace", FACT_NAMESPACE), FACT("uid", FACT_UID),        \
        FACT_ONLY("resourceVersion", FACT_VERSION), FACT_ONLY("generation", FACT_GENERATION), \
        ALL("labels"), ALL("deletionTimestamp")

static const kept_field pod_metadata[] = {IDENTITY, ALL("ownerReferences"),
                                          ALL("creationTimestamp"), LAST};

static const kept_field node_annotations[] = {ALL("scheduler.alpha.kubernetes.io/preferAvoidPods"),
                                              LAST};
static const kept_field node_metadata[] = {IDENTITY, PART("annotations", node_annotations),
                                           ALL("creationTimestamp"), LAST};

static const kept_field storage_annotations[] = {
    ALL("volume.beta.kubernetes.io/storage-class"),
    ALL("volume.kubernetes.io/selected-node"),
    ALL("pv.kubernetes.io/bind-completed"),
    ALL("pv.kubernetes.io/bound-by-controller"),
    ALL("storage.alpha.kubernetes.io/migrated-plugins"),
    ALL("storageclass.kubernetes.io/is-default-class"),
    LAST};
static const kept_field storage_metadata[] = {IDENTITY, PART("annotations", storage_annotations),
                                              ALL("ownerReferences"), ALL("creationTimestamp"),
                                              LAST};

static const kept_field plain_metadata[] = {IDENTITY, LAST};

static const kept_field condition[] = {ALL("type"), ALL("status"), ALL("reason"), LAST};

/* ---- Pod ---- */

static const kept_field container[] = {
    ALL("name"),  ALL("image"),         ALL("resources"),
    ALL("ports"), ALL("restartPolicy"), ALL("restartPolicyRules"),
    LAST};
static const kept_field pod_spec[] = {FACT("nodeName", FACT_NODE_NAME),
                                      FACT("schedulerName", FACT_SCHEDULER_NAME),
                                      ALL("priority"),
                                      ALL("preemptionPolicy"),
                                      PART("containers", container),
                                      PART("initContainers", container),
                                      ALL("overhead"),
                                      ALL("nodeSelector"),
                                      ALL("affinity"),
                                      ALL("tolerations"),
                                      ALL("topologySpreadConstraints"),
                                      ALL("volumes"),
                                      ALL("schedulingGates"),
                                      ALL("schedulingGroup"),
                                      ALL("resources"),
                                      ALL("hostNetwork"),
                                      ALL("hostUsers"),
                                      ALL("resourceClaims"),
                                      LAST};
static const kept_field container_status[] = {ALL("name"), ALL("resources"),
                                              ALL("allocatedResources"), LAST};
static const kept_field pod_status[] = {
    ALL("phase"),
    FACT("nominatedNodeName", FACT_NOMINATED),
    ALL("startTime"),
    {.key = "conditions", .key_bytes = 10, .fact = FACT_CONDITIONS, .inner = condition},
    ALL("resourceClaimStatuses"),
    PART("containerStatuses", container_status),
    PART("initContainerStatuses", container_status),
    ALL("resources"),
    ALL("allocatedResources"),
    LAST};
static const kept_field pod[] = {PART("metadata", pod_metadata), PART("spec", pod_spec),
                                 PART("status", pod_status), LAST};

/* ---- Node ---- */

static const kept_field node_spec[] = {ALL("unschedulable"), ALL("taints"), LAST};
static const kept_field node_status[] = {ALL("capacity"),         ALL("allocatable"),
                                         ALL("images"),           PART("conditions", condition),
                                         ALL("declaredFeatures"), LAST};
static const kept_field node[] = {PART("metadata", node_metadata), PART("spec", node_spec),
                                  PART("status", node_status), LAST};

/* ---- other kinds ---- */

static const kept_field namespace_object[] = {PART("metadata", plain_metadata), LAST};
static const kept_field storage_status[] = {ALL("phase"), LAST};
static const kept_field storage[] = {PART("metadata", storage_metadata), ALL("spec"),
                                     PART("status", storage_status), LAST};
static const kept_field storage_class[] = {PART("metadata", storage_metadata), ALL("provisioner"),
                                           ALL("volumeBindingMode"), ALL("allowedTopologies"),
                                           LAST};
static const kept_field storage_capacity[] = {PART("metadata", plain_metadata),
                                              ALL("storageClassName"),
                                              ALL("nodeTopology"),
                                              ALL("capacity"),
                                              ALL("maximumVolumeSize"),
                                              LAST};
static const kept_field selector_spec[] = {ALL("selector"), LAST};
static const kept_field selecting[] = {PART("metadata", plain_metadata),
                                       PART("spec", selector_spec), LAST};
static const kept_field budget_status[] = {ALL("disruptionsAllowed"), ALL("disruptedPods"), LAST};
static const kept_field budget[] = {PART("metadata", plain_metadata), PART("spec", selector_spec),
                                    PART("status", budget_status), LAST};

static const kept_field device_annotations[] = {
    ALL("resource.kubernetes.io/extended-resource-claim"), LAST};
static const kept_field device_metadata[] = {IDENTITY, PART("annotations", device_annotations),
                                             ALL("ownerReferences"), ALL("creationTimestamp"),
                                             LAST};

/* The long device status that drivers write is dropped, except for conditions. */
static const kept_field allocated[] = {
    ALL("driver"), ALL("pool"), ALL("device"), ALL("shareID"), PART("conditions", condition), LAST};
static const kept_field claim_status[] = {ALL("allocation"), ALL("reservedFor"),
                                          PART("devices", allocated), LAST};
static const kept_field device_claim[] = {PART("metadata", device_metadata), ALL("spec"),
                                          PART("status", claim_status), LAST};
static const kept_field devices[] = {PART("metadata", device_metadata), ALL("spec"), LAST};

static const kept_field group_status[] = {
    {.key = "conditions", .key_bytes = 10, .fact = FACT_CONDITIONS, .fact_only = 1}, LAST};
static const kept_field group_metadata[] = {IDENTITY, ALL("creationTimestamp"), LAST};
static const kept_field pod_groups[] = {PART("metadata", group_metadata), ALL("spec"),
                                        PART("status", group_status), LAST};

#define HEADING(version, kind) "{\"apiVersion\":\"" version "\",\"kind\":\"" kind "\","

static const kept_kind kinds[BERTH_KIND_COUNT] = {
    [BERTH_KIND_NAMESPACE] = {HEADING("v1", "Namespace"), namespace_object},
    [BERTH_KIND_STORAGE_CLASS] = {HEADING("storage.k8s.io/v1", "StorageClass"), storage_class},
    [BERTH_KIND_CSI_DRIVER] = {HEADING("storage.k8s.io/v1", "CSIDriver"), storage},
    [BERTH_KIND_CSI_NODE] = {HEADING("storage.k8s.io/v1", "CSINode"), storage},
    [BERTH_KIND_CSI_STORAGE_CAPACITY] = {HEADING("storage.k8s.io/v1", "CSIStorageCapacity"),
                                         storage_capacity},
    [BERTH_KIND_PERSISTENT_VOLUME] = {HEADING("v1", "PersistentVolume"), storage},
    [BERTH_KIND_PERSISTENT_VOLUME_CLAIM] = {HEADING("v1", "PersistentVolumeClaim"), storage},
    [BERTH_KIND_VOLUME_ATTACHMENT] = {HEADING("storage.k8s.io/v1", "VolumeAttachment"), storage},
    [BERTH_KIND_SERVICE] = {HEADING("v1", "Service"), selecting},
    [BERTH_KIND_REPLICATION_CONTROLLER] = {HEADING("v1", "ReplicationController"), selecting},
    [BERTH_KIND_REPLICA_SET] = {HEADING("apps/v1", "ReplicaSet"), selecting},
    [BERTH_KIND_STATEFUL_SET] = {HEADING("apps/v1", "StatefulSet"), selecting},
    [BERTH_KIND_POD_DISRUPTION_BUDGET] = {HEADING("policy/v1", "PodDisruptionBudget"), budget},
    [BERTH_KIND_NODE] = {HEADING("v1", "Node"), node},
    [BERTH_KIND_POD] = {HEADING("v1", "Pod"), pod},
    [BERTH_KIND_RESOURCE_SLICE] = {HEADING("resource.k8s.io/v1", "ResourceSlice"), devices},
    [BERTH_KIND_POD_GROUP] = {HEADING("scheduling.k8s.io/v1beta1", "PodGroup"), pod_groups},
    [BERTH_KIND_COMPOSITE_POD_GROUP] = {HEADING("scheduling.k8s.io/v1alpha3", "CompositePodGroup"),
                                        pod_groups},
    [BERTH_KIND_DEVICE_TAINT_RULE] = {HEADING("resource.k8s.io/v1", "DeviceTaintRule"), devices},
    [BERTH_KIND_DEVICE_CLASS] = {HEADING("resource.k8s.io/v1", "DeviceClass"), devices},
    [BERTH_KIND_RESOURCE_CLAIM] = {HEADING("resource.k8s.io/v1", "ResourceClaim"), device_claim},
};

const kept_kind *kept_fields_of(berth_kind kind)
{
    return &kinds[kind];
}
