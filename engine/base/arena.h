/* A region allocator: many small pieces, freed together. */
#ifndef BERTH_BASE_ARENA_H
#define BERTH_BASE_ARENA_H

#include <stddef.h>

#include "base/memory.h"
#include "berth/objects.h"

typedef struct berth__arena_chunk berth__arena_chunk;

typedef struct berth__arena {
    const berth_allocator *allocator;
    berth__arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes in the newest chunk */
    size_t total_bytes;         /* of all chunks */
    size_t first_bytes;         /* capacity of the first chunk */
} berth__arena;

/* Initialise an empty arena. Allocates nothing yet. */
void berth__arena_init(berth__arena *arena, const berth_allocator *allocator);

/* The same with a first chunk of `first_bytes`: for many small arenas. */
void berth__arena_init_sized(berth__arena *arena, const berth_allocator *allocator,
                             size_t first_bytes);

/* Uninitialised (or zeroed) memory, aligned to `align` (a power of two up to 64). It lives until
 * the arena is reset or destroyed. NULL when out of memory. */
void *berth__arena_alloc(berth__arena *arena, size_t bytes, size_t align);
void *berth__arena_alloc_zero(berth__arena *arena, size_t bytes, size_t align);

/* A copy of `bytes` bytes, aligned to 8. Sets `*ok` to false when out of memory, and never to
 * true. */
void *berth__arena_copy(berth__arena *arena, const void *source, size_t bytes, bool *ok);

/* A zero-terminated copy of `text` in the arena. Absent text stays absent. `*ok` as above. */
berth_str berth__arena_str(berth__arena *arena, berth_str text, bool *ok);

/* Bytes in use, including the unused ends of full chunks. */
size_t berth__arena_used_bytes(const berth__arena *arena);

/* Forget everything, but keep the largest chunk for reuse. */
void berth__arena_reset(berth__arena *arena);

/* Free everything. */
void berth__arena_destroy(berth__arena *arena);

#endif
