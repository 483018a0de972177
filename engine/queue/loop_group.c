/* Decides PodGroups for the scheduling loop: a cycle for all waiting pods of a group, then the
 * bindings of those that were placed, or the evictions that may make room for them.
 * Source: kube-scheduler v1.37, schedule_one_podgroup.go. */
#include <string.h>

#include "api/pod_group.h"
#include "base/error.h"
#include "base/sized.h"
#include "explain/explanation.h"
#include "queue/loop.h"
#include "queue/rejectors.h"

typedef struct group_attempt {
    berth_scheduler *scheduler;
    berth__queued_group *group;
    berth__queue_item **items; /* of the members */
    bool *binds;               /* by member: it was placed and is assumed */
    bool placed;               /* the group is placed */
    berth__group_cycle cycle;
} group_attempt;

static berth__queue_item *turn_of(group_attempt *own)
{
    return &own->group->turn;
}

static berth__group_step *step_of(const group_attempt *own, uint32_t i)
{
    return &own->scheduler->group_steps.items[i];
}

/* ---- before ---- */

static berth_status reserve(group_attempt *own)
{
    berth__group_steps *steps = &own->scheduler->group_steps;
    const uint32_t count = own->group->count;
    if (!berth__grow(own->scheduler->allocator, &steps->items, &steps->capacity, count,
                     sizeof(*steps->items)))
        return BERTH_E_NOMEM;
    berth__arena_reset(&steps->arena);
    own->items = berth__arena_alloc(&own->cycle.arena, count * sizeof(berth__queue_item *), 8);
    own->binds = berth__arena_alloc_zero(&own->cycle.arena, count, 1);
    return own->items != NULL && own->binds != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

static const berth_step no_step = {
    .kind = BERTH_STEP_UNSCHEDULABLE,
    .placement = {.verdict = BERTH_VERDICT_UNSCHEDULABLE, .node = BERTH_NODE_NONE},
    .nominated = BERTH_NODE_NONE,
    .of_group = true};

/* List the members, and fill in what is known about their steps. */
static berth_status list_members(group_attempt *own, berth_pod_id **ids)
{
    const berth_scheduler *scheduler = own->scheduler;
    uint32_t i = 0;
    *ids = berth__arena_alloc(&own->cycle.arena, own->group->count * sizeof(**ids), 8);
    if (*ids == NULL)
        return BERTH_E_NOMEM;
    for (berth__queue_item *item = own->group->first; item != NULL; item = item->list_next, i++) {
        own->items[i] = item;
        (*ids)[i] = berth__cluster_pod_id(scheduler->cluster, item->pod);
        *step_of(own, i) = (berth__group_step){.step = no_step};
        step_of(own, i)->step.pod = (*ids)[i];
        step_of(own, i)->step.attempt = item->attempts;
        step_of(own, i)->step.waited_ns = scheduler->queue.now_ns - item->submitted_ns;
        item->rejectors = 0;
    }
    return BERTH_OK;
}

/* ---- during the cycle ---- */

static berth_status keep_message(group_attempt *own, uint32_t i, berth_str text)
{
    bool ok = true;
    step_of(own, i)->message = berth__arena_str(&own->scheduler->group_steps.arena, text, &ok);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

/* A member fits nowhere: note which filters rejected it, and why. Only the group may preempt. */
static berth_status note_unplaced(void *context, uint32_t i)
{
    group_attempt *own = context;
    berth_scheduler *scheduler = own->scheduler;
    berth__queue_item *item = own->items[i];
    const berth_placement *placement = &own->cycle.members[i].placement;
    if (placement->verdict != BERTH_VERDICT_UNSCHEDULABLE)
        return BERTH_OK;
    item->rejectors = berth__rejectors(scheduler->decider);
    berth__loop_note_rejectors(scheduler, item->rejectors);
    if (scheduler->explanation == NULL)
        return BERTH_OK;
    BERTH_TRY(berth__loop_explain(scheduler, item->pod, placement->start, false, own->cycle.error));
    return keep_message(own, i, berth_explanation_message(scheduler->explanation));
}

/* ---- a group that was placed ---- */

/* Take placed members off their nodes again. Nothing has been published since, so this needs no
 * memory. */
static void take_off(const group_attempt *own, uint32_t count)
{
    for (uint32_t i = count; i-- > 0;)
        if (own->binds[i]) {
            berth_status status =
                berth__decider_unbind(own->scheduler->decider, own->items[i]->pod);
            BERTH_ASSERT(status == BERTH_OK);
        }
}

/* Put all placed members on their nodes before any binding is requested. If a plugin that reserved
 * for a member in the cycle refuses now, only this member is rejected. */
static berth_status put_on_nodes(const group_attempt *own)
{
    for (uint32_t i = 0; i < own->cycle.count; i++) {
        const berth__group_member *member = &own->cycle.members[i];
        if (member->node == BERTH_NODE_NONE)
            continue;
        berth_status status =
            berth__decider_bind(own->scheduler->decider, member->pod, member->node);
        if (status == BERTH_E_NOMEM) {
            take_off(own, i);
            return status;
        }
        own->binds[i] = status == BERTH_OK;
    }
    return BERTH_OK;
}

static void assume(const group_attempt *own, uint32_t i, uint32_t kept)
{
    berth_scheduler *scheduler = own->scheduler;
    berth_step *step = &step_of(own, i)->step;
    step->placement = own->cycle.members[i].placement;
    berth__queue_single_out(&scheduler->queue, own->items[i]);
    berth__loop_assumed(scheduler, own->items[i], own->cycle.members[i].node, kept, step);
    scheduler->counters.decisions++;
}

static berth_status place(group_attempt *own)
{
    berth_scheduler *scheduler = own->scheduler;
    const uint32_t count = own->cycle.count;
    uint32_t *kept = berth__arena_alloc(&own->cycle.arena, count * sizeof(*kept), 8);
    if (kept == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = berth__loop_nominated(scheduler, own->items[i]->pod);
    BERTH_TRY(put_on_nodes(own));
    for (uint32_t i = 0; i < count; i++)
        if (own->binds[i])
            assume(own, i, kept[i]);
    own->placed = true;
    for (uint32_t i = 0; i < count; i++)
        if (own->binds[i])
            step_of(own, i)->step.kind = berth__loop_have_bound(scheduler, own->items[i]);
        else if (kept[i] != BERTH_NODE_NONE &&
                 berth__pod_group_ends_nomination(&own->cycle, &own->cycle.members[i]))
            berth__loop_end_nomination(scheduler, own->items[i]->pod);
    return BERTH_OK;
}

/* ---- members that stay ---- */

static bool failed(const group_attempt *own, uint32_t i)
{
    return own->cycle.verdict == BERTH_VERDICT_ERROR ||
           (own->placed && own->cycle.members[i].node != BERTH_NODE_NONE);
}

/* The message for a member that has none of its own: that of its group.
 * Source: kube-scheduler v1.37, submitPodGroupAlgorithmResult. */
static berth_status keep_words_of_group(group_attempt *own, uint32_t i)
{
    static const berth_str prefix = {"pod group is unschedulable, ", 28};
    berth__group_cycle *cycle = &own->cycle;
    const berth__group_member *member = &cycle->members[i];
    if (cycle->verdict == BERTH_VERDICT_ERROR)
        return keep_message(own, i,
                            member->tried && member->placement.verdict == BERTH_VERDICT_ERROR
                                ? cycle->failure
                                : cycle->message);
    const berth__group_part *group = berth__pod_group_outcome(cycle, member->part);
    const bool refused = group->verdict == BERTH_VERDICT_UNSCHEDULABLE;
    if (refused && !member->tried)
        return keep_message(own, i, group->message);
    const berth_str words = berth__pod_group_message(cycle, member->part);
    if (!refused || cycle->preempts)
        return keep_message(own, i, words);
    char *text = berth__arena_alloc(&cycle->arena, (size_t)prefix.len + words.len, 1);
    if (text == NULL)
        return BERTH_E_NOMEM;
    memcpy(text, prefix.data, prefix.len);
    if (words.len > 0)
        memcpy(text + prefix.len, words.data, words.len);
    return keep_message(own, i, (berth_str){text, prefix.len + words.len});
}

static berth_status stay(group_attempt *own, uint32_t i)
{
    berth_scheduler *scheduler = own->scheduler;
    const berth__group_member *member = &own->cycle.members[i];
    berth_step *step = &step_of(own, i)->step;
    const bool error = failed(own, i);
    step->kind = error ? BERTH_STEP_ERROR : BERTH_STEP_UNSCHEDULABLE;
    step->placement = member->placement;
    step->placement.node = BERTH_NODE_NONE;
    step->placement.verdict = error ? BERTH_VERDICT_ERROR : BERTH_VERDICT_UNSCHEDULABLE;
    scheduler->counters.decisions++;
    *(error ? &scheduler->counters.errors : &scheduler->counters.unplaced) += 1;
    berth__queue_stay(&scheduler->queue, own->items[i]);
    return own->cycle.verdict == BERTH_VERDICT_ERROR || step_of(own, i)->message.len == 0
               ? keep_words_of_group(own, i)
               : BERTH_OK;
}

/* A message is left out if there is no memory for it. */
static void let_stay(group_attempt *own)
{
    for (uint32_t i = 0; i < own->cycle.count; i++)
        if (!own->binds[i])
            (void)stay(own, i);
}

/* ---- the attempt ---- */

static uint32_t count_bound(const group_attempt *own)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < own->cycle.count; i++)
        count += own->binds[i];
    return count;
}

/* The same of one PodGroup; its members are unknown if the engine refused the attempt. */
static uint32_t count_bound_of(const group_attempt *own, const berth__group_part *part)
{
    uint32_t count = 0;
    for (uint32_t i = 0; part->members != NULL && i < part->count; i++)
        count += own->binds[part->members[i]];
    return count;
}

static void tell(const group_attempt *own, const berth_pod_group_attempt *attempt)
{
    berth_scheduler *scheduler = own->scheduler;
    berth__loop_call_begin(scheduler);
    scheduler->pod_group(scheduler->callbacks.context, attempt);
    berth__loop_call_end(scheduler);
}

/* Tell of a PodGroup below the group whose attempt it was. */
static void tell_of_part(group_attempt *own, berth_pod_group_attempt attempt, uint32_t part)
{
    berth__group_cycle *cycle = &own->cycle;
    const berth__group_part *group = &cycle->tree.parts[part];
    attempt.name = berth__text(own->scheduler->cluster->model, group->name);
    attempt.placed = count_bound_of(own, group);
    attempt.waiting = group->count - attempt.placed;
    attempt.victim_count = 0;
    attempt.composite = false;
    attempt.below = true;
    if (cycle->verdict != BERTH_VERDICT_ERROR)
        attempt.verdict = berth__pod_group_outcome(cycle, part)->verdict;
    if (attempt.verdict != BERTH_VERDICT_PLACED)
        attempt.message = berth__pod_group_message(cycle, part);
    tell(own, &attempt);
}

/* Tell of the parts first. If the engine refused the attempt, they may be unknown. */
static void tell_of_all(group_attempt *own)
{
    const berth__model *model = own->scheduler->cluster->model;
    const berth__group_cycle *cycle = &own->cycle;
    if (own->scheduler->pod_group == NULL)
        return;
    const berth_pod_group_attempt attempt = {.namespace_name =
                                                 berth__text(model, own->group->key.namespace_name),
                                             .name = berth__text(model, own->group->key.name),
                                             .message = cycle->message,
                                             .pod = step_of(own, 0)->step.pod,
                                             .verdict = cycle->verdict,
                                             .preempts = cycle->preempts,
                                             .placed = count_bound(own),
                                             .victim_count = step_of(own, 0)->step.victim_count,
                                             .waiting = own->group->count,
                                             .composite = own->group->key.composite};
    for (uint32_t part = 1; part < cycle->tree.count; part++)
        if (!cycle->tree.parts[part].composite)
            tell_of_part(own, attempt, part);
    tell(own, &attempt);
}

/* An error in preemption does not change how the group is queued again. */
static berth_verdict queued_verdict(const group_attempt *own)
{
    return own->cycle.refused ? BERTH_VERDICT_UNSCHEDULABLE : own->cycle.verdict;
}

/* If the engine's call refuses these pods, the attempt fails with the call's message. */
static berth_status run(group_attempt *own, const berth_pod_id *ids)
{
    berth_error error = {.code = BERTH_OK};
    own->cycle.error = &error;
    berth_status status = berth__pod_group_run(&own->cycle, ids);
    if (status == BERTH_OK || status == BERTH_E_NOMEM)
        return status;
    bool ok = true;
    own->cycle.verdict = BERTH_VERDICT_ERROR;
    own->cycle.message = berth__arena_str(
        &own->cycle.arena, (berth_str){error.message, (uint32_t)strlen(error.message)}, &ok);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status attempt(group_attempt *own)
{
    berth_scheduler *scheduler = own->scheduler;
    berth_pod_id *ids;
    uint32_t victims = 0;
    BERTH_TRY(reserve(own));
    BERTH_TRY(list_members(own, &ids));
    BERTH_TRY(run(own, ids));
    if (own->cycle.verdict == BERTH_VERDICT_PLACED)
        BERTH_TRY(place(own));
    else
        BERTH_TRY(berth__loop_preempt_group(scheduler, turn_of(own), &own->cycle, &victims));
    let_stay(own);
    for (uint32_t i = 0; i < own->cycle.count; i++)
        if (!own->binds[i])
            step_of(own, i)->step.nominated =
                own->cycle.preempts ? own->cycle.members[i].node : BERTH_NODE_NONE;
    step_of(own, 0)->step.victim_count = victims;
    tell_of_all(own);
    berth__queue_settle(&scheduler->queue, turn_of(own), queued_verdict(own));
    scheduler->group_steps.count = own->cycle.count;
    scheduler->group_steps.next = 0;
    return BERTH_OK;
}

static uint32_t known_below(const berth_scheduler *scheduler, const berth__queued_group *group)
{
    return berth__queue_known_below(&scheduler->queue, group->key.namespace_name, group->key.name,
                                    group->key.composite, 1);
}

berth_status berth__loop_decide_group(berth_scheduler *scheduler, berth__queue_item *turn,
                                      berth_error *error)
{
    group_attempt own = {.scheduler = scheduler, .group = turn->pod_group};
    const berth__progress before = berth__decider_progress(scheduler->decider);
    own.cycle = (berth__group_cycle){.engine = scheduler->engine,
                                     .count = turn->pod_group->count,
                                     .first = known_below(scheduler, turn->pod_group) ==
                                              turn->pod_group->count,
                                     .unplaced = note_unplaced,
                                     .context = &own};
    berth__arena_init(&own.cycle.arena, scheduler->allocator);
    berth_status status = attempt(&own);
    berth__arena_destroy(&own.cycle.arena);
    if (status == BERTH_OK)
        return BERTH_OK;
    berth__decider_set_progress(scheduler->decider, &before);
    berth__queue_put_back(&scheduler->queue, turn);
    return berth__error_set(error, status, "out of memory");
}

bool berth__loop_next_of_group(berth_scheduler *scheduler, berth_step *out)
{
    berth__group_steps *steps = &scheduler->group_steps;
    if (steps->next == steps->count)
        return false;
    const berth__group_step *next = &steps->items[steps->next++];
    *out = next->step;
    if (scheduler->explanation != NULL && next->message.len > 0) {
        bool ok = true;
        berth__explanation_reset(scheduler->explanation);
        scheduler->explanation->message =
            berth__arena_str(&scheduler->explanation->arena, next->message, &ok);
    }
    return true;
}
