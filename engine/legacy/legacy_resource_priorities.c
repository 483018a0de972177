/* LeastRequestedPriority, MostRequestedPriority and RequestedToCapacityRatioPriority of v1.15: the
 * mean of the scores for cpu and memory, using the non-zero amounts for pods that request nothing.
 * The tile kernels of NodeResourcesFit serve here, too: they score from 0 to 100, and a tenth of
 * that, truncated, is v1.15's score. 100 minus the free part of a capacity is its utilization.
 * Source: Kubernetes v1.15.3,
 * algorithm/priorities/{resource_allocation,least_requested,most_requested,
 * requested_to_capacity_ratio}.go. */
#include "legacy/legacy_registry.h"
#include "plugins/resource_score.h"

enum { FULL = 100 };

/* Scores by utilization. */
typedef struct instance {
    int32_t scores[FULL + 1];
} instance;

/* The columns of a tile and the pod's request, for cpu or memory. */
typedef struct side {
    const int64_t *allocatable;
    const int64_t *used;
    int64_t ask;
} side;

static side side_of(const berth__question *cycle, uint32_t tile_idx, uint32_t resource)
{
    berth__tile *tile = cycle->view->tiles[tile_idx];
    const berth__request *request = cycle->cls->request;
    bool cpu = resource == BERTH__CPU;
    return (side){berth__tile_allocatable(tile, resource),
                  cpu ? tile->nonzero_cpu : tile->nonzero_memory,
                  cpu ? request->nonzero_cpu : request->nonzero_memory};
}

/* ---- one slot in plain integers, for any amount: defines the answer ---- */

static int64_t taken_at(const side *one, uint32_t at)
{
    return (int64_t)((uint64_t)one->used[at] + (uint64_t)one->ask);
}

/* amount * scale / capacity; the product wraps, as Go's int64 does. */
static int64_t scaled(int64_t amount, int64_t scale, int64_t capacity)
{
    return (int64_t)((uint64_t)amount * (uint64_t)scale) / capacity;
}

/* The free part of the capacity; 0 if the capacity is exceeded or zero. */
static int64_t free_part(const side *one, uint32_t at, int64_t scale)
{
    int64_t capacity = one->allocatable[at], taken = taken_at(one, at);
    return capacity == 0 || taken > capacity ? 0 : scaled(capacity - taken, scale, capacity);
}

static int64_t used_part(const side *one, uint32_t at, int64_t scale)
{
    int64_t capacity = one->allocatable[at], taken = taken_at(one, at);
    return capacity == 0 || taken > capacity ? 0 : scaled(taken, scale, capacity);
}

/* ---- tiles ---- */

static int64_t clamp(int64_t value, int64_t lowest, int64_t highest)
{
    return value < lowest ? lowest : value > highest ? highest : value;
}

static bool is_wide(const berth__question *cycle)
{
    const berth__request *request = cycle->cls->request;
    return cycle->view->wide || request->nonzero_cpu > BERTH__SMALL_AMOUNT ||
           request->nonzero_memory > BERTH__SMALL_AMOUNT;
}

/* The free parts of a tile's capacities in hundredths. A product may wrap around, so the
 * result is limited to 0..100, beyond which a shape's scores do not change. */
static void free_percents(const berth__question *cycle, const side *one, int32_t *out)
{
    _Alignas(64) double sums[BERTH__TILE] = {0}, weights[BERTH__TILE] = {0};
    if (is_wide(cycle)) {
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            out[s] = (int32_t)clamp(free_part(one, s, FULL), 0, FULL);
        return;
    }
    cycle->view->kernels->least(one->allocatable, one->used, one->ask, 1.0, sums, weights);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = (int32_t)sums[s];
}

/* ---- least and most requested ---- */

typedef int64_t (*part_fn)(const side *one, uint32_t at, int64_t scale);
typedef void (*percents_fn)(const berth__question *cycle, const side *one, double *out);

/* The mean of a slot's parts of cpu and memory, in tenths. */
static int64_t mean_at(const berth__question *cycle, uint32_t slot, part_fn part)
{
    uint32_t tile = slot / BERTH__TILE, at = slot % BERTH__TILE;
    const side cpu = side_of(cycle, tile, BERTH__CPU), memory = side_of(cycle, tile, BERTH__MEMORY);
    return (part(&cpu, at, BERTH__SCORE_MAX_LEGACY) + part(&memory, at, BERTH__SCORE_MAX_LEGACY)) /
           2;
}

/* The same for a tile, from its parts in hundredths if the kernels can hold the amounts. */
static void mean_of_tile(const berth__question *cycle, part_fn part, percents_fn percents,
                         uint32_t tile, const berth__mask *mask, int64_t *out)
{
    if (is_wide(cycle)) {
        BERTH__MASK_EACH(mask, s)
        {
            out[s] = mean_at(cycle, tile * BERTH__TILE + s, part);
        }
        return;
    }
    const side cpu = side_of(cycle, tile, BERTH__CPU), memory = side_of(cycle, tile, BERTH__MEMORY);
    _Alignas(64) double of_cpu[BERTH__TILE] = {0}, of_memory[BERTH__TILE] = {0};
    percents(cycle, &cpu, of_cpu);
    percents(cycle, &memory, of_memory);
    cycle->view->kernels->mean_tenths(of_cpu, of_memory, out);
}

/* The free part in hundredths. */
static void unused_percents(const berth__question *cycle, const side *one, double *out)
{
    _Alignas(64) double weights[BERTH__TILE] = {0};
    cycle->view->kernels->least(one->allocatable, one->used, one->ask, 1.0, out, weights);
}

/* The utilization in hundredths; unlike the kernel's, 0 above the capacity. */
static void used_percents(const berth__question *cycle, const side *one, double *out)
{
    _Alignas(64) double weights[BERTH__TILE] = {0};
    cycle->view->kernels->most(one->allocatable, one->used, one->ask, 1.0, out, weights);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = one->used[s] + one->ask > one->allocatable[s] ? 0 : out[s];
}

/* Defines the score functions of a priority. */
#define MEAN_OF(priority, part, percents)                                                   \
    static int64_t legacy_resource_priorities_slot_##priority(                              \
        const berth__question *cycle, const void *opaque, const void *state, uint32_t slot) \
    {                                                                                       \
        (void)opaque;                                                                       \
        (void)state;                                                                        \
        return mean_at(cycle, slot, part);                                                  \
    }                                                                                       \
    static void legacy_resource_priorities_score_##priority(                                \
        const berth__question *cycle, const void *opaque, const void *state, uint32_t tile, \
        const berth__mask *mask, int64_t *out)                                              \
    {                                                                                       \
        (void)opaque;                                                                       \
        (void)state;                                                                        \
        mean_of_tile(cycle, part, percents, tile, mask, out);                               \
    }

MEAN_OF(least, free_part, unused_percents)
MEAN_OF(most, used_part, used_percents)

/* ---- by shape ---- */

static berth_status legacy_resource_priorities_configure(berth__model *model, berth__arena *arena,
                                                         const berth_plugin_args *args,
                                                         void *opaque, berth_error *error)
{
    static const berth_shape_point prefers_empty[] = {{0, 10}, {100, 0}};
    instance *own = opaque;
    (void)model;
    (void)arena;
    (void)error;
    bool given = args != NULL && args->fit.shape_count > 0;
    for (int32_t u = 0; u <= FULL; u++)
        own->scores[u] = (int32_t)berth__shape_at(given ? args->fit.shape : prefers_empty,
                                                  given ? args->fit.shape_count : 2, u);
    return BERTH_OK;
}

static int64_t legacy_resource_priorities_slot_by_shape(const berth__question *cycle,
                                                        const void *opaque, const void *state,
                                                        uint32_t slot)
{
    (void)state;
    const instance *own = opaque;
    uint32_t tile = slot / BERTH__TILE, at = slot % BERTH__TILE;
    const side cpu = side_of(cycle, tile, BERTH__CPU), memory = side_of(cycle, tile, BERTH__MEMORY);
    return (own->scores[FULL - clamp(free_part(&cpu, at, FULL), 0, FULL)] +
            own->scores[FULL - clamp(free_part(&memory, at, FULL), 0, FULL)]) /
           2;
}

/* A node that the pod does not fit, or without capacity, counts as fully used. */
static void legacy_resource_priorities_score_by_shape(const berth__question *cycle,
                                                      const void *opaque, const void *state,
                                                      uint32_t tile, const berth__mask *mask,
                                                      int64_t *out)
{
    (void)state;
    (void)mask;
    const instance *own = opaque;
    const side cpu = side_of(cycle, tile, BERTH__CPU), memory = side_of(cycle, tile, BERTH__MEMORY);
    int32_t free_cpu[BERTH__TILE], free_memory[BERTH__TILE];
    free_percents(cycle, &cpu, free_cpu);
    free_percents(cycle, &memory, free_memory);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = (own->scores[FULL - free_cpu[s]] + own->scores[FULL - free_memory[s]]) / 2;
}

const berth__plugin_ops berth__plugin_least_requested = {
    .name = "LeastRequestedPriority",
    .score = legacy_resource_priorities_score_least,
    .score_slot = legacy_resource_priorities_slot_least,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};

const berth__plugin_ops berth__plugin_most_requested = {
    .name = "MostRequestedPriority",
    .score = legacy_resource_priorities_score_most,
    .score_slot = legacy_resource_priorities_slot_most,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};

const berth__plugin_ops berth__plugin_requested_to_capacity_ratio = {
    .name = "RequestedToCapacityRatioPriority",
    .instance_bytes = sizeof(instance),
    .configure = legacy_resource_priorities_configure,
    .score = legacy_resource_priorities_score_by_shape,
    .score_slot = legacy_resource_priorities_slot_by_shape,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
