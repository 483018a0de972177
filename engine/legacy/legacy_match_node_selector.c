/* MatchNodeSelector of v1.15: nodeSelector and required node affinity. Equals NodeAffinity without
 * a profile's addedAffinity and without the restriction to named nodes.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, PodMatchNodeSelector. */
#include "legacy/legacy_registry.h"
#include "plugins/node_match.h"

static berth__outcome legacy_match_node_selector_prepare(berth__prepare *prepare)
{
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    if (rules == NULL)
        return BERTH__SKIP;
    bool by_labels = rules->has_selector && !rules->selector_malformed;
    if (!by_labels && !rules->has_required)
        return BERTH__SKIP;
    prepare->ok = berth__node_match_make(
        prepare->cycle->view, prepare->arena, by_labels ? rules->selector : (berth__labels){0},
        rules->has_required ? &rules->required : NULL, prepare->state);
    return BERTH__ACTIVE;
}

static void legacy_match_node_selector_filter(const berth__question *cycle, const void *instance,
                                              const void *state, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    berth__node_match_tile(cycle->view, state, tile, mask);
}

BERTH__EXPLAIN_ALWAYS(legacy_match_node_selector_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match node selector")

const berth__plugin_ops berth__plugin_match_node_selector = {
    .name = "MatchNodeSelector",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_LABELS,
    .filter_state_bytes = sizeof(berth__node_match),
    .prepare_filter = legacy_match_node_selector_prepare,
    .filter = legacy_match_node_selector_filter,
    .explain = legacy_match_node_selector_explain,
};
