/* Plugins of your own: filters and scores that run beside Kubernetes' plugins.
 *
 * A plugin is a const table of functions. An engine copies the tables listed in its configuration.
 * Profiles name the plugins in their filter and score lists; a KubeSchedulerConfiguration names
 * them among its plugins and passes them arguments by pluginConfig. A plugin that multiPoint names
 * runs at the points for which it has functions. The list of a single point may name only plugins
 * that have a function for that point.
 *
 * Nodes lie in slots, in search order; a slice is up to BERTH_SLICE neighbouring slots. `filter`
 * and `score` are called for one slice after another, by several workers at once: they read, write
 * their output, and do nothing else. The other functions run on the engine's thread, and for
 * branches (branch.h), except reserve and unreserve, also on the branches' threads at the same
 * time. No function may call the engine: calls that decide or change something return
 * BERTH_E_STATE.
 *
 * A function may read what it is given: the pod's specification and labels (not its name, because
 * equal pods share answers), the node's facts and usage, and the plugin's own data. Other data that
 * changes between decisions makes answers stale unless BERTH_PLUGIN_EACH is set. */
#ifndef BERTH_PLUGIN_H
#define BERTH_PLUGIN_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BERTH_SLICE = 128 };

/* What a function is called about: a decision, or a pod that arrives on a node or leaves it. Valid
 * during the call. */
typedef struct berth_cycle berth_cycle;

/* ---- reading ----
 *
 * For the functions of a plugin, on the threads on which they are called. Owner: texts and columns
 * are borrowed until the call returns. Cost: constant unless stated. */

/* The pod: its namespace, the value of a label or of an annotation (zeroed if it has none), and its
 * request of a resource (cpu in milli, all others in units; 0 if it requests none).
 *
 * Only annotations listed in berth_engine_config.annotation_keys are available; the engine keeps no
 * others. Pods that differ in one of them are not equal, and a node whose annotation changes has
 * changed. So STATIC and NODE_LOCAL plugins may read them, and answers based on them are kept in
 * the index. */
BERTH_API berth_str berth_cycle_pod_namespace(const berth_cycle *cycle);
BERTH_API berth_str berth_cycle_pod_label(const berth_cycle *cycle, berth_str key);
BERTH_API berth_str berth_cycle_pod_annotation(const berth_cycle *cycle, berth_str key);
BERTH_API int64_t berth_cycle_pod_request(const berth_cycle *cycle, berth_str resource);

/* In reserve: whether a refusal counts. If false, the pod stays on the node even if reserve
 * refuses. */
BERTH_API bool berth_cycle_may_refuse(const berth_cycle *cycle);

/* The pod's controller: uid, kind and name, absent if it has none. Pods with different controllers
 * are not equal. */
BERTH_API void berth_cycle_pod_owner(const berth_cycle *cycle, berth_owner *out);

/* The pod's id and its priority, in which equal pods may differ: for plugins with BERTH_PLUGIN_EACH
 * and neither STATIC nor NODE_LOCAL, and in reserve and unreserve. */
BERTH_API berth_pod_id berth_cycle_pod(const berth_cycle *cycle);
BERTH_API int32_t berth_cycle_pod_priority(const berth_cycle *cycle);

/* The pods on the node in a slot, the newest first: writes at most `capacity` ids to `out` and
 * returns how many there are. Not for STATIC plugins. Pods that the engine adds or removes only in
 * a what-if (nominated pods, victims of preemption) do not change this list, but they do change the
 * amounts. The other functions return the namespace, the value of a label or annotation, and the
 * priority of such a pod; zeroed for an unknown id. */
BERTH_API uint32_t berth_cycle_node_pods(const berth_cycle *cycle, uint32_t slot, berth_pod_id *out,
                                         uint32_t capacity);
BERTH_API berth_str berth_cycle_namespace_of(const berth_cycle *cycle, berth_pod_id pod);
BERTH_API berth_str berth_cycle_label_of(const berth_cycle *cycle, berth_pod_id pod, berth_str key);
BERTH_API berth_str berth_cycle_annotation_of(const berth_cycle *cycle, berth_pod_id pod,
                                              berth_str key);
BERTH_API int32_t berth_cycle_priority_of(const berth_cycle *cycle, berth_pod_id pod);

/* The number of slots in use: 0 <= slot < berth_cycle_slot_count. */
BERTH_API uint32_t berth_cycle_slot_count(const berth_cycle *cycle);

/* The node in a slot: its id, its name, the value of a label or annotation (zeroed if it has none),
 * and its allocatable and requested amounts in the units above; "pods" counts pods.
 * BERTH_PLUGIN_STATIC plugins cannot read requested amounts: they get BERTH_USAGE_NONE. Cost: a
 * hash of each text. */
#define BERTH_USAGE_NONE INT64_C(-1)
BERTH_API berth_node_id berth_cycle_node(const berth_cycle *cycle, uint32_t slot);
BERTH_API berth_str berth_cycle_node_name(const berth_cycle *cycle, uint32_t slot);
BERTH_API berth_str berth_cycle_node_label(const berth_cycle *cycle, uint32_t slot, berth_str key);
BERTH_API berth_str berth_cycle_node_annotation(const berth_cycle *cycle, uint32_t slot,
                                                berth_str key);
BERTH_API void berth_cycle_node_resource(const berth_cycle *cycle, uint32_t slot,
                                         berth_str resource, int64_t *allocatable,
                                         int64_t *requested);

/* The same for a whole slice without hashing: look up the resource once, when preparing.
 * BERTH_COLUMN_NONE: no node or pod has this resource. Columns have BERTH_SLICE entries; requested
 * amounts are NULL for BERTH_PLUGIN_STATIC plugins. */
#define BERTH_COLUMN_NONE UINT32_MAX
BERTH_API uint32_t berth_cycle_column(const berth_cycle *cycle, berth_str resource);
BERTH_API const int64_t *berth_cycle_allocatable(const berth_cycle *cycle, uint32_t slice,
                                                 uint32_t column);
BERTH_API const int64_t *berth_cycle_requested(const berth_cycle *cycle, uint32_t slice,
                                               uint32_t column);

/* A slice: slots from index * BERTH_SLICE on. */
typedef struct berth_slice {
    uint32_t index;                  /* of the slice */
    uint32_t count;                  /* slots in use, at most BERTH_SLICE */
    const berth_node_id *nodes;      /* `count` ids */
    uint64_t mask[BERTH_SLICE / 64]; /* one bit for each slot: the nodes in question */
} berth_slice;

/* ---- preparing ---- */

/* The arguments of a prepare function. */
typedef struct berth_preparation {
    const berth_cycle *cycle;
    const void *instance;
    void *state; /* zeroed memory of `state_bytes`, aligned as malloc aligns */
    void *reserved;
} berth_preparation;

/* Allocate zeroed memory that lives as long as the state; NULL when out of memory: then return
 * BERTH_PREPARED_NO_MEMORY. */
BERTH_API void *berth_preparation_allocate(berth_preparation *preparation, size_t bytes);

/* Set the reason for refusing the pod before any node is visited. Call it before returning
 * BERTH_PREPARED_REFUSE. */
BERTH_API void berth_preparation_refuse(berth_preparation *preparation, berth_code code,
                                        berth_str reason);

/* Which pods to count in each topology domain. Owner: the caller's, borrowed until the call
 * returns. */
typedef struct berth_pod_selection {
    uint32_t size;         /* set by the caller: sizeof(berth_pod_selection) */
    berth_strs namespaces; /* if namespace_selector is absent, too: the pod's namespace */
    const berth_label_selector
        *namespace_selector;              /* further namespaces by their labels; NULL: none */
    const berth_label_selector *selector; /* NULL or malformed: no pod */
    berth_str topology_key;
} berth_pod_selection;

/* Count the selected pods in each domain, with the counters that topology spread and pod affinity
 * use. Terminating pods count, and the count follows the what-ifs of preemption and of nominated
 * pods. Only for plugins with BERTH_PLUGIN_EACH, in their prepare functions; the count may be used
 * until the prepared functions are done. NULL: out of memory, a plugin of another kind, more than
 * 64 counts in one prepare function, or the struct's size is not set.
 * Cost: a hash of each text and a few more. The first time a selection is used, and after a new
 * layout: reads every distinct set of labels of running pods, and every node. A selection in use
 * costs a counter update for each pod that comes or goes. */
typedef struct berth_domain_count berth_domain_count;
BERTH_API const berth_domain_count *berth_preparation_count(berth_preparation *preparation,
                                                            const berth_pod_selection *what);

/* The number of counted pods in the domain of the node in a slot; 0 if the node does not have the
 * key.
 * Cost: two table look-ups. */
BERTH_API uint32_t berth_cycle_domain_pods(const berth_cycle *cycle,
                                           const berth_domain_count *count, uint32_t slot);

/* The result of preparing. */
typedef enum berth_prepared {
    BERTH_PREPARED_ACTIVE = 0, /* the plugin takes part */
    BERTH_PREPARED_SKIP,       /* the plugin takes no part in this decision */
    BERTH_PREPARED_REFUSE,     /* filters only: no node can take the pod */
    BERTH_PREPARED_NO_MEMORY,
} berth_prepared;

/* ---- the table ---- */

enum {
    /* Verdicts and values depend only on the pod, on facts about nodes (names, labels, allocatable)
     * and on the plugin's arguments. They are computed once for each kind of pod and kept until a
     * node changes. */
    BERTH_PLUGIN_STATIC = 1 << 0,
    /* The verdict and the value of a node change only when pods arrive on that node or leave it, or
     * when its facts change. They are kept in the index. Without either flag, and with
     * BERTH_PLUGIN_EACH, every decision is a scan. An engine with `check_plugins` (engine.h) checks
     * whether a plugin keeps the promise of its flags. */
    BERTH_PLUGIN_NODE_LOCAL = 1 << 1,
    /* Prepare at every decision, not once for each kind of pod. */
    BERTH_PLUGIN_EACH = 1 << 2,
};

/* Changes of the cluster that a refused pod may wait for. One event may be several changes: a node
 * that gets a label and a taint, a pod that is replaced by another one on its node. */
enum {
    BERTH_WAKE_NODE_ADD = 1 << 0,
    BERTH_WAKE_NODE_LABELS = 1 << 1,      /* and annotations that plugins read */
    BERTH_WAKE_NODE_TAINTS = 1 << 2,      /* spec.unschedulable included */
    BERTH_WAKE_NODE_ALLOCATABLE = 1 << 3, /* some amount has grown */
    BERTH_WAKE_NODE_CONDITIONS = 1 << 4,  /* spec.unschedulable included */
    BERTH_WAKE_POD_ADD = 1 << 5,          /* a pod has arrived on a node */
    BERTH_WAKE_POD_REMOVE =
        1 << 6, /* a pod has left its node, or its usage there has shrunk or changed */
    BERTH_WAKE_POD_LABELS = 1 << 7, /* of a pod on a node; also: the pod begins to terminate */
    BERTH_WAKE_NODE_REMOVE = 1 << 9,
    BERTH_WAKE_CLAIM = 1 << 10, /* of these and the following kinds: any change */
    BERTH_WAKE_VOLUME = 1 << 11,
    BERTH_WAKE_STORAGE_CLASS = 1 << 12,
    BERTH_WAKE_CSI_NODE = 1 << 13,
    BERTH_WAKE_CSI_DRIVER = 1 << 14,
    BERTH_WAKE_CSI_CAPACITY = 1 << 15,
    BERTH_WAKE_ATTACHMENT = 1 << 16,
    BERTH_WAKE_RELATED = 1 << 17, /* services and controllers */
    BERTH_WAKE_NAMESPACE = 1 << 18,
    BERTH_WAKE_NODE_FEATURES = 1 << 19, /* status.declaredFeatures */
    BERTH_WAKE_RESOURCE_CLAIM = 1 << 20,
    BERTH_WAKE_DEVICE_CLASS = 1 << 21,
    BERTH_WAKE_RESOURCE_SLICE = 1 << 22,
};

/* How values become scores of 0 to 100. */
typedef enum berth_normalize {
    BERTH_NORMALIZE_NONE = 0,     /* the values are scores */
    BERTH_NORMALIZE_MAX,          /* value * 100 / the largest feasible value; never negative */
    BERTH_NORMALIZE_MAX_REVERSED, /* 100 minus that */
} berth_normalize;

/* A plugin. Set the members that you need with an initialiser; all others are then zero. Owner: the
 * engine copies the table; everything it points to must outlive the engine. */
typedef struct berth_plugin {
    uint32_t size;    /* sizeof(berth_plugin) when the plugin was compiled */
    uint32_t flags;   /* BERTH_PLUGIN_* */
    const char *name; /* not that of a Kubernetes plugin */
    void *context;    /* yours, passed to configure, reserve and unreserve */

    /* Optional: read the arguments (JSON as in pluginConfig, absent if there are none) into
     * `instance` (`instance_bytes`, zeroed, owned by the engine). The status, and `error`, which is
     * never NULL and which the function fills, go to the caller of berth_engine_create. */
    size_t instance_bytes;
    berth_status (*configure)(void *context, berth_str arguments, void *instance,
                              berth_error *error);

    /* A filter clears the bits of nodes that do not fit in slice->mask. `reason` returns why a node
     * was refused, and is called only for refused nodes; NULL: "node(s) were refused by NAME". */
    size_t filter_state_bytes;
    berth_prepared (*prepare_filter)(berth_preparation *preparation); /* NULL: always active */
    void (*filter)(const berth_cycle *cycle, const void *instance, const void *state,
                   berth_slice *slice);
    berth_str (*reason)(const berth_cycle *cycle, const void *instance, const void *state,
                        uint32_t slot);
    berth_code code; /* of refusals: whether preemption may help */
    /* BERTH_WAKE_*: the changes that may end a refusal by this plugin. A refused pod waits in the
     * scheduler's pool (scheduler.h) until one of them happens, or the pool is flushed; a change of
     * the pod itself always counts. 0: as the flags imply: with STATIC any change of nodes, with
     * NODE_LOCAL any change of nodes and of pods on them, otherwise any change. If you list too few
     * changes, pods are delayed; if too many, decisions are wasted. */
    uint32_t wake_on;

    /* A score writes the value of each node in slice->mask to `values` (BERTH_SLICE entries, by
     * position; the others may hold anything). Scores are 0 to 100. */
    size_t score_state_bytes;
    berth_prepared (*prepare_score)(berth_preparation *preparation); /* NULL: always active */
    void (*score)(const berth_cycle *cycle, const void *instance, const void *state,
                  const berth_slice *slice, int64_t *values);
    berth_normalize normalize;

    /* Optional, both or neither, for a plugin in the filter list of some profile: a pod has arrived
     * on a node, or leaves it. Both are called for every pod, whichever profile serves it, on every
     * path: a pod bound by a decision, a call, a scheduler or a commit; added as running; updated
     * so that it moves or requests something else (unreserve for the old state, then reserve);
     * removed, unbound or forgotten. A pod bound to a node that does not exist counts as on no
     * node: it comes when the node is added and leaves when the node is removed. The rollback of a
     * transaction undoes each call by the opposite call. So at any time, the number of reserve
     * calls less the number of unreserve calls is the number of pods on nodes. berth_engine_destroy
     * and branches call neither.
     *
     * reserve may refuse if berth_cycle_may_refuse returns true. That is so when a pod is being
     * bound and the pod's own profile has this plugin in its list. To refuse, return a status other
     * than BERTH_OK (BERTH_E_NOMEM, BERTH_E_CONFLICT); the pod is then not bound, and unreserve is
     * not called. In all other cases the pod is already there: the status is ignored, and unreserve
     * will follow. */
    berth_status (*reserve)(void *context, const berth_cycle *cycle, berth_pod_id pod,
                            berth_node_id node);
    void (*unreserve)(void *context, const berth_cycle *cycle, berth_pod_id pod,
                      berth_node_id node);
} berth_plugin;

#ifdef __cplusplus
}
#endif

#endif
