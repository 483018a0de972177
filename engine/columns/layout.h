/* A layout: which node lies in which slot, and the facts of nodes as columns by slot.
 *
 * Slots follow the zone-interleaved order, so that a search is a walk over neighbouring
 * memory. Facts change with Node objects only; `epoch` tells whoever keeps something derived
 * from them. A layout is shared with snapshots as a whole and copied, for the first
 * change after a publication; cost: some 13 bytes a node and 4 for each column.
 * Ordering:
 *   COLUMN-1  a column is filled, then pushed (release) on the list of its hash, then on that of
 *             all; whoever walks a list has acquired its head. None is ever taken off. */
#ifndef BERTH_COLUMNS_LAYOUT_H
#define BERTH_COLUMNS_LAYOUT_H

#include "base/bits.h"
#include "columns/tile.h"
#include "model/node.h"

/* A key that is no label's: the column of facts->zone_legacy. */
#define BERTH__KEY_LEGACY_ZONE UINT32_MAX

struct berth__image_column; /* columns/image_column.h: which nodes have an image */

enum { BERTH__COLUMN_LISTS = 256 };

typedef struct berth__label_column {
    struct berth__label_column *next; /* of all */
    struct berth__label_column *near; /* of those with the same hash */
    berth__sym key;
    berth__sym *values; /* by slot, 0: the node lacks the label */
} berth__label_column;

typedef struct berth__layout {
    const berth_allocator *allocator;
    uint64_t stamp; /* of the copy-on-write owner that may change it; see base/cow_owner.h */
    uint32_t count; /* slots in use */
    uint32_t tile_count;
    uint64_t epoch;      /* differs from every earlier one of the engine after any change */
    uint64_t tree_epoch; /* of the node tree whose order this is */
    uint32_t *nodes;     /* node id by slot */
    uint32_t *taints;    /* taint list id by slot */
    /* How many slots have a list, by its id but for 0, the empty list; lists without any may be
     * gone. */
    uint32_t *taint_users;
    uint32_t taint_capacity; /* room for ids below */
    uint32_t taint_end;      /* ids below are or were here; at least 1 */
    uint64_t *unschedulable; /* a bit a slot */
    uint32_t unschedulable_count;
    uint64_t *closed; /* a bit a slot; see berth__view_close */
    uint32_t closed_count;
    uint8_t *conditions; /* BERTH__NODE_* bits by slot */
    /* Of the keys asked for so far. A column only says again what the nodes say, so
     * whoever shares the layout may add one. sync: atomic, pair COLUMN-1. */
    _Atomic(berth__label_column *) columns;
    _Atomic(berth__label_column *) columns_by_hash[BERTH__COLUMN_LISTS];
    _Atomic(struct berth__image_column *) image_columns; /* see image_column.h */
} berth__layout;

/* A layout of `count` slots, nodes not set. Returns NULL when out of memory. */
berth__layout *berth__layout_create(const berth_allocator *allocator, uint32_t count);
void berth__layout_destroy(berth__layout *layout);

/* A copy with all its columns, for one who is about to change facts. NULL when out of memory. */
berth__layout *berth__layout_copy(const berth__layout *layout);

/* Release a layout; see base/cow_owner.h. */
berth__release berth__layout_release;

/* Make room for ids of taint lists below `end`: false when out of memory. */
bool berth__layout_reserve_taints(berth__layout *layout, uint32_t end);

/* Whether a node here has that list of taints. */
static inline bool berth__layout_has_taints(const berth__layout *layout, uint32_t list)
{
    return list > 0 && layout->taint_users[list] > 0;
}

/* Put a node's facts into its slot, label columns included. There is room for its taints. */
void berth__layout_set(berth__layout *layout, uint32_t slot, uint32_t node_id,
                       const berth__node_record *node);

/* Whether the node in a slot is closed. */
void berth__layout_close(berth__layout *layout, uint32_t slot, bool closed);
static inline bool berth__layout_closed(const berth__layout *layout, uint32_t slot)
{
    return berth__bit_get(layout->closed, slot);
}

/* How many label columns there are, and freeing them all: whoever held one made it for an epoch
 * that is over, and nobody shares the layout. */
uint32_t berth__layout_column_count(const berth__layout *layout);
void berth__layout_drop_columns(berth__layout *layout);

/* The values of a label key by slot; made at the first request. NULL when out of memory.
 * Cost: the first time, one look-up a node. */
const berth__sym *berth__layout_column(berth__layout *layout, const berth__cow_array *nodes,
                                       berth__sym key);

#endif
