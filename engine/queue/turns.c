/* Turns of PodGroups: pods join their group and leave it, the group is decided, and it gets another
 * turn. */
#include "base/assert.h"
#include "queue/places.h"

/* Put a turn back after a change: gated if something gates it now; otherwise active if it was
 * active or is new; otherwise into backoff, or active if its backoff is over. */
static void replace(berth__queue *queue, berth__queue_item *turn, int32_t state)
{
    if (berth__queue_is_gated(queue, turn))
        berth__place_gated(queue, turn);
    else if (state == BERTH_POD_STATE_ACTIVE || state == BERTH_POD_STATE_GONE)
        berth__place_active(queue, turn);
    else
        berth__place_tried(queue, turn);
}

/* Begin a new turn when the first pod of a group comes. */
static void renew_turn(berth__queue *queue, berth__queued_group *group)
{
    berth__queue_item *turn = &group->turn;
    const berth__group_facts *facts = berth__queue_facts(queue, group);
    const berth__queue_item *first = group->first;
    *turn = (berth__queue_item){.pod = BERTH_POD_INDEX_NONE,
                                .state = BERTH_POD_STATE_GONE,
                                .priority = facts != NULL ? facts->priority : first->priority,
                                .submitted_ns = first->queued_ns,
                                .queued_ns = first->queued_ns,
                                .order = first->order,
                                .node = BERTH_NODE_NONE,
                                .pod_group = group};
}

/* A pod that comes while its group is being decided waits for the group's next turn. */
void berth__queue_join_group(berth__queue *queue, berth__queue_item *item)
{
    berth__queued_group *group =
        berth__pod_groups_get(&queue->groups, berth__queue_class(queue, item)->identity);
    const int32_t state = group->turn.state;
    if (state != BERTH__POD_DECIDING)
        berth__displace(queue, &group->turn);
    berth__queued_group_join(group, item);
    if (state == BERTH__POD_DECIDING)
        return;
    if (state == BERTH_POD_STATE_GONE)
        renew_turn(queue, group);
    replace(queue, &group->turn, state);
}

static void end_turn(berth__queued_group *group)
{
    group->turn.state = BERTH_POD_STATE_GONE;
    group->turn.preemption = 0; /* entries of its victims then match no preemptor */
}

void berth__queue_leave_group(berth__queue *queue, berth__queue_item *item)
{
    berth__queued_group *group = item->pod_group;
    const int32_t state = group->turn.state;
    if (state != BERTH__POD_DECIDING)
        berth__displace(queue, &group->turn);
    berth__queued_group_leave(group, item);
    if (state == BERTH__POD_DECIDING)
        return;
    if (group->count == 0)
        end_turn(group);
    else
        replace(queue, &group->turn, state);
}

/* A pod of a waiting group changed. */
void berth__queue_update_member(berth__queue *queue, berth__queue_item *item, uint32_t profile)
{
    berth__queued_group *group = item->pod_group;
    const int32_t state = group->turn.state;
    if (state != BERTH__POD_DECIDING)
        berth__displace(queue, &group->turn);
    berth__queued_group_leave(group, item);
    item->profile = profile;
    item->priority = berth__pod_at(queue->pods, item->pod)->priority;
    berth__queued_group_join(group, item);
    if (state != BERTH__POD_DECIDING)
        replace(queue, &group->turn, state);
}

/* Try a group again if nothing gates it any more. */
static void let_group_in(berth__queue *queue, berth__queue_item *turn)
{
    if (turn->state != BERTH_POD_STATE_GATED)
        return;
    if (berth__queue_is_gated(queue, turn)) {
        berth__queue_renew_claim(queue, turn);
        return;
    }
    berth__displace(queue, turn);
    berth__place_tried(queue, turn);
    queue->woken += berth__pods_of(turn);
}

void berth__queue_know(berth__queue *queue, const berth__identity *identity, int change)
{
    berth__queued_group *group = berth__pod_groups_get(&queue->groups, identity);
    group->known += (uint32_t)change;
    if (change > 0)
        let_group_in(queue, &group->turn);
    else
        berth__pod_groups_drop(&queue->groups, group);
}

void berth__queue_count_anew(berth__queue *queue)
{
    queue->groups.counting = true;
    for (uint32_t i = 0; i < queue->groups.by_name.bucket_count; i++) {
        berth__keymap_entry *next, *entry = queue->groups.by_name.buckets[i];
        for (; entry != NULL; entry = next) {
            next = entry->next;
            ((berth__queued_group *)entry)->known = 0;
            berth__pod_groups_drop(&queue->groups, (berth__queued_group *)entry);
        }
    }
}

/* An active group is not gated again by a higher minimum: it is tried. */
static void follow(berth__queue *queue, berth__queued_group *group)
{
    berth__queue_item *turn = &group->turn;
    const berth__group_facts *facts = berth__queue_facts(queue, group);
    if (facts == NULL) {
        berth__displace(queue, turn);
        renew_turn(queue, group);
        replace(queue, turn, BERTH_POD_STATE_GONE);
    } else if (turn->state == BERTH_POD_STATE_ACTIVE) {
        berth__displace(queue, turn);
        turn->priority = facts->priority;
        berth__place_active(queue, turn);
    } else {
        turn->priority = facts->priority;
        let_group_in(queue, turn);
    }
}

void berth__queue_follow_group(berth__queue *queue, const berth__identity *identity)
{
    berth__queued_group *group = berth__pod_groups_find(&queue->groups, identity);
    if (group != NULL && group->count > 0 && group->turn.state != BERTH__POD_DECIDING)
        follow(queue, group);
}

void berth__queue_end_count(berth__queue *queue)
{
    queue->groups.counting = false;
    for (uint32_t i = 0; i < queue->groups.by_name.bucket_count; i++)
        for (berth__keymap_entry *entry = queue->groups.by_name.buckets[i]; entry != NULL;
             entry = entry->next)
            if (((berth__queued_group *)entry)->count > 0)
                follow(queue, (berth__queued_group *)entry);
}

void berth__queue_activate(berth__queue *queue, berth__queue_item *turn)
{
    if (turn->state != BERTH_POD_STATE_BACKOFF && turn->state != BERTH_POD_STATE_GATED)
        return;
    berth__displace(queue, turn);
    replace(queue, turn, BERTH_POD_STATE_ACTIVE);
}

/* ---- one attempt ---- */

void berth__queue_single_out(berth__queue *queue, berth__queue_item *item)
{
    BERTH_ASSERT(queue->deciding == &item->pod_group->turn);
    berth__queued_group_leave(item->pod_group, item);
    item->state = BERTH__POD_DECIDING;
}

void berth__queue_stay(berth__queue *queue, berth__queue_item *item)
{
    berth__queued_group *group = item->pod_group;
    berth__queued_group_leave(group, item);
    item->queued_ns = queue->now_ns;
    item->order = ++queue->order;
    berth__queued_group_join(group, item);
}

void berth__queue_settle(berth__queue *queue, berth__queue_item *turn, berth_verdict verdict)
{
    berth__queued_group *group = turn->pod_group;
    berth__displace(queue, turn);
    if (group->count == 0) {
        end_turn(group);
        return;
    }
    const berth__group_facts *facts = berth__queue_facts(queue, group);
    if (facts != NULL)
        turn->priority = facts->priority;
    if (verdict == BERTH_VERDICT_PLACED) {
        turn->rejections = turn->errors = 0;
        turn->leaving = 0;
        replace(queue, turn, BERTH_POD_STATE_ACTIVE);
        return;
    }
    turn->rejections += verdict == BERTH_VERDICT_UNSCHEDULABLE;
    turn->errors = verdict == BERTH_VERDICT_UNSCHEDULABLE ? 0 : turn->errors + 1;
    turn->queued_ns = queue->now_ns;
    turn->order = ++queue->order;
    group->backoff_size = group->count;
    berth__place_tried(queue, turn);
}
