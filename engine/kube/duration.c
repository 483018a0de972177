/* Durations in Go's form.
 * Source: Go 1.26, time.ParseDuration. */
#include "base/error.h"
#include "base/text.h"
#include "berth/kube.h"

#define MOST ((uint64_t)1 << 63) /* nanoseconds; one less if the duration is positive */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip(berth_str *text, uint32_t count)
{
    *text = (berth_str){text->data + count, text->len - count};
}

/* Take the digits before the point. False: they are beyond 63 bits. */
static bool take_whole(berth_str *text, uint64_t *out)
{
    for (*out = 0; text->len > 0 && is_digit(*text->data); skip(text, 1)) {
        const unsigned __int128 next = (unsigned __int128)*out * 10 + (unsigned)(*text->data - '0');
        if (next > MOST)
            return false;
        *out = (uint64_t)next;
    }
    return true;
}

/* Take the digits after the point, as a number and the power of ten that divides it. Digits that
 * make the number longer than 63 bits do not count. */
static void take_fraction(berth_str *text, uint64_t *out, double *scale)
{
    bool counts = true;
    *out = 0;
    for (*scale = 1; text->len > 0 && is_digit(*text->data); skip(text, 1)) {
        const unsigned __int128 next = (unsigned __int128)*out * 10 + (unsigned)(*text->data - '0');
        counts = counts && next <= MOST;
        if (!counts)
            continue;
        *out = (uint64_t)next;
        *scale *= 10;
    }
}

/* Take a unit; its nanoseconds, or 0 if there is none. */
static uint64_t take_unit(berth_str *text)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {
        {"ns", 1},
        {"us", 1000},
        {"\xc2\xb5s", 1000}, /* U+00B5, micro sign */
        {"\xce\xbcs", 1000}, /* U+03BC, Greek letter mu */
        {"ms", 1000000},
        {"s", UINT64_C(1000000000)},
        {"m", UINT64_C(60000000000)},
        {"h", UINT64_C(3600000000000)},
    };
    uint32_t length = 0;
    while (length < text->len && text->data[length] != '.' && !is_digit(text->data[length]))
        length++;
    const berth_str name = {text->data, length};
    skip(text, length);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (berth__str_is(name, units[i].name))
            return units[i].ns;
    return 0;
}

/* Take a number and its unit. */
static berth_status take_term(berth_str *text, uint64_t *out)
{
    uint64_t whole, fraction = 0;
    double scale = 1;
    const uint32_t before = text->len;
    if (!take_whole(text, &whole))
        return BERTH_E_RANGE;
    uint32_t digits = before - text->len;
    if (text->len > 0 && *text->data == '.') {
        skip(text, 1);
        const uint32_t left = text->len;
        take_fraction(text, &fraction, &scale);
        digits += left - text->len;
    }
    const uint64_t unit = take_unit(text);
    if (digits == 0 || unit == 0)
        return BERTH_E_PARSE;
    const uint64_t part = (uint64_t)((double)fraction * ((double)unit / scale));
    if (whole > MOST / unit || whole * unit + part > MOST)
        return BERTH_E_RANGE;
    *out = whole * unit + part;
    return BERTH_OK;
}

static berth_status parse(berth_str text, int64_t *out_ns)
{
    const bool is_signed = text.len > 0 && (*text.data == '-' || *text.data == '+');
    const bool negative = is_signed && *text.data == '-';
    uint64_t sum = 0;
    if (is_signed)
        skip(&text, 1);
    if (berth__str_is(text, "0"))
        return BERTH_OK;
    if (text.len == 0)
        return BERTH_E_PARSE;
    while (text.len > 0) {
        uint64_t term;
        BERTH_TRY(take_term(&text, &term));
        sum += term; /* modulo 2^64, as there */
        if (sum > MOST)
            return BERTH_E_RANGE;
    }
    if (!negative && sum == MOST)
        return BERTH_E_RANGE;
    *out_ns = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return BERTH_OK;
}

enum { SHOWN_MAX = 64 }; /* of a malformed text */

berth_status berth_duration_parse(berth_str text, int64_t *out_ns, berth_error *error)
{
    const int shown = text.len < SHOWN_MAX ? (int)text.len : SHOWN_MAX;
    *out_ns = 0;
    const berth_status status = parse(text, out_ns);
    if (status == BERTH_E_RANGE)
        return berth__error_set(error, status, "duration \"%.*s\" is out of range", shown,
                                text.data);
    if (status != BERTH_OK)
        return berth__error_set(error, status,
                                "expected a duration such as 15s, 1m30s or 1.5h, found \"%.*s\"",
                                shown, text.data != NULL ? text.data : "");
    return BERTH_OK;
}
