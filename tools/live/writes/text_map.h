/* From texts to pointers: open addressing.
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

/* NULL: not there. */
void *text_map_get(const text_map *map, berth_str key);
/* Put in what is not there. Owner: the key is copied. */
void text_map_add(text_map *map, berth_str key, void *value);
/* Take out what is there; nothing if it is not. */
void text_map_remove(text_map *map, berth_str key);
/* Values are their owner's. */
void text_map_free(text_map *map);

uint64_t text_map_hash(berth_str text);

#endif
