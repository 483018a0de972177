/* Counts how many of the devices that a node sees suit a request, and why the others do not, to
 * explain why a claim gets no devices. */
#ifndef BERTH_DEVICES_STANDING_H
#define BERTH_DEVICES_STANDING_H

#include "devices/device_search.h"

/* Numbers of devices of a line's class that the node sees, by the reason why they cannot be
 * taken. */
typedef struct berth__device_standing {
    uint32_t devices; /* all of them; each of the following is a part: */
    uint32_t used;    /* allocated to a claim already */
    uint32_t unlike;  /* rejected by the line's selectors */
    uint32_t tainted;
    uint32_t cramped; /* which lack the requested capacity, or whose counters are used up */
    uint32_t fit;     /* suitable */
} berth__device_standing;

/* Count for a line of a search that has begun. Returns false when out of memory. Cost: reads every
 * device of the node. */
bool berth__device_standing_of(berth__device_search *search, const berth__offer_node *node,
                               const berth__node_offers *offers, uint32_t line,
                               berth__device_standing *out);

#endif
