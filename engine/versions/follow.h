/* What is derived from a cluster (counters of pods, journal; volumes in use) follows it from one
 * state to another.
 *
 * Two states of an engine's cluster, snapshots or branches, share what they have in common, so
 * what differs is found by comparing pages: the cost is that of what differs, wherever the
 * states come from. A layout in another order costs a pass over the nodes besides.
 *
 * Both states must stay while it goes on: the caller has pinned what they are made of. */
#ifndef BERTH_VERSIONS_FOLLOW_H
#define BERTH_VERSIONS_FOLLOW_H

#include "cluster/cluster.h"

typedef enum berth__followed {
    BERTH__FOLLOWED,      /* counters and journal are in step */
    BERTH__FOLLOWED_AWAY, /* and facts of nodes differ: what was kept by epoch or journal is void */
    BERTH__FOLLOW_FAILED, /* out of memory: the counters are void */
} berth__followed;

/* The counters of the cluster's view (there are some) and its journal are those of the state
 * `former`; bring them to the cluster's own. */
berth__followed berth__cluster_follow(berth__cluster *cluster, const berth__cluster *former);

/* Count held terms of all pods into counters that know none. Returns false when out of memory.
 * Cost: a walk over the running pods. */
bool berth__cluster_recount(berth__cluster *cluster);

/* The same two for the volumes in use, which are the view's. The store behind them says already
 * what it does in this state; what of it alone has changed is taken over by the next refresh.
 * Both return false when out of memory: the volumes in use are void. */
bool berth__cluster_follow_volumes(berth__cluster *cluster, const berth__cluster *former);
bool berth__cluster_recount_volumes(berth__cluster *cluster);

#endif
