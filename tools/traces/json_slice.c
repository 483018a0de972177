/* Finds parts of a JSON text by brackets and quotes alone. */
#include "traces/json_slice.h"

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

json_slice_step json_slice_next_member(berth_str object, size_t *at, berth_str *key,
                                       berth_str *value)
{
    size_t from = skip_blanks(object, *at);
    if (*at == 0) {
        if (from >= object.len || object.data[from] != '{')
            return JSON_SLICE_BROKEN;
        from = skip_blanks(object, from + 1);
    } else if (from < object.len && object.data[from] == ',') {
        from = skip_blanks(object, from + 1);
        if (from < object.len && object.data[from] == '}')
            return JSON_SLICE_BROKEN;
    } else if (from < object.len && object.data[from] != '}') {
        return JSON_SLICE_BROKEN;
    }
    if (from < object.len && object.data[from] == '}') {
        *at = from + 1;
        return JSON_SLICE_END;
    }
    if (from >= object.len || object.data[from] != '"')
        return JSON_SLICE_BROKEN;
    size_t key_end = string_end(object, from);
    size_t colon = key_end == 0 ? object.len : skip_blanks(object, key_end);
    if (colon >= object.len || object.data[colon] != ':')
        return JSON_SLICE_BROKEN;
    size_t start = skip_blanks(object, colon + 1);
    size_t end = value_end(object, start);
    if (end == 0)
        return JSON_SLICE_BROKEN;
    *key = cut(object, from + 1, key_end - 1);
    *value = cut(object, start, end);
    *at = end;
    return JSON_SLICE_MEMBER;
}

berth_str json_slice_member(berth_str object, const char *key)
{
    size_t key_len = strlen(key);
    size_t at = 0;
    berth_str name;
    berth_str value;
    while (json_slice_next_member(object, &at, &name, &value) == JSON_SLICE_MEMBER)
        if (name.len == key_len && memcmp(name.data, key, key_len) == 0)
            return value;
    return (berth_str){NULL, 0};
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
