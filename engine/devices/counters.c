/* Counters that the devices of a pool share. Until v1.36 kube-scheduler's tables are keyed by the
 * pool's name without the driver: if pools of two drivers have the same name, the first pool's
 * counters apply.
 * Source: dynamic-resource-allocation v0.36,
 * structured/internal/incubating/allocator_incubating.go. */
#include "devices/device_search.h"

struct berth__counter_table {
    berth__counter_table *next;
    const berth__offer_pool *pool;
    const berth__pool_counter *counters;
    uint32_t count;
    __int128 *available; /* what is left beside the devices in use */
    __int128 *used;      /* by this search */
};

/* Add (`sign` 1) or subtract (-1) what a device consumes. */
static void consume(const berth__counter_table *table, __int128 *amounts,
                    const berth__device *device, int sign)
{
    for (uint32_t c = 0; c < device->consume_count; c++)
        for (uint32_t k = 0; k < device->consumes[c].count; k++)
            for (uint32_t i = 0; i < table->count; i++)
                if (table->counters[i].set == device->consumes[c].name &&
                    table->counters[i].name == device->consumes[c].items[k].name)
                    amounts[i] += sign * device->consumes[c].items[k].value;
}

static void take_off(const berth__counter_table *table, const berth__offer *const *offers,
                     uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (offers[i]->device->consume_count > 0 && berth__device_use_any(offers[i]->use))
            consume(table, table->available, offers[i]->device, -1);
}

static const berth__pool_view *view_of(const berth__device_search *search,
                                       const berth__offer *offer)
{
    for (uint32_t i = 0; i < search->offers->count; i++)
        if (search->offers->pools[i]->pool == offer->slice->pool)
            return search->offers->pools[i];
    return NULL;
}

static berth__counter_table *make(berth__device_search *search, const berth__offer *offer)
{
    const berth__pool_view *view = view_of(search, offer);
    berth__arena *arena = search->arena;
    berth__counter_table *table = berth__arena_alloc_zero(arena, sizeof(*table), 8);
    if (table == NULL)
        return NULL;
    table->pool = offer->slice->pool;
    table->counters = view->counters;
    table->count = view->counter_count;
    size_t bytes = (table->count + 1) * sizeof(__int128);
    table->available = berth__arena_alloc(arena, bytes, 16);
    table->used = berth__arena_alloc_zero(arena, bytes, 16);
    if (table->available == NULL || table->used == NULL)
        return NULL;
    for (uint32_t i = 0; i < table->count; i++)
        table->available[i] = table->counters[i].value;
    take_off(table, view->offers, view->offer_count);
    take_off(table, view->others, view->other_count);
    search->work += view->offer_count + view->other_count;
    table->next = search->counters;
    search->counters = table;
    return table;
}

static berth__counter_table *find(const berth__device_search *search, const berth__offer *offer)
{
    const berth__offer_pool *pool = offer->slice->pool;
    const bool by_driver = search->model->behaviours.counters_by_driver;
    berth__counter_table *table = search->counters;
    while (table != NULL && table->pool != pool &&
           (by_driver || table->pool->key.name != pool->key.name))
        table = table->next;
    return table;
}

berth__step berth__device_count(berth__device_search *search, const berth__offer *offer)
{
    berth__counter_table *table = find(search, offer);
    if (table == NULL)
        table = make(search, offer);
    if (table == NULL) {
        search->no_memory = true;
        return BERTH__STEP_ERROR;
    }
    search->work += table->count / 8;
    consume(table, table->used, offer->device, 1);
    for (uint32_t i = 0; i < table->count; i++)
        if (table->available[i] < table->used[i]) {
            consume(table, table->used, offer->device, -1);
            return BERTH__STEP_NO;
        }
    return BERTH__STEP_YES;
}

void berth__device_uncount(berth__device_search *search, const berth__offer *offer)
{
    const berth__counter_table *table = find(search, offer);
    if (table != NULL)
        consume(table, table->used, offer->device, -1);
}
