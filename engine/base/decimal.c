/* Exact decimals. Digits are taken from the last to the first, and a binary suffix multiplies them
 * by a power of two on the way, with a carry. So texts of any length are exact without big
 * numbers. */
#include "base/decimal.h"

#include <string.h>

#include "base/text.h"

enum {
    NANO_DIGITS = 9,
    NANO = 1000000000,
    PLACES_MAX = 37, /* an amount in nanos with this many decimal places always fits into 127
                      * bits */
    EXPONENT_MAX = 1000000,
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

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The whole of `text` must be digits, optionally after a sign. The exponent is clamped: beyond the
 * clamp every amount is out of range or one nano. */
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

/* A magnitude in nanos, built up from its decimal digits, the last one first. */
typedef struct magnitude {
    wide nanos;
    wide place_value; /* of the next digit, if `place` is 0 or more */
    int64_t place;    /* of the next digit; negative: below a nano */
    bool finer;       /* some digit below a nano is not zero */
    bool beyond;      /* some digit above PLACES_MAX is not zero */
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

/* The fast path for most quantities: few digits without a point, and an amount that fits into 63
 * bits. */
static bool read_short(berth_str digits, suffix unit, berth__decimal *out)
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
        *out = (berth__decimal){.units = value / part,
                                .nanos = (uint32_t)(value % part * (NANO / part))};
        return true;
    }
    uint64_t most = unit.power_of_two > 0 ? UINT64_MAX >> 2 >> unit.power_of_two
                                          : (UINT64_MAX >> 2) / powers_of_ten[unit.power_of_ten];
    if (value > most)
        return false;
    *out = (berth__decimal){.units = value * powers_of_ten[unit.power_of_ten] << unit.power_of_two};
    return true;
}

/* The parts of a quantity's text. */
typedef struct reading {
    bool negative;
    berth_str digits; /* with at most one point */
    suffix unit;
} reading;

static bool take_apart(berth_str text, reading *out)
{
    const char *at = text.data;
    const char *end = at + text.len;
    out->negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    const char *first = at;
    while (at < end && is_digit(*at))
        at++;
    if (at < end && *at == '.')
        at++;
    while (at < end && is_digit(*at))
        at++;
    out->digits = (berth_str){first, (uint32_t)(at - first)};
    return parse_suffix((berth_str){at, (uint32_t)(end - at)}, &out->unit);
}

berth__decimal_outcome berth__decimal_read(berth_str text, berth__decimal *out)
{
    reading r;
    if (text.len == 0)
        return BERTH__DECIMAL_EMPTY;
    if (!take_apart(text, &r))
        return BERTH__DECIMAL_SUFFIX;
    if (!r.negative && read_short(r.digits, r.unit, out))
        return BERTH__DECIMAL_READ;
    magnitude m = measure(r.digits, r.unit);
    wide units = m.nanos / NANO;
    bool capped = m.beyond || units >= INT64_MAX; /* holds for binary suffixes */
    if (capped && r.unit.power_of_two != 0)
        *out = (berth__decimal){r.negative, INT64_MAX, 0};
    else if (m.beyond)
        return BERTH__DECIMAL_BEYOND;
    else
        *out = (berth__decimal){r.negative, units, (uint32_t)(m.nanos % NANO)};
    return BERTH__DECIMAL_READ;
}

bool berth__decimal_is_integer(berth_str text)
{
    enum { DIGITS_MAX = 18, BINARY_DIGITS_MAX = 14 };
    reading r;
    berth__decimal amount;
    if (text.len == 0 || !take_apart(text, &r) ||
        berth__decimal_read(text, &amount) != BERTH__DECIMAL_READ || amount.units > INT64_MAX)
        return false;
    uint32_t skip = 0;
    while (skip < r.digits.len && r.digits.data[skip] == '0')
        skip++;
    const char *point = r.digits.len > 0 ? memchr(r.digits.data, '.', r.digits.len) : NULL;
    int fraction = point == NULL ? 0 : (int)(r.digits.data + r.digits.len - point - 1);
    int whole = (int)(r.digits.len - skip) - fraction - (point != NULL ? 1 : 0);
    if (whole == 0)
        whole = 1;
    if (r.unit.power_of_two != 0) /* an estimate of its digits, as Kubernetes makes it in float32 */
        return fraction == 0 && BINARY_DIGITS_MAX - whole - r.unit.power_of_two * 3 / 10 >= 0;
    return whole + fraction <= DIGITS_MAX && r.unit.power_of_ten >= fraction;
}

/* The suffix for a power of ten or of two, "" if there is none. */
static const char *suffix_of(int power_of_ten, int power_of_two)
{
    for (int i = 0; i < SUFFIX_COUNT; i++) {
        if (suffixes[i].power_of_ten == power_of_ten && suffixes[i].power_of_two == power_of_two)
            return suffixes[i].text;
    }
    return "";
}

size_t berth__decimal_write(berth_quantity amount, bool binary, char *out, size_t size)
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
    char text[BERTH__DECIMAL_TEXT];
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
