/* Makes the internal form of a cluster for micro-benchmarks, and prepares the plugins of one
 * pod. */
#include "inside_cluster.h"

#include <stdlib.h>

#include "base/memory.h"
#include "cli/heap.h"
#include "ruled_objects.h"
#include "workloads/workloads.h"

enum { RUNNING = 8192 };

static berth_status add(void *context, const berth_object *object, berth_error *error)
{
    inside_cluster *inside = context;
    uint64_t id = 0;
    berth_status status = berth__cluster_add(&inside->cluster, object, &id, error);
    if (status == BERTH_OK && object->kind == BERTH_KIND_POD)
        inside->cycle.pod = berth__cluster_pod(&inside->cluster, id);
    return status;
}

static bool add_ruled(inside_cluster *inside)
{
    draft *d = heap_new(1, sizeof(*d));
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < INSIDE_NODES && status == BERTH_OK; i++) {
        ruled_node(d, i);
        status = add(inside, &d->object, NULL);
    }
    for (uint64_t i = 0; i < RUNNING && status == BERTH_OK; i++) {
        ruled_pod(d, i % 1024, true, (uint32_t)(i % INSIDE_NODES));
        d->pod.meta.name = draft_text(d, "running-%llu", (unsigned long long)i);
        status = add(inside, &d->object, NULL);
    }
    ruled_pod(d, 0, true, UINT32_MAX);
    if (status == BERTH_OK)
        status = add(inside, &d->object, NULL);
    free(d);
    return status == BERTH_OK;
}

static bool add_volumes(inside_cluster *inside)
{
    workload_spec spec = {.nodes = INSIDE_NODES, .zones = 3, .running = RUNNING, .pods = 1};
    char reason[160];
    if (!workload_spec_parse("workload=volumes", &spec, reason, sizeof(reason)))
        return false;
    workload_source *source = workload_source_create(&spec);
    berth_status status = workload_source_make_all(source, add, inside, NULL);
    workload_source_destroy(source);
    return status == BERTH_OK;
}

/* Runs the prepare and rank phases of one plugin as a decision does. */
static bool prepare(inside_cluster *inside, const berth__stage *stage, bool filter,
                    inside_stage *out)
{
    const berth__plugin_ops *plugin = stage->plugin;
    berth__reasons reasons = {.arena = &inside->arena, .ok = true};
    size_t bytes = filter ? plugin->filter_state_bytes : plugin->score_state_bytes;
    berth__prepare call = {.cycle = &inside->cycle,
                           .instance = stage->instance,
                           .state = berth__arena_alloc_zero(&inside->arena, bytes, 64),
                           .arena = &inside->arena,
                           .reasons = &reasons,
                           .ok = true};
    if (call.state == NULL)
        return false;
    berth__outcome (*function)(berth__prepare *) =
        filter ? plugin->prepare_filter : plugin->prepare_score;
    *out = (inside_stage){stage, function != NULL ? function(&call) : BERTH__ACTIVE, call.state};
    if (!filter && out->outcome == BERTH__ACTIVE && plugin->rank != NULL)
        out->outcome = plugin->rank(&call, inside->feasible, INSIDE_NODES);
    return call.ok;
}

static bool prepare_all(inside_cluster *inside)
{
    const berth__ready_profile *profile = &inside->profile;
    const berth__layout *layout = inside->cluster.view.layout;
    inside->filters = heap_new(profile->filter_count, sizeof(*inside->filters));
    inside->scorers = heap_new(profile->scorer_count, sizeof(*inside->scorers));
    inside->feasible = heap_new(layout->tile_count, sizeof(*inside->feasible));
    for (uint32_t tile = 0; tile < layout->tile_count; tile++)
        inside->feasible[tile] = berth__mask_range(0, BERTH__TILE);
    bool ok = true;
    for (uint32_t i = 0; i < profile->filter_count && ok; i++)
        ok = prepare(inside, &profile->filters[i], true, &inside->filters[i]);
    for (uint32_t i = 0; i < profile->scorer_count && ok; i++)
        ok = prepare(inside, &profile->scorers[i], false, &inside->scorers[i]);
    return ok;
}

static bool make(inside_cluster *inside, inside_kind kind)
{
    berth__cluster *cluster = &inside->cluster;
    if (berth__cluster_init(cluster, berth__allocator_default(), NULL) != BERTH_OK)
        return false;
    berth__arena_init(&inside->arena, cluster->model->allocator);
    if (!(kind == INSIDE_RULES ? add_ruled(inside) : add_volumes(inside)) ||
        berth__profile_make(cluster->model, &inside->arena, (berth__embedder_plugins){NULL, 0},
                            berth_profile_default(), &inside->profile, NULL) != BERTH_OK ||
        berth__cluster_sync(cluster) != BERTH_OK)
        return false;
    inside->cycle.view = &cluster->view;
    inside->cycle.cls = berth__pod_at(&cluster->pods, inside->cycle.pod)->cls;
    inside->cycle.required_node = BERTH_NODE_NONE;
    return prepare_all(inside);
}

inside_cluster *inside_cluster_get(inside_kind kind)
{
    static inside_cluster *made[2];
    if (made[kind] == NULL) {
        made[kind] = heap_new(1, sizeof(*made[kind]));
        made[kind]->ok = make(made[kind], kind);
    }
    return made[kind];
}
