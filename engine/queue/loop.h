/* The inside of berth_scheduler: the queue, the engine's decider, bindings in progress, posted
 * events. */
#ifndef BERTH_QUEUE_LOOP_H
#define BERTH_QUEUE_LOOP_H

#include "api/pod_group.h"
#include "base/assert.h"
#include "decide/preemption.h"
#include "queue/posted_events.h"
#include "queue/queue.h"
#include "queue/running_evictions.h"

/* The result for one pod of a PodGroup, reported by a step of its own. */
typedef struct berth__group_step {
    berth_step step;
    berth_str message; /* in the arena */
} berth__group_step;

typedef struct berth__group_steps {
    berth__group_step *items;
    uint32_t count, capacity;
    uint32_t next; /* the first that was not reported */
    berth__arena arena;
} berth__group_steps;

struct berth_scheduler {
    const berth_allocator *allocator;
    berth_engine *engine;
    berth__decider *decider;
    berth__cluster *cluster;
    berth__queue queue;
    berth__posted_events posted;
    berth_scheduler_callbacks callbacks;
    int64_t bind_timeout_ns;
    bool pace_evictions;
    int64_t pace_end_ns; /* a second after evictions were last requested, or began */
    /* When pods stop waiting for victims that are terminating; most are gone by then, unless they
     * take their time. */
    int64_t leave_end_ns;
    void (*unnominated)(void *context, berth_pod_id pod); /* may be NULL */
    berth_explanation *explanation;                       /* the caller's explanation; NULL: none */
    /* May be NULL. */
    void (*pod_group)(void *context, const berth_pod_group_attempt *attempt);
    berth__group_steps group_steps; /* of the last group that was decided */
    uint32_t binding_serial;        /* of the last binding */
    berth__watcher watcher;         /* registered with the cluster */
    bool calling;                   /* a callback runs */
    /* The update being applied does not mention the pod's node, so it does not confirm a
     * binding. */
    bool silent_on_node;
    berth_pod_id *victims; /* of the current preemption */
    uint32_t victim_capacity;
    berth__running_evictions running;
    uint64_t preemption_serial;        /* of the last preemption */
    berth_scheduler_counters counters; /* the current numbers of pods are filled in on request */
    berth_error trouble;
};

/* Every callback except `notify` is called between these two. They mark the engine as in use, so
 * that nothing can change meanwhile. */
static inline void berth__loop_call_begin(berth_scheduler *scheduler)
{
    BERTH_ASSERT(!scheduler->calling);
    scheduler->calling = true;
}

static inline void berth__loop_call_end(berth_scheduler *scheduler)
{
    scheduler->calling = false;
}

/* ---- waking (loop_wake.c) ---- */

/* A pod arrived on a node, left it, or got another class there: wake the pods that this may help.
 * `node` is an id; for an absent node nothing happens. */
void berth__loop_wake_pod(berth_scheduler *scheduler, uint32_t bits, uint32_t node,
                          const berth__class *before, const berth__class *after);

/* A nomination of a pod of this class for a node has ended. Does nothing for BERTH_NODE_NONE. */
void berth__loop_wake_unkept(berth_scheduler *scheduler, uint32_t node, const berth__class *cls);

/* The cluster's watcher: applies a change to the queue. */
void berth__loop_hear(void *context, const berth__change *change);

/* After a transaction on the engine: compare every pod of the queue with its current state, submit
 * new pods, and retry waiting ones. Does nothing if there was no transaction. Errors:
 * BERTH_E_NOMEM; call again. Cost: linear in the waiting pods. */
berth_status berth__loop_catch_up(berth_scheduler *scheduler);

/* Count all pods of PodGroups. Errors: BERTH_E_NOMEM; call again. Cost: visits every pod if groups
 * are followed. */
berth_status berth__loop_know_all(berth_scheduler *scheduler);

/* Submit a pod if it is pending, not terminating, and served by a profile; memory was reserved. */
void berth__loop_submit(berth_scheduler *scheduler, uint32_t pod);

/* The node that a pending pod is nominated for, or BERTH_NODE_NONE. */
uint32_t berth__loop_nominated(const berth_scheduler *scheduler, uint32_t pod);

/* ---- bindings (loop_bind.c) ---- */

/* Put the pod that is being decided on a node, and request its binding. Errors: BERTH_E_NOMEM, and
 * those of a plugin that refuses to reserve; the pod is then on no node, and is still being
 * decided. */
berth_status berth__loop_assume(berth_scheduler *scheduler, berth__queue_item *item, uint32_t node,
                                berth_step *out);

/* The second half of that: the pod that is being decided was put on its node, and `kept` was the
 * node for which it was nominated; request the binding. */
void berth__loop_assumed(berth_scheduler *scheduler, berth__queue_item *item, uint32_t node,
                         uint32_t kept, berth_step *out);
berth_step_kind berth__loop_have_bound(berth_scheduler *scheduler, berth__queue_item *item);

/* An assumed pod is bound. */
void berth__loop_confirm(berth_scheduler *scheduler, berth__queue_item *item);

/* The binding failed, and the pod may try again: take it off its node. Errors: BERTH_E_NOMEM, if
 * the engine has been published since the pod was bound; then the pod is still assumed. */
berth_status berth__loop_forget(berth_scheduler *scheduler, berth__queue_item *item,
                                berth_unbind_reason reason);

/* A change of the pod ended its binding: record its outcome. The engine knows of the change
 * already. */
void berth__loop_abandon(berth_scheduler *scheduler, berth__queue_item *item,
                         berth_unbind_reason reason);

/* Handle the answer to a binding. Errors: BERTH_E_NOMEM; answer again. */
berth_status berth__loop_answer(berth_scheduler *scheduler, berth_binding_id binding,
                                berth_answer answer);

/* Forget bindings whose time is up. Errors: BERTH_E_NOMEM; call again. */
berth_status berth__loop_expire(berth_scheduler *scheduler);

/* ---- preemption (loop_preempt.c) ---- */

/* Make room for the pod that was just decided and fits nowhere, if its profile has preemption.
 * `*waits`: nothing was done, because evictions of other pods must begin first.
 * Errors: BERTH_E_NOMEM; no nomination was made. */
berth_status berth__loop_preempt(berth_scheduler *scheduler, berth__queue_item *item,
                                 berth_step *out, bool *waits);

/* A pod gives up its nominated node, if it has one: other pods may use the room. */
void berth__loop_end_nomination(berth_scheduler *scheduler, uint32_t pod);

/* Carry out what a cycle found for a PodGroup that was not placed: nominations and evictions.
 * Errors: BERTH_E_NOMEM; nothing was evicted, and some members may be nominated already. */
berth_status berth__loop_preempt_group(berth_scheduler *scheduler, berth__queue_item *turn,
                                       const berth__group_cycle *cycle, uint32_t *evicted);

/* A pod will not be evicted after all: pods that wait for its room try again. */
void berth__loop_victim_stays(berth_scheduler *scheduler, berth_pod_id victim);

/* A pod is terminating or gone: preemptors that wait for no other pod may be woken, or are tried
 * again. */
void berth__loop_victim_leaves(berth_scheduler *scheduler, berth_pod_id victim, bool gone);

/* Until when pods that must evict others wait: for evictions requested earlier, for victims that
 * have just begun to leave, and for the pods that these make room for. */
static inline int64_t berth__loop_pace_end(const berth_scheduler *scheduler)
{
    if (!scheduler->pace_evictions)
        return INT64_MIN;
    if (scheduler->running.requested > 0 || scheduler->queue.released > 0)
        return scheduler->pace_end_ns;
    return scheduler->running.count > 0 ? scheduler->leave_end_ns : INT64_MIN;
}

/* Whether such pods have to wait now. */
static inline bool berth__loop_paces(const berth_scheduler *scheduler)
{
    return scheduler->queue.now_ns < berth__loop_pace_end(scheduler);
}

/* Whether a deferred pod may be taken now. */
static inline bool berth__loop_admits(const berth_scheduler *scheduler)
{
    return scheduler->queue.deferred.count > 0 &&
           (scheduler->queue.reviews > 0 || !berth__loop_paces(scheduler));
}

/* For checks: whether a pod waits for a victim that is not leaving a node. */
bool berth__loop_waits_in_vain(const berth_scheduler *scheduler, uint32_t *preemptor);

/* The same as berth__loop_victim_leaves for all victims, after changes that were missed. */
void berth__loop_follow_victims(berth_scheduler *scheduler);

/* ---- decisions (loop.c, loop_group.c) ---- */

/* Note the filters that rejected the pod of the last decision, for the engine's statistics. */
void berth__loop_note_rejectors(berth_scheduler *scheduler, berth__stage_set rejectors);

/* Repeat the last decision with an explanation, which includes preemption only on request. It
 * starts at the same node and draws the same random numbers for ties, so later decisions do not
 * depend on whether reasons were requested. */
berth_status berth__loop_explain(berth_scheduler *scheduler, uint32_t pod, uint32_t start,
                                 bool preemption, berth_error *error);

/* Decide the PodGroup whose turn was taken, and store a step for each of its pods. Errors:
 * BERTH_E_NOMEM; the group is active again. */
berth_status berth__loop_decide_group(berth_scheduler *scheduler, berth__queue_item *turn,
                                      berth_error *error);

/* Return the next of these steps; false if there is none. */
bool berth__loop_next_of_group(berth_scheduler *scheduler, berth_step *out);

/* ---- events (loop_events.c) ---- */

/* Apply posted events. Errors: BERTH_E_NOMEM; the rest stays posted. */
berth_status berth__loop_apply_posted(berth_scheduler *scheduler, berth_error *error);

static inline void berth__loop_report(berth_scheduler *scheduler, berth_trouble trouble,
                                      const berth_error *error)
{
    if (scheduler->callbacks.report == NULL)
        return;
    berth__loop_call_begin(scheduler);
    scheduler->callbacks.report(scheduler->callbacks.context, trouble, error);
    berth__loop_call_end(scheduler);
}

#endif
