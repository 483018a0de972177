/* Tiles of a view: building, widening, counting pods in and out. */
#include "snapshot/view.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "snapshot/counts.h"
#include "snapshot/node_volumes.h"

/* ---- tiles ---- */

static size_t tile_bytes(uint32_t resource_count)
{
    return sizeof(berth__tile) + (size_t)resource_count * 2 * BERTH__TILE * sizeof(int64_t);
}

static berth__tile *tile_create(const berth_allocator *allocator, uint32_t resource_count)
{
    berth__tile *tile = berth__alloc_zero(allocator, tile_bytes(resource_count), 64);
    if (tile != NULL)
        tile->resource_count = resource_count;
    return tile;
}

static size_t port_set_bytes(uint32_t capacity)
{
    return sizeof(berth__port_set) + capacity * sizeof(berth__host_port);
}

static void port_set_free(const berth_allocator *allocator, berth__port_set *set)
{
    if (set != NULL)
        berth__free(allocator, set, port_set_bytes(set->capacity));
}

static void tile_destroy(const berth_allocator *allocator, berth__tile *tile)
{
    if (tile == NULL)
        return;
    for (uint32_t i = 0; i < BERTH__TILE; i++)
        port_set_free(allocator, tile->ports[i]);
    berth__free(allocator, tile, tile_bytes(tile->resource_count));
}

static void tiles_destroy(const berth_allocator *allocator, berth__tile **tiles, uint32_t count)
{
    if (tiles == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        tile_destroy(allocator, tiles[i]);
    berth__free(allocator, tiles, count * sizeof(*tiles));
}

static berth__tile **tiles_create(const berth_allocator *allocator, uint32_t count,
                                  uint32_t resource_count)
{
    berth__tile **tiles = berth__alloc_zero(allocator, count * sizeof(*tiles), 64);
    for (uint32_t i = 0; tiles != NULL && i < count; i++) {
        tiles[i] = tile_create(allocator, resource_count);
        if (tiles[i] == NULL) {
            tiles_destroy(allocator, tiles, count);
            return NULL;
        }
    }
    return tiles;
}

/* ---- life ---- */

berth_status berth__view_init(berth__view *view, berth__model *model)
{
    *view = (berth__view){.model = model,
                          .resource_count = model->resource_count,
                          .kernels = berth__kernels_best()};
    view->layout = berth__layout_create(model->allocator, 0);
    view->tiles = tiles_create(model->allocator, 0, 0);
    view->journal = berth__alloc(model->allocator, BERTH__JOURNAL * sizeof(uint32_t), 64);
    if (view->layout != NULL && view->tiles != NULL && view->journal != NULL)
        return BERTH_OK;
    berth__view_destroy(view);
    return BERTH_E_NOMEM;
}

void berth__view_destroy(berth__view *view)
{
    if (view->model == NULL)
        return;
    tiles_destroy(view->model->allocator, view->tiles,
                  view->layout != NULL ? view->layout->tile_count : 0);
    berth__layout_destroy(view->layout);
    berth__free(view->model->allocator, view->journal, BERTH__JOURNAL * sizeof(uint32_t));
    *view = (berth__view){0};
}

berth__tile *berth__view_write(berth__view *view, uint32_t slot)
{
    view->journal[view->journal_end++ % BERTH__JOURNAL] = slot;
    return view->tiles[slot >> BERTH__TILE_SHIFT];
}

/* ---- amounts ---- */

static void note_amount(berth__view *view, int64_t amount)
{
    if (BERTH_UNLIKELY(amount > BERTH__SMALL_AMOUNT))
        view->wide = true;
}

static int32_t clamp_pods(int64_t pods)
{
    return pods > INT32_MAX ? INT32_MAX : (int32_t)pods;
}

/* A closed node has room for less than no pod: no filter has to know of it. */
static int32_t room_for_pods(const berth__node *node)
{
    return node->closed ? -1 : clamp_pods(node->facts->pods_max);
}

static void set_allocatable(berth__view *view, berth__tile *tile, uint32_t at,
                            const berth__node *node)
{
    const berth__node_facts *facts = node->facts;
    for (uint32_t r = 0; r < tile->resource_count; r++)
        berth__tile_allocatable(tile, r)[at] = 0;
    for (uint32_t i = 0; i < facts->amount_count; i++) {
        BERTH_ASSERT(facts->amounts[i].resource < tile->resource_count);
        berth__tile_allocatable(tile, facts->amounts[i].resource)[at] =
            facts->amounts[i].allocatable;
        note_amount(view, facts->amounts[i].allocatable);
    }
    tile->pods_max[at] = room_for_pods(node);
}

void berth__view_close(berth__view *view, uint32_t slot)
{
    const berth__node *node = berth__view_node(view, slot);
    berth__layout_close(view->layout, slot, node->closed);
    berth__view_write(view, slot)->pods_max[slot % BERTH__TILE] = room_for_pods(node);
}

void berth__view_set_facts(berth__view *view, uint32_t slot, uint64_t epoch)
{
    uint32_t node_id = view->layout->nodes[slot];
    berth__layout_set(view->layout, slot, node_id, view->nodes[node_id]);
    view->layout->epoch = epoch;
    set_allocatable(view, berth__view_write(view, slot), slot % BERTH__TILE,
                    view->nodes[node_id]);
}

/* ---- host ports ---- */

static bool port_equal(const berth__host_port *a, const berth__host_port *b)
{
    return a->ip == b->ip && a->protocol == b->protocol && a->port == b->port;
}

static bool port_set_reserve(berth__view *view, berth__port_set **slot, uint32_t more)
{
    const berth_allocator *allocator = view->model->allocator;
    berth__port_set *old = *slot;
    uint32_t count = old != NULL ? old->count : 0;
    if (old != NULL && count + more <= old->capacity)
        return true;
    uint32_t capacity = count + more + count / 2;
    berth__port_set *set = berth__alloc(allocator, port_set_bytes(capacity), 8);
    if (set == NULL)
        return false;
    set->count = count;
    set->capacity = capacity;
    if (old != NULL)
        memcpy(set->items, old->items, count * sizeof(*old->items));
    port_set_free(allocator, old);
    *slot = set;
    return true;
}

static void port_set_add(berth__port_set *set, const berth__port_list *ports)
{
    for (uint32_t i = 0; i < ports->count; i++) {
        bool present = false;
        for (uint32_t k = 0; k < set->count && !present; k++)
            present = port_equal(&set->items[k], &ports->items[i]);
        if (!present)
            set->items[set->count++] = ports->items[i];
    }
}

/* A port goes with the first pod that held it, even if another still does: kube-scheduler's rule. */
static void port_set_remove(berth__port_set *set, const berth__port_list *ports)
{
    for (uint32_t i = 0; i < ports->count; i++)
        for (uint32_t k = 0; k < set->count; k++)
            if (port_equal(&set->items[k], &ports->items[i])) {
                set->items[k] = set->items[--set->count];
                break;
            }
}

/* ---- pods in and out ---- */

static void add_use(berth__view *view, int64_t *column, uint32_t at, int64_t amount)
{
    column[at] = (int64_t)((uint64_t)column[at] + (uint64_t)amount);
    note_amount(view, column[at]);
}

static void count_request(berth__view *view, berth__tile *tile, uint32_t at,
                          const berth__request *request, int64_t sign)
{
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        add_use(view, berth__tile_used(tile, r), at, sign * request->use[r]);
    add_use(view, tile->nonzero_cpu, at, sign * request->nonzero_cpu);
    add_use(view, tile->nonzero_memory, at, sign * request->nonzero_memory);
    for (uint32_t i = 0; i < request->scalar_count; i++)
        add_use(view, berth__tile_used(tile, request->scalars[i].resource), at,
                sign * request->scalars[i].use);
    tile->pods_used[at] += (int32_t)sign;
}

static berth_status count_in(berth__view *view, berth__tile *tile, uint32_t slot,
                             const berth__class *cls)
{
    uint32_t at = slot % BERTH__TILE;
    if (!berth__counts_learn(view, cls))
        return BERTH_E_NOMEM;
    if (cls->ports != NULL && !port_set_reserve(view, &tile->ports[at], cls->ports->count))
        return BERTH_E_NOMEM;
    if (cls->volumes != NULL)
        BERTH_TRY(berth__volume_use_add(view->volume_use, view->layout->nodes[slot],
                                        cls->volumes));
    if (cls->ports != NULL)
        port_set_add(tile->ports[at], cls->ports);
    count_request(view, tile, at, cls->request, 1);
    berth__counts_change(view, slot, cls, 1);
    return BERTH_OK;
}

static void count_out(berth__view *view, berth__tile *tile, uint32_t slot,
                      const berth__class *cls)
{
    uint32_t at = slot % BERTH__TILE;
    if (cls->ports != NULL && tile->ports[at] != NULL)
        port_set_remove(tile->ports[at], cls->ports);
    if (cls->volumes != NULL)
        berth__volume_use_remove(view->volume_use, view->layout->nodes[slot], cls->volumes);
    count_request(view, tile, at, cls->request, -1);
    berth__counts_change(view, slot, cls, -1);
}

berth_status berth__view_add_pod(berth__view *view, uint32_t slot, const berth__class *cls)
{
    return count_in(view, berth__view_write(view, slot), slot, cls);
}

void berth__view_remove_pod(berth__view *view, uint32_t slot, const berth__class *cls)
{
    count_out(view, berth__view_write(view, slot), slot, cls);
}

void berth__view_restore_pod(berth__view *view, uint32_t slot, const berth__class *cls, int change)
{
    berth__tile *tile = berth__view_write(view, slot);
    if (cls->volumes != NULL && change > 0)
        berth__volume_use_restore(view->volume_use, view->layout->nodes[slot], cls->volumes);
    else if (cls->volumes != NULL)
        berth__volume_use_remove(view->volume_use, view->layout->nodes[slot], cls->volumes);
    count_request(view, tile, slot % BERTH__TILE, cls->request, change);
    berth__counts_change(view, slot, cls, change);
}

uint32_t berth__view_ports(const berth__view *view, uint32_t slot, const berth__host_port **items)
{
    const berth__port_set *set =
        view->tiles[slot >> BERTH__TILE_SHIFT]->ports[slot % BERTH__TILE];
    *items = set != NULL ? set->items : NULL;
    return set != NULL ? set->count : 0;
}

void berth__view_set_ports(berth__view *view, uint32_t slot, const berth__host_port *items,
                           uint32_t count)
{
    berth__port_set *set = berth__view_write(view, slot)->ports[slot % BERTH__TILE];
    BERTH_ASSERT(count <= (set != NULL ? set->capacity : 0));
    if (set == NULL)
        return;
    set->count = count;
    if (count > 0)
        memcpy(set->items, items, count * sizeof(*items));
}

berth_status berth__view_suppose(berth__view *view, uint32_t slot, const berth__class *cls,
                                 int change)
{
    berth__tile *tile = view->tiles[slot >> BERTH__TILE_SHIFT];
    if (change > 0)
        return count_in(view, tile, slot, cls);
    count_out(view, tile, slot, cls);
    return BERTH_OK;
}

berth_status berth__view_fill(berth__view *view, uint32_t slot, const berth__pods *pods)
{
    uint32_t first = berth__view_node(view, slot)->first_pod, index = first;
    for (; index != BERTH__POD_NONE; index = berth__pod_at(pods, index)->next) {
        berth_status status =
            berth__view_add_pod(view, slot, berth__pod_at(pods, index)->cls);
        if (status == BERTH_OK)
            continue;
        for (uint32_t undo = first; undo != index; undo = berth__pod_at(pods, undo)->next)
            berth__view_remove_pod(view, slot, berth__pod_at(pods, undo)->cls);
        return status;
    }
    return BERTH_OK;
}

void berth__view_vacate(berth__view *view, uint32_t slot, const berth__pods *pods)
{
    uint32_t index = berth__view_node(view, slot)->first_pod;
    for (; index != BERTH__POD_NONE; index = berth__pod_at(pods, index)->next)
        berth__view_remove_pod(view, slot, berth__pod_at(pods, index)->cls);
}

/* ---- relayout ---- */

/* Move a slot's use from an old tile; port sets change hands. */
static void move_use(berth__tile *from, uint32_t from_at, berth__tile *to, uint32_t to_at)
{
    for (uint32_t r = 0; r < from->resource_count && r < to->resource_count; r++)
        berth__tile_used(to, r)[to_at] = berth__tile_used(from, r)[from_at];
    to->nonzero_cpu[to_at] = from->nonzero_cpu[from_at];
    to->nonzero_memory[to_at] = from->nonzero_memory[from_at];
    to->pods_used[to_at] = from->pods_used[from_at];
    to->ports[to_at] = from->ports[from_at];
    from->ports[from_at] = NULL;
}

static bool was_in_layout(const berth__view *view, const berth__node *node, uint32_t node_id)
{
    return node->slot != BERTH__SLOT_NONE && node->slot < view->layout->count &&
           view->layout->nodes[node->slot] == node_id;
}

static void fill_slots(berth__view *view, berth__view *next, const uint32_t *order)
{
    for (uint32_t slot = 0; slot < next->layout->count; slot++) {
        const berth__node *node = next->nodes[order[slot]];
        berth__layout_set(next->layout, slot, order[slot], node);
        berth__tile *tile = next->tiles[slot >> BERTH__TILE_SHIFT];
        set_allocatable(next, tile, slot % BERTH__TILE, node);
        if (was_in_layout(view, node, order[slot]))
            move_use(view->tiles[node->slot >> BERTH__TILE_SHIFT], node->slot % BERTH__TILE, tile,
                     slot % BERTH__TILE);
    }
}

/* The counters follow the slots; without memory for the map of slots they start anew. */
static void move_counts(berth__view *view, const berth__layout *old, const uint32_t *order,
                        const berth__pods *pods)
{
    const berth_allocator *allocator = view->model->allocator;
    size_t bytes = old->count * sizeof(uint32_t);
    uint32_t *slots = berth__alloc(allocator, bytes, 64);
    if (slots != NULL)
        memset(slots, 0xff, bytes); /* BERTH__SLOT_NONE */
    for (uint32_t slot = 0; slots != NULL && slot < view->layout->count; slot++) {
        uint32_t from = view->nodes[order[slot]]->slot;
        if (from != BERTH__SLOT_NONE && from < old->count && old->nodes[from] == order[slot])
            slots[from] = slot;
    }
    berth__counts_move(view, old, slots, pods);
    berth__free(allocator, slots, bytes);
}

/* All nodes learn their slots; those new to the layout get their state from their pods. */
static berth_status settle(berth__view *view, const berth__layout *old, const uint32_t *order,
                           const berth__pods *pods)
{
    berth_status status = BERTH_OK;
    for (uint32_t slot = 0; slot < old->count; slot++)
        if (view->nodes[old->nodes[slot]]->facts == NULL)
            view->nodes[old->nodes[slot]]->slot = BERTH__SLOT_NONE;
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth__node *node = view->nodes[order[slot]];
        bool known = node->slot != BERTH__SLOT_NONE && node->slot < old->count &&
                     old->nodes[node->slot] == order[slot];
        node->slot = slot;
        if (known || node->first_pod == BERTH__POD_NONE)
            continue;
        if (status == BERTH_OK)
            status = berth__view_fill(view, slot, pods);
        if (status != BERTH_OK)
            node->slot = BERTH__SLOT_NONE; /* not counted: new to the next layout, too */
    }
    return status;
}

/* Keep what the way back from a layout of `count` slots will need. */
static berth_status note_former(const berth__view *view, uint32_t count,
                                berth__former_layout *out)
{
    const berth_allocator *allocator = view->model->allocator;
    uint32_t old_count = view->layout->count;
    out->slots = berth__alloc(allocator, old_count * sizeof(*out->slots), 64);
    out->back = berth__alloc(allocator, count * sizeof(*out->back), 64);
    out->back_count = count;
    if (out->slots == NULL || out->back == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t slot = 0; slot < old_count; slot++)
        out->slots[slot] = berth__view_node(view, slot)->slot;
    return BERTH_OK;
}

static void free_notes(const berth_allocator *allocator, const berth__former_layout *former)
{
    berth__free(allocator, former->slots, former->layout->count * sizeof(*former->slots));
    berth__free(allocator, former->back, former->back_count * sizeof(*former->back));
}

void berth__former_layout_free(const berth__view *view, berth__former_layout *former)
{
    const berth_allocator *allocator = view->model->allocator;
    free_notes(allocator, former);
    tiles_destroy(allocator, former->tiles, former->layout->tile_count);
    berth__layout_destroy(former->layout);
}

/* An empty layout and tiles for `count` slots, in a view that is otherwise the same. */
static berth_status begin_layout(const berth__view *view, berth__node **nodes, uint32_t count,
                                 uint64_t epoch, berth__view *next)
{
    const berth_allocator *allocator = view->model->allocator;
    *next = *view;
    next->nodes = nodes;
    if (next->resource_count < view->model->resource_count)
        next->resource_count = view->model->resource_count;
    next->layout = berth__layout_create(allocator, count);
    if (next->layout == NULL)
        return BERTH_E_NOMEM;
    next->layout->epoch = epoch;
    next->tiles = tiles_create(allocator, next->layout->tile_count, next->resource_count);
    if (next->tiles != NULL)
        return BERTH_OK;
    berth__layout_destroy(next->layout);
    return BERTH_E_NOMEM;
}

berth_status berth__view_relayout(berth__view *view, berth__node **nodes, const uint32_t *order,
                                  uint32_t count, const berth__pods *pods, uint64_t epoch,
                                  berth__former_layout *former)
{
    berth__former_layout old = {
        .layout = view->layout, .tiles = view->tiles, .resource_count = view->resource_count};
    berth__view next;
    berth_status status = former != NULL ? note_former(view, count, &old) : BERTH_OK;
    if (status == BERTH_OK)
        status = begin_layout(view, nodes, count, epoch, &next);
    if (status != BERTH_OK) {
        free_notes(view->model->allocator, &old);
        return status;
    }
    fill_slots(view, &next, order);
    *view = next;
    move_counts(view, old.layout, order, pods);
    status = settle(view, old.layout, order, pods);
    if (former != NULL)
        *former = old;
    else
        berth__former_layout_free(view, &old);
    return status;
}

/* Where the nodes of the present layout go; those that the former did not count leave. */
static void part_ways(berth__view *view, const berth__former_layout *former,
                      const berth__pods *pods)
{
    uint32_t *back = former->back;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        back[slot] = BERTH__SLOT_NONE;
    for (uint32_t slot = 0; slot < former->layout->count; slot++) {
        uint32_t now = view->nodes[former->layout->nodes[slot]]->slot;
        if (former->slots[slot] == slot && now != BERTH__SLOT_NONE)
            back[now] = slot;
    }
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth__node *node = berth__view_node(view, slot);
        if (back[slot] != BERTH__SLOT_NONE || node->slot != slot)
            continue;
        berth__view_vacate(view, slot, pods);
        node->slot = BERTH__SLOT_NONE;
    }
}

void berth__view_relayout_back(berth__view *view, const berth__former_layout *former,
                               const berth__pods *pods, uint64_t epoch)
{
    berth__former_layout now = {.layout = view->layout, .tiles = view->tiles};
    BERTH_ASSERT(former->back_count == now.layout->count);
    part_ways(view, former, pods);
    for (uint32_t slot = 0; slot < now.layout->count; slot++) {
        uint32_t to = former->back[slot];
        if (to != BERTH__SLOT_NONE)
            move_use(now.tiles[slot >> BERTH__TILE_SHIFT], slot % BERTH__TILE,
                     former->tiles[to >> BERTH__TILE_SHIFT], to % BERTH__TILE);
    }
    view->layout = former->layout;
    view->tiles = former->tiles;
    view->resource_count = former->resource_count;
    view->layout->epoch = epoch;
    berth__counts_move(view, now.layout, former->back, pods);
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        berth__view_node(view, slot)->slot = former->slots[slot];
    free_notes(view->model->allocator, former);
    tiles_destroy(view->model->allocator, now.tiles, now.layout->tile_count);
    berth__layout_destroy(now.layout);
}

berth_status berth__view_widen(berth__view *view)
{
    const berth_allocator *allocator = view->model->allocator;
    uint32_t tile_count = view->layout->tile_count;
    berth__tile **tiles = tiles_create(allocator, tile_count, view->model->resource_count);
    if (tiles == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t t = 0; t < tile_count; t++) {
        berth__tile *from = view->tiles[t];
        uint32_t resource_count = tiles[t]->resource_count;
        memcpy(tiles[t], from, tile_bytes(from->resource_count));
        memset(from->ports, 0, sizeof(from->ports)); /* they have moved */
        tiles[t]->resource_count = resource_count;
    }
    tiles_destroy(allocator, view->tiles, tile_count);
    view->tiles = tiles;
    view->resource_count = view->model->resource_count;
    return BERTH_OK;
}
