/* Sweeps a cluster: marks what its state holds. */
#include "cluster/cluster_sweep.h"

#include "base/bits.h"
#include "cluster/cluster_parts.h"
#include "columns/volume_use.h"
#include "devices/devices.h"

/* ---- ids of nodes ---- */

/* A bit for each node id that some pod has nominated. NULL when out of memory. */
static uint64_t *nominated_nodes(const berth__cluster *cluster, size_t bytes)
{
    const berth__keymap *map = &cluster->nominations.by_pod;
    uint64_t *bits = berth__alloc_zero(cluster->model->allocator, bytes, 64);
    for (uint32_t b = 0; bits != NULL && b < map->bucket_count; b++)
        for (const berth__keymap_entry *at = map->buckets[b]; at != NULL; at = at->next)
            berth__bit_set(bits, ((const berth__nomination *)at)->node);
    return bits;
}

/* If memory runs out, the id stays in use. */
static bool release_id(berth__cluster *cluster, uint32_t id)
{
    berth__cow_owner *cow = &cluster->cow;
    berth__sym name = berth__cluster_node(cluster, id)->name;
    if (!berth__cow_array_make_writable(&cluster->view.nodes, cow, id) ||
        !berth__cow_array_make_writable(&cluster->view.node_of_name, cow, name))
        return false;
    *(uint32_t *)berth__cow_array_find(&cluster->view.node_of_name, name) = 0;
    berth__volume_use_forget_node(cluster->view.volume_use, id);
    berth__devices_forget_node(cluster->view.devices, id);
    berth__cluster_free_node(cluster, id);
    return true;
}

/* Go backwards, so that the lowest id is reused first. */
static void sweep_nodes(berth__cluster *cluster)
{
    size_t bytes = ((size_t)cluster->node_count + 63) / 64 * sizeof(uint64_t);
    uint64_t *nominated = nominated_nodes(cluster, bytes);
    uint32_t used = 0;
    for (uint32_t id = cluster->node_count; nominated != NULL && id-- > 0;) {
        const berth__node_record *node = berth__cluster_node(cluster, id);
        bool free = node->facts == NULL && node->pod_count == 0 && node->slot == BERTH__SLOT_NONE &&
                    !berth__bit_get(nominated, id);
        used += node->name != 0 && !(free && release_id(cluster, id));
    }
    if (nominated == NULL)
        used = cluster->node_count;
    berth__free(cluster->model->allocator, nominated, bytes);
    cluster->node_sweep_at =
        used * 2 > BERTH__NODE_SWEEP_MIN ? used * 2 : (uint32_t)BERTH__NODE_SWEEP_MIN;
    if (berth__sweep_always)
        cluster->node_sweep_at = 0;
}

/* ---- texts ---- */

static void mark_facts(berth__sweep *sweep, const berth__node_facts *facts)
{
    const berth__node_image *images = berth__node_images(facts);
    berth__sweep_labels(sweep, berth__node_labels(facts));
    berth__sweep_labels(sweep, berth__node_annotations(facts));
    berth__sweep_taints(sweep, facts->taints);
    for (uint32_t i = 0; i < facts->amount_count; i++)
        berth__sweep_resource(sweep, facts->amounts[i].resource);
    for (uint32_t i = 0; i < facts->image_count; i++)
        berth__sweep_mark(sweep, images[i].name);
    berth__sweep_mark(sweep, facts->zone);
    berth__sweep_mark(sweep, facts->zone_legacy);
    berth__sweep_mark(sweep, facts->avoid_pods);
}

static void mark_nodes(berth__sweep *sweep, const berth__cluster *cluster)
{
    for (uint32_t id = 0; id < cluster->node_count; id++) {
        const berth__node_record *node = berth__cluster_node(cluster, id);
        berth__sweep_mark(sweep, node->name);
        if (berth__node_present(node))
            mark_facts(sweep, node->facts);
    }
}

/* Includes slots whose nodes were removed, until the next layout. */
static void mark_layout(berth__sweep *sweep, const berth__layout *layout)
{
    for (uint32_t id = 0; id < layout->taint_end; id++)
        if (berth__layout_has_taints(layout, id))
            berth__sweep_taints(sweep, berth__taints_at(sweep->model, id));
}

void berth__cluster_sweep(berth__cluster *cluster)
{
    berth__model *model = cluster->model;
    berth__sweep sweep;
    if (cluster->undo.recording)
        return;
    berth__cluster_lock(cluster);
    if (cluster->free_node == BERTH_NODE_NONE)
        sweep_nodes(cluster);
    if (berth__storage_sweep_is_due(cluster->view.storage))
        berth__volume_use_sweep(cluster->view.volume_use);
    if (berth__sweep_is_due(model))
        berth__view_trim_columns(&cluster->view);
    if (berth__sweep_is_due(model) && berth__sweep_begin(&sweep, model)) {
        mark_nodes(&sweep, cluster);
        mark_layout(&sweep, cluster->view.layout);
        berth__sweep_related(&sweep, cluster->view.related);
        berth__sweep_disruption(&sweep, cluster->disruption);
        berth__sweep_storage(&sweep, cluster->view.storage);
        berth__sweep_end(&sweep, &cluster->cow);
    }
    berth__model_unlock(model);
}
