/* Map from texts to pointers: open addressing.
 *
 * Threads: one at a time. */
#ifndef BERTH_LIVE_TEXT_MAP_H
#define BERTH_LIVE_TEXT_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"

typedef struct text_map_slot {
    char *key; /* NULL: free */
    size_t length;
    uint64_t hash;
    void *value;
} text_map_slot;

/* Zeroed: empty. */
typedef struct text_map {
    text_map_slot *slots; /* a power of two */
    size_t capacity, count;
} text_map;

/* Returns NULL if the key is not in the map. */
void *text_map_get(const text_map *map, berth_str key);
/* Add a key that is not in the map. Owner: the key is copied. */
void text_map_add(text_map *map, berth_str key, void *value);
/* Remove a key, if it is in the map. */
void text_map_remove(text_map *map, berth_str key);
/* Does not free the values. */
void text_map_free(text_map *map);

uint64_t text_map_hash(berth_str text);

#endif
