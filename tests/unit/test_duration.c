/* Durations: accepted and refused texts, with the results of Go 1.26's time.ParseDuration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/kube.h"

typedef struct duration_case {
    const char *text;
    int64_t ns;
    bool accepted;
} duration_case;

static const duration_case cases[] = {
    {"0", INT64_C(0), true},
    {"+0", INT64_C(0), true},
    {"-0", INT64_C(0), true},
    {"", 0, false},
    {"-", 0, false},
    {"+", 0, false},
    {"1", 0, false},
    {"1s", INT64_C(1000000000), true},
    {"-1s", INT64_C(-1000000000), true},
    {"+5s", INT64_C(5000000000), true},
    {"1h2.5s", INT64_C(3602500000000), true},
    {"1.5h", INT64_C(5400000000000), true},
    {"0.1234567891h", INT64_C(444444440760), true},
    {"0.123456789123456789h", INT64_C(444444440844), true},
    {"1.00000000000000000000000001h", INT64_C(3600000000000), true},
    {"9223372036854775807ns", INT64_C(9223372036854775807), true},
    {"9223372036854775808ns", 0, false},
    {"-9223372036854775808ns", INT64_MIN, true},
    {"-9223372036854775809ns", 0, false},
    {"9223372036s", INT64_C(9223372036000000000), true},
    {"9223372037s", 0, false},
    {"9223372036.854775807s", INT64_C(9223372036854775807), true},
    {"9223372036.854775808s", 0, false},
    {"-9223372036.854775808s", INT64_MIN, true},
    {"1us", INT64_C(1000), true},
    {"1\xc2\xb5"
     "s",
     INT64_C(1000), true},
    {"1\xce\xbc"
     "s",
     INT64_C(1000), true},
    {"1ms", INT64_C(1000000), true},
    {"1m1ms", INT64_C(60001000000), true},
    {"1ns1ns", INT64_C(2), true},
    {"1sx", 0, false},
    {"1 s", 0, false},
    {"s", 0, false},
    {".s", 0, false},
    {"1.s", INT64_C(1000000000), true},
    {".5s", INT64_C(500000000), true},
    {"..5s", 0, false},
    {"1e3s", 0, false},
    {"1S", 0, false},
    {"1.5ns", INT64_C(1), true},
    {"0.9ns", INT64_C(0), true},
    {"-0.9ns", INT64_C(0), true},
    {"00000000000000000000000000001s", INT64_C(1000000000), true},
    {"99999999999999999999s", 0, false},
    {"0.99999999999999999999s", INT64_C(1000000000), true},
    {"1h1", 0, false},
    {"1h-1s", 0, false},
    {"2562047h47m16.854775807s", INT64_C(9223372036854775807), true},
    {"2562047h47m16.854775808s", 0, false},
    {"-2562047h47m16.854775808s", INT64_MIN, true},
    {"4611686018427387904ns4611686018427387903ns", INT64_C(9223372036854775807), true},
    {"4611686018427387904ns4611686018427387904ns", 0, false},
    {"-4611686018427387904ns4611686018427387904ns", INT64_MIN, true},
    {"0.3333333333333333333h", INT64_C(1200000000000), true},
    {"0.100000000000000000000h", INT64_C(360000000000), true},
    {"0.830103483285477580700h", INT64_C(2988372539827), true},
    {"9223372036854775.807us", INT64_C(9223372036854775807), true},
    {"9223372036854775.808us", 0, false},
    {"9223372036854775808ns9223372036854775808ns", 0, true}, /* Go's sum has 64 bits */
    {"-9223372036854775808ns9223372036854775808ns1s", INT64_C(-1000000000), true},
    {"1d", 0, false},
    {"1w", 0, false},
    {"0.0000000000000000000000001h", INT64_C(0), true},
    {"1s1.", 0, false},
    {"1s1", 0, false},
    {"0x1s", 0, false},
    {"1_0s", 0, false},
    {"0s0", 0, false},
    {"0.5", 0, false},
    {"00", 0, false},
    {"0.0s", INT64_C(0), true},
    {"1hs", 0, false},
    {"1mss", 0, false},
};

static void test_texts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = 77;
        const berth_status status = berth_duration_parse(berth__text_of(cases[i].text), &ns, NULL);
        if ((status == BERTH_OK) != cases[i].accepted || ns != cases[i].ns)
            fail_msg("\"%s\": %s, %lld", cases[i].text, berth_status_name(status), (long long)ns);
    }
}

static void refuses(berth_str text, berth_status status, const char *message)
{
    berth_error error = {.code = BERTH_OK};
    int64_t ns;
    assert_int_equal(berth_duration_parse(text, &ns, &error), status);
    assert_int_equal(error.code, status);
    assert_string_equal(error.message, message);
}

static void test_errors(void **state)
{
    char longest[100];
    (void)state;
    refuses((berth_str){0}, BERTH_E_PARSE,
            "expected a duration such as 15s, 1m30s or 1.5h, found \"\"");
    refuses(berth__text_of("5 s"), BERTH_E_PARSE,
            "expected a duration such as 15s, 1m30s or 1.5h, found \"5 s\"");
    refuses(berth__text_of("2562048h"), BERTH_E_RANGE, "duration \"2562048h\" is out of range");
    refuses(berth__text_of("18446744073709551616s"), BERTH_E_RANGE,
            "duration \"18446744073709551616s\" is out of range");
    memset(longest, 'x', sizeof(longest));
    refuses((berth_str){longest, sizeof(longest)}, BERTH_E_PARSE,
            "expected a duration such as 15s, 1m30s or 1.5h, found "
            "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
