/* Totals of a tile of slots worked out on the spot, for kinds of pods that have no search tree, or
 * one that is far behind: the states of all slots lie in columns that one kernel reads, and follow
 * the change journal, whoever the pods are.
 *
 * Memory: 60 bytes a slot, from the first such decision on. Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_WINDOW_H
#define BERTH_INDEX_SLOT_WINDOW_H

#include "index/slot_plan.h"

typedef struct berth__slot_window {
    const berth_allocator *allocator;
    uint64_t epoch;  /* of the layout */
    uint64_t seen;   /* journal entries taken in */
    uint64_t missed; /* slots that were scanned for want of columns, since these were right */
    uint32_t capacity;
    double *columns; /* BERTH__LOG_COLUMNS, each of `capacity` slots */
    int32_t *evenness;
} berth__slot_window;

void berth__slot_window_destroy(berth__slot_window *window);

/* Whether the plan of a decision is one that the window serves: made for the kernel, no amount too
 * large. */
bool berth__slot_window_serves(const berth__decision *decision);

/* Bring the columns to the present, for a decision that looks for `limit` slots. False: memory is
 * short; or they would have to be made anew, which costs a look at every slot, and too few
 * decisions have done without them (a branch may make but one). Cost: what changed. */
bool berth__slot_window_follow(berth__slot_window *window, const berth__view *view, uint32_t limit);

/* Totals of a tile's slots as a search tree's leaves have them, and `slots` without those that are
 * not feasible by the node's facts and its own state. */
void berth__slot_window_fill(const berth__slot_window *window, const berth__decision *decision,
                             uint32_t tile, int32_t *totals, berth__mask *slots);

#endif
