/* Tiles of a view: building, widening, counting pods in and out. */
#include "columns/view.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "columns/node_volumes.h"
#include "columns/pod_counts.h"

/* ---- tiles ---- */

static size_t tile_bytes(uint32_t resource_count)
{
    return sizeof(berth__tile) + (size_t)resource_count * 2 * BERTH__TILE * sizeof(int64_t);
}

static berth__tile *tile_create(const berth__cow_owner *cow, const berth_allocator *home,
                                uint32_t resource_count)
{
    berth__tile *tile = berth__alloc_zero(home, tile_bytes(resource_count), 64);
    if (tile != NULL) {
        tile->home = home;
        tile->stamp = cow->stamp;
        tile->resource_count = resource_count;
    }
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
    berth__free(tile->home, tile, tile_bytes(tile->resource_count));
}

static void tiles_destroy(const berth_allocator *allocator, berth__tile **tiles, uint32_t count)
{
    if (tiles == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        tile_destroy(allocator, tiles[i]);
    berth__free(allocator, tiles, count * sizeof(*tiles));
}

static berth__tile **tiles_create(const berth__cow_owner *cow, const berth__model *model,
                                  uint32_t count, uint32_t resource_count)
{
    berth__tile **tiles = berth__alloc_zero(cow->allocator, count * sizeof(*tiles), 64);
    for (uint32_t i = 0; tiles != NULL && i < count; i++) {
        const berth_allocator *home = berth__model_home(model, i, BERTH__HOME_TILES);
        tiles[i] = tile_create(cow, home, resource_count);
        if (tiles[i] == NULL) {
            tiles_destroy(cow->allocator, tiles, count);
            return NULL;
        }
    }
    return tiles;
}

static berth__port_set *port_set_copy(const berth_allocator *allocator, const berth__port_set *set)
{
    berth__port_set *copy = berth__alloc(allocator, port_set_bytes(set->capacity), 8);
    if (copy != NULL) {
        copy->count = set->count;
        copy->capacity = set->capacity;
        memcpy(copy->items, set->items, set->count * sizeof(*set->items));
    }
    return copy;
}

/* A tile like another one, with port sets of its own. */
static berth__tile *tile_copy(const berth__cow_owner *cow, const berth__tile *from)
{
    berth__tile *tile = berth__alloc(from->home, tile_bytes(from->resource_count), 64);
    if (tile == NULL)
        return NULL;
    memcpy(tile, from, tile_bytes(from->resource_count));
    tile->stamp = cow->stamp;
    memset(tile->ports, 0, sizeof(tile->ports));
    for (uint32_t i = 0; i < BERTH__TILE; i++) {
        if (from->ports[i] == NULL)
            continue;
        tile->ports[i] = port_set_copy(cow->allocator, from->ports[i]);
        if (tile->ports[i] == NULL) {
            tile_destroy(cow->allocator, tile);
            return NULL;
        }
    }
    return tile;
}

static void release_tile(const berth_allocator *allocator, void *context, void *object,
                         size_t bytes)
{
    (void)context;
    (void)bytes;
    tile_destroy(allocator, object);
}

/* The notes that a new set of tiles takes, in place of the old one. */
static bool reserve_tiles(berth__view *view, uint32_t count)
{
    return !view->cow->shared ||
           berth__cow_owner_reserve(view->cow, view->layout->tile_count + count + 8);
}

/* New tiles are part of the view; old ones are not any more. */
static void made_tiles(berth__view *view, uint32_t count)
{
    berth__cow_owner *cow = view->cow;
    view->tiles_stamp = cow->stamp;
    for (uint32_t i = 0; cow->branch && i < count; i++)
        berth__cow_owner_note_made(cow, release_tile, view->tiles[i], 0);
    berth__cow_owner_note_made(cow, berth__release_block, view->tiles,
                               count * sizeof(*view->tiles));
}

static void drop_tiles(const berth__view *view, berth__tile **old, uint32_t count, uint64_t stamp)
{
    berth__cow_owner *cow = view->cow;
    for (uint32_t i = 0; i < count; i++)
        berth__cow_owner_retire(cow, old[i]->stamp, release_tile, old[i], 0);
    berth__cow_owner_retire(cow, stamp, berth__release_block, old, count * sizeof(*old));
}

/* ---- life ---- */

berth_status berth__view_init(berth__view *view, berth__model *model, berth__cow_owner *cow)
{
    *view = (berth__view){.model = model,
                          .cow = cow,
                          .resource_count = model->resource_count,
                          .kernels = berth__kernels_best()};
    berth__cow_array_init(&view->nodes, sizeof(berth__node_record), BERTH__NODE_PAGE_SHIFT);
    berth__images_init(&view->images, cow);
    view->layout = berth__layout_create(model->allocator, 0);
    view->tiles = tiles_create(cow, model, 0, 0);
    view->tiles_stamp = cow->stamp;
    view->journal = berth__alloc(model->allocator, BERTH__JOURNAL * sizeof(uint32_t), 64);
    if (view->layout != NULL && view->tiles != NULL && view->journal != NULL) {
        view->layout->stamp = cow->stamp;
        return BERTH_OK;
    }
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
    berth__cow_array_retire(&view->nodes, view->cow);
    berth__cow_array_retire(&view->images.table, view->cow);
    berth__free(view->model->allocator, view->journal, BERTH__JOURNAL * sizeof(uint32_t));
    *view = (berth__view){0};
}

/* ---- owning ---- */

static bool own_tiles(berth__view *view)
{
    berth__cow_owner *cow = view->cow;
    if (view->tiles_stamp == cow->stamp)
        return true;
    size_t bytes = view->layout->tile_count * sizeof(*view->tiles);
    berth__tile **tiles = berth__alloc(cow->allocator, bytes, 64);
    if (tiles == NULL)
        return false;
    memcpy(tiles, view->tiles, bytes);
    berth__cow_owner_note_made(cow, berth__release_block, tiles, bytes);
    berth__cow_owner_retire(cow, view->tiles_stamp, berth__release_block, view->tiles, bytes);
    view->tiles = tiles;
    view->tiles_stamp = cow->stamp;
    return true;
}

berth_status berth__view_make_tile_writable(berth__view *view, uint32_t slot)
{
    berth__cow_owner *cow = view->cow;
    if (!berth__cow_owner_reserve(cow, 2) || !own_tiles(view))
        return BERTH_E_NOMEM;
    berth__tile **place = &view->tiles[slot >> BERTH__TILE_SHIFT], *old = *place;
    berth__tile *tile = berth__cow_owner_reserve(cow, 1) ? tile_copy(cow, old) : NULL;
    if (tile == NULL)
        return BERTH_E_NOMEM;
    berth__cow_owner_note_made(cow, release_tile, tile, 0);
    berth__cow_owner_retire(cow, old->stamp, release_tile, old, 0);
    *place = tile;
    return BERTH_OK;
}

/* The copy has an epoch of its own: what was made for the epoch points into the layout. */
static berth_status own_layout(berth__view *view)
{
    berth__cow_owner *cow = view->cow;
    if (!cow->shared || view->layout->stamp == cow->stamp)
        return BERTH_OK;
    berth__layout *layout =
        berth__cow_owner_reserve(cow, 1) ? berth__layout_copy(view->layout) : NULL;
    if (layout == NULL)
        return BERTH_E_NOMEM;
    layout->stamp = cow->stamp;
    layout->epoch = berth__model_tick(view->model);
    berth__cow_owner_note_made(cow, berth__layout_release, layout, 0);
    berth__cow_owner_retire(cow, view->layout->stamp, berth__layout_release, view->layout, 0);
    view->layout = layout;
    return BERTH_OK;
}

berth_status berth__view_make_facts_writable(berth__view *view, uint32_t slot)
{
    BERTH_TRY(berth__view_make_writable(view, slot));
    return own_layout(view);
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
static int32_t room_for_pods(const berth__node_record *node)
{
    return node->closed ? -1 : clamp_pods(node->facts->pods_max);
}

static void set_allocatable(berth__view *view, berth__tile *tile, uint32_t at,
                            const berth__node_record *node)
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
    const berth__node_record *node = berth__view_node(view, slot);
    berth__layout_close(view->layout, slot, node->closed);
    berth__view_write(view, slot)->pods_max[slot % BERTH__TILE] = room_for_pods(node);
}

void berth__view_set_facts(berth__view *view, uint32_t slot, uint64_t epoch)
{
    uint32_t node_id = view->layout->nodes[slot];
    const berth__node_record *node = berth__node_at(&view->nodes, node_id);
    if (epoch != view->layout->epoch) {
        berth__layout_set(view->layout, slot, node_id, node);
        view->layout->epoch = epoch;
    }
    set_allocatable(view, berth__view_write(view, slot), slot % BERTH__TILE, node);
}

/* ---- host ports ---- */

static bool port_equal(const berth__host_port *a, const berth__host_port *b)
{
    return a->ip == b->ip && a->protocol == b->protocol && a->port == b->port;
}

static bool port_set_reserve(berth__view *view, berth__tile *tile, uint32_t at, uint32_t more)
{
    const berth_allocator *allocator = view->model->allocator;
    berth__port_set *old = tile->ports[at];
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
    tile->ports[at] = set;
    berth__bit_set(tile->ports_held.words, at);
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

/* A port goes with the first pod that held it, even if another still does: kube-scheduler's
 * rule. */
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

/* A branch has none in use while nothing was done to a pod with volumes. */
static bool uses_volumes(const berth__view *view, const berth__class *cls)
{
    return cls->volumes != NULL && view->volume_use != NULL;
}

static berth_status count_in(berth__view *view, berth__tile *tile, uint32_t slot,
                             const berth__class *cls)
{
    uint32_t at = slot % BERTH__TILE;
    if (!berth__pod_counts_register(view, cls))
        return BERTH_E_NOMEM;
    if (cls->ports != NULL && !port_set_reserve(view, tile, at, cls->ports->count))
        return BERTH_E_NOMEM;
    if (uses_volumes(view, cls))
        BERTH_TRY(berth__volume_use_add(view->volume_use, view->layout->nodes[slot], cls->volumes));
    if (cls->ports != NULL)
        port_set_add(tile->ports[at], cls->ports);
    count_request(view, tile, at, cls->request, 1);
    berth__pod_counts_change(view, slot, cls, 1);
    return BERTH_OK;
}

static void count_out(berth__view *view, berth__tile *tile, uint32_t slot, const berth__class *cls)
{
    uint32_t at = slot % BERTH__TILE;
    if (cls->ports != NULL && tile->ports[at] != NULL)
        port_set_remove(tile->ports[at], cls->ports);
    if (uses_volumes(view, cls))
        berth__volume_use_remove(view->volume_use, view->layout->nodes[slot], cls->volumes);
    count_request(view, tile, at, cls->request, -1);
    berth__pod_counts_change(view, slot, cls, -1);
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
    if (uses_volumes(view, cls) && change > 0)
        berth__volume_use_restore(view->volume_use, view->layout->nodes[slot], cls->volumes);
    else if (uses_volumes(view, cls))
        berth__volume_use_remove(view->volume_use, view->layout->nodes[slot], cls->volumes);
    count_request(view, tile, slot % BERTH__TILE, cls->request, change);
    berth__pod_counts_change(view, slot, cls, change);
}

uint32_t berth__view_ports(const berth__view *view, uint32_t slot, const berth__host_port **items)
{
    const berth__port_set *set = view->tiles[slot >> BERTH__TILE_SHIFT]->ports[slot % BERTH__TILE];
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
    BERTH_TRY(berth__view_make_writable(view, slot));
    berth__tile *tile = view->tiles[slot >> BERTH__TILE_SHIFT];
    if (change > 0)
        return count_in(view, tile, slot, cls);
    count_out(view, tile, slot, cls);
    return BERTH_OK;
}

berth_status berth__view_fill(berth__view *view, uint32_t slot, const berth__pods *pods)
{
    uint32_t first = berth__view_node(view, slot)->first_pod, index = first;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next) {
        berth_status status = berth__view_add_pod(view, slot, berth__pod_at(pods, index)->cls);
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
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next)
        berth__view_remove_pod(view, slot, berth__pod_at(pods, index)->cls);
}

/* ---- relayout ---- */

/* Move a slot's use from an old tile; port sets change hands, or are copied if the old tile may be
 * shared. Returns false when out of memory. */
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
        to->ports[to_at] = port_set_copy(cow->allocator, from->ports[from_at]);
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

static bool fill_slots(berth__view *view, berth__view *next, const uint32_t *order)
{
    for (uint32_t slot = 0; slot < next->layout->count; slot++) {
        const berth__node_record *node = berth__node_at(&next->nodes, order[slot]);
        berth__layout_set(next->layout, slot, order[slot], node);
        berth__tile *tile = next->tiles[slot >> BERTH__TILE_SHIFT];
        set_allocatable(next, tile, slot % BERTH__TILE, node);
        if (was_in_layout(view, node, order[slot]) &&
            !move_use(view->cow, view->tiles[node->slot >> BERTH__TILE_SHIFT],
                      node->slot % BERTH__TILE, tile, slot % BERTH__TILE))
            return false;
    }
    return true;
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
        uint32_t from = berth__node_at(&view->nodes, order[slot])->slot;
        if (from != BERTH__SLOT_NONE && from < old->count && old->nodes[from] == order[slot])
            slots[from] = slot;
    }
    berth__pod_counts_move(view, old, slots, pods);
    berth__free(allocator, slots, bytes);
}

/* All nodes learn their slots; those new to the layout get their state from their pods. */
static berth_status settle(berth__view *view, const berth__layout *old, const uint32_t *order,
                           const berth__pods *pods)
{
    berth_status status = BERTH_OK;
    for (uint32_t slot = 0; slot < old->count; slot++)
        if (berth__node_at(&view->nodes, old->nodes[slot])->facts == NULL)
            berth__node_at(&view->nodes, old->nodes[slot])->slot = BERTH__SLOT_NONE;
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        berth__node_record *node = berth__node_at(&view->nodes, order[slot]);
        bool known = node->slot != BERTH__SLOT_NONE && node->slot < old->count &&
                     old->nodes[node->slot] == order[slot];
        node->slot = slot;
        if (known || node->first_pod == BERTH_POD_INDEX_NONE)
            continue;
        if (status == BERTH_OK)
            status = berth__view_fill(view, slot, pods);
        if (status != BERTH_OK)
            node->slot = BERTH__SLOT_NONE; /* not counted: new to the next layout, too */
    }
    return status;
}

/* All records whose slot changes. */
static bool own_records(berth__view *view, const uint32_t *order, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; i < count && ok && view->cow->shared; i++)
        ok = berth__cow_array_make_writable(&view->nodes, view->cow, order[i]);
    for (uint32_t i = 0; i < view->layout->count && ok && view->cow->shared; i++)
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

/* Keep what the way back from a layout of `count` slots will need: room, a layout that may be
 * written, and notes for letting it go in the end. */
static berth_status note_former(berth__view *view, uint32_t count, berth__former_layout *out)
{
    const berth_allocator *allocator = view->model->allocator;
    uint32_t old_count = view->layout->count, held = view->layout->tile_count + 2;
    *out = (berth__former_layout){.slot_count = old_count, .back_count = count};
    out->slots = berth__alloc(allocator, old_count * sizeof(*out->slots), 64);
    out->back = berth__alloc(allocator, count * sizeof(*out->back), 64);
    if (out->slots == NULL || out->back == NULL || own_layout(view) != BERTH_OK ||
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
    drop_tiles(view, former->tiles, former->layout->tile_count, former->tiles_stamp);
    berth__cow_owner_retire(view->cow, former->layout->stamp, berth__layout_release, former->layout,
                            0);
}

/* An empty layout and tiles for `count` slots, in a view that is otherwise the same. */
static berth_status begin_layout(const berth__view *view, uint32_t count, uint64_t epoch,
                                 berth__view *next)
{
    const berth_allocator *allocator = view->model->allocator;
    *next = *view;
    if (next->resource_count < view->model->resource_count)
        next->resource_count = view->model->resource_count;
    next->layout = berth__layout_create(allocator, count);
    if (next->layout == NULL)
        return BERTH_E_NOMEM;
    next->layout->epoch = epoch;
    next->layout->stamp = view->cow->stamp;
    next->tiles =
        tiles_create(view->cow, view->model, next->layout->tile_count, next->resource_count);
    if (next->tiles != NULL)
        return BERTH_OK;
    berth__layout_destroy(next->layout);
    return BERTH_E_NOMEM;
}

/* The next layout with its tiles, complete but for nodes that are new to it. */
static berth_status make_layout(berth__view *view, const uint32_t *order, uint32_t count,
                                uint64_t epoch, berth__view *next)
{
    if (!own_records(view, order, count) ||
        !reserve_tiles(view, (count + BERTH__TILE - 1) / BERTH__TILE))
        return BERTH_E_NOMEM;
    BERTH_TRY(begin_layout(view, count, epoch, next));
    if (fill_slots(view, next, order))
        return BERTH_OK;
    tiles_destroy(view->model->allocator, next->tiles, next->layout->tile_count);
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
    berth_status status = make_layout(view, order, count, epoch, &next);
    if (status != BERTH_OK) {
        free_notes(view, &old);
        return status;
    }
    *view = next;
    made_tiles(view, view->layout->tile_count);
    berth__cow_owner_note_made(view->cow, berth__layout_release, view->layout, 0);
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
    /* Tiles that may be shared were copied, not moved, and are as they were left. */
    for (uint32_t slot = 0; slot < layout->count && !view->cow->shared; slot++) {
        uint32_t to = former->back[slot];
        if (to != BERTH__SLOT_NONE)
            (void)move_use(view->cow, tiles[slot >> BERTH__TILE_SHIFT], slot % BERTH__TILE,
                           former->tiles[to >> BERTH__TILE_SHIFT], to % BERTH__TILE);
    }
    view->layout = former->layout;
    view->tiles = former->tiles;
    view->tiles_stamp = former->tiles_stamp;
    view->resource_count = former->resource_count;
    view->layout->epoch = epoch;
    berth__pod_counts_move(view, layout, former->back, pods);
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        berth__view_node(view, slot)->slot = former->slots[slot];
    free_notes(view, former);
    drop_tiles(view, tiles, layout->tile_count, tiles_stamp);
    berth__cow_owner_retire(view->cow, layout->stamp, berth__layout_release, layout, 0);
}

berth_status berth__view_widen(berth__view *view)
{
    uint32_t tile_count = view->layout->tile_count;
    uint32_t resource_count = view->model->resource_count; /* once: it may grow meanwhile */
    if (!reserve_tiles(view, tile_count))
        return BERTH_E_NOMEM;
    berth__tile **old = view->tiles;
    berth__tile **tiles = tiles_create(view->cow, view->model, tile_count, resource_count);
    if (tiles == NULL)
        return BERTH_E_NOMEM;
    bool ok = true;
    for (uint32_t t = 0; t < tile_count && ok; t++) {
        const berth__tile *from = old[t];
        memcpy(tiles[t], from, tile_bytes(from->resource_count));
        tiles[t]->resource_count = resource_count;
        tiles[t]->stamp = view->cow->stamp;
        memset(tiles[t]->ports, 0, sizeof(tiles[t]->ports));
        for (uint32_t s = 0; s < BERTH__TILE && ok; s++)
            if (from->ports[s] != NULL) {
                tiles[t]->ports[s] = port_set_copy(view->model->allocator, from->ports[s]);
                ok = tiles[t]->ports[s] != NULL;
            }
    }
    if (!ok) {
        tiles_destroy(view->model->allocator, tiles, tile_count);
        return BERTH_E_NOMEM;
    }
    uint64_t old_stamp = view->tiles_stamp;
    view->tiles = tiles;
    view->resource_count = resource_count;
    made_tiles(view, tile_count);
    drop_tiles(view, old, tile_count, old_stamp);
    return BERTH_OK;
}
