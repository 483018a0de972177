/* The view of a pool for nodes that see a certain set of its slices: whether it is complete and
 * valid, and its devices in order.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating/pools_incubating.go. */
#include <string.h>

#include "devices/node_model.h"

static bool is_kept(const berth__pool_view *view, const berth__offer_slice *slice)
{
    for (uint32_t i = 0; i < view->kept_count; i++)
        if (view->kept[i] == slice)
            return true;
    return false;
}

/* Whether a slice has the view's generation and counts, but these nodes do not see it. */
static bool is_beside(const berth__pool_view *view, const berth__offer_slice *slice)
{
    return slice->facts->generation == view->kept[0]->facts->generation &&
           !slice->facts->left_out && !is_kept(view, slice);
}

/* Check whether slices of the generation are missing, or a newer generation exists. */
static void check_complete(const berth__offer_pool *pool, berth__pool_view *view)
{
    const berth__slice_facts *first = view->kept[0]->facts;
    if ((int64_t)view->kept_count == first->slice_count)
        return;
    int64_t count = 0;
    for (uint32_t i = 0; i < pool->slice_count; i++) {
        count += pool->slices[i]->facts->generation == first->generation &&
                 !pool->slices[i]->facts->left_out;
        view->obsolete |= pool->slices[i]->facts->generation > first->generation;
    }
    view->incomplete = count != first->slice_count;
}

static bool has_counters(const berth__offer_slice *slice)
{
    return slice->facts->shared_counter_count > 0;
}

/* List the slices with counters, seen or not: every view of a pool has all its counters. */
static bool list_counter_slices(berth__offer_pool *pool, berth__pool_view *view)
{
    const bool whole = (int64_t)view->kept_count == view->kept[0]->facts->slice_count;
    const berth__offer_slice **list =
        berth__arena_alloc(&pool->arena, (pool->slice_count + 1) * sizeof(*list), 8);
    if (list == NULL)
        return false;
    for (uint32_t i = 0; i < view->kept_count; i++)
        if (has_counters(view->kept[i]))
            list[view->counter_slice_count++] = view->kept[i];
    for (uint32_t i = 0; i < pool->slice_count && !whole; i++)
        if (has_counters(pool->slices[i]) && is_beside(view, pool->slices[i]))
            list[view->counter_slice_count++] = pool->slices[i];
    view->counter_slices = list;
    return true;
}

/* Add pointers to the devices of a slice, from `at` on. */
static uint32_t point(const berth__offer_slice *slice, const berth__offer **list, uint32_t at)
{
    for (uint32_t i = 0; i < slice->facts->device_count; i++)
        list[at++] = &slice->offers[i];
    return at;
}

/* List the devices that these nodes see and, if the view is a part of the pool, the others of the
 * generation. */
static bool list_offers(berth__offer_pool *pool, berth__pool_view *view)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < pool->slice_count; i++)
        total += pool->slices[i]->facts->device_count;
    const berth__offer **list =
        berth__arena_alloc(&pool->arena, (total + 1) * sizeof(const berth__offer *), 8);
    if (list == NULL)
        return false;
    uint32_t at = 0;
    for (uint32_t i = 0; i < view->kept_count; i++)
        if (!has_counters(view->kept[i]))
            at = point(view->kept[i], list, at);
    view->offers = list;
    view->offer_count = at;
    bool whole = (int64_t)view->kept_count == view->kept[0]->facts->slice_count;
    for (uint32_t i = 0; !whole && i < pool->slice_count; i++)
        if (is_beside(view, pool->slices[i]) && !has_counters(pool->slices[i]))
            at = point(pool->slices[i], list, at);
    view->others = list + view->offer_count;
    view->other_count = at - view->offer_count;
    for (uint32_t i = 0; i < view->offer_count; i++)
        view->binding |= list[i]->device->binding_condition_count > 0;
    return true;
}

static bool names_differ(berth__catalog *catalog, const berth__pool_view *view)
{
    catalog->name_mark++;
    for (uint32_t i = 0; i < view->offer_count; i++) {
        if (view->offers[i]->use->seen == catalog->name_mark)
            return false;
        view->offers[i]->use->seen = catalog->name_mark;
    }
    return true;
}

static bool has_set(const berth__pool_view *view, berth__sym set)
{
    for (uint32_t i = 0; i < view->counter_slice_count; i++) {
        const berth__slice_facts *facts = view->counter_slices[i]->facts;
        for (uint32_t s = 0; s < facts->shared_counter_count; s++)
            if (facts->shared_counters[s].name == set)
                return true;
    }
    return false;
}

static bool list_sets(berth__arena *arena, berth__pool_view *view)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < view->counter_slice_count; i++)
        for (uint32_t s = 0; s < view->counter_slices[i]->facts->shared_counter_count; s++)
            total += view->counter_slices[i]->facts->shared_counters[s].count;
    berth__pool_counter *counters = berth__arena_alloc(arena, (total + 1) * sizeof(*counters), 16);
    if (counters == NULL)
        return false;
    for (uint32_t i = 0; i < view->counter_slice_count; i++) {
        const berth__slice_facts *facts = view->counter_slices[i]->facts;
        for (uint32_t s = 0; s < facts->shared_counter_count; s++) {
            const berth__counter_set *set = &facts->shared_counters[s];
            for (uint32_t k = 0; k < set->count; k++)
                counters[view->counter_count++] =
                    (berth__pool_counter){set->name, set->items[k].name, set->items[k].value};
        }
    }
    view->counters = counters;
    return true;
}

static bool sets_differ(const berth__pool_view *view)
{
    uint32_t sets = 0;
    for (uint32_t i = 0; i < view->counter_slice_count; i++)
        sets += view->counter_slices[i]->facts->shared_counter_count;
    for (uint32_t i = 0; i < view->counter_slice_count && sets > 1; i++) {
        const berth__slice_facts *facts = view->counter_slices[i]->facts;
        for (uint32_t s = 0; s < facts->shared_counter_count; s++) {
            uint32_t named = 0;
            for (uint32_t k = 0; k < view->counter_slice_count; k++)
                for (uint32_t t = 0; t < view->counter_slices[k]->facts->shared_counter_count; t++)
                    named += view->counter_slices[k]->facts->shared_counters[t].name ==
                             facts->shared_counters[s].name;
            if (named > 1)
                return false;
        }
    }
    return true;
}

static bool knows_counter(const berth__pool_view *view, berth__sym set, berth__sym name)
{
    for (uint32_t i = 0; i < view->counter_count; i++)
        if (view->counters[i].set == set && view->counters[i].name == name)
            return true;
    return false;
}

/* Whether the pool has all counters that the devices of a slice consume. */
static bool slice_is_covered(const berth__pool_view *view, const berth__offer_slice *slice)
{
    for (uint32_t i = 0; i < slice->facts->device_count; i++) {
        const berth__device *device = &slice->facts->devices[i];
        for (uint32_t c = 0; c < device->consume_count; c++) {
            const berth__counter_set *set = &device->consumes[c];
            if (!has_set(view, set->name))
                return false;
            for (uint32_t k = 0; k < set->count; k++)
                if (!knows_counter(view, set->name, set->items[k].name))
                    return false;
        }
    }
    return true;
}

static bool is_covered(const berth__pool_view *view)
{
    const berth__offer_pool *pool = view->pool;
    bool whole = (int64_t)view->kept_count == view->kept[0]->facts->slice_count;
    for (uint32_t i = 0; i < view->kept_count; i++)
        if (!slice_is_covered(view, view->kept[i]))
            return false;
    for (uint32_t i = 0; i < pool->slice_count && !whole; i++)
        if (is_beside(view, pool->slices[i]) && !slice_is_covered(view, pool->slices[i]))
            return false;
    return true;
}

/* List devices and counters, and check them. Returns false when out of memory. */
static bool list(berth__catalog *catalog, berth__offer_pool *pool, berth__pool_view *view)
{
    if (!list_offers(pool, view) || !list_counter_slices(pool, view) ||
        !list_sets(&pool->arena, view))
        return false;
    view->invalid = !names_differ(catalog, view) || !sets_differ(view) || !is_covered(view);
    if (view->invalid) {
        view->binding = false;
        view->offer_count = 0;
    }
    return true;
}

static bool fill(berth__catalog *catalog, berth__offer_pool *pool, berth__pool_view *view)
{
    check_complete(pool, view);
    if (!view->obsolete && !view->incomplete && !list(catalog, pool, view))
        return false;
    view->model = berth__pool_model(catalog, view);
    return true;
}

const berth__pool_view *berth__pool_view_get(berth__catalog *catalog, berth__offer_pool *pool,
                                             const berth__offer_slice *const *kept, uint32_t count)
{
    for (berth__pool_view *view = pool->views; view != NULL; view = view->next)
        if (view->kept_count == count && memcmp(view->kept, kept, count * sizeof(*kept)) == 0)
            return view;
    bool ok = true;
    berth__pool_view *view = berth__arena_alloc_zero(&pool->arena, sizeof(*view), 8);
    const void *copy = berth__arena_copy(&pool->arena, kept, count * sizeof(*kept), &ok);
    if (view == NULL || !ok)
        return NULL;
    view->pool = pool;
    view->kept = copy;
    view->kept_count = count;
    if (!fill(catalog, pool, view))
        return NULL;
    view->next = pool->views;
    pool->views = view;
    return view;
}
