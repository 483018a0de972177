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

/* Open a pool with slices and, if they name a single node, make the view that the node's list will
 * have. Returns false when out of memory. */
bool berth__node_offers_foresee(berth__catalog *catalog, berth__offer_pool *pool);

/* The first of the pools with the name of that pool: counters are kept under the name. */
static inline uint32_t berth__node_offers_name(const berth__node_offers *offers, uint32_t pool)
{
    uint32_t first = 0;
    while (offers->pools[first]->pool->key.name != offers->pools[pool]->pool->key.name)
        first++;
    return first;
}

/* Make room for the lists of nodes with ids below `count`. Returns false when out of memory. */
bool berth__node_offers_reserve(berth__catalog *catalog, uint32_t count);

enum { BERTH__EXPECTED_MAX = 64 };

/* Lists of these nodes, of at most BERTH__EXPECTED_MAX, will be asked for: fetch what they consist
 * of into the cache. It lies scattered over memory, so this halves the time of making them. */
void berth__node_offers_expect(const berth__catalog *catalog, const berth__sym *names,
                               uint32_t count);

/* The node's list with its devices in use; NULL if no list was made. Valid until the catalog or a
 * use changes. Cost: after a use of its devices has changed, reads each device's use. */
const berth__listed_node *berth__node_offers_listed(const berth__catalog *catalog, uint32_t id);

/* A use of a device of the pool has changed. */
void berth__node_offers_note_use(berth__catalog *catalog, const berth__offer_pool *pool);

/* Whether devices reach a node. `*problem` is set if the selector is invalid. */
bool berth__reach_meets(const berth__model *model, const berth__device_reach *reach,
                        const berth__offer_node *node, berth_str *problem);

/* Whether the node of that id has a list. */
static inline bool berth__node_offers_has(const berth__catalog *catalog, uint32_t id)
{
    return id < catalog->node_capacity && catalog->by_node[id].offers != NULL;
}

/* Drop all lists of views. */
void berth__node_offers_forget(berth__catalog *catalog);

/* Drop a node's list. Returns whether there was one. */
bool berth__node_offers_forget_node(berth__catalog *catalog, uint32_t id);

#endif
