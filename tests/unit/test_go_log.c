/* base/go_log.h: known bits, and closeness to the true logarithm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/go_log.h"

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* The C library rounds ln 3 the other way. */
static void test_known_bits(void **state)
{
    (void)state;
    assert_int_equal(bits_of(berth__go_log(3)), UINT64_C(0x3ff193ea7aad030a));
    assert_int_equal(bits_of(berth__go_log(1)), 0);
    assert_int_equal(bits_of(berth__go_log(2)), bits_of(M_LN2));
    assert_int_equal(bits_of(berth__go_log(4)), bits_of(2 * M_LN2));
    assert_int_equal(bits_of(berth__go_log(0.5)), bits_of(-M_LN2));
}

static void test_within_one_unit(void **state)
{
    (void)state;
    uint32_t differing = 0;
    for (uint32_t i = 2; i <= 200002; i++) {
        double value = berth__go_log((double)i);
        long double error = (long double)value - logl((long double)i);
        double unit = nextafter(value, INFINITY) - value;
        assert_true(fabsl(error) < unit);
        differing += value != (double)logl((long double)i);
    }
    /* About one result in a hundred is not the nearest double; if all were, this would be a
     * different algorithm. */
    assert_in_range(differing, 1000, 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_bits),
        cmocka_unit_test(test_within_one_unit),
    };
    return cmocka_run_group_tests_name("go_log", tests, NULL, NULL);
}
