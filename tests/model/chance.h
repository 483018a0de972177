/* The random numbers of a property test: each follows from the state before, so from the seed. */
#ifndef BERTH_TESTS_CHANCE_H
#define BERTH_TESTS_CHANCE_H

#include <stdint.h>

/* A number below `bound`, which is above 0. */
static inline uint32_t chance_below(uint64_t *state, uint32_t bound)
{
    uint64_t word = *state += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    word ^= word >> 31;
    return (uint32_t)(((word >> 32) * bound) >> 32);
}

#endif
