/* The default allocator, on the C library's heap; and growing of arrays. */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/assert.h"

enum { MAPPED_AT_ONCE = 256 << 10, PAGE = 4096 };

static void *default_allocate(void *context, size_t bytes, size_t align)
{
    (void)context;
    if (align <= _Alignof(max_align_t))
        return malloc(bytes);
    void *memory = NULL;
    return posix_memalign(&memory, align, bytes) == 0 ? memory : NULL;
}

static void default_release(void *context, void *memory, size_t bytes)
{
    (void)context;
    (void)bytes;
    free(memory);
}

const berth_allocator *berth__allocator_default(void)
{
    static const berth_allocator allocator = {NULL, default_allocate, default_release};
    return &allocator;
}

void *berth__alloc(const berth_allocator *allocator, size_t bytes, size_t align)
{
    if (bytes > PTRDIFF_MAX)
        return NULL;
    return allocator->allocate(allocator->context, bytes > 0 ? bytes : 1, align);
}

/* Map the whole pages of a piece, as Linux can from 5.14 on. An older one maps them when they are
 * written. */
static void map_pages(void *memory, size_t bytes)
{
#if defined(MADV_POPULATE_WRITE)
    const size_t before = -(uintptr_t)memory % PAGE;
    const size_t whole = (bytes - before) / PAGE * PAGE;
    (void)madvise((char *)memory + before, whole, MADV_POPULATE_WRITE);
#else
    (void)memory;
    (void)bytes;
#endif
}

void *berth__alloc_whole(const berth_allocator *allocator, size_t bytes, size_t align)
{
    void *memory = berth__alloc(allocator, bytes, align);
    if (memory != NULL && bytes >= MAPPED_AT_ONCE)
        map_pages(memory, bytes);
    return memory;
}

void *berth__alloc_zero(const berth_allocator *allocator, size_t bytes, size_t align)
{
    void *memory = berth__alloc_whole(allocator, bytes, align);
    if (memory != NULL)
        memset(memory, 0, bytes);
    return memory;
}

void berth__free(const berth_allocator *allocator, void *memory, size_t bytes)
{
    if (memory != NULL)
        allocator->release(allocator->context, memory, bytes > 0 ? bytes : 1);
}

bool berth__grow(const berth_allocator *allocator, void *array, uint32_t *capacity, uint32_t need,
                 size_t element_bytes)
{
    void **slot = (void **)array;
    if (need <= *capacity)
        return true;
    uint32_t doubled = *capacity < 8 ? 8 : *capacity + *capacity / 2;
    uint32_t grown = doubled > need && doubled > *capacity ? doubled : need;
    void *memory = berth__alloc(allocator, grown * element_bytes, 64);
    if (memory == NULL)
        return false;
    if (*slot != NULL)
        memcpy(memory, *slot, *capacity * element_bytes);
    berth__free(allocator, *slot, *capacity * element_bytes);
    *slot = memory;
    *capacity = grown;
    return true;
}
