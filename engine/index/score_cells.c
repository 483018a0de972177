/* Cells: computed by splitting one cell of all slots by one property after another, and cached. */
#include "index/score_cells.h"

#include <string.h>

#include "base/bits.h"

enum { CELLS_CACHED = 1024, NO_CELL = UINT16_MAX };
static const size_t CELL_BYTES_MAX = (size_t)64 << 20;

/* ---- the cache ---- */

berth_status berth__cells_cache_init(berth__cells_cache *cache, const berth_allocator *allocator)
{
    *cache = (berth__cells_cache){.allocator = allocator};
    return berth__keymap_init(&cache->map, allocator);
}

static size_t ids_bytes(uint32_t tiles)
{
    return (size_t)tiles * BERTH__TILE * sizeof(uint16_t);
}

static void free_ids(berth__cells_cache *cache, berth__score_cells *cells)
{
    berth__free(cache->allocator, cells->ids, ids_bytes(cells->tile_count));
    cache->bytes -= ids_bytes(cells->tile_count);
    cells->ids = NULL;
    cells->tile_count = 0;
    cells->epoch = BERTH__EPOCH_NONE;
}

static berth__score_cells *oldest(const berth__cells_cache *cache)
{
    return (berth__score_cells *)cache->order.oldest;
}

static void drop(berth__cells_cache *cache, berth__score_cells *cells)
{
    berth__use_remove(&cache->order, &cells->used);
    cache->epoch++;
    berth__keymap_remove(&cache->map, &cells->used.entry);
    free_ids(cache, cells);
    berth__free(cache->allocator, cells, sizeof(*cells));
}

void berth__cells_cache_destroy(berth__cells_cache *cache)
{
    if (cache->allocator == NULL)
        return;
    while (cache->order.oldest != NULL)
        drop(cache, oldest(cache));
    berth__keymap_destroy(&cache->map);
}

static void trim(berth__cells_cache *cache, const berth__score_cells *but, size_t more)
{
    while (oldest(cache) != but &&
           (cache->map.count > CELLS_CACHED || cache->bytes + more > CELL_BYTES_MAX))
        drop(cache, oldest(cache));
}

/* The serial of the part of a pod that static scorers read: its node rules or, if an embedder's
 * scorer is among them, the whole class. */
static uint64_t pod_of(const berth__decision *decision, const berth__cells_ask *ask)
{
    const berth__class *cls = decision->cycle->cls;
    for (uint32_t i = 0; i < ask->static_count; i++)
        if ((decision->profile->scorers[ask->statics[i]].plugin->flags & BERTH__READS_CLASS) != 0)
            return cls->serial << 1 | 1;
    if (ask->static_count == 0 || cls->node_rules == NULL)
        return 0;
    return (uint64_t)cls->node_rules->part.serial << 1;
}

uint32_t berth__score_cells_key(const berth__decision *decision, const berth__cells_ask *ask,
                                uint64_t *words)
{
    uint32_t count = 0;
    words[count++] = (uint64_t)ask->static_count << 32 | ask->parts->topology_count;
    words[count++] = ask->static_count > 0 ? decision->profile_index : 0;
    words[count++] = pod_of(decision, ask);
    for (uint32_t i = 0; i < ask->static_count; i++)
        words[count++] = ask->statics[i];
    for (uint32_t i = 0; i < ask->parts->topology_count; i++)
        words[count++] = ask->parts->topologies[i]->key;
    return count;
}

static berth__score_cells *add(berth__cells_cache *cache, const uint64_t *key, uint32_t bytes)
{
    berth__score_cells *cells = berth__alloc_zero(cache->allocator, sizeof(*cells), 8);
    if (cells == NULL)
        return NULL;
    memcpy(cells->key, key, bytes);
    cells->used.entry.key = cells->key;
    cells->used.entry.key_bytes = bytes;
    cells->epoch = cells->asked = BERTH__EPOCH_NONE;
    berth__keymap_add(&cache->map, &cells->used.entry);
    berth__use_add(&cache->order, &cells->used);
    trim(cache, cells, 0);
    return cells;
}

static berth__score_cells *find_or_add(berth__cells_cache *cache, berth__prepared_memory *memory,
                                       const uint64_t *key, uint32_t words)
{
    uint32_t bytes = words * (uint32_t)sizeof(*key);
    berth__score_cells *cells = memory->cells;
    if (cells == NULL || memory->cells_epoch != cache->epoch ||
        cells->used.entry.key_bytes != bytes || memcmp(cells->key, key, bytes) != 0)
        cells = (berth__score_cells *)berth__keymap_find(&cache->map, key, bytes);
    if (cells == NULL)
        cells = add(cache, key, bytes);
    else
        berth__use_again(&cache->order, &cells->used);
    memory->cells = cells;
    memory->cells_epoch = cache->epoch;
    return cells;
}

static bool allocate(berth__cells_cache *cache, berth__score_cells *cells, uint32_t tiles)
{
    if (cells->tile_count == tiles)
        return true;
    free_ids(cache, cells);
    trim(cache, cells, ids_bytes(tiles));
    cells->ids = berth__alloc(cache->allocator, ids_bytes(tiles), 64);
    if (cells->ids == NULL)
        return false;
    cells->tile_count = tiles;
    cache->bytes += ids_bytes(tiles);
    return true;
}

/* ---- splitting ---- */

/* A split by one property: each pair of cell and value becomes a new cell. */
typedef struct splitting {
    berth__score_cells *cells;
    uint32_t value_count;
    int64_t values[BERTH__CELLS_MAX + 1]; /* seen so far */
    uint16_t count;                       /* of new cells */
    uint16_t becomes[BERTH__CELLS_MAX][BERTH__CELLS_MAX + 1];
} splitting;

static void begin_split(splitting *split, berth__score_cells *cells)
{
    split->cells = cells;
    split->value_count = split->count = 0;
    memset(split->becomes, 0xff, sizeof(split->becomes));
}

/* The index of a value; BERTH__CELLS_MAX if there are too many. */
static uint32_t number_of(splitting *split, int64_t value)
{
    uint32_t at = 0;
    while (at < split->value_count && split->values[at] != value)
        at++;
    if (at == split->value_count && at < BERTH__CELLS_MAX)
        split->values[split->value_count++] = value;
    return at;
}

/* Move the slot to the new cell of its old cell and value. False: there are too many cells. */
static bool split_slot(splitting *split, uint32_t slot, int64_t value)
{
    uint32_t number = number_of(split, value);
    uint16_t *id = &split->cells->ids[slot];
    if (number == BERTH__CELLS_MAX)
        return false;
    uint16_t *becomes = &split->becomes[*id][number];
    if (*becomes == NO_CELL) {
        if (split->count == BERTH__CELLS_MAX)
            return false;
        *becomes = split->count++;
    }
    *id = *becomes;
    return true;
}

static bool split_by_domain(splitting *split, const berth__topology *topology, uint32_t slot_count)
{
    begin_split(split, split->cells);
    for (uint32_t slot = 0; slot < slot_count; slot++)
        if (!split_slot(split, slot, topology->domains[slot]))
            return false;
    return true;
}

static bool split_by_score(splitting *split, const berth__decision *decision, uint32_t scorer,
                           uint32_t slot_count)
{
    static const berth__mask all = {{UINT64_MAX, UINT64_MAX}};
    const berth__stage *stage = &decision->profile->scorers[scorer];
    const void *state = decision->prepared->scorers[scorer].state;
    _Alignas(64) int64_t raws[BERTH__TILE];
    begin_split(split, split->cells);
    for (uint32_t first = 0; first < slot_count; first += BERTH__TILE) {
        stage->plugin->score(decision->cycle, stage->instance, state, first / BERTH__TILE, &all,
                             raws);
        for (uint32_t s = 0; s < BERTH__TILE && first + s < slot_count; s++)
            if (!split_slot(split, first + s, raws[s]))
                return false;
    }
    return true;
}

static bool split_all(berth__score_cells *cells, const berth__decision *decision,
                      const berth__cells_ask *ask)
{
    splitting split = {.cells = cells};
    uint32_t slot_count = decision->cycle->view->layout->count;
    for (uint32_t i = 0; i < ask->parts->topology_count; i++)
        if (!split_by_domain(&split, ask->parts->topologies[i], slot_count))
            return false;
    for (uint32_t i = 0; i < ask->static_count; i++)
        if (!split_by_score(&split, decision, ask->statics[i], slot_count))
            return false;
    return true;
}

/* ---- facts about cells ---- */

static void list_slots(berth__score_cells *cells, uint32_t slot_count)
{
    memset(cells->members, 0, sizeof(cells->members));
    for (uint32_t slot = slot_count; slot-- > 0;) {
        uint32_t id = cells->ids[slot];
        cells->slots[id] = slot;
        cells->members[id]++;
        cells->count = id >= cells->count ? id + 1 : cells->count;
    }
}

static void list_raws(berth__score_cells *cells, const berth__decision *decision,
                      const berth__cells_ask *ask)
{
    for (uint32_t i = 0; i < ask->static_count; i++) {
        const berth__stage *stage = &decision->profile->scorers[ask->statics[i]];
        const void *state = decision->prepared->scorers[ask->statics[i]].state;
        _Alignas(64) int64_t raws[BERTH__TILE];
        for (uint32_t c = 0; c < cells->count; c++) {
            uint32_t at = cells->slots[c] % BERTH__TILE;
            const berth__mask one = berth__mask_range(at, at + 1);
            stage->plugin->score(decision->cycle, stage->instance, state,
                                 cells->slots[c] / BERTH__TILE, &one, raws);
            cells->raws[i][c] = raws[at];
        }
    }
}

static void make(berth__score_cells *cells, const berth__decision *decision,
                 const berth__cells_ask *ask)
{
    const berth__layout *layout = decision->cycle->view->layout;
    memset(cells->ids, 0, ids_bytes(cells->tile_count));
    cells->count = 0;
    cells->epoch = layout->epoch;
    if (!split_all(cells, decision, ask))
        return;
    list_slots(cells, layout->count);
    list_raws(cells, decision, ask);
}

const berth__score_cells *berth__score_cells_get(berth__cells_cache *cache,
                                                 const berth__decision *decision,
                                                 const berth__cells_ask *ask, bool eager)
{
    uint64_t key[BERTH__CELLS_WORDS];
    const berth__layout *layout = decision->cycle->view->layout;
    uint32_t words = berth__score_cells_key(decision, ask, key);
    berth__score_cells *cells = find_or_add(cache, &decision->prepared->memory, key, words);
    if (cells == NULL || cells->epoch == layout->epoch)
        return cells;
    bool again = cells->asked == layout->epoch;
    cells->asked = layout->epoch;
    if (!eager && !again)
        return NULL;
    if (!allocate(cache, cells, layout->tile_count)) {
        drop(cache, cells);
        return NULL;
    }
    make(cells, decision, ask);
    cells->serial = ++cache->made;
    return cells;
}
