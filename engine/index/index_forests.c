/* The class forests of a kind's index: which to keep, and when building one pays off. */
#include "index/index_kind.h"

enum { LISTED_PER_TILE = 4 };

void berth__index_forests_free(berth__index_cache *cache, berth__index *index)
{
    for (uint32_t i = 0; i < index->forest_count; i++) {
        cache->bytes -= index->forests[i].memory_bytes;
        berth__class_forest_destroy(&index->forests[i], cache->allocator);
    }
    index->forest_count = 0;
}

void berth__index_forests_void(berth__index *index)
{
    for (uint32_t i = 0; i < index->forest_count; i++) {
        index->forests[i].built = false;
        index->forests[i].looked = 0;
    }
}

void berth__index_forests_follow(berth__index *index, const berth__tree_scratch *scratch)
{
    for (uint32_t i = 0; i < index->forest_count; i++)
        if (index->forests[i].built)
            berth__class_forest_follow(&index->forests[i], scratch->changes, scratch->change_count);
}

/* What a forest is for. */
typedef struct wanted {
    const berth__score_cells *cells;
    const berth__class_map *map; /* NULL: lanes are cells */
} wanted;

static bool is_for(const berth__class_forest *forest, const wanted *what)
{
    return forest->memory != NULL && forest->cells == what->cells->serial &&
           forest->map == (what->map != NULL ? what->map->serial : 0);
}

/* The forest for this, or else the one to replace: a free one, or the one requested longest ago. */
static berth__class_forest *find(berth__index *index, const wanted *what)
{
    berth__class_forest *oldest = &index->forests[0];
    for (uint32_t i = 0; i < index->forest_count; i++) {
        if (is_for(&index->forests[i], what))
            return &index->forests[i];
        if (index->forests[i].asked < oldest->asked)
            oldest = &index->forests[i];
    }
    return index->forest_count < BERTH__FORESTS_MAX ? &index->forests[index->forest_count++]
                                                    : oldest;
}

static uint32_t slots_of(const berth__tree_ranges *ranges)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        count += ranges->last[i] - ranges->first[i];
    return count;
}

/* Whether the slots with counted pods are listed, and few enough to be looked at one by one. */
static bool are_few(const berth__class_map *map, uint32_t tiles)
{
    return !map->unlisted && map->listed_count <= LISTED_PER_TILE * tiles;
}

static wanted wanted_of(const berth__score_classes *classes)
{
    const berth__class_map *map = classes->map;
    const bool by_class = map != NULL && !are_few(map, classes->cells->tile_count);
    return (wanted){classes->cells, by_class ? map : NULL};
}

static uint32_t lanes_of(const wanted *what)
{
    return what->map != NULL ? what->map->count : what->cells->count;
}

/* Reserve room for another forest in place of this one. */
static bool make_room(berth__index_cache *cache, berth__class_forest *forest, const wanted *what)
{
    cache->bytes -= forest->memory_bytes;
    berth__class_forest_destroy(forest, cache->allocator);
    const size_t bytes = berth__class_forest_bytes(what->cells->tile_count, lanes_of(what));
    if (cache->bytes + bytes > cache->bytes_max ||
        !berth__class_forest_create(forest, cache->allocator, what->cells, what->map))
        return false;
    cache->bytes += forest->memory_bytes;
    return true;
}

/* Bring a forest up to date with its class map, if possible. */
static void follow_moves(berth__class_forest *forest, const berth__index *index, const wanted *what)
{
    if (forest->built && what->map != NULL)
        forest->built = berth__class_forest_move(forest, &index->tree, what->cells, what->map);
}

berth__class_forest *berth__index_forest(berth__index_cache *cache, berth__index *index,
                                         const berth__tree_ranges *slots)
{
    const wanted what = wanted_of(cache->classes);
    const uint32_t count = slots_of(slots);
    if (count < (uint32_t)BERTH__FOREST_TILES_MIN * BERTH__TILE ||
        lanes_of(&what) > BERTH__FOREST_LANES_MAX)
        return NULL;
    berth__class_forest *forest = find(index, &what);
    if ((!is_for(forest, &what) || forest->lanes < lanes_of(&what)) &&
        !make_room(cache, forest, &what))
        return NULL;
    forest->asked = ++index->forest_asks;
    follow_moves(forest, index, &what);
    if (!forest->built) {
        forest->looked += count;
        if (forest->looked < 2 * (uint64_t)index->tree.slot_count)
            return NULL;
        berth__class_forest_build(forest, &index->tree, what.cells, what.map);
    }
    return forest;
}
