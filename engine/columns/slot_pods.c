/* Pods by slot: a short list, or counters by tile. */
#include "columns/slot_pods.h"

#include <string.h>

#include "base/memory.h"
#include "model/node.h"

static _Alignas(64) const uint32_t no_pods[BERTH__TILE];

enum { TILE_BYTES = BERTH__TILE * sizeof(uint32_t) };

void berth__slot_pods_free(berth__slot_pods *pods, const berth_allocator *allocator)
{
    for (uint32_t t = 0; t < pods->tile_count; t++)
        berth__free(allocator, pods->tiles[t], TILE_BYTES);
    berth__free(allocator, pods->tiles, pods->tile_count * sizeof(*pods->tiles));
    pods->tiles = NULL;
    pods->tile_count = pods->listed_count = 0;
}

/* ---- the list ---- */

static berth__listed_slot *find(berth__slot_pods *pods, uint32_t slot)
{
    for (uint32_t i = 0; i < pods->listed_count; i++)
        if (pods->listed[i].slot == slot)
            return &pods->listed[i];
    return NULL;
}

/* Drop the entries of slots that have no pods any more. */
static void shorten(berth__slot_pods *pods)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < pods->listed_count; i++)
        if (pods->listed[i].count > 0)
            pods->listed[kept++] = pods->listed[i];
    pods->listed_count = kept;
}

/* The counter of a slot in the list; NULL: the list is full. */
static uint32_t *counter_in_list(berth__slot_pods *pods, uint32_t slot)
{
    berth__listed_slot *own = find(pods, slot);
    if (own == NULL && pods->listed_count == BERTH__SLOTS_LISTED)
        shorten(pods);
    if (own == NULL && pods->listed_count < BERTH__SLOTS_LISTED) {
        own = &pods->listed[pods->listed_count++];
        *own = (berth__listed_slot){slot, 0};
    }
    return own != NULL ? &own->count : NULL;
}

/* ---- counters by tile ---- */

static bool make_tiles(berth__slot_pods *pods, const berth_allocator *allocator,
                       uint32_t tile_count)
{
    pods->tiles = berth__alloc_zero(allocator, tile_count * sizeof(*pods->tiles), 64);
    if (pods->tiles == NULL)
        return false;
    pods->tile_count = tile_count;
    return true;
}

static uint32_t *counter_in_tile(const berth__slot_pods *pods, const berth_allocator *allocator,
                                 uint32_t slot)
{
    uint32_t **tile = &pods->tiles[slot / BERTH__TILE];
    if (*tile == NULL)
        *tile = berth__alloc_zero(allocator, TILE_BYTES, 64);
    return *tile != NULL ? &(*tile)[slot % BERTH__TILE] : NULL;
}

/* Turn the list into counters. */
static bool spread_list(berth__slot_pods *pods, const berth_allocator *allocator,
                        uint32_t tile_count)
{
    if (!make_tiles(pods, allocator, tile_count))
        return false;
    for (uint32_t i = 0; i < pods->listed_count; i++) {
        uint32_t *counter = counter_in_tile(pods, allocator, pods->listed[i].slot);
        if (counter == NULL)
            return false;
        *counter = pods->listed[i].count;
    }
    pods->listed_count = 0;
    return true;
}

uint32_t *berth__slot_pods_counter(berth__slot_pods *pods, const berth_allocator *allocator,
                                   uint32_t tile_count, uint32_t slot)
{
    if (pods->tiles == NULL) {
        uint32_t *counter = counter_in_list(pods, slot);
        if (counter != NULL || !spread_list(pods, allocator, tile_count))
            return counter;
    }
    return counter_in_tile(pods, allocator, slot);
}

/* ---- reading ---- */

uint32_t berth__slot_pods_at(const berth__slot_pods *pods, uint32_t slot)
{
    if (pods->tiles != NULL) {
        const uint32_t *tile = pods->tiles[slot / BERTH__TILE];
        return tile != NULL ? tile[slot % BERTH__TILE] : 0;
    }
    for (uint32_t i = 0; i < pods->listed_count; i++)
        if (pods->listed[i].slot == slot)
            return pods->listed[i].count;
    return 0;
}

bool berth__slot_pods_spare(const berth__slot_pods *pods, uint32_t tile)
{
    if (pods->tiles != NULL)
        return pods->tiles[tile] == NULL;
    for (uint32_t i = 0; i < pods->listed_count; i++)
        if (pods->listed[i].slot / BERTH__TILE == tile && pods->listed[i].count > 0)
            return false;
    return true;
}

const uint32_t *berth__slot_pods_tile(const berth__slot_pods *pods, uint32_t tile,
                                      uint32_t *scratch)
{
    if (pods->tiles != NULL)
        return pods->tiles[tile] != NULL ? pods->tiles[tile] : no_pods;
    if (berth__slot_pods_spare(pods, tile))
        return no_pods;
    memset(scratch, 0, TILE_BYTES);
    for (uint32_t i = 0; i < pods->listed_count; i++)
        if (pods->listed[i].slot / BERTH__TILE == tile)
            scratch[pods->listed[i].slot % BERTH__TILE] = pods->listed[i].count;
    return scratch;
}

void berth__slot_pods_each(const berth__slot_pods *pods,
                           void (*visit)(void *context, uint32_t slot, uint32_t count),
                           void *context)
{
    for (uint32_t i = 0; i < pods->listed_count; i++)
        if (pods->listed[i].count > 0)
            visit(context, pods->listed[i].slot, pods->listed[i].count);
    for (uint32_t t = 0; t < pods->tile_count; t++)
        for (uint32_t s = 0; pods->tiles[t] != NULL && s < BERTH__TILE; s++)
            if (pods->tiles[t][s] > 0)
                visit(context, t * BERTH__TILE + s, pods->tiles[t][s]);
}

/* ---- following the layout ---- */

static uint32_t new_slot(const berth__slot_moves *by, uint32_t slot)
{
    if (slot < by->staying)
        return slot;
    return slot < by->slot_count ? by->slots[slot] : BERTH__SLOT_NONE;
}

static void move_list(berth__slot_pods *pods, const berth__slot_moves *by, uint64_t *lost)
{
    for (uint32_t i = 0; i < pods->listed_count; i++) {
        berth__listed_slot *own = &pods->listed[i];
        own->slot = new_slot(by, own->slot);
        *lost += own->slot == BERTH__SLOT_NONE ? own->count : 0;
        own->count = own->slot == BERTH__SLOT_NONE ? 0 : own->count;
    }
    shorten(pods);
}

/* Where the counters of a layout go. */
typedef struct move {
    berth__slot_pods *to;
    const berth_allocator *allocator;
    const berth__kernels *kernels;
    const berth__slot_moves *by;
    uint64_t *lost;
} move;

/* Move the counts of an old tile to the slots where its nodes are now. */
static bool move_tile(const move *own, const uint32_t *counts, uint32_t first)
{
    berth__mask with = own->kernels->equal(counts, 0);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        with.words[w] = ~with.words[w];
    BERTH__MASK_EACH(&with, s)
    {
        const uint32_t slot = new_slot(own->by, first + s);
        if (slot == BERTH__SLOT_NONE) {
            *own->lost += counts[s];
            continue;
        }
        uint32_t *counter = counter_in_tile(own->to, own->allocator, slot);
        if (counter == NULL)
            return false;
        *counter = counts[s];
    }
    return true;
}

/* Tiles whose slots all stay are taken over as they are. */
static bool move_tiles(const move *own)
{
    berth__slot_pods old = {.tiles = own->to->tiles, .tile_count = own->to->tile_count};
    const uint32_t staying = own->by->staying / BERTH__TILE;
    const uint32_t kept = staying < old.tile_count ? staying : old.tile_count;
    own->to->tile_count = 0;
    bool ok = make_tiles(own->to, own->allocator, own->by->tile_count);
    if (ok) {
        memcpy(own->to->tiles, old.tiles, kept * sizeof(*old.tiles));
        memset(old.tiles, 0, kept * sizeof(*old.tiles));
    }
    for (uint32_t t = kept; ok && t < old.tile_count; t++)
        if (old.tiles[t] != NULL)
            ok = move_tile(own, old.tiles[t], t * BERTH__TILE);
    berth__slot_pods_free(&old, own->allocator);
    return ok;
}

bool berth__slot_pods_move(berth__slot_pods *pods, const berth_allocator *allocator,
                           const berth__kernels *kernels, const berth__slot_moves *by,
                           uint64_t *lost)
{
    const move own = {pods, allocator, kernels, by, lost};
    *lost = 0;
    if (pods->tiles != NULL)
        return move_tiles(&own);
    move_list(pods, by, lost);
    return true;
}
