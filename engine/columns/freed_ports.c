/* Host ports that count as free although a pod on the node has them: one short list for all nodes
 * without a slot, which changes as pods come and go on these nodes. */
#include "columns/freed_ports.h"

#include <string.h>

#include "base/assert.h"
#include "columns/port_set.h"

static size_t bytes_of(uint32_t capacity)
{
    return sizeof(struct berth__freed_ports) + capacity * sizeof(berth__freed_port);
}

static bool has(const berth__port_list *ports, const berth__host_port *wanted)
{
    return ports != NULL && berth__host_ports_have(ports->items, ports->count, wanted);
}

bool berth__freed_ports_change(const berth__view *view, const berth__node_record *node,
                               const berth__class *cls)
{
    return cls->ports != NULL && (node->slot == BERTH__SLOT_NONE || node->facts == NULL) &&
           (node->pod_count > 1 || berth__freed_ports_count(view) > 0);
}

bool berth__freed_ports_reserve(berth__view *view, uint32_t more)
{
    struct berth__freed_ports *old = view->freed_ports;
    berth__cow_owner *cow = view->cow;
    uint32_t count = berth__freed_ports_count(view);
    if (old != NULL && old->stamp == cow->stamp && count + more <= old->capacity)
        return true;
    uint32_t capacity = count + more + count / 2;
    struct berth__freed_ports *list = berth__cow_owner_reserve(cow, 2)
                                          ? berth__alloc(cow->allocator, bytes_of(capacity), 8)
                                          : NULL;
    if (list == NULL)
        return false;
    *list = (struct berth__freed_ports){cow->stamp, count, capacity};
    if (count > 0)
        memcpy(list->items, old->items, count * sizeof(*list->items));
    berth__cow_owner_note_made(cow, berth__release_block, list, bytes_of(capacity));
    if (old != NULL)
        berth__cow_owner_retire(cow, old->stamp, berth__release_block, old,
                                bytes_of(old->capacity));
    view->freed_ports = list;
    return true;
}

static void add(berth__view *view, uint32_t node, const berth__host_port *port)
{
    struct berth__freed_ports *list = view->freed_ports;
    BERTH_ASSERT(list->stamp == view->cow->stamp && list->count < list->capacity);
    list->items[list->count++] = (berth__freed_port){node, *port};
}

/* Drop a node's ports: those of a list or, if `ports` is NULL, all. */
static void drop(berth__view *view, uint32_t node, const berth__port_list *ports)
{
    struct berth__freed_ports *list = view->freed_ports;
    for (uint32_t i = 0; i < berth__freed_ports_count(view);)
        if (list->items[i].node == node && (ports == NULL || has(ports, &list->items[i].port)))
            list->items[i] = list->items[--list->count];
        else
            i++;
}

void berth__freed_ports_come(berth__view *view, uint32_t node, const berth__class *cls)
{
    drop(view, node, cls->ports);
}

/* Whether another pod on the pod's node has the port. */
static bool is_shared(const berth__view *view, const berth__host_port *port, uint32_t pod,
                      const berth__pods *pods)
{
    uint32_t node = berth__pod_at(pods, pod)->node;
    uint32_t index = berth__node_at(&view->nodes, node)->first_pod;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next)
        if (index != pod && has(berth__pod_at(pods, index)->cls->ports, port))
            return true;
    return false;
}

void berth__freed_ports_leave(berth__view *view, uint32_t pod, const berth__pods *pods)
{
    const berth__pod_record *record = berth__pod_at(pods, pod);
    const berth__port_list *ports = record->cls->ports;
    drop(view, record->node, ports);
    for (uint32_t i = 0; i < ports->count; i++)
        if (is_shared(view, &ports->items[i], pod, pods))
            add(view, record->node, &ports->items[i]);
}

uint32_t berth__freed_ports_most(const berth__view *view, uint32_t node, const berth__pods *pods)
{
    uint32_t most = 0, index = berth__node_at(&view->nodes, node)->first_pod;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next) {
        const berth__port_list *ports = berth__pod_at(pods, index)->cls->ports;
        most += ports != NULL ? ports->count : 0;
    }
    return most;
}

static bool in_use(const berth__port_set *set, const berth__host_port *port)
{
    return set != NULL && berth__host_ports_have(set->items, set->count, port);
}

void berth__freed_ports_keep(berth__view *view, uint32_t slot, const berth__pods *pods)
{
    uint32_t node = view->layout->nodes[slot], index = berth__view_node(view, slot)->first_pod;
    const berth__port_set *set = view->tiles[slot >> BERTH__TILE_SHIFT]->ports[slot % BERTH__TILE];
    drop(view, node, NULL);
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next) {
        const berth__port_list *ports = berth__pod_at(pods, index)->cls->ports;
        for (uint32_t i = 0; ports != NULL && i < ports->count; i++)
            if (!in_use(set, &ports->items[i]))
                add(view, node, &ports->items[i]);
    }
}

void berth__freed_ports_apply(const berth__view *view, uint32_t slot, berth__port_set *set)
{
    uint32_t node = view->layout->nodes[slot];
    for (uint32_t i = 0; set != NULL && i < berth__freed_ports_count(view); i++)
        if (view->freed_ports->items[i].node == node)
            berth__port_set_remove(set, &view->freed_ports->items[i].port, 1);
}

void berth__freed_ports_restore(berth__view *view, const berth__freed_port *items, uint32_t count)
{
    struct berth__freed_ports *list = view->freed_ports;
    BERTH_ASSERT(list->stamp == view->cow->stamp && count <= list->capacity);
    list->count = count;
    if (count > 0)
        memcpy(list->items, items, count * sizeof(*items));
}

void berth__freed_ports_destroy(berth__view *view)
{
    if (view->freed_ports != NULL)
        berth__free(view->model->allocator, view->freed_ports,
                    bytes_of(view->freed_ports->capacity));
    view->freed_ports = NULL;
}
