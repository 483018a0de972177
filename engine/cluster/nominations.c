/* Nominations (nodes kept for pending pods), found by pod and by node. */
#include "cluster/nominations.h"

#include <string.h>

#include "base/assert.h"

berth_status berth__nominations_init(berth__nominations *nominations,
                                     const berth_allocator *allocator, berth__view *view)
{
    *nominations = (berth__nominations){.allocator = allocator, .view = view};
    return berth__keymap_init(&nominations->by_pod, allocator);
}

void berth__nominations_destroy(berth__nominations *nominations)
{
    const berth_allocator *allocator = nominations->allocator;
    if (allocator == NULL)
        return;
    const berth__keymap *map = &nominations->by_pod;
    for (uint32_t i = 0; map->buckets != NULL && i < map->bucket_count; i++)
        for (berth__keymap_entry *entry = map->buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            berth__free(allocator, entry, sizeof(berth__nomination));
        }
    berth__free(allocator, nominations->spare, sizeof(*nominations->spare));
    berth__free(allocator, nominations->of_node,
                nominations->node_capacity * sizeof(*nominations->of_node));
    berth__keymap_destroy(&nominations->by_pod);
    *nominations = (berth__nominations){0};
}

/* ---- the node's list ---- */

static bool reserve_node(berth__nominations *nominations, uint32_t node)
{
    uint32_t before = nominations->node_capacity;
    if (!berth__grow(nominations->allocator, &nominations->of_node, &nominations->node_capacity,
                     node + 1, sizeof(*nominations->of_node)))
        return false;
    if (nominations->node_capacity > before)
        memset(nominations->of_node + before, 0,
               (nominations->node_capacity - before) * sizeof(*nominations->of_node));
    return true;
}

static void note(const berth__nominations *nominations, const berth__nomination *nomination)
{
    berth__view *view = nominations->view;
    const berth__node_record *node = berth__node_at(&view->nodes, nomination->node);
    if (node->facts != NULL && node->slot != BERTH__SLOT_NONE)
        berth__view_note(view, node->slot);
}

static void link_to_node(berth__nominations *nominations, berth__nomination *nomination)
{
    berth__nomination **first = &nominations->of_node[nomination->node];
    nomination->previous = NULL;
    nomination->next = *first;
    if (*first != NULL)
        (*first)->previous = nomination;
    *first = nomination;
    nomination->awake = true;
    nominations->awake_count++;
    nominations->ruling_count += nomination->ruling;
    note(nominations, nomination);
}

static void unlink_from_node(berth__nominations *nominations, berth__nomination *nomination)
{
    if (nomination->previous != NULL)
        nomination->previous->next = nomination->next;
    else
        nominations->of_node[nomination->node] = nomination->next;
    if (nomination->next != NULL)
        nomination->next->previous = nomination->previous;
    nomination->awake = false;
    nominations->awake_count--;
    nominations->ruling_count -= nomination->ruling;
    note(nominations, nomination);
}

/* ---- nominations ---- */

static berth__nomination *find(const berth__nominations *nominations, uint32_t pod)
{
    return nominations->by_pod.count == 0
               ? NULL
               : (berth__nomination *)berth__keymap_find(&nominations->by_pod, &pod, sizeof(pod));
}

const berth__nomination *berth__nominations_find(const berth__nominations *nominations,
                                                 uint32_t pod)
{
    return find(nominations, pod);
}

/* ---- undoing ---- */

/* A nomination before a change, and how to find it. The record owns a dropped nomination. */
typedef struct former {
    berth__nomination *nomination;
    berth__nomination was;
} former;

static void undo_make(void *owner, void *record)
{
    berth__nominations *nominations = owner;
    berth__nomination *nomination = ((const former *)record)->nomination;
    if (nomination->awake)
        unlink_from_node(nominations, nomination);
    berth__keymap_remove(&nominations->by_pod, &nomination->entry);
    berth__free(nominations->allocator, nomination, sizeof(*nomination));
}

/* Link the nomination behind its former predecessor. */
static void relink(berth__nominations *nominations, berth__nomination *nomination,
                   berth__nomination *previous)
{
    link_to_node(nominations, nomination);
    if (previous == NULL)
        return;
    nominations->of_node[nomination->node] = nomination->next;
    nomination->next->previous = NULL;
    nomination->previous = previous;
    nomination->next = previous->next;
    previous->next = nomination;
    if (nomination->next != NULL)
        nomination->next->previous = nomination;
}

static void undo_change(void *owner, void *record)
{
    berth__nominations *nominations = owner;
    const former *own = record;
    berth__nomination *nomination = own->nomination;
    if (nomination->awake)
        unlink_from_node(nominations, nomination);
    nomination->node = own->was.node;
    nomination->cls = own->was.cls;
    nomination->priority = own->was.priority;
    nomination->from_object = own->was.from_object;
    nomination->ruling = own->was.ruling;
    if (own->was.awake)
        relink(nominations, nomination, own->was.previous);
}

static void undo_drop(void *owner, void *record)
{
    berth__nominations *nominations = owner;
    berth__nomination *nomination = ((const former *)record)->nomination;
    berth__keymap_add(&nominations->by_pod, &nomination->entry);
    undo_change(owner, record);
}

static void keep_drop(void *owner, void *record)
{
    berth__nominations *nominations = owner;
    berth__free(nominations->allocator, ((const former *)record)->nomination,
                sizeof(berth__nomination));
}

static const berth__undo_kind made = {undo_make, NULL};
static const berth__undo_kind changed = {undo_change, NULL};
static const berth__undo_kind dropped = {undo_drop, keep_drop};

/* Leave an undo record of a nomination's current state. Returns false while nothing is recorded. */
static bool note_former(berth__nominations *nominations, const berth__undo_kind *kind,
                        berth__nomination *nomination)
{
    former *record = nominations->undo == NULL
                         ? NULL
                         : berth__undo_push(nominations->undo, kind, nominations, sizeof(*record));
    if (record != NULL)
        *record = (former){nomination, *nomination};
    return record != NULL;
}

/* Reserve records for a nomination that ends all others for its node. */
static bool reserve_records(berth__nominations *nominations, uint32_t node)
{
    uint32_t count = 1;
    const berth__nomination *one = berth__nominations_on(nominations, node);
    for (; one != NULL; one = one->next)
        count++;
    return nominations->undo == NULL ||
           berth__undo_reserve(nominations->undo, count, count * sizeof(former));
}

/* ---- changing ---- */

berth_status berth__nominations_reserve(berth__nominations *nominations, uint32_t node)
{
    BERTH_ASSERT(node != BERTH_NODE_NONE);
    if (!reserve_records(nominations, node))
        return BERTH_E_NOMEM;
    if (nominations->spare == NULL)
        nominations->spare = berth__alloc_zero(nominations->allocator, sizeof(*nominations->spare),
                                               _Alignof(berth__nomination));
    return nominations->spare != NULL && reserve_node(nominations, node) ? BERTH_OK : BERTH_E_NOMEM;
}

static berth__nomination *make(berth__nominations *nominations, uint32_t pod)
{
    berth__nomination *nomination = nominations->spare;
    BERTH_ASSERT(nomination != NULL);
    nominations->spare = NULL;
    nomination->pod = pod;
    nomination->entry.key = &nomination->pod;
    nomination->entry.key_bytes = sizeof(nomination->pod);
    berth__keymap_add(&nominations->by_pod, &nomination->entry);
    return nomination;
}

void berth__nominations_set(berth__nominations *nominations, const berth__pods *pods, uint32_t pod,
                            uint32_t node, bool from_object)
{
    const berth__pod_record *record = berth__pod_at(pods, pod);
    berth__nomination *nomination = find(nominations, pod);
    if (nomination == NULL) {
        nomination = make(nominations, pod);
        (void)note_former(nominations, &made, nomination);
    } else {
        (void)note_former(nominations, &changed, nomination);
        if (nomination->awake)
            unlink_from_node(nominations, nomination);
    }
    BERTH_ASSERT(node < nominations->node_capacity);
    nomination->node = node;
    nomination->cls = record->cls;
    nomination->priority = record->priority;
    nomination->ruling = record->cls->pod_rules != NULL;
    nomination->from_object = from_object;
    if (record->node == BERTH_NODE_NONE)
        link_to_node(nominations, nomination);
}

void berth__nominations_drop(berth__nominations *nominations, uint32_t pod)
{
    berth__nomination *nomination = find(nominations, pod);
    if (nomination == NULL)
        return;
    bool kept = note_former(nominations, &dropped, nomination);
    if (nomination->awake)
        unlink_from_node(nominations, nomination);
    berth__keymap_remove(&nominations->by_pod, &nomination->entry);
    if (!kept)
        berth__free(nominations->allocator, nomination, sizeof(*nomination));
}

void berth__nominations_take_over(berth__nominations *nominations, const berth__pods *pods,
                                  uint32_t pod, uint32_t node)
{
    int32_t priority = berth__pod_at(pods, pod)->priority;
    berth__nominations_set(nominations, pods, pod, node, false);
    for (berth__nomination *one = nominations->of_node[node], *next; one != NULL; one = next) {
        next = one->next;
        if (one->priority < priority)
            berth__nominations_drop(nominations, one->pod);
    }
}

void berth__nominations_wake(berth__nominations *nominations, uint32_t pod, bool awake)
{
    berth__nomination *nomination = find(nominations, pod);
    if (nomination == NULL || nomination->awake == awake)
        return;
    (void)note_former(nominations, &changed, nomination);
    if (awake)
        link_to_node(nominations, nomination);
    else
        unlink_from_node(nominations, nomination);
}
