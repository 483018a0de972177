/* The resources that a resource score considers: from arguments to columns. */
#include "plugins/resource_score.h"

#include "plugins/extended_resources.h"

bool berth__scored_resources_make(berth__model *model, berth__arena *arena,
                                  const berth_weighted_resource *resources, uint32_t count,
                                  berth__scored_resources *out)
{
    static const berth_weighted_resource defaults[] = {{{"cpu", 3}, 1}, {{"memory", 6}, 1}};
    if (resources == NULL) {
        resources = defaults;
        count = 2;
    }
    bool ok = true;
    berth__scored_resource *items = berth__arena_alloc(arena, count * sizeof(*items), 8);
    for (uint32_t i = 0; items != NULL && i < count; i++)
        items[i] =
            (berth__scored_resource){berth__intern_add(&model->strings, resources[i].name, &ok),
                                     resources[i].weight == 0 ? 1 : resources[i].weight};
    *out = (berth__scored_resources){items, count};
    return ok && items != NULL;
}

int64_t berth__shape_at(const berth_shape_point *shape, uint32_t count, int64_t utilization)
{
    for (uint32_t k = 0; k < count; k++) {
        if (utilization > shape[k].utilization)
            continue;
        if (k == 0)
            return shape[0].score;
        return shape[k - 1].score + (int64_t)(shape[k].score - shape[k - 1].score) *
                                        (utilization - shape[k - 1].utilization) /
                                        (shape[k].utilization - shape[k - 1].utilization);
    }
    return shape[count - 1].score;
}

static int64_t scalar_ask(const berth__request *request, uint32_t resource,
                          berth__asked_amounts amounts)
{
    for (uint32_t i = 0; i < request->scalar_count; i++)
        if (request->scalars[i].resource == resource)
            return amounts == BERTH__ASK_REAL ? request->scalars[i].ask
                                              : request->scalars[i].scored;
    return 0;
}

int64_t berth__scored_ask(const berth__request *request, uint32_t resource)
{
    if (resource >= BERTH__SCALARS)
        return scalar_ask(request, resource, BERTH__ASK_NONZERO);
    if (resource == BERTH__EPHEMERAL)
        return request->ask[BERTH__EPHEMERAL];
    return resource == BERTH__CPU ? request->scored_cpu : request->scored_memory;
}

bool berth__asked_resources_make(const berth__question *cycle, berth__arena *arena,
                                 const berth__scored_resources *scored,
                                 berth__asked_amounts amounts, berth__asked_resources *out)
{
    const berth__model *model = cycle->view->model;
    const berth__request *request = cycle->cls->request;
    berth__asked_resource *items = berth__arena_alloc(arena, scored->count * sizeof(*items), 8);
    if (items == NULL)
        return false;
    *out = (berth__asked_resources){.items = items};
    for (uint32_t i = 0; i < scored->count; i++) {
        uint32_t resource = berth__resource_find(model, berth__text(model, scored->items[i].name));
        if (resource == BERTH__RESOURCE_NONE || resource >= cycle->view->resource_count)
            continue;
        berth__asked_resource item = {.resource = resource, .weight = scored->items[i].weight};
        if (resource >= BERTH__SCALARS) {
            item.ask = scalar_ask(request, resource, amounts);
            if (item.ask == 0)
                continue;
            item.backing = berth__resource_backing(cycle->view, cycle->cls, resource);
            out->backed |= item.backing != NULL;
        } else {
            item.nonzero = amounts == BERTH__ASK_NONZERO && resource != BERTH__EPHEMERAL;
            item.ask = item.nonzero ? berth__scored_ask(request, resource) : request->ask[resource];
        }
        out->wide |= item.ask > BERTH__SMALL_AMOUNT || item.weight > 1000000;
        items[out->count++] = item;
    }
    return true;
}

berth__asked_amount berth__asked_amount_of(const berth__view *view,
                                           const berth__asked_resource *item, uint32_t slot)
{
    berth__tile *tile = view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    int64_t capacity = berth__tile_allocatable(tile, item->resource)[at];
    if (capacity == 0 && item->backing != NULL) {
        berth__backed_amounts amounts = berth__backed_amounts_of(view, item->backing, slot);
        return (berth__asked_amount){amounts.capacity, amounts.used};
    }
    return (berth__asked_amount){capacity, berth__asked_used(tile, item)[at]};
}
