/* Who is told of every pod that comes to a present node, or leaves one: an embedder's plugins that
 * reserve.
 *
 * A pod on a node that is not there is on none. It comes when the node does, and leaves with it.
 * Changes of objects tell by berth__pod_moved and berth__node_moved. Binding and unbinding, where
 * plugins may refuse, tell by themselves (decide/reserve.c) and leave the note alone. In a
 * transaction each leaves a note, and taking it back tells the opposite: so whoever counts has
 * counted, after whatever happened, exactly the pods that are on nodes.
 *
 * Threads: the engine's; the model's lock is not held while somebody is told. Branches tell
 * nobody. */
#ifndef BERTH_CLUSTER_POD_MOVES_H
#define BERTH_CLUSTER_POD_MOVES_H

#include "cluster/cluster.h"

/* A pod of that class has come to a present node (`came`), or is about to leave it or has just left
 * it. Under the model's lock. A note needs the room of berth__cluster_reserve_undo. */
void berth__pod_moved_heard(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node,
                            bool came);
static inline void berth__pod_moved(berth__cluster *cluster, uint32_t pod, berth__class *cls,
                                    uint32_t node, bool came)
{
    if (BERTH_UNLIKELY(cluster->pod_moves.moved != NULL))
        berth__pod_moved_heard(cluster, pod, cls, node, came);
}

/* All pods of a node that has come, or has gone. Under the model's lock. */
void berth__node_moved(berth__cluster *cluster, uint32_t node, bool came);

/* The note alone: whoever binds or unbinds has told. Not under the model's lock. */
void berth__note_pod_moved(berth__cluster *cluster, uint32_t pod, berth__class *cls, uint32_t node,
                           bool came);

#endif
