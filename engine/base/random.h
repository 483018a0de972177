/* A small seeded generator (splitmix64) for tie-breaks, with the same results on every machine. */
#ifndef BERTH_BASE_RANDOM_H
#define BERTH_BASE_RANDOM_H

#include <stdint.h>

#include "base/hash.h"

typedef struct berth__random {
    uint64_t state;
} berth__random;

static inline uint64_t berth__random_next(berth__random *random)
{
    uint64_t word = berth__hash_word(random->state);
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    return word;
}

/* A uniform number in [0, bound), bound > 0 (multiply-shift; the bias is below 2^-32 for 32-bit
 * bounds). */
static inline uint32_t berth__random_below(berth__random *random, uint32_t bound)
{
    return (uint32_t)(((berth__random_next(random) >> 32) * bound) >> 32);
}

#endif
