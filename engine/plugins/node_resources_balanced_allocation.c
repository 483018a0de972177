/* NodeResourcesBalancedAllocation: prefers nodes whose resources would be used in similar
 * proportions. Since 1.36: nodes whose balance the pod improves most, or harms least.
 * Source: kube-scheduler v1.32 and v1.36, plugins/noderesources/balanced_allocation.go. */
#include <math.h>

#include "base/error.h"
#include "plugins/registry.h"
#include "plugins/resource_score.h"

typedef struct state {
    berth__asked_resources asked;
    bool of_difference;
} state;

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

static bool asks_for_none(const berth__asked_resources *asked)
{
    for (uint32_t i = 0; i < asked->count; i++)
        if (asked->items[i].ask != 0)
            return false;
    return true;
}

static berth__outcome node_resources_balanced_allocation_prepare(berth__prepare *prepare)
{
    const berth__behaviours *behaviours = &prepare->cycle->view->model->behaviours;
    state *own = prepare->state;
    own->of_difference = behaviours->balance_of_difference;
    if (!berth__asked_resources_make(prepare->cycle, prepare->arena, prepare->instance,
                                     BERTH__ASK_REAL, &own->asked))
        prepare->ok = false;
    else if (behaviours->balance_skips_empty && asks_for_none(&own->asked))
        return prepare->bare ? BERTH__UNIFORM : BERTH__SKIP;
    return BERTH__ACTIVE;
}

/* A node; `with` is 1 to include the pod, 0 to leave it out. */
typedef struct place {
    const berth__view *view;
    uint32_t slot;
    int64_t with;
} place;

/* Returns false if the node lacks the resource, which then does not count. */
static bool fraction_of(const place *at, const berth__asked_resource *item, double *fraction)
{
    berth__asked_amount amount = berth__asked_amount_of(at->view, item, at->slot);
    if (amount.capacity == 0)
        return false;
    *fraction = (double)(amount.used + at->with * item->ask) / (double)amount.capacity;
    *fraction = *fraction > 1 ? 1 : *fraction;
    return true;
}

/* Resources without capacity do not count. Two passes avoid a list of fractions. Sums follow the
 * order of the resources, as in kube-scheduler. */
static double deviation(const berth__asked_resources *asked, const place *at)
{
    double sum = 0, squares = 0, first = 0, second = 0, fraction;
    uint32_t count = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        if (!fraction_of(at, &asked->items[i], &fraction))
            continue;
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
        if (!fraction_of(at, &asked->items[i], &fraction))
            continue;
        double distance = fraction - mean;
        squares += distance * distance;
    }
    return sqrt(squares / (double)count);
}

static int64_t evenness(const state *own, const berth__view *view, uint32_t slot, int64_t with)
{
    const place at = {view, slot, with};
    return (int64_t)((1 - deviation(&own->asked, &at)) * BERTH__SCORE_MAX);
}

/* The general case: any resources, any amount. Defines the answer. */
static int64_t score_one(const state *own, const berth__view *view, uint32_t slot)
{
    int64_t with = evenness(own, view, slot, 1);
    return own->of_difference ? berth__balance_difference(with, evenness(own, view, slot, 0))
                              : with;
}

static int64_t node_resources_balanced_allocation_score_slot(const berth__question *cycle,
                                                             const void *instance,
                                                             const void *opaque, uint32_t slot)
{
    (void)instance;
    return score_one(opaque, cycle->view, slot);
}

static bool node_resources_balanced_allocation_basic_score(const berth__question *cycle,
                                                           const void *instance, const void *opaque,
                                                           int32_t weight, berth__basic_ask *ask)
{
    (void)cycle;
    (void)instance;
    const state *own = opaque;
    const berth__asked_resources *asked = &own->asked;
    const berth__asked_resource *cpu = asked->items, *memory = asked->items + 1;
    if (asked->wide || asked->backed || asked->count != 2 || cpu->resource != BERTH__CPU ||
        memory->resource != BERTH__MEMORY)
        return false;
    ask->balance_cpu = (double)cpu->ask;
    ask->balance_memory = (double)memory->ask;
    ask->balance_weight = weight;
    ask->balance_difference = own->of_difference;
    return true;
}

static void node_resources_balanced_allocation_score(const berth__question *cycle,
                                                     const void *instance, const void *opaque,
                                                     uint32_t index, const berth__mask *mask,
                                                     int64_t *out)
{
    (void)instance;
    const state *own = opaque;
    const berth__asked_resources *asked = &own->asked;
    const berth__kernels *kernels = cycle->view->kernels;
    berth__tile *tile = cycle->view->tiles[index];
    if (asked->count == 2 && !cycle->view->wide && !asked->wide && !asked->backed) {
        const berth__asked_resource *a = &asked->items[0], *b = &asked->items[1];
        const int64_t *all1 = berth__tile_allocatable(tile, a->resource);
        const int64_t *all2 = berth__tile_allocatable(tile, b->resource);
        const int64_t *used1 = berth__asked_used(tile, a), *used2 = berth__asked_used(tile, b);
        kernels->balance(all1, used1, a->ask, all2, used2, b->ask, out);
        if (own->of_difference) {
            int64_t without[BERTH__TILE];
            kernels->balance(all1, used1, 0, all2, used2, 0, without);
            kernels->balance_differences(without, out);
        }
        return;
    }
    BERTH__MASK_EACH(mask, s)
    {
        out[s] = score_one(own, cycle->view, index * BERTH__TILE + s);
    }
}

const berth__plugin_ops berth__plugin_node_resources_balanced_allocation = {
    .name = "NodeResourcesBalancedAllocation",
    .instance_bytes = sizeof(berth__scored_resources),
    .configure = node_resources_balanced_allocation_configure,
    .score_state_bytes = sizeof(state),
    .prepare_score = node_resources_balanced_allocation_prepare,
    .score = node_resources_balanced_allocation_score,
    .score_slot = node_resources_balanced_allocation_score_slot,
    .basic_score = node_resources_balanced_allocation_basic_score,
};
