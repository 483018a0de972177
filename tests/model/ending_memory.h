/* An allocator whose memory ends when a test says so: in one allocation, or in that and all that
 * follow. It counts the bytes in use, which must be 0 at the end. Any thread may allocate. */
#ifndef BERTH_TESTS_MODEL_ENDING_MEMORY_H
#define BERTH_TESTS_MODEL_ENDING_MEMORY_H

#include <stdbool.h>

#include "arena_pieces.h"
#include "bytes_in_use.h"

static struct {
    atomic_ulong calls;   /* so far */
    atomic_ulong fail_at; /* the call that fails, counted from 1; 0: none */
    atomic_bool for_good; /* and all later ones */
} ending_memory;

/* Whether the next allocation is refused. */
static inline bool ending_memory_refuses(void)
{
    const unsigned long call = atomic_fetch_add(&ending_memory.calls, 1) + 1;
    const unsigned long fail_at = atomic_load(&ending_memory.fail_at);
    return fail_at != 0 &&
           (call == fail_at || (atomic_load(&ending_memory.for_good) && call > fail_at));
}

static void *ending_allocate(void *context, size_t bytes, size_t align)
{
    return ending_memory_refuses() ? NULL : count_in(context, bytes, align);
}

static const berth_allocator ending = {NULL, ending_allocate, count_out};

/* Whether a piece of an arena is refused: for arena_pieces_refuse. An engine has a copy of the
 * allocator. */
static bool ending_piece(const berth_allocator *allocator)
{
    return allocator->allocate == ending_allocate && ending_memory_refuses();
}

/* Ends memory after `left` more allocations. */
static inline void ending_memory_end(unsigned long left, bool for_good)
{
    atomic_store(&ending_memory.for_good, for_good);
    atomic_store(&ending_memory.fail_at, atomic_load(&ending_memory.calls) + 1 + left);
}

/* There is memory again. Has any been refused since ending_memory_end? */
static inline bool ending_memory_return(void)
{
    const unsigned long fail_at = atomic_exchange(&ending_memory.fail_at, 0);
    return fail_at != 0 && atomic_load(&ending_memory.calls) >= fail_at;
}

#endif
