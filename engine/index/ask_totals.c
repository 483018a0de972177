/* Finds the totals of an ask, and brings them up to date, as a whole or tile by tile. */
#include "index/ask_totals.h"

#include <string.h>

#include "base/limit.h"

enum { ASKS_MAX = BERTH__LIMIT(4096, 2) };
/* For a branch, or for an engine with a memory limit. */
static const size_t BYTES_MAX = (size_t)64 << 20;

/* ---- the cache ---- */

berth_status berth__ask_cache_init(berth__ask_cache *cache, const berth_allocator *allocator)
{
    *cache = (berth__ask_cache){.allocator = allocator, .bytes_max = BYTES_MAX};
    return berth__keymap_init(&cache->map, allocator);
}

static size_t bytes_of(uint32_t capacity)
{
    return capacity * sizeof(int32_t) +
           capacity / BERTH__TILE * (sizeof(berth__mask) + sizeof(uint64_t));
}

static void drop(berth__ask_cache *cache, berth__ask_totals *asked)
{
    berth__use_remove(&cache->order, &asked->used);
    berth__keymap_remove(&cache->map, &asked->used.entry);
    cache->epoch++;
    cache->bytes -= bytes_of(asked->capacity);
    berth__free(cache->allocator, asked->totals, bytes_of(asked->capacity));
    berth__free(cache->allocator, asked, sizeof(*asked));
}

static berth__ask_totals *oldest(const berth__ask_cache *cache)
{
    return (berth__ask_totals *)cache->order.oldest;
}

void berth__ask_cache_destroy(berth__ask_cache *cache)
{
    if (cache->allocator == NULL)
        return;
    while (cache->order.oldest != NULL)
        drop(cache, oldest(cache));
    berth__keymap_destroy(&cache->map);
}

/* ---- finding ---- */

/* The key: padding is zero. */
static berth__basic_ask key_of(const berth__basic_ask *ask)
{
    berth__basic_ask key;
    memset(&key, 0, sizeof(key));
    key.cpu = ask->cpu;
    key.memory = ask->memory;
    key.least_cpu = ask->least_cpu;
    key.least_memory = ask->least_memory;
    key.cpu_weight = ask->cpu_weight;
    key.memory_weight = ask->memory_weight;
    key.balance_cpu = ask->balance_cpu;
    key.balance_memory = ask->balance_memory;
    key.least_weight = ask->least_weight;
    key.balance_weight = ask->balance_weight;
    key.places = ask->places;
    key.balance_difference = ask->balance_difference;
    return key;
}

/* Whether an ask for the same requests was seen before; from now on it was. */
static bool was_sighted(berth__ask_cache *cache, const berth__class *cls)
{
    const uint64_t serial = cls->request->part.serial;
    uint64_t *sight = &cache->sights[serial % BERTH__ASK_SIGHTS];
    const bool sighted = *sight == serial;
    *sight = serial;
    return sighted;
}

static berth__ask_totals *add(berth__ask_cache *cache, const berth__basic_ask *key,
                              uint32_t capacity)
{
    const size_t bytes = bytes_of(capacity);
    if (bytes > cache->bytes_max)
        return NULL;
    while (cache->order.oldest != NULL &&
           (cache->map.count >= ASKS_MAX || cache->bytes + bytes > cache->bytes_max))
        drop(cache, oldest(cache));
    berth__ask_totals *asked = berth__alloc_zero(cache->allocator, sizeof(*asked), 8);
    int32_t *totals = berth__alloc(cache->allocator, bytes, 64);
    if (asked == NULL || totals == NULL) {
        berth__free(cache->allocator, asked, sizeof(*asked));
        berth__free(cache->allocator, totals, bytes);
        return NULL;
    }
    asked->ask = *key;
    asked->capacity = capacity;
    asked->totals = totals;
    asked->fits = (berth__mask *)(void *)(totals + capacity); /* tiles end at cache lines */
    asked->tile_seen = (uint64_t *)(void *)(asked->fits + capacity / BERTH__TILE);
    asked->used.entry.key = &asked->ask;
    asked->used.entry.key_bytes = sizeof(asked->ask);
    berth__keymap_add(&cache->map, &asked->used.entry);
    berth__use_add(&cache->order, &asked->used);
    cache->bytes += bytes;
    return asked;
}

static berth__ask_totals *find(berth__ask_cache *cache, const berth__decision *decision,
                               uint32_t capacity)
{
    const berth__basic_ask key = key_of(&decision->prepared->memory.slot_plan.ask);
    berth__ask_totals *asked = NULL;
    if (cache->map.count > 0)
        asked = (berth__ask_totals *)berth__keymap_find(&cache->map, &key, sizeof(key));
    if (asked != NULL && asked->capacity != capacity) {
        drop(cache, asked);
        asked = NULL;
    } else if (asked == NULL && !was_sighted(cache, decision->cycle->cls)) {
        return NULL;
    }
    return asked != NULL ? asked : add(cache, &key, capacity);
}

/* ---- bringing up to date ---- */

/* Rough numbers of instructions: for a change read from the log; for a tile with changes, and for
 * each of these. */
enum { LOG_CHANGE_COST = 16, TILE_COST = 350, TILE_CHANGE_COST = 25 };

/* What a walk over `visits` tiles would spend on `changes` tile by tile. */
static uint64_t cost_by_tile(const berth__ask_totals *asked, uint64_t changes, uint32_t visits)
{
    const uint32_t tiles = asked->capacity / BERTH__TILE;
    const uint64_t own = changes * visits / tiles;
    return (own < visits ? own : visits) * TILE_COST + own * TILE_CHANGE_COST;
}

/* Set `seen` to the least that all tiles have seen. */
static void raise_seen(berth__ask_totals *asked)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t tile = 0; tile < asked->capacity / BERTH__TILE; tile++)
        if (asked->tile_seen[tile] < least)
            least = asked->tile_seen[tile];
    if (least > asked->seen)
        asked->seen = least;
}

/* Whether the log has all changes since `seen`, and applying them costs at most `cost`. */
static bool can_follow(const berth__ask_totals *asked, uint64_t now, uint64_t cost)
{
    const uint64_t lag = now - asked->seen;
    return asked->seen != 0 && lag <= BERTH__LOG && lag * LOG_CHANGE_COST <= cost;
}

/* Whether to apply all changes to all tiles from the log. If the ask recurs soon, that costs less
 * than going tile by tile. If its totals are far behind, they catch up once the costs saved since
 * then would pay for it. */
static bool follows_log(berth__ask_totals *asked, uint64_t now, uint32_t visits)
{
    const uint64_t changes = now - asked->recent;
    const uint64_t by_tile = cost_by_tile(asked, changes, visits),
                   by_log = changes * LOG_CHANGE_COST;
    asked->recent = now;
    if (by_tile < by_log) {
        asked->credit = 0;
        return false;
    }
    asked->credit += by_tile - by_log;
    if (!can_follow(asked, now, by_log + asked->credit) &&
        asked->credit >= asked->capacity / BERTH__TILE)
        raise_seen(asked);
    return can_follow(asked, now, by_log + asked->credit);
}

static inline void put(berth__ask_totals *asked, uint32_t slot, int32_t total)
{
    asked->totals[slot] = total;
    berth__bit_put(asked->fits[slot / BERTH__TILE].words, slot % BERTH__TILE, total >= 0);
}

static void follow(berth__ask_totals *asked, berth__slot_log *log, const berth__view *view)
{
    _Alignas(64) int32_t totals[BERTH__LOG_PADDED];
    const uint64_t end = view->journal_end + 1;
    berth__slot_log_follow(log, view);
    while (asked->seen != end) {
        const berth__slot_states *states;
        uint32_t first;
        const uint32_t count = berth__slot_log_read(log, view, asked->seen - 1, &states, &first);
        const berth__basic_columns columns = berth__slot_states_columns(states);
        view->kernels->basic(&columns, first, count, &asked->ask, totals);
        for (uint32_t i = 0; i < count; i++)
            put(asked, states->slots[first + i], totals[i]);
        asked->seen += count;
    }
}

berth__ask_totals *berth__ask_totals_get(berth__ask_cache *cache, const berth__slot_window *window,
                                         berth__slot_log *log, const berth__decision *decision,
                                         uint32_t limit)
{
    berth__prepared_memory *memory = &decision->prepared->memory;
    berth__ask_totals *asked = memory->asked;
    if (asked == NULL || memory->asked_epoch != cache->epoch || asked->capacity != window->capacity)
        asked = find(cache, decision, window->capacity);
    memory->asked = asked;
    memory->asked_epoch = cache->epoch;
    if (asked == NULL)
        return NULL;
    berth__use_again(&cache->order, &asked->used);
    const uint32_t tiles = asked->capacity / BERTH__TILE;
    if (asked->serial != window->serial) {
        memset(asked->tile_seen, 0, tiles * sizeof(*asked->tile_seen));
        asked->seen = asked->credit = 0;
        asked->recent = window->seen + 1;
        asked->serial = window->serial;
    }
    const berth__view *view = decision->cycle->view;
    const uint32_t visits = limit / BERTH__TILE < tiles ? limit / BERTH__TILE + 1 : tiles;
    if (follows_log(asked, window->seen + 1, visits)) {
        follow(asked, log, view);
        asked->credit = 0;
    } else if (visits == tiles) {
        berth__ask_totals_renew(asked, window, view, 0, tiles);
        asked->seen = window->seen + 1;
    }
    return asked;
}

enum {
    LISTED = 2 * BERTH__BASIC_RUN, /* slots of a tile; if more have changed, all are computed */
    BATCH = 2 * LISTED,            /* slots of some tiles, which are computed at once */
};

/* Compute the totals of listed slots, if there are any. */
static void compute(berth__ask_totals *asked, const berth__slot_window *window,
                    const berth__kernels *kernels, const uint32_t *slots, uint32_t count)
{
    int32_t totals[BATCH];
    if (count == 0)
        return;
    kernels->basic_listed(window->states, window->invertible, slots, count, &asked->ask, totals);
    for (uint32_t i = 0; i < count; i++)
        put(asked, slots[i], totals[i]);
}

static void compute_tile(berth__ask_totals *asked, const berth__slot_window *window,
                         const berth__kernels *kernels, uint32_t tile)
{
    int32_t *totals = asked->totals + (size_t)tile * BERTH__TILE;
    const berth__basic_columns columns = berth__slot_window_columns(window);
    kernels->basic(&columns, tile * BERTH__TILE, BERTH__TILE, &asked->ask, totals);
    asked->fits[tile] = (berth__mask){{UINT64_MAX, UINT64_MAX}};
    kernels->leaves_from(totals, BERTH__TILE / BERTH__FAN, 0, &asked->fits[tile]);
}

void berth__ask_totals_renew(berth__ask_totals *asked, const berth__slot_window *window,
                             const berth__view *view, uint32_t first, uint32_t last)
{
    uint32_t slots[BATCH], count = 0;
    for (uint32_t tile = first; tile < last; tile++) {
        const uint64_t own = asked->tile_seen[tile], seen = own > asked->seen ? own : asked->seen;
        uint32_t changed = LISTED + 1;
        if (seen > window->latest[tile])
            continue;
        if (seen > 0)
            changed = berth__slot_window_changes(window, tile, seen - 1, slots + count, LISTED);
        if (changed > LISTED)
            compute_tile(asked, window, view->kernels, tile);
        else
            count += changed;
        asked->tile_seen[tile] = window->seen + 1;
        if (count > BATCH - LISTED) {
            compute(asked, window, view->kernels, slots, count);
            count = 0;
        }
    }
    compute(asked, window, view->kernels, slots, count);
}
