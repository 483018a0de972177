/* Functions for Kubernetes' own types: quantities and semantic versions. */
#include "base/decimal.h"
#include "cel/functions.h"

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)
#define NODE_UNUSED (void)node
#define BOTH_UNUSED (void)run, (void)node

static const __int128 NANO = 1000000000;

/* The largest amount, in nanos. Larger amounts are taken as equal to this one. */
static __int128 limit_nanos(void)
{
    return NANO * NANO * NANO * NANO * 100;
}

/* Blanks are not trimmed here, unlike in objects. */
static berth__decimal_outcome read_quantity(berth_str text, __int128 *nanos)
{
    berth__decimal amount;
    berth__decimal_outcome outcome = berth__decimal_read(text, &amount);
    if (outcome != BERTH__DECIMAL_READ)
        return outcome;
    *nanos = (__int128)amount.units * NANO + amount.nanos;
    if (amount.negative)
        *nanos = -*nanos;
    return outcome;
}

/* Whether a text at least has the form of a quantity. The error for a text that is not a quantity
 * depends on it. */
static bool has_form(berth_str text)
{
    static const char *const stages[] = {"+-",           "0123456789", ".",         "0123456789",
                                         "eEinumkKMGTP", "+-",         "0123456789"};
    uint32_t at = 0;
    for (size_t stage = 0; stage < sizeof(stages) / sizeof(stages[0]); stage++) {
        bool one = strlen(stages[stage]) <= 2;
        for (uint32_t taken = 0; at < text.len && (!one || taken == 0); taken++, at++) {
            if (text.data[at] == '\0' || strchr(stages[stage], text.data[at]) == NULL)
                break;
        }
    }
    return text.len > 0 && at == text.len;
}

DEFINE(quantity_of)
{
    NODE_UNUSED;
    __int128 nanos = 0;
    switch (read_quantity(args[0].text, &nanos)) {
    case BERTH__DECIMAL_READ:
        return berth__cel_quantity(run, nanos, berth__decimal_is_integer(args[0].text));
    case BERTH__DECIMAL_BEYOND:
        nanos = args[0].text.data[0] == '-' ? -limit_nanos() : limit_nanos();
        return berth__cel_quantity(run, nanos, false);
    default:
        return has_form(args[0].text)
                   ? berth__cel_error(run, "unable to parse quantity's suffix")
                   : berth__cel_error(run, "quantities must match the regular expression "
                                           "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
}

DEFINE(is_quantity)
{
    BOTH_UNUSED;
    __int128 nanos;
    berth__decimal_outcome outcome = read_quantity(args[0].text, &nanos);
    return berth__cel_bool(outcome == BERTH__DECIMAL_READ || outcome == BERTH__DECIMAL_BEYOND);
}

static int order(berth__cel_value a, berth__cel_value b)
{
    if (a.kind == BERTH__CEL_TYPE_SEMVER)
        return berth__cel_semver_compare(a.semver, b.semver);
    return a.amount->nanos < b.amount->nanos ? -1 : a.amount->nanos > b.amount->nanos ? 1 : 0;
}

DEFINE(sign)
{
    BOTH_UNUSED;
    return berth__cel_int(args[0].amount->nanos < 0 ? -1 : args[0].amount->nanos > 0 ? 1 : 0);
}

DEFINE(is_greater)
{
    BOTH_UNUSED;
    return berth__cel_bool(order(args[0], args[1]) > 0);
}

DEFINE(is_less)
{
    BOTH_UNUSED;
    return berth__cel_bool(order(args[0], args[1]) < 0);
}

DEFINE(compare_to)
{
    BOTH_UNUSED;
    return berth__cel_int(order(args[0], args[1]));
}

static __int128 nanos_of(berth__cel_value value)
{
    return value.kind == BERTH__CEL_TYPE_INT ? value.integer * NANO : value.amount->nanos;
}

/* Sums beyond any amount that a text can express stay at the limit. */
static berth__cel_value sum_of(berth__cel_run *run, const berth__cel_value *args, int sign)
{
    __int128 limit = limit_nanos(), sum;
    bool integers =
        args[0].amount->integer && (args[1].kind == BERTH__CEL_TYPE_INT || args[1].amount->integer);
    if (__builtin_add_overflow(args[0].amount->nanos, sign * nanos_of(args[1]), &sum) ||
        sum > limit || sum < -limit)
        sum = args[0].amount->nanos > 0 ? limit : -limit;
    berth__cel_amount *amount = berth__cel_alloc(run, sizeof(*amount));
    if (amount == NULL)
        return berth__cel_stopped(run);
    *amount = (berth__cel_amount){sum, integers && berth__cel_is_whole(sum), true};
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_QUANTITY, .amount = amount};
}

DEFINE(add)
{
    NODE_UNUSED;
    return sum_of(run, args, 1);
}

DEFINE(sub)
{
    NODE_UNUSED;
    return sum_of(run, args, -1);
}

bool berth__cel_is_whole(__int128 nanos)
{
    return nanos % NANO == 0 && nanos / NANO <= INT64_MAX && nanos / NANO >= INT64_MIN;
}

DEFINE(as_integer)
{
    NODE_UNUSED;
    if (!args[0].amount->integer)
        return berth__cel_error(run, "cannot convert value to integer");
    return berth__cel_int((int64_t)(args[0].amount->nanos / NANO));
}

DEFINE(is_integer)
{
    BOTH_UNUSED;
    return berth__cel_bool(args[0].amount->integer);
}

DEFINE(as_float)
{
    BOTH_UNUSED;
    __int128 nanos = args[0].amount->nanos;
    __int128 units = nanos / NANO;
    if (nanos % NANO == 0)
        return berth__cel_double((double)units);
    return berth__cel_double((double)nanos / (double)NANO);
}

/* ---- versions ---- */

typedef struct writing {
    char *data;
    uint32_t len;
} writing;

static void put(writing *out, const char *data, uint32_t len)
{
    if (len > 0)
        memcpy(out->data + out->len, data, len);
    out->len += len;
}

/* Write a number of a version without leading zeroes, but with at least one digit. */
static void put_number(writing *out, berth_str part)
{
    uint32_t skip = 0;
    while (part.len > 1 && skip < part.len && part.data[skip] == '0')
        skip++;
    berth_str rest = {part.data + skip, part.len - skip};
    bool digit = rest.len > 0 && rest.data[0] >= '0' && rest.data[0] <= '9';
    if (part.len > 1 && !digit)
        put(out, "0", 1);
    put(out, rest.data, rest.len);
}

/* v1.02 to 1.2.0, like the library's normalizeAndParse. */
static berth__cel_value normalized(berth__cel_run *run, berth_str text)
{
    enum { MORE = 16 };
    writing out = {.data = berth__cel_alloc(run, (size_t)text.len + MORE)};
    if (out.data == NULL)
        return berth__cel_stopped(run);
    if (text.len > 0 && text.data[0] == 'v')
        text = (berth_str){text.data + 1, text.len - 1};
    const char *end = text.data + text.len, *at = text.data;
    uint32_t parts = 0;
    bool marked = false; /* the last part has a prerelease or build */
    for (bool more = true; more; parts++) {
        const char *dot = parts < 2 && at < end ? memchr(at, '.', (size_t)(end - at)) : NULL;
        berth_str part = {at, (uint32_t)((dot != NULL ? dot : end) - at)};
        if (parts > 0)
            put(&out, ".", 1);
        marked = part.len > 0 && (memchr(part.data, '+', part.len) != NULL ||
                                  memchr(part.data, '-', part.len) != NULL);
        put_number(&out, part);
        more = dot != NULL;
        at = more ? dot + 1 : end;
    }
    if (parts < 3 && marked)
        return berth__cel_error(run, "short version cannot contain PreRelease/Build meta data");
    for (; parts < 3; parts++)
        put(&out, ".0", 2);
    return berth__cel_string((berth_str){out.data, out.len});
}

static berth__cel_value version_of(berth__cel_run *run, const berth__cel_node *node,
                                   const berth__cel_value *args)
{
    berth__cel_value text = args[0];
    berth__cel_charge(run, text.text.len);
    if (node->arg_count > 1 && args[1].flag)
        text = normalized(run, text.text);
    return berth__cel_failed(text) ? text : berth__cel_semver_parse(run, text.text);
}

DEFINE(semver_of)
{
    return version_of(run, node, args);
}

DEFINE(is_semver)
{
    return berth__cel_bool(!berth__cel_failed(version_of(run, node, args)));
}

DEFINE(major)
{
    BOTH_UNUSED;
    return berth__cel_int((int64_t)args[0].semver->parts[0]);
}

DEFINE(minor)
{
    BOTH_UNUSED;
    return berth__cel_int((int64_t)args[0].semver->parts[1]);
}

DEFINE(patch)
{
    BOTH_UNUSED;
    return berth__cel_int((int64_t)args[0].semver->parts[2]);
}
