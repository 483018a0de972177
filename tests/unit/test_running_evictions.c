/* The list of evictions that preemptors wait for, while it grows: entries are found by victim, and
 * all its memory is freed, each piece with its size. */
#include "counted_memory.h"
#include "queue/running_evictions.h"

enum { VICTIMS = 100 };

static void test_entries_outlast_growth(void **state)
{
    (void)state;
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__running_evictions running = {0};
    static berth__queue_item preemptors[VICTIMS];
    for (uint32_t i = 0; i < VICTIMS; i++) {
        preemptors[i].preemption = i;
        assert_true(berth__running_evictions_reserve(&running, &allocator, 1));
        berth__running_evictions_add(&running, i + 1, &preemptors[i], i % 2 == 0);
    }
    assert_int_equal(running.count, VICTIMS);
    assert_int_equal(running.requested, VICTIMS / 2);
    for (uint32_t i = 0; i < VICTIMS; i++) {
        const berth__running_eviction *found = berth__running_evictions_find(&running, i + 1, NULL);
        assert_non_null(found);
        assert_ptr_equal(found->preemptor, &preemptors[i]);
        assert_int_equal(found->preemption, i);
        assert_null(berth__running_evictions_find(&running, i + 1, found));
    }
    berth__running_evictions_destroy(&running, &allocator);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_outlast_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
