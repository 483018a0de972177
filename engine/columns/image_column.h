/* Image columns: which nodes have an image, one bit per slot, for the images that decisions
 * requested. The first worker that needs the bits of a tile reads them from the tile's nodes, so
 * neither a first decision nor a sampled search pays for nodes that it does not score.
 *
 * Image columns are part of a layout, like its label columns: a column only repeats facts of the
 * nodes, and any thread that shares the layout may add one. Threads that fill a tile at the same
 * time write the same bits. No thread ever waits.
 * Ordering: a column is pushed as in COLUMN-1.
 *   COLUMN-2  The words of a tile are written, then its `known` (release). A reader acquires
 *             `known` before it reads the words. */
#ifndef BERTH_COLUMNS_IMAGE_COLUMN_H
#define BERTH_COLUMNS_IMAGE_COLUMN_H

#include <stdatomic.h>

#include "base/limit.h"
#include "columns/layout.h"

/* The largest number of columns in a layout; together they take 12 bytes per node. The bits of
 * other images come from tables (image_table.h), or are read from the nodes each time. */
enum { BERTH__IMAGE_COLUMNS_MAX = BERTH__LIMIT(64, 2) };

typedef struct berth__image_tile {
    atomic_uint_least64_t words[BERTH__TILE_WORDS]; /* sync: atomic, relaxed under COLUMN-2 */
    atomic_bool known;                              /* sync: atomic, pair COLUMN-2 */
} berth__image_tile;

typedef struct berth__image_column {
    struct berth__image_column *next;
    berth__sym name;
    berth__image_tile tiles[];
} berth__image_column;

/* The column of an image, made at the first request. NULL if there are too many columns or there is
 * no memory; the caller then works without the column. Threads: any that may read the layout. */
berth__image_column *berth__image_column_get(berth__layout *layout, berth__sym name);

/* The slots of a tile whose nodes have the image. `column`: that image's, or NULL. Threads: any
 * that may read the layout. Cost: for a tile that is not known yet, a walk over the image lists of
 * its nodes. */
berth__mask berth__image_column_bits(const berth__layout *layout, const berth__cow_array *nodes,
                                     berth__image_column *column, berth__sym name, uint32_t tile);

/* Whether a slot's node has the image, as in berth__image_column_bits. Cost: constant for a known
 * tile; without a column, reads only this node's list. */
bool berth__image_column_has(const berth__layout *layout, const berth__cow_array *nodes,
                             berth__image_column *column, berth__sym name, uint32_t slot);

/* For the layout: take over the facts of a slot; copy all columns of a layout of the same size
 * (false when out of memory, after some were copied); free all columns. */
void berth__image_columns_set(berth__layout *layout, uint32_t slot, const berth__node_facts *facts);
bool berth__image_columns_copy(berth__layout *to, const berth__layout *from);
void berth__image_columns_free(const berth__layout *layout);

#endif
