/* An allocator for tests of each allocation that can fail: it grants so many requests and refuses
 * the others, and it counts what is in use. */
#ifndef BERTH_TESTS_UNIT_SCARCE_MEMORY_H
#define BERTH_TESTS_UNIT_SCARCE_MEMORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

typedef struct scarce {
    unsigned left;  /* requests that it still grants */
    unsigned alone; /* the request that is refused though later ones are granted; 0: none */
    int held;       /* pieces not yet released */
    int64_t held_bytes;
} scarce;

static bool scarce_refuses(scarce *s)
{
    if (s->left == 0)
        return true;
    s->left--;
    return s->alone > 0 && --s->alone == 0;
}

static void *scarce_allocate(void *context, size_t bytes, size_t align)
{
    const berth_allocator *below = berth__allocator_default();
    scarce *s = context;
    if (scarce_refuses(s))
        return NULL;
    s->held++;
    s->held_bytes += (int64_t)bytes;
    return below->allocate(below->context, bytes, align);
}

static void scarce_release(void *context, void *memory, size_t bytes)
{
    const berth_allocator *below = berth__allocator_default();
    scarce *s = context;
    s->held--;
    s->held_bytes -= (int64_t)bytes;
    below->release(below->context, memory, bytes);
}

static berth_allocator scarce_allocator(scarce *s)
{
    return (berth_allocator){s, scarce_allocate, scarce_release};
}

/* For arena_pieces_refuse: each piece of an arena counts, too. */
static inline bool scarce_piece(const berth_allocator *allocator)
{
    return allocator->allocate == scarce_allocate && scarce_refuses(allocator->context);
}

/* All that was allocated has been released, with its size. */
static void scarce_assert_released(const scarce *s)
{
    assert_int_equal(s->held, 0);
    assert_int_equal(s->held_bytes, 0);
}

/* Calls `attempt`, which works with scarce memory, with one more granted request each time until
 * it succeeds. Before that it must return BERTH_E_NOMEM, and it must never leak. With plenty of
 * memory it must not need more requests: otherwise it has succeeded although one was refused. */
static void scarce_until_enough(berth_status (*attempt)(const berth_allocator *allocator,
                                                        const void *input),
                                const void *input)
{
    enum { PLENTY = 1 << 20 };
    berth_status status = BERTH_E_NOMEM;
    unsigned granted;
    for (granted = 0; status != BERTH_OK; granted++) {
        scarce s = {.left = granted};
        const berth_allocator allocator = scarce_allocator(&s);
        status = attempt(&allocator, input);
        assert_true(status == BERTH_OK || status == BERTH_E_NOMEM);
        scarce_assert_released(&s);
        assert_true(granted < 20000);
    }
    scarce s = {.left = PLENTY};
    const berth_allocator allocator = scarce_allocator(&s);
    assert_int_equal(attempt(&allocator, input), BERTH_OK);
    assert_int_equal(PLENTY - s.left, granted - 1);
}

/* Calls `attempt` with a single request refused, each in turn, so that it may go on. It must return
 * BERTH_E_NOMEM or, if it `spares` some requests, BERTH_OK; it then checks its result itself. */
static inline void scarce_each_alone(berth_status (*attempt)(const berth_allocator *allocator,
                                                             const void *input),
                                     const void *input, bool spares)
{
    enum { PLENTY = 1 << 20 };
    bool refused = true;
    for (unsigned n = 1; refused; n++) {
        scarce s = {.left = PLENTY, .alone = n};
        const berth_allocator allocator = scarce_allocator(&s);
        const berth_status status = attempt(&allocator, input);
        refused = s.alone == 0;
        if (status != (refused ? BERTH_E_NOMEM : BERTH_OK) && !(spares && status == BERTH_OK))
            fail_msg("request %u: status %d", n, (int)status);
        scarce_assert_released(&s);
    }
}

/* Refuses each request alone, and together with all later ones. `attempt` spares none. */
static inline void scarce_each_request(berth_status (*attempt)(const berth_allocator *allocator,
                                                               const void *input),
                                       const void *input)
{
    scarce_until_enough(attempt, input);
    scarce_each_alone(attempt, input, false);
}

#endif
