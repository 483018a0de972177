/* XXH3 hashing in one translation unit, so that no other file includes the library's header; and
 * the secret of the process. */
#include "base/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Up to SHORT_MAX bytes XXH3 mixes in the secret as a seed, above them it uses the long secret. */
enum { SHORT_MAX = 240, LONG_SECRET_BYTES = 192 };

/* sync: written before any engine exists, only read afterwards */
static uint64_t secret;
static unsigned char long_secret[LONG_SECRET_BYTES];

uint64_t berth__hash_bytes(const void *data, size_t bytes, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, bytes, seed);
}

uint64_t berth__hash_secret(const void *data, size_t bytes, uint64_t seed)
{
    if (bytes <= SHORT_MAX)
        return XXH3_64bits_withSeed(data, bytes, seed ^ secret);
    return berth__hash_word(XXH3_64bits_withSecret(data, bytes, long_secret, LONG_SECRET_BYTES) ^
                            seed);
}

uint64_t berth__hash_secret_word(uint64_t word)
{
    return berth__hash_word(word ^ secret);
}

void berth__hash_set_secret(uint64_t number)
{
    secret = number;
    for (size_t at = 0; at < LONG_SECRET_BYTES; at += sizeof(number)) {
        number = berth__hash_word(number + at);
        memcpy(long_secret + at, &number, sizeof(number));
    }
}

/* A fallback for kernels that return no random bytes: the time, the process id and where things lie
 * in memory. */
static uint64_t guess(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t number = berth__hash_word((uint64_t)now.tv_sec << 30 ^ (uint64_t)now.tv_nsec);
    number = berth__hash_word(number ^ (uintptr_t)&now);
    return berth__hash_word(number ^ (uintptr_t)&secret ^ (uint64_t)getpid() << 40);
}

/* Runs when the library is loaded, so tables need not check whether the secret exists. */
__attribute__((constructor)) static void draw_secret(void)
{
    uint64_t number;
    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
        number = guess();
    berth__hash_set_secret(number);
}
