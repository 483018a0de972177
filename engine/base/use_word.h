/* Whether something that one call at a time may use is in use: a word of its handle.
 *
 *   closed (or anything else) --open--> free --enter--> busy --leave--> free --close--> closed
 *
 * One exchange with comparison on entering finds out three kinds of misuse: two threads at once, a
 * callback that calls what called it, and a handle that was closed, as long as its memory is
 * there. Ordering:
 *   USE-1  entering acquires, leaving releases: who uses it next, on whatever thread, sees what the
 *          one before has done. So a program that hands an engine over by trying until it is no
 *          longer refused is a correct one. */
#ifndef BERTH_BASE_USE_WORD_H
#define BERTH_BASE_USE_WORD_H

#include <stdatomic.h>

#include "base/assert.h"
#include "base/error.h"

typedef enum berth__use_state {
    BERTH__USE_FREE = 0x46524545,
    BERTH__USE_BUSY = 0x42555359,
    BERTH__USE_CLOSED = 0x434c4f53,
} berth__use_state;

typedef struct berth__use_word {
    atomic_uint state; /* sync: USE-1 */
} berth__use_word;

/* Why it can't be entered; E_STATE. */
berth_status berth__use_refused(uint32_t state, berth_error *error);

/* Errors: E_STATE, and it is not entered. */
static inline berth_status berth__use_enter(berth__use_word *use, berth_error *error)
{
    uint32_t state = BERTH__USE_FREE;
    /* USE-1; relaxed: a refusal reads nothing */
    if (BERTH_LIKELY(atomic_compare_exchange_strong_explicit(
            &use->state, &state, BERTH__USE_BUSY, memory_order_acquire, memory_order_relaxed)))
        return BERTH_OK;
    return berth__use_refused(state, error);
}

/* Returns the status that it is given. */
static inline berth_status berth__use_leave(berth__use_word *use, berth_status status)
{
    atomic_store_explicit(&use->state, BERTH__USE_FREE, memory_order_release); /* USE-1 */
    return status;
}

static inline void berth__use_open(berth__use_word *use)
{
    (void)berth__use_leave(use, BERTH_OK);
}

/* Stops the program if it is in use, or closed already: `what` is said to have happened to it. */
void berth__use_close(berth__use_word *use, const char *what);

#endif
