/* Every object that a cluster holds, kind by kind, in the order in which another cluster has to
 * receive them (berth/read.h, berth_engine_objects). */
#ifndef BERTH_CLUSTER_CLUSTER_WALK_H
#define BERTH_CLUSTER_CLUSTER_WALK_H

#include "berth/read.h"
#include "cluster/cluster.h"

/* See berth_engine_objects. A branch's volumes must be up to date. */
berth_status berth__cluster_walk(const berth__cluster *cluster, berth_kind kind,
                                 const uint32_t *sizes, berth_each_object_fn each, void *context,
                                 berth_error *error);

#endif
