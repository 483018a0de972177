/* A short list that is searched linearly: a few hundred bindings arrive while one is held. */
#include "live/run/seen_bindings.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

void seen_bindings_hold(seen_bindings *b, message *m, int64_t now_ns)
{
    b->items = heap_grow(b->items, &b->capacity, b->count + 1, sizeof(*b->items));
    b->items[b->count++] = (seen_binding){m, now_ns};
}

static message *take(seen_bindings *b, size_t at)
{
    message *m = b->items[at].message;
    b->count--;
    memmove(&b->items[at], &b->items[at + 1], (b->count - at) * sizeof(*b->items));
    return m;
}

static int32_t priority_of(const message *m)
{
    const berth_pod *pod = m->object->as.pod;
    return pod->has_priority ? pod->priority : 0;
}

static bool is_before(const message *a, const message *b)
{
    int32_t first = priority_of(a), second = priority_of(b);
    return first != second ? first > second : a->born < b->born;
}

message *seen_bindings_next(seen_bindings *b, int64_t now_ns)
{
    size_t first = 0;
    if (b->count == 0 || now_ns - b->items[0].seen_ns < SEEN_BINDINGS_HELD_MS * INT64_C(1000000))
        return NULL;
    for (size_t i = 1; i < b->count; i++)
        if (is_before(b->items[i].message, b->items[first].message))
            first = i;
    return take(b, first);
}

static bool is_same(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

message *seen_bindings_take(seen_bindings *b, berth_str namespace_name, berth_str name)
{
    for (size_t i = 0; i < b->count; i++) {
        const berth_metadata *meta = &b->items[i].message->object->as.pod->meta;
        if (is_same(meta->name, name) && is_same(meta->namespace_name, namespace_name))
            return take(b, i);
    }
    return NULL;
}

void seen_bindings_free(seen_bindings *b)
{
    for (size_t i = 0; i < b->count; i++)
        message_free(b->items[i].message);
    free(b->items);
    *b = (seen_bindings){.count = 0};
}
