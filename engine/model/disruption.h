/* PodDisruptionBudgets: how many of the pods that each one covers may still be evicted. */
#ifndef BERTH_MODEL_DISRUPTION_H
#define BERTH_MODEL_DISRUPTION_H

#include "base/undo_log.h"
#include "model/label_index.h"
#include "model/pod_class.h"

typedef struct berth__budget {
    berth__keymap_entry entry;
    struct {
        berth__sym namespace_name;
        berth__sym name;
    } key;
    berth__arena arena; /* holds the budget itself */
    berth__selector selector;
    int32_t allowed;            /* status.disruptionsAllowed */
    const berth_str *disrupted; /* status.disruptedPods: names of pods already counted */
    uint32_t disrupted_count;
    const berth_object *kept; /* the original, if the engine keeps objects; else NULL */
    uint64_t round;           /* the round of simulated evictions in which `left` was set */
    int64_t left;
} berth__budget;

typedef struct berth__disruption {
    berth__model *model;
    uint64_t stamp; /* of the copy-on-write owner that may change it */
    berth__keymap budgets;
    berth__label_index selectors; /* budgets by their selectors */
    uint64_t epoch;               /* differs after every change */
    uint64_t round;
    berth__budget **covering; /* while a pod is evicted */
    uint32_t covering_count, covering_capacity;
    berth__undo_log *undo; /* NULL: changes are final */
} berth__disruption;

berth_status berth__disruption_create(berth__model *model, berth__disruption **out);
void berth__disruption_destroy(berth__disruption *disruption);

/* A copy that shares nothing with the original. It reads only what lives as long as the budgets do,
 * so the owner may simulate evictions meanwhile. NULL when out of memory. Cost: linear in the
 * budgets. */
berth__disruption *berth__disruption_copy(const berth__disruption *disruption);

/* Release all budgets; see base/cow_owner.h. */
berth__release berth__disruption_release;

/* Add a PodDisruptionBudget, or replace the one of its name. Before add and remove, the caller
 * reserves room for 2 records in `undo`. Errors: BERTH_E_EXISTS, BERTH_E_NOT_FOUND (replace),
 * BERTH_E_NOMEM; nothing has changed then. */
berth_status berth__disruption_add(berth__disruption *disruption, const berth_object *object,
                                   bool replace, berth_error *error);

/* Errors: BERTH_E_NOT_FOUND. */
berth_status berth__disruption_remove(berth__disruption *disruption, berth_kind kind,
                                      berth_str namespace_name, berth_str name, berth_error *error);

/* Begin a simulation of evictions: each budget again allows what its object allows. */
void berth__disruption_begin(berth__disruption *disruption);

/* Simulate one more eviction: take one from each budget that covers the pod, and report whether one
 * of them had none left. Since v1.37 nothing is taken from the budgets after the first that had
 * none; they are visited in the order of their names, which kube-scheduler leaves open. v1.15 does
 * not use up budgets and ignores `disrupted`. Errors: BERTH_E_NOMEM.
 * Source: kube-scheduler v1.32, plugins/defaultpreemption, filterPodsWithPDBViolation; v1.37,
 * framework/preemption/util.go; v1.15.3, core/generic_scheduler.go. */
berth_status berth__disruption_violates(berth__disruption *disruption,
                                        const berth__identity *identity, berth_str pod_name,
                                        bool *violates);

#endif
