/* Waking: which waiting pods a change of the cluster moves in the queue.
 * Source: kube-scheduler v1.32, eventhandlers.go. */
#include "base/error.h"
#include "queue/loop.h"

/* ---- waking others ---- */

static berth__wake change_wake(berth_scheduler *scheduler, uint32_t bits)
{
    return (berth__wake){.bits = bits,
                         .view = &scheduler->cluster->view,
                         .pods = &scheduler->cluster->pods,
                         .node_id = BERTH_NODE_NONE};
}

void berth__loop_wake_pod(berth_scheduler *scheduler, uint32_t bits, uint32_t node,
                          const berth__class *before, const berth__class *after)
{
    if (bits == 0 || node == BERTH_NODE_NONE ||
        !berth__node_present(berth__cluster_node(scheduler->cluster, node)))
        return;
    berth__wake wake = change_wake(scheduler, bits);
    wake.node = berth__cluster_node(scheduler->cluster, node);
    wake.node_id = node;
    wake.before = before;
    wake.after = after;
    berth__queue_wake(&scheduler->queue, &wake);
}

/* For other pods this is the same as if the nominated pod had left the node. */
void berth__loop_wake_unkept(berth_scheduler *scheduler, uint32_t node, const berth__class *cls)
{
    berth__loop_wake_pod(scheduler, BERTH_WAKE_POD_REMOVE, node, cls, NULL);
}

static void hear_of_node(berth_scheduler *scheduler, const berth__change *change)
{
    uint32_t bits = BERTH_WAKE_NODE_ADD;
    if (change->new_facts == NULL)
        bits = BERTH_WAKE_NODE_REMOVE;
    else if (change->old_facts != NULL)
        bits = berth__node_difference(change->old_facts, change->new_facts);
    berth__wake wake = change_wake(scheduler, bits);
    wake.node = berth__cluster_node(scheduler->cluster, change->node);
    wake.old_facts = change->old_facts;
    wake.new_facts = change->new_facts;
    berth__queue_wake(&scheduler->queue, &wake);
}

static void hear_of_group(berth_scheduler *scheduler, const berth__change *change)
{
    const berth__model *model = scheduler->cluster->model;
    const berth__sym space = change->namespace_name.len > 0
                                 ? berth__intern_find(&model->strings, change->namespace_name)
                                 : model->known.default_namespace;
    berth__queue_follow_group(&scheduler->queue, space,
                              berth__intern_find(&model->strings, change->name),
                              change->kind == BERTH_KIND_COMPOSITE_POD_GROUP);
}

static void hear_of_other(berth_scheduler *scheduler, const berth__change *change)
{
    if (change->kind == BERTH_KIND_POD_GROUP || change->kind == BERTH_KIND_COMPOSITE_POD_GROUP)
        hear_of_group(scheduler, change);
    berth__wake wake = change_wake(scheduler, berth__kind_difference(change->kind));
    wake.namespace_name = change->namespace_name;
    wake.name = change->name;
    berth__queue_wake(&scheduler->queue, &wake);
}

/* ---- about a pod ---- */

uint32_t berth__loop_nominated(const berth_scheduler *scheduler, uint32_t pod)
{
    const berth__nomination *nomination =
        berth__nominations_find(&scheduler->cluster->nominations, pod);
    return nomination != NULL && nomination->awake ? nomination->node : BERTH_NODE_NONE;
}

/* The profile for a pod that has to be scheduled; UINT32_MAX for any other pod. */
static uint32_t serving_profile(const berth_scheduler *scheduler, uint32_t pod)
{
    const berth__pod_record *record = berth__pod_at(&scheduler->cluster->pods, pod);
    return record->node != BERTH_NODE_NONE || record->cls->deleting
               ? UINT32_MAX
               : berth__decider_profile(scheduler->decider, record->cls);
}

/* ---- the pods of PodGroups ---- */

/* The identity of a pod that counts for a group, because it is on a node or may be submitted;
 * otherwise NULL. */
static const berth__identity *known_as(const berth_scheduler *scheduler, const berth__class *cls,
                                       uint32_t node)
{
    return cls != NULL && cls->identity->pod_group != 0 &&
                   (node != BERTH_NODE_NONE ||
                    berth__decider_profile(scheduler->decider, cls) != UINT32_MAX)
               ? cls->identity
               : NULL;
}

berth_status berth__loop_know_all(berth_scheduler *scheduler)
{
    const berth__pods *pods = &scheduler->cluster->pods;
    if (!scheduler->cluster->model->behaviours.pod_groups)
        return BERTH_OK;
    berth__queue_count_anew(&scheduler->queue);
    for (uint32_t i = 0; i < pods->record_count; i++) {
        const berth__pod_record *pod = berth__pod_at(pods, i);
        const berth__identity *identity = known_as(scheduler, pod->cls, pod->node);
        if (identity == NULL)
            continue;
        BERTH_TRY(berth__queue_reserve(&scheduler->queue, pods->record_count));
        berth__queue_know(&scheduler->queue, identity, 1);
    }
    berth__queue_end_count(&scheduler->queue);
    return BERTH_OK;
}

static bool is_same_group(const berth__identity *a, const berth__identity *b)
{
    return a != NULL && b != NULL && a->pod_group == b->pod_group &&
           a->namespace_name == b->namespace_name;
}

/* Count the changed pod for its new group. Returns the old identity if the pod must be discounted
 * from its old group once the change has been followed; NULL: it need not. */
static const berth__identity *know(berth_scheduler *scheduler, const berth__change *change)
{
    const berth__identity *old = known_as(scheduler, change->old_class, change->old_node);
    const berth__identity *new = known_as(scheduler, change->new_class, change->new_node);
    if (is_same_group(old, new))
        return NULL;
    if (new != NULL)
        berth__queue_know(&scheduler->queue, new, 1);
    return old;
}

/* ---- the pod itself ---- */

void berth__loop_submit(berth_scheduler *scheduler, uint32_t pod)
{
    uint32_t profile = serving_profile(scheduler, pod);
    if (profile == UINT32_MAX)
        return;
    berth__queue_submit(&scheduler->queue, pod, profile);
    scheduler->counters.submitted++;
}

/* Follow a change of an assumed pod, which is now on some node, or removed. */
static void follow_assumed(berth_scheduler *scheduler, berth__queue_item *item,
                           const berth__change *change)
{
    if (change->new_class == NULL) {
        berth__loop_abandon(scheduler, item, BERTH_UNBIND_DELETED);
    } else if (change->new_node != item->node) {
        berth__loop_abandon(scheduler, item, BERTH_UNBIND_TAKEN);
        berth__loop_submit(scheduler, change->pod); /* does nothing if the pod is on a node */
    } else if (!scheduler->silent_on_node) {
        berth__loop_confirm(scheduler, item);
    }
}

static bool changes_itself(const berth_scheduler *scheduler, const berth__change *change)
{
    return change->old_class != change->new_class ||
           change->old_priority != berth__pod_at(&scheduler->cluster->pods, change->pod)->priority;
}

/* An API server does not let a pod change its group, but the group's own place may change. */
static bool has_moved(const berth_scheduler *scheduler, const berth__queue_item *item,
                      const berth__class *cls)
{
    return berth__queue_has_moved(&scheduler->queue, item, cls->identity);
}

static void enter_anew(berth_scheduler *scheduler, berth__queue_item *item, uint32_t profile)
{
    const uint32_t pod = item->pod;
    berth__queue_remove(&scheduler->queue, item);
    berth__queue_submit(&scheduler->queue, pod, profile);
}

static void follow_waiting(berth_scheduler *scheduler, berth__queue_item *item,
                           const berth__change *change)
{
    uint32_t profile = UINT32_MAX;
    if (change->new_class != NULL)
        profile = serving_profile(scheduler, change->pod);
    if (profile != UINT32_MAX && has_moved(scheduler, item, change->new_class)) {
        enter_anew(scheduler, item, profile);
        return;
    }
    if (profile != UINT32_MAX) {
        if (changes_itself(scheduler, change))
            berth__queue_update(&scheduler->queue, item, profile);
        return;
    }
    *(change->new_node != BERTH_NODE_NONE ? &scheduler->counters.taken
                                          : &scheduler->counters.deleted) += 1;
    berth__queue_remove(&scheduler->queue, item);
}

static void follow(berth_scheduler *scheduler, const berth__change *change)
{
    berth__queue_item *item = berth__queue_find(&scheduler->queue, change->pod);
    if (item != NULL && item->state == BERTH_POD_STATE_ASSUMED)
        follow_assumed(scheduler, item, change);
    else if (item != NULL)
        follow_waiting(scheduler, item, change);
    else if (change->new_class != NULL)
        berth__loop_submit(scheduler, change->pod);
}

/* Whether the pod has come to its nominated node as it was, so that it uses what was kept. */
static bool takes_what_was_kept(const berth_scheduler *scheduler, const berth__change *change)
{
    return change->new_class == change->old_class && change->new_node == change->old_nominated &&
           change->old_priority == berth__pod_at(&scheduler->cluster->pods, change->pod)->priority;
}

/* Whether the pending pod's nomination is unchanged. Source: hasNominatedNodeNameChanged. */
static bool is_still_kept(const berth_scheduler *scheduler, const berth__change *change)
{
    return change->new_class != NULL && !changes_itself(scheduler, change) &&
           berth__loop_nominated(scheduler, change->pod) == change->old_nominated;
}

/* A victim has left, is terminating, or is no longer terminating. */
static void follow_victim(berth_scheduler *scheduler, const berth__change *change)
{
    if (scheduler->running.count == 0 || change->old_class == NULL)
        return;
    bool gone = change->new_class == NULL || change->new_node != change->old_node ||
                (change->old_class->deleting && !change->new_class->deleting);
    if (gone || change->new_class->deleting)
        berth__loop_victim_leaves(scheduler, berth__cluster_pod_id(scheduler->cluster, change->pod),
                                  gone);
}

/* The effect of the pod's change on others: on its former node, on its current node, and on the
 * node for which it was nominated. */
static void wake_others(berth_scheduler *scheduler, const berth__change *change)
{
    uint32_t old_node = change->old_class != NULL ? change->old_node : BERTH_NODE_NONE;
    uint32_t new_node = change->new_class != NULL ? change->new_node : BERTH_NODE_NONE;
    if (old_node != new_node) {
        berth__loop_wake_pod(scheduler, BERTH_WAKE_POD_REMOVE, old_node, change->old_class, NULL);
        berth__loop_wake_pod(scheduler, BERTH_WAKE_POD_ADD, new_node, NULL, change->new_class);
    } else if (old_node != BERTH_NODE_NONE) {
        uint32_t bits = berth__pod_difference(change->old_class, change->new_class);
        if (change->old_priority != berth__pod_at(&scheduler->cluster->pods, change->pod)->priority)
            bits |= BERTH_WAKE_POD_REMOVE; /* it may now be preemptible */
        berth__loop_wake_pod(scheduler, bits, old_node, change->old_class, change->new_class);
    }
    if (change->old_nominated != BERTH_NODE_NONE && !takes_what_was_kept(scheduler, change) &&
        !is_still_kept(scheduler, change))
        berth__loop_wake_unkept(scheduler, change->old_nominated, change->old_class);
}

/* If a change was missed, the pool may hold pods and classes that no longer exist; wait for the
 * catch-up, which compares and retries all of them. */
void berth__loop_hear(void *context, const berth__change *change)
{
    berth_scheduler *scheduler = context;
    const berth__identity *unknown;
    if (scheduler->watcher.missed)
        return;
    switch (change->kind) {
    case BERTH_KIND_NODE:
        hear_of_node(scheduler, change);
        break;
    case BERTH_KIND_POD:
        follow_victim(scheduler, change);
        unknown = know(scheduler, change);
        follow(scheduler, change);
        if (unknown != NULL)
            berth__queue_know(&scheduler->queue, unknown, -1);
        wake_others(scheduler, change);
        break;
    default:
        hear_of_other(scheduler, change);
    }
}

/* ---- after a transaction ---- */

static void catch_up_with(berth_scheduler *scheduler, berth__queue_item *item)
{
    const berth__pod_record *pod = berth__pod_at(&scheduler->cluster->pods, item->pod);
    bool gone = pod->cls == NULL || pod->generation != item->generation;
    bool assumed = item->state == BERTH_POD_STATE_ASSUMED;
    uint32_t profile = gone || assumed ? UINT32_MAX : serving_profile(scheduler, item->pod);
    if (assumed && !gone && pod->node == item->node)
        return;
    if (assumed) {
        berth__loop_abandon(scheduler, item, gone ? BERTH_UNBIND_DELETED : BERTH_UNBIND_TAKEN);
    } else if (profile != UINT32_MAX && has_moved(scheduler, item, pod->cls)) {
        enter_anew(scheduler, item, profile);
    } else if (profile != UINT32_MAX) {
        berth__queue_update(&scheduler->queue, item, profile);
    } else {
        bool taken = !gone && pod->node != BERTH_NODE_NONE;
        *(taken ? &scheduler->counters.taken : &scheduler->counters.deleted) += 1;
        berth__queue_remove(&scheduler->queue, item);
    }
}

berth_status berth__loop_catch_up(berth_scheduler *scheduler)
{
    const berth__pods *pods = &scheduler->cluster->pods;
    if (!scheduler->watcher.missed)
        return BERTH_OK;
    for (uint32_t i = 0; i < scheduler->queue.by_pod_capacity; i++)
        if (scheduler->queue.by_pod[i] != NULL) {
            BERTH_TRY(berth__queue_reserve(&scheduler->queue, pods->record_count));
            catch_up_with(scheduler, scheduler->queue.by_pod[i]);
        }
    BERTH_TRY(berth__loop_know_all(scheduler));
    for (uint32_t i = pods->first_pending; i != BERTH_POD_INDEX_NONE;
         i = berth__pod_at(pods, i)->next) {
        BERTH_TRY(berth__queue_reserve(&scheduler->queue, pods->record_count));
        if (berth__queue_find(&scheduler->queue, i) == NULL)
            berth__loop_submit(scheduler, i);
    }
    scheduler->watcher.missed = false;
    berth__loop_follow_victims(scheduler);
    return BERTH_OK;
}
