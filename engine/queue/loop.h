/* The inside of berth_scheduler: the queue, the engine's decider, bindings under way,
 * posted events. */
#ifndef BERTH_QUEUE_LOOP_H
#define BERTH_QUEUE_LOOP_H

#include "base/assert.h"
#include "decide/preemption.h"
#include "queue/posted_events.h"
#include "queue/queue.h"

struct berth_scheduler {
    const berth_allocator *allocator;
    berth_engine *engine;
    berth__decider *decider;
    berth__cluster *cluster;
    berth__queue queue;
    berth__posted_events posted;
    berth_scheduler_callbacks callbacks;
    int64_t bind_timeout_ns;
    void (*unnominated)(void *context, berth_pod_id pod); /* NULL: nobody wants to know */
    berth_explanation *explanation;                       /* the caller's; NULL: none */
    uint32_t binding_serial;                              /* of the last binding */
    berth__watcher watcher;                               /* the cluster's */
    bool calling;                                         /* a callback runs */
    /* An update that says nothing of a pod's node is being applied: it does not confirm. */
    bool silent_on_node;
    berth_pod_id *victims; /* of the preemption under way */
    uint32_t victim_capacity;
    berth_scheduler_counters counters; /* numbers of pods now are filled in when asked for */
    berth_error trouble;
};

/* Every callback but `notify` is called between these two: nothing is to change meanwhile, and the
 * engine is in use, so that nothing can. */
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

/* A pod came to a node, left it, or is there with another class: wake whom that may help.
 * `node` is an id; nothing happens on one that is absent. */
void berth__loop_wake_pod(berth_scheduler *scheduler, uint32_t bits, uint32_t node,
                          const berth__class *before, const berth__class *after);

/* A node is no longer kept for a nominated pod of this class. Nothing happens for
 * BERTH_NODE_NONE. */
void berth__loop_wake_unkept(berth_scheduler *scheduler, uint32_t node, const berth__class *cls);

/* The cluster's watcher: what a change means for the queue. */
void berth__loop_hear(void *context, const berth__change *change);

/* After a transaction on the engine: compare every pod of the queue with what became of it,
 * submit those that are new, and try again whoever waits. Nothing if there was none.
 * Errors: E_NOMEM; to be called again. Cost: linear in the pods that wait. */
berth_status berth__loop_catch_up(berth_scheduler *scheduler);

/* Submit a pod if it is pending, staying, and served by a profile; memory was reserved. */
void berth__loop_submit(berth_scheduler *scheduler, uint32_t pod);

/* The node that a pending pod is nominated for, or BERTH_NODE_NONE. */
uint32_t berth__loop_nominated(const berth_scheduler *scheduler, uint32_t pod);

/* ---- bindings (loop_bind.c) ---- */

/* Put the pod that is being decided on a node, and have it bound. Errors: E_NOMEM, and a plugin's
 * refusal to reserve: the pod is on no node, and still being decided. */
berth_status berth__loop_assume(berth_scheduler *scheduler, berth__queue_item *item, uint32_t node,
                                berth_step *out);

/* An assumed pod is bound. */
void berth__loop_confirm(berth_scheduler *scheduler, berth__queue_item *item);

/* The binding has come to nothing, and the pod may try again: it is taken off its node.
 * Errors: E_NOMEM, if something was published since it was bound; it is still assumed. */
berth_status berth__loop_forget(berth_scheduler *scheduler, berth__queue_item *item,
                                berth_unbind_reason reason);

/* The binding is void because of what became of the pod: it comes to its outcome. The engine knows
 * already. */
void berth__loop_abandon(berth_scheduler *scheduler, berth__queue_item *item,
                         berth_unbind_reason reason);

/* The answer of a binding that was to follow. Errors: E_NOMEM; to be answered again. */
berth_status berth__loop_answer(berth_scheduler *scheduler, berth_binding_id binding,
                                berth_answer answer);

/* Forget bindings whose time is up. Errors: E_NOMEM; to be called again. */
berth_status berth__loop_expire(berth_scheduler *scheduler);

/* ---- preemption (loop_preempt.c) ---- */

/* Make room for the pod that is being decided and that no node takes, if its profile has
 * preemption.
 * Errors: E_NOMEM; no nomination was made. */
berth_status berth__loop_preempt(berth_scheduler *scheduler, const berth__queue_item *item,
                                 berth_step *out);

/* A pod that was on its way out is not: those that wait for its room try again. */
void berth__loop_victim_stays(berth_scheduler *scheduler, berth_pod_id victim);

/* ---- events (loop_events.c) ---- */

/* Apply what is posted. Errors: E_NOMEM; the rest stays posted. */
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
