/* Numbers of options: digits alone, and the bounds are allowed; and who looks at the tables. */
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

static size_t groups_seen;
static option_part last_part;

static void see(const command_help *help, const option_group *groups, size_t group_count)
{
    (void)help;
    groups_seen = group_count;
    last_part = groups[group_count - 1].part;
}

/* Who looks at a command's tables sees its own groups and, after them, the common one. */
static void test_visit_sees_every_group(void **state)
{
    static bool flag;
    static const option own[] = {{.name = "own", .kind = OPTION_FLAG, .target = &flag}};
    static const option more[] = {{.name = "more", .kind = OPTION_FLAG, .target = &flag}};
    const option_group groups[] = {OPTION_GROUP(own), OPTION_GROUP(more)};
    const command_help help = {.name = "c"};
    (void)state;
    options_visit(see);
    assert_int_equal(options_parse(&help, groups, 2, NULL, 0, NULL), OPTIONS_HELP);
    options_visit(NULL);
    assert_int_equal(groups_seen, 3);
    assert_int_equal(last_part, OPTIONS_COMMON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_visit_sees_every_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
