/* A pod's (anti-)affinity to running pods, and theirs to it, resolved to counters. */
#ifndef BERTH_PLUGINS_AFFINITY_RULES_H
#define BERTH_PLUGINS_AFFINITY_RULES_H

#include "columns/pod_counts.h"
#include "plugins/plugin.h"

/* InterPodAffinity's arguments. */
typedef struct berth__affinity_args {
    int32_t hard_weight; /* weight of a running pod's required affinity in scores; 0: none */
    bool ignore_preferred_of_existing;
} berth__affinity_args;

typedef struct berth__soft_affinity {
    const berth__domain_counts *counts;
    int64_t weight; /* per counted pod; negative: prefers other domains */
} berth__soft_affinity;

/* A growing list of domain counts. */
typedef struct berth__count_list {
    const berth__domain_counts **items;
    uint32_t count;
    uint32_t capacity;
} berth__count_list;

/* The body of a plan. */
typedef struct berth__affinity {
    berth_str problem;          /* kube-scheduler's message about the pod's invalid selector */
    bool has_required;          /* the pod has required terms of its own */
    bool has_preferred;         /* the pod has preferred terms of its own */
    bool self;                  /* the pod matches all its own required affinity terms */
    berth__count_list wanted;   /* for each key: pods that match all required affinity terms */
    berth__count_list unwanted; /* for each required anti-affinity term: pods that match it */
    berth__count_list against;  /* pods whose required anti-affinity term selects this pod */
    berth__soft_affinity *soft;
    uint32_t soft_count;
    uint32_t soft_capacity;
    uint64_t holders_seen; /* populations of held terms that were looked at, by holders_added */
} berth__affinity;

/* The pods that a term of the pod being placed selects. The same term of a running pod may select
 * other pods: see the behaviour own_namespaces_open. */
berth__pod_filter berth__affinity_own_filter(const berth__model *model,
                                             const berth__pod_term *term);

/* The first invalid selector of some terms, or NULL. Terms with an invalid selector count no
 * pods. */
const berth__selector *berth__affinity_unreadable(const berth__pod_terms *terms);

/* Store the pod's affinity as a plan in `*out`, with counters up to date; NULL if neither the pod
 * nor any running pod has a term. A what-if that brings new terms resolves the plan again, so the
 * caller keeps the plan, not its body. Returns false when out of memory. */
bool berth__affinity_resolve(const berth__question *cycle, const berth__affinity_args *args,
                             const berth__plan **out);

static inline const berth__affinity *berth__affinity_of(const berth__plan *plan)
{
    return plan->body;
}

#endif
