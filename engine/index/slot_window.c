/* Totals computed when needed: columns by slot, one kernel call for each tile, then the plugins
 * that the kernel does not know. */
#include "index/slot_window.h"

#include <string.h>

/* ---- columns ---- */

void berth__slot_window_destroy(berth__slot_window *window)
{
    size_t slots = window->capacity;
    berth__free(window->allocator, window->columns,
                slots * BERTH__LOG_COLUMNS * sizeof(*window->columns));
    berth__free(window->allocator, window->evenness, slots * sizeof(*window->evenness));
    berth__free(window->allocator, window->states, slots * sizeof(*window->states));
    berth__free(window->allocator, window->latest, slots / BERTH__TILE * sizeof(*window->latest));
    berth__free(window->allocator, window->changes,
                BERTH__WINDOW_CHANGES * sizeof(*window->changes));
    window->columns = NULL;
    window->evenness = NULL;
    window->states = NULL;
    window->latest = NULL;
    window->changes = NULL;
    window->capacity = 0;
}

/* Reserve room for whole tiles. */
static bool reserve(berth__slot_window *window, const berth__layout *layout)
{
    uint32_t slots = layout->tile_count * BERTH__TILE;
    if (window->capacity == slots)
        return true;
    berth__slot_window_destroy(window);
    window->columns = berth__alloc_whole(
        window->allocator, (size_t)slots * BERTH__LOG_COLUMNS * sizeof(*window->columns), 64);
    window->evenness = berth__alloc_whole(window->allocator, slots * sizeof(*window->evenness), 64);
    window->states = berth__alloc_whole(window->allocator, slots * sizeof(*window->states), 64);
    window->latest =
        berth__alloc_zero(window->allocator, layout->tile_count * sizeof(*window->latest), 64);
    window->changes =
        berth__alloc_zero(window->allocator, BERTH__WINDOW_CHANGES * sizeof(*window->changes), 64);
    window->capacity = slots;
    window->order = BERTH__EPOCH_NONE;
    if (window->columns != NULL && window->evenness != NULL && window->states != NULL &&
        window->latest != NULL && window->changes != NULL)
        return true;
    berth__slot_window_destroy(window);
    return false;
}

static void put(berth__slot_window *window, const berth__view *view, uint32_t slot)
{
    double *values = window->states[slot].values;
    berth__slot_state_read(view, slot, values, &window->evenness[slot]);
    window->states[slot].evenness = window->evenness[slot];
    for (uint32_t c = 0; c < BERTH__LOG_COLUMNS; c++)
        window->columns[(size_t)c * window->capacity + slot] = values[c];
    window->invertible &= berth__is_invertible(values[BERTH__LOG_CPU]) &&
                          berth__is_invertible(values[BERTH__LOG_MEMORY]);
}

/* Slots without a node, at the end of the last tile, have some cpu and memory and no place for
 * pods. */
static void put_none(berth__slot_window *window, uint32_t slot)
{
    for (uint32_t c = 0; c < BERTH__LOG_COLUMNS; c++)
        window->columns[(size_t)c * window->capacity + slot] =
            c == BERTH__LOG_CPU || c == BERTH__LOG_MEMORY;
    window->evenness[slot] = 0;
    window->states[slot] = (berth__basic_state){{0}, 0};
}

static bool is_void(const berth__slot_window *window, const berth__view *view)
{
    uint64_t lag = view->journal_end - window->seen;
    return window->capacity != view->layout->tile_count * BERTH__TILE ||
           window->order != view->layout->order_epoch || lag > BERTH__JOURNAL ||
           lag > view->layout->count;
}

bool berth__slot_window_is_made(const berth__slot_window *window, const berth__view *view)
{
    return !is_void(window, view);
}

/* Whether to build columns: once the scans made without them have covered as many slots as the
 * cluster has. Building costs about as much as scanning that many slots, and columns would have
 * saved half of it. */
static bool deserves_columns(berth__slot_window *window, const berth__layout *layout,
                             uint32_t limit)
{
    window->missed += limit < layout->count ? limit : layout->count;
    return window->missed >= layout->count;
}

static bool make(berth__slot_window *window, const berth__view *view)
{
    if (!reserve(window, view->layout))
        return false;
    window->invertible = true;
    for (uint32_t slot = 0; slot < view->layout->count; slot++)
        put(window, view, slot);
    for (uint32_t slot = view->layout->count; slot < window->capacity; slot++)
        put_none(window, slot);
    window->order = view->layout->order_epoch;
    window->seen = view->journal_end;
    window->missed = 0;
    window->serial++;
    return true;
}

/* Append a change to those of its tile. */
static void link_change(berth__slot_window *window, uint64_t number, uint32_t slot)
{
    uint64_t *latest = &window->latest[slot / BERTH__TILE];
    const uint64_t behind = *latest == 0 ? 0 : number + 1 - *latest;
    window->changes[number % BERTH__WINDOW_CHANGES] = (berth__slot_change){
        slot, behind < BERTH__WINDOW_CHANGES ? (uint32_t)behind : BERTH__WINDOW_CHANGES};
    *latest = number + 1;
}

bool berth__slot_window_follow(berth__slot_window *window, const berth__view *view, uint32_t limit)
{
    if (is_void(window, view))
        return deserves_columns(window, view->layout, limit) && make(window, view);
    for (; window->seen != view->journal_end; window->seen++) {
        const uint32_t slot = view->journal[window->seen % BERTH__JOURNAL];
        put(window, view, slot);
        link_change(window, window->seen, slot);
    }
    return true;
}

uint32_t berth__slot_window_changes(const berth__slot_window *window, uint32_t tile, uint64_t seen,
                                    uint32_t *slots, uint32_t room)
{
    uint32_t count = 0;
    for (uint64_t next = window->latest[tile]; next > seen;) {
        const uint64_t number = next - 1;
        if (count == room || window->seen - number > BERTH__WINDOW_CHANGES)
            return room + 1;
        const berth__slot_change *change = &window->changes[number % BERTH__WINDOW_CHANGES];
        slots[count++] = change->slot;
        if (change->behind == 0)
            break;
        next -= change->behind;
    }
    return count;
}

/* ---- totals ---- */

bool berth__slot_window_serves(const berth__decision *decision)
{
    return decision->prepared->memory.slot_plan.basic && !decision->cycle->view->wide;
}

static inline void keep(berth__mask *slots, const berth__mask *others)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= others->words[w];
}

static void keep_by_filters(const berth__decision *decision, uint32_t tile, berth__mask *slots)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    for (uint32_t i = 0; i < plan->extra_filter_count && !berth__mask_empty(slots); i++) {
        const berth__stage *stage = &decision->profile->filters[plan->extra_filters[i]];
        stage->plugin->filter(decision->cycle, stage->instance,
                              decision->prepared->filters[plan->extra_filters[i]].state, tile,
                              slots);
    }
}

/* Totals of a tile that are copied before they change for the first time. */
typedef struct tile_totals {
    const int32_t *now;
    int32_t *room;
} tile_totals;

static int32_t *to_change(tile_totals *totals)
{
    if (totals->now != totals->room)
        memcpy(totals->room, totals->now, BERTH__TILE * sizeof(*totals->room));
    totals->now = totals->room;
    return totals->room;
}

/* Add the values of a scorer that gives its nodes the same value or 0. False: it does not. */
static bool add_alike(const berth__decision *decision, uint32_t scorer, uint32_t tile,
                      const berth__mask *slots, tile_totals *totals)
{
    const berth__stage *stage = &decision->profile->scorers[scorer];
    berth__mask with;
    int64_t value;
    if (stage->plugin->score_alike == NULL ||
        !stage->plugin->score_alike(decision->cycle, stage->instance,
                                    decision->prepared->scorers[scorer].state, tile, &with, &value))
        return false;
    keep(&with, slots);
    if (!berth__mask_empty(&with) && value != 0)
        decision->cycle->view->kernels->raise_leaves(&with, (int32_t)(value * stage->weight),
                                                     to_change(totals));
    return true;
}

/* Add the values of any scorer that reads node facts, kept ones if there are any. */
static void add_values(const berth__decision *decision, uint32_t scorer, uint32_t tile,
                       const berth__mask *slots, tile_totals *totals)
{
    const berth__stage *stage = &decision->profile->scorers[scorer];
    const berth__prepared_stage *own = &decision->prepared->scorers[scorer];
    _Alignas(64) int64_t scratch[BERTH__TILE];
    const int64_t *raws = scratch;
    if (own->is_static && (decision->prepared->statics.ready[tile] & BERTH__STATIC_RAW) != 0)
        raws = own->static_raw + (size_t)tile * BERTH__TILE;
    else
        stage->plugin->score(decision->cycle, stage->instance, own->state, tile, slots, scratch);
    decision->cycle->view->kernels->add_to_leaves(slots, raws, (int32_t)stage->weight,
                                                  to_change(totals));
}

/* Add the scores that the kernel does not know. */
static void add_scores(const berth__decision *decision, uint32_t tile, const berth__mask *slots,
                       tile_totals *totals)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    for (uint32_t i = 0; i < plan->extra_scorer_count; i++)
        if (!add_alike(decision, plan->extra_scorers[i], tile, slots, totals))
            add_values(decision, plan->extra_scorers[i], tile, slots, totals);
}

berth__basic_columns berth__slot_window_columns(const berth__slot_window *window)
{
    const size_t column = window->capacity;
    return (berth__basic_columns){.cpu = window->columns,
                                  .cpu_used = window->columns + column,
                                  .cpu_nonzero = window->columns + 2 * column,
                                  .memory = window->columns + 3 * column,
                                  .memory_used = window->columns + 4 * column,
                                  .memory_nonzero = window->columns + 5 * column,
                                  .places = window->columns + 6 * column,
                                  .evenness = window->evenness,
                                  .invertible = window->invertible};
}

const int32_t *berth__slot_window_fill(const berth__slot_window *window,
                                       const berth__decision *decision, uint32_t tile,
                                       const berth__basic_tile *kept, int32_t *room,
                                       berth__mask *slots)
{
    const berth__kernels *kernels = decision->cycle->view->kernels;
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    keep(slots, berth__prepared_mask(decision, tile));
    tile_totals totals = {room, room};
    if (kept != NULL) {
        keep(slots, kept->fits);
        totals.now = kept->totals;
    } else {
        const berth__basic_columns columns = berth__slot_window_columns(window);
        kernels->basic(&columns, tile * BERTH__TILE, BERTH__TILE, &plan->ask, room);
        kernels->leaves_from(room, BERTH__TILE / BERTH__FAN, 0, slots);
    }
    keep_by_filters(decision, tile, slots);
    add_scores(decision, tile, slots, &totals);
    return totals.now;
}
