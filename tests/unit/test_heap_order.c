/* The tie rule `kubernetes` against real heaps: on plain lists, on lists in masks, and by the
 * queries that search trees answer. BERTH_TEST_SEED replays a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/heap_order.h"
#include "base/random.h"
#include "columns/layout.h"
#include "index/search_tree.h"
#include "real_heap.h"
#include "scan/heap_masks.h"

enum { LIST_MAX = 5000, ROUNDS = 3000 };

static berth__random source;
static uint64_t seed; /* of the current round */

static void begin_round(uint64_t round)
{
    const char *given = getenv("BERTH_TEST_SEED");
    seed = (given != NULL ? strtoull(given, NULL, 0) : 1) + round;
    source = (berth__random){seed};
}

static void expect(const char *what, uint32_t wanted, uint32_t got)
{
    if (wanted != got)
        fail_msg("%s: %u by a heap, %u here; BERTH_TEST_SEED=%llu", what, (unsigned)wanted,
                 (unsigned)got, (unsigned long long)seed);
}

static int64_t best_total(const int64_t *totals, uint32_t count)
{
    int64_t best = totals[0];
    for (uint32_t i = 0; i < count; i++)
        best = totals[i] > best ? totals[i] : best;
    return best;
}

/* ---- plain lists ---- */

/* `eager` queries look only at the requested range. */
static uint32_t by_questions(const int64_t *totals, uint32_t count, bool eager, uint32_t *asked)
{
    int64_t best = best_total(totals, count);
    berth__heap_order order = berth__heap_order_of(count);
    uint32_t chosen = UINT32_MAX;
    *asked = 0;
    while (berth__heap_order_open(&order)) {
        uint32_t end = eager ? berth__heap_order_end(&order) : count;
        uint32_t at = berth__heap_order_from(&order);
        ++*asked;
        while (at < end && totals[at] != best)
            at++;
        if (at == end)
            berth__heap_order_pass(&order, at);
        else if (berth__heap_order_tell(&order, at))
            chosen = at;
    }
    return chosen;
}

/* The list in masks with holes of any size. */
typedef struct in_masks {
    berth__mask masks[LIST_MAX], best[LIST_MAX];
    uint32_t count, position_of_first[LIST_MAX];
} in_masks;

static berth__mask best_of(const void *context, uint32_t mask)
{
    return ((const in_masks *)context)->best[mask];
}

static uint32_t by_masks(const int64_t *totals, uint32_t count)
{
    static in_masks all;
    int64_t best = best_total(totals, count);
    uint32_t fill = 1 + berth__random_below(&source, 10), at = 0;
    for (all.count = 0; at < count; all.count++) {
        berth__mask *mask = &all.masks[all.count], *bests = &all.best[all.count];
        *mask = *bests = (berth__mask){{0}};
        all.position_of_first[all.count] = at;
        bool empty = all.count < LIST_MAX / 2 && berth__random_below(&source, 10) == 0;
        bool last = all.count == LIST_MAX - 1;
        for (uint32_t s = 0; s < BERTH__TILE && at < count && !empty; s++) {
            if (fill < 10 && berth__random_below(&source, 10) >= fill)
                continue;
            berth__bit_set(mask->words, s);
            berth__bit_put(bests->words, s, totals[at++] == best);
        }
        assert_true(!last || at == count);
    }
    const berth__heap_masks list = {all.masks, all.count, count, best_of, &all};
    const berth__heap_place place = berth__heap_first(&list);
    assert_true(place.mask < all.count);
    const berth__mask before = berth__mask_range(0, place.bit);
    uint32_t position = all.position_of_first[place.mask];
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        position +=
            (uint32_t)__builtin_popcountll(all.masks[place.mask].words[w] & before.words[w]);
    return position;
}

static void check_list(const int64_t *totals, uint32_t count)
{
    uint32_t wanted = heap_root(totals, count), asked, levels = 0;
    while (count >> levels != 0)
        levels++;
    expect("by questions", wanted, by_questions(totals, count, false, &asked));
    assert_in_range(asked, 1, levels);
    expect("by eager questions", wanted, by_questions(totals, count, true, &asked));
    assert_in_range(asked, 1, levels);
    expect("by masks", wanted, by_masks(totals, count));
}

static void test_vectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t count, wanted;
        int64_t totals[7];
    } vectors[] = {
        {1, 0, {4}},
        {3, 0, {5, 5, 5}},
        {5, 3, {1, 2, 3, 3, 3}},
        {4, 1, {1, 3, 3, 3}},
        {7, 3, {2, 1, 3, 3, 1, 1, 1}},
        {5, 4, {1, 1, 9, 1, 9}},
    };
    begin_round(0);
    for (uint32_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
        assert_int_equal(heap_root(vectors[i].totals, vectors[i].count), vectors[i].wanted);
        check_list(vectors[i].totals, vectors[i].count);
    }
}

/* Checks the whole order of fifteen positions: each position found is then made worse. */
static void test_order_of_fifteen(void **state)
{
    (void)state;
    static const uint32_t order[15] = {0, 1, 3, 7, 8, 4, 9, 10, 2, 5, 11, 12, 6, 13, 14};
    int64_t totals[15] = {0};
    begin_round(0);
    for (uint32_t i = 0; i < 15; i++) {
        uint32_t asked;
        assert_int_equal(by_questions(totals, 15, false, &asked), order[i]);
        check_list(totals, 15);
        totals[order[i]] = -1;
    }
}

static void test_lists(void **state)
{
    (void)state;
    static int64_t totals[LIST_MAX];
    for (uint32_t round = 0; round < ROUNDS; round++) {
        begin_round(round);
        uint32_t most = round % 3 == 0 ? LIST_MAX : round % 3 == 1 ? 40 : 600;
        uint32_t count = 1 + berth__random_below(&source, most);
        uint32_t distinct = 1 + berth__random_below(&source, round % 2 == 0 ? 4 : 100);
        for (uint32_t i = 0; i < count; i++)
            totals[i] = berth__random_below(&source, distinct);
        /* Only a few slots have the best total, and none of them is before a random position. */
        uint32_t bare = berth__random_below(&source, count);
        for (uint32_t i = 0; i < bare && round % 5 == 0; i++)
            totals[i] = -1;
        check_list(totals, count);
    }
}

/* ---- trees ---- */

enum { SLOTS_MAX = LIST_MAX };

typedef struct forest {
    berth__search_tree tree;
    berth__mask passing[SLOTS_MAX / BERTH__TILE + 1], visited[SLOTS_MAX / BERTH__TILE + 2];
    int32_t tops[SLOTS_MAX / BERTH__TILE + 2];
    /* Two sets whose common slots are those that pass, ready in some tiles. */
    berth__mask sets[2][SLOTS_MAX / BERTH__TILE + 1];
    uint8_t ready[2][SLOTS_MAX / BERTH__TILE + 1];
    uint64_t busy[SLOTS_MAX / BERTH__TILE / 64 + 1];
} forest;

/* Split the slots that pass into two sets. A tile whose sets have too many slots is marked busy;
 * where a set is not ready, it is empty. */
static void make_sets(forest *f)
{
    memset(f->busy, 0, sizeof(f->busy));
    for (uint32_t tile = 0; tile <= SLOTS_MAX / BERTH__TILE; tile++) {
        const uint64_t more = berth__random_below(&source, 4) == 0 ? UINT64_MAX : 0;
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
            const uint64_t split = UINT64_C(0x0123456789abcdef) * berth__random_below(&source, 99);
            f->sets[0][tile].words[w] = f->passing[tile].words[w] | split | more;
            f->sets[1][tile].words[w] = f->passing[tile].words[w] | ~split | more;
        }
        if (more != 0)
            berth__bit_set(f->busy, tile);
        for (uint32_t i = 0; i < 2; i++) {
            f->ready[i][tile] = berth__random_below(&source, 3) != 0;
            if (!f->ready[i][tile])
                f->sets[i][tile] = (berth__mask){{0}};
        }
    }
}

static void keep_passing(void *context, uint32_t tile, berth__mask *slots)
{
    const forest *f = context;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= f->passing[tile].words[w];
}

static void fill_tree(forest *f, uint32_t slots, const berth__kernels *kernels)
{
    uint32_t distinct = 1 + berth__random_below(&source, 3 + berth__random_below(&source, 60));
    uint32_t holes = berth__random_below(&source, 3) * berth__random_below(&source, 500);
    assert_true(berth__search_tree_create(&f->tree, berth__allocator_default(), slots));
    for (uint32_t slot = 0; slot < slots; slot++) {
        int32_t none =
            berth__random_below(&source, 2) == 0 ? BERTH__TREE_NEVER : BERTH__TREE_INFEASIBLE;
        f->tree.leaves[slot] = berth__random_below(&source, 1000) < holes
                                   ? none
                                   : (int32_t)berth__random_below(&source, distinct);
    }
    berth__search_tree_group(&f->tree, kernels);
    uint32_t gates = berth__random_below(&source, 1000);
    memset(f->passing, 0, sizeof(f->passing));
    for (uint32_t slot = 0; slot < slots; slot++)
        if (berth__random_below(&source, 1000) >= gates)
            berth__bit_set(f->passing[slot / BERTH__TILE].words, slot % BERTH__TILE);
}

/* The slot that the heap of the first `limit` feasible slots returns, or BERTH__SLOT_NONE. */
static uint32_t heap_slot(const forest *f, bool gated, uint32_t start, uint32_t limit)
{
    static int64_t totals[LIST_MAX];
    static uint32_t slots[LIST_MAX];
    uint32_t count = 0, all = f->tree.slot_count;
    for (uint32_t i = 0; i < all && count < limit; i++) {
        uint32_t slot = (start + i) % all;
        if (f->tree.leaves[slot] < 0 ||
            (gated && !berth__bit_get(f->passing[slot / BERTH__TILE].words, slot % BERTH__TILE)))
            continue;
        totals[count] = f->tree.leaves[slot];
        slots[count++] = slot;
    }
    return count == 0 ? BERTH__SLOT_NONE : slots[heap_root(totals, count)];
}

/* Walk over the slots that pass, given by `keep` alone or by sets, too. */
static void check_walk(forest *f, const berth__kernels *kernels, uint32_t start, uint32_t limit,
                       bool by_sets)
{
    berth__tree_answer answer;
    const uint32_t wanted = heap_slot(f, true, start, limit);
    berth__tree_walk walk = {.tree = &f->tree,
                             .slot_count = f->tree.slot_count,
                             .kernels = kernels,
                             .busy = by_sets ? f->busy : NULL,
                             .set_count = by_sets ? 2 : 0,
                             .keep = keep_passing,
                             .context = f,
                             .visited = f->visited,
                             .tops = f->tops};
    const bool ready = berth__random_below(&source, 2) == 0;
    for (uint32_t i = 0; i < 2; i++) {
        walk.sets[i] = (berth__walk_set){f->sets[i], f->ready[i]};
        for (uint32_t tile = 0; by_sets && ready && tile * BERTH__TILE < f->tree.slot_count; tile++)
            if (!f->ready[i][tile])
                f->sets[i][tile] = f->passing[tile];
        if (by_sets && ready)
            walk.sets[i].ready = NULL;
    }
    berth__search_tree_mask(&f->tree, kernels);
    berth__tree_walk_ask(&walk, start, limit, &answer);
    if (wanted == BERTH__SLOT_NONE) {
        assert_int_equal(answer.feasible_count, 0);
        return;
    }
    const int32_t best = f->tree.leaves[wanted];
    const uint32_t nth = berth__random_below(&source, answer.best_count);
    uint32_t count = 0, equal = 0;
    for (uint32_t i = 0; i < f->tree.slot_count && count < limit; i++) {
        const uint32_t slot = (start + i) % f->tree.slot_count;
        if (f->tree.leaves[slot] < 0 ||
            !berth__bit_get(f->passing[slot / BERTH__TILE].words, slot % BERTH__TILE))
            continue;
        count++;
        if (f->tree.leaves[slot] == best && equal++ == nth)
            expect("n-th by walk", slot, berth__tree_walk_nth_best(&walk, start, &answer, nth));
    }
    assert_int_equal(answer.best, best);
    assert_int_equal(answer.best_count, equal);
    assert_int_equal(answer.feasible_count, count);
    expect("by walk", wanted, berth__tree_walk_heap_best(&walk, start, &answer));
}

static void check_tree(forest *f, const berth__kernels *kernels, uint32_t start, uint32_t limit)
{
    berth__tree_answer answer;
    uint32_t wanted = heap_slot(f, false, start, limit);
    berth__search_tree_ask(&f->tree, start, limit, &answer);
    if (wanted == BERTH__SLOT_NONE)
        assert_int_equal(answer.feasible_count, 0);
    else
        expect("by tree", wanted, berth__search_tree_heap_best(&f->tree, kernels, start, &answer));
    check_walk(f, kernels, start, limit, false);
    check_walk(f, kernels, start, limit, true);
}

/* The masks of a tree's tiles, which walks use, agree with its leaves. */
static void check_tiles(const forest *f)
{
    for (uint32_t slot = 0; slot < f->tree.slot_count; slot++) {
        const berth__tree_tile *own = &f->tree.tiles[slot / BERTH__TILE];
        const int32_t leaf = f->tree.leaves[slot];
        assert_int_equal(berth__bit_get(own->feasible.words, slot % BERTH__TILE), leaf >= 0);
        assert_true(leaf <= own->top || leaf < 0);
        assert_int_equal(berth__bit_get(own->tops.words, slot % BERTH__TILE),
                         leaf >= 0 && leaf == own->top);
    }
}

static void change_leaves(forest *f, berth__tree_scratch *scratch, const berth__kernels *kernels)
{
    enum { CHANGES = 60 };
    uint32_t slots[CHANGES];
    int32_t totals[CHANGES];
    for (uint32_t i = 0; i < CHANGES; i++) {
        slots[i] = berth__random_below(&source, f->tree.slot_count);
        totals[i] = (int32_t)berth__random_below(&source, 40) - 1;
    }
    assert_true(berth__tree_scratch_reserve(scratch, berth__allocator_default(), f->tree.slot_count,
                                            CHANGES));
    berth__search_tree_change(&f->tree, kernels, scratch, slots, totals, CHANGES);
    check_tiles(f);
}

static void test_trees(void **state)
{
    (void)state;
    static forest f;
    berth__tree_scratch scratch = {0};
    for (uint32_t round = 0; round < ROUNDS / 3; round++) {
        begin_round(round);
        const berth__kernels *kernels = berth__kernels_at(round % 3);
        kernels = kernels != NULL ? kernels : berth__kernels_best();
        uint32_t slots = 1 + berth__random_below(&source, round % 2 == 0 ? 300 : SLOTS_MAX);
        fill_tree(&f, slots, kernels);
        make_sets(&f);
        for (uint32_t ask = 0; ask < 10; ask++) {
            uint32_t start = ask == 0 ? 0 : berth__random_below(&source, slots);
            uint32_t limit = ask % 3 == 1 ? slots : 1 + berth__random_below(&source, slots);
            check_tree(&f, kernels, start, limit);
            change_leaves(&f, &scratch, kernels);
        }
        berth__search_tree_destroy(&f.tree, berth__allocator_default());
    }
    berth__tree_scratch_destroy(&scratch, berth__allocator_default());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_order_of_fifteen),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
