/* Exponential times: their mean and quantiles, and that they are the same on every machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "traces/random_times.h"

static void test_same_everywhere(void **state)
{
    (void)state;
    workload_random random = {12345};
    static const int64_t mean_ns = INT64_C(3600000000000);
    static const int64_t expected_ms[] = {7260506, 5708304, 7646697, 6251767,
                                          2446130, 3915251, 7554248, 3026101};
    for (size_t i = 0; i < sizeof(expected_ms) / sizeof(expected_ms[0]); i++)
        assert_int_equal(random_exponential_ns(&random, mean_ns) / 1000000, expected_ms[i]);
}

static void test_distribution(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    static const double mean_ns = 1e12;
    workload_random random = {1};
    double sum = 0.0;
    uint32_t below_median = 0;
    uint32_t beyond_triple = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        int64_t time_ns = random_exponential_ns(&random, (int64_t)mean_ns);
        assert_true(time_ns >= 0 && time_ns % 1000000 == 0);
        sum += (double)time_ns;
        below_median += (double)time_ns < mean_ns * log(2.0);
        beyond_triple += (double)time_ns > mean_ns * 3.0;
    }
    assert_true(fabs(sum / DRAWS / mean_ns - 1.0) < 0.01);
    assert_true(fabs((double)below_median / DRAWS - 0.5) < 0.005);
    assert_true(fabs((double)beyond_triple / DRAWS - exp(-3.0)) < 0.002);
}

/* With the C library's logarithm, a draw is the same to the millisecond. */
static void test_against_log(void **state)
{
    (void)state;
    workload_random random = {99};
    for (uint32_t i = 0; i < 10000; i++) {
        workload_random copy = random;
        double part = ((double)(workload_random_next(&copy) | 1) + 0.0) / 18446744073709551616.0;
        double expected_ms = -log(part) * 1e7;
        double found_ms = (double)random_exponential_ns(&random, INT64_C(10000000000000)) / 1e6;
        assert_true(fabs(found_ms - expected_ms) <= 1.001);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_distribution),
        cmocka_unit_test(test_against_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
