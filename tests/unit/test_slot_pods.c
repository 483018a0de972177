/* columns/slot_pods.h against a plain array: while listed, as counters by tile, after nodes have
 * moved, and with memory that ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "columns/slot_pods.h"
#include "counted_memory.h"
#include "model/node.h"

enum { TILES = 4, SLOTS = TILES * BERTH__TILE, ROUNDS = 40, STEPS = 200 };

typedef struct world {
    counted memory;
    berth_allocator allocator;
    berth__slot_pods pods;
    uint32_t tile_count;
    uint32_t wanted[SLOTS];
    berth__random random;
} world;

static void set_up(world *w, uint64_t seed)
{
    *w = (world){.tile_count = 1 + (uint32_t)seed % TILES, .random = {seed}};
    w->allocator = (berth_allocator){&w->memory, counted_allocate, counted_release};
}

static void tear_down(world *w)
{
    berth__slot_pods_free(&w->pods, &w->allocator);
    assert_int_equal(w->memory.bytes, 0);
    for (uint32_t tile = 0; tile < w->tile_count; tile++)
        assert_true(berth__slot_pods_spare(&w->pods, tile));
}

static void count_into(void *context, uint32_t slot, uint32_t count)
{
    uint32_t *seen = context;
    assert_true(count > 0);
    assert_int_equal(seen[slot], 0);
    seen[slot] = count;
}

static void check(const world *w)
{
    uint32_t scratch[BERTH__TILE], seen[SLOTS] = {0};
    for (uint32_t tile = 0; tile < w->tile_count; tile++) {
        const uint32_t *wanted = w->wanted + tile * BERTH__TILE;
        memset(scratch, 0xff, sizeof(scratch));
        assert_memory_equal(berth__slot_pods_tile(&w->pods, tile, scratch), wanted,
                            sizeof(scratch));
        bool any = false;
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            assert_int_equal(berth__slot_pods_at(&w->pods, tile * BERTH__TILE + s), wanted[s]);
            any |= wanted[s] > 0;
        }
        if (berth__slot_pods_spare(&w->pods, tile))
            assert_false(any);
        else if (w->pods.tiles == NULL)
            assert_true(any);
    }
    berth__slot_pods_each(&w->pods, count_into, seen);
    assert_memory_equal(seen, w->wanted, sizeof(seen));
}

static uint32_t below(world *w, uint32_t bound)
{
    return berth__random_below(&w->random, bound);
}

/* A pod comes to a slot, or one that is there leaves. False when out of memory. */
static bool change(world *w, uint32_t slot)
{
    uint32_t *counter = berth__slot_pods_counter(&w->pods, &w->allocator, w->tile_count, slot);
    if (counter == NULL)
        return false;
    assert_int_equal(*counter, w->wanted[slot]);
    const uint32_t by = w->wanted[slot] > 0 && below(w, 2) == 0 ? UINT32_MAX : 1;
    *counter += by;
    w->wanted[slot] += by;
    return true;
}

/* Move the nodes behind the first `staying`, of which some leave, to a layout of so many tiles. */
static bool move(world *w, uint32_t staying, uint32_t tile_count)
{
    uint32_t slots[SLOTS], after[SLOTS] = {0}, next = staying;
    const uint32_t slot_count = w->tile_count * BERTH__TILE;
    uint64_t left = 0, lost = UINT64_MAX;
    for (uint32_t slot = 0; slot < slot_count; slot++) {
        const bool leaves = slot >= staying && (below(w, 3) == 0 || next >= SLOTS);
        slots[slot] = slot < staying ? slot : leaves ? BERTH__SLOT_NONE : next++;
        if (slots[slot] >= tile_count * BERTH__TILE)
            slots[slot] = BERTH__SLOT_NONE;
        if (slots[slot] == BERTH__SLOT_NONE)
            left += w->wanted[slot];
        else
            after[slots[slot]] = w->wanted[slot];
    }
    memset(slots, 0xff, staying * sizeof(*slots)); /* nobody looks at these */
    const berth__slot_moves by = {slots, slot_count, staying, tile_count};
    if (!berth__slot_pods_move(&w->pods, &w->allocator, berth__kernels_best(), &by, &lost))
        return false;
    assert_int_equal(lost, left);
    memcpy(w->wanted, after, sizeof(after));
    w->tile_count = tile_count;
    return true;
}

static uint64_t first_seed(void)
{
    const char *given = getenv("BERTH_TEST_SEED");
    return given != NULL ? strtoull(given, NULL, 10) : 1;
}

static bool take_step(world *w, uint32_t slots)
{
    if (below(w, 20) != 0)
        return change(w, below(w, slots));
    const uint32_t staying = below(w, w->tile_count * BERTH__TILE + 1);
    const uint32_t least = (staying + BERTH__TILE - 1) / BERTH__TILE;
    const uint32_t lowest = least > 0 ? least : 1;
    return move(w, staying, lowest + below(w, TILES - lowest + 1));
}

/* `fail_at`: the allocation that fails, 0: none. Returns whether one failed. */
static bool play(uint64_t seed, unsigned fail_at)
{
    static world w;
    bool ok = true;
    set_up(&w, seed);
    w.memory.fail_at = fail_at;
    /* Few slots, so that some worlds stay lists; or many. */
    const uint32_t few = 1 + below(&w, 2 * BERTH__SLOTS_LISTED);
    for (uint32_t i = 0; i < STEPS && ok; i++) {
        const uint32_t all = w.tile_count * BERTH__TILE;
        ok = take_step(&w, seed % 2 == 0 ? all : few);
        if (ok)
            check(&w);
    }
    tear_down(&w);
    return !ok;
}

static void test_random_changes(void **state)
{
    (void)state;
    const uint64_t first = first_seed();
    printf("BERTH_TEST_SEED=%llu\n", (unsigned long long)first);
    for (uint64_t seed = first; seed < first + ROUNDS; seed++)
        assert_false(play(seed, 0));
}

static void test_memory_ends(void **state)
{
    (void)state;
    for (uint64_t seed = first_seed(), end = seed + 6; seed < end; seed++)
        for (unsigned fail_at = 1; play(seed, fail_at); fail_at++)
            assert_true(fail_at < 10000);
}

/* So many slots are listed; another one turns the list into counters, unless a listed slot has no
 * pods any more. */
static void test_length_of_list(void **state)
{
    (void)state;
    static world w;
    set_up(&w, TILES - 1);
    for (uint32_t i = 0; i < BERTH__SLOTS_LISTED; i++)
        *berth__slot_pods_counter(&w.pods, &w.allocator, w.tile_count, i * 20) = w.wanted[i * 20] =
            i + 1;
    assert_int_equal(w.memory.calls, 0);
    check(&w);
    *berth__slot_pods_counter(&w.pods, &w.allocator, w.tile_count, 20) = w.wanted[20] = 0;
    *berth__slot_pods_counter(&w.pods, &w.allocator, w.tile_count, 3) = w.wanted[3] = 7;
    assert_null(w.pods.tiles);
    check(&w);
    *berth__slot_pods_counter(&w.pods, &w.allocator, w.tile_count, 4) = w.wanted[4] = 1;
    assert_non_null(w.pods.tiles);
    assert_int_equal(w.pods.listed_count, 0);
    check(&w);
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_memory_ends),
        cmocka_unit_test(test_length_of_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
