#include "arena_pieces.h"

#include "base/arena.h"

bool (*arena_pieces_refuse)(const berth_allocator *allocator);

static bool refuses(const berth__arena *arena)
{
    return arena_pieces_refuse != NULL && arena_pieces_refuse(arena->allocator);
}

/* The linker gives the arena's own functions these names. */
void *__real_berth__arena_alloc(berth__arena *arena, size_t bytes, size_t align);
void *__real_berth__arena_alloc_zero(berth__arena *arena, size_t bytes, size_t align);
void *__real_berth__arena_copy(berth__arena *arena, const void *source, size_t bytes, bool *ok);
berth_str __real_berth__arena_str(berth__arena *arena, berth_str text, bool *ok);

void *__wrap_berth__arena_alloc(berth__arena *arena, size_t bytes, size_t align);
void *__wrap_berth__arena_alloc_zero(berth__arena *arena, size_t bytes, size_t align);
void *__wrap_berth__arena_copy(berth__arena *arena, const void *source, size_t bytes, bool *ok);
berth_str __wrap_berth__arena_str(berth__arena *arena, berth_str text, bool *ok);

void *__wrap_berth__arena_alloc(berth__arena *arena, size_t bytes, size_t align)
{
    return refuses(arena) ? NULL : __real_berth__arena_alloc(arena, bytes, align);
}

void *__wrap_berth__arena_alloc_zero(berth__arena *arena, size_t bytes, size_t align)
{
    return refuses(arena) ? NULL : __real_berth__arena_alloc_zero(arena, bytes, align);
}

void *__wrap_berth__arena_copy(berth__arena *arena, const void *source, size_t bytes, bool *ok)
{
    if (!refuses(arena))
        return __real_berth__arena_copy(arena, source, bytes, ok);
    *ok = false;
    return NULL;
}

berth_str __wrap_berth__arena_str(berth__arena *arena, berth_str text, bool *ok)
{
    if (text.data == NULL || !refuses(arena))
        return __real_berth__arena_str(arena, text, ok);
    *ok = false;
    return (berth_str){0};
}
