/* Keeps the totals of the kernel `basic` by slot, for all kinds of pods with the same ask: the same
 * requests and weights. Many kinds differ only in other things, and between two of their pods most
 * slots do not change.
 *
 * When a walk reads a tile, the slots of it that changed since the last time are computed again
 * (slot_window.h). If it costs less, all tiles are brought up to date at once, from the log of
 * recent changes (slot_log.h).
 *
 * Memory: 4 bytes for each slot and ask, from the second decision with the ask on. The number of
 * asks is bounded; the least recently used one is dropped first. Threads: the deciding thread
 * only. */
#ifndef BERTH_INDEX_ASK_TOTALS_H
#define BERTH_INDEX_ASK_TOTALS_H

#include "base/limit.h"
#include "base/use_order.h"
#include "index/slot_log.h"
#include "index/slot_window.h"

typedef struct berth__ask_totals {
    berth__used used;
    berth__basic_ask ask; /* padding is zero: the key */
    uint64_t serial;      /* of the window's columns that the totals hold for */
    uint64_t seen;        /* journal entries applied to all tiles, plus one; 0: some lack totals */
    uint64_t recent;      /* journal entries at the last decision, plus one */
    uint64_t credit;      /* see follows_log (ask_totals.c) */
    uint32_t capacity;    /* slots, in whole tiles */
    int32_t *totals;      /* by slot */
    berth__mask *fits;    /* by tile: the slots whose total is not negative */
    uint64_t *tile_seen;  /* like `seen`, by tile; the greater of the two holds */
} berth__ask_totals;

enum { BERTH__ASK_SIGHTS = BERTH__LIMIT(1024, 4) };

typedef struct berth__ask_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    size_t bytes_max; /* may be changed */
    uint64_t epoch;   /* asks dropped so far: shows whether a remembered one still exists */
    uint64_t sights[BERTH__ASK_SIGHTS]; /* serials of requests that were seen; direct-mapped */
} berth__ask_cache;

berth_status berth__ask_cache_init(berth__ask_cache *cache, const berth_allocator *allocator);
void berth__ask_cache_destroy(berth__ask_cache *cache);

/* The totals for a decision's ask, for a walk that searches for `limit` slots; the window must be
 * up to date. NULL: the ask is new, or memory is short. */
berth__ask_totals *berth__ask_totals_get(berth__ask_cache *cache, const berth__slot_window *window,
                                         berth__slot_log *log, const berth__decision *decision,
                                         uint32_t limit);

/* Bring the tiles first .. last up to date. Those that a walk will read cost less together. */
void berth__ask_totals_renew(berth__ask_totals *asked, const berth__slot_window *window,
                             const berth__view *view, uint32_t first, uint32_t last);

/* What the kernel `basic` computes for a tile, up to date; valid until the next change. */
static inline berth__basic_tile berth__ask_totals_tile(berth__ask_totals *asked,
                                                       const berth__slot_window *window,
                                                       const berth__view *view, uint32_t tile)
{
    const uint64_t latest = window->latest[tile];
    if (asked->seen <= latest && asked->tile_seen[tile] <= latest)
        berth__ask_totals_renew(asked, window, view, tile, tile + 1);
    return (berth__basic_tile){asked->totals + (size_t)tile * BERTH__TILE, &asked->fits[tile]};
}

#endif
