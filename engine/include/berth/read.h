/* Reading an engine, a branch or a snapshot back: walking nodes and pods, what the engine keeps of
 * each, amounts of all nodes as arrays.
 *
 * What is kept of an object is what rules read. Of a node: name, labels, taints,
 * spec.unschedulable, allocatable amounts, images, conditions and declared features. Of a pod:
 * namespace, name, labels, its controller, the sums of its requests, priority, start time, and its
 * rules, interned. Not kept are annotations, uids of objects, owners that are no controllers,
 * containers one by one, and a pod's template_id: pods that are alike share a number instead
 * (berth_pod_info.kind).
 *
 * A function that fills an array takes its capacity, writes at most as many entries, and returns
 * how many there are: 0 for a node or pod that is unknown.
 *
 * Owner: arrays and structs are the caller's; texts are borrowed until the object is updated or
 * removed, of a snapshot until it is unpinned. Threads: the engine's; of a snapshot any number,
 * each under a pin. Cost: linear in what is written; where a function names none, constant. */
#ifndef BERTH_READ_H
#define BERTH_READ_H

#include "berth/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- walking ---- */

/* All nodes: the ids of present ones lie below the limit, with gaps. All pods: those of each node
 * (one that is not present may have orphans), and with BERTH_NODE_NONE the pending ones in order of
 * arrival; the first after BERTH_POD_NONE, then the one after the last; BERTH_POD_NONE ends. A pod
 * that was just given may not be moved or removed before the next is asked for. */
BERTH_API berth_node_id berth_engine_node_limit(const berth_engine *engine);
BERTH_API bool berth_engine_node_present(const berth_engine *engine, berth_node_id node);
BERTH_API berth_pod_id berth_engine_next_pod(const berth_engine *engine, berth_node_id node,
                                             berth_pod_id after);

/* ---- resources ---- */

/* Names of the resources that some node or pod names, cpu, memory and ephemeral-storage first, in
 * an order that stays as long as they do. One that nothing names any more is among them for a
 * while. "pods" is none of them, and can be asked for wherever one can. */
BERTH_API uint32_t berth_engine_resource_names(const berth_engine *engine, berth_str *out,
                                               uint32_t capacity);
BERTH_API uint32_t berth_snapshot_resource_names(const berth_snapshot *snapshot, berth_str *out,
                                                 uint32_t capacity);

/* One resource on all present nodes: their ids, ascending, and what berth_engine_node_resource says
 * of each, in arrays of `capacity` entries of which any may be NULL; returns how many nodes there
 * are. What is free is the difference. Cost: some nanoseconds a node. */
BERTH_API uint32_t berth_engine_resource_by_node(const berth_engine *engine, berth_str resource,
                                                 berth_node_id *nodes, int64_t *allocatable,
                                                 int64_t *requested, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_resource_by_node(const berth_snapshot *snapshot,
                                                   berth_str resource, berth_node_id *nodes,
                                                   int64_t *allocatable, int64_t *requested,
                                                   uint32_t capacity);

/* A resource's name and an amount of it: cpu in milli, everything else in units. */
typedef struct berth_amount {
    berth_str resource;
    int64_t amount;
} berth_amount;

/* ---- nodes ---- */

/* A node in short. */
typedef struct berth_node_info {
    uint32_t size; /* set by the caller: sizeof(berth_node_info) */
    uint32_t pod_count;
    berth_str name;
    uint32_t label_count;
    uint32_t taint_count;
    uint32_t resource_count; /* that it names, "pods" included */
    bool unschedulable;      /* spec.unschedulable */
    bool closed;             /* berth_engine_close_node */
} berth_node_info;

/* Errors: E_NOT_FOUND (it is not present), E_ARG (the struct's size). */
BERTH_API berth_status berth_engine_node_info(const berth_engine *engine, berth_node_id node,
                                              berth_node_info *out, berth_error *error);
BERTH_API berth_status berth_snapshot_node_info(const berth_snapshot *snapshot, berth_node_id node,
                                                berth_node_info *out, berth_error *error);

/* A node's labels (in no order that means anything), its taints (in theirs), and what it has to
 * give of each resource that it names, "pods" last. */
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

/* A pod in short. */
typedef struct berth_pod_info {
    uint32_t size; /* set by the caller: sizeof(berth_pod_info) */
    int32_t priority;
    /* Pods of one number are alike in all that rules read, priority aside: one that fits a node
     * fits it as the other does. Numbers are the engine's and its branches', and last as long as
     * some such pod is there. */
    uint64_t kind;
    berth_node_id node; /* BERTH_NODE_NONE: it is pending */
    uint32_t label_count;
    uint32_t resource_count; /* that it requests */
    berth_str namespace_name;
    berth_str name;
    berth_str scheduler_name;
    int64_t start_time_ns;       /* 0: absent */
    berth_str owner_api_version; /* of its controller; absent: it has none */
    berth_str owner_kind;
    berth_str owner_name;
    berth_str owner_uid;
    bool gated;       /* it has scheduling gates */
    bool deleting;    /* metadata.deletionTimestamp is set */
    bool has_volumes; /* that plugins look at */
    bool may_preempt; /* spec.preemptionPolicy is not Never */
} berth_pod_info;

/* Errors: E_NOT_FOUND, E_ARG (the struct's size). */
BERTH_API berth_status berth_engine_pod_info(const berth_engine *engine, berth_pod_id pod,
                                             berth_pod_info *out, berth_error *error);
BERTH_API berth_status berth_snapshot_pod_info(const berth_snapshot *snapshot, berth_pod_id pod,
                                               berth_pod_info *out, berth_error *error);

/* A pod's labels (in no order that means anything), and what it takes on its node of each resource
 * that it asks for. */
BERTH_API uint32_t berth_engine_pod_labels(const berth_engine *engine, berth_pod_id pod,
                                           berth_key_value *out, uint32_t capacity);
BERTH_API uint32_t berth_engine_pod_requests(const berth_engine *engine, berth_pod_id pod,
                                             berth_amount *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_pod_labels(const berth_snapshot *snapshot, berth_pod_id pod,
                                             berth_key_value *out, uint32_t capacity);
BERTH_API uint32_t berth_snapshot_pod_requests(const berth_snapshot *snapshot, berth_pod_id pod,
                                               berth_amount *out, uint32_t capacity);

/* The value of a pod's label; zeroed if it lacks it. */
BERTH_API berth_str berth_engine_pod_label(const berth_engine *engine, berth_pod_id pod,
                                           berth_str key);
BERTH_API berth_str berth_snapshot_pod_label(const berth_snapshot *snapshot, berth_pod_id pod,
                                             berth_str key);

/* A claim that a placement has spoken for. */
typedef struct berth_claim_choice {
    berth_str claim_namespace;
    berth_str claim_name;
    berth_str volume; /* that it is to be bound to; absent: it is to be provisioned on the node */
} berth_claim_choice;

/* The claims of a pod that were not bound when this engine put it on its node by its rules, and
 * what was chosen for each, those included that an earlier placement has spoken for: whoever binds
 * the pod has them bound first. None of a pod that came with a node, or that was put where it does
 * not fit; a branch tells those that it has chosen itself. */
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
    berth_str share_id; /* absent: the device is the claim's alone */
    bool admin_access;
} berth_taken_device;

/* The devices of a pod's claims that were not allocated before this engine put it on its node by
 * its rules, in the order of claims and requests; none of a claim that has its own allocation by
 * now, of a pod that came with a node, or that was put where it does not fit. Returns how many
 * there are, of which the first `capacity` are in `out`. Owner: texts are the engine's, until it
 * changes. Threads: one at a time. Cost: linear in them. */
static inline uint32_t berth_engine_pod_devices(const berth_engine *engine, berth_pod_id pod,
                                                berth_taken_device *out, uint32_t capacity)
{
    return berth_engine_pod_devices_sized(engine, pod, out, sizeof(*out), capacity);
}

/* The n-th, from 0, of the ResourceClaims that a pod names and that are there: its name, namespace
 * and uid, and the allocation that the pod's placement chose for it, as it would be written
 * (without what drivers are configured by, tolerations and the time); no allocation where it chose
 * none, as the claim had its own. Owner, threads: as of berth_engine_pod_object, below. Errors:
 * E_NOT_FOUND (no such pod or claim), E_NOMEM. Cost: linear in the claims. */
static inline berth_status berth_engine_pod_claim_object(const berth_engine *engine,
                                                         berth_pod_id pod, uint32_t nth,
                                                         const berth_allocator *allocator,
                                                         berth_object **out, berth_error *error)
{
    return berth_engine_pod_claim_object_sized(engine, pod, nth, berth_object_sizes(), allocator,
                                               out, error);
}

/* ---- objects ---- */

/* The object of a node, or of a pod, as it could be added to another engine, which would decide as
 * this one: what rules read is as it was given, or was updated since. A node comes without other
 * annotations than rules read, and with each image name as an image of the size that all nodes
 * have. A pod, whose engine must be one that keeps objects (berth_engine_config.keep_objects),
 * comes without annotations that plugins do not read, creation time and, where no claim of volumes
 * or devices goes by it, uid; on the node that it is on; containers, labels and all else are those
 * of a pod like it. (A pod of berth_engine_add_like with ephemeral volumes names its own claims in
 * its object, where the engine has it use those of the other.)
 *
 * berth_engine_objects gives all of them, and the objects of other kinds, in the order in which
 * another engine is to be given them.
 * Owner: `*out` is the caller's, freed by berth_object_destroy; a NULL allocator is malloc.
 * Errors: E_NOT_FOUND, E_STATE (the engine keeps no objects of pods), E_NOMEM. Cost: linear in the
 * object. */
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

/* Called with one object after the other, which lives until the call returns. Return BERTH_OK to go
 * on; anything else ends the walk with that status and with `error`, which is never NULL and the
 * function's to fill. */
typedef berth_status (*berth_each_object_fn)(void *context, const berth_object *object,
                                             berth_error *error);

/* Every object of a kind: an engine of the same configuration that is given those of all kinds, in
 * the order of the kinds (BERTH_KIND_LIST), decides as this one. Nodes and pods are those of
 * berth_engine_node_object and _pod_object: nodes in the order of the next layout, then each node's
 * pods in the order in which they came, pods of nodes that are not there, and the pending ones in
 * order of arrival. Objects of other kinds are as they were given, annotations and all. What
 * placements have reserved is written into them as it would be bound: into a volume the claimRef of
 * its claim, into a claim the annotation of its node, into a claim of devices its allocation (each
 * share of a device with an empty shareID) and the reservation for its pod. That stays if the pod
 * is then unbound; and a claim that is allocated is not one that is being allocated: another pod
 * that shares it need not wait where the objects are read.
 *
 * What is not part of it: closed nodes; the rotation index (berth_engine_set_rotation) and the
 * state of random ties; host ports that a pod freed by leaving though another pod of its node has
 * them, too (as kube-scheduler keeps them); where a node had moved to another zone, the old order
 * of nodes until the next layout; which volume came first of those that claims named before they
 * were there; devices chosen for extended resources of a pod, whose claim is not written yet.
 * Objects of kinds that no rule reads an engine does not keep.
 *
 * Of a snapshot: make a branch of it (branch.h).
 * Threads: the engine's. Errors: E_ARG (no such kind, no function), E_STATE (the engine keeps no
 * objects, and the kind is not Node; another call on the engine decides or changes something),
 * E_NOMEM, and the function's, which may read the engine and not change it. Cost: linear in the
 * objects, of nodes and pods a copy each. */
static inline berth_status berth_engine_objects(berth_engine *engine, berth_kind kind,
                                                berth_each_object_fn each, void *context,
                                                berth_error *error)
{
    return berth_engine_objects_sized(engine, kind, berth_object_sizes(), each, context, error);
}

/* The node that is kept for a pod (berth_engine_nominate); BERTH_NODE_NONE: none. */
BERTH_API berth_node_id berth_engine_pod_nominated(const berth_engine *engine, berth_pod_id pod);

#ifdef __cplusplus
}
#endif

#endif
