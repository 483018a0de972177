/* Branches: what-if clusters that begin as a pinned snapshot. There may be any number of them, on
 * any threads.
 *
 * A branch is an engine. Every function of engine.h, transaction.h, query.h, read.h, template.h and
 * statistics.h works on it: decide and bind, evict, add, update and remove nodes, pods and other
 * objects, cordon, transactions, explanations. The engine, snapshots and other branches do not see
 * any of that. A branch decides like an engine that was built from scratch in the same state, and
 * continues where the engine was when it published (rotation index, random choices). Nodes and pods
 * of the snapshot keep their ids.
 *
 *     berth_engine_publish(engine, &error);                on the engine's thread
 *
 *     berth_snapshot *snapshot = berth_engine_pin(engine); on any thread
 *     berth_engine *branch;
 *     berth_branch_create(snapshot, &branch, &error);
 *     berth_snapshot_unpin(snapshot);                      the branch has a pin of its own
 *     berth_engine_schedule(branch, pod, &placement, &error);
 *     berth_branch_drop(branch);
 *
 * Cost: creating and dropping a branch does not depend on the number of nodes or pods. A branch
 * copies the pages that it writes. Counters and search trees are kept from one branch to the next:
 * the first decision on a branch brings them from the state in which they were last used to the
 * branch's state, at a cost linear in the differences between the two states. The very first
 * branch, and each branch that raises the largest number of branches alive at one time, builds them
 * by a walk over all pods, which takes milliseconds.
 *
 * Volumes follow the same scheme. Reservations that the engine made for claims hold on the branch,
 * and what the branch reserves or gives back counts on the branch alone. The first operation on a
 * pod with claims or disks brings the volumes to the branch's state; the very first one also looks
 * at each volume, claim and CSINode. If no pod of the cluster has volumes, this costs nothing.
 *
 * Other objects (CSINodes, volumes, claims, classes, Services, Namespaces, PodDisruptionBudgets and
 * so on) change on a branch as on an engine. The first change of a Service, controller or Namespace
 * copies all of these, the first change of a budget copies all budgets. A change of a storage
 * object brings the volumes to the branch's state as described; the branch then keeps volumes of
 * its own, and the next branch has to build them again.
 *
 * Differences from an engine: a branch cannot be published and has no scheduler (BERTH_E_STATE),
 * and it does not call the reserve and unreserve functions of your own plugins, because their state
 * is the engine's. Other plugin functions are called on the branch's thread, possibly at the same
 * time as for the engine and for other branches. berth_counts.pod_classes counts the classes of the
 * engine and all of its branches.
 *
 * Threads: a branch is used by one thread at a time, independently of the engine and of other
 * branches; it has no workers. An allocator of your own must serve all of these threads. */
#ifndef BERTH_BRANCH_H
#define BERTH_BRANCH_H

#include "berth/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Create a branch of a snapshot that the caller has pinned.
 * Owner: the branch is the caller's, to be dropped before the engine is destroyed. It has a pin of
 * its own. Threads: any. Errors: BERTH_E_ARG (NULL), BERTH_E_NOMEM. Cost: see above. */
BERTH_API berth_status berth_branch_create(berth_snapshot *snapshot, berth_engine **out,
                                           berth_error *error);

/* Drop a branch and all of its changes; berth_engine_destroy does the same. Accepts NULL. Threads:
 * the branch's. Cost: freeing what it has changed. */
BERTH_API void berth_branch_drop(berth_engine *branch);

/* Why a placement of a branch cannot be repeated on the engine. */
typedef enum berth_conflict_kind {
    BERTH_CONFLICT_POD_GONE = 0, /* the pod was removed from the engine */
    BERTH_CONFLICT_POD_MOVED,    /* the pod is no longer where it was in the snapshot */
    BERTH_CONFLICT_NODE_GONE,    /* the engine has no such node */
    BERTH_CONFLICT_NO_FIT,       /* the pod no longer passes the filters on that node */
    BERTH_CONFLICT_REFUSED,      /* the reserve function of one of your plugins refused */
} berth_conflict_kind;

/* A pod that a commit could not move. */
typedef struct berth_conflict {
    berth_pod_id pod;
    berth_node_id
        node; /* where the branch has it, an id of the branch; BERTH_NODE_NONE: on no node */
    berth_conflict_kind kind;
} berth_conflict;

/* Repeat on the engine what the branch did to the pods of its snapshot: unbind those that it
 * unbound, then bind those that it bound, in its order. Each step is checked against the engine's
 * current state: the pod exists and is where it was in the snapshot, the node exists (by name), and
 * the pod passes all filters there, nominated pods included. Volumes are reserved as in any bind on
 * the engine. Either all steps are carried out or, if there is a conflict, none. Other changes of
 * the branch (nodes; added, updated or removed pods; nominations) are not carried over.
 *
 * `conflicts` (at most `capacity`) receives the first conflicts, and `*count` their number: 0 means
 * that everything was done. A pod in conflict counts as placed nowhere, so one conflict may lead to
 * others.
 * Threads: those of the engine and of the branch, which is unchanged. Cost: linear in the
 * differences.
 * Errors: BERTH_E_ARG (not a branch), BERTH_E_STATE (a transaction is open on the branch),
 * BERTH_E_NOMEM, and what deciding a pod without a profile returns; nothing has changed. */
static inline berth_status berth_branch_commit(berth_engine *branch, berth_conflict *conflicts,
                                               uint32_t capacity, uint32_t *count,
                                               berth_error *error)
{
    return berth_branch_commit_sized(branch, conflicts, sizeof(*conflicts), capacity, count, error);
}

/* Free what the engine keeps for future branches: counters, search trees and volumes, at most four
 * sets, each with the pages of the snapshot in which it was last used (if that is among the last
 * 1,024).
 * Threads: any after the first publication; the engine's before it. Cost: freeing them. */
BERTH_API void berth_engine_trim(berth_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
