/* Counts what is requested and refuses what exceeds the limit. */
#include "base/memory_limit.h"

static void give_back(berth__memory_limit *limit, size_t bytes)
{
    /* relaxed: a count, which guards no memory */
    atomic_fetch_sub_explicit(&limit->used, bytes, memory_order_relaxed);
}

static void *limited_allocate(void *context, size_t bytes, size_t align)
{
    const berth__limited *l = context;
    /* relaxed: a count, which guards no memory */
    uint64_t before = atomic_fetch_add_explicit(&l->limit->used, bytes, memory_order_relaxed);
    void *memory = NULL;
    if (bytes <= l->limit->bytes && before <= l->limit->bytes - bytes)
        memory = l->from->allocate(l->from->context, bytes, align);
    if (memory == NULL)
        give_back(l->limit, bytes);
    return memory;
}

static void limited_release(void *context, void *memory, size_t bytes)
{
    const berth__limited *l = context;
    l->from->release(l->from->context, memory, bytes);
    give_back(l->limit, bytes);
}

const berth_allocator *berth__limited_init(berth__limited *out, const berth_allocator *from,
                                           berth__memory_limit *limit)
{
    out->allocator = (berth_allocator){out, limited_allocate, limited_release};
    out->from = from;
    out->limit = limit;
    return &out->allocator;
}

uint64_t berth__memory_limit_used(const berth__memory_limit *limit)
{
    /* relaxed: a count, which guards no memory */
    return atomic_load_explicit(&limit->used, memory_order_relaxed);
}
