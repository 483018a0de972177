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

/* The record with which the pods of a PodGroup wait. */
static berth__queued_group *root_of(berth__queue *queue, const berth__queued_group *leaf)
{
    berth__sym name;
    bool composite;
    (void)berth__related_root(queue->view->related, leaf->key.namespace_name, leaf->key.name, &name,
                              &composite);
    return berth__pod_groups_get(&queue->groups, leaf->key.namespace_name, name, composite);
}

/* A pod that comes while its group is being decided waits for the group's next turn. */
void berth__queue_join_group(berth__queue *queue, berth__queue_item *item)
{
    const berth__identity *identity = berth__queue_class(queue, item)->identity;
    berth__queued_group *leaf =
        berth__pod_groups_get(&queue->groups, identity->namespace_name, identity->pod_group, false);
    berth__queued_group *group = root_of(queue, leaf);
    const int32_t state = group->turn.state;
    if (state != BERTH__POD_DECIDING)
        berth__displace(queue, &group->turn);
    berth__queue_note_gates(queue, item);
    berth__queued_group_join(group, leaf, item);
    if (state == BERTH__POD_DECIDING)
        return;
    if (state == BERTH_POD_STATE_GONE)
        renew_turn(queue, group);
    replace(queue, &group->turn, state);
}

static void end_turn(berth__queue *queue, berth__queued_group *group)
{
    group->turn.state = BERTH_POD_STATE_GONE;
    group->turn.preemption = 0; /* entries of its victims then match no preemptor */
    if (group->key.composite)
        berth__pod_groups_drop(&queue->groups, group);
}

void berth__queue_leave_group(berth__queue *queue, berth__queue_item *item)
{
    berth__queued_group *group = item->pod_group;
    const int32_t state = group->turn.state;
    if (state != BERTH__POD_DECIDING)
        berth__displace(queue, &group->turn);
    berth__queued_group_leave(item);
    if (state == BERTH__POD_DECIDING)
        return;
    if (group->count == 0)
        end_turn(queue, group);
    else
        replace(queue, &group->turn, state);
}

/* A pod of a waiting group changed. */
void berth__queue_update_member(berth__queue *queue, berth__queue_item *item, uint32_t profile)
{
    berth__queued_group *group = item->pod_group, *leaf = item->leaf;
    const int32_t state = group->turn.state;
    if (state != BERTH__POD_DECIDING)
        berth__displace(queue, &group->turn);
    berth__queued_group_leave(item);
    item->profile = profile;
    item->priority = berth__pod_at(queue->pods, item->pod)->priority;
    berth__queue_note_gates(queue, item);
    berth__queued_group_join(group, leaf, item);
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

/* A PodGroup has the pods that it needs, or no longer: its tree may be ready now, or not. */
static void note_ready(berth__queue *queue, const berth__queued_group *leaf, bool ready)
{
    berth__sym name;
    bool composite;
    (void)berth__related_root(queue->view->related, leaf->key.namespace_name, leaf->key.name, &name,
                              &composite);
    berth__queued_group *root =
        berth__pod_groups_find(&queue->groups, leaf->key.namespace_name, name, composite);
    if (root == NULL)
        return;
    if (!ready && root->lacking == 0 && root->surplus > 0)
        root->surplus--;
    else if (ready && root->lacking > 1)
        root->lacking--;
    else if (ready == (root->lacking > 0))
        root->counted_at = 0;
    if (ready)
        let_group_in(queue, &root->turn);
}

void berth__queue_know(berth__queue *queue, const berth__identity *identity, int change)
{
    berth__queued_group *group =
        berth__pod_groups_get(&queue->groups, identity->namespace_name, identity->pod_group, false);
    const berth__group_facts *facts = berth__queue_facts(queue, group);
    const uint32_t before = group->known;
    group->known += (uint32_t)change;
    if (facts != NULL &&
        ((int64_t)before >= facts->min_count) != ((int64_t)group->known >= facts->min_count))
        note_ready(queue, group, change > 0);
    if (change < 0)
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
            ((berth__queued_group *)entry)->counted_at = 0;
            berth__pod_groups_drop(&queue->groups, (berth__queued_group *)entry);
        }
    }
}

/* An active group is not gated again by a higher minimum: it is tried. */
static void follow(berth__queue *queue, berth__queued_group *group)
{
    berth__queue_item *turn = &group->turn;
    group->counted_at = 0;
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

/* Move the pods that wait with a group to the roots that they have now. */
static void regroup(berth__queue *queue, const berth__queued_group *group)
{
    berth__queue_item *next, *item = group->first;
    for (; item != NULL; item = next) {
        next = item->list_next; /* the group may be dropped with its last pod */
        if (root_of(queue, item->leaf) == group)
            continue;
        berth__queue_leave_group(queue, item);
        berth__queue_join_group(queue, item);
    }
}

/* Regroup the waiting pods of all PodGroups below a group, which exist although it may not. */
static void regroup_below(berth__queue *queue, berth__sym namespace_name, berth__sym name,
                          bool composite, uint32_t level)
{
    if (!composite) {
        const berth__queued_group *leaf =
            berth__pod_groups_find(&queue->groups, namespace_name, name, false);
        if (leaf != NULL && leaf->waiting > 0 && root_of(queue, leaf) != leaf->root)
            regroup(queue, leaf->root);
        return;
    }
    const berth__related_object *child =
        berth__related_children(queue->view->related, namespace_name, name);
    for (; child != NULL && level < BERTH__GROUP_LEVELS_MAX; child = child->next_sibling)
        regroup_below(queue, namespace_name, child->key.name,
                      child->key.kind == BERTH_KIND_COMPOSITE_POD_GROUP, level + 1);
}

/* The record of the root above a group, or of the group itself if it does not exist; or NULL. */
static berth__queued_group *find_root(const berth__queue *queue, berth__sym namespace_name,
                                      berth__sym name, bool composite)
{
    const berth__related *related = queue->view->related;
    if (!composite)
        (void)berth__related_root(related, namespace_name, name, &name, &composite);
    for (uint32_t level = 2; composite && level < BERTH__GROUP_LEVELS_MAX; level++) {
        const berth__group_facts *facts = berth__related_composite(related, namespace_name, name);
        if (facts == NULL || facts->parent == 0)
            break;
        name = facts->parent;
    }
    return berth__pod_groups_find(&queue->groups, namespace_name, name, composite);
}

void berth__queue_follow_group(berth__queue *queue, berth__sym namespace_name, berth__sym name,
                               bool composite)
{
    if (queue->behaviours->composite_pod_groups) {
        queue->groups.changes++;
        regroup_below(queue, namespace_name, name, composite, 1);
    }
    berth__queued_group *group = find_root(queue, namespace_name, name, composite);
    if (group != NULL && group->count > 0 && group->turn.state != BERTH__POD_DECIDING)
        follow(queue, group);
}

bool berth__queue_has_moved(const berth__queue *queue, const berth__queue_item *item,
                            const berth__identity *identity)
{
    const berth__queued_group *group = item->pod_group;
    berth__sym name;
    bool composite;
    if (group == NULL || identity->pod_group == 0)
        return (group != NULL) != (identity->pod_group != 0);
    (void)berth__related_root(queue->view->related, identity->namespace_name, identity->pod_group,
                              &name, &composite);
    return item->leaf->key.name != identity->pod_group ||
           group->key.namespace_name != identity->namespace_name || group->key.name != name ||
           (group->key.composite != 0) != composite;
}

uint32_t berth__queue_known_below(const berth__queue *queue, berth__sym namespace_name,
                                  berth__sym name, bool composite, uint32_t level)
{
    uint32_t count = 0;
    if (!composite) {
        const berth__queued_group *leaf =
            berth__pod_groups_find(&queue->groups, namespace_name, name, false);
        return leaf != NULL ? leaf->known : 0;
    }
    const berth__related_object *child =
        berth__related_children(queue->view->related, namespace_name, name);
    for (; child != NULL && level < BERTH__GROUP_LEVELS_MAX; child = child->next_sibling)
        count +=
            berth__queue_known_below(queue, namespace_name, child->key.name,
                                     child->key.kind == BERTH_KIND_COMPOSITE_POD_GROUP, level + 1);
    return count;
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
    berth__queued_group_leave(item);
    item->state = BERTH__POD_DECIDING;
}

void berth__queue_stay(berth__queue *queue, berth__queue_item *item)
{
    berth__queued_group *group = item->pod_group, *leaf = item->leaf;
    berth__queued_group_leave(item);
    item->queued_ns = queue->now_ns;
    item->order = ++queue->order;
    berth__queue_note_gates(queue, item);
    berth__queued_group_join(group, leaf, item);
}

void berth__queue_settle(berth__queue *queue, berth__queue_item *turn, berth_verdict verdict)
{
    berth__queued_group *group = turn->pod_group;
    berth__displace(queue, turn);
    if (group->count == 0) {
        end_turn(queue, group);
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
