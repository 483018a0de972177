/* NodeName: a pod that names its node fits that node alone.
 * Source: kube-scheduler v1.32, plugins/nodename. */
#include "base/bits.h"
#include "plugins/phases.h"
#include "plugins/registry.h"

berth__outcome berth__node_name_prepare(berth__prepare *prepare)
{
    prepare->stays = true;
    return prepare->cycle->required_node == BERTH_NODE_NONE ? BERTH__SKIP : BERTH__ACTIVE;
}

void berth__node_name_filter(const berth__question *cycle, const void *instance, const void *state,
                             uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    const uint32_t *nodes = cycle->view->layout->nodes + (size_t)tile * BERTH__TILE;
    if (cycle->required_node == BERTH_NODE_NONE) /* not prepared: GeneralPredicates asks as well */
        return;
    BERTH__MASK_EACH(mask, s)
    {
        if (nodes[s] != cycle->required_node)
            berth__bit_clear(mask->words, s);
    }
}

static void node_name_explain(const berth__question *cycle, const void *instance, const void *state,
                              uint32_t slot, berth__reasons *reasons)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slot;
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) didn't match the requested node name");
}

const berth__plugin_ops berth__plugin_node_name = {
    .name = "NodeName",
    /* Which node is asked for is not a matter of the class. */
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD,
    .prepare_filter = berth__node_name_prepare,
    .filter = berth__node_name_filter,
    .explain = node_name_explain,
};
