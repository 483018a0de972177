/* Consistency check of a cluster: compares its sums with a recount (invariants: cluster.h). */
#include "cluster/cluster.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/text.h"
#include "columns/pod_counts.h"
#include "columns/volume_use.h"
#include "model/related.h"
#include "store/storage.h"

static berth_status differs(const berth__cluster *cluster, const berth__node_record *node,
                            berth_error *error, const char *what, int64_t kept, int64_t counted)
{
    berth_str name = berth__text(cluster->model, node->name);
    berth__error_set(error, BERTH_E_INTERNAL,
                     "%s is kept as %" PRId64 " but a recount gives %" PRId64, what, kept, counted);
    berth__error_named(error, "Node", (berth_str){0}, name);
    return BERTH_E_INTERNAL;
}

static berth_status check_node(const berth__cluster *cluster, const berth__node_record *node,
                               uint64_t *pods, berth_error *error)
{
    int64_t sums[BERTH__SCALARS] = {0}, nonzero_cpu = 0, nonzero_memory = 0, count = 0;
    uint32_t index = node->first_pod;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(&cluster->pods, index)->next) {
        const berth__request *request = berth__pod_at(&cluster->pods, index)->cls->request;
        for (uint32_t r = 0; r < BERTH__SCALARS; r++)
            sums[r] += request->use[r];
        nonzero_cpu += request->nonzero_cpu;
        nonzero_memory += request->nonzero_memory;
        count++;
        int32_t priority = berth__pod_at(&cluster->pods, index)->priority;
        if (priority < node->lowest_priority) /* CLUSTER-4 */
            return differs(cluster, node, error, "the lowest priority", node->lowest_priority,
                           priority);
    }
    *pods += (uint64_t)count;
    if (count != node->pod_count)
        return differs(cluster, node, error, "the number of pods", node->pod_count, count);
    if (!berth__node_present(node) || node->slot == BERTH__SLOT_NONE)
        return BERTH_OK;
    /* CLUSTER-3 */
    berth__tile *tile = cluster->view.tiles[node->slot / BERTH__TILE];
    uint32_t at = node->slot % BERTH__TILE;
    if (tile->pods_used[at] != count)
        return differs(cluster, node, error, "pods used", tile->pods_used[at], count);
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        if (berth__tile_used(tile, r)[at] != sums[r])
            return differs(
                cluster, node, error,
                berth__text(cluster->model, berth__resource_name(cluster->model, r)).data,
                berth__tile_used(tile, r)[at], sums[r]);
    if (tile->nonzero_cpu[at] != nonzero_cpu)
        return differs(cluster, node, error, "non-zero cpu", tile->nonzero_cpu[at], nonzero_cpu);
    if (tile->nonzero_memory[at] != nonzero_memory)
        return differs(cluster, node, error, "non-zero memory", tile->nonzero_memory[at],
                       nonzero_memory);
    if (tile->evenness[at] != berth__tile_evenness(tile, at))
        return differs(cluster, node, error, "evenness", tile->evenness[at],
                       berth__tile_evenness(tile, at));
    return BERTH_OK;
}

berth_status berth__cluster_check_sums(const berth__cluster *cluster, berth_error *error)
{
    uint64_t pods = 0;
    for (uint32_t id = 0; id < cluster->node_count; id++)
        BERTH_TRY(check_node(cluster, berth__cluster_node(cluster, id), &pods, error));
    if (pods + cluster->pods.pending_count != cluster->pods.count) /* CLUSTER-1 */
        return berth__error_set(error, BERTH_E_INTERNAL,
                                "%" PRIu64 " pods on nodes and %" PRIu64 " pending, but %u records",
                                pods, cluster->pods.pending_count, (unsigned)cluster->pods.count);
    if (pods != cluster->running_count + cluster->orphan_count) /* CLUSTER-2 */
        return berth__error_set(error, BERTH_E_INTERNAL, "running and orphaned pods do not add up");
    return BERTH_OK;
}

berth_status berth__cluster_check(berth__cluster *cluster, berth_error *error)
{
    BERTH_TRY(berth__cluster_check_sums(cluster, error));
    if (berth__cluster_catch_up(cluster) != BERTH_OK)
        return berth__error_no_memory(error);
    BERTH_TRY(berth__pod_counts_check(&cluster->view, error)); /* CLUSTER-6 */
    if (cluster->view.volume_use == NULL)
        return BERTH_OK;
    return berth__volume_use_check(cluster->view.volume_use, cluster->view.layout,
                                   &cluster->view.nodes, &cluster->pods, error);
}
