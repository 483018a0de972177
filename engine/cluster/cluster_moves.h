/* Pods that the engine's user binds and unbinds directly: the watcher is notified as of a change of
 * an object. */
#ifndef BERTH_CLUSTER_CLUSTER_MOVES_H
#define BERTH_CLUSTER_CLUSTER_MOVES_H

#include "cluster/cluster.h"

/* Call before the pod moves: allocates memory for the notification, and records what the pod was.
 * Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_begin_move(berth__cluster *cluster, uint32_t pod,
                                       berth__change *change);

/* Call after the pod has moved. */
void berth__cluster_end_move(const berth__cluster *cluster, berth__change *change);

#endif
