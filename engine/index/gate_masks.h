/* Gates (plugins/gates.h) as sets of slots: those that all filters about other pods let
 * pass. Sets are kept for a bounded number of gate keys, least recently used dropped first;
 * filled tile by tile as searches come by, and then repaired by the change journal.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_GATE_MASKS_H
#define BERTH_INDEX_GATE_MASKS_H

#include "base/use_order.h"
#include "prepare/prepared.h"

enum { BERTH__GATE_WORDS = 1 + 4 * BERTH__GATES_MAX };

/* Some filters of a profile, by number. */
enum { BERTH__FILTER_LIST_MAX = 32 };

typedef struct berth__filter_list {
    uint32_t items[BERTH__FILTER_LIST_MAX];
    uint32_t count;
} berth__filter_list;

/* Let those filters clear slots of a tile. */
void berth__filter_list_keep(const berth__filter_list *filters, const berth__decision *decision,
                             uint32_t tile, berth__mask *slots);

typedef struct berth__gate_mask {
    berth__used used;
    uint64_t key[BERTH__GATE_WORDS];
    uint64_t epoch;
    uint64_t seen; /* journal entries taken in */
    uint32_t tile_count;
    berth__mask *passing; /* by tile, where it is filled */
    uint8_t *filled;      /* by tile */
} berth__gate_mask;

typedef struct berth__gate_masks {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    uint64_t epoch; /* tells whether a remembered one is still there */
} berth__gate_masks;

berth_status berth__gate_masks_init(berth__gate_masks *masks, const berth_allocator *allocator);
void berth__gate_masks_destroy(berth__gate_masks *masks);

/* The set for the gates of a decision, up to date where it is filled. NULL when out of memory. */
berth__gate_mask *berth__gate_masks_get(berth__gate_masks *masks, const berth__decision *decision,
                                        const berth__gates *gates);

/* Slots of a tile that pass. `filters`: those that the gates are of, by number. */
const berth__mask *berth__gate_mask_tile(berth__gate_mask *mask, const berth__decision *decision,
                                         const berth__filter_list *filters, uint32_t tile);

#endif
