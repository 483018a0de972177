/* The latency histogram of the tools: bucket bounds and percentiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/histogram.c"

static void test_buckets_follow_one_another(void **state)
{
    (void)state;
    uint32_t last = 0;
    for (uint64_t value = 0; value < 100000; value++) {
        uint32_t bucket = histogram_bucket(value);
        assert_true(bucket == last || bucket == last + 1);
        last = bucket;
    }
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void test_middle_is_close_to_each_value(void **state)
{
    (void)state;
    for (uint32_t shift = 0; shift < 64; shift++) {
        for (uint64_t step = 0; step < 64; step++) {
            uint64_t value = (UINT64_C(1) << shift) + step * ((UINT64_C(1) << shift) / 64);
            uint64_t found = middle(histogram_bucket(value));
            uint64_t error = found > value ? found - value : value - found;
            assert_true(error <= value / 64);
        }
    }
}

static void test_percentiles(void **state)
{
    (void)state;
    histogram *h = calloc(1, sizeof(*h));
    assert_non_null(h);
    assert_int_equal(histogram_percentile(h, 0.5), 0);
    for (uint64_t value = 1; value <= 100; value++)
        histogram_add(h, value);
    assert_int_equal(histogram_percentile(h, 0.0), 1);
    assert_int_equal(histogram_percentile(h, 0.5), 51);
    assert_int_equal(histogram_percentile(h, 0.99), 100);
    assert_int_equal(histogram_percentile(h, 1.0), 100);
    histogram_add(h, 1000000);
    assert_int_equal(histogram_percentile(h, 1.0), 1000000);
    free(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets_follow_one_another),
        cmocka_unit_test(test_middle_is_close_to_each_value),
        cmocka_unit_test(test_percentiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
