/* On how many nodes each volume is attached for pods: a table by attachment. So a pod whose volumes
 * are attached nowhere, as most are, need not be looked up on each node.
 *
 * Memory: 16 bytes per place; up to three quarters of the places are in use. Threads: the deciding
 * thread, and whoever changes the cluster. */
#ifndef BERTH_COLUMNS_ATTACHED_VOLUMES_H
#define BERTH_COLUMNS_ATTACHED_VOLUMES_H

#include "base/memory.h"
#include "store/storage.h"

typedef struct berth__attached_nodes {
    berth__attachment attachment; /* 0: the place is free */
    uint32_t nodes;
} berth__attached_nodes;

typedef struct berth__attached_volumes {
    berth__attached_nodes *places; /* open addressing */
    uint32_t count;                /* places in use */
    uint32_t capacity;             /* 0 or a power of two */
} berth__attached_volumes;

void berth__attached_volumes_destroy(berth__attached_volumes *table,
                                     const berth_allocator *allocator);

/* Make room for `more` attachments. False: out of memory; nothing has changed then. */
bool berth__attached_volumes_reserve(berth__attached_volumes *table,
                                     const berth_allocator *allocator, uint32_t more);

/* Count one more node, for which there must be room; or one fewer. */
void berth__attached_volumes_add(berth__attached_volumes *table, berth__attachment attachment);
void berth__attached_volumes_remove(berth__attached_volumes *table, berth__attachment attachment);

/* The number of nodes. */
uint32_t berth__attached_volumes_nodes(const berth__attached_volumes *table,
                                       berth__attachment attachment);

#endif
