/* A list of hashes, 16 bytes per object, which is searched only if an object appears twice. */
#include "inspect/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

/* Hashes eight bytes at a time. Hashes are only compared within one run. */
static uint64_t mix(uint64_t hash, berth_str text)
{
    uint64_t piece = 0;
    uint32_t at = 0;
    for (; at + 8 <= text.len; at += 8) {
        memcpy(&piece, text.data + at, 8);
        hash = (hash ^ piece) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    if (text.len >= 8) {
        memcpy(&piece, text.data + text.len - 8, 8);
    } else {
        piece = text.len;
        for (; at < text.len; at++)
            piece = piece << 8 | (unsigned char)text.data[at];
    }
    hash = (hash ^ piece) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const berth_object *object)
{
    const berth_metadata *meta = object->as.any;
    uint64_t hash = mix((uint64_t)object->kind + 1, meta->name);
    bool is_default = meta->namespace_name.len == 0 ||
                      words_equal(meta->namespace_name, (berth_str){"default", 7});
    return is_default ? hash : mix(hash, meta->namespace_name);
}

void places_source(places *p, const char *source)
{
    p->source_known = source != NULL;
    if (source != NULL)
        p->source = word_table_add(&p->sources, words_of(source));
}

void places_add(places *p, const berth_object *object, const berth_error *origin)
{
    if (!p->source_known)
        p->source = word_table_add(&p->sources, words_of(origin->source));
    if (p->count == p->capacity)
        p->items = heap_grow(p->items, &p->capacity, p->count + 1, sizeof(*p->items));
    p->items[p->count++] = (placed_object){hash_of(object), p->source, origin->line};
}

void places_cite(const places *p, const berth_object *object, berth_error *error)
{
    uint64_t hash = hash_of(object);
    size_t len = strlen(error->message);
    for (size_t i = 0; i < p->count; i++) {
        if (p->items[i].hash != hash)
            continue;
        berth_str source = word_table_get(&p->sources, p->items[i].source);
        snprintf(error->message + len, sizeof(error->message) - len,
                 ": the first is at %.*s:%" PRIu32, (int)source.len, source.data, p->items[i].line);
        return;
    }
}

void places_free(places *p)
{
    word_table_free(&p->sources);
    free(p->items);
}
