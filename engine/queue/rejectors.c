/* Finds the filters that rejected a pod: runs the filters again, tile by tile, in their order. */
#include "queue/rejectors.h"

static bool is_static(const berth__stage *stage)
{
    return (stage->plugin->flags & BERTH__STATIC_FILTER) != 0;
}

static bool differs(const berth__mask *a, const berth__mask *b)
{
    uint64_t differing = 0;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        differing |= a->words[w] ^ b->words[w];
    return differing != 0;
}

/* The filters that clear some of the tile's slots; the remaining slots are in `*left`. */
static berth__stage_set rejectors_in_tile(const berth__attempt *attempt, uint32_t tile,
                                          berth__mask *left)
{
    berth__stage_set rejectors = 0;
    for (uint32_t i = 0; i < attempt->decision.profile->filter_count && !berth__mask_empty(left);
         i++) {
        const berth__stage *stage = &attempt->decision.profile->filters[i];
        const berth__mask before = *left;
        if (attempt->decision.prepared->filters[i].outcome != BERTH__ACTIVE)
            continue;
        stage->plugin->filter(&attempt->cycle, stage->instance,
                              attempt->decision.prepared->filters[i].state, tile, left);
        if (differs(&before, left))
            rejectors |= UINT64_C(1) << i;
    }
    return rejectors;
}

/* The plugin that refused the pod as a whole. */
static berth__stage_set refuser(const berth__attempt *attempt)
{
    for (uint32_t i = 0; i < attempt->decision.profile->filter_stages; i++)
        if (&attempt->decision.prepared->filters[i].reasons ==
            attempt->decision.prepared->verdict.why)
            return UINT64_C(1) << i;
    return 0;
}

static berth__stage_set filters_about_pods(const berth__attempt *attempt)
{
    berth__stage_set stages = 0;
    for (uint32_t i = 0; i < attempt->decision.profile->filter_count; i++)
        if (attempt->decision.prepared->filters[i].outcome == BERTH__ACTIVE &&
            !is_static(&attempt->decision.profile->filters[i]))
            stages |= UINT64_C(1) << i;
    return stages;
}

berth__stage_set berth__rejectors(const berth__decider *decider)
{
    const berth__attempt *attempt = &decider->attempt;
    const berth__layout *layout = decider->cluster->view.layout;
    if (layout->count == 0)
        return UINT64_C(1) << BERTH__STAGE_NO_NODES;
    if (attempt->decision.prepared == NULL)
        return 0;
    if (attempt->refused)
        return refuser(attempt);
    berth__stage_set rejectors =
        attempt->extended.lost_nodes ? UINT64_C(1) << BERTH__STAGE_EXTENDERS : 0;
    bool kept = false;
    for (uint32_t tile = 0; tile < layout->tile_count; tile++) {
        uint32_t end = layout->count - tile * BERTH__TILE;
        berth__mask left = berth__mask_range(0, end < BERTH__TILE ? end : BERTH__TILE);
        rejectors |= rejectors_in_tile(attempt, tile, &left);
        kept |= !berth__mask_empty(&left);
    }
    /* Nodes that pass all filters were kept for nominated pods, or refused by extenders. */
    if (attempt->extended.lost_nodes && decider->cluster->nominations.by_pod.count == 0)
        kept = false;
    return kept ? rejectors | filters_about_pods(attempt) : rejectors;
}
