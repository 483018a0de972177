/* The heap of events: ordered by time, then rank, then arrival; compared with sorting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "replay/event_heap.h"

enum { STEPS = 20000 };

static int by_order(const void *a, const void *b)
{
    const heap_event *left = a;
    const heap_event *right = b;
    if (left->time_ns != right->time_ns)
        return left->time_ns < right->time_ns ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

static void test_ties(void **state)
{
    (void)state;
    event_heap heap = {0};
    assert_null(event_heap_first(&heap));
    event_heap_push(&heap, 5, 2, 10, 0);
    event_heap_push(&heap, 5, 1, 11, 0);
    event_heap_push(&heap, 5, 2, 12, 0);
    event_heap_push(&heap, 4, 3, 13, 7);
    event_heap_push(&heap, INT64_MAX, 0, 14, 0);
    static const uint32_t expected[] = {13, 11, 10, 12, 14};
    for (size_t i = 0; i < 5; i++) {
        const heap_event first = *event_heap_first(&heap);
        const heap_event event = event_heap_pop(&heap);
        assert_int_equal(event.subject, first.subject);
        assert_int_equal(event.subject, expected[i]);
    }
    assert_null(event_heap_first(&heap));
    event_heap_free(&heap);
}

/* A sorted copy of the contents of the heap is kept beside it. */
static void test_against_sorting(void **state)
{
    (void)state;
    event_heap heap = {0};
    heap_event *sorted = calloc(STEPS, sizeof(*sorted));
    assert_non_null(sorted);
    size_t count = 0;
    uint64_t number = 0;
    berth__random random = {.state = 42};
    for (uint32_t step = 0; step < STEPS; step++) {
        if (count > 0 && berth__random_below(&random, 5) < 2) {
            const heap_event event = event_heap_pop(&heap);
            assert_int_equal(event.order, sorted[0].order);
            assert_int_equal(event.subject, sorted[0].subject);
            assert_int_equal(event.stamp, sorted[0].stamp);
            memmove(sorted, sorted + 1, --count * sizeof(*sorted));
            continue;
        }
        uint8_t rank = (uint8_t)berth__random_below(&random, 3);
        int64_t time_ns = (int64_t)berth__random_below(&random, 50);
        event_heap_push(&heap, time_ns, rank, step, step + 1);
        sorted[count++] = (heap_event){time_ns, (uint64_t)rank << 56 | number++, step, step + 1};
        qsort(sorted, count, sizeof(*sorted), by_order);
        assert_int_equal(heap.count, count);
        assert_int_equal(heap_event_rank(event_heap_first(&heap)), sorted[0].order >> 56);
    }
    event_heap_free(&heap);
    free(sorted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_against_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
