/* Selects the victims of preemption on one node: the pods to evict so that a pod fits there, and
 * what that would cost. */
#ifndef BERTH_WHATIF_VICTIMS_H
#define BERTH_WHATIF_VICTIMS_H

#include "model/disruption.h"
#include "whatif/dry_run.h"
#include "whatif/victim_groups.h"

/* A pod that could be evicted, or several that are evicted together. */
typedef struct berth__lower_pod {
    const berth__class *cls;
    int64_t start_ns; /* INT64_MAX: not started */
    uint32_t pod;
    uint32_t place; /* index among the node's pods of lower priority, in kube-scheduler's order */
    int32_t priority;
    uint32_t violations; /* pods whose eviction violates a disruption budget */
    bool stays;          /* it need not be evicted */
    berth__victim_rank rank;
    /* The pods that are evicted together, `pod` among them; 0: only `pod`. */
    const berth__grouped_pod *together;
    uint32_t together_count;
} berth__lower_pod;

/* The number of pods behind an entry, and the pod with a given number among them. */
static inline uint32_t berth__lower_count(const berth__lower_pod *lower)
{
    return lower->together_count > 0 ? lower->together_count : 1;
}

static inline uint32_t berth__lower_at(const berth__lower_pod *lower, uint32_t i)
{
    return lower->together_count > 0 ? lower->together[i].pod : lower->pod;
}

/* Memory for one node's pods of lower priority. */
typedef struct berth__victims {
    const berth_allocator *allocator;
    berth__disruption *disruption;
    const berth__behaviours *behaviours; /* of the current node */
    berth__victim_groups groups;         /* of the current preemption; empty: none */
    berth__lower_pod *lower;
    uint32_t lower_count;
    uint32_t lower_capacity;
} berth__victims;

void berth__victims_init(berth__victims *victims, const berth_allocator *allocator,
                         berth__disruption *disruption);
void berth__victims_destroy(berth__victims *victims);

/* Begin a preemption: find out which pods are evicted together. Errors: BERTH_E_NOMEM. */
berth_status berth__victims_begin(berth__victims *victims, const berth__view *view,
                                  const berth__pods *pods, bool follows_groups);

/* Dry-run a slot (after berth__dry_run_ask). out->state says whether the pod fits without the pods
 * of lower priority. If it does, the victims are the pods in victims->lower that do not stay, in
 * kube-scheduler's order. If it does not fit, `reasons` (optional) receives why. Errors:
 * BERTH_E_NOMEM.
 * Source: kube-scheduler v1.32, plugins/defaultpreemption, SelectVictimsOnNode. */
berth_status berth__victims_select(berth__victims *victims, berth__dry_run *dry_run, uint32_t slot,
                                   berth__candidate *out, berth__reasons *reasons);

/* Add victims, by pod index, to what evicting a candidate's victims costs. */
void berth__candidate_weigh(const berth__pods *pods, const uint32_t *victims, uint32_t count,
                            berth__candidate *candidate);

/* Compare costs: negative if `a` costs less than `b`, positive if it costs more, 0 if equal.
 * Source: kube-scheduler v1.32, framework/preemption, pickOneNodeForPreemption. */
int berth__candidate_compare(const berth__candidate *a, const berth__candidate *b);

#endif
