/* Creates and destroys a decider, for the profiles of an engine or a branch. */
#include "decide/decide.h"

#include "base/error.h"

/* Whether an embedder's plugin may have kept amounts of nodes, because it prepares state or is
 * static. */
static bool keeps_amounts(const berth__ready_profile *profiles, uint32_t profile_count)
{
    for (uint32_t p = 0; p < profile_count; p++) {
        for (uint32_t i = 0; i < profiles[p].filter_count; i++)
            if ((profiles[p].filters[i].plugin->flags & BERTH__READS_CLASS) != 0)
                return true;
        for (uint32_t i = 0; i < profiles[p].scorer_count; i++)
            if ((profiles[p].scorers[i].plugin->flags & BERTH__READS_CLASS) != 0)
                return true;
    }
    return false;
}

berth_status berth__decider_init(berth__decider *decider, berth__cluster *cluster,
                                 const berth__decider_setup *setup)
{
    const berth_allocator *allocator = cluster->model->allocator;
    *decider = (berth__decider){.cluster = cluster,
                                .profiles = setup->profiles,
                                .profile_count = setup->profile_count,
                                .extenders = setup->extenders,
                                .path = setup->path,
                                .random = {setup->seed}};
    cluster->amounts_are_facts = keeps_amounts(setup->profiles, setup->profile_count);
    berth__arena_init(&decider->arena, allocator);
    berth__extender_memo_init(&decider->answers, allocator);
    berth__refusals_init(&decider->refusals, allocator);
    berth__search_init(&decider->search, allocator, setup->workers,
                       berth__workers_count(setup->workers));
    berth__dry_run_init(&decider->dry_run, allocator, &cluster->pods, &cluster->nominations,
                        cluster->disruption);
    berth__nominated_slots_init(&decider->nominated);
    berth__victims_init(&decider->victims, allocator, cluster->disruption);
    BERTH_TRY(berth__prepared_cache_init(&decider->prepared, allocator));
    return berth__index_cache_init(&decider->indexes, allocator);
}

void berth__decider_follow_disruption(berth__decider *decider)
{
    decider->dry_run.disruption = decider->cluster->disruption;
    decider->victims.disruption = decider->cluster->disruption;
}

void berth__decider_destroy(berth__decider *decider)
{
    if (decider->cluster == NULL)
        return;
    berth__decider_follow_disruption(decider);
    berth__plugin_checks_destroy(decider->checks);
    berth__index_cache_destroy(&decider->indexes);
    berth__prepared_cache_destroy(&decider->prepared);
    berth__search_destroy(&decider->search);
    berth__dry_run_destroy(&decider->dry_run);
    berth__victims_destroy(&decider->victims);
    const berth_allocator *allocator = decider->cluster->model->allocator;
    berth__nominated_slots_destroy(&decider->nominated, allocator);
    berth__free(allocator, decider->potential,
                decider->potential_capacity * sizeof(*decider->potential));
    berth__free(allocator, decider->chosen, decider->chosen_capacity * sizeof(*decider->chosen));
    berth__arena_destroy(&decider->arena);
    berth__extender_memo_destroy(&decider->answers);
    berth__refusals_destroy(&decider->refusals);
    decider->cluster = NULL;
}

uint32_t berth__decider_profile(const berth__decider *decider, const berth__class *cls)
{
    for (uint32_t i = 0; i < decider->profile_count; i++)
        if (decider->profiles[i].scheduler_name == cls->scheduler_name)
            return i;
    return UINT32_MAX;
}

bool berth__decider_is_extended(const berth__decider *decider, uint32_t pod)
{
    const berth__model *model = decider->cluster->model;
    const berth__class *cls = berth__pod_at(&decider->cluster->pods, pod)->cls;
    return decider->extenders != NULL &&
           (berth__extenders_concern(decider->extenders, model, cls) ||
            berth__extenders_preempt(decider->extenders, model, cls));
}
