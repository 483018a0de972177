/* Functions shared by the files that make up a view. No other file includes this.
 *   view.c      creates and destroys the view, changes slots
 *   relayout.c  another order of nodes, more columns
 *   tile.c      memory of tiles */
#ifndef BERTH_COLUMNS_VIEW_PARTS_H
#define BERTH_COLUMNS_VIEW_PARTS_H

#include "columns/view.h"

/* ---- tile.c ---- */

size_t berth__tile_bytes(uint32_t resource_count);
/* An array of tiles: empty ones from `first` on, none before. NULL when out of memory. Destroy
 * frees those from `first` on, and accepts NULL. */
berth__tile **berth__tiles_create(const berth__cow_owner *cow, const berth__model *model,
                                  uint32_t first, uint32_t count, uint32_t resource_count);
void berth__tiles_destroy(const berth_allocator *allocator, berth__tile **tiles, uint32_t first,
                          uint32_t count);

/* A copy of a tile, with port sets of its own. NULL when out of memory. */
berth__tile *berth__tile_copy(const berth__cow_owner *cow, const berth__tile *from);

/* How a copy-on-write owner frees a tile. */
void berth__tile_release(const berth_allocator *allocator, void *context, void *object,
                         size_t bytes);

size_t berth__port_set_bytes(uint32_t capacity);
berth__port_set *berth__port_set_copy(const berth_allocator *allocator, const berth__port_set *set);
void berth__port_set_free(const berth_allocator *allocator, berth__port_set *set);

/* ---- view.c ---- */

/* Make the layout writable. The copy has an epoch of its own, because data made for the old epoch
 * points into the old layout. Errors: BERTH_E_NOMEM. */
berth_status berth__view_make_layout_writable(berth__view *view);

/* Write the amounts of a node to its place in a tile. */
void berth__view_set_allocatable(berth__view *view, berth__tile *tile, uint32_t at,
                                 const berth__node_record *node);

/* Update a slot's evenness after its amounts have changed. */
void berth__view_note_evenness(berth__tile *tile, uint32_t at);

#endif
