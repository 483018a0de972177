/* How many pods of a set each slot has: a list while few slots have any, as with small apps; then
 * counters by tile, for tiles with pods alone.
 *
 * A zeroed struct has no pods. A list that has become too long stays counters until it is freed.
 *
 * Threads: as the counters that it belongs to. */
#ifndef BERTH_COLUMNS_SLOT_PODS_H
#define BERTH_COLUMNS_SLOT_PODS_H

#include "base/limit.h"
#include "columns/tile_kernels.h"

enum { BERTH__SLOTS_LISTED = BERTH__LIMIT(16, 2) }; /* the longest list */

typedef struct berth__listed_slot {
    uint32_t slot, count;
} berth__listed_slot;

typedef struct berth__slot_pods {
    uint32_t **tiles; /* by tile: pods by slot; NULL: none there. NULL: they are listed */
    uint32_t tile_count;
    uint32_t listed_count;
    berth__listed_slot listed[BERTH__SLOTS_LISTED]; /* in no order; a count may be 0 */
} berth__slot_pods;

/* Free the memory of all counters; no slot has pods then. */
void berth__slot_pods_free(berth__slot_pods *pods, const berth_allocator *allocator);

/* The counter of a slot, valid until the next call; the layout has `tile_count` tiles. NULL when
 * out of memory. */
uint32_t *berth__slot_pods_counter(berth__slot_pods *pods, const berth_allocator *allocator,
                                   uint32_t tile_count, uint32_t slot);

/* The number of pods in a slot. */
uint32_t berth__slot_pods_at(const berth__slot_pods *pods, uint32_t slot);

/* The numbers of pods in one tile's slots, perhaps in `scratch`, which has room for a tile. */
const uint32_t *berth__slot_pods_tile(const berth__slot_pods *pods, uint32_t tile,
                                      uint32_t *scratch);

/* Whether the slots of a tile are known to have no pods. */
bool berth__slot_pods_spare(const berth__slot_pods *pods, uint32_t tile);

/* Call `visit` for each slot with pods. Cost: linear in the tiles, or in the list. */
void berth__slot_pods_each(const berth__slot_pods *pods,
                           void (*visit)(void *context, uint32_t slot, uint32_t count),
                           void *context);

/* Where the nodes of a layout are in the next one. */
typedef struct berth__slot_moves {
    const uint32_t *slots; /* by old slot: the new one, or BERTH__SLOT_NONE */
    uint32_t slot_count;   /* of the old layout */
    uint32_t staying;      /* slots before this one stay */
    uint32_t tile_count;   /* of the new layout */
} berth__slot_moves;

/* Follow nodes to a new layout. `*lost` becomes the number of pods that have no slot any more.
 * Returns false when out of memory; the counters are then incomplete. */
bool berth__slot_pods_move(berth__slot_pods *pods, const berth_allocator *allocator,
                           const berth__kernels *kernels, const berth__slot_moves *by,
                           uint64_t *lost);

#endif
