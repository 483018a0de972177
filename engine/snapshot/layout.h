/* A layout: which node lies in which slot, and the facts of nodes as columns by slot.
 *
 * Slots follow the zone-interleaved order, so that a search is a walk over neighbouring memory.
 * Facts change with Node objects only; `epoch` tells whoever keeps something derived from them. */
#ifndef BERTH_SNAPSHOT_LAYOUT_H
#define BERTH_SNAPSHOT_LAYOUT_H

#include "base/bits.h"
#include "model/node.h"
#include "snapshot/tile.h"

/* A key that is no label's: the column of facts->zone_legacy. */
#define BERTH__KEY_LEGACY_ZONE UINT32_MAX

typedef struct berth__label_column {
    berth__sym key;
    berth__sym *values; /* by slot, 0: the node lacks the label */
} berth__label_column;

typedef struct berth__layout {
    const berth_allocator *allocator;
    uint32_t count;          /* slots in use */
    uint32_t tile_count;
    uint64_t epoch;          /* differs from every earlier one of the engine after any change */
    uint32_t *nodes;         /* node id by slot */
    uint32_t *taints;        /* taint list id by slot */
    uint64_t *unschedulable; /* a bit a slot */
    uint32_t unschedulable_count;
    uint64_t *closed;        /* a bit a slot; see berth__view_close */
    uint32_t closed_count;
    uint8_t *conditions;     /* BERTH__NODE_* bits by slot */
    berth__label_column *columns; /* of the keys asked for so far */
    uint32_t column_count;
    uint32_t column_capacity;
} berth__layout;

/* A layout of `count` slots, nodes not set. Returns NULL when out of memory. */
berth__layout *berth__layout_create(const berth_allocator *allocator, uint32_t count);
void berth__layout_destroy(berth__layout *layout);

/* Put a node's facts into its slot, label columns included. */
void berth__layout_set(berth__layout *layout, uint32_t slot, uint32_t node_id,
                       const berth__node *node);

/* Whether the node in a slot is closed. */
void berth__layout_close(berth__layout *layout, uint32_t slot, bool closed);
static inline bool berth__layout_closed(const berth__layout *layout, uint32_t slot)
{
    return berth__bit_get(layout->closed, slot);
}

/* The values of a label key by slot; made at the first request. NULL when out of memory.
 * Cost: the first time, one look-up a node. */
const berth__sym *berth__layout_column(berth__layout *layout, berth__node *const *nodes,
                                       berth__sym key);

#endif
