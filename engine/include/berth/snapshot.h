/* Snapshots: published states of a cluster that never change and that any thread may read.
 *
 * The engine's thread publishes its current state as a snapshot. From then on, a reader on any
 * thread can pin the latest snapshot, read it as long as it likes, and unpin it. A reader never
 * waits for the engine, and never makes the engine wait. Snapshots share everything that did not
 * change between them: a snapshot takes memory only for what changed before the next one was
 * published, and that memory is freed when the snapshot is neither the latest one nor pinned.
 *
 * Nothing is copied before the first publication. After each publication, the first change of a
 * part of the state copies that part: some 14 KB for the records of a pod, its neighbours and its
 * node, and as much for the tile of 128 nodes that counts the pod. A changed node costs about 20
 * bytes for each node of the cluster; a changed object of another kind, a copy of all of its kind.
 *
 * The memory comes from the engine's heap and is freed with it. So give back all pins before you
 * destroy the engine; berth_engine_destroy stops the program otherwise. */
#ifndef BERTH_SNAPSHOT_H
#define BERTH_SNAPSHOT_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct berth_snapshot berth_snapshot;

/* Publish the engine's current state. Threads: the engine's.
 * Errors: BERTH_E_NOMEM (also if 65,535 snapshots are alive), BERTH_E_STATE (a transaction is open,
 * the engine is a branch, or a callback of its scheduler is running).
 * Cost: some microseconds, and copying the volumes and claims that changed since the last
 * publication. If nodes came or went since the last call that needed a layout of the nodes, the
 * call makes a new one, linear in all nodes; otherwise the size of the cluster does not matter. */
BERTH_API berth_status berth_engine_publish(berth_engine *engine, berth_error *error);

/* Pin the latest snapshot; NULL if nothing was published yet. Threads: any, also while the engine
 * is in use elsewhere. Cost: two atomic additions. */
BERTH_API berth_snapshot *berth_engine_pin(const berth_engine *engine);

/* Pin once more a snapshot that the caller has pinned, and return it; give one pin back. Both
 * accept NULL and never fail. Threads: any; a pin may be given back on another thread. Giving back
 * more pins than were taken stops the program, as long as the snapshot's memory is still there; a
 * pin that a branch has taken cannot be given back by mistake.
 * Cost: two atomic operations. Giving back the last pin of an old snapshot also frees what only
 * that snapshot showed (linear in what had changed then), and visits each living snapshot. */
BERTH_API berth_snapshot *berth_snapshot_pin(berth_snapshot *snapshot);
BERTH_API void berth_snapshot_unpin(berth_snapshot *snapshot);

/* The number of the snapshot, counted from 1 in order of publication. Threads: any, under a pin. */
BERTH_API uint64_t berth_snapshot_number(const berth_snapshot *snapshot);

/* Reading a snapshot. Errors, results for unknown objects and costs are those of the functions with
 * the same names for engines. Texts are borrowed until the snapshot is unpinned. Ids are the
 * engine's. Threads: any number at a time, each under a pin. */
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

/* Walking a snapshot. Ids of present nodes are below the limit, with gaps. To walk a node's pods,
 * begin with `after` BERTH_POD_NONE and pass the last pod from then on, until BERTH_POD_NONE is
 * returned. With `node` BERTH_NODE_NONE the pending pods are walked, in order of arrival. A node
 * that the snapshot does not know is not present and has no pods. Threads: as above. */
BERTH_API berth_node_id berth_snapshot_node_limit(const berth_snapshot *snapshot);
BERTH_API bool berth_snapshot_node_present(const berth_snapshot *snapshot, berth_node_id node);
BERTH_API berth_pod_id berth_snapshot_next_pod(const berth_snapshot *snapshot, berth_node_id node,
                                               berth_pod_id after);

/* Check that the snapshot is consistent: the requested amounts of each node are the sums over its
 * pods, and every pod is on one node or pending and is found by its name. Threads: as above.
 * Errors: BERTH_E_INTERNAL, naming the broken rule. Cost: linear in nodes and pods. */
BERTH_API berth_status berth_snapshot_check(const berth_snapshot *snapshot, berth_error *error);

#ifdef __cplusplus
}
#endif

#endif
