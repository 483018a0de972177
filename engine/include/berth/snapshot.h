/* Snapshots: published states of an engine's cluster, whole and unchanging, read on any thread.
 *
 * The engine's thread publishes its present state as a snapshot; the first publication makes
 * it possible to pin. A reader on any thread pins the latest snapshot, reads it as long as
 * it likes, and unpins it. A reader neither waits for the engine nor makes it wait.
 * Snapshots share what they have in common: a snapshot costs what changed until the next one
 * was published, and its memory goes when it is neither the latest nor pinned.
 *
 * While nothing was ever published nothing is copied. Afterwards the first change of a part of the
 * state after each publication copies that part: some 14 KB for a pod's record, its neighbours'
 * and its node's, and as much for the tile of 128 nodes that counts it. A node that changes costs
 * about 20 bytes for each node of the cluster, other kinds of objects a copy of all of their kind.
 *
 * The memory is the engine's: it lies in the engine's heap, which goes with the engine. So
 * all pins must be given back before the engine is destroyed; berth_engine_destroy stops
 * the program if one was not. */
#ifndef BERTH_SNAPSHOT_H
#define BERTH_SNAPSHOT_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_snapshot berth_snapshot;

/* Publish the engine's present state. Threads: the engine's. Errors: E_NOMEM (or 65,535 snapshots
 * are alive), E_STATE (a transaction is open; the engine is a branch; a callback of its scheduler
 * runs). Cost: some microseconds, and that of the volumes and claims that changed since the last
 * time; it does not depend on the cluster's size. */
BERTH_API berth_status berth_engine_publish(berth_engine *engine, berth_error *error);

/* Pin the latest snapshot; NULL if nothing was published yet. One atomic addition.
 * Threads: any, also while the engine is in use elsewhere. */
BERTH_API berth_snapshot *berth_engine_pin(const berth_engine *engine);

/* Pin once more what the caller has pinned (returns it); give one pin back. Both accept NULL and
 * never fail. Threads: any; a pin may be given back on another thread than it was taken on.
 * Cost: one atomic operation; whoever gives back the last pin of an old snapshot also frees what it
 * alone showed, as much as was changed then, and looks at each snapshot that is alive. */
BERTH_API berth_snapshot *berth_snapshot_pin(berth_snapshot *snapshot);
BERTH_API void berth_snapshot_unpin(berth_snapshot *snapshot);

/* Its number: from 1, in order of publication. Threads: any, under a pin. Cost: constant. */
BERTH_API uint64_t berth_snapshot_number(const berth_snapshot *snapshot);

/* Reading, as the functions of the same names for an engine: errors, results for what is unknown,
 * and costs are theirs. Texts are borrowed until the snapshot is unpinned. Ids are those of the
 * engine. Threads: any number at a time, each under a pin. */
BERTH_API berth_node_id berth_snapshot_find_node(const berth_snapshot *snapshot, berth_str name);
BERTH_API berth_pod_id berth_snapshot_find_pod(const berth_snapshot *snapshot,
                                               berth_str namespace_name, berth_str name);
BERTH_API berth_str berth_snapshot_node_name(const berth_snapshot *snapshot, berth_node_id node);
BERTH_API void berth_snapshot_pod_name(const berth_snapshot *snapshot, berth_pod_id pod,
                                       berth_str *namespace_name, berth_str *name);
BERTH_API berth_node_id berth_snapshot_pod_node(const berth_snapshot *snapshot, berth_pod_id pod);
BERTH_API berth_status berth_snapshot_node_resource(const berth_snapshot *snapshot,
                                                    berth_node_id node, berth_str resource,
                                                    int64_t *allocatable, int64_t *requested,
                                                    berth_error *error);
BERTH_API berth_str berth_snapshot_node_label(const berth_snapshot *snapshot, berth_node_id node,
                                              berth_str key);
BERTH_API uint64_t berth_snapshot_digest(const berth_snapshot *snapshot);

static inline void berth_snapshot_counts(const berth_snapshot *snapshot, berth_counts *out)
{
    berth_snapshot_counts_sized(snapshot, out, sizeof(*out));
}

/* Walking all nodes: the ids of present ones lie below the limit, with gaps. Walking a node's
 * pods: the first with after = BERTH_POD_NONE, then the one after the last; BERTH_POD_NONE
 * ends. Likewise the pending pods, in order of arrival, with node = BERTH_NODE_NONE. An id that
 * the snapshot does not know is no present node and has no pods. Threads: as above. Cost: constant
 * for each call. */
BERTH_API berth_node_id berth_snapshot_node_limit(const berth_snapshot *snapshot);
BERTH_API bool berth_snapshot_node_present(const berth_snapshot *snapshot, berth_node_id node);
BERTH_API berth_pod_id berth_snapshot_next_pod(const berth_snapshot *snapshot, berth_node_id node,
                                               berth_pod_id after);

/* Check that the snapshot is consistent in itself: what is kept as requested on each node is
 * the sum of its pods, every pod is once on a node or pending, and can be found by its name.
 * Threads: as above. Errors: E_INTERNAL naming the broken rule. Cost: linear in nodes and pods. */
BERTH_API berth_status berth_snapshot_check(const berth_snapshot *snapshot, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
