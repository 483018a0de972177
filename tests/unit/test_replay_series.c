/* Rows of a series: even spacing, thinning out, and resources that appear late. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "replay/replay_series.h"

static const int64_t second_ns = INT64_C(1000000000);

static void add_rows(replay_series *series, int64_t end_ns)
{
    berth_error error;
    while (series->next_ns < end_ns) {
        const series_counts counts = {.nodes = (uint64_t)(series->next_ns / 1000000)};
        const series_cell cell = {.requested = series->next_ns, .allocatable = end_ns};
        assert_int_equal(replay_series_add(series, &counts, &cell, 1, &error), BERTH_OK);
    }
}

static void test_automatic(void **state)
{
    (void)state;
    static const int64_t spans_s[] = {1, 60, 3600, 86400 * 400};
    for (size_t i = 0; i < 4; i++) {
        replay_series series;
        int64_t origin_ns = 5 * second_ns;
        int64_t end_ns = origin_ns + spans_s[i] * second_ns;
        replay_series_init(&series, origin_ns, 0);
        add_rows(&series, end_ns);
        assert_in_range(series.row_count, SERIES_AUTO_ROWS / 2 - 24, SERIES_AUTO_ROWS);
        for (size_t row = 0; row < series.row_count; row++) {
            assert_int_equal(series.times_ns[row], origin_ns + (int64_t)row * series.interval_ns);
            assert_int_equal(series.counts[row].nodes, series.times_ns[row] / 1000000);
            assert_int_equal(series.cells[row].requested, series.times_ns[row]);
        }
        replay_series_free(&series);
    }
}

static void test_fixed_and_closed(void **state)
{
    (void)state;
    replay_series series;
    const series_counts counts = {.nodes = 1};
    const series_cell cell = {.fragmentation = 1.0};
    replay_series_init(&series, 0, second_ns);
    add_rows(&series, 3000 * second_ns);
    assert_int_equal(series.row_count, 3000);
    replay_series_close(&series, 2999 * second_ns, &counts, &cell, 1);
    assert_int_equal(series.row_count, 3000);
    replay_series_close(&series, 2999 * second_ns + 1, &counts, &cell, 1);
    assert_int_equal(series.row_count, 3001);
    assert_true(replay_series_mean_fragmentation(&series, 0) > 0.0006);
    replay_series_free(&series);
}

static void test_widening(void **state)
{
    (void)state;
    replay_series series;
    berth_error error;
    const series_counts counts = {.nodes = 1};
    const series_cell cells[3] = {{.requested = 1}, {.requested = 2}, {.requested = 3}};
    replay_series_init(&series, 0, second_ns);
    for (uint32_t width = 1; width <= 3; width++)
        for (int i = 0; i < 20; i++)
            assert_int_equal(replay_series_add(&series, &counts, cells, width, &error), BERTH_OK);
    for (size_t row = 0; row < 60; row++)
        for (size_t r = 0; r < 3; r++)
            assert_int_equal(series.cells[row * 3 + r].requested,
                             r <= row / 20 ? (int64_t)r + 1 : 0);
    replay_series_free(&series);
}

static void test_seconds(void **state)
{
    (void)state;
    char out[32];
    replay_format_seconds(0, out);
    assert_string_equal(out, "0");
    replay_format_seconds(12 * second_ns + 340000000, out);
    assert_string_equal(out, "12.34");
    replay_format_seconds(second_ns * 100 + 1, out);
    assert_string_equal(out, "100.000000001");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_automatic),
        cmocka_unit_test(test_fixed_and_closed),
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
