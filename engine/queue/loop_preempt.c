/* Carries out preemption for the scheduling loop: evicts the victims and nominates the pod for the
 * node.
 * Source: kube-scheduler v1.32, framework/preemption/preemption.go, prepareCandidate. */
#include "base/error.h"
#include "queue/loop.h"

#define PACE_NS INT64_C(1000000000)
/* About as long as kube-scheduler takes for a preemption. */
#define LEAVE_NS INT64_C(20000000)

/* At most one for each pod on the node. */
static bool reserve_waits(berth_scheduler *scheduler, uint32_t node)
{
    const berth__pods *pods = &scheduler->cluster->pods;
    uint32_t count = 0;
    for (uint32_t pod = berth__cluster_node(scheduler->cluster, node)->first_pod;
         pod != BERTH_POD_INDEX_NONE; pod = berth__pod_at(pods, pod)->next)
        count++;
    return berth__running_evictions_reserve(&scheduler->running, scheduler->allocator, count);
}

/* Allocate everything that the evictions need first, so that no requested eviction fails later. */
static berth_status copy_victims(berth_scheduler *scheduler, const berth__preemption *chosen)
{
    if (!berth__grow(scheduler->allocator, &scheduler->victims, &scheduler->victim_capacity,
                     chosen->victim_count, sizeof(*scheduler->victims)) ||
        !reserve_waits(scheduler, chosen->node))
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

void berth__loop_end_nomination(berth_scheduler *scheduler, uint32_t pod)
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

/* Pods of lower priority that were nominated for the node must find another one. */
static void clear_lower(berth_scheduler *scheduler, uint32_t node, int32_t priority)
{
    const berth__nomination *one = berth__nominations_on(&scheduler->cluster->nominations, node);
    while (one != NULL) {
        uint32_t pod = one->pod;
        bool lower = one->priority < priority;
        one = one->next;
        if (!lower)
            continue;
        berth__loop_end_nomination(scheduler, pod);
        berth__queue_item *item = berth__queue_find(&scheduler->queue, pod);
        if (item != NULL)
            berth__queue_release(&scheduler->queue, item, true);
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
        berth__loop_end_nomination(scheduler, item->pod);
    if (asked) {
        clear_lower(scheduler, node, berth__pod_at(&cluster->pods, item->pod)->priority);
        berth__nominations_take_over(&cluster->nominations, &cluster->pods, item->pod, node);
    } else {
        berth__nominations_set(&cluster->nominations, &cluster->pods, item->pod, node, false);
    }
    scheduler->counters.nominations++;
}

static bool is_among(const berth_pod_id *pods, uint32_t count, berth_pod_id pod)
{
    for (uint32_t i = 0; i < count; i++)
        if (pods[i] == pod)
            return true;
    return false;
}

/* Whether a pod is on a node and will leave it. */
static bool leaves(const berth__pod_record *pod)
{
    return pod->node != BERTH_NODE_NONE && (pod->evicting || pod->cls->deleting);
}

/* Wait until a pod is gone. Reuses the entry of an earlier preemption by the same preemptor, if
 * there is one. */
static void await_end(berth_scheduler *scheduler, berth__queue_item *item, berth_pod_id victim,
                      bool requested)
{
    berth__running_eviction *entry = NULL;
    while ((entry = berth__running_evictions_find(&scheduler->running, victim, entry)) != NULL)
        if (entry->preemptor == item) {
            entry->preemption = item->preemption;
            berth__running_evictions_mark(&scheduler->running, entry, requested);
            return;
        }
    berth__running_evictions_add(&scheduler->running, victim, item, requested);
}

static void begin_pace(berth_scheduler *scheduler)
{
    scheduler->pace_end_ns = berth__queue_term(&scheduler->queue, PACE_NS);
}

/* Wait for all pods of lower priority that must leave the node. `count` of them are victims; the
 * preemptor is gated until their evictions have begun. Memory was reserved. */
static void await_victims(berth_scheduler *scheduler, berth__queue_item *item, uint32_t node,
                          uint32_t count)
{
    const berth__cluster *cluster = scheduler->cluster;
    uint32_t next = berth__cluster_node(cluster, node)->first_pod;
    while (next != BERTH_POD_INDEX_NONE) {
        const berth__pod_record *pod = berth__pod_at(&cluster->pods, next);
        berth_pod_id id = berth__cluster_pod_id(cluster, next);
        next = pod->next;
        if (pod->priority >= item->priority || !leaves(pod) || !(pod->evicting || pod->disrupted))
            continue;
        bool requested = pod->evicting && is_among(scheduler->victims, count, id);
        await_end(scheduler, item, id, requested);
        item->leaving++;
        item->requested += requested;
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
    await_victims(scheduler, item, node, victim_count);
    begin_pace(scheduler);
    out->nominated = node;
    return BERTH_OK;
}

static berth__queue_item *preemptor_of(const berth__running_eviction *one)
{
    berth__queue_item *item = one->preemptor;
    return item->preemption == one->preemption && item->leaving > 0 ? item : NULL;
}

/* A victim is terminating. */
static void begin_leaving(berth_scheduler *scheduler, berth_pod_id victim)
{
    berth__running_eviction *one = NULL;
    while ((one = berth__running_evictions_find(&scheduler->running, victim, one)) != NULL) {
        berth__queue_item *item = preemptor_of(one);
        bool counts = one->requested && item != NULL;
        if (one->requested) {
            begin_pace(scheduler);
            scheduler->leave_end_ns = berth__queue_term(&scheduler->queue, LEAVE_NS);
            scheduler->queue.reviews++;
        }
        berth__running_evictions_mark(&scheduler->running, one, false);
        if (counts && --item->requested == 0 && item->pod != BERTH_POD_INDEX_NONE)
            berth__queue_release(&scheduler->queue, item, false);
    }
}

/* A victim that a group waits for is gone, or stays. If all evictions have begun by then, the group
 * is let in; not earlier, because kube-scheduler notices deletions, not their beginning. */
static void release_group(berth_scheduler *scheduler, berth__queue_item *turn, bool stays)
{
    if (stays || turn->requested == 0)
        berth__queue_release(&scheduler->queue, turn, stays || turn->leaving == 0);
    if (stays) /* otherwise its backoff goes on */
        berth__queue_activate(&scheduler->queue, turn);
}

/* A victim is gone, or stays. If it stays, its preemptors stop waiting for their other victims,
 * too. */
static void end_waits(berth_scheduler *scheduler, berth_pod_id victim, bool stays)
{
    berth__running_eviction one;
    begin_leaving(scheduler, victim);
    while (berth__running_evictions_take(&scheduler->running, victim, &one)) {
        berth__queue_item *item = preemptor_of(&one);
        if (item == NULL)
            continue;
        item->leaving--;
        if (item->pod == BERTH_POD_INDEX_NONE)
            release_group(scheduler, item, stays);
        else if (item->leaving == 0 || stays)
            berth__queue_release(&scheduler->queue, item, true);
    }
}

void berth__loop_victim_leaves(berth_scheduler *scheduler, berth_pod_id victim, bool gone)
{
    if (gone)
        end_waits(scheduler, victim, false);
    else
        begin_leaving(scheduler, victim);
}

void berth__loop_follow_victims(berth_scheduler *scheduler)
{
    const berth__cluster *cluster = scheduler->cluster;
    const berth__running_eviction *one;
    for (uint32_t at = 0;
         (one = berth__running_evictions_next(&scheduler->running, &at)) != NULL;) {
        berth_pod_id victim = one->victim;
        uint32_t index = berth__cluster_pod(cluster, victim);
        if (index == BERTH_POD_INDEX_NONE || !leaves(berth__pod_at(&cluster->pods, index)))
            end_waits(scheduler, victim, index != BERTH_POD_INDEX_NONE);
        else if (berth__pod_at(&cluster->pods, index)->cls->deleting)
            begin_leaving(scheduler, victim);
    }
}

bool berth__loop_waits_in_vain(const berth_scheduler *scheduler, uint32_t *preemptor)
{
    const berth__cluster *cluster = scheduler->cluster;
    const berth__running_eviction *one;
    for (uint32_t at = 0;
         (one = berth__running_evictions_next(&scheduler->running, &at)) != NULL;) {
        uint32_t index = berth__cluster_pod(cluster, one->victim);
        const berth__queue_item *item = preemptor_of(one);
        if (item == NULL ||
            (index != BERTH_POD_INDEX_NONE && leaves(berth__pod_at(&cluster->pods, index))))
            continue;
        *preemptor = item->pod != BERTH_POD_INDEX_NONE ? item->pod : item->pod_group->first->pod;
        return true;
    }
    return false;
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

static bool evicts(const berth_scheduler *scheduler, const berth__preemption *chosen)
{
    if (chosen->outcome != BERTH__PREEMPTION_NOMINATED)
        return false;
    for (uint32_t i = 0; i < chosen->victim_count; i++)
        if (!berth__pod_at(&scheduler->cluster->pods, chosen->victims[i])->evicting)
            return true;
    return false;
}

/* Whether a pod may find room on a node that victims are leaving, or have left to make room for a
 * pod that has not been tried since. */
static bool may_share(const berth_scheduler *scheduler, const berth__queue_item *item)
{
    const berth__cluster *cluster = scheduler->cluster;
    const berth__running_eviction *one;
    const bool leaving = scheduler->queue.now_ns < scheduler->leave_end_ns;
    if (scheduler->queue.released > 0)
        return true;
    for (uint32_t at = 0;
         (one = berth__running_evictions_next(&scheduler->running, &at)) != NULL;) {
        const uint32_t victim = berth__cluster_pod(cluster, one->victim);
        if (!(one->requested || leaving) || victim == BERTH_POD_INDEX_NONE)
            continue;
        const uint32_t id = berth__pod_at(&cluster->pods, victim)->node;
        if (id == BERTH_NODE_NONE)
            continue;
        const berth__node_record *node = berth__cluster_node(cluster, id);
        if (berth__node_present(node) &&
            berth__queue_has_room(&scheduler->queue, item, id, node, false))
            return true;
    }
    return false;
}

/* Whether a pod must wait for evictions that other pods requested. */
static bool must_wait(const berth_scheduler *scheduler, const berth__queue_item *item,
                      const berth__preemption *chosen)
{
    return berth__loop_paces(scheduler) && evicts(scheduler, chosen) && may_share(scheduler, item);
}

berth_status berth__loop_preempt(berth_scheduler *scheduler, berth__queue_item *item,
                                 berth_step *out, bool *waits)
{
    berth__preemption chosen;
    item->leaving = 0;
    item->preemption = ++scheduler->preemption_serial;
    BERTH_TRY(berth__preempt(scheduler->decider, NULL, &chosen));
    *waits = must_wait(scheduler, item, &chosen);
    if (*waits)
        return BERTH_OK;
    if (chosen.outcome == BERTH__PREEMPTION_HOPELESS)
        berth__loop_end_nomination(scheduler, item->pod);
    uint32_t kept = berth__loop_nominated(scheduler, item->pod);
    if (chosen.outcome == BERTH__PREEMPTION_INELIGIBLE && kept != BERTH_NODE_NONE &&
        reserve_waits(scheduler, kept))
        await_victims(scheduler, item, kept, 0);
    return chosen.outcome == BERTH__PREEMPTION_NOMINATED ? carry_out(scheduler, item, &chosen, out)
                                                         : BERTH_OK;
}

/* ---- PodGroups ---- */

/* Nominate the members for the nodes on which they will fit, or end the nominations that the
 * refusal ends. */
static berth_status nominate_members(berth_scheduler *scheduler, const berth__group_cycle *cycle)
{
    berth__cluster *cluster = scheduler->cluster;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const berth__group_member *member = &cycle->members[i];
        const uint32_t node = cycle->preempts ? member->node : BERTH_NODE_NONE;
        const uint32_t kept = berth__loop_nominated(scheduler, member->pod);
        if (node != BERTH_NODE_NONE)
            BERTH_TRY(berth__nominations_reserve(&cluster->nominations, node));
        if (kept != BERTH_NODE_NONE && kept != node &&
            (node != BERTH_NODE_NONE || berth__pod_group_ends_nomination(cycle, member)))
            berth__loop_end_nomination(scheduler, member->pod);
        if (node == BERTH_NODE_NONE)
            continue;
        berth__nominations_set(&cluster->nominations, &cluster->pods, member->pod, node, false);
        scheduler->counters.nominations++;
    }
    return BERTH_OK;
}

static berth_status reserve_evictions(berth_scheduler *scheduler, const berth__group_cycle *cycle)
{
    for (uint32_t i = 0; i < cycle->victim_count; i++)
        BERTH_TRY(berth__cluster_prepare_removal(
            scheduler->cluster, berth__cluster_pod(scheduler->cluster, cycle->victims[i])));
    return berth__running_evictions_reserve(&scheduler->running, scheduler->allocator,
                                            cycle->victim_count)
               ? BERTH_OK
               : BERTH_E_NOMEM;
}

/* Evict the victims, whichever nodes they are on. If an eviction is refused, the remaining victims
 * stay, and the group is tried again after its backoff. */
static void evict_for_group(berth_scheduler *scheduler, berth__queue_item *turn,
                            const berth__group_cycle *cycle, uint32_t *evicted)
{
    const berth__cluster *cluster = scheduler->cluster;
    berth_eviction eviction = {.preemptor = cycle->members[0].id,
                               .pod_group = berth__text(cluster->model, cycle->tree.parts[0].name),
                               .composite = cycle->tree.parts[0].composite};
    for (uint32_t i = 0; i < cycle->victim_count; i++) {
        const uint32_t pod = berth__cluster_pod(cluster, cycle->victims[i]);
        eviction.victim = cycle->victims[i];
        eviction.node = berth__pod_at(&cluster->pods, pod)->node;
        if (!is_asked(scheduler, eviction.victim)) {
            if (!evict(scheduler, &eviction)) {
                berth__loop_report(scheduler, BERTH_TROUBLE_EVICTION, NULL);
                break;
            }
            *evicted += 1;
        }
        if (berth__cluster_pod(cluster, eviction.victim) == BERTH_POD_INDEX_NONE)
            continue; /* it is gone already */
        await_end(scheduler, turn, eviction.victim, true);
        turn->leaving++;
        turn->requested++;
    }
    begin_pace(scheduler);
}

berth_status berth__loop_preempt_group(berth_scheduler *scheduler, berth__queue_item *turn,
                                       const berth__group_cycle *cycle, uint32_t *evicted)
{
    turn->leaving = turn->requested = 0;
    turn->preemption = ++scheduler->preemption_serial;
    BERTH_TRY(reserve_evictions(scheduler, cycle));
    BERTH_TRY(nominate_members(scheduler, cycle));
    if (cycle->preempts && cycle->victim_count > 0)
        evict_for_group(scheduler, turn, cycle, evicted);
    return BERTH_OK;
}
