/* Transactions on an engine: make any changes, then keep or undo all of them.
 *
 * While a transaction is open, every call that changes an engine works as usual: objects are added,
 * updated and removed, nodes come, go and are cordoned, pods are decided, bound, unbound and
 * nominated. A rollback undoes all of it exactly: every later answer, decision and id is the same
 * as if nothing had happened since the begin. Ids assigned in between become invalid and are used
 * again. A commit keeps everything. Transactions nest; an inner commit lasts only if the outer
 * transaction is committed, too.
 *
 * An open transaction needs memory proportional to its operations. (If nodes come or go inside it,
 * the next decision builds a new layout, whose size is proportional to the nodes and which is
 * undone with them; berth_counts.pod_classes includes what is kept for the rollback.) An operation
 * without that memory fails with BERTH_E_NOMEM and changes nothing; this includes
 * berth_engine_remove and berth_engine_unbind. Every operation can be undone.
 *
 * A transaction or a branch (branch.h)? A transaction costs a record for each change and undoing
 * it, keeps every search tree and counter warm, and occupies the engine while it is open: good for
 * short questions on the engine's own thread. A branch is created and dropped in microseconds,
 * decides with search trees of its own, which are reused by later branches, and copies the pages it
 * writes: good for long plans, and for several plans at once on other threads.
 *
 * An example: does a group of pods fit as a whole?
 *
 *     berth_engine_begin(engine, &error);
 *     bool all = true;
 *     for (uint32_t i = 0; i < count && all; i++)
 *         all = berth_engine_schedule(engine, pods[i], &placement, &error) == BERTH_OK &&
 *               placement.verdict == BERTH_VERDICT_PLACED;
 *     if (all)
 *         berth_engine_commit(engine, &error);
 *     else
 *         berth_engine_rollback(engine, &error);
 *
 * Threads: the engine's. */
#ifndef BERTH_TRANSACTION_H
#define BERTH_TRANSACTION_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Open a transaction, inside the one that is already open if there is one. Like
 * berth_engine_node_order, the call first updates the layout of the nodes, so that a rollback does
 * not take the new layout back. Errors: BERTH_E_NOMEM. Cost: a new layout if nodes came or went
 * since the last call that needed one; otherwise constant. */
BERTH_API berth_status berth_engine_begin(berth_engine *engine, berth_error *error);

/* End the innermost transaction. Neither call needs memory. Destroying an engine ends all of its
 * transactions.
 * Errors: BERTH_E_STATE (none is open).
 * Cost: a rollback costs as much as the operations that it undoes; the outermost commit costs a
 * step for each operation; an inner commit is constant. */
BERTH_API berth_status berth_engine_commit(berth_engine *engine, berth_error *error);
BERTH_API berth_status berth_engine_rollback(berth_engine *engine, berth_error *error);

/* The number of open transactions, which are nested. */
BERTH_API uint32_t berth_engine_depth(const berth_engine *engine);

/* Set or clear a node's spec.unschedulable, as `kubectl cordon` and `kubectl uncordon` do: from now
 * on only pods that tolerate it are placed there. Does nothing if the node is in that state
 * already.
 * Errors: BERTH_E_NOT_FOUND, BERTH_E_NOMEM.
 * Cost: as berth_engine_update of the node. A fact about nodes changes, so verdicts and search
 * trees are rebuilt for each kind of pod at its next decision, with a scan of all nodes. For
 * what-ifs, close the node instead. */
BERTH_API berth_status berth_engine_cordon_node(berth_engine *engine, berth_node_id node,
                                                bool unschedulable, berth_error *error);

/* Close a node, so that it takes no pod at all, regardless of tolerations, for example while it is
 * drained; or open it again (`closed` false). Its own pods stay and count, and the node stays a
 * domain of spread constraints, with the pods that are left there; if these constraints honor
 * taints, taint the node, too. Decisions report the node as unschedulable. Removing it ends this.
 * Errors: BERTH_E_NOT_FOUND, BERTH_E_NOMEM. Cost: constant; nothing has to be rebuilt. */
BERTH_API berth_status berth_engine_close_node(berth_engine *engine, berth_node_id node,
                                               bool closed, berth_error *error);

/* Place all of these pending pods or none: decide and bind one after the other, and undo everything
 * if one does not fit. `*placed` receives the number of pods placed: `count`, or how many came
 * before the first that did not fit (those are pending again, too). `placements` (optional, `count`
 * entries) receives the decisions, up to the first pod that did not fit.
 * Errors: those of berth_engine_schedule; nothing has changed. Cost: that of berth_engine_begin, a
 * decision for each pod, and taking them back. */
static inline berth_status berth_engine_schedule_group(berth_engine *engine,
                                                       const berth_pod_id *pods, uint32_t count,
                                                       berth_placement *placements,
                                                       uint32_t *placed, berth_error *error)
{
    return berth_engine_schedule_group_sized(engine, pods, count, placements, sizeof(*placements),
                                             placed, error);
}

enum {
    BERTH_GROUP_ALL = 1u << 0,  /* place all of them or none */
    BERTH_GROUP_STOP = 1u << 1, /* stop at the first pod that fits nowhere */
    /* A pod that fits nowhere preempts as its profile and its preemptionPolicy say, but no pod of
     * the same group; since 0.2. */
    BERTH_GROUP_PREEMPT = 1u << 2,
};

/* Called for each pod that was evicted from `node` to make room for the pod at `preemptor` in the
 * array of pods: by preemptor, the most important victim first. Since 0.2. */
typedef void (*berth_group_evicted)(void *context, berth_pod_id victim, berth_node_id node,
                                    uint32_t preemptor);

/* How berth_engine_schedule_pods places a group. */
typedef struct berth_group_options {
    uint32_t size;            /* set by the caller: sizeof(berth_group_options) */
    uint32_t flags;           /* BERTH_GROUP_* */
    uint32_t minimum;         /* if fewer pods fit, none is placed */
    berth_cancel_flag cancel; /* NULL, or ends the call (engine.h) */
    /* With BERTH_GROUP_PREEMPT: NULL, or called after the group has been placed; not at all if it
     * is taken back. It may call the engine. Since 0.2, with `context`. */
    berth_group_evicted evicted;
    void *context;
} berth_group_options;

/* Place as many of these pending pods as fit: decide and bind one after the other, and leave those
 * that do not fit pending. NULL `options` are the same as zeros. `*fitted` receives how many fit.
 * They are placed, unless they are fewer than `minimum` (with BERTH_GROUP_ALL: than `count`): then
 * they are pending again, and no further pod is tried once that is certain. `placements` (optional,
 * `count` entries) receives the decision for each pod; a pod that was not tried has no node.
 * Nothing is preempted without BERTH_GROUP_PREEMPT. With it, victims leave their nodes at once and
 * are pending, as if their controllers had made them anew: place them again, or remove them.
 * Errors: BERTH_E_ARG (options), and those of berth_engine_schedule; nothing has changed, and
 * `placements` may hold anything. BERTH_E_CANCELLED: nothing has changed; `*fitted` receives how
 * many pods had fitted by then, and `placements` the decisions until then. Cost: that of
 * berth_engine_begin, a decision and an undo record for each pod, and taking them back; a
 * preempting pod costs two decisions more, one of them explained. */
static inline berth_status berth_engine_schedule_pods(berth_engine *engine,
                                                      const berth_pod_id *pods, uint32_t count,
                                                      const berth_group_options *options,
                                                      berth_placement *placements, uint32_t *fitted,
                                                      berth_error *error)
{
    return berth_engine_schedule_pods_sized(engine, pods, count, options, placements,
                                            sizeof(*placements), fitted, error);
}

/* How many more pods like `like` (berth_engine_add_like) fit, one after the other, counting up to
 * `limit`. The engine is unchanged. `nodes` (optional, `limit` entries) receives the node of each.
 * With an explanation, the first pod that does not fit is explained; if all `limit` fit, the
 * explanation is left alone. Errors: those of berth_engine_add_like and berth_engine_schedule.
 * Cost: that of berth_engine_begin, a decision for each pod that fits and one more, and taking them
 * back. */
BERTH_API berth_status berth_engine_fit_count(berth_engine *engine, berth_pod_id like,
                                              uint32_t limit, uint32_t *count, berth_node_id *nodes,
                                              berth_explanation *explanation, berth_error *error);

/* How berth_engine_fit_count_with counts. */
typedef struct berth_fit_count_options {
    uint32_t size;                  /* set by the caller: sizeof(berth_fit_count_options) */
    uint32_t limit;                 /* count up to this many pods */
    berth_node_id *nodes;           /* NULL, or `limit` entries: receives the node of each pod */
    berth_explanation *explanation; /* NULL, or explains the first pod that does not fit */
    berth_cancel_flag cancel;       /* NULL, or ends the call (engine.h) */
} berth_fit_count_options;

/* berth_engine_fit_count with its arguments as options, and with cancellation. NULL `options` are
 * an error. Errors: BERTH_E_ARG (options), BERTH_E_CANCELLED (`*count` and `nodes` receive the pods
 * that fitted by then; the explanation is left alone), and those of berth_engine_fit_count. The
 * engine is unchanged in each case. Cost: the same. */
BERTH_API berth_status berth_engine_fit_count_with(berth_engine *engine, berth_pod_id like,
                                                   const berth_fit_count_options *options,
                                                   uint32_t *count, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
