/* NodeResourcesFit: the node has room for the pod's requests; scores by LeastAllocated,
 * MostAllocated or RequestedToCapacityRatio. PodFitsResources of v1.15 also checks resources that
 * the pod requests with 0, unless the pod requests nothing at all. Since 1.34 a request above the
 * node's whole capacity is unresolvable.
 * Source: kube-scheduler v1.32 and v1.36,
 * plugins/noderesources/{fit,least_allocated,most_allocated,
 * requested_to_capacity_ratio,resource_allocation}.go; v1.15.3, predicates.PodFitsResources. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "plugins/extended_resources.h"
#include "plugins/placement_score.h"
#include "plugins/registry.h"
#include "plugins/resource_score.h"

/* The plugin's arguments. */
typedef struct instance {
    const berth__sym *ignored_names;
    uint32_t ignored_name_count;
    const berth_str *ignored_groups;
    uint32_t ignored_group_count;
    berth_fit_strategy strategy;
    berth__scored_resources scored;
    const berth_shape_point *shape; /* scores times 10 */
    uint32_t shape_count;
} instance;

typedef struct filter_state {
    const berth__scalar_request *scalars; /* the scalars to check */
    const bool *backed; /* by scalar: nodes that lack it may have devices instead */
    uint32_t scalar_count;
    bool any_backed;
    bool pods_only; /* the pod requests no resources, only room for one more pod */
    bool zeros_too; /* also checks resources that the pod requests with 0 */
} filter_state;

/* ---- arguments ---- */

static bool copy_ignored(berth__model *model, berth__arena *arena, const berth_fit_args *args,
                         instance *out)
{
    bool ok = true;
    berth__sym *names =
        berth__arena_alloc(arena, args->ignored_resources.count * sizeof(*names), 8);
    berth_str *groups =
        berth__arena_alloc(arena, args->ignored_resource_groups.count * sizeof(*groups), 8);
    if (names == NULL || groups == NULL)
        return false;
    for (uint32_t i = 0; i < args->ignored_resources.count; i++)
        names[i] = berth__intern_add(&model->strings, args->ignored_resources.items[i], &ok);
    for (uint32_t i = 0; i < args->ignored_resource_groups.count; i++)
        groups[i] = berth__arena_str(arena, args->ignored_resource_groups.items[i], &ok);
    out->ignored_names = names;
    out->ignored_name_count = args->ignored_resources.count;
    out->ignored_groups = groups;
    out->ignored_group_count = args->ignored_resource_groups.count;
    return ok;
}

static bool copy_shape(berth__arena *arena, const berth_fit_args *args, instance *out)
{
    berth_shape_point *shape = berth__arena_alloc(arena, args->shape_count * sizeof(*shape), 8);
    if (shape == NULL)
        return false;
    for (uint32_t i = 0; i < args->shape_count; i++)
        shape[i] = (berth_shape_point){args->shape[i].utilization, args->shape[i].score * 10};
    out->shape = shape;
    out->shape_count = args->shape_count;
    return true;
}

static berth_status node_resources_fit_configure(berth__model *model, berth__arena *arena,
                                                 const berth_plugin_args *args, void *opaque,
                                                 berth_error *error)
{
    static const berth_fit_args defaults = {.strategy = BERTH_FIT_LEAST_ALLOCATED};
    const berth_fit_args *fit = args != NULL ? &args->fit : &defaults;
    instance *own = opaque;
    own->strategy = fit->strategy;
    if (fit->strategy == BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO && fit->shape_count == 0) {
        berth__error_set(error, BERTH_E_INVALID, "RequestedToCapacityRatio needs a shape");
        berth__error_field(error, "scoringStrategy.requestedToCapacityRatio.shape");
        return BERTH_E_INVALID;
    }
    if (!copy_ignored(model, arena, fit, own) || !copy_shape(arena, fit, own) ||
        !berth__scored_resources_make(model, arena, fit->resources, fit->resource_count,
                                      &own->scored))
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    return BERTH_OK;
}

/* ---- filter ---- */

static bool is_ignored(const berth__model *model, const instance *own, uint32_t resource)
{
    berth__sym sym = berth__resource_name(model, resource);
    berth_str name = berth__text(model, sym);
    if (!berth__resource_is_extended(name))
        return false;
    for (uint32_t i = 0; i < own->ignored_name_count; i++)
        if (own->ignored_names[i] == sym)
            return true;
    const char *slash = memchr(name.data, '/', name.len);
    berth_str group = {name.data, (uint32_t)(slash - name.data)};
    for (uint32_t i = 0; i < own->ignored_group_count; i++)
        if (berth__str_eq(own->ignored_groups[i], group))
            return true;
    return false;
}

static bool asks_nothing(const berth__request *request)
{
    return request->scalar_count == 0 && request->ask[BERTH__CPU] == 0 &&
           request->ask[BERTH__MEMORY] == 0 && request->ask[BERTH__EPHEMERAL] == 0;
}

static berth__outcome node_resources_fit_prepare_legacy(berth__prepare *prepare)
{
    const berth__request *request = prepare->cycle->cls->request;
    filter_state *own = prepare->state;
    *own = (filter_state){.scalars = request->scalars,
                          .scalar_count = request->scalar_count,
                          .pods_only = asks_nothing(request),
                          .zeros_too = true};
    return BERTH__ACTIVE;
}

static berth__outcome node_resources_fit_prepare(berth__prepare *prepare)
{
    const instance *args = prepare->instance;
    const berth__request *request = prepare->cycle->cls->request;
    filter_state *own = prepare->state;
    berth__scalar_request *scalars =
        berth__arena_alloc(prepare->arena, request->scalar_count * sizeof(*scalars), 8);
    bool *backed = berth__arena_alloc(prepare->arena, request->scalar_count, 1);
    if (scalars == NULL || backed == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    for (uint32_t i = 0; i < request->scalar_count; i++) {
        uint32_t resource = request->scalars[i].resource;
        if (request->scalars[i].ask == 0 || is_ignored(prepare->cycle->view->model, args, resource))
            continue;
        bool behind =
            berth__resource_backing(prepare->cycle->view, prepare->cycle->cls, resource) != NULL;
        own->any_backed |= behind;
        backed[own->scalar_count] = behind;
        scalars[own->scalar_count++] = request->scalars[i];
    }
    own->scalars = scalars;
    own->backed = backed;
    own->pods_only = asks_nothing(request);
    return BERTH__ACTIVE;
}

/* Whether the slot may have devices in place of a resource; DynamicResources decides that. */
static bool is_deferred(const filter_state *own, berth__tile *tile, uint32_t at, uint32_t i)
{
    return own->any_backed && own->backed[i] &&
           berth__tile_allocatable(tile, own->scalars[i].resource)[at] <= 0;
}

static bool fits(berth__tile *tile, uint32_t resource, uint32_t at, int64_t ask)
{
    return ask <=
           berth__tile_allocatable(tile, resource)[at] - berth__tile_used(tile, resource)[at];
}

/* Filter by a scalar that devices may back on some nodes. */
static void filter_backed(const filter_state *own, berth__tile *tile, uint32_t i, berth__mask *mask)
{
    const berth__scalar_request *scalar = &own->scalars[i];
    berth__mask before = *mask;
    BERTH__MASK_EACH(&before, s)
    {
        if (!is_deferred(own, tile, s, i) && !fits(tile, scalar->resource, s, scalar->ask))
            berth__bit_clear(mask->words, s);
    }
}

static void node_resources_fit_filter(const berth__question *cycle, const void *opaque_instance,
                                      const void *opaque, uint32_t index, berth__mask *mask)
{
    (void)opaque_instance;
    const filter_state *own = opaque;
    const berth__kernels *kernels = cycle->view->kernels;
    berth__tile *tile = cycle->view->tiles[index];
    const berth__request *request = cycle->cls->request;
    kernels->fit_pods(tile->pods_used, tile->pods_max, mask);
    if (own->pods_only)
        return;
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        if (request->ask[r] > 0 || own->zeros_too)
            kernels->fit(berth__tile_allocatable(tile, r), berth__tile_used(tile, r),
                         request->ask[r], mask);
    for (uint32_t i = 0; i < own->scalar_count; i++) {
        const berth__scalar_request *scalar = &own->scalars[i];
        if (own->any_backed && own->backed[i])
            filter_backed(own, tile, i, mask);
        else
            kernels->fit(berth__tile_allocatable(tile, scalar->resource),
                         berth__tile_used(tile, scalar->resource), scalar->ask, mask);
    }
}

static bool node_resources_fit_filter_slot(const berth__question *cycle,
                                           const void *opaque_instance, const void *opaque,
                                           uint32_t slot)
{
    (void)opaque_instance;
    const filter_state *own = opaque;
    const berth__request *request = cycle->cls->request;
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    bool fit = tile->pods_used[at] < tile->pods_max[at];
    for (uint32_t r = 0; r < BERTH__SCALARS && !own->pods_only; r++)
        fit &= (request->ask[r] <= 0 && !own->zeros_too) || fits(tile, r, at, request->ask[r]);
    for (uint32_t i = 0; i < own->scalar_count; i++)
        fit &= is_deferred(own, tile, at, i) ||
               fits(tile, own->scalars[i].resource, at, own->scalars[i].ask);
    return fit;
}

static bool node_resources_fit_basic_filter(const berth__question *cycle,
                                            const void *opaque_instance, const void *opaque,
                                            berth__basic_ask *ask)
{
    (void)opaque_instance;
    const filter_state *own = opaque;
    const int64_t *amounts = cycle->cls->request->ask;
    bool tested[BERTH__SCALARS];
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        tested[r] = !own->pods_only && (amounts[r] > 0 || own->zeros_too);
    if (tested[BERTH__EPHEMERAL] || (own->scalar_count > 0 && !own->pods_only))
        return false;
    ask->places = 1;
    ask->cpu = tested[BERTH__CPU] ? (double)amounts[BERTH__CPU] : -INFINITY;
    ask->memory = tested[BERTH__MEMORY] ? (double)amounts[BERTH__MEMORY] : -INFINITY;
    return amounts[BERTH__CPU] <= BERTH__SMALL_AMOUNT &&
           amounts[BERTH__MEMORY] <= BERTH__SMALL_AMOUNT;
}

static void explain_resource(const berth__question *cycle, uint32_t slot, uint32_t resource,
                             int64_t ask, berth__reasons *reasons)
{
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    if (fits(tile, resource, at, ask))
        return;
    berth_str name =
        berth__text(cycle->view->model, berth__resource_name(cycle->view->model, resource));
    berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE, "Insufficient %.*s", (int)name.len, name.data);
}

/* Whether the pod would not fit on the node even if the node were empty. */
static bool never_fits(const berth__question *cycle, const filter_state *own, uint32_t slot)
{
    const berth__request *request = cycle->cls->request;
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    bool never = false;
    if (own->pods_only || !cycle->view->model->behaviours.fit_unresolvable)
        return false;
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        never |= request->ask[r] > 0 && request->ask[r] > berth__tile_allocatable(tile, r)[at];
    for (uint32_t i = 0; i < own->scalar_count; i++)
        never |= !is_deferred(own, tile, at, i) &&
                 own->scalars[i].ask > berth__tile_allocatable(tile, own->scalars[i].resource)[at];
    return never;
}

static void node_resources_fit_keep_resolvable(const berth__question *cycle,
                                               const void *opaque_instance, const void *opaque,
                                               uint32_t tile, berth__mask *mask)
{
    (void)opaque_instance;
    berth__mask kept = *mask;
    BERTH__MASK_EACH(mask, s)
    {
        if (never_fits(cycle, opaque, tile * BERTH__TILE + s))
            berth__bit_clear(kept.words, s);
    }
    *mask = kept;
}

static void node_resources_fit_explain(const berth__question *cycle, const void *opaque_instance,
                                       const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)opaque_instance;
    const filter_state *own = opaque;
    const berth__request *request = cycle->cls->request;
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    if (tile->pods_used[at] >= tile->pods_max[at])
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                      own->zeros_too ? "Insufficient pods" : "Too many pods");
    if (own->pods_only)
        return;
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        if (request->ask[r] > 0 || own->zeros_too)
            explain_resource(cycle, slot, r, request->ask[r], reasons);
    for (uint32_t i = 0; i < own->scalar_count; i++)
        if (!is_deferred(own, tile, at, i))
            explain_resource(cycle, slot, own->scalars[i].resource, own->scalars[i].ask, reasons);
    if (never_fits(cycle, own, slot))
        reasons->code = BERTH_CODE_UNRESOLVABLE;
}

/* ---- waking ---- */

static bool is_deferred_there(const berth__wake *wake, const berth__class *cls, uint32_t resource)
{
    bool named;
    return berth__resource_backing(wake->view, cls, resource) != NULL &&
           berth__node_allocatable(wake->node->facts, resource, &named) <= 0;
}

/* Wake if the pod would fit on the changed node, or could by preemption. */
static bool node_resources_fit_wakes(berth__wake *wake, const berth__waiter *waiter,
                                     const void *opaque)
{
    const instance *args = opaque;
    const berth__request *request = waiter->cls->request;
    if (!berth__backing_refresh(wake->view, waiter->cls))
        return true;
    if ((wake->bits & BERTH_WAKE_DEVICE_CLASS) != 0)
        return berth__class_backs(wake, waiter->cls);
    if (!berth__wake_fits(wake, waiter, NULL, 0, false))
        return false;
    for (uint32_t i = 0; i < request->scalar_count; i++)
        if (request->scalars[i].ask != 0 &&
            !is_ignored(wake->view->model, args, request->scalars[i].resource) &&
            !is_deferred_there(wake, waiter->cls, request->scalars[i].resource) &&
            !berth__wake_fits(wake, waiter, &request->scalars[i], 1, false))
            return false;
    return true;
}

static bool node_resources_fit_wakes_legacy(berth__wake *wake, const berth__waiter *waiter,
                                            const void *opaque)
{
    (void)opaque;
    const berth__request *request = waiter->cls->request;
    return berth__wake_fits(wake, waiter, request->scalars, request->scalar_count,
                            !asks_nothing(request));
}

/* ---- score ---- */

/* 100 x amount / capacity; the product wraps, as Go's int64 does. */
static int64_t percent(int64_t amount, int64_t capacity)
{
    return (int64_t)((uint64_t)amount * 100) / capacity;
}

static int64_t resource_score(const instance *own, int64_t capacity, int64_t requested)
{
    switch (own->strategy) {
    case BERTH_FIT_LEAST_ALLOCATED:
        return requested > capacity ? 0 : percent(capacity - requested, capacity);
    case BERTH_FIT_MOST_ALLOCATED:
        return percent(requested > capacity ? capacity : requested, capacity);
    case BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO:
        break;
    }
    return berth__shape_at(own->shape, own->shape_count,
                           requested > capacity ? 100 : percent(requested, capacity));
}

/* The score of one slot in plain integers, for every strategy and amount. Defines the answer. */
static int64_t score_slot(const berth__question *cycle, const instance *own,
                          const berth__asked_resources *asked, uint32_t slot)
{
    bool shaped = own->strategy == BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO;
    int64_t sum = 0, weights = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        const berth__asked_resource *item = &asked->items[i];
        berth__asked_amount amount = berth__asked_amount_of(cycle->view, item, slot);
        if (amount.capacity == 0)
            continue;
        int64_t score = resource_score(own, amount.capacity,
                                       (int64_t)((uint64_t)amount.used + (uint64_t)item->ask));
        if (shaped && score <= 0)
            continue;
        sum += score * item->weight;
        weights += item->weight;
    }
    if (weights == 0)
        return 0;
    return shaped ? (int64_t)round((double)sum / (double)weights) : sum / weights;
}

static berth__outcome node_resources_fit_prepare_score(berth__prepare *prepare)
{
    const instance *own = prepare->instance;
    if (!berth__asked_resources_make(prepare->cycle, prepare->arena, &own->scored,
                                     BERTH__ASK_NONZERO, prepare->state))
        prepare->ok = false;
    return BERTH__ACTIVE;
}

static void node_resources_fit_score(const berth__question *cycle, const void *opaque_instance,
                                     const void *opaque, uint32_t index, const berth__mask *mask,
                                     int64_t *out)
{
    const instance *own = opaque_instance;
    const berth__asked_resources *asked = opaque;
    berth__tile *tile = cycle->view->tiles[index];
    if (cycle->view->wide || asked->wide || asked->backed ||
        own->strategy == BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO) {
        BERTH__MASK_EACH(mask, s)
        {
            out[s] = score_slot(cycle, own, asked, index * BERTH__TILE + s);
        }
        return;
    }
    _Alignas(64) double sums[BERTH__TILE] = {0}, weights[BERTH__TILE] = {0};
    const berth__kernels *kernels = cycle->view->kernels;
    for (uint32_t i = 0; i < asked->count; i++) {
        const berth__asked_resource *item = &asked->items[i];
        (own->strategy == BERTH_FIT_LEAST_ALLOCATED ? kernels->least : kernels->most)(
            berth__tile_allocatable(tile, item->resource), berth__asked_used(tile, item), item->ask,
            (double)item->weight, sums, weights);
    }
    kernels->average(sums, weights, out);
}

/* For two resources with small amounts: quotients in double precision, which is faster than int64
 * division and truncates to the same integer (see tile_kernels.h). */
static int64_t node_resources_fit_one_slot(const berth__question *cycle,
                                           const void *opaque_instance, const void *opaque,
                                           uint32_t slot)
{
    const instance *own = opaque_instance;
    const berth__asked_resources *asked = opaque;
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    if (cycle->view->wide || asked->wide || asked->backed ||
        own->strategy != BERTH_FIT_LEAST_ALLOCATED)
        return score_slot(cycle, own, asked, slot);
    int64_t sum = 0, weights = 0;
    for (uint32_t i = 0; i < asked->count; i++) {
        const berth__asked_resource *item = &asked->items[i];
        int64_t capacity = berth__tile_allocatable(tile, item->resource)[at];
        int64_t free = capacity - (berth__asked_used(tile, item)[at] + item->ask);
        if (capacity == 0)
            continue;
        if (free > 0)
            sum += item->weight * (int64_t)((double)free * 100.0 / (double)capacity);
        weights += item->weight;
    }
    if (weights == 2) /* the default weights */
        return sum / 2;
    return weights == 0 ? 0 : sum / weights;
}

static bool node_resources_fit_basic_score(const berth__question *cycle,
                                           const void *opaque_instance, const void *opaque,
                                           int32_t weight, berth__basic_ask *ask)
{
    (void)cycle;
    const instance *own = opaque_instance;
    const berth__asked_resources *asked = opaque;
    const berth__asked_resource *cpu = asked->items, *memory = asked->items + 1;
    if (own->strategy != BERTH_FIT_LEAST_ALLOCATED || asked->wide || asked->backed ||
        asked->count != 2 || cpu->resource != BERTH__CPU || memory->resource != BERTH__MEMORY)
        return false;
    ask->least_cpu = (double)cpu->ask;
    ask->least_memory = (double)memory->ask;
    ask->cpu_weight = (double)cpu->weight;
    ask->memory_weight = (double)memory->weight;
    ask->least_weight = weight;
    return true;
}

/* ---- the score of a domain ---- */

/* The column of a scored resource, or BERTH__RESOURCE_NONE. */
static uint32_t column_of(const berth__view *view, const instance *own, uint32_t i)
{
    const uint32_t resource =
        berth__resource_find(view->model, berth__text(view->model, own->scored.items[i].name));
    return resource < view->resource_count ? resource : BERTH__RESOURCE_NONE;
}

uint32_t berth__fit_resource_count(const void *opaque_instance)
{
    const instance *own = opaque_instance;
    return own->scored.count;
}

void berth__fit_add_request(const berth__view *view, const void *opaque_instance,
                            const berth__class *cls, int64_t *sums)
{
    const instance *own = opaque_instance;
    for (uint32_t i = 0; i < own->scored.count; i++) {
        const uint32_t resource = column_of(view, own, i);
        if (resource != BERTH__RESOURCE_NONE)
            sums[i] =
                (int64_t)((uint64_t)sums[i] + (uint64_t)berth__scored_ask(cls->request, resource));
    }
}

/* Add up a resource over the nodes of a part; the sums wrap, as Go's int64 does. */
static berth__asked_amount amount_of_part(const berth__view *view, uint32_t resource,
                                          const berth__node_part *part)
{
    const berth__asked_resource item = {
        .resource = resource, .nonzero = resource == BERTH__CPU || resource == BERTH__MEMORY};
    uint64_t capacity = 0, used = 0;
    for (uint32_t tile = 0; tile < view->layout->tile_count; tile++)
        BERTH__MASK_EACH(&part->slots[tile], s)
        {
            const berth__asked_amount one =
                berth__asked_amount_of(view, &item, tile * BERTH__TILE + s);
            if (one.capacity == 0)
                continue;
            capacity += (uint64_t)one.capacity;
            used += (uint64_t)one.used;
        }
    return (berth__asked_amount){(int64_t)capacity, (int64_t)used};
}

/* Source: kube-scheduler v1.37, plugins/noderesources/resource_allocation.go, scorePlacement. */
int64_t berth__fit_score_part(const berth__view *view, const void *opaque_instance,
                              const int64_t *sums, const berth__node_part *part)
{
    const instance *own = opaque_instance;
    int64_t sum = 0, weights = 0;
    for (uint32_t i = 0; i < own->scored.count; i++) {
        const uint32_t resource = column_of(view, own, i);
        if (resource == BERTH__RESOURCE_NONE || (resource >= BERTH__SCALARS && sums[i] == 0))
            continue;
        const berth__asked_amount amount = amount_of_part(view, resource, part);
        if (amount.capacity == 0)
            continue;
        const int64_t requested = (int64_t)((uint64_t)amount.used + (uint64_t)sums[i]);
        sum += percent(requested > amount.capacity ? amount.capacity : requested, amount.capacity) *
               own->scored.items[i].weight;
        weights += own->scored.items[i].weight;
    }
    return weights == 0 ? 0 : sum / weights;
}

const berth__plugin_ops berth__plugin_node_resources_fit = {
    .name = "NodeResourcesFit",
    .flags = BERTH__COUNTS_PODS,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_ALLOCATABLE | BERTH_WAKE_POD_REMOVE |
               BERTH__WAKE_POD_SELF | BERTH_WAKE_DEVICE_CLASS,
    .wakes = node_resources_fit_wakes,
    .instance_bytes = sizeof(instance),
    .configure = node_resources_fit_configure,
    .filter_misses = "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found",
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = node_resources_fit_prepare,
    .filter = node_resources_fit_filter,
    .filter_slot = node_resources_fit_filter_slot,
    .basic_filter = node_resources_fit_basic_filter,
    .explain = node_resources_fit_explain,
    .keep_resolvable = node_resources_fit_keep_resolvable,
    .score_state_bytes = sizeof(berth__asked_resources),
    .prepare_score = node_resources_fit_prepare_score,
    .score = node_resources_fit_score,
    .score_slot = node_resources_fit_one_slot,
    .basic_score = node_resources_fit_basic_score,
};

const berth__plugin_ops berth__plugin_pod_fits_resources = {
    .name = "PodFitsResources",
    .flags = BERTH__ALWAYS_UNSCHEDULABLE | BERTH__COUNTS_PODS,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_ALLOCATABLE | BERTH_WAKE_POD_REMOVE |
               BERTH__WAKE_POD_SELF,
    .wakes = node_resources_fit_wakes_legacy,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = node_resources_fit_prepare_legacy,
    .filter = node_resources_fit_filter,
    .filter_slot = node_resources_fit_filter_slot,
    .explain = node_resources_fit_explain,
};
