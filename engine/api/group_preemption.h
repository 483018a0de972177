/* Preemption inside a group: for a pod that fits nowhere, less important ones leave their nodes. */
#ifndef BERTH_API_GROUP_PREEMPTION_H
#define BERTH_API_GROUP_PREEMPTION_H

#include "berth/transaction.h"

/* An eviction: the arguments of berth_group_evicted. */
typedef struct berth__group_eviction {
    berth_pod_id victim;
    berth_node_id node;
    uint32_t preemptor;
} berth__group_eviction;

/* The evictions for one group, in their order. */
typedef struct berth__group_preemption {
    berth_engine *engine;
    const berth_pod_id *pods;
    berth_explanation *why; /* NULL until a pod does not fit */
    berth__group_eviction *evictions;
    uint32_t count, capacity;
} berth__group_preemption;

/* Preempt for pods[index], which was just refused; in an open transaction. If that helps, the
 * victims are pending, the pod is placed and `*placement` receives the decision; otherwise nothing
 * has changed. Errors: those of berth_engine_decide, berth_engine_unbind and
 * berth_engine_schedule. */
berth_status berth__group_preempt(berth__group_preemption *preemption, uint32_t index,
                                  berth_placement *placement, berth_error *error);

/* Report all evictions. */
void berth__group_preemption_tell(const berth__group_preemption *preemption,
                                  berth_group_evicted evicted, void *context);

void berth__group_preemption_free(berth__group_preemption *preemption);

#endif
