/* Binding and unbinding by the engine's user: the watcher is notified as if an object had
 * changed. */
#ifndef BERTH_CLUSTER_CLUSTER_MOVES_H
#define BERTH_CLUSTER_CLUSTER_MOVES_H

#include "cluster/cluster.h"

/* Call before the pod moves: allocates memory for the notification, and records the pod's state.
 * Errors: BERTH_E_NOMEM. */
berth_status berth__cluster_begin_move(berth__cluster *cluster, uint32_t pod,
                                       berth__change *change);

/* Call after the pod has moved. */
void berth__cluster_end_move(const berth__cluster *cluster, berth__change *change);

#endif
