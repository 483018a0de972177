/* Nodes that are offered the same: pools of the same state and counters, with devices of the same
 * contents in the same order. Whatever is asked, they come to the same while the same of their
 * devices are in use.
 * Threads: as of the catalog. */
#ifndef BERTH_DEVICES_NODE_MODEL_H
#define BERTH_DEVICES_NODE_MODEL_H

#include "devices/catalog.h"

enum { BERTH__MODEL_DEVICES = 64 }; /* that a node of a model may have */

/* The number of the model that these offers make, from 1; 0: none, as more than that plays a part:
 * devices that are shared, that reach by selector, or consumers on slices that the node does not
 * see; too many of them; or memory is out. */
uint32_t berth__node_model(berth__catalog *catalog, const berth__node_offers *offers);

#endif
