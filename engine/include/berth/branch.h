/* Branches: what-if clusters made from a pinned snapshot, as many and on as many threads as you
 * like.
 *
 * A branch is an engine that begins as the snapshot was. Every function of engine.h, transaction.h,
 * query.h, read.h, template.h and statistics.h works on it: decide and bind, evict, add, update and
 * remove nodes, pods and other objects, cordon, transactions, explanations. Nothing of that is seen
 * by the engine, by snapshots or by other branches. Decisions are those of an engine built from
 * scratch in the same state, and go on where the engine's were when it published (rotation, random
 * choice). Ids of nodes and pods of the snapshot are those of the engine.
 *
 *     berth_engine_publish(engine, &error);               the engine's thread
 *
 *     berth_snapshot *snapshot = berth_engine_pin(engine); any thread
 *     berth_engine *branch;
 *     berth_branch_create(snapshot, &branch, &error);
 *     berth_snapshot_unpin(snapshot);                      the branch has a pin of its own
 *     berth_engine_schedule(branch, pod, &placement, &error);
 *     berth_branch_drop(branch);
 *
 * Cost: making and dropping a branch does not depend on the number of nodes or pods. A branch
 * copies what it changes, in pages. The first decision brings counters and search trees, which are
 * kept from one branch to the next, from the state in which they were last used to that of the
 * branch: that costs what differs. The first branch of all, and one for each further branch that
 * is there at the same time, makes them, which takes milliseconds and a walk over all pods.
 *
 * Volumes are kept in the same way: what the engine reserved for claims is reserved on the branch,
 * what the branch reserves or gives back is so on the branch alone. The first thing that happens to
 * a pod with claims or disks brings them into step; the first time of all that costs a look at each
 * volume, claim and CSINode besides. Where no pod has volumes nothing of it is made.
 *
 * Other objects (CSINodes, volumes, claims, classes, Services, Namespaces, PodDisruptionBudgets,
 * ...) change on a branch as on an engine. The first change of a Service, controller or Namespace
 * copies all of these, the first of a budget all budgets; one of an object of storage brings
 * volumes into step as above, and what the branch has of them then ends with it: the next branch
 * makes it anew.
 *
 * What a branch does not have: nothing can be published, there is no scheduler (E_STATE), and
 * reserve and unreserve of your own plugins are not called: what they keep is the engine's. Their
 * other functions are called on the branch's thread, at the same time as for the engine and other
 * branches.
 *
 * berth_counts.pod_classes of a branch counts those of the engine and all of its branches.
 *
 * Threads: a branch is used by one thread at a time, whatever the engine and other branches do
 * meanwhile; it has no workers. An allocator of your own must serve all these threads. */
#ifndef BERTH_BRANCH_H
#define BERTH_BRANCH_H

#include "berth/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Make a branch of a snapshot that the caller has pinned. Owner: the branch is the caller's, to be
 * dropped before the engine is destroyed; it has a pin of its own until then. Threads: any. Errors:
 * E_NOMEM. Cost: see above. */
BERTH_API berth_status berth_branch_create(berth_snapshot *snapshot, berth_engine **out,
                                           berth_error *error);

/* End a branch, what it has changed included; berth_engine_destroy does the same. Accepts NULL.
 * Threads: the branch's. Cost: that of what it has changed. */
BERTH_API void berth_branch_drop(berth_engine *branch);

/* Why something of a branch can't be had on the engine. */
typedef enum berth_conflict_kind {
    BERTH_CONFLICT_POD_GONE = 0, /* the pod to be placed has been removed */
    BERTH_CONFLICT_POD_MOVED,    /* it is no longer where it was in the snapshot */
    BERTH_CONFLICT_NODE_GONE,    /* the node is not there */
    BERTH_CONFLICT_NO_FIT,       /* the pod no longer passes the filters there */
    BERTH_CONFLICT_REFUSED,      /* a plugin of your own refused to reserve */
} berth_conflict_kind;

/* One pod that a commit could not have. */
typedef struct berth_conflict {
    berth_pod_id pod;
    berth_node_id node; /* an id of the branch, which has the pod there; BERTH_NODE_NONE: on none */
    berth_conflict_kind kind;
} berth_conflict;

/* Do on the engine what the branch did to pods that its snapshot knows: take off their nodes
 * those that the branch took off, then place those that it placed, in the order in which it
 * bound them. Each is checked against what has changed since: the pod is there and where it was
 * in the snapshot, the node (by its name) is there, and the pod passes all filters on it,
 * nominated pods included; volumes are reserved then, as whenever the engine binds a pod. All or
 * nothing: with a conflict the engine is as before. What else the branch did (nodes; added,
 * updated or removed pods; nominations) is not handed over.
 *
 * `conflicts` (at most `capacity`) receives the first ones, `*count` how many there are: 0 if
 * all was done. A pod in conflict counts as placed nowhere, so later conflicts may follow from
 * it.
 * Threads: those of the engine and of the branch, which stays as it is. Cost: that of what
 * differs.
 * Errors: E_ARG (not a branch), E_STATE (a transaction is open on the branch), E_NOMEM, and what
 * deciding answers to a pod that no profile serves; nothing has changed then. */
static inline berth_status berth_branch_commit(berth_engine *branch, berth_conflict *conflicts,
                                               uint32_t capacity, uint32_t *count,
                                               berth_error *error)
{
    return berth_branch_commit_sized(branch, conflicts, sizeof(*conflicts), capacity, count, error);
}

/* Give back what the engine keeps for future branches: counters, trees and volumes, at most four
 * sets, each with the pages of the snapshot in which it was last used if that is among the last
 * 1,024.
 * Threads: any, once something was published; before that, the engine's. Cost: that of what is
 * freed. */
BERTH_API void berth_engine_trim(berth_engine *engine);

#ifdef __cplusplus
}
#endif

#endif
