/* Finding values by their brackets and quotes alone. */
#include "json_slice.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_blanks(berth_str text, size_t at)
{
    while (at < text.len && is_blank(text.data[at]))
        at++;
    return at;
}

/* The end of the string that begins at `at`; 0 if it has none. */
static size_t string_end(berth_str text, size_t at)
{
    for (at++; at < text.len; at++) {
        if (text.data[at] == '\\')
            at++;
        else if (text.data[at] == '"')
            return at + 1;
    }
    return 0;
}

/* The end of the value that begins at `at`; 0 if it has none. */
static size_t value_end(berth_str text, size_t at)
{
    size_t depth = 0;
    size_t start = at;
    while (at < text.len) {
        char c = text.data[at];
        if (c == '"') {
            at = string_end(text, at);
            if (at == 0)
                return 0;
            if (depth == 0)
                return at;
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            if (depth == 0)
                break;
            if (--depth == 0)
                return at + 1;
        } else if (depth == 0 && (is_blank(c) || c == ',' || c == ':')) {
            break;
        }
        at++;
    }
    return depth == 0 && at > start ? at : 0;
}

static berth_str cut(berth_str text, size_t from, size_t to)
{
    return (berth_str){text.data + from, (uint32_t)(to - from)};
}

berth_str json_slice_member(berth_str object, const char *key)
{
    const berth_str none = {NULL, 0};
    size_t key_len = strlen(key);
    size_t at = skip_blanks(object, 0);
    if (at >= object.len || object.data[at] != '{')
        return none;
    at = skip_blanks(object, at + 1);
    while (at < object.len && object.data[at] == '"') {
        size_t key_end = string_end(object, at);
        size_t colon = key_end == 0 ? object.len : skip_blanks(object, key_end);
        if (colon >= object.len || object.data[colon] != ':')
            return none;
        size_t from = skip_blanks(object, colon + 1);
        size_t to = value_end(object, from);
        if (to == 0)
            return none;
        if (key_end - at - 2 == key_len && memcmp(object.data + at + 1, key, key_len) == 0)
            return cut(object, from, to);
        at = skip_blanks(object, to);
        if (at < object.len && object.data[at] == ',')
            at = skip_blanks(object, at + 1);
    }
    return none;
}

bool json_slice_next(berth_str array, size_t *at, berth_str *element)
{
    size_t from = skip_blanks(array, *at);
    if (*at == 0) {
        if (from >= array.len || array.data[from] != '[')
            return false;
        from = skip_blanks(array, from + 1);
    } else if (from < array.len && array.data[from] == ',') {
        from = skip_blanks(array, from + 1);
    }
    if (from >= array.len || array.data[from] == ']')
        return false;
    size_t to = value_end(array, from);
    if (to == 0)
        return false;
    *at = to;
    *element = cut(array, from, to);
    return true;
}
