/* Chained hash table whose entries are embedded in the objects. */
#include "base/keymap.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"

enum { BUCKETS_MIN = 64 };

berth_status berth__keymap_init(berth__keymap *map, const berth_allocator *allocator)
{
    *map = (berth__keymap){.allocator = allocator, .bucket_count = BUCKETS_MIN};
    map->buckets = berth__alloc_zero(allocator, BUCKETS_MIN * sizeof(*map->buckets), 64);
    return map->buckets == NULL ? BERTH_E_NOMEM : BERTH_OK;
}

void berth__keymap_destroy(berth__keymap *map)
{
    if (map->allocator != NULL)
        berth__free(map->allocator, map->buckets, map->bucket_count * sizeof(*map->buckets));
    *map = (berth__keymap){0};
}

berth__keymap_entry *berth__keymap_find(const berth__keymap *map, const void *key, size_t key_bytes)
{
    uint32_t hash = (uint32_t)berth__hash_secret(key, key_bytes, 0);
    berth__keymap_entry *entry = map->buckets[hash & (map->bucket_count - 1)];
    while (entry != NULL && !(entry->hash == hash && entry->key_bytes == key_bytes &&
                              memcmp(entry->key, key, key_bytes) == 0))
        entry = entry->next;
    return entry;
}

static void grow(berth__keymap *map)
{
    uint32_t bucket_count = map->bucket_count * 2;
    berth__keymap_entry **buckets =
        berth__alloc_zero(map->allocator, bucket_count * sizeof(*buckets), 64);
    if (buckets == NULL)
        return;
    for (uint32_t i = 0; i < map->bucket_count; i++) {
        for (berth__keymap_entry *entry = map->buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            entry->next = buckets[entry->hash & (bucket_count - 1)];
            buckets[entry->hash & (bucket_count - 1)] = entry;
        }
    }
    berth__free(map->allocator, map->buckets, map->bucket_count * sizeof(*map->buckets));
    map->buckets = buckets;
    map->bucket_count = bucket_count;
}

void berth__keymap_add(berth__keymap *map, berth__keymap_entry *entry)
{
    if (map->count >= map->bucket_count)
        grow(map);
    entry->hash = (uint32_t)berth__hash_secret(entry->key, entry->key_bytes, 0);
    berth__keymap_entry **bucket = &map->buckets[entry->hash & (map->bucket_count - 1)];
    entry->next = *bucket;
    *bucket = entry;
    map->count++;
}

void berth__keymap_remove(berth__keymap *map, berth__keymap_entry *entry)
{
    berth__keymap_entry **link = &map->buckets[entry->hash & (map->bucket_count - 1)];
    while (*link != entry) {
        BERTH_ASSERT(*link != NULL);
        link = &(*link)->next;
    }
    *link = entry->next;
    map->count--;
}
