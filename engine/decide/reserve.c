/* Binding and unbinding with the plugins' reserve phase: what a decision is followed by.
 * Source: kube-scheduler v1.32, framework/runtime, RunReservePluginsReserve and ...Unreserve. */
#include "base/error.h"
#include "cluster/cluster_undo.h"
#include "decide/decide.h"

bool berth__reserve_is_undone(const berth__plugin_ops *plugin)
{
    return (plugin->flags & BERTH__READS_CLASS) != 0 && plugin->reserve != NULL;
}

static const berth__ready_profile *profile_for(const berth__decider *decider,
                                               const berth__class *cls)
{
    uint32_t profile = berth__decider_profile(decider, cls);
    return &decider->profiles[profile == UINT32_MAX ? 0 : profile];
}

static berth__question reserve_cycle(berth__decider *decider, uint32_t pod)
{
    return (berth__question){.view = &decider->cluster->view,
                             .cls = berth__pod_at(&decider->cluster->pods, pod)->cls,
                             .pod = pod,
                             .required_node = BERTH_NODE_NONE};
}

static berth__pod_placement placement_on(const berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    return (berth__pod_placement){berth__cluster_pod_id(cluster, pod), node,
                                  berth__cluster_node(cluster, node)->slot};
}

/* An embedder's plugin that has reserved, or given back, in a transaction: the opposite undoes
 * it. */
typedef struct reserve_record {
    const berth__stage *stage;
    uint32_t pod;
    uint32_t node;
} reserve_record;

static void undo_reserve(void *owner, void *opaque)
{
    const reserve_record *record = opaque;
    const berth__question cycle = reserve_cycle(owner, record->pod);
    const berth__pod_placement placement =
        placement_on(((berth__decider *)owner)->cluster, record->pod, record->node);
    record->stage->plugin->unreserve(&cycle, record->stage->instance, &placement);
}

static void undo_unreserve(void *owner, void *opaque)
{
    const reserve_record *record = opaque;
    const berth__question cycle = reserve_cycle(owner, record->pod);
    const berth__pod_placement placement =
        placement_on(((berth__decider *)owner)->cluster, record->pod, record->node);
    (void)record->stage->plugin->reserve(&cycle, record->stage->instance, &placement);
}

static void note_reserve(berth__decider *decider, const berth__stage *stage, uint32_t pod,
                         uint32_t node, bool reserved)
{
    static const berth__undo_kind kinds[] = {{.undo = undo_unreserve}, {.undo = undo_reserve}};
    if (!berth__reserve_is_undone(stage->plugin))
        return;
    reserve_record *record =
        berth__undo_push(&decider->cluster->undo, &kinds[reserved], decider, sizeof(*record));
    if (record != NULL)
        *record = (reserve_record){stage, pod, node};
}

/* What an embedder's plugins keep of reservations is the engine's, not a branch's. */
static bool reserves(const berth__decider *decider, const berth__plugin_ops *plugin)
{
    return !decider->cluster->cow.branch || !berth__reserve_is_undone(plugin);
}

static void unreserve(berth__decider *decider, uint32_t pod, uint32_t node)
{
    const berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement placement = placement_on(decider->cluster, pod, node);
    const berth__ready_profile *profile = profile_for(decider, cycle.cls);
    for (uint32_t i = profile->filter_count; i-- > 0;) {
        const berth__stage *stage = &profile->filters[i];
        if (stage->plugin->unreserve == NULL || !reserves(decider, stage->plugin))
            continue;
        stage->plugin->unreserve(&cycle, stage->instance, &placement);
        note_reserve(decider, stage, pod, node, false);
    }
}

/* The reserve phase of all filters; what came before the first that refuses is the caller's to
 * undo. */
static berth_status reserve_all(berth__decider *decider, uint32_t pod, uint32_t node)
{
    const berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement placement = placement_on(decider->cluster, pod, node);
    const berth__ready_profile *profile = profile_for(decider, cycle.cls);
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        if (stage->plugin->reserve == NULL || !reserves(decider, stage->plugin))
            continue;
        BERTH_TRY(stage->plugin->reserve(&cycle, stage->instance, &placement));
        note_reserve(decider, stage, pod, node, true);
    }
    return BERTH_OK;
}

berth_status berth__decider_bind(berth__decider *decider, uint32_t pod, uint32_t node)
{
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_sync(cluster));
    uint32_t begin = cluster->undo.top;
    BERTH_TRY(berth__cluster_bind(cluster, pod, node));
    berth_status status = reserve_all(decider, pod, node);
    if (status == BERTH_OK)
        return BERTH_OK;
    if (cluster->undo.recording) {
        berth__undo_to(&cluster->undo, begin);
    } else {
        unreserve(decider, pod, node);
        (void)berth__cluster_unbind(cluster, pod); /* needs no memory so soon */
    }
    return status;
}

berth_status berth__decider_unbind(berth__decider *decider, uint32_t pod)
{
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_prepare_unbind(cluster, pod));
    if (!berth__cluster_reserve_undo(cluster, pod))
        return BERTH_E_NOMEM;
    unreserve(decider, pod, berth__pod_at(&cluster->pods, pod)->node);
    return berth__cluster_unbind(cluster, pod);
}
