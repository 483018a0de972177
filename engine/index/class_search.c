/* Searches by class, with and without a class forest. */
#include "index/class_search.h"

#include <string.h>

#include "base/bits.h"
#include "columns/layout.h"

/* Whether the lanes of the forest are classes, so that slots with counted pods need no search of
 * their own. */
static bool is_by_class(const berth__class_search *search)
{
    return search->forest->map != 0;
}

/* Find what each lane's slots get: of a cell, those without counted pods, and the best of the
 * others. */
static void find_parts(berth__class_search *search)
{
    const berth__score_classes *classes = search->classes;
    for (uint32_t lane = 0; lane < search->forest->lanes; lane++)
        search->plain[lane] = search->peopled[lane] = BERTH__CLASS_ABSENT;
    for (uint32_t i = 0; i < classes->met_count; i++) {
        const uint32_t id = classes->met[i];
        const uint32_t lane = is_by_class(search) ? id : berth__score_classes_cell(classes, id);
        int32_t *part = id == lane ? &search->plain[lane] : &search->peopled[lane];
        *part = classes->totals[id] > *part ? classes->totals[id] : *part;
    }
}

void berth__class_search_begin(berth__class_search *search, const berth__search_tree *tree,
                               const berth__score_classes *classes, const berth__kernels *kernels,
                               berth__class_forest *forest)
{
    search->tree = tree;
    search->classes = classes;
    search->kernels = kernels;
    search->forest = forest;
    if (forest != NULL)
        find_parts(search);
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

/* A whole number of vectors, as the compiler should know. */
static inline uint32_t lanes_of(const berth__class_search *search)
{
    return search->forest->lanes / BERTH__FOREST_LANES * BERTH__FOREST_LANES;
}

/* An upper bound on the totals of the slots behind these entries that get `parts`, by lane;
 * negative if none of them is feasible. */
static inline int32_t bound_of(const berth__class_search *search,
                               const berth__forest_entries *entries, const int32_t *parts)
{
    const int32_t *best = entries->best;
    const uint32_t lanes = lanes_of(search);
    int32_t bound = BERTH__TREE_INFEASIBLE;
    for (uint32_t lane = 0; lane < lanes; lane++)
        bound = best[lane] + parts[lane] > bound ? best[lane] + parts[lane] : bound;
    return bound;
}

/* Whether a slot with counted pods may have this total, or more. */
static inline bool peopled_reach(const berth__class_search *search,
                                 const berth__forest_entries *entries, int32_t total)
{
    return bound_of(search, entries, search->peopled) >= total;
}

/* How many slots behind these entries have a total. */
static inline uint32_t count_of(const berth__class_search *search,
                                const berth__forest_entries *entries, int32_t total)
{
    const int32_t *best = entries->best, *plain = search->plain;
    const uint32_t *counts = entries->counts, lanes = lanes_of(search);
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++)
        count += counts[lane] & -(uint32_t)(best[lane] + plain[lane] == total);
    return count;
}

/* Whether a lane's entry is only a bound (no leaf equals it any more) that must be recomputed,
 * because it could beat the best so far. */
static inline bool is_loose(const berth__class_search *search, const berth__forest_entries *entries,
                            uint32_t lane, int32_t best)
{
    return entries->counts[lane] == 0 && entries->best[lane] + search->plain[lane] > best;
}

/* Places in the list of slots with counted pods: from .. to. */
typedef struct places {
    uint32_t from, to;
} places;

static places places_of_group(const berth__class_search *search, uint32_t group)
{
    const berth__class_map *map = search->classes->map;
    return map != NULL && !is_by_class(search)
               ? (places){map->listed_from[group], map->listed_from[group + 1]}
               : (places){0, 0};
}

/* The places of the slots below `end`. */
static places places_until(const berth__class_search *search, uint32_t from, uint32_t to,
                           uint32_t end)
{
    places own = {from, from};
    while (own.to < to && search->classes->map->listed[own.to].slot < end)
        own.to++;
    return own;
}

/* Take slots with counted pods one by one. Leaves are read only if the best leaf of their cell
 * behind these entries would do. */
static void take_listed(const berth__class_search *search, const berth__forest_entries *entries,
                        places listed, berth__tree_sum *best)
{
    const berth__class_map *map = search->classes->map;
    for (uint32_t i = listed.from; i < listed.to; i++) {
        const berth__peopled_slot *own = &map->listed[i];
        const int32_t part = search->classes->totals[own->id];
        if (entries->best[own->cell] + part < best->best)
            continue;
        const int32_t leaf = search->tree->leaves[own->slot];
        if (leaf >= 0)
            berth__tree_sum_take(best, leaf + part, 1);
    }
}

static uint32_t end_of_tile(const berth__class_search *search, uint32_t tile)
{
    const uint32_t end = (tile + 1) * BERTH__TILE;
    return end < search->tree->slot_count ? end : search->tree->slot_count;
}

static void best_of_tile(const berth__class_search *search, uint32_t tile, places listed,
                         berth__tree_sum *best)
{
    berth__class_forest *forest = search->forest;
    const berth__forest_entries entries = berth__forest_of_tile(forest, tile);
    int32_t bound = bound_of(search, &entries, search->plain);
    for (uint32_t lane = 0; lane < forest->lanes && bound > best->best; lane++)
        if (is_loose(search, &entries, lane, best->best)) {
            berth__class_forest_tile(forest, search->tree, tile);
            bound = bound_of(search, &entries, search->plain);
            break; /* all entries of the tile are up to date */
        }
    const bool peopled = listed.from < listed.to && peopled_reach(search, &entries, best->best);
    if (bound < best->best && peopled)
        take_listed(search, &entries, listed, best);
    else if (bound >= best->best && listed.from < listed.to)
        look_for_best(search, tile * BERTH__TILE, end_of_tile(search, tile), best);
    else if (bound >= best->best)
        berth__tree_sum_take(best, bound, count_of(search, &entries, bound));
}

/* The tiles first .. last of a group. */
static void best_of_part(const berth__class_search *search, uint32_t group, uint32_t first,
                         uint32_t last, berth__tree_sum *best)
{
    const places all = places_of_group(search, group);
    places own = places_until(search, all.from, all.to, first * BERTH__TILE);
    for (uint32_t tile = first; tile < last; tile++) {
        own = places_until(search, own.to, all.to, (tile + 1) * BERTH__TILE);
        best_of_tile(search, tile, own, best);
    }
}

/* Recompute a group's entries that could beat the best so far and are only bounds. */
static void tighten(const berth__class_search *search, uint32_t group, int32_t best)
{
    berth__class_forest *forest = search->forest;
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    bool loose = false;
    for (uint32_t lane = 0; lane < forest->lanes; lane++)
        if (is_loose(search, &entries, lane, best)) {
            berth__class_forest_group(forest, search->tree, group, lane);
            loose = true;
        }
    if (loose)
        forest->bounds[group] = bound_of(search, &entries, search->plain);
}

/* The lanes whose slots without counted pods may have this total, or more: a bit each. */
static uint64_t lanes_that_reach(const berth__class_search *search,
                                 const berth__forest_entries *entries, int32_t total)
{
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < search->forest->lanes; lane++)
        lanes |= (uint64_t)(entries->best[lane] + search->plain[lane] >= total) << lane;
    return lanes;
}

/* Take the slots of a whole group that have no counted pods, lane by lane. False: the entries do
 * not tell, because in some lane each of the best leaves belongs to a slot with counted pods. */
static bool take_by_lane(const berth__class_search *search, uint32_t group, places listed,
                         berth__tree_sum *best)
{
    const berth__class_forest *forest = search->forest;
    const berth__class_map *map = search->classes->map;
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    const uint64_t lanes = lanes_that_reach(search, &entries, best->best);
    uint32_t peopled[BERTH__FOREST_LANES_MAX] = {0}; /* best leaves that have counted pods */
    int32_t bound = BERTH__TREE_INFEASIBLE;
    for (uint32_t i = listed.from; i < listed.to; i++) {
        const uint32_t lane = map->listed[i].cell;
        if ((lanes >> lane & 1) != 0)
            peopled[lane] += search->tree->leaves[map->listed[i].slot] == entries.best[lane];
    }
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(rest);
        const uint32_t count = entries.counts[lane] - peopled[lane];
        const int32_t total = entries.best[lane] + search->plain[lane];
        berth__tree_sum_take(best, total, count);
        bound = count == 0 && total > bound ? total : bound;
    }
    return bound <= best->best;
}

/* The same; the highest bound settles it unless only slots with counted pods reach it. */
static bool take_plain(const berth__class_search *search, uint32_t group, places listed,
                       berth__tree_sum *best)
{
    const berth__forest_entries entries = berth__forest_of_group(search->forest, group);
    const int32_t bound = search->forest->bounds[group];
    uint32_t count = count_of(search, &entries, bound);
    if (count > 0 && listed.from < listed.to)
        count -= search->kernels->count_listed(search->tree->leaves,
                                               search->classes->map->listed + listed.from,
                                               listed.to - listed.from, search->plain, bound);
    if (count == 0 && bound > best->best)
        return take_by_lane(search, group, listed, best);
    berth__tree_sum_take(best, bound, count);
    return true;
}

/* A group whose tiles are all in question. */
static void best_of_group(const berth__class_search *search, uint32_t group, berth__tree_sum *best)
{
    berth__class_forest *forest = search->forest;
    const berth__forest_entries entries = berth__forest_of_group(forest, group);
    const places listed = places_of_group(search, group);
    berth__tree_sum own = {.best = best->best};
    if (forest->bounds[group] > best->best)
        tighten(search, group, best->best);
    const bool plain = forest->bounds[group] >= best->best;
    const bool peopled = peopled_reach(search, &entries, best->best);
    if (plain && !take_plain(search, group, listed, &own)) {
        own = (berth__tree_sum){.best = best->best};
        best_of_part(search, group, group * BERTH__FOREST_FAN,
                     berth__forest_end_tile(forest, group), &own);
    } else if (peopled) {
        take_listed(search, &entries, listed, &own);
    }
    forest->bests[group] = own.best;
    forest->equals[group] = own.best_count;
    berth__tree_sum_take(best, own.best, own.best_count);
}

/* Whole groups: the one with the highest bound first, so that most others are passed over. */
static void best_of_groups(const berth__class_search *search, uint32_t begin, uint32_t end,
                           berth__tree_sum *best)
{
    berth__class_forest *forest = search->forest;
    uint32_t highest = begin;
    for (uint32_t group = begin; group < end; group++) {
        const berth__forest_entries entries = berth__forest_of_group(forest, group);
        forest->bounds[group] = bound_of(search, &entries, search->plain);
        if (forest->bounds[group] > forest->bounds[highest])
            highest = group;
    }
    best_of_group(search, highest, best);
    for (uint32_t group = begin; group < end; group++)
        if (group != highest)
            best_of_group(search, group, best);
}

enum { EQUALS_UNKNOWN = UINT32_MAX };

/* A group of which some tiles are in question. */
static void best_of_cut_group(const berth__class_search *search, uint32_t group, uint32_t first,
                              uint32_t last, berth__tree_sum *best)
{
    best_of_part(search, group, first, last, best);
    search->forest->equals[group] = EQUALS_UNKNOWN;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Whole tiles: whole groups, and parts of groups before and after them. */
static void best_of_tiles(const berth__class_search *search, uint32_t first, uint32_t last,
                          berth__tree_sum *best)
{
    const berth__class_forest *forest = search->forest;
    uint32_t begin = first / BERTH__FOREST_FAN;
    uint32_t end = (last - 1) / BERTH__FOREST_FAN + 1;
    const bool cut_first = first > begin * BERTH__FOREST_FAN;
    const bool cut_last = last < berth__forest_end_tile(forest, end - 1);
    if (cut_first || (cut_last && begin + 1 == end)) {
        best_of_cut_group(search, begin, first,
                          earlier(last, berth__forest_end_tile(forest, begin)), best);
        begin++;
    }
    if (cut_last && begin < end) {
        end--;
        best_of_cut_group(search, end, end * BERTH__FOREST_FAN, last, best);
    }
    if (begin < end)
        best_of_groups(search, begin, end, best);
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

/* Whether a slot of a tile may have this total. */
static bool tile_reaches(const berth__class_search *search, uint32_t tile, int32_t total)
{
    const berth__forest_entries entries = berth__forest_of_tile(search->forest, tile);
    return bound_of(search, &entries, search->plain) >= total ||
           peopled_reach(search, &entries, total);
}

/* The n-th of the best slots first .. last of a tile. */
static uint32_t nth_in_tile(const berth__class_search *search, uint32_t first, uint32_t last,
                            int32_t best, uint32_t *n)
{
    if (first == last || !tile_reaches(search, first / BERTH__TILE, best))
        return BERTH__SLOT_NONE;
    return look_for_nth(search, first, last, best, n);
}

/* The same of a whole tile, whose entries that could beat the best are up to date. Those above the
 * best belong to slots with counted pods, and then do not tell about the others. */
static uint32_t nth_of_tile(const berth__class_search *search, uint32_t tile, int32_t best,
                            uint32_t *n)
{
    const berth__forest_entries entries = berth__forest_of_tile(search->forest, tile);
    const uint32_t count = count_of(search, &entries, best);
    if (is_by_class(search) || !berth__score_classes_peopled(search->classes, tile)) {
        if (count <= *n) {
            *n -= count;
            return BERTH__SLOT_NONE;
        }
    } else if (count == 0 && bound_of(search, &entries, search->plain) <= best &&
               !peopled_reach(search, &entries, best)) {
        return BERTH__SLOT_NONE;
    }
    return look_for_nth(search, tile * BERTH__TILE, end_of_tile(search, tile), best, n);
}

/* How many slots of a group have the best total; EQUALS_UNKNOWN: look at its tiles. */
static uint32_t equals_of(const berth__class_forest *forest, uint32_t group, int32_t best)
{
    if (forest->equals[group] == EQUALS_UNKNOWN)
        return EQUALS_UNKNOWN;
    return forest->bests[group] == best ? forest->equals[group] : 0;
}

static uint32_t nth_of_tiles(const berth__class_search *search, uint32_t first, uint32_t last,
                             int32_t best, uint32_t *n)
{
    const berth__class_forest *forest = search->forest;
    uint32_t slot = BERTH__SLOT_NONE;
    for (uint32_t tile = first; tile < last && slot == BERTH__SLOT_NONE;) {
        const uint32_t group = tile / BERTH__FOREST_FAN;
        const uint32_t end = earlier(last, berth__forest_end_tile(forest, group));
        const uint32_t equals = equals_of(forest, group, best);
        if (equals == 0) {
            tile = end;
        } else if (equals <= *n && tile == group * BERTH__FOREST_FAN &&
                   end == berth__forest_end_tile(forest, group)) {
            *n -= equals;
            tile = end;
        } else {
            for (; tile < end && slot == BERTH__SLOT_NONE; tile++)
                slot = nth_of_tile(search, tile, best, n);
        }
    }
    return slot;
}

uint32_t berth__class_search_nth(const berth__class_search *search, uint32_t first, uint32_t last,
                                 int32_t best, uint32_t *n)
{
    uint32_t begin, end;
    if (!whole_tiles(search, first, last, &begin, &end))
        return look_for_nth(search, first, last, best, n);
    uint32_t slot = nth_in_tile(search, first, begin * BERTH__TILE, best, n);
    if (slot == BERTH__SLOT_NONE)
        slot = nth_of_tiles(search, begin, end, best, n);
    if (slot == BERTH__SLOT_NONE && end * BERTH__TILE < last)
        slot = nth_in_tile(search, end * BERTH__TILE, last, best, n);
    return slot;
}
