/* Plugins of an embedder's own: filters and scores that run beside Kubernetes' and are told apart
 * from them by nothing but their name.
 *
 * A plugin is a const table of functions. An engine copies the tables in its configuration; a
 * profile names them in its filter and score lists, a KubeSchedulerConfiguration in its plugins,
 * where pluginConfig hands them their arguments.
 *
 * Nodes lie in slots, in search order; a slice is up to BERTH_SLICE neighbouring slots. `filter`
 * and `score` are asked for slice after slice, by several workers at once: they read, write their
 * output, and do nothing else. The other functions run on the thread that uses the engine; for
 * branches (branch.h) all but reserve and unreserve run on theirs, too, at the same time. No
 * function may call the engine: what decides or changes something is refused with E_STATE.
 *
 * What a function may read is what it is given: the pod's specification and labels (not its name:
 * pods that are alike share answers), the node's facts and usage, the plugin's own data. Other data
 * that changes between decisions makes answers stale unless BERTH_PLUGIN_EACH is set. */
#ifndef BERTH_PLUGIN_H
#define BERTH_PLUGIN_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BERTH_SLICE = 128 };

/* One decision, or one pod coming to a node or leaving it; valid during a call. */
typedef struct berth_cycle berth_cycle;

/* ---- reading ----
 *
 * From the functions of a plugin, on the threads they are called on. Owner: texts and columns are
 * borrowed until the call returns. Cost: constant where none is named. */

/* The pod: its namespace, the value of a label (zeroed if it lacks it) and of an annotation, and
 * what it requests of a resource (cpu in milli, everything else in units, 0 if it names none).
 *
 * Annotations of pods and nodes are those that berth_engine_config.annotation_keys lists; the
 * engine keeps no others. Pods that differ in one are not alike, and a node whose annotation
 * changes has changed its facts: STATIC and NODE_LOCAL plugins may read them, and what they say is
 * kept in the index. */
BERTH_API berth_str berth_cycle_pod_namespace(const berth_cycle *cycle);
BERTH_API berth_str berth_cycle_pod_label(const berth_cycle *cycle, berth_str key);
BERTH_API berth_str berth_cycle_pod_annotation(const berth_cycle *cycle, berth_str key);
BERTH_API int64_t berth_cycle_pod_request(const berth_cycle *cycle, berth_str resource);

/* While reserving: whether a refusal counts. False: the pod is on the node, whatever reserve
 * answers. */
BERTH_API bool berth_cycle_may_refuse(const berth_cycle *cycle);

/* The pod's controller: its uid, kind and name, texts absent where it has none. Pods with different
 * controllers are not alike. */
BERTH_API void berth_cycle_pod_owner(const berth_cycle *cycle, berth_owner *out);

/* The pod itself and its priority, in which pods that are alike differ: for plugins with
 * BERTH_PLUGIN_EACH and neither STATIC nor NODE_LOCAL, and in reserve and unreserve. */
BERTH_API berth_pod_id berth_cycle_pod(const berth_cycle *cycle);
BERTH_API int32_t berth_cycle_pod_priority(const berth_cycle *cycle);

/* The pods on the node in a slot, the one that came last first: into `out`, at most `capacity`;
 * returns how many there are. Not for STATIC plugins. Pods that the engine puts there or takes off
 * in thought (nominated ones, preemption's victims) are not, or still, among them, while amounts
 * tell of them. Then of any such pod its namespace, the value of a label or an annotation, its
 * priority; zeroed for an unknown id. */
BERTH_API uint32_t berth_cycle_node_pods(const berth_cycle *cycle, uint32_t slot, berth_pod_id *out,
                                         uint32_t capacity);
BERTH_API berth_str berth_cycle_namespace_of(const berth_cycle *cycle, berth_pod_id pod);
BERTH_API berth_str berth_cycle_label_of(const berth_cycle *cycle, berth_pod_id pod, berth_str key);
BERTH_API berth_str berth_cycle_annotation_of(const berth_cycle *cycle, berth_pod_id pod,
                                              berth_str key);
BERTH_API int32_t berth_cycle_priority_of(const berth_cycle *cycle, berth_pod_id pod);

/* Slots in use: 0 <= slot < berth_cycle_slot_count. */
BERTH_API uint32_t berth_cycle_slot_count(const berth_cycle *cycle);

/* The node in a slot: its id, its name, the value of a label or an annotation (zeroed if it lacks
 * it), and allocatable and requested amounts in the units above; "pods" counts pods. What is
 * requested is not for functions of a plugin that is BERTH_PLUGIN_STATIC to read: BERTH_USAGE_NONE.
 * Cost: a hash of the text each. */
#define BERTH_USAGE_NONE INT64_C(-1)
BERTH_API berth_node_id berth_cycle_node(const berth_cycle *cycle, uint32_t slot);
BERTH_API berth_str berth_cycle_node_name(const berth_cycle *cycle, uint32_t slot);
BERTH_API berth_str berth_cycle_node_label(const berth_cycle *cycle, uint32_t slot, berth_str key);
BERTH_API berth_str berth_cycle_node_annotation(const berth_cycle *cycle, uint32_t slot,
                                                berth_str key);
BERTH_API void berth_cycle_node_resource(const berth_cycle *cycle, uint32_t slot,
                                         berth_str resource, int64_t *allocatable,
                                         int64_t *requested);

/* The same for a whole slice without hashing: a resource is looked up once, when preparing.
 * BERTH_COLUMN_NONE: no node or pod has named it. The columns have BERTH_SLICE entries; requested
 * amounts are NULL in the functions of a plugin that is BERTH_PLUGIN_STATIC. */
#define BERTH_COLUMN_NONE UINT32_MAX
BERTH_API uint32_t berth_cycle_column(const berth_cycle *cycle, berth_str resource);
BERTH_API const int64_t *berth_cycle_allocatable(const berth_cycle *cycle, uint32_t slice,
                                                 uint32_t column);
BERTH_API const int64_t *berth_cycle_requested(const berth_cycle *cycle, uint32_t slice,
                                               uint32_t column);

/* Slots slice * BERTH_SLICE and up. */
typedef struct berth_slice {
    uint32_t index;                  /* of the slice */
    uint32_t count;                  /* slots in use in it, at most BERTH_SLICE */
    const berth_node_id *nodes;      /* `count` ids */
    uint64_t mask[BERTH_SLICE / 64]; /* a bit a slot: those that are asked about */
} berth_slice;

/* ---- preparing ---- */

/* What a prepare function works on. */
typedef struct berth_preparation {
    const berth_cycle *cycle;
    const void *instance;
    void *state; /* `state_bytes` of it, zeroed */
    void *reserved;
} berth_preparation;

/* Zeroed memory that lives as long as the state; NULL when out of memory: answer
 * BERTH_PREPARED_NO_MEMORY then. */
BERTH_API void *berth_preparation_allocate(berth_preparation *preparation, size_t bytes);

/* Refuse the pod before any node is looked at, and why: what BERTH_PREPARED_REFUSE must be preceded
 * by. */
BERTH_API void berth_preparation_refuse(berth_preparation *preparation, berth_code code,
                                        berth_str reason);

/* Pods to be counted by topology domain. Owner: the caller's, borrowed until the call returns. */
typedef struct berth_pod_selection {
    uint32_t size;         /* set by the caller: sizeof(berth_pod_selection) */
    berth_strs namespaces; /* with namespace_selector absent, too: the pod's */
    const berth_label_selector
        *namespace_selector;              /* further namespaces, by their labels; NULL: none */
    const berth_label_selector *selector; /* NULL, or one that can't be read: no pod */
    berth_str topology_key;
} berth_pod_selection;

/* How many such pods are in each domain, by the counters that topology spread and pod affinity are
 * made of: terminating ones count, and what-ifs of preemption and nominated pods do. Of plugins
 * with BERTH_PLUGIN_EACH alone, in their prepare functions; the count is asked about until the
 * functions that were prepared are done. NULL: out of memory, the plugin is not of that kind, or
 * the struct's size is not set. Cost: a hash of each text and a few more; the first time that a
 * selection is met, or after a new layout, a look at each different set of labels of running pods
 * and at each node. A selection that is in use costs the pods that come and go a counter. */
typedef struct berth_domain_count berth_domain_count;
BERTH_API const berth_domain_count *berth_preparation_count(berth_preparation *preparation,
                                                            const berth_pod_selection *what);

/* The pods of a count in the domain of the node in a slot; 0 where the node lacks the key. Cost: a
 * look at two tables. */
BERTH_API uint32_t berth_cycle_domain_pods(const berth_cycle *cycle,
                                           const berth_domain_count *count, uint32_t slot);

/* What comes of preparing. */
typedef enum berth_prepared {
    BERTH_PREPARED_ACTIVE = 0, /* the plugin takes part */
    BERTH_PREPARED_SKIP,       /* it takes no part in this decision */
    BERTH_PREPARED_REFUSE,     /* filters alone: no node can take the pod */
    BERTH_PREPARED_NO_MEMORY,
} berth_prepared;

/* ---- the table ---- */

enum {
    /* Verdicts and values follow from the pod, node facts (names, labels, allocatable) and the
     * plugin's arguments alone: they are computed once for each kind of pod and kept until a node
     * changes. */
    BERTH_PLUGIN_STATIC = 1 << 0,
    /* A node's verdict and value change only when pods come to or leave that node, or its facts
     * change: they are kept in the index. Without either flag, and with BERTH_PLUGIN_EACH, every
     * decision is a scan. Whether a plugin is what its flags say is found out by an engine made
     * with `check_plugins` (engine.h). */
    BERTH_PLUGIN_NODE_LOCAL = 1 << 1,
    /* Prepare at every decision, not once for each kind of pod. */
    BERTH_PLUGIN_EACH = 1 << 2,
};

/* Changes of the cluster: what a pod that was refused may wait for. One change may be several: a
 * node that gets a label and a taint, a pod that is replaced by another on its node. */
enum {
    BERTH_WAKE_NODE_ADD = 1 << 0,
    BERTH_WAKE_NODE_LABELS = 1 << 1,      /* and annotations that plugins read */
    BERTH_WAKE_NODE_TAINTS = 1 << 2,      /* spec.unschedulable included */
    BERTH_WAKE_NODE_ALLOCATABLE = 1 << 3, /* some amount has grown */
    BERTH_WAKE_NODE_CONDITIONS = 1 << 4,  /* spec.unschedulable included */
    BERTH_WAKE_POD_ADD = 1 << 5,          /* a pod has come to a node */
    BERTH_WAKE_POD_REMOVE = 1 << 6,       /* one has left, or takes something else or less there */
    BERTH_WAKE_POD_LABELS = 1 << 7,       /* of one on a node; also: it begins to terminate */
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

/* How raw values become scores of 0 to 100. */
typedef enum berth_normalize {
    BERTH_NORMALIZE_NONE = 0,     /* they are scores */
    BERTH_NORMALIZE_MAX,          /* value * 100 / the feasible nodes' largest; none is negative */
    BERTH_NORMALIZE_MAX_REVERSED, /* 100 minus that */
} berth_normalize;

/* A plugin. Set what it has with an initialiser; all else is zero. Owner: the engine copies it;
 * what it points to lives as long as the engine. */
typedef struct berth_plugin {
    uint32_t size;    /* sizeof(berth_plugin) as the plugin was compiled */
    uint32_t flags;   /* BERTH_PLUGIN_* */
    const char *name; /* not one of Kubernetes' */
    void *context;    /* the embedder's, handed to configure, reserve and unreserve */

    /* Optional: read the arguments (JSON as in pluginConfig, absent if there are none) into
     * `instance` (`instance_bytes`, zeroed; the engine's). Its status and `error`, which is never
     * NULL and its own to fill, go to the caller of berth_engine_create. */
    size_t instance_bytes;
    berth_status (*configure)(void *context, berth_str arguments, void *instance,
                              berth_error *error);

    /* A filter clears the bits of nodes that do not fit from slice->mask. `reason` says why a node
     * was refused, asked only of nodes that were; NULL: "node(s) were refused by NAME". */
    size_t filter_state_bytes;
    berth_prepared (*prepare_filter)(berth_preparation *preparation); /* NULL: always active */
    void (*filter)(const berth_cycle *cycle, const void *instance, const void *state,
                   berth_slice *slice);
    berth_str (*reason)(const berth_cycle *cycle, const void *instance, const void *state,
                        uint32_t slot);
    berth_code code; /* of its refusals: whether preemption may help */
    /* BERTH_WAKE_*: the changes that can turn its refusals around. A pod that it has refused waits
     * in the scheduler's pool (scheduler.h) until one of them comes, or the pool is flushed; a
     * change of the pod itself always counts. 0: what its flags imply; with STATIC any change of
     * nodes, with NODE_LOCAL any of nodes and of pods on them, else any change at all. Naming too
     * few delays pods, naming too many costs decisions. */
    uint32_t wake_on;

    /* A score writes the value of each node in slice->mask into `values` (BERTH_SLICE entries, by
     * position; the others may hold anything). Scores are 0 to 100. */
    size_t score_state_bytes;
    berth_prepared (*prepare_score)(berth_preparation *preparation); /* NULL: always active */
    void (*score)(const berth_cycle *cycle, const void *instance, const void *state,
                  const berth_slice *slice, int64_t *values);
    berth_normalize normalize;

    /* Optional, both or neither, of a plugin that filters, where some profile's filter list has it:
     * a pod has come to a node, or leaves one. They are called for every pod, whichever profile
     * serves it, on every path: bound by a decision, a call, a scheduler or a commit; added as
     * running; updated so that it moves or asks for something else (unreserve of what it was, then
     * reserve); removed, unbound, forgotten. A pod on a node that is not there is on none: it comes
     * when the node is added, and leaves when the node is removed. A transaction that is rolled
     * back undoes each by the other. So they come in pairs, and counts of reserves less unreserves
     * are those of the pods on nodes at any time; berth_engine_destroy calls neither, and a branch
     * neither.
     *
     * reserve may refuse where berth_cycle_may_refuse says so, which is where a pod is being bound
     * that its own profile's list has this plugin for: by a status other than BERTH_OK (E_NOMEM,
     * E_CONFLICT), which puts nothing there, and after which unreserve is not called. All else has
     * happened already: the status is not looked at, and unreserve will come. */
    berth_status (*reserve)(void *context, const berth_cycle *cycle, berth_pod_id pod,
                            berth_node_id node);
    void (*unreserve)(void *context, const berth_cycle *cycle, berth_pod_id pod,
                      berth_node_id node);
} berth_plugin;

#ifdef __cplusplus
}
#endif

#endif
