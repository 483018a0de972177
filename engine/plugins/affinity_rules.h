/* A pod's (anti-)affinity to the pods that run, and theirs to it, resolved to counters. */
#ifndef BERTH_PLUGINS_AFFINITY_RULES_H
#define BERTH_PLUGINS_AFFINITY_RULES_H

#include "columns/pod_counts.h"
#include "plugins/plugin.h"

/* InterPodAffinity's arguments. */
typedef struct berth__affinity_args {
    int32_t hard_weight; /* of a running pod's required affinity, in scores; 0: none */
    bool ignore_preferred_of_existing;
} berth__affinity_args;

typedef struct berth__soft_affinity {
    const berth__domain_counts *counts;
    int64_t weight; /* of each pod counted; negative: better elsewhere */
} berth__soft_affinity;

/* Some domain counts. */
typedef struct berth__count_list {
    const berth__domain_counts **items;
    uint32_t count;
    uint32_t capacity;
} berth__count_list;

/* Body of a plan. */
typedef struct berth__affinity {
    berth_str problem;          /* a selector of the pod can't be read, in kube-scheduler's words */
    bool has_required;          /* the pod has required terms of its own */
    bool has_preferred;         /* likewise preferred ones */
    bool self;                  /* it matches all its required affinity terms itself */
    berth__count_list wanted;   /* pods that match all of those terms, for each of their keys */
    berth__count_list unwanted; /* pods that match a required anti-affinity term, for each */
    berth__count_list against;  /* pods whose required anti-affinity term speaks of this pod */
    berth__soft_affinity *soft;
    uint32_t soft_count;
    uint32_t soft_capacity;
} berth__affinity;

/* What a term of a pod that is being placed selects, which is not always what it would select of
 * a running one: see the behaviour own_namespaces_open. */
berth__pod_filter berth__affinity_own_filter(const berth__model *model,
                                             const berth__pod_term *term);

/* The first selector of some terms that can't be read, or NULL. Such terms count nobody. */
const berth__selector *berth__affinity_unreadable(const berth__pod_terms *terms);

/* What is known of a pod, counters up to date, as the body of `*out`; NULL if neither it nor any
 * running pod has a term. A what-if that brings unknown terms resolves the plan anew, so it is
 * the plan that is kept. Returns false when out of memory. */
bool berth__affinity_resolve(const berth__question *cycle, const berth__affinity_args *args,
                             const berth__plan **out);

static inline const berth__affinity *berth__affinity_of(const berth__plan *plan)
{
    return plan->body;
}

#endif
