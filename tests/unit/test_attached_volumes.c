/* The table of attached volumes counts as a plain list does, while nodes come and go, and grows
 * when there is memory for it. Runs with another seed each time; BERTH_TEST_SEED replays a
 * failure. */
#include <stdlib.h>
#include <time.h>

#include "base/random.h"
#include "columns/attached_volumes.h"
#include "scarce_memory.h"

enum { VOLUMES = 300, STEPS = 20000 };

/* Attachments of a few drivers, some of which differ only in their upper half. */
static berth__attachment attachment_of(uint32_t volume)
{
    return (berth__attachment)(1 + volume % 3) << 32 | (1 + volume / 3);
}

static void check(const berth__attached_volumes *table, const uint32_t *nodes, uint64_t seed)
{
    uint32_t used = 0;
    for (uint32_t v = 0; v < VOLUMES; v++) {
        const uint32_t found = berth__attached_volumes_nodes(table, attachment_of(v));
        if (found != nodes[v])
            fail_msg("volume %u is on %u nodes, not on %u; BERTH_TEST_SEED=%llu", (unsigned)v,
                     (unsigned)nodes[v], (unsigned)found, (unsigned long long)seed);
        used += nodes[v] > 0;
    }
    assert_int_equal(table->count, used);
}

static void test_counts(void **state)
{
    (void)state;
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    const berth_allocator *allocator = berth__allocator_default();
    berth__random source = {seed};
    berth__attached_volumes table = {0};
    uint32_t nodes[VOLUMES] = {0};
    check(&table, nodes, seed);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t v = berth__random_below(&source, VOLUMES);
        /* Many volumes at first, few later. */
        const bool more = berth__random_below(&source, STEPS) > step;
        if (more) {
            assert_true(berth__attached_volumes_reserve(&table, allocator, 1));
            berth__attached_volumes_add(&table, attachment_of(v));
            nodes[v]++;
        } else if (nodes[v] > 0) {
            berth__attached_volumes_remove(&table, attachment_of(v));
            nodes[v]--;
        }
        if (step % 100 == 0)
            check(&table, nodes, seed);
    }
    check(&table, nodes, seed);
    berth__attached_volumes_destroy(&table, allocator);
}

/* Up to three quarters of the places are used; then the table grows, or stays as it is. */
static void test_room(void **state)
{
    (void)state;
    scarce memory = {.left = 1};
    const berth_allocator allocator = {&memory, scarce_allocate, scarce_release};
    berth__attached_volumes table = {0};
    assert_true(berth__attached_volumes_reserve(&table, &allocator, 12));
    assert_int_equal(table.capacity, 16);
    for (uint32_t v = 0; v < 12; v++)
        berth__attached_volumes_add(&table, attachment_of(v));
    assert_true(berth__attached_volumes_reserve(&table, &allocator, 0));
    assert_false(berth__attached_volumes_reserve(&table, &allocator, 1));
    assert_int_equal(table.capacity, 16);
    memory.left = 1;
    assert_true(berth__attached_volumes_reserve(&table, &allocator, 1));
    assert_int_equal(table.capacity, 32);
    memory.left = 1;
    assert_true(berth__attached_volumes_reserve(&table, &allocator, 1000)); /* at once */
    assert_int_equal(table.capacity, 2048);
    for (uint32_t v = 0; v < 12; v++)
        assert_int_equal(berth__attached_volumes_nodes(&table, attachment_of(v)), 1);
    assert_int_equal(berth__attached_volumes_nodes(&table, attachment_of(12)), 0);
    berth__attached_volumes_destroy(&table, &allocator);
    assert_int_equal(memory.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
