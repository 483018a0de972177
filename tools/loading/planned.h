/* The plan for each workload that a manifest changes; private to changes.c and rollouts.c. */
#ifndef BERTH_TOOLS_PLANNED_H
#define BERTH_TOOLS_PLANNED_H

#include "loading/changes.h"

/* The features by which templates are compared. */
typedef struct shape {
    uint64_t image; /* hash of the first container's image */
    int64_t cpu_milli, memory_milli;
} shape;

/* An existing pod and its owner. */
typedef struct owned_pod {
    uint32_t owner; /* number in `owners` */
    berth_pod_id pod;
    shape shape;
} owned_pod;

/* An existing pod of a workload that is changed. */
typedef struct old_pod {
    berth_pod_id pod;
    berth_node_id node;
    shape shape;
    bool stays; /* the manifest wants a pod in its place */
    bool gone;
} old_pod;

typedef struct planned {
    workload_change what;
    uint32_t owner;   /* owner of the new pods, number in `owners` */
    bool by_identity; /* a new pod replaces the old one of the same name, or on the same node */
    bool by_node;
    bool is_there, same_template, template_fixed;
    bool begun;
    uint64_t met; /* new pods seen */
    old_pod *old;
    size_t old_count;
    /* The rollout strategy; with `plays` the new pods wait in `held`. */
    berth_rollout rollout;
    berth_count_or_percent max_surge, max_unavailable;
    int64_t partition;
    bool plays;
    berth_object **held;
    size_t held_count, held_capacity;
} planned;

struct changes {
    bool plays;        /* rollouts are played later, not applied at once */
    word_table owners; /* "KIND NAMESPACE/NAME" */
    owned_pod *pods;
    size_t pod_count, pod_capacity;
    planned *plans;
    size_t plan_count, plan_capacity;
    workload_change *shown; /* changes of workloads that already have pods */
    size_t shown_count, shown_capacity;
    size_t planned_shown; /* how many of them belong to `plans` and borrow their texts */
    rollout *rollouts;    /* rollouts that were played */
    size_t rollout_count;
};

/* The old pod that a new one replaces, by name or node, or NULL. */
old_pod *planned_place(const berth_engine *engine, const planned *plan, const berth_pod *fresh);

/* Remove an old pod from the engine, if it is still there. */
berth_status planned_remove(berth_engine *engine, old_pod *old, berth_error *error);

/* The ordinal at the end of a StatefulSet pod's name; -1: none. */
int64_t planned_ordinal(berth_str pod_name);

#endif
