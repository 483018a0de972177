/* SHA-1 as specified in FIPS 180-4. */
#include "base/sha1.h"

#include <string.h>

enum { BLOCK = 64, ROUNDS = 80 };

static uint32_t rotate(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

/* The function and constant of a round. They change every twenty rounds. */
static uint32_t round_value(int round, uint32_t b, uint32_t c, uint32_t d)
{
    if (round < 20)
        return ((b & c) | (~b & d)) + 0x5a827999;
    if (round < 40)
        return (b ^ c ^ d) + 0x6ed9eba1;
    if (round < 60)
        return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
    return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t state[5], const uint8_t *block)
{
    uint32_t words[ROUNDS];
    for (int i = 0; i < 16; i++)
        words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < ROUNDS; i++)
        words[i] = rotate(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t next = rotate(a, 5) + round_value(i, b, c, d) + e + words[i];
        e = d;
        d = c;
        c = rotate(b, 30);
        b = a;
        a = next;
    }
    const uint32_t sums[5] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++)
        state[i] += sums[i];
}

void berth__sha1(const void *data, size_t bytes, uint8_t out[BERTH__SHA1_BYTES])
{
    uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    const uint8_t *at = data;
    size_t left = bytes;
    for (; left >= BLOCK; left -= BLOCK, at += BLOCK)
        add_block(state, at);
    /* The padding: a one bit, zeros, and the length in bits at the end of a block. */
    uint8_t tail[2 * BLOCK] = {0};
    size_t tail_bytes = left + 9 > BLOCK ? 2 * BLOCK : BLOCK;
    if (left > 0)
        memcpy(tail, at, left);
    tail[left] = 0x80;
    for (int i = 0; i < 8; i++)
        tail[tail_bytes - 1 - (size_t)i] = (uint8_t)((uint64_t)bytes * 8 >> (8 * i));
    for (size_t i = 0; i < tail_bytes; i += BLOCK)
        add_block(state, tail + i);
    for (int i = 0; i < BERTH__SHA1_BYTES; i++)
        out[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
