/* Loads a cluster or takes one over, decides its pending pods, and lists all of its pods by
 * name. */
#include "plans/cluster_side.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/progress.h"
#include "cli/stopwatch.h"
#include "loading/node_list.h"
#include "plans/plan_pods.h"
#include "plans/side_figures.h"

/* Record each node for the figures, because its whole object is available only while it is read. */
static void on_added(void *context, const berth_object *object, const berth_object_id *id)
{
    cluster_side *side = context;
    if (object->kind == BERTH_KIND_NODE)
        replay_load_set_node(&side->load, side->engine, id->node, object->as.node);
}

static berth_status load(cluster_side *side, berth_error *error)
{
    replay_load_init(&side->load);
    TRY(cluster_input_version(&side->input, &side->setup, error));
    TRY(engine_setup_resolve(&side->setup, error));
    TRY(engine_setup_create(&side->setup, &side->engine, error));
    side->input.on_added = on_added;
    side->input.context = side;
    return cluster_input_load(&side->input, &side->setup, side->engine, error);
}

/* ---- taking over ---- */

/* Record a node of an engine that has it already. */
static void see_node(cluster_side *side, berth_node_id node)
{
    const uint32_t count = berth_engine_node_allocatable(side->engine, node, NULL, 0);
    berth_amount *amounts = heap_new(count, sizeof(*amounts));
    berth_resource *resources = heap_new(count, sizeof(*resources));
    berth_engine_node_allocatable(side->engine, node, amounts, count);
    for (uint32_t i = 0; i < count; i++)
        resources[i].name = amounts[i].resource;
    const berth_node object = {.allocatable = {resources, count}};
    (void)replay_load_set_node(&side->load, side->engine, node, &object);
    free(resources);
    free(amounts);
}

static berth_status take_over(cluster_side *side, berth_error *error)
{
    uint32_t count = 0;
    berth_node_id *nodes = NULL;
    replay_load_init(&side->load);
    TRY(node_list_make(side->engine, &nodes, &count, error));
    for (uint32_t i = 0; i < count; i++)
        see_node(side, nodes[i]);
    free(nodes);
    return plan_pass_over(side->engine, &side->input, &side->setup, error);
}

/* ---- placing ---- */

/* Take every pod that a scheduler of this setup would place again off its node. */
static berth_status take_off(cluster_side *side, berth_error *error)
{
    uint32_t node_count = 0;
    berth_node_id *nodes = NULL;
    berth_pod_id *pods = NULL;
    size_t capacity = 0;
    TRY(node_list_make(side->engine, &nodes, &node_count, error));
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < node_count && status == BERTH_OK; i++) {
        uint32_t count = berth_engine_node_pods(side->engine, nodes[i], NULL, 0);
        pods = heap_grow(pods, &capacity, count, sizeof(*pods));
        berth_engine_node_pods(side->engine, nodes[i], pods, count);
        for (uint32_t p = count; p-- > 0 && status == BERTH_OK;) {
            berth_pod_info info = {.size = sizeof(info)};
            status = berth_engine_pod_info(side->engine, pods[p], &info, error);
            if (status == BERTH_OK && !plan_pod_stays(&info) && !info.deleting &&
                engine_setup_serves(&side->setup, info.scheduler_name))
                status = berth_engine_unbind(side->engine, pods[p], error);
        }
    }
    free(pods);
    free(nodes);
    return status;
}

static berth_status decide(cluster_side *side, berth_error *error)
{
    berth_pod_id *pods = NULL;
    TRY(plan_pending(side->engine, &pods, &side->pending, error));
    progress bar;
    stopwatch watch;
    uint64_t ticks = 0;
    berth_status status = BERTH_OK;
    progress_start(&bar, "placing", side->pending);
    stopwatch_start(&watch);
    for (uint64_t i = 0; i < side->pending && status == BERTH_OK; i++) {
        if (cluster_input_skipped(&side->input, pods[i]) != NULL) {
            side->passed_over++;
            continue;
        }
        berth_placement placement;
        uint64_t from = stopwatch_ticks(&watch);
        status = berth_engine_schedule(side->engine, pods[i], &placement, error);
        ticks += stopwatch_ticks(&watch) - from;
        side->placed += status == BERTH_OK && placement.verdict == BERTH_VERDICT_PLACED;
        if (i % 64 == 0)
            progress_update(&bar, i);
    }
    stopwatch_stop(&watch);
    progress_end(&bar);
    side->seconds = stopwatch_microseconds(&watch, ticks) / 1e6;
    free(pods);
    return status;
}

/* ---- listing ---- */

static int by_name(const void *a, const void *b)
{
    const side_pod *left = a;
    const side_pod *right = b;
    int order = words_compare(left->namespace_name, right->namespace_name);
    return order != 0 ? order : words_compare(left->name, right->name);
}

static void list_pods_of(cluster_side *side, berth_node_id node, size_t *capacity)
{
    const berth_engine *engine = side->engine;
    bool stranded = node != BERTH_NODE_NONE && !berth_engine_node_present(engine, node);
    for (berth_pod_id pod = berth_engine_next_pod(engine, node, BERTH_POD_NONE);
         pod != BERTH_POD_NONE; pod = berth_engine_next_pod(engine, node, pod)) {
        side->pods = heap_grow(side->pods, capacity, side->pod_count + 1, sizeof(*side->pods));
        side_pod *one = &side->pods[side->pod_count++];
        *one = (side_pod){.pod = pod, .node = node, .stranded = stranded};
        berth_engine_pod_name(engine, pod, &one->namespace_name, &one->name);
    }
}

static int by_node_name(const void *a, const void *b)
{
    const side_missing *left = a;
    const side_missing *right = b;
    return words_compare(left->name, right->name);
}

static void list_pods(cluster_side *side)
{
    size_t capacity = 0;
    size_t missing_capacity = 0;
    berth_node_id limit = berth_engine_node_limit(side->engine);
    for (berth_node_id node = 0; node < limit; node++) {
        size_t before = side->pod_count;
        list_pods_of(side, node, &capacity);
        if (side->pod_count == before || !side->pods[before].stranded)
            continue;
        side->missing = heap_grow(side->missing, &missing_capacity, side->missing_count + 1,
                                  sizeof(*side->missing));
        side->missing[side->missing_count++] = (side_missing){
            .name = berth_engine_node_name(side->engine, node), .pods = side->pod_count - before};
        side->stranded += side->pod_count - before;
    }
    list_pods_of(side, BERTH_NODE_NONE, &capacity);
    if (side->pod_count > 0)
        qsort(side->pods, side->pod_count, sizeof(*side->pods), by_name);
    if (side->missing_count > 0)
        qsort(side->missing, side->missing_count, sizeof(*side->missing), by_node_name);
}

static berth_status settle(cluster_side *side, berth_error *error)
{
    TRY(decide(side, error));
    list_pods(side);
    return side_figures_make(side, error);
}

berth_status cluster_side_make(cluster_side *side, berth_error *error)
{
    TRY(load(side, error));
    if (side->anew)
        TRY(take_off(side, error));
    return settle(side, error);
}

berth_status cluster_side_adopt(cluster_side *side, berth_engine *engine, const engine_setup *setup,
                                berth_error *error)
{
    side->engine = engine;
    side->setup = *setup;
    side->borrows = true;
    TRY(take_over(side, error));
    return settle(side, error);
}

uint64_t cluster_side_unplaced(const cluster_side *side)
{
    return side->pending - side->passed_over - side->placed;
}

double cluster_side_decisions_a_second(const cluster_side *side)
{
    uint64_t decided = side->pending - side->passed_over;
    return side->seconds > 0.0 ? (double)decided / side->seconds : 0.0;
}

void cluster_side_release(cluster_side *side)
{
    free(side->pods);
    free(side->missing);
    free(side->resources);
    free(side->zones);
    word_table_free(&side->zone_names);
    replay_load_free(&side->load);
    cluster_input_release(&side->input);
    if (side->borrows)
        return;
    berth_engine_destroy(side->engine);
    engine_setup_release(&side->setup);
}
