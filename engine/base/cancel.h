/* The caller's flag that ends long calls; berth/engine.h, "Cancellation". */
#ifndef BERTH_BASE_CANCEL_H
#define BERTH_BASE_CANCEL_H

#include "base/assert.h"
#include "base/error.h"

/* Errors: BERTH_E_CANCELLED (the flag is set). `flag` may be NULL. Threads: any. */
static inline berth_status berth__cancel_check(const volatile int32_t *flag, berth_error *error)
{
    /* relaxed: the flag publishes nothing but itself */
    if (BERTH_LIKELY(flag == NULL || __atomic_load_n(flag, __ATOMIC_RELAXED) == 0))
        return BERTH_OK;
    return berth__error_set(error, BERTH_E_CANCELLED, "cancelled by the caller's flag");
}

#endif
