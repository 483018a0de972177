/* Where and why a text is not JSON: a second, slow and strict pass over a text that the parser
 * refused. The parser is built for speed and only knows that the text is wrong. This walk finds the
 * first wrong byte and says what was expected there. It keeps one bit per open container, and never
 * recurses. */
#include "text/json_fault.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum { DEPTH_MAX = 1024 };

typedef struct walk {
    const unsigned char *text;
    size_t at;
    size_t len;
    unsigned depth;
    bool in_object[DEPTH_MAX + 1]; /* by depth */
    const char *expected;          /* set once a fault is found */
} walk;

static bool fault(walk *w, const char *expected)
{
    if (w->expected == NULL)
        w->expected = expected;
    return false;
}

static int peek(const walk *w)
{
    return w->at < w->len ? w->text[w->at] : -1;
}

static int skip_space(walk *w)
{
    int c;
    while ((c = peek(w)) == ' ' || c == '\t' || c == '\n' || c == '\r')
        w->at++;
    return c;
}

static bool take_digits(walk *w)
{
    if (peek(w) < '0' || peek(w) > '9')
        return fault(w, "a digit");
    while (peek(w) >= '0' && peek(w) <= '9')
        w->at++;
    return true;
}

static bool take_number(walk *w)
{
    if (peek(w) == '-')
        w->at++;
    if (peek(w) == '0')
        w->at++;
    else if (!take_digits(w))
        return false;
    if (peek(w) == '.') {
        w->at++;
        if (!take_digits(w))
            return false;
    }
    if (peek(w) == 'e' || peek(w) == 'E') {
        w->at++;
        if (peek(w) == '+' || peek(w) == '-')
            w->at++;
        return take_digits(w);
    }
    return true;
}

static bool take_word(walk *w, const char *word)
{
    size_t len = strlen(word);
    if (w->len - w->at < len || memcmp(w->text + w->at, word, len) != 0)
        return fault(w, "a value");
    w->at += len;
    return true;
}

/* The length of the UTF-8 sequence at the current byte; 0 if there is no valid one. */
static size_t sequence(const walk *w)
{
    const unsigned char *s = w->text + w->at;
    size_t left = w->len - w->at;
    size_t len = s[0] < 0x80   ? 1
                 : s[0] < 0xc2 ? 0
                 : s[0] < 0xe0 ? 2
                 : s[0] < 0xf0 ? 3
                 : s[0] < 0xf5 ? 4
                               : 0;
    if (len > left)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool surrogate = s[0] == 0xed && s[1] >= 0xa0;
    bool beyond = s[0] == 0xf4 && s[1] >= 0x90;
    return overlong || surrogate || beyond ? 0 : len;
}

static bool take_escape(walk *w)
{
    w->at++;
    int kind = peek(w);
    if (kind < 0 || strchr("\"\\/bfnrtu", kind) == NULL || kind == 0)
        return fault(w, "one of \" \\ / b f n r t u behind a backslash");
    w->at++;
    for (int i = 0; kind == 'u' && i < 4; i++) {
        int c = peek(w);
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return fault(w, "four hexadecimal digits behind \\u");
        w->at++;
    }
    return true;
}

static bool take_string(walk *w)
{
    if (peek(w) != '"')
        return fault(w, "a string in double quotes");
    w->at++;
    while (peek(w) != '"') {
        if (w->at >= w->len)
            return fault(w, "a closing quote");
        if (peek(w) == '\\') {
            if (!take_escape(w))
                return false;
            continue;
        }
        if (peek(w) < 0x20)
            return fault(w, "an escape instead of a bare control character in a string");
        size_t len = sequence(w);
        if (len == 0)
            return fault(w, "valid UTF-8");
        w->at += len;
    }
    w->at++;
    return true;
}

static bool take_scalar(walk *w)
{
    switch (peek(w)) {
    case '"':
        return take_string(w);
    case 't':
        return take_word(w, "true");
    case 'f':
        return take_word(w, "false");
    case 'n':
        return take_word(w, "null");
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return take_number(w);
    default:
        return fault(w, "a value");
    }
}

static bool take_key(walk *w)
{
    skip_space(w);
    if (!take_string(w))
        return false;
    if (skip_space(w) != ':')
        return fault(w, "':' behind a key");
    w->at++;
    return true;
}

/* Enter a container at the current byte. Sets `*empty` if it closes right away. */
static bool open_container(walk *w, bool *empty)
{
    bool object = peek(w) == '{';
    if (w->depth == DEPTH_MAX)
        return fault(w, "at most 1024 levels of nesting");
    w->at++;
    w->in_object[++w->depth] = object;
    *empty = skip_space(w) == (object ? '}' : ']');
    return *empty || !object || take_key(w);
}

/* After a value: close the containers that end here, and stop in front of the next value or at the
 * end. */
static bool leave_value(walk *w)
{
    while (w->depth > 0) {
        bool object = w->in_object[w->depth];
        int c = skip_space(w);
        if (c == ',') {
            w->at++;
            skip_space(w);
            return !object || take_key(w);
        }
        if (c != (object ? '}' : ']'))
            return fault(w, object ? "',' or '}'" : "',' or ']'");
        w->at++;
        w->depth--;
    }
    return true;
}

static bool take_document(walk *w)
{
    do {
        int c = skip_space(w);
        bool empty = true;
        if (c == '{' || c == '[') {
            if (!open_container(w, &empty))
                return false;
            if (!empty)
                continue;
        } else if (!take_scalar(w)) {
            return false;
        }
        if (!leave_value(w))
            return false;
    } while (w->depth > 0);
    skip_space(w);
    return w->at == w->len || fault(w, "nothing behind the value");
}

void berth__text_position(const char *text, size_t offset, uint32_t *line, uint32_t *column)
{
    size_t start = 0;
    uint32_t lines = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            lines++;
            start = i + 1;
        }
    }
    *line = lines;
    *column = (uint32_t)(offset - start) + 1;
}

static void describe(const walk *w, char *out, size_t size)
{
    int c = peek(w);
    if (c < 0)
        snprintf(out, size, "the end of the text");
    else if (c > 0x20 && c < 0x7f)
        snprintf(out, size, "'%c'", c);
    else
        snprintf(out, size, "byte 0x%02x", (unsigned)c);
}

berth_status berth__json_fault(berth_str text, berth_error *error)
{
    walk w = {.text = (const unsigned char *)text.data, .len = text.len};
    char found[32];
    take_document(&w);
    describe(&w, found, sizeof(found));
    berth__error_set(error, BERTH_E_PARSE, "found %s, expected %s", found,
                     w.expected != NULL ? w.expected : "JSON");
    if (error != NULL) {
        error->offset = w.at;
        berth__text_position(text.data, w.at, &error->line, &error->column);
    }
    return BERTH_E_PARSE;
}
