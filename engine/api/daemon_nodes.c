/* The nodes that the DaemonSet controller makes pods for, found by the filters' rules. */
#include "api/daemon_nodes.h"

#include "base/text.h"
#include "decide/decide.h"

static bool runs_on(const berth__model *model, const berth__node_rules *rules, const berth_pod *pod,
                    const berth__node_record *node)
{
    return (pod->node_name.len == 0 ||
            berth__str_eq(pod->node_name, berth__text(model, node->name))) &&
           berth__node_rules_admit(&model->strings, rules, node->name,
                                   berth__node_labels(node->facts)) &&
           berth__node_rules_refused_by(model, rules, node->facts->taints) == NULL;
}

static uint32_t list_nodes(const berth__cluster *cluster, const berth_pod *pod,
                           const berth__node_rules *rules, berth_node_id *out)
{
    const berth__layout *layout = cluster->view.layout;
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        if (runs_on(cluster->model, rules, pod, berth__cluster_node(cluster, layout->nodes[slot])))
            out[count++] = layout->nodes[slot];
    return count;
}

berth_status berth__daemon_nodes(berth_engine *engine, const berth_pod *pod, berth_node_id *out,
                                 uint32_t *count)
{
    berth__cluster *cluster = berth__engine_decider(engine)->cluster;
    berth__node_rules rules = {0};
    berth__arena arena;
    bool ok = true;
    berth__arena_init(&arena, cluster->model->allocator);
    berth__cluster_lock(cluster);
    berth__arena_reset(&cluster->model->scratch);
    berth__node_rules_fill(cluster->model, &arena, pod, &rules, &ok);
    berth__model_unlock(cluster->model);
    berth_status status = ok ? berth__cluster_sync(cluster) : BERTH_E_NOMEM;
    if (status == BERTH_OK)
        *count = list_nodes(cluster, pod, &rules, out);
    berth__arena_destroy(&arena);
    return status;
}
