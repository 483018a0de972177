/* How changes of nodes and pods are undone: the records that the cluster's files leave in the undo
 * log.
 *
 * Each note is taken next to the change that it describes. Undone newest first, the notes restore
 * the former state in every respect that a later decision can see: ids and generations, lists of
 * pods, zones and layout in their order, ports, image sizes. Derived data (search trees, prepared
 * states, counters) follows by the view's journal and epochs, as for any other change.
 * It keeps CLUSTER-7 (cluster.h). */
#ifndef BERTH_CLUSTER_CLUSTER_UNDO_H
#define BERTH_CLUSTER_CLUSTER_UNDO_H

#include "cluster/cluster.h"

/* Reserve room for the records of one operation. `pod` is the one that may leave its node, or
 * BERTH_POD_INDEX_NONE. Returns false when out of memory. */
bool berth__cluster_reserve_undo(berth__cluster *cluster, uint32_t pod);

/* A node id was just assigned: a new one if `fresh`, otherwise one that was free. */
void berth__note_node_id(berth__cluster *cluster, uint32_t id, bool fresh);

/* A node is about to be added, removed (`fresh` is NULL) or changed. Reserves the room that it
 * needs; false when out of memory. Before the next note, call leave_tree and free_facts for the
 * node's former zone and facts. */
bool berth__note_node(berth__cluster *cluster, uint32_t node, const berth__node_facts *fresh);
void berth__leave_tree(berth__cluster *cluster, uint32_t node, berth__sym zone);
void berth__free_facts(berth__cluster *cluster, berth__node_facts *facts);
/* The change was not made: drop the note. */
void berth__cancel_node(berth__cluster *cluster);

/* A present node is about to be closed or opened. */
void berth__note_closed(berth__cluster *cluster, uint32_t node);

/* There is a new layout. Takes over `former`. */
void berth__note_relayout(berth__cluster *cluster, const berth__former_layout *former);

/* The list of freed ports (columns/freed_ports.h), which is writable, is about to change. Reserves
 * the room that it needs, unless reserve_undo did; false when out of memory. */
bool berth__note_freed(berth__cluster *cluster, bool reserved);

/* A pod of a class is about to be counted on a node of the layout (change 1), or no longer counted
 * (-1). Reserves the room that it needs; false when out of memory, but never for -1 after
 * reserve_undo. */
bool berth__note_count(berth__cluster *cluster, uint32_t node, const berth__class *cls, int change);

/* A pod was added to a list, or is about to be removed from it. */
typedef enum berth__list_change {
    BERTH__CAME_TO_NODE,
    BERTH__LEFT_NODE,
    BERTH__CAME_TO_PENDING,
    BERTH__LEFT_PENDING,
} berth__list_change;
void berth__note_list_recording(berth__cluster *cluster, uint32_t pod, berth__list_change change);
static inline void berth__note_list(berth__cluster *cluster, uint32_t pod,
                                    berth__list_change change)
{
    if (cluster->undo.recording)
        berth__note_list_recording(cluster, pod, change);
}

/* A pod was added; or is about to change (its former class keeps its use, and its former name
 * stays, `renamed` or not; false when out of memory; cancel: the change was not made); or is on no
 * list any more and is removed. */
void berth__note_pod_added(berth__cluster *cluster, uint32_t pod);
bool berth__note_pod(berth__cluster *cluster, uint32_t pod, bool renamed);
void berth__cancel_pod(berth__cluster *cluster);
void berth__drop_pod(berth__cluster *cluster, uint32_t pod);

/* The zone that decides the order of nodes. */
berth__sym berth__cluster_zone(const berth__cluster *cluster, const berth__node_facts *facts);

#endif
