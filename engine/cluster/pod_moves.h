/* Notification of every pod that arrives on a present node or leaves one, for an embedder's plugins
 * that reserve.
 *
 * A pod on an absent node counts as on no node. It comes when the node does, and leaves with it.
 * Changes of objects notify by berth__pod_moved and berth__node_moved. Binding and unbinding, where
 * plugins may refuse, notify themselves (decide/reserve.c) and only leave the undo record. In a
 * transaction each notification leaves an undo record, and undoing it notifies of the opposite. So
 * a plugin that counts has always counted exactly the pods that are on nodes.
 *
 * Threads: the engine's, without the model's lock during the call. Branches do not notify. */
#ifndef BERTH_CLUSTER_POD_MOVES_H
#define BERTH_CLUSTER_POD_MOVES_H

#include "cluster/cluster.h"

/* A pod of that class arrived on a present node (`came`), or is about to leave it, or has just left
 * it. Call it under the model's lock. berth__cluster_reserve_undo must have reserved the room for
 * the undo record. */
void berth__pod_moved_heard(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node,
                            bool came);
static inline void berth__pod_moved(berth__cluster *cluster, uint32_t pod, berth__class *cls,
                                    uint32_t node, bool came)
{
    if (BERTH_UNLIKELY(cluster->pod_moves.moved != NULL))
        berth__pod_moved_heard(cluster, pod, cls, node, came);
}

/* All pods of a node that came or left. Call it under the model's lock. */
void berth__node_moved(berth__cluster *cluster, uint32_t node, bool came);

/* Leave only the undo record: binding or unbinding has notified already. Call it without the
 * model's lock. */
void berth__note_pod_moved(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node,
                           bool came);

#endif
