/* The scheduling queue: the places where pods wait (active, backoff, gated, unschedulable,
 * assumed), and moves between them. */
#include "queue/queue.h"

#include <inttypes.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "plugins/device_claims.h"

#define SECOND_NS INT64_C(1000000000)

/* ---- orders ---- */

/* Source: kube-scheduler v1.32, plugins/queuesort/priority_sort.go. Equal times: in the order in
 * which they were put back. */
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

/* With whole seconds, many backoffs end at once: then the order of taking applies. */
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
    return berth__waiting_pool_init(&queue->pool, allocator, profiles, profile_count);
}

void berth__queue_destroy(berth__queue *queue)
{
    if (queue->allocator == NULL)
        return;
    berth__waiting_pool_destroy(&queue->pool);
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
    if (!grow_by_pod(queue, pod_bound) || !berth__item_heap_reserve(&queue->active, count) ||
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

/* ---- places ---- */

static berth__class *class_of(const berth__queue *queue, const berth__queue_item *item)
{
    return berth__pod_at(queue->pods, item->pod)->cls;
}

static void place_active(berth__queue *queue, berth__queue_item *item)
{
    item->state = BERTH_POD_STATE_ACTIVE;
    item->due_ns = BERTH_TIME_NEVER;
    berth__item_heap_add(&queue->active, item);
}

/* The first claim that a gated pod misses. */
static uint64_t missing_claim(const berth__queue *queue, const berth__queue_item *item)
{
    const berth__claim_list *claims = class_of(queue, item)->claims;
    if (claims == NULL || !queue->profiles[item->profile].gates_claims)
        return 0;
    berth_str name = berth__pod_missing_claim(queue->view, claims);
    return name.len == 0 ? 0
                         : berth__claim_waiters_hash(
                               berth__text(queue->view->model, claims->namespace_name), name);
}

static void place_gated(berth__queue *queue, berth__queue_item *item)
{
    item->state = BERTH_POD_STATE_GATED;
    item->due_ns = BERTH_TIME_NEVER;
    berth__item_list_append(&queue->gated, item);
    berth__claim_waiters_add(&queue->waiters, item, missing_claim(queue, item));
}

/* BERTH_TIME_NEVER stays itself, for times before and after 0. */
static int64_t after(int64_t time_ns, int64_t span_ns)
{
    bool never =
        span_ns == BERTH_TIME_NEVER || (time_ns > 0 && span_ns > BERTH_TIME_NEVER - time_ns);
    return never ? BERTH_TIME_NEVER : time_ns + span_ns;
}

int64_t berth__queue_term(const berth__queue *queue, int64_t span_ns)
{
    return after(queue->now_ns, span_ns);
}

/* The number of failures that determines the backoff. */
static uint32_t failures_of(const berth__queue *queue, const berth__queue_item *item)
{
    if (!queue->behaviours->backoff_of_rejections)
        return item->attempts;
    return item->errors > 0 ? item->errors : item->rejections;
}

/* The end of the second of a time: a check once a second finds the time passed then. */
static int64_t next_second(int64_t time_ns)
{
    int64_t passed_ns = time_ns % SECOND_NS;
    if (passed_ns < 0)
        passed_ns += SECOND_NS;
    return after(time_ns - passed_ns, SECOND_NS);
}

/* The backoff doubles with each failure after the first. Source: calculateBackoffDuration. */
static int64_t backoff_end(const berth__queue *queue, const berth__queue_item *item,
                           uint32_t failures)
{
    int64_t span_ns = queue->times.backoff_initial_ns, most_ns = queue->times.backoff_max_ns;
    for (uint32_t i = 1; i < failures && span_ns < most_ns; i++)
        span_ns = span_ns > most_ns - span_ns ? most_ns : 2 * span_ns;
    int64_t end_ns = after(item->queued_ns, span_ns < most_ns ? span_ns : most_ns);
    return queue->behaviours->backoff_in_seconds && end_ns != BERTH_TIME_NEVER && span_ns > 0
               ? next_second(end_ns)
               : end_ns;
}

static berth__item_heap *backoff_of(berth__queue *queue, const berth__queue_item *item)
{
    return item->errors > 0 ? &queue->backoff_of_errors : &queue->backoff;
}

/* ---- PreEnqueue ---- */

static bool has_gates(const berth__queue *queue, const berth__queue_item *item)
{
    return class_of(queue, item)->gates != 0 && queue->profiles[item->profile].gates;
}

/* Whether the pod may not enter: it has gates, its victims are not leaving yet, or its claims of
 * devices do not exist. Source: kube-scheduler v1.37, plugins/schedulinggates,
 * plugins/defaultpreemption and plugins/dynamicresources, PreEnqueue. */
static bool is_gated(const berth__queue *queue, const berth__queue_item *item)
{
    return has_gates(queue, item) || item->requested > 0 ||
           (queue->profiles[item->profile].gates_claims &&
            !berth__pod_claims_exist(queue->view, class_of(queue, item)->claims));
}

/* Move to backoff, or to the active pods if the backoff is over; a pod that never failed has none.
 * If its claims were removed while it waited, the pod becomes gated. */
static void place_tried(berth__queue *queue, berth__queue_item *item)
{
    if (is_gated(queue, item)) {
        place_gated(queue, item);
        return;
    }
    uint32_t failures = failures_of(queue, item);
    int64_t end_ns = failures > 0 ? backoff_end(queue, item, failures) : queue->now_ns;
    if (end_ns <= queue->now_ns) {
        place_active(queue, item);
        return;
    }
    item->state = BERTH_POD_STATE_BACKOFF;
    item->due_ns = end_ns;
    berth__item_heap_add(backoff_of(queue, item), item);
}

static void place_in_pool(berth__queue *queue, berth__queue_item *item)
{
    item->state = BERTH_POD_STATE_UNSCHEDULABLE;
    item->due_ns = berth__queue_term(queue, queue->times.unschedulable_max_ns);
    if (berth__waiting_pool_add(&queue->pool, item, class_of(queue, item)) != BERTH_OK)
        place_tried(queue, item);
}

/* Remove the pod from its present place. */
static void displace(berth__queue *queue, berth__queue_item *item)
{
    if (item->released) {
        queue->released--;
        queue->reviews++;
    }
    item->released = false;
    switch (item->state) {
    case BERTH_POD_STATE_GATED:
        berth__item_list_remove(&queue->gated, item);
        berth__claim_waiters_remove(&queue->waiters, item);
        break;
    case BERTH_POD_STATE_ACTIVE:
        if (item->deferred)
            berth__item_list_remove(&queue->deferred, item);
        else
            berth__item_heap_remove(&queue->active, item);
        item->deferred = false;
        break;
    case BERTH_POD_STATE_BACKOFF:
        berth__item_heap_remove(backoff_of(queue, item), item);
        break;
    case BERTH_POD_STATE_UNSCHEDULABLE:
        berth__waiting_pool_remove(&queue->pool, item);
        break;
    case BERTH_POD_STATE_ASSUMED:
        berth__item_list_remove(&queue->assumed, item);
        break;
    default:
        BERTH_ASSERT(item->state == BERTH__POD_DECIDING && queue->deciding == item);
        queue->deciding = NULL;
        break;
    }
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
    if (is_gated(queue, item))
        place_gated(queue, item);
    else
        place_active(queue, item);
}

void berth__queue_remove(berth__queue *queue, berth__queue_item *item)
{
    displace(queue, item);
    queue->by_pod[item->pod] = NULL;
    queue->item_count--;
    item->list_next = queue->spare;
    queue->spare = item;
}

/* ---- time ---- */

static void end_backoffs(berth__queue *queue, berth__item_heap *heap)
{
    berth__queue_item *item;
    while ((item = berth__item_heap_first(heap)) != NULL && item->due_ns <= queue->now_ns) {
        displace(queue, item);
        place_active(queue, item);
        queue->backoff_ended++;
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
        displace(queue, item);
        place_tried(queue, item);
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

berth__queue_item *berth__queue_take(berth__queue *queue)
{
    berth__queue_item *item = berth__item_heap_first(&queue->active);
    BERTH_ASSERT(queue->deciding == NULL);
    if (item == NULL && queue->behaviours->backoff_pops_early) {
        item = berth__item_heap_first(&queue->backoff);
        queue->popped_early += item != NULL;
    }
    if (item == NULL)
        return NULL;
    displace(queue, item);
    item->state = BERTH__POD_DECIDING;
    item->attempts++;
    item->helped = 0;
    queue->deciding = item;
    return item;
}

/* A failed attempt begins a new wait. */
static void queue_anew(berth__queue *queue, berth__queue_item *item)
{
    displace(queue, item);
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
    if (has_gates(queue, item) || item->requested > 0)
        place_gated(queue, item);
    else if (rejectors == 0 || (rejectors & item->helped) != 0)
        place_tried(queue, item);
    else
        place_in_pool(queue, item);
}

void berth__queue_retry(berth__queue *queue, berth__queue_item *item)
{
    berth__queue_reject(queue, item, 0);
}

void berth__queue_put_back(berth__queue *queue, berth__queue_item *item)
{
    displace(queue, item);
    item->attempts--;
    place_active(queue, item);
}

void berth__queue_defer(berth__queue *queue, berth__queue_item *item)
{
    displace(queue, item);
    item->attempts--;
    item->queued_ns = queue->now_ns; /* behind the pods that it waits for */
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
    displace(queue, item);
    place_active(queue, item);
}

void berth__queue_assume(berth__queue *queue, berth__queue_item *item, uint64_t binding,
                         uint32_t node, int64_t due_ns)
{
    displace(queue, item);
    item->state = BERTH_POD_STATE_ASSUMED;
    item->binding = binding;
    item->node = node;
    item->due_ns = due_ns;
    item->rejectors = 0;
    berth__item_list_append(&queue->assumed, item);
}

/* ---- changes ---- */

void berth__queue_update(berth__queue *queue, berth__queue_item *item, uint32_t profile)
{
    int32_t state = item->state;
    if (state == BERTH_POD_STATE_ASSUMED || state == BERTH__POD_DECIDING) {
        item->priority = berth__pod_at(queue->pods, item->pod)->priority;
        item->profile = profile;
        item->helped = ~(berth__stage_set)0;
        return;
    }
    displace(queue, item);
    if (profile != item->profile || item->requested > 0)
        item->rejectors = 0; /* the filters are others now, or it is tried once it is released */
    item->profile = profile;
    item->priority = berth__pod_at(queue->pods, item->pod)->priority;
    queue->woken += state == BERTH_POD_STATE_UNSCHEDULABLE;
    if (is_gated(queue, item))
        place_gated(queue, item);
    else if (state == BERTH_POD_STATE_ACTIVE)
        place_active(queue, item);
    else
        place_tried(queue, item);
}

void berth__queue_wake_item(berth__queue *queue, berth__queue_item *item)
{
    if (item->state == BERTH__POD_DECIDING)
        item->helped = ~(berth__stage_set)0;
    if (item->state != BERTH_POD_STATE_UNSCHEDULABLE)
        return;
    displace(queue, item);
    place_tried(queue, item);
    queue->woken++;
}

static void mark_released(berth__queue *queue, berth__queue_item *item)
{
    if (item->released ||
        (item->state != BERTH_POD_STATE_ACTIVE && item->state != BERTH_POD_STATE_BACKOFF))
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
    if (item->state == BERTH_POD_STATE_GATED && !is_gated(queue, item)) {
        displace(queue, item);
        if (!retry && item->rejectors != 0) {
            place_in_pool(queue, item);
            return;
        }
        place_tried(queue, item);
        queue->woken++;
    }
    if (retry)
        mark_released(queue, item);
}

static berth__stage_set all_stages(const berth__ready_profile *profile)
{
    return ((UINT64_C(1) << profile->filter_stages) - 1) | (UINT64_C(1) << BERTH__STAGE_NO_NODES);
}

/* A claim of devices has changed: admit the pods that only this claim kept out. Pods that miss
 * another one wait for that. */
static void let_in(berth__queue *queue, const berth__wake *wake)
{
    uint64_t claim = berth__claim_waiters_hash(berth__wake_namespace(wake), wake->name);
    berth__queue_item *next, *item = berth__claim_waiters_first(&queue->waiters, claim);
    for (; item != NULL; item = next) {
        next = item->group_next;
        if (item->missing_claim != claim)
            continue;
        if (is_gated(queue, item)) {
            berth__claim_waiters_remove(&queue->waiters, item);
            berth__claim_waiters_add(&queue->waiters, item, missing_claim(queue, item));
            continue;
        }
        displace(queue, item);
        place_tried(queue, item);
        queue->woken++;
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
    const berth__request *request = class_of(queue, item)->request;
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

/* A pod that waits for its victims may not preempt. So it is not woken for room that is kept for
 * others; it is when such a nomination ends. The group is freed with its last pod. */
static void wake_group(berth__queue *queue, const berth__wake *wake, berth__waiting_group *group)
{
    bool stays = false;
    berth__queue_item *next;
    for (berth__queue_item *item = group->first; item != NULL; item = next) {
        next = item->group_next;
        if (item->leaving > 0 && is_kept_for_others(queue, wake, item))
            stays = true;
        else
            wake_for(queue, item, wake->bits);
    }
    if (stays)
        group->woken = false;
}

void berth__queue_wake(berth__queue *queue, berth__wake *wake)
{
    if (wake->bits == 0)
        return;
    if ((wake->bits & BERTH_WAKE_RESOURCE_CLAIM) != 0)
        let_in(queue, wake);
    if (queue->deciding != NULL) {
        berth__queue_item *item = queue->deciding;
        const berth__ready_profile *profile = &queue->profiles[item->profile];
        item->helped |= berth__wake_stages(wake, profile, all_stages(profile) & ~item->helped,
                                           class_of(queue, item), item->priority);
    }
    berth__waiting_group *next, *group = berth__waiting_pool_find(&queue->pool, wake);
    for (; group != NULL; group = next) {
        next = group->next_woken;
        wake_group(queue, wake, group);
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
    uint64_t count = 0, released = 0;
    for (uint32_t i = 0; i < queue->by_pod_capacity; i++) {
        const berth__queue_item *item = queue->by_pod[i];
        if (item == NULL)
            continue;
        count++;
        released += item->released;
        if (item->pod != i)
            return broken(error, "a pod's record is at another pod's place");
    }
    if (count != queue->item_count || released != queue->released)
        return broken(error, "the number of pods is wrong");
    if (count != queue->active.count + queue->deferred.count + queue->backoff.count +
                     queue->backoff_of_errors.count + queue->pool.by_flush.count +
                     queue->assumed.count + queue->gated.count + (queue->deciding != NULL))
        return broken(error, "a pod is in no place, or in two");
    if (!berth__item_heap_check(&queue->active) || !berth__item_heap_check(&queue->backoff) ||
        !berth__item_heap_check(&queue->backoff_of_errors))
        return broken(error, "a heap is out of order");
    if (!is_in_order(&queue->pool.by_flush) || !is_in_order(&queue->assumed) ||
        !is_in_order(&queue->gated))
        return broken(error, "a list is out of order of time");
    uint64_t missing = 0;
    for (const berth__queue_item *item = queue->gated.first; item != NULL; item = item->list_next)
        missing += item->missing_claim != 0;
    if (berth__claim_waiters_count(&queue->waiters) != missing)
        return broken(error, "pods that wait for claims are in wrong chains");
    if (!berth__waiting_pool_check(&queue->pool))
        return broken(error, "groups of the pool are wrong");
    return BERTH_OK;
}
