/* The two kinds of heap: an arena of jemalloc (heap_jemalloc.c), and pieces of the C library
 * (heap_tracked.c). */
#ifndef BERTH_BASE_HEAP_KIND_H
#define BERTH_BASE_HEAP_KIND_H

#include "base/heap.h"

typedef struct berth__heap_kind {
    void (*destroy)(berth__heap *heap);
    berth__heap_use (*usage)(berth__heap *heap);
} berth__heap_kind;

/* The first member of each kind's own struct. */
struct berth__heap {
    berth_allocator allocator;
    const berth__heap_kind *kind;
};

/* BERTH_E_UNSUPPORTED if jemalloc is not part of the process or has no arena left. */
berth_status berth__heap_jemalloc_create(const berth__machine *machine, uint32_t numa_node,
                                         int64_t huge_ns, berth__heap **out);

/* A request for huge pages is refused. */
berth_status berth__heap_tracked_create(int64_t huge_ns, berth__heap **out);

#endif
