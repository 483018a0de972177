/* Pods on nodes that are evicted together: those of each PodGroup or CompositePodGroup whose
 * disruption mode is All, and that is not below another such one. Gathered once for a preemption,
 * because the pods of a group may be anywhere in the cluster. */
#ifndef BERTH_WHATIF_VICTIM_GROUPS_H
#define BERTH_WHATIF_VICTIM_GROUPS_H

#include "columns/view.h"
#include "model/pod.h"
#include "model/related.h"

/* What a victim counts for in its order: a group counts more than a pod, also than one of a group
 * that is evicted alone, and a composite group more than any other. */
typedef enum berth__victim_rank {
    BERTH__VICTIM_POD,
    BERTH__VICTIM_OF_GROUP,
    BERTH__VICTIM_COMPOSITE,
} berth__victim_rank;

typedef struct berth__grouped_pod {
    berth__sym namespace_name, group; /* the group that is evicted as a whole */
    bool composite;
    uint32_t pod; /* index */
} berth__grouped_pod;

typedef struct berth__victim_groups {
    const berth_allocator *allocator;
    const berth__view *view;   /* of the last gathering */
    berth__grouped_pod *items; /* by namespace, kind, group, pod */
    uint32_t count, capacity;
} berth__victim_groups;

void berth__victim_groups_destroy(berth__victim_groups *groups);

/* Gather the pods of all such groups. Errors: BERTH_E_NOMEM. Cost: visits every pod of the cluster
 * and sorts those that are found. */
berth_status berth__victim_groups_gather(berth__victim_groups *groups, const berth__view *view,
                                         const berth__pods *pods);

/* The pods that are evicted together with one of this class, itself included; `*count` is 0 if its
 * pods are evicted one by one. */
const berth__grouped_pod *berth__victim_groups_of(const berth__victim_groups *groups,
                                                  const berth__class *cls, uint32_t *count);

/* The rank of a pod of this class, with those that are evicted together with it; NULL: none. */
static inline berth__victim_rank berth__victim_rank_of(const berth__class *cls,
                                                       const berth__grouped_pod *together)
{
    if (together != NULL && together->composite)
        return BERTH__VICTIM_COMPOSITE;
    return cls->identity->pod_group != 0 ? BERTH__VICTIM_OF_GROUP : BERTH__VICTIM_POD;
}

/* A pod's priority in preemption: that of the highest group above it that exists, if it has one. */
int32_t berth__victim_priority(const berth__view *view, const berth__pod_record *record);

#endif
