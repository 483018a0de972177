/* ServiceAntiAffinityPriority of v1.15 (CalculateAntiAffinityPriority in its documentation):
 * prefers label values whose nodes have a smaller share of the pods of the pod's first Service;
 * nodes without the label get 0.
 * Source: Kubernetes v1.15.3, algorithm/priorities/selector_spreading.go. */
#include "legacy/legacy_labels.h"
#include "legacy/legacy_registry.h"
#include "legacy/legacy_selectors.h"

typedef struct state {
    const berth__domain_counts *siblings; /* NULL: the pod has no Service */
    const berth__sym *column;             /* of the label; used without a Service */
    const int64_t *scores;                /* by value of the label, [0]: no label */
} state;

static berth__outcome legacy_service_anti_affinity_prepare(berth__prepare *prepare)
{
    const berth__legacy_labels *labels = prepare->instance;
    berth__view *view = prepare->cycle->view;
    state *own = prepare->state;
    prepare->ok =
        berth__legacy_siblings(prepare->cycle, prepare->instance, BERTH__SIBLINGS_FIRST_SERVICE,
                               labels->keys[0], &own->siblings);
    own->column = berth__layout_column(view->layout, &view->nodes, labels->keys[0]);
    prepare->ok &= own->column != NULL;
    return BERTH__ACTIVE;
}

static uint64_t count_tile(const state *own, uint32_t tile, const berth__mask *feasible,
                           uint64_t *by_value)
{
    uint32_t scratch[BERTH__TILE];
    const uint32_t *counts =
        berth__slot_pods_tile(&own->siblings->population->slots, tile, scratch);
    const uint32_t *domains = own->siblings->topology->domains + (size_t)tile * BERTH__TILE;
    uint64_t total = 0;
    BERTH__MASK_EACH(feasible, s)
    {
        by_value[domains[s]] += counts[s];
        total += counts[s];
    }
    return total;
}

static berth__outcome legacy_service_anti_affinity_rank(berth__prepare *prepare,
                                                        const berth__mask *feasible, uint32_t count)
{
    (void)count;
    state *own = prepare->state;
    if (own->siblings == NULL)
        return BERTH__ACTIVE;
    uint32_t value_count = own->siblings->topology->domain_count + 1;
    uint64_t *by_value =
        berth__arena_alloc_zero(prepare->arena, value_count * sizeof(*by_value), 8);
    int64_t *scores = berth__arena_alloc(prepare->arena, value_count * sizeof(*scores), 8);
    prepare->ok = by_value != NULL && scores != NULL;
    if (!prepare->ok)
        return BERTH__SKIP;
    uint64_t total = 0;
    for (uint32_t tile = 0; tile < prepare->cycle->view->layout->tile_count; tile++)
        if (!berth__mask_empty(&feasible[tile]))
            total += count_tile(own, tile, &feasible[tile], by_value);
    scores[0] = 0;
    for (uint32_t value = 1; value < value_count; value++)
        scores[value] = total == 0 ? BERTH__SCORE_MAX_LEGACY
                                   : (int64_t)((double)BERTH__SCORE_MAX_LEGACY *
                                               ((double)(total - by_value[value]) / (double)total));
    own->scores = scores;
    return BERTH__ACTIVE;
}

static void legacy_service_anti_affinity_score(const berth__question *cycle, const void *instance,
                                               const void *opaque, uint32_t tile,
                                               const berth__mask *mask, int64_t *out)
{
    (void)cycle;
    (void)instance;
    (void)mask;
    const state *own = opaque;
    size_t first = (size_t)tile * BERTH__TILE;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = own->siblings != NULL ? own->scores[own->siblings->topology->domains[first + s]]
                 : own->column[first + s] != 0 ? BERTH__SCORE_MAX_LEGACY
                                               : 0;
}

const berth__plugin_ops berth__plugin_service_anti_affinity = {
    .name = "ServiceAntiAffinityPriority",
    .flags = BERTH__PREPARE_EACH,
    .instance_bytes = sizeof(berth__legacy_labels),
    .configure = berth__legacy_labels_configure,
    .score_state_bytes = sizeof(state),
    .prepare_score = legacy_service_anti_affinity_prepare,
    .rank = legacy_service_anti_affinity_rank,
    .score = legacy_service_anti_affinity_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
