/* Places of the scheduling queue, for the files that move pods between them. An item is a pod, or
 * the turn of a PodGroup. */
#ifndef BERTH_QUEUE_PLACES_H
#define BERTH_QUEUE_PLACES_H

#include "model/related.h"
#include "queue/queue.h"

static inline bool berth__is_turn(const berth__queue_item *item)
{
    return item->pod == BERTH_POD_INDEX_NONE;
}

/* Not of a turn. */
static inline berth__class *berth__queue_class(const berth__queue *queue,
                                               const berth__queue_item *item)
{
    return berth__pod_at(queue->pods, item->pod)->cls;
}

/* How many pods an item stands for. */
static inline uint32_t berth__pods_of(const berth__queue_item *item)
{
    return berth__is_turn(item) ? item->pod_group->count : 1;
}

/* Whether the pod of an item still exists. After a transaction, the items of removed pods are
 * removed one by one. */
static inline bool berth__queue_is_present(const berth__queue *queue, const berth__queue_item *item)
{
    const berth__pod_record *pod = berth__pod_at(queue->pods, item->pod);
    return pod->cls != NULL && pod->generation == item->generation;
}

/* Put an item that is in no place: among the active items; among the gated ones; into backoff
 * (active if the backoff is over, gated if something gates it); into the pool. */
void berth__place_active(berth__queue *queue, berth__queue_item *item);
void berth__place_gated(berth__queue *queue, berth__queue_item *item);
void berth__place_tried(berth__queue *queue, berth__queue_item *item);
void berth__place_in_pool(berth__queue *queue, berth__queue_item *item);

/* Remove an item from its current place. */
void berth__displace(berth__queue *queue, berth__queue_item *item);

/* Whether an item is gated: by all of PreEnqueue, or only by the pod's scheduling gates. */
bool berth__queue_is_gated(const berth__queue *queue, const berth__queue_item *item);
bool berth__queue_has_gates(const berth__queue *queue, const berth__queue_item *item);

/* Fill `stops` and `claims` of a pod that is about to wait with a group. */
void berth__queue_note_gates(const berth__queue *queue, berth__queue_item *item);

/* Let a gated item wait for the claim that it misses now. */
void berth__queue_renew_claim(berth__queue *queue, berth__queue_item *item);

/* The hash of the first claim that an item misses; 0: none. */
uint64_t berth__queue_missing_claim(const berth__queue *queue, const berth__queue_item *item);

/* The facts of a group's PodGroup; NULL: it does not exist. */
const berth__group_facts *berth__queue_facts(const berth__queue *queue,
                                             const berth__queued_group *group);

/* ---- pods of PodGroups (turns.c) ---- */

static inline bool berth__queue_has_group(const berth__queue *queue, const berth__queue_item *item)
{
    return berth__queue_class(queue, item)->identity->pod_group != 0;
}

/* Let a new pod, or one whose binding failed, wait with its group. */
void berth__queue_join_group(berth__queue *queue, berth__queue_item *item);

/* The pod no longer waits. */
void berth__queue_leave_group(berth__queue *queue, berth__queue_item *item);

/* The pod changed. */
void berth__queue_update_member(berth__queue *queue, berth__queue_item *item, uint32_t profile);

#endif
