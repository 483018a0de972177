/* The offers of a node: which pools it sees, and the views of them, in the order of the allocator.
 *
 * A list is made when a node is first asked about. The catalog drops it when the node may see other
 * devices.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating/pools_incubating.go.
 * Threads: those of the catalog. */
#ifndef BERTH_DEVICES_NODE_OFFERS_H
#define BERTH_DEVICES_NODE_OFFERS_H

#include "devices/catalog.h"

/* The facts of a node by which offers are selected. */
typedef struct berth__offer_node {
    uint32_t id;
    berth__sym name;
    berth__labels labels;
} berth__offer_node;

/* The offers that the node sees; NULL when out of memory. Valid until the catalog changes. */
const berth__node_offers *berth__node_offers_of(berth__catalog *catalog,
                                                const berth__offer_node *node);

/* Whether devices reach a node. `*problem` is set if the selector is invalid. */
bool berth__reach_meets(const berth__model *model, const berth__device_reach *reach,
                        const berth__offer_node *node, berth_str *problem);

/* Drop all lists of views. */
void berth__node_offers_forget(berth__catalog *catalog);

#endif
