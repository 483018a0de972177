/* The search tree over slots: shape, changes of leaves, queries about ranges. */
#include "index/search_tree.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/heap_order.h"
#include "columns/layout.h"
#include "index/class_search.h"

enum { GROUPS_A_TILE = BERTH__TILE / BERTH__FAN };

/* ---- shape ---- */

static uint32_t groups_of(uint32_t count)
{
    return (count + BERTH__FAN - 1) / BERTH__FAN;
}

static size_t padded(uint32_t count)
{
    return (size_t)groups_of(count) * BERTH__FAN;
}

static size_t tiles_of(uint32_t slots)
{
    return ((size_t)slots + BERTH__TILE - 1) / BERTH__TILE;
}

size_t berth__search_tree_bytes(uint32_t slots)
{
    size_t words = padded(slots);
    uint32_t count = slots;
    do {
        count = groups_of(count);
        words += 3 * padded(count);
    } while (count > 1);
    return words * sizeof(int32_t) + tiles_of(slots) * sizeof(berth__tree_tile);
}

/* Lay out the arrays of a level from `at` on; returns the position after them. */
static int32_t *place_level(berth__search_tree *tree, uint32_t count, int32_t *at)
{
    uint32_t own = tree->level_count++;
    size_t room = padded(count);
    tree->counts[own] = count;
    tree->levels[own] =
        (berth__tree_level){at, (uint32_t *)(at + room), (uint32_t *)(at + 2 * room)};
    /* Those below `count` only so that the first grouping does not compare with just any memory. */
    for (size_t i = 0; i < room; i++) {
        tree->levels[own].best[i] = BERTH__TREE_INFEASIBLE;
        tree->levels[own].best_count[i] = tree->levels[own].feasible[i] = 0;
    }
    return at + 3 * room;
}

bool berth__search_tree_create(berth__search_tree *tree, const berth_allocator *allocator,
                               uint32_t slots)
{
    berth__search_tree_destroy(tree, allocator);
    size_t bytes = berth__search_tree_bytes(slots);
    int32_t *at = berth__alloc(allocator, bytes, 64);
    if (at == NULL)
        return false;
    *tree = (berth__search_tree){
        .slot_count = slots, .leaves = at, .memory = at, .memory_bytes = bytes};
    for (size_t i = slots; i < padded(slots); i++)
        tree->leaves[i] = BERTH__TREE_NEVER;
    at += padded(slots);
    uint32_t count = slots;
    do {
        count = groups_of(count);
        at = place_level(tree, count, at);
    } while (count > 1);
    tree->tiles = (berth__tree_tile *)(void *)at; /* each level ends at a cache line */
    return true;
}

void berth__search_tree_destroy(berth__search_tree *tree, const berth_allocator *allocator)
{
    berth__free(allocator, tree->memory, tree->memory_bytes);
    *tree = (berth__search_tree){0};
}

/* ---- changes ---- */

bool berth__tree_scratch_reserve(berth__tree_scratch *scratch, const berth_allocator *allocator,
                                 uint32_t slots, uint32_t changes)
{
    uint32_t words = (groups_of(slots) + 63) / 64, before = scratch->mark_words;
    if (words > before) {
        if (!berth__grow(allocator, &scratch->marks, &scratch->mark_words, words,
                         sizeof(*scratch->marks)))
            return false;
        memset(scratch->marks + before, 0,
               (scratch->mark_words - before) * sizeof(*scratch->marks));
    }
    return berth__grow(allocator, &scratch->positions, &scratch->position_capacity, changes,
                       sizeof(*scratch->positions)) &&
           berth__grow(allocator, &scratch->changes, &scratch->change_capacity, changes,
                       sizeof(*scratch->changes));
}

void berth__tree_scratch_destroy(berth__tree_scratch *scratch, const berth_allocator *allocator)
{
    berth__free(allocator, scratch->marks, scratch->mark_words * sizeof(*scratch->marks));
    berth__free(allocator, scratch->positions,
                scratch->position_capacity * sizeof(*scratch->positions));
    berth__free(allocator, scratch->changes, scratch->change_capacity * sizeof(*scratch->changes));
    *scratch = (berth__tree_scratch){0};
}

void berth__search_tree_group(berth__search_tree *tree, const berth__kernels *kernels)
{
    tree->masked = false;
    for (uint32_t position = 0; position < tree->counts[0]; position++)
        kernels->regroup_leaves(tree->leaves, &tree->levels[0], &(uint32_t){position}, 1);
    for (uint32_t l = 1; l < tree->level_count; l++)
        for (uint32_t position = 0; position < tree->counts[l]; position++)
            kernels->regroup_groups(&tree->levels[l - 1], &tree->levels[l], &(uint32_t){position},
                                    1);
}

void berth__search_tree_mask(berth__search_tree *tree, const berth__kernels *kernels)
{
    const uint32_t groups = groups_of(tree->slot_count);
    for (uint32_t tile = 0; !tree->masked && tile < tiles_of(tree->slot_count); tile++) {
        berth__mask *own = &tree->tiles[tile].feasible;
        *own = (berth__mask){{UINT64_MAX, UINT64_MAX}};
        kernels->leaves_from(tree->leaves + (size_t)tile * BERTH__TILE,
                             groups - tile * GROUPS_A_TILE, 0, own);
        berth__search_tree_top(tree, kernels, tile);
    }
    tree->masked = true;
}

void berth__search_tree_top(const berth__search_tree *tree, const berth__kernels *kernels,
                            uint32_t tile)
{
    berth__tree_tile *own = &tree->tiles[tile];
    const uint32_t groups = groups_of(tree->slot_count) - tile * GROUPS_A_TILE;
    own->top = BERTH__TREE_INFEASIBLE;
    own->tops = own->feasible;
    for (uint32_t g = 0; g < GROUPS_A_TILE && g < groups; g++) {
        const int32_t best = tree->levels[0].best[tile * GROUPS_A_TILE + g];
        own->top = best > own->top ? best : own->top;
    }
    kernels->leaves_from(tree->leaves + (size_t)tile * BERTH__TILE, groups, own->top, &own->tops);
}

static void follow_top(berth__tree_tile *own, uint32_t slot, int32_t before, int32_t after)
{
    if (before >= 0 && before == own->top)
        berth__bit_clear(own->tops.words, slot);
    if (after < 0 || after < own->top)
        return;
    if (after > own->top)
        own->tops = (berth__mask){{0}};
    own->top = after;
    berth__bit_set(own->tops.words, slot);
}

/* Follow changes of leaves. */
static void follow_tiles(berth__search_tree *tree, const berth__tree_scratch *scratch)
{
    for (uint32_t i = 0; i < scratch->change_count; i++) {
        const berth__leaf_change *change = &scratch->changes[i];
        berth__tree_tile *own = &tree->tiles[change->slot / BERTH__TILE];
        const uint32_t slot = change->slot % BERTH__TILE;
        if ((change->before < 0) != (change->after < 0))
            berth__bit_put(own->feasible.words, slot, change->after >= 0);
        follow_top(own, slot, change->before, change->after);
    }
}

/* Add a node to the list unless it is there. */
static uint32_t mark(berth__tree_scratch *scratch, uint32_t count, uint32_t position)
{
    uint64_t *word = &scratch->marks[position / 64], bit = UINT64_C(1) << position % 64;
    scratch->positions[count] = position;
    count += (*word & bit) == 0;
    *word |= bit;
    return count;
}

static void clear_marks(berth__tree_scratch *scratch, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        scratch->marks[scratch->positions[i] / 64] = 0;
}

/* Store the new leaves, and list the groups that may change. A leaf does not change its group if it
 * was below the group's best and still is, and its feasibility is unchanged. */
static uint32_t put_leaves(berth__search_tree *tree, berth__tree_scratch *scratch,
                           const uint32_t *slots, const int32_t *totals, uint32_t count)
{
    uint32_t listed = 0, changed = 0;
    const int32_t *best = tree->levels[0].best;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slots[i];
        int32_t before = tree->leaves[slot], after = totals[i];
        if (before == after || before == BERTH__TREE_NEVER)
            continue;
        tree->leaves[slot] = after;
        scratch->changes[changed++] = (berth__leaf_change){slot, before, after};
        int32_t highest = best[slot / BERTH__FAN];
        if (before < highest && after < highest && (before < 0) == (after < 0))
            continue;
        listed = mark(scratch, listed, slot / BERTH__FAN);
    }
    scratch->change_count = changed;
    return listed;
}

void berth__search_tree_change(berth__search_tree *tree, const berth__kernels *kernels,
                               berth__tree_scratch *scratch, const uint32_t *slots,
                               const int32_t *totals, uint32_t count)
{
    uint32_t *positions = scratch->positions;
    uint32_t listed = put_leaves(tree, scratch, slots, totals, count);
    if (tree->masked)
        follow_tiles(tree, scratch);
    clear_marks(scratch, listed);
    listed = kernels->regroup_leaves(tree->leaves, &tree->levels[0], positions, listed);
    for (uint32_t l = 1; l < tree->level_count && listed > 0; l++) {
        uint32_t parents = 0;
        for (uint32_t i = 0; i < listed; i++)
            parents = mark(scratch, parents, positions[i] / BERTH__FAN);
        clear_marks(scratch, parents);
        listed =
            kernels->regroup_groups(&tree->levels[l - 1], &tree->levels[l], positions, parents);
    }
}

/* ---- ranks ---- */

/* The number of feasible slots before `slot`. */
static uint32_t rank_of(const berth__search_tree *tree, uint32_t slot)
{
    uint32_t rank = 0;
    for (uint32_t i = slot / BERTH__FAN * BERTH__FAN; i < slot; i++)
        rank += tree->leaves[i] >= 0;
    uint32_t position = slot / BERTH__FAN;
    for (uint32_t l = 0; l + 1 < tree->level_count; l++) {
        for (uint32_t i = position / BERTH__FAN * BERTH__FAN; i < position; i++)
            rank += tree->levels[l].feasible[i];
        position /= BERTH__FAN;
    }
    return rank;
}

/* The `rank`-th (from 0) feasible slot, which exists. */
static uint32_t slot_of_rank(const berth__search_tree *tree, uint32_t rank)
{
    uint32_t position = 0;
    for (uint32_t l = tree->level_count - 1; l-- > 0;) {
        position *= BERTH__FAN;
        for (; rank >= tree->levels[l].feasible[position]; position++)
            rank -= tree->levels[l].feasible[position];
    }
    uint32_t slot = position * BERTH__FAN;
    for (;; slot++)
        if (tree->leaves[slot] >= 0 && rank-- == 0)
            return slot;
}

/* ---- ranges ---- */

/* Adjacent nodes of one level; level -1 is the leaves. */
typedef struct run {
    int32_t at_level;
    uint32_t first, last;
} run;

/* A range of slots as tree nodes, in slot order: items[0 .. left) climb from its left edge, and
 * items[right ..) descend to its right edge. */
typedef struct runs {
    run items[2 * BERTH__TREE_LEVELS + 2];
    uint32_t left, right;
} runs;

enum { RUNS = sizeof(((runs *)0)->items) / sizeof(run) };

static void split_range(const berth__search_tree *tree, uint32_t first, uint32_t last, runs *out)
{
    out->left = 0;
    out->right = RUNS;
    for (int32_t l = -1; first < last; l++) {
        bool top = l + 1 == (int32_t)tree->level_count;
        uint32_t begin = top ? last : groups_of(first) * BERTH__FAN;
        uint32_t end = last / BERTH__FAN * BERTH__FAN;
        if (begin >= last || begin > end) {
            out->items[out->left++] = (run){l, first, last};
            return;
        }
        if (first < begin)
            out->items[out->left++] = (run){l, first, begin};
        if (end < last)
            out->items[--out->right] = (run){l, end, last};
        first = begin / BERTH__FAN;
        last = end / BERTH__FAN;
    }
}

static void best_of_run(const berth__search_tree *tree, const run *of, berth__tree_sum *best)
{
    if (of->at_level < 0) {
        for (uint32_t i = of->first; i < of->last; i++)
            berth__tree_sum_take(best, tree->leaves[i], 1);
        return;
    }
    const berth__tree_level *level = &tree->levels[of->at_level];
    for (uint32_t i = of->first; i < of->last; i++)
        berth__tree_sum_take(best, level->best[i], level->best_count[i]);
}

static void best_of_range(const berth__search_tree *tree, uint32_t first, uint32_t last,
                          berth__tree_sum *best)
{
    runs parts;
    split_range(tree, first, last, &parts);
    for (uint32_t i = 0; i < parts.left; i++)
        best_of_run(tree, &parts.items[i], best);
    for (uint32_t i = parts.right; i < RUNS; i++)
        best_of_run(tree, &parts.items[i], best);
}

/* The n-th leaf with total `best` below a node, which has more than n of them. */
static uint32_t descend(const berth__search_tree *tree, int32_t at_level, uint32_t position,
                        int32_t best, uint32_t n)
{
    for (int32_t l = at_level; l > 0; l--) {
        const berth__tree_level *below = &tree->levels[l - 1];
        for (position *= BERTH__FAN;; position++) {
            uint32_t count = below->best[position] == best ? below->best_count[position] : 0;
            if (n < count)
                break;
            n -= count;
        }
    }
    for (position *= BERTH__FAN;; position++)
        if (tree->leaves[position] == best && n-- == 0)
            return position;
}

static uint32_t nth_in_run(const berth__search_tree *tree, const run *of, int32_t best, uint32_t *n)
{
    if (of->at_level < 0) {
        for (uint32_t i = of->first; i < of->last; i++)
            if (tree->leaves[i] == best && (*n)-- == 0)
                return i;
        return BERTH__SLOT_NONE;
    }
    const berth__tree_level *level = &tree->levels[of->at_level];
    for (uint32_t i = of->first; i < of->last; i++) {
        uint32_t count = level->best[i] == best ? level->best_count[i] : 0;
        if (*n < count)
            return descend(tree, of->at_level, i, best, *n);
        *n -= count;
    }
    return BERTH__SLOT_NONE;
}

/* Continue counting best leaves in a range; BERTH__SLOT_NONE if fewer than `*n` + 1 are left. */
static uint32_t nth_in_range(const berth__search_tree *tree, uint32_t first, uint32_t last,
                             int32_t best, uint32_t *n)
{
    runs parts;
    uint32_t slot = BERTH__SLOT_NONE;
    split_range(tree, first, last, &parts);
    for (uint32_t i = 0; i < parts.left && slot == BERTH__SLOT_NONE; i++)
        slot = nth_in_run(tree, &parts.items[i], best, n);
    for (uint32_t i = parts.right; i < RUNS && slot == BERTH__SLOT_NONE; i++)
        slot = nth_in_run(tree, &parts.items[i], best, n);
    return slot;
}

/* ---- answers ---- */

static const berth__tree_level *root_of(const berth__search_tree *tree)
{
    return &tree->levels[tree->level_count - 1];
}

void berth__search_tree_range(const berth__search_tree *tree, uint32_t start, uint32_t limit,
                              berth__tree_answer *out)
{
    uint32_t all = root_of(tree)->feasible[0];
    *out =
        (berth__tree_answer){.feasible_count = all, .next = start, .best = BERTH__TREE_INFEASIBLE};
    if (all <= limit)
        return;
    uint32_t rank = rank_of(tree, start) + limit;
    out->feasible_count = limit;
    out->next = slot_of_rank(tree, rank >= all ? rank - all : rank);
    out->cut_short = true;
}

berth__tree_ranges berth__tree_ranges_of(const berth__search_tree *tree, uint32_t start,
                                         const berth__tree_answer *answer)
{
    berth__tree_ranges out = {{start}, {answer->next}, 1};
    if (answer->next <= start) {
        out.last[0] = tree->slot_count;
        out.last[1] = answer->next;
        out.count += answer->next > 0;
    }
    return out;
}

void berth__search_tree_ask(const berth__search_tree *tree, uint32_t start, uint32_t limit,
                            berth__tree_answer *out)
{
    const berth__tree_level *root = root_of(tree);
    berth__tree_sum best = {BERTH__TREE_INFEASIBLE, 0, 0};
    berth__search_tree_range(tree, start, limit, out);
    if (!out->cut_short) {
        out->best = root->best[0];
        out->best_count = root->best_count[0];
        return;
    }
    const berth__tree_ranges slots = berth__tree_ranges_of(tree, start, out);
    for (uint32_t i = 0; i < slots.count; i++)
        best_of_range(tree, slots.first[i], slots.last[i], &best);
    out->best = best.best;
    out->best_count = best.best_count;
}

void berth__search_tree_class_best(const berth__search_tree *tree, berth__class_search *classes,
                                   uint32_t start, berth__tree_answer *answer)
{
    berth__tree_sum best = {BERTH__TREE_INFEASIBLE, 0, 0};
    /* Where a search of all slots starts does not matter for the best. */
    const berth__tree_ranges slots = answer->cut_short
                                         ? berth__tree_ranges_of(tree, start, answer)
                                         : (berth__tree_ranges){{0}, {tree->slot_count}, 1};
    for (uint32_t i = 0; i < slots.count; i++)
        berth__class_search_best(classes, slots.first[i], slots.last[i], &best);
    answer->best = best.best;
    answer->best_count = best.best_count;
}

uint32_t berth__search_tree_class_nth_best(const berth__search_tree *tree,
                                           const berth__class_search *classes, uint32_t start,
                                           const berth__tree_answer *answer, uint32_t n)
{
    const berth__tree_ranges slots = berth__tree_ranges_of(tree, start, answer);
    uint32_t slot = BERTH__SLOT_NONE;
    for (uint32_t i = 0; i < slots.count && slot == BERTH__SLOT_NONE; i++)
        slot = berth__class_search_nth(classes, slots.first[i], slots.last[i], answer->best, &n);
    BERTH_ASSERT(slot != BERTH__SLOT_NONE);
    return slot;
}

uint32_t berth__search_tree_nth_best(const berth__search_tree *tree, uint32_t start,
                                     const berth__tree_answer *answer, uint32_t n)
{
    const berth__tree_ranges slots = berth__tree_ranges_of(tree, start, answer);
    uint32_t slot = BERTH__SLOT_NONE;
    for (uint32_t i = 0; i < slots.count && slot == BERTH__SLOT_NONE; i++)
        slot = nth_in_range(tree, slots.first[i], slots.last[i], answer->best, &n);
    BERTH_ASSERT(slot != BERTH__SLOT_NONE);
    return slot;
}

/* ---- heap order ---- */

/* The feasible slots of an answer as a list in search order: a position is a rank, or if all slots
 * of the range are feasible, a distance from its start. Numbering continues after the wrap, so that
 * numbers ascend. */
typedef struct list {
    const berth__search_tree *tree;
    const berth__kernels *kernels;
    const berth__class_search *classes; /* NULL: leaves are totals */
    uint32_t start, end;
    bool dense;         /* all slots are feasible */
    uint32_t all, rank; /* otherwise: feasible slots in the tree, and before `start` */
} list;

static uint32_t wrapped(const list *of, uint32_t slot)
{
    return slot < of->tree->slot_count ? slot : slot - of->tree->slot_count;
}

static uint32_t slot_at(const list *of, uint32_t position)
{
    if (of->dense)
        return of->start + position;
    uint32_t rank = of->rank + position;
    uint32_t slot = slot_of_rank(of->tree, rank < of->all ? rank : rank - of->all);
    return slot < of->start ? slot + of->tree->slot_count : slot;
}

static uint32_t position_of(const list *of, uint32_t slot)
{
    if (of->dense)
        return slot - of->start;
    uint32_t at = wrapped(of, slot);
    return rank_of(of->tree, at) - of->rank + (at < slot ? of->all : 0);
}

/* The first best slot of a range that does not wrap, or BERTH__SLOT_NONE. */
static uint32_t best_within(const list *of, uint32_t first, uint32_t last, int32_t best)
{
    const berth__search_tree *tree = of->tree;
    if (of->classes == NULL)
        return of->kernels->first_leaf(tree->leaves, tree->levels, first, last, best);
    return berth__class_search_nth(of->classes, first, last, best, &(uint32_t){0});
}

/* The first best slot from `first` on, or BERTH__SLOT_NONE. No slot in the list's range is
 * better. */
static uint32_t best_from(const list *of, uint32_t first, int32_t best)
{
    uint32_t count = of->tree->slot_count, found = BERTH__SLOT_NONE;
    if (first < count)
        found = best_within(of, first, of->end < count ? of->end : count, best);
    if (found != BERTH__SLOT_NONE || of->end <= count)
        return found;
    found = best_within(of, first < count ? 0 : first - count, of->end - count, best);
    return found != BERTH__SLOT_NONE ? found + count : found;
}

/* The lanes, from the list's start on, that are feasible and have the best total. */
static uint32_t best_of_lanes(const list *of, uint32_t listed, int32_t best)
{
    int32_t totals[BERTH__FAN];
    if (of->classes == NULL)
        return of->kernels->lanes_from(of->tree->leaves + of->start, best) & listed;
    berth__class_search_lanes(of->classes, of->start, totals);
    return of->kernels->lanes_from(totals, best) & listed;
}

/* Half of all queries concern the first few positions; reading those slots answers all of them
 * together. Returns the slot chosen so far. */
static uint32_t begin_in_lanes(const list *of, int32_t best, berth__heap_order *order)
{
    uint32_t chosen = BERTH__SLOT_NONE, slots = of->end - of->start, from;
    if (of->start + BERTH__FAN > of->tree->slot_count)
        return chosen; /* the slots are not adjacent */
    const int32_t *leaves = of->tree->leaves + of->start;
    uint32_t listed = (uint32_t)berth__low_bits(slots < BERTH__FAN ? slots : BERTH__FAN) &
                      of->kernels->feasible_lanes(leaves);
    uint32_t rest = best_of_lanes(of, listed, best);
    uint32_t count = (uint32_t)__builtin_popcount(listed);
    while (berth__heap_order_open(order) && (from = berth__heap_order_from(order)) < count) {
        rest &= UINT32_MAX << berth__nth_bit(listed, from);
        if (rest == 0) {
            berth__heap_order_pass(order, count);
            break;
        }
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t before = listed & (uint32_t)berth__low_bits(lane);
        if (berth__heap_order_tell(order, (uint32_t)__builtin_popcount(before)))
            chosen = of->start + lane;
    }
    return chosen;
}

static uint32_t best_by_rank(const list *of, uint32_t count, int32_t best)
{
    berth__heap_order order = berth__heap_order_of(count);
    uint32_t chosen = begin_in_lanes(of, best, &order);
    while (berth__heap_order_open(&order)) {
        uint32_t from = berth__heap_order_from(&order);
        uint32_t slot = best_from(of, from > 0 ? slot_at(of, from) : of->start, best);
        if (slot == BERTH__SLOT_NONE)
            berth__heap_order_pass(&order, count);
        else if (berth__heap_order_tell(&order, position_of(of, slot)))
            chosen = slot;
    }
    return chosen != BERTH__SLOT_NONE ? wrapped(of, chosen) : chosen;
}

/* Make the list of an answer's feasible slots. */
static list list_of(const berth__search_tree *tree, const berth__kernels *kernels,
                    const berth__class_search *classes, uint32_t start,
                    const berth__tree_answer *answer)
{
    uint32_t end = answer->next <= start ? answer->next + tree->slot_count : answer->next;
    list out = {.tree = tree, .kernels = kernels, .classes = classes, .start = start, .end = end};
    out.dense = answer->feasible_count == end - start;
    if (!out.dense) {
        out.all = root_of(tree)->feasible[0];
        out.rank = rank_of(tree, start);
    }
    return out;
}

uint32_t berth__search_tree_heap_best(const berth__search_tree *tree, const berth__kernels *kernels,
                                      uint32_t start, const berth__tree_answer *answer)
{
    uint32_t end = answer->next <= start ? answer->next + tree->slot_count : answer->next;
    uint32_t count = answer->feasible_count, slot;
    if (count == end - start) {
        slot = kernels->heap_leaf(tree->leaves, tree->levels, tree->slot_count, start, count,
                                  answer->best);
    } else {
        const list feasible = list_of(tree, kernels, NULL, start, answer);
        slot = best_by_rank(&feasible, count, answer->best);
    }
    BERTH_ASSERT(slot != BERTH__SLOT_NONE);
    return slot;
}

uint32_t berth__search_tree_class_heap_best(const berth__search_tree *tree,
                                            const berth__kernels *kernels,
                                            const berth__class_search *classes, uint32_t start,
                                            const berth__tree_answer *answer)
{
    const list feasible = list_of(tree, kernels, classes, start, answer);
    uint32_t slot = best_by_rank(&feasible, answer->feasible_count, answer->best);
    BERTH_ASSERT(slot != BERTH__SLOT_NONE);
    return slot;
}
