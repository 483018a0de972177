/* Frees, between two operations of an engine, what no object holds any more: texts (model/sweep.h),
 * ids of nodes, and records of volumes (store/storage_sweep.c).
 *
 * A node's id is free once the node is absent, no pod is bound to it or has it nominated, and the
 * layout lacks it. The sweep looks for free ids when none is left and as many ids were assigned
 * since the last sweep as were in use then. Snapshots and branches have their own records and
 * names, in which the id keeps its meaning. So another node may get the id immediately, and code
 * that compares two states has to compare names. */
#ifndef BERTH_CLUSTER_CLUSTER_SWEEP_H
#define BERTH_CLUSTER_CLUSTER_SWEEP_H

#include "cluster/cluster.h"
#include "model/sweep.h"
#include "store/storage.h"

/* Whether a sweep is due; never on a branch. Call it under the model's lock. */
static inline bool berth__cluster_sweep_is_due(const berth__cluster *cluster)
{
    return !cluster->cow.branch && (berth__sweep_is_due(cluster->model) ||
                                    berth__storage_sweep_is_due(cluster->view.storage) ||
                                    BERTH_UNLIKELY(cluster->node_count >= cluster->node_sweep_at &&
                                                   cluster->free_node == BERTH_NODE_NONE));
}

/* Sweep. Call it when an operation of the engine is done, and only objects hold anything. Does
 * nothing while a transaction is open. Call it without the lock. */
void berth__cluster_sweep(berth__cluster *cluster);

#endif
