/* The public functions that read nodes, pods and resources back, of engines and of snapshots. */
#include "berth/read.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "cluster/cluster_info.h"
#include "cluster/cluster_read.h"
#include "cluster/cluster_walk.h"
#include "versions/branch.h"
#include "versions/engine_state.h"
#include "versions/snapshot_state.h"

/* ---- of an engine ---- */

berth_pod_id berth_engine_find_pod(const berth_engine *engine, berth_str namespace_name,
                                   berth_str name)
{
    if (engine == NULL)
        return BERTH_POD_NONE;
    return berth__cluster_find_pod(&engine->cluster, namespace_name, name);
}

berth_node_id berth_engine_find_node(const berth_engine *engine, berth_str name)
{
    if (engine == NULL)
        return BERTH_NODE_NONE;
    return berth__cluster_present_id(&engine->cluster, name);
}

berth_str berth_engine_node_name(const berth_engine *engine, berth_node_id node)
{
    if (engine == NULL)
        return (berth_str){0};
    return berth__cluster_node_name(&engine->cluster, node);
}

void berth_engine_pod_name(const berth_engine *engine, berth_pod_id pod, berth_str *namespace_name,
                           berth_str *name)
{
    if (engine == NULL) {
        *namespace_name = *name = (berth_str){0};
        return;
    }
    berth__cluster_pod_name(&engine->cluster, pod, namespace_name, name);
}

berth_node_id berth_engine_pod_node(const berth_engine *engine, berth_pod_id pod)
{
    if (engine == NULL)
        return BERTH_NODE_NONE;
    return berth__cluster_pod_node(&engine->cluster, pod);
}

uint32_t berth_engine_node_pods(const berth_engine *engine, berth_node_id node, berth_pod_id *out,
                                uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    const berth__cluster *cluster = &engine->cluster;
    if (node >= cluster->node_count)
        return 0;
    uint32_t count = 0, index = berth__cluster_node(cluster, node)->first_pod;
    for (; index != BERTH_POD_INDEX_NONE && count < capacity;
         index = berth__pod_at(&cluster->pods, index)->next)
        out[count++] = berth__cluster_pod_id(cluster, index);
    return berth__cluster_node(cluster, node)->pod_count;
}

int32_t berth_engine_pod_priority(const berth_engine *engine, berth_pod_id pod)
{
    if (engine == NULL)
        return 0;
    uint32_t index = berth__cluster_pod(&engine->cluster, pod);
    return index == BERTH_POD_INDEX_NONE ? 0
                                         : berth__pod_at(&engine->cluster.pods, index)->priority;
}

void berth_engine_counts_sized(const berth_engine *engine, berth_counts *out, size_t size)
{
    berth_counts own = {0};
    if (engine != NULL)
        berth__cluster_counts(&engine->cluster, &own);
    berth__sized_give(out, size, &own, sizeof(own));
}

berth_status berth_engine_node_resource(const berth_engine *engine, berth_node_id id,
                                        berth_str resource, int64_t *allocatable,
                                        int64_t *requested, berth_error *error)
{
    if (engine == NULL) {
        *allocatable = 0;
        *requested = 0;
        return berth__no_engine(error);
    }
    return berth__cluster_node_resource(&engine->cluster, id, resource, allocatable, requested,
                                        error);
}

berth_str berth_engine_node_label(const berth_engine *engine, berth_node_id id, berth_str key)
{
    if (engine == NULL)
        return (berth_str){0};
    return berth__cluster_node_label(&engine->cluster, id, key);
}

uint64_t berth_engine_digest(const berth_engine *engine)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_digest(&engine->cluster);
}

berth_pod_id berth_engine_orphan(const berth_engine *engine, berth_str *node_name)
{
    if (engine == NULL)
        return BERTH_POD_NONE;
    const berth__cluster *cluster = &engine->cluster;
    for (uint32_t id = 0; cluster->orphan_count > 0 && id < cluster->node_count; id++) {
        const berth__node_record *node = berth__cluster_node(cluster, id);
        if (berth__node_present(node) || node->first_pod == BERTH_POD_INDEX_NONE)
            continue;
        if (node_name != NULL)
            *node_name = berth__text(cluster->model, node->name);
        return berth__cluster_pod_id(cluster, node->first_pod);
    }
    return BERTH_POD_NONE;
}

berth_status berth_engine_pod_resource(const berth_engine *engine, berth_pod_id pod,
                                       berth_str resource, int64_t *amount, berth_error *error)
{
    if (engine == NULL) {
        *amount = 0;
        return berth__no_engine(error);
    }
    return berth__cluster_pod_resource(&engine->cluster, pod, resource, amount, error);
}

berth_node_id berth_engine_node_limit(const berth_engine *engine)
{
    return engine != NULL ? engine->cluster.node_count : 0;
}

bool berth_engine_node_present(const berth_engine *engine, berth_node_id node)
{
    if (engine == NULL)
        return false;
    return berth__cluster_present(&engine->cluster, node) != NULL;
}

berth_pod_id berth_engine_next_pod(const berth_engine *engine, berth_node_id node,
                                   berth_pod_id after)
{
    if (engine == NULL)
        return BERTH_POD_NONE;
    return berth__cluster_next_pod(&engine->cluster, node, after);
}

berth_node_id berth_engine_pod_nominated(const berth_engine *engine, berth_pod_id pod)
{
    if (engine == NULL)
        return BERTH_NODE_NONE;
    uint32_t index = berth__cluster_pod(&engine->cluster, pod);
    const berth__nomination *kept =
        index != BERTH_POD_INDEX_NONE ? berth__nominations_find(&engine->cluster.nominations, index)
                                      : NULL;
    return kept != NULL && kept->awake ? kept->node : BERTH_NODE_NONE;
}

static uint32_t put_names(const berth__model *model, const berth__sym *names, uint32_t count,
                          berth_str *out, uint32_t capacity)
{
    for (uint32_t i = 0; i < count && i < capacity; i++)
        out[i] = berth__text(model, names[i]);
    return count;
}

/* Join the names of a branch's snapshot with the branch's own. */
static uint32_t join_names(const berth_snapshot *base, berth__sym *names, uint32_t count)
{
    berth__sym all[2 * BERTH__RESOURCES_MAX];
    uint32_t end = base->resource_count;
    memcpy(all, base->resources, end * sizeof(*all));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        while (at < base->resource_count && all[at] != names[i])
            at++;
        if (at == base->resource_count)
            all[end++] = names[i];
    }
    memcpy(names, all, end * sizeof(*all));
    return end;
}

uint32_t berth_engine_resource_names(const berth_engine *engine, berth_str *out, uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    berth__sym names[2 * BERTH__RESOURCES_MAX];
    uint32_t count = berth__cluster_resources(&engine->cluster, names);
    if (engine->branch != NULL)
        count = join_names(engine->branch->base, names, count);
    return put_names(engine->cluster.model, names, count, out, capacity);
}

berth_status berth_engine_node_info(const berth_engine *engine, berth_node_id node,
                                    berth_node_info *out, berth_error *error)
{
    if (engine == NULL)
        return berth__no_engine(error);
    return berth__cluster_node_info(&engine->cluster, node, out, error);
}

uint32_t berth_engine_node_labels(const berth_engine *engine, berth_node_id node,
                                  berth_key_value *out, uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_node_labels(&engine->cluster, node, out, capacity);
}

uint32_t berth_engine_node_taints(const berth_engine *engine, berth_node_id node, berth_taint *out,
                                  uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_node_taints(&engine->cluster, node, out, capacity);
}

uint32_t berth_engine_node_allocatable(const berth_engine *engine, berth_node_id node,
                                       berth_amount *out, uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_node_allocatable(&engine->cluster, node, out, capacity);
}

berth_status berth_engine_pod_info(const berth_engine *engine, berth_pod_id pod,
                                   berth_pod_info *out, berth_error *error)
{
    if (engine == NULL)
        return berth__no_engine(error);
    return berth__cluster_pod_info(&engine->cluster, pod, out, error);
}

uint32_t berth_engine_pod_labels(const berth_engine *engine, berth_pod_id pod, berth_key_value *out,
                                 uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_pod_labels(&engine->cluster, pod, out, capacity);
}

uint32_t berth_engine_pod_requests(const berth_engine *engine, berth_pod_id pod, berth_amount *out,
                                   uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_pod_requests(&engine->cluster, pod, out, capacity);
}

berth_str berth_engine_pod_label(const berth_engine *engine, berth_pod_id pod, berth_str key)
{
    if (engine == NULL)
        return (berth_str){0};
    return berth__cluster_pod_label(&engine->cluster, pod, key);
}

uint32_t berth_engine_pod_claims_sized(const berth_engine *engine, berth_pod_id pod,
                                       berth_claim_choice *out, size_t size, uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_pod_claims(&engine->cluster, pod, out, size, capacity);
}

uint32_t berth_engine_pod_devices_sized(const berth_engine *engine, berth_pod_id pod,
                                        berth_taken_device *out, size_t size, uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_pod_devices(&engine->cluster, pod, out, size, capacity);
}

uint32_t berth_engine_resource_by_node(const berth_engine *engine, berth_str resource,
                                       berth_node_id *nodes, int64_t *allocatable,
                                       int64_t *requested, uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    const berth__node_amounts out = {nodes, allocatable, requested, capacity};
    return berth__cluster_resource_by_node(&engine->cluster, resource, &out);
}

berth_status berth_engine_node_object_sized(const berth_engine *engine, berth_node_id node,
                                            const uint32_t *sizes, const berth_allocator *allocator,
                                            berth_object **out, berth_error *error)
{
    *out = NULL;
    if (engine == NULL)
        return berth__no_engine(error);
    return berth__cluster_node_object(&engine->cluster, node, sizes, allocator, out, error);
}

berth_status berth_engine_pod_object_sized(const berth_engine *engine, berth_pod_id pod,
                                           const uint32_t *sizes, const berth_allocator *allocator,
                                           berth_object **out, berth_error *error)
{
    *out = NULL;
    if (engine == NULL)
        return berth__no_engine(error);
    return berth__cluster_pod_object(&engine->cluster, pod, sizes, allocator, out, error);
}

berth_status berth_engine_pod_claim_object_sized(const berth_engine *engine, berth_pod_id pod,
                                                 uint32_t nth, const uint32_t *sizes,
                                                 const berth_allocator *allocator,
                                                 berth_object **out, berth_error *error)
{
    *out = NULL;
    if (engine == NULL)
        return berth__no_engine(error);
    return berth__cluster_pod_claim_object(&engine->cluster, pod, nth, sizes, allocator, out,
                                           error);
}

berth_status berth_engine_pod_extended_claim_sized(const berth_engine *engine, berth_pod_id pod,
                                                   const uint32_t *sizes,
                                                   const berth_allocator *allocator,
                                                   berth_object **out, berth_error *error)
{
    *out = NULL;
    if (engine == NULL)
        return berth__no_engine(error);
    return berth__cluster_pod_extended_claim(&engine->cluster, pod, sizes, allocator, out, error);
}

uint32_t berth_engine_pod_extended_requests_sized(const berth_engine *engine, berth_pod_id pod,
                                                  berth_extended_request *out, size_t size,
                                                  uint32_t capacity)
{
    if (engine == NULL)
        return 0;
    return berth__cluster_pod_extended_requests(&engine->cluster, pod, out, size, capacity);
}

static berth_status walk(berth_engine *engine, berth_kind kind, const uint32_t *sizes,
                         berth_each_object_fn each, void *context, berth_error *error)
{
    if (kind != BERTH_KIND_NODE && kind != BERTH_KIND_POD)
        BERTH_TRY_PLAIN(berth__cluster_catch_up_volumes(&engine->cluster), error);
    return berth__cluster_walk(&engine->cluster, kind, sizes, each, context, error);
}

berth_status berth_engine_objects_sized(berth_engine *engine, berth_kind kind,
                                        const uint32_t *sizes, berth_each_object_fn each,
                                        void *context, berth_error *error)
{
    if (each == NULL)
        return berth__error_set(error, BERTH_E_ARG, "there is no function to give objects to");
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, walk(engine, kind, sizes, each, context, error));
}

/* ---- of a snapshot ---- */

uint32_t berth_snapshot_resource_names(const berth_snapshot *snapshot, berth_str *out,
                                       uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    return put_names(snapshot->cluster.model, snapshot->resources, snapshot->resource_count, out,
                     capacity);
}

berth_status berth_snapshot_node_info(const berth_snapshot *snapshot, berth_node_id node,
                                      berth_node_info *out, berth_error *error)
{
    if (snapshot == NULL)
        return berth__no_snapshot(error);
    return berth__cluster_node_info(&snapshot->cluster, node, out, error);
}

uint32_t berth_snapshot_node_labels(const berth_snapshot *snapshot, berth_node_id node,
                                    berth_key_value *out, uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    return berth__cluster_node_labels(&snapshot->cluster, node, out, capacity);
}

uint32_t berth_snapshot_node_taints(const berth_snapshot *snapshot, berth_node_id node,
                                    berth_taint *out, uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    return berth__cluster_node_taints(&snapshot->cluster, node, out, capacity);
}

uint32_t berth_snapshot_node_allocatable(const berth_snapshot *snapshot, berth_node_id node,
                                         berth_amount *out, uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    return berth__cluster_node_allocatable(&snapshot->cluster, node, out, capacity);
}

berth_status berth_snapshot_pod_info(const berth_snapshot *snapshot, berth_pod_id pod,
                                     berth_pod_info *out, berth_error *error)
{
    if (snapshot == NULL)
        return berth__no_snapshot(error);
    return berth__cluster_pod_info(&snapshot->cluster, pod, out, error);
}

uint32_t berth_snapshot_pod_labels(const berth_snapshot *snapshot, berth_pod_id pod,
                                   berth_key_value *out, uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    return berth__cluster_pod_labels(&snapshot->cluster, pod, out, capacity);
}

uint32_t berth_snapshot_pod_requests(const berth_snapshot *snapshot, berth_pod_id pod,
                                     berth_amount *out, uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    return berth__cluster_pod_requests(&snapshot->cluster, pod, out, capacity);
}

berth_str berth_snapshot_pod_label(const berth_snapshot *snapshot, berth_pod_id pod, berth_str key)
{
    if (snapshot == NULL)
        return (berth_str){0};
    return berth__cluster_pod_label(&snapshot->cluster, pod, key);
}

uint32_t berth_snapshot_resource_by_node(const berth_snapshot *snapshot, berth_str resource,
                                         berth_node_id *nodes, int64_t *allocatable,
                                         int64_t *requested, uint32_t capacity)
{
    if (snapshot == NULL)
        return 0;
    const berth__node_amounts out = {nodes, allocatable, requested, capacity};
    return berth__cluster_resource_by_node(&snapshot->cluster, resource, &out);
}
