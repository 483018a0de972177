/* Quantities of objects: exact decimals (base/decimal.h) whose units fit 64 bits. */
#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/text.h"
#include "berth/kube.h"

enum {
    NANO_DIGITS = 9,
    NANO = 1000000000,
    TEXT_MAX = 48, /* length of a canonical text */
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static berth_status parse(berth_str text, berth_quantity *out)
{
    while (text.len > 0 && is_blank(*text.data))
        text = (berth_str){text.data + 1, text.len - 1};
    while (text.len > 0 && is_blank(text.data[text.len - 1]))
        text.len--;
    berth__decimal amount;
    berth__decimal_outcome outcome = berth__decimal_read(text, &amount);
    if (outcome == BERTH__DECIMAL_BEYOND ||
        (outcome == BERTH__DECIMAL_READ && amount.units > INT64_MAX))
        return BERTH_E_RANGE;
    if (outcome != BERTH__DECIMAL_READ)
        return BERTH_E_PARSE;
    out->units = amount.negative ? -(int64_t)amount.units : (int64_t)amount.units;
    out->nanos = amount.negative ? -(int32_t)amount.nanos : (int32_t)amount.nanos;
    return BERTH_OK;
}

enum { SHOWN_MAX = 64 }; /* of a malformed text */

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

size_t berth_quantity_format(berth_quantity amount, bool binary, char *out, size_t size)
{
    bool negative = amount.units < 0 || amount.nanos < 0;
    uint64_t units = negative ? 0 - (uint64_t)amount.units : (uint64_t)amount.units;
    uint32_t nanos = (uint32_t)(negative ? -amount.nanos : amount.nanos);
    unsigned __int128 mantissa = (unsigned __int128)units * NANO + nanos;
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
    const char *unit = mantissa == 0 ? "" : berth__decimal_suffix(ten, two);
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
