/* Reads and writes decimals digit by digit, without binary fractions. */
#include "prices/money.h"

#include <inttypes.h>
#include <string.h>

enum { WHOLE_DIGITS = 15 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool money_parse(berth_str text, money *out)
{
    uint32_t at = 0;
    uint32_t digits = 0;
    money value = 0;
    for (; at < text.len && is_digit(text.data[at]); at++) {
        value = value * 10 + (text.data[at] - '0');
        digits += value > 0;
        if (digits > WHOLE_DIGITS)
            return false;
    }
    if (at == 0)
        return false;
    uint32_t decimals = 0;
    if (at < text.len && text.data[at] == '.') {
        uint32_t first = ++at;
        for (; at < text.len && is_digit(text.data[at]) && at - first < MONEY_DECIMALS; at++)
            value = value * 10 + (text.data[at] - '0');
        decimals = at - first;
        if (decimals == 0)
            return false;
    }
    for (; decimals < MONEY_DECIMALS; decimals++)
        value *= 10;
    *out = value;
    return at == text.len;
}

/* Writes decimals without trailing zeros, but at least `least` of them. */
static void write_decimals(money amount, uint32_t least, char out[MONEY_BYTES])
{
    const char *sign = amount < 0 ? "-" : "";
    money size = amount < 0 ? -amount : amount;
    int len = snprintf(out, MONEY_BYTES, "%s%" PRId64 ".%09" PRId64, sign,
                       (int64_t)(size / MONEY_UNIT), (int64_t)(size % MONEY_UNIT));
    uint32_t decimals = MONEY_DECIMALS;
    while (decimals > least && out[len - 1] == '0') {
        len--;
        decimals--;
    }
    out[decimals == 0 ? len - 1 : len] = '\0';
}

void money_text(money amount, char out[MONEY_BYTES])
{
    write_decimals(amount, 0, out);
}

void money_rounded(money amount, uint32_t least, uint32_t most, char out[MONEY_BYTES])
{
    money step = MONEY_UNIT;
    for (uint32_t i = 0; i < most; i++)
        step /= 10;
    money half = amount < 0 ? -step / 2 : step / 2;
    write_decimals((amount + half) / step * step, least, out);
}

void money_print(money hour, FILE *file)
{
    char an_hour[MONEY_BYTES];
    char a_month[MONEY_BYTES];
    money_rounded(hour, 2, 4, an_hour);
    money_rounded(money_month(hour), 2, 2, a_month);
    fprintf(file, "%s per hour, %s per month", an_hour, a_month);
}

money money_month(money hour)
{
    return hour * MONEY_HOURS_A_MONTH;
}

money money_share(money amount, int64_t part, int64_t all)
{
    return all > 0 ? (amount * part + all / 2) / all : 0;
}

void money_write(output *o, const char *key, money amount)
{
    char text[MONEY_BYTES];
    money_text(amount, text);
    output_key(o, key);
    output_number(o, text);
}
