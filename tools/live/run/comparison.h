/* What the engine knows against what the server lists anew: asked for by a signal, to find out
 * whether some change was missed.
 *
 * Threads: the deciding thread's. */
#ifndef BERTH_LIVE_COMPARISON_H
#define BERTH_LIVE_COMPARISON_H

#include "berth/berth.h"

typedef struct comparison {
    uint64_t nodes, pods, differences; /* listed; found */
} comparison;

/* An object of the new list. */
void comparison_note(comparison *c, const berth_engine *engine, const berth_object *object);

/* The list is whole: say what was found, return how many differences, and begin anew. While the
 * cluster changes, what is on its way counts as different. */
uint64_t comparison_end(comparison *c, const berth_engine *engine);

#endif
