/* Computes the figures of a cluster side in one walk over its nodes and their pods. */
#include "plans/side_figures.h"

#include <stdlib.h>

#include "cli/amounts.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "loading/node_list.h"
#include "loading/usage.h"
#include "plans/plan_pods.h"

/* Count the pods of a node that do not belong to the node itself. */
static berth_status count_guests(cluster_side *side, berth_node_id node, uint64_t *guests,
                                 int64_t *amounts, berth_error *error)
{
    const berth_engine *engine = side->engine;
    *guests = 0;
    for (berth_pod_id pod = berth_engine_next_pod(engine, node, BERTH_POD_NONE);
         pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod)) {
        berth_pod_info info = {.size = sizeof(info)};
        TRY(berth_engine_pod_info(engine, pod, &info, error));
        *guests += !plan_pod_stays(&info);
        replay_load_pod(&side->load, engine, pod, amounts);
        replay_load_add(&side->load, node, amounts, 1);
    }
    return BERTH_OK;
}

/* The mix of pods with which fragmentation is measured: every pod of the cluster, including those
 * without a node. */
static void mix_pods(cluster_side *side, int64_t *amounts)
{
    for (size_t i = 0; i < side->pod_count; i++) {
        replay_load_pod(&side->load, side->engine, side->pods[i].pod, amounts);
        replay_load_submit(&side->load, amounts);
    }
}

static berth_status walk_nodes(cluster_side *side, const berth_node_id *nodes, int64_t *amounts,
                               berth_error *error)
{
    const replay_load *l = &side->load;
    for (uint32_t i = 0; i < side->node_count; i++) {
        uint64_t guests = 0;
        TRY(count_guests(side, nodes[i], &guests, amounts, error));
        uint32_t zone = word_table_add(&side->zone_names, usage_zone(side->engine, nodes[i]));
        side->zones[zone].nodes++;
        side->zones[zone].pods += guests;
        if (guests == 0)
            continue;
        side->nodes_in_use++;
        for (uint32_t r = 0; r < side->resource_count; r++) {
            size_t at = (size_t)nodes[i] * l->width + r;
            side_resource *used = &side->resources[r];
            used->requested_used = amount_sum(used->requested_used, l->requested[at]);
            used->allocatable_used = amount_sum(used->allocatable_used, l->allocatable[at]);
        }
    }
    return BERTH_OK;
}

static int by_name(const void *a, const void *b)
{
    const side_zone *left = a;
    const side_zone *right = b;
    return words_compare(left->name, right->name);
}

static void end_zones(cluster_side *side)
{
    side->zone_count = (uint32_t)side->zone_names.count;
    for (uint32_t z = 0; z < side->zone_count; z++)
        side->zones[z].name = word_table_get(&side->zone_names, z);
    if (side->zone_count > 0)
        qsort(side->zones, side->zone_count, sizeof(*side->zones), by_name);
}

static void end_resources(cluster_side *side)
{
    replay_load *l = &side->load;
    double *fragments = heap_new(l->resources.count, sizeof(*fragments));
    replay_load_fragments(l, fragments);
    for (uint32_t r = 0; r < side->resource_count; r++) {
        side->resources[r].name = word_table_get(&l->resources, r);
        side->resources[r].requested = amount_of_wide(l->total_requested[r]);
        side->resources[r].allocatable = amount_of_wide(l->total_allocatable[r]);
        side->resources[r].fragmentation = fragments[r];
    }
    free(fragments);
}

berth_status side_figures_make(cluster_side *side, berth_error *error)
{
    berth_node_id *nodes = NULL;
    TRY(node_list_make(side->engine, &nodes, &side->node_count, error));
    side->resource_count = (uint32_t)side->load.resources.count;
    side->resources = heap_new(side->resource_count, sizeof(*side->resources));
    side->zones = heap_new(side->node_count, sizeof(*side->zones));
    int64_t *amounts = heap_new(side->load.width, sizeof(*amounts));
    berth_status status = walk_nodes(side, nodes, amounts, error);
    if (status == BERTH_OK) {
        mix_pods(side, amounts);
        end_resources(side);
        end_zones(side);
    }
    free(amounts);
    free(nodes);
    return status;
}
