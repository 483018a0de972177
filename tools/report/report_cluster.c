/* Writes the data of a cluster's report. A node is an array, not an object, because there may be
 * thousands. */
#include "report/report_cluster.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/output.h"
#include "cli/text_buffer.h"
#include "loading/usage.h"
#include "plans/plan_pods.h"
#include "plans/side_reasons.h"
#include "report/report_cost.h"
#include "report/report_nodes.h"

enum { EXAMPLES_MAX = 20, NAMED_PODS_MAX = 10000 };

static void write_pod_name(berth_str namespace_name, berth_str name, output *o)
{
    text_buffer text = {0};
    output_str(o, text_name(&text, (berth_str){0}, namespace_name, name));
    text_free(&text);
}

static bool is_shown(const side_resource *resource)
{
    return resource->requested > 0 || resource->allocatable > 0;
}

/* Write the free amounts: on nodes that accept pods, and on the others by reason. */
static void write_free(const report_free *found, output *o)
{
    output_pair_int(o, "mostFree", found->most);
    output_key(o, "free");
    output_object(o);
    for (size_t s = 0; s < NODE_STATE_COUNT; s++)
        output_pair_int(o, node_state_names[s], found->amounts[s]);
    output_object_end(o);
}

static void write_resources(const cluster_side *side, const report_nodes *nodes, output *o)
{
    output_key(o, "resources");
    output_array(o);
    for (uint32_t r = 0; r < side->resource_count; r++) {
        if (!is_shown(&side->resources[r]))
            continue;
        const report_free found = report_nodes_free(nodes, side, r);
        output_object(o);
        output_pair_str(o, "name", side->resources[r].name);
        output_pair_int(o, "requested", side->resources[r].requested);
        output_pair_int(o, "allocatable", side->resources[r].allocatable);
        write_free(&found, o);
        output_pair_real(o, "fragmentation", side->resources[r].fragmentation, 4);
        output_object_end(o);
    }
    output_array_end(o);
}

static uint32_t zone_number(const cluster_side *side, berth_str zone)
{
    uint32_t z = 0;
    while (!words_equal(side->zones[z].name, zone))
        z++;
    return z;
}

/* Write [name, zone, pods, [requested, allocatable, ...]], and for a node that accepts no pods
 * [..., state, [note, ...]]. */
static berth_status write_node(const cluster_side *side, berth_node_id node, node_state state,
                               output *o, berth_error *error)
{
    const replay_load *l = &side->load;
    output_array(o);
    output_str(o, berth_engine_node_name(side->engine, node));
    output_int(o, zone_number(side, usage_zone(side->engine, node)));
    output_int(o, berth_engine_node_pods(side->engine, node, NULL, 0));
    output_array(o);
    for (uint32_t r = 0; r < side->resource_count; r++) {
        if (!is_shown(&side->resources[r]))
            continue;
        output_int(o, l->requested[(size_t)node * l->width + r]);
        output_int(o, l->allocatable[(size_t)node * l->width + r]);
    }
    output_array_end(o);
    if (state != NODE_STATE_OPEN) {
        output_text(o, node_state_names[state]);
        TRY(report_nodes_notes(side, node, o, error));
    }
    output_array_end(o);
    return BERTH_OK;
}

static berth_status write_nodes(const cluster_side *side, const report_nodes *nodes, output *o,
                                berth_error *error)
{
    output_key(o, "zones");
    output_array(o);
    for (uint32_t z = 0; z < side->zone_count; z++)
        output_str(o, side->zones[z].name);
    output_array_end(o);
    output_key(o, "nodes");
    output_array(o);
    for (uint32_t i = 0; i < nodes->count; i++)
        TRY(write_node(side, nodes->ids[i], nodes->states[i], o, error));
    output_array_end(o);
    return BERTH_OK;
}

/* Write the names of a node's pods in order of arrival. */
static void write_pods_of(const cluster_side *side, berth_node_id node, output *o)
{
    output_array(o);
    for (berth_pod_id pod = berth_engine_next_pod(side->engine, node, BERTH_POD_NONE);
         pod != BERTH_POD_NONE; pod = berth_engine_next_pod(side->engine, node, pod)) {
        berth_str namespace_name = {0};
        berth_str name = {0};
        berth_engine_pod_name(side->engine, pod, &namespace_name, &name);
        write_pod_name(namespace_name, name, o);
    }
    output_array_end(o);
}

/* Write one list for each node, in the order of the nodes. The page of a large cluster omits
 * them. */
static void write_pods(const cluster_side *side, const report_nodes *nodes, output *o)
{
    if (side->pod_count > NAMED_PODS_MAX)
        return;
    output_key(o, "pods");
    output_array(o);
    for (uint32_t i = 0; i < nodes->count; i++)
        write_pods_of(side, nodes->ids[i], o);
    output_array_end(o);
}

/* ---- pods without a node ---- */

typedef struct group {
    uint64_t pods;
    const side_pod *examples[EXAMPLES_MAX];
} group;

static void write_group(const group *one, berth_str reason, output *o)
{
    output_object(o);
    output_pair_str(o, "reason", reason);
    output_pair_int(o, "pods", (int64_t)one->pods);
    output_key(o, "examples");
    output_array(o);
    for (uint64_t i = 0; i < one->pods && i < EXAMPLES_MAX; i++)
        write_pod_name(one->examples[i]->namespace_name, one->examples[i]->name, o);
    output_array_end(o);
    output_object_end(o);
}

static berth_status group_pods(const cluster_side *side, side_reasons *r, group **groups,
                               berth_error *error)
{
    size_t capacity = 0;
    size_t count = 0;
    for (size_t i = 0; i < side->pod_count; i++) {
        uint32_t number = 0;
        if (side->pods[i].node != BERTH_NODE_NONE)
            continue;
        TRY(side_reasons_find(r, side, &side->pods[i], &number, error));
        *groups = heap_grow(*groups, &capacity, (size_t)number + 1, sizeof(**groups));
        for (; count <= number; count++)
            (*groups)[count] = (group){0};
        group *one = &(*groups)[number];
        if (one->pods < EXAMPLES_MAX)
            one->examples[one->pods] = &side->pods[i];
        one->pods++;
    }
    return BERTH_OK;
}

static berth_status write_reasons(const cluster_side *side, output *o, berth_error *error)
{
    side_reasons r = {.as_sets = true};
    group *groups = NULL;
    berth_status status = group_pods(side, &r, &groups, error);
    output_key(o, "reasons");
    output_array(o);
    for (uint32_t i = 0; status == BERTH_OK && groups != NULL && i < r.texts.count; i++)
        write_group(&groups[i], word_table_get(&r.texts, i), o);
    output_array_end(o);
    free(groups);
    side_reasons_free(&r);
    return status;
}

static void write_counts(const cluster_side *side, const report_nodes *nodes, output *o)
{
    output_key(o, "counts");
    output_object(o);
    output_pair_int(o, "pods", (int64_t)side->pod_count);
    output_pair_int(o, "pending", (int64_t)side->pending);
    output_pair_int(o, "placed", (int64_t)side->placed);
    output_pair_int(o, "notPlaced", (int64_t)cluster_side_unplaced(side));
    output_pair_int(o, "passedOver", (int64_t)side->passed_over);
    output_pair_int(o, "nodes", side->node_count);
    output_pair_int(o, "nodesInUse", side->nodes_in_use);
    output_key(o, "nodesByState");
    output_object(o);
    for (size_t s = 0; s < NODE_STATE_COUNT; s++)
        output_pair_int(o, node_state_names[s], nodes->state_nodes[s]);
    output_object_end(o);
    output_object_end(o);
}

static berth_status write_all(const cluster_side *side, const report_nodes *nodes, output *o,
                              berth_error *error)
{
    write_counts(side, nodes, o);
    report_cost_write(side, nodes, o);
    write_resources(side, nodes, o);
    TRY(write_nodes(side, nodes, o, error));
    write_pods(side, nodes, o);
    return write_reasons(side, o, error);
}

berth_status report_cluster_write(const cluster_side *side, const char *title, FILE *file,
                                  berth_error *error)
{
    output o;
    report_nodes nodes = {.ids = NULL};
    output_open(&o, file, OUTPUT_JSON, 0);
    output_object(&o);
    output_pair_text(&o, "kind", "cluster");
    output_pair_text(&o, "title", title);
    berth_status status = report_nodes_make(&nodes, side, error);
    if (status == BERTH_OK)
        status = write_all(side, &nodes, &o, error);
    if (status ==
        BERTH_OK) { /* after an error an array may be open, but then the data is not used */
        output_object_end(&o);
        output_close(&o);
    }
    report_nodes_release(&nodes);
    return status;
}
