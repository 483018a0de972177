/* An allocator that takes its memory from another one and keeps the sum below a limit.
 *
 * Threads: any thread allocates and releases. A request that exceeds the limit is counted for an
 * instant, so a concurrent request may fail although it would have fitted. The memory handed out
 * never exceeds the limit. */
#ifndef BERTH_BASE_MEMORY_LIMIT_H
#define BERTH_BASE_MEMORY_LIMIT_H

#include <stdatomic.h>
#include <stdint.h>

#include "berth/status.h"

/* The limit, which several allocators may share. */
typedef struct berth__memory_limit {
    uint64_t bytes;        /* sync: immutable once set */
    _Atomic uint64_t used; /* sync: atomic; requested and not yet released */
} berth__memory_limit;

/* Such an allocator. It must stay at its place as long as memory of it exists. */
typedef struct berth__limited {
    berth_allocator allocator;
    const berth_allocator *from;
    berth__memory_limit *limit;
} berth__limited;

/* Prepare an allocator that takes from `from` and counts towards `limit`. Both must outlive it.
 * Returns its table. */
const berth_allocator *berth__limited_init(berth__limited *out, const berth_allocator *from,
                                           berth__memory_limit *limit);

/* The bytes that are in use at this moment. */
uint64_t berth__memory_limit_used(const berth__memory_limit *limit);

#endif
