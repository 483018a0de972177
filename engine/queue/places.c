/* The places where pods and turns of PodGroups wait (active, backoff, gated, pool), moves between
 * them, how long a backoff takes, and what gates a pod. */
#include "queue/places.h"

#include <math.h>

#include "base/assert.h"
#include "plugins/pod_claims.h"

#define SECOND_NS INT64_C(1000000000)

static void come_to(berth__queue *queue, berth__queue_item *item, berth_pod_state state)
{
    item->state = (int32_t)state;
    if (berth__is_turn(item))
        berth__pod_groups_count(&queue->groups, item->pod_group, 1);
}

void berth__place_active(berth__queue *queue, berth__queue_item *item)
{
    come_to(queue, item, BERTH_POD_STATE_ACTIVE);
    item->due_ns = BERTH_TIME_NEVER;
    berth__item_heap_add(&queue->active, item);
}

static uint64_t claim_missed_by(const berth__queue *queue, const berth__queue_item *item)
{
    const berth__claim_list *claims = berth__queue_class(queue, item)->claims;
    if (claims == NULL || !queue->profiles[item->profile].gates_claims)
        return 0;
    berth_str name = berth__pod_missing_claim(queue->view, claims);
    return name.len == 0 ? 0
                         : berth__claim_waiters_hash(
                               berth__text(queue->view->model, claims->namespace_name), name);
}

/* The first claim that a gated pod, or a pod of a gated group, misses. */
uint64_t berth__queue_missing_claim(const berth__queue *queue, const berth__queue_item *item)
{
    uint64_t claim = 0;
    if (!berth__is_turn(item))
        return claim_missed_by(queue, item);
    const berth__queue_item *pod = item->pod_group->claiming > 0 ? item->pod_group->first : NULL;
    for (; pod != NULL && claim == 0; pod = pod->list_next)
        if (pod->claims && berth__queue_is_present(queue, pod))
            claim = claim_missed_by(queue, pod);
    return claim;
}

void berth__queue_renew_claim(berth__queue *queue, berth__queue_item *item)
{
    berth__claim_waiters_remove(&queue->waiters, item);
    berth__claim_waiters_add(&queue->waiters, item, berth__queue_missing_claim(queue, item));
}

/* Put a pod that is gated by its victims where changes find it: one that helps it meanwhile must
 * not be forgotten. Without memory for that, the pod counts as helped. */
static bool enter_preempting(berth__queue *queue, berth__queue_item *item)
{
    if (berth__is_turn(item) || item->requested == 0 || item->rejectors == 0 || item->stirred)
        return false;
    item->stirred = berth__waiting_pool_add(&queue->preempting, item,
                                            berth__queue_class(queue, item)) != BERTH_OK;
    return !item->stirred;
}

void berth__place_gated(berth__queue *queue, berth__queue_item *item)
{
    come_to(queue, item, BERTH_POD_STATE_GATED);
    item->due_ns = BERTH_TIME_NEVER;
    item->among_preempting = enter_preempting(queue, item);
    if (item->among_preempting)
        return;
    berth__item_list_append(&queue->gated, item);
    berth__claim_waiters_add(&queue->waiters, item, berth__queue_missing_claim(queue, item));
}

/* The sum of a time and a span; BERTH_TIME_NEVER if the span is that, or if the sum overflows. */
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

/* The number of failures by which the backoff grows. */
static uint32_t failures_of(const berth__queue *queue, const berth__queue_item *item)
{
    if (!queue->behaviours->backoff_of_rejections)
        return item->attempts;
    return item->errors > 0 ? item->errors : item->rejections;
}

/* Round up to the next full second, when kube-scheduler's check, once a second, finds that the time
 * has passed. */
static int64_t next_second(int64_t time_ns)
{
    int64_t passed_ns = time_ns % SECOND_NS;
    if (passed_ns < 0)
        passed_ns += SECOND_NS;
    return after(time_ns - passed_ns, SECOND_NS);
}

/* The limit of an item's backoff. For a group, it grows with the square root of its size. */
static int64_t longest_backoff(const berth__queue *queue, const berth__queue_item *item)
{
    const int64_t most_ns = queue->times.backoff_max_ns;
    if (!berth__is_turn(item) || item->pod_group->backoff_size < 2)
        return most_ns;
    const double longest_ns = (double)most_ns * sqrt((double)item->pod_group->backoff_size);
    return longest_ns < (double)INT64_MAX ? (int64_t)longest_ns : INT64_MAX;
}

/* The backoff doubles with each failure after the first. Source: calculateBackoffDuration. */
static int64_t backoff_end(const berth__queue *queue, const berth__queue_item *item,
                           uint32_t failures)
{
    int64_t span_ns = queue->times.backoff_initial_ns, most_ns = longest_backoff(queue, item);
    for (uint32_t i = 1; i < failures && span_ns < most_ns; i++)
        span_ns = span_ns > most_ns - span_ns ? most_ns : 2 * span_ns;
    int64_t end_ns = after(item->queued_ns, span_ns < most_ns ? span_ns : most_ns);
    return queue->behaviours->backoff_in_seconds && end_ns != BERTH_TIME_NEVER && span_ns > 0
               ? next_second(end_ns)
               : end_ns;
}

/* No filter rejects a group as a whole, so it waits as after an error. */
static berth__item_heap *backoff_of(berth__queue *queue, const berth__queue_item *item)
{
    return item->errors > 0 || berth__is_turn(item) ? &queue->backoff_of_errors : &queue->backoff;
}

/* ---- PreEnqueue ---- */

bool berth__queue_has_gates(const berth__queue *queue, const berth__queue_item *item)
{
    return berth__queue_class(queue, item)->gates != 0 && queue->profiles[item->profile].gates;
}

/* Whether the pod must stay gated: it has scheduling gates, its victims are not leaving yet, or its
 * ResourceClaims do not exist. Source: kube-scheduler v1.37, plugins/schedulinggates,
 * plugins/defaultpreemption and plugins/dynamicresources, PreEnqueue. */
static bool is_pod_gated(const berth__queue *queue, const berth__queue_item *item)
{
    return berth__queue_has_gates(queue, item) || item->requested > 0 ||
           (queue->profiles[item->profile].gates_claims &&
            !berth__pod_claims_exist(queue->view, berth__queue_class(queue, item)->claims));
}

const berth__group_facts *berth__queue_facts(const berth__queue *queue,
                                             const berth__queued_group *group)
{
    return berth__related_group(queue->view->related, group->key.namespace_name, group->key.name,
                                group->key.composite);
}

/* Whether so many pods of a PodGroup are known that it may be placed. */
static bool is_pod_group_ready(const berth__queue *queue, berth__sym namespace_name,
                               berth__sym name, const berth__group_facts *facts)
{
    const berth__queued_group *group =
        berth__pod_groups_find(&queue->groups, namespace_name, name, false);
    return (group != NULL ? (int64_t)group->known : 0) >= facts->min_count;
}

/* What is known about a composite group: see berth__queued_group. */
typedef struct tally {
    uint32_t lacking, surplus;
} tally;

static tally count_tree(const berth__queue *queue, berth__sym namespace_name, berth__sym name,
                        const berth__group_facts *facts, uint32_t level);

/* How many PodGroups a group below a composite one lacks at least, whichever kind it is. */
static uint32_t lacking_below(const berth__queue *queue, const berth__related_object *child,
                              uint32_t level)
{
    if (child->key.kind != BERTH_KIND_COMPOSITE_POD_GROUP)
        return !is_pod_group_ready(queue, child->key.namespace_name, child->key.name,
                                   &child->group);
    return level == BERTH__GROUP_LEVELS_MAX ? UINT32_MAX
                                            : count_tree(queue, child->key.namespace_name,
                                                         child->key.name, &child->group, level + 1)
                                                  .lacking;
}

/* Source: kube-scheduler v1.37, plugins/gangscheduling, isCPGTreeReady. */
static tally count_tree(const berth__queue *queue, berth__sym namespace_name, berth__sym name,
                        const berth__group_facts *facts, uint32_t level)
{
    const berth__related_object *child =
        berth__related_children(queue->view->related, namespace_name, name);
    int64_t missing = facts->min_count;
    uint32_t least = UINT32_MAX; /* of a group that is not ready */
    for (; child != NULL; child = child->next_sibling) {
        const uint32_t lacking = lacking_below(queue, child, level);
        missing -= lacking == 0;
        least = lacking > 0 && lacking < least ? lacking : least;
    }
    if (missing <= 0)
        return (tally){.surplus = (uint32_t)-missing};
    return (tally){.lacking =
                       missing < UINT32_MAX / least ? (uint32_t)missing * least : UINT32_MAX};
}

static bool is_group_ready(const berth__queue *queue, berth__queued_group *group)
{
    const berth__group_facts *facts = berth__queue_facts(queue, group);
    const berth__sym space = group->key.namespace_name, name = group->key.name;
    if (facts == NULL)
        return false;
    if (!group->key.composite) /* with a parent it has no root, because it is below too many */
        return facts->parent == 0 && is_pod_group_ready(queue, space, name, facts);
    if (group->counted_at != queue->groups.changes) {
        const tally found = count_tree(queue, space, name, facts, 1);
        group->lacking = found.lacking;
        group->surplus = found.surplus;
        group->counted_at = queue->groups.changes;
    }
    return group->lacking == 0;
}

/* Whether one of the pods that need claims misses one. */
static bool misses_claim(const berth__queue *queue, const berth__queued_group *group)
{
    bool misses = false;
    const berth__queue_item *pod = group->claiming > 0 ? group->first : NULL;
    for (; pod != NULL && !misses; pod = pod->list_next)
        misses = pod->claims && berth__queue_is_present(queue, pod) && is_pod_gated(queue, pod);
    return misses;
}

/* A group enters as a whole. Source: the same, and plugins/gangscheduling. */
bool berth__queue_is_gated(const berth__queue *queue, const berth__queue_item *item)
{
    if (!berth__is_turn(item))
        return is_pod_gated(queue, item);
    berth__queued_group *group = item->pod_group;
    return item->requested > 0 || group->stopped > 0 || !is_group_ready(queue, group) ||
           misses_claim(queue, group);
}

void berth__queue_note_gates(const berth__queue *queue, berth__queue_item *item)
{
    item->stops = berth__queue_has_gates(queue, item) || item->requested > 0;
    item->claims = queue->profiles[item->profile].gates_claims &&
                   berth__queue_class(queue, item)->claims != NULL;
}

/* Move to backoff, or to the active pods if the backoff is over; a pod that never failed has no
 * backoff. If its claims were removed while it waited, the pod becomes gated. */
void berth__place_tried(berth__queue *queue, berth__queue_item *item)
{
    if (berth__queue_is_gated(queue, item)) {
        berth__place_gated(queue, item);
        return;
    }
    uint32_t failures = failures_of(queue, item);
    int64_t end_ns = failures > 0 ? backoff_end(queue, item, failures) : queue->now_ns;
    if (end_ns <= queue->now_ns) {
        berth__place_active(queue, item);
        return;
    }
    come_to(queue, item, BERTH_POD_STATE_BACKOFF);
    item->due_ns = end_ns;
    berth__item_heap_add(backoff_of(queue, item), item);
}

void berth__place_in_pool(berth__queue *queue, berth__queue_item *item)
{
    item->state = BERTH_POD_STATE_UNSCHEDULABLE;
    item->due_ns = berth__queue_term(queue, queue->times.unschedulable_max_ns);
    if (berth__waiting_pool_add(&queue->pool, item, berth__queue_class(queue, item)) != BERTH_OK)
        berth__place_tried(queue, item);
}

/* Remove the pod from its current place. */
void berth__displace(berth__queue *queue, berth__queue_item *item)
{
    if (item->released) {
        queue->released--;
        queue->reviews++;
    }
    item->released = false;
    if (berth__is_turn(item))
        berth__pod_groups_count(&queue->groups, item->pod_group, -1);
    switch (item->state) {
    case BERTH_POD_STATE_GATED:
        if (item->among_preempting) {
            berth__waiting_pool_remove(&queue->preempting, item);
            break;
        }
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
    case BERTH_POD_STATE_GONE: /* a turn without pods */
        break;
    default: /* pods leave the group's turn one by one while it is decided */
        BERTH_ASSERT(item->state == BERTH__POD_DECIDING && queue->deciding != NULL &&
                     (queue->deciding == item || berth__is_turn(queue->deciding)));
        if (queue->deciding == item)
            queue->deciding = NULL;
        break;
    }
}
