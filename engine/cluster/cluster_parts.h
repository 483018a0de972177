/* Functions shared by the files that make up a cluster. No other file includes this.
 *   cluster.c        create and destroy, layout, notification, objects by kind
 *   cluster_nodes.c  nodes
 *   cluster_pods.c   pods */
#ifndef BERTH_CLUSTER_CLUSTER_PARTS_H
#define BERTH_CLUSTER_CLUSTER_PARTS_H

#include "cluster/cluster.h"

/* ---- cluster.c ---- */

/* Make columns for the resources that the model has registered. Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_widen(berth__cluster *cluster);

/* Allocate memory for undoing an operation on an object of the kind, and for the watcher. Call it
 * without the model's lock: the watcher catches up with what it missed, and calls back. */
bool berth__cluster_make_ready(berth__cluster *cluster, berth_kind kind);

/* Notify the watcher of a change, unless it may still be taken back. _locked: call it with the
 * model's lock, which is released meanwhile, because callbacks may wait for a thread that needs it.
 * The operation must be complete, except for giving up what it has replaced. */
void berth__cluster_notify(const berth__cluster *cluster, const berth__change *change);
void berth__cluster_notify_locked(const berth__cluster *cluster, const berth__change *change);

/* While objects come: see berth__volume_use_keep_up. */
void berth__cluster_keep_up_volumes(berth__cluster *cluster);

/* ---- cluster_nodes.c ---- */

/* The id of a name. A new name gets an id with an absent node. BERTH_NODE_NONE when out of
 * memory. */
uint32_t berth__cluster_node_id_make(berth__cluster *cluster, berth_str name);

/* Free an id that no longer has a name. Its record must be writable. */
static inline void berth__cluster_free_node(berth__cluster *cluster, uint32_t id)
{
    *berth__cluster_node(cluster, id) = (berth__node_record){.slot = BERTH__SLOT_NONE,
                                                             .first_pod = BERTH_POD_INDEX_NONE,
                                                             .next_free = cluster->free_node};
    cluster->free_node = id;
}

/* Make the node's record writable. Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_make_node_writable(berth__cluster *cluster, uint32_t node_id);

/* What new facts of a node change besides amounts (berth__facts_change), these images included. */
uint32_t berth__cluster_facts_changes(const berth__cluster *cluster, const berth__node_facts *old,
                                      const berth__node_facts *facts, uint64_t images);

/* One object, under the model's lock, with room to undo the operation. Errors: those of
 * berth_engine_add, _update and _remove. */
berth_status berth__cluster_add_node(berth__cluster *cluster, const berth_node *source,
                                     uint64_t *id, berth_error *error);
berth_status berth__cluster_update_node(berth__cluster *cluster, const berth_node *source,
                                        berth_error *error);
berth_status berth__cluster_remove_node(berth__cluster *cluster, berth_str name,
                                        berth_error *error);

/* ---- cluster_pods.c: as above ---- */

berth_status berth__cluster_add_pod(berth__cluster *cluster, const berth_pod *source, uint64_t *id,
                                    berth_error *error);
berth_status berth__cluster_update_pod(berth__cluster *cluster, const berth_pod *source,
                                       berth_error *error);
berth_status berth__cluster_remove_pod(berth__cluster *cluster, berth_str namespace_name,
                                       berth_str name, berth_error *error);

#endif
