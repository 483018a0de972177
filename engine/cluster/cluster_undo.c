/* Undo records of nodes and pods, and the functions that restore from them. */
#include "cluster/cluster_undo.h"

#include <string.h>

#include "base/assert.h"
#include "cluster/cluster_parts.h"
#include "columns/freed_ports.h"
#include "columns/volume_use.h"
#include "devices/devices.h"

/* Enough for every operation, not counting what grows with its objects. */
enum { RECORDS = 22, RECORD_BYTES = 160 };

static bool reserve(berth__cluster *cluster, size_t more_bytes)
{
    return berth__undo_reserve(&cluster->undo, RECORDS, RECORDS * RECORD_BYTES + more_bytes);
}

static void *push(berth__cluster *cluster, const berth__undo_kind *kind, size_t bytes)
{
    return berth__undo_push(&cluster->undo, kind, cluster, bytes);
}

/* The slot of a node whose pods are counted, or BERTH__SLOT_NONE. */
static uint32_t counting_slot(const berth__cluster *cluster, uint32_t node)
{
    const berth__node_record *record = berth__cluster_node(cluster, node);
    return berth__node_present(record) ? record->slot : BERTH__SLOT_NONE;
}

static size_t ports_bytes(const berth__cluster *cluster, uint32_t slot)
{
    const berth__host_port *items;
    return slot == BERTH__SLOT_NONE
               ? 0
               : berth__view_ports(&cluster->view, slot, &items) * sizeof(*items);
}

/* A list of freed ports before it changed. The ports follow the struct. */
typedef struct former_freed {
    uint32_t count;
} former_freed;

static size_t freed_bytes(const berth__cluster *cluster)
{
    return sizeof(former_freed) +
           berth__freed_ports_count(&cluster->view) * sizeof(berth__freed_port);
}

static void undo_freed(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_freed *former = record;
    berth__freed_ports_restore(&cluster->view, (const berth__freed_port *)(former + 1),
                               former->count);
}

bool berth__note_freed(berth__cluster *cluster, bool reserved)
{
    static const berth__undo_kind freed = {undo_freed, NULL};
    size_t bytes = freed_bytes(cluster);
    if (!cluster->undo.recording)
        return true;
    if (!reserved && !reserve(cluster, bytes))
        return false;
    former_freed *record = push(cluster, &freed, bytes);
    record->count = berth__freed_ports_count(&cluster->view);
    if (record->count > 0)
        memcpy(record + 1, cluster->view.freed_ports->items,
               record->count * sizeof(berth__freed_port));
    return true;
}

bool berth__cluster_reserve_undo(berth__cluster *cluster, uint32_t pod)
{
    size_t bytes = 0;
    if (!cluster->undo.recording)
        return true;
    if (pod != BERTH_POD_INDEX_NONE) {
        uint32_t node = berth__pod_at(&cluster->pods, pod)->node;
        bytes = node != BERTH_NODE_NONE ? ports_bytes(cluster, counting_slot(cluster, node)) : 0;
        bytes += freed_bytes(cluster);
    }
    return reserve(cluster, bytes);
}

/* ---- node ids ---- */

typedef struct given_id {
    uint32_t id;
    bool fresh;
} given_id;

static void undo_node_id(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const given_id *given = record;
    uint32_t id = given->id;
    berth__node_record *node = berth__cluster_node(cluster, id);
    BERTH_ASSERT(node->facts == NULL && node->pod_count == 0);
    uint32_t *place = berth__cow_array_find(&cluster->view.node_of_name, node->name);
    BERTH_ASSERT(place != NULL);
    *place = 0;
    if (cluster->view.volume_use != NULL)
        berth__volume_use_forget_node(cluster->view.volume_use, id);
    berth__devices_forget_node(cluster->view.devices, id);
    if (given->fresh)
        cluster->node_count--;
    else
        berth__cluster_free_node(cluster, id);
}

void berth__note_node_id(berth__cluster *cluster, uint32_t id, bool fresh)
{
    static const berth__undo_kind given = {undo_node_id, NULL};
    given_id *record = push(cluster, &given, sizeof(*record));
    if (record != NULL)
        *record = (given_id){id, fresh};
}

/* ---- nodes ---- */

/* A node before it was added, removed or changed. The records of its images, of its new images, and
 * the host ports in use follow the struct. */
typedef struct former_node {
    uint32_t node;
    uint32_t port_count;
    uint32_t got_count;       /* new images */
    uint32_t past_count;      /* of images, see model/images.h */
    berth__node_facts *facts; /* NULL: it was absent */
    uint64_t refreshed;
    berth__tree_place place;
    bool left_tree;
    bool closed;
} former_node;

static berth__image_record *images_behind(former_node *record)
{
    return (berth__image_record *)(void *)(record + 1);
}

static uint32_t image_count_of(const berth__node_facts *facts)
{
    return facts != NULL ? facts->image_count : 0;
}

static berth__host_port *ports_behind(former_node *record)
{
    uint32_t images = image_count_of(record->facts) + record->got_count;
    return (berth__host_port *)(void *)(images_behind(record) + images);
}

static void return_images(berth__cluster *cluster, former_node *former,
                          const berth__node_facts *now)
{
    berth__images *images = &cluster->view.images;
    const berth__image_record *got = images_behind(former) + image_count_of(former->facts);
    BERTH_ASSERT(image_count_of(now) == former->got_count);
    berth__images_restore(images, former->facts, images_behind(former));
    berth__images_restore(images, now, got);
    images->past_count = former->past_count;
}

static void return_to_tree(berth__cluster *cluster, const former_node *former,
                           const berth__node_facts *now)
{
    if (former->left_tree)
        berth__node_tree_put_back(cluster->tree, former->node, &former->place);
    if (now != NULL && (former->left_tree || former->facts == NULL))
        berth__node_tree_remove(cluster->tree, berth__cluster_zone(cluster, now), former->node);
}

/* A node that is present again counts its pods again; an absent one counts none. */
static void return_presence(berth__cluster *cluster, former_node *former)
{
    berth__node_record *node = berth__cluster_node(cluster, former->node);
    bool present = former->facts != NULL;
    uint32_t by = present ? 1 : UINT32_MAX; /* UINT32_MAX: one fewer */
    uint32_t index = node->first_pod;
    cluster->present_count += by;
    cluster->unplaced_count += node->slot == BERTH__SLOT_NONE ? by : 0;
    *(present ? &cluster->orphan_count : &cluster->running_count) -= node->pod_count;
    *(present ? &cluster->running_count : &cluster->orphan_count) += node->pod_count;
    for (; index != BERTH_POD_INDEX_NONE && node->slot != BERTH__SLOT_NONE;
         index = berth__pod_at(&cluster->pods, index)->next)
        berth__view_restore_pod(&cluster->view, node->slot,
                                berth__pod_at(&cluster->pods, index)->cls, present ? 1 : -1);
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_set_ports(&cluster->view, node->slot, ports_behind(former), former->port_count);
}

/* The node's slot gets its former facts. Records of images have been restored, too, with sizes that
 * the facts need not have. */
static void return_facts(berth__cluster *cluster, const berth__node_record *node,
                         const berth__node_facts *now)
{
    const bool has_images = now != NULL && now->image_count + node->facts->image_count > 0;
    const uint64_t images = has_images ? BERTH__ALL_IMAGES : 0;
    if (now == NULL)
        berth__view_set_node(&cluster->view, node->slot);
    else
        berth__view_set_facts(&cluster->view, node->slot,
                              berth__cluster_facts_changes(cluster, now, node->facts, images),
                              images);
}

static void undo_node(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    former_node *former = record;
    berth__node_record *node = berth__cluster_node(cluster, former->node);
    berth__node_facts *now = node->facts;
    return_to_tree(cluster, former, now);
    return_images(cluster, former, now);
    if (now == NULL || former->facts == NULL)
        return_presence(cluster, former);
    node->facts = former->facts;
    node->refreshed = former->refreshed;
    node->closed = former->closed;
    if (node->facts != NULL && node->slot != BERTH__SLOT_NONE)
        return_facts(cluster, node, now);
    berth__cow_owner_unhold(&cluster->cow, 1);
    if (now != NULL)
        berth__cluster_drop_facts(cluster, now);
}

static void keep_node(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    former_node *former = record;
    if (former->left_tree)
        berth__tree_place_free(cluster->tree, &former->place);
    berth__cow_owner_unhold(&cluster->cow, 1);
    if (former->facts != NULL)
        berth__cluster_drop_facts(cluster, former->facts);
}

static const berth__undo_kind node_changed = {undo_node, keep_node};

bool berth__note_node(berth__cluster *cluster, uint32_t node, const berth__node_facts *fresh)
{
    const berth__node_record *now = berth__cluster_node(cluster, node);
    const berth__images *images = &cluster->view.images;
    if (!cluster->undo.recording)
        return true;
    const uint32_t slot = counting_slot(cluster, node), had = image_count_of(now->facts),
                   got = image_count_of(fresh);
    size_t bytes = sizeof(former_node) + (had + got) * sizeof(berth__image_record) +
                   ports_bytes(cluster, slot);
    if (!reserve(cluster, bytes) || !berth__cow_owner_hold(&cluster->cow, 1))
        return false;
    former_node *record = push(cluster, &node_changed, bytes);
    *record = (former_node){.node = node,
                            .got_count = got,
                            .past_count = images->past_count,
                            .facts = now->facts,
                            .refreshed = now->refreshed,
                            .closed = now->closed};
    berth__images_save(images, now->facts, images_behind(record));
    berth__images_save(images, fresh, images_behind(record) + had);
    const berth__host_port *ports = NULL;
    if (slot != BERTH__SLOT_NONE)
        record->port_count = berth__view_ports(&cluster->view, slot, &ports);
    if (ports != NULL)
        memcpy(ports_behind(record), ports, record->port_count * sizeof(*ports));
    return true;
}

void berth__cancel_node(berth__cluster *cluster)
{
    if (cluster->undo.recording)
        berth__cow_owner_unhold(&cluster->cow, 1);
    berth__undo_cancel(&cluster->undo);
}

typedef struct former_closed {
    uint32_t node;
    bool closed;
} former_closed;

static void undo_closed(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_closed *former = record;
    berth__node_record *node = berth__cluster_node(cluster, former->node);
    node->closed = former->closed;
    if (node->slot != BERTH__SLOT_NONE)
        berth__view_close(&cluster->view, node->slot);
}

void berth__note_closed(berth__cluster *cluster, uint32_t node)
{
    static const berth__undo_kind closed = {undo_closed, NULL};
    former_closed *former = push(cluster, &closed, sizeof(*former));
    if (former != NULL)
        *former = (former_closed){node, berth__cluster_node(cluster, node)->closed};
}

void berth__leave_tree(berth__cluster *cluster, uint32_t node, berth__sym zone)
{
    former_node *record = berth__undo_newest(&cluster->undo);
    if (record == NULL) {
        berth__node_tree_remove(cluster->tree, zone, node);
        return;
    }
    BERTH_ASSERT(record->node == node);
    berth__node_tree_take(cluster->tree, zone, node, &record->place);
    record->left_tree = true;
}

void berth__free_facts(berth__cluster *cluster, berth__node_facts *facts)
{
    if (!cluster->undo.recording)
        berth__cluster_drop_facts(cluster, facts);
}

/* ---- layouts ---- */

typedef struct former_order {
    berth__former_layout layout;
    uint32_t unplaced_count;
} former_order;

static void undo_relayout(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_order *former = record;
    berth__view_relayout_back(&cluster->view, &former->layout, &cluster->pods,
                              berth__model_next_epoch(cluster->model));
    cluster->unplaced_count = former->unplaced_count;
}

static void keep_relayout(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    berth__former_layout_free(&cluster->view, &((former_order *)record)->layout);
}

void berth__note_relayout(berth__cluster *cluster, const berth__former_layout *former)
{
    static const berth__undo_kind laid_out = {undo_relayout, keep_relayout};
    former_order *record = push(cluster, &laid_out, sizeof(*record));
    *record = (former_order){*former, cluster->unplaced_count};
}

/* ---- pods counted ---- */

/* The host ports used before follow the struct, if the pod has any. */
typedef struct former_count {
    const berth__class *cls;
    uint32_t node;
    int change;
    uint32_t port_count;
} former_count;

static void undo_count(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    former_count *former = record;
    uint32_t slot = berth__cluster_node(cluster, former->node)->slot;
    berth__view_restore_pod(&cluster->view, slot, former->cls, -former->change);
    if (former->cls->ports != NULL)
        berth__view_set_ports(&cluster->view, slot, (const berth__host_port *)(former + 1),
                              former->port_count);
}

bool berth__note_count(berth__cluster *cluster, uint32_t node, const berth__class *cls, int change)
{
    static const berth__undo_kind counted = {undo_count, NULL};
    if (!cluster->undo.recording)
        return true;
    const berth__host_port *ports = NULL;
    uint32_t count =
        cls->ports == NULL
            ? 0
            : berth__view_ports(&cluster->view, berth__cluster_node(cluster, node)->slot, &ports);
    size_t bytes = sizeof(former_count) + count * sizeof(*ports);
    if (change > 0 && !reserve(cluster, bytes))
        return false;
    former_count *record = push(cluster, &counted, bytes);
    *record = (former_count){cls, node, change, count};
    if (count > 0)
        memcpy(record + 1, ports, count * sizeof(*ports));
    return true;
}

/* ---- lists ---- */

typedef struct former_list {
    uint32_t pod;
    uint32_t node;
    uint32_t previous;
    uint32_t last; /* first on the node's list when the pod left: it filled the gap */
    berth__list_change change;
    uint64_t refreshed; /* of the node, before */
} former_list;

static uint64_t *pods_of(berth__cluster *cluster, const berth__node_record *node)
{
    BERTH_ASSERT(node != NULL);
    return berth__node_present(node) ? &cluster->running_count : &cluster->orphan_count;
}

static void undo_list(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_list *former = record;
    berth__node_record *node =
        former->node != BERTH_NODE_NONE ? berth__cluster_node(cluster, former->node) : NULL;
    if (node != NULL && berth__node_present(node) && node->slot != BERTH__SLOT_NONE)
        berth__view_note_list(&cluster->view, node->slot);
    switch (former->change) {
    case BERTH__CAME_TO_NODE:
        berth__pods_detach(&cluster->pods, node, former->pod);
        *pods_of(cluster, node) -= 1;
        node->refreshed = former->refreshed;
        break;
    case BERTH__LEFT_NODE:
        berth__pods_insert_attached(&cluster->pods, node, former->node, former->pod,
                                    former->previous, former->last);
        *pods_of(cluster, node) += 1;
        node->refreshed = former->refreshed;
        break;
    case BERTH__CAME_TO_PENDING:
        berth__pods_remove_pending(&cluster->pods, former->pod);
        break;
    case BERTH__LEFT_PENDING:
        berth__pods_insert_pending(&cluster->pods, former->pod, former->previous);
        break;
    }
}

void berth__note_list_recording(berth__cluster *cluster, uint32_t pod, berth__list_change change)
{
    static const berth__undo_kind listed = {undo_list, NULL};
    const berth__pod_record *record = berth__pod_at(&cluster->pods, pod);
    former_list *former = push(cluster, &listed, sizeof(*former));
    *former = (former_list){
        .pod = pod, .node = record->node, .previous = record->previous, .change = change};
    if (record->node != BERTH_NODE_NONE)
        former->refreshed = berth__cluster_node(cluster, record->node)->refreshed;
    if (change == BERTH__LEFT_NODE)
        former->last = berth__cluster_node(cluster, record->node)->first_pod;
}

/* ---- pods ---- */

static void undo_pod_added(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    berth__pods_unadd(&cluster->pods, cluster->model, *(uint32_t *)record);
}

void berth__note_pod_added(berth__cluster *cluster, uint32_t pod)
{
    static const berth__undo_kind added = {undo_pod_added, NULL};
    uint32_t *record = push(cluster, &added, sizeof(*record));
    if (record != NULL)
        *record = pod;
}

typedef struct former_pod {
    uint32_t index;
    bool renamed;
    berth__pod_record pod;
} former_pod;

/* Notes for class and name of a pod, which may be retired. */
enum { POD_NOTES = 2 };

static void undo_pod(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_pod *former = record;
    berth__pod_record *pod = berth__pod_at(&cluster->pods, former->index);
    berth__cow_owner_unhold(&cluster->cow, POD_NOTES);
    berth__pods_return_class(&cluster->pods, cluster->model, former->index, &former->pod);
    pod->priority = former->pod.priority;
    if (pod->node != BERTH_NODE_NONE)
        berth__pods_bound_priority(&cluster->pods, berth__cluster_node(cluster, pod->node),
                                   former->index);
    pod->start_time_ns = former->pod.start_time_ns;
    pod->disrupted = former->pod.disrupted;
    pod->evicting = former->pod.evicting;
}

static void keep_pod(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_pod *former = record;
    berth__cow_owner_unhold(&cluster->cow, POD_NOTES);
    berth__pods_drop_class(&cluster->pods, cluster->model, &former->pod, former->renamed);
}

bool berth__note_pod(berth__cluster *cluster, uint32_t pod, bool renamed)
{
    static const berth__undo_kind changed = {undo_pod, keep_pod};
    if (!cluster->undo.recording)
        return true;
    /* The notes for taking the class come first. */
    if (!berth__cow_owner_reserve(&cluster->cow, POD_NOTES + 4) ||
        !berth__cow_owner_hold(&cluster->cow, POD_NOTES))
        return false;
    former_pod *record = push(cluster, &changed, sizeof(*record));
    *record = (former_pod){pod, renamed, *berth__pod_at(&cluster->pods, pod)};
    return true;
}

void berth__cancel_pod(berth__cluster *cluster)
{
    if (cluster->undo.recording)
        berth__cow_owner_unhold(&cluster->cow, POD_NOTES);
    berth__undo_cancel(&cluster->undo);
}

static void undo_drop(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    const former_pod *former = record;
    berth__cow_owner_unhold(&cluster->cow, POD_NOTES);
    berth__pods_put_back(&cluster->pods, former->index, &former->pod);
}

static void keep_drop(void *owner, void *record)
{
    berth__cluster *cluster = owner;
    berth__cow_owner_unhold(&cluster->cow, POD_NOTES);
    berth__pods_discard(&cluster->pods, cluster->model, &((former_pod *)record)->pod);
}

void berth__drop_pod(berth__cluster *cluster, uint32_t pod)
{
    static const berth__undo_kind gone = {undo_drop, keep_drop};
    former_pod *record = push(cluster, &gone, sizeof(*record));
    if (record == NULL) {
        berth__pods_remove(&cluster->pods, cluster->model, pod);
        return;
    }
    bool held =
        berth__cow_owner_hold(&cluster->cow, POD_NOTES); /* of those that prepare_removal took */
    BERTH_ASSERT(held);
    record->index = pod;
    berth__pods_take(&cluster->pods, pod, &record->pod);
}
