/* Bits in 64-bit words. */
#ifndef BERTH_BASE_BITS_H
#define BERTH_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool berth__bit_get(const uint64_t *words, uint32_t bit)
{
    return (words[bit / 64] >> (bit % 64)) & 1;
}

static inline void berth__bit_set(uint64_t *words, uint32_t bit)
{
    words[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline void berth__bit_clear(uint64_t *words, uint32_t bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static inline void berth__bit_put(uint64_t *words, uint32_t bit, bool value)
{
    if (value)
        berth__bit_set(words, bit);
    else
        berth__bit_clear(words, bit);
}

/* A word with the low `count` bits set, 0 <= count <= 64. */
static inline uint64_t berth__low_bits(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The position of set bit number `n` (from 0). The word has more than n set bits. */
static inline uint32_t berth__nth_bit(uint64_t word, uint32_t n)
{
    for (uint32_t low, count; n >= 8; n -= count) { /* a byte has no more than eight */
        low = (uint32_t)__builtin_ctzll(word) & ~7u;
        count = (uint32_t)__builtin_popcountll(word >> low & 0xff);
        word = word >> low >> 8 << 8 << low;
    }
    while (n-- > 0)
        word &= word - 1;
    return (uint32_t)__builtin_ctzll(word);
}

#endif
