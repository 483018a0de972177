#include "live/reviews/expiring_cache.h"

static int64_t until_of(const json_t *entry)
{
    return json_integer_value(json_object_get(entry, "until"));
}

json_t *expiring_cache_find(const expiring_cache *cache, const char *key, int64_t now_ns)
{
    const json_t *entry = json_object_get(cache->entries, key);
    return entry != NULL && until_of(entry) > now_ns ? json_object_get(entry, "value") : NULL;
}

/* Drop what has expired, and everything if that leaves no room. */
static void make_room(expiring_cache *cache, int64_t now_ns)
{
    const char *key;
    json_t *entry;
    void *next;
    if (json_object_size(cache->entries) < EXPIRING_CACHE_MAX)
        return;
    json_object_foreach_safe(cache->entries, next, key, entry)
    {
        if (until_of(entry) <= now_ns)
            json_object_del(cache->entries, key);
    }
    if (json_object_size(cache->entries) >= EXPIRING_CACHE_MAX)
        json_object_clear(cache->entries);
}

void expiring_cache_keep(expiring_cache *cache, const char *key, json_t *value, int64_t now_ns,
                         int64_t until_ns)
{
    if (until_ns <= now_ns) {
        json_decref(value);
        return;
    }
    if (cache->entries == NULL)
        cache->entries = json_object();
    make_room(cache, now_ns);
    json_t *entry = json_pack("{s:I, s:o}", "until", (json_int_t)until_ns, "value", value);
    json_object_set_new(cache->entries, key, entry);
}

void expiring_cache_free(expiring_cache *cache)
{
    json_decref(cache->entries);
    cache->entries = NULL;
}
