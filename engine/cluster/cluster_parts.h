/* What the files that make up a cluster ask of each other; nobody else includes this.
 *   cluster.c        life, layout, news, objects by kind
 *   cluster_nodes.c  nodes
 *   cluster_pods.c   pods */
#ifndef BERTH_CLUSTER_CLUSTER_PARTS_H
#define BERTH_CLUSTER_CLUSTER_PARTS_H

#include "cluster/cluster.h"

/* ---- cluster.c ---- */

/* Resources that the model has registered get their columns. Errors: E_NOMEM. */
berth_status berth__cluster_widen(berth__cluster *cluster);

/* Memory for undoing an operation on an object of the kind, and for whoever hears of it. Not under
 * the model's lock: the watcher catches up with what it has missed, and calls back. */
bool berth__cluster_make_ready(berth__cluster *cluster, berth_kind kind);

/* Notify the watcher of a change, unless it may be taken back yet. _locked: under the model's lock,
 * which is released meanwhile, for callbacks may wait for somebody who needs it. The operation is
 * done then, but for giving up what it has replaced. */
void berth__cluster_notify(const berth__cluster *cluster, const berth__change *change);
void berth__cluster_notify_locked(const berth__cluster *cluster, const berth__change *change);

/* ---- cluster_nodes.c ---- */

/* The id of a name, with an absent node behind it if it is new; BERTH_NODE_NONE when out of
 * memory. */
uint32_t berth__cluster_node_id_make(berth__cluster *cluster, berth_str name);

/* An id that has no name any more, its record writable, is free. */
static inline void berth__cluster_free_node(berth__cluster *cluster, uint32_t id)
{
    *berth__cluster_node(cluster, id) = (berth__node_record){.slot = BERTH__SLOT_NONE,
                                                             .first_pod = BERTH_POD_INDEX_NONE,
                                                             .next_free = cluster->free_node};
    cluster->free_node = id;
}

/* The node's record may be written afterwards. Errors: E_NOMEM. */
berth_status berth__cluster_make_node_writable(berth__cluster *cluster, uint32_t node_id);

/* One object, under the model's lock, with room to undo it. Errors: those of berth_engine_add,
 * _update and _remove. */
berth_status berth__cluster_add_node(berth__cluster *cluster, const berth_node *source,
                                     uint64_t *id, berth_error *error);
berth_status berth__cluster_update_node(berth__cluster *cluster, const berth_node *source,
                                        berth_error *error);
berth_status berth__cluster_remove_node(berth__cluster *cluster, berth_str name,
                                        berth_error *error);

/* ---- cluster_pods.c: likewise ---- */

berth_status berth__cluster_add_pod(berth__cluster *cluster, const berth_pod *source, uint64_t *id,
                                    berth_error *error);
berth_status berth__cluster_update_pod(berth__cluster *cluster, const berth_pod *source,
                                       berth_error *error);
berth_status berth__cluster_remove_pod(berth__cluster *cluster, berth_str namespace_name,
                                       berth_str name, berth_error *error);

#endif
