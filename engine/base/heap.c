/* Chooses the kind of heap: jemalloc where the process runs on it, else the C library. libberth
 * itself does not link jemalloc, because jemalloc takes 2.6 kB of static TLS, which a library
 * loaded at run time cannot get, and because a library must not replace the malloc of its
 * process. */
#include "base/heap.h"

#include "base/heap_kind.h"

berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   int64_t huge_ns, berth__heap **out)
{
    berth_status status = berth__heap_jemalloc_create(machine, numa_node, huge_ns, out);
    return status == BERTH_E_UNSUPPORTED ? berth__heap_tracked_create(huge_ns, out) : status;
}

berth_status berth__heap_create(int64_t huge_ns, berth__heap **out)
{
    return berth__heap_create_on(NULL, 0, huge_ns, out);
}

void berth__heap_destroy(berth__heap *heap)
{
    if (heap != NULL)
        heap->kind->destroy(heap);
}

const berth_allocator *berth__heap_allocator(const berth__heap *heap)
{
    return &heap->allocator;
}

berth__heap_use berth__heap_usage(berth__heap *heap)
{
    return heap->kind->usage(heap);
}
