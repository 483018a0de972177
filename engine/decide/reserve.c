/* Binding and unbinding with the plugins' reserve phase, which follow a decision.
 * Source: kube-scheduler v1.32, framework/runtime, RunReservePluginsReserve and ...Unreserve. */
#include "base/error.h"
#include "cluster/cluster_undo.h"
#include "cluster/pod_moves.h"
#include "decide/decide.h"

static bool is_own(const berth__plugin_ops *plugin)
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
                             .pods = &decider->cluster->pods,
                             .pod = pod,
                             .required_node = BERTH_NODE_NONE};
}

static berth__pod_placement placement_on(const berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    return (berth__pod_placement){berth__cluster_pod_id(cluster, pod), node,
                                  berth__cluster_node(cluster, node)->slot};
}

/* ---- an embedder's plugins: each is notified of every pod ---- */

static void tell(const berth__stage *stage, const berth__question *cycle,
                 const berth__pod_placement *placement, bool came)
{
    if (came) /* the pod is there already: a refusal is ignored */
        (void)stage->plugin->reserve(cycle, stage->instance, placement);
    else
        stage->plugin->unreserve(cycle, stage->instance, placement);
}

/* The berth__pod_listener of a decider. */
static void moved(void *context, uint32_t pod, berth__class *cls, uint32_t node, bool came)
{
    berth__decider *decider = context;
    berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement placement = placement_on(decider->cluster, pod, node);
    cycle.cls = cls; /* the pod may have another class by now */
    for (uint32_t i = 0; i < decider->listener_count; i++)
        tell(decider->listeners[came ? i : decider->listener_count - 1 - i], &cycle, &placement,
             came);
}

/* A plugin has one name in all profiles, and one table. */
static bool is_among(const berth__plugin_ops *plugin, const berth__stage *stages, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (stages[i].plugin->name == plugin->name)
            return true;
    return false;
}

/* Notify the embedder's plugins in profiles other than the pod's. */
static void tell_others(berth__decider *decider, const berth__ready_profile *profile,
                        const berth__question *cycle, const berth__pod_placement *placement,
                        bool came)
{
    for (uint32_t i = 0; i < decider->listener_count && decider->profile_count > 1; i++)
        if (!is_among(decider->listeners[i]->plugin, profile->filters, profile->filter_count))
            tell(decider->listeners[i], cycle, placement, came);
}

static bool is_first(const berth__decider *decider, uint32_t profile, uint32_t filter)
{
    const berth__plugin_ops *plugin = decider->profiles[profile].filters[filter].plugin;
    for (uint32_t p = 0; p < profile; p++)
        if (is_among(plugin, decider->profiles[p].filters, decider->profiles[p].filter_count))
            return false;
    return is_own(plugin);
}

berth_status berth__decider_listen(berth__decider *decider, berth__arena *arena)
{
    uint32_t most = 0;
    for (uint32_t p = 0; p < decider->profile_count; p++)
        for (uint32_t i = 0; i < decider->profiles[p].filter_count; i++)
            most += is_first(decider, p, i);
    decider->listeners = berth__arena_alloc(arena, most * sizeof(*decider->listeners), 8);
    if (decider->listeners == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t p = 0; p < decider->profile_count; p++)
        for (uint32_t i = 0; i < decider->profiles[p].filter_count; i++)
            if (is_first(decider, p, i))
                decider->listeners[decider->listener_count++] = &decider->profiles[p].filters[i];
    if (most > 0)
        decider->cluster->pod_moves = (berth__pod_listener){decider, moved};
    return BERTH_OK;
}

/* ---- the reserve phase ---- */

/* Whether a plugin reserves here. The state of an embedder's plugins belongs to the engine, so a
 * branch does not call them. */
static bool reserves(const berth__decider *decider, const berth__plugin_ops *plugin)
{
    return plugin->reserve != NULL && (decider->listener_count > 0 || !is_own(plugin));
}

/* Unreserve the embedder's plugins among the first `count` filters and, with `all`, all of the
 * engine's plugins, which accept this even if they have reserved nothing. */
static void unreserve(berth__decider *decider, const berth__question *cycle,
                      const berth__pod_placement *placement, uint32_t count, bool all)
{
    const berth__ready_profile *profile = profile_for(decider, cycle->cls);
    for (uint32_t i = profile->filter_count; i-- > 0;) {
        const berth__stage *stage = &profile->filters[i];
        bool own = is_own(stage->plugin);
        if (reserves(decider, stage->plugin) && (own ? i < count : all))
            stage->plugin->unreserve(cycle, stage->instance, placement);
    }
}

/* Run the reserve phase of all filters. Returns how many succeeded. */
static uint32_t reserve(berth__decider *decider, const berth__question *cycle,
                        const berth__pod_placement *placement, berth_status *status)
{
    const berth__ready_profile *profile = profile_for(decider, cycle->cls);
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        if (!reserves(decider, stage->plugin))
            continue;
        *status = stage->plugin->reserve(cycle, stage->instance, placement);
        if (*status != BERTH_OK && !cycle->may_refuse && is_own(stage->plugin))
            *status = BERTH_OK;
        if (*status != BERTH_OK)
            return i;
    }
    return profile->filter_count;
}

/* Reserve with all plugins; after a refusal nothing is reserved. */
static berth_status reserve_all(berth__decider *decider, uint32_t pod, uint32_t node)
{
    berth__cluster *cluster = decider->cluster;
    berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement placement = placement_on(cluster, pod, node);
    berth_status status = BERTH_OK;
    cycle.may_refuse = !decider->supposes;
    uint32_t count = reserve(decider, &cycle, &placement, &status);
    cycle.may_refuse = false;
    if (status != BERTH_OK) {
        /* In a transaction, the undo log undoes the changes by the engine's plugins. */
        unreserve(decider, &cycle, &placement, count, !cluster->undo.recording);
        return status;
    }
    if (decider->listener_count > 0) {
        tell_others(decider, profile_for(decider, cycle.cls), &cycle, &placement, true);
        berth__note_pod_moved(cluster, pod, cycle.cls, node, true);
    }
    return BERTH_OK;
}

/* Unreserve with all plugins. For an embedder's plugins, a pod on a node that does not exist is on
 * no node. */
static void unreserve_all(berth__decider *decider, uint32_t pod)
{
    berth__cluster *cluster = decider->cluster;
    uint32_t node = berth__pod_at(&cluster->pods, pod)->node;
    const berth__question cycle = reserve_cycle(decider, pod);
    const berth__pod_placement placement = placement_on(cluster, pod, node);
    bool heard =
        decider->listener_count > 0 && berth__node_present(berth__cluster_node(cluster, node));
    if (heard)
        tell_others(decider, profile_for(decider, cycle.cls), &cycle, &placement, false);
    unreserve(decider, &cycle, &placement, heard ? UINT32_MAX : 0, true);
    if (heard)
        berth__note_pod_moved(cluster, pod, cycle.cls, node, false);
}

berth_status berth__decider_bind(berth__decider *decider, uint32_t pod, uint32_t node)
{
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_sync(cluster));
    const uint32_t begin = cluster->undo.top;
    const berth__before_bind before = berth__cluster_before_bind(cluster, pod, node);
    BERTH_TRY(berth__cluster_bind(cluster, pod, node));
    berth_status status = reserve_all(decider, pod, node);
    if (status == BERTH_OK)
        return BERTH_OK;
    if (cluster->undo.recording)
        berth__undo_to(&cluster->undo, begin);
    else
        berth__cluster_retract(cluster, pod, before);
    return status;
}

berth_status berth__decider_unbind(berth__decider *decider, uint32_t pod)
{
    berth__cluster *cluster = decider->cluster;
    BERTH_TRY(berth__cluster_prepare_unbind(cluster, pod));
    if (!berth__cluster_reserve_undo(cluster, pod))
        return BERTH_E_NOMEM;
    unreserve_all(decider, pod);
    return berth__cluster_unbind(cluster, pod);
}
