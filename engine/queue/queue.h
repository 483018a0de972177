/* The scheduling queue: pods that are active, in backoff, gated, or in the pool of unschedulable
 * ones; and assumed pods, until the result of their binding is known.
 *
 * One pod is taken at a time. A change during its decision (for example, victims that leave right
 * away) is shown to the filters immediately, and the stages that it may help are remembered. If one
 * of these stages then turns out to have rejected the pod, the pod does not enter the pool. So a
 * pod that is being decided misses no change.
 *
 * The waiting pods of a PodGroup have one turn for all of them (pod_groups.h).
 *
 * All memory that a pod may need later is allocated when the pod is submitted, except for groups of
 * the pool. If there is no memory for a group, the pod waits in backoff instead. No pod is lost.
 *
 * Source: kube-scheduler v1.32, v1.36 and v1.37, backend/queue/scheduling_queue.go,
 * active_queue.go, backoff_queue.go. */
#ifndef BERTH_QUEUE_QUEUE_H
#define BERTH_QUEUE_QUEUE_H

#include "cluster/nominations.h"
#include "queue/claim_waiters.h"
#include "queue/item_heap.h"
#include "queue/pod_groups.h"
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
    uint64_t order;             /* the last number used */
    berth__queue_item **by_pod; /* by pod index; NULL: not in the queue */
    uint32_t by_pod_capacity;
    berth__queue_item *spare; /* free records, linked by list_next */
    uint64_t item_count;
    /* In backoff after a rejection, and after an error (or as a group). With backoff_pops_early,
     * pods of the first kind may be taken before their backoff ends. */
    berth__item_heap active, backoff, backoff_of_errors;
    berth__waiting_pool pool;
    berth__waiting_pool preempting; /* gated by evictions that have not begun */
    berth__item_list assumed;       /* by expiry */
    berth__item_list gated;         /* the others, in order of arrival */
    berth__item_list deferred;      /* active, but deferred until berth__queue_admit */
    uint32_t released;              /* pods to be tried soon, whose victims have left */
    uint32_t reviews;               /* deferred pods that may have lost their reason to wait */
    berth__claim_waiters waiters;   /* the gated items that miss a claim */
    berth__pod_groups groups;       /* the PodGroups of all known pods */
    berth__queue_item *deciding;    /* NULL: none */
    const berth__nominations *nominations;
    uint64_t woken, flushed;
    uint64_t backoff_ended, popped_early, freed_active, freed_backoff;
} berth__queue;

berth_status berth__queue_init(berth__queue *queue, const berth_allocator *allocator,
                               const berth__pods *pods, const berth__view *view,
                               const berth__ready_profile *profiles, uint32_t profile_count,
                               const berth__queue_times *times);
void berth__queue_destroy(berth__queue *queue);

/* Make sure that a pod of an index below `pod_bound` can be submitted. Errors: BERTH_E_NOMEM. */
berth_status berth__queue_reserve(berth__queue *queue, uint32_t pod_bound);

/* The pod's record, or NULL. */
static inline berth__queue_item *berth__queue_find(const berth__queue *queue, uint32_t pod)
{
    return pod < queue->by_pod_capacity ? queue->by_pod[pod] : NULL;
}

/* Add a new pod; memory was reserved. */
void berth__queue_submit(berth__queue *queue, uint32_t pod, uint32_t profile);

/* Remove a pod that has its outcome. */
void berth__queue_remove(berth__queue *queue, berth__queue_item *item);

/* Advance the time: backoffs end, the pool is flushed. The caller handles expiries. */
void berth__queue_advance(berth__queue *queue, int64_t now_ns);

/* Take the first active pod or turn of a PodGroup, or NULL. */
berth__queue_item *berth__queue_take(berth__queue *queue);

/* Put back the pod that was taken: into the pool, if these stages rejected it; into backoff, after
 * an error or a failed binding; among the active ones, as if it had not been taken; or among the
 * assumed ones until `due_ns`. */
void berth__queue_reject(berth__queue *queue, berth__queue_item *item, berth__stage_set rejectors);
void berth__queue_retry(berth__queue *queue, berth__queue_item *item);
void berth__queue_put_back(berth__queue *queue, berth__queue_item *item);
/* Put it back among the active ones, behind the queued pods of its priority, and hold it back until
 * berth__queue_admit. The attempt does not count. */
void berth__queue_defer(berth__queue *queue, berth__queue_item *item);

/* A pod of the group whose turn was taken is placed: it leaves the group and becomes the pod being
 * decided, so that it can be assumed. */
void berth__queue_single_out(berth__queue *queue, berth__queue_item *item);

/* A pod of that group was not placed by this attempt, and stays with the group. */
void berth__queue_stay(berth__queue *queue, berth__queue_item *item);

/* The group's attempt is over; pods that stayed get another turn: immediately if the group was
 * placed, otherwise after a backoff. */
void berth__queue_settle(berth__queue *queue, berth__queue_item *turn, berth_verdict verdict);

/* Allow the pod that was deferred first to be taken, if any is deferred. */
void berth__queue_admit(berth__queue *queue);

void berth__queue_assume(berth__queue *queue, berth__queue_item *item, uint64_t binding,
                         uint32_t node, int64_t due_ns);

/* A waiting pod itself changed: its gates, priority, profile, or what rules read. */
void berth__queue_update(berth__queue *queue, berth__queue_item *item, uint32_t profile);

/* Wake a pod of the pool for another attempt. */
void berth__queue_wake_item(berth__queue *queue, berth__queue_item *item);

/* Make the turn of a group active, unless something gates the group. */
void berth__queue_activate(berth__queue *queue, berth__queue_item *turn);

/* Count a pod of a group as known (`change` 1), before it is submitted if it is submitted at all;
 * or no longer (-1), after it was removed. Memory was reserved. */
void berth__queue_know(berth__queue *queue, const berth__identity *identity, int change);

/* Reset the counts of known pods, before calling berth__queue_know for all of them; and finish
 * that, which follows the PodGroups that changed meanwhile. */
void berth__queue_count_anew(berth__queue *queue);
void berth__queue_end_count(berth__queue *queue);

/* A PodGroup or CompositePodGroup was added, changed or removed: pods move to the turns of their
 * new roots, and the turn of its root is gated, let in, or gets another priority. Memory was
 * reserved.
 * Cost: linear in the groups below it, and in the pods that wait with those that move. */
void berth__queue_follow_group(berth__queue *queue, berth__sym namespace_name, berth__sym name,
                               bool composite);

/* Whether a pod, which is of this identity now, waits with another group than it should. */
bool berth__queue_has_moved(const berth__queue *queue, const berth__queue_item *item,
                            const berth__identity *identity);

/* The number of known pods of a group and those below it; the first level is 1. */
uint32_t berth__queue_known_below(const berth__queue *queue, berth__sym namespace_name,
                                  berth__sym name, bool composite, uint32_t level);

/* The number of pods in a state; those that are being decided count as active. */
uint64_t berth__queue_waiting(const berth__queue *queue, berth_pod_state state);

/* The evictions that a pod requested have begun: move it to the pool, or try it again if it changed
 * meanwhile. With `retry`, it stops waiting for victims and is tried again. A group is tried again
 * after its backoff. */
void berth__queue_release(berth__queue *queue, berth__queue_item *item, bool retry);

/* The cluster changed: wake the pods that this may help. */
void berth__queue_wake(berth__queue *queue, berth__wake *wake);

/* Whether a node has room for a pod beside the pods that are nominated for it or on it; unless
 * `lower_stay`, pods of lower priority on it are ignored. Checks only cpu, memory and ephemeral
 * storage. */
bool berth__queue_has_room(const berth__queue *queue, const berth__queue_item *item, uint32_t id,
                           const berth__node_record *node, bool lower_stay);

/* The time in `span_ns` from now; BERTH_TIME_NEVER if that overflows. */
int64_t berth__queue_term(const berth__queue *queue, int64_t span_ns);

/* The time when the queue changes by itself, expiries included; see berth_scheduler_next. */
int64_t berth__queue_next(const berth__queue *queue);

/* Errors: BERTH_E_INTERNAL, with the broken part named. */
berth_status berth__queue_check(const berth__queue *queue, berth_error *error);

#endif
