/* Linear probing; a removal moves later entries back. */
#include "live/writes/text_map.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

uint64_t text_map_hash(berth_str text)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (uint32_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * 0x100000001b3U;
    return hash ^ (hash >> 32);
}

/* Finds the slot of the key, or the free one where it belongs. */
static text_map_slot *slot_of(const text_map *map, berth_str key, uint64_t hash)
{
    for (size_t i = hash & (map->capacity - 1);; i = (i + 1) & (map->capacity - 1)) {
        text_map_slot *slot = &map->slots[i];
        if (slot->key == NULL || (slot->hash == hash && slot->length == key.len &&
                                  memcmp(slot->key, key.data, key.len) == 0))
            return slot;
    }
}

void *text_map_get(const text_map *map, berth_str key)
{
    if (map->count == 0)
        return NULL;
    const text_map_slot *slot = slot_of(map, key, text_map_hash(key));
    return slot->key != NULL ? slot->value : NULL;
}

static void grow(text_map *map)
{
    text_map bigger = {.capacity = map->capacity == 0 ? 16 : map->capacity * 2,
                       .count = map->count};
    bigger.slots = heap_new(bigger.capacity, sizeof(*bigger.slots));
    for (size_t i = 0; i < map->capacity; i++) {
        const text_map_slot *slot = &map->slots[i];
        if (slot->key != NULL)
            *slot_of(&bigger, (berth_str){slot->key, (uint32_t)slot->length}, slot->hash) = *slot;
    }
    free(map->slots);
    *map = bigger;
}

void text_map_add(text_map *map, berth_str key, void *value)
{
    uint64_t hash = text_map_hash(key);
    if (map->count * 4 >= map->capacity * 3)
        grow(map);
    *slot_of(map, key, hash) = (text_map_slot){heap_text(key.data, key.len), key.len, hash, value};
    map->count++;
}

void text_map_remove(text_map *map, berth_str key)
{
    if (map->count == 0)
        return;
    text_map_slot *slot = slot_of(map, key, text_map_hash(key));
    if (slot->key == NULL)
        return;
    free(slot->key);
    map->count--;
    size_t mask = map->capacity - 1, hole = (size_t)(slot - map->slots);
    for (size_t i = (hole + 1) & mask; map->slots[i].key != NULL; i = (i + 1) & mask)
        if (((i - map->slots[i].hash) & mask) >= ((i - hole) & mask)) {
            map->slots[hole] = map->slots[i];
            hole = i;
        }
    map->slots[hole].key = NULL;
}

void text_map_free(text_map *map)
{
    for (size_t i = 0; i < map->capacity; i++)
        free(map->slots[i].key);
    free(map->slots);
    *map = (text_map){.count = 0};
}
