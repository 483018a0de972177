/* What the objects of an input refer to and what of it is there: controllers, claims, volumes,
 * classes, namespaces, nodes. */
#ifndef BERTH_TOOLS_REFERENCES_H
#define BERTH_TOOLS_REFERENCES_H

#include "berth/berth.h"
#include "inspect/findings.h"

enum { REFERENCE_CACHE_SIZE = 256 };

/* One thing that is referred to: "ReplicaSet prod/web-1". */
typedef struct reference {
    finding_kind kind;
    uint64_t count;
} reference;

/* What the first pod of a template (berth_pod.template_id) referred to: its replicas do the
 * same. */
typedef struct reference_cached {
    uint64_t template_id;
    uint32_t controller; /* UINT32_MAX: none */
    uint32_t namespace_number;
    uint32_t home; /* likewise: the namespace of one that is to be created */
} reference_cached;

/* Zeroed but for the first two: nothing seen. */
typedef struct references {
    bool all_pods_move; /* running pods will be placed anew: what matters to them counts, too */
    bool wants_budgets; /* PodDisruptionBudgets are asked about */
    word_table present; /* objects of kinds that others refer to */
    word_table wanted;  /* kind of finding and object, numbered as `items` */
    reference *items;
    size_t capacity;
    word_table namespaces; /* of pods */
    uint64_t *namespace_pods;
    size_t namespace_capacity;
    uint32_t last_namespace;
    bool selects_namespaces;
    word_table owners;    /* of pods: what made them */
    word_table workloads; /* that are taken to have their pods in the input */
    uint64_t namespace_objects;
    uint64_t nodes, csi_nodes, csi_volumes, budgets, slices;
    uint64_t device_claims; /* that have no devices yet */
    reference_cached cache[REFERENCE_CACHE_SIZE];
} references;

/* Take note of an object that is about to be added. Returns whether it is a replica of a pod that
 * was looked at: alike but for its name and node. */
bool references_object(references *r, const berth_object *object);

/* Take note of a workload that an API server has seen. */
void references_workload(references *r, berth_str kind, berth_str namespace_name, berth_str name);

/* Find pods on nodes that are not there, once the cluster has been read. */
void references_nodes(const berth_engine *engine, findings *f);

/* Find what else is not there, once everything has been read. */
void references_end(const references *r, findings *f);

void references_free(references *r);

#endif
