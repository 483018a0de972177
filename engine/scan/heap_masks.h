/* The tie rule `kubernetes` (base/heap_order.h) over lists that are stored as masks. */
#ifndef BERTH_SCAN_HEAP_MASKS_H
#define BERTH_SCAN_HEAP_MASKS_H

#include "columns/tile.h"

/* A list of slots, stored as a sequence of masks; `best` returns the best slots of a mask. */
typedef struct berth__heap_masks {
    const berth__mask *masks;
    uint32_t mask_count;
    uint32_t count; /* slots in the list */
    berth__mask (*best)(const void *context, uint32_t mask);
    const void *context;
} berth__heap_masks;

typedef struct berth__heap_place {
    uint32_t mask; /* UINT32_MAX: no slot is the best */
    uint32_t bit;
} berth__heap_place;

/* The first of the best slots in heap order. Cost: reads every mask, and the best slots that come
 * first in a range. */
berth__heap_place berth__heap_first(const berth__heap_masks *list);

#endif
