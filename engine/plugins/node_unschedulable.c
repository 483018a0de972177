/* NodeUnschedulable: cordoned nodes accept only pods that tolerate the cordon's taint.
 * Source: kube-scheduler v1.32, plugins/nodeunschedulable. */
#include "plugins/phases.h"
#include "plugins/registry.h"

berth__outcome berth__node_unschedulable_prepare(berth__prepare *prepare)
{
    const berth__question *cycle = prepare->cycle;
    const berth__model *model = cycle->view->model;
    const berth__interned_taint cordon = {model->known.unschedulable, model->known.empty,
                                          model->known.no_schedule};
    if (cycle->view->layout->unschedulable_count == 0)
        return BERTH__SKIP;
    return berth__node_rules_tolerate(model, cycle->cls->node_rules, &cordon) ? BERTH__SKIP
                                                                              : BERTH__ACTIVE;
}

void berth__node_unschedulable_filter(const berth__question *cycle, const void *instance,
                                      const void *state, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    const uint64_t *cordoned =
        cycle->view->layout->unschedulable + (size_t)tile * BERTH__TILE_WORDS;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= ~cordoned[w];
}

/* Wake if a node is uncordoned, or added without a cordon. */
bool berth__node_unschedulable_wakes(berth__wake *wake, const berth__waiter *waiter,
                                     const void *instance)
{
    (void)waiter;
    (void)instance;
    return !wake->new_facts->unschedulable &&
           (wake->old_facts == NULL || wake->old_facts->unschedulable);
}

const berth__plugin_ops berth__plugin_node_unschedulable = {
    .name = "NodeUnschedulable",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_TAINTS | BERTH__WAKE_POD_SELF,
    .wakes = berth__node_unschedulable_wakes,
    .prepare_filter = berth__node_unschedulable_prepare,
    .filter = berth__node_unschedulable_filter,
    .explain = berth__node_unschedulable_explain,
};
