/* The scheduling queue: its orders and its life, pods that come and go, time, attempts. */
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "queue/places.h"

/* ---- orders ---- */

/* Source: kube-scheduler v1.32, plugins/queuesort/priority_sort.go. Pods with equal times are taken
 * in the order in which they were put back. */
static bool goes_first(const berth__queue_item *a, const berth__queue_item *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->queued_ns != b->queued_ns)
        return a->queued_ns < b->queued_ns;
    return a->order < b->order;
}

static bool ends_first(const berth__queue_item *a, const berth__queue_item *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->order < b->order;
}

/* With whole seconds, many backoffs end at the same time; such pods keep the order of taking. */
static bool ends_first_or_goes_first(const berth__queue_item *a, const berth__queue_item *b)
{
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : goes_first(a, b);
}

/* ---- life ---- */

berth_status berth__queue_init(berth__queue *queue, const berth_allocator *allocator,
                               const berth__pods *pods, const berth__view *view,
                               const berth__ready_profile *profiles, uint32_t profile_count,
                               const berth__queue_times *times)
{
    *queue = (berth__queue){.allocator = allocator,
                            .pods = pods,
                            .view = view,
                            .profiles = profiles,
                            .behaviours = profiles[0].behaviours,
                            .times = *times,
                            .now_ns = INT64_MIN};
    berth__item_heap_init(&queue->active, allocator, goes_first);
    berth__item_heap_init(&queue->backoff, allocator,
                          queue->behaviours->backoff_in_seconds ? ends_first_or_goes_first
                                                                : ends_first);
    berth__item_heap_init(&queue->backoff_of_errors, allocator, ends_first);
    BERTH_TRY(berth__pod_groups_init(&queue->groups, allocator));
    BERTH_TRY(berth__waiting_pool_init(&queue->preempting, allocator, profiles, profile_count));
    return berth__waiting_pool_init(&queue->pool, allocator, profiles, profile_count);
}

void berth__queue_destroy(berth__queue *queue)
{
    if (queue->allocator == NULL)
        return;
    berth__waiting_pool_destroy(&queue->pool);
    berth__waiting_pool_destroy(&queue->preempting);
    berth__pod_groups_destroy(&queue->groups, queue->allocator);
    berth__claim_waiters_destroy(&queue->waiters, queue->allocator);
    for (uint32_t i = 0; i < queue->by_pod_capacity; i++)
        berth__free(queue->allocator, queue->by_pod[i], sizeof(berth__queue_item));
    while (queue->spare != NULL) {
        berth__queue_item *item = queue->spare;
        queue->spare = item->list_next;
        berth__free(queue->allocator, item, sizeof(*item));
    }
    berth__free(queue->allocator, queue->by_pod, queue->by_pod_capacity * sizeof(*queue->by_pod));
    berth__item_heap_destroy(&queue->active);
    berth__item_heap_destroy(&queue->backoff);
    berth__item_heap_destroy(&queue->backoff_of_errors);
    *queue = (berth__queue){0};
}

static bool grow_by_pod(berth__queue *queue, uint32_t pod_bound)
{
    uint32_t before = queue->by_pod_capacity;
    if (!berth__grow(queue->allocator, &queue->by_pod, &queue->by_pod_capacity, pod_bound,
                     sizeof(*queue->by_pod)))
        return false;
    if (queue->by_pod_capacity > before)
        memset(queue->by_pod + before, 0,
               (queue->by_pod_capacity - before) * sizeof(*queue->by_pod));
    return true;
}

berth_status berth__queue_reserve(berth__queue *queue, uint32_t pod_bound)
{
    uint32_t count = (uint32_t)queue->item_count + 1;
    if ((queue->behaviours->pod_groups &&
         !berth__pod_groups_reserve(&queue->groups, queue->allocator,
                                    queue->behaviours->composite_pod_groups)) ||
        !grow_by_pod(queue, pod_bound) || !berth__item_heap_reserve(&queue->active, count) ||
        !berth__item_heap_reserve(&queue->backoff, count) ||
        !berth__item_heap_reserve(&queue->backoff_of_errors, count) ||
        !berth__claim_waiters_reserve(&queue->waiters, queue->allocator, count))
        return BERTH_E_NOMEM;
    if (queue->spare != NULL)
        return BERTH_OK;
    berth__queue_item *item =
        berth__alloc(queue->allocator, sizeof(*item), _Alignof(berth__queue_item));
    if (item == NULL)
        return BERTH_E_NOMEM;
    item->list_next = NULL;
    queue->spare = item;
    return BERTH_OK;
}

/* ---- adding and removing ---- */

void berth__queue_submit(berth__queue *queue, uint32_t pod, uint32_t profile)
{
    berth__queue_item *item = queue->spare;
    BERTH_ASSERT(item != NULL && pod < queue->by_pod_capacity && queue->by_pod[pod] == NULL);
    queue->spare = item->list_next;
    *item = (berth__queue_item){.pod = pod,
                                .generation = berth__pod_at(queue->pods, pod)->generation,
                                .profile = profile,
                                .priority = berth__pod_at(queue->pods, pod)->priority,
                                .submitted_ns = queue->now_ns,
                                .queued_ns = queue->now_ns,
                                .order = ++queue->order,
                                .node = BERTH_NODE_NONE};
    queue->by_pod[pod] = item;
    queue->item_count++;
    if (berth__queue_has_group(queue, item))
        berth__queue_join_group(queue, item);
    else if (berth__queue_is_gated(queue, item))
        berth__place_gated(queue, item);
    else
        berth__place_active(queue, item);
}

void berth__queue_remove(berth__queue *queue, berth__queue_item *item)
{
    if (item->state == BERTH__POD_WITH_GROUP)
        berth__queue_leave_group(queue, item);
    else
        berth__displace(queue, item);
    queue->by_pod[item->pod] = NULL;
    queue->item_count--;
    item->preemption = 0; /* entries of its victims then match no preemptor */
    item->list_next = queue->spare;
    queue->spare = item;
}

/* ---- time ---- */

static void end_backoffs(berth__queue *queue, berth__item_heap *heap)
{
    berth__queue_item *item;
    while ((item = berth__item_heap_first(heap)) != NULL && item->due_ns <= queue->now_ns) {
        berth__displace(queue, item);
        berth__place_active(queue, item);
        queue->backoff_ended += berth__pods_of(item);
    }
}

void berth__queue_advance(berth__queue *queue, int64_t now_ns)
{
    berth__queue_item *item;
    if (now_ns > queue->now_ns)
        queue->now_ns = now_ns;
    end_backoffs(queue, &queue->backoff);
    end_backoffs(queue, &queue->backoff_of_errors);
    while ((item = queue->pool.by_flush.first) != NULL && item->due_ns <= queue->now_ns) {
        berth__displace(queue, item);
        berth__place_tried(queue, item);
        item->flushed = item->state != BERTH_POD_STATE_GATED;
        queue->flushed++;
    }
}

int64_t berth__queue_next(const berth__queue *queue)
{
    if (queue->active.count > 0 ||
        (queue->behaviours->backoff_pops_early && queue->backoff.count > 0))
        return queue->now_ns;
    const berth__queue_item *candidates[] = {berth__item_heap_first(&queue->backoff),
                                             berth__item_heap_first(&queue->backoff_of_errors),
                                             queue->pool.by_flush.first, queue->assumed.first};
    int64_t next_ns = BERTH_TIME_NEVER;
    for (uint32_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
        if (candidates[i] != NULL && candidates[i]->due_ns < next_ns)
            next_ns = candidates[i]->due_ns;
    return next_ns;
}

/* ---- one attempt ---- */

/* For a group's turn, of all its pods. */
static void count_attempt(berth__queue_item *item, int change)
{
    item->attempts += (uint32_t)change;
    if (berth__is_turn(item))
        for (berth__queue_item *pod = item->pod_group->first; pod != NULL; pod = pod->list_next)
            pod->attempts += (uint32_t)change;
}

berth__queue_item *berth__queue_take(berth__queue *queue)
{
    berth__queue_item *item = berth__item_heap_first(&queue->active);
    BERTH_ASSERT(queue->deciding == NULL);
    if (item == NULL && queue->behaviours->backoff_pops_early) {
        item = berth__item_heap_first(&queue->backoff);
        queue->popped_early += item != NULL ? berth__pods_of(item) : 0;
    }
    if (item == NULL)
        return NULL;
    berth__displace(queue, item);
    item->state = BERTH__POD_DECIDING;
    count_attempt(item, 1);
    item->helped = 0;
    queue->deciding = item;
    return item;
}

/* A failed attempt begins a new wait. */
static void queue_anew(berth__queue *queue, berth__queue_item *item)
{
    berth__displace(queue, item);
    item->queued_ns = queue->now_ns;
    item->order = ++queue->order;
    item->priority = berth__pod_at(queue->pods, item->pod)->priority;
    item->binding = 0;
    item->node = BERTH_NODE_NONE;
    item->flushed = false;
}

void berth__queue_reject(berth__queue *queue, berth__queue_item *item, berth__stage_set rejectors)
{
    queue_anew(queue, item);
    item->rejectors = rejectors;
    item->rejections += rejectors != 0;
    item->errors = rejectors != 0 ? 0 : item->errors + 1;
    item->stirred = (rejectors & item->helped) != 0;
    if (berth__queue_has_group(queue, item))
        berth__queue_join_group(queue, item);
    else if (berth__queue_has_gates(queue, item) || item->requested > 0)
        berth__place_gated(queue, item);
    else if (rejectors == 0 || item->stirred)
        berth__place_tried(queue, item);
    else
        berth__place_in_pool(queue, item);
}

void berth__queue_retry(berth__queue *queue, berth__queue_item *item)
{
    berth__queue_reject(queue, item, 0);
}

void berth__queue_put_back(berth__queue *queue, berth__queue_item *item)
{
    berth__displace(queue, item);
    count_attempt(item, -1);
    berth__place_active(queue, item);
}

void berth__queue_defer(berth__queue *queue, berth__queue_item *item)
{
    berth__displace(queue, item);
    item->attempts--;
    item->queued_ns = queue->now_ns; /* queued behind the pods that it waits for */
    item->order = ++queue->order;
    item->state = BERTH_POD_STATE_ACTIVE;
    item->deferred = true;
    item->due_ns = BERTH_TIME_NEVER;
    berth__item_list_append(&queue->deferred, item);
}

void berth__queue_admit(berth__queue *queue)
{
    berth__queue_item *item = queue->deferred.first;
    if (item == NULL)
        return;
    berth__displace(queue, item);
    berth__place_active(queue, item);
}

void berth__queue_assume(berth__queue *queue, berth__queue_item *item, uint64_t binding,
                         uint32_t node, int64_t due_ns)
{
    berth__displace(queue, item);
    item->state = BERTH_POD_STATE_ASSUMED;
    item->binding = binding;
    item->node = node;
    item->due_ns = due_ns;
    item->rejectors = 0;
    berth__item_list_append(&queue->assumed, item);
}
uint64_t berth__queue_waiting(const berth__queue *queue, berth_pod_state state)
{
    uint64_t count = queue->groups.pods_in[state] - queue->groups.turns_in[state];
    switch (state) {
    case BERTH_POD_STATE_GATED:
        return count + queue->gated.count + queue->preempting.by_flush.count;
    case BERTH_POD_STATE_ACTIVE:
        return count + queue->active.count + queue->deferred.count +
               (queue->deciding != NULL ? berth__pods_of(queue->deciding) : 0);
    case BERTH_POD_STATE_BACKOFF:
        return count + queue->backoff.count + queue->backoff_of_errors.count;
    case BERTH_POD_STATE_UNSCHEDULABLE:
        return count + queue->pool.by_flush.count;
    default:
        return count + queue->assumed.count;
    }
}

/* ---- checking ---- */

static berth_status broken(berth_error *error, const char *what)
{
    return berth__error_set(error, BERTH_E_INTERNAL, "the scheduling queue: %s", what);
}

static bool is_in_order(const berth__item_list *list)
{
    uint64_t count = 0;
    for (const berth__queue_item *item = list->first; item != NULL; item = item->list_next) {
        if (item->list_next != NULL && item->list_next->due_ns < item->due_ns)
            return false;
        count++;
    }
    return count == list->count;
}

berth_status berth__queue_check(const berth__queue *queue, berth_error *error)
{
    uint64_t count = 0, released = 0, waiting, released_turns;
    for (uint32_t i = 0; i < queue->by_pod_capacity; i++) {
        const berth__queue_item *item = queue->by_pod[i];
        if (item == NULL)
            continue;
        count++;
        released += item->released;
        if (item->pod != i)
            return broken(error, "a pod's record is at another pod's place");
    }
    if (!berth__pod_groups_check(&queue->groups, &waiting, &released_turns))
        return broken(error, "a PodGroup is wrong");
    if (count != queue->item_count || released + released_turns != queue->released)
        return broken(error, "the number of pods is wrong");
    count -= waiting;
    for (uint32_t state = 0; state < BERTH_POD_STATE_COUNT; state++)
        count += queue->groups.turns_in[state];
    if (count != queue->active.count + queue->deferred.count + queue->backoff.count +
                     queue->backoff_of_errors.count + queue->pool.by_flush.count +
                     queue->assumed.count + queue->gated.count + queue->preempting.by_flush.count +
                     (queue->deciding != NULL))
        return broken(error, "a pod is in no place, or in two");
    if (!berth__item_heap_check(&queue->active) || !berth__item_heap_check(&queue->backoff) ||
        !berth__item_heap_check(&queue->backoff_of_errors))
        return broken(error, "a heap is out of order");
    if (!is_in_order(&queue->pool.by_flush) || !is_in_order(&queue->assumed) ||
        !is_in_order(&queue->gated) || !is_in_order(&queue->preempting.by_flush))
        return broken(error, "a list is out of order of time");
    uint64_t missing = 0;
    for (const berth__queue_item *item = queue->gated.first; item != NULL; item = item->list_next)
        missing += item->missing_claim != 0;
    if (berth__claim_waiters_count(&queue->waiters) != missing)
        return broken(error, "pods that wait for claims are in wrong chains");
    if (!berth__waiting_pool_check(&queue->pool, BERTH_POD_STATE_UNSCHEDULABLE) ||
        !berth__waiting_pool_check(&queue->preempting, BERTH_POD_STATE_GATED))
        return broken(error, "groups of the pool are wrong");
    return BERTH_OK;
}
