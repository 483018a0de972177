/* Quantities: the accepted and refused texts (reference: apimachinery v0.32 quantity.go), rounding,
 * capping, canonical texts, and every spelling that was found in real manifests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/kube.h"

typedef struct parse_case {
    const char *text;
    int64_t units;
    int32_t nanos;
} parse_case;

static const parse_case parsed[] = {
    {"0", 0, 0},
    {"1", 1, 0},
    {"+1", 1, 0},
    {"-1", -1, 0},
    {"1500m", 1, 500000000},
    {"-1500m", -1, -500000000},
    {"0.5", 0, 500000000},
    {"1.", 1, 0},
    {".5", 0, 500000000},
    {"100u", 0, 100000},
    {"1n", 0, 1},
    {"0.1n", 0, 1},
    {"-0.1n", 0, -1},
    {"0.00000000001", 0, 1},
    {"1.0000000001", 1, 1},
    {"1k", 1000, 0},
    {"12M", 12000000, 0},
    {"12e6", 12000000, 0},
    {"1E3", 1000, 0},
    {"1e3", 1000, 0},
    {"1E-3", 0, 1000000},
    {"1e+3", 1000, 0},
    {"1E", 1000000000000000000, 0},
    {"9.2E", 9200000000000000000, 0},
    {"2P", 2000000000000000, 0},
    {"3T", 3000000000000, 0},
    {"4G", 4000000000, 0},
    {"1Ki", 1024, 0},
    {"1.5Gi", 1610612736, 0},
    {"0.1Ki", 102, 400000000},
    {"2Ti", 2199023255552, 0},
    {"1Pi", 1125899906842624, 0},
    {"1Ei", 1152921504606846976, 0},
    {"7Ei", 8070450532247928832, 0},
    {"8Ei", INT64_MAX, 0},
    {"-8Ei", -INT64_MAX, 0},
    {"99999999999999999999Ki", INT64_MAX, 0},
    {"9223372036854775807", INT64_MAX, 0},
    {"9223372036854775807.5", INT64_MAX, 500000000},
    {"9223372036854775807999m", INT64_MAX, 999000000},
    {"128974848000m", 128974848, 0},
    {" 1 ", 1, 0},
    {"\t2Gi\n", 2147483648, 0},
    {"m", 0, 0},
    {"Ki", 0, 0},
    {"+", 0, 0},
    {".", 0, 0},
    {"E3", 0, 0},
    {"000000000000000000000000000000001", 1, 0},
    {"0.000000000000000000000000000000000000000000000000001Ei", 0, 1},
    {"1e-400", 0, 1},
    {"0e999999999999", 0, 0},
    {"10000000000000000000000e-22", 1, 0},
};

static const char *const malformed[] = {
    "",    " ",    "1e",    "K",   "ki",    "KiB", "1e3m", "1 Gi", "1mm",
    "abc", "1..2", "1.2.3", "--1", "+-1",   "1K",  "1g",   "0x10", "1e3.5",
    "1e+", "E+",   "1Ee3",  "1,5", "1_000", "NaN", "1MiB", "1 m",  "1\xff",
};

static const char *const beyond[] = {
    "9223372036854775808",
    "-9223372036854775808",
    "10E",
    "9.3E",
    "1e19",
    "1e1000000000",
    "99999999999999999999999999999999999999999999",
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(parsed) / sizeof(parsed[0]); i++) {
        berth_quantity amount = {77, 77};
        berth_status status = berth_quantity_parse(berth__text_of(parsed[i].text), &amount, NULL);
        if (status != BERTH_OK || amount.units != parsed[i].units ||
            amount.nanos != parsed[i].nanos)
            fail_msg("\"%s\": status %d, %lld units, %d nanos", parsed[i].text, (int)status,
                     (long long)amount.units, amount.nanos);
    }
}

static void expect_refused(const char *text, berth_status expected)
{
    berth_quantity amount = {77, 7};
    berth_status status = berth_quantity_parse(berth__text_of(text), &amount, NULL);
    if (status != expected || amount.units != 0 || amount.nanos != 0)
        fail_msg("\"%s\": status %d, %lld units", text, (int)status, (long long)amount.units);
}

/* Leading zeros do not change the value, but make the text take the slower path. */
static void test_leading_zeros(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"",  "n",  "u",  "m",  "k",  "M",  "G",  "T",  "P",
                                           "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e9", "e-4"};
    uint64_t seed = 1;
    for (int i = 0; i < 20000; i++) {
        char plain[64], padded[128];
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        unsigned digits = 1 + (unsigned)(seed >> 40) % 19;
        uint64_t number = seed >> 1;
        for (unsigned cut = 19; cut > digits; cut--)
            number /= 10;
        snprintf(plain, sizeof(plain), "%llu%s", (unsigned long long)number,
                 suffixes[(size_t)i % (sizeof(suffixes) / sizeof(suffixes[0]))]);
        snprintf(padded, sizeof(padded), "00000000000000000000%s", plain);
        berth_quantity a = {0}, b = {0};
        berth_status x = berth_quantity_parse(berth__text_of(plain), &a, NULL);
        if (x != berth_quantity_parse(berth__text_of(padded), &b, NULL) || a.units != b.units ||
            a.nanos != b.nanos)
            fail_msg("%s: %lld units %d nanos, with zeros before it %lld and %d", plain,
                     (long long)a.units, a.nanos, (long long)b.units, b.nanos);
    }
}

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(malformed) / sizeof(malformed[0]); i++)
        expect_refused(malformed[i], BERTH_E_PARSE);
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++)
        expect_refused(beyond[i], BERTH_E_RANGE);
}

static void test_absent(void **state)
{
    (void)state;
    berth_quantity amount;
    assert_int_equal(berth_quantity_parse((berth_str){0}, &amount, NULL), BERTH_E_PARSE);
}

typedef struct format_case {
    const char *text;
    bool binary;
    const char *canonical;
} format_case;

static const format_case formatted[] = {
    {"0", false, "0"},
    {"0", true, "0"},
    {"1.5", false, "1500m"},
    {"-1.5", false, "-1500m"},
    {"1000k", false, "1M"},
    {"0.5Gi", true, "512Mi"},
    {"1536Mi", true, "1536Mi"},
    {"2048Mi", true, "2Gi"},
    {"1023", true, "1023"},
    {"1024", true, "1Ki"},
    {"1025", true, "1025"},
    {"0.1Ki", true, "102400m"},
    {"100u", false, "100u"},
    {"1n", false, "1n"},
    {"12e6", false, "12M"},
    {"1024", false, "1024"},
    {"100", false, "100"},
    {"10", false, "10"},
    {"8Ei", true, "9223372036854775807"},
    {"4Ei", true, "4Ei"},
    {"9E", false, "9E"},
    {"0.01", false, "10m"},
    {"1234.5678", false, "1234567800u"},
};

static void test_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(formatted) / sizeof(formatted[0]); i++) {
        berth_quantity amount;
        char text[64];
        assert_int_equal(berth_quantity_parse(berth__text_of(formatted[i].text), &amount, NULL),
                         BERTH_OK);
        size_t len = berth_quantity_format(amount, formatted[i].binary, text, sizeof(text));
        assert_string_equal(text, formatted[i].canonical);
        assert_int_equal(len, strlen(formatted[i].canonical));
    }
}

static void test_format_cut(void **state)
{
    (void)state;
    char text[4] = "xxx";
    berth_quantity amount = {12345, 0};
    assert_int_equal(berth_quantity_format(amount, false, text, sizeof(text)), 5);
    assert_string_equal(text, "123");
    assert_int_equal(berth_quantity_format(amount, false, NULL, 0), 5);
}

/* Reads the column `spelling` of quantities.csv; the file has no quotes. */
static void test_real_spellings(void **state)
{
    (void)state;
    char path[4096];
    char line[1024];
    const char *shared = getenv("BERTH_SHARED");
    snprintf(path, sizeof(path), "%s/traces/kube-manifests/quantities.csv",
             shared != NULL ? shared : "../shared");
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        print_message("skipped: no %s\n", path);
        skip();
    }
    size_t count = 0;
    assert_non_null(fgets(line, sizeof(line), file));
    while (fgets(line, sizeof(line), file) != NULL) {
        char *field = line;
        berth_quantity amount;
        for (int column = 0; column < 2; column++)
            field = strchr(field, ',') + 1;
        field[strcspn(field, ",")] = '\0';
        if (berth_quantity_parse(berth__text_of(field), &amount, NULL) != BERTH_OK)
            fail_msg("\"%s\" is refused", field);
        count++;
    }
    fclose(file);
    assert_true(count > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),          cmocka_unit_test(test_leading_zeros),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_absent),
        cmocka_unit_test(test_format),         cmocka_unit_test(test_format_cut),
        cmocka_unit_test(test_real_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
