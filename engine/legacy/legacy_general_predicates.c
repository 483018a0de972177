/* GeneralPredicates of v1.15: four predicates as one, which reports all their reasons. The parts
 * that read only node facts are computed when a class is prepared, and kept as a mask for each
 * tile, as if they were separate filters.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, GeneralPredicates. */
#include "base/bits.h"
#include "legacy/legacy_registry.h"

static const berth__plugin_ops *const parts[] = {
    &berth__plugin_pod_fits_resources,
    &berth__plugin_host_name,
    &berth__plugin_pod_fits_host_ports,
    &berth__plugin_match_node_selector,
};

enum { PART_COUNT = sizeof(parts) / sizeof(parts[0]) };

typedef struct filter_state {
    berth__outcome outcomes[PART_COUNT];
    void *states[PART_COUNT];
    const berth__mask *fixed; /* by tile: the slots that static parts pass; NULL: all */
} filter_state;

static bool is_static(const berth__plugin_ops *part)
{
    return (part->flags & BERTH__STATIC_FILTER) != 0;
}

/* Prepare a part. A part that prepares at every decision (HostName) needs no preparing here,
 * because its filter reads the cycle. */
static void prepare_part(berth__prepare *prepare, const berth__plugin_ops *part,
                         berth__outcome *outcome, void **state)
{
    berth__prepare own = *prepare;
    own.instance = NULL;
    own.state = berth__arena_alloc_zero(prepare->arena, part->filter_state_bytes, 64);
    *state = own.state;
    *outcome = BERTH__ACTIVE;
    prepare->ok &= own.state != NULL;
    if (prepare->ok && part->prepare_filter != NULL && (part->flags & BERTH__PREPARE_EACH) == 0) {
        *outcome = part->prepare_filter(&own);
        prepare->ok = own.ok;
    }
}

static void fix_tiles(berth__prepare *prepare, filter_state *own)
{
    const berth__question *cycle = prepare->cycle;
    uint32_t tile_count = cycle->view->layout->tile_count;
    berth__mask *fixed = berth__arena_alloc(prepare->arena, tile_count * sizeof(*fixed), 64);
    prepare->ok = fixed != NULL;
    for (uint32_t tile = 0; prepare->ok && tile < tile_count; tile++) {
        fixed[tile] = berth__mask_range(0, BERTH__TILE);
        for (uint32_t i = 0; i < PART_COUNT; i++)
            if (own->outcomes[i] == BERTH__ACTIVE && is_static(parts[i]))
                parts[i]->filter(cycle, NULL, own->states[i], tile, &fixed[tile]);
    }
    own->fixed = fixed;
}

static berth__outcome legacy_general_predicates_prepare(berth__prepare *prepare)
{
    filter_state *own = prepare->state;
    bool any_static = false;
    for (uint32_t i = 0; i < PART_COUNT && prepare->ok; i++) {
        prepare_part(prepare, parts[i], &own->outcomes[i], &own->states[i]);
        any_static |= own->outcomes[i] == BERTH__ACTIVE && is_static(parts[i]);
    }
    if (any_static && prepare->ok)
        fix_tiles(prepare, own);
    return BERTH__ACTIVE;
}

static void legacy_general_predicates_filter(const berth__question *cycle, const void *instance,
                                             const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    for (uint32_t w = 0; own->fixed != NULL && w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= own->fixed[tile].words[w];
    for (uint32_t i = 0; i < PART_COUNT && !berth__mask_empty(mask); i++)
        if (own->outcomes[i] == BERTH__ACTIVE && !is_static(parts[i]))
            parts[i]->filter(cycle, NULL, own->states[i], tile, mask);
}

static bool legacy_general_predicates_filter_slot(const berth__question *cycle,
                                                  const void *instance, const void *opaque,
                                                  uint32_t slot)
{
    (void)instance;
    const filter_state *own = opaque;
    bool fit = own->fixed == NULL ||
               berth__bit_get(own->fixed[slot / BERTH__TILE].words, slot % BERTH__TILE);
    fit &= cycle->required_node == BERTH_NODE_NONE ||
           cycle->view->layout->nodes[slot] == cycle->required_node;
    for (uint32_t i = 0; i < PART_COUNT && fit; i++)
        if (own->outcomes[i] == BERTH__ACTIVE && parts[i]->filter_slot != NULL)
            fit = parts[i]->filter_slot(cycle, NULL, own->states[i], slot);
    return fit;
}

static void legacy_general_predicates_explain(const berth__question *cycle, const void *instance,
                                              const void *opaque, uint32_t slot,
                                              berth__reasons *reasons)
{
    (void)instance;
    const filter_state *own = opaque;
    berth_code code = BERTH_CODE_UNSCHEDULABLE;
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        uint32_t at = slot % BERTH__TILE;
        berth__mask alone = berth__mask_range(at, at + 1);
        if (own->outcomes[i] != BERTH__ACTIVE)
            continue;
        parts[i]->filter(cycle, NULL, own->states[i], slot / BERTH__TILE, &alone);
        if (!berth__mask_empty(&alone))
            continue;
        parts[i]->explain(cycle, NULL, own->states[i], slot, reasons);
        if (reasons->code == BERTH_CODE_UNRESOLVABLE) /* one part that fails is enough */
            code = BERTH_CODE_UNRESOLVABLE;
    }
    reasons->code = code;
}

const berth__plugin_ops berth__plugin_general_predicates = {
    .name = "GeneralPredicates",
    .flags = BERTH__COUNTS_PODS,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_ALLOCATABLE | BERTH_WAKE_NODE_LABELS |
               BERTH_WAKE_POD_REMOVE | BERTH__WAKE_POD_SELF,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = legacy_general_predicates_prepare,
    .filter = legacy_general_predicates_filter,
    .filter_slot = legacy_general_predicates_filter_slot,
    .explain = legacy_general_predicates_explain,
};
