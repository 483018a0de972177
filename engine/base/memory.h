/* The engine's access to memory: every allocation goes through a berth_allocator. */
#ifndef BERTH_BASE_MEMORY_H
#define BERTH_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/status.h"

/* The default allocator: the malloc of the process. Threads: any. */
const berth_allocator *berth__allocator_default(void);

/* Uninitialised or zeroed memory aligned to `align`. NULL when out of memory or if `bytes` is
 * absurd. */
void *berth__alloc(const berth_allocator *allocator, size_t bytes, size_t align);
void *berth__alloc_zero(const berth_allocator *allocator, size_t bytes, size_t align);

/* Uninitialised memory that the caller writes at once, as a whole. Of a large piece, all pages are
 * mapped by one call, which costs half as much as a page fault for each. */
void *berth__alloc_whole(const berth_allocator *allocator, size_t bytes, size_t align);

/* Free memory of berth__alloc. `bytes` is the size that was requested. Accepts NULL. */
void berth__free(const berth_allocator *allocator, void *memory, size_t bytes);

/* Grow `*array` (of `*capacity` elements of `element_bytes`, 64-byte aligned) to hold at least
 * `need` elements, by doubling. Contents are kept. Returns false when out of memory; nothing has
 * changed then. */
bool berth__grow(const berth_allocator *allocator, void *array, uint32_t *capacity, uint32_t need,
                 size_t element_bytes);

#endif
