/* Kubernetes objects as plain C structs, as a caller passes them to the engine.
 *
 * A zeroed struct is an object without any field. Texts are borrowed (status.h), and so are arrays
 * (pointer and count): the engine copies what it needs before the call returns. Enumerations of the
 * Kubernetes API are kept as text, because kube-scheduler's rules give unknown values a meaning.
 * Objects should look as the API server returns them; berth/kube.h applies the API server's
 * defaults to manifests.
 *
 * How structs grow: a whole object (berth_node, berth_pod, ...) gets new members at its end, and
 * the caller passes its size, in berth_object.size or through the inline functions. The parts of
 * objects lie in arrays and inside each other, so their size never changes: parts with a member
 * `later` get new members behind that pointer, which is NULL until then; parts without it stay as
 * they are. If an object has something set that the library is too old to know, it is rejected.
 * Source of the shapes: k8s.io/api v0.32 core/v1, apps/v1, storage/v1, policy/v1. */
#ifndef BERTH_OBJECTS_H
#define BERTH_OBJECTS_H

#include "berth/devices.h"
#include "berth/object_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ids of the nodes and pods of one engine. A pod's id is never reused. A node's id belongs to its
 * name as long as the node exists, or a pod is bound to it or nominated for it; after that, another
 * node may get it. In a snapshot or a branch, ids mean what they meant when it was created. Ids
 * assigned in a transaction become invalid when it is rolled back (transaction.h). */
typedef uint32_t berth_node_id;
typedef uint64_t berth_pod_id;
#define BERTH_NODE_NONE UINT32_MAX
#define BERTH_POD_NONE UINT64_MAX

/* ---- Node ---- */

typedef struct berth_image {
    berth_strs names;
    int64_t size_bytes;
    const struct berth_later *later;
} berth_image;

typedef struct berth_node {
    berth_metadata meta;
    bool unschedulable;
    const berth_taint *taints;
    uint32_t taint_count;
    berth_resources allocatable;
    const berth_image *images;
    uint32_t image_count;
    const berth_condition *conditions;
    uint32_t condition_count;
    berth_strs declared_features; /* status.declaredFeatures (1.36) */
} berth_node;

/* ---- Pod ---- */

typedef struct berth_port {
    berth_str host_ip;
    berth_str protocol;
    int32_t host_port; /* 0: none */
    int32_t container_port;
    const struct berth_later *later;
} berth_port;

typedef struct berth_container {
    berth_str name;
    berth_str image;
    berth_resources requests;
    berth_resources limits;
    const berth_port *ports;
    uint32_t port_count;
    bool restart_always; /* an init container that is a sidecar */
    bool restarts_all;   /* a restartPolicyRules entry has the action RestartAllContainers */
    const struct berth_later *later;
} berth_container;

/* The kubelet's report about the resources of one container. For pods resized in place, the larger
 * of requested and allocated amounts counts. */
typedef struct berth_container_status {
    berth_str name;
    bool has_resources;        /* `resources` is set */
    berth_resources requests;  /* resources.requests */
    berth_resources allocated; /* allocatedResources */
    const struct berth_later *later;
} berth_container_status;

/* The volume sources that a scheduler or a drain distinguishes; all others are OTHER. */
typedef enum berth_volume_kind {
    BERTH_VOLUME_OTHER = 0,
    BERTH_VOLUME_CLAIM,      /* handle: claim name */
    BERTH_VOLUME_EPHEMERAL,  /* claim is POD-VOLUME */
    BERTH_VOLUME_GCE_PD,     /* handle: pdName */
    BERTH_VOLUME_AWS_EBS,    /* handle: volumeID */
    BERTH_VOLUME_ISCSI,      /* handle: iqn */
    BERTH_VOLUME_RBD,        /* handle: image; pool; monitors */
    BERTH_VOLUME_AZURE_DISK, /* handle: diskName; uri; disk_kind */
    BERTH_VOLUME_CINDER,     /* handle: volumeID */
    BERTH_VOLUME_PORTWORX,   /* handle: volumeID */
    BERTH_VOLUME_CSI,        /* handle: volumeHandle; driver (PersistentVolume only) */
    BERTH_VOLUME_IMAGE,      /* handle: reference of an image (of a pod) */
    BERTH_VOLUME_EMPTY_DIR,  /* of a pod: its data is lost with the pod */
} berth_volume_kind;

typedef struct berth_volume_source {
    berth_volume_kind kind;
    berth_str handle;
    berth_str driver;
    berth_str pool;
    berth_strs monitors;
    berth_str uri;       /* diskURI of an Azure disk; absent: the name identifies the disk */
    berth_str disk_kind; /* of an Azure disk: Shared, Dedicated, Managed; absent: Managed */
    bool read_only;
    const struct berth_later *later;
} berth_volume_source;

typedef struct berth_volume {
    berth_str name;
    berth_volume_source source;
} berth_volume;

/* An entry of spec.resourceClaims: a ResourceClaim, or the template of one. */
typedef struct berth_pod_claim {
    berth_str name;
    berth_str claim;          /* resourceClaimName */
    berth_str claim_template; /* resourceClaimTemplateName */
    const struct berth_later *later;
} berth_pod_claim;

typedef struct berth_pod {
    berth_metadata meta;
    berth_str node_name; /* absent or empty: pending */
    berth_str scheduler_name;
    bool has_priority;
    int32_t priority;
    berth_str preemption_policy; /* PreemptLowerPriority, Never */
    const berth_container *containers;
    uint32_t container_count;
    const berth_container *init_containers;
    uint32_t init_container_count;
    berth_resources overhead;
    berth_map node_selector;
    berth_node_affinity node_affinity;
    berth_pod_affinity pod_affinity;
    berth_pod_affinity pod_anti_affinity;
    const berth_toleration *tolerations;
    uint32_t toleration_count;
    const berth_topology_spread *spreads;
    uint32_t spread_count;
    const berth_volume *volumes;
    uint32_t volume_count;
    berth_strs scheduling_gates;
    berth_resources pod_requests; /* spec.resources.requests: of the pod as a whole (1.34) */
    berth_resources pod_limits;   /* spec.resources.limits */
    bool host_network;
    bool host_users_off; /* spec.hostUsers is false */
    const berth_pod_claim *resource_claims;
    uint32_t resource_claim_count;
    /* status */
    berth_str phase; /* pods in phase Succeeded or Failed use nothing */
    berth_str nominated_node_name;
    int64_t start_time_ns; /* Unix time, 0: absent */
    const berth_condition *conditions;
    uint32_t condition_count;
    const berth_pod_claim *resource_claim_statuses; /* the claims made from templates */
    uint32_t resource_claim_status_count;
    const berth_container_status *container_statuses;
    uint32_t container_status_count;
    const berth_container_status *init_container_statuses;
    uint32_t init_container_status_count;
    bool has_status_resources;        /* status.resources is set (1.36) */
    berth_resources status_requests;  /* status.resources.requests */
    berth_resources status_allocated; /* status.allocatedResources */
    /* A promise that makes adding and updating cheaper; 0: none. All pods that an engine receives
     * with the same id must be equal except for metadata.name, uid, annotations that no plugin
     * reads, creation_time_ns, node_name, priority, phase, nominated_node_name, start_time_ns and
     * conditions; the engine then reads only the first of them. Namespace, deletion and scheduling
     * gates are read in each. A pod that breaks the promise in another field is counted and placed
     * like the first pod with its id; nothing worse happens. A pod that changes in another field
     * (labels, a resize in place) needs another id, or 0. Callers choose ids below
     * BERTH_TEMPLATE_OF_READER. Ids from there on come from berth_reader, each once in a process,
     * for pods whose texts differ only in name, uid and node; if you change anything else in such a
     * pod, set the id to 0. */
    uint64_t template_id;
    berth_str pod_group; /* spec.schedulingGroup.podGroupName (1.37) */
} berth_pod;

#define BERTH_TEMPLATE_OF_READER (UINT64_C(1) << 63)

/* ---- storage ---- */

typedef struct berth_persistent_volume {
    berth_metadata meta;
    berth_quantity capacity;
    berth_strs access_modes;
    berth_str storage_class;
    berth_str volume_mode; /* Filesystem, Block; absent: Filesystem */
    berth_str volume_attributes_class;
    bool has_claim_ref;
    berth_str claim_namespace;
    berth_str claim_name;
    berth_str claim_uid;
    const berth_node_selector *node_affinity; /* required part; NULL: absent */
    berth_volume_source source;
    berth_str phase; /* Available, Bound, ... */
} berth_persistent_volume;

typedef struct berth_persistent_volume_claim {
    berth_metadata meta;
    berth_strs access_modes;
    berth_str storage_class; /* absent and empty differ */
    berth_str volume_name;
    berth_str volume_mode;
    berth_str volume_attributes_class;
    const berth_label_selector *selector; /* NULL: nil */
    berth_quantity request;
    berth_str phase; /* Pending, Bound, Lost */
} berth_persistent_volume_claim;

typedef struct berth_topology_term {
    berth_requirements expressions; /* op is always In */
} berth_topology_term;

typedef struct berth_storage_class {
    berth_metadata meta;
    berth_str provisioner;
    berth_str binding_mode; /* Immediate, WaitForFirstConsumer; absent means neither */
    const berth_topology_term *allowed_topologies;
    uint32_t allowed_topology_count;
} berth_storage_class;

typedef struct berth_csi_node_driver {
    berth_str name;
    berth_str node_id;
    bool has_count;
    int32_t count;
    const struct berth_later *later;
} berth_csi_node_driver;

typedef struct berth_csi_node {
    berth_metadata meta; /* has the name of its node */
    const berth_csi_node_driver *drivers;
    uint32_t driver_count;
} berth_csi_node;

typedef struct berth_csi_driver {
    berth_metadata meta;
    bool storage_capacity;
    bool prevent_pod_scheduling_if_missing; /* pods wait for nodes that have the driver (1.37) */
} berth_csi_driver;

typedef struct berth_csi_storage_capacity {
    berth_metadata meta;
    berth_str storage_class;
    const berth_label_selector *node_topology; /* NULL: nil */
    bool has_capacity;
    berth_quantity capacity;
    bool has_maximum_volume_size;
    berth_quantity maximum_volume_size;
} berth_csi_storage_capacity;

typedef struct berth_volume_attachment {
    berth_metadata meta;
    berth_str attacher;
    berth_str node_name;
    berth_str persistent_volume;
} berth_volume_attachment;

/* ---- other objects that plugins read ---- */

typedef struct berth_service {
    berth_metadata meta;
    bool has_selector; /* false: nil, the service is ignored; an empty map matches every pod */
    berth_map selector;
} berth_service;

/* ReplicationController (its map selector given as match_labels), ReplicaSet, StatefulSet. */
typedef struct berth_controller {
    berth_metadata meta;
    const berth_label_selector *selector; /* NULL: nil */
} berth_controller;

typedef struct berth_namespace {
    berth_metadata meta;
} berth_namespace;

/* A number, or a percentage. */
typedef struct berth_count_or_percent {
    bool given;
    bool percent;
    int32_t value; /* not negative */
} berth_count_or_percent;

typedef struct berth_pod_disruption_budget {
    berth_metadata meta;
    const berth_label_selector *selector;
    int32_t disruptions_allowed; /* the rules use this number */
    berth_strs disrupted_pods;
    bool status_absent; /* status.disruptionsAllowed is missing; disruptions_allowed is 0 then */
    /* The disruption controller computes disruptions_allowed from these; no rule reads them. */
    berth_count_or_percent min_available;
    berth_count_or_percent max_unavailable;
} berth_pod_disruption_budget;

/* A PodGroup (scheduling.k8s.io, 1.37), which rules read under the feature gate GenericWorkload. */
typedef struct berth_pod_group {
    berth_metadata meta;
    bool gang;         /* spec.schedulingPolicy.gang is set; otherwise the policy is basic */
    int32_t min_count; /* of a gang: fewer pods are not placed */
    bool has_priority; /* spec.priority is set; otherwise it is 0 */
    int32_t priority;
    berth_str priority_class;    /* spec.priorityClassName; readers turn it into a priority */
    bool disrupts_all;           /* spec.disruptionMode.all: its pods are evicted together */
    berth_str preemption_policy; /* PreemptLowerPriority, Never */
    berth_strs topology_keys;    /* spec.schedulingConstraints.topology[].key; the first counts */
    berth_str parent;            /* spec.parentCompositePodGroupName; read as the next struct is */
    bool constrained;            /* spec.schedulingConstraints is set, perhaps without a topology */
} berth_pod_group;

/* A CompositePodGroup (scheduling.k8s.io, 1.37): PodGroups and other composite groups that are
 * placed together. Rules read it under the feature gate CompositePodGroup. */
typedef struct berth_composite_pod_group {
    berth_metadata meta;
    bool gang;               /* spec.schedulingPolicy.gang is set; otherwise the policy is basic */
    int32_t min_group_count; /* of a gang: fewer of the groups right below it are not placed */
    bool has_priority;       /* spec.priority is set; otherwise it is 0 */
    int32_t priority;
    berth_str priority_class;    /* spec.priorityClassName; readers turn it into a priority */
    bool disrupts_all;           /* spec.disruptionMode.all: all its pods are evicted together */
    berth_str preemption_policy; /* PreemptLowerPriority, Never */
    berth_strs topology_keys;    /* spec.schedulingConstraints.topology[].key; the first counts */
    berth_str parent;            /* spec.parentCompositePodGroupName; absent: it is the root */
} berth_composite_pod_group;

/* ---- any of them ---- */

/* Kind, C type and Kubernetes spelling. Numbers never change: new kinds are added at the end. */
#define BERTH_KIND_LIST(X)                                                                       \
    X(NAMESPACE, namespace_object, berth_namespace, "Namespace")                                 \
    X(STORAGE_CLASS, storage_class, berth_storage_class, "StorageClass")                         \
    X(CSI_DRIVER, csi_driver, berth_csi_driver, "CSIDriver")                                     \
    X(CSI_NODE, csi_node, berth_csi_node, "CSINode")                                             \
    X(CSI_STORAGE_CAPACITY, csi_storage_capacity, berth_csi_storage_capacity,                    \
      "CSIStorageCapacity")                                                                      \
    X(PERSISTENT_VOLUME, persistent_volume, berth_persistent_volume, "PersistentVolume")         \
    X(PERSISTENT_VOLUME_CLAIM, persistent_volume_claim, berth_persistent_volume_claim,           \
      "PersistentVolumeClaim")                                                                   \
    X(VOLUME_ATTACHMENT, volume_attachment, berth_volume_attachment, "VolumeAttachment")         \
    X(SERVICE, service, berth_service, "Service")                                                \
    X(REPLICATION_CONTROLLER, replication_controller, berth_controller, "ReplicationController") \
    X(REPLICA_SET, replica_set, berth_controller, "ReplicaSet")                                  \
    X(STATEFUL_SET, stateful_set, berth_controller, "StatefulSet")                               \
    X(POD_DISRUPTION_BUDGET, pod_disruption_budget, berth_pod_disruption_budget,                 \
      "PodDisruptionBudget")                                                                     \
    X(NODE, node, berth_node, "Node")                                                            \
    X(POD, pod, berth_pod, "Pod")                                                                \
    X(RESOURCE_SLICE, resource_slice, berth_resource_slice, "ResourceSlice")                     \
    X(DEVICE_CLASS, device_class, berth_device_class, "DeviceClass")                             \
    X(RESOURCE_CLAIM, resource_claim, berth_resource_claim, "ResourceClaim")                     \
    X(DEVICE_TAINT_RULE, device_taint_rule, berth_device_taint_rule, "DeviceTaintRule")          \
    X(POD_GROUP, pod_group, berth_pod_group, "PodGroup")                                         \
    X(COMPOSITE_POD_GROUP, composite_pod_group, berth_composite_pod_group, "CompositePodGroup")

typedef enum berth_kind {
#define X(name, member, type, text) BERTH_KIND_##name,
    BERTH_KIND_LIST(X)
#undef X
        BERTH_KIND_COUNT
} berth_kind;

/* One object of any kind; `kind` says which member is set. */
typedef struct berth_object {
    berth_kind kind;
    /* The size of the struct that `as` points to. 0: that of the headers that the caller was
     * compiled with. Objects that the library hands out state their own size, which no call
     * ignores: if you copy the struct itself, rather than with berth_object_copy, set 0 in the
     * copy. */
    uint32_t size;
    union {
#define X(name, member, type, text) const type *member;
        BERTH_KIND_LIST(X)
#undef X
        const void *any; /* any of the above: every struct begins with its metadata */
    } as;
} berth_object;

/* The Kubernetes spelling of a kind ("Pod"). Threads: any. */
BERTH_API const char *berth_kind_name(berth_kind kind);

/* The sizes of the structs of objects in these headers: the number of kinds, then the size of each.
 * The inline functions pass them to the library. Never freed. Threads: any. */
static inline const uint32_t *berth_object_sizes(void)
{
    static const uint32_t sizes[] = {
        BERTH_KIND_COUNT,
#define X(name, member, type, text) sizeof(type),
        BERTH_KIND_LIST(X)
#undef X
    };
    return sizes;
}

/* Copy an object and everything it refers to, for example to keep what a reader hands out. The copy
 * has at least the size that the caller knows. Owner: the copy is the caller's, freed by
 * berth_object_destroy; a NULL allocator means malloc, another one must outlive the copy. Threads:
 * any.
 * Errors: BERTH_E_ARG (no such kind, or a member is set that the library does not know),
 * BERTH_E_NOMEM. Cost: linear in the object. */
BERTH_API berth_status berth_object_copy_sized(const berth_object *object, const uint32_t *sizes,
                                               const berth_allocator *allocator, berth_object **out,
                                               berth_error *error);

static inline berth_status berth_object_copy(const berth_object *object,
                                             const berth_allocator *allocator, berth_object **out,
                                             berth_error *error)
{
    return berth_object_copy_sized(object, berth_object_sizes(), allocator, out, error);
}

/* Free an object made by berth_object_copy, and nothing else. Accepts NULL. Threads: any. Cost:
 * linear in the copy's chunks of memory; most objects have one. */
BERTH_API void berth_object_destroy(berth_object *copy);

#ifdef __cplusplus
}
#endif

#endif
