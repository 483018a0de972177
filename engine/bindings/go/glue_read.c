/* Reads facts back from an engine or a snapshot, whichever is not NULL. */
#include "glue.h"

int bg_pod_info(const berth_engine *engine, const berth_snapshot *snapshot, uint64_t pod,
                berth_pod_info *out, berth_error *error)
{
    return engine != NULL ? berth_engine_pod_info(engine, pod, out, error)
                          : berth_snapshot_pod_info(snapshot, pod, out, error);
}

void bg_pod_parts(const berth_engine *engine, const berth_snapshot *snapshot, uint64_t pod,
                  berth_key_value *labels, uint32_t label_count, berth_amount *requests,
                  uint32_t resource_count)
{
    if (engine != NULL) {
        berth_engine_pod_labels(engine, pod, labels, label_count);
        berth_engine_pod_requests(engine, pod, requests, resource_count);
    } else {
        berth_snapshot_pod_labels(snapshot, pod, labels, label_count);
        berth_snapshot_pod_requests(snapshot, pod, requests, resource_count);
    }
}

int bg_node_info(const berth_engine *engine, const berth_snapshot *snapshot, uint32_t node,
                 berth_node_info *out, berth_error *error)
{
    return engine != NULL ? berth_engine_node_info(engine, node, out, error)
                          : berth_snapshot_node_info(snapshot, node, out, error);
}

void bg_node_parts(const berth_engine *engine, const berth_snapshot *snapshot, uint32_t node,
                   berth_key_value *labels, uint32_t label_count, berth_taint *taints,
                   uint32_t taint_count, berth_amount *amounts, uint32_t resource_count)
{
    if (engine != NULL) {
        berth_engine_node_labels(engine, node, labels, label_count);
        berth_engine_node_taints(engine, node, taints, taint_count);
        berth_engine_node_allocatable(engine, node, amounts, resource_count);
    } else {
        berth_snapshot_node_labels(snapshot, node, labels, label_count);
        berth_snapshot_node_taints(snapshot, node, taints, taint_count);
        berth_snapshot_node_allocatable(snapshot, node, amounts, resource_count);
    }
}

uint32_t bg_resource_names(const berth_engine *engine, const berth_snapshot *snapshot,
                           berth_str *out, uint32_t capacity)
{
    return engine != NULL ? berth_engine_resource_names(engine, out, capacity)
                          : berth_snapshot_resource_names(snapshot, out, capacity);
}
