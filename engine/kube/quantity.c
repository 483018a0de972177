/* Quantities: exact decimals with at most nine fractional digits, anything finer rounded away
 * from zero. Digits are taken from the last to the first: a binary suffix multiplies by a power
 * of two on the way, with a carry, so that texts of any length are exact without arithmetic on
 * big numbers. Source of the rule: Kubernetes apimachinery v0.32, api/resource/quantity.go,
 * suffix.go. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "berth/kube.h"

enum {
    NANO_DIGITS = 9,
    NANO = 1000000000,
    PLACES_MAX = 28, /* decimal places of 2^63 units in nanos */
    EXPONENT_MAX = 1000000,
    TEXT_MAX = 48, /* of a canonical text */
};

typedef unsigned __int128 wide;

typedef struct suffix {
    const char *text;
    int power_of_ten;
    int power_of_two;
} suffix;

static const suffix suffixes[] = {
    {"", 0, 0},    {"n", -9, 0},  {"u", -6, 0},  {"m", -3, 0},  {"k", 3, 0},   {"M", 6, 0},
    {"G", 9, 0},   {"T", 12, 0},  {"P", 15, 0},  {"E", 18, 0},  {"Ki", 0, 10}, {"Mi", 0, 20},
    {"Gi", 0, 30}, {"Ti", 0, 40}, {"Pi", 0, 50}, {"Ei", 0, 60},
};

enum { SUFFIX_COUNT = sizeof(suffixes) / sizeof(suffixes[0]) };

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* [+-] digits, all of `text`; clamped, as beyond the clamp every amount is out of range or one
 * nano. */
static bool parse_exponent(berth_str text, int *out)
{
    uint32_t i = text.len > 0 && (text.data[0] == '+' || text.data[0] == '-') ? 1 : 0;
    int value = 0;
    if (i == text.len)
        return false;
    for (; i < text.len; i++) {
        if (!is_digit(text.data[i]))
            return false;
        if (value < EXPONENT_MAX)
            value = value * 10 + (text.data[i] - '0');
    }
    *out = text.data[0] == '-' ? -value : value;
    return true;
}

static bool parse_suffix(berth_str text, suffix *out)
{
    for (int i = 0; i < SUFFIX_COUNT; i++) {
        if (berth__str_is(text, suffixes[i].text)) {
            *out = suffixes[i];
            return true;
        }
    }
    *out = (suffix){0};
    return (text.data[0] == 'e' || text.data[0] == 'E') &&
           parse_exponent((berth_str){text.data + 1, text.len - 1}, &out->power_of_ten);
}

/* A magnitude in nanos that is built up from its decimal digits, the last one first. */
typedef struct magnitude {
    wide nanos;
    wide place_value; /* of the next digit, once `place` is 0 or more */
    int64_t place;    /* of the next digit; negative: finer than a nano */
    bool finer;       /* something non-zero lies below a nano */
    bool beyond;      /* something non-zero lies above PLACES_MAX */
} magnitude;

static void put_digit(magnitude *m, unsigned digit)
{
    int64_t place = m->place++;
    if (place > PLACES_MAX)
        m->beyond = m->beyond || digit != 0;
    else if (place < 0)
        m->finer = m->finer || digit != 0;
    else
        m->nanos += m->place_value * digit;
    if (place >= 0 && place < PLACES_MAX)
        m->place_value *= 10;
}

static magnitude measure(berth_str digits, suffix unit)
{
    magnitude m = {.place_value = 1, .place = (int64_t)NANO_DIGITS + unit.power_of_ten};
    const char *point = digits.len > 0 ? memchr(digits.data, '.', digits.len) : NULL;
    if (point != NULL)
        m.place -= digits.data + digits.len - (point + 1);
    for (int64_t i = 0; i < m.place && i < PLACES_MAX; i++)
        m.place_value *= 10;
    wide carry = 0;
    for (uint32_t i = digits.len; i-- > 0;) {
        if (digits.data[i] == '.')
            continue;
        carry += (wide)(digits.data[i] - '0') << unit.power_of_two;
        put_digit(&m, (unsigned)(carry % 10));
        carry /= 10;
    }
    for (; carry != 0; carry /= 10)
        put_digit(&m, (unsigned)(carry % 10));
    m.nanos += m.finer ? 1 : 0;
    return m;
}

static const uint64_t powers_of_ten[] = {1,      10,      100,      1000,      10000,
                                         100000, 1000000, 10000000, 100000000, NANO};

/* Most quantities: few digits without a point, and an amount that 63 bits hold. */
static bool read_short(berth_str digits, suffix unit, berth_quantity *out)
{
    enum { SHORT_MAX = 18, TWO_MAX = 62 };
    uint64_t value = 0;
    if (digits.len == 0 || digits.len > SHORT_MAX || unit.power_of_ten < -NANO_DIGITS ||
        unit.power_of_ten > NANO_DIGITS || unit.power_of_two >= TWO_MAX)
        return false;
    for (uint32_t i = 0; i < digits.len; i++) {
        if (!is_digit(digits.data[i]))
            return false;
        value = value * 10 + (uint64_t)(digits.data[i] - '0');
    }
    if (unit.power_of_ten < 0) {
        uint64_t part = powers_of_ten[-unit.power_of_ten];
        *out = (berth_quantity){(int64_t)(value / part), (int32_t)(value % part * (NANO / part))};
        return true;
    }
    uint64_t most = unit.power_of_two > 0 ? UINT64_MAX >> 2 >> unit.power_of_two
                                          : (UINT64_MAX >> 2) / powers_of_ten[unit.power_of_ten];
    if (value > most)
        return false;
    *out = (berth_quantity){
        (int64_t)(value * powers_of_ten[unit.power_of_ten] << unit.power_of_two), 0};
    return true;
}

static berth_status parse(berth_str text, berth_quantity *out)
{
    if (text.len == 0)
        return BERTH_E_PARSE;
    const char *at = text.data;
    const char *end = at + text.len;
    suffix unit;
    while (at < end && is_blank(*at))
        at++;
    while (at < end && is_blank(end[-1]))
        end--;
    if (at == end)
        return BERTH_E_PARSE;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    const char *first = at;
    while (at < end && is_digit(*at))
        at++;
    if (at < end && *at == '.')
        at++;
    while (at < end && is_digit(*at))
        at++;
    if (!parse_suffix((berth_str){at, (uint32_t)(end - at)}, &unit))
        return BERTH_E_PARSE;
    const berth_str digits = {first, (uint32_t)(at - first)};
    if (!negative && read_short(digits, unit, out))
        return BERTH_OK;
    magnitude m = measure(digits, unit);
    wide units = m.nanos / NANO;
    int32_t nanos = (int32_t)(m.nanos % NANO);
    bool beyond = m.beyond || units > INT64_MAX;
    if (beyond && unit.power_of_two == 0)
        return BERTH_E_RANGE;
    if (beyond || (unit.power_of_two != 0 && units == INT64_MAX)) {
        units = INT64_MAX; /* the cap of binary suffixes */
        nanos = 0;
    }
    out->units = negative ? -(int64_t)units : (int64_t)units;
    out->nanos = negative ? -nanos : nanos;
    return BERTH_OK;
}

enum { SHOWN_MAX = 64 }; /* of a text that is none */

berth_status berth_quantity_parse(berth_str text, berth_quantity *out, berth_error *error)
{
    *out = (berth_quantity){0};
    berth_status status = parse(text, out);
    int shown = text.len < SHOWN_MAX ? (int)text.len : SHOWN_MAX;
    const char *data = text.data != NULL ? text.data : "";
    if (status == BERTH_E_RANGE)
        return berth__error_set(error, status, "quantity \"%.*s\" is out of range", shown, data);
    if (status != BERTH_OK)
        return berth__error_set(error, status,
                                "expected a quantity such as 500m, 2 or 1.5Gi, found \"%.*s\"",
                                shown, data);
    return BERTH_OK;
}

static const char *suffix_of(int power_of_ten, int power_of_two)
{
    for (int i = 0; i < SUFFIX_COUNT; i++) {
        if (suffixes[i].power_of_ten == power_of_ten && suffixes[i].power_of_two == power_of_two)
            return suffixes[i].text;
    }
    return "";
}

size_t berth_quantity_format(berth_quantity amount, bool binary, char *out, size_t size)
{
    bool negative = amount.units < 0 || amount.nanos < 0;
    uint64_t units = negative ? 0 - (uint64_t)amount.units : (uint64_t)amount.units;
    uint32_t nanos = (uint32_t)(negative ? -amount.nanos : amount.nanos);
    wide mantissa = (wide)units * NANO + nanos;
    int ten = -NANO_DIGITS;
    int two = 0;
    if (binary && nanos == 0 && units >= 1024) {
        mantissa = units;
        ten = 0;
        for (; mantissa % 1024 == 0; mantissa /= 1024)
            two += 10;
    } else {
        for (; mantissa != 0 && mantissa % 10 == 0; mantissa /= 10)
            ten++;
        for (; mantissa != 0 && ten % 3 != 0; mantissa *= 10)
            ten--;
    }
    char text[TEXT_MAX];
    char *at = text + sizeof(text);
    const char *unit = mantissa == 0 ? "" : suffix_of(ten, two);
    size_t unit_len = strlen(unit);
    at -= unit_len;
    memcpy(at, unit, unit_len);
    do {
        *--at = (char)('0' + (int)(mantissa % 10));
        mantissa /= 10;
    } while (mantissa != 0);
    if (negative)
        *--at = '-';
    size_t len = (size_t)(text + sizeof(text) - at);
    if (size > 0) {
        size_t kept = len < size ? len : size - 1;
        memcpy(out, at, kept);
        out[kept] = '\0';
    }
    return len;
}
