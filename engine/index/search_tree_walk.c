/* Walks over a search tree: find the best slots if only some slots count, so that the tree's sums
 * do not apply.
 *
 * Inner nodes bound the totals of their leaves, so groups that are worse than the best so far are
 * skipped. */
#include "base/assert.h"
#include "base/bits.h"
#include "columns/layout.h"
#include "index/search_tree.h"
#include "scan/heap_masks.h"

enum { LANES = BERTH__FAN, GROUPS_A_WORD = 64 / LANES, GROUPS_A_TILE = BERTH__TILE / LANES };

static uint32_t tiles_of(const berth__tree_walk *walk)
{
    return (walk->slot_count + BERTH__TILE - 1) / BERTH__TILE;
}

/* The slots of step `step` of the walk, which visits `tile`; the start tile is visited twice. */
static berth__mask slots_of(const berth__tree_walk *walk, uint32_t start, uint32_t step,
                            uint32_t tile)
{
    uint32_t tiles = tiles_of(walk), offset = start % BERTH__TILE;
    uint32_t end = walk->slot_count - tile * BERTH__TILE;
    if (step > 0 && step < tiles && end >= BERTH__TILE)
        return (berth__mask){{UINT64_MAX, UINT64_MAX}};
    if (step == tiles)
        end = offset;
    return berth__mask_range(step == 0 ? offset : 0, end < BERTH__TILE ? end : BERTH__TILE);
}

static uint32_t groups_of(const berth__tree_walk *walk, uint32_t tile)
{
    return (walk->slot_count + LANES - 1) / LANES - tile * GROUPS_A_TILE;
}

static const int32_t *leaves_of(const berth__tree_walk *walk, uint32_t tile)
{
    return walk->tree->leaves + (size_t)tile * BERTH__TILE;
}

static const int32_t *bests_of(const berth__tree_walk *walk, uint32_t tile)
{
    return walk->tree->levels[0].best + (size_t)tile * GROUPS_A_TILE;
}

/* Whether the leaves are the totals. */
static bool has_leaves(const berth__tree_walk *walk)
{
    return walk->tree != NULL && walk->add == NULL;
}

/* The stored totals of a step. */
static const int32_t *stored_of(const berth__tree_walk *walk, uint32_t step, uint32_t tile)
{
    return walk->tree != NULL ? leaves_of(walk, tile) : walk->stored[step];
}

/* The totals of the slots of a step; perhaps in `own`, an array of BERTH__TILE. */
static const int32_t *totals_of(const berth__tree_walk *walk, uint32_t step, uint32_t tile,
                                int32_t *own)
{
    const int32_t *leaves = stored_of(walk, step, tile);
    if (walk->add == NULL)
        return leaves;
    walk->add(walk->context, tile, leaves, own);
    return own;
}

static inline void keep(berth__mask *slots, const berth__mask *others)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= others->words[w];
}

/* Whether the sets alone say which slots of a tile count. */
static inline bool is_simple(const berth__tree_walk *walk, uint32_t tile)
{
    bool simple = walk->busy != NULL && !berth__bit_get(walk->busy, tile);
    for (uint32_t i = 0; i < walk->set_count; i++)
        simple &= walk->sets[i].ready == NULL || walk->sets[i].ready[tile] != 0;
    return simple;
}

/* The slots of a step that count and are feasible. */
static inline berth__mask feasible_of(const berth__tree_walk *walk, uint32_t step, uint32_t tile,
                                      berth__mask slots)
{
    if (walk->tree == NULL)
        walk->stored[step] =
            walk->fill(walk->context, tile, walk->room + (size_t)step * BERTH__TILE, &slots);
    else
        keep(&slots, &walk->tree->tiles[tile].feasible);
    if (!is_simple(walk, tile)) {
        walk->keep(walk->context, tile, &slots);
        return slots;
    }
    for (uint32_t i = 0; i < walk->set_count; i++)
        keep(&slots, &walk->sets[i].slots[tile]);
    return slots;
}

/* The n-th (from 0) slot of a mask, which has more than n. */
static uint32_t nth_slot(const berth__mask *mask, uint32_t n)
{
    uint32_t w = 0;
    for (uint32_t count; n >= (count = (uint32_t)__builtin_popcountll(mask->words[w])); w++)
        n -= count;
    return w * 64 + berth__nth_bit(mask->words[w], n);
}

uint32_t berth__tree_walk_tile(const berth__tree_walk *walk, uint32_t start, uint32_t step)
{
    uint32_t tiles = tiles_of(walk), tile = start / BERTH__TILE + step;
    return tile < tiles ? tile : tile - tiles;
}

/* Record the slots that the next step finds, up to the limit. Returns its tile. */
static uint32_t visit_next(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                           berth__tree_answer *out)
{
    uint32_t step = walk->visited_count++, tile = berth__tree_walk_tile(walk, start, step);
    berth__mask slots = feasible_of(walk, step, tile, slots_of(walk, start, step, tile));
    uint32_t more = berth__mask_count(&slots), left = limit - out->feasible_count;
    if (more > left) {
        uint32_t at = nth_slot(&slots, left);
        const berth__mask before = berth__mask_range(0, at);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            slots.words[w] &= before.words[w];
        out->next = tile * BERTH__TILE + at;
        out->cut_short = true;
        more = left;
    }
    out->feasible_count += more;
    walk->visited[step] = slots;
    return tile;
}

/* Raise `best` to the best of a step's slots, given all totals of its tile and the best of each
 * group. */
static void rate_step(const berth__tree_walk *walk, uint32_t step, const int32_t *totals,
                      const int32_t *bests, berth__tree_sum *best)
{
    const berth__tree_sum before = *best;
    walk->kernels->best_leaves(totals, bests, &walk->visited[step], best);
    if (best->best != before.best || best->best_count != before.best_count)
        walk->tops[step] = best->best;
}

/* The same for a step whose totals are leaves and whose tile's top is at least `best`. */
static void rate_leaves(const berth__tree_walk *walk, uint32_t step, uint32_t tile,
                        berth__tree_sum *best)
{
    const berth__tree_tile *own = &walk->tree->tiles[tile];
    if (berth__mask_empty(&own->tops))
        berth__search_tree_top(walk->tree, walk->kernels, tile);
    berth__mask tops = own->tops;
    keep(&tops, &walk->visited[step]);
    const uint32_t count = berth__mask_count(&tops);
    if (count > 0 && own->top >= best->best) {
        berth__tree_sum_take(best, own->top, count);
        walk->tops[step] = own->top;
    } else if (own->top > best->best) { /* none of its best slots counts */
        rate_step(walk, step, leaves_of(walk, tile), bests_of(walk, tile), best);
    }
}

static inline void look_for_best(const berth__tree_walk *walk, uint32_t step, uint32_t tile,
                                 berth__tree_sum *best)
{
    walk->tops[step] = BERTH__TREE_INFEASIBLE;
    if (walk->tree->tiles[tile].top >= best->best)
        rate_leaves(walk, step, tile, best);
}

static inline uint32_t count_bits(uint64_t low, uint64_t high)
{
    return (uint32_t)(__builtin_popcountll(low) + __builtin_popcountll(high));
}

/* Whether all sets are ready everywhere. */
static bool are_ready(const berth__tree_walk *walk)
{
    bool ready = true;
    for (uint32_t i = 0; i < walk->set_count; i++)
        ready &= walk->sets[i].ready == NULL;
    return ready;
}

/* Visit whole tiles as long as sets alone say which slots count, the limit is far, and the order
 * of tiles does not wrap; raise `best`. */
static void visit_run(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                      berth__tree_answer *out, berth__tree_sum *best)
{
    uint32_t step = walk->visited_count, tile = berth__tree_walk_tile(walk, start, step);
    const uint32_t rest = tiles_of(walk) - step, whole = walk->slot_count / BERTH__TILE;
    if (walk->tree == NULL || walk->busy == NULL || step == 0 || step > tiles_of(walk))
        return;
    const uint32_t end = whole < tile + rest ? whole : tile + rest;
    const berth__tree_tile *tiles = walk->tree->tiles;
    const berth__mask *first = walk->set_count > 0 ? walk->sets[0].slots : NULL;
    const berth__mask *second = walk->set_count > 1 ? walk->sets[1].slots : NULL;
    const uint64_t *busy = walk->busy;
    const bool ready = are_ready(walk);
    uint32_t left = limit - out->feasible_count;
    int32_t least = best->best;
    berth__mask *visited = walk->visited;
    int32_t *tops = walk->tops;
    for (; tile < end && !berth__bit_get(busy, tile); step++, tile++) {
        const berth__tree_tile *own = &tiles[tile];
        uint64_t low = own->feasible.words[0], high = own->feasible.words[1];
        if (!ready && !is_simple(walk, tile))
            break;
        if (first != NULL) {
            low &= first[tile].words[0];
            high &= first[tile].words[1];
        }
        if (second != NULL) {
            low &= second[tile].words[0];
            high &= second[tile].words[1];
        }
        const uint32_t more = count_bits(low, high);
        if (more > left)
            break;
        left -= more;
        visited[step] = (berth__mask){{low, high}};
        tops[step] = BERTH__TREE_INFEASIBLE;
        if (own->top < least)
            continue;
        const uint32_t equal = count_bits(low & own->tops.words[0], high & own->tops.words[1]);
        if (equal > 0 && own->top == least) {
            best->best_count += equal;
            tops[step] = least;
            continue;
        }
        rate_leaves(walk, step, tile, best);
        least = best->best;
    }
    out->feasible_count = limit - left;
    walk->visited_count = step;
}

static uint32_t steps_of(const berth__tree_walk *walk, uint32_t start)
{
    return tiles_of(walk) + (start % BERTH__TILE != 0);
}

void berth__tree_walk_ask(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                          berth__tree_answer *out)
{
    uint32_t steps = steps_of(walk, start);
    berth__tree_sum best = {BERTH__TREE_INFEASIBLE, 0, 0};
    *out = (berth__tree_answer){.next = start};
    for (walk->visited_count = 0; walk->visited_count < steps && !out->cut_short;) {
        uint32_t step = walk->visited_count, tile = visit_next(walk, start, limit, out);
        look_for_best(walk, step, tile, &best);
        if (!out->cut_short)
            visit_run(walk, start, limit, out, &best);
    }
    out->best = best.best;
    out->best_count = best.best_count;
}

void berth__tree_walk_visit(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                            berth__tree_answer *out)
{
    uint32_t steps = steps_of(walk, start);
    berth__tree_sum unreachable = {INT32_MAX, 0, 0}; /* so nothing is rated */
    *out = (berth__tree_answer){.next = start, .best = BERTH__TREE_INFEASIBLE};
    for (walk->visited_count = 0; walk->visited_count < steps && !out->cut_short;) {
        (void)visit_next(walk, start, limit, out);
        if (!out->cut_short)
            visit_run(walk, start, limit, out, &unreachable);
    }
}

void berth__tree_walk_take(const berth__tree_walk *walk, uint32_t start, uint32_t step,
                           const berth__walk_parts *parts, berth__tree_sum *best)
{
    const uint32_t tile = berth__tree_walk_tile(walk, start, step);
    const berth__class_parts classes = {parts->ids, parts->parts, parts->count};
    const berth__tree_sum before = *best;
    walk->tops[step] = BERTH__TREE_INFEASIBLE;
    if (walk->tree != NULL && walk->tree->tiles[tile].top + parts->most < best->best)
        return;
    walk->kernels->class_best_of(stored_of(walk, step, tile), groups_of(walk, tile), &classes,
                                 &walk->visited[step], best);
    if (best->best != before.best || best->best_count != before.best_count)
        walk->tops[step] = best->best;
}

/* Raise `best` to the best of a step whose totals are not leaves. */
static void rate_totals(const berth__tree_walk *walk, uint32_t step, uint32_t tile,
                        berth__tree_sum *best)
{
    int32_t unbound[GROUPS_A_TILE], own[BERTH__TILE];
    walk->tops[step] = BERTH__TREE_INFEASIBLE;
    if (walk->tree != NULL && walk->tree->tiles[tile].top + walk->add_most < best->best)
        return;
    for (uint32_t g = 0; g < GROUPS_A_TILE; g++)
        unbound[g] = INT32_MAX;
    rate_step(walk, step, totals_of(walk, step, tile, own), unbound, best);
}

void berth__tree_walk_rate(const berth__tree_walk *walk, uint32_t start, berth__tree_answer *answer)
{
    berth__tree_sum best = {BERTH__TREE_INFEASIBLE, 0, 0};
    for (uint32_t step = 0; step < walk->visited_count; step++) {
        uint32_t tile = berth__tree_walk_tile(walk, start, step);
        if (has_leaves(walk))
            look_for_best(walk, step, tile, &best);
        else
            rate_totals(walk, step, tile, &best);
    }
    answer->best = best.best;
    answer->best_count = best.best_count;
}

uint32_t berth__tree_walk_nth_best(const berth__tree_walk *walk, uint32_t start,
                                   const berth__tree_answer *answer, uint32_t n)
{
    for (uint32_t step = 0; step < walk->visited_count; step++) {
        if (walk->tops[step] != answer->best)
            continue;
        uint32_t tile = berth__tree_walk_tile(walk, start, step);
        int32_t own[BERTH__TILE];
        const int32_t *totals = totals_of(walk, step, tile, own);
        for (uint32_t g = 0; g < GROUPS_A_TILE; g++) {
            uint32_t lanes =
                walk->visited[step].words[g / GROUPS_A_WORD] >> (g % GROUPS_A_WORD * LANES) &
                0xffff;
            uint32_t group = tile * GROUPS_A_TILE + g, equal;
            if (lanes == 0 ||
                (has_leaves(walk) && walk->tree->levels[0].best[group] < answer->best) ||
                walk->kernels->best_lanes(totals + g * LANES, lanes, &equal) != answer->best)
                continue;
            uint32_t count = (uint32_t)__builtin_popcount(equal);
            if (n < count)
                return group * LANES + berth__nth_bit(equal, n);
            n -= count;
        }
    }
    BERTH_ASSERT(!"fewer best slots than counted");
    return BERTH__SLOT_NONE;
}

/* ---- heap order ---- */

typedef struct best_slots {
    const berth__tree_walk *walk;
    uint32_t start;
    int32_t best;
} best_slots;

/* The slots of a step with the best total. */
static berth__mask best_of_step(const void *context, uint32_t step)
{
    const best_slots *of = context;
    const berth__tree_walk *walk = of->walk;
    uint32_t tile = berth__tree_walk_tile(walk, of->start, step);
    if (walk->tops[step] != of->best)
        return (berth__mask){{0}};
    berth__mask out = walk->visited[step];
    if (has_leaves(walk) && walk->tree->tiles[tile].top == of->best) {
        keep(&out, &walk->tree->tiles[tile].tops);
        return out;
    }
    int32_t own[BERTH__TILE];
    walk->kernels->leaves_from(totals_of(walk, step, tile, own), groups_of(walk, tile), of->best,
                               &out);
    return out;
}

uint32_t berth__tree_walk_heap_best(const berth__tree_walk *walk, uint32_t start,
                                    const berth__tree_answer *answer)
{
    const best_slots slots = {walk, start, answer->best};
    const berth__heap_masks list = {walk->visited, walk->visited_count, answer->feasible_count,
                                    best_of_step, &slots};
    const berth__heap_place place = berth__heap_first(&list);
    BERTH_ASSERT(place.mask < walk->visited_count);
    return berth__tree_walk_tile(walk, start, place.mask) * BERTH__TILE + place.bit;
}
