/* The placement engine: a cluster kept in memory, and decisions on it.
 *
 * Life cycle: create an engine, add objects, decide and bind in any order, destroy it.
 *
 * Threads: an engine is used by one thread at a time and runs workers of its own; different engines
 * are independent. A process that has an engine may fork only to exec: workers do not survive a
 * fork, so the child must call nothing of this library before it execs or ends by _exit. The engine
 * keeps no file open, installs no signal handler and does not change its callers' signal masks; its
 * workers block all signals.
 *
 * Owner: arguments are borrowed until the call returns, unless a function says otherwise.
 *
 * Errors: each function lists its own. Besides, every function that decides or changes something
 * returns BERTH_E_STATE while another call uses the same engine, on another thread or further up
 * the stack (a callback of a plugin or a scheduler); it has then read and changed nothing.
 * Functions that only read do not check this. Using an engine after berth_engine_destroy is
 * undefined behaviour. Using a branch after berth_branch_drop is, too; as long as its memory is
 * still there, calls return BERTH_E_STATE.
 *
 * NULL: where a function needs an engine, a branch, a snapshot or a place for its output, and gets
 * NULL, it returns BERTH_E_ARG. A function that returns no status then returns what it returns for
 * unknown objects: absent texts, BERTH_NODE_NONE, BERTH_POD_NONE, 0, false. An object whose
 * `labels`, `containers` or `init_containers` have a count but no array is refused with
 * BERTH_E_ARG.
 *
 * Sizes: structs get new members at their end. The library learns the size that the caller was
 * compiled with from the struct's first member, or from an argument of the exported function
 * (sized.h) that an inline function passes. Members unknown to an older caller are skipped. Members
 * unknown to an older library are zeroed on output, and rejected on input if they are set. Structs
 * whose size never changes are listed in engine/api/README.md.
 *
 * Outputs of a call that fails: NULL, BERTH_NODE_NONE, BERTH_POD_NONE, 0, or a placement of
 * BERTH_VERDICT_ERROR; arrays are left as they were. Pointers that receive ids may be NULL.
 *
 * Cost: where a function names none, it is constant: at most a hash of each text. */
#ifndef BERTH_ENGINE_H
#define BERTH_ENGINE_H

#include "berth/objects.h"
#include "berth/profile.h"
#include "berth/sized.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_engine berth_engine;
typedef struct berth_explanation berth_explanation;

/* How a decision searches for its node. */
typedef enum berth_path {
    BERTH_PATH_AUTO = 0, /* whichever is faster; both find the same node */
    BERTH_PATH_SCAN,     /* look at the nodes */
    BERTH_PATH_INDEX,    /* use the search tree of the pod's kind */
} berth_path;

/* Whether an engine asks the kernel for pages of 2 MiB for its memory beyond the first 4 MiB. */
typedef enum berth_huge_pages {
    BERTH_HUGE_PAGES_NONE = 0, /* no: the choice is the system's */
    BERTH_HUGE_PAGES_AUTO,     /* as long as a new one takes at most a millisecond */
    BERTH_HUGE_PAGES_ALL,      /* however long it takes */
} berth_huge_pages;

/* One patch release, 1.MINOR.PATCH, for berth_engine_config.kubernetes and for calls that take a
 * version. A patch release newer than this library is treated as the newest one it knows. */
#ifdef __cplusplus
#define BERTH_KUBERNETES(minor, patch) \
    (static_cast<uint32_t>(minor) | (static_cast<uint32_t>(patch) + 1) << 16)
#else
#define BERTH_KUBERNETES(minor, patch) ((uint32_t)(minor) | ((uint32_t)(patch) + 1) << 16)
#endif
#define BERTH_KUBERNETES_MINOR(version) ((version)&0xffffu)
#define BERTH_KUBERNETES_PATCH(version) (((version) >> 16) - 1)

/* The versions of kube-scheduler that the library knows, the newest first, as BERTH_KUBERNETES
 * makes them: the first patch release of each minor version, and each later one from which on
 * decisions differ (1.36.3, 1.36.0). Writes at most `capacity` of them to `out`, which may be NULL
 * if `capacity` is 0, and returns how many there are. The versions of era v1alpha1 are not among
 * them. Threads: any. */
BERTH_API uint32_t berth_kubernetes_versions(uint32_t *out, uint32_t capacity);

/* How an engine is created. Owner: pointers are borrowed until berth_engine_create returns; the
 * allocator's context must outlive the engine. */
typedef struct berth_engine_config {
    uint32_t size;    /* set by berth_engine_config_init */
    uint32_t threads; /* workers, including the calling thread; 0: one for each core */
    berth_path path;
    uint64_t seed;                 /* seed of random choices between equally good nodes */
    const berth_profile *profiles; /* NULL: the default profile of that version */
    uint32_t profile_count;
    const berth_allocator *allocator; /* NULL: a heap of the engine's own */
    /* The scheduler version to follow: 32 to 37 for the newest patch of kube-scheduler
     * 1.32 to 1.37, BERTH_KUBERNETES(36, 2) for one patch release, 0 for the newest version known.
     * Profiles of era v1alpha1 ignore it: they always decide as 1.15. */
    uint32_t kubernetes;
    /* Feature gates in the form of kube-scheduler's --feature-gates: "Name=true,Other=false"; the
     * last setting of a gate counts. Absent: the defaults of that version. */
    berth_str feature_gates;
    /* The embedder's own plugins (berth/plugin.h), which profiles may name. The tables are copied;
     * whatever they point to must outlive the engine. */
    const struct berth_plugin *const *plugins;
    uint32_t plugin_count;
    /* Bind each worker except the calling thread to a core of its own, with neighbouring numbers on
     * neighbouring cores. For machines that run nothing else: beside other programs, bound workers
     * are slower. No effect if there are fewer cores than threads. Default: false. */
    bool bind_workers;
    /* Huge pages: decisions are up to a fifth faster, for up to a fifth more memory. On a virtual
     * machine whose host takes unused memory back, a new one can take milliseconds, in a decision,
     * too. No effect if `allocator` is set or the kernel refuses; see berth_engine_memory. Default:
     * BERTH_HUGE_PAGES_NONE. */
    berth_huge_pages huge_pages;
    /* Era v1alpha1 only: the number of volumes of an in-tree kind (EBS, GCE PD, Azure disk, Cinder)
     * for a node that publishes no limit; 0: the default of each kind. v1.15 reads this from the
     * environment variable KUBE_MAX_PD_VOLS; the library does not read the environment. */
    uint32_t attached_volumes_max;
    /* For tests of your own plugins: at every decision, call each of them for all nodes, and
     * compare the answers with those that its flags (berth/plugin.h) allowed the engine to reuse. A
     * difference ends the decision with BERTH_E_INTERNAL and names the plugin and the node. Not on
     * branches. Default: false. */
    bool check_plugins;
    /* Keep a copy of the first pod of each kind, and of every object that is neither node nor pod,
     * for berth_engine_pod_object and berth_engine_objects (read.h) and berth_engine_dump (kube.h).
     * Costs some kilobytes for each kind of pod, nothing for each pod, and some hundred bytes for
     * each other object. Default: false. */
    bool keep_objects;
    /* Keys of annotations of pods and nodes that your own plugins read (plugin.h), at most 255; all
     * other annotations are ignored. Pods with the same berth_pod.template_id must agree in these
     * annotations, too. Default: none. */
    berth_strs annotation_keys;
    /* The maximum memory, in bytes, that the engine may hold at a time, including its scheduler,
     * snapshots and branches. A call that needs more returns BERTH_E_NOMEM and changes nothing;
     * after something was removed it succeeds. The limit counts the bytes that the engine requests,
     * from its own heap or from `allocator`. It does not count their rounding, nor the memory that
     * status.h (berth_allocator) lists as not taken there. Default: 0, no limit. */
    uint64_t memory_limit_bytes;
    /* Extenders (berth/extender.h), which take part in every profile's decisions. The tables are
     * copied. Not with profiles of era v1alpha1. */
    const struct berth_extender *const *extenders;
    uint32_t extender_count;
} berth_engine_config;

/* Fill `config` with the defaults. Threads: any. */
#define berth_engine_config_init(config) berth_engine_config_init_sized((config), sizeof(*(config)))

/* Create an engine with an empty cluster.
 * Owner: `config` is borrowed until the call returns; the engine is the caller's, to be freed by
 * berth_engine_destroy.
 * Errors: BERTH_E_ARG; BERTH_E_INVALID (a profile; error->field names the plugin);
 * BERTH_E_UNSUPPORTED (no such plugin or path, or a version or feature gate setting that is not
 * implemented); BERTH_E_EXISTS (the name of one of your own plugins is taken); BERTH_E_NOMEM; and
 * those that your own plugins return from `configure`.
 * Threads: any. Cost: starting the workers. */
BERTH_API berth_status berth_engine_create(const berth_engine_config *config, berth_engine **out,
                                           berth_error *error);

/* Stop the workers and free everything. Accepts NULL. Branches are ended by berth_branch_drop.
 * First destroy the engine's scheduler, drop its branches and give back all pins of snapshots:
 * otherwise the program is stopped, and the abort hook (status.h) receives what is left. The same
 * happens if the call comes from a callback, or while another thread uses the engine.
 * Threads: the engine's. Cost: linear in what the engine holds. */
BERTH_API void berth_engine_destroy(berth_engine *engine);

/* ---- cluster state ---- */

/* How an added object is identified: nodes and pods have ids, other kinds do not. */
typedef struct berth_object_id {
    berth_kind kind;
    berth_node_id node; /* BERTH_NODE_NONE: the object is not a node */
    berth_pod_id pod;   /* BERTH_POD_NONE: the object is not a pod, or was ignored */
} berth_object_id;

/* Add an object. A pod that has a node name runs on that node; as long as the node does not exist,
 * the pod counts nowhere (see berth_engine_orphan). Pods in phase Succeeded or Failed are ignored.
 * `*id` (optional) receives the object's id.
 * Errors: BERTH_E_ARG (no object, an unknown kind, or a member is set that the library does not
 * know), BERTH_E_EXISTS, BERTH_E_INVALID and BERTH_E_RANGE (see error->field), BERTH_E_NOMEM; the
 * engine is unchanged.
 * Cost: linear in the object. The next decision updates the layout of the nodes. */
static inline berth_status berth_engine_add(berth_engine *engine, const berth_object *object,
                                            berth_object_id *id, berth_error *error)
{
    return berth_engine_add_sized(engine, object, berth_object_sizes(), id, sizeof(*id), error);
}

/* The same for a node, and for a pod (BERTH_POD_NONE if the pod was ignored). */
static inline berth_status berth_engine_add_node(berth_engine *engine, const berth_node *node,
                                                 berth_node_id *id, berth_error *error)
{
    return berth_engine_add_node_sized(engine, node, sizeof(*node), id, error);
}

static inline berth_status berth_engine_add_pod(berth_engine *engine, const berth_pod *pod,
                                                berth_pod_id *id, berth_error *error)
{
    return berth_engine_add_pod_sized(engine, pod, sizeof(*pod), id, error);
}

/* Add a pending pod that equals the pod `like` except for its name and uid. If the specification of
 * `like` refers to its own name (claims of ephemeral volumes), the new pod refers to the same
 * objects. `*id` (optional) receives its id.
 * Errors: BERTH_E_NOT_FOUND (`like`), BERTH_E_EXISTS, BERTH_E_INVALID (no name), BERTH_E_NOMEM. */
BERTH_API berth_status berth_engine_add_like(berth_engine *engine, berth_pod_id like,
                                             berth_str name, berth_pod_id *id, berth_error *error);

/* Replace the object of the same kind, namespace and name. The new object replaces everything: if
 * it has no node name, a pod that berth_engine_bind or a decision put on a node leaves the node and
 * is pending again. Errors and cost: as berth_engine_add, with BERTH_E_NOT_FOUND instead of
 * BERTH_E_EXISTS. */
static inline berth_status berth_engine_update(berth_engine *engine, const berth_object *object,
                                               berth_error *error)
{
    return berth_engine_update_sized(engine, object, berth_object_sizes(), error);
}

/* Remove an object by kind, namespace ("" for kinds without one) and name. The pods of a removed
 * node become orphans.
 * Errors: BERTH_E_NOT_FOUND; in a transaction, on a branch and after the first publication also
 * BERTH_E_NOMEM; nothing has changed.
 * Cost: constant, except for nodes: linear in the node's zone and pods; the next decision then
 * rebuilds the layout, linear in all nodes, and everything that is cached for each kind of pod. For
 * what-ifs about a cluster without a node, close the node (berth_engine_close_node) and unbind its
 * pods instead, unless spread constraints matter: the cost is linear in those pods. */
BERTH_API berth_status berth_engine_remove(berth_engine *engine, berth_kind kind,
                                           berth_str namespace_name, berth_str name,
                                           berth_error *error);

/* Find a pod or a node. Return BERTH_POD_NONE or BERTH_NODE_NONE if there is none. */
BERTH_API berth_pod_id berth_engine_find_pod(const berth_engine *engine, berth_str namespace_name,
                                             berth_str name);
BERTH_API berth_node_id berth_engine_find_node(const berth_engine *engine, berth_str name);

/* The names of a node and of a pod, borrowed until the object is removed; zeroed for an unknown
 * id. */
BERTH_API berth_str berth_engine_node_name(const berth_engine *engine, berth_node_id node);
BERTH_API void berth_engine_pod_name(const berth_engine *engine, berth_pod_id pod,
                                     berth_str *namespace_name, berth_str *name);

/* The node that a pod is on; BERTH_NODE_NONE: the pod is pending or unknown. */
BERTH_API berth_node_id berth_engine_pod_node(const berth_engine *engine, berth_pod_id pod);

/* Copy the ids of a node's pods into `out`, the newest first, at most `capacity`. Returns how many
 * pods the node has; 0 for an unknown node. Cost: linear in what is copied. */
BERTH_API uint32_t berth_engine_node_pods(const berth_engine *engine, berth_node_id node,
                                          berth_pod_id *out, uint32_t capacity);

/* A pod's priority; 0 for an unknown pod. */
BERTH_API int32_t berth_engine_pod_priority(const berth_engine *engine, berth_pod_id pod);

/* How many objects an engine has. */
typedef struct berth_counts {
    uint32_t nodes;
    uint64_t pods_running;
    uint64_t pods_pending;
    uint64_t pods_orphaned; /* bound to a node that does not exist */
    uint64_t pod_classes;   /* distinct pod specifications in use */
} berth_counts;

/* Copy the counts. Cost: constant. */
static inline void berth_engine_counts(const berth_engine *engine, berth_counts *out)
{
    berth_engine_counts_sized(engine, out, sizeof(*out));
}

/* The memory of an engine. Only used_bytes is known in a process that does not run on jemalloc. */
typedef struct berth_memory {
    uint64_t used_bytes;     /* allocated, with the allocator's rounding */
    uint64_t resident_bytes; /* resident pages behind it; 0: unknown */
    uint64_t huge_bytes;     /* address space for which the kernel granted huge pages */
    bool huge_refused;       /* there are none, or the kernel refused some or took too long */
    /* With berth_engine_config.memory_limit_bytes, the bytes that count towards it; else 0. */
    uint64_t limited_bytes;
    uint64_t active_bytes;   /* pages with at least one allocation; 0: unknown */
    uint64_t metadata_bytes; /* bookkeeping of the allocator; 0: unknown */
} berth_memory;

/* Read the memory figures. An engine with an allocator of the caller's and a memory limit has only
 * `limited_bytes`. Errors: BERTH_E_UNSUPPORTED (the engine has the caller's own allocator and no
 * limit, or is a branch). Cost: tens of microseconds. */
static inline berth_status berth_engine_memory(const berth_engine *engine, berth_memory *out,
                                               berth_error *error)
{
    return berth_engine_memory_sized(engine, out, sizeof(*out), error);
}

/* One of the pods that are bound to a node that does not exist, and the name of that node
 * (`node_name` may be NULL; borrowed until the pod is removed). BERTH_POD_NONE: there is none.
 * Cost: linear in the nodes if there is one. */
BERTH_API berth_pod_id berth_engine_orphan(const berth_engine *engine, berth_str *node_name);

/* Copy the node ids in search order (zones interleaved) into `out`, at most `capacity`; `*count`
 * (may be NULL) receives the number of nodes. Like kube-scheduler's snapshot at the beginning of a
 * cycle, the call first updates the layout of the nodes and the counts of nodes that have each
 * image. Errors: BERTH_E_NOMEM. Cost: a new layout if nodes came or went, and the copying. */
BERTH_API berth_status berth_engine_node_order(berth_engine *engine, berth_node_id *out,
                                               uint32_t capacity, uint32_t *count,
                                               berth_error *error);

/* The allocatable and requested amounts of one resource on one node: cpu in milli, all others in
 * units; "pods" counts pods. An unknown resource reads 0 and 0. Errors: BERTH_E_NOT_FOUND (node).
 * Cost: linear in the node's pods. */
BERTH_API berth_status berth_engine_node_resource(const berth_engine *engine, berth_node_id node,
                                                  berth_str resource, int64_t *allocatable,
                                                  int64_t *requested, berth_error *error);

/* How much of one resource a pod takes on a node, in the same units; "pods" reads 1, and a resource
 * that the pod does not request reads 0. Errors: BERTH_E_NOT_FOUND (pod). */
BERTH_API berth_status berth_engine_pod_resource(const berth_engine *engine, berth_pod_id pod,
                                                 berth_str resource, int64_t *amount,
                                                 berth_error *error);

/* The value of a node's label, borrowed until the node is updated or removed; zeroed if the node
 * has no such label. */
BERTH_API berth_str berth_engine_node_label(const berth_engine *engine, berth_node_id node,
                                            berth_str key);

/* ---- decisions ---- */

/* The outcome of a decision. */
typedef enum berth_verdict {
    BERTH_VERDICT_PLACED = 0,        /* `node` was chosen */
    BERTH_VERDICT_UNSCHEDULABLE = 1, /* no node fits; an explanation says why */
    BERTH_VERDICT_ERROR = 2, /* a plugin failed for this pod (kube-scheduler: SchedulerError) */
} berth_verdict;

/* A decision. */
typedef struct berth_placement {
    berth_verdict verdict;
    berth_node_id node;      /* the chosen node, or BERTH_NODE_NONE */
    uint32_t feasible_count; /* feasible nodes that the search kept */
    uint32_t best_count;     /* nodes that share the best total */
    uint32_t start;          /* rotation index before the decision, */
    uint32_t next;           /* and after it */
    int64_t total;           /* best total; 0 if one node was feasible and none was scored */
    berth_path path;         /* the path taken */
} berth_placement;

enum {
    /* Leave the rotation index and the counts of images as they are. */
    BERTH_DECIDE_KEEP_ROTATION = 1u << 0,
    /* Explain the search without preemption: much cheaper if no node fits. */
    BERTH_DECIDE_SEARCH_ONLY = 1u << 1,
};

/* Cancellation: calls that can take long have a member `cancel` in their options, which is NULL or
 * points to a number of the caller's. Once the number is not 0, the call ends before its next
 * decision or object with BERTH_E_CANCELLED, says how much it has done, and leaves the engine
 * consistent. The library only reads the number, atomically. Set it on any thread or in a signal
 * handler, with `__atomic_store_n(&flag, 1, __ATOMIC_RELAXED)`; it must live until the call
 * returns. One number may end many calls. */
typedef const volatile int32_t *berth_cancel_flag;

/* How one decision is taken. */
typedef struct berth_decide_options {
    uint32_t size;                  /* set by berth_decide_options_init */
    uint32_t flags;                 /* BERTH_DECIDE_* */
    berth_explanation *explanation; /* NULL, or receives the details of the decision */
} berth_decide_options;

/* Fill `options` with the defaults, which are zero: an initialiser that only sets `size` to
 * sizeof(berth_decide_options) does the same. Threads: any. */
#define berth_decide_options_init(options) \
    berth_decide_options_init_sized((options), sizeof(*(options)))

/* Decide where a pending pod goes, without putting it there. With an explanation, scores are
 * computed even if a single node is feasible.
 * Errors: BERTH_E_ARG (options), BERTH_E_NOT_FOUND (the pod, or a profile for it), BERTH_E_STATE
 * (the pod is on a node), BERTH_E_NOMEM, BERTH_E_INTERNAL (check_plugins found that one of your own
 * plugins breaks the promise of its flags).
 * Cost: see engine/README.md, "Paths". Allocates nothing once the pod's class is warm. */
static inline berth_status berth_engine_decide(berth_engine *engine, berth_pod_id pod,
                                               const berth_decide_options *options,
                                               berth_placement *out, berth_error *error)
{
    return berth_engine_decide_sized(engine, pod, options, out, sizeof(*out), error);
}

/* The rotation index: the position in the order of nodes at which the next search begins, as
 * berth_placement.next says. Set it to continue where another engine or scheduler stopped; it is
 * taken modulo the number of nodes. Errors: BERTH_E_STATE (the engine is in use). */
BERTH_API uint32_t berth_engine_rotation(const berth_engine *engine);
BERTH_API berth_status berth_engine_set_rotation(berth_engine *engine, uint32_t rotation,
                                                 berth_error *error);

/* Put a pending pod on a node, whether or not it fits, for example to follow another scheduler's
 * choice. From now on its requests and volumes count there.
 * Errors: BERTH_E_NOT_FOUND, BERTH_E_STATE, BERTH_E_NOMEM, and those that your own plugins return
 * from `reserve`; the pod is still pending.
 * Cost: constant; after the first publication also the copies described in snapshot.h. */
BERTH_API berth_status berth_engine_bind(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                         berth_error *error);

/* Take a pod off its node. The pod is pending again, and everything that bind took is returned
 * exactly.
 * Errors: BERTH_E_NOT_FOUND, BERTH_E_STATE (it is on no node); in a transaction, on a branch and
 * after the first publication also BERTH_E_NOMEM; nothing has changed. Cost: as
 * berth_engine_bind. */
BERTH_API berth_status berth_engine_unbind(berth_engine *engine, berth_pod_id pod,
                                           berth_error *error);

/* Nominate a node for a pending pod, as preemption does after it has chosen victims there: pods of
 * no higher priority are placed on the node only if the nominated pod still fits beside them, and
 * the pod itself tries the node first. Nominations of pods of lower priority for that node end,
 * unless the pod is of a PodGroup (pod_group.h): groups preempt in the cluster, not on a node.
 * BERTH_NODE_NONE ends the pod's own nomination. berth_engine_add and berth_engine_update nominate
 * pods whose status.nominatedNodeName is set.
 * Errors: BERTH_E_NOT_FOUND, BERTH_E_STATE (the pod is on a node), BERTH_E_NOMEM. Cost: linear in
 * the nominations for that node. */
BERTH_API berth_status berth_engine_nominate(berth_engine *engine, berth_pod_id pod,
                                             berth_node_id node, berth_error *error);

/* Decide, and bind the pod if it is placed. Errors and cost: those of both. */
static inline berth_status berth_engine_schedule(berth_engine *engine, berth_pod_id pod,
                                                 berth_placement *out, berth_error *error)
{
    return berth_engine_schedule_sized(engine, pod, out, sizeof(*out), error);
}

/* Which of these pods PodDisruptionBudgets would protect if the pods were evicted in this order.
 * Each eviction takes one disruption from every budget that covers the pod; `forbidden[i]` says
 * whether one of those budgets had none left. The engine is unchanged. Returns how many pods are
 * forbidden; unknown pods are not. (On a branch that has no memory for its budgets, all are.)
 * Cost: the budgets that may cover each pod. */
BERTH_API uint32_t berth_engine_forbidden(berth_engine *engine, const berth_pod_id *pods,
                                          uint32_t count, bool *forbidden);

/* Copy the pending pods in the order in which a scheduler takes them (by priority, then by arrival)
 * into `out`, at most `capacity`; `*count` (may be NULL) receives how many there are.
 * Errors: BERTH_E_NOMEM (sorting needs memory; a `capacity` of 0 needs none). Cost: n log n;
 * constant for a `capacity` of 0. */
BERTH_API berth_status berth_engine_pending(const berth_engine *engine, berth_pod_id *out,
                                            uint64_t capacity, uint64_t *count, berth_error *error);

/* A hash of every pod's name and node: equal for equal placements, regardless of the order in which
 * the pods were bound. Cost: linear in nodes and pods. */
BERTH_API uint64_t berth_engine_digest(const berth_engine *engine);

/* Check the whole state: the requested amounts of each node are the sums over its pods, every pod
 * appears once, and every counter equals a recount. Errors: BERTH_E_INTERNAL, naming the broken
 * rule. Cost: linear. */
BERTH_API berth_status berth_engine_check(berth_engine *engine, berth_error *error);

/* ---- explanations ---- */

/* A reusable record of one decision. It belongs to no engine until a decision fills it. Its ids and
 * texts stay valid until it is filled again or destroyed, as long as the engine lives. Any number
 * of threads may read it as long as no decision fills it.
 * Owner: the caller's, freed by destroy, which accepts NULL. A NULL allocator means malloc; another
 * one must outlive the record. Threads: any. Errors: BERTH_E_NOMEM. */
BERTH_API berth_status berth_explanation_create(const berth_allocator *allocator,
                                                berth_explanation **out, berth_error *error);
BERTH_API void berth_explanation_destroy(berth_explanation *explanation);

/* Why a node was refused. */
typedef enum berth_code {
    BERTH_CODE_UNSCHEDULABLE = 0, /* preemption may help */
    BERTH_CODE_UNRESOLVABLE = 1,  /* kube-scheduler: UnschedulableAndUnresolvable */
} berth_code;

/* A node that was visited and refused. */
typedef struct berth_refusal {
    berth_node_id node;
    berth_str plugin;
    berth_code code;
    uint32_t reason_count; /* read with berth_explanation_reason */
} berth_refusal;

/* Reading an explanation. An index beyond the count returns a zeroed text, BERTH_NODE_NONE or
 * BERTH_POD_NONE; berth_explanation_score and berth_explanation_raw_score stop the program instead.
 * Owner: texts are borrowed until the record is filled again.
 *
 * The feasible nodes in the order in which they were found, with their totals: */
BERTH_API uint32_t berth_explanation_feasible_count(const berth_explanation *explanation);
BERTH_API berth_node_id berth_explanation_feasible(const berth_explanation *explanation, uint32_t i,
                                                   int64_t *total);

/* The score plugins that took part, and the weighted, normalized score of plugin `p` for feasible
 * node `i`. */
BERTH_API uint32_t berth_explanation_score_count(const berth_explanation *explanation);
BERTH_API berth_str berth_explanation_score_plugin(const berth_explanation *explanation,
                                                   uint32_t p);
BERTH_API int64_t berth_explanation_score(const berth_explanation *explanation, uint32_t p,
                                          uint32_t i);

/* The weight of plugin `p`, a factor of that score; 0 beyond the count. And `*raw`, the plugin's
 * own score for node `i` before normalization. Returns false and leaves `*raw` alone if the plugin
 * gave the node no score, or was skipped because all nodes would score the same. */
BERTH_API int64_t berth_explanation_score_weight(const berth_explanation *explanation, uint32_t p);
BERTH_API bool berth_explanation_raw_score(const berth_explanation *explanation, uint32_t p,
                                           uint32_t i, int64_t *raw);

/* The nodes that were visited and refused, and reason `r` of refusal `i`. In era v1alpha1 with
 * always_check_all a node has several refusals in a row, one for each predicate that failed. */
BERTH_API uint32_t berth_explanation_refusal_count(const berth_explanation *explanation);
BERTH_API berth_str berth_explanation_reason(const berth_explanation *explanation, uint32_t i,
                                             uint32_t r);

static inline berth_refusal berth_explanation_refusal(const berth_explanation *explanation,
                                                      uint32_t i)
{
    berth_refusal out;
    berth_explanation_refusal_sized(explanation, i, &out, sizeof(out));
    return out;
}

/* How many nodes one plugin refused for one reason. */
typedef struct berth_reason_count {
    berth_str reason;
    berth_str plugin;
    berth_code code;
    uint32_t nodes;
} berth_reason_count;

/* Count the refusals by reason, in the order in which the reasons first appeared; writes at most
 * `capacity` counts to `out`. Returns how many there are. A node with several reasons counts for
 * each of them.
 * Cost: compares each refusal with the distinct reasons. */
static inline uint32_t berth_explanation_reason_counts(const berth_explanation *explanation,
                                                       berth_reason_count *out, uint32_t capacity)
{
    return berth_explanation_reason_counts_sized(explanation, out, sizeof(*out), capacity);
}

/* Why the pod was refused before any node was visited; absent if it was not. */
BERTH_API berth_str berth_explanation_pre_filter(const berth_explanation *explanation);

/* kube-scheduler's failure message, including preemption's part; absent if the pod was placed. */
BERTH_API berth_str berth_explanation_message(const berth_explanation *explanation);

/* The ResourceClaim whose devices should be freed so that the pod may fit: the devices are usable
 * on no node where the pod could run, and no other pod waits for the claim. The library does not
 * free them. As in kube-scheduler, the caller clears the claim's status, and the update event of
 * the claim lets the pod try again. Returns false, with both texts absent, if there is none. */
BERTH_API bool berth_explanation_freed_claim(const berth_explanation *explanation,
                                             berth_str *namespace_name, berth_str *name);

/* The same for a ResourceClaim that an earlier attempt has created for the pod's extended
 * resources: as in kube-scheduler, the caller removes its finalizer and deletes it, and the next
 * attempt creates another one. */
BERTH_API bool berth_explanation_deleted_claim(const berth_explanation *explanation,
                                               berth_str *namespace_name, berth_str *name);

/* Preemption's choice: the nominated node (BERTH_NODE_NONE: none) and the pods to evict there. */
BERTH_API berth_node_id berth_explanation_nominated(const berth_explanation *explanation);
BERTH_API uint32_t berth_explanation_victim_count(const berth_explanation *explanation);
BERTH_API berth_pod_id berth_explanation_victim(const berth_explanation *explanation, uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
