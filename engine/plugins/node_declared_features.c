/* NodeDeclaredFeatures: refuses nodes whose kubelet does not declare the features that the pod's
 * fields need.
 * Source: kube-scheduler v1.36, plugins/nodedeclaredfeatures. */
#include "base/bits.h"
#include "plugins/registry.h"

static uint32_t wanted(const berth__class *cls)
{
    return cls->node_rules != NULL ? cls->node_rules->features : 0;
}

static bool has_all(const berth__node_facts *facts, uint32_t features)
{
    return (features & ~(uint32_t)facts->features) == 0;
}

static berth__outcome node_declared_features_prepare(berth__prepare *prepare)
{
    return wanted(prepare->cycle->cls) == 0 ? BERTH__SKIP : BERTH__ACTIVE;
}

static void node_declared_features_filter(const berth__question *cycle, const void *instance,
                                          const void *state, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    uint32_t features = wanted(cycle->cls), first = tile * BERTH__TILE;
    uint32_t end = cycle->view->layout->count - first;
    for (uint32_t s = 0; s < BERTH__TILE && s < end; s++) {
        const berth__node_facts *facts = berth__view_node(cycle->view, first + s)->facts;
        if (facts != NULL && !has_all(facts, features))
            berth__bit_clear(mask->words, s);
    }
}

BERTH__EXPLAIN_ALWAYS(node_declared_features_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match Pod's required features")

/* Wake if a node declares the features now and did not before. */
static bool node_declared_features_wakes(berth__wake *wake, const berth__waiter *waiter,
                                         const void *instance)
{
    (void)instance;
    uint32_t features = wanted(waiter->cls);
    return has_all(wake->new_facts, features) &&
           (wake->old_facts == NULL || !has_all(wake->old_facts, features));
}

const berth__plugin_ops berth__plugin_node_declared_features = {
    .name = "NodeDeclaredFeatures",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_FEATURES | BERTH__WAKE_POD_SELF,
    .wakes = node_declared_features_wakes,
    .filter_misses = "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found",
    .prepare_filter = node_declared_features_prepare,
    .filter = node_declared_features_filter,
    .explain = node_declared_features_explain,
};
