/* Node models: nodes with equal offers, that is, pools with the same state and counters, and
 * devices with the same contents in the same order. Any search has the same result on all nodes of
 * a model, as long as the same of their devices are in use.
 * Threads: those of the catalog. */
#ifndef BERTH_DEVICES_NODE_MODEL_H
#define BERTH_DEVICES_NODE_MODEL_H

#include "devices/catalog.h"

enum { BERTH__MODEL_DEVICES = 64 }; /* a node with more devices has no model */

/* The number of what a view of a pool has: equal for views of equal pools, whatever their names. 0:
 * none, for the same reasons as those below. Resets the catalog's scratch. */
uint32_t berth__pool_model(berth__catalog *catalog, const berth__pool_view *view);

/* The number of the model of these offers, from 1. 0: no model, because other things matter (shared
 * devices, devices that reach by selector, or consumers on slices that the node does not see),
 * there are too many devices, or memory ran out. */
uint32_t berth__node_model(berth__catalog *catalog, const berth__node_offers *offers);

#endif
