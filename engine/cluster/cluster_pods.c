/* Pods of the cluster: adding, binding, moving, changing and removing them. */
#include "cluster/cluster_parts.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "cluster/cluster_moves.h"
#include "cluster/cluster_undo.h"
#include "cluster/pod_moves.h"
#include "columns/freed_ports.h"
#include "columns/pod_counts.h"
#include "columns/volume_use.h"

/* ---- making writable ---- */

/* Reserve the list of freed ports, if the pod's leaving may change it. */
static berth_status reserve_freed_ports(berth__cluster *cluster, uint32_t pod)
{
    const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
    if (record->node == BERTH_NODE_NONE ||
        !berth__freed_ports_change(&cluster->view, berth__cluster_node(cluster, record->node),
                                   record->cls))
        return BERTH_OK;
    return berth__freed_ports_reserve(&cluster->view, record->cls->ports->count) ? BERTH_OK
                                                                                 : BERTH_E_NOMEM;
}

/* A pod leaves its node: the pod, its neighbours on the list, the pod that fills its gap, the
 * node's record and its tile. */
static berth_status make_writable_to_leave(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(reserve_freed_ports(cluster, pod));
    if (!cluster->cow.shared)
        return BERTH_OK;
    BERTH_TRY(berth__pods_make_linked_writable(&cluster->pods, pod));
    uint32_t node_id = berth__pod_at(&cluster->pods, pod)->node;
    if (node_id == BERTH_NODE_NONE)
        return BERTH_OK;
    BERTH_TRY(berth__cluster_make_node_writable(cluster, node_id));
    const berth__node_record *node = berth__cluster_node(cluster, node_id);
    BERTH_TRY(berth__pods_make_last_writable(&cluster->pods, node));
    return node->slot != BERTH__SLOT_NONE ? berth__view_make_writable(&cluster->view, node->slot)
                                          : BERTH_OK;
}

/* A pod arrives on a node (counting makes the tile writable), or among the pending pods. */
static berth_status make_writable_to_come(berth__cluster *cluster, uint32_t node_id)
{
    if (!cluster->cow.shared)
        return BERTH_OK;
    if (node_id == BERTH_NODE_NONE)
        return berth__pods_make_writable(&cluster->pods, cluster->pods.last_pending);
    BERTH_TRY(berth__cluster_make_node_writable(cluster, node_id));
    return berth__pods_make_writable(&cluster->pods,
                                     berth__cluster_node(cluster, node_id)->first_pod);
}

/* ---- notification ---- */

/* The pod's current state as the old side of a change. */
static berth__change change_of_pod(const berth__cluster *cluster, uint32_t index)
{
    const berth__pod_record *pod = berth__pod_at(&cluster->pods, index);
    const berth__nomination *nomination = berth__nominations_find(&cluster->nominations, index);
    return (berth__change){.kind = BERTH_KIND_POD,
                           .pod = index,
                           .old_class = pod->cls,
                           .old_node = pod->node,
                           .new_node = BERTH_NODE_NONE,
                           .old_priority = pod->priority,
                           .old_nominated = nomination != NULL && nomination->awake
                                                ? nomination->node
                                                : BERTH_NODE_NONE};
}

berth_status berth__cluster_begin_move(berth__cluster *cluster, uint32_t pod, berth__change *change)
{
    if (cluster->watcher == NULL)
        return BERTH_OK;
    if (!berth__cluster_make_ready(cluster, BERTH_KIND_POD))
        return BERTH_E_NOMEM;
    *change = change_of_pod(cluster, pod);
    return BERTH_OK;
}

void berth__cluster_end_move(const berth__cluster *cluster, berth__change *change)
{
    if (cluster->watcher == NULL)
        return;
    change->new_class = berth__pod_at(&cluster->pods, change->pod)->cls;
    change->new_node = berth__pod_at(&cluster->pods, change->pod)->node;
    berth__cluster_notify(cluster, change);
}

/* ---- pods ---- */

berth_pod_id berth__cluster_pod_id(const berth__cluster *cluster, uint32_t index)
{
    return berth__pod_id(&cluster->pods, index);
}

uint32_t berth__cluster_pod(const berth__cluster *cluster, berth_pod_id id)
{
    return berth__pod_of_id(&cluster->pods, id);
}

static bool is_finished(const berth_pod *pod)
{
    return berth__str_is(pod->phase, "Succeeded") || berth__str_is(pod->phase, "Failed");
}

static bool is_disrupted(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->condition_count; i++)
        if (berth__str_is(pod->conditions[i].type, "DisruptionTarget") &&
            berth__str_is(pod->conditions[i].status, "True") &&
            berth__str_is(pod->conditions[i].reason, "PreemptionByScheduler"))
            return true;
    return false;
}

/* Host ports of a pod that arrives on a node without a slot are no longer free, even if another pod
 * that had them left. */
static berth_status take_ports(berth__cluster *cluster, const berth__class *cls, uint32_t node_id)
{
    if (cls->ports == NULL || berth__freed_ports_count(&cluster->view) == 0)
        return BERTH_OK;
    if (!berth__freed_ports_reserve(&cluster->view, 0) || !berth__note_freed(cluster, false))
        return BERTH_E_NOMEM;
    berth__freed_ports_come(&cluster->view, node_id, cls);
    return BERTH_OK;
}

/* Count a pod of a class on a node, if the node is in the layout. This is the part of entering that
 * can fail. */
static berth_status count_on(berth__cluster *cluster, const berth__class *cls, uint32_t node_id)
{
    const berth__node_record *node = berth__cluster_node(cluster, node_id);
    if (!berth__node_present(node) || node->slot == BERTH__SLOT_NONE)
        return take_ports(cluster, cls, node_id);
    BERTH_TRY(berth__cluster_widen(cluster));
    BERTH_TRY(berth__view_make_writable(&cluster->view, node->slot));
    if (!berth__note_count(cluster, node_id, cls, 1))
        return BERTH_E_NOMEM;
    berth_status status = berth__view_add_pod(&cluster->view, node->slot, cls);
    if (status != BERTH_OK)
        berth__undo_cancel(&cluster->undo);
    return status;
}

/* Put a pod that is counted there, but is on no list, onto its node's list. */
static void attach(berth__cluster *cluster, uint32_t pod, uint32_t node_id)
{
    berth__node_record *node = berth__cluster_node(cluster, node_id);
    berth__pods_attach(&cluster->pods, node, node_id, pod);
    *(berth__node_present(node) ? &cluster->running_count : &cluster->orphan_count) += 1;
    berth__note_list(cluster, pod, BERTH__CAME_TO_NODE);
    node->refreshed = cluster->view.images.cycle;
}

static void append_pending(berth__cluster *cluster, uint32_t pod)
{
    berth__pods_append_pending(&cluster->pods, pod);
    berth__note_list(cluster, pod, BERTH__CAME_TO_PENDING);
}

static void remove_pending(berth__cluster *cluster, uint32_t pod)
{
    berth__note_list(cluster, pod, BERTH__LEFT_PENDING);
    berth__pods_remove_pending(&cluster->pods, pod);
}

static berth_status enter(berth__cluster *cluster, uint32_t pod, uint32_t node_id)
{
    BERTH_TRY(count_on(cluster, berth__pod_at(&cluster->pods, pod)->cls, node_id));
    attach(cluster, pod, node_id);
    return BERTH_OK;
}

/* The host ports of a node's slot before a pod with ports left it. */
typedef struct kept_ports {
    berth__host_port *items;
    uint32_t count;
} kept_ports;

static bool keep_ports(const berth__cluster *cluster, const berth__pod_record *pod, kept_ports *out)
{
    const berth__node_record *node = berth__cluster_node(cluster, pod->node);
    const berth__host_port *items;
    *out = (kept_ports){NULL, 0};
    if (pod->cls->ports == NULL || !berth__node_present(node) || node->slot == BERTH__SLOT_NONE)
        return true;
    const uint32_t count = berth__view_ports(&cluster->view, node->slot, &items);
    if (count == 0)
        return true;
    out->items = berth__alloc(cluster->model->allocator, count * sizeof(*items), 8);
    if (out->items == NULL)
        return false;
    memcpy(out->items, items, count * sizeof(*items));
    out->count = count;
    return true;
}

static void drop_ports(const berth__cluster *cluster, kept_ports *ports)
{
    berth__free(cluster->model->allocator, ports->items, ports->count * sizeof(*ports->items));
}

/* Enter a node that the pod has just left. Its memory is still there, so this does not fail. */
static void enter_again(berth__cluster *cluster, uint32_t pod, uint32_t node_id,
                        const kept_ports *ports)
{
    const berth__node_record *node = berth__cluster_node(cluster, node_id);
    const berth__class *cls = berth__pod_at(&cluster->pods, pod)->cls;
    if (berth__node_present(node) && node->slot != BERTH__SLOT_NONE) {
        berth__view_restore_pod(&cluster->view, node->slot, cls, 1);
        if (cls->ports != NULL)
            berth__view_set_ports(&cluster->view, node->slot, ports->items, ports->count);
    } else {
        (void)take_ports(cluster, cls, node_id);
    }
    attach(cluster, pod, node_id);
}

/* Take a pod off its node's list. It is still counted there. */
static void detach(berth__cluster *cluster, uint32_t pod)
{
    berth__node_record *node =
        berth__cluster_node(cluster, berth__pod_at(&cluster->pods, pod)->node);
    *(berth__node_present(node) ? &cluster->running_count : &cluster->orphan_count) -= 1;
    berth__note_list(cluster, pod, BERTH__LEFT_NODE);
    berth__pods_detach(&cluster->pods, node, pod);
    node->refreshed = cluster->view.images.cycle;
}

static void leave(berth__cluster *cluster, uint32_t pod)
{
    berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
    berth__node_record *node = berth__cluster_node(cluster, record->node);
    if (berth__node_present(node) && node->slot != BERTH__SLOT_NONE) {
        (void)berth__note_count(cluster, record->node, record->cls, -1); /* there is room */
        berth__view_remove_pod(&cluster->view, node->slot, record->cls);
    } else if (berth__freed_ports_change(&cluster->view, node, record->cls)) {
        (void)berth__note_freed(cluster, true); /* there is room */
        berth__freed_ports_leave(&cluster->view, pod, &cluster->pods);
    }
    detach(cluster, pod);
}

/* Move a pending pod to a node; this can be undone afterwards. */
static berth_status make_writable_to_bind(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    BERTH_TRY(berth__pods_make_linked_writable(&cluster->pods, pod));
    BERTH_TRY(make_writable_to_come(cluster, node));
    return make_writable_to_come(cluster, BERTH_NODE_NONE);
}

/* Before a pod of the class comes, moves or leaves: bring a branch's volumes up to date. */
static berth_status follow_volumes(berth__cluster *cluster, const berth__class *cls)
{
    return cls->volumes == NULL && cls->claims == NULL && cls->extended == NULL &&
                   !cluster->lost_volumes
               ? BERTH_OK
               : berth__cluster_catch_up_volumes(cluster);
}

berth_status berth__cluster_bind(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    BERTH_TRY(follow_volumes(cluster, berth__pod_at(&cluster->pods, pod)->cls));
    if (cluster->cow.shared)
        BERTH_TRY(make_writable_to_bind(cluster, pod, node));
    if (!berth__cluster_reserve_undo(cluster, pod))
        return BERTH_E_NOMEM;
    BERTH_TRY(count_on(cluster, berth__pod_at(&cluster->pods, pod)->cls, node));
    remove_pending(cluster, pod);
    attach(cluster, pod, node);
    berth__nominations_wake(&cluster->nominations, pod, false);
    return BERTH_OK;
}

berth_status berth__cluster_prepare_unbind(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(follow_volumes(cluster, berth__pod_at(&cluster->pods, pod)->cls));
    BERTH_TRY(make_writable_to_leave(cluster, pod));
    return make_writable_to_come(cluster, BERTH_NODE_NONE);
}

berth_status berth__cluster_unbind(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(berth__cluster_prepare_unbind(cluster, pod));
    leave(cluster, pod);
    append_pending(cluster, pod);
    berth__nominations_wake(&cluster->nominations, pod, true);
    return BERTH_OK;
}

berth__before_bind berth__cluster_before_bind(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    return (berth__before_bind){.previous = berth__pod_at(&cluster->pods, pod)->previous,
                                .refreshed = berth__cluster_node(cluster, node)->refreshed};
}

void berth__cluster_retract(berth__cluster *cluster, uint32_t pod, berth__before_bind before)
{
    berth__node_record *node =
        berth__cluster_node(cluster, berth__pod_at(&cluster->pods, pod)->node);
    BERTH_ASSERT(!cluster->undo.recording);
    leave(cluster, pod);
    node->refreshed = before.refreshed;
    berth__pods_insert_pending(&cluster->pods, pod, before.previous);
    berth__nominations_wake(&cluster->nominations, pod, true);
}

/* The node that a pod's status nominates (BERTH_NODE_NONE: none). Reserves memory for the
 * nomination. */
static berth_status reserve_nomination(berth__cluster *cluster, const berth_pod *source,
                                       uint32_t *out)
{
    *out = BERTH_NODE_NONE;
    if (source->nominated_node_name.len == 0)
        return BERTH_OK;
    *out = berth__cluster_node_id_make(cluster, source->nominated_node_name);
    return *out == BERTH_NODE_NONE ? BERTH_E_NOMEM
                                   : berth__nominations_reserve(&cluster->nominations, *out);
}

/* A nomination ends with the status that made it. A nomination by the engine's user stays, as
 * kube-scheduler's does until the API server knows it. */
static void follow_nomination(berth__cluster *cluster, uint32_t pod, uint32_t node)
{
    const berth__nomination *old = berth__nominations_find(&cluster->nominations, pod);
    bool from_object = node != BERTH_NODE_NONE;
    if (!from_object && old != NULL && !old->from_object)
        node = old->node;
    if (node != BERTH_NODE_NONE)
        berth__nominations_set(&cluster->nominations, &cluster->pods, pod, node, from_object);
    else if (old != NULL)
        berth__nominations_drop(&cluster->nominations, pod);
}

static berth_str namespace_of(const berth_pod *pod)
{
    return pod->meta.namespace_name.len > 0 ? pod->meta.namespace_name : BERTH_STR("default");
}

/* Put a pod whose class is known into the table and onto its list. Takes over the class's use. */
static berth_status insert_pod(berth__cluster *cluster, const berth_pod *source, berth__class *cls,
                               uint32_t *out)
{
    uint32_t node_id = BERTH_NODE_NONE, nominated;
    if (source->node_name.len > 0) {
        node_id = berth__cluster_node_id_make(cluster, source->node_name);
        if (node_id == BERTH_NODE_NONE)
            return BERTH_E_NOMEM;
    }
    BERTH_TRY(reserve_nomination(cluster, source, &nominated));
    BERTH_TRY(follow_volumes(cluster, cls));
    BERTH_TRY(make_writable_to_come(cluster, node_id));
    BERTH_TRY(berth__pods_add(&cluster->pods, cls, source->meta.name, out));
    berth__note_pod_added(cluster, *out);
    berth__pod_record *pod = berth__pod_at(&cluster->pods, *out);
    pod->priority = source->has_priority ? source->priority : 0;
    pod->start_time_ns = source->start_time_ns;
    pod->disrupted = is_disrupted(source);
    if (node_id == BERTH_NODE_NONE)
        append_pending(cluster, *out);
    berth_status status = node_id == BERTH_NODE_NONE ? BERTH_OK : enter(cluster, *out, node_id);
    if (status != BERTH_OK) {
        berth__undo_cancel(&cluster->undo);
        cls->users++; /* the caller releases its own use */
        berth__pods_unadd(&cluster->pods, cluster->model, *out);
        return status;
    }
    follow_nomination(cluster, *out, nominated);
    berth__pod_moved(cluster, *out, cls, node_id, true);
    berth__cluster_notify_locked(cluster, &(berth__change){.kind = BERTH_KIND_POD,
                                                           .pod = *out,
                                                           .new_class = cls,
                                                           .old_node = BERTH_NODE_NONE,
                                                           .new_node = node_id,
                                                           .old_nominated = BERTH_NODE_NONE});
    return BERTH_OK;
}

berth_status berth__cluster_add_pod(berth__cluster *cluster, const berth_pod *source, uint64_t *id,
                                    berth_error *error)
{
    if (id != NULL)
        *id = BERTH_POD_NONE;
    berth__sym space = berth__intern_find(&cluster->model->strings, namespace_of(source));
    if (space != 0 &&
        berth__pods_find(&cluster->pods, space, source->meta.name) != BERTH_POD_INDEX_NONE)
        return berth__error_set(error, BERTH_E_EXISTS, "a pod of this name is already there");
    if (is_finished(source))
        return BERTH_OK;
    berth__class *cls;
    BERTH_TRY(berth__class_of(cluster->model, source, &cls, error));
    uint32_t index;
    if (insert_pod(cluster, source, cls, &index) != BERTH_OK) {
        berth__class_release(cluster->model, cls);
        return berth__error_no_memory(error);
    }
    if (cls->pod_rules != NULL)
        berth__groups_foresee(&cluster->view);
    if (cls->volumes != NULL)
        berth__cluster_keep_up_volumes(cluster);
    if (id != NULL)
        *id = berth__cluster_pod_id(cluster, index);
    return BERTH_OK;
}

/* Make the record of a pending pod of that class, not counted anywhere yet. Takes over the class's
 * use. */
static berth_status insert_like(berth__cluster *cluster, const berth__pod_record *like,
                                berth_str name, uint32_t *out)
{
    int32_t priority = like->priority;
    berth__class *cls = like->cls;
    BERTH_TRY(make_writable_to_come(cluster, BERTH_NODE_NONE));
    BERTH_TRY(berth__pods_add(&cluster->pods, cls, name, out));
    cls->users++;
    berth__note_pod_added(cluster, *out);
    berth__pod_at(&cluster->pods, *out)->priority = priority;
    append_pending(cluster, *out);
    return BERTH_OK;
}

berth_status berth__cluster_add_like(berth__cluster *cluster, uint32_t pod, berth_str name,
                                     uint64_t *id, berth_error *error)
{
    const berth__pod_record *like = berth__pod_at(&cluster->pods, pod);
    uint32_t index;
    if (name.len == 0)
        return berth__error_set(error, BERTH_E_INVALID, "a pod needs a name");
    if (berth__pods_find(&cluster->pods, like->cls->identity->namespace_name, name) !=
        BERTH_POD_INDEX_NONE)
        return berth__error_set(error, BERTH_E_EXISTS, "a pod of this name is already there");
    if (!berth__cluster_make_ready(cluster, BERTH_KIND_POD))
        return berth__error_no_memory(error);
    berth__model_lock(cluster->model); /* the class gets another use */
    berth_status status = insert_like(cluster, like, name, &index);
    berth__model_unlock(cluster->model);
    if (status != BERTH_OK)
        return berth__error_no_memory(error);
    berth__cluster_notify(cluster,
                          &(berth__change){.kind = BERTH_KIND_POD,
                                           .pod = index,
                                           .new_class = berth__pod_at(&cluster->pods, index)->cls,
                                           .old_node = BERTH_NODE_NONE,
                                           .new_node = BERTH_NODE_NONE,
                                           .old_nominated = BERTH_NODE_NONE});
    *id = berth__cluster_pod_id(cluster, index);
    return BERTH_OK;
}

static uint32_t find_pod(const berth__cluster *cluster, berth_str namespace_name, berth_str name)
{
    if (namespace_name.len == 0)
        namespace_name = BERTH_STR("default");
    berth__sym space = berth__intern_find(&cluster->model->strings, namespace_name);
    return space == 0 ? BERTH_POD_INDEX_NONE : berth__pods_find(&cluster->pods, space, name);
}

static void take_off_lists(berth__cluster *cluster, uint32_t pod)
{
    if (berth__pod_at(&cluster->pods, pod)->node == BERTH_NODE_NONE)
        remove_pending(cluster, pod);
    else
        leave(cluster, pod);
}

berth_status berth__cluster_prepare_removal(berth__cluster *cluster, uint32_t pod)
{
    BERTH_TRY(follow_volumes(cluster, berth__pod_at(&cluster->pods, pod)->cls));
    BERTH_TRY(make_writable_to_leave(cluster, pod));
    BERTH_TRY(berth__pods_prepare_removal(&cluster->pods, pod));
    return berth__cluster_reserve_undo(cluster, pod) ? BERTH_OK : BERTH_E_NOMEM;
}

berth_status berth__cluster_remove_pod(berth__cluster *cluster, berth_str namespace_name,
                                       berth_str name, berth_error *error)
{
    uint32_t pod = find_pod(cluster, namespace_name, name);
    if (pod == BERTH_POD_INDEX_NONE)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod of this name");
    if (berth__cluster_prepare_removal(cluster, pod) != BERTH_OK)
        return berth__error_no_memory(error);
    const berth__change change = change_of_pod(cluster, pod);
    berth__pod_moved(cluster, pod, berth__pod_at(&cluster->pods, pod)->cls, change.old_node, false);
    take_off_lists(cluster, pod);
    berth__nominations_drop(&cluster->nominations, pod);
    if (cluster->view.storage != NULL)
        berth__storage_forget(cluster->view.storage, pod);
    berth__cluster_notify_locked(cluster, &change);
    berth__drop_pod(cluster, pod);
    return BERTH_OK;
}

/* A pod may leave its node and come to another one, or become pending. The tile of the new node is
 * made writable, so counting the pod there needs no note. */
static berth_status make_writable_to_move(berth__cluster *cluster, uint32_t pod, uint32_t node_id)
{
    if (!cluster->cow.shared)
        return reserve_freed_ports(cluster, pod);
    BERTH_TRY(berth__cluster_widen(cluster));
    BERTH_TRY(make_writable_to_leave(cluster, pod));
    BERTH_TRY(make_writable_to_come(cluster, BERTH_NODE_NONE));
    if (node_id == BERTH_NODE_NONE)
        return BERTH_OK;
    BERTH_TRY(make_writable_to_come(cluster, node_id));
    uint32_t slot = berth__cluster_node(cluster, node_id)->slot;
    return slot != BERTH__SLOT_NONE ? berth__view_make_writable(&cluster->view, slot) : BERTH_OK;
}

/* Assign another class to a pod on a node. The old class leaves first, because both may have the
 * same host port. With the class that it has (most updates change only a status), the pod goes to
 * the end of the node's list, and nothing is counted again, unless the node sees other counts of
 * its images from now on. */
static berth_status change_in_place(berth__cluster *cluster, uint32_t index, berth__class *cls)
{
    berth__pod_record *pod = berth__pod_at(&cluster->pods, index);
    berth__class *old_class = pod->cls;
    const uint32_t node_id = pod->node;
    const berth__node_record *node = berth__cluster_node(cluster, node_id);
    kept_ports ports;
    if (cls == old_class && berth__node_present(node) && node->slot != BERTH__SLOT_NONE &&
        berth__images_are_seen(&cluster->view.images, node->refreshed)) {
        detach(cluster, index);
        attach(cluster, index, node_id);
        berth__view_note_list(&cluster->view, node->slot);
        return BERTH_OK;
    }
    if (!keep_ports(cluster, pod, &ports))
        return BERTH_E_NOMEM;
    leave(cluster, index);
    pod->cls = cls;
    const berth_status status = enter(cluster, index, node_id);
    if (status != BERTH_OK) {
        pod->cls = old_class;
        if (!cluster->undo.recording) /* otherwise the caller undoes it */
            enter_again(cluster, index, node_id, &ports);
    }
    drop_ports(cluster, &ports);
    return status;
}

/* Assign another class and node (BERTH_NODE_NONE: none) to a pod. A pending pod that stays pending
 * keeps its place in the queue. */
static berth_status move_pod(berth__cluster *cluster, uint32_t index, berth__class *cls,
                             uint32_t node_id)
{
    berth__pod_record *pod = berth__pod_at(&cluster->pods, index);
    const uint32_t old_node = pod->node;
    if (node_id == BERTH_NODE_NONE && old_node == BERTH_NODE_NONE) {
        pod->cls = cls;
        return BERTH_OK;
    }
    if (node_id == old_node)
        return change_in_place(cluster, index, cls);
    if (node_id != BERTH_NODE_NONE)
        BERTH_TRY(count_on(cluster, cls, node_id));
    take_off_lists(cluster, index);
    pod->cls = cls;
    if (node_id != BERTH_NODE_NONE)
        attach(cluster, index, node_id);
    else
        append_pending(cluster, index);
    return BERTH_OK;
}

/* Plugins that count requests see a changed pod as another one: report that the old pod left and
 * the new one came. */
static void tell_of_update(berth__cluster *cluster, uint32_t index, const berth__pod_record *former)
{
    const berth__pod_record *pod = berth__pod_at(&cluster->pods, index);
    if (pod->cls == former->cls && pod->node == former->node)
        return;
    berth__pod_moved(cluster, index, former->cls, former->node, false);
    berth__pod_moved(cluster, index, pod->cls, pod->node, true);
}

/* The record stays, and so does the pod's id. Class and node change. */
berth_status berth__cluster_update_pod(berth__cluster *cluster, const berth_pod *source,
                                       berth_error *error)
{
    uint32_t index = find_pod(cluster, namespace_of(source), source->meta.name);
    if (index == BERTH_POD_INDEX_NONE)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod of this name");
    if (is_finished(source))
        return berth__cluster_remove_pod(cluster, namespace_of(source), source->meta.name, error);
    berth__class *cls;
    BERTH_TRY(berth__class_of(cluster->model, source, &cls, error));
    uint32_t node_id = BERTH_NODE_NONE, nominated;
    if (reserve_nomination(cluster, source, &nominated) != BERTH_OK)
        goto fail;
    if (source->node_name.len > 0 &&
        (node_id = berth__cluster_node_id_make(cluster, source->node_name)) == BERTH_NODE_NONE)
        goto fail;
    char *name = NULL;
    if (follow_volumes(cluster, cls) != BERTH_OK ||
        follow_volumes(cluster, berth__pod_at(&cluster->pods, index)->cls) != BERTH_OK ||
        make_writable_to_move(cluster, index, node_id) != BERTH_OK ||
        !berth__cluster_reserve_undo(cluster, index) ||
        berth__pods_reserve_class(&cluster->pods, index, &name) != BERTH_OK)
        goto fail;
    berth__pod_record *pod = berth__pod_at(&cluster->pods, index);
    berth__pod_record former = *pod;
    berth__change change = change_of_pod(cluster, index);
    if (!berth__note_pod(cluster, index, name != NULL)) {
        berth__pods_unreserve_class(&cluster->pods, index, name);
        goto fail;
    }
    uint32_t moves = cluster->undo.top;
    if (move_pod(cluster, index, cls, node_id) != BERTH_OK) {
        berth__undo_to(&cluster->undo, moves);
        berth__cancel_pod(cluster);
        berth__pods_unreserve_class(&cluster->pods, index, name);
        goto fail;
    }
    berth__pods_take_class(&cluster->pods, index, name);
    cluster->lost_volumes |= (former.cls->volumes != NULL && cls->volumes == NULL) ||
                             (former.cls->claims != NULL && cls->claims == NULL) ||
                             (former.cls->extended != NULL && cls->extended == NULL);
    pod->priority = source->has_priority ? source->priority : 0;
    if (pod->node != BERTH_NODE_NONE)
        berth__pods_bound_priority(&cluster->pods, berth__cluster_node(cluster, pod->node), index);
    pod->start_time_ns = source->start_time_ns;
    pod->disrupted = is_disrupted(source);
    pod->evicting = pod->evicting && !cls->deleting && pod->node == former.node;
    follow_nomination(cluster, index, nominated);
    change.new_class = cls;
    change.new_node = node_id;
    tell_of_update(cluster, index, &former);
    berth__cluster_notify_locked(cluster, &change);
    if (!cluster->undo.recording)
        berth__pods_drop_class(&cluster->pods, cluster->model, &former, name != NULL);
    return BERTH_OK;
fail:
    berth__class_release(cluster->model, cls);
    return berth__error_no_memory(error);
}
