/* The scheduling loop on top of an engine: pods wait in a queue, are decided in order, are bound by
 * a callback, and are woken by changes of the cluster that could help them.
 *
 * Time is the caller's: calls that need it take `now_ns`, in nanoseconds from any origin. No clock
 * is read, so the same calls lead to the same placements. Time never goes backwards: a `now_ns`
 * below the largest one so far counts as the largest one.
 *
 * The life of a pod that some profile serves, from the event that brings it (submitted):
 *
 *                  submitted
 *                      |
 *  gates, or a claim   +----yes----> GATED --- none left, all exist -----+
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
 *                    v    v deleted, finished or terminating
 *                 BOUND   GONE
 *
 * A pod whose preemption requested evictions is GATED until each of them has begun (the victim is
 * terminating or gone) or one has failed. Then it waits as UNSCHEDULABLE, and is tried again when
 * its victims are gone, if not earlier.
 *
 * PodGroups (pod_group.h; the engine follows them). The waiting pods of a group are in one state
 * and have one turn: they are taken together and, if enough of them fit, placed together; otherwise
 * none is placed. All groups below a CompositePodGroup have one turn together. A group is GATED
 * until it and all groups above it exist, as many of its pods are known as its minCount (as many
 * groups below it as its minGroupCount have theirs), none of its pods is gated, and a victim of its
 * last preemption is gone. After a refusal it waits in BACKOFF, never as
 * UNSCHEDULABLE, and it may preempt as a whole. Pods that were left over when the group was placed
 * are tried again immediately; pods that come while it waits take part in its next turn. The step
 * that takes a group reports its first pod, and the steps after it the others, without doing
 * anything else.
 *
 * GATED, ACTIVE, BACKOFF and UNSCHEDULABLE pods are pending. An ASSUMED pod counts on its node in
 * every decision; when it is forgotten or expires, everything that assuming it took is returned
 * exactly once. Every submitted pod has exactly one outcome: bound, or gone (taken by another
 * scheduler, or deleted). berth_scheduler_check verifies this with the counters.
 *
 * Events. berth_scheduler_add, _update and _remove change the cluster immediately and are called on
 * the scheduling thread. berth_scheduler_post_* may be called on any thread: they copy the object
 * and append it to a list that the scheduling thread empties between two decisions.
 *   States of a posted event: private to its poster, posted, taken. Only the poster moves it to
 *   posted, and only the scheduling thread takes it.
 *   POST-1  the poster fills the event, then releases it as the new head of the list; the
 *           scheduling thread acquires the head, takes the whole list at once, and reads only
 *           events that it has taken.
 *   POST-2  events are applied in the order in which their posts took effect. Events posted by one
 *           thread, or by several threads that order their posts by other means, keep that order,
 *           so changes of one object never overtake each other. No event is lost.
 *   Progress: posting is lock-free and taking is wait-free. The scheduling thread frees the events
 *   that it has taken, and berth_scheduler_destroy frees the others.
 * Updates of unknown objects, second additions and repeated removals change nothing: a direct call
 * returns the error; a posted one is counted and reported by callback.
 *
 * Threads: one scheduling thread at a time, which is also the engine's; other threads post. While
 * the scheduler exists, objects are added, changed and removed through it. Other uses of the engine
 * are possible between two calls: questions, closing nodes, transactions. While a transaction is
 * open, the scheduler's calls return BERTH_E_STATE, except for posting and looking. After a commit,
 * the next call compares every waiting or assumed pod with the engine: a pod on a node counts as
 * taken, a new pending pod is submitted, and all waiting pods are tried again. Changes by the
 * engine's own calls outside of a transaction (add, change, remove, bind, unbind) are noticed
 * immediately, with callbacks, and wake the pods that the corresponding event would wake.
 * Source: kube-scheduler v1.32, backend/queue, schedule_one.go, eventhandlers.go; for groups v1.37,
 * schedule_one_podgroup.go. */
#ifndef BERTH_SCHEDULER_H
#define BERTH_SCHEDULER_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_scheduler berth_scheduler;

/* A time that never comes. */
#define BERTH_TIME_NEVER INT64_MAX

/* Identifies one assumption: a pod on its way to a node. Never 0, and not reused before 2^32
 * others. */
typedef uint64_t berth_binding_id;

/* A pod and the node that it is bound to. */
typedef struct berth_binding {
    berth_binding_id id;
    berth_pod_id pod;
    berth_node_id node;
} berth_binding;

/* The answer of a callback. */
typedef enum berth_answer {
    BERTH_ANSWER_DONE = 0, /* it is done */
    BERTH_ANSWER_LATER,    /* the outcome will follow: berth_scheduler_bind_done, or an event */
    BERTH_ANSWER_FAILED,   /* the request cannot be carried out */
} berth_answer;

/* Why a binding was given up. */
typedef enum berth_unbind_reason {
    BERTH_UNBIND_FAILED = 0, /* the binding failed */
    BERTH_UNBIND_EXPIRED,    /* no answer came in time; a later one comes too late */
    BERTH_UNBIND_DELETED,    /* the pod was deleted, or finished, meanwhile */
    BERTH_UNBIND_TAKEN,      /* the pod was found on another node */
} berth_unbind_reason;

/* A pod to evict so that another pod fits; valid during the callback. */
typedef struct berth_eviction {
    berth_pod_id preemptor; /* of a PodGroup: its first pod */
    berth_node_id node;
    berth_pod_id victim; /* one call for each victim, the most important first */
    berth_str pod_group; /* the name of the group that preempts; absent: the pod does */
    bool composite;      /* the group is a CompositePodGroup */
} berth_eviction;

/* A posted event that could not be applied, or an answer that came too late. */
typedef enum berth_trouble {
    BERTH_TROUBLE_EVENT = 0,   /* `error` says which object and why */
    BERTH_TROUBLE_LATE_ANSWER, /* the binding no longer exists: expired, or answered before */
    BERTH_TROUBLE_EVICTION,    /* the evict callback refused; the preemption ends */
} berth_trouble;

/* Callbacks; each may be NULL. All except `notify` are called on the scheduling thread, inside a
 * call of the scheduler. They may post events, answer bindings, read the engine and the scheduler,
 * and wait for other threads, which may use branches and published versions meanwhile. They must
 * not decide on the engine or change it, commit a branch to it, or call other functions of the
 * scheduler: such calls return BERTH_E_STATE and do nothing. They must not publish, or use a branch
 * themselves. */
typedef struct berth_scheduler_callbacks {
    void *context;
    /* Bind the pod to its node. LATER: the pod stays assumed until berth_scheduler_bind_done, an
     * update that shows it on its node, or the deadline. NULL: the same as DONE. */
    berth_answer (*bind)(void *context, const berth_binding *binding);
    /* A binding in progress was given up; undo what can be undone. */
    void (*unbind)(void *context, const berth_binding *binding, berth_unbind_reason reason);
    /* Delete a pod. DONE: it is gone, and the scheduler removes it. LATER: an event that shows it
     * terminating or removes it, or berth_scheduler_evict_done, follows; until then the pod is not
     * evicted again, and its preemptor is gated. NULL: DONE. */
    berth_answer (*evict)(void *context, const berth_eviction *eviction);
    /* Report a problem. `error` is set for BERTH_TROUBLE_EVENT and NULL otherwise. */
    void (*report)(void *context, berth_trouble trouble, const berth_error *error);
    /* The list of posted events is no longer empty: call berth_scheduler_step. Called on the
     * posting thread. */
    void (*notify)(void *context);
} berth_scheduler_callbacks;

/* One attempt to place a PodGroup, or a CompositePodGroup; valid during the callback. Before the
 * call about a composite group there is one for each PodGroup below it. */
typedef struct berth_pod_group_attempt {
    berth_str namespace_name, name;
    berth_str message; /* kube-scheduler's message about a group that was not placed */
    berth_pod_id pod;  /* its first pod; for a group below a composite one, the first of that */
    berth_verdict verdict;
    bool preempts;         /* the group waits for victims to leave */
    uint32_t placed;       /* pods that were placed */
    uint32_t victim_count; /* pods whose eviction was requested */
    uint32_t waiting;      /* pods that stay in the queue */
    bool composite;        /* it is a CompositePodGroup */
    bool below; /* it is below one, which has `victim_count`; the call about it follows */
} berth_pod_group_attempt;

/* How a scheduler is created. Owner: copied; the context of the callbacks and the explanation must
 * outlive the scheduler. */
typedef struct berth_scheduler_options {
    uint32_t size;                /* set by berth_scheduler_options_init */
    int64_t backoff_initial_ns;   /* after the first failed attempt; 1 s */
    int64_t backoff_max_ns;       /* limit of the doubling; 10 s */
    int64_t unschedulable_max_ns; /* a waiting pod is tried again after this time; 5 min */
    int64_t bind_timeout_ns;      /* of an assumed pod; BERTH_TIME_NEVER, as in kube-scheduler */
    int64_t now_ns;               /* submission time of pods that are already pending */
    berth_scheduler_callbacks callbacks;
    /* Filled at each attempt that finds no node, as berth_engine_decide fills it before a
     * preemption is carried out; read it after the step. Costs a second decision, by scan, for such
     * attempts. NULL: none. */
    berth_explanation *explanation;
    /* A callback like those above, with their context: a pod of higher priority was nominated for
     * the node of a pending pod, whose nomination has ended; the pod is tried again. */
    void (*unnominated)(void *context, berth_pod_id pod);
    /* Makes a pod that must evict others wait if it may also find room on the nodes where earlier
     * evictions, answered LATER, have not begun or the pods that they make room for were not tried
     * yet, although they could be. It waits at most a second after an eviction was last requested
     * or began, and 20 ms for victims that terminate. So fewer pods are evicted if many preempt at
     * the same time. kube-scheduler does not wait, but decides slowly enough to have the same
     * effect. */
    bool pace_evictions;
    /* A callback like those above, with their context, called after a PodGroup was decided and the
     * resulting bindings and evictions were requested. */
    void (*pod_group)(void *context, const berth_pod_group_attempt *attempt);
} berth_scheduler_options;

/* Fill `options` with kube-scheduler's defaults and no callbacks. Threads: any. */
#define berth_scheduler_options_init(options) \
    berth_scheduler_options_init_sized((options), sizeof(*(options)))

/* Create a scheduler on an engine, which can have only one. Pending pods that a profile serves are
 * submitted, in order of arrival.
 * Owner: borrows `engine` until berth_scheduler_destroy, which must come before
 * berth_engine_destroy. Errors: BERTH_E_ARG (a negative duration, or a maximum below the initial
 * backoff), BERTH_E_STATE (the engine has a scheduler or an open transaction, or is a branch),
 * BERTH_E_UNSUPPORTED (a profile with more than 62 filters), BERTH_E_NOMEM. Threads: the engine's.
 * Cost: linear in the pending pods. */
BERTH_API berth_status berth_scheduler_create(berth_engine *engine,
                                              const berth_scheduler_options *options,
                                              berth_scheduler **out, berth_error *error);

/* Free the scheduler. The engine stays as it is, with assumed pods on their nodes. Events that are
 * still posted are dropped. No other thread may be posting. Accepts NULL. Threads: the scheduling
 * thread. Cost: linear in the waiting pods. */
BERTH_API void berth_scheduler_destroy(berth_scheduler *scheduler);

/* ---- events ---- */

/* Change the cluster immediately. Arguments and errors are those of berth_engine_add, _update and
 * _remove; _add_node and _add_pod are _add for one kind, as in engine.h. Posted events are applied
 * first, so texts of `object` must not belong to an object of the engine that they remove; names
 * passed to _remove may. An update does not undo a binding: an update without a node leaves the pod
 * on its node, and an update with the node that the pod was assumed on confirms the binding.
 * Threads: the scheduling thread. Cost: as the engine's call, and waking: the kinds of pods that
 * wait for such a change, and O(log n) for each woken pod. */
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

/* Post the same changes, to be applied between two decisions. Owner: the object is copied. Threads:
 * any. Errors: BERTH_E_NOMEM, BERTH_E_ARG (an unknown kind, no object, or a member is set that the
 * library does not know); nothing was posted. Cost: linear in the object. */
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

/* Report the outcome of a binding whose callback answered LATER: DONE or FAILED. It is posted like
 * an event; an outcome for a binding that no longer exists is counted, reported and harmless.
 * Threads: any. Errors: BERTH_E_ARG (LATER), BERTH_E_NOMEM. */
BERTH_API berth_status berth_scheduler_bind_done(berth_scheduler *scheduler,
                                                 berth_binding_id binding, berth_answer answer,
                                                 berth_error *error);

/* Report the outcome of an eviction whose callback answered LATER. FAILED: the pod stays;
 * preemption may choose it again; its preemptors and pods nominated for its node are tried again.
 * DONE: an event follows. It is posted like an event; an outcome for a pod that is gone, or for
 * which no preemptor waits, is harmless.
 * Threads: any. Errors: BERTH_E_ARG (LATER), BERTH_E_NOMEM. Cost: constant; when it is applied,
 * linear in the pods nominated for the node. */
BERTH_API berth_status berth_scheduler_evict_done(berth_scheduler *scheduler, berth_pod_id victim,
                                                  berth_answer answer, berth_error *error);

/* Apply posted events and everything that is due at `now_ns` (expiries, backoffs, the flush of the
 * pool) without a decision. Threads: the scheduling thread. Errors: BERTH_E_NOMEM; the rest stays
 * posted. */
BERTH_API berth_status berth_scheduler_advance(berth_scheduler *scheduler, int64_t now_ns,
                                               berth_error *error);

/* ---- decisions ---- */

/* The result of a step. */
typedef enum berth_step_kind {
    BERTH_STEP_IDLE = 0,      /* no pod is active */
    BERTH_STEP_BOUND,         /* placed, and the binding is confirmed already */
    BERTH_STEP_ASSUMED,       /* placed, binding not confirmed yet */
    BERTH_STEP_FORGOTTEN,     /* placed, but the binding failed immediately */
    BERTH_STEP_UNSCHEDULABLE, /* no node fits */
    BERTH_STEP_ERROR,         /* a rule failed for this pod, or a plugin's reserve refused it */
} berth_step_kind;

/* The result of a step. */
typedef struct berth_step {
    berth_step_kind kind;
    berth_pod_id pod; /* BERTH_POD_NONE if idle */
    berth_placement placement;
    berth_binding_id binding; /* if the pod was placed */
    berth_node_id nominated;  /* node chosen by preemption; BERTH_NODE_NONE: none */
    uint32_t victim_count;    /* pods whose eviction was requested */
    uint32_t attempt;         /* number of this attempt, from 1 */
    int64_t waited_ns;        /* since the pod was submitted */
    bool of_group;            /* the pod was tried with its PodGroup */
} berth_step;

/* Advance to `now_ns`, take the first active pod, decide, and bind it or put it back; preempt if
 * its profile says so. Threads: the scheduling thread. Errors: BERTH_E_NOMEM; the pod is active or
 * in backoff again, and nothing is half done. Cost: a decision, and O(log n) for the queue. */
static inline berth_status berth_scheduler_step(berth_scheduler *scheduler, int64_t now_ns,
                                                berth_step *out, berth_error *error)
{
    return berth_scheduler_step_sized(scheduler, now_ns, out, sizeof(*out), sizeof(out->placement),
                                      error);
}

/* When something happens next without an event: the largest time so far if a pod is active,
 * otherwise the earliest backoff, expiry or flush to come; BERTH_TIME_NEVER if there is none. */
BERTH_API int64_t berth_scheduler_next(const berth_scheduler *scheduler);

/* ---- looking ---- */

/* The state of a pod in its life (see above). */
typedef enum berth_pod_state {
    BERTH_POD_STATE_GONE = 0, /* unknown, or pending without a profile that serves it */
    BERTH_POD_STATE_GATED,
    BERTH_POD_STATE_ACTIVE,
    BERTH_POD_STATE_BACKOFF,
    BERTH_POD_STATE_UNSCHEDULABLE,
    BERTH_POD_STATE_ASSUMED,
    BERTH_POD_STATE_BOUND, /* on a node, no matter who bound it */
    BERTH_POD_STATE_COUNT
} berth_pod_state;

/* The name of a state: "gated", "active", ... Never NULL, never freed. Threads: any. */
BERTH_API const char *berth_pod_state_name(berth_pod_state state);

/* A scheduler's information about a pod. */
typedef struct berth_pod_status {
    berth_pod_state state;
    uint32_t attempts;        /* decisions so far */
    int64_t submitted_ns;     /* of a submitted pod without an outcome; else 0 */
    int64_t due_ns;           /* end of backoff, flush, or expiry; BERTH_TIME_NEVER: none */
    berth_node_id nominated;  /* BERTH_NODE_NONE: none */
    berth_binding_id binding; /* of an assumed pod, else 0 */
    uint32_t rejector_count;  /* plugins that rejected the last attempt */
} berth_pod_status;

/* Read what is known about a pod. Threads: the scheduling thread, as for all calls below. Cost: the
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

/* The numbers of pods now, and counters since the scheduler was created. */
typedef struct berth_scheduler_counters {
    /* pods without an outcome, now */
    uint64_t gated, active, backoff, unschedulable, assumed;
    /* submitted = the five above + bound + taken + deleted */
    uint64_t submitted;
    uint64_t bound;   /* outcomes: confirmed on the chosen node, */
    uint64_t taken;   /* found on another node, */
    uint64_t deleted; /* deleted, finished or no longer served before being bound */
    /* assumptions = assumed + bound + forgotten + expired + given_up */
    uint64_t assumptions;
    uint64_t forgotten; /* the binding failed; the pod went back to the queue */
    uint64_t expired;   /* no answer in time; the pod went back to the queue */
    uint64_t given_up;  /* the pod was deleted or taken meanwhile */
    /* decisions = assumptions + unplaced + errors */
    uint64_t decisions;
    uint64_t unplaced; /* no node fitted */
    uint64_t errors;
    /* waking */
    uint64_t woken;   /* pods that an event took from the pool */
    uint64_t flushed; /* pods that the flush took from the pool */
    /* preemption */
    uint64_t nominations;
    uint64_t evictions; /* requested, and not refused */
    /* events */
    uint64_t events_posted;  /* taken from the list so far, including answers of bindings */
    uint64_t events_refused; /* of those, events that changed nothing */
    uint64_t late_answers;
    /* reasons for which pods came to the active queue or to backoff: */
    uint64_t backoff_ended;               /* their backoff had ended */
    uint64_t popped_early;                /* taken before that, because no pod was active */
    uint64_t freed_active, freed_backoff; /* woken when a pod left a node */
    uint64_t bound_after_flush; /* of `bound`: placed at the first attempt after a flush */
} berth_scheduler_counters;

/* Copy the counters. Cost: constant. */
static inline void berth_scheduler_count(const berth_scheduler *scheduler,
                                         berth_scheduler_counters *out)
{
    berth_scheduler_count_sized(scheduler, out, sizeof(*out));
}

/* Why the last refused posted event was refused; code BERTH_OK if there was none. Borrowed until
 * the next call. */
BERTH_API const berth_error *berth_scheduler_last_trouble(const berth_scheduler *scheduler);

/* Check the queue in itself and against the engine: the order, every pending pod in one place,
 * assumed pods on their nodes, and the equations between the counters. After changes by the
 * engine's own calls, this checks only the queue until the scheduler's next call. Errors:
 * BERTH_E_INTERNAL, naming what is broken; BERTH_E_STATE (a transaction is open). Cost: linear in
 * the waiting pods. */
BERTH_API berth_status berth_scheduler_check(const berth_scheduler *scheduler, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
