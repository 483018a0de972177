/* Reads nodes and pods of a cluster for callers outside: names, amounts, counts, digest. */
#include "cluster/cluster_read.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"

const berth__node_record *berth__cluster_present(const berth__cluster *cluster, berth_node_id id)
{
    if (id >= cluster->node_count)
        return NULL;
    const berth__node_record *node = berth__cluster_node(cluster, id);
    return berth__node_present(node) ? node : NULL;
}

berth_pod_id berth__cluster_find_pod(const berth__cluster *cluster, berth_str namespace_name,
                                     berth_str name)
{
    berth_str space = namespace_name.len > 0 ? namespace_name : BERTH_STR("default");
    berth__sym sym = berth__intern_find(&cluster->model->strings, space);
    uint32_t index = sym == 0 ? BERTH_POD_INDEX_NONE : berth__pods_find(&cluster->pods, sym, name);
    return index == BERTH_POD_INDEX_NONE ? BERTH_POD_NONE : berth__cluster_pod_id(cluster, index);
}

berth_node_id berth__cluster_present_id(const berth__cluster *cluster, berth_str name)
{
    uint32_t id = berth__cluster_find_node(cluster, name);
    return id != BERTH_NODE_NONE && berth__cluster_present(cluster, id) != NULL ? id
                                                                                : BERTH_NODE_NONE;
}

berth_str berth__cluster_node_name(const berth__cluster *cluster, berth_node_id node)
{
    return node < cluster->node_count
               ? berth__text(cluster->model, berth__cluster_node(cluster, node)->name)
               : (berth_str){0};
}

void berth__cluster_pod_name(const berth__cluster *cluster, berth_pod_id pod,
                             berth_str *namespace_name, berth_str *name)
{
    uint32_t index = berth__cluster_pod(cluster, pod);
    *namespace_name = *name = (berth_str){0};
    if (index == BERTH_POD_INDEX_NONE)
        return;
    const berth__pod_record *record = berth__pod_at(&cluster->pods, index);
    *namespace_name = berth__text(cluster->model, record->cls->identity->namespace_name);
    *name = berth__pod_name(record);
}

berth_node_id berth__cluster_pod_node(const berth__cluster *cluster, berth_pod_id pod)
{
    uint32_t index = berth__cluster_pod(cluster, pod);
    return index == BERTH_POD_INDEX_NONE ? BERTH_NODE_NONE
                                         : berth__pod_at(&cluster->pods, index)->node;
}

void berth__cluster_counts(const berth__cluster *cluster, berth_counts *out)
{
    *out = (berth_counts){.nodes = cluster->present_count,
                          .pods_running = cluster->running_count,
                          .pods_pending = cluster->pods.pending_count,
                          .pods_orphaned = cluster->orphan_count,
                          .pod_classes = cluster->model->class_count};
}

static int64_t used_by_pod(const berth__pod_record *pod, uint32_t resource)
{
    const berth__request *request = pod->cls->request;
    int64_t used = resource < BERTH__SCALARS ? request->use[resource] : 0;
    for (uint32_t s = 0; s < request->scalar_count; s++)
        used += request->scalars[s].resource == resource ? request->scalars[s].use : 0;
    return used;
}

static int64_t used_by_pods(const berth__cluster *cluster, const berth__node_record *node,
                            uint32_t resource)
{
    int64_t used = 0;
    const berth__pods *pods = &cluster->pods;
    for (uint32_t i = node->first_pod; i != BERTH_POD_INDEX_NONE; i = berth__pod_at(pods, i)->next)
        used += used_by_pod(berth__pod_at(pods, i), resource);
    return used;
}

berth_status berth__cluster_node_resource(const berth__cluster *cluster, berth_node_id id,
                                          berth_str resource, int64_t *allocatable,
                                          int64_t *requested, berth_error *error)
{
    const berth__node_record *node = berth__cluster_present(cluster, id);
    *allocatable = *requested = 0;
    if (node == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node with this id");
    if (berth__str_is(resource, "pods")) {
        *allocatable = node->facts->pods_max;
        *requested = node->pod_count;
        return BERTH_OK;
    }
    uint32_t column = berth__resource_find(cluster->model, resource);
    if (column == BERTH__RESOURCE_NONE)
        return BERTH_OK;
    bool named;
    *allocatable = berth__node_allocatable(node->facts, column, &named);
    *requested = used_by_pods(cluster, node, column);
    return BERTH_OK;
}

berth_status berth__cluster_pod_resource(const berth__cluster *cluster, berth_pod_id pod,
                                         berth_str resource, int64_t *amount, berth_error *error)
{
    uint32_t index = berth__cluster_pod(cluster, pod);
    *amount = 0;
    if (index == BERTH_POD_INDEX_NONE)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod with this id");
    uint32_t column = berth__resource_find(cluster->model, resource);
    if (berth__str_is(resource, "pods"))
        *amount = 1;
    else if (column != BERTH__RESOURCE_NONE)
        *amount = used_by_pod(berth__pod_at(&cluster->pods, index), column);
    return BERTH_OK;
}

berth_str berth__cluster_node_label(const berth__cluster *cluster, berth_node_id id, berth_str key)
{
    const berth__node_record *node = berth__cluster_present(cluster, id);
    const berth__model *model = cluster->model;
    berth__sym sym = node != NULL ? berth__intern_find(&model->strings, key) : 0;
    return sym != 0 ? berth__text(model, berth__labels_get(berth__node_labels(node->facts), sym))
                    : (berth_str){0};
}

uint64_t berth__cluster_digest(const berth__cluster *cluster)
{
    uint64_t digest = 0;
    for (uint32_t id = 0; id < cluster->node_count; id++) {
        const berth__node_record *node = berth__cluster_node(cluster, id);
        berth_str node_name = berth__text(cluster->model, node->name);
        uint64_t seed = berth__hash_bytes(node_name.data, node_name.len, 0);
        for (uint32_t i = node->first_pod; i != BERTH_POD_INDEX_NONE;
             i = berth__pod_at(&cluster->pods, i)->next) {
            const berth__pod_record *pod = berth__pod_at(&cluster->pods, i);
            berth_str space = berth__text(cluster->model, pod->cls->identity->namespace_name);
            uint64_t own = berth__hash_bytes(space.data, space.len, seed);
            digest += berth__hash_bytes(pod->name, pod->name_len, own);
        }
    }
    return digest;
}
