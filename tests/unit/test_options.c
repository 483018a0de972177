/* Numbers of options, values behind letters, lists of values, and who looks at the tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/options.h"

/* Digits alone are a number, and the bounds are allowed. */
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

/* A number directly behind its letter may have an equals sign; a text has it as its first byte. */
static void test_value_behind_letter(void **state)
{
    uint64_t number = 0;
    const char *text = NULL;
    const option own[] = {
        {.name = "number", .letter = 'n', .kind = OPTION_NUMBER, .target = &number, .max = 99},
        {.name = "text", .letter = 't', .kind = OPTION_TEXT, .target = &text},
    };
    const option_group groups[] = {OPTION_GROUP(own)};
    const command_help help = {.name = "test"};
    text_list operands = {0};
    char *equals[] = {"test", "-n=12", "-t=x"}, *plain[] = {"test", "-n34", "-ty"};
    (void)state;
    assert_int_equal(options_parse(&help, groups, 1, &operands, 3, equals), OPTIONS_RUN);
    assert_int_equal(number, 12);
    assert_string_equal(text, "=x");
    assert_int_equal(options_parse(&help, groups, 1, &operands, 3, plain), OPTIONS_RUN);
    assert_int_equal(number, 34);
    assert_string_equal(text, "y");
    text_list_free(&operands);
}

/* Of an option that was repeated, all values are listed. */
static void test_list_of_values(void **state)
{
    text_list texts = {0};
    const option own[] = {{.name = "text", .kind = OPTION_TEXTS, .target = &texts}};
    const option_group groups[] = {OPTION_GROUP(own)};
    (void)state;
    char *values = options_values(groups, 1);
    assert_string_equal(values, "text=\n");
    free(values);
    text_list_add(&texts, "a");
    text_list_add(&texts, "b");
    values = options_values(groups, 1);
    assert_string_equal(values, "text=a,b\n");
    free(values);
    text_list_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_visit_sees_every_group),
        cmocka_unit_test(test_value_behind_letter),
        cmocka_unit_test(test_list_of_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
