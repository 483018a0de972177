/* The view of the cluster that decisions read: creates it, makes tiles writable, stores amounts and
 * host ports, and counts pods in and out. */
#include "base/limit.h"
#include "columns/view_parts.h"

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "columns/facts_news.h"
#include "columns/freed_ports.h"
#include "columns/pod_counts.h"
#include "columns/port_set.h"
#include "columns/volume_use.h"

/* ---- create and destroy ---- */

enum { NAME_SHIFT = 10 };

/* ---- journals ---- */

static const size_t JOURNAL_BYTES = (BERTH__JOURNAL + BERTH__LIST_JOURNAL) * sizeof(uint32_t);

uint32_t *berth__view_journal_create(const berth_allocator *allocator)
{
    return berth__alloc_zero(allocator, JOURNAL_BYTES, 64);
}

void berth__view_journal_destroy(const berth_allocator *allocator, uint32_t *journal)
{
    berth__free(allocator, journal, JOURNAL_BYTES);
}

void berth__view_lose_journal(berth__view *view)
{
    memset(view->journal, 0, JOURNAL_BYTES);
    view->journal_end += BERTH__JOURNAL + 1;
    view->lists_end += BERTH__LIST_JOURNAL + 1;
}

berth_status berth__view_init(berth__view *view, berth__model *model, berth__cow_owner *cow)
{
    *view = (berth__view){.model = model,
                          .cow = cow,
                          .resource_count = model->resource_count,
                          .names_epoch = berth__names_epoch(model),
                          .kernels = berth__kernels_best()};
    berth__cow_array_init(&view->nodes, sizeof(berth__node_record), BERTH__NODE_PAGE_SHIFT);
    berth__cow_array_init(&view->node_of_name, sizeof(uint32_t), NAME_SHIFT);
    berth__images_init(&view->images, cow);
    view->layout = berth__layout_create(model->allocator, 0);
    view->tiles = berth__tiles_create(cow, model, 0, 0, 0);
    view->tiles_stamp = cow->stamp;
    view->journal = berth__view_journal_create(model->allocator);
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
    berth__tiles_destroy(view->model->allocator, view->tiles, 0,
                         view->layout != NULL ? view->layout->tile_count : 0);
    berth__layout_destroy(view->layout);
    berth__freed_ports_destroy(view);
    berth__cow_array_retire(&view->nodes, view->cow);
    berth__cow_array_retire(&view->node_of_name, view->cow);
    berth__images_retire(&view->images);
    berth__view_journal_destroy(view->model->allocator, view->journal);
    *view = (berth__view){0};
}

/* ---- making writable ---- */

static bool make_tiles_writable(berth__view *view)
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
    if (!berth__cow_owner_reserve(cow, 2) || !make_tiles_writable(view))
        return BERTH_E_NOMEM;
    berth__tile **place = &view->tiles[slot >> BERTH__TILE_SHIFT], *old = *place;
    berth__tile *tile = berth__cow_owner_reserve(cow, 1) ? berth__tile_copy(cow, old) : NULL;
    if (tile == NULL)
        return BERTH_E_NOMEM;
    berth__cow_owner_note_made(cow, berth__tile_release, tile, 0);
    berth__cow_owner_retire(cow, old->stamp, berth__tile_release, old, 0);
    *place = tile;
    return BERTH_OK;
}

/* The copy has an epoch of its own, because data made for the old epoch points into the old
 * layout. */
berth_status berth__view_make_layout_writable(berth__view *view)
{
    berth__cow_owner *cow = view->cow;
    if (!cow->shared || view->layout->stamp == cow->stamp)
        return BERTH_OK;
    berth__layout *layout =
        berth__cow_owner_reserve(cow, 1) ? berth__layout_copy(view->layout) : NULL;
    if (layout == NULL)
        return BERTH_E_NOMEM;
    layout->stamp = cow->stamp;
    berth__facts_news_moved(layout, berth__model_next_epoch(view->model));
    berth__cow_owner_note_made(cow, berth__layout_release, layout, 0);
    berth__cow_owner_retire(cow, view->layout->stamp, berth__layout_release, view->layout, 0);
    view->layout = layout;
    return BERTH_OK;
}

/* New pods use new keys, so columns accumulate in a layout that lives long. */
enum { COLUMNS_MAX = BERTH__LIMIT(256, 2) };

void berth__view_trim_columns(berth__view *view)
{
    if (berth__layout_column_count(view->layout) <= COLUMNS_MAX ||
        berth__view_make_layout_writable(view) != BERTH_OK)
        return;
    berth__layout_drop_columns(view->layout);
    berth__facts_news_moved(view->layout, berth__model_next_epoch(view->model));
}

berth_status berth__view_make_facts_writable(berth__view *view, uint32_t slot)
{
    BERTH_TRY(berth__view_make_writable(view, slot));
    return berth__view_make_layout_writable(view);
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

void berth__view_note_evenness(berth__tile *tile, uint32_t at)
{
    tile->evenness[at] = berth__tile_evenness(tile, at);
}

/* A closed node gets room for fewer than zero pods, so no filter has to know about closed nodes. */
static int32_t room_for_pods(const berth__node_record *node)
{
    return node->closed ? -1 : clamp_pods(node->facts->pods_max);
}

void berth__view_set_allocatable(berth__view *view, berth__tile *tile, uint32_t at,
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
    berth__view_note_evenness(tile, at);
}

void berth__view_close(berth__view *view, uint32_t slot)
{
    const berth__node_record *node = berth__view_node(view, slot);
    berth__layout_close(view->layout, slot, node->closed);
    berth__view_write(view, slot)->pods_max[slot % BERTH__TILE] = room_for_pods(node);
}

void berth__view_set_facts(berth__view *view, uint32_t slot, uint32_t changes, uint64_t images)
{
    berth__layout *layout = view->layout;
    const uint32_t node_id = layout->nodes[slot];
    const berth__node_record *node = berth__node_at(&view->nodes, node_id);
    if (changes != 0) {
        berth__layout_set(layout, slot, node_id, node);
        berth__facts_news_add(layout, slot, changes, images, berth__model_next_epoch(view->model));
    }
    berth__view_set_allocatable(view, berth__view_write(view, slot), slot % BERTH__TILE, node);
}

void berth__view_set_node(berth__view *view, uint32_t slot)
{
    berth__view_set_facts(view, slot, BERTH__FACTS_ANY, BERTH__ALL_IMAGES);
    berth__layout_begin(view->layout, view->layout->epoch);
}

/* ---- host ports ---- */

static bool port_set_reserve(berth__view *view, berth__tile *tile, uint32_t at, uint32_t more)
{
    const berth_allocator *allocator = view->model->allocator;
    berth__port_set *old = tile->ports[at];
    uint32_t count = old != NULL ? old->count : 0;
    if (old != NULL && count + more <= old->capacity)
        return true;
    uint32_t capacity = count + more + count / 2;
    berth__port_set *set = berth__alloc(allocator, berth__port_set_bytes(capacity), 8);
    if (set == NULL)
        return false;
    set->count = count;
    set->capacity = capacity;
    if (old != NULL)
        memcpy(set->items, old->items, count * sizeof(*old->items));
    berth__port_set_free(allocator, old);
    tile->ports[at] = set;
    berth__bit_set(tile->ports_held.words, at);
    return true;
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
    berth__view_note_evenness(tile, at);
}

/* A branch does not count volumes until its first operation on a pod with volumes. */
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
        berth__port_set_add(tile->ports[at], cls->ports);
    count_request(view, tile, at, cls->request, 1);
    berth__pod_counts_change(view, slot, cls, 1);
    return BERTH_OK;
}

static void count_out(berth__view *view, berth__tile *tile, uint32_t slot, const berth__class *cls)
{
    uint32_t at = slot % BERTH__TILE;
    /* A port is freed with the first pod that held it, even if another still does: kube-scheduler's
     * rule. */
    if (cls->ports != NULL && tile->ports[at] != NULL)
        berth__port_set_remove(tile->ports[at], cls->ports->items, cls->ports->count);
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

static void restore(berth__view *view, berth__tile *tile, uint32_t slot, const berth__class *cls,
                    int change)
{
    if (uses_volumes(view, cls) && change > 0)
        berth__volume_use_restore(view->volume_use, view->layout->nodes[slot], cls->volumes);
    else if (uses_volumes(view, cls))
        berth__volume_use_remove(view->volume_use, view->layout->nodes[slot], cls->volumes);
    count_request(view, tile, slot % BERTH__TILE, cls->request, change);
    berth__pod_counts_change(view, slot, cls, change);
}

void berth__view_restore_pod(berth__view *view, uint32_t slot, const berth__class *cls, int change)
{
    restore(view, berth__view_write(view, slot), slot, cls, change);
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

bool berth__view_reserve_ports(berth__view *view, uint32_t slot, uint32_t more)
{
    berth__tile *tile = view->tiles[slot >> BERTH__TILE_SHIFT];
    return port_set_reserve(view, tile, slot % BERTH__TILE, more);
}

void berth__view_suppose_return(berth__view *view, uint32_t slot, const berth__class *cls)
{
    berth__tile *tile = view->tiles[slot >> BERTH__TILE_SHIFT];
    restore(view, tile, slot, cls, 1);
    if (cls->ports != NULL)
        berth__port_set_add(tile->ports[slot % BERTH__TILE], cls->ports);
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
    berth__freed_ports_apply(view, slot,
                             view->tiles[slot >> BERTH__TILE_SHIFT]->ports[slot % BERTH__TILE]);
    return BERTH_OK;
}

void berth__view_vacate(berth__view *view, uint32_t slot, const berth__pods *pods)
{
    uint32_t index = berth__view_node(view, slot)->first_pod;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next)
        berth__view_remove_pod(view, slot, berth__pod_at(pods, index)->cls);
}
