/* The memory of one engine: a heap that can be measured and is freed as a whole. In a process that
 * runs on jemalloc, a heap is an arena of jemalloc (heap_jemalloc.c). Elsewhere its pieces come
 * from the C library's malloc (heap_tracked.c): they are counted, requests for huge pages count as
 * refused, and NUMA nodes are ignored.
 *
 * Huge pages: beyond its first 4 MiB, an arena asks the kernel (madvise) for pages of 2 MiB, as
 * long as a new one takes at most `huge_ns` of the thread's time. INT64_MAX: however long it takes;
 * 0: never. In a smaller arena they would waste more than they save. If the kernel refuses, or
 * takes longer, the heap records that and goes on with small pages.
 * Threads: any thread allocates and releases. An arena has several caches, each on a "shelf". A
 * thread uses a shelf of its own, or the next one if another thread is using that.
 * Ordering:
 *   HEAP-1  A shelf is taken by an acquiring exchange and left by a releasing store, so each user
 *           sees what the previous user left. Only berth__heap_usage waits for a shelf. */
#ifndef BERTH_BASE_HEAP_H
#define BERTH_BASE_HEAP_H

#include "base/machine.h"

typedef struct berth__heap berth__heap;

berth_status berth__heap_create(int64_t huge_ns, berth__heap **out);

/* The same with memory on one NUMA node of a machine, which outlives the heap. If the machine
 * refuses, the memory may come from any node. */
berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   int64_t huge_ns, berth__heap **out);

/* Free all memory of the heap, including pieces that were not released. Accepts NULL. */
void berth__heap_destroy(berth__heap *heap);

/* The heap's allocator, which lives as long as the heap. */
const berth_allocator *berth__heap_allocator(const berth__heap *heap);

typedef struct berth__heap_use {
    uint64_t used_bytes; /* handed out, after the heap's rounding */
    /* pages that were touched, including free space and bookkeeping; 0: unknown */
    uint64_t resident_bytes;
    uint64_t huge_bytes;     /* mapped with a request for huge pages that was not refused */
    bool huge_refused;       /* a request was refused, or took too long */
    uint64_t active_bytes;   /* pages with at least one piece handed out; 0: unknown */
    uint64_t metadata_bytes; /* bookkeeping; 0: unknown */
} berth__heap_use;

/* How much memory the heap uses. Empties the caches of an arena. Cost: tens of microseconds. */
berth__heap_use berth__heap_usage(berth__heap *heap);

#endif
