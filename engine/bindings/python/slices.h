/* Plugins whose functions are in Python. The facts that a plugin reads of a slice of nodes are laid
 * out in arrays, so Python is called once for each slice. Private to the extension.
 *
 * Owner: a berth_py_plugin and everything it points to belong to Python and live as long as the
 * engine.
 * Threads: those that call the functions of a berth_plugin. */
#ifndef BERTH_BINDINGS_SLICES_H
#define BERTH_BINDINGS_SLICES_H

#include <berth/berth.h>

enum {
    BERTH_PY_RESOURCES_MAX = 16, /* per plugin */
    BERTH_PY_TEXTS_MAX = 8,      /* labels and annotations, of nodes and of pods, each */
    BERTH_PY_DOMAINS_MAX = 4,
};

/* The facts of a pod that a plugin reads. Texts are in the order of the plugin's keys. */
typedef struct berth_py_pod {
    berth_str namespace_name;
    const int64_t *requests;
    const berth_str *labels;
    const berth_str *annotations;
    berth_owner owner;
    uint64_t id; /* BERTH_POD_NONE: not read */
    int32_t priority;
} berth_py_pod;

/* A pod on a node of a slice. */
typedef struct berth_py_node_pod {
    uint64_t id;
    berth_str namespace_name;
    int32_t priority;
} berth_py_node_pod;

/* A slice of nodes; rows have BERTH_SLICE entries, one for each label, annotation, count. */
typedef struct berth_py_slice {
    uint32_t count;
    const uint32_t *nodes;
    uint8_t *asked;  /* 1: the node is asked about; a filter clears the nodes that it refuses */
    int64_t *values; /* NULL: the call is to a filter */
    const berth_py_pod *pod;
    const int64_t *const *allocatable; /* a column for each resource; NULL: no node has it */
    const int64_t *const *requested;   /* entries are also NULL if the plugin may not read usage */
    const berth_str *labels;
    const berth_str *annotations;
    const berth_str *names;
    const uint32_t *domains;
    uint32_t domain_count;
    const berth_py_node_pod *pods; /* the pods of node i end at pod_ends[i] */
    const uint32_t *pod_ends;      /* NULL: not read, or no memory */
    const berth_str *pod_texts;    /* for each pod in turn: labels, then annotations */
} berth_py_slice;

/* The Python functions. They may use their arguments until they return. */
typedef struct berth_py_functions {
    int (*configure)(void *context, berth_str arguments, berth_error *error);
    /* Returns a berth_prepared; the reason of a refusal is written to `reason`, cut to `size`. */
    int (*prepare)(void *context, void *preparation, const berth_py_pod *pod, char *reason,
                   size_t size);
    void (*slice)(void *context, const berth_py_slice *slice);
    int (*reserve)(void *context, uint64_t pod, uint32_t node);
    void (*unreserve)(void *context, uint64_t pod, uint32_t node);
} berth_py_functions;

/* A plugin, and the facts that it reads. */
typedef struct berth_py_plugin {
    berth_plugin table;
    berth_py_functions call;
    void *context;
    const volatile uint8_t *failing; /* a function has raised in the current call */
    bool has_configure, has_prepare, has_reserve, has_unreserve, has_filter, has_score;
    bool node_names, node_pods;
    bool reads_id; /* reads the pod and its priority */
    berth_str reason;
    uint32_t resource_count, node_label_count, pod_label_count;
    uint32_t node_annotation_count, pod_annotation_count;
    const berth_str *resources;
    const berth_str *node_labels;
    const berth_str *pod_labels;
    const berth_str *node_annotations;
    const berth_str *pod_annotations;
} berth_py_plugin;

/* Set the functions of `plugin->table` that the plugin has. */
void berth_py_plugin_fill(berth_py_plugin *plugin);

/* Request counts of pods by topology domain for the decision being prepared, with at most
 * BERTH_PY_DOMAINS_MAX selections; `prepare` calls this. Returns false if there is no memory. */
bool berth_py_plugin_count(void *preparation, const berth_pod_selection *selections,
                           uint32_t count);

#endif
