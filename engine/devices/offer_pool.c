/* Opens and closes pools: the offers of a pool's slices, with the taints of rules. */
#include <stdlib.h>

#include "base/text.h"
#include "devices/catalog.h"

/* ---- taints ---- */

static bool is_tainted_by(const berth__slice_facts *slice, const berth__device *device,
                          const berth__taint_rule_facts *rule)
{
    return (rule->driver == 0 || rule->driver == slice->driver) &&
           (rule->pool == 0 || rule->pool == slice->pool) &&
           (rule->device == 0 || rule->device == device->name);
}

/* The device with the taints of rules added to its own; NULL when out of memory. */
static const berth__device *tainted(const berth__taint_rules *rules, berth__arena *arena,
                                    const berth__slice_facts *slice, const berth__device *device)
{
    uint32_t more = 0;
    for (uint32_t i = 0; i < rules->count; i++)
        more += is_tainted_by(slice, device, rules->items[i]);
    if (more == 0)
        return device;
    berth__device *copy = berth__arena_alloc(arena, sizeof(*copy), 16);
    berth__device_taint *taints =
        berth__arena_alloc(arena, ((size_t)device->taint_count + more) * sizeof(*taints), 8);
    if (copy == NULL || taints == NULL)
        return NULL;
    *copy = *device;
    copy->taints = taints;
    for (uint32_t i = 0; i < device->taint_count; i++)
        taints[i] = device->taints[i];
    for (uint32_t i = 0; i < rules->count; i++)
        if (is_tainted_by(slice, device, rules->items[i]))
            taints[copy->taint_count++] = rules->items[i]->taint;
    return copy;
}

/* ---- offers ---- */

/* Add the offer of one device. Returns false when out of memory. */
static bool add_offer(berth__catalog *catalog, berth__used_pool *used, berth__offer_slice *slice,
                      const berth__device *device)
{
    const berth__slice_facts *facts = slice->facts;
    berth__offer *offer = &slice->offers[slice->offer_count];
    *offer = (berth__offer){.device = tainted(&catalog->rules, &slice->pool->arena, facts, device),
                            .slice = slice};
    if (offer->device == NULL || !berth__contents_add(&catalog->contents, offer))
        return false;
    offer->use = berth__device_use_get(catalog->uses, used, device->name);
    if (offer->use == NULL) {
        berth__contents_remove(&catalog->contents, offer);
        return false;
    }
    offer->use->offers++;
    slice->offer_count++;
    return true;
}

static bool add_offers(berth__catalog *catalog, berth__used_pool *used, berth__offer_slice *slice)
{
    const berth__slice_facts *facts = slice->facts;
    slice->offers =
        berth__arena_alloc(&slice->pool->arena, facts->device_count * sizeof(*slice->offers), 8);
    if (slice->offers == NULL)
        return false;
    for (uint32_t i = 0; i < facts->device_count; i++)
        if (!add_offer(catalog, used, slice, &facts->devices[i]))
            return false;
    return true;
}

static int by_name(const void *a, const void *b, void *model)
{
    const berth__offer_slice *x = *(const berth__offer_slice *const *)a;
    const berth__offer_slice *y = *(const berth__offer_slice *const *)b;
    return berth__str_cmp(berth__text(model, x->name), berth__text(model, y->name));
}

void berth__slices_sort(const berth__catalog *catalog, berth__offer_slice **items, uint32_t count)
{
    if (count > 1)
        qsort_r(items, count, sizeof(*items), by_name, catalog->model);
}

/* ---- opening and closing ---- */

/* About what a pool needs in its arena. */
static size_t bytes_for(const berth__offer_pool *pool)
{
    size_t bytes = sizeof(berth__pool_view) + 128;
    for (const berth__offer_slice *slice = pool->first; slice != NULL;
         slice = slice->links[BERTH__OF_POOL].next)
        bytes += 64 + slice->facts->device_count * (sizeof(berth__offer) + sizeof(berth__offer *));
    return bytes;
}

static bool fill(berth__catalog *catalog, berth__offer_pool *pool)
{
    uint32_t count = 0;
    pool->slices = berth__arena_alloc(&pool->arena, pool->slice_count * sizeof(*pool->slices), 8);
    if (pool->slices == NULL)
        return false;
    for (berth__offer_slice *slice = pool->first; slice != NULL;
         slice = slice->links[BERTH__OF_POOL].next)
        pool->slices[count++] = slice;
    berth__slices_sort(catalog, pool->slices, count);
    berth__used_pool *used = berth__used_pool_get(catalog->uses, pool->key.driver, pool->key.name);
    bool ok = used != NULL;
    for (uint32_t i = 0; i < count && ok; i++)
        ok = add_offers(catalog, used, pool->slices[i]);
    pool->used = used != NULL && used->count > 0 ? used : NULL;
    if (used != NULL)
        berth__used_pool_tidy(catalog->uses, used);
    return ok;
}

bool berth__offer_pool_open(berth__catalog *catalog, berth__offer_pool *pool)
{
    if (pool->open)
        return true;
    berth__arena_init_sized(&pool->arena, catalog->model->allocator, bytes_for(pool));
    pool->open = true;
    bool ok = fill(catalog, pool);
    if (!ok)
        berth__offer_pool_close(catalog, pool);
    return ok;
}

static void withdraw(berth__catalog *catalog, berth__offer_slice *slice)
{
    for (uint32_t i = 0; i < slice->offer_count; i++) {
        berth__contents_remove(&catalog->contents, &slice->offers[i]);
        berth__device_use_withdraw(catalog->uses, slice->offers[i].use);
    }
    slice->offer_count = 0;
    slice->offers = NULL;
}

void berth__offer_pool_close(berth__catalog *catalog, berth__offer_pool *pool)
{
    if (!pool->open)
        return;
    for (berth__offer_slice *slice = pool->first; slice != NULL;
         slice = slice->links[BERTH__OF_POOL].next)
        withdraw(catalog, slice);
    berth__arena_destroy(&pool->arena);
    pool->open = pool->watched = pool->watched_by_many = false;
    pool->slices = NULL;
    pool->used = NULL;
    pool->views = NULL;
    catalog->closings++;
}
