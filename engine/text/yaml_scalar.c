/* Types plain YAML scalars by the rules of YAML 1.1 as Kubernetes' YAML library applies them,
 * without sexagesimal numbers. Numbers keep every digit: a quantity of 0.1 stays one tenth. Source
 * of the rules: sigs.k8s.io/yaml v1.4, goyaml.v2 resolve.go. */
#include "text/yaml_scalar.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum { NUMBER_MAX = 64, WHOLE_DIGITS_MAX = 40 };

typedef struct word {
    const char *text;
    berth__json_type type;
    uint32_t value;
} word;

static const word words[] = {
    {"", BERTH__JSON_NULL, 0},      {"~", BERTH__JSON_NULL, 0},     {"null", BERTH__JSON_NULL, 0},
    {"Null", BERTH__JSON_NULL, 0},  {"NULL", BERTH__JSON_NULL, 0},  {"true", BERTH__JSON_BOOL, 1},
    {"True", BERTH__JSON_BOOL, 1},  {"TRUE", BERTH__JSON_BOOL, 1},  {"y", BERTH__JSON_BOOL, 1},
    {"Y", BERTH__JSON_BOOL, 1},     {"yes", BERTH__JSON_BOOL, 1},   {"Yes", BERTH__JSON_BOOL, 1},
    {"YES", BERTH__JSON_BOOL, 1},   {"on", BERTH__JSON_BOOL, 1},    {"On", BERTH__JSON_BOOL, 1},
    {"ON", BERTH__JSON_BOOL, 1},    {"false", BERTH__JSON_BOOL, 0}, {"False", BERTH__JSON_BOOL, 0},
    {"FALSE", BERTH__JSON_BOOL, 0}, {"n", BERTH__JSON_BOOL, 0},     {"N", BERTH__JSON_BOOL, 0},
    {"no", BERTH__JSON_BOOL, 0},    {"No", BERTH__JSON_BOOL, 0},    {"NO", BERTH__JSON_BOOL, 0},
    {"off", BERTH__JSON_BOOL, 0},   {"Off", BERTH__JSON_BOOL, 0},   {"OFF", BERTH__JSON_BOOL, 0},
};

/* A number in parts: sign, digits without leading zeros, and the power of ten that multiplies
 * them. */
typedef struct decimal {
    bool negative;
    char digits[NUMBER_MAX];
    int count;
    int exponent;
} decimal;

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* Integers with a base: 0x1f, 0b101, 0o17, 017. Integers larger than 64 bits are text. */
static bool based_integer(const char *text, char *out)
{
    bool negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (text[0] != '0' || text[1] == '\0')
        return false;
    char kind = text[1] | 0x20;
    int base = kind == 'x' ? 16 : kind == 'b' ? 2 : 8;
    text += kind == 'x' || kind == 'b' || kind == 'o' ? 2 : 1;
    uint64_t value = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        int digit = digit_value(*text);
        if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    snprintf(out, NUMBER_MAX, "%s%llu", negative && value != 0 ? "-" : "",
             (unsigned long long)value);
    return true;
}

static const char *scan_digits(const char *text, decimal *out, int scale)
{
    for (; *text >= '0' && *text <= '9'; text++) {
        if (*text != '0' || out->count > 0)
            out->digits[out->count++] = *text;
        out->exponent -= scale;
    }
    return text;
}

/* [+-] digits [. digits] [e [+-] digits], at least one digit in front of the exponent. */
static bool scan_decimal(const char *text, decimal *out)
{
    *out = (decimal){.negative = *text == '-'};
    if (*text == '-' || *text == '+')
        text++;
    const char *whole = text;
    text = scan_digits(text, out, 0);
    bool any = text > whole;
    if (*text == '.') {
        const char *fraction = text + 1;
        text = scan_digits(fraction, out, 1);
        any = any || text > fraction;
    }
    if (!any)
        return false;
    if (*text == 'e' || *text == 'E') {
        text++;
        bool below = *text == '-';
        if (*text == '-' || *text == '+')
            text++;
        const char *power = text;
        int exponent = 0;
        for (; *text >= '0' && *text <= '9'; text++)
            exponent = exponent > 9999 ? exponent : exponent * 10 + (*text - '0');
        if (text == power || exponent > 308)
            return false; /* a number beyond a float64 is text */
        out->exponent += below ? -exponent : exponent;
    }
    return *text == '\0';
}

static char *put_digits(char *out, const char *digits, int count)
{
    memcpy(out, digits, (size_t)count);
    return out + count;
}

static char *put_zeros(char *out, int count)
{
    memset(out, '0', (size_t)count);
    return out + count;
}

/* Prints whole numbers without point and exponent (`replicas: 1e1` becomes an integer, as when
 * Kubernetes' tools print the float that they read), and other numbers as plain decimals while they
 * are short. `out` has room for twice NUMBER_MAX. */
static void print_decimal(decimal *d, char *out)
{
    while (d->count > 0 && d->digits[d->count - 1] == '0') {
        d->count--;
        d->exponent++;
    }
    if (d->count == 0) {
        memcpy(out, "0", 2);
        return;
    }
    int whole = d->count + d->exponent; /* digits in front of the point */
    if (d->negative)
        *out++ = '-';
    if (whole > WHOLE_DIGITS_MAX || whole < -WHOLE_DIGITS_MAX) {
        out = put_digits(out, d->digits, d->count);
        sprintf(out, "e%d", d->exponent);
        return;
    }
    if (d->exponent >= 0) {
        out = put_zeros(put_digits(out, d->digits, d->count), d->exponent);
    } else if (whole > 0) {
        out = put_digits(out, d->digits, whole);
        *out++ = '.';
        out = put_digits(out, d->digits + whole, -d->exponent);
    } else {
        *out++ = '0';
        *out++ = '.';
        out = put_digits(put_zeros(out, -whole), d->digits, d->count);
    }
    *out = '\0';
}

static bool is_number(berth_str text, char *out)
{
    char plain[NUMBER_MAX];
    uint32_t count = 0;
    if (text.len >= NUMBER_MAX || strchr("+-.0123456789", text.data[0]) == NULL)
        return false;
    for (uint32_t i = 0; i < text.len; i++) {
        if (text.data[i] != '_')
            plain[count++] = text.data[i];
    }
    plain[count] = '\0';
    decimal parts;
    if (based_integer(plain, out))
        return true;
    if ((text.data[0] == '.' && count != text.len) || !scan_decimal(plain, &parts))
        return false;
    print_decimal(&parts, out);
    return true;
}

static bool is_not_finite(berth_str text)
{
    static const char *const names[] = {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"};
    if (text.len == 5 && (text.data[0] == '+' || text.data[0] == '-'))
        text = (berth_str){text.data + 1, 4};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (berth__str_is(text, names[i]))
            return true;
    }
    return false;
}

bool berth__yaml_scalar(berth__arena *arena, berth_str text, berth__json *out)
{
    char number[2 * NUMBER_MAX];
    bool ok = true;
    for (size_t i = 0; text.len <= 5 && i < sizeof(words) / sizeof(words[0]); i++) {
        if (berth__str_is(text, words[i].text)) {
            *out = (berth__json){.type = words[i].type, .count = words[i].value};
            return true;
        }
    }
    if (is_number(text, number)) {
        *out = (berth__json){.type = BERTH__JSON_NUMBER};
        out->as.text = berth__arena_str(arena, berth__text_of(number), &ok);
        return ok;
    }
    *out = (berth__json){.type = BERTH__JSON_STRING, .as.text = text};
    /* JSON has no such number. No field accepts it, and the error quotes the text to the user. */
    if (is_not_finite(text))
        out->type = BERTH__JSON_NUMBER;
    return true;
}
