/* Conversions between types of values. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "cel/functions.h"
#include "cel/net.h"

#define DEFINE(name)                                                                     \
    berth__cel_value berth__cel_##name(berth__cel_run *run, const berth__cel_node *node, \
                                       const berth__cel_value *args)

enum { NUMBER_MAX = 400 };

static berth__cel_value no_conversion(berth__cel_run *run, const char *to)
{
    return berth__cel_error(run, "type conversion error from 'string' to '%s'", to);
}

/* Copy a sign and decimal digits, and nothing else, to a zero-terminated text. */
static bool digits_of(berth_str text, bool sign, char *out)
{
    uint32_t i = sign && text.len > 0 && (text.data[0] == '-' || text.data[0] == '+') ? 1 : 0;
    if (i == text.len || text.len >= NUMBER_MAX)
        return false;
    for (; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    }
    memcpy(out, text.data, text.len);
    out[text.len] = '\0';
    return true;
}

DEFINE(to_int)
{
    (void)node;
    char text[NUMBER_MAX];
    switch (args[0].kind) {
    case BERTH__CEL_TYPE_UINT:
        return args[0].natural > INT64_MAX ? berth__cel_error(run, "integer overflow")
                                           : berth__cel_int((int64_t)args[0].natural);
    case BERTH__CEL_TYPE_DOUBLE: /* the limits themselves are out of range, as in cel-go */
        if (!(args[0].real > -9223372036854775808.0 && args[0].real < 9223372036854775808.0))
            return berth__cel_error(run, "integer overflow");
        return berth__cel_int((int64_t)args[0].real);
    case BERTH__CEL_TYPE_STRING: {
        errno = 0;
        int64_t value = digits_of(args[0].text, true, text) ? strtoll(text, NULL, 10) : (errno = 1);
        return errno != 0 ? no_conversion(run, "int") : berth__cel_int(value);
    }
    default:
        return args[0];
    }
}

DEFINE(to_uint)
{
    (void)node;
    char text[NUMBER_MAX];
    switch (args[0].kind) {
    case BERTH__CEL_TYPE_INT:
        return args[0].integer < 0 ? berth__cel_error(run, "unsigned integer overflow")
                                   : berth__cel_uint((uint64_t)args[0].integer);
    case BERTH__CEL_TYPE_DOUBLE:
        if (!(args[0].real >= 0 && args[0].real < 18446744073709551616.0))
            return berth__cel_error(run, "unsigned integer overflow");
        return berth__cel_uint((uint64_t)args[0].real);
    case BERTH__CEL_TYPE_STRING: {
        errno = 0;
        uint64_t value =
            digits_of(args[0].text, false, text) ? strtoull(text, NULL, 10) : (uint64_t)(errno = 1);
        return errno != 0 ? no_conversion(run, "uint") : berth__cel_uint(value);
    }
    default:
        return args[0];
    }
}

/* Copy digits to `*out`, without the underscores between them. Returns their number; -1: an
 * underscore is not between two digits. `after_digit`: one may come first. */
static int copy_digits(const char **at, char **out, bool hex, bool after_digit)
{
    int count = 0;
    bool digit = after_digit;
    for (;; (*at)++) {
        if (hex ? isxdigit((unsigned char)**at) != 0 : isdigit((unsigned char)**at) != 0) {
            *(*out)++ = **at;
            digit = true;
            count++;
        } else if (**at != '_') {
            return digit || count == 0 ? count : -1;
        } else if (!digit) {
            return -1;
        } else {
            digit = false;
        }
    }
}

/* Rewrite a number from Go's syntax of doubles to that of strtod. False: it is not one. */
static bool rewrite_double(const char *at, char *out)
{
    if (*at == '+' || *at == '-')
        *out++ = *at++;
    if (strcasecmp(at, "inf") == 0 || strcasecmp(at, "infinity") == 0) {
        memcpy(out, "inf", sizeof("inf"));
        return true;
    }
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    for (int i = 0; hex && i < 2; i++)
        *out++ = *at++;
    int whole = copy_digits(&at, &out, hex, hex), fraction = 0;
    if (*at == '.') {
        *out++ = *at++;
        fraction = copy_digits(&at, &out, hex, false);
    }
    if (whole < 0 || fraction < 0 || whole + fraction == 0)
        return false;
    bool exponent = tolower((unsigned char)*at) == (hex ? 'p' : 'e');
    if (exponent) {
        *out++ = *at++;
        if (*at == '+' || *at == '-')
            *out++ = *at++;
        exponent = copy_digits(&at, &out, false, false) > 0;
        if (!exponent)
            return false;
    }
    *out = '\0';
    return *at == '\0' && exponent >= hex;
}

/* Read a double as Go's strconv.ParseFloat does. False: it is not one, or out of range. */
static bool read_double(berth_str from, double *out)
{
    char text[NUMBER_MAX], plain[NUMBER_MAX];
    if (from.len >= NUMBER_MAX || (from.len > 0 && memchr(from.data, '\0', from.len) != NULL))
        return false;
    snprintf(text, sizeof(text), "%.*s", (int)from.len, from.len > 0 ? from.data : "");
    if (strcasecmp(text, "nan") == 0) {
        *out = NAN;
        return true;
    }
    if (!rewrite_double(text, plain))
        return false;
    *out = strtod(plain, NULL);
    return !isinf(*out) || strpbrk(plain, "0123456789") == NULL;
}

DEFINE(to_double)
{
    (void)node;
    switch (args[0].kind) {
    case BERTH__CEL_TYPE_INT:
        return berth__cel_double((double)args[0].integer);
    case BERTH__CEL_TYPE_UINT:
        return berth__cel_double((double)args[0].natural);
    case BERTH__CEL_TYPE_STRING: {
        double value;
        return read_double(args[0].text, &value) ? berth__cel_double(value)
                                                 : no_conversion(run, "double");
    }
    default:
        return args[0];
    }
}

static berth__cel_value text_value(berth__cel_run *run, const char *text)
{
    size_t len = strlen(text);
    char *copy = berth__cel_alloc(run, len + 1);
    if (copy == NULL)
        return berth__cel_stopped(run);
    memcpy(copy, text, len + 1);
    return berth__cel_string((berth_str){copy, (uint32_t)len});
}

/* Print the shortest digits that read as the same double, as Go's strconv prints %g. */
static void print_double(double value, char *out, size_t size)
{
    enum { PLAIN_DIGITS = 6 }; /* larger exponents are written */
    if (isnan(value) || isinf(value)) {
        snprintf(out, size, "%s", isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
        return;
    }
    char digits[64];
    int precision = 0;
    for (; precision <= 16; precision++) {
        snprintf(digits, sizeof(digits), "%.*e", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    const char *mark = strchr(digits, 'e');
    int exponent = mark != NULL ? atoi(mark + 1) : 0;
    if (exponent < -4 || exponent >= PLAIN_DIGITS)
        snprintf(out, size, "%s", digits);
    else
        snprintf(out, size, "%.*f", precision > exponent ? precision - exponent : 0, value);
}

void berth__cel_print(berth__cel_value value, char out[BERTH__CEL_PRINT_MAX])
{
    switch (value.kind) {
    case BERTH__CEL_TYPE_INT:
        snprintf(out, BERTH__CEL_PRINT_MAX, "%" PRId64, value.integer);
        break;
    case BERTH__CEL_TYPE_UINT:
        snprintf(out, BERTH__CEL_PRINT_MAX, "%" PRIu64, value.natural);
        break;
    case BERTH__CEL_TYPE_DOUBLE:
        print_double(value.real, out, BERTH__CEL_PRINT_MAX);
        break;
    case BERTH__CEL_TYPE_BOOL:
        snprintf(out, BERTH__CEL_PRINT_MAX, "%s", value.flag ? "true" : "false");
        break;
    default:
        snprintf(out, BERTH__CEL_PRINT_MAX, "0"); /* null: Go prints the number of its enum */
        break;
    }
}

berth_str berth__cel_shown(berth__cel_value value, char out[BERTH__CEL_PRINT_MAX])
{
    if (value.kind == BERTH__CEL_TYPE_STRING)
        return value.text;
    bool printed = value.kind >= BERTH__CEL_TYPE_BOOL && value.kind <= BERTH__CEL_TYPE_DOUBLE;
    if (!printed && value.kind != BERTH__CEL_TYPE_NULL)
        return berth__text_of(berth__cel_kind_name(value));
    berth__cel_print(value, out);
    return berth__text_of(out);
}

static bool is_utf8(berth_str text);

DEFINE(to_string)
{
    (void)node;
    char text[BERTH__CEL_PRINT_MAX];
    switch (args[0].kind) {
    case BERTH__CEL_TYPE_BOOL:
    case BERTH__CEL_TYPE_INT:
    case BERTH__CEL_TYPE_UINT:
    case BERTH__CEL_TYPE_DOUBLE:
        berth__cel_print(args[0], text);
        return text_value(run, text);
    case BERTH__CEL_TYPE_BYTES:
        if (!is_utf8(args[0].text))
            return berth__cel_error(run, "invalid UTF-8 in bytes, cannot convert to string");
        return berth__cel_string(args[0].text);
    case BERTH__CEL_TYPE_IP:
    case BERTH__CEL_TYPE_CIDR:
        return berth__cel_net_text(run, args[0]);
    default:
        return args[0];
    }
}

DEFINE(to_bytes)
{
    (void)run, (void)node;
    berth__cel_value out = args[0];
    out.kind = BERTH__CEL_TYPE_BYTES;
    return out;
}

DEFINE(to_bool)
{
    static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
    static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False"};
    (void)node;
    if (args[0].kind == BERTH__CEL_TYPE_BOOL)
        return args[0];
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (berth__str_is(args[0].text, yes[i]))
            return berth__cel_bool(true);
        if (berth__str_is(args[0].text, no[i]))
            return berth__cel_bool(false);
    }
    return no_conversion(run, "bool");
}

DEFINE(to_dyn)
{
    (void)run, (void)node;
    return args[0];
}

DEFINE(type_of_value)
{
    (void)node;
    berth__cel_type *type = berth__cel_alloc(run, sizeof(*type));
    if (type == NULL)
        return berth__cel_stopped(run);
    *type = (berth__cel_type){.kind = args[0].kind};
    return (berth__cel_value){.kind = BERTH__CEL_TYPE_TYPE, .type = type};
}

static uint32_t sequence_len(unsigned char first)
{
    return first < 0x80                    ? 1
           : first >= 0xc2 && first < 0xe0 ? 2
           : first < 0xe0                  ? 0
           : first < 0xf0                  ? 3
           : first < 0xf5                  ? 4
                                           : 0;
}

static bool is_utf8(berth_str text)
{
    for (uint32_t i = 0; i < text.len;) {
        const unsigned char *at = (const unsigned char *)text.data + i;
        uint32_t len = sequence_len(*at);
        if (len == 0 || len > text.len - i)
            return false;
        for (uint32_t k = 1; k < len; k++) {
            if ((at[k] & 0xc0) != 0x80)
                return false;
        }
        if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
            (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
            return false;
        i += len;
    }
    return true;
}
