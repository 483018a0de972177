/* A word in a handle that says whether the handle is in use. Only one call at a time may use it.
 *
 *   closed (or anything else) --open--> free --enter--> busy --leave--> free --close--> closed
 *
 * One compare-and-exchange on entering detects three kinds of misuse: two threads at once, a
 * callback that calls into its caller, and a closed handle, as long as its memory exists. Ordering:
 *   USE-1  Entering acquires and leaving releases: the next user, on any thread, sees what the
 *          previous user did. So a program may hand an engine over by trying until it is no longer
 *          refused. */
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

/* Report why the handle cannot be entered. Returns BERTH_E_STATE. */
berth_status berth__use_refused(uint32_t state, berth_error *error);

/* Enter. Errors: BERTH_E_STATE (not entered). */
static inline berth_status berth__use_enter(berth__use_word *use, berth_error *error)
{
    uint32_t state = BERTH__USE_FREE;
    /* USE-1; relaxed: a refusal reads nothing */
    if (BERTH_LIKELY(atomic_compare_exchange_strong_explicit(
            &use->state, &state, BERTH__USE_BUSY, memory_order_acquire, memory_order_relaxed)))
        return BERTH_OK;
    return berth__use_refused(state, error);
}

/* Leave. Returns the given status. */
static inline berth_status berth__use_leave(berth__use_word *use, berth_status status)
{
    atomic_store_explicit(&use->state, BERTH__USE_FREE, memory_order_release); /* USE-1 */
    return status;
}

static inline void berth__use_open(berth__use_word *use)
{
    (void)berth__use_leave(use, BERTH_OK);
}

/* Close the handle. Stops the program if the handle is in use or already closed; `what` names the
 * operation in the message. */
void berth__use_close(berth__use_word *use, const char *what);

#endif
