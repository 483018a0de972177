/* Heaps on the C library's heap, with a count of bytes, so that sanitizers see each allocation
 * (BERTH_PLAIN_MALLOC). */
#include <malloc.h>
#include <stdatomic.h>

#include "base/heap.h"

struct berth__heap {
    berth_allocator allocator;
    atomic_size_t used_bytes; /* sync: atomic, relaxed: a statistic */
};

static void *allocate(void *context, size_t bytes, size_t align)
{
    berth__heap *heap = context;
    void *memory = berth__alloc(berth__allocator_default(), bytes, align);
    if (memory != NULL)
        atomic_fetch_add_explicit(&heap->used_bytes, malloc_usable_size(memory),
                                  memory_order_relaxed); /* relaxed: a statistic */
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    berth__heap *heap = context;
    /* relaxed: a statistic */
    atomic_fetch_sub_explicit(&heap->used_bytes, malloc_usable_size(memory), memory_order_relaxed);
    berth__free(berth__allocator_default(), memory, bytes);
}

berth_status berth__heap_create_on(const berth__machine *machine, uint32_t numa_node,
                                   int64_t huge_ns, berth__heap **out)
{
    (void)machine;
    (void)numa_node;
    (void)huge_ns;
    berth__heap *heap =
        berth__alloc_zero(berth__allocator_default(), sizeof(*heap), _Alignof(berth__heap));
    if (heap == NULL)
        return BERTH_E_NOMEM;
    heap->allocator = (berth_allocator){heap, allocate, release};
    *out = heap;
    return BERTH_OK;
}

void berth__heap_destroy(berth__heap *heap)
{
    berth__free(berth__allocator_default(), heap, sizeof(*heap));
}

berth__heap_use berth__heap_usage(berth__heap *heap)
{
    /* relaxed: a statistic */
    return (berth__heap_use){.used_bytes =
                                 atomic_load_explicit(&heap->used_bytes, memory_order_relaxed)};
}

berth_status berth__heap_create(int64_t huge_ns, berth__heap **out)
{
    return berth__heap_create_on(NULL, 0, huge_ns, out);
}

const berth_allocator *berth__heap_allocator(const berth__heap *heap)
{
    return &heap->allocator;
}
