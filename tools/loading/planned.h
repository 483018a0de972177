/* The plan of each workload that a manifest changes; private to changes.c and rollouts.c. */
#ifndef BERTH_TOOLS_PLANNED_H
#define BERTH_TOOLS_PLANNED_H

#include "loading/changes.h"

/* What tells templates apart. */
typedef struct shape {
    uint64_t image; /* of the first container, hashed */
    int64_t cpu_milli, memory_milli;
} shape;

/* A pod that is there, by what it belongs to. */
typedef struct owned_pod {
    uint32_t owner; /* in owners */
    berth_pod_id pod;
    shape shape;
} owned_pod;

/* A pod that runs of a workload that is changed. */
typedef struct old_pod {
    berth_pod_id pod;
    berth_node_id node;
    shape shape;
    bool stays; /* it was met among those that the manifest wants */
    bool gone;
} old_pod;

typedef struct planned {
    workload_change what;
    uint32_t owner;   /* of its new pods, in owners */
    bool by_identity; /* a pod of its own name, or node, takes the place of an old one */
    bool by_node;
    bool is_there, same_template, template_fixed;
    bool begun;
    uint64_t met; /* new pods */
    old_pod *old;
    size_t old_count;
    /* How it is rolled out; with `plays` its new pods wait in `held`. */
    berth_rollout rollout;
    berth_count_or_percent max_surge, max_unavailable;
    int64_t partition;
    bool plays;
    berth_object **held;
    size_t held_count, held_capacity;
} planned;

struct changes {
    bool plays;        /* rollouts are played later */
    word_table owners; /* "KIND NAMESPACE/NAME" */
    owned_pod *pods;
    size_t pod_count, pod_capacity;
    planned *plans;
    size_t plan_count, plan_capacity;
    workload_change *shown; /* of those of which pods run */
    size_t shown_count, shown_capacity;
    size_t planned_shown; /* of them, those of `plans`, whose texts they borrow */
    rollout *rollouts;    /* that were played */
    size_t rollout_count;
};

/* The old pod in whose place a new one comes, by name or node, or NULL. */
old_pod *planned_place(const berth_engine *engine, const planned *plan, const berth_pod *fresh);

/* Take an old pod out of the engine, if it is there yet. */
berth_status planned_remove(berth_engine *engine, old_pod *old, berth_error *error);

/* The number at the end of the name of a StatefulSet's pod; -1: none. */
int64_t planned_ordinal(berth_str pod_name);

#endif
