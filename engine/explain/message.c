/* kube-scheduler's one-line failure messages. */
#include "explain/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void berth__histogram_init(berth__histogram *histogram, berth__arena *arena)
{
    *histogram = (berth__histogram){.arena = arena};
}

bool berth__histogram_add(berth__histogram *histogram, berth_str reason, uint32_t count)
{
    for (uint32_t i = 0; i < histogram->count; i++) {
        if (berth__str_eq(histogram->items[i].reason, reason)) {
            histogram->items[i].count += count;
            return true;
        }
    }
    if (histogram->count == histogram->capacity) {
        uint32_t capacity = histogram->capacity * 2 + 8;
        berth__histogram_entry *items =
            berth__arena_alloc(histogram->arena, capacity * sizeof(*items), 8);
        if (items == NULL)
            return false;
        if (histogram->count > 0)
            memcpy(items, histogram->items, histogram->count * sizeof(*items));
        histogram->items = items;
        histogram->capacity = capacity;
    }
    histogram->items[histogram->count++] = (berth__histogram_entry){reason, count};
    return true;
}

berth_str berth__message_join(berth__arena *arena, const berth_str *reasons, uint32_t count)
{
    size_t bytes = 1;
    for (uint32_t i = 0; i < count; i++)
        bytes += reasons[i].len + 2;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL)
        return (berth_str){0};
    size_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0) {
            memcpy(text + at, ", ", 2);
            at += 2;
        }
        if (reasons[i].len > 0)
            memcpy(text + at, reasons[i].data, reasons[i].len);
        at += reasons[i].len;
    }
    text[at] = '\0';
    return (berth_str){text, (uint32_t)at};
}

berth_str berth__message_in_brackets(berth__arena *arena, berth_str words)
{
    char *text = berth__arena_alloc(arena, (size_t)words.len + 2, 1);
    if (text == NULL)
        return (berth_str){0};
    text[0] = '[';
    memcpy(text + 1, words.data, words.len);
    text[words.len + 1] = ']';
    return (berth_str){text, words.len + 2};
}

/* The position at which a name belongs in the list that begins at `at`; `*there` is set if the list
 * has the name. */
static uint32_t place_in_list(berth_str reason, uint32_t at, berth_str name, bool *there)
{
    *there = false;
    while (at < reason.len && reason.data[at] != ']') {
        uint32_t end = at;
        while (end < reason.len && reason.data[end] != ' ' && reason.data[end] != ']')
            end++;
        const int order = berth__str_cmp((berth_str){reason.data + at, end - at}, name);
        *there = order == 0;
        if (order >= 0)
            return at;
        at = reason.data[end] == ' ' ? end + 1 : end;
    }
    return at;
}

berth_str berth__message_add_plugin(berth__arena *arena, berth_str reason, berth_str plugin)
{
    const char *list = memchr(reason.data, '[', reason.len);
    bool there = true;
    const uint32_t at =
        list != NULL ? place_in_list(reason, (uint32_t)(list - reason.data) + 1, plugin, &there)
                     : 0;
    if (there)
        return reason;
    const bool last = reason.data[at] == ']';
    char *text = berth__arena_alloc(arena, (size_t)reason.len + plugin.len + 1, 1);
    if (text == NULL)
        return (berth_str){0};
    char *to = mempcpy(text, reason.data, at);
    if (last)
        *to++ = ' ';
    to = mempcpy(to, plugin.data, plugin.len);
    if (!last)
        *to++ = ' ';
    memcpy(to, reason.data + at, reason.len - at);
    return (berth_str){text, reason.len + plugin.len + 1};
}

static int by_bytes(const void *a, const void *b)
{
    return berth__str_cmp(*(const berth_str *)a, *(const berth_str *)b);
}

/* The entries as texts in byte order: "10 x" comes before "2 y". */
static berth_str entries_text(berth__arena *arena, const berth__histogram *histogram)
{
    berth_str *entries = berth__arena_alloc(arena, histogram->count * sizeof(*entries), 8);
    if (entries == NULL)
        return (berth_str){0};
    for (uint32_t i = 0; i < histogram->count; i++) {
        const berth__histogram_entry *item = &histogram->items[i];
        size_t bytes = (size_t)item->reason.len + 16;
        char *text = berth__arena_alloc(arena, bytes, 1);
        if (text == NULL)
            return (berth_str){0};
        int len = snprintf(text, bytes, "%u %.*s", (unsigned)item->count, (int)item->reason.len,
                           item->reason.data);
        entries[i] = (berth_str){text, (uint32_t)len};
    }
    if (histogram->count > 1)
        qsort(entries, histogram->count, sizeof(*entries), by_bytes);
    return berth__message_join(arena, entries, histogram->count);
}

berth_str berth__message_unschedulable(berth__arena *arena, uint32_t node_count, berth_str for_all,
                                       const berth__histogram *histogram)
{
    berth_str body = for_all;
    if (for_all.data == NULL)
        body = entries_text(arena, histogram);
    if (body.data == NULL)
        return body;
    size_t bytes = (size_t)body.len + 64;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL)
        return (berth_str){0};
    int len = snprintf(text, bytes, "0/%u nodes are available:", (unsigned)node_count);
    if (body.len > 0)
        len += snprintf(text + len, bytes - (size_t)len, " %.*s.", (int)body.len, body.data);
    return (berth_str){text, (uint32_t)len};
}

berth_str berth__message_of_preemption(berth__arena *arena, berth_str words)
{
    const size_t bytes = (size_t)words.len + 16;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL)
        return (berth_str){0};
    int len = snprintf(text, bytes, "preemption: %.*s", (int)words.len, words.data);
    return (berth_str){text, (uint32_t)len};
}

berth_str berth__message_with_parts(berth__arena *arena, berth_str first, const berth_str *parts,
                                    uint32_t count)
{
    berth_str joined = berth__message_join(arena, parts, count);
    if (joined.data == NULL)
        return joined;
    size_t bytes = (size_t)first.len + joined.len + 2;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL)
        return (berth_str){0};
    int len = snprintf(text, bytes, "%.*s %.*s", (int)first.len, first.data, (int)joined.len,
                       joined.data);
    return (berth_str){text, (uint32_t)len};
}
