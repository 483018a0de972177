/* Quantities of objects: exact decimals (base/decimal.h) whose units fit 64 bits. */
#include "base/decimal.h"
#include "base/error.h"
#include "base/text.h"
#include "berth/kube.h"

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
    return berth__decimal_write(amount, binary, out, size);
}
