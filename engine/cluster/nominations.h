/* Nominations: nodes kept for pending pods, by preemption or by the pods' status.
 *
 * A pod's nomination is dormant while the pod is on a node, and awake again when the pod is taken
 * off. */
#ifndef BERTH_CLUSTER_NOMINATIONS_H
#define BERTH_CLUSTER_NOMINATIONS_H

#include "base/keymap.h"
#include "base/undo_log.h"
#include "columns/view.h"
#include "model/pod.h"

typedef struct berth__nomination {
    berth__keymap_entry entry;
    uint32_t pod;
    uint32_t node;           /* id, present or not */
    const berth__class *cls; /* the pod's class, and its priority */
    int32_t priority;
    bool awake;                                /* the pod is pending: it is on the node's list */
    bool from_object;                          /* from the pod's status, not by the engine's user */
    bool ruling;                               /* the class has rules about other pods */
    struct berth__nomination *next, *previous; /* on the node's list */
} berth__nomination;

typedef struct berth__nominations {
    const berth_allocator *allocator;
    berth__view *view; /* its journal records every change as a change of the node's slot */
    berth__keymap by_pod;
    berth__nomination **of_node; /* by node id: the first; grown on demand */
    uint32_t node_capacity;
    berth__nomination *spare; /* for the next pod to be nominated */
    uint32_t awake_count;
    uint32_t ruling_count; /* awake nominations of pods with rules about other pods */
    berth__undo_log *undo; /* NULL: changes are permanent */
} berth__nominations;

berth_status berth__nominations_init(berth__nominations *nominations,
                                     const berth_allocator *allocator, berth__view *view);
void berth__nominations_destroy(berth__nominations *nominations);

/* Reserve the memory for the next nomination for a node, including records in `undo`. (The caller
 * reserves those for drop and wake, one each.) Errors: BERTH_E_NOMEM. */
berth_status berth__nominations_reserve(berth__nominations *nominations, uint32_t node);

/* Nominate a pod, replacing an earlier nomination. Memory must be reserved. Call it again when the
 * pod's class or priority changes. */
void berth__nominations_set(berth__nominations *nominations, const berth__pods *pods, uint32_t pod,
                            uint32_t node, bool from_object);

/* The same, and end the nominations of pods of lower priority for the node. */
void berth__nominations_take_over(berth__nominations *nominations, const berth__pods *pods,
                                  uint32_t pod, uint32_t node);

/* Forget a pod's nomination, if it has one. */
void berth__nominations_drop(berth__nominations *nominations, uint32_t pod);

/* The pod arrived on a node (not awake) or left it. Does nothing without a nomination. */
void berth__nominations_wake(berth__nominations *nominations, uint32_t pod, bool awake);

/* The pod's nomination, or NULL. */
const berth__nomination *berth__nominations_find(const berth__nominations *nominations,
                                                 uint32_t pod);

/* The first awake nomination for a node; others follow by `next`. */
static inline const berth__nomination *berth__nominations_on(const berth__nominations *nominations,
                                                             uint32_t node)
{
    return node < nominations->node_capacity ? nominations->of_node[node] : NULL;
}

#endif
