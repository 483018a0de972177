/* What changes do to waiting pods: they are updated, woken and released. */
#include <string.h>

#include "queue/places.h"

/* ---- changes ---- */

void berth__queue_update(berth__queue *queue, berth__queue_item *item, uint32_t profile)
{
    int32_t state = item->state;
    if (state == BERTH__POD_WITH_GROUP) {
        berth__queue_update_member(queue, item, profile);
        return;
    }
    if (state == BERTH_POD_STATE_ASSUMED || state == BERTH__POD_DECIDING) {
        item->priority = berth__pod_at(queue->pods, item->pod)->priority;
        item->profile = profile;
        item->helped = ~(berth__stage_set)0;
        return;
    }
    berth__displace(queue, item);
    if (profile != item->profile || item->requested > 0)
        item->rejectors = 0; /* other filters apply now; or it must be tried once released */
    item->profile = profile;
    item->priority = berth__pod_at(queue->pods, item->pod)->priority;
    queue->woken += state == BERTH_POD_STATE_UNSCHEDULABLE;
    if (berth__queue_is_gated(queue, item))
        berth__place_gated(queue, item);
    else if (state == BERTH_POD_STATE_ACTIVE)
        berth__place_active(queue, item);
    else
        berth__place_tried(queue, item);
}

void berth__queue_wake_item(berth__queue *queue, berth__queue_item *item)
{
    if (item->state == BERTH__POD_DECIDING)
        item->helped = ~(berth__stage_set)0;
    if (item->state != BERTH_POD_STATE_UNSCHEDULABLE)
        return;
    berth__displace(queue, item);
    berth__place_tried(queue, item);
    queue->woken++;
}

/* Others wait until the pod is tried; but not for the end of its backoff. */
static void mark_released(berth__queue *queue, berth__queue_item *item)
{
    if (item->released ||
        (item->state != BERTH_POD_STATE_ACTIVE &&
         !(item->state == BERTH_POD_STATE_BACKOFF && queue->behaviours->backoff_pops_early)))
        return;
    item->released = true;
    queue->released++;
}

void berth__queue_release(berth__queue *queue, berth__queue_item *item, bool retry)
{
    item->requested = 0;
    if (retry)
        item->leaving = 0;
    if (retry && item->state == BERTH_POD_STATE_UNSCHEDULABLE)
        berth__queue_wake_item(queue, item);
    if (item->state == BERTH_POD_STATE_GATED && !berth__queue_is_gated(queue, item)) {
        berth__displace(queue, item);
        if (!retry && item->rejectors != 0 && !item->stirred) {
            berth__place_in_pool(queue, item);
            return;
        }
        berth__place_tried(queue, item);
        queue->woken += berth__pods_of(item);
    }
    if (retry)
        mark_released(queue, item);
}

static berth__stage_set all_stages(const berth__ready_profile *profile)
{
    return ((UINT64_C(1) << profile->filter_stages) - 1) | (UINT64_C(1) << BERTH__STAGE_NO_NODES) |
           (UINT64_C(1) << BERTH__STAGE_EXTENDERS);
}

/* A claim of devices has changed: admit the pods that only this claim kept out. Pods that miss
 * another claim wait for that one. */
static void let_in(berth__queue *queue, const berth__wake *wake)
{
    uint64_t claim = berth__claim_waiters_hash(berth__wake_namespace(wake), wake->name);
    berth__queue_item *next, *item = berth__claim_waiters_first(&queue->waiters, claim);
    for (; item != NULL; item = next) {
        next = item->group_next;
        if (item->missing_claim != claim)
            continue;
        if (berth__queue_is_gated(queue, item)) {
            berth__queue_renew_claim(queue, item);
            continue;
        }
        berth__displace(queue, item);
        berth__place_tried(queue, item);
        queue->woken += berth__pods_of(item);
    }
}

static bool is_rejected_for_resources(const berth__queue *queue, const berth__queue_item *item)
{
    const berth__ready_profile *profile = &queue->profiles[item->profile];
    for (berth__stage_set left = item->rejectors; left != 0; left &= left - 1) {
        uint32_t stage = (uint32_t)__builtin_ctzll(left);
        if (stage < profile->filter_stages &&
            strcmp(profile->filters[stage].plugin->name, "NodeResourcesFit") == 0)
            return true;
    }
    return false;
}

bool berth__queue_has_room(const berth__queue *queue, const berth__queue_item *item, uint32_t id,
                           const berth__node_record *node, bool lower_stay)
{
    const berth__request *request = berth__queue_class(queue, item)->request;
    uint64_t used[BERTH__SCALARS] = {0}; /* as in Go, sums wrap */
    bool named;
    for (const berth__nomination *one = berth__nominations_on(queue->nominations, id); one != NULL;
         one = one->next)
        for (uint32_t r = 0; r < BERTH__SCALARS; r++)
            if (one->pod != item->pod && one->priority >= item->priority)
                used[r] += (uint64_t)one->cls->request->use[r];
    for (uint32_t i = node->first_pod; i != BERTH_POD_INDEX_NONE;
         i = berth__pod_at(queue->pods, i)->next)
        for (uint32_t r = 0; r < BERTH__SCALARS; r++)
            if (lower_stay || berth__pod_at(queue->pods, i)->priority >= item->priority)
                used[r] += (uint64_t)berth__pod_at(queue->pods, i)->cls->request->use[r];
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        if (request->ask[r] > 0 &&
            request->ask[r] >
                (int64_t)((uint64_t)berth__node_allocatable(node->facts, r, &named) - used[r]))
            return false;
    return true;
}

/* Whether a node has no room for a pod because it is kept for others of no lower priority. */
static bool is_kept_for_others(const berth__queue *queue, const berth__wake *wake,
                               const berth__queue_item *item)
{
    return berth__nominations_on(queue->nominations, wake->node_id) != NULL &&
           is_rejected_for_resources(queue, item) &&
           !berth__queue_has_room(queue, item, wake->node_id, wake->node, true);
}

static void wake_for(berth__queue *queue, berth__queue_item *item, uint32_t bits)
{
    berth__queue_wake_item(queue, item);
    if ((bits & BERTH_WAKE_POD_REMOVE) == 0)
        return;
    queue->freed_active += item->state == BERTH_POD_STATE_ACTIVE;
    queue->freed_backoff += item->state == BERTH_POD_STATE_BACKOFF;
}

/* Pods that are gated until their evictions have begun will then be tried, as if woken. */
static void stir(berth__queue *queue, berth__queue_item *item)
{
    berth__displace(queue, item);
    item->stirred = true;
    berth__place_gated(queue, item);
}

/* A pod that waits for its victims may not preempt. So it is not woken for room that is kept for
 * nominated pods; it is woken when such a nomination ends. The group is freed with its last pod. */
static void wake_group(berth__queue *queue, const berth__wake *wake, berth__waiting_group *group)
{
    bool stays = false;
    berth__queue_item *next;
    for (berth__queue_item *item = group->first; item != NULL; item = next) {
        next = item->group_next;
        if (item->leaving > 0 && is_kept_for_others(queue, wake, item))
            stays = true;
        else if (item->state == BERTH_POD_STATE_GATED)
            stir(queue, item);
        else
            wake_for(queue, item, wake->bits);
    }
    if (stays)
        group->woken = false;
}

static void wake_pool(berth__queue *queue, berth__waiting_pool *pool, berth__wake *wake)
{
    berth__waiting_group *next, *group = berth__waiting_pool_find(pool, wake);
    for (; group != NULL; group = next) {
        next = group->next_woken;
        wake_group(queue, wake, group);
    }
}

void berth__queue_wake(berth__queue *queue, berth__wake *wake)
{
    if (wake->bits == 0)
        return;
    if ((wake->bits & BERTH_WAKE_RESOURCE_CLAIM) != 0)
        let_in(queue, wake);
    if (queue->deciding != NULL && !berth__is_turn(queue->deciding)) {
        berth__queue_item *item = queue->deciding;
        const berth__ready_profile *profile = &queue->profiles[item->profile];
        item->helped |= berth__wake_stages(wake, profile, all_stages(profile) & ~item->helped,
                                           berth__queue_class(queue, item), item->priority);
    }
    wake_pool(queue, &queue->preempting, wake);
    wake_pool(queue, &queue->pool, wake);
}
