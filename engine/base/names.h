/* Finds the texts of a list by their bytes: by linear search while they are few, otherwise by hash.
 * So checking a list for duplicate names does not take quadratic time. */
#ifndef BERTH_BASE_NAMES_H
#define BERTH_BASE_NAMES_H

#include "base/arena.h"

enum { BERTH__NAMES_NONE = UINT32_MAX };

/* The list is the caller's. Each of its elements begins with the text. */
typedef struct berth__names {
    const char *items;
    size_t stride;
    uint32_t count;
    uint32_t mask;
    uint32_t *slots; /* number + 1, 0: free; NULL: the texts are few */
} berth__names;

/* Index `count` texts, with room for `room` of them in all. Among equal texts the last is found.
 * Returns false when out of memory. */
bool berth__names_make(berth__arena *arena, const void *items, size_t stride, uint32_t count,
                       uint32_t room, berth__names *out);

/* The same for a list that grows and moves: `items` is its current address. Returns false when out
 * of memory. */
bool berth__names_follow(berth__arena *arena, berth__names *names, const void *items, size_t stride,
                         uint32_t room);

/* Add the element after the last one. */
void berth__names_put(berth__names *names);

/* The number of an element with that text, or BERTH__NAMES_NONE. */
uint32_t berth__names_find(const berth__names *names, berth_str text);

#endif
