/* Durations of a configuration, in Go's form ("1m30s").
 * Source: Go 1.26, time.ParseDuration. */
#include <inttypes.h>

#include "base/text.h"
#include "config/config.h"

#define SECOND_NS ((__int128)1000000000)

/* A unit of Go's durations in nanoseconds, and the length of its text; 0: no unit. */
static int64_t unit_at(berth_str text, uint32_t *length)
{
    static const struct {
        const char *name;
        int64_t ns;
    } units[] = {{"ns", 1},
                 {"us", 1000},
                 {"\xc2\xb5s", 1000},
                 {"ms", 1000000},
                 {"s", 1000000000},
                 {"m", INT64_C(60000000000)},
                 {"h", INT64_C(3600000000000)}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        berth_str name = berth__text_of(units[i].name);
        if (berth__str_starts(text, units[i].name)) {
            *length = name.len;
            return units[i].ns;
        }
    }
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Parse "1h2.5s" as time.ParseDuration does; false if the text is malformed or beyond 63 bits. */
static bool parse(berth_str text, __int128 *out_ns)
{
    bool negative = text.len > 0 && text.data[0] == '-';
    uint32_t at = text.len > 0 && (text.data[0] == '-' || text.data[0] == '+');
    __int128 sum = 0;
    if (at + 1 == text.len && text.data[at] == '0') {
        *out_ns = 0;
        return true;
    }
    if (at == text.len)
        return false;
    while (at < text.len) {
        __int128 whole = 0, fraction = 0, scale = 1;
        uint32_t digits = 0, length = 0;
        for (; at < text.len && is_digit(text.data[at]) && whole < INT64_MAX; at++, digits++)
            whole = whole * 10 + (text.data[at] - '0');
        if (at < text.len && text.data[at] == '.')
            for (at++; at < text.len && is_digit(text.data[at]); at++, digits++)
                if (scale < SECOND_NS) {
                    fraction = fraction * 10 + (text.data[at] - '0');
                    scale *= 10;
                }
        int64_t unit = unit_at((berth_str){text.data + at, text.len - at}, &length);
        if (digits == 0 || unit == 0)
            return false;
        sum += whole * unit + fraction * unit / scale;
        if (sum > INT64_MAX)
            return false;
        at += length;
    }
    *out_ns = negative ? -sum : sum;
    return true;
}

berth_status berth__config_duration(berth__config_tree *tree, const berth__json *object,
                                    const char *key, int64_t least_ns, int64_t *out_ns)
{
    berth_str text = {0};
    __int128 ns = 0;
    if (berth__config_member(object, key) == NULL)
        return BERTH_OK;
    BERTH_TRY(berth__config_string(tree, object, key, &text));
    if (parse(text, &ns) && ns >= least_ns) {
        *out_ns = (int64_t)ns;
        return BERTH_OK;
    }
    berth__config_enter(tree, key);
    return berth__config_fail(tree, BERTH_E_INVALID,
                              "must be a duration of %" PRId64 "s or more, not \"%.*s\"",
                              least_ns / (int64_t)SECOND_NS, (int)text.len, text.data);
}
