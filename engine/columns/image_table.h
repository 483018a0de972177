/* Image tables: for a tile, the slots that have each image that any of its nodes has. A decision
 * for an image without a column (image_column.h) finds its slots here, once the lists of the tile's
 * nodes have been read for several such images.
 *
 * A table does not change, and layouts with equal nodes in a tile share it: it counts the layouts
 * that refer to it. The layout that drops the last reference frees it. Threads that make a tile's
 * table at the same time make the same one; the first one is kept.
 * Ordering:
 *   COLUMN-3  A table is written, then put in its place (release). A reader acquires the place
 *             before it reads the table.
 *   COLUMN-4  A layout reads a table, then gives up its reference (acq_rel); who gives up the last
 *             one frees the table.
 *
 * Memory: a byte for each image of each node, and 12 to 16 for each image of a tile. */
#ifndef BERTH_COLUMNS_IMAGE_TABLE_H
#define BERTH_COLUMNS_IMAGE_TABLE_H

#include <stdatomic.h>

#include "base/cow_array.h"
#include "columns/layout.h"
#include "columns/tile_kernels.h"

typedef struct berth__image_table berth__image_table;

/* What a layout keeps for a tile. */
typedef struct berth__image_place {
    _Atomic(berth__image_table *) table; /* NULL: none yet. sync: atomic, pair COLUMN-3 */
    atomic_uint reads;                   /* without a table. sync: atomic, relaxed: a guess */
} berth__image_place;

/* The table of a tile. NULL if reading the nodes' lists once more costs less, a list is very long,
 * or memory is short. Threads: any that may read the layout. Cost: when it is made, linear in the
 * images of the tile's nodes. */
const berth__image_table *berth__image_table_get(const berth__layout *layout,
                                                 const berth__cow_array *nodes, uint32_t tile);

/* The slots of its tile that have the image. */
berth__mask berth__image_table_slots(const berth__image_table *table, berth__sym name);

/* For the layout: make and free its places; take over the images of a slot; let a copy of the
 * layout share the tables. Nobody else may use the layout that changes. */
bool berth__image_places_make(berth__layout *layout);
void berth__image_places_free(const berth__layout *layout);
void berth__image_places_set(berth__layout *layout, uint32_t slot, const berth__node_facts *facts);
void berth__image_places_copy(berth__layout *to, const berth__layout *from);

#endif
