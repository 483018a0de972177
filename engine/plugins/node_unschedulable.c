/* NodeUnschedulable, and CheckNodeUnschedulable of v1.15: cordoned nodes accept only pods that
 * tolerate the cordon's taint.
 * Source: kube-scheduler v1.32, plugins/nodeunschedulable; v1.15.3,
 * predicates.CheckNodeUnschedulable. */
#include "plugins/registry.h"

static berth__outcome node_unschedulable_prepare(berth__prepare *prepare)
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

static void node_unschedulable_filter(const berth__question *cycle, const void *instance,
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
static bool node_unschedulable_wakes(berth__wake *wake, const berth__waiter *waiter,
                                     const void *instance)
{
    (void)waiter;
    (void)instance;
    return !wake->new_facts->unschedulable &&
           (wake->old_facts == NULL || wake->old_facts->unschedulable);
}

BERTH__EXPLAIN_ALWAYS(node_unschedulable_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) were unschedulable")

/* The plugin and the predicate differ only in their names. */
#define NODE_UNSCHEDULABLE(rule)                                                         \
    {                                                                                    \
        .name = (rule), .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,      \
        .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_TAINTS | BERTH__WAKE_POD_SELF,  \
        .wakes = node_unschedulable_wakes, .prepare_filter = node_unschedulable_prepare, \
        .filter = node_unschedulable_filter, .explain = node_unschedulable_explain,      \
    }

const berth__plugin_ops berth__plugin_node_unschedulable = NODE_UNSCHEDULABLE("NodeUnschedulable");
const berth__plugin_ops berth__plugin_check_node_unschedulable =
    NODE_UNSCHEDULABLE("CheckNodeUnschedulable");
