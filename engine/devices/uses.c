/* Devices in use, by driver, pool and name. */
#include "devices/uses.h"

#include <stddef.h>

#include "base/assert.h"

berth_status berth__device_uses_init(berth__device_uses *uses, const berth_allocator *allocator)
{
    uses->allocator = allocator;
    return berth__keymap_init(&uses->table, allocator);
}

static void free_use(const berth_allocator *allocator, berth__device_use *use)
{
    berth__free(allocator, use->consumed, use->consumed_capacity * sizeof(*use->consumed));
    berth__free(allocator, use, sizeof(*use));
}

/* Free the entries that nobody needs, or all. */
static void give_up(berth__device_uses *uses, bool all)
{
    for (uint32_t b = 0; b < uses->table.bucket_count; b++)
        for (berth__keymap_entry *entry = uses->table.buckets[b], *next; entry != NULL;
             entry = next) {
            next = entry->next;
            void *any = entry;
            berth__device_use *use = any;
            if (!all && (use->offered || berth__device_use_any(use)))
                continue;
            berth__keymap_remove(&uses->table, entry);
            free_use(uses->allocator, use);
        }
}

void berth__device_uses_destroy(berth__device_uses *uses)
{
    if (uses->table.buckets == NULL)
        return;
    give_up(uses, true);
    berth__keymap_destroy(&uses->table);
}

void berth__device_uses_trim(berth__device_uses *uses)
{
    give_up(uses, false);
}

berth__device_use *berth__device_use_get(berth__device_uses *uses, berth__sym driver,
                                         berth__sym pool, berth__sym device)
{
    const berth__sym key[3] = {driver, pool, device};
    void *found = berth__keymap_find(&uses->table, key, sizeof(key));
    if (found != NULL)
        return found;
    berth__device_use *use = berth__alloc_zero(uses->allocator, sizeof(*use), 16);
    if (use == NULL)
        return NULL;
    use->key.driver = driver;
    use->key.pool = pool;
    use->key.device = device;
    use->entry.key = &use->key;
    use->entry.key_bytes = sizeof(use->key);
    berth__keymap_add(&uses->table, &use->entry);
    return use;
}

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
    berth__device_use *use =
        berth__device_use_get(uses, result->driver, result->pool, result->device);
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

static void count(berth__device_use *use, const berth__device_result *result, int change)
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

bool berth__device_uses_add(berth__device_uses *uses, const berth__device_allocation *allocation)
{
    for (uint32_t i = 0; i < allocation->result_count; i++)
        if (!allocation->results[i].admin_access && prepare(uses, &allocation->results[i]) == NULL)
            return false;
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
        const berth__sym key[3] = {result->driver, result->pool, result->device};
        void *use = berth__keymap_find(&uses->table, key, sizeof(key));
        BERTH_ASSERT(use != NULL);
        count(use, result, -1);
    }
}
