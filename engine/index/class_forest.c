/* Builds class forests and keeps their entries. */
#include "index/class_forest.h"

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

bool berth__class_forest_create(berth__class_forest *forest, const berth_allocator *allocator,
                                const berth__score_cells *cells)
{
    enum { LANES = BERTH__FOREST_LANES };
    const uint32_t tiles = cells->tile_count;
    const uint32_t groups = (tiles + BERTH__FOREST_FAN - 1) / BERTH__FOREST_FAN;
    const uint32_t lanes = (cells->count + LANES - 1) / LANES * LANES;
    const size_t ids = (size_t)tiles * BERTH__TILE;
    const size_t of_tiles = whole_lines((size_t)tiles * lanes * sizeof(int32_t));
    const size_t of_groups = whole_lines((size_t)groups * lanes * sizeof(int32_t));
    const size_t bytes = ids + 2 * of_tiles + 2 * of_groups + 3 * (size_t)groups * sizeof(int32_t);
    berth__class_forest_destroy(forest, allocator);
    char *at = berth__alloc(allocator, bytes, 64);
    if (at == NULL)
        return false;
    *forest = (berth__class_forest){
        .cells = cells->serial,
        .lanes = lanes,
        .tile_count = tiles,
        .group_count = groups,
        .ids = (uint8_t *)at,
        .memory = at,
        .memory_bytes = bytes,
    };
    at += ids;
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

static inline void take(const berth__forest_entries *entries, uint32_t cell, int32_t best,
                        uint32_t count)
{
    if (best > entries->best[cell]) {
        entries->best[cell] = best;
        entries->counts[cell] = count;
    } else if (best == entries->best[cell]) {
        entries->counts[cell] += count;
    }
}

void berth__class_forest_tile(berth__class_forest *forest, const berth__search_tree *tree,
                              uint32_t tile)
{
    const uint32_t first = tile * BERTH__TILE, left = tree->slot_count - first;
    const uint32_t count = left < BERTH__TILE ? left : BERTH__TILE;
    const int32_t *leaves = tree->leaves + first;
    const uint8_t *ids = forest->ids + first;
    const berth__forest_entries entries = berth__forest_of_tile(forest, tile);
    for (uint32_t cell = 0; cell < forest->lanes; cell++) {
        entries.best[cell] = BERTH__FOREST_NONE;
        entries.counts[cell] = 0;
    }
    for (uint32_t s = 0; s < count; s++)
        if (leaves[s] >= 0)
            take(&entries, ids[s], leaves[s], 1);
}

/* Compute a cell's entry of a group from those of its tiles. A count of 0 means that every tile
 * with this bound is out of date, or that no slot is feasible. */
static void sum_tiles(const berth__class_forest *forest, uint32_t group, uint32_t cell)
{
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    entries.best[cell] = BERTH__FOREST_NONE;
    entries.counts[cell] = 0;
    const uint32_t end = berth__forest_end_tile(forest, group);
    for (uint32_t tile = group * BERTH__FOREST_FAN; tile < end; tile++) {
        const berth__forest_entries own = berth__forest_of_tile(forest, tile);
        take(&entries, cell, own.best[cell], own.counts[cell]);
    }
}

void berth__class_forest_group(berth__class_forest *forest, const berth__search_tree *tree,
                               uint32_t group, uint32_t cell)
{
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    const uint32_t first = group * BERTH__FOREST_FAN;
    const uint32_t end = berth__forest_end_tile(forest, group);
    sum_tiles(forest, group, cell);
    while (entries.best[cell] >= 0 && entries.counts[cell] == 0) {
        for (uint32_t tile = first; tile < end; tile++)
            if (berth__forest_of_tile(forest, tile).best[cell] == entries.best[cell])
                berth__class_forest_tile(forest, tree, tile);
        sum_tiles(forest, group, cell);
    }
}

void berth__class_forest_build(berth__class_forest *forest, const berth__search_tree *tree,
                               const berth__score_cells *cells)
{
    const uint32_t slots = forest->tile_count * BERTH__TILE;
    for (uint32_t slot = 0; slot < slots; slot++)
        forest->ids[slot] = (uint8_t)cells->ids[slot];
    for (uint32_t tile = 0; tile < forest->tile_count; tile++)
        berth__class_forest_tile(forest, tree, tile);
    for (uint32_t group = 0; group < forest->group_count; group++)
        for (uint32_t cell = 0; cell < forest->lanes; cell++)
            sum_tiles(forest, group, cell);
    forest->built = true;
    forest->looked = 0;
}

/* ---- following ---- */

static inline void follow_entry(const berth__forest_entries *entries, uint32_t cell, int32_t before,
                                int32_t after)
{
    if (before >= 0 && before == entries->best[cell])
        entries->counts[cell]--;
    if (after >= 0)
        take(entries, cell, after, 1);
}

void berth__class_forest_follow(berth__class_forest *forest, const berth__leaf_change *changes,
                                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth__leaf_change *change = &changes[i];
        const uint32_t cell = forest->ids[change->slot], tile = change->slot / BERTH__TILE;
        const berth__forest_entries of_tile = berth__forest_of_tile(forest, tile);
        const berth__forest_entries of_group =
            berth__forest_of_group(forest, tile / BERTH__FOREST_FAN);
        follow_entry(&of_tile, cell, change->before, change->after);
        follow_entry(&of_group, cell, change->before, change->after);
    }
}
