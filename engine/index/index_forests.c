/* The class forests of a kind's index: which to keep, and when building one pays off. */
#include "index/index_kind.h"

enum { LISTED_PER_TILE = 4 };

void berth__index_forests_free(berth__index_cache *cache, berth__index *index)
{
    for (uint32_t i = 0; i < BERTH__FORESTS_MAX; i++) {
        cache->bytes -= index->forests[i].memory_bytes;
        berth__class_forest_destroy(&index->forests[i], cache->allocator);
    }
}

void berth__index_forests_void(berth__index *index)
{
    for (uint32_t i = 0; i < BERTH__FORESTS_MAX; i++) {
        index->forests[i].built = false;
        index->forests[i].looked = 0;
    }
}

void berth__index_forests_follow(berth__index *index, const berth__tree_scratch *scratch)
{
    for (uint32_t i = 0; i < BERTH__FORESTS_MAX; i++)
        if (index->forests[i].built)
            berth__class_forest_follow(&index->forests[i], scratch->changes, scratch->change_count);
}

/* The forest of these cells, or else the one to replace: a free one, or the one requested longest
 * ago. */
static berth__class_forest *find(berth__index *index, uint64_t cells)
{
    berth__class_forest *found = &index->forests[0];
    for (uint32_t i = 0; i < BERTH__FORESTS_MAX; i++) {
        if (index->forests[i].cells == cells)
            return &index->forests[i];
        if (index->forests[i].asked < found->asked)
            found = &index->forests[i];
    }
    return found;
}

static uint32_t slots_of(const berth__tree_ranges *ranges)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        count += ranges->last[i] - ranges->first[i];
    return count;
}

/* Whether the slots with counted pods are listed, and few enough to be looked at one by one. */
static bool suits(const berth__class_map *map, uint32_t tiles)
{
    return map == NULL || (!map->unlisted && map->listed_count <= LISTED_PER_TILE * tiles);
}

berth__class_forest *berth__index_forest(berth__index_cache *cache, berth__index *index,
                                         const berth__tree_ranges *slots)
{
    const berth__score_cells *cells = cache->classes->cells;
    const uint32_t count = slots_of(slots);
    if (count < (uint32_t)BERTH__FOREST_TILES_MIN * BERTH__TILE ||
        cells->count > BERTH__FOREST_CELLS_MAX || !suits(cache->classes->map, cells->tile_count))
        return NULL;
    berth__class_forest *forest = find(index, cells->serial);
    if (forest->cells != cells->serial) {
        cache->bytes -= forest->memory_bytes;
        if (!berth__class_forest_create(forest, cache->allocator, cells))
            return NULL;
        cache->bytes += forest->memory_bytes;
    }
    forest->asked = ++index->forest_asks;
    if (!forest->built) {
        forest->looked += count;
        if (forest->looked < 2 * (uint64_t)index->tree.slot_count)
            return NULL;
        berth__class_forest_build(forest, &index->tree, cells);
    }
    return forest;
}
