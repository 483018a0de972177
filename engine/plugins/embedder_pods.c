/* What an embedder's plugin may read about pods: the pod to place, and pods on a node. */
#include "berth/plugin.h"
#include "plugins/plugin.h"

static const berth__question *inside(const berth_cycle *cycle)
{
    return (const berth__question *)cycle;
}

static berth_str text(const berth_cycle *cycle, berth__sym sym)
{
    return sym != 0 ? berth__text(inside(cycle)->view->model, sym) : (berth_str){0};
}

void berth_cycle_pod_owner(const berth_cycle *cycle, berth_owner *out)
{
    const berth__identity *identity = inside(cycle)->cls->identity;
    *out = (berth_owner){.api_version = text(cycle, identity->owner_api_version),
                         .kind = text(cycle, identity->owner_kind),
                         .name = text(cycle, identity->owner_name),
                         .uid = text(cycle, identity->owner_uid),
                         .controller = identity->owner_kind != 0};
}

berth_pod_id berth_cycle_pod(const berth_cycle *cycle)
{
    return berth__pod_id(inside(cycle)->pods, inside(cycle)->pod);
}

int32_t berth_cycle_pod_priority(const berth_cycle *cycle)
{
    return berth__pod_at(inside(cycle)->pods, inside(cycle)->pod)->priority;
}

/* ---- pods on nodes ---- */

uint32_t berth_cycle_node_pods(const berth_cycle *cycle, uint32_t slot, berth_pod_id *out,
                               uint32_t capacity)
{
    const berth__pods *pods = inside(cycle)->pods;
    const berth__node_record *node = berth__view_node(inside(cycle)->view, slot);
    uint32_t count = 0;
    for (uint32_t index = node->first_pod; index != BERTH_POD_INDEX_NONE && count < capacity;
         index = berth__pod_at(pods, index)->next)
        out[count++] = berth__pod_id(pods, index);
    return node->pod_count;
}

static const berth__pod_record *find(const berth_cycle *cycle, berth_pod_id pod)
{
    const berth__pods *pods = inside(cycle)->pods;
    uint32_t index = berth__pod_of_id(pods, pod);
    return index != BERTH_POD_INDEX_NONE ? berth__pod_at(pods, index) : NULL;
}

berth_str berth_cycle_namespace_of(const berth_cycle *cycle, berth_pod_id pod)
{
    const berth__pod_record *record = find(cycle, pod);
    return record != NULL ? text(cycle, record->cls->identity->namespace_name) : (berth_str){0};
}

static berth_str value_of(const berth_cycle *cycle, berth__labels labels, berth_str key)
{
    berth__sym sym = berth__intern_find(&inside(cycle)->view->model->strings, key);
    return sym != 0 ? text(cycle, berth__labels_get(labels, sym)) : (berth_str){0};
}

berth_str berth_cycle_label_of(const berth_cycle *cycle, berth_pod_id pod, berth_str key)
{
    const berth__pod_record *record = find(cycle, pod);
    return record != NULL ? value_of(cycle, record->cls->identity->labels, key) : (berth_str){0};
}

berth_str berth_cycle_annotation_of(const berth_cycle *cycle, berth_pod_id pod, berth_str key)
{
    const berth__pod_record *record = find(cycle, pod);
    return record != NULL ? value_of(cycle, record->cls->identity->annotations, key)
                          : (berth_str){0};
}

int32_t berth_cycle_priority_of(const berth_cycle *cycle, berth_pod_id pod)
{
    const berth__pod_record *record = find(cycle, pod);
    return record != NULL ? record->priority : 0;
}
