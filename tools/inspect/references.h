/* Checks the references between objects of an input: whether controllers, claims, volumes, classes,
 * namespaces and nodes exist. */
#ifndef BERTH_TOOLS_REFERENCES_H
#define BERTH_TOOLS_REFERENCES_H

#include "berth/berth.h"
#include "inspect/findings.h"

enum { REFERENCE_CACHE_SIZE = 256 };

/* The target of references: "ReplicaSet prod/web-1". */
typedef struct reference {
    finding_kind kind;
    uint64_t count;
} reference;

/* The references of the first pod of a template (berth_pod.template_id); its replicas have the
 * same. */
typedef struct reference_cached {
    uint64_t template_id;
    uint32_t controller; /* UINT32_MAX: none */
    uint32_t namespace_number;
    uint32_t home; /* namespace of a pod that will be created; UINT32_MAX: none */
} reference_cached;

/* Set the first two members; the rest starts zeroed. */
typedef struct references {
    bool all_pods_move; /* running pods will be placed again, so their references matter, too */
    bool wants_budgets; /* PodDisruptionBudgets matter */
    const char *listed; /* the namespace that the command lists; NULL: all */
    word_table present; /* objects of kinds that others refer to */
    word_table wanted;  /* kind of finding and object, numbered as `items` */
    reference *items;
    size_t capacity;
    word_table namespaces; /* of pods */
    uint64_t *namespace_pods;
    size_t namespace_capacity;
    uint32_t last_namespace;
    bool selects_namespaces;
    word_table owners;    /* controllers of pods */
    word_table workloads; /* workloads whose pods should be in the input */
    uint64_t namespace_objects;
    uint64_t nodes, csi_nodes, csi_volumes, budgets, slices;
    uint64_t device_claims; /* claims without devices */
    reference_cached cache[REFERENCE_CACHE_SIZE];
} references;

/* Look at an object that is about to be added. Returns whether it is a replica of an earlier pod:
 * equal except for name and node. */
bool references_object(references *r, const berth_object *object);

/* Look at a workload that comes from an API server. */
void references_workload(references *r, berth_str kind, berth_str namespace_name, berth_str name);

/* Find pods on missing nodes, once the cluster has been read. */
void references_nodes(const berth_engine *engine, findings *f);

/* Find all other missing objects, once everything has been read. */
void references_end(const references *r, findings *f);

void references_free(references *r);

#endif
