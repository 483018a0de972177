/* The selectors by which v1.15's spreading priorities identify the siblings of a pod: those of the
 * Services and controllers in its namespace that match its labels. */
#ifndef BERTH_LEGACY_LEGACY_SELECTORS_H
#define BERTH_LEGACY_LEGACY_SELECTORS_H

#include "columns/pod_counts.h"
#include "plugins/plugin.h"

typedef enum berth__siblings {
    BERTH__SIBLINGS_ALL,           /* Services, ReplicationControllers, ReplicaSets, StatefulSets */
    BERTH__SIBLINGS_SERVICES,      /* only Services */
    BERTH__SIBLINGS_FIRST_SERVICE, /* the Service that arrived first */
} berth__siblings;

/* Find the up-to-date counters of the pods that match all these selectors and are not being
 * deleted, by domains of a topology key; NULL if there is no selector. `owner` identifies the
 * caller. Returns false when out of memory. */
bool berth__legacy_siblings(const berth__question *cycle, const void *owner, berth__siblings which,
                            berth__sym topology_key, const berth__domain_counts **out);

#endif
