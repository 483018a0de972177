/* Places the pods of a PodGroup one after the other, and the groups below a composite one.
 * Source: kube-scheduler v1.37, schedule_one_podgroup.go, podGroupSchedulingDefaultAlgorithm,
 * compositePodGroupSchedulingDefaultAlgorithm, completeCompositePodGroupAlgorithmResultMap. */
#include "api/pod_group.h"

#include <inttypes.h>

#include "base/error.h"
#include "base/text.h"
#include "decide/preemption.h"

/* ---- placing the members ---- */

/* Give up, because the minimum can't be reached any more: so many pods, or groups below, have their
 * places, and so many are left. The message begins with the statement that the group is
 * unschedulable only if no pod was tried yet. */
static berth_status too_few(berth__group_cycle *cycle, berth__group_part *part, uint32_t scheduled,
                            uint32_t remaining)
{
    berth__pod_group_refuse(part);
    if (part->composite || remaining < part->count)
        part->message = (berth_str){0};
    return berth__pod_group_say(
        &cycle->arena, &part->message,
        berth__pod_group_words(&cycle->arena,
                               "minCount (%" PRId32 ") cannot be satisfied: %u scheduled, %u "
                               "remaining",
                               part->facts->min_count, (unsigned)scheduled, (unsigned)remaining));
}

static berth__group_part *part_of(const berth__group_cycle *cycle,
                                  const berth__group_member *member)
{
    return &cycle->tree.parts[member->part];
}

/* kube-scheduler takes one snapshot for a group, so images count as they did when the cycle began.
 * A member for which a plugin refuses to reserve is treated like one that fits nowhere. */
static berth_status bind_member(berth__group_cycle *cycle, berth__group_member *member)
{
    berth__cluster *cluster = &cycle->engine->cluster;
    const uint64_t refreshed = berth__cluster_node(cluster, member->node)->refreshed;
    berth_status status = berth__engine_bind(cycle->engine, member->id, member->node, cycle->error);
    if (status == BERTH_OK) {
        berth__cluster_node(cluster, member->node)->refreshed = refreshed;
        part_of(cycle, member)->placed++;
    } else if (status != BERTH_E_NOMEM) {
        member->node = BERTH_NODE_NONE;
        status = BERTH_OK;
    }
    return status;
}

/* Fail with the error of a member's attempt, which is repeated to get the error's text. */
static berth_status fail_of(berth__group_cycle *cycle, const berth__group_member *member,
                            uint32_t start)
{
    berth_engine *engine = cycle->engine;
    berth_placement again;
    berth_decide_options options = {.size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION};
    BERTH_TRY(berth_explanation_create(engine->allocator, &options.explanation, cycle->error));
    berth_status status =
        berth__decide_again(&engine->decider, member->pod, start, &options, &again, cycle->error);
    const berth_str why = berth_explanation_message(options.explanation);
    bool ok = true;
    cycle->failure = berth__arena_str(&cycle->arena, why, &ok);
    if (status == BERTH_OK && !ok)
        status = BERTH_E_NOMEM;
    if (status == BERTH_OK)
        status = berth__pod_group_fail(
            part_of(cycle, member),
            berth__pod_group_words(&cycle->arena,
                                   "failed to schedule other pod from a pod group: %.*s",
                                   (int)why.len, why.data != NULL ? why.data : ""));
    berth_explanation_destroy(options.explanation);
    return status;
}

static berth_status place_member(berth__group_cycle *cycle, berth__group_member *member)
{
    static const berth_decide_options options = {.size = sizeof(options)};
    berth__images *images = &cycle->engine->cluster.view.images;
    const uint64_t image_cycle = images->cycle;
    berth_placement placement;
    BERTH_TRY(
        berth__decide(&cycle->engine->decider, member->pod, &options, &placement, cycle->error));
    images->cycle = image_cycle;
    if (!cycle->refused) {
        member->placement = placement;
        member->tried = true;
    }
    const berth__attempt *attempt = &cycle->engine->decider.attempt;
    if (attempt->decision.prepared != NULL && !berth__attempt_misses_claims(attempt))
        cycle->sees_claims = true;
    if (placement.verdict == BERTH_VERDICT_ERROR)
        return fail_of(cycle, member, placement.start);
    if (placement.verdict != BERTH_VERDICT_PLACED)
        return cycle->refused || cycle->unplaced == NULL
                   ? BERTH_OK
                   : cycle->unplaced(cycle->context, (uint32_t)(member - cycle->members));
    member->node = placement.node;
    member->skipped = berth__decider_skipped(&cycle->engine->decider);
    if (cycle->refused && !cycle->trying)
        BERTH_TRY(berth__pod_group_note_spread(cycle, member));
    return bind_member(cycle, member);
}

static void begin_member(const berth__group_cycle *cycle, berth__group_member *member)
{
    member->node = member->proposed = BERTH_NODE_NONE;
    if (cycle->refused)
        return;
    member->tried = false; /* it may have been placed in another domain */
    member->placement = (berth_placement){.node = BERTH_NODE_NONE};
}

static berth_status try_members(berth__group_cycle *cycle, berth__group_part *part)
{
    for (uint32_t tried = 0; tried <= part->count; tried++) {
        const uint32_t remaining = part->count - tried, scheduled = part->already + part->placed;
        if ((int64_t)scheduled + remaining < part->facts->min_count)
            return too_few(cycle, part, scheduled, remaining);
        if (tried == part->count)
            break;
        BERTH_TRY(place_member(cycle, &cycle->members[part->members[tried]]));
        if (part->verdict == BERTH_VERDICT_ERROR)
            return BERTH_OK;
    }
    return BERTH_OK;
}

/* ---- placing the groups below a composite one ---- */

/* The pods below a group that was not placed leave their nodes again, but keep them in mind. */
static void propose(const berth__group_cycle *cycle, const berth__group_part *part)
{
    for (const berth__group_part *one = part; one < cycle->tree.parts + part->end; one++)
        for (uint32_t i = 0; i < one->count; i++) {
            berth__group_member *member = &cycle->members[one->members[i]];
            if (member->node != BERTH_NODE_NONE)
                member->proposed = member->node;
            member->node = BERTH_NODE_NONE;
        }
}

static berth_status place_child(berth__group_cycle *cycle, berth__group_part *child)
{
    BERTH_TRY(berth__engine_begin(cycle->engine, cycle->error));
    berth_status status = berth__pod_group_place_in_domain(cycle, child);
    const bool placed = status == BERTH_OK && child->verdict == BERTH_VERDICT_PLACED;
    berth__pod_group_end_transaction(cycle->engine, placed);
    if (!placed) {
        propose(cycle, child);
        child->placed = 0;
    }
    return status;
}

static uint32_t count_children(const berth__group_cycle *cycle, const berth__group_part *part)
{
    uint32_t count = 0;
    const uint32_t own = (uint32_t)(part - cycle->tree.parts);
    for (uint32_t i = own + 1; i < part->end; i = cycle->tree.parts[i].end)
        count++;
    return count;
}

static berth_status try_children(berth__group_cycle *cycle, berth__group_part *part)
{
    uint32_t remaining = count_children(cycle, part), scheduled = 0;
    uint32_t at = (uint32_t)(part - cycle->tree.parts) + 1;
    for (;; remaining--) {
        if ((int64_t)scheduled + remaining < part->facts->min_count)
            return too_few(cycle, part, scheduled, remaining);
        if (at == part->end)
            return BERTH_OK;
        berth__group_part *child = &cycle->tree.parts[at];
        BERTH_TRY(place_child(cycle, child));
        if (child->verdict == BERTH_VERDICT_ERROR)
            return berth__pod_group_fail(
                part,
                berth__pod_group_words(
                    &cycle->arena, "composite pod group evaluation failed due to child error: %.*s",
                    (int)child->message.len, child->message.data));
        scheduled += child->verdict == BERTH_VERDICT_PLACED;
        part->placed += child->placed;
        at = child->end;
    }
}

void berth__pod_group_forget_below(berth__group_cycle *cycle, const berth__group_part *part)
{
    for (uint32_t i = (uint32_t)(part - cycle->tree.parts) + 1; i < part->end; i++)
        cycle->tree.parts[i].judged = false;
}

berth_status berth__pod_group_try(berth__group_cycle *cycle, berth__group_part *part)
{
    for (berth__group_part *one = part; one < cycle->tree.parts + part->end; one++) {
        one->judged = false;
        one->placed = 0;
        for (uint32_t i = 0; i < one->count; i++)
            begin_member(cycle, &cycle->members[one->members[i]]);
    }
    part->judged = true;
    part->verdict = BERTH_VERDICT_PLACED;
    part->message = (berth_str){0};
    return part->composite ? try_children(cycle, part) : try_members(cycle, part);
}

/* ---- the whole tree ---- */

/* A group that was not reached, or that was placed below one that was not, fails as that one did:
 * none of its pods counts as tried. */
static void inherit(const berth__group_cycle *cycle, berth__group_part *part)
{
    const berth__group_part *above = &cycle->tree.parts[part->parent];
    part->source = (uint32_t)(part - cycle->tree.parts);
    if (part->judged &&
        !(above->verdict != BERTH_VERDICT_PLACED && part->verdict == BERTH_VERDICT_PLACED))
        return;
    part->source = above->source;
    part->verdict = above->verdict;
    part->message = above->message;
    part->placed = 0;
    for (uint32_t i = 0; i < part->count && !cycle->refused; i++)
        begin_member(cycle, &cycle->members[part->members[i]]);
}

void berth__pod_group_settle(berth__group_cycle *cycle)
{
    const berth__group_part *root = &cycle->tree.parts[0];
    for (uint32_t i = 1; i < cycle->tree.count; i++)
        inherit(cycle, &cycle->tree.parts[i]);
    cycle->verdict = root->verdict;
    cycle->message = root->message;
    cycle->placed = root->placed;
}

berth_status berth__pod_group_place(berth__group_cycle *cycle)
{
    const bool domains = cycle->engine->cluster.model->behaviours.pod_group_placements;
    berth__group_part *root = &cycle->tree.parts[0];
    BERTH_TRY(domains ? berth__pod_group_place_in_domain(cycle, root)
                      : berth__pod_group_try(cycle, root));
    if (root->verdict == BERTH_VERDICT_PLACED && root->placed == 0)
        berth__pod_group_refuse(root); /* enough pods were on nodes before, but no member fits */
    if (root->verdict != BERTH_VERDICT_PLACED)
        propose(cycle, root);
    berth__pod_group_settle(cycle);
    return BERTH_OK;
}
