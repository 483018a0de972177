/* Numbers of options: digits alone, and the bounds are allowed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/options.h"

static const struct {
    const char *text;
    uint64_t min, max;
    bool fits;
    uint64_t value;
} numbers[] = {
    {"1", 1, 5, true, 1},
    {"5", 1, 5, true, 5},
    {"005", 1, 5, true, 5},
    {"0", 1, 5, false, 0},
    {"6", 1, 5, false, 0},
    {"18446744073709551615", 0, UINT64_MAX, true, UINT64_MAX},
    {"18446744073709551616", 0, UINT64_MAX, false, 0},
    {"", 0, 5, false, 0},
    {"+1", 0, 5, false, 0},
    {"-1", 0, UINT64_MAX, false, 0},
    {" 1", 0, 5, false, 0},
    {"1x", 0, 5, false, 0},
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        uint64_t value = 0;
        if (options_number(numbers[i].text, numbers[i].min, numbers[i].max, &value) !=
            numbers[i].fits)
            fail_msg("\"%s\" is %s", numbers[i].text, numbers[i].fits ? "refused" : "taken");
        assert_true(value == numbers[i].value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
