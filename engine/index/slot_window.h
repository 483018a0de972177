/* Computes the totals of a tile of slots when they are needed, for kinds of pods without a search
 * tree or with one that is far behind. The states of all slots are in columns, from which a kernel
 * computes a tile, and in a cache line each, from which another one computes single slots. The
 * change journal updates them for all kinds. The results are kept for pods with equal requests
 * (ask_totals.h).
 *
 * Memory: 124 bytes per slot, from the first such decision on.
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_WINDOW_H
#define BERTH_INDEX_SLOT_WINDOW_H

#include "base/limit.h"
#include "index/slot_plan.h"

enum { BERTH__WINDOW_CHANGES = BERTH__LIMIT(8192, 16) }; /* the last ones, which are kept */

/* A change of a slot, which leads to the one before it in the slot's tile. */
typedef struct berth__slot_change {
    uint32_t slot;
    uint32_t behind; /* how far back that one is, at most BERTH__WINDOW_CHANGES; 0: there is none */
} berth__slot_change;

typedef struct berth__slot_window {
    const berth_allocator *allocator;
    uint64_t order;  /* order epoch: of the nodes in the slots */
    uint64_t seen;   /* journal entries applied */
    uint64_t missed; /* slots scanned since the columns became invalid */
    uint32_t capacity;
    double *columns; /* BERTH__LOG_COLUMNS, each of `capacity` slots */
    int32_t *evenness;
    berth__basic_state *states; /* by slot: the same */
    bool invertible; /* of all slots, since the columns were made: berth__basic_columns */
    /* The changes applied: by tile, the number of the last one plus one, or 0; by number modulo
     * BERTH__WINDOW_CHANGES, the last ones. */
    uint64_t *latest;
    berth__slot_change *changes;
    uint64_t serial; /* of these columns */
} berth__slot_window;

void berth__slot_window_destroy(berth__slot_window *window);

/* Whether the window can serve the plan of a decision: the kernel can compute it, and no amount is
 * too large. */
bool berth__slot_window_serves(const berth__decision *decision);

/* Bring the columns up to date, for a decision that searches for `limit` slots. Returns false if
 * memory is short, or if the columns would have to be rebuilt from all slots and too few decisions
 * have missed them so far: a branch may make only one decision. Cost: linear in what changed. */
bool berth__slot_window_follow(berth__slot_window *window, const berth__view *view, uint32_t limit);

/* Whether the columns exist, so that updating them costs only what changed. */
bool berth__slot_window_is_made(const berth__slot_window *window, const berth__view *view);

/* The columns from a slot on, as the kernel `basic` reads them. */
berth__basic_columns berth__slot_window_columns(const berth__slot_window *window);

/* List the slots of a tile that changed after the first `seen` entries of the journal; a slot may
 * be listed twice. Returns their number, or `room` + 1 if there are more or not all are known. */
uint32_t berth__slot_window_changes(const berth__slot_window *window, uint32_t tile, uint64_t seen,
                                    uint32_t *slots, uint32_t room);

/* The results of the kernel `basic` for a tile: totals, and the slots that pass. */
typedef struct berth__basic_tile {
    const int32_t *totals;
    const berth__mask *fits;
} berth__basic_tile;

/* The totals of a tile's slots, like a search tree's leaves; clears in `slots` those that are not
 * feasible by the node's facts and its own state, whose totals may be anything. `kept`: what the
 * kernel computes for the tile, or NULL to compute it. `room`: for the totals, if they are not
 * `kept->totals`. */
const int32_t *berth__slot_window_fill(const berth__slot_window *window,
                                       const berth__decision *decision, uint32_t tile,
                                       const berth__basic_tile *kept, int32_t *room,
                                       berth__mask *slots);

#endif
