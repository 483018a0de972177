/* The stopwatch: it measures the time between its start and its stop, in ticks and in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/stopwatch.h"

static void is_about(double found, double wanted)
{
    assert_true(found > wanted * 0.999 && found < wanted * 1.001);
}

static void test_ticks_become_time(void **state)
{
    (void)state;
    stopwatch watch;
    const uint64_t before = stopwatch_clock_ns();
    stopwatch_start(&watch);
    const uint64_t from = stopwatch_clock_ns();
    while (stopwatch_clock_ns() - from < 2000000)
        continue;
    const uint64_t to = stopwatch_clock_ns();
    stopwatch_stop(&watch);
    const uint64_t after = stopwatch_clock_ns();
    const double seconds = stopwatch_seconds(&watch);
    assert_true(seconds >= (double)(to - from) / 1e9);
    assert_true(seconds <= (double)(after - before) / 1e9);
    is_about(stopwatch_microseconds(&watch, watch.ticks), seconds * 1e6);
    is_about(stopwatch_microseconds(&watch, watch.ticks / 2), seconds * 5e5);
}

/* A clock that has not moved since the start. */
static void test_no_ticks_are_no_time(void **state)
{
    (void)state;
    const stopwatch watch = {.ns = 5};
    assert_true(stopwatch_microseconds(&watch, 1) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_become_time),
        cmocka_unit_test(test_no_ticks_are_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
