/* A scheduler's answers about its pods, and its consistency check. */
#include <inttypes.h>

#include "base/error.h"
#include "base/sized.h"
#include "queue/loop.h"

/* ---- looking ---- */

const char *berth_pod_state_name(berth_pod_state state)
{
    static const char *const names[BERTH_POD_STATE_COUNT] = {
        [BERTH_POD_STATE_GONE] = "gone",
        [BERTH_POD_STATE_GATED] = "gated",
        [BERTH_POD_STATE_ACTIVE] = "active",
        [BERTH_POD_STATE_BACKOFF] = "backoff",
        [BERTH_POD_STATE_UNSCHEDULABLE] = "unschedulable",
        [BERTH_POD_STATE_ASSUMED] = "assumed",
        [BERTH_POD_STATE_BOUND] = "bound",
    };
    return (unsigned)state < BERTH_POD_STATE_COUNT ? names[state] : "?";
}

/* After changes made by the engine's own calls, the queue may still hold the pod that had the index
 * before. */
static const berth__queue_item *find_item(const berth_scheduler *scheduler, berth_pod_id pod)
{
    uint32_t index = berth__cluster_pod(scheduler->cluster, pod);
    const berth__queue_item *item =
        index == BERTH_POD_INDEX_NONE ? NULL : berth__queue_find(&scheduler->queue, index);
    return item != NULL && item->generation == pod >> 32 ? item : NULL;
}

static void look_at_pod(const berth_scheduler *scheduler, berth_pod_id pod, berth_pod_status *out)
{
    uint32_t index = berth__cluster_pod(scheduler->cluster, pod);
    const berth__queue_item *item = find_item(scheduler, pod);
    *out = (berth_pod_status){.due_ns = BERTH_TIME_NEVER, .nominated = BERTH_NODE_NONE};
    if (index == BERTH_POD_INDEX_NONE)
        return;
    out->nominated = berth__loop_nominated(scheduler, index);
    if (item == NULL) {
        if (berth__pod_at(&scheduler->cluster->pods, index)->node != BERTH_NODE_NONE)
            out->state = BERTH_POD_STATE_BOUND;
        return;
    }
    const berth__queue_item *place =
        item->state == BERTH__POD_WITH_GROUP ? &item->pod_group->turn : item;
    /* A callback may ask about the pod that is being decided. */
    out->state = place->state == BERTH__POD_DECIDING ? BERTH_POD_STATE_ACTIVE
                                                     : (berth_pod_state)place->state;
    out->attempts = item->attempts;
    out->submitted_ns = item->submitted_ns;
    out->due_ns = place->due_ns;
    out->binding = item->binding;
    out->rejector_count = (uint32_t)__builtin_popcountll(item->rejectors);
}

void berth_scheduler_pod_sized(const berth_scheduler *scheduler, berth_pod_id pod,
                               berth_pod_status *out, size_t size)
{
    berth_pod_status own;
    look_at_pod(scheduler, pod, &own);
    berth__sized_give(out, size, &own, sizeof(own));
}

berth_str berth_scheduler_rejector(const berth_scheduler *scheduler, berth_pod_id pod, uint32_t i)
{
    const berth__queue_item *item = find_item(scheduler, pod);
    if (item == NULL)
        return (berth_str){0};
    const berth__ready_profile *profile = &scheduler->decider->profiles[item->profile];
    for (berth__stage_set left = item->rejectors; left != 0; left &= left - 1) {
        uint32_t stage = (uint32_t)__builtin_ctzll(left);
        if (i-- > 0)
            continue;
        if (stage == BERTH__STAGE_EXTENDERS)
            return BERTH_STR("Extender"); /* the name that kube-scheduler uses for all extenders */
        return stage < profile->filter_stages ? profile->filters[stage].name
                                              : BERTH_STR("no nodes");
    }
    return (berth_str){0};
}

static void count(const berth_scheduler *scheduler, berth_scheduler_counters *out)
{
    const berth__queue *queue = &scheduler->queue;
    *out = scheduler->counters;
    out->gated = berth__queue_waiting(queue, BERTH_POD_STATE_GATED);
    out->active = berth__queue_waiting(queue, BERTH_POD_STATE_ACTIVE);
    out->backoff = berth__queue_waiting(queue, BERTH_POD_STATE_BACKOFF);
    out->unschedulable = berth__queue_waiting(queue, BERTH_POD_STATE_UNSCHEDULABLE);
    out->assumed = berth__queue_waiting(queue, BERTH_POD_STATE_ASSUMED);
    out->woken = queue->woken;
    out->flushed = queue->flushed;
    out->backoff_ended = queue->backoff_ended;
    out->popped_early = queue->popped_early;
    out->freed_active = queue->freed_active;
    out->freed_backoff = queue->freed_backoff;
}

void berth_scheduler_count_sized(const berth_scheduler *scheduler, berth_scheduler_counters *out,
                                 size_t size)
{
    berth_scheduler_counters own;
    count(scheduler, &own);
    berth__sized_give(out, size, &own, sizeof(own));
}

const berth_error *berth_scheduler_last_trouble(const berth_scheduler *scheduler)
{
    return &scheduler->trouble;
}

/* ---- checking ---- */

static berth_status broken_pod(const berth_scheduler *scheduler, uint32_t index, berth_error *error,
                               const char *what)
{
    berth_str space, name;
    berth_engine_pod_name(scheduler->engine, berth__cluster_pod_id(scheduler->cluster, index),
                          &space, &name);
    berth__error_set(error, BERTH_E_INTERNAL, "%s", what);
    berth__error_object(error, "Pod %.*s/%.*s", (int)space.len, space.data, (int)name.len,
                        name.data);
    return BERTH_E_INTERNAL;
}

static berth_status check_item(const berth_scheduler *scheduler, const berth__queue_item *item,
                               berth_error *error)
{
    const berth__pod_record *pod = berth__pod_at(&scheduler->cluster->pods, item->pod);
    bool assumed = item->state == BERTH_POD_STATE_ASSUMED;
    if (pod->cls == NULL)
        return berth__error_set(error, BERTH_E_INTERNAL, "the queue has a pod that is no more");
    if (pod->node != (assumed ? item->node : BERTH_NODE_NONE))
        return broken_pod(scheduler, item->pod, error,
                          assumed ? "assumed, but not on its node" : "waits, but is on a node");
    if (!assumed && item->priority != pod->priority)
        return broken_pod(scheduler, item->pod, error, "waits with another priority");
    if (!assumed && item->profile != berth__decider_profile(scheduler->decider, pod->cls))
        return broken_pod(scheduler, item->pod, error, "waits for another profile");
    return BERTH_OK;
}

static berth_status check_items(const berth_scheduler *scheduler, berth_error *error)
{
    for (uint32_t i = 0; i < scheduler->queue.by_pod_capacity; i++)
        if (scheduler->queue.by_pod[i] != NULL)
            BERTH_TRY(check_item(scheduler, scheduler->queue.by_pod[i], error));
    uint32_t preemptor;
    if (berth__loop_waits_in_vain(scheduler, &preemptor))
        return broken_pod(scheduler, preemptor, error, "waits for a pod that does not leave");
    const berth__pods *pods = &scheduler->cluster->pods;
    for (uint32_t i = pods->first_pending; i != BERTH_POD_INDEX_NONE;
         i = berth__pod_at(pods, i)->next) {
        const berth__class *cls = berth__pod_at(pods, i)->cls;
        if (!cls->deleting && berth__queue_find(&scheduler->queue, i) == NULL &&
            berth__decider_profile(scheduler->decider, cls) != UINT32_MAX)
            return broken_pod(scheduler, i, error, "is pending, but not in the queue");
    }
    return BERTH_OK;
}

static berth_status check_sum(berth_error *error, const char *what, uint64_t left, uint64_t right)
{
    return left == right ? BERTH_OK
                         : berth__error_set(error, BERTH_E_INTERNAL,
                                            "%" PRIu64 " %s, but their outcomes add up to %" PRIu64,
                                            left, what, right);
}

berth_status berth_scheduler_check(const berth_scheduler *scheduler, berth_error *error)
{
    berth_scheduler_counters c;
    if (scheduler->cluster->undo.recording)
        return berth__error_set(error, BERTH_E_STATE, "a transaction is open on the engine");
    count(scheduler, &c);
    BERTH_TRY(berth__queue_check(&scheduler->queue, error));
    if (!scheduler->watcher.missed)
        BERTH_TRY(check_items(scheduler, error));
    BERTH_TRY(check_sum(error, "pods submitted", c.submitted,
                        c.gated + c.active + c.backoff + c.unschedulable + c.assumed + c.bound +
                            c.taken + c.deleted));
    BERTH_TRY(check_sum(error, "pods assumed", c.assumptions,
                        c.assumed + c.bound + c.forgotten + c.expired + c.given_up));
    return check_sum(error, "decisions", c.decisions, c.assumptions + c.unplaced + c.errors);
}
