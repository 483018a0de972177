/* The placement engine: a cluster kept in memory, and decisions on it.
 *
 * Life cycle: berth_engine_create, add objects, decide and bind in any order, berth_engine_destroy.
 * Threads: an engine is used by one thread at a time; it runs its own workers below that. Different
 * engines are independent. Forking while an engine exists, on any thread, is supported only to
 * exec: its workers do not survive a fork. The child calls nothing of this library; it execs, or
 * ends by _exit. The engine keeps no file open, installs no signal handler, leaves its callers'
 * signal masks as they are, and its workers block all signals.
 * Owner: what is passed in is borrowed until the call returns, unless a function says otherwise.
 * Errors: those that each function names; and of all that decide or change something, E_STATE while
 * another call on the same engine does: on another thread, or the one whose callback (of a plugin,
 * of a scheduler) this is. Nothing has been looked at or changed then. Functions that only read do
 * not notice. An engine that has been destroyed is memory that has gone: using it can't be told
 * from any other wild pointer. Of a branch that was dropped the memory may be there yet, and its
 * calls answer E_STATE as long as it is.
 * Sizes: structs get new members at their end, and a call says how long the caller's are: in their
 * first member, or in an argument of the function ..._sized that the library exports, which the
 * inline function without it passes as it was compiled. What the caller's struct has not is left
 * out, what only the caller's has is zeroed or, if it is set, refused. Programs that are not
 * compiled (dlsym, ctypes) call the former. What is as long as it ever was: engine/api/README.md.
 * Outputs: of a call that fails, nothing: NULL, BERTH_NODE_NONE, BERTH_POD_NONE, 0, and a placement
 * of BERTH_VERDICT_ERROR; arrays are left as they were. Ids of what was added may be NULL.
 * Cost: where a function names none it is constant: no more than a hash of each text. */
#ifndef BERTH_ENGINE_H
#define BERTH_ENGINE_H

#include "berth/objects.h"
#include "berth/profile.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_engine berth_engine;
typedef struct berth_explanation berth_explanation;

/* How a decision finds its node. */
typedef enum berth_path {
    BERTH_PATH_AUTO = 0, /* the fastest that gives the full scan's answer */
    BERTH_PATH_SCAN,
    BERTH_PATH_INDEX,
} berth_path;

/* One patch release, 1.MINOR.PATCH, as a number for berth_engine_config.kubernetes and the calls
 * that take such a version. A patch newer than this library is decided as the newest one known. */
#define BERTH_KUBERNETES(minor, patch) ((uint32_t)(minor) | ((uint32_t)(patch) + 1) << 16)

/* How an engine is made. Owner: what it points to is borrowed until berth_engine_create returns,
 * what the allocator's context stands for outlives the engine. */
typedef struct berth_engine_config {
    uint32_t size;    /* set by berth_engine_config_init */
    uint32_t threads; /* workers, the caller included; 0: one a core */
    berth_path path;
    uint64_t seed;                 /* of random tie-breaks */
    const berth_profile *profiles; /* NULL: the default one of that version alone */
    uint32_t profile_count;
    const berth_allocator *allocator; /* NULL: a heap of the engine's own */
    /* Whose decisions are given: those of the newest patch of kube-scheduler 1.`kubernetes`, 32 to
     * 37; those of one patch release: BERTH_KUBERNETES(36, 2); 0: the newest. Without effect on
     * profiles of era v1alpha1, which are those of 1.15. */
    uint32_t kubernetes;
    /* Feature gates that change decisions, as kube-scheduler's --feature-gates takes them:
     * "Name=true,Other=false"; absent: that version's defaults. */
    berth_str feature_gates;
    /* The embedder's own plugins (berth/plugin.h), which profiles may name. The tables are copied;
     * what they point to lives as long as the engine. */
    const struct berth_plugin *const *plugins;
    uint32_t plugin_count;
    /* Keep each worker but the caller on a core of its own, neighbours in number near each other.
     * For machines that run nothing else: beside other programs bound workers are slower. Without
     * effect where there are fewer cores than threads. Default: false. */
    bool bind_workers;
    /* Ask the kernel for huge pages once the engine holds more than 16 MiB: fewer page faults and a
     * lower p99 on large clusters, some more memory, slower growth on machines that get their
     * memory from a hypervisor. Without effect where `allocator` is set or the kernel
     * refuses; berth_engine_memory tells. Default: false, which leaves it to the system. */
    bool huge_pages;
    /* Of era v1alpha1: the volumes of an in-tree kind (EBS, GCE PD, Azure disk, Cinder) that a node
     * takes which publishes no limit of its own; 0: each kind's default. v1.15 reads it from the
     * environment, KUBE_MAX_PD_VOLS; the library reads no environment. */
    uint32_t attached_volumes_max;
    /* For tests of own plugins: at every decision ask each of them about all nodes, and compare
     * with what its flags (berth/plugin.h) let the engine keep. What differs ends the decision with
     * E_INTERNAL, which names plugin and node. Not on branches. Default: false. */
    bool check_plugins;
    /* Keep a copy of the first pod of each kind and of each object that is neither node nor pod,
     * for berth_engine_pod_object, berth_engine_objects (read.h) and berth_engine_dump (kube.h):
     * some kilobytes a kind of pods, nothing a pod, some hundred bytes an object. Default:
     * false. */
    bool keep_objects;
    /* Annotations of pods and nodes that own plugins read (plugin.h), by key, at most 255; all
     * others are passed over. The promise of berth_pod.template_id covers them, too. Default:
     * none. */
    berth_strs annotation_keys;
} berth_engine_config;

/* Fill `config` with the defaults; the macro passes the size that the caller was compiled with.
 * Threads: any. */
BERTH_API void berth_engine_config_init_sized(berth_engine_config *config, size_t size);
#define berth_engine_config_init(config) berth_engine_config_init_sized((config), sizeof(*(config)))

/* Make an empty engine. Owner: borrows `config` until return; the engine is the caller's, freed by
 * berth_engine_destroy. Errors: E_ARG, E_NOMEM, E_INVALID (a profile: `error->field` names the
 * plugin), E_UNSUPPORTED (a plugin or path that does not exist; a version or a feature gate's
 * setting that is not implemented), E_EXISTS (an own plugin has a name that is taken), and those of
 * an own plugin's configure. Threads: any. Cost: that of starting the workers. */
BERTH_API berth_status berth_engine_create(const berth_engine_config *config, berth_engine **out,
                                           berth_error *error);

/* Stop the workers and free everything. A scheduler over the engine has been destroyed before,
 * branches dropped and pins given back: the program is stopped otherwise, and the abort hook
 * (status.h) told which of them is left, and how many pins are; likewise in a callback, or while
 * another thread uses it. Of a branch:
 * berth_branch_drop. Accepts NULL. Threads: the engine's. Cost: linear in what it holds. */
BERTH_API void berth_engine_destroy(berth_engine *engine);

/* ---- cluster state ---- */

/* What an object is known by once it was added: nodes and pods have ids, other kinds have none. */
typedef struct berth_object_id {
    berth_kind kind;
    berth_node_id node; /* BERTH_NODE_NONE: it is no node */
    berth_pod_id pod;   /* BERTH_POD_NONE: it is no pod, or was ignored */
} berth_object_id;

/* Add an object. A pod with a node name is taken as running there; it stays invisible while that
 * node does not exist (see berth_engine_orphan). A pod in phase Succeeded or Failed is ignored.
 * Owner: borrows `object` until return. `*id` (optional) receives its id.
 * Errors: E_ARG (no object, an unknown kind, something is set that the library does not know),
 * E_EXISTS, E_INVALID and E_RANGE (error->field), E_NOMEM; the engine is then unchanged. Cost:
 * linear in the object; node layout is brought up to date by the next decision. */
BERTH_API berth_status berth_engine_add_sized(berth_engine *engine, const berth_object *object,
                                              const uint32_t *sizes, berth_object_id *id,
                                              size_t id_size, berth_error *error);

static inline berth_status berth_engine_add(berth_engine *engine, const berth_object *object,
                                            berth_object_id *id, berth_error *error)
{
    return berth_engine_add_sized(engine, object, berth_object_sizes(), id, sizeof(*id), error);
}

/* The same for a node, and for a pod (BERTH_POD_NONE if it was ignored). */
BERTH_API berth_status berth_engine_add_node_sized(berth_engine *engine, const berth_node *node,
                                                   size_t size, berth_node_id *id,
                                                   berth_error *error);
BERTH_API berth_status berth_engine_add_pod_sized(berth_engine *engine, const berth_pod *pod,
                                                  size_t size, berth_pod_id *id,
                                                  berth_error *error);

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

/* Add a pending pod that is like another pod in everything but its name and uid. What names the
 * other pod in its specification (claims of ephemeral volumes) is as there. `*id` (optional)
 * receives its id.
 * Errors: E_NOT_FOUND (`like`), E_EXISTS, E_INVALID (no name), E_NOMEM. Cost: constant. */
BERTH_API berth_status berth_engine_add_like(berth_engine *engine, berth_pod_id like,
                                             berth_str name, berth_pod_id *id, berth_error *error);

/* Replace the object of the same kind, namespace and name. Owner, errors and cost: as
 * berth_engine_add, with E_NOT_FOUND instead of E_EXISTS. */
BERTH_API berth_status berth_engine_update_sized(berth_engine *engine, const berth_object *object,
                                                 const uint32_t *sizes, berth_error *error);

static inline berth_status berth_engine_update(berth_engine *engine, const berth_object *object,
                                               berth_error *error)
{
    return berth_engine_update_sized(engine, object, berth_object_sizes(), error);
}

/* Remove an object by kind, namespace ("" for cluster kinds) and name. Removing a node leaves its
 * pods as orphans. Errors: E_NOT_FOUND; in a transaction, on a branch and once something was
 * published also E_NOMEM, and nothing has changed then. Cost: of a node, linear in its zone and its
 * pods, and the next decision makes a layout, linear in all nodes, and what is kept by kind of pod
 * anew: who asks what a cluster without a node would do closes it (berth_engine_close_node) and
 * unbinds its pods, which costs these pods alone. Else constant. */
BERTH_API berth_status berth_engine_remove(berth_engine *engine, berth_kind kind,
                                           berth_str namespace_name, berth_str name,
                                           berth_error *error);

/* Find a pod or node. Returns BERTH_POD_NONE or BERTH_NODE_NONE when there is none. */
BERTH_API berth_pod_id berth_engine_find_pod(const berth_engine *engine, berth_str namespace_name,
                                             berth_str name);
BERTH_API berth_node_id berth_engine_find_node(const berth_engine *engine, berth_str name);

/* The names of a node and a pod; borrowed until the object is removed. Zeroed for an unknown id. */
BERTH_API berth_str berth_engine_node_name(const berth_engine *engine, berth_node_id node);
BERTH_API void berth_engine_pod_name(const berth_engine *engine, berth_pod_id pod,
                                     berth_str *namespace_name, berth_str *name);

/* The node a pod is on (BERTH_NODE_NONE: pending or unknown). */
BERTH_API berth_node_id berth_engine_pod_node(const berth_engine *engine, berth_pod_id pod);

/* Copy the ids of the pods on a node into `out`, at most `capacity`, the one that came last first.
 * Returns how many there are; 0 for an unknown node. Cost: linear in what is copied. */
BERTH_API uint32_t berth_engine_node_pods(const berth_engine *engine, berth_node_id node,
                                          berth_pod_id *out, uint32_t capacity);

/* A pod's priority; 0 for an unknown pod. */
BERTH_API int32_t berth_engine_pod_priority(const berth_engine *engine, berth_pod_id pod);

/* How many there are of each. */
typedef struct berth_counts {
    uint32_t nodes;
    uint64_t pods_running;
    uint64_t pods_pending;
    uint64_t pods_orphaned; /* bound to a node that does not exist */
    uint64_t pod_classes;   /* distinct pod specifications in use */
} berth_counts;

/* Copy the counts. Cost: constant. */
BERTH_API void berth_engine_counts_sized(const berth_engine *engine, berth_counts *out,
                                         size_t size);

static inline void berth_engine_counts(const berth_engine *engine, berth_counts *out)
{
    berth_engine_counts_sized(engine, out, sizeof(*out));
}

/* What the engine holds. */
typedef struct berth_memory {
    uint64_t used_bytes;     /* handed out to it, rounded as the allocator rounds */
    uint64_t resident_bytes; /* pages held for that; 0: unknown */
    uint64_t huge_bytes;     /* of its address space: huge pages were asked for, and not refused */
    bool huge_refused;       /* the kernel has no huge pages to ask for, or refused them */
} berth_memory;

/* Ask the allocator. Errors: E_UNSUPPORTED (the memory comes from the caller's own allocator, or
 * the engine is a branch). Cost: microseconds. */
BERTH_API berth_status berth_engine_memory_sized(const berth_engine *engine, berth_memory *out,
                                                 size_t size, berth_error *error);

static inline berth_status berth_engine_memory(const berth_engine *engine, berth_memory *out,
                                               berth_error *error)
{
    return berth_engine_memory_sized(engine, out, sizeof(*out), error);
}

/* Any pod bound to a node that does not exist, and that node's name (`node_name` may be NULL;
 * borrowed until the pod is removed); BERTH_POD_NONE if there is none. Cost: linear in nodes if
 * there is one. */
BERTH_API berth_pod_id berth_engine_orphan(const berth_engine *engine, berth_str *node_name);

/* Copy the node ids in search order (zone-interleaved) into `out`, at most `capacity`; `*count`
 * (NULL: not asked for) is how many nodes there are. Copies what has changed first, as
 * kube-scheduler's snapshot does when a cycle begins: the layout is up to date, and changed nodes
 * know how many others have their images. Errors: E_NOMEM. Cost: that of a new layout, if nodes
 * came or went; of copying. */
BERTH_API berth_status berth_engine_node_order(berth_engine *engine, berth_node_id *out,
                                               uint32_t capacity, uint32_t *count,
                                               berth_error *error);

/* Allocatable and requested amount of one resource on one node: cpu in milli, everything else in
 * units; "pods" counts pods. An unknown resource reads 0 and 0. Errors: E_NOT_FOUND (node).
 * Cost: linear in the node's pods. */
BERTH_API berth_status berth_engine_node_resource(const berth_engine *engine, berth_node_id node,
                                                  berth_str resource, int64_t *allocatable,
                                                  int64_t *requested, berth_error *error);

/* What a pod takes of one resource once it is on a node, in the same units; "pods" reads 1.
 * Errors: E_NOT_FOUND (pod). A resource that it does not name reads 0. */
BERTH_API berth_status berth_engine_pod_resource(const berth_engine *engine, berth_pod_id pod,
                                                 berth_str resource, int64_t *amount,
                                                 berth_error *error);

/* The value of a node's label, borrowed until the node is updated or removed; zeroed if the node
 * lacks it. */
BERTH_API berth_str berth_engine_node_label(const berth_engine *engine, berth_node_id node,
                                            berth_str key);

/* ---- decisions ---- */

/* What became of a pod that was decided on. */
typedef enum berth_verdict {
    BERTH_VERDICT_PLACED = 0,        /* `node` was chosen */
    BERTH_VERDICT_UNSCHEDULABLE = 1, /* no node fits; an explanation says why */
    BERTH_VERDICT_ERROR = 2, /* a rule failed on this pod (kube-scheduler: SchedulerError) */
} berth_verdict;

/* One decision. */
typedef struct berth_placement {
    berth_verdict verdict;
    berth_node_id node;      /* chosen node, or BERTH_NODE_NONE */
    uint32_t feasible_count; /* nodes kept by the search */
    uint32_t best_count;     /* nodes that share the best total */
    uint32_t start;          /* rotation index before and after */
    uint32_t next;
    int64_t total;   /* best total; 0 when a single node was feasible and none was scored */
    berth_path path; /* the path taken */
} berth_placement;

enum {
    /* A question, not a cycle: the rotation index stays, and so does what nodes know of images. */
    BERTH_DECIDE_KEEP_ROTATION = 1u << 0,
    /* Explain the search alone, not what preemption could do: much cheaper where no node fits. */
    BERTH_DECIDE_SEARCH_ONLY = 1u << 1,
};

/* How one decision is taken. */
typedef struct berth_decide_options {
    uint32_t size;                  /* set by berth_decide_options_init */
    uint32_t flags;                 /* BERTH_DECIDE_* */
    berth_explanation *explanation; /* NULL, or filled with the decision's details */
} berth_decide_options;

/* Fill `options` with the defaults, which are zero: an initialiser that sets `size` to
 * sizeof(berth_decide_options) does as well. Threads: any. */
BERTH_API void berth_decide_options_init_sized(berth_decide_options *options, size_t size);
#define berth_decide_options_init(options) \
    berth_decide_options_init_sized((options), sizeof(*(options)))

/* Decide where `pod` goes, without putting it there. With an explanation every score is computed
 * even where a single node is feasible.
 * Errors: E_NOT_FOUND (the pod, or a profile that serves it), E_STATE (the pod is on a node),
 * E_NOMEM, E_INTERNAL (an own plugin is not what its flags say: check_plugins).
 * Cost: see engine/README.md, "Paths". Never allocates once the pod's class is warm. */
BERTH_API berth_status berth_engine_decide_sized(berth_engine *engine, berth_pod_id pod,
                                                 const berth_decide_options *options,
                                                 berth_placement *out, size_t size,
                                                 berth_error *error);

static inline berth_status berth_engine_decide(berth_engine *engine, berth_pod_id pod,
                                               const berth_decide_options *options,
                                               berth_placement *out, berth_error *error)
{
    return berth_engine_decide_sized(engine, pod, options, out, sizeof(*out), error);
}

/* The rotation index: the place in the order of nodes where the next search begins, as
 * berth_placement.next left it; and set it, to go on where another engine, or another scheduler,
 * was. A number beyond the nodes counts round. Errors: E_STATE (in use). Cost: constant. */
BERTH_API uint32_t berth_engine_rotation(const berth_engine *engine);
BERTH_API berth_status berth_engine_set_rotation(berth_engine *engine, uint32_t rotation,
                                                 berth_error *error);

/* Put a pod on a node (its usage and its volumes count from now on), whether or not it fits: the
 * way to follow another scheduler's choice. Errors: E_NOT_FOUND, E_STATE, E_NOMEM, and what an own
 * plugin's reserve answers; the pod is on no node then. Cost: constant, and once something was
 * published the copies that snapshot.h tells of. */
BERTH_API berth_status berth_engine_bind(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                         berth_error *error);

/* Take a pod off its node; it is pending again, and what bind took is given back exactly.
 * Errors: E_NOT_FOUND, E_STATE (it is on no node); in a transaction, on a branch and once something
 * was published also E_NOMEM, and nothing has changed then. Cost: as of berth_engine_bind. */
BERTH_API berth_status berth_engine_unbind(berth_engine *engine, berth_pod_id pod,
                                           berth_error *error);

/* Keep a node for a pending pod, as preemption does once it has chosen victims there: pods of no
 * higher priority are placed on the node only if both fit, and the pod itself tries it before all
 * others. Nominations of pods of lower priority for that node end. BERTH_NODE_NONE ends the pod's
 * own. A pod whose status.nominatedNodeName is set is nominated by berth_engine_add and _update.
 * Errors: E_NOT_FOUND, E_STATE (the pod is on a node), E_NOMEM. Cost: linear in the nominations
 * for that node. */
BERTH_API berth_status berth_engine_nominate(berth_engine *engine, berth_pod_id pod,
                                             berth_node_id node, berth_error *error);

/* Decide and, if placed, bind. Errors and cost: those of the two. */
BERTH_API berth_status berth_engine_schedule_sized(berth_engine *engine, berth_pod_id pod,
                                                   berth_placement *out, size_t size,
                                                   berth_error *error);

static inline berth_status berth_engine_schedule(berth_engine *engine, berth_pod_id pod,
                                                 berth_placement *out, berth_error *error)
{
    return berth_engine_schedule_sized(engine, pod, out, sizeof(*out), error);
}

/* Which of these pods PodDisruptionBudgets would not let go, were they evicted in this order:
 * each takes one from the budgets that cover it, and `forbidden[i]` tells whether one of them had
 * none left. The engine is as before. Returns how many are forbidden; unknown pods are not. (On a
 * branch without memory for its budgets, all are.) Cost: the budgets that may cover each pod. */
BERTH_API uint32_t berth_engine_forbidden(berth_engine *engine, const berth_pod_id *pods,
                                          uint32_t count, bool *forbidden);

/* Pending pods in the order in which a scheduler takes them (priority descending, then
 * order of arrival), at most `capacity`; `*count` (NULL: not asked for) is how many there
 * are. Errors: E_NOMEM (no memory to sort them; a `capacity` of 0 takes none). Cost: n log
 * n; with a `capacity` of 0 constant. */
BERTH_API berth_status berth_engine_pending(const berth_engine *engine, berth_pod_id *out,
                                            uint64_t capacity, uint64_t *count, berth_error *error);

/* A hash of every pod's name and node; equal for equal placements, whatever the order of
 * binding. Cost: linear in nodes and pods. */
BERTH_API uint64_t berth_engine_digest(const berth_engine *engine);

/* Walk the whole state and check it: requested equals the sum of each node's pods, every pod once,
 * every counter equal to a recount. Errors: E_INTERNAL naming the broken rule. Cost: linear. */
BERTH_API berth_status berth_engine_check(berth_engine *engine, berth_error *error);

/* ---- explanations ---- */

/* A reusable record of one decision. Not tied to an engine until filled; ids and texts in it stay
 * valid until it is filled again or destroyed, as long as the engine lives. It may be read on any
 * number of threads while nobody fills it.
 * Owner: the caller's, freed by destroy, which accepts NULL; a NULL allocator is malloc, another
 * one outlives it. Threads: any. Errors: E_NOMEM. */
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

/* Reading one. An index beyond the count gives nothing: a zeroed text, BERTH_NODE_NONE,
 * BERTH_POD_NONE; of berth_explanation_score and _raw_score it stops the program. Owner: texts are
 * borrowed until it is filled again. Threads: any number while nobody fills it. Cost: constant.
 *
 * Feasible nodes in the order found, with their totals. */
BERTH_API uint32_t berth_explanation_feasible_count(const berth_explanation *explanation);
BERTH_API berth_node_id berth_explanation_feasible(const berth_explanation *explanation, uint32_t i,
                                                   int64_t *total);

/* Score plugins that scored, and the weighted, normalized value of plugin `p` on feasible node
 * `i`. */
BERTH_API uint32_t berth_explanation_score_count(const berth_explanation *explanation);
BERTH_API berth_str berth_explanation_score_plugin(const berth_explanation *explanation,
                                                   uint32_t p);
BERTH_API int64_t berth_explanation_score(const berth_explanation *explanation, uint32_t p,
                                          uint32_t i);

/* The weight of plugin `p`, by which that value is a multiple of the normalized one; 0 beyond the
 * count. And what the plugin itself said of node `i`, before it was normalized, into `*raw`: false,
 * and `*raw` is left alone, where it had no say, of a node that it leaves out, or because all nodes
 * come out the same. */
BERTH_API int64_t berth_explanation_score_weight(const berth_explanation *explanation, uint32_t p);
BERTH_API bool berth_explanation_raw_score(const berth_explanation *explanation, uint32_t p,
                                           uint32_t i, int64_t *raw);

/* Nodes visited and refused, and the reasons of refusal `i`. In era v1alpha1 with always_check_all
 * a node has one refusal for each failing predicate, consecutively. */
BERTH_API uint32_t berth_explanation_refusal_count(const berth_explanation *explanation);
BERTH_API void berth_explanation_refusal_sized(const berth_explanation *explanation, uint32_t i,
                                               berth_refusal *out, size_t size);
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

/* The refusals as numbers, in the order in which reasons first came: into `out`, at most
 * `capacity`; returns how many there are. A node with several reasons counts for each. Cost: the
 * refusals, each compared with the different reasons. */
BERTH_API uint32_t berth_explanation_reason_counts_sized(const berth_explanation *explanation,
                                                         berth_reason_count *out, size_t size,
                                                         uint32_t capacity);

static inline uint32_t berth_explanation_reason_counts(const berth_explanation *explanation,
                                                       berth_reason_count *out, uint32_t capacity)
{
    return berth_explanation_reason_counts_sized(explanation, out, sizeof(*out), capacity);
}

/* The reasons with which the pod was refused before any node was visited; absent if it was not. */
BERTH_API berth_str berth_explanation_pre_filter(const berth_explanation *explanation);

/* kube-scheduler's failure message, preemption's part included; absent for a pod that was
 * placed. */
BERTH_API berth_str berth_explanation_message(const berth_explanation *explanation);

/* The ResourceClaim that is to lose its devices so that the pod may fit: they serve no node where
 * the pod could go, and nobody else waits for them. The library frees none; whoever carries
 * decisions out clears the claim's status, as kube-scheduler does, and an event of the claim tells
 * of it. False, and both absent: none. */
BERTH_API bool berth_explanation_freed_claim(const berth_explanation *explanation,
                                             berth_str *namespace_name, berth_str *name);

/* Preemption's choice: the nominated node (BERTH_NODE_NONE: none) and the pods to evict from it. */
BERTH_API berth_node_id berth_explanation_nominated(const berth_explanation *explanation);
BERTH_API uint32_t berth_explanation_victim_count(const berth_explanation *explanation);
BERTH_API berth_pod_id berth_explanation_victim(const berth_explanation *explanation, uint32_t i);

#ifdef __cplusplus
}
#endif

#endif
