/* SelectorSpreadPriority of v1.15, and ServiceSpreadingPriority, which uses only Services: prefer
 * nodes with fewer siblings of the pod; if nodes have zones, siblings in the zone have two thirds
 * of the weight. In v1.32 PodTopologySpread's default constraints replace them.
 * Source: Kubernetes v1.15.3, algorithm/priorities/selector_spreading.go. */
#include "base/bits.h"
#include "legacy/legacy_registry.h"
#include "legacy/legacy_selectors.h"

static const double ZONE_WEIGHT = 2.0 / 3.0;

typedef struct state {
    const berth__domain_counts *siblings; /* by zone */
    uint64_t most_on_node;
    bool any_zone;            /* some feasible node has a zone */
    const double *zone_score; /* by zone, [0]: no zone */
} state;

static berth__outcome prepare(berth__prepare *prepare, const void *owner, berth__siblings which)
{
    state *own = prepare->state;
    prepare->ok = berth__legacy_siblings(prepare->cycle, owner, which, BERTH__KEY_LEGACY_ZONE,
                                         &own->siblings);
    prepare->uniform = BERTH__SCORE_MAX_LEGACY;
    return own->siblings != NULL && own->siblings->population->total > 0 ? BERTH__ACTIVE
                                                                         : BERTH__UNIFORM;
}

static berth__outcome legacy_selector_spread_prepare_all(berth__prepare *prepare_)
{
    return prepare(prepare_, &berth__plugin_selector_spread, BERTH__SIBLINGS_ALL);
}

static berth__outcome legacy_selector_spread_prepare_services(berth__prepare *prepare_)
{
    return prepare(prepare_, &berth__plugin_service_spreading, BERTH__SIBLINGS_SERVICES);
}

/* ---- rank: counts of the feasible nodes ---- */

static void count_tile(state *own, uint32_t tile, const berth__mask *feasible, uint64_t *zones)
{
    uint32_t scratch[BERTH__TILE];
    const uint32_t *counts =
        berth__slot_pods_tile(&own->siblings->population->slots, tile, scratch);
    const uint32_t *domains = own->siblings->topology->domains + (size_t)tile * BERTH__TILE;
    BERTH__MASK_EACH(feasible, s)
    {
        if (counts[s] > own->most_on_node)
            own->most_on_node = counts[s];
        zones[domains[s]] += counts[s];
        own->any_zone |= domains[s] != 0;
    }
}

static double part_free(uint64_t most, uint64_t count)
{
    if (most == 0)
        return BERTH__SCORE_MAX_LEGACY;
    return (double)BERTH__SCORE_MAX_LEGACY * ((double)(most - count) / (double)most);
}

static berth__outcome legacy_selector_spread_rank(berth__prepare *prepare,
                                                  const berth__mask *feasible, uint32_t count)
{
    (void)count;
    state *own = prepare->state;
    uint32_t zone_count = own->siblings->topology->domain_count + 1;
    uint64_t *zones = berth__arena_alloc_zero(prepare->arena, zone_count * sizeof(*zones), 8);
    double *scores = berth__arena_alloc(prepare->arena, zone_count * sizeof(*scores), 8);
    prepare->ok = zones != NULL && scores != NULL;
    if (!prepare->ok)
        return BERTH__SKIP;
    own->most_on_node = 0;
    own->any_zone = false;
    for (uint32_t tile = 0; tile < prepare->cycle->view->layout->tile_count; tile++)
        if (!berth__mask_empty(&feasible[tile]))
            count_tile(own, tile, &feasible[tile], zones);
    uint64_t most_in_zone = 0;
    for (uint32_t zone = 1; zone < zone_count; zone++)
        most_in_zone = zones[zone] > most_in_zone ? zones[zone] : most_in_zone;
    for (uint32_t zone = 0; zone < zone_count; zone++)
        scores[zone] = zone > 0 ? part_free(most_in_zone, zones[zone]) : 0;
    own->zone_score = scores;
    prepare->uniform = BERTH__SCORE_MAX_LEGACY;
    return own->most_on_node > 0 ? BERTH__ACTIVE : BERTH__UNIFORM;
}

static void legacy_selector_spread_score(const berth__question *cycle, const void *instance,
                                         const void *opaque, uint32_t tile, const berth__mask *mask,
                                         int64_t *out)
{
    (void)cycle;
    (void)instance;
    const state *own = opaque;
    uint32_t scratch[BERTH__TILE];
    const uint32_t *counts =
        berth__slot_pods_tile(&own->siblings->population->slots, tile, scratch);
    const uint32_t *domains = own->siblings->topology->domains + (size_t)tile * BERTH__TILE;
    BERTH__MASK_EACH(mask, s)
    {
        double value = part_free(own->most_on_node, counts[s]);
        if (own->any_zone && domains[s] != 0)
            value = value * (1.0 - ZONE_WEIGHT) + ZONE_WEIGHT * own->zone_score[domains[s]];
        out[s] = (int64_t)value;
    }
}

const berth__plugin_ops berth__plugin_selector_spread = {
    .name = "SelectorSpreadPriority",
    .flags = BERTH__PREPARE_EACH,
    .score_state_bytes = sizeof(state),
    .prepare_score = legacy_selector_spread_prepare_all,
    .rank = legacy_selector_spread_rank,
    .score = legacy_selector_spread_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};

const berth__plugin_ops berth__plugin_service_spreading = {
    .name = "ServiceSpreadingPriority",
    .flags = BERTH__PREPARE_EACH,
    .score_state_bytes = sizeof(state),
    .prepare_score = legacy_selector_spread_prepare_services,
    .rank = legacy_selector_spread_rank,
    .score = legacy_selector_spread_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
