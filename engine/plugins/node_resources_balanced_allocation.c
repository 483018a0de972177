/* NodeResourcesBalancedAllocation: prefers nodes whose resources would be used in like proportion.
 * Source: kube-scheduler v1.32, plugins/noderesources/balanced_allocation.go. */
#include <math.h>

#include "base/error.h"
#include "plugins/registry.h"
#include "plugins/resource_score.h"

static berth_status node_resources_balanced_allocation_configure(berth__model *model,
                                                                 berth__arena *arena,
                                                                 const berth_plugin_args *args,
                                                                 void *instance, berth_error *error)
{
    bool ok =
        berth__scored_resources_make(model, arena, args != NULL ? args->balanced.resources : NULL,
                                     args != NULL ? args->balanced.resource_count : 0, instance);
    return ok ? BERTH_OK : berth__error_set(error, BERTH_E_NOMEM, "out of memory");
}

static berth__outcome node_resources_balanced_allocation_prepare(berth__prepare *prepare)
{
    if (!berth__asked_resources_make(prepare->cycle, prepare->arena, prepare->instance, false,
                                     prepare->state))
        prepare->ok = false;
    return BERTH__ACTIVE;
}

static double fraction_of(berth__tile *tile, const berth__asked_resource *item, uint32_t at)
{
    double fraction = (double)(berth__asked_used(tile, item)[at] + item->ask) /
                      (double)berth__tile_allocatable(tile, item->resource)[at];
    return fraction > 1 ? 1 : fraction;
}

/* Resources without capacity do not count; two passes, so that no list of fractions is kept. The
 * sums run in the order of the resources, as kube-scheduler's do. */
static double deviation(const berth__asked_resources *asked, berth__tile *tile, uint32_t at)
{
    double sum = 0, squares = 0, first = 0, second = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (berth__tile_allocatable(tile, asked->items[i].resource)[at] == 0)
            continue;
        double fraction = fraction_of(tile, &asked->items[i], at);
        sum += fraction;
        first = count == 0 ? fraction : first;
        second = count == 1 ? fraction : second;
        count++;
    }
    if (count < 2)
        return 0;
    if (count == 2)
        return fabs((first - second) / 2);
    double mean = sum / (double)count;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (berth__tile_allocatable(tile, asked->items[i].resource)[at] == 0)
            continue;
        double distance = fraction_of(tile, &asked->items[i], at) - mean;
        squares += distance * distance;
    }
    return sqrt(squares / (double)count);
}

static int64_t node_resources_balanced_allocation_score_slot(const berth__question *cycle,
                                                             const void *instance,
                                                             const void *opaque, uint32_t slot)
{
    (void)instance;
    const berth__asked_resources *asked = opaque;
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    return (int64_t)((1 - deviation(asked, tile, slot % BERTH__TILE)) * BERTH__SCORE_MAX);
}

static bool node_resources_balanced_allocation_basic_score(const berth__question *cycle,
                                                           const void *instance, const void *opaque,
                                                           int32_t weight, berth__basic_ask *ask)
{
    (void)cycle;
    (void)instance;
    const berth__asked_resources *asked = opaque;
    const berth__asked_resource *cpu = asked->items, *memory = asked->items + 1;
    if (asked->wide || asked->count != 2 || cpu->resource != BERTH__CPU ||
        memory->resource != BERTH__MEMORY)
        return false;
    ask->balance_cpu = (double)cpu->ask;
    ask->balance_memory = (double)memory->ask;
    ask->balance_weight = weight;
    return true;
}

static void node_resources_balanced_allocation_score(const berth__question *cycle,
                                                     const void *instance, const void *opaque,
                                                     uint32_t index, const berth__mask *mask,
                                                     int64_t *out)
{
    (void)instance;
    const berth__asked_resources *asked = opaque;
    berth__tile *tile = cycle->view->tiles[index];
    if (asked->count == 2 && !cycle->view->wide && !asked->wide) {
        const berth__asked_resource *a = &asked->items[0], *b = &asked->items[1];
        cycle->view->kernels->balance(
            berth__tile_allocatable(tile, a->resource), berth__asked_used(tile, a), a->ask,
            berth__tile_allocatable(tile, b->resource), berth__asked_used(tile, b), b->ask, out);
        return;
    }
    BERTH__MASK_EACH(mask, s)
    {
        out[s] = (int64_t)((1 - deviation(asked, tile, s)) * BERTH__SCORE_MAX);
    }
}

const berth__plugin_ops berth__plugin_node_resources_balanced_allocation = {
    .name = "NodeResourcesBalancedAllocation",
    .instance_bytes = sizeof(berth__scored_resources),
    .configure = node_resources_balanced_allocation_configure,
    .score_state_bytes = sizeof(berth__asked_resources),
    .prepare_score = node_resources_balanced_allocation_prepare,
    .score = node_resources_balanced_allocation_score,
    .score_slot = node_resources_balanced_allocation_score_slot,
    .basic_score = node_resources_balanced_allocation_basic_score,
};
