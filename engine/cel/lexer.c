/* Tokens of expressions: names, operators, punctuation, and literals with their values. */
#include <errno.h>
#include <stdlib.h>

#include "cel/syntax.h"

typedef struct reader {
    berth__cel_source *source;
    const char *data;
    uint32_t at, end;
} reader;

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int hex_of(int c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int peek(const reader *r, uint32_t ahead)
{
    return r->at + ahead < r->end ? (unsigned char)r->data[r->at + ahead] : -1;
}

static void skip_blanks(reader *r)
{
    for (;;) {
        int c = peek(r, 0);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
            r->at++;
        } else if (c == '/' && peek(r, 1) == '/') {
            while (r->at < r->end && r->data[r->at] != '\n')
                r->at++;
        } else {
            return;
        }
    }
}

/* ---- numbers ---- */

static void whole(const char *text, int base, bool is_unsigned, berth__cel_token *out)
{
    errno = 0;
    uint64_t value = strtoull(text, NULL, base);
    bool negative = *text == '-';
    if (is_unsigned) {
        if (errno != 0)
            out->bad = "invalid uint literal";
        out->value = berth__cel_uint(value);
        return;
    }
    if (errno != 0 || value > (uint64_t)INT64_MAX)
        out->bad = "invalid int literal";
    out->value = berth__cel_int(negative ? -(int64_t)value : (int64_t)value);
}

static uint32_t digits_at(const reader *r, uint32_t ahead)
{
    uint32_t count = 0;
    while (is_digit(peek(r, ahead + count)))
        count++;
    return count;
}

static bool is_mark(int c, char mark)
{
    return c == mark || c == mark - 'a' + 'A';
}

/* The length in bytes of a fraction and exponent after the first `len` bytes; 0: there is none. */
static uint32_t fraction_at(const reader *r, uint32_t len)
{
    uint32_t from = len;
    if (peek(r, len) == '.' && is_digit(peek(r, len + 1)))
        len += 1 + digits_at(r, len + 1);
    if (is_mark(peek(r, len), 'e')) {
        uint32_t sign = peek(r, len + 1) == '+' || peek(r, len + 1) == '-' ? 1 : 0;
        uint32_t digits = digits_at(r, len + 1 + sign);
        if (digits > 0)
            len += 1 + sign + digits;
    }
    return len - from;
}

static berth__cel_token number(reader *r)
{
    enum { NUMBER_MAX = 400 };
    char text[NUMBER_MAX + 1];
    berth__cel_token out = {.kind = BERTH__CEL_NUMBER, .at = r->at};
    uint32_t len = 0;
    int base = 10;
    bool real = false;
    if (peek(r, 0) == '0' && peek(r, 1) == 'x' && hex_of(peek(r, 2)) >= 0) {
        base = 16;
        for (len = 2; hex_of(peek(r, len)) >= 0;)
            len++;
    } else {
        len = digits_at(r, 0);
        uint32_t more = fraction_at(r, len);
        real = more > 0;
        len += more;
    }
    uint32_t copied = len < NUMBER_MAX ? len : NUMBER_MAX;
    memcpy(text, r->data + r->at, copied);
    text[copied] = '\0';
    if (real) {
        out.value = berth__cel_double(strtod(text, NULL));
        if (out.value.real > 1.7976931348623157e308)
            out.bad = "invalid double literal";
    } else {
        bool is_unsigned = is_mark(peek(r, len), 'u');
        whole(text, base, is_unsigned, &out);
        if (len > NUMBER_MAX)
            out.bad = is_unsigned ? "invalid uint literal" : "invalid int literal";
        len += is_unsigned ? 1 : 0;
    }
    out.text = (berth_str){r->data + r->at, len};
    r->at += len;
    return out;
}

/* ---- strings ---- */

static uint32_t put_utf8(char *out, uint32_t rune)
{
    if (rune < 0x80) {
        out[0] = (char)rune;
        return 1;
    }
    if (rune < 0x800) {
        out[0] = (char)(0xc0 | rune >> 6);
        out[1] = (char)(0x80 | (rune & 0x3f));
        return 2;
    }
    if (rune < 0x10000) {
        out[0] = (char)(0xe0 | rune >> 12);
        out[1] = (char)(0x80 | (rune >> 6 & 0x3f));
        out[2] = (char)(0x80 | (rune & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | rune >> 18);
    out[1] = (char)(0x80 | (rune >> 12 & 0x3f));
    out[2] = (char)(0x80 | (rune >> 6 & 0x3f));
    out[3] = (char)(0x80 | (rune & 0x3f));
    return 4;
}

static int simple_escape(int c)
{
    switch (c) {
    case 'a':
        return '\a';
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'v':
        return '\v';
    case '\\':
    case '\'':
    case '"':
    case '`':
    case '?':
        return c;
    default:
        return -1;
    }
}

/* The code of an escape (after its backslash), and how many characters it has; 0: not an escape. */
static uint32_t escape(const char *at, const char *end, uint32_t *code)
{
    int c = (unsigned char)*at, simple = simple_escape(c);
    uint32_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    *code = (uint32_t)simple;
    if (simple >= 0)
        return 1;
    *code = 0;
    if (digits > 0) {
        if (end - at < (ptrdiff_t)digits + 1)
            return 0;
        for (uint32_t i = 1; i <= digits; i++) {
            int digit = hex_of((unsigned char)at[i]);
            if (digit < 0)
                return 0;
            *code = *code << 4 | (uint32_t)digit;
        }
        return digits + 1;
    }
    if (c < '0' || c > '3' || end - at < 3)
        return 0;
    for (uint32_t i = 0; i < 3; i++) {
        if (at[i] < '0' || at[i] > '7')
            return 0;
        *code = *code << 3 | (uint32_t)(at[i] - '0');
    }
    return 3;
}

/* The value of a string without quotes. In bytes, \x and octal escapes stand for bytes, not
 * runes. */
static void unquote(reader *r, const char *at, const char *end, bool raw, bool bytes,
                    berth__cel_token *out)
{
    char *buffer = berth__arena_alloc(r->source->arena, (size_t)(end - at) + 4, 1);
    if (buffer == NULL) {
        r->source->no_memory = true;
        return;
    }
    uint32_t len = 0;
    while (at < end) {
        uint32_t code = 0;
        if (*at == '\r') { /* each line end becomes one character */
            buffer[len++] = '\n';
            at += at + 1 < end && at[1] == '\n' ? 2 : 1;
            continue;
        }
        if (raw || *at != '\\') {
            buffer[len++] = *at++;
            continue;
        }
        char kind = at + 1 < end ? at[1] : '\0';
        uint32_t used = at + 1 < end ? escape(at + 1, end, &code) : 0;
        bool wide = kind == 'u' || kind == 'U';
        bool known = code <= 0x10ffff && (code < 0xd800 || code >= 0xe000);
        if (used == 0 || (bytes && wide) || !known) {
            out->bad = known ? "unable to unescape string" : "invalid unicode code point";
            break;
        }
        at += 1 + used;
        if (bytes)
            buffer[len++] = (char)code;
        else
            len += put_utf8(buffer + len, code);
    }
    out->value = berth__cel_string((berth_str){buffer, len});
    if (bytes)
        out->value.kind = BERTH__CEL_TYPE_BYTES;
}

/* The number of prefixes (r, b) in front of a quote; -1: no string begins here. */
static int prefix_of(const reader *r, bool *raw, bool *bytes)
{
    int count = 0;
    *raw = *bytes = false;
    for (; count < 2; count++) {
        int c = peek(r, (uint32_t)count);
        if (is_mark(c, 'r') && !*raw)
            *raw = true;
        else if (is_mark(c, 'b') && !*bytes && !*raw)
            *bytes = true;
        else
            break;
    }
    int quote = peek(r, (uint32_t)count);
    return quote == '"' || quote == '\'' ? count : -1;
}

/* Read a string and move past it. False: the string does not end, and `r` is at the end of the
 * faulty text. */
static bool string(reader *r, int prefix, bool raw, bool bytes, berth__cel_token *out)
{
    uint32_t begin = r->at, at = r->at + (uint32_t)prefix;
    char quote = r->data[at];
    bool triple = at + 2 < r->end && r->data[at + 1] == quote && r->data[at + 2] == quote;
    uint32_t marks = triple ? 3 : 1, first = at + marks;
    for (at = first; at < r->end; at++) {
        char c = r->data[at];
        if (!triple && (c == '\n' || c == '\r'))
            break;
        if (c == '\\' && !raw) {
            at++;
        } else if (c == quote && (!triple || (at + 2 < r->end && r->data[at + 1] == quote &&
                                              r->data[at + 2] == quote))) {
            *out = (berth__cel_token){.kind = BERTH__CEL_TEXT, .at = begin};
            out->text = (berth_str){r->data + begin, at + marks - begin};
            unquote(r, r->data + first, r->data + at, raw, bytes, out);
            r->at = at + marks;
            return true;
        }
    }
    r->at = at < r->end ? at : r->end;
    berth__cel_fault_add(r->source, begin, "Syntax error: token recognition error at: '%.*s'",
                         (int)(r->at - begin), r->data + begin);
    return false;
}

/* ---- all tokens ---- */

static uint32_t sign_len(const reader *r)
{
    static const char *const doubles[] = {"==", "!=", "<=", ">=", "&&", "||"};
    int a = peek(r, 0), b = peek(r, 1);
    for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
        if (a == doubles[i][0] && b == doubles[i][1])
            return 2;
    }
    return a > 0 && strchr("+-*/%<>!?:.,()[]{}", a) != NULL ? 1 : 0;
}

static uint32_t rune_len(const reader *r)
{
    uint32_t len = 1;
    while ((peek(r, len) & 0xc0) == 0x80 && peek(r, len) >= 0)
        len++;
    return len;
}

static berth__cel_token next(reader *r)
{
    berth__cel_token out = {.kind = BERTH__CEL_END};
    for (;;) {
        skip_blanks(r);
        out.at = r->at;
        if (r->at >= r->end)
            return out;
        bool raw, bytes;
        int prefix = prefix_of(r, &raw, &bytes);
        if (prefix >= 0) {
            if (string(r, prefix, raw, bytes, &out))
                return out;
            continue;
        }
        int c = peek(r, 0);
        if (is_digit(c) || (c == '.' && is_digit(peek(r, 1))))
            return number(r);
        uint32_t len = 0;
        if (is_letter(c)) {
            while (is_letter(peek(r, len)) || is_digit(peek(r, len)))
                len++;
            out.kind = BERTH__CEL_WORD;
        } else {
            len = sign_len(r);
            out.kind = BERTH__CEL_SIGN;
        }
        if (len > 0) {
            out.text = (berth_str){r->data + r->at, len};
            if (berth__str_is(out.text, "in"))
                out.kind = BERTH__CEL_SIGN;
            r->at += len;
            return out;
        }
        len = rune_len(r);
        berth__cel_fault_add(r->source, r->at, "Syntax error: token recognition error at: '%.*s'",
                             (int)len, r->data + r->at);
        r->at += len;
    }
}

berth__cel_token berth__cel_lex(berth__cel_source *source, uint32_t *at)
{
    reader r = {source, source->text.data, *at, source->text.len};
    berth__cel_token token = next(&r);
    *at = r.at;
    return token;
}
