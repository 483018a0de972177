/* Brings a view to another order of nodes and back, or adds columns for more resources: makes a new
 * layout and new tiles, and fills them from the old ones. */
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/limit.h"
#include "columns/pod_counts.h"
#include "columns/view_parts.h"

/* ---- sets of tiles ---- */

/* Reserve the notes for replacing the old set of tiles with a new one. */
static bool reserve_tiles(berth__view *view, uint32_t count)
{
    return !view->cow->shared ||
           berth__cow_owner_reserve(view->cow, view->layout->tile_count + count + 8);
}

/* Note that the tiles from `first` on, and the array, are new parts of the view. */
static void note_tiles(berth__view *view, uint32_t first, uint32_t count)
{
    berth__cow_owner *cow = view->cow;
    view->tiles_stamp = cow->stamp;
    for (uint32_t i = first; cow->branch && i < count; i++)
        berth__cow_owner_note_made(cow, berth__tile_release, view->tiles[i], 0);
    berth__cow_owner_note_made(cow, berth__release_block, view->tiles,
                               count * sizeof(*view->tiles));
}

/* The view no longer has the array, nor its tiles from `first` on. */
static void drop_tiles(const berth__view *view, berth__tile **old, uint32_t first, uint32_t count,
                       uint64_t stamp)
{
    berth__cow_owner *cow = view->cow;
    for (uint32_t i = first; i < count; i++)
        berth__cow_owner_retire(cow, old[i]->stamp, berth__tile_release, old[i], 0);
    berth__cow_owner_retire(cow, stamp, berth__release_block, old, count * sizeof(*old));
}

/* ---- relayout ---- */

/* Copy a slot's amounts from an old tile with the same columns. */
static void copy_allocatable(berth__tile *from, uint32_t from_at, berth__tile *to, uint32_t to_at)
{
    for (uint32_t r = 0; r < to->resource_count; r++)
        berth__tile_allocatable(to, r)[to_at] = berth__tile_allocatable(from, r)[from_at];
    to->pods_max[to_at] = from->pods_max[from_at];
}

/* Move a slot's use from an old tile. Port sets are moved, or copied if the old tile may be shared.
 * Returns false when out of memory. */
static bool move_use(const berth__cow_owner *cow, berth__tile *from, uint32_t from_at,
                     berth__tile *to, uint32_t to_at)
{
    for (uint32_t r = 0; r < from->resource_count && r < to->resource_count; r++)
        berth__tile_used(to, r)[to_at] = berth__tile_used(from, r)[from_at];
    to->nonzero_cpu[to_at] = from->nonzero_cpu[from_at];
    to->nonzero_memory[to_at] = from->nonzero_memory[from_at];
    to->pods_used[to_at] = from->pods_used[from_at];
    if (from->ports[from_at] == NULL)
        return true;
    if (cow->shared) {
        to->ports[to_at] = berth__port_set_copy(cow->allocator, from->ports[from_at]);
    } else {
        to->ports[to_at] = from->ports[from_at];
        from->ports[from_at] = NULL;
        berth__bit_clear(from->ports_held.words, from_at);
    }
    berth__bit_put(to->ports_held.words, to_at, to->ports[to_at] != NULL);
    return to->ports[to_at] != NULL;
}

static bool was_in_layout(const berth__view *view, const berth__node_record *node, uint32_t node_id)
{
    return node->slot != BERTH__SLOT_NONE && node->slot < view->layout->count &&
           view->layout->nodes[node->slot] == node_id;
}

/* A node that was in the layout takes its state from its old slot. */
static bool move_slot(const berth__view *view, const berth__view *next, uint32_t from, uint32_t to)
{
    berth__tile *old = view->tiles[from >> BERTH__TILE_SHIFT];
    berth__tile *tile = next->tiles[to >> BERTH__TILE_SHIFT];
    copy_allocatable(old, from % BERTH__TILE, tile, to % BERTH__TILE);
    tile->evenness[to % BERTH__TILE] = old->evenness[from % BERTH__TILE];
    return move_use(view->cow, old, from % BERTH__TILE, tile, to % BERTH__TILE);
}

/* A node that is new, or whose columns are not those of its old slot, takes its state from its
 * facts, and its use from the old slot if there is one. */
static bool set_slot(const berth__view *view, berth__view *next, uint32_t node_id, uint32_t slot)
{
    const berth__node_record *node = berth__node_at(&next->nodes, node_id);
    berth__tile *tile = next->tiles[slot >> BERTH__TILE_SHIFT];
    berth__layout_set(next->layout, slot, node_id, node);
    if (was_in_layout(view, node, node_id) &&
        !move_use(view->cow, view->tiles[node->slot >> BERTH__TILE_SHIFT], node->slot % BERTH__TILE,
                  tile, slot % BERTH__TILE))
        return false;
    berth__view_set_allocatable(next, tile, slot % BERTH__TILE, node);
    return true;
}

/* Whether tiles have the same columns. */
static bool are_alike(const berth__view *view, const berth__view *next)
{
    return next->resource_count == view->resource_count && next->names_epoch == view->names_epoch;
}

/* How many tiles come before the first node that moves. */
static uint32_t tiles_that_stay(const berth__view *view, const uint32_t *order, uint32_t count)
{
    const berth__layout *old = view->layout;
    uint32_t slot = 0;
    while (slot < count && slot < old->count && old->nodes[slot] == order[slot] &&
           berth__node_at(&view->nodes, order[slot])->slot == slot)
        slot++;
    return slot / BERTH__TILE;
}

static bool fill_slots(berth__view *view, berth__view *next, const uint32_t *order, uint32_t kept)
{
    const uint32_t count = next->layout->count, first = kept * BERTH__TILE;
    const bool alike = are_alike(view, next);
    uint32_t *from = berth__alloc(view->model->allocator, count * sizeof(*from), 64);
    bool ok = from != NULL || count == 0;
    for (uint32_t slot = first; slot < count && ok; slot++) {
        const berth__node_record *node = berth__node_at(&next->nodes, order[slot]);
        from[slot] =
            alike && was_in_layout(view, node, order[slot]) ? node->slot : BERTH__SLOT_NONE;
    }
    if (ok && alike && view->layout->count > 0)
        berth__layout_take(next->layout, view->layout, kept, from);
    for (uint32_t slot = first; slot < count && ok; slot++)
        ok = from[slot] != BERTH__SLOT_NONE ? move_slot(view, next, from[slot], slot)
                                            : set_slot(view, next, order[slot], slot);
    berth__free(view->model->allocator, from, count * sizeof(*from));
    return ok;
}

/* Make the counters follow the slots. Without memory for the map of slots, everything is counted
 * again. */
static void move_counts(berth__view *view, const berth__layout *old, const uint32_t *order,
                        uint32_t kept, const berth__pods *pods)
{
    const berth_allocator *allocator = view->model->allocator;
    size_t bytes = old->count * sizeof(uint32_t);
    uint32_t *slots = berth__alloc(allocator, bytes, 64);
    if (slots != NULL)
        memset(slots, 0xff, bytes); /* BERTH__SLOT_NONE */
    for (uint32_t slot = 0; slots != NULL && slot < kept * BERTH__TILE; slot++)
        slots[slot] = slot;
    for (uint32_t slot = kept * BERTH__TILE; slots != NULL && slot < view->layout->count; slot++) {
        uint32_t from = berth__node_at(&view->nodes, order[slot])->slot;
        if (from != BERTH__SLOT_NONE && from < old->count && old->nodes[from] == order[slot])
            slots[from] = slot;
    }
    berth__pod_counts_move(view, old, slots, pods);
    berth__free(allocator, slots, bytes);
}

/* Set the slots of all nodes but those in the kept tiles. Nodes new to the layout get their state
 * from their pods. */
static berth_status settle(berth__view *view, const berth__layout *old, const uint32_t *order,
                           uint32_t kept, const berth__pods *pods)
{
    berth_status status = BERTH_OK;
    for (uint32_t slot = kept * BERTH__TILE; slot < old->count; slot++)
        if (berth__node_at(&view->nodes, old->nodes[slot])->facts == NULL)
            berth__node_at(&view->nodes, old->nodes[slot])->slot = BERTH__SLOT_NONE;
    for (uint32_t slot = kept * BERTH__TILE; slot < view->layout->count; slot++) {
        berth__node_record *node = berth__node_at(&view->nodes, order[slot]);
        bool known = node->slot != BERTH__SLOT_NONE && node->slot < old->count &&
                     old->nodes[node->slot] == order[slot];
        node->slot = slot;
        if (known || node->first_pod == BERTH_POD_INDEX_NONE)
            continue;
        if (status == BERTH_OK)
            status = berth__view_fill(view, slot, pods);
        if (status != BERTH_OK)
            node->slot = BERTH__SLOT_NONE; /* not counted: the next layout treats the node as new */
    }
    return status;
}

/* Make all records writable whose slot changes: those of nodes behind the kept tiles. */
static bool own_records(berth__view *view, const uint32_t *order, uint32_t count, uint32_t kept)
{
    bool ok = true;
    for (uint32_t i = kept * BERTH__TILE; i < count && ok && view->cow->shared; i++)
        ok = berth__cow_array_make_writable(&view->nodes, view->cow, order[i]);
    for (uint32_t i = kept * BERTH__TILE; i < view->layout->count && ok && view->cow->shared; i++)
        ok = berth__cow_array_make_writable(&view->nodes, view->cow, view->layout->nodes[i]);
    return ok;
}

static void free_notes(const berth__view *view, const berth__former_layout *former)
{
    const berth_allocator *allocator = view->model->allocator;
    berth__cow_owner_unhold(view->cow, former->held);
    berth__free(allocator, former->slots, former->slot_count * sizeof(*former->slots));
    berth__free(allocator, former->back, former->back_count * sizeof(*former->back));
}

/* Reserve what undoing a layout of `count` slots needs: memory, a writable layout, and notes for
 * releasing the old one in the end. */
static berth_status note_former(berth__view *view, uint32_t count, berth__former_layout *out)
{
    const berth_allocator *allocator = view->model->allocator;
    uint32_t old_count = view->layout->count, held = view->layout->tile_count + 2;
    *out = (berth__former_layout){.slot_count = old_count, .back_count = count};
    out->slots = berth__alloc(allocator, old_count * sizeof(*out->slots), 64);
    out->back = berth__alloc(allocator, count * sizeof(*out->back), 64);
    if (out->slots == NULL || out->back == NULL ||
        berth__view_make_layout_writable(view) != BERTH_OK ||
        !berth__cow_owner_hold(view->cow, held)) {
        free_notes(view, out);
        return BERTH_E_NOMEM;
    }
    out->held = held;
    for (uint32_t slot = 0; slot < old_count; slot++)
        out->slots[slot] = berth__view_node(view, slot)->slot;
    return BERTH_OK;
}

void berth__former_layout_free(const berth__view *view, berth__former_layout *former)
{
    free_notes(view, former);
    drop_tiles(view, former->tiles, former->kept_tiles, former->layout->tile_count,
               former->tiles_stamp);
    berth__cow_owner_retire(view->cow, former->layout->stamp, berth__layout_release, former->layout,
                            0);
}

/* Add the columns that later decisions will probably read, so that they are filled together with
 * the slots: the columns of the previous layout or, for the first layout, those that nearly all
 * clusters need. */
static bool expect_columns(const berth__view *view, berth__layout *layout)
{
    enum { KEPT_MAX = BERTH__LIMIT(16, 1) };
    const berth__model *model = view->model;
    if (view->layout->count > 0)
        return berth__layout_expect_as(layout, view->layout, KEPT_MAX);
    return berth__layout_expect(layout, model->known.zone) &&
           berth__layout_expect(layout, model->known.region) &&
           berth__layout_expect(layout, model->known.hostname);
}

/* An empty layout and tiles for `count` slots, in a view that is otherwise the same. The first
 * `*kept` tiles are those of the old one; `*kept` becomes 0 if these lack columns. */
static berth_status begin_layout(const berth__view *view, uint32_t count, uint64_t epoch,
                                 berth__view *next, uint32_t *kept)
{
    const berth_allocator *allocator = view->model->allocator;
    *next = *view;
    next->names_epoch =
        berth__names_epoch(view->model); /* read before the count, which may grow meanwhile */
    if (next->resource_count < view->model->resource_count)
        next->resource_count = view->model->resource_count;
    next->layout = berth__layout_create(allocator, count);
    if (next->layout == NULL || !expect_columns(view, next->layout) ||
        !berth__layout_reserve_taints(next->layout, berth__taints_count(view->model))) {
        berth__layout_destroy(next->layout);
        return BERTH_E_NOMEM;
    }
    berth__layout_begin(next->layout, epoch);
    next->layout->stamp = view->cow->stamp;
    *kept = are_alike(view, next) ? *kept : 0;
    next->tiles = berth__tiles_create(view->cow, view->model, *kept, next->layout->tile_count,
                                      next->resource_count);
    if (next->tiles == NULL) {
        berth__layout_destroy(next->layout);
        return BERTH_E_NOMEM;
    }
    if (*kept > 0)
        memcpy(next->tiles, view->tiles, *kept * sizeof(*next->tiles));
    return BERTH_OK;
}

/* The next layout with its tiles, complete except for nodes that are new to it. Of the tiles, the
 * first `*kept` may be, and then are, those of the old layout. */
static berth_status make_layout(berth__view *view, const uint32_t *order, uint32_t count,
                                uint64_t epoch, berth__view *next, uint32_t *kept)
{
    if (!own_records(view, order, count, *kept) ||
        !reserve_tiles(view, (count + BERTH__TILE - 1) / BERTH__TILE))
        return BERTH_E_NOMEM;
    BERTH_TRY(begin_layout(view, count, epoch, next, kept));
    if (fill_slots(view, next, order, *kept))
        return BERTH_OK;
    berth__tiles_destroy(view->model->allocator, next->tiles, *kept, next->layout->tile_count);
    berth__layout_destroy(next->layout);
    return BERTH_E_NOMEM;
}

berth_status berth__view_relayout(berth__view *view, const uint32_t *order, uint32_t count,
                                  const berth__pods *pods, uint64_t epoch,
                                  berth__former_layout *former)
{
    berth__view next;
    berth__former_layout old = {.layout = NULL};
    if (former != NULL)
        BERTH_TRY(note_former(view, count, &old));
    old.layout = view->layout;
    old.tiles = view->tiles;
    old.tiles_stamp = view->tiles_stamp;
    old.resource_count = view->resource_count;
    old.names_epoch = view->names_epoch;
    old.kept_tiles = former == NULL ? tiles_that_stay(view, order, count) : 0;
    berth_status status = make_layout(view, order, count, epoch, &next, &old.kept_tiles);
    if (status != BERTH_OK) {
        free_notes(view, &old);
        return status;
    }
    *view = next;
    note_tiles(view, old.kept_tiles, view->layout->tile_count);
    berth__cow_owner_note_made(view->cow, berth__layout_release, view->layout, 0);
    move_counts(view, old.layout, order, old.kept_tiles, pods);
    status = settle(view, old.layout, order, old.kept_tiles, pods);
    if (former != NULL)
        *former = old;
    else
        berth__former_layout_free(view, &old);
    return status;
}

/* Find the former slots of the nodes in the current layout. Nodes that the former layout did not
 * count lose their slots. */
static void part_ways(berth__view *view, const berth__former_layout *former,
                      const berth__pods *pods)
{
    uint32_t *back = former->back;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        back[slot] = BERTH__SLOT_NONE;
    for (uint32_t slot = 0; slot < former->layout->count; slot++) {
        uint32_t now = berth__node_at(&view->nodes, former->layout->nodes[slot])->slot;
        if (former->slots[slot] == slot && now != BERTH__SLOT_NONE)
            back[now] = slot;
    }
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth__node_record *node = berth__view_node(view, slot);
        if (back[slot] != BERTH__SLOT_NONE || node->slot != slot)
            continue;
        berth__view_vacate(view, slot, pods);
        node->slot = BERTH__SLOT_NONE;
    }
}

void berth__view_relayout_back(berth__view *view, const berth__former_layout *former,
                               const berth__pods *pods, uint64_t epoch)
{
    berth__layout *layout = view->layout;
    berth__tile **tiles = view->tiles;
    uint64_t tiles_stamp = view->tiles_stamp;
    BERTH_ASSERT(former->back_count == layout->count);
    part_ways(view, former, pods);
    /* Tiles that may be shared were copied, not moved, so they need no repair. */
    for (uint32_t slot = 0; slot < layout->count && !view->cow->shared; slot++) {
        uint32_t to = former->back[slot];
        if (to == BERTH__SLOT_NONE)
            continue;
        (void)move_use(view->cow, tiles[slot >> BERTH__TILE_SHIFT], slot % BERTH__TILE,
                       former->tiles[to >> BERTH__TILE_SHIFT], to % BERTH__TILE);
        berth__view_note_evenness(former->tiles[to >> BERTH__TILE_SHIFT], to % BERTH__TILE);
    }
    view->layout = former->layout;
    view->tiles = former->tiles;
    view->tiles_stamp = former->tiles_stamp;
    view->resource_count = former->resource_count;
    view->names_epoch = former->names_epoch;
    berth__layout_begin(view->layout, epoch);
    berth__pod_counts_move(view, layout, former->back, pods);
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        berth__view_node(view, slot)->slot = former->slots[slot];
    free_notes(view, former);
    drop_tiles(view, tiles, 0, layout->tile_count, tiles_stamp);
    berth__cow_owner_retire(view->cow, layout->stamp, berth__layout_release, layout, 0);
}

berth_status berth__view_widen(berth__view *view)
{
    uint32_t tile_count = view->layout->tile_count;
    uint64_t names_epoch = berth__names_epoch(view->model);
    uint32_t resource_count = view->model->resource_count; /* read once: it may grow meanwhile */
    if (!reserve_tiles(view, tile_count))
        return BERTH_E_NOMEM;
    berth__tile **old = view->tiles;
    berth__tile **tiles =
        berth__tiles_create(view->cow, view->model, 0, tile_count, resource_count);
    if (tiles == NULL)
        return BERTH_E_NOMEM;
    bool ok = true;
    for (uint32_t t = 0; t < tile_count && ok; t++) {
        const berth__tile *from = old[t];
        memcpy(tiles[t], from, berth__tile_bytes(from->resource_count));
        tiles[t]->resource_count = resource_count;
        tiles[t]->stamp = view->cow->stamp;
        memset(tiles[t]->ports, 0, sizeof(tiles[t]->ports));
        for (uint32_t s = 0; s < BERTH__TILE && ok; s++)
            if (from->ports[s] != NULL) {
                tiles[t]->ports[s] = berth__port_set_copy(view->model->allocator, from->ports[s]);
                ok = tiles[t]->ports[s] != NULL;
            }
    }
    if (!ok) {
        berth__tiles_destroy(view->model->allocator, tiles, 0, tile_count);
        return BERTH_E_NOMEM;
    }
    uint64_t old_stamp = view->tiles_stamp;
    view->tiles = tiles;
    view->resource_count = resource_count;
    view->names_epoch = names_epoch;
    note_tiles(view, 0, tile_count);
    drop_tiles(view, old, 0, tile_count, old_stamp);
    return BERTH_OK;
}
