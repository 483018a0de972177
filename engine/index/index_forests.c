/* The class forests of a kind's index: which to keep, and when building one pays off. */
#include "index/index_kind.h"

/* A small forest costs more than it saves if few searches use it before it must be built again, if
 * it follows many changes without a search, or if searches have to recompute many of its tiles
 * (which they do where the best nodes are alike, so that each placement lowers the best of a tile).
 * So the first PAUSE searches of a kind do without one, and after each loss four times as many. */
enum {
    SERVES_MIN = BERTH__LIMIT(32, 4),
    IDLE_MAX = BERTH__LIMIT(512, 8),
    RENEWED_SHARE = 8,
    PAUSE = BERTH__LIMIT(64, 1),
    DOUBTS_MAX = BERTH__LIMIT(5, 2),
};

void berth__index_forests_free(berth__index_cache *cache, berth__index *index)
{
    for (uint32_t i = 0; i < index->forest_count; i++) {
        cache->bytes -= index->forests[i].memory_bytes;
        berth__class_forest_destroy(&index->forests[i], cache->allocator);
    }
    index->forest_count = index->forests_built = 0;
}

void berth__index_forests_void(berth__index *index)
{
    for (uint32_t i = 0; i < index->forest_count; i++) {
        index->forests[i].built = false;
        index->forests[i].looked = 0;
    }
    index->forests_built = 0;
}

static bool is_small(const berth__class_forest *forest)
{
    return forest->tile_count < BERTH__FOREST_TILES_MIN;
}

static bool is_renewed_often(const berth__class_forest *forest)
{
    return forest->renewed > (forest->served + 8) * forest->tile_count / RENEWED_SHARE;
}

/* Without the forest from now on; note whether it was worth building. */
static void give_up(berth__class_forest *forest, berth__index *index)
{
    forest->built = false;
    index->forests_built--;
    if (!is_small(forest))
        return;
    const bool lost = forest->served < SERVES_MIN || is_renewed_often(forest);
    index->forest_doubts = lost ? index->forest_doubts + 1 : 0;
    if (index->forest_doubts > DOUBTS_MAX)
        index->forest_doubts = DOUBTS_MAX;
    index->forest_searches = 0;
}

void berth__index_forests_follow(berth__index *index, const berth__tree_scratch *scratch)
{
    for (uint32_t i = 0; i < index->forest_count && index->forests_built > 0; i++) {
        berth__class_forest *forest = &index->forests[i];
        if (!forest->built)
            continue;
        forest->idle += scratch->change_count;
        if (is_small(forest) && forest->idle > IDLE_MAX)
            give_up(forest, index);
        else
            berth__class_forest_follow(forest, scratch->changes, scratch->change_count);
    }
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

static wanted wanted_of(const berth__score_classes *classes)
{
    const berth__class_map *map = classes->map;
    const bool by_class = map != NULL && !berth__class_map_lists_few(map);
    return (wanted){classes->cells, by_class ? map : NULL};
}

static uint32_t lanes_of(const wanted *what)
{
    return what->map != NULL ? what->map->count : what->cells->count;
}

/* Reserve room for another forest in place of this one. */
static bool make_room(berth__index_cache *cache, berth__index *index, berth__class_forest *forest,
                      const wanted *what)
{
    cache->bytes -= forest->memory_bytes;
    index->forests_built -= forest->built;
    berth__class_forest_destroy(forest, cache->allocator);
    const size_t bytes = berth__class_forest_bytes(what->cells->tile_count, lanes_of(what));
    if (cache->bytes + bytes > cache->bytes_max ||
        !berth__class_forest_create(forest, cache->allocator, what->cells, what->map))
        return false;
    cache->bytes += forest->memory_bytes;
    return true;
}

/* Bring a built forest up to date with its class map, if that is possible and the forest pays. */
static void follow_moves(berth__class_forest *forest, berth__index *index, const wanted *what)
{
    if ((is_small(forest) && is_renewed_often(forest)) ||
        (what->map != NULL &&
         !berth__class_forest_move(forest, &index->tree, what->cells, what->map)))
        give_up(forest, index);
}

/* Whether a search of so many slots is worth a forest. */
static bool pays(berth__index *index, uint32_t count)
{
    if (count >= (uint32_t)BERTH__FOREST_TILES_MIN * BERTH__TILE)
        return true;
    if (count != index->tree.slot_count || !berth__class_maps_serve_forests(&index->decision))
        return false;
    index->forest_searches++;
    return index->forest_searches > (uint32_t)PAUSE << 2 * index->forest_doubts;
}

berth__class_forest *berth__index_forest(berth__index_cache *cache, berth__index *index,
                                         const berth__tree_ranges *slots)
{
    const uint32_t count = slots_of(slots);
    if (!pays(index, count))
        return NULL;
    const wanted what = wanted_of(cache->classes);
    if (lanes_of(&what) > BERTH__FOREST_LANES_MAX)
        return NULL;
    berth__class_forest *forest = find(index, &what);
    if ((!is_for(forest, &what) || forest->lanes < lanes_of(&what)) &&
        !make_room(cache, index, forest, &what))
        return NULL;
    forest->asked = ++index->forest_asks;
    if (forest->built)
        follow_moves(forest, index, &what);
    if (!forest->built) {
        forest->looked += count;
        if (forest->looked < 2 * (uint64_t)index->tree.slot_count)
            return NULL;
        berth__class_forest_build(forest, index->decision.cycle->view->kernels, &index->tree,
                                  what.cells, what.map);
        index->forests_built++;
    }
    forest->served++;
    forest->idle = 0;
    return forest;
}
