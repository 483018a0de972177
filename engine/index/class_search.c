/* Searches by class, with and without a class forest. */
#include "index/class_search.h"

#include <string.h>

#include "base/bits.h"
#include "columns/layout.h"

void berth__class_search_begin(berth__class_search *search, const berth__search_tree *tree,
                               const berth__score_classes *classes, const berth__kernels *kernels,
                               berth__class_forest *forest)
{
    search->tree = tree;
    search->classes = classes;
    search->kernels = kernels;
    search->forest = forest;
    if (forest == NULL)
        return;
    for (uint32_t cell = 0; cell < forest->cell_count; cell++)
        search->plain[cell] = search->most[cell] = BERTH__CLASS_ABSENT;
    for (uint32_t i = 0; i < classes->met_count; i++) {
        const uint32_t id = classes->met[i], cell = berth__score_classes_cell(classes, id);
        const int32_t part = classes->totals[id];
        if (id == cell)
            search->plain[cell] = part;
        if (part > search->most[cell])
            search->most[cell] = part;
    }
}

/* ---- by the kernel ---- */

/* The end of the slots from `first` on whose class ids are adjacent in memory. */
static uint32_t end_of_run(const berth__score_classes *classes, uint32_t first, uint32_t last)
{
    if (classes->map == NULL || classes->map->in_order)
        return last;
    uint32_t tile = first / BERTH__TILE;
    const uint16_t *end = berth__score_classes_tile(classes, tile) + BERTH__TILE;
    for (tile++; tile * BERTH__TILE < last && berth__score_classes_tile(classes, tile) == end;
         tile++)
        end += BERTH__TILE;
    return tile * BERTH__TILE < last ? tile * BERTH__TILE : last;
}

static berth__class_parts parts_of(const berth__score_classes *classes, uint32_t tile)
{
    return (berth__class_parts){berth__score_classes_tile(classes, tile), classes->totals,
                                classes->count};
}

static void look_for_best(const berth__class_search *search, uint32_t first, uint32_t last,
                          berth__tree_sum *best)
{
    for (uint32_t at = first, end; at < last; at = end) {
        end = end_of_run(search->classes, at, last);
        const uint32_t tile = at / BERTH__TILE, base = tile * BERTH__TILE;
        const berth__class_parts parts = parts_of(search->classes, tile);
        search->kernels->class_best(search->tree->leaves + base, &parts, at - base, end - base,
                                    best);
    }
}

static uint32_t look_for_nth(const berth__class_search *search, uint32_t first, uint32_t last,
                             int32_t best, uint32_t *n)
{
    for (uint32_t at = first, end; at < last; at = end) {
        end = end_of_run(search->classes, at, last);
        const uint32_t tile = at / BERTH__TILE, base = tile * BERTH__TILE;
        const berth__class_parts parts = parts_of(search->classes, tile);
        const uint32_t slot = search->kernels->class_nth(search->tree->leaves + base, &parts,
                                                         at - base, end - base, best, n);
        if (slot != UINT32_MAX)
            return base + slot;
    }
    return BERTH__SLOT_NONE;
}

void berth__class_search_lanes(const berth__class_search *search, uint32_t slot, int32_t *totals)
{
    const berth__score_classes *classes = search->classes;
    const uint32_t at = slot % BERTH__TILE, left = BERTH__TILE - at;
    const uint16_t *ids = berth__score_classes_tile(classes, slot / BERTH__TILE) + at;
    uint16_t joined[BERTH__FAN];
    if (left < BERTH__FAN) { /* the lanes are in two tiles */
        const uint16_t *rest = berth__score_classes_tile(classes, slot / BERTH__TILE + 1);
        memcpy(joined, ids, left * sizeof(*ids));
        memcpy(joined + left, rest, (BERTH__FAN - left) * sizeof(*ids));
        ids = joined;
    }
    search->kernels->class_totals(search->tree->leaves + slot, 1, ids, classes->totals,
                                  classes->count, totals);
}

/* ---- by the forest ---- */

/* An upper bound on the total of any slot behind these entries; negative if none is feasible. */
static inline int32_t bound_of(const berth__class_search *search,
                               const berth__forest_entry *entries)
{
    int32_t bound = BERTH__TREE_INFEASIBLE;
    for (uint32_t cell = 0; cell < search->forest->cell_count; cell++) {
        const int32_t most = entries[cell].best < 0 ? -1 : entries[cell].best + search->most[cell];
        bound = most > bound ? most : bound;
    }
    return bound;
}

/* Whether a cell's entry is only a bound (no leaf equals it any more) that must be recomputed,
 * because it could beat the best so far. */
static inline bool is_loose(const berth__class_search *search, const berth__forest_entry *entries,
                            uint32_t cell, int32_t best)
{
    return entries[cell].count == 0 && entries[cell].best >= 0 &&
           entries[cell].best + search->most[cell] > best;
}

/* Add the slots without counted pods to `best`, by the entries of their cells. */
static void take_entries(const berth__class_search *search, const berth__forest_entry *entries,
                         berth__tree_sum *best)
{
    for (uint32_t cell = 0; cell < search->forest->cell_count; cell++)
        if (entries[cell].count > 0 && search->plain[cell] >= 0)
            berth__tree_sum_take(best, entries[cell].best + search->plain[cell],
                                 entries[cell].count);
}

static void best_of_tile(const berth__class_search *search, uint32_t tile, berth__tree_sum *best)
{
    berth__class_forest *forest = search->forest;
    const berth__forest_entry *entries = berth__forest_of_tile(forest, tile);
    if (bound_of(search, entries) < best->best)
        return;
    for (uint32_t cell = 0; cell < forest->cell_count; cell++)
        if (is_loose(search, entries, cell, best->best)) {
            berth__class_forest_tile(forest, search->tree, tile);
            break; /* all entries of the tile are up to date */
        }
    const uint32_t first = tile * BERTH__TILE, end = first + BERTH__TILE;
    if (berth__score_classes_peopled(search->classes, tile))
        look_for_best(search, first,
                      end < search->tree->slot_count ? end : search->tree->slot_count, best);
    else
        take_entries(search, entries, best);
}

/* Whether a tile of the group has slots with counted pods. */
static bool is_peopled(const berth__class_search *search, uint32_t group)
{
    const uint32_t first = group * BERTH__FOREST_FAN;
    for (uint32_t tile = first;
         tile < first + BERTH__FOREST_FAN && tile < search->forest->tile_count; tile++)
        if (berth__score_classes_peopled(search->classes, tile))
            return true;
    return false;
}

/* The tiles first .. last of a group. */
static void best_of_group(const berth__class_search *search, uint32_t group, uint32_t first,
                          uint32_t last, berth__tree_sum *best)
{
    berth__class_forest *forest = search->forest;
    const berth__forest_entry *entries = berth__forest_of_group(forest, group);
    for (uint32_t cell = 0; cell < forest->cell_count; cell++)
        if (is_loose(search, entries, cell, best->best))
            berth__class_forest_group(forest, search->tree, group, cell);
    forest->bounds[group] = bound_of(search, entries);
    if (forest->bounds[group] < best->best)
        return;
    const uint32_t begin = group * BERTH__FOREST_FAN, end = begin + BERTH__FOREST_FAN;
    const bool whole = first == begin && (last == end || last == forest->tile_count);
    if (whole && !is_peopled(search, group)) {
        take_entries(search, entries, best);
        return;
    }
    for (uint32_t tile = first; tile < last; tile++)
        best_of_tile(search, tile, best);
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whole tiles. The group with the highest bound comes first, so that most others are passed
 * over. */
static void best_of_tiles(const berth__class_search *search, uint32_t first, uint32_t last,
                          berth__tree_sum *best)
{
    enum { FAN = BERTH__FOREST_FAN };
    berth__class_forest *forest = search->forest;
    uint32_t begin = first / FAN, end = (last + FAN - 1) / FAN, highest = begin;
    for (uint32_t group = begin; group < end; group++) {
        forest->bounds[group] = bound_of(search, berth__forest_of_group(forest, group));
        if (forest->bounds[group] > forest->bounds[highest])
            highest = group;
    }
    best_of_group(search, highest, later(first, highest * FAN), earlier(last, highest * FAN + FAN),
                  best);
    for (uint32_t group = begin; group < end; group++)
        if (group != highest && forest->bounds[group] >= best->best)
            best_of_group(search, group, later(first, group * FAN),
                          earlier(last, group * FAN + FAN), best);
}

/* The whole tiles of a range of slots; the last tile of all counts as whole. False: there are
 * none. */
static bool whole_tiles(const berth__class_search *search, uint32_t first, uint32_t last,
                        uint32_t *first_tile, uint32_t *last_tile)
{
    if (search->forest == NULL)
        return false;
    *first_tile = (first + BERTH__TILE - 1) / BERTH__TILE;
    *last_tile = last == search->tree->slot_count ? search->forest->tile_count : last / BERTH__TILE;
    return *first_tile < *last_tile;
}

void berth__class_search_best(berth__class_search *search, uint32_t first, uint32_t last,
                              berth__tree_sum *best)
{
    uint32_t begin, end;
    if (!whole_tiles(search, first, last, &begin, &end)) {
        look_for_best(search, first, last, best);
        return;
    }
    look_for_best(search, first, begin * BERTH__TILE, best);
    best_of_tiles(search, begin, end, best);
    look_for_best(search, end * BERTH__TILE, last, best);
}

/* How many slots of a tile without counted pods have the best total. */
static uint32_t count_best(const berth__class_search *search, const berth__forest_entry *entries,
                           int32_t best)
{
    uint32_t count = 0;
    for (uint32_t cell = 0; cell < search->forest->cell_count; cell++)
        if (search->plain[cell] >= 0 && entries[cell].best + search->plain[cell] == best)
            count += entries[cell].count;
    return count;
}

static uint32_t nth_of_tile(const berth__class_search *search, uint32_t tile, int32_t best,
                            uint32_t *n)
{
    const berth__forest_entry *entries = berth__forest_of_tile(search->forest, tile);
    const uint32_t first = tile * BERTH__TILE, end = first + BERTH__TILE;
    if (bound_of(search, entries) < best)
        return BERTH__SLOT_NONE;
    if (!berth__score_classes_peopled(search->classes, tile)) {
        const uint32_t count = count_best(search, entries, best);
        if (*n >= count) {
            *n -= count;
            return BERTH__SLOT_NONE;
        }
    }
    return look_for_nth(search, first,
                        end < search->tree->slot_count ? end : search->tree->slot_count, best, n);
}

static uint32_t nth_of_tiles(const berth__class_search *search, uint32_t first, uint32_t last,
                             int32_t best, uint32_t *n)
{
    enum { FAN = BERTH__FOREST_FAN };
    uint32_t slot = BERTH__SLOT_NONE;
    for (uint32_t tile = first; tile < last && slot == BERTH__SLOT_NONE;)
        if (search->forest->bounds[tile / FAN] < best)
            tile = (tile / FAN + 1) * FAN;
        else
            slot = nth_of_tile(search, tile++, best, n);
    return slot;
}

uint32_t berth__class_search_nth(const berth__class_search *search, uint32_t first, uint32_t last,
                                 int32_t best, uint32_t *n)
{
    uint32_t begin, end;
    if (!whole_tiles(search, first, last, &begin, &end))
        return look_for_nth(search, first, last, best, n);
    uint32_t slot = look_for_nth(search, first, begin * BERTH__TILE, best, n);
    if (slot == BERTH__SLOT_NONE)
        slot = nth_of_tiles(search, begin, end, best, n);
    if (slot == BERTH__SLOT_NONE)
        slot = look_for_nth(search, end * BERTH__TILE, last, best, n);
    return slot;
}
