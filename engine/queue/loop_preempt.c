/* Carries out preemption for the scheduling loop: evicts the victims, keeps the node.
 * Source: kube-scheduler v1.32, framework/preemption/preemption.go, prepareCandidate. */
#include "base/error.h"
#include "queue/loop.h"

/* Allocate everything that the evictions need first, so that no requested eviction fails later. */
static berth_status copy_victims(berth_scheduler *scheduler, const berth__preemption *chosen)
{
    if (!berth__grow(scheduler->allocator, &scheduler->victims, &scheduler->victim_capacity,
                     chosen->victim_count, sizeof(*scheduler->victims)) ||
        !berth__running_evictions_reserve(&scheduler->running, scheduler->allocator,
                                          chosen->victim_count))
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < chosen->victim_count; i++) {
        scheduler->victims[i] = berth__cluster_pod_id(scheduler->cluster, chosen->victims[i]);
        BERTH_TRY(berth__cluster_prepare_removal(scheduler->cluster, chosen->victims[i]));
    }
    return berth__nominations_reserve(&scheduler->cluster->nominations, chosen->node);
}

static berth_answer ask_to_evict(berth_scheduler *scheduler, const berth_eviction *eviction)
{
    if (scheduler->callbacks.evict == NULL)
        return BERTH_ANSWER_DONE;
    berth__loop_call_begin(scheduler);
    berth_answer answer = scheduler->callbacks.evict(scheduler->callbacks.context, eviction);
    berth__loop_call_end(scheduler);
    return answer;
}

/* A victim of an earlier preemption that is still terminating is not evicted again. kube-scheduler
 * before 1.33 deletes it once more, which changes nothing. */
static bool is_asked(const berth_scheduler *scheduler, berth_pod_id victim)
{
    const berth__cluster *cluster = scheduler->cluster;
    return berth__pod_at(&cluster->pods, berth__cluster_pod(cluster, victim))->evicting;
}

/* The callback changes nothing itself. Returns false if the eviction was refused. */
static bool evict(berth_scheduler *scheduler, const berth_eviction *eviction)
{
    berth__cluster *cluster = scheduler->cluster;
    berth_answer answer = ask_to_evict(scheduler, eviction);
    berth__pod_record *victim =
        berth__pod_at(&cluster->pods, berth__cluster_pod(cluster, eviction->victim));
    berth_str space = berth__text(cluster->model, victim->cls->identity->namespace_name);
    if (answer == BERTH_ANSWER_LATER)
        victim->evicting = true;
    else if (answer != BERTH_ANSWER_DONE ||
             berth__cluster_remove(cluster, BERTH_KIND_POD, space, berth__pod_name(victim), NULL) !=
                 BERTH_OK)
        return false;
    scheduler->counters.evictions++;
    return true;
}

static void end_nomination(berth_scheduler *scheduler, uint32_t pod)
{
    uint32_t node = berth__loop_nominated(scheduler, pod);
    berth__nominations_drop(&scheduler->cluster->nominations, pod);
    berth__loop_wake_unkept(scheduler, node, berth__pod_at(&scheduler->cluster->pods, pod)->cls);
}

static void tell_unnominated(berth_scheduler *scheduler, uint32_t pod)
{
    if (scheduler->unnominated == NULL)
        return;
    berth__loop_call_begin(scheduler);
    scheduler->unnominated(scheduler->callbacks.context,
                           berth__cluster_pod_id(scheduler->cluster, pod));
    berth__loop_call_end(scheduler);
}

/* Pods of lower priority that the node was kept for must find another place. */
static void clear_lower(berth_scheduler *scheduler, uint32_t node, int32_t priority)
{
    const berth__nomination *one = berth__nominations_on(&scheduler->cluster->nominations, node);
    while (one != NULL) {
        uint32_t pod = one->pod;
        bool lower = one->priority < priority;
        one = one->next;
        if (!lower)
            continue;
        end_nomination(scheduler, pod);
        berth__queue_item *item = berth__queue_find(&scheduler->queue, pod);
        if (item != NULL) {
            berth__queue_release(&scheduler->queue, item, true);
            berth__queue_wake_item(&scheduler->queue, item);
        }
        tell_unnominated(scheduler, pod);
    }
}

/* If all victims are terminating already, nothing was evicted, and other nominations for the node
 * stay. */
static void nominate(berth_scheduler *scheduler, const berth__queue_item *item, uint32_t node,
                     bool asked)
{
    berth__cluster *cluster = scheduler->cluster;
    uint32_t kept = berth__loop_nominated(scheduler, item->pod);
    if (kept != BERTH_NODE_NONE && kept != node)
        end_nomination(scheduler, item->pod);
    if (asked) {
        clear_lower(scheduler, node, berth__pod_at(&cluster->pods, item->pod)->priority);
        berth__nominations_take_over(&cluster->nominations, &cluster->pods, item->pod, node);
    } else {
        berth__nominations_set(&cluster->nominations, &cluster->pods, item->pod, node, false);
    }
    scheduler->counters.nominations++;
}

/* The preemptor is gated until each victim whose eviction was requested is known to leave. */
static void await_victims(berth_scheduler *scheduler, berth__queue_item *item, uint32_t count)
{
    item->leaving = 0;
    item->preemption = ++scheduler->preemption_serial;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t victim = berth__cluster_pod(scheduler->cluster, scheduler->victims[i]);
        if (victim == BERTH_POD_INDEX_NONE ||
            !berth__pod_at(&scheduler->cluster->pods, victim)->evicting)
            continue;
        berth__running_evictions_add(&scheduler->running, scheduler->victims[i], item->pod,
                                     item->preemption);
        item->leaving++;
    }
}

static berth_status carry_out(berth_scheduler *scheduler, berth__queue_item *item,
                              const berth__preemption *chosen, berth_step *out)
{
    berth__cluster *cluster = scheduler->cluster;
    uint32_t victim_count = chosen->victim_count, node = chosen->node;
    berth_eviction eviction = {.preemptor = berth__cluster_pod_id(cluster, item->pod),
                               .node = node};
    BERTH_TRY(copy_victims(scheduler, chosen));
    for (uint32_t i = 0; i < victim_count; i++) {
        eviction.victim = scheduler->victims[i];
        if (is_asked(scheduler, eviction.victim))
            continue;
        if (!evict(scheduler, &eviction)) {
            berth__loop_report(scheduler, BERTH_TROUBLE_EVICTION, NULL);
            return BERTH_OK;
        }
        out->victim_count++;
    }
    nominate(scheduler, item, node,
             victim_count > 0 ||
                 !scheduler->decider->attempt.decision.profile->behaviours->spares_leaving_victims);
    await_victims(scheduler, item, victim_count);
    out->nominated = node;
    return BERTH_OK;
}

/* If one victim stays, its preemptors wait for the others no longer. */
static void end_waits(berth_scheduler *scheduler, berth_pod_id victim, bool stays)
{
    berth__running_eviction one;
    while (berth__running_evictions_take(&scheduler->running, victim, &one)) {
        berth__queue_item *item = berth__queue_find(&scheduler->queue, one.preemptor);
        if (item == NULL || item->preemption != one.preemption || item->leaving == 0)
            continue;
        if (stays || item->leaving == 1)
            berth__queue_release(&scheduler->queue, item, stays);
        else
            item->leaving--;
    }
}

void berth__loop_victim_leaves(berth_scheduler *scheduler, berth_pod_id victim)
{
    end_waits(scheduler, victim, false);
}

void berth__loop_follow_victims(berth_scheduler *scheduler)
{
    const berth__cluster *cluster = scheduler->cluster;
    berth_pod_id victim;
    uint32_t at = 0;
    while ((victim = berth__running_evictions_next(&scheduler->running, &at)) != BERTH_POD_NONE) {
        uint32_t index = berth__cluster_pod(cluster, victim);
        if (index == BERTH_POD_INDEX_NONE || !berth__pod_at(&cluster->pods, index)->evicting)
            end_waits(scheduler, victim, true);
    }
}

void berth__loop_victim_stays(berth_scheduler *scheduler, berth_pod_id victim)
{
    berth__cluster *cluster = scheduler->cluster;
    uint32_t index = berth__cluster_pod(cluster, victim);
    if (index == BERTH_POD_INDEX_NONE || !berth__pod_at(&cluster->pods, index)->evicting)
        return;
    berth__pod_record *pod = berth__pod_at(&cluster->pods, index);
    pod->evicting = false;
    end_waits(scheduler, victim, true);
    const berth__nomination *one = berth__nominations_on(&cluster->nominations, pod->node);
    for (; one != NULL; one = one->next) {
        berth__queue_item *item = berth__queue_find(&scheduler->queue, one->pod);
        if (item != NULL)
            berth__queue_wake_item(&scheduler->queue, item);
    }
}

berth_status berth__loop_preempt(berth_scheduler *scheduler, berth__queue_item *item,
                                 berth_step *out)
{
    berth__preemption chosen;
    BERTH_TRY(berth__preempt(scheduler->decider, NULL, &chosen));
    if (chosen.outcome == BERTH__PREEMPTION_HOPELESS)
        end_nomination(scheduler, item->pod);
    return chosen.outcome == BERTH__PREEMPTION_NOMINATED ? carry_out(scheduler, item, &chosen, out)
                                                         : BERTH_OK;
}
