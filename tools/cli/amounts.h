/* Sums of amounts. Amounts of 63 bits are valid, so a sum over a cluster may not fit. It then stops
 * at the largest or at the smallest number. */
#ifndef BERTH_TOOLS_AMOUNTS_H
#define BERTH_TOOLS_AMOUNTS_H

#include <stdint.h>

static inline int64_t amount_sum(int64_t a, int64_t b)
{
    int64_t sum;
    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t amount_difference(int64_t a, int64_t b)
{
    int64_t difference;
    if (!__builtin_sub_overflow(a, b, &difference))
        return difference;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

/* The closest 64-bit number. */
static inline int64_t amount_of_wide(__int128 amount)
{
    return amount > INT64_MAX ? INT64_MAX : amount < INT64_MIN ? INT64_MIN : (int64_t)amount;
}

#endif
