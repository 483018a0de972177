/* How a question about a pending pod begins: its class, its profile, an up-to-date layout, and
 * counters that what-ifs leave unchanged. Also the refusals that need no node. */
#include "decide/question.h"

#include "base/error.h"
#include "base/text.h"
#include "columns/pod_counts.h"
#include "devices/devices.h"

berth_status berth__question_ask(berth__decider *decider, uint32_t pod, berth__question *cycle,
                                 berth__decision *decision, berth_error *error)
{
    berth__cluster *cluster = decider->cluster;
    const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
    *cycle = (berth__question){.view = &cluster->view,
                               .cls = record->cls,
                               .pods = &cluster->pods,
                               .pod = pod,
                               .required_node = record->node,
                               .part = decider->part};
    if (cycle->view->devices != NULL)
        berth__devices_begin_question(cycle->view->devices);
    if (record->node != BERTH_NODE_NONE &&
        berth__node_present(berth__cluster_node(cluster, record->node))) {
        berth__error_set(error, BERTH_E_STATE, "the pod is on a node");
        return BERTH_E_STATE;
    }
    uint32_t profile = berth__decider_profile(decider, record->cls);
    if (profile == UINT32_MAX) {
        berth_str name = berth__text(cluster->model, record->cls->scheduler_name);
        berth__error_set(error, BERTH_E_NOT_FOUND, "no profile serves scheduler \"%.*s\"",
                         (int)name.len, name.data);
        return BERTH_E_NOT_FOUND;
    }
    *decision = (berth__decision){
        .cycle = cycle, .profile = &decider->profiles[profile], .profile_index = profile};
    bool ready = berth__cluster_sync(cluster) == BERTH_OK &&
                 ((record->cls->volumes == NULL && record->cls->claims == NULL &&
                   record->cls->extended == NULL) ||
                  berth__cluster_catch_up_volumes(cluster) == BERTH_OK);
    return ready ? BERTH_OK : berth__error_no_memory(error);
}

const char *berth__question_not_named(const berth__decision *decision)
{
    if (decision->cycle->required_node == BERTH_NODE_NONE)
        return "node(s) didn't satisfy plugin(s) [NodeAffinity]";
    return decision->prepared->each.static_allowed != NULL
               ? "node(s) didn't satisfy plugin(s) [NodeAffinity NodeName]"
               : "node(s) didn't satisfy plugin(s) [NodeName]";
}

void berth__question_begin(berth__decider *decider)
{
    berth__decider_follow_disruption(decider);
    berth__arena_reset(&decider->arena);
}

static bool register_nominated(berth__decider *decider)
{
    const berth__nominations *nominations = &decider->cluster->nominations;
    const berth__keymap *map = &nominations->by_pod;
    for (uint32_t i = 0; nominations->ruling_count > 0 && i < map->bucket_count; i++)
        for (const berth__keymap_entry *entry = map->buckets[i]; entry != NULL;
             entry = entry->next) {
            const berth__nomination *one = (const berth__nomination *)entry;
            if (one->awake && one->ruling &&
                !berth__pod_counts_register(&decider->cluster->view, one->cls))
                return false;
        }
    return true;
}

berth_status berth__question_hold(berth__decider *decider, bool *held)
{
    struct berth__pod_counts *counts = decider->cluster->view.counts;
    *held = berth__pod_counts_hold(counts, counts->held || berth__question_nominations(decider));
    counts->lost = false;
    return register_nominated(decider) ? BERTH_OK : BERTH_E_NOMEM;
}

bool berth__question_nominations_by_index(berth__decider *decider, const berth__decision *decision)
{
    decider->indexes.nominated = NULL;
    if (!berth__question_nominations(decider))
        return true;
    for (uint32_t i = 0; i < decision->profile->filter_count; i++)
        if (decision->prepared->filters[i].may_fail)
            return false;
    if (berth__dry_run_ask_few(&decider->dry_run, decision) != BERTH_OK ||
        berth__nominated_slots_follow(&decider->nominated, &decider->dry_run) != BERTH_OK)
        return false;
    decider->indexes.nominated = &decider->nominated;
    return true;
}

berth_status berth__question_release(berth__decider *decider, bool held, berth_status status)
{
    const berth__view *view = &decider->cluster->view;
    berth__pod_counts_hold(view->counts, held);
    const bool lost = view->counts->lost || (view->devices != NULL && view->devices->lost);
    return status == BERTH_OK && lost ? BERTH_E_NOMEM : status;
}

void berth__question_explain_gates(const berth__decision *decision, berth__reasons *reasons)
{
    berth_str gates = berth__text(decision->cycle->view->model, decision->cycle->cls->gates);
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "waiting for scheduling gates: [%.*s]",
                  (int)gates.len, gates.data);
}

const berth__stage *berth__question_refuser(const berth__decision *decision)
{
    const berth__ready_profile *profile = decision->profile;
    const berth__prepared_kind *prepared = decision->prepared;
    uint32_t i = 0;
    while (i + 1 < profile->filter_stages && &prepared->filters[i].reasons != prepared->verdict.why)
        i++;
    return &profile->filters[i];
}
