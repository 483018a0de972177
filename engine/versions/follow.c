/* Brings data derived from a cluster from one state to another: compares the states page by page
 * and counts the differences. */
#include "versions/follow.h"

#include <string.h>

#include "columns/pod_counts.h"
#include "columns/volume_use.h"
#include "devices/devices.h"

typedef struct journey journey;

/* Handles a pod of a class that leaves its node, or arrives on it. */
typedef void move(journey *way, uint32_t node_id, const berth__class *cls);

struct journey {
    move *leave, *come;
    const berth__cluster *from;
    berth__cluster *to;
    berth__view before; /* the former view, with the counters that move along */
    bool same_order;    /* both states have the same nodes in the same slots */
    bool ok;
};

/* ---- pods that count ---- */

static const berth__node_record *counted_node(const berth__cluster *cluster, uint32_t id)
{
    if (id >= cluster->node_count)
        return NULL;
    const berth__node_record *node = berth__cluster_node(cluster, id);
    return berth__node_present(node) && node->slot != BERTH__SLOT_NONE ? node : NULL;
}

/* Whether the id is the same node in both states, and its pods count in both. Pods of other nodes
 * leave and come with their node. */
static bool is_kept(const journey *way, uint32_t id)
{
    const berth__node_record *was = counted_node(way->from, id), *is = counted_node(way->to, id);
    return was != NULL && is != NULL && was->name == is->name;
}

static void uncount(journey *way, uint32_t node_id, const berth__class *cls)
{
    const berth__node_record *node = berth__cluster_node(way->from, node_id);
    berth__pod_counts_change(&way->before, node->slot, cls, -1);
    if (way->same_order)
        berth__view_note(&way->to->view, node->slot);
}

static void count(journey *way, uint32_t node_id, const berth__class *cls)
{
    const berth__node_record *node = berth__cluster_node(way->to, node_id);
    berth__view *view = &way->to->view;
    way->ok = way->ok && berth__pod_counts_register(view, cls);
    if (way->ok)
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
    journey *way = context;
    (void)page;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
        const berth__pod_record *was = placed_pod(first, i), *is = placed_pod(second, i);
        if (was != NULL && !same_place(was, is) && is_kept(way, was->node))
            way->leave(way, was->node, was->cls);
    }
}

static void pods_come(void *context, uint32_t page, void *first, void *second)
{
    journey *way = context;
    (void)page;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
        const berth__pod_record *was = placed_pod(first, i), *is = placed_pod(second, i);
        if (is != NULL && !same_place(was, is) && is_kept(way, is->node))
            way->come(way, is->node, is->cls);
    }
}

/* ---- nodes that count in only one state ---- */

static void nodes_leave(void *context, uint32_t page, void *first, void *second)
{
    journey *way = context;
    const berth__pods *pods = &way->from->pods;
    (void)first;
    (void)second;
    for (uint32_t i = 0; i < 1u << BERTH__NODE_PAGE_SHIFT; i++) {
        uint32_t id = (page << BERTH__NODE_PAGE_SHIFT) + i;
        const berth__node_record *node = counted_node(way->from, id);
        if (node == NULL || is_kept(way, id))
            continue;
        for (uint32_t at = node->first_pod; at != BERTH_POD_INDEX_NONE;
             at = berth__pod_at(pods, at)->next)
            way->leave(way, id, berth__pod_at(pods, at)->cls);
    }
}

static void nodes_come(void *context, uint32_t page, void *first, void *second)
{
    journey *way = context;
    const berth__pods *pods = &way->to->pods;
    (void)first;
    (void)second;
    for (uint32_t i = 0; i < 1u << BERTH__NODE_PAGE_SHIFT; i++) {
        uint32_t id = (page << BERTH__NODE_PAGE_SHIFT) + i;
        const berth__node_record *node = counted_node(way->to, id);
        if (node == NULL || is_kept(way, id))
            continue;
        for (uint32_t at = node->first_pod; at != BERTH_POD_INDEX_NONE;
             at = berth__pod_at(pods, at)->next)
            way->come(way, id, berth__pod_at(pods, at)->cls);
    }
}

static void all_leave(journey *way)
{
    berth__cow_array_compare(&way->from->view.nodes, &way->to->view.nodes, nodes_leave, way);
    berth__cow_array_compare(&way->from->pods.records, &way->to->pods.records, pods_leave, way);
}

static void all_come(journey *way)
{
    berth__cow_array_compare(&way->from->view.nodes, &way->to->view.nodes, nodes_come, way);
    berth__cow_array_compare(&way->from->pods.records, &way->to->pods.records, pods_come, way);
}

/* ---- slots ---- */

/* The current slot of each slot of the former layout. NULL when out of memory. */
static uint32_t *map_slots(const journey *way, size_t bytes)
{
    const berth__layout *layout = way->from->view.layout;
    uint32_t *slots = berth__alloc(way->to->cow.allocator, bytes, 64);
    for (uint32_t slot = 0; slots != NULL && slot < layout->count; slot++) {
        uint32_t id = layout->nodes[slot];
        bool kept = is_kept(way, id) && berth__cluster_node(way->from, id)->slot == slot;
        slots[slot] = kept ? berth__cluster_node(way->to, id)->slot : BERTH__SLOT_NONE;
    }
    return slots;
}

static void move_counters(journey *way)
{
    const berth__layout *layout = way->from->view.layout;
    size_t bytes = layout->count * sizeof(uint32_t);
    uint32_t *slots = map_slots(way, bytes);
    /* Without the map, build the counters again from the pods, because held terms would not be
     * found again. */
    way->ok = way->ok && slots != NULL;
    if (way->ok)
        berth__pod_counts_move(&way->to->view, layout, slots, &way->to->pods);
    berth__free(way->to->cow.allocator, slots, bytes);
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

static void note_tiles(journey *way)
{
    berth__view *view = &way->to->view;
    const berth__view *before = &way->before;
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

/* Note nodes that changed in another cycle, even if their pods are the same again: they may know
 * other counts of their images (model/images.h). */
static void note_refreshed(void *context, uint32_t page, void *first, void *second)
{
    journey *way = context;
    (void)first;
    (void)second;
    for (uint32_t i = 0; i < 1u << BERTH__NODE_PAGE_SHIFT; i++) {
        const uint32_t id = (page << BERTH__NODE_PAGE_SHIFT) + i;
        if (!is_kept(way, id))
            continue;
        const berth__node_record *node = berth__cluster_node(way->to, id);
        if (node->refreshed != berth__cluster_node(way->from, id)->refreshed)
            berth__view_note(&way->to->view, node->slot);
    }
}

/* ---- following ---- */

static bool orders_agree(const berth__layout *a, const berth__layout *b)
{
    size_t bytes = a->count * sizeof(*a->nodes);
    return a == b ||
           (a->count == b->count && (bytes == 0 || memcmp(a->nodes, b->nodes, bytes) == 0));
}

berth__followed berth__cluster_follow(berth__cluster *cluster, const berth__cluster *former)
{
    berth__view *view = &cluster->view;
    journey way = {.leave = uncount, .come = count, .from = former, .to = cluster, .ok = true};
    way.before = former->view;
    bool away = view->layout->epoch != former->view.layout->epoch ||
                view->names_epoch != former->view.names_epoch;
    way.before.counts = view->counts;
    way.same_order = orders_agree(view->layout, former->view.layout);
    /* Do this before any pod is counted, because old sums may have the same epoch as the current
     * one. */
    if (away)
        berth__pod_counts_forget_domains(view->counts);
    all_leave(&way);
    view->counts->pods = &cluster->pods;
    if (way.same_order)
        note_tiles(&way);
    else
        move_counters(&way);
    all_come(&way);
    if (away)
        berth__view_lose_journal(view);
    else
        berth__cow_array_compare(&former->view.nodes, &view->nodes, note_refreshed, &way);
    if (!way.ok)
        return BERTH__FOLLOW_FAILED;
    return away ? BERTH__FOLLOWED_AWAY : BERTH__FOLLOWED;
}

/* Walk over pod records instead of nodes, because pod records are adjacent in memory. */
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

static void disuse(journey *way, uint32_t node_id, const berth__class *cls)
{
    if (cls->volumes != NULL)
        berth__volume_use_remove(way->to->view.volume_use, node_id, cls->volumes);
}

static void use(journey *way, uint32_t node_id, const berth__class *cls)
{
    if (cls->volumes != NULL)
        way->ok = way->ok && berth__volume_use_add(way->to->view.volume_use, node_id,
                                                   cls->volumes) == BERTH_OK;
}

/* Forget ids that no longer belong to a node, or belong to another one. */
static void forget_nodes(void *context, uint32_t page, void *first, void *second)
{
    const journey *way = context;
    const berth__node_record *was = first, *is = second;
    for (uint32_t i = 0; was != NULL && i < 1u << BERTH__NODE_PAGE_SHIFT; i++) {
        uint32_t id = (page << BERTH__NODE_PAGE_SHIFT) + i;
        if (id < way->from->node_count && was[i].name != 0 &&
            (is == NULL || id >= way->to->node_count || is[i].name != was[i].name)) {
            berth__volume_use_forget_node(way->to->view.volume_use, id);
            berth__devices_forget_node(way->to->view.devices, id);
        }
    }
}

bool berth__cluster_follow_volumes(berth__cluster *cluster, const berth__cluster *former)
{
    journey way = {.leave = disuse, .come = use, .from = former, .to = cluster, .ok = true};
    all_leave(&way);
    berth__cow_array_compare(&former->view.nodes, &cluster->view.nodes, forget_nodes, &way);
    all_come(&way);
    return way.ok;
}

bool berth__cluster_recount_volumes(berth__cluster *cluster)
{
    const berth__pods *pods = &cluster->pods;
    journey way = {.to = cluster, .ok = true};
    for (uint32_t i = 0; i < pods->record_count && way.ok; i++) {
        const berth__pod_record *pod = placed_pod(berth__pod_at(pods, i), 0);
        if (pod != NULL && counted_node(cluster, pod->node) != NULL)
            use(&way, pod->node, pod->cls);
    }
    return way.ok;
}
