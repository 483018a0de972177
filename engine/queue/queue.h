/* The scheduling queue: pods that are active, in backoff, gated, or wait in the pool of
 * unschedulable ones; and those that were assumed, until their binding is known.
 *
 * One pod is taken at a time. A change that comes while it is being decided (victims that
 * go at once) is put to the filters there and then, and remembered by stage: should one of
 * these stages turn out to have rejected the pod, it does not go to the pool. So no change
 * is lost to a pod in flight.
 *
 * Memory for whatever can happen to a pod later is taken when it is submitted, groups of the pool
 * aside; where there is none for a group, the pod waits in backoff instead. Nothing is lost.
 *
 * Source: kube-scheduler v1.32 and v1.36, backend/queue/scheduling_queue.go, active_queue.go,
 * backoff_queue.go. */
#ifndef BERTH_QUEUE_QUEUE_H
#define BERTH_QUEUE_QUEUE_H

#include "queue/item_heap.h"
#include "queue/waiting_pool.h"

typedef struct berth__queue_times {
    int64_t backoff_initial_ns;
    int64_t backoff_max_ns;
    int64_t unschedulable_max_ns;
} berth__queue_times;

typedef struct berth__queue {
    const berth_allocator *allocator;
    const berth__pods *pods;
    const berth__view *view;
    const berth__ready_profile *profiles;
    const berth__behaviours *behaviours;
    berth__queue_times times;
    int64_t now_ns;
    uint64_t order;             /* the last one given */
    berth__queue_item **by_pod; /* by pod index; NULL: not in the queue */
    uint32_t by_pod_capacity;
    berth__queue_item *spare; /* free records, linked by list_next */
    uint64_t item_count;
    /* In backoff after a rejection, and after an error. With backoff_pops_early the first kind may
     * be taken before its time. */
    berth__item_heap active, backoff, backoff_of_errors;
    berth__waiting_pool pool;
    berth__item_list assumed;    /* by expiry */
    berth__item_list gated;      /* as they came */
    berth__queue_item *deciding; /* NULL: none */
    uint64_t woken, flushed;
} berth__queue;

berth_status berth__queue_init(berth__queue *queue, const berth_allocator *allocator,
                               const berth__pods *pods, const berth__view *view,
                               const berth__ready_profile *profiles, uint32_t profile_count,
                               const berth__queue_times *times);
void berth__queue_destroy(berth__queue *queue);

/* Make sure that a pod of an index below `pod_bound` can be submitted. Errors: E_NOMEM. */
berth_status berth__queue_reserve(berth__queue *queue, uint32_t pod_bound);

/* The pod's record, or NULL. */
static inline berth__queue_item *berth__queue_find(const berth__queue *queue, uint32_t pod)
{
    return pod < queue->by_pod_capacity ? queue->by_pod[pod] : NULL;
}

/* A new pod; memory was reserved. */
void berth__queue_submit(berth__queue *queue, uint32_t pod, uint32_t profile);

/* The pod comes to its outcome. */
void berth__queue_remove(berth__queue *queue, berth__queue_item *item);

/* Time goes on: backoffs end, the pool is flushed. Expiries are the caller's. */
void berth__queue_advance(berth__queue *queue, int64_t now_ns);

/* Take the first active pod, or NULL. */
berth__queue_item *berth__queue_take(berth__queue *queue);

/* Where a pod that was taken goes: to the pool, its attempt rejected by these stages; to
 * backoff after an error or a binding that came to nothing; to the active ones as if it had
 * not been taken; or to the assumed ones until `due_ns`. */
void berth__queue_reject(berth__queue *queue, berth__queue_item *item, berth__stage_set rejectors);
void berth__queue_retry(berth__queue *queue, berth__queue_item *item);
void berth__queue_put_back(berth__queue *queue, berth__queue_item *item);
void berth__queue_assume(berth__queue *queue, berth__queue_item *item, uint64_t binding,
                         uint32_t node, int64_t due_ns);

/* The waiting pod itself has changed: gates, priority, profile, what rules read. */
void berth__queue_update(berth__queue *queue, berth__queue_item *item, uint32_t profile);

/* A pod of the pool is worth another attempt. */
void berth__queue_wake_item(berth__queue *queue, berth__queue_item *item);

/* The cluster has changed: wake whom that may help. */
void berth__queue_wake(berth__queue *queue, berth__wake *wake);

/* The time in `span_ns` from now; BERTH_TIME_NEVER if that is too far to tell. */
int64_t berth__queue_term(const berth__queue *queue, int64_t span_ns);

/* When the queue changes by itself, expiries included; see berth_scheduler_next. */
int64_t berth__queue_next(const berth__queue *queue);

/* Errors: E_INTERNAL naming what is broken. */
berth_status berth__queue_check(const berth__queue *queue, berth_error *error);

#endif
