/* Computes the totals of a tile of slots when they are needed, for kinds of pods without a search
 * tree or with one that is far behind. The states of all slots are in columns that one kernel
 * reads; the change journal updates them for all kinds.
 *
 * Memory: 60 bytes per slot, from the first such decision on. Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_WINDOW_H
#define BERTH_INDEX_SLOT_WINDOW_H

#include "index/slot_plan.h"

typedef struct berth__slot_window {
    const berth_allocator *allocator;
    uint64_t epoch;  /* of the layout */
    uint64_t seen;   /* journal entries applied */
    uint64_t missed; /* slots scanned since the columns became invalid */
    uint32_t capacity;
    double *columns; /* BERTH__LOG_COLUMNS, each of `capacity` slots */
    int32_t *evenness;
    bool positive; /* all slots have had cpu and memory since the columns were made */
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

/* Compute the totals of a tile's slots, like a search tree's leaves, and clear in `slots` those
 * that are not feasible by the node's facts and its own state. */
void berth__slot_window_fill(const berth__slot_window *window, const berth__decision *decision,
                             uint32_t tile, int32_t *totals, berth__mask *slots);

#endif
