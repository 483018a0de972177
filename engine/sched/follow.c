/* Comparing two states of a cluster, and counting the difference. */
#include "sched/follow.h"

#include <string.h>

#include "snapshot/counts.h"

/* Test programs build this file with a part of it taken out, to show that their checks notice
 * (tests/stress/CMakeLists.txt). */
#ifndef BERTH_BITE
#define BERTH_BITE 0
#endif
enum {
    BITE_PODS_STAY = 21, /* pods of kept nodes are not compared */
    BITE_NODES_STAY,     /* nodes that come and go are not compared */
    BITE_OLD_SUMS,       /* sums of another layout are believed */
    BITE_QUIET,          /* the journal does not tell */
};

typedef struct journey {
    const berth__cluster *from;
    berth__cluster *to;
    berth__view before; /* the view as it was, with the counters that go along */
    bool same_order;    /* slots mean the same nodes in both */
    bool ok;
} journey;

/* ---- whose pods count ---- */

static const berth__node *counted_node(const berth__cluster *cluster, uint32_t id)
{
    if (id >= cluster->node_count)
        return NULL;
    const berth__node *node = berth__cluster_node(cluster, id);
    return berth__node_present(node) && node->slot != BERTH__SLOT_NONE ? node : NULL;
}

/* The node whose pods count in both states, or NULL. Pods of other nodes come and go with their
 * node. */
static const berth__node *kept_node(const journey *own, const berth__cluster *in, uint32_t id)
{
    const berth__cluster *other = in == own->to ? own->from : own->to;
    return counted_node(other, id) != NULL ? counted_node(in, id) : NULL;
}

static void note(berth__view *view, uint32_t slot)
{
    if (BERTH_BITE != BITE_QUIET)
        berth__view_note(view, slot);
}

static void leave(journey *own, const berth__node *node, const berth__class *cls)
{
    berth__counts_change(&own->before, node->slot, cls, -1);
    if (own->same_order)
        note(&own->to->view, node->slot);
}

static void come(journey *own, const berth__node *node, const berth__class *cls)
{
    berth__view *view = &own->to->view;
    own->ok = own->ok && berth__counts_learn(view, cls);
    if (own->ok)
        berth__counts_change(view, node->slot, cls, 1);
    note(view, node->slot);
}

/* ---- pods of kept nodes ---- */

static const berth__pod *placed_pod(const berth__pod *page, uint32_t i)
{
    return page != NULL && page[i].cls != NULL && page[i].node != BERTH__NODE_NONE ? &page[i]
                                                                                   : NULL;
}

static bool same_place(const berth__pod *a, const berth__pod *b)
{
    return a != NULL && b != NULL && a->cls == b->cls && a->node == b->node;
}

static void pods_leave(void *context, uint32_t page, void *first, void *second)
{
    journey *own = context;
    (void)page;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
        const berth__pod *was = placed_pod(first, i), *is = placed_pod(second, i);
        const berth__node *node =
            was != NULL && !same_place(was, is) ? kept_node(own, own->from, was->node) : NULL;
        if (node != NULL)
            leave(own, node, was->cls);
    }
}

static void pods_come(void *context, uint32_t page, void *first, void *second)
{
    journey *own = context;
    (void)page;
    for (uint32_t i = 0; i < BERTH__PODS_A_PAGE; i++) {
        const berth__pod *was = placed_pod(first, i), *is = placed_pod(second, i);
        const berth__node *node =
            is != NULL && !same_place(was, is) ? kept_node(own, own->to, is->node) : NULL;
        if (node != NULL)
            come(own, node, is->cls);
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
        const berth__node *node = counted_node(own->from, id);
        if (node == NULL || counted_node(own->to, id) != NULL)
            continue;
        for (uint32_t at = node->first_pod; at != BERTH__POD_NONE;
             at = berth__pod_at(pods, at)->next)
            leave(own, node, berth__pod_at(pods, at)->cls);
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
        const berth__node *node = counted_node(own->to, id);
        if (node == NULL || counted_node(own->from, id) != NULL)
            continue;
        for (uint32_t at = node->first_pod; at != BERTH__POD_NONE;
             at = berth__pod_at(pods, at)->next)
            come(own, node, berth__pod_at(pods, at)->cls);
    }
}

/* ---- slots ---- */

/* By slot of the former layout: the slot now. NULL when out of memory. */
static uint32_t *map_slots(const journey *own, size_t bytes)
{
    const berth__layout *layout = own->from->view.layout;
    uint32_t *slots = berth__alloc(own->to->keeper.allocator, bytes, 64);
    for (uint32_t slot = 0; slots != NULL && slot < layout->count; slot++) {
        uint32_t id = layout->nodes[slot];
        const berth__node *was = counted_node(own->from, id), *is = counted_node(own->to, id);
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
        berth__counts_move(&own->to->view, layout, slots, &own->to->pods);
    berth__free(own->to->keeper.allocator, slots, bytes);
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
            note(view, slot);
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
    journey own = {.from = former, .to = cluster, .before = former->view, .ok = true};
    bool away = view->layout->epoch != former->view.layout->epoch ||
                view->resource_count != former->view.resource_count;
    own.before.counts = view->counts;
    own.same_order = orders_agree(view->layout, former->view.layout);
    /* Before any pod comes: sums of an earlier time may bear the epoch that is now. */
    if (away && BERTH_BITE != BITE_OLD_SUMS)
        berth__counts_forget_domains(view->counts);
    if (BERTH_BITE != BITE_NODES_STAY)
        berth__table_compare(&former->view.nodes, &view->nodes, nodes_leave, &own);
    if (BERTH_BITE != BITE_PODS_STAY)
        berth__table_compare(&former->pods.records, &cluster->pods.records, pods_leave, &own);
    view->counts->pods = &cluster->pods;
    if (own.same_order)
        note_tiles(&own);
    else
        move_counters(&own);
    if (BERTH_BITE != BITE_NODES_STAY)
        berth__table_compare(&former->view.nodes, &view->nodes, nodes_come, &own);
    if (BERTH_BITE != BITE_PODS_STAY)
        berth__table_compare(&former->pods.records, &cluster->pods.records, pods_come, &own);
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
        const berth__pod *pod = placed_pod(berth__pod_at(pods, i), 0);
        const berth__node *node = pod != NULL && pod->cls->pod_rules != NULL
                                      ? counted_node(cluster, pod->node)
                                      : NULL;
        if (node == NULL)
            continue;
        if (!berth__counts_learn(view, pod->cls))
            return false;
        berth__counts_change(view, node->slot, pod->cls, 1);
    }
    return true;
}
