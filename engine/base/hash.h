/* Hashing of bytes and words (XXH3), and the secret with which tables of texts are hashed.
 *
 * If the hash were known, a user could choose names and labels that collide, and turn every search
 * into a walk. So tables whose keys come from outside hash with a secret that is drawn once per
 * process. No output may depend on the secret: no order, number or digest. */
#ifndef BERTH_BASE_HASH_H
#define BERTH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of `bytes` bytes, the same in every process. For digests, and for keys that nobody outside
 * can choose. */
uint64_t berth__hash_bytes(const void *data, size_t bytes, uint64_t seed);

/* Hash of `bytes` bytes with the secret. Stable within a process; do not store it. */
uint64_t berth__hash_secret(const void *data, size_t bytes, uint64_t seed);

/* Set the secret from a number, for tests. Call it before anything is hashed with the secret, or
 * after all of that has been freed. Threads: setup only. */
void berth__hash_set_secret(uint64_t number);

/* A bijective scrambling of one word (splitmix64's finaliser). */
static inline uint64_t berth__hash_word(uint64_t word)
{
    word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* The same with the secret, for words that somebody outside can choose. */
uint64_t berth__hash_secret_word(uint64_t word);

#endif
