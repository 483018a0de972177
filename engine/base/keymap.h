/* A hash table of objects, found by a key of bytes. Entries are embedded in the objects and can be
 * removed. */
#ifndef BERTH_BASE_KEYMAP_H
#define BERTH_BASE_KEYMAP_H

#include "base/memory.h"

/* First member of an object that a keymap holds. The key bytes belong to the object. */
typedef struct berth__keymap_entry {
    struct berth__keymap_entry *next;
    const void *key;
    uint32_t key_bytes;
    uint32_t hash;
} berth__keymap_entry;

typedef struct berth__keymap {
    const berth_allocator *allocator;
    berth__keymap_entry **buckets;
    uint32_t bucket_count; /* a power of two */
    uint32_t count;
} berth__keymap;

berth_status berth__keymap_init(berth__keymap *map, const berth_allocator *allocator);

/* Free the table, not the objects. */
void berth__keymap_destroy(berth__keymap *map);

berth__keymap_entry *berth__keymap_find(const berth__keymap *map, const void *key,
                                        size_t key_bytes);

/* Add an object whose `key` and `key_bytes` are set and that the map does not hold yet. Never
 * fails: a table that cannot grow gets longer chains. */
void berth__keymap_add(berth__keymap *map, berth__keymap_entry *entry);

void berth__keymap_remove(berth__keymap *map, berth__keymap_entry *entry);

#endif
