/* Which pods of one node would have to go so that a pod fits there, and what that would cost. */
#ifndef BERTH_WHATIF_VICTIMS_H
#define BERTH_WHATIF_VICTIMS_H

#include "model/disruption.h"
#include "whatif/dry_run.h"

/* A pod that could give way. */
typedef struct berth__lower_pod {
    const berth__class *cls;
    int64_t start_ns; /* INT64_MAX: it has not started */
    uint32_t pod;
    uint32_t place; /* among the node's pods of lower priority, in kube-scheduler's order */
    int32_t priority;
    bool violates; /* its leaving violates a disruption budget */
    bool stays;    /* it need not leave */
    bool away;     /* it could not be put back */
} berth__lower_pod;

/* Memory for one node's pods of lower priority. */
typedef struct berth__victims {
    const berth_allocator *allocator;
    berth__disruption *disruption;
    const berth__behaviours *behaviours; /* of the node at hand */
    berth__lower_pod *lower;
    uint32_t lower_count;
    uint32_t lower_capacity;
} berth__victims;

void berth__victims_init(berth__victims *victims, const berth_allocator *allocator,
                         berth__disruption *disruption);
void berth__victims_destroy(berth__victims *victims);

/* Dry-run a slot (`dry_run` has been asked): out->state tells whether the pod fits once pods of
 * lower priority have left; those in victims->lower that do not stay are the victims, in
 * kube-scheduler's order. If it does not fit, `reasons` (optional) receives why. Errors: E_NOMEM.
 * Source: kube-scheduler v1.32, plugins/defaultpreemption, SelectVictimsOnNode. */
berth_status berth__victims_select(berth__victims *victims, berth__dry_run *dry_run, uint32_t slot,
                                   berth__candidate *out, berth__reasons *reasons);

/* Whether `a` costs less than `b`: negative; more: positive; the same: 0.
 * Source: kube-scheduler v1.32, framework/preemption, pickOneNodeForPreemption. */
int berth__candidate_compare(const berth__candidate *a, const berth__candidate *b);

#endif
