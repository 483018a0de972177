/* Hashing of bytes and words (XXH3), and the secret that tables of texts are kept by.
 *
 * Whoever writes names and labels could choose them so that they collide, and make every search a
 * walk, were the hash known. So tables whose keys come from outside hash by a secret, drawn once a
 * process. Nothing that is told may follow from it: no order, number or digest. */
#ifndef BERTH_BASE_HASH_H
#define BERTH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Hash of `bytes` bytes, the same in every process: for digests, and for keys that nobody outside
 * can choose. */
uint64_t berth__hash_bytes(const void *data, size_t bytes, uint64_t seed);

/* Hash of `bytes` bytes by the secret. Stable within a process; not for storage. */
uint64_t berth__hash_secret(const void *data, size_t bytes, uint64_t seed);

/* The secret by a number of the caller's, for tests: before anything is hashed by it, or after all
 * of that is gone. Threads: setup only. */
void berth__hash_set_secret(uint64_t number);

/* A bijective scrambling of one word (splitmix64's finaliser). */
static inline uint64_t berth__hash_word(uint64_t word)
{
    word += UINT64_C(0x9e3779b97f4a7c15);
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* The same by the secret, for words that somebody outside can choose. */
uint64_t berth__hash_secret_word(uint64_t word);

#endif
