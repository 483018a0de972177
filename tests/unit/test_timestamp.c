/* Times: what is accepted, what is refused, and times beyond 64 bits of nanoseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/text.h"
#include "text/timestamp.h"

#define SECOND INT64_C(1000000000)

static const struct {
    const char *text;
    int64_t time_ns;
} read_cases[] = {
    {"1970-01-01T00:00:00Z", 0},
    {"1970-01-01T00:00:00.000000001Z", 1},
    {"1969-12-31T23:59:59.999999999Z", -1},
    {"2000-02-29T12:34:56Z", INT64_C(951827696) * SECOND},
    {"2000-03-01T00:00:00Z", INT64_C(951868800) * SECOND},
    {"1900-03-01T00:00:00Z", INT64_C(-2203891200) * SECOND},
    {"2026-11-23T01:30:00+01:30", INT64_C(1795392000) * SECOND},
    {"2026-11-22T22:30:00-01:30", INT64_C(1795392000) * SECOND},
    {"2026-11-23T00:00:00.1234567899Z", INT64_C(1795392000) * SECOND + 123456789},
    {"2026-11-23t00:00:00z", INT64_C(1795392000) * SECOND},
    {"2026-11-22T23:59:60Z", INT64_C(1795392000) * SECOND},
    /* The last representable time, one nanosecond and one second later, and the first one. */
    {"2262-04-11T23:47:16.854775807Z", INT64_MAX},
    {"2262-04-11T23:47:16.854775808Z", INT64_MAX},
    {"2262-04-11T23:47:17Z", INT64_MAX},
    {"9999-12-31T23:59:59Z", INT64_MAX},
    {"1677-09-21T00:12:43Z", INT64_MIN},
    {"0001-01-01T00:00:00Z", INT64_MIN},
    {"0000-01-01T00:00:00+23:59", INT64_MIN},
};

static void test_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(read_cases) / sizeof(read_cases[0]); i++) {
        int64_t time_ns = 7;
        if (!berth__timestamp_parse(berth__text_of(read_cases[i].text), &time_ns) ||
            time_ns != read_cases[i].time_ns)
            fail_msg("%s: %lld", read_cases[i].text, (long long)time_ns);
    }
}

static const char *const refused[] = {
    "",
    "2026",
    "2026-11-23",
    "2026-11-23T00:00:00",
    "2026-11-23T00:00:00Zz",
    "2026-11-23T00:00:00.Z",
    "2026-11-23T00:00:00+01",
    "2026-11-23T00:00:00+24:00",
    "2026-11-23T00:00:00+00:60",
    "2026-11-23X00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-11-00T00:00:00Z",
    "2026-11-31T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-11-23T24:00:00Z",
    "2026-11-23T00:60:00Z",
    "2026-11-23T00:00:61Z",
    "2026/11-23T00:00:00Z",
    "2026-1-23T00:00:00Z",
    "2026-11-23T00:0a:00Z",
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        int64_t time_ns;
        if (berth__timestamp_parse(berth__text_of(refused[i]), &time_ns))
            fail_msg("%s: %lld", refused[i], (long long)time_ns);
    }
}

/* A time that is written reads back as the same, before and after 1970. */
static void test_written(void **state)
{
    (void)state;
    static const struct {
        int64_t time_ns;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00Z"},
        {1, "1970-01-01T00:00:00.000000001Z"},
        {-1, "1969-12-31T23:59:59.999999999Z"},
        {-SECOND, "1969-12-31T23:59:59Z"},
        {-86400 * SECOND, "1969-12-31T00:00:00Z"},
        {INT64_MAX, "2262-04-11T23:47:16.854775807Z"},
    };
    char text[BERTH__TIMESTAMP_BYTES];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth__timestamp_format(cases[i].time_ns, text);
        assert_string_equal(text, cases[i].text);
    }
    for (int64_t day = -30000; day < 80000; day += 13) {
        int64_t time_ns, given_ns = day * 86400 * SECOND + day * 7919 % 86400 * SECOND;
        berth__timestamp_format(given_ns, text);
        assert_true(berth__timestamp_parse(berth__text_of(text), &time_ns));
        assert_true(time_ns == given_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
