/* A pod of the queue: one record from its submission to its outcome. */
#ifndef BERTH_QUEUE_QUEUE_ITEM_H
#define BERTH_QUEUE_QUEUE_ITEM_H

#include "berth/scheduler.h"
#include "model/pod.h"

/* Taken and not yet put back: in no heap and no pool. */
#define BERTH__POD_DECIDING BERTH_POD_STATE_COUNT
/* It waits with its PodGroup, which has one turn for all its pods (pod_groups.h). */
#define BERTH__POD_WITH_GROUP (BERTH_POD_STATE_COUNT + 1)

/* The stages of a profile that rejected a pod: bit i for filter i. The last two bits stand for a
 * cluster without nodes and for extenders, which cannot say what they wait for, so that any change
 * counts. */
typedef uint64_t berth__stage_set;
enum { BERTH__STAGES_MAX = 62, BERTH__STAGE_NO_NODES = 62, BERTH__STAGE_EXTENDERS = 63 };

typedef struct berth__queue_item {
    uint32_t pod; /* index, and generation of its record; BERTH_POD_INDEX_NONE: a group's turn */
    uint32_t generation;
    uint32_t profile;
    int32_t state;    /* berth_pod_state, BERTH__POD_DECIDING or BERTH__POD_WITH_GROUP */
    int32_t priority; /* the priority in the queue's order */
    uint32_t attempts;
    uint32_t rejections; /* attempts that found no node */
    uint32_t errors;     /* consecutive latest attempts that ended in an error */
    uint32_t heap_at;    /* position in its heap */
    int64_t submitted_ns;
    int64_t queued_ns;                  /* submitted, or put back last */
    int64_t due_ns;                     /* end of backoff, flush from the pool, or expiry */
    uint64_t order;                     /* orders pods that were put back at the same time */
    berth__stage_set rejectors;         /* of the last attempt */
    berth__stage_set helped;            /* while deciding: stages that a change may have helped */
    struct berth__waiting_group *group; /* in the pool */
    struct berth__queue_item *group_next, *group_previous; /* if gated: claim_waiters.h */
    uint64_t missing_claim; /* gated: the hash of the first claim that is missing; 0: none */
    /* In the pool, or assumed: by due time. */
    struct berth__queue_item *list_next, *list_previous;
    uint64_t binding; /* assumed: the number of the binding, and the node */
    uint32_t node;
    bool flushed;          /* since its last attempt, or for the current one */
    bool released;         /* its victims have left, and it will soon be tried again */
    bool deferred;         /* active, but it waits for other pods' evictions to begin */
    bool among_preempting; /* gated, in the queue's pool `preempting` */
    bool stirred;          /* it may fit elsewhere since its victims were chosen */
    uint32_t leaving;      /* victims that it waits for (running_evictions.h) */
    uint32_t requested;    /* those of `leaving` not terminating yet; it is gated meanwhile */
    uint64_t preemption;   /* the number of its last preemption; 0: none */
    struct berth__queued_group *pod_group; /* the group of the turn, or with which the pod waits */
    struct berth__queued_group *leaf;      /* the pod's own PodGroup, if it waits with a group, */
    bool stops, claims; /* and whether it is counted in that group's `stopped`, and `claiming` */
} berth__queue_item;

/* Items in order of due time; an appended item must be due last. */
typedef struct berth__item_list {
    berth__queue_item *first, *last;
    uint64_t count;
} berth__item_list;

static inline void berth__item_list_append(berth__item_list *list, berth__queue_item *item)
{
    item->list_next = NULL;
    item->list_previous = list->last;
    *(list->last != NULL ? &list->last->list_next : &list->first) = item;
    list->last = item;
    list->count++;
}

static inline void berth__item_list_remove(berth__item_list *list, berth__queue_item *item)
{
    *(item->list_previous != NULL ? &item->list_previous->list_next : &list->first) =
        item->list_next;
    *(item->list_next != NULL ? &item->list_next->list_previous : &list->last) =
        item->list_previous;
    list->count--;
}

#endif
