/* Data derived from a cluster (counters of pods, journal; volumes in use) follows it from one state
 * to another.
 *
 * Two states of an engine's cluster, snapshots or branches, share the pages that they have in
 * common, so comparing pages finds the differences. The cost depends only on the differences
 * between the two states. A layout in another order adds a pass over the nodes.
 *
 * Both states must stay valid meanwhile: the caller has pinned their snapshots. */
#ifndef BERTH_VERSIONS_FOLLOW_H
#define BERTH_VERSIONS_FOLLOW_H

#include "cluster/cluster.h"

typedef enum berth__followed {
    BERTH__FOLLOWED,      /* counters and journal are in step */
    BERTH__FOLLOWED_AWAY, /* and node facts differ: data kept by epoch or journal is invalid */
    BERTH__FOLLOW_FAILED, /* out of memory: the counters are unusable */
} berth__followed;

/* The counters of the cluster's view (which exist) and its journal belong to the state `former`;
 * bring them to the cluster's state. */
berth__followed berth__cluster_follow(berth__cluster *cluster, const berth__cluster *former);

/* Count held terms of all pods into counters that have none. Returns false when out of memory.
 * Cost: a walk over the running pods. */
bool berth__cluster_recount(berth__cluster *cluster);

/* The same two for the volumes in use, which belong to the view. Their store is already in the new
 * state; changes of the store alone are taken over by the next refresh. Both return false when out
 * of memory; the volumes in use are then unusable. */
bool berth__cluster_follow_volumes(berth__cluster *cluster, const berth__cluster *former);
bool berth__cluster_recount_volumes(berth__cluster *cluster);

#endif
