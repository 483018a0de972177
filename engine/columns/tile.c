/* Memory of tiles and of their sets of host ports. */
#include "columns/view_parts.h"

#include <string.h>

size_t berth__tile_bytes(uint32_t resource_count)
{
    return sizeof(berth__tile) + (size_t)resource_count * 2 * BERTH__TILE * sizeof(int64_t);
}

static berth__tile *tile_create(const berth__cow_owner *cow, const berth_allocator *home,
                                uint32_t resource_count)
{
    berth__tile *tile = berth__alloc_zero(home, berth__tile_bytes(resource_count), 64);
    if (tile != NULL) {
        tile->home = home;
        tile->stamp = cow->stamp;
        tile->resource_count = resource_count;
    }
    return tile;
}

size_t berth__port_set_bytes(uint32_t capacity)
{
    return sizeof(berth__port_set) + capacity * sizeof(berth__host_port);
}

void berth__port_set_free(const berth_allocator *allocator, berth__port_set *set)
{
    if (set != NULL)
        berth__free(allocator, set, berth__port_set_bytes(set->capacity));
}

static void tile_destroy(const berth_allocator *allocator, berth__tile *tile)
{
    if (tile == NULL)
        return;
    for (uint32_t i = 0; i < BERTH__TILE; i++)
        berth__port_set_free(allocator, tile->ports[i]);
    berth__free(tile->home, tile, berth__tile_bytes(tile->resource_count));
}

void berth__tiles_destroy(const berth_allocator *allocator, berth__tile **tiles, uint32_t first,
                          uint32_t count)
{
    if (tiles == NULL)
        return;
    for (uint32_t i = first; i < count; i++)
        tile_destroy(allocator, tiles[i]);
    berth__free(allocator, tiles, count * sizeof(*tiles));
}

berth__tile **berth__tiles_create(const berth__cow_owner *cow, const berth__model *model,
                                  uint32_t first, uint32_t count, uint32_t resource_count)
{
    berth__tile **tiles = berth__alloc_zero(cow->allocator, count * sizeof(*tiles), 64);
    for (uint32_t i = first; tiles != NULL && i < count; i++) {
        const berth_allocator *home = berth__model_home(model, i, BERTH__HOME_TILES);
        tiles[i] = tile_create(cow, home, resource_count);
        if (tiles[i] == NULL) {
            berth__tiles_destroy(cow->allocator, tiles, first, count);
            return NULL;
        }
    }
    return tiles;
}

berth__port_set *berth__port_set_copy(const berth_allocator *allocator, const berth__port_set *set)
{
    berth__port_set *copy = berth__alloc(allocator, berth__port_set_bytes(set->capacity), 8);
    if (copy != NULL) {
        copy->count = set->count;
        copy->capacity = set->capacity;
        memcpy(copy->items, set->items, set->count * sizeof(*set->items));
    }
    return copy;
}

/* A copy of a tile, with port sets of its own. */
berth__tile *berth__tile_copy(const berth__cow_owner *cow, const berth__tile *from)
{
    berth__tile *tile = berth__alloc(from->home, berth__tile_bytes(from->resource_count), 64);
    if (tile == NULL)
        return NULL;
    memcpy(tile, from, berth__tile_bytes(from->resource_count));
    tile->stamp = cow->stamp;
    memset(tile->ports, 0, sizeof(tile->ports));
    for (uint32_t i = 0; i < BERTH__TILE; i++) {
        if (from->ports[i] == NULL)
            continue;
        tile->ports[i] = berth__port_set_copy(cow->allocator, from->ports[i]);
        if (tile->ports[i] == NULL) {
            tile_destroy(cow->allocator, tile);
            return NULL;
        }
    }
    return tile;
}

/* Stored so that scoring must divide only for the node with the pod, not also for the node without
 * it. */
int32_t berth__tile_evenness(berth__tile *tile, uint32_t at)
{
    return berth__evenness_of((double)berth__tile_allocatable(tile, BERTH__CPU)[at],
                              (double)berth__tile_used(tile, BERTH__CPU)[at],
                              (double)berth__tile_allocatable(tile, BERTH__MEMORY)[at],
                              (double)berth__tile_used(tile, BERTH__MEMORY)[at]);
}

void berth__tile_release(const berth_allocator *allocator, void *context, void *object,
                         size_t bytes)
{
    (void)context;
    (void)bytes;
    tile_destroy(allocator, object);
}
