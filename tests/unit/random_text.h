/* For tests that build random texts: appends a piece, or corrupts one byte. */
#ifndef BERTH_TESTS_UNIT_RANDOM_TEXT_H
#define BERTH_TESTS_UNIT_RANDOM_TEXT_H

#include <stdarg.h>
#include <stdio.h>

#include "base/random.h"
#include "counted_memory.h"

enum { TEXT_MAX = 1 << 16 };

typedef struct text {
    char data[TEXT_MAX];
    size_t len;
} text;

static void add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(t->data + t->len, sizeof(t->data) - t->len, format, args);
    va_end(args);
    assert_true(len >= 0 && t->len + (size_t)len < sizeof(t->data));
    t->len += (size_t)len;
}

/* Replace a byte after the second one by one that may mean something to JSON. */
static void spoil(text *t, berth__random *random)
{
    uint32_t at = 2 + berth__random_below(random, (uint32_t)t->len - 2);
    t->data[at] = "x\"{}[],:\\\n\x01"[berth__random_below(random, 11)];
}

#endif
