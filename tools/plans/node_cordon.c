#include "plans/node_cordon.h"

#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"

static bool is_tainted(const berth_node *node, const berth_taint *by)
{
    for (uint32_t i = 0; i < node->taint_count; i++)
        if (words_equal(node->taints[i].key, by->key) &&
            words_equal(node->taints[i].effect, by->effect))
            return true;
    return false;
}

berth_status node_cordon(berth_engine *engine, berth_node_id node, berth_error *error)
{
    const berth_taint taint = {.key = BERTH_STR("node.kubernetes.io/unschedulable"),
                               .effect = BERTH_STR("NoSchedule")};
    berth_object *object = NULL;
    TRY(berth_engine_node_object(engine, node, NULL, &object, error));
    berth_node changed = *object->as.node;
    const uint32_t count = changed.taint_count;
    berth_taint *taints = heap_new((size_t)count + 1, sizeof(*taints));
    if (count > 0)
        memcpy(taints, changed.taints, count * sizeof(*taints));
    taints[count] = taint;
    changed.taint_count += !is_tainted(&changed, &taint);
    changed.taints = taints;
    changed.unschedulable = true;
    const berth_object update = {.kind = BERTH_KIND_NODE, .as.node = &changed};
    const berth_status status = berth_engine_update(engine, &update, error);
    free(taints);
    berth_object_destroy(object);
    return status;
}
