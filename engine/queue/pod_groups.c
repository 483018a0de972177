/* The queue's PodGroups by name, and the order of the pods that wait with one. */
#include "queue/pod_groups.h"

#include "base/assert.h"

berth_status berth__pod_groups_init(berth__pod_groups *groups, const berth_allocator *allocator)
{
    groups->changes = 1;
    return berth__keymap_init(&groups->by_name, allocator);
}

void berth__pod_groups_destroy(berth__pod_groups *groups, const berth_allocator *allocator)
{
    for (uint32_t i = 0; groups->by_name.buckets != NULL && i < groups->by_name.bucket_count; i++)
        while (groups->by_name.buckets[i] != NULL) {
            berth__keymap_entry *entry = groups->by_name.buckets[i];
            groups->by_name.buckets[i] = entry->next;
            berth__free(allocator, entry, sizeof(berth__queued_group));
        }
    while (groups->spare != NULL) {
        berth__queued_group *group = groups->spare;
        groups->spare = group->next_spare;
        berth__free(allocator, group, sizeof(*group));
    }
    berth__keymap_destroy(&groups->by_name);
}

bool berth__pod_groups_reserve(berth__pod_groups *groups, const berth_allocator *allocator,
                               bool composites)
{
    const uint32_t needed = (groups->pod_groups + 1) * (composites ? 3 : 1);
    while (groups->allocated < needed) {
        berth__queued_group *group =
            berth__alloc_zero(allocator, sizeof(*group), _Alignof(berth__queued_group));
        if (group == NULL)
            return false;
        group->next_spare = groups->spare;
        groups->spare = group;
        groups->allocated++;
    }
    return true;
}

berth__queued_group *berth__pod_groups_find(const berth__pod_groups *groups,
                                            berth__sym namespace_name, berth__sym name,
                                            bool composite)
{
    const uint32_t key[] = {namespace_name, name, composite};
    return (berth__queued_group *)berth__keymap_find(&groups->by_name, key, sizeof(key));
}

berth__queued_group *berth__pod_groups_get(berth__pod_groups *groups, berth__sym namespace_name,
                                           berth__sym name, bool composite)
{
    berth__queued_group *group = berth__pod_groups_find(groups, namespace_name, name, composite);
    if (group != NULL)
        return group;
    group = groups->spare;
    BERTH_ASSERT(group != NULL);
    groups->spare = group->next_spare;
    *group = (berth__queued_group){.key = {namespace_name, name, composite}};
    group->entry.key = &group->key;
    group->entry.key_bytes = sizeof(group->key);
    group->turn = (berth__queue_item){.pod = BERTH_POD_INDEX_NONE,
                                      .state = BERTH_POD_STATE_GONE,
                                      .pod_group = group,
                                      .node = BERTH_NODE_NONE};
    berth__keymap_add(&groups->by_name, &group->entry);
    groups->pod_groups += !composite;
    return group;
}

void berth__pod_groups_drop(berth__pod_groups *groups, berth__queued_group *group)
{
    if (group->count > 0 || group->known > 0 || group->waiting > 0)
        return;
    BERTH_ASSERT(group->turn.state == BERTH_POD_STATE_GONE);
    berth__keymap_remove(&groups->by_name, &group->entry);
    groups->pod_groups -= !group->key.composite;
    group->next_spare = groups->spare;
    groups->spare = group;
}

/* Whether a pod is placed after another one. Pods with equal times are placed in the order in which
 * they came.
 * Source: kube-scheduler v1.37, framework/types.go, PodGroupMemberPodsOrderingFunc. */
static bool comes_after(const berth__queue_item *a, const berth__queue_item *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    if (a->attempts != b->attempts)
        return a->attempts < b->attempts;
    if (a->queued_ns != b->queued_ns)
        return a->queued_ns > b->queued_ns;
    return a->order > b->order;
}

/* Count the waiting pods; false if they are not in order. */
static bool check_group(const berth__queued_group *group, bool counting)
{
    uint32_t count = 0, stopped = 0, claiming = 0;
    for (const berth__queue_item *item = group->first; item != NULL; item = item->list_next) {
        stopped += item->stops;
        claiming += item->claims;
        if (item->pod_group != group || item->state != BERTH__POD_WITH_GROUP ||
            item->leaf->root != group || item->leaf->waiting == 0 ||
            (item->list_next != NULL && comes_after(item, item->list_next)))
            return false;
        count++;
    }
    if (group->key.composite ? count == 0 || group->known > 0 || group->waiting > 0
                             : !counting && (group->waiting > group->known || group->known == 0))
        return false;
    return count == group->count && stopped == group->stopped && claiming == group->claiming &&
           (group->root != NULL) == (group->waiting > 0) &&
           (group->turn.state != BERTH_POD_STATE_GONE) == (count > 0);
}

bool berth__pod_groups_check(const berth__pod_groups *groups, uint64_t *waiting, uint64_t *released)
{
    uint64_t pods = 0, turns = 0, of_leaves = 0;
    *released = 0;
    *waiting = 0;
    for (uint32_t i = 0; i < groups->by_name.bucket_count; i++)
        for (const berth__keymap_entry *entry = groups->by_name.buckets[i]; entry != NULL;
             entry = entry->next) {
            const berth__queued_group *group = (const berth__queued_group *)entry;
            if (!check_group(group, groups->counting))
                return false;
            *waiting += group->count;
            of_leaves += group->waiting;
            *released += group->turn.released;
            turns += group->count > 0 && group->turn.state != BERTH__POD_DECIDING;
            pods += group->turn.state != BERTH__POD_DECIDING ? group->count : 0;
        }
    for (uint32_t state = 0; state < BERTH_POD_STATE_COUNT; state++) {
        pods -= groups->pods_in[state];
        turns -= groups->turns_in[state];
    }
    return pods == 0 && turns == 0 && of_leaves == *waiting;
}

void berth__queued_group_join(berth__queued_group *root, berth__queued_group *leaf,
                              berth__queue_item *item)
{
    berth__queue_item *before = root->last;
    while (before != NULL && !comes_after(item, before))
        before = before->list_previous;
    item->list_previous = before;
    item->list_next = before != NULL ? before->list_next : root->first;
    *(item->list_next != NULL ? &item->list_next->list_previous : &root->last) = item;
    *(before != NULL ? &before->list_next : &root->first) = item;
    item->pod_group = root;
    item->leaf = leaf;
    item->state = BERTH__POD_WITH_GROUP;
    item->due_ns = BERTH_TIME_NEVER;
    root->count++;
    root->stopped += item->stops;
    root->claiming += item->claims;
    leaf->waiting++;
    leaf->root = root;
}

void berth__queued_group_leave(berth__queue_item *item)
{
    berth__queued_group *group = item->pod_group, *leaf = item->leaf;
    BERTH_ASSERT(item->state == BERTH__POD_WITH_GROUP);
    *(item->list_previous != NULL ? &item->list_previous->list_next : &group->first) =
        item->list_next;
    *(item->list_next != NULL ? &item->list_next->list_previous : &group->last) =
        item->list_previous;
    item->pod_group = item->leaf = NULL;
    group->count--;
    group->stopped -= item->stops;
    group->claiming -= item->claims;
    item->stops = item->claims = false;
    if (--leaf->waiting == 0)
        leaf->root = NULL;
}

void berth__pod_groups_count(berth__pod_groups *groups, const berth__queued_group *group, int sign)
{
    if (group->turn.state != BERTH_POD_STATE_GONE && group->turn.state < BERTH_POD_STATE_COUNT) {
        groups->turns_in[group->turn.state] += (uint64_t)(int64_t)sign;
        groups->pods_in[group->turn.state] += (uint64_t)((int64_t)sign * group->count);
    }
}
