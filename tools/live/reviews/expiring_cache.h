/* Answers that are remembered for a while: JSON values by text, at most a thousand.
 *
 * Threads: one at a time. Cost: a hash of the text; when it is full, a look at every entry. */
#ifndef BERTH_LIVE_EXPIRING_CACHE_H
#define BERTH_LIVE_EXPIRING_CACHE_H

#include <jansson.h>
#include <stdint.h>

enum { EXPIRING_CACHE_MAX = 1024 };

/* Zeroed: empty. */
typedef struct expiring_cache {
    json_t *entries; /* by key: {"until": nanoseconds, "value": ...} */
} expiring_cache;

/* The value that was kept until later than `now_ns`, borrowed; NULL: none. */
json_t *expiring_cache_find(const expiring_cache *cache, const char *key, int64_t now_ns);

/* Keep a value, which the cache takes over, until `until_ns`. It is dropped at once if that is not
 * later than `now_ns`. */
void expiring_cache_keep(expiring_cache *cache, const char *key, json_t *value, int64_t now_ns,
                         int64_t until_ns);

void expiring_cache_free(expiring_cache *cache);

#endif
