/* Devices in use, by driver, pool and name. */
#include "devices/uses.h"

#include <stddef.h>

#include "base/assert.h"
#include "base/hash.h"

berth_status berth__device_uses_init(berth__device_uses *uses, const berth_allocator *allocator)
{
    uses->allocator = allocator;
    return berth__keymap_init(&uses->pools, allocator);
}

static void free_use(const berth_allocator *allocator, berth__device_use *use)
{
    berth__free(allocator, use->consumed, use->consumed_capacity * sizeof(*use->consumed));
    berth__free(allocator, use, sizeof(*use));
}

static void free_pool(const berth_allocator *allocator, berth__used_pool *pool)
{
    for (uint32_t i = 0; i < pool->place_count && pool->count > 0; i++)
        if (pool->places[i] != NULL)
            free_use(allocator, pool->places[i]);
    berth__free(allocator, pool->places, pool->place_count * sizeof(*pool->places));
    berth__free(allocator, pool, sizeof(*pool));
}

void berth__device_uses_destroy(berth__device_uses *uses)
{
    if (uses->pools.buckets == NULL)
        return;
    for (uint32_t b = 0; b < uses->pools.bucket_count; b++)
        for (berth__keymap_entry *entry = uses->pools.buckets[b], *next; entry != NULL;
             entry = next) {
            void *pool = entry;
            next = entry->next;
            free_pool(uses->allocator, pool);
        }
    berth__keymap_destroy(&uses->pools);
}

/* ---- pools ---- */

static berth__used_pool *find_pool(const berth__device_uses *uses, berth__sym driver,
                                   berth__sym name)
{
    const berth__sym key[2] = {driver, name};
    void *found = berth__keymap_find(&uses->pools, key, sizeof(key));
    return found;
}

berth__used_pool *berth__used_pool_get(berth__device_uses *uses, berth__sym driver, berth__sym name)
{
    berth__used_pool *pool = find_pool(uses, driver, name);
    if (pool != NULL)
        return pool;
    pool = berth__alloc_zero(uses->allocator, sizeof(*pool), 16);
    if (pool == NULL)
        return NULL;
    pool->key.driver = driver;
    pool->key.name = name;
    pool->entry.key = &pool->key;
    pool->entry.key_bytes = sizeof(pool->key);
    berth__keymap_add(&uses->pools, &pool->entry);
    return pool;
}

void berth__used_pool_tidy(berth__device_uses *uses, berth__used_pool *pool)
{
    if (pool->count > 0)
        return;
    berth__keymap_remove(&uses->pools, &pool->entry);
    free_pool(uses->allocator, pool);
}

/* ---- devices of a pool ---- */

static uint32_t home_of(const berth__used_pool *pool, berth__sym device)
{
    return (uint32_t)berth__hash_word(device) & (pool->place_count - 1);
}

/* The place of a device, or the free place for it. There are free places. */
static uint32_t place_of(const berth__used_pool *pool, berth__sym device)
{
    uint32_t at = home_of(pool, device);
    while (pool->places[at] != NULL && pool->places[at]->device != device)
        at = (at + 1) & (pool->place_count - 1);
    return at;
}

static berth__device_use *find(const berth__used_pool *pool, berth__sym device)
{
    return pool != NULL && pool->count > 0 ? pool->places[place_of(pool, device)] : NULL;
}

/* Make room for one more device, so that at least a quarter of the places stays free. */
static bool reserve(const berth_allocator *allocator, berth__used_pool *pool)
{
    enum { FIRST = 16 };
    if (4 * (pool->count + 1) <= 3 * pool->place_count)
        return true;
    const berth__used_pool former = *pool;
    const uint32_t count = former.place_count == 0 ? FIRST : 2 * former.place_count;
    berth__device_use **places = berth__alloc_zero(allocator, count * sizeof(*places), 16);
    if (places == NULL)
        return false;
    pool->places = places;
    pool->place_count = count;
    for (uint32_t i = 0; i < former.place_count; i++)
        if (former.places[i] != NULL)
            places[place_of(pool, former.places[i]->device)] = former.places[i];
    berth__free(allocator, former.places, former.place_count * sizeof(*places));
    return true;
}

berth__device_use *berth__device_use_get(const berth__device_uses *uses, berth__used_pool *pool,
                                         berth__sym device)
{
    berth__device_use *use = find(pool, device);
    if (use != NULL || !reserve(uses->allocator, pool))
        return use;
    use = berth__alloc_zero(uses->allocator, sizeof(*use), 16);
    if (use == NULL)
        return NULL;
    use->pool = pool;
    use->device = device;
    pool->places[place_of(pool, device)] = use;
    pool->count++;
    return use;
}

/* Free the place of a device. Those behind it move up, unless they are at home. */
static void free_place(berth__used_pool *pool, uint32_t hole)
{
    const uint32_t mask = pool->place_count - 1;
    for (uint32_t at = (hole + 1) & mask; pool->places[at] != NULL; at = (at + 1) & mask) {
        const uint32_t home = home_of(pool, pool->places[at]->device);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        pool->places[hole] = pool->places[at];
        hole = at;
    }
    pool->places[hole] = NULL;
    pool->count--;
}

/* Free an entry that nobody needs, and its pool with the last one. */
static void tidy(berth__device_uses *uses, berth__device_use *use)
{
    berth__used_pool *pool = use->pool;
    if (use->offers > 0 || berth__device_use_any(use))
        return;
    free_place(pool, place_of(pool, use->device));
    free_use(uses->allocator, use);
    berth__used_pool_tidy(uses, pool);
}

void berth__device_use_withdraw(berth__device_uses *uses, berth__device_use *use)
{
    use->offers--;
    tidy(uses, use);
}

/* ---- allocations ---- */

static berth__consumed_capacity *find_consumed(const berth__device_use *use,
                                               berth__device_name name)
{
    for (uint32_t i = 0; i < use->consumed_count; i++)
        if (use->consumed[i].name.domain == name.domain && use->consumed[i].name.id == name.id)
            return &use->consumed[i];
    return NULL;
}

__int128 berth__device_use_consumed(const berth__device_use *use, berth__device_name name)
{
    const berth__consumed_capacity *found = find_consumed(use, name);
    return found != NULL ? found->value : 0;
}

/* The entry for a result, with room for the capacities that it consumes; NULL when out of
 * memory. */
static berth__device_use *prepare(berth__device_uses *uses, const berth__device_result *result)
{
    berth__used_pool *pool = berth__used_pool_get(uses, result->driver, result->pool);
    berth__device_use *use =
        pool != NULL ? berth__device_use_get(uses, pool, result->device) : NULL;
    if (use == NULL && pool != NULL)
        berth__used_pool_tidy(uses, pool);
    if (use == NULL)
        return NULL;
    for (uint32_t i = 0; i < result->consumed_count && result->share_id != 0; i++) {
        if (find_consumed(use, result->consumed[i].name) != NULL)
            continue;
        if (!berth__grow(uses->allocator, &use->consumed, &use->consumed_capacity,
                         use->consumed_count + 1, sizeof(*use->consumed)))
            return NULL;
        use->consumed[use->consumed_count++] =
            (berth__consumed_capacity){.name = result->consumed[i].name};
    }
    return use;
}

static void count_one(berth__device_use *use, const berth__device_result *result, int change)
{
    if (result->share_id == 0) {
        use->whole += (uint32_t)change;
        return;
    }
    use->shared += (uint32_t)change;
    use->capacities += result->consumed_count > 0 ? (uint32_t)change : 0;
    for (uint32_t i = 0; i < result->consumed_count; i++)
        find_consumed(use, result->consumed[i].name)->value += change * result->consumed[i].value;
    if (use->capacities == 0)
        use->consumed_count = 0;
}

static void count(berth__device_use *use, const berth__device_result *result, int change)
{
    const bool was_busy = berth__device_use_any(use);
    count_one(use, result, change);
    use->pool->busy += (uint32_t)berth__device_use_any(use) - (uint32_t)was_busy;
}

static berth__device_use *use_of(const berth__device_uses *uses, const berth__device_result *result)
{
    return find(find_pool(uses, result->driver, result->pool), result->device);
}

/* Free the entries of results that were made in vain. */
static void tidy_all(berth__device_uses *uses, const berth__device_allocation *allocation)
{
    for (uint32_t i = 0; i < allocation->result_count; i++) {
        berth__device_use *use = use_of(uses, &allocation->results[i]);
        if (use != NULL)
            tidy(uses, use);
    }
}

bool berth__device_uses_add(berth__device_uses *uses, const berth__device_allocation *allocation)
{
    for (uint32_t i = 0; i < allocation->result_count; i++)
        if (!allocation->results[i].admin_access &&
            prepare(uses, &allocation->results[i]) == NULL) {
            tidy_all(uses, allocation);
            return false;
        }
    for (uint32_t i = 0; i < allocation->result_count; i++)
        if (!allocation->results[i].admin_access)
            count(prepare(uses, &allocation->results[i]), &allocation->results[i], 1);
    return true;
}

void berth__device_uses_remove(berth__device_uses *uses, const berth__device_allocation *allocation)
{
    for (uint32_t i = 0; i < allocation->result_count; i++) {
        const berth__device_result *result = &allocation->results[i];
        if (result->admin_access)
            continue;
        berth__device_use *use = use_of(uses, result);
        BERTH_ASSERT(use != NULL);
        count(use, result, -1);
        tidy(uses, use);
    }
}
