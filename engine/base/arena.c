/* Arena, a region allocator: a list of chunks that double in size. Allocations are cut from the
 * newest chunk. */
#include "base/arena.h"

#include <string.h>

#include "base/assert.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(memory, bytes) ASAN_POISON_MEMORY_REGION(memory, bytes)
#define UNPOISON(memory, bytes) ASAN_UNPOISON_MEMORY_REGION(memory, bytes)
#else
#define POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#endif

enum { CHUNK_MIN = 4096, CHUNK_MAX = 4 << 20, CHUNK_ALIGN = 64 };

struct berth__arena_chunk {
    berth__arena_chunk *older;
    size_t capacity; /* of data[] */
    _Alignas(CHUNK_ALIGN) unsigned char data[];
};

void berth__arena_init(berth__arena *arena, const berth_allocator *allocator)
{
    berth__arena_init_sized(arena, allocator, CHUNK_MIN);
}

void berth__arena_init_sized(berth__arena *arena, const berth_allocator *allocator,
                             size_t first_bytes)
{
    *arena = (berth__arena){.allocator = allocator, .first_bytes = first_bytes};
}

static bool add_chunk(berth__arena *arena, size_t bytes)
{
    size_t capacity = arena->chunks == NULL ? arena->first_bytes : arena->chunks->capacity * 2;
    if (capacity > CHUNK_MAX)
        capacity = CHUNK_MAX;
    if (capacity < bytes)
        capacity = bytes;
    berth__arena_chunk *chunk =
        berth__alloc(arena->allocator, sizeof(*chunk) + capacity, CHUNK_ALIGN);
    if (chunk == NULL)
        return false;
    chunk->older = arena->chunks;
    chunk->capacity = capacity;
    POISON(chunk->data, capacity);
    arena->chunks = chunk;
    arena->used = 0;
    arena->total_bytes += capacity;
    return true;
}

void *berth__arena_alloc(berth__arena *arena, size_t bytes, size_t align)
{
    BERTH_DASSERT(align != 0 && align <= CHUNK_ALIGN && (align & (align - 1)) == 0);
    size_t at = (arena->used + align - 1) & ~(align - 1);
    if (arena->chunks == NULL || at > arena->chunks->capacity ||
        bytes > arena->chunks->capacity - at) {
        if (!add_chunk(arena, bytes))
            return NULL;
        at = 0;
    }
    arena->used = at + bytes;
    UNPOISON(arena->chunks->data + at, bytes);
    return arena->chunks->data + at;
}

void *berth__arena_alloc_zero(berth__arena *arena, size_t bytes, size_t align)
{
    void *memory = berth__arena_alloc(arena, bytes, align);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

void *berth__arena_copy(berth__arena *arena, const void *source, size_t bytes, bool *ok)
{
    void *memory = berth__arena_alloc(arena, bytes, 8);
    if (memory == NULL)
        *ok = false;
    else if (bytes > 0)
        memcpy(memory, source, bytes);
    return memory;
}

berth_str berth__arena_str(berth__arena *arena, berth_str text, bool *ok)
{
    if (text.data == NULL)
        return text;
    char *copy = berth__arena_alloc(arena, (size_t)text.len + 1, 1);
    if (copy == NULL) {
        *ok = false;
        return (berth_str){0};
    }
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    return (berth_str){copy, text.len};
}

size_t berth__arena_used_bytes(const berth__arena *arena)
{
    return arena->chunks == NULL ? 0 : arena->total_bytes - arena->chunks->capacity + arena->used;
}

static void free_chunks(berth__arena *arena, berth__arena_chunk *first)
{
    while (first != NULL) {
        berth__arena_chunk *older = first->older;
        UNPOISON(first->data, first->capacity);
        arena->total_bytes -= first->capacity;
        berth__free(arena->allocator, first, sizeof(*first) + first->capacity);
        first = older;
    }
}

void berth__arena_reset(berth__arena *arena)
{
    if (arena->chunks == NULL)
        return;
    free_chunks(arena, arena->chunks->older);
    arena->chunks->older = NULL;
    arena->used = 0;
    POISON(arena->chunks->data, arena->chunks->capacity);
}

void berth__arena_destroy(berth__arena *arena)
{
    free_chunks(arena, arena->chunks);
    arena->chunks = NULL;
    arena->used = 0;
}
