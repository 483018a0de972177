/* Pools of devices as a node sees them. */
#include <string.h>

#include "naive_devices.h"

static int compare(berth_str a, berth_str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common > 0 ? memcmp(a.data, b.data, common) : 0;
    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static bool reaches(const berth_node *node, berth_str name, bool all,
                    const berth_node_selector *selector)
{
    if (name.len > 0) {
        return naive_same(name, node->meta.name);
    }
    return all || (selector != NULL &&
                   naive_node_selector_matches(selector, node->meta.labels, node->meta.name));
}

bool naive_device_reaches(const berth_resource_slice *slice, const berth_slice_device *device,
                          const berth_node *node)
{
    return !slice->per_device_node_selection ||
           reaches(node, device->node_name, device->all_nodes, device->node_selector);
}

/* Does a slice declare compatibility groups? While the feature is off, such slices are ignored. */
static bool declares_groups(const berth_resource_slice *slice)
{
    for (uint32_t d = 0; d < slice->device_count; d++) {
        for (uint32_t c = 0; c < slice->devices[d].consumes_counter_count; c++) {
            if (slice->devices[d].consumes_counters[c].compatibility_groups.count > 0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_relevant(uint32_t kubernetes, const berth_resource_slice *slice,
                        const berth_node *node)
{
    if (kubernetes >= 37 && declares_groups(slice)) {
        return false;
    }
    if (slice->shared_counter_count > 0 && kubernetes < 37) {
        return true;
    }
    if (slice->node_name.len > 0 || slice->all_nodes || slice->node_selector != NULL) {
        return reaches(node, slice->node_name, slice->all_nodes, slice->node_selector);
    }
    for (uint32_t i = 0; slice->per_device_node_selection && i < slice->device_count; i++) {
        if (naive_device_reaches(slice, &slice->devices[i], node)) {
            return true;
        }
    }
    return false;
}

bool naive_pool_has(const naive_pool *pool, const berth_resource_slice *slice)
{
    return naive_same(pool->driver, slice->driver) && naive_same(pool->name, slice->pool);
}

static void gather(naive_search *s, const berth_resource_slice *slice)
{
    naive_pool *pool = s->pools;
    while (pool < s->pools + s->pool_count && !naive_pool_has(pool, slice)) {
        pool++;
    }
    if (pool == s->pools + s->pool_count) {
        naive_pool made = {
            .driver = slice->driver, .name = slice->pool, .generation = slice->pool_generation};
        APPEND(s->a->region, s->pools, s->pool_count, made);
        pool = &s->pools[s->pool_count - 1];
    }
    if (slice->pool_generation > pool->generation) {
        pool->generation = slice->pool_generation;
        pool->slice_count = 0;
    }
    if (slice->pool_generation == pool->generation) {
        APPEND(s->a->region, pool->slices, pool->slice_count, slice);
    }
}

static const berth_slice_counters *set_named(const naive_pool *pool, berth_str name, size_t *times)
{
    const berth_slice_counters *found = NULL;
    *times = 0;
    for (size_t i = 0; i < pool->counter_count; i++) {
        for (uint32_t c = 0; c < pool->counters[i]->shared_counter_count; c++) {
            if (naive_same(pool->counters[i]->shared_counters[c].name, name)) {
                found = &pool->counters[i]->shared_counters[c];
                ++*times;
            }
        }
    }
    return found;
}

static bool knows_counters(const naive_pool *pool, const berth_resource_slice *slice)
{
    for (uint32_t d = 0; d < slice->device_count; d++) {
        const berth_slice_device *device = &slice->devices[d];
        for (uint32_t c = 0; c < device->consumes_counter_count; c++) {
            size_t times;
            naive_nanos amount;
            const berth_slice_counters *asked = &device->consumes_counters[c];
            const berth_slice_counters *set = set_named(pool, asked->name, &times);
            for (uint32_t n = 0; set != NULL && n < asked->counters.count; n++) {
                if (!naive_resource(set->counters, asked->counters.items[n].name, &amount)) {
                    return false;
                }
            }
            if (set == NULL) {
                return false;
            }
        }
    }
    return true;
}

static bool repeats_a_set(const naive_pool *pool)
{
    for (size_t i = 0; i < pool->counter_count; i++) {
        for (uint32_t c = 0; c < pool->counters[i]->shared_counter_count; c++) {
            size_t times;
            set_named(pool, pool->counters[i]->shared_counters[c].name, &times);
            if (times > 1) {
                return true;
            }
        }
    }
    return false;
}

static bool repeats_a_name(const naive_pool *pool)
{
    for (size_t i = 0; i < pool->slice_count; i++) {
        const berth_resource_slice *slice = pool->slices[i];
        for (uint32_t d = 0; d < slice->device_count; d++) {
            for (size_t k = 0; k < pool->slice_count; k++) {
                for (uint32_t e = 0; e < pool->slices[k]->device_count; e++) {
                    if ((k != i || e != d) &&
                        naive_same(slice->devices[d].name, pool->slices[k]->devices[e].name)) {
                        return true;
                    }
                }
            }
        }
    }
    return false;
}

static bool has_conditions(const naive_pool *pool)
{
    for (size_t i = 0; i < pool->slice_count; i++) {
        for (uint32_t d = 0; d < pool->slices[i]->device_count; d++) {
            if (pool->slices[i]->devices[d].binding_conditions.count > 0) {
                return true;
            }
        }
    }
    return false;
}

/* Completes a pool that is incomplete here from the rest of the cluster. Returns whether the pool
 * is kept. */
static bool look_around(naive_search *s, naive_pool *pool)
{
    const naive_objects *all = &s->a->cluster->objects[BERTH_KIND_RESOURCE_SLICE];
    int64_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const berth_resource_slice *slice = all->items[i];
        if (!naive_pool_has(pool, slice)) {
            continue;
        }
        if (slice->pool_generation > pool->generation) {
            return false;
        }
        if (slice->pool_generation == pool->generation &&
            !(s->a->cluster->kubernetes >= 37 && declares_groups(slice))) {
            count++;
            pool->invalid = pool->invalid || !knows_counters(pool, slice);
        }
    }
    pool->incomplete = count != pool->slices[0]->pool_slice_count;
    return true;
}

/* Finds slices with counters, including those that are invisible from the node. */
static void find_counters(naive_search *s, naive_pool *pool)
{
    const naive_objects *all = &s->a->cluster->objects[BERTH_KIND_RESOURCE_SLICE];
    bool whole = (int64_t)pool->slice_count == pool->slices[0]->pool_slice_count;
    for (size_t i = 0; i < pool->slice_count; i++) {
        if (pool->slices[i]->shared_counter_count > 0) {
            APPEND(s->a->region, pool->counters, pool->counter_count, pool->slices[i]);
        }
    }
    for (size_t i = 0; i < all->count && !whole; i++) {
        const berth_resource_slice *slice = all->items[i];
        if (naive_pool_has(pool, slice) && slice->pool_generation == pool->generation &&
            slice->shared_counter_count > 0 &&
            !is_relevant(s->a->cluster->kubernetes, slice, s->node)) {
            APPEND(s->a->region, pool->counters, pool->counter_count, slice);
        }
    }
}

static bool finish_pool(naive_search *s, naive_pool *pool)
{
    for (size_t i = 1; i < pool->slice_count; i++) {
        const berth_resource_slice *slice = pool->slices[i];
        size_t at = i;
        for (; at > 0 && compare(slice->meta.name, pool->slices[at - 1]->meta.name) < 0; at--) {
            pool->slices[at] = pool->slices[at - 1];
        }
        pool->slices[at] = slice;
    }
    pool->conditions = has_conditions(pool);
    find_counters(s, pool);
    pool->invalid = repeats_a_name(pool) || repeats_a_set(pool);
    for (size_t i = 0; i < pool->slice_count; i++) {
        pool->invalid = pool->invalid || !knows_counters(pool, pool->slices[i]);
    }
    return (int64_t)pool->slice_count == pool->slices[0]->pool_slice_count || look_around(s, pool);
}

/* Pools with conditions come last. Of one that can't be used, the devices are not known. */
static bool comes_last(const naive_pool *pool)
{
    return pool->conditions && !pool->invalid && !pool->incomplete;
}

static bool comes_before(const naive_pool *a, const naive_pool *b)
{
    if (comes_last(a) != comes_last(b)) {
        return comes_last(b);
    }
    int order = compare(a->driver, b->driver);
    return order != 0 ? order < 0 : compare(a->name, b->name) < 0;
}

void naive_find_pools(naive_search *s)
{
    const naive_objects *all = &s->a->cluster->objects[BERTH_KIND_RESOURCE_SLICE];
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (is_relevant(s->a->cluster->kubernetes, all->items[i], s->node)) {
            gather(s, all->items[i]);
        }
    }
    for (size_t i = 0; i < s->pool_count; i++) {
        naive_pool pool = s->pools[i];
        if (!finish_pool(s, &pool)) {
            continue;
        }
        size_t at = kept++;
        for (; at > 0 && comes_before(&pool, &s->pools[at - 1]); at--) {
            s->pools[at] = s->pools[at - 1];
        }
        s->pools[at] = pool;
    }
    s->pool_count = kept;
}
