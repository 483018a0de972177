/* Hashing of bytes and words (XXH3), and the rounding of table sizes. */
#ifndef BERTH_BASE_HASH_H
#define BERTH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of `bytes` bytes. Stable within a process; not for storage. */
uint64_t berth__hash_bytes(const void *data, size_t bytes, uint64_t seed);

/* A bijective scrambling of one word (splitmix64's finaliser). */
static inline uint64_t berth__hash_word(uint64_t word)
{
    word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

#endif
