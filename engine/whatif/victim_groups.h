/* Pods on nodes that are evicted together: those of each PodGroup whose disruption mode is All.
 * Gathered once for a preemption, because the pods of a group may be anywhere in the cluster. */
#ifndef BERTH_WHATIF_VICTIM_GROUPS_H
#define BERTH_WHATIF_VICTIM_GROUPS_H

#include "columns/view.h"
#include "model/pod.h"
#include "model/related.h"

typedef struct berth__grouped_pod {
    berth__sym namespace_name, group;
    uint32_t pod; /* index */
} berth__grouped_pod;

typedef struct berth__victim_groups {
    const berth_allocator *allocator;
    berth__grouped_pod *items; /* by namespace, group, pod */
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

/* The facts of a pod's group; NULL: it has none, or its PodGroup does not exist. */
static inline const berth__group_facts *berth__group_of(const berth__view *view,
                                                        const berth__class *cls)
{
    return cls->identity->pod_group == 0
               ? NULL
               : berth__related_pod_group(view->related, cls->identity->namespace_name,
                                          cls->identity->pod_group);
}

/* A pod's priority in preemption: that of its group, if it has one. */
static inline int32_t berth__victim_priority(const berth__view *view,
                                             const berth__pod_record *record)
{
    const berth__group_facts *group = berth__group_of(view, record->cls);
    return group != NULL ? group->priority : record->priority;
}

#endif
