/* Transactions on an engine: try anything, then keep it or take it back.
 *
 * While a transaction is open, everything that changes an engine works as ever: objects are added,
 * updated and removed, nodes come, go and are cordoned, pods are decided on, bound and taken off,
 * nominated. A rollback makes all of it undone, exactly: every later answer, decision and id is the
 * one that the engine would have given had the transaction never begun; ids given out meanwhile are
 * void and are given again. A commit keeps all of it. Transactions nest; an inner commit is as good
 * as the outer one.
 *
 * Meanwhile the engine keeps what it needs to go back, in memory proportional to the operations (a
 * decision after a node has come or gone makes a new layout: that one is proportional to the nodes;
 * berth_counts.pod_classes counts what is kept, too). An operation for which there is no such
 * memory fails with BERTH_E_NOMEM, berth_engine_remove and berth_engine_unbind included, and has
 * changed nothing. There is no operation that can't be undone.
 *
 * A transaction or a branch (branch.h)? A transaction costs the record of each change and its
 * undoing, keeps every tree and counter warm, and stops the engine for as long as it is open: right
 * for short questions on the engine's own thread. A branch is made and dropped in microseconds,
 * decides with trees of its own, which are kept from branch to branch and follow what differs, and
 * copies pages that it writes: right for long plans, and for several at a time on other threads.
 *
 * Example: whether a group of pods fits as a whole.
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

/* Open a transaction, within the one that is open if there is one. Errors: E_NOMEM. Cost:
 * constant. */
BERTH_API berth_status berth_engine_begin(berth_engine *engine, berth_error *error);

/* End the innermost transaction. Errors: E_STATE (none is open); neither fails otherwise, nor needs
 * memory.
 * Cost: of a rollback, that of the operations taken back; of the outermost commit, one step for
 * each; of another commit, constant. Destroying an engine ends what is open. */
BERTH_API berth_status berth_engine_commit(berth_engine *engine, berth_error *error);
BERTH_API berth_status berth_engine_rollback(berth_engine *engine, berth_error *error);

/* How many transactions are open, one within the other. Cost: constant. */
BERTH_API uint32_t berth_engine_depth(const berth_engine *engine);

/* Set or clear a node's spec.unschedulable, as `kubectl cordon` and `uncordon` do: from now on only
 * pods that tolerate it go there. Nothing if it is so already. Errors: E_NOT_FOUND, E_NOMEM. Cost:
 * that of berth_engine_update of the node: facts of nodes change, so what is kept by kind of pod
 * (verdicts, trees) is made anew for each kind that is next decided, a scan of all nodes each. For
 * what-ifs close the node instead. */
BERTH_API berth_status berth_engine_cordon_node(berth_engine *engine, berth_node_id node,
                                                bool unschedulable, berth_error *error);

/* Let a node take no pod at all, whatever the pod tolerates, as one that is being drained; or
 * (closed false) again those that fit. Its own pods stay and count. Decisions find it
 * unschedulable. It ends with the node's removal. Errors: E_NOT_FOUND, E_NOMEM. Cost: constant,
 * where a cordon makes anew what is kept by kind of pod. */
BERTH_API berth_status berth_engine_close_node(berth_engine *engine, berth_node_id node,
                                               bool closed, berth_error *error);

/* Place all of these pending pods or none: decide and bind one after the other, and take all back
 * if one fits nowhere. `*placed` receives how many were placed: `count`, or the number of those
 * before the first that did not fit (with the others they are pending again). `placements`
 * (optional, `count` entries) receives the decisions, up to that of the first that did not fit.
 * Errors: those of berth_engine_schedule; nothing has changed then. Cost: a decision for each, and
 * that of taking them back. */
static inline berth_status berth_engine_schedule_group(berth_engine *engine,
                                                       const berth_pod_id *pods, uint32_t count,
                                                       berth_placement *placements,
                                                       uint32_t *placed, berth_error *error)
{
    return berth_engine_schedule_group_sized(engine, pods, count, placements, sizeof(*placements),
                                             placed, error);
}

enum {
    BERTH_GROUP_ALL = 1u << 0,  /* all of them or none */
    BERTH_GROUP_STOP = 1u << 1, /* end with the first that fits nowhere */
};

/* How berth_engine_schedule_pods places a group. */
typedef struct berth_group_options {
    uint32_t size;    /* set by the caller: sizeof(berth_group_options) */
    uint32_t flags;   /* BERTH_GROUP_* */
    uint32_t minimum; /* if fewer fit, none is placed */
} berth_group_options;

/* Place as many of these pending pods as fit: decide and bind one after the other, those that fit
 * nowhere left pending. `options` NULL: as zeros. `*fitted` receives how many fitted; they are
 * placed, or, if they are fewer than `minimum` (with BERTH_GROUP_ALL than `count`), pending again;
 * then no more are tried than it takes to know. `placements` (optional, `count` entries) receives
 * each pod's decision; one that was not tried has no node. Preemption has no part in it.
 * Errors: E_ARG (options), and those of berth_engine_schedule; nothing has changed then, and
 * `placements` may hold anything. Cost: a decision for each and an undo record, and that of taking
 * them back. */
static inline berth_status berth_engine_schedule_pods(berth_engine *engine,
                                                      const berth_pod_id *pods, uint32_t count,
                                                      const berth_group_options *options,
                                                      berth_placement *placements, uint32_t *fitted,
                                                      berth_error *error)
{
    return berth_engine_schedule_pods_sized(engine, pods, count, options, placements,
                                            sizeof(*placements), fitted, error);
}

/* How many pods like `like` (berth_engine_add_like) would fit, were they placed one after the
 * other, counting no further than `limit`; the engine is as before. `nodes` (optional, `limit`
 * entries) receives the node of each. With an explanation, the first that did not fit is explained;
 * it is untouched if all `limit` fit. Errors: those of berth_engine_add_like and _schedule.
 * Cost: a decision for each that fits, and one more. */
BERTH_API berth_status berth_engine_fit_count(berth_engine *engine, berth_pod_id like,
                                              uint32_t limit, uint32_t *count, berth_node_id *nodes,
                                              berth_explanation *explanation, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
