/* CheckNodeLabelPresence and NodeLabelPriority of v1.15: nodes with, or without, certain labels.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, CheckNodeLabelPresence;
 * algorithm/priorities/node_label.go. */
#include "legacy/legacy_labels.h"
#include "legacy/legacy_registry.h"

/* The label columns, in the order of the instance's keys. */
typedef struct state {
    const berth__sym **columns;
} state;

static berth__outcome legacy_node_label_prepare(berth__prepare *prepare)
{
    const berth__legacy_labels *labels = prepare->instance;
    state *own = prepare->state;
    own->columns = berth__legacy_label_columns(prepare->cycle->view, prepare->arena, labels);
    prepare->ok = own->columns != NULL;
    return BERTH__ACTIVE;
}

/* The slots of a tile that agree with the arguments on every label. */
static berth__mask agreeing(const berth__legacy_labels *labels, const state *own, uint32_t tile)
{
    berth__mask mask = berth__mask_range(0, BERTH__TILE);
    for (uint32_t i = 0; i < labels->count; i++) {
        const berth__sym *values = own->columns[i] + (size_t)tile * BERTH__TILE;
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
            uint64_t present = 0;
            for (uint32_t b = 0; b < 64; b++)
                present |= (uint64_t)(values[w * 64 + b] != 0) << b;
            mask.words[w] &= labels->presence ? present : ~present;
        }
    }
    return mask;
}

static void legacy_node_label_filter(const berth__question *cycle, const void *instance,
                                     const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)cycle;
    berth__mask kept = agreeing(instance, opaque, tile);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= kept.words[w];
}

BERTH__EXPLAIN_ALWAYS(legacy_node_label_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't have the requested labels")

static void legacy_node_label_score(const berth__question *cycle, const void *instance,
                                    const void *opaque, uint32_t tile, const berth__mask *mask,
                                    int64_t *out)
{
    (void)cycle;
    (void)mask;
    berth__mask preferred = agreeing(instance, opaque, tile);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = (preferred.words[s / 64] >> (s % 64)) & 1 ? BERTH__SCORE_MAX_LEGACY : 0;
}

const berth__plugin_ops berth__plugin_check_node_label_presence = {
    .name = "CheckNodeLabelPresence",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS,
    .instance_bytes = sizeof(berth__legacy_labels),
    .configure = berth__legacy_labels_configure,
    .filter_state_bytes = sizeof(state),
    .prepare_filter = legacy_node_label_prepare,
    .filter = legacy_node_label_filter,
    .explain = legacy_node_label_explain,
};

const berth__plugin_ops berth__plugin_node_label_priority = {
    .name = "NodeLabelPriority",
    .flags = BERTH__STATIC_SCORE,
    .instance_bytes = sizeof(berth__legacy_labels),
    .configure = berth__legacy_labels_configure,
    .score_state_bytes = sizeof(state),
    .prepare_score = legacy_node_label_prepare,
    .score = legacy_node_label_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
