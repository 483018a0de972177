/* Giving back, between two operations of an engine, what no object holds any more: texts
 * (model/sweep.h), ids of nodes, and records of volumes (store/storage_sweep.c).
 *
 * A node's id is free once the node is absent, no pod is bound to it or has it nominated, and the
 * layout lacks it. Free ids are looked for when none is left and as many have been given since
 * as were in use. Snapshots and branches have records and names of their own, in which the id means
 * what it did: so the id may be another node's at once, and who compares two states compares
 * names. */
#ifndef BERTH_CLUSTER_CLUSTER_SWEEP_H
#define BERTH_CLUSTER_CLUSTER_SWEEP_H

#include "cluster/cluster.h"
#include "model/sweep.h"
#include "store/storage.h"

/* Whether a sweep is due; never on a branch. Under the model's lock. */
static inline bool berth__cluster_sweep_is_due(const berth__cluster *cluster)
{
    return !cluster->cow.branch && (berth__sweep_is_due(cluster->model) ||
                                    berth__storage_sweep_is_due(cluster->view.storage) ||
                                    BERTH_UNLIKELY(cluster->node_count >= cluster->node_sweep_at &&
                                                   cluster->free_node == BERTH_NODE_NONE));
}

/* Sweep: an operation of the engine's own is done, and nothing is held that no object holds.
 * Nothing happens while a transaction is open. Not under the lock. */
void berth__cluster_sweep(berth__cluster *cluster);

#endif
