/* Refuses or stops misuse of a handle that is in use or closed. */
#include "base/use_word.h"

berth_status berth__use_refused(uint32_t state, berth_error *error)
{
    return berth__error_set(error, BERTH_E_STATE,
                            state == BERTH__USE_BUSY
                                ? "the engine is in use: by a call on another thread, or by the "
                                  "one whose callback this is"
                                : "the engine has been closed");
}

void berth__use_close(berth__use_word *use, const char *what)
{
    /* USE-1 */
    uint32_t state = atomic_exchange_explicit(&use->state, BERTH__USE_CLOSED, memory_order_acq_rel);
    if (state == BERTH__USE_BUSY)
        berth__stop(__FILE__, __LINE__,
                    "%s while it was in use, by another thread or by the call "
                    "whose callback this is",
                    what);
    if (state != BERTH__USE_FREE)
        berth__stop(__FILE__, __LINE__, "%s after it had been closed", what);
}
