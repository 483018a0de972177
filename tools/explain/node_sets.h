/* Groups of refused nodes that lack the same things. */
#ifndef BERTH_TOOLS_NODE_SETS_H
#define BERTH_TOOLS_NODE_SETS_H

#include "explain/shortfall.h"

typedef struct node_set {
    uint32_t *nodes; /* indices in the shortfalls */
    uint32_t count;
    size_t capacity;
} node_set;

typedef struct node_sets {
    node_set *items; /* in the order of their first nodes: nearest first */
    uint32_t count;
    size_t capacity;
} node_sets;

void node_sets_make(node_sets *sets, const shortfalls *from);
void node_sets_free(node_sets *sets);

#endif
