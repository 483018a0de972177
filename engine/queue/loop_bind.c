/* Bindings of the scheduling loop: assumed, confirmed, forgotten, expired, abandoned.
 * Source: kube-scheduler v1.32, schedule_one.go, assume, bindingCycle, handleBindingCycleError;
 * backend/cache/cache.go. */
#include "base/assert.h"
#include "base/error.h"
#include "queue/loop.h"

static berth_binding binding_of(const berth__queue_item *item)
{
    return (berth_binding){.id = item->binding,
                           .pod = (uint64_t)item->generation << 32 | item->pod,
                           .node = item->node};
}

/* ---- ends ---- */

void berth__loop_confirm(berth_scheduler *scheduler, berth__queue_item *item)
{
    scheduler->counters.bound++;
    scheduler->counters.bound_after_flush += item->flushed;
    berth__nominations_drop(&scheduler->cluster->nominations, item->pod);
    berth__queue_remove(&scheduler->queue, item);
}

static void call_unbind(berth_scheduler *scheduler, const berth_binding *binding,
                        berth_unbind_reason reason)
{
    if (scheduler->callbacks.unbind == NULL)
        return;
    berth__loop_call_begin(scheduler);
    scheduler->callbacks.unbind(scheduler->callbacks.context, binding, reason);
    berth__loop_call_end(scheduler);
}

/* A pod that is terminating by now, or that no profile serves any more, is not tried again. */
static void send_back(berth_scheduler *scheduler, berth__queue_item *item)
{
    const berth__class *cls = berth__pod_at(&scheduler->cluster->pods, item->pod)->cls;
    uint32_t profile = berth__decider_profile(scheduler->decider, cls);
    if (cls->deleting || profile == UINT32_MAX) {
        scheduler->counters.deleted++;
        berth__queue_remove(&scheduler->queue, item);
        return;
    }
    item->profile = profile;
    berth__queue_retry(&scheduler->queue, item);
}

berth_status berth__loop_forget(berth_scheduler *scheduler, berth__queue_item *item,
                                berth_unbind_reason reason)
{
    const berth_binding binding = binding_of(item);
    const berth__class *cls = berth__pod_at(&scheduler->cluster->pods, item->pod)->cls;
    BERTH_TRY(berth__decider_unbind(scheduler->decider, item->pod));
    *(reason == BERTH_UNBIND_EXPIRED ? &scheduler->counters.expired
                                     : &scheduler->counters.forgotten) += 1;
    berth__loop_victim_leaves(scheduler, binding.pod, true);
    send_back(scheduler, item);
    berth__loop_wake_pod(scheduler, BERTH_WAKE_POD_REMOVE, binding.node, cls, NULL);
    call_unbind(scheduler, &binding, reason);
    return BERTH_OK;
}

void berth__loop_abandon(berth_scheduler *scheduler, berth__queue_item *item,
                         berth_unbind_reason reason)
{
    const berth_binding binding = binding_of(item);
    scheduler->counters.given_up++;
    *(reason == BERTH_UNBIND_TAKEN ? &scheduler->counters.taken : &scheduler->counters.deleted) +=
        1;
    berth__queue_remove(&scheduler->queue, item);
    call_unbind(scheduler, &binding, reason);
}

/* ---- beginning ---- */

static berth_binding_id next_binding(berth_scheduler *scheduler, uint32_t pod)
{
    if (++scheduler->binding_serial == 0)
        scheduler->binding_serial = 1;
    return (uint64_t)scheduler->binding_serial << 32 | pod;
}

static berth_answer ask_to_bind(berth_scheduler *scheduler, const berth__queue_item *item)
{
    const berth_binding binding = binding_of(item);
    if (scheduler->callbacks.bind == NULL)
        return BERTH_ANSWER_DONE;
    berth__loop_call_begin(scheduler);
    berth_answer answer = scheduler->callbacks.bind(scheduler->callbacks.context, &binding);
    berth__loop_call_end(scheduler);
    return answer;
}

berth_step_kind berth__loop_have_bound(berth_scheduler *scheduler, berth__queue_item *item)
{
    switch (ask_to_bind(scheduler, item)) {
    case BERTH_ANSWER_DONE:
        berth__loop_confirm(scheduler, item);
        return BERTH_STEP_BOUND;
    case BERTH_ANSWER_LATER:
        return BERTH_STEP_ASSUMED;
    default:
        break;
    }
    /* Nothing has been published since the pod was bound, so undoing it needs no memory. */
    berth_status status = berth__loop_forget(scheduler, item, BERTH_UNBIND_FAILED);
    BERTH_ASSERT(status == BERTH_OK);
    return BERTH_STEP_FORGOTTEN;
}

void berth__loop_assumed(berth_scheduler *scheduler, berth__queue_item *item, uint32_t node,
                         uint32_t kept, berth_step *out)
{
    const berth__class *cls = berth__pod_at(&scheduler->cluster->pods, item->pod)->cls;
    scheduler->counters.assumptions++;
    out->binding = next_binding(scheduler, item->pod);
    berth__queue_assume(&scheduler->queue, item, out->binding, node,
                        berth__queue_term(&scheduler->queue, scheduler->bind_timeout_ns));
    berth__loop_wake_pod(scheduler, BERTH_WAKE_POD_ADD, node, NULL, cls);
    if (kept != node)
        berth__loop_wake_unkept(scheduler, kept, cls);
}

berth_status berth__loop_assume(berth_scheduler *scheduler, berth__queue_item *item, uint32_t node,
                                berth_step *out)
{
    uint32_t kept = berth__loop_nominated(scheduler, item->pod);
    BERTH_TRY(berth__decider_bind(scheduler->decider, item->pod, node));
    berth__loop_assumed(scheduler, item, node, kept, out);
    out->kind = berth__loop_have_bound(scheduler, item);
    return BERTH_OK;
}

/* ---- later ---- */

berth_status berth__loop_answer(berth_scheduler *scheduler, berth_binding_id binding,
                                berth_answer answer)
{
    berth__queue_item *item = berth__queue_find(&scheduler->queue, (uint32_t)binding);
    if (item == NULL || item->state != BERTH_POD_STATE_ASSUMED || item->binding != binding) {
        scheduler->counters.late_answers++;
        berth__loop_report(scheduler, BERTH_TROUBLE_LATE_ANSWER, NULL);
        return BERTH_OK;
    }
    if (answer != BERTH_ANSWER_DONE)
        return berth__loop_forget(scheduler, item, BERTH_UNBIND_FAILED);
    berth__loop_confirm(scheduler, item);
    return BERTH_OK;
}

berth_status berth__loop_expire(berth_scheduler *scheduler)
{
    berth__queue_item *item;
    while ((item = scheduler->queue.assumed.first) != NULL &&
           item->due_ns <= scheduler->queue.now_ns && item->due_ns != BERTH_TIME_NEVER)
        BERTH_TRY(berth__loop_forget(scheduler, item, BERTH_UNBIND_EXPIRED));
    return BERTH_OK;
}
