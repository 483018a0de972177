/* NodeName, and HostName of v1.15: a pod that names a node fits only that node. A pod whose named
 * node exists is already on it, so a pending pod with a node name names a node that does not exist.
 * Source: kube-scheduler v1.32 and v1.37, plugins/nodename; v1.15.3, predicates.PodFitsHost. */
#include "base/bits.h"
#include "plugins/node_match.h"
#include "plugins/registry.h"

/* Since v1.37 preFilter restricts the search to that node (kube-scheduler: PreFilterResult). */
static berth__outcome restrict_to_node(berth__prepare *prepare)
{
    const berth__view *view = prepare->cycle->view;
    const bool named_others = prepare->allowed != NULL;
    const berth__sym name = berth__node_at(&view->nodes, prepare->cycle->required_node)->name;
    uint64_t *allowed = berth__arena_alloc_zero(
        prepare->arena, (size_t)view->layout->tile_count * BERTH__TILE / 8, 64);
    prepare->ok &= allowed != NULL;
    prepare->allowed = allowed;
    if (!named_others || berth__affinity_leaves(view->model, prepare->cycle->cls, name))
        return BERTH__ACTIVE;
    berth__reason(prepare->reasons, BERTH_CODE_UNRESOLVABLE,
                  "node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] simultaneously");
    return BERTH__REFUSE;
}

static berth__outcome node_name_prepare(berth__prepare *prepare)
{
    prepare->stays = true;
    if (prepare->cycle->required_node == BERTH_NODE_NONE)
        return BERTH__SKIP;
    return prepare->cycle->view->model->behaviours.node_name_restricts && !prepare->bare
               ? restrict_to_node(prepare)
               : BERTH__ACTIVE;
}

static void node_name_filter(const berth__question *cycle, const void *instance, const void *state,
                             uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    const uint32_t *nodes = cycle->view->layout->nodes + (size_t)tile * BERTH__TILE;
    if (cycle->required_node == BERTH_NODE_NONE) /* GeneralPredicates calls this unprepared */
        return;
    BERTH__MASK_EACH(mask, s)
    {
        if (nodes[s] != cycle->required_node)
            berth__bit_clear(mask->words, s);
    }
}

BERTH__EXPLAIN_ALWAYS(node_name_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match the requested node name")

BERTH__EXPLAIN_ALWAYS(node_name_explain_legacy, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match the requested hostname")

/* The plugin and the predicate differ only in their names and reasons. The node name is not part of
 * the class. */
#define NODE_NAME(rule, explanation)                                               \
    {                                                                              \
        .name = (rule), .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE, \
        .wake_on = BERTH_WAKE_NODE_ADD, .prepare_filter = node_name_prepare,       \
        .filter = node_name_filter, .explain = (explanation),                      \
    }

const berth__plugin_ops berth__plugin_node_name = NODE_NAME("NodeName", node_name_explain);
const berth__plugin_ops berth__plugin_host_name = NODE_NAME("HostName", node_name_explain_legacy);
