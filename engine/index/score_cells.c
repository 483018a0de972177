/* Cells: computed by splitting one cell of all slots by one property after another, and cached. */
#include "index/score_cells.h"

#include <string.h>

#include "base/bits.h"
#include "base/limit.h"
#include "columns/facts_news.h"

enum { CELLS_CACHED = BERTH__LIMIT(1024, 2) };
static const size_t CELL_BYTES_MAX = (size_t)64 << 20;

/* A cell and a value that some of its slots have, and the new cell of these slots. */
typedef struct berth__cell_pair {
    int64_t value;
    uint32_t cell;
    uint32_t becomes; /* new cell + 1; 0: the entry is free */
} cell_pair;

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

static void free_facts(berth__cells_cache *cache, berth__score_cells *cells)
{
    berth__free(cache->allocator, cells->facts, cells->facts_bytes);
    cache->bytes -= cells->facts_bytes;
    cells->facts = NULL;
    cells->facts_bytes = 0;
    cells->count = 0;
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
    free_facts(cache, cells);
    free_ids(cache, cells);
    berth__free(cache->allocator, cells, sizeof(*cells));
}

void berth__cells_cache_destroy(berth__cells_cache *cache)
{
    if (cache->allocator == NULL)
        return;
    while (cache->order.oldest != NULL)
        drop(cache, oldest(cache));
    berth__free(cache->allocator, cache->pairs, cache->pair_capacity * sizeof(*cache->pairs));
    berth__keymap_destroy(&cache->map);
}

static void trim(berth__cells_cache *cache, const berth__score_cells *but, size_t more)
{
    while (oldest(cache) != but &&
           (cache->map.count > CELLS_CACHED || cache->bytes + more > CELL_BYTES_MAX))
        drop(cache, oldest(cache));
}

/* Whether an embedder's scorer, which may read any part of a node, is among the static scorers. */
static bool reads_all(const berth__decision *decision, const berth__cells_ask *ask)
{
    for (uint32_t i = 0; i < ask->static_count; i++)
        if ((decision->profile->scorers[ask->statics[i]].plugin->flags & BERTH__READS_CLASS) != 0)
            return true;
    return false;
}

/* What decides about cells, and the layout's epoch of that. */
static berth__facts_kind kind_of(const berth__decision *decision, const berth__cells_ask *ask)
{
    if (ask->static_count == 0)
        return BERTH__ON_LABELS;
    return reads_all(decision, ask) ? BERTH__ON_ALL : BERTH__ON_RULES;
}

static uint64_t epoch_of(const berth__decision *decision, const berth__cells_ask *ask)
{
    const berth__layout *layout = decision->cycle->view->layout;
    switch (kind_of(decision, ask)) {
    case BERTH__ON_LABELS:
        return layout->label_epoch;
    case BERTH__ON_RULES:
        return layout->rule_epoch;
    case BERTH__ON_ALL:
        break;
    }
    return layout->epoch;
}

/* When a topology that splits the cells changed last. */
static uint64_t since_of(const berth__cells_ask *ask)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < ask->parts->split_count; i++) {
        const uint64_t since = ask->parts->splits[i].topology->since;
        last = since > last ? since : last;
    }
    return last;
}

/* The serial of the part of a pod that static scorers read: its node rules or, if an embedder's
 * scorer is among them, the whole class. */
static uint64_t pod_of(const berth__decision *decision, const berth__cells_ask *ask)
{
    const berth__class *cls = decision->cycle->cls;
    if (reads_all(decision, ask))
        return cls->serial << 1 | 1;
    if (ask->static_count == 0 || cls->node_rules == NULL)
        return 0;
    return (uint64_t)cls->node_rules->part.serial << 1;
}

uint32_t berth__score_cells_key(const berth__decision *decision, const berth__cells_ask *ask,
                                uint64_t *words)
{
    uint32_t count = 0;
    words[count++] = (uint64_t)ask->static_count << 32 | ask->parts->split_count;
    words[count++] = ask->static_count > 0 ? decision->profile_index : 0;
    words[count++] = pod_of(decision, ask);
    for (uint32_t i = 0; i < ask->static_count; i++)
        words[count++] = ask->statics[i];
    for (uint32_t i = 0; i < ask->parts->split_count; i++)
        words[count++] =
            (uint64_t)ask->parts->splits[i].topology->key << 1 | ask->parts->splits[i].presence;
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
    cell_pair *pairs; /* hash table of 2 to the power of `bits` entries */
    uint32_t bits;
    uint32_t most;   /* new cells allowed */
    uint32_t count;  /* of new cells */
    cell_pair *last; /* of the slot before */
} splitting;

/* Prepare splits of a layout's slots. False: out of memory. */
static bool begin_splits(splitting *split, berth__cells_cache *cache, berth__score_cells *cells,
                         uint32_t slots)
{
    split->cells = cells;
    split->most = berth__cells_allowed(slots, BERTH__CELLS_FEW, BERTH__CELLS_MAX);
    split->bits = 1;
    while (UINT32_C(1) << split->bits < 2 * split->most)
        split->bits++;
    if (!berth__grow(cache->allocator, &cache->pairs, &cache->pair_capacity,
                     UINT32_C(1) << split->bits, sizeof(*cache->pairs)))
        return false;
    split->pairs = cache->pairs;
    return true;
}

static void begin_split(splitting *split)
{
    memset(split->pairs, 0, sizeof(*split->pairs) << split->bits);
    split->count = 0;
    split->last = split->pairs;
}

static inline bool is_pair(const cell_pair *pair, uint32_t cell, int64_t value)
{
    return pair->becomes != 0 && pair->cell == cell && pair->value == value;
}

/* The entry of a pair, or a free one. The table is never more than half full. Neighbours differ in
 * their zones, so this runs for nearly every slot: the hash is two multiplications by odd numbers,
 * of which the upper bits count. */
static cell_pair *pair_of(const splitting *split, uint32_t cell, int64_t value)
{
    const uint64_t hash =
        (uint64_t)value * UINT64_C(0x9e3779b97f4a7c15) + cell * UINT64_C(0xc2b2ae3d27d4eb4f);
    const uint32_t last = (UINT32_C(1) << split->bits) - 1;
    uint32_t at = (uint32_t)(hash >> (64 - split->bits));
    while (split->pairs[at].becomes != 0 && !is_pair(&split->pairs[at], cell, value))
        at = (at + 1) & last;
    return &split->pairs[at];
}

/* Move the slot to the new cell of its old cell and value. False: there are too many cells. */
static bool split_slot(splitting *split, uint32_t slot, int64_t value)
{
    uint16_t *id = &split->cells->ids[slot];
    if (!is_pair(split->last, *id, value))
        split->last = pair_of(split, *id, value);
    cell_pair *pair = split->last;
    if (pair->becomes == 0) {
        if (split->count == split->most)
            return false;
        *pair = (cell_pair){.value = value, .cell = *id, .becomes = ++split->count};
    }
    *id = (uint16_t)(pair->becomes - 1);
    return true;
}

static bool split_by_topology(splitting *split, const berth__score_split *by, uint32_t slot_count)
{
    const uint32_t *domains = by->topology->domains;
    begin_split(split);
    for (uint32_t slot = 0; slot < slot_count; slot++)
        if (!split_slot(split, slot, by->presence ? domains[slot] != 0 : domains[slot]))
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
    begin_split(split);
    for (uint32_t first = 0; first < slot_count; first += BERTH__TILE) {
        stage->plugin->score(decision->cycle, stage->instance, state, first / BERTH__TILE, &all,
                             raws);
        for (uint32_t s = 0; s < BERTH__TILE && first + s < slot_count; s++)
            if (!split_slot(split, first + s, raws[s]))
                return false;
    }
    return true;
}

/* Returns the number of cells; 0: too many. */
static uint32_t split_all(splitting *split, const berth__decision *decision,
                          const berth__cells_ask *ask)
{
    uint32_t slot_count = decision->cycle->view->layout->count;
    split->count = 1;
    for (uint32_t i = 0; i < ask->parts->split_count; i++)
        if (!split_by_topology(split, &ask->parts->splits[i], slot_count))
            return 0;
    for (uint32_t i = 0; i < ask->static_count; i++)
        if (!split_by_score(split, decision, ask->statics[i], slot_count))
            return 0;
    return split->count;
}

/* ---- facts about cells ---- */

/* Reserve room for the facts about `count` cells. */
static bool reserve_facts(berth__cells_cache *cache, berth__score_cells *cells, uint32_t count,
                          uint32_t static_count)
{
    const size_t bytes = (size_t)count * (2 * sizeof(uint32_t) + static_count * sizeof(int64_t));
    free_facts(cache, cells);
    cells->facts = berth__alloc(cache->allocator, bytes, 8);
    if (cells->facts == NULL)
        return false;
    cells->facts_bytes = bytes;
    cache->bytes += bytes;
    cells->raws = cells->facts;
    cells->slots = (uint32_t *)(void *)(cells->raws + (size_t)count * static_count);
    cells->members = cells->slots + count;
    return true;
}

static void list_slots(berth__score_cells *cells, uint32_t slot_count)
{
    memset(cells->members, 0, cells->count * sizeof(*cells->members));
    for (uint32_t slot = slot_count; slot-- > 0;) {
        uint32_t id = cells->ids[slot];
        cells->slots[id] = slot;
        cells->members[id]++;
    }
}

/* The raw value of one slot. */
static int64_t raw_of(const berth__decision *decision, uint32_t scorer, uint32_t slot)
{
    const berth__stage *stage = &decision->profile->scorers[scorer];
    const uint32_t at = slot % BERTH__TILE;
    const berth__mask one = berth__mask_range(at, at + 1);
    _Alignas(64) int64_t raws[BERTH__TILE];
    stage->plugin->score(decision->cycle, stage->instance,
                         decision->prepared->scorers[scorer].state, slot / BERTH__TILE, &one, raws);
    return raws[at];
}

static void list_raws(berth__score_cells *cells, const berth__decision *decision,
                      const berth__cells_ask *ask)
{
    for (uint32_t i = 0; i < ask->static_count; i++)
        for (uint32_t c = 0; c < cells->count; c++)
            cells->raws[(size_t)i * cells->count + c] =
                raw_of(decision, ask->statics[i], cells->slots[c]);
}

/* ---- following facts ---- */

static bool stays_in_cell(const berth__score_cells *cells, const berth__decision *decision,
                          const berth__cells_ask *ask, uint32_t slot)
{
    const uint32_t cell = cells->ids[slot];
    for (uint32_t i = 0; i < ask->static_count; i++)
        if (raw_of(decision, ask->statics[i], slot) != cells->raws[(size_t)i * cells->count + cell])
            return false;
    return true;
}

/* Whether all slots are known to be in their cells still; the cells then have the current facts. */
static bool follow_facts(berth__score_cells *cells, const berth__decision *decision,
                         const berth__cells_ask *ask)
{
    const berth__layout *layout = decision->cycle->view->layout;
    berth__facts_news news;
    if (cells->count == 0 || cells->since != since_of(ask) ||
        !berth__facts_news_since(layout, kind_of(decision, ask), cells->epoch, &news))
        return false;
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, BERTH__FACTS_ANY)) != NULL;)
        if (!stays_in_cell(cells, decision, ask, note->slot))
            return false;
    cells->epoch = epoch_of(decision, ask);
    return true;
}

/* Returns false when out of memory. */
static bool make(berth__cells_cache *cache, berth__score_cells *cells,
                 const berth__decision *decision, const berth__cells_ask *ask)
{
    const berth__layout *layout = decision->cycle->view->layout;
    splitting split;
    memset(cells->ids, 0, ids_bytes(cells->tile_count));
    cells->count = 0;
    if (!begin_splits(&split, cache, cells, layout->count))
        return false;
    const uint32_t count = split_all(&split, decision, ask);
    if (count > 0 && !reserve_facts(cache, cells, count, ask->static_count))
        return false;
    cells->count = count;
    cells->epoch = epoch_of(decision, ask);
    cells->since = since_of(ask);
    if (count > 0) {
        list_slots(cells, layout->count);
        list_raws(cells, decision, ask);
    }
    return true;
}

const berth__score_cells *berth__score_cells_get(berth__cells_cache *cache,
                                                 const berth__decision *decision,
                                                 const berth__cells_ask *ask, bool eager)
{
    uint64_t key[BERTH__CELLS_WORDS];
    const berth__layout *layout = decision->cycle->view->layout;
    uint32_t words = berth__score_cells_key(decision, ask, key);
    berth__score_cells *cells = find_or_add(cache, &decision->prepared->memory, key, words);
    const uint64_t epoch = epoch_of(decision, ask);
    if (cells == NULL || cells->epoch == epoch || follow_facts(cells, decision, ask))
        return cells;
    bool again = cells->asked == epoch;
    cells->asked = epoch;
    if (!eager && !again)
        return NULL;
    if (!allocate(cache, cells, layout->tile_count) || !make(cache, cells, decision, ask)) {
        drop(cache, cells);
        return NULL;
    }
    cells->serial = ++cache->made;
    return cells;
}
