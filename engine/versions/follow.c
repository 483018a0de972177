/* What is derived from a cluster, brought from one state to another: two states compared page by
 * page, and the difference counted. */
#include "versions/follow.h"

#include <string.h>

#include "columns/node_volumes.h"
#include "columns/pod_counts.h"

typedef struct journey journey;

/* A pod of a class leaves its node, or comes to it. */
typedef void move(journey *own, uint32_t node_id, const berth__class *cls);

struct journey {
    move *leave, *come;
    const berth__cluster *from;
    berth__cluster *to;
    berth__view before; /* the view as it was, with the counters that go along */
    bool same_order;    /* slots mean the same nodes in both */
    bool ok;
};

/* ---- whose pods count ---- */

static const berth__node_record *counted_node(const berth__cluster *cluster, uint32_t id)
{
    if (id >= cluster->node_count)
        return NULL;
    const berth__node_record *node = berth__cluster_node(cluster, id);
    return berth__node_present(node) && node->slot != BERTH__SLOT_NONE ? node : NULL;
}

/* Whether the node's pods count in both states. Pods of other nodes come and go with their node. */
static bool is_kept(const journey *own, uint32_t id)
{
    return counted_node(own->from, id) != NULL && counted_node(own->to, id) != NULL;
}

static void uncount(journey *own, uint32_t node_id, const berth__class *cls)
{
    const berth__node_record *node = berth__cluster_node(own->from, node_id);
    berth__pod_counts_change(&own->before, node->slot, cls, -1);
    if (own->same_order)
        berth__view_note(&own->to->view, node->slot);
}

static void count(journey *own, uint32_t node_id, const berth__class *cls)
{
    const berth__node_record *node = berth__cluster_node(own->to, node_id);
    berth__view *view = &own->to->view;
    own->ok = own->ok && berth__pod_counts_register(view, cls);
    if (own->ok)
        berth__pod_counts_change(view, node->slot, cls, 1);
    berth__view_note(view, node->slot);
}

/* ---- pods of kept nodes ---- */

static const berth__pod_record *placed_pod(const berth__pod_record *page, uint32_t i)
{
    return page != NULL && page[i].cls != NULL && page[i].node != BERTH_NODE_NONE ? &page[i] : NULL;
}

static bool same_place(const berth__pod_record *a, const berth__pod_record *b)
{
    return a != NULL && b != NULL && a->cls == b->cls && a->node == b->node;
}

static void pods_leave(void *context, uint32_t page, void *first, void *second)
{
    journey *own = context;
    (void)page;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
        const berth__pod_record *was = placed_pod(first, i), *is = placed_pod(second, i);
        if (was != NULL && !same_place(was, is) && is_kept(own, was->node))
            own->leave(own, was->node, was->cls);
    }
}

static void pods_come(void *context, uint32_t page, void *first, void *second)
{
    journey *own = context;
    (void)page;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
        const berth__pod_record *was = placed_pod(first, i), *is = placed_pod(second, i);
        if (is != NULL && !same_place(was, is) && is_kept(own, is->node))
            own->come(own, is->node, is->cls);
    }
}

/* ---- nodes that count in one state only ---- */

static void nodes_leave(void *context, uint32_t page, void *first, void *second)
{
    journey *own = context;
    const berth__pods *pods = &own->from->pods;
    (void)first;
    (void)second;
    for (uint32_t i = 0; i < 1u << BERTH__NODE_PAGE_SHIFT; i++) {
        uint32_t id = (page << BERTH__NODE_PAGE_SHIFT) + i;
        const berth__node_record *node = counted_node(own->from, id);
        if (node == NULL || counted_node(own->to, id) != NULL)
            continue;
        for (uint32_t at = node->first_pod; at != BERTH_POD_INDEX_NONE;
             at = berth__pod_at(pods, at)->next)
            own->leave(own, id, berth__pod_at(pods, at)->cls);
    }
}

static void nodes_come(void *context, uint32_t page, void *first, void *second)
{
    journey *own = context;
    const berth__pods *pods = &own->to->pods;
    (void)first;
    (void)second;
    for (uint32_t i = 0; i < 1u << BERTH__NODE_PAGE_SHIFT; i++) {
        uint32_t id = (page << BERTH__NODE_PAGE_SHIFT) + i;
        const berth__node_record *node = counted_node(own->to, id);
        if (node == NULL || counted_node(own->from, id) != NULL)
            continue;
        for (uint32_t at = node->first_pod; at != BERTH_POD_INDEX_NONE;
             at = berth__pod_at(pods, at)->next)
            own->come(own, id, berth__pod_at(pods, at)->cls);
    }
}

static void all_leave(journey *own)
{
    berth__cow_array_compare(&own->from->view.nodes, &own->to->view.nodes, nodes_leave, own);
    berth__cow_array_compare(&own->from->pods.records, &own->to->pods.records, pods_leave, own);
}

static void all_come(journey *own)
{
    berth__cow_array_compare(&own->from->view.nodes, &own->to->view.nodes, nodes_come, own);
    berth__cow_array_compare(&own->from->pods.records, &own->to->pods.records, pods_come, own);
}

/* ---- slots ---- */

/* By slot of the former layout: the slot now. NULL when out of memory. */
static uint32_t *map_slots(const journey *own, size_t bytes)
{
    const berth__layout *layout = own->from->view.layout;
    uint32_t *slots = berth__alloc(own->to->cow.allocator, bytes, 64);
    for (uint32_t slot = 0; slots != NULL && slot < layout->count; slot++) {
        uint32_t id = layout->nodes[slot];
        const berth__node_record *was = counted_node(own->from, id),
                                 *is = counted_node(own->to, id);
        slots[slot] = was != NULL && was->slot == slot && is != NULL ? is->slot : BERTH__SLOT_NONE;
    }
    return slots;
}

static void move_counters(journey *own)
{
    const berth__layout *layout = own->from->view.layout;
    size_t bytes = layout->count * sizeof(uint32_t);
    uint32_t *slots = map_slots(own, bytes);
    /* Without the map, counters start anew from the pods; held terms do not find themselves
     * again. */
    own->ok = own->ok && slots != NULL;
    if (own->ok)
        berth__pod_counts_move(&own->to->view, layout, slots, &own->to->pods);
    berth__free(own->to->cow.allocator, slots, bytes);
}

static bool slot_differs(berth__tile *a, berth__tile *b, uint32_t at)
{
    bool differs = a->pods_used[at] != b->pods_used[at] || a->pods_max[at] != b->pods_max[at] ||
                   a->nonzero_cpu[at] != b->nonzero_cpu[at] ||
                   a->nonzero_memory[at] != b->nonzero_memory[at] || a->ports[at] != NULL ||
                   b->ports[at] != NULL || a->resource_count != b->resource_count;
    for (uint32_t r = 0; !differs && r < a->resource_count; r++)
        differs = berth__tile_used(a, r)[at] != berth__tile_used(b, r)[at] ||
                  berth__tile_allocatable(a, r)[at] != berth__tile_allocatable(b, r)[at];
    return differs;
}

static void note_tiles(journey *own)
{
    berth__view *view = &own->to->view;
    const berth__view *before = &own->before;
    if (view->tiles == before->tiles)
        return;
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth__tile *a = before->tiles[slot >> BERTH__TILE_SHIFT];
        berth__tile *b = view->tiles[slot >> BERTH__TILE_SHIFT];
        if (a == b)
            slot |= BERTH__TILE - 1;
        else if (slot_differs(a, b, slot % BERTH__TILE))
            berth__view_note(view, slot);
    }
}

/* Whoever follows the journal has missed something: what it says is of no use to them. */
static void lose_journal(berth__view *view)
{
    memset(view->journal, 0, BERTH__JOURNAL * sizeof(*view->journal));
    view->journal_end += BERTH__JOURNAL + 1;
}

/* ---- the whole ---- */

static bool orders_agree(const berth__layout *a, const berth__layout *b)
{
    size_t bytes = a->count * sizeof(*a->nodes);
    return a == b ||
           (a->count == b->count && (bytes == 0 || memcmp(a->nodes, b->nodes, bytes) == 0));
}

berth__followed berth__cluster_follow(berth__cluster *cluster, const berth__cluster *former)
{
    berth__view *view = &cluster->view;
    journey own = {.leave = uncount, .come = count, .from = former, .to = cluster, .ok = true};
    own.before = former->view;
    bool away = view->layout->epoch != former->view.layout->epoch ||
                view->resource_count != former->view.resource_count;
    own.before.counts = view->counts;
    own.same_order = orders_agree(view->layout, former->view.layout);
    /* Before any pod comes: sums of an earlier time may bear the epoch that is now. */
    if (away)
        berth__pod_counts_forget_domains(view->counts);
    all_leave(&own);
    view->counts->pods = &cluster->pods;
    if (own.same_order)
        note_tiles(&own);
    else
        move_counters(&own);
    all_come(&own);
    if (away)
        lose_journal(view);
    if (!own.ok)
        return BERTH__FOLLOW_FAILED;
    return away ? BERTH__FOLLOWED_AWAY : BERTH__FOLLOWED;
}

/* By record, not by node: neighbours in memory. */
bool berth__cluster_recount(berth__cluster *cluster)
{
    berth__view *view = &cluster->view;
    const berth__pods *pods = &cluster->pods;
    view->counts->pods = pods;
    for (uint32_t i = 0; i < pods->record_count; i++) {
        const berth__pod_record *pod = placed_pod(berth__pod_at(pods, i), 0);
        const berth__node_record *node =
            pod != NULL && pod->cls->pod_rules != NULL ? counted_node(cluster, pod->node) : NULL;
        if (node == NULL)
            continue;
        if (!berth__pod_counts_register(view, pod->cls))
            return false;
        berth__pod_counts_change(view, node->slot, pod->cls, 1);
    }
    return true;
}

/* ---- volumes ---- */

static void disuse(journey *own, uint32_t node_id, const berth__class *cls)
{
    if (cls->volumes != NULL)
        berth__volume_use_remove(own->to->view.volume_use, node_id, cls->volumes);
}

static void use(journey *own, uint32_t node_id, const berth__class *cls)
{
    if (cls->volumes != NULL)
        own->ok = own->ok && berth__volume_use_add(own->to->view.volume_use, node_id,
                                                   cls->volumes) == BERTH_OK;
}

bool berth__cluster_follow_volumes(berth__cluster *cluster, const berth__cluster *former)
{
    journey own = {.leave = disuse, .come = use, .from = former, .to = cluster, .ok = true};
    all_leave(&own);
    for (uint32_t id = cluster->node_count; id < former->node_count; id++)
        berth__volume_use_forget_node(cluster->view.volume_use, id);
    all_come(&own);
    return own.ok;
}

bool berth__cluster_recount_volumes(berth__cluster *cluster)
{
    const berth__pods *pods = &cluster->pods;
    journey own = {.to = cluster, .ok = true};
    for (uint32_t i = 0; i < pods->record_count && own.ok; i++) {
        const berth__pod_record *pod = placed_pod(berth__pod_at(pods, i), 0);
        if (pod != NULL && counted_node(cluster, pod->node) != NULL)
            use(&own, pod->node, pod->cls);
    }
    return own.ok;
}
