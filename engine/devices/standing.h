/* How the devices that a node sees stand to what is asked for, one by one: for whoever asks why
 * claims are not served. */
#ifndef BERTH_DEVICES_STANDING_H
#define BERTH_DEVICES_STANDING_H

#include "devices/device_search.h"

/* Devices of a line's class that the node sees, by what keeps them from it. */
typedef struct berth__device_standing {
    uint32_t devices; /* all of them, which are: */
    uint32_t used;    /* a claim's already */
    uint32_t unlike;  /* not what the line's selectors ask for */
    uint32_t tainted;
    uint32_t cramped; /* without the capacity that is asked for, or that their counters allow */
    uint32_t fit;     /* none of these */
} berth__device_standing;

/* How they stand to a line of a search that has begun. Returns false when out of memory. Cost: a
 * look at each device of the node. */
bool berth__device_standing_of(berth__device_search *search, const berth__offer_node *node,
                               const berth__node_offers *offers, uint32_t line,
                               berth__device_standing *out);

#endif
