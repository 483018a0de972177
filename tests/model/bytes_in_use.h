/* An allocator that counts the bytes in use, on any thread: the number at the end must equal that
 * at the start. */
#ifndef BERTH_TESTS_MODEL_BYTES_IN_USE_H
#define BERTH_TESTS_MODEL_BYTES_IN_USE_H

#include <stdatomic.h>
#include <stdlib.h>

#include <berth/status.h>

static atomic_llong bytes_in_use;

static void *count_in(void *context, size_t bytes, size_t align)
{
    (void)context;
    void *memory = NULL;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, bytes) != 0)
        return NULL;
    atomic_fetch_add_explicit(&bytes_in_use, (long long)bytes, memory_order_relaxed);
    return memory;
}

static void count_out(void *context, void *memory, size_t bytes)
{
    (void)context;
    atomic_fetch_sub_explicit(&bytes_in_use, (long long)bytes, memory_order_relaxed);
    free(memory);
}

static const berth_allocator counting = {NULL, count_in, count_out};

#endif
