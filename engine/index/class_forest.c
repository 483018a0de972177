/* Builds class forests and keeps their entries. */
#include "index/class_forest.h"

#include "base/assert.h"
#include "base/memory.h"

/* ---- memory ---- */

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

/* Where the entries of `count` tiles or groups lie in memory; `at` moves behind them. */
static berth__forest_entries entries_at(char **at, uint32_t count, uint32_t lanes)
{
    const size_t bytes = whole_lines((size_t)count * lanes * sizeof(int32_t));
    const berth__forest_entries out = {(int32_t *)(void *)*at, (uint32_t *)(void *)(*at + bytes)};
    *at += 2 * bytes;
    return out;
}

static uint32_t padded(uint32_t lanes)
{
    return (lanes + BERTH__FOREST_LANES - 1) / BERTH__FOREST_LANES * BERTH__FOREST_LANES;
}

static uint32_t groups_of(uint32_t tiles)
{
    return (tiles + BERTH__FOREST_FAN - 1) / BERTH__FOREST_FAN;
}

size_t berth__class_forest_bytes(uint32_t tiles, uint32_t lanes)
{
    const size_t groups = groups_of(tiles), entry = padded(lanes) * sizeof(int32_t);
    return (size_t)tiles * BERTH__TILE + 2 * whole_lines(tiles * entry) +
           2 * whole_lines(groups * entry) + 3 * groups * sizeof(int32_t);
}

bool berth__class_forest_create(berth__class_forest *forest, const berth_allocator *allocator,
                                const berth__score_cells *cells, const berth__class_map *map)
{
    const uint32_t lanes = padded(map != NULL ? map->count : cells->count);
    const uint32_t tiles = cells->tile_count, groups = groups_of(tiles);
    const size_t bytes = berth__class_forest_bytes(tiles, lanes);
    berth__class_forest_destroy(forest, allocator);
    char *at = berth__alloc(allocator, bytes, 64);
    if (at == NULL)
        return false;
    *forest = (berth__class_forest){
        .cells = cells->serial,
        .map = map != NULL ? map->serial : 0,
        .lanes = lanes,
        .tile_count = tiles,
        .group_count = groups,
        .ids = (uint8_t *)at,
        .memory = at,
        .memory_bytes = bytes,
    };
    at += (size_t)tiles * BERTH__TILE;
    forest->tiles = entries_at(&at, tiles, lanes);
    forest->groups = entries_at(&at, groups, lanes);
    forest->bounds = (int32_t *)(void *)at;
    forest->bests = forest->bounds + groups;
    forest->equals = (uint32_t *)(void *)(forest->bests + groups);
    return true;
}

void berth__class_forest_destroy(berth__class_forest *forest, const berth_allocator *allocator)
{
    berth__free(allocator, forest->memory, forest->memory_bytes);
    *forest = (berth__class_forest){0};
}

/* ---- computing entries ---- */

static inline void take(const berth__forest_entries *entries, uint32_t lane, int32_t best,
                        uint32_t count)
{
    if (best > entries->best[lane]) {
        entries->best[lane] = best;
        entries->counts[lane] = count;
    } else if (best == entries->best[lane]) {
        entries->counts[lane] += count;
    }
}

void berth__class_forest_tile(berth__class_forest *forest, const berth__search_tree *tree,
                              uint32_t tile)
{
    const uint32_t first = tile * BERTH__TILE;
    const uint32_t groups = (tree->slot_count - first + BERTH__FAN - 1) / BERTH__FAN;
    const berth__forest_entries entries = berth__forest_of_tile(forest, tile);
    forest->renewed++;
    forest->kernels->best_by_lane(tree->leaves + first, groups, forest->ids + first, forest->lanes,
                                  BERTH__FOREST_NONE, entries.best, entries.counts);
}

/* Compute a lane's entry of a group from those of its tiles. A count of 0 means that every tile
 * with this bound is out of date, or that no slot is feasible. */
static void sum_tiles(const berth__class_forest *forest, uint32_t group, uint32_t lane)
{
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    entries.best[lane] = BERTH__FOREST_NONE;
    entries.counts[lane] = 0;
    const uint32_t end = berth__forest_end_tile(forest, group);
    for (uint32_t tile = group * BERTH__FOREST_FAN; tile < end; tile++) {
        const berth__forest_entries own = berth__forest_of_tile(forest, tile);
        take(&entries, lane, own.best[lane], own.counts[lane]);
    }
}

void berth__class_forest_group(berth__class_forest *forest, const berth__search_tree *tree,
                               uint32_t group, uint32_t lane)
{
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    const uint32_t first = group * BERTH__FOREST_FAN;
    const uint32_t end = berth__forest_end_tile(forest, group);
    sum_tiles(forest, group, lane);
    while (entries.best[lane] >= 0 && entries.counts[lane] == 0) {
        for (uint32_t tile = first; tile < end; tile++)
            if (berth__forest_of_tile(forest, tile).best[lane] == entries.best[lane])
                berth__class_forest_tile(forest, tree, tile);
        sum_tiles(forest, group, lane);
    }
}

/* Take over the lanes of a tile's slots. */
static void read_lanes(berth__class_forest *forest, const berth__score_cells *cells,
                       const berth__class_map *map, uint32_t tile)
{
    const uint32_t first = tile * BERTH__TILE;
    const uint16_t *ids =
        map != NULL ? berth__class_map_tile(map, cells, tile) : cells->ids + first;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        forest->ids[first + s] = (uint8_t)ids[s];
}

void berth__class_forest_build(berth__class_forest *forest, const berth__kernels *kernels,
                               const berth__search_tree *tree, const berth__score_cells *cells,
                               const berth__class_map *map)
{
    forest->kernels = kernels;
    BERTH_ASSERT((map != NULL ? map->count : cells->count) <= forest->lanes);
    for (uint32_t tile = 0; tile < forest->tile_count; tile++)
        read_lanes(forest, cells, map, tile);
    forest->moves = map != NULL ? map->moves : 0;
    for (uint32_t tile = 0; tile < forest->tile_count; tile++)
        berth__class_forest_tile(forest, tree, tile);
    for (uint32_t group = 0; group < forest->group_count; group++)
        for (uint32_t lane = 0; lane < forest->lanes; lane++)
            sum_tiles(forest, group, lane);
    forest->built = true;
    forest->looked = 0;
    forest->served = forest->renewed = 0;
}

/* ---- following ---- */

static inline void drop(const berth__forest_entries *entries, uint32_t lane, int32_t leaf)
{
    if (leaf >= 0 && leaf == entries->best[lane])
        entries->counts[lane]--;
}

static inline void put(const berth__forest_entries *entries, uint32_t lane, int32_t leaf)
{
    if (leaf >= 0)
        take(entries, lane, leaf, 1);
}

/* A slot's leaf and lane. */
typedef struct placed_leaf {
    int32_t leaf;
    uint32_t lane;
} placed_leaf;

/* Change the entries of a slot's tile and of its group. */
static inline void change_slot(berth__class_forest *forest, uint32_t slot, placed_leaf before,
                               placed_leaf after)
{
    const uint32_t tile = slot / BERTH__TILE;
    const berth__forest_entries of_tile = berth__forest_of_tile(forest, tile);
    const berth__forest_entries of_group = berth__forest_of_group(forest, tile / BERTH__FOREST_FAN);
    drop(&of_tile, before.lane, before.leaf);
    put(&of_tile, after.lane, after.leaf);
    drop(&of_group, before.lane, before.leaf);
    put(&of_group, after.lane, after.leaf);
}

void berth__class_forest_follow(berth__class_forest *forest, const berth__leaf_change *changes,
                                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth__leaf_change *change = &changes[i];
        const uint32_t lane = forest->ids[change->slot];
        change_slot(forest, change->slot, (placed_leaf){change->before, lane},
                    (placed_leaf){change->after, lane});
    }
}

bool berth__class_forest_move(berth__class_forest *forest, const berth__search_tree *tree,
                              const berth__score_cells *cells, const berth__class_map *map)
{
    if (map->count > forest->lanes || map->moves - forest->moves > map->recalled)
        return false;
    for (; forest->moves != map->moves; forest->moves++) {
        const uint32_t slot = map->moved[forest->moves % berth__class_moves(map->tile_count)];
        const uint16_t *ids = berth__class_map_tile(map, cells, slot / BERTH__TILE);
        const uint32_t lane = ids[slot % BERTH__TILE];
        const int32_t leaf = tree->leaves[slot];
        change_slot(forest, slot, (placed_leaf){leaf, forest->ids[slot]},
                    (placed_leaf){leaf, lane});
        forest->ids[slot] = (uint8_t)lane;
    }
    return true;
}
