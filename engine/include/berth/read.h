/* Reading an engine, a branch or a snapshot: walking nodes and pods, the facts kept about each, and
 * the amounts of all nodes as arrays.
 *
 * An engine keeps what scheduling rules read. Of a node: name, labels, taints, spec.unschedulable,
 * allocatable amounts, images, conditions and declared features. Of a pod: namespace, name, labels,
 * controller, the sums of its requests, priority, start time, and its rules, interned. It does not
 * keep annotations, uids, owners that are not controllers, individual containers, or a pod's
 * template_id; equal pods share a number instead (berth_pod_info.kind).
 *
 * A function that fills an array takes its capacity, writes at most that many entries, and returns
 * how many there are: 0 for an unknown node or pod.
 *
 * Owner: arrays and structs are the caller's; texts are borrowed until the object is updated or
 * removed, or the snapshot is unpinned. Threads: the engine's; a snapshot may be read by any number
 * of threads, each under a pin. Cost: linear in what is written; constant where a function names
 * none. */
#ifndef BERTH_READ_H
#define BERTH_READ_H

#include "berth/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- walking ---- */

/* Walking. Ids of present nodes are below the limit, with gaps. berth_engine_next_pod walks the
 * pods of a node (a node that is not present may have orphans), and with BERTH_NODE_NONE the
 * pending pods in order of arrival: begin with `after` BERTH_POD_NONE and pass the last pod from
 * then on, until BERTH_POD_NONE is returned. Do not move or remove the last pod before the next
 * call. */
BERTH_API berth_node_id berth_engine_node_limit(const berth_engine *engine);
BERTH_API bool berth_engine_node_present(const berth_engine *engine, berth_node_id node);
BERTH_API berth_pod_id berth_engine_next_pod(const berth_engine *engine, berth_node_id node,
                                             berth_pod_id after);

/* ---- resources ---- */

/* The names of all resources that some node or pod mentions: cpu, memory and ephemeral-storage
 * first, then the others in an order that does not change while they exist. A resource that nothing
 * mentions any more stays in the list for a while. "pods" is not in the list, but every function
 * that takes a resource accepts it. */
BERTH_API uint32_t berth_engine_resource_names(const berth_engine *engine, berth_str *out,
                                               uint32_t capacity);
BERTH_API uint32_t berth_snapshot_resource_names(const berth_snapshot *snapshot, berth_str *out,
                                                 uint32_t capacity);

/* One resource on all present nodes: the nodes' ids, ascending, and the results of
 * berth_engine_node_resource for each, in arrays of `capacity` entries, any of which may be NULL.
 * Returns the number of nodes. The free amount is the difference. Cost: some nanoseconds for each
 * node. */
BERTH_API uint32_t berth_engine_resource_by_node(const berth_engine *engine, berth_str resource,
                                                 berth_node_id *nodes, int64_t *allocatable,
                                                 int64_t *requested, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_resource_by_node(const berth_snapshot *snapshot,
                                                   berth_str resource, berth_node_id *nodes,
                                                   int64_t *allocatable, int64_t *requested,
                                                   uint32_t capacity);

/* An amount of a resource: cpu in milli, all others in units. */
typedef struct berth_amount {
    berth_str resource;
    int64_t amount;
} berth_amount;

/* ---- nodes ---- */

/* A summary of a node. */
typedef struct berth_node_info {
    uint32_t size; /* set by the caller: sizeof(berth_node_info) */
    uint32_t pod_count;
    berth_str name;
    uint32_t label_count;
    uint32_t taint_count;
    uint32_t resource_count; /* resources that the node offers, including "pods" */
    bool unschedulable;      /* spec.unschedulable */
    bool closed;             /* berth_engine_close_node */
} berth_node_info;

/* Errors: BERTH_E_NOT_FOUND (not present), BERTH_E_ARG (the struct's size). */
BERTH_API berth_status berth_engine_node_info(const berth_engine *engine, berth_node_id node,
                                              berth_node_info *out, berth_error *error);
BERTH_API berth_status berth_snapshot_node_info(const berth_snapshot *snapshot, berth_node_id node,
                                                berth_node_info *out, berth_error *error);

/* A node's labels (in no particular order), its taints (in their order), and the allocatable amount
 * of each resource that it offers, "pods" last. */
BERTH_API uint32_t berth_engine_node_labels(const berth_engine *engine, berth_node_id node,
                                            berth_key_value *out, uint32_t capacity);
BERTH_API uint32_t berth_engine_node_taints(const berth_engine *engine, berth_node_id node,
                                            berth_taint *out, uint32_t capacity);
BERTH_API uint32_t berth_engine_node_allocatable(const berth_engine *engine, berth_node_id node,
                                                 berth_amount *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_node_labels(const berth_snapshot *snapshot, berth_node_id node,
                                              berth_key_value *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_node_taints(const berth_snapshot *snapshot, berth_node_id node,
                                              berth_taint *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_node_allocatable(const berth_snapshot *snapshot,
                                                   berth_node_id node, berth_amount *out,
                                                   uint32_t capacity);

/* ---- pods ---- */

/* A summary of a pod. */
typedef struct berth_pod_info {
    uint32_t size; /* set by the caller: sizeof(berth_pod_info) */
    int32_t priority;
    /* Pods with the same number are equal in everything that rules read except the priority: if one
     * fits a node, so does the other. The numbers are shared by an engine and its branches, and a
     * number lasts as long as some pod has it. */
    uint64_t kind;
    berth_node_id node; /* BERTH_NODE_NONE: the pod is pending */
    uint32_t label_count;
    uint32_t resource_count; /* resources that the pod requests */
    berth_str namespace_name;
    berth_str name;
    berth_str scheduler_name;
    int64_t start_time_ns;       /* 0: absent */
    berth_str owner_api_version; /* of the controller; absent: the pod has none */
    berth_str owner_kind;
    berth_str owner_name;
    berth_str owner_uid;
    bool gated;          /* the pod has scheduling gates */
    bool deleting;       /* metadata.deletionTimestamp is set */
    bool has_volumes;    /* the pod has volumes that plugins look at */
    bool may_preempt;    /* spec.preemptionPolicy is not Never */
    berth_str pod_group; /* spec.schedulingGroup; absent: none, or groups are not followed */
    /* The highest CompositePodGroup above that one; its pods are placed together. While a group on
     * the way does not exist: that one. Absent: there is none, or these are not followed. */
    berth_str composite_group;
} berth_pod_info;

/* Errors: BERTH_E_NOT_FOUND, BERTH_E_ARG (the struct's size). */
BERTH_API berth_status berth_engine_pod_info(const berth_engine *engine, berth_pod_id pod,
                                             berth_pod_info *out, berth_error *error);
BERTH_API berth_status berth_snapshot_pod_info(const berth_snapshot *snapshot, berth_pod_id pod,
                                               berth_pod_info *out, berth_error *error);

/* A pod's labels (in no particular order), and how much it takes on its node of each resource that
 * it requests. */
BERTH_API uint32_t berth_engine_pod_labels(const berth_engine *engine, berth_pod_id pod,
                                           berth_key_value *out, uint32_t capacity);
BERTH_API uint32_t berth_engine_pod_requests(const berth_engine *engine, berth_pod_id pod,
                                             berth_amount *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_pod_labels(const berth_snapshot *snapshot, berth_pod_id pod,
                                             berth_key_value *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_pod_requests(const berth_snapshot *snapshot, berth_pod_id pod,
                                               berth_amount *out, uint32_t capacity);

/* The value of a pod's label; zeroed if the pod has no such label. */
BERTH_API berth_str berth_engine_pod_label(const berth_engine *engine, berth_pod_id pod,
                                           berth_str key);
BERTH_API berth_str berth_snapshot_pod_label(const berth_snapshot *snapshot, berth_pod_id pod,
                                             berth_str key);

/* A claim for which a placement has chosen a volume. */
typedef struct berth_claim_choice {
    berth_str claim_namespace;
    berth_str claim_name;
    berth_str volume; /* to bind; absent: provision one for the node */
} berth_claim_choice;

/* The claims of a pod that were unbound when this engine placed the pod by its rules, and what was
 * chosen for each, including claims for which an earlier placement had chosen already. Before the
 * pod is bound in the real cluster, these claims must be bound. There are none for a pod that was
 * added with its node, or that was bound where it does not fit; on a branch, only claims that the
 * branch has chosen for are returned. */
static inline uint32_t berth_engine_pod_claims(const berth_engine *engine, berth_pod_id pod,
                                               berth_claim_choice *out, uint32_t capacity)
{
    return berth_engine_pod_claims_sized(engine, pod, out, sizeof(*out), capacity);
}

/* A device that a placement has taken for a claim. */
typedef struct berth_taken_device {
    berth_str claim_namespace;
    berth_str claim_name;
    berth_str request; /* REQUEST, or REQUEST/SUBREQUEST */
    berth_str driver;
    berth_str pool;
    berth_str device;
    berth_str share_id; /* absent: the claim has the device to itself */
    bool admin_access;
} berth_taken_device;

/* The devices of those claims of a pod that were not allocated when this engine placed the pod by
 * its rules, in the order of claims and requests. There are none for a claim that has its own
 * allocation by now, nor for a pod that was added with its node or bound where it does not fit.
 * Returns how many there are; the first `capacity` are written to `out`. Owner: texts are the
 * engine's, until it changes. Cost: linear in the devices. */
static inline uint32_t berth_engine_pod_devices(const berth_engine *engine, berth_pod_id pod,
                                                berth_taken_device *out, uint32_t capacity)
{
    return berth_engine_pod_devices_sized(engine, pod, out, sizeof(*out), capacity);
}

/* The n-th (from 0) of the existing ResourceClaims that a pod names: its name, namespace and uid,
 * and the allocation that the pod's placement chose, as it should be written (without driver
 * configuration, tolerations and time). It has no allocation if the placement chose none because
 * the claim had its own. Owner and threads: as berth_engine_pod_object, below. Errors:
 * BERTH_E_NOT_FOUND (no such pod or claim), BERTH_E_NOMEM. Cost: linear in the claims. */
static inline berth_status berth_engine_pod_claim_object(const berth_engine *engine,
                                                         berth_pod_id pod, uint32_t nth,
                                                         const berth_allocator *allocator,
                                                         berth_object **out, berth_error *error)
{
    return berth_engine_pod_claim_object_sized(engine, pod, nth, berth_object_sizes(), allocator,
                                               out, error);
}

/* The ResourceClaim that a pod's placement has made for extended resources that DeviceClasses back:
 * its namespace, its requests, and the allocation as it should be written (without driver
 * configuration and time). It has neither name nor uid if it must be created; otherwise an earlier
 * attempt has created it without requests. Owner and threads: as berth_engine_pod_object, below.
 * Errors: BERTH_E_NOT_FOUND (no such pod or claim; the claim of a bound pod is found until it has
 * its allocation), BERTH_E_NOMEM. Cost: linear in the devices. */
static inline berth_status berth_engine_pod_extended_claim(const berth_engine *engine,
                                                           berth_pod_id pod,
                                                           const berth_allocator *allocator,
                                                           berth_object **out, berth_error *error)
{
    return berth_engine_pod_extended_claim_sized(engine, pod, berth_object_sizes(), allocator, out,
                                                 error);
}

/* A container's resource that a request of that claim provides. */
typedef struct berth_extended_request {
    berth_str container;
    berth_str resource;
    berth_str request;
} berth_extended_request;

/* All of them, in kube-scheduler's order (status.extendedResourceClaimStatus.requestMappings). A
 * request may serve several containers, and a container may use several requests. Returns how many
 * there are; the first `capacity` are written to `out`. Owner: texts are the engine's, until it
 * changes. */
static inline uint32_t berth_engine_pod_extended_requests(const berth_engine *engine,
                                                          berth_pod_id pod,
                                                          berth_extended_request *out,
                                                          uint32_t capacity)
{
    return berth_engine_pod_extended_requests_sized(engine, pod, out, sizeof(*out), capacity);
}

/* ---- objects ---- */

/* The object of a node or a pod, such that another engine with these objects decides in the same
 * way: everything that rules read is as in the last add or update. A node comes without annotations
 * that no rule reads, and each image name appears as an image of its own with the size that all
 * nodes report. A pod needs an engine that keeps objects (berth_engine_config.keep_objects); its
 * object lacks annotations that no plugin reads, the creation time and, unless a claim of volumes
 * or devices refers to it, the uid. It names the node that it is on; containers, labels and
 * everything else are those of an equal pod. (A pod of berth_engine_add_like with ephemeral volumes
 * names claims of its own in its object, although the engine lets it use those of the other pod.)
 *
 * berth_engine_objects returns all nodes and pods, and objects of other kinds, in the order in
 * which another engine should receive them.
 * Owner: `*out` is the caller's, freed by berth_object_destroy, and NULL after an error; a NULL
 * allocator means malloc. Errors: BERTH_E_NOT_FOUND, BERTH_E_STATE (the engine does not keep
 * objects), BERTH_E_NOMEM. Cost: linear in the object. */
static inline berth_status berth_engine_node_object(const berth_engine *engine, berth_node_id node,
                                                    const berth_allocator *allocator,
                                                    berth_object **out, berth_error *error)
{
    return berth_engine_node_object_sized(engine, node, berth_object_sizes(), allocator, out,
                                          error);
}

static inline berth_status berth_engine_pod_object(const berth_engine *engine, berth_pod_id pod,
                                                   const berth_allocator *allocator,
                                                   berth_object **out, berth_error *error)
{
    return berth_engine_pod_object_sized(engine, pod, berth_object_sizes(), allocator, out, error);
}

/* Called for each object, which lives until the call returns. Return BERTH_OK to continue; anything
 * else ends the walk with that status and with `error`, which is never NULL and which the function
 * must fill. */
typedef berth_status (*berth_each_object_fn)(void *context, const berth_object *object,
                                             berth_error *error);

/* Every object of a kind. An engine of the same configuration that receives the objects of all
 * kinds, in the order of the kinds (BERTH_KIND_LIST), decides like this one. Nodes and pods are
 * those of berth_engine_node_object and berth_engine_pod_object: nodes in the order of the next
 * layout, then each node's pods in the order in which they came, pods of missing nodes, and pending
 * pods in order of arrival. Objects of other kinds are as the caller passed them, including
 * annotations. Reservations of placements are written into the objects as a binding would write
 * them: the claimRef of its claim into a volume, the annotation of its node into a claim, and into
 * a claim of devices its allocation (each share of a device with an empty shareID) and the
 * reservation for its pod. They stay even if the pod is unbound later. Note that the reader sees
 * such a claim as allocated, not as being allocated: another pod that shares it need not wait.
 *
 * Not included: closed nodes; the rotation index (berth_engine_set_rotation) and the state of
 * random choices; host ports that a leaving pod freed although another pod of its node uses them,
 * too (as kube-scheduler keeps them); the old order of nodes if a node has moved to another zone
 * since the last layout; how many nodes had an image when a node that has it last changed, and the
 * size that the image's first node gave, which ImageLocality counts (as kube-scheduler does); which
 * volume came first among those that claims named before the volumes existed; devices chosen for a
 * pod's extended resources whose claim is not written yet; and objects of kinds that no rule reads,
 * which an engine does not keep.
 *
 * For a snapshot, create a branch (branch.h).
 * Threads: the engine's. Errors: BERTH_E_ARG (no such kind, no function), BERTH_E_STATE (the engine
 * keeps no objects and the kind is not Node, or another call is using the engine), BERTH_E_NOMEM,
 * and what the function returns, which may read the engine but not change it. Cost: linear in the
 * objects; nodes and pods are copied. */
static inline berth_status berth_engine_objects(berth_engine *engine, berth_kind kind,
                                                berth_each_object_fn each, void *context,
                                                berth_error *error)
{
    return berth_engine_objects_sized(engine, kind, berth_object_sizes(), each, context, error);
}

/* The node that a pod is nominated for (berth_engine_nominate); BERTH_NODE_NONE: none. */
BERTH_API berth_node_id berth_engine_pod_nominated(const berth_engine *engine, berth_pod_id pod);

#ifdef __cplusplus
}
#endif

#endif
