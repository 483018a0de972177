/* An allocator for tests that counts, checks sizes, and fails on request. Its pieces are full of
 * ones, so that what depends on memory that was never written shows. A huge piece is an error: only
 * a count that wrapped around would request it, and the machine would grant it. */
#ifndef BERTH_TESTS_UNIT_COUNTED_MEMORY_H
#define BERTH_TESTS_UNIT_COUNTED_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

typedef struct counted {
    atomic_size_t bytes; /* not yet freed */
    atomic_uint calls;
    atomic_uint fail_at; /* the call that fails, counted from 1; 0: none */
    bool for_good;       /* and all later calls fail */
} counted;

enum { HEAD = 64 }; /* before each piece: its size */
enum { PIECE_MAX = 1 << 30 };

static bool counted_refuses(counted *c)
{
    unsigned call = atomic_fetch_add(&c->calls, 1) + 1, fail_at = atomic_load(&c->fail_at);
    return call == fail_at || (c->for_good && fail_at != 0 && call > fail_at);
}

static void *counted_allocate(void *context, size_t bytes, size_t align)
{
    counted *c = context;
    if (counted_refuses(c))
        return NULL;
    assert_true(bytes <= PIECE_MAX);
    size_t head = align > HEAD ? align : HEAD;
    char *memory = aligned_alloc(head, (head + bytes + head - 1) / head * head);
    assert_non_null(memory);
    memset(memory + head, 0xff, bytes);
    memcpy(memory, &bytes, sizeof(bytes));
    memcpy(memory + head - sizeof(head), &head, sizeof(head));
    atomic_fetch_add(&c->bytes, bytes);
    return memory + head;
}

static void counted_release(void *context, void *memory, size_t bytes)
{
    counted *c = context;
    size_t head, allocated;
    memcpy(&head, (char *)memory - sizeof(head), sizeof(head));
    memcpy(&allocated, (char *)memory - head, sizeof(allocated));
    assert_int_equal(allocated, bytes);
    atomic_fetch_sub(&c->bytes, bytes);
    free((char *)memory - head);
}

/* For arena_pieces_refuse: each piece of an arena counts, too. */
static inline bool counted_piece(const berth_allocator *allocator)
{
    return allocator->allocate == counted_allocate && counted_refuses(allocator->context);
}

#endif
