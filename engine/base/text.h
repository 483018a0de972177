/* Comparing, hashing and reading borrowed text. */
#ifndef BERTH_BASE_TEXT_H
#define BERTH_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

#include "berth/status.h"

/* The text of a zero-terminated string. BERTH_STR is for literals. */
static inline berth_str berth__text_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

/* Whether the bytes are equal. Absent text equals empty text here. */
static inline bool berth__str_eq(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool berth__str_is(berth_str a, const char *text)
{
    return berth__str_eq(a, berth__text_of(text));
}

static inline bool berth__str_empty(berth_str a)
{
    return a.len == 0;
}

static inline bool berth__str_starts(berth_str a, const char *prefix)
{
    size_t len = strlen(prefix);
    return a.len >= len && memcmp(a.data, prefix, len) == 0;
}

/* Compares by bytes. A prefix comes before the longer text. */
static inline int berth__str_cmp(berth_str a, berth_str b)
{
    uint32_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.data, b.data, len);
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

#endif
