/* Prints a JSON tree as compact JSON, for comparisons in tests. */
#ifndef BERTH_TESTS_TREE_TEXT_H
#define BERTH_TESTS_TREE_TEXT_H

#include <stdio.h>
#include <string.h>

#include "text/json.h"

typedef struct tree_text {
    char text[65536];
    size_t len;
} tree_text;

static void tree_put(tree_text *out, const char *bytes, size_t len)
{
    assert_true(out->len + len < sizeof(out->text));
    if (len > 0)
        memcpy(out->text + out->len, bytes, len);
    out->len += len;
    out->text[out->len] = '\0';
}

static void tree_put_string(tree_text *out, berth_str text)
{
    tree_put(out, "\"", 1);
    for (uint32_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        char escape[8];
        if (c == '"' || c == '\\' || c < 0x20)
            tree_put(out, escape, (size_t)snprintf(escape, sizeof(escape), "\\u%04x", c));
        else
            tree_put(out, text.data + i, 1);
    }
    tree_put(out, "\"", 1);
}

static void tree_write(tree_text *out, const berth__json *value)
{
    bool object = value->type == BERTH__JSON_OBJECT;
    switch (value->type) {
    case BERTH__JSON_NULL:
        tree_put(out, "null", 4);
        return;
    case BERTH__JSON_BOOL:
        tree_put(out, value->count ? "true" : "false", value->count ? 4 : 5);
        return;
    case BERTH__JSON_NUMBER:
        tree_put(out, value->as.text.data, value->as.text.len);
        return;
    case BERTH__JSON_STRING:
        tree_put_string(out, value->as.text);
        return;
    default:
        break;
    }
    tree_put(out, object ? "{" : "[", 1);
    for (uint32_t i = 0; i < value->count; i++) {
        if (i > 0)
            tree_put(out, ",", 1);
        if (object) {
            tree_put_string(out, value->as.members[i].key);
            tree_put(out, ":", 1);
        }
        tree_write(out, object ? &value->as.members[i].value : &value->as.items[i]);
    }
    tree_put(out, object ? "}" : "]", 1);
}

#endif
