/* The scheduling loop over an engine: pods wait in a queue, are decided in order, bound by
 * callback, and woken by the changes of the cluster that could help them.
 *
 * Time is the caller's: every call that needs it takes `now_ns`, in nanoseconds from any origin. No
 * clock is read, so that the same calls give the same placements. Time does not go back: a `now_ns`
 * below the largest one seen counts as that one.
 *
 * The life of a pod that some profile serves, from the event that brings it (submitted) on:
 *
 *                  submitted
 *                      |
 *  gates, or a claim   +----yes----> GATED --- none left, all there -----+
 *  of devices missing? no                                                  |
 *                      |                                                   |
 *                      v                                                   |
 *    +-------------> ACTIVE <----------------------------------------------+
 *    |                 | step: taken in order of priority, then time
 *    |                 |
 *    |                 +-- no node fits --> UNSCHEDULABLE -- helpful event, or 5 minutes --+
 *    |                 |                                                                   |
 *    |                 +-- error ---------------------+                                    |
 *    |                 v                              v    backoff not over                |
 *    |              ASSUMED -- bind failed: --> BACKOFF <----------------------------------+
 *    |               |    |    forgotten,          |                                       |
 *    |               |    |    too late:           | backoff over            backoff over  |
 *    |               |    |    expired             |                                       |
 *    +---------------|----|-----------------------+---------------------------------------+
 *                    |    |
 *          confirmed |    | bound by somebody else to another node, or (from every state above)
 *                    v    v deleted, finished or on its way out
 *                 BOUND   GONE
 *
 * GATED, ACTIVE, BACKOFF and UNSCHEDULABLE pods are pending. An ASSUMED pod is on its node for
 * every decision; whatever assuming it took is given back once when it is forgotten or expires.
 * Every pod submitted comes to exactly one outcome: bound, or gone (taken by another scheduler, or
 * deleted). berth_scheduler_check holds the counters to that.
 *
 * Events. berth_scheduler_add, _update and _remove change the cluster at once, from the scheduling
 * thread. berth_scheduler_post_* may be called from any thread: they copy the object and append it
 * to a queue that the scheduling thread empties between two decisions.
 *   States of a posted event: private to its poster, posted, taken; only the poster moves it to
 *   posted, only the scheduling thread takes it.
 *   POST-1  the poster fills the event, then releases it as the new head of the list; the
 *           scheduling thread acquires the head, takes the whole list at once, and reads events
 *           it has taken only.
 *   POST-2  events are applied in the order in which their posts took effect. Events posted by one
 *           thread, or by several that are ordered by other means, keep that order: so no change of
 *           one object overtakes another. None is lost.
 *   Progress: posting is lock-free and taking is wait-free. A taken event is freed by the
 *   scheduling thread; those never taken, by berth_scheduler_destroy.
 * An update of something unknown, a second addition, a repeated removal change nothing: the direct
 * call returns the error, a posted one is counted and reported by callback.
 *
 * Threads: one scheduling thread at a time, which is also the engine's; others post. Objects are
 * added, changed and removed through the scheduler as long as it exists. Other uses of the engine
 * are welcome between two calls: asking, closing nodes, transactions. While a transaction is open
 * the scheduler's calls answer E_STATE, but for posting and looking. After its commit the next call
 * compares every pod that waits or is assumed with what became of it (one on a node is taken, one
 * without is submitted) and tries those that wait again. What the engine's own calls add, change,
 * remove, bind or unbind outside of a transaction is heard of at once, callbacks included, and
 * wakes whom the same event would wake. Source of the rules: kube-scheduler v1.32, backend/queue,
 * schedule_one.go, eventhandlers.go. */
#ifndef BERTH_SCHEDULER_H
#define BERTH_SCHEDULER_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_scheduler berth_scheduler;

/* No time: what never happens. */
#define BERTH_TIME_NEVER INT64_MAX

/* One assumption: a pod on its way to a node. The number is not 0, and does not come again before
 * 2^32 others. */
typedef uint64_t berth_binding_id;

/* A pod and the node that it is bound to. */
typedef struct berth_binding {
    berth_binding_id id;
    berth_pod_id pod;
    berth_node_id node;
} berth_binding;

/* What a callback says of what it was asked to do. */
typedef enum berth_answer {
    BERTH_ANSWER_DONE = 0, /* it is done */
    BERTH_ANSWER_LATER,    /* the outcome will follow: berth_scheduler_bind_done, or an event */
    BERTH_ANSWER_FAILED,   /* it can't be done */
} berth_answer;

/* Why a binding was given up. */
typedef enum berth_unbind_reason {
    BERTH_UNBIND_FAILED = 0, /* the binding failed */
    BERTH_UNBIND_EXPIRED,    /* no answer came in time; one that comes now is late */
    BERTH_UNBIND_DELETED,    /* the pod was deleted, or finished, meanwhile */
    BERTH_UNBIND_TAKEN,      /* the pod turned up on another node */
} berth_unbind_reason;

/* Pods that have to go so that a pod fits; valid during the callback. */
typedef struct berth_eviction {
    berth_pod_id preemptor;
    berth_node_id node;
    berth_pod_id victim; /* called once for each victim, most important first */
} berth_eviction;

/* A posted event that could not be applied, or an answer that came too late. */
typedef enum berth_trouble {
    BERTH_TROUBLE_EVENT = 0,   /* `error` says which object and why */
    BERTH_TROUBLE_LATE_ANSWER, /* a binding that is no more: expired, or answered before */
    BERTH_TROUBLE_EVICTION,    /* the evict callback refused; the preemption goes no further */
} berth_trouble;

/* Called from the scheduling thread, inside a call of the scheduler (but `notify`). They may post,
 * answer bindings, look at the engine and the scheduler, and wait for other threads, which may use
 * branches and published versions meanwhile. They must not decide on the engine or change it,
 * commit a branch to it, or call anything else of the scheduler: such calls are refused with
 * E_STATE and do nothing. Nor may they publish it, or use a branch themselves. Each may be NULL. */
typedef struct berth_scheduler_callbacks {
    void *context;
    /* Tell the pod's node. LATER: the pod stays assumed until berth_scheduler_bind_done, or an
     * update that shows it on its node, or the deadline. NULL: DONE. */
    berth_answer (*bind)(void *context, const berth_binding *binding);
    /* A binding that was under way has been given up; undo what can be undone. */
    void (*unbind)(void *context, const berth_binding *binding, berth_unbind_reason reason);
    /* Have a pod deleted. DONE: it is gone, the scheduler removes it; LATER: an event will tell, or
     * berth_scheduler_evict_done, and until then nobody asks for this pod again. NULL: DONE. */
    berth_answer (*evict)(void *context, const berth_eviction *eviction);
    /* `error` is NULL but for EVENT. */
    void (*report)(void *context, berth_trouble trouble, const berth_error *error);
    /* The list of posted events is no longer empty: time for a step. Called by the posting
     * thread. */
    void (*notify)(void *context);
} berth_scheduler_callbacks;

/* How a scheduler is made. Owner: copied; the callbacks' context outlives the scheduler, as does an
 * explanation. */
typedef struct berth_scheduler_options {
    uint32_t size;                /* set by berth_scheduler_options_init */
    int64_t backoff_initial_ns;   /* after the first failed attempt; 1 s */
    int64_t backoff_max_ns;       /* doubled each time up to this; 10 s */
    int64_t unschedulable_max_ns; /* a pod is tried again after that long in any case; 5 min */
    int64_t bind_timeout_ns;      /* of an assumed pod; BERTH_TIME_NEVER, as in kube-scheduler */
    int64_t now_ns;               /* of the submission of pods that are pending already */
    berth_scheduler_callbacks callbacks;
    /* Filled with each attempt that places nobody, as by berth_engine_decide before anything of a
     * preemption is carried out; read it after the step. Costs such an attempt a second decision,
     * by scan. NULL: nobody wants to know. */
    berth_explanation *explanation;
    /* A callback as those above, and of their context: the node that a pending pod was nominated
     * for is another one's, of higher priority, now; the pod is tried again. */
    void (*unnominated)(void *context, berth_pod_id pod);
} berth_scheduler_options;

/* Fill `options` with kube-scheduler's defaults and no callbacks. Threads: any. */
#define berth_scheduler_options_init(options) \
    berth_scheduler_options_init_sized((options), sizeof(*(options)))

/* Make a scheduler over an engine. Pods that are pending there and that a profile serves are
 * submitted, in order of arrival. An engine has one scheduler at most.
 * Owner: borrows `engine` until berth_scheduler_destroy, which comes before berth_engine_destroy.
 * Errors: E_ARG (a duration is negative, or the maximum below the initial), E_STATE (the engine has
 * a scheduler, or a transaction open, or is a branch), E_UNSUPPORTED (a profile of more than 62
 * filters), E_NOMEM. Threads: the engine's. Cost: linear in the pods that are pending. */
BERTH_API berth_status berth_scheduler_create(berth_engine *engine,
                                              const berth_scheduler_options *options,
                                              berth_scheduler **out, berth_error *error);

/* Free everything; the engine stays as it is, assumed pods on their nodes. Events that are still
 * posted are dropped. No other thread may be posting. Accepts NULL. Threads: the scheduling
 * thread. Cost: linear in the pods that wait. */
BERTH_API void berth_scheduler_destroy(berth_scheduler *scheduler);

/* ---- events ---- */

/* Change the cluster at once; arguments and errors are those of berth_engine_add, _update, _remove.
 * Posted events are applied first, so texts of `object` must not be the engine's own of something
 * that these remove; names given to _remove may be. A binding is not undone by an update: one that
 * shows no node leaves the pod on the node that it has, and one that shows the node it was assumed
 * on confirms it.
 * _add_node and _add_pod are _add for one kind, as in engine.h.
 * Threads: the scheduling thread. Cost: that of the engine's, and of waking: the kinds of pods
 * waiting for such a change, O(log n) for each pod woken. */
BERTH_API berth_status berth_scheduler_remove(berth_scheduler *scheduler, int64_t now_ns,
                                              berth_kind kind, berth_str namespace_name,
                                              berth_str name, berth_error *error);

static inline berth_status berth_scheduler_add(berth_scheduler *scheduler, int64_t now_ns,
                                               const berth_object *object, berth_object_id *id,
                                               berth_error *error)
{
    return berth_scheduler_add_sized(scheduler, now_ns, object, berth_object_sizes(), id,
                                     sizeof(*id), error);
}

static inline berth_status berth_scheduler_add_node(berth_scheduler *scheduler, int64_t now_ns,
                                                    const berth_node *node, berth_node_id *id,
                                                    berth_error *error)
{
    return berth_scheduler_add_node_sized(scheduler, now_ns, node, sizeof(*node), id, error);
}

static inline berth_status berth_scheduler_add_pod(berth_scheduler *scheduler, int64_t now_ns,
                                                   const berth_pod *pod, berth_pod_id *id,
                                                   berth_error *error)
{
    return berth_scheduler_add_pod_sized(scheduler, now_ns, pod, sizeof(*pod), id, error);
}

static inline berth_status berth_scheduler_update(berth_scheduler *scheduler, int64_t now_ns,
                                                  const berth_object *object, berth_error *error)
{
    return berth_scheduler_update_sized(scheduler, now_ns, object, berth_object_sizes(), error);
}

/* Post the same to be applied between two decisions. Owner: the object is copied. Threads: any.
 * Errors: E_NOMEM, E_ARG (an unknown kind, no object, something is set that the library does not
 * know); nothing was posted then. Cost: linear in the object. */
BERTH_API berth_status berth_scheduler_post_remove(berth_scheduler *scheduler, berth_kind kind,
                                                   berth_str namespace_name, berth_str name,
                                                   berth_error *error);

static inline berth_status berth_scheduler_post_add(berth_scheduler *scheduler,
                                                    const berth_object *object, berth_error *error)
{
    return berth_scheduler_post_add_sized(scheduler, object, berth_object_sizes(), error);
}

static inline berth_status berth_scheduler_post_update(berth_scheduler *scheduler,
                                                       const berth_object *object,
                                                       berth_error *error)
{
    return berth_scheduler_post_update_sized(scheduler, object, berth_object_sizes(), error);
}

/* The outcome of a binding that was answered LATER: DONE or FAILED. Posted like an event; one for a
 * binding that is no more is counted, reported and harmless. Threads: any. Errors: E_ARG (LATER),
 * E_NOMEM. Cost: constant. */
BERTH_API berth_status berth_scheduler_bind_done(berth_scheduler *scheduler,
                                                 berth_binding_id binding, berth_answer answer,
                                                 berth_error *error);

/* The outcome of an eviction that was answered LATER. FAILED: the pod stays; whoever needs its room
 * may ask for it again, and pods nominated for its node are tried again. DONE: an event will tell.
 * Posted like an event; one for a pod that is gone, or that nobody waits for, is harmless. Threads:
 * any. Errors: E_ARG (LATER), E_NOMEM. Cost: constant; applied, linear in the pods nominated for
 * the node. */
BERTH_API berth_status berth_scheduler_evict_done(berth_scheduler *scheduler, berth_pod_id victim,
                                                  berth_answer answer, berth_error *error);

/* Apply what is posted and what time has brought up to `now_ns` (expiries, backoffs, the flush of
 * the pool), without a decision. Threads: the scheduling thread. Errors: E_NOMEM; what was not
 * applied stays posted. */
BERTH_API berth_status berth_scheduler_advance(berth_scheduler *scheduler, int64_t now_ns,
                                               berth_error *error);

/* ---- decisions ---- */

/* What a step has done. */
typedef enum berth_step_kind {
    BERTH_STEP_IDLE = 0,      /* no pod is active */
    BERTH_STEP_BOUND,         /* placed, and confirmed at once */
    BERTH_STEP_ASSUMED,       /* placed, confirmation pending */
    BERTH_STEP_FORGOTTEN,     /* placed, but the binding failed at once */
    BERTH_STEP_UNSCHEDULABLE, /* no node fits */
    BERTH_STEP_ERROR,         /* a rule failed on this pod, or a plugin's reserve refused it */
} berth_step_kind;

/* One step. */
typedef struct berth_step {
    berth_step_kind kind;
    berth_pod_id pod; /* BERTH_POD_NONE when idle */
    berth_placement placement;
    berth_binding_id binding; /* of a pod that was placed */
    berth_node_id nominated;  /* by preemption; BERTH_NODE_NONE: none */
    uint32_t victim_count;    /* whose eviction was asked for */
    uint32_t attempt;         /* of this pod, from 1 on */
    int64_t waited_ns;        /* since the pod was submitted */
} berth_step;

/* Advance to `now_ns`, take the first active pod, decide, and bind it or put it back; preempt if
 * its profile says so. Threads: the scheduling thread. Errors: E_NOMEM; the pod is active again, or
 * in backoff, and nothing is half done. Cost: a decision and O(log n) of the queue. */
static inline berth_status berth_scheduler_step(berth_scheduler *scheduler, int64_t now_ns,
                                                berth_step *out, berth_error *error)
{
    return berth_scheduler_step_sized(scheduler, now_ns, out, sizeof(*out), sizeof(out->placement),
                                      error);
}

/* When the next thing happens by itself: the largest time seen if a pod is active, else the
 * earliest of the backoffs, expiries and flushes to come; BERTH_TIME_NEVER if there are none. Cost:
 * constant. */
BERTH_API int64_t berth_scheduler_next(const berth_scheduler *scheduler);

/* ---- looking ---- */

/* Where a pod is in its life (above). */
typedef enum berth_pod_state {
    BERTH_POD_STATE_GONE = 0, /* unknown, or pending without being served by a profile */
    BERTH_POD_STATE_GATED,
    BERTH_POD_STATE_ACTIVE,
    BERTH_POD_STATE_BACKOFF,
    BERTH_POD_STATE_UNSCHEDULABLE,
    BERTH_POD_STATE_ASSUMED,
    BERTH_POD_STATE_BOUND, /* on a node, whoever bound it */
    BERTH_POD_STATE_COUNT
} berth_pod_state;

/* The name of a state: "gated", "active", ... Never NULL, never freed. Threads: any. */
BERTH_API const char *berth_pod_state_name(berth_pod_state state);

/* What a scheduler knows of a pod. */
typedef struct berth_pod_status {
    berth_pod_state state;
    uint32_t attempts;        /* decisions so far */
    int64_t submitted_ns;     /* of a pod that is submitted and without outcome; else 0 */
    int64_t due_ns;           /* end of backoff, flush, or expiry; BERTH_TIME_NEVER: none */
    berth_node_id nominated;  /* BERTH_NODE_NONE: none */
    berth_binding_id binding; /* of an assumed pod, else 0 */
    uint32_t rejector_count;  /* plugins that rejected the last attempt */
} berth_pod_status;

/* What is known of a pod. Threads: the scheduling thread, as for all below. Cost: constant, and the
 * number of rejecting plugins. */
static inline void berth_scheduler_pod(const berth_scheduler *scheduler, berth_pod_id pod,
                                       berth_pod_status *out)
{
    berth_scheduler_pod_sized(scheduler, pod, out, sizeof(*out));
}

/* The i-th plugin that rejected the pod's last attempt; absent if there is none. Borrowed while the
 * engine lives. */
BERTH_API berth_str berth_scheduler_rejector(const berth_scheduler *scheduler, berth_pod_id pod,
                                             uint32_t i);

/* Pods now, and everything counted since the scheduler was made. */
typedef struct berth_scheduler_counters {
    /* pods without an outcome, now */
    uint64_t gated, active, backoff, unschedulable, assumed;
    /* submitted = the five above + bound + taken + deleted */
    uint64_t submitted;
    uint64_t bound;   /* outcomes: confirmed on the node that was chosen, */
    uint64_t taken;   /* turned up on a node that was not, */
    uint64_t deleted; /* deleted or finished without having been bound, or no longer served */
    /* assumptions = assumed + bound + forgotten + expired + given_up */
    uint64_t assumptions;
    uint64_t forgotten; /* the binding failed; the pod went back to the queue */
    uint64_t expired;   /* no answer in time; likewise */
    uint64_t given_up;  /* the pod was deleted or taken meanwhile */
    /* decisions = assumptions + unplaced + errors */
    uint64_t decisions;
    uint64_t unplaced; /* no node fitted */
    uint64_t errors;
    /* waking */
    uint64_t woken;   /* pods that an event took out of the pool */
    uint64_t flushed; /* pods that the flush took out of it */
    /* preemption */
    uint64_t nominations;
    uint64_t evictions; /* asked for, and not refused */
    /* events */
    uint64_t events_posted;  /* taken from the list so far, answers of bindings included */
    uint64_t events_refused; /* of those, the ones that changed nothing */
    uint64_t late_answers;
} berth_scheduler_counters;

/* Copy the counters. Cost: constant. */
static inline void berth_scheduler_count(const berth_scheduler *scheduler,
                                         berth_scheduler_counters *out)
{
    berth_scheduler_count_sized(scheduler, out, sizeof(*out));
}

/* The last posted event that was refused; code BERTH_OK if there was none. Borrowed until the next
 * call. */
BERTH_API const berth_error *berth_scheduler_last_trouble(const berth_scheduler *scheduler);

/* Check the queue against itself and against the engine: order, every pending pod in one place,
 * assumed pods on their nodes, the counters' identities; after changes by the engine's own calls,
 * the queue alone until the scheduler's next call. Errors: E_INTERNAL naming what is broken,
 * E_STATE (a transaction is open). Cost: linear in the pods that wait. */
BERTH_API berth_status berth_scheduler_check(const berth_scheduler *scheduler, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
