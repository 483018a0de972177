/* A text that grows. */
#include "cli/text_buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "cli/words.h"

void text_clear(text_buffer *t)
{
    t->len = 0;
    if (t->capacity > 0)
        t->text[0] = '\0';
}

void text_free(text_buffer *t)
{
    free(t->text);
    *t = (text_buffer){0};
}

void text_add(text_buffer *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len <= 0)
        return;
    t->text = heap_grow(t->text, &t->capacity, t->len + (size_t)len + 1, 1);
    va_start(args, format);
    vsnprintf(t->text + t->len, (size_t)len + 1, format, args);
    va_end(args);
    t->len += (size_t)len;
}

/* Make room for `bytes` more and the end. */
static void reserve(text_buffer *t, size_t bytes)
{
    t->text = heap_grow(t->text, &t->capacity, t->len + bytes + 1, 1);
}

static void put(text_buffer *t, berth_str piece)
{
    if (piece.len > 0)
        memcpy(t->text + t->len, piece.data, piece.len);
    t->len += piece.len;
}

void text_add_str(text_buffer *t, berth_str piece)
{
    if (piece.len == 0)
        return;
    reserve(t, piece.len);
    put(t, piece);
    t->text[t->len] = '\0';
}

berth_str text_name(text_buffer *t, berth_str kind, berth_str namespace_name, berth_str name)
{
    if (namespace_name.len == 0)
        namespace_name = words_of("default");
    text_clear(t);
    reserve(t, (size_t)kind.len + namespace_name.len + name.len + 2);
    if (kind.len > 0) {
        put(t, kind);
        put(t, words_of(" "));
    }
    put(t, namespace_name);
    put(t, words_of("/"));
    put(t, name);
    t->text[t->len] = '\0';
    return text_str(t);
}

berth_str text_str(const text_buffer *t)
{
    return (berth_str){t->len > 0 ? t->text : "", (uint32_t)t->len};
}
