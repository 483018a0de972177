/* Lists of words in an arena, as keys: two things are equal if their words are. */
#ifndef BERTH_DEVICES_WORDS_H
#define BERTH_DEVICES_WORDS_H

#include "base/arena.h"
#include "devices/catalog.h"

typedef struct berth__words {
    berth__arena *arena;
    uint32_t *items;
    uint32_t count, capacity;
    bool no_memory; /* out of memory: the list is incomplete */
} berth__words;

void berth__words_put(berth__words *words, uint32_t word);
void berth__words_put_wide(berth__words *words, __int128 value);
void berth__words_put_name(berth__words *words, berth__device_name name);

/* Put what a pool has besides its devices: its counters and the number of devices. */
void berth__words_put_pool(berth__words *words, const berth__pool_view *view);

#endif
