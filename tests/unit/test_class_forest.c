/* Searches by class, with a class forest that follows changes of leaves and without one, against a
 * plain look at each slot. Runs with another seed each time; BERTH_TEST_SEED replays a failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/random.h"
#include "columns/layout.h"
#include "index/class_search.h"
#include "real_heap.h"

enum {
    SLOTS_MAX = 9000,
    TILES_MAX = SLOTS_MAX / BERTH__TILE + 1,
    GROUPS_MAX = TILES_MAX / BERTH__FOREST_FAN + 1,
    CLASSES_MAX = BERTH__FOREST_LANES_MAX + 31,
    ROUNDS = 150,
    STEPS = 12,
};

static berth__random source;
static uint64_t seed; /* of the current round */

static uint32_t below(uint32_t bound)
{
    return berth__random_below(&source, bound);
}

/* ---- one cluster ---- */

typedef struct cluster {
    berth__search_tree tree;
    berth__tree_scratch scratch;
    berth__score_cells cells;
    berth__class_map map;
    berth__score_classes classes;
    berth__class_forest forest;
    const berth__kernels *kernels;
    bool by_class;     /* the forest's lanes are classes */
    uint32_t distinct; /* totals of leaves */
    uint16_t ids[TILES_MAX * BERTH__TILE];
    berth__mask with[TILES_MAX];
    uint32_t block_of[TILES_MAX];
    uint16_t blocks[TILES_MAX][BERTH__TILE];
    berth__peopled peopled[CLASSES_MAX];
    berth__peopled_slot listed[SLOTS_MAX];
    uint32_t listed_from[GROUPS_MAX + 1];
    uint32_t moved[TILES_MAX * BERTH__MOVES_PER_TILE];
    uint16_t met[CLASSES_MAX];
    int32_t totals[CLASSES_MAX];
} cluster;

static uint32_t class_of(const cluster *c, uint32_t slot)
{
    return berth__score_classes_tile(&c->classes, slot / BERTH__TILE)[slot % BERTH__TILE];
}

static int32_t random_leaf(const cluster *c)
{
    return below(10) == 0 ? BERTH__TREE_INFEASIBLE : (int32_t)below(c->distinct);
}

static void make_cells(cluster *c, uint32_t slots)
{
    memset(c->ids, 0, sizeof(c->ids));
    c->cells.serial++;
    c->cells.count = 1 + below(below(2) == 0 ? 4 : BERTH__FOREST_LANES_MAX);
    c->cells.tile_count = (slots + BERTH__TILE - 1) / BERTH__TILE;
    c->cells.ids = c->ids;
    for (uint32_t slot = 0; slot < slots; slot++)
        c->ids[slot] = (uint16_t)below(c->cells.count);
}

/* List the slots with counted pods, or none of them. */
static void list_peopled(cluster *c)
{
    c->map.listed = c->listed;
    c->map.listed_from = c->listed_from;
    c->map.unlisted = below(3) == 0;
    memset(c->listed_from, 0, sizeof(c->listed_from));
    for (uint32_t tile = 0; tile < c->map.tile_count && !c->map.unlisted; tile++) {
        BERTH__MASK_EACH(&c->with[tile], s)
        {
            const uint16_t id = c->blocks[c->block_of[tile] - 1][s];
            c->listed[c->map.listed_count++] = (berth__peopled_slot){
                tile * BERTH__TILE + s, id, (uint16_t)berth__class_map_cell(&c->map, id)};
        }
        c->listed_from[tile / BERTH__FOREST_FAN + 1] = c->map.listed_count;
    }
}

/* Put counted pods on some slots, in few tiles or in many. */
static void make_map(cluster *c, uint32_t slots)
{
    const uint32_t pods = below(3) == 0 ? below(slots) : below(20);
    memset(c->with, 0, sizeof(c->with));
    memset(c->block_of, 0, sizeof(c->block_of));
    c->map = (berth__class_map){.with = c->with,
                                .block_of = c->block_of,
                                .blocks = c->blocks,
                                .peopled = c->peopled,
                                .moved = c->moved,
                                .serial = 1,
                                .cell_count = c->cells.count,
                                .count = c->cells.count + 1 + below(30),
                                .tile_count = c->cells.tile_count};
    for (uint32_t i = 0; i < c->map.count - c->cells.count; i++)
        c->peopled[i].cell = below(c->cells.count);
    for (uint32_t i = 0; i < pods; i++) {
        const uint32_t slot = below(slots), tile = slot / BERTH__TILE;
        const uint32_t number = below(c->map.count - c->cells.count);
        if (c->peopled[number].cell != c->ids[slot])
            continue;
        if (c->block_of[tile] == 0) {
            memcpy(c->blocks[c->map.block_count], c->ids + (size_t)tile * BERTH__TILE,
                   sizeof(c->blocks[0]));
            c->block_of[tile] = ++c->map.block_count;
        }
        c->blocks[c->block_of[tile] - 1][slot % BERTH__TILE] = (uint16_t)(c->cells.count + number);
        berth__bit_set(c->with[tile].words, slot % BERTH__TILE);
    }
    list_peopled(c);
}

static const berth__class_map *lanes_of(const cluster *c)
{
    return c->by_class ? &c->map : NULL;
}

static void grow(cluster *c)
{
    assert_true(
        berth__class_forest_create(&c->forest, berth__allocator_default(), &c->cells, lanes_of(c)));
    berth__class_forest_build(&c->forest, c->kernels, &c->tree, &c->cells, lanes_of(c));
}

static void make(cluster *c, uint32_t round)
{
    const uint32_t slots = 1 + below(round % 2 == 0 ? 600 : SLOTS_MAX);
    c->kernels = berth__kernels_at(round % 3);
    c->kernels = c->kernels != NULL ? c->kernels : berth__kernels_best();
    c->distinct = 1 + below(3 + below(200));
    assert_true(berth__search_tree_create(&c->tree, berth__allocator_default(), slots));
    for (uint32_t slot = 0; slot < slots; slot++)
        c->tree.leaves[slot] = below(20) == 0 ? BERTH__TREE_NEVER : random_leaf(c);
    berth__search_tree_group(&c->tree, c->kernels);
    make_cells(c, slots);
    make_map(c, slots);
    c->classes.cells = &c->cells;
    c->classes.met = c->met;
    c->classes.totals = c->totals;
    c->classes.map = below(4) == 0 ? NULL : &c->map;
    c->classes.count = c->classes.map != NULL ? c->map.count : c->cells.count;
    c->by_class =
        c->classes.map != NULL && c->map.count <= BERTH__FOREST_LANES_MAX && below(2) == 0;
    grow(c);
}

static void release(cluster *c)
{
    berth__class_forest_destroy(&c->forest, berth__allocator_default());
    berth__search_tree_destroy(&c->tree, berth__allocator_default());
    berth__tree_scratch_destroy(&c->scratch, berth__allocator_default());
}

/* Move slots of tiles with ids of their own to other classes of their cells, more than the map
 * remembers or fewer; a new class may be among them. At times the map forgets. */
static void move_slots(cluster *c)
{
    const uint32_t most = berth__class_moves(c->map.tile_count);
    const uint32_t moves = below(4) == 0 ? 2 * most + 5 : below(most + 1);
    if (below(5) == 0 && c->map.count < BERTH__FOREST_LANES_MAX)
        c->peopled[c->map.count++ - c->cells.count].cell = below(c->cells.count);
    c->classes.count = c->map.count;
    for (uint32_t i = 0; i < moves; i++) {
        const uint32_t slot = below(c->tree.slot_count), tile = slot / BERTH__TILE;
        const uint32_t id = below(c->map.count);
        if (c->block_of[tile] == 0 || berth__class_map_cell(&c->map, id) != c->ids[slot])
            continue;
        c->blocks[c->block_of[tile] - 1][slot % BERTH__TILE] = (uint16_t)id;
        berth__bit_put(c->with[tile].words, slot % BERTH__TILE, id >= c->cells.count);
        c->map.moved[c->map.moves++ % most] = slot;
        c->map.recalled += c->map.recalled < most;
    }
    if (below(10) == 0)
        c->map.recalled = 0;
    const bool remembered = c->map.moves - c->forest.moves <= c->map.recalled;
    const bool room = c->map.count <= c->forest.lanes;
    const bool moved = berth__class_forest_move(&c->forest, &c->tree, &c->cells, &c->map);
    assert_int_equal(moved, remembered && room);
    if (!moved) {
        berth__class_forest_destroy(&c->forest, berth__allocator_default());
        grow(c);
    }
}

static void change(cluster *c)
{
    enum { CHANGES = 200 };
    uint32_t slots[CHANGES], count = below(CHANGES);
    int32_t totals[CHANGES];
    for (uint32_t i = 0; i < count; i++) {
        slots[i] = below(c->tree.slot_count);
        totals[i] = random_leaf(c);
    }
    assert_true(berth__tree_scratch_reserve(&c->scratch, berth__allocator_default(),
                                            c->tree.slot_count, CHANGES));
    berth__search_tree_change(&c->tree, c->kernels, &c->scratch, slots, totals, count);
    berth__class_forest_follow(&c->forest, c->scratch.changes, c->scratch.change_count);
    if (c->by_class)
        move_slots(c);
}

/* ---- questions ---- */

static bool is_asked(const cluster *c, const berth__tree_ranges *ranges, uint32_t slot)
{
    bool in = false;
    for (uint32_t i = 0; i < ranges->count; i++)
        in |= slot >= ranges->first[i] && slot < ranges->last[i];
    return in && c->tree.leaves[slot] >= 0;
}

/* Collect the classes of the slots in question, and give each a random score. */
static void rate(cluster *c, const berth__tree_ranges *ranges)
{
    bool met[CLASSES_MAX] = {false};
    const uint32_t parts = 1 + below(100);
    c->classes.met_count = 0;
    for (uint32_t id = 0; id < c->classes.count; id++)
        c->classes.totals[id] = INT32_MAX / 2; /* classes that do not occur may have any value */
    for (uint32_t slot = 0; slot < c->tree.slot_count; slot++) {
        const uint32_t id = class_of(c, slot);
        if (met[id] || !is_asked(c, ranges, slot))
            continue;
        met[id] = true;
        c->classes.met[c->classes.met_count++] = (uint16_t)id;
        c->classes.totals[id] = (int32_t)below(parts);
    }
}

/* The root of kube-scheduler's heap of the feasible slots in search order. */
static uint32_t first_in_heap(const cluster *c, const berth__tree_ranges *ranges)
{
    static int64_t totals[SLOTS_MAX];
    static uint32_t slots[SLOTS_MAX];
    uint32_t count = 0;
    for (uint32_t r = 0; r < ranges->count; r++)
        for (uint32_t slot = ranges->first[r]; slot < ranges->last[r]; slot++)
            if (c->tree.leaves[slot] >= 0) {
                totals[count] = c->tree.leaves[slot] + c->classes.totals[class_of(c, slot)];
                slots[count++] = slot;
            }
    return slots[heap_root(totals, count)];
}

/* The best slots in search order; returns their number. */
static uint32_t look(const cluster *c, const berth__tree_ranges *ranges, int32_t *best,
                     uint32_t *slots)
{
    uint32_t count = 0;
    *best = BERTH__TREE_INFEASIBLE;
    for (uint32_t r = 0; r < ranges->count; r++)
        for (uint32_t slot = ranges->first[r]; slot < ranges->last[r]; slot++) {
            if (c->tree.leaves[slot] < 0)
                continue;
            const int32_t total = c->tree.leaves[slot] + c->classes.totals[class_of(c, slot)];
            if (total > *best) {
                *best = total;
                count = 0;
            }
            if (total == *best)
                slots[count++] = slot;
        }
    return count;
}

static void expect(const char *what, long wanted, long got)
{
    if (wanted != got)
        fail_msg("%s: expected %ld, found %ld; BERTH_TEST_SEED=%llu", what, wanted, got,
                 (unsigned long long)seed);
}

static void ask(cluster *c, berth__class_forest *forest, uint32_t start,
                const berth__tree_answer *range, const uint32_t *slots, uint32_t count,
                int32_t best, uint32_t heap)
{
    berth__class_search search;
    berth__tree_answer answer = *range;
    berth__class_search_begin(&search, &c->tree, &c->classes, c->kernels, forest);
    berth__search_tree_class_best(&c->tree, &search, start, &answer);
    expect("best", best, answer.best);
    expect("how many", count, answer.best_count);
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t n = i == 0 ? 0 : below(count);
        expect("nth", slots[n],
               berth__search_tree_class_nth_best(&c->tree, &search, start, &answer, n));
    }
    expect("first in heap order", heap,
           berth__search_tree_class_heap_best(&c->tree, c->kernels, &search, start, &answer));
}

static void ask_all(cluster *c)
{
    static uint32_t slots[SLOTS_MAX];
    const uint32_t start = below(2) == 0 ? 0 : below(c->tree.slot_count);
    const uint32_t limit = below(2) == 0 ? c->tree.slot_count : 1 + below(c->tree.slot_count);
    int32_t best;
    berth__tree_answer range;
    berth__search_tree_range(&c->tree, start, limit, &range);
    if (range.feasible_count == 0)
        return;
    const berth__tree_ranges ranges = berth__tree_ranges_of(&c->tree, start, &range);
    rate(c, &ranges);
    const uint32_t count = look(c, &ranges, &best, slots);
    const uint32_t heap = first_in_heap(c, &ranges);
    ask(c, NULL, start, &range, slots, count, best, heap);
    if (c->by_class || c->classes.map == NULL || !c->map.unlisted)
        ask(c, &c->forest, start, &range, slots, count, best, heap);
}

static void test_searches(void **state)
{
    (void)state;
    static cluster c;
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t first = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL) * 1000;
    for (uint32_t round = 0; round < (given != NULL ? 1 : ROUNDS); round++) {
        seed = first + round;
        source = (berth__random){seed};
        make(&c, (uint32_t)seed);
        for (uint32_t step = 0; step < STEPS; step++) {
            ask_all(&c);
            change(&c);
        }
        release(&c);
    }
}

/* Without memory there is no forest, and nothing is lost. */
static void *no_memory(void *context, size_t bytes, size_t align)
{
    (void)context;
    (void)bytes;
    (void)align;
    return NULL;
}

static void test_no_memory(void **state)
{
    (void)state;
    static cluster c;
    berth_allocator none = *berth__allocator_default();
    none.allocate = no_memory;
    make_cells(&c, 300);
    assert_false(berth__class_forest_create(&c.forest, &none, &c.cells, NULL));
    assert_null(c.forest.memory);
    assert_int_equal(c.forest.cells, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searches),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
