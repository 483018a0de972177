/* Pods that the engine's user binds and unbinds by hand: the watcher hears of it as of a change of
 * an object. */
#ifndef BERTH_CLUSTER_CLUSTER_MOVES_H
#define BERTH_CLUSTER_CLUSTER_MOVES_H

#include "cluster/cluster.h"

/* Before the pod moves: memory for whoever hears of it, and what the pod was. Errors: E_NOMEM. */
berth_status berth__cluster_begin_move(berth__cluster *cluster, uint32_t pod,
                                       berth__change *change);

/* It has moved. */
void berth__cluster_end_move(const berth__cluster *cluster, berth__change *change);

#endif
