/* The memory of one engine: mapped by a heap of its own, so that what an engine holds can be told,
 * goes as a whole, and lies on huge pages where it is large.
 *
 * Huge pages: a heap that has grown beyond 16 MiB asks the kernel (madvise) to back what it
 * maps from then on with pages of 2 MiB. Below that they would waste more than they save. A
 * kernel that refuses is noted and otherwise ignored.
 * Threads: allocation and release from any thread. Free pieces lie on several shelves, and a thread
 * goes to one of its own, or to the next where somebody is at it.
 * Ordering:
 *   HEAP-1  a shelf is taken by an acquiring exchange and left by a releasing store, so each user
 *           sees what the one before left. Only the telling of use waits for one. */
#ifndef BERTH_BASE_HEAP_H
#define BERTH_BASE_HEAP_H

#include "base/machine.h"

typedef struct berth__heap berth__heap;

berth_status berth__heap_create(bool huge_pages, berth__heap **out);

/* The same for memory that lies on a NUMA node of a machine, which outlives the heap. Where
 * the machine refuses, it lies anywhere. */
berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   bool huge_pages, berth__heap **out);

/* Give everything back, also what was not released. Accepts NULL. */
void berth__heap_destroy(berth__heap *heap);

/* Lives as long as the heap. */
const berth_allocator *berth__heap_allocator(const berth__heap *heap);

typedef struct berth__heap_use {
    uint64_t used_bytes;     /* handed out, rounded as the heap rounds */
    uint64_t resident_bytes; /* pages held, free space and bookkeeping included; 0: unknown */
    uint64_t huge_bytes;     /* mapped with huge pages asked for and not refused */
    bool huge_refused;       /* the kernel refused at least once */
} berth__heap_use;

/* Cost: a pass over the shelves: some microseconds. */
berth__heap_use berth__heap_usage(berth__heap *heap);

#endif
