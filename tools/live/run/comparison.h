/* Compares the engine's state with a new list from the server, to find out whether a change was
 * missed. A signal starts it.
 *
 * Threads: the deciding thread's. */
#ifndef BERTH_LIVE_COMPARISON_H
#define BERTH_LIVE_COMPARISON_H

#include "berth/berth.h"

typedef struct comparison {
    uint64_t nodes, pods, differences; /* nodes and pods listed; differences found */
} comparison;

/* Compare an object of the new list. */
void comparison_note(comparison *c, const berth_engine *engine, const berth_object *object);

/* The list is complete: report the result, return the number of differences, and start again. On a
 * cluster that changes, changes in transit count as differences. */
uint64_t comparison_end(comparison *c, const berth_engine *engine);

#endif
