/* Builds class forests and keeps their entries. */
#include "index/class_forest.h"

#include <string.h>

#include "base/memory.h"

/* ---- memory ---- */

static size_t whole_lines(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

bool berth__class_forest_create(berth__class_forest *forest, const berth_allocator *allocator,
                                const berth__score_cells *cells)
{
    const uint32_t tiles = cells->tile_count;
    const uint32_t groups = (tiles + BERTH__FOREST_FAN - 1) / BERTH__FOREST_FAN;
    const size_t ids = (size_t)tiles * BERTH__TILE;
    const size_t of_tiles = whole_lines((size_t)tiles * cells->count * sizeof(berth__forest_entry));
    const size_t of_groups =
        whole_lines((size_t)groups * cells->count * sizeof(berth__forest_entry));
    const size_t bytes = ids + of_tiles + of_groups + groups * sizeof(int32_t);
    berth__class_forest_destroy(forest, allocator);
    char *at = berth__alloc(allocator, bytes, 64);
    if (at == NULL)
        return false;
    *forest = (berth__class_forest){
        .cells = cells->serial,
        .cell_count = cells->count,
        .tile_count = tiles,
        .group_count = groups,
        .ids = (uint8_t *)at,
        .tiles = (berth__forest_entry *)(void *)(at + ids),
        .groups = (berth__forest_entry *)(void *)(at + ids + of_tiles),
        .bounds = (int32_t *)(void *)(at + ids + of_tiles + of_groups),
        .memory = at,
        .memory_bytes = bytes,
    };
    return true;
}

void berth__class_forest_destroy(berth__class_forest *forest, const berth_allocator *allocator)
{
    berth__free(allocator, forest->memory, forest->memory_bytes);
    *forest = (berth__class_forest){0};
}

/* ---- computing entries ---- */

static void clear(berth__forest_entry *entries, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++)
        entries[c] = (berth__forest_entry){BERTH__TREE_INFEASIBLE, 0};
}

static inline void take(berth__forest_entry *entry, int32_t best, uint32_t count)
{
    if (best > entry->best)
        *entry = (berth__forest_entry){best, count};
    else if (best == entry->best)
        entry->count += count;
}

void berth__class_forest_tile(berth__class_forest *forest, const berth__search_tree *tree,
                              uint32_t tile)
{
    const uint32_t first = tile * BERTH__TILE, left = tree->slot_count - first;
    const uint32_t count = left < BERTH__TILE ? left : BERTH__TILE;
    const int32_t *leaves = tree->leaves + first;
    const uint8_t *ids = forest->ids + first;
    berth__forest_entry *entries = berth__forest_of_tile(forest, tile);
    clear(entries, forest->cell_count);
    for (uint32_t s = 0; s < count; s++)
        if (leaves[s] >= 0)
            take(&entries[ids[s]], leaves[s], 1);
}

/* The best entry among a group's tiles. A count of 0 means that every tile with this bound is out
 * of date. */
static berth__forest_entry sum_tiles(const berth__class_forest *forest, uint32_t first,
                                     uint32_t last, uint32_t cell)
{
    berth__forest_entry sum = {BERTH__TREE_INFEASIBLE, 0};
    for (uint32_t tile = first; tile < last; tile++) {
        const berth__forest_entry *own = &berth__forest_of_tile(forest, tile)[cell];
        if (own->best >= 0)
            take(&sum, own->best, own->count);
    }
    return sum;
}

void berth__class_forest_group(berth__class_forest *forest, const berth__search_tree *tree,
                               uint32_t group, uint32_t cell)
{
    const uint32_t first = group * BERTH__FOREST_FAN, end = first + BERTH__FOREST_FAN;
    const uint32_t last = end < forest->tile_count ? end : forest->tile_count;
    berth__forest_entry sum = sum_tiles(forest, first, last, cell);
    while (sum.best >= 0 && sum.count == 0) {
        for (uint32_t tile = first; tile < last; tile++)
            if (berth__forest_of_tile(forest, tile)[cell].best == sum.best)
                berth__class_forest_tile(forest, tree, tile);
        sum = sum_tiles(forest, first, last, cell);
    }
    berth__forest_of_group(forest, group)[cell] = sum;
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
        for (uint32_t cell = 0; cell < forest->cell_count; cell++)
            berth__class_forest_group(forest, tree, group, cell);
    forest->built = true;
    forest->looked = 0;
}

/* ---- following ---- */

static inline void follow(berth__forest_entry *entry, int32_t before, int32_t after)
{
    if (before >= 0 && before == entry->best)
        entry->count--;
    if (after >= 0)
        take(entry, after, 1);
}

void berth__class_forest_follow(berth__class_forest *forest, const berth__leaf_change *changes,
                                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth__leaf_change *change = &changes[i];
        const uint32_t cell = forest->ids[change->slot], tile = change->slot / BERTH__TILE;
        follow(&berth__forest_of_tile(forest, tile)[cell], change->before, change->after);
        follow(&berth__forest_of_group(forest, tile / BERTH__FOREST_FAN)[cell], change->before,
               change->after);
    }
}
