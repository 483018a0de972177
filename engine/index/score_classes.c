/* Collects the score classes present among the feasible nodes and asks the plugins to score one
 * node of each. */
#include "index/score_classes.h"

#include <string.h>

#include "base/bits.h"
#include "prepare/normalize.h"

berth__score_classes *berth__score_classes_create(const berth_allocator *allocator)
{
    berth__score_classes *classes = berth__alloc_zero(allocator, sizeof(*classes), 64);
    if (classes == NULL)
        return NULL;
    classes->allocator = allocator;
    if (berth__cells_cache_init(&classes->cells_cache, allocator) == BERTH_OK &&
        berth__class_maps_init(&classes->maps, allocator) == BERTH_OK)
        return classes;
    berth__score_classes_destroy(classes);
    return NULL;
}

/* The size of the arrays by class. */
static size_t bytes_of(uint32_t capacity)
{
    return (size_t)capacity * (sizeof(int64_t) + sizeof(int32_t) + sizeof(uint32_t) +
                               sizeof(uint16_t) + sizeof(uint8_t)) +
           2 * capacity / 8;
}

void berth__score_classes_destroy(berth__score_classes *classes)
{
    if (classes == NULL)
        return;
    berth__cells_cache_destroy(&classes->cells_cache);
    berth__class_maps_destroy(&classes->maps);
    berth__free(classes->allocator, classes->memory, bytes_of(classes->capacity));
    berth__free(classes->allocator, classes, sizeof(*classes));
}

/* Make room for the decision's classes. */
static bool reserve(berth__score_classes *classes)
{
    if (classes->count <= classes->capacity)
        return true;
    uint32_t capacity = classes->capacity > 0 ? classes->capacity : BERTH__TILE;
    while (capacity < classes->count)
        capacity *= 2;
    char *at = berth__alloc_zero(classes->allocator, bytes_of(capacity), 64);
    if (at == NULL)
        return false;
    berth__free(classes->allocator, classes->memory, bytes_of(classes->capacity));
    classes->memory = at;
    classes->capacity = capacity;
    classes->raws = (int64_t *)(void *)at;
    classes->present = (uint64_t *)(void *)(classes->raws + capacity);
    classes->wanted = classes->present + capacity / 64;
    classes->totals = (int32_t *)(void *)(classes->wanted + capacity / 64);
    classes->slots = (uint32_t *)(void *)(classes->totals + capacity);
    classes->met = (uint16_t *)(void *)(classes->slots + capacity);
    classes->marks = (uint8_t *)(void *)(classes->met + capacity);
    return true;
}

/* ---- beginning ---- */

/* The words of a set with one bit per class. */
static uint32_t words_of(const berth__score_classes *classes)
{
    return (classes->count + 63) / 64;
}

/* Group the scorers by what their values depend on; false: for some scorer this is unknown. */
static bool ask_scorers(berth__score_classes *classes, const uint32_t *scorers, uint32_t count)
{
    const berth__decision *decision = classes->decision;
    classes->scorer_count = classes->ask.static_count = 0;
    classes->parts = (berth__score_parts){.ok = true};
    classes->ask.parts = &classes->parts;
    if (count > BERTH__CLASS_SCORERS_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const berth__stage *stage = &decision->profile->scorers[scorers[i]];
        const berth__prepared_stage *own = &decision->prepared->scorers[scorers[i]];
        if (stage->plugin->score_parts != NULL)
            stage->plugin->score_parts(decision->cycle, stage->instance, own->state,
                                       &classes->parts);
        else if (own->is_static && classes->ask.static_count < BERTH__CELL_STATICS_MAX)
            classes->ask.statics[classes->ask.static_count++] = scorers[i];
        else
            return false;
        classes->scorers[classes->scorer_count++] = scorers[i];
    }
    return classes->parts.ok;
}

/* Find the classes: cells, split further if counts by node matter. */
static bool find_classes(berth__score_classes *classes, bool eager)
{
    classes->cells =
        berth__score_cells_get(&classes->cells_cache, classes->decision, &classes->ask, eager);
    classes->unmade = classes->cells == NULL && !eager;
    if (classes->cells == NULL || classes->cells->count == 0)
        return false;
    classes->map = NULL;
    classes->count = classes->cells->count;
    if (classes->parts.by_node_count == 0)
        return true;
    classes->map =
        berth__class_maps_get(&classes->maps, classes->decision, &classes->ask, classes->cells);
    if (classes->map == NULL || classes->map->count == 0)
        return false;
    classes->count = classes->map->count;
    return true;
}

bool berth__score_classes_begin(berth__score_classes *classes, const berth__decision *decision,
                                const uint32_t *scorers, uint32_t count, bool eager)
{
    classes->decision = decision;
    classes->unmade = false;
    if (!ask_scorers(classes, scorers, count) || !find_classes(classes, eager) || !reserve(classes))
        return false;
    memset(classes->present, 0, words_of(classes) * sizeof(*classes->present));
    classes->having = 0;
    classes->possible = UINT64_MAX;
    classes->blind = !berth__score_classes_few_cells(classes);
    if (classes->marked) /* a decision was given up */
        memset(classes->marks, 0, classes->capacity);
    classes->marked = false;
    return true;
}

/* ---- meeting ---- */

uint64_t berth__score_classes_cells(const berth__score_classes *classes, uint32_t tile,
                                    const berth__mask *slots)
{
    const berth__kernels *kernels = classes->decision->cycle->view->kernels;
    return kernels->class_bits(classes->cells->ids + (size_t)tile * BERTH__TILE, slots);
}

/* Mark the cells of a tile's slots by bytes. Most cells are marked several times, and storing a
 * byte does not wait for what was stored last, as setting a bit of a word does. */
static void mark_by_byte(berth__score_classes *classes, const uint16_t *ids,
                         const berth__mask *slots)
{
    uint8_t *marks = classes->marks;
    classes->marked = true;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++, ids += 64) {
        if (slots->words[w] == UINT64_MAX)
            for (uint32_t s = 0; s < 64; s++)
                marks[ids[s]] = 1;
        else
            for (uint64_t rest = slots->words[w]; rest != 0; rest &= rest - 1)
                marks[ids[__builtin_ctzll(rest)]] = 1;
    }
}

/* Mark the cells of a tile's slots. */
static void mark_cells(berth__score_classes *classes, uint32_t tile, const berth__mask *slots)
{
    const uint16_t *ids = classes->cells->ids + (size_t)tile * BERTH__TILE;
    if (berth__score_classes_few_cells(classes)) {
        classes->present[0] |= berth__score_classes_cells(classes, tile, slots);
        return;
    }
    if (classes->blind) { /* nobody asks which cells were met before all slots are marked */
        mark_by_byte(classes, ids, slots);
        return;
    }
    BERTH__MASK_EACH(slots, s)
    {
        berth__bit_set(classes->present, ids[s]);
    }
}

/* Turn marks into bits, and clear them. */
static void collect_marks(berth__score_classes *classes)
{
    const uint32_t words = (classes->cells->count + 63) / 64;
    for (uint32_t w = 0; w < words; w++)
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t bytes;
            memcpy(&bytes, classes->marks + w * 64 + i * 8, sizeof(bytes));
            /* The product brings byte k, which is 0 or 1, to bit 56 + k. */
            classes->present[w] |= (bytes * UINT64_C(0x0102040810204080) >> 56) << i * 8;
        }
    memset(classes->marks, 0, (size_t)words * 64);
    classes->marked = false;
}

/* Count the slots of a tile that have all required keys. */
static void count_having(berth__score_classes *classes, uint32_t tile, berth__mask slots)
{
    for (uint32_t i = 0; i < classes->parts.required_count; i++)
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            slots.words[w] &=
                classes->parts.required[i]->present[(size_t)tile * BERTH__TILE_WORDS + w];
    classes->having += berth__mask_count(&slots);
}

/* Whether all cells were met that slots of a walk may be of; with many cells, that is not worth
 * finding out. */
static bool possible_are_met(const berth__score_classes *classes)
{
    const uint64_t cells = berth__low_bits(classes->cells->count) & classes->possible;
    return berth__score_classes_few_cells(classes) && (cells & ~classes->present[0]) == 0;
}

/* Mark the classes of a tile's feasible slots with counted pods. */
static void meet_with_pods(berth__score_classes *classes, uint32_t tile, const berth__mask *slots)
{
    enum { MANY = 8 };
    const berth__kernels *kernels = classes->decision->cycle->view->kernels;
    const uint16_t *ids = berth__score_classes_tile(classes, tile);
    if (classes->count <= 64 && berth__mask_count(slots) > MANY) {
        classes->present[0] |= kernels->class_bits(ids, slots);
        return;
    }
    BERTH__MASK_EACH(slots, s)
    {
        berth__bit_set(classes->present, ids[s]);
    }
}

void berth__score_classes_meet(berth__score_classes *classes, uint32_t tile,
                               const berth__mask *slots)
{
    if (classes->parts.required_count > 0)
        count_having(classes, tile, *slots);
    const bool has_pods = berth__score_classes_peopled(classes, tile);
    const bool cells_met = possible_are_met(classes);
    if (cells_met && !has_pods)
        return;
    berth__mask plain = *slots, peopled = {{0}};
    for (uint32_t w = 0; w < BERTH__TILE_WORDS && has_pods; w++) {
        peopled.words[w] = slots->words[w] & classes->map->with[tile].words[w];
        plain.words[w] &= ~classes->map->with[tile].words[w];
    }
    if (!cells_met && !berth__mask_empty(&plain))
        mark_cells(classes, tile, &plain);
    if (has_pods)
        meet_with_pods(classes, tile, &peopled);
}

/* Whether all wanted classes were met. */
static bool all_are_met(const berth__score_classes *classes)
{
    if (classes->blind)
        return false;
    for (uint32_t w = 0; w < words_of(classes); w++)
        if ((classes->wanted[w] & ~classes->present[w]) != 0)
            return false;
    return true;
}

/* Whether all wanted cells were met. Those of words found complete are not looked at again. */
static bool cells_are_met(berth__score_classes *classes)
{
    const uint32_t count = classes->cells->count, words = (count + 63) / 64;
    for (; classes->complete < words; classes->complete++) {
        const uint32_t w = classes->complete;
        const uint64_t cells = berth__low_bits(count - w * 64);
        if ((classes->wanted[w] & ~classes->present[w] & cells) != 0)
            return false;
    }
    return true;
}

/* Clear the slots of a tile that are infeasible by its leaves. */
static void keep_feasible(const berth__score_classes *classes, const int32_t *leaves, uint32_t tile,
                          berth__mask *slots)
{
    const berth__view *view = classes->decision->cycle->view;
    uint32_t groups = (view->layout->count + BERTH__FAN - 1) / BERTH__FAN;
    view->kernels->leaves_from(leaves, groups - tile * (BERTH__TILE / BERTH__FAN), 0, slots);
}

/* Mark the classes of slots without counted pods: their cells. */
static void meet_cells(berth__score_classes *classes, const int32_t *leaves, uint32_t tile,
                       berth__mask slots)
{
    if (berth__mask_empty(&slots) || (!classes->blind && cells_are_met(classes)))
        return;
    keep_feasible(classes, leaves, tile, &slots);
    mark_cells(classes, tile, &slots);
}

/* Mark the classes of slots with counted pods; there are usually few such slots. */
static void meet_peopled(berth__score_classes *classes, const int32_t *leaves, uint32_t tile,
                         berth__mask slots)
{
    enum { MANY = 8 };
    const berth__kernels *kernels = classes->decision->cycle->view->kernels;
    const uint16_t *ids = berth__score_classes_tile(classes, tile);
    if (classes->count <= 64 && berth__mask_count(&slots) > MANY) {
        keep_feasible(classes, leaves, tile, &slots);
        classes->present[0] |= kernels->class_bits(ids, &slots);
        return;
    }
    BERTH__MASK_EACH(&slots, s)
    {
        if (leaves[s] >= 0)
            berth__bit_set(classes->present, ids[s]);
    }
}

/* The class of a slot. */
static uint32_t class_of(const berth__score_classes *classes, uint32_t slot)
{
    return berth__score_classes_tile(classes, slot / BERTH__TILE)[slot % BERTH__TILE];
}

static bool is_in(const berth__tree_ranges *ranges, uint32_t slot)
{
    bool in = false;
    for (uint32_t i = 0; i < ranges->count; i++)
        in |= slot >= ranges->first[i] && slot < ranges->last[i];
    return in;
}

/* Check the known slot of each class. If it is feasible and in range, the class is met. Every class
 * that has slots may still be met, unless its only slot does not count. */
static void look_at_known(berth__score_classes *classes, const int32_t *leaves,
                          const berth__tree_ranges *ranges)
{
    const berth__class_map *map = classes->map;
    const uint32_t *members = map != NULL ? map->members : classes->cells->members;
    const uint32_t *slots = map != NULL ? map->slots : classes->cells->slots;
    memset(classes->wanted, 0, words_of(classes) * sizeof(*classes->wanted));
    for (uint32_t id = 0; id < classes->count; id++) {
        const bool in = is_in(ranges, slots[id]);
        /* Most classes need no look at their slot, which may be anywhere in memory. */
        const bool known = (in || members[id] == 1) && class_of(classes, slots[id]) == id;
        const bool counts = in && known && leaves[slots[id]] >= 0;
        if (members[id] == 0 || (members[id] == 1 && known && !counts))
            continue;
        berth__bit_set(classes->wanted, id);
        if (counts)
            berth__bit_set(classes->present, id);
    }
}

static void count_range(berth__score_classes *classes, const int32_t *leaves, uint32_t first,
                        uint32_t last)
{
    for (uint32_t at = first, end; at < last; at = end) {
        const uint32_t tile = at / BERTH__TILE, base = tile * BERTH__TILE;
        end = last - base < BERTH__TILE ? last : base + BERTH__TILE;
        berth__mask slots = berth__mask_range(at - base, end - base);
        keep_feasible(classes, leaves + base, tile, &slots);
        count_having(classes, tile, slots);
    }
}

/* How many wanted classes with counted pods were not met yet; at least as many if it is not known
 * which are wanted. */
static uint32_t peopled_missing(const berth__score_classes *classes)
{
    const uint32_t cells = classes->cells->count;
    uint32_t missing = 0;
    for (uint32_t w = cells / 64; w < words_of(classes); w++) {
        const uint64_t from = w == cells / 64 ? UINT64_MAX << cells % 64 : UINT64_MAX;
        const uint64_t wanted = classes->blind ? UINT64_MAX : classes->wanted[w];
        missing += (uint32_t)__builtin_popcountll(wanted & ~classes->present[w] & from);
    }
    return missing;
}

/* Mark the classes of the listed slots with counted pods. */
static void meet_listed(berth__score_classes *classes, const int32_t *leaves, uint32_t first,
                        uint32_t last)
{
    const berth__class_map *map = classes->map;
    const uint32_t group = first / (BERTH__FOREST_FAN * BERTH__TILE);
    uint32_t missing = peopled_missing(classes);
    for (uint32_t i = map->listed_from[group]; i < map->listed_count && missing > 0; i++) {
        const berth__peopled_slot *own = &map->listed[i];
        if (own->slot >= last)
            return;
        if (own->slot < first || berth__bit_get(classes->present, own->id) || leaves[own->slot] < 0)
            continue;
        berth__bit_set(classes->present, own->id);
        missing -= classes->blind || berth__bit_get(classes->wanted, own->id);
    }
}

static void meet_range(berth__score_classes *classes, const int32_t *leaves, uint32_t first,
                       uint32_t last)
{
    static const berth__mask none = {{0}};
    const bool listed = classes->map != NULL && !classes->map->unlisted;
    if (listed)
        meet_listed(classes, leaves, first, last);
    for (uint32_t at = first, end; at < last && !all_are_met(classes); at = end) {
        if (listed && !classes->blind && cells_are_met(classes))
            return;
        uint32_t tile = at / BERTH__TILE, base = tile * BERTH__TILE;
        end = last - base < BERTH__TILE ? last : base + BERTH__TILE;
        const berth__mask *with = classes->map != NULL ? &classes->map->with[tile] : &none;
        berth__mask plain = berth__mask_range(at - base, end - base), peopled = plain;
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
            plain.words[w] &= ~with->words[w];
            peopled.words[w] &= with->words[w];
        }
        meet_cells(classes, leaves + base, tile, plain);
        if (!listed)
            meet_peopled(classes, leaves + base, tile, peopled);
    }
}

void berth__score_classes_meet_ranges(berth__score_classes *classes, const int32_t *leaves,
                                      const berth__tree_ranges *ranges)
{
    uint32_t slots = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        slots += ranges->last[i] - ranges->first[i];
    classes->blind = !berth__score_classes_few_cells(classes) && slots / 4 < classes->count;
    classes->complete = 0;
    if (!classes->blind)
        look_at_known(classes, leaves, ranges);
    for (uint32_t i = 0; i < ranges->count; i++) {
        meet_range(classes, leaves, ranges->first[i], ranges->last[i]);
        if (classes->parts.required_count > 0)
            count_range(classes, leaves, ranges->first[i], ranges->last[i]);
    }
}

/* A slot that is in the class now; there is at least one. */
static uint32_t slot_of(const berth__score_classes *classes, uint32_t id)
{
    uint32_t slot = classes->map != NULL ? classes->map->slots[id] : classes->cells->slots[id];
    if (class_of(classes, slot) == id)
        return slot;
    for (uint32_t tile = 0;; tile++) {
        const uint16_t *ids = berth__score_classes_tile(classes, tile);
        if (id >= classes->cells->count && !berth__score_classes_peopled(classes, tile))
            continue;
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            if (ids[s] == id)
                return tile * BERTH__TILE + s;
    }
}

static void list_met(berth__score_classes *classes)
{
    if (classes->marked)
        collect_marks(classes);
    classes->met_count = 0;
    for (uint32_t w = 0; w < words_of(classes); w++)
        for (uint64_t rest = classes->present[w]; rest != 0; rest &= rest - 1) {
            uint32_t id = w * 64 + (uint32_t)__builtin_ctzll(rest);
            classes->met[classes->met_count] = (uint16_t)id;
            classes->slots[classes->met_count++] = slot_of(classes, id);
        }
}

/* ---- rating ---- */

/* Run the scorer's rank phase on one slot of each class. */
static bool rank_sample(const berth__score_classes *classes, uint32_t scorer,
                        const berth__score_sample *sample, berth__arena *arena)
{
    const berth__stage *stage = &classes->decision->profile->scorers[scorer];
    berth__reasons reasons = {.arena = arena, .ok = true};
    berth__prepare prepare = {.cycle = classes->decision->cycle,
                              .instance = stage->instance,
                              .state = classes->decision->prepared->scorers[scorer].state,
                              .arena = arena,
                              .reasons = &reasons,
                              .ok = true};
    return stage->plugin->rank_sample(&prepare, sample) == BERTH__ACTIVE && prepare.ok;
}

/* Read a static scorer's raw values of the classes met, which are stored with the cells. */
static void read_raws(berth__score_classes *classes, uint32_t index)
{
    const int64_t *raws = classes->cells->raws + (size_t)index * classes->cells->count;
    for (uint32_t i = 0; i < classes->met_count; i++)
        classes->raws[i] = raws[berth__score_classes_cell(classes, classes->met[i])];
}

static berth__scorer_range range_of(const int64_t *raws, uint32_t count)
{
    berth__scorer_range range = BERTH__NO_RANGE;
    for (uint32_t i = 0; i < count; i++) {
        if (raws[i] == BERTH__SCORE_IGNORED)
            continue;
        range.lowest = raws[i] < range.lowest ? raws[i] : range.lowest;
        range.highest = raws[i] > range.highest ? raws[i] : range.highest;
    }
    return range;
}

/* Add a scorer's normalized values to the totals of the classes met. */
static bool add_scorer(berth__score_classes *classes, uint32_t scorer)
{
    const berth__stage *stage = &classes->decision->profile->scorers[scorer];
    const berth__scorer_range range = range_of(classes->raws, classes->met_count);
    bool fits = true;
    for (uint32_t first = 0; first < classes->met_count; first += BERTH__TILE) {
        uint32_t left = classes->met_count - first;
        uint32_t count = left < BERTH__TILE ? left : BERTH__TILE;
        const berth__mask used = berth__mask_range(0, count);
        int64_t *values = classes->raws + first;
        berth__normalize(stage, classes->decision->cycle->view->kernels, &range, &used, values);
        for (uint32_t i = 0; i < count; i++) {
            fits &= (uint64_t)values[i] <= BERTH__SCORE_MAX;
            classes->totals[classes->met[first + i]] += (int32_t)(values[i] * stage->weight);
        }
    }
    return fits;
}

/* Add what a scorer says about the classes met. `statics` counts the static scorers so far. */
static bool rate_by(berth__score_classes *classes, uint32_t scorer,
                    const berth__score_sample *sample, uint32_t *statics, berth__arena *arena)
{
    const berth__decision *decision = classes->decision;
    const berth__stage *stage = &decision->profile->scorers[scorer];
    const void *state = decision->prepared->scorers[scorer].state;
    if (stage->plugin->rank_sample != NULL && !rank_sample(classes, scorer, sample, arena))
        return false;
    if (stage->plugin->score_sample != NULL)
        stage->plugin->score_sample(decision->cycle, stage->instance, state, sample, classes->raws);
    else
        read_raws(classes, (*statics)++);
    return add_scorer(classes, scorer);
}

bool berth__score_classes_rate(berth__score_classes *classes, uint32_t feasible_count,
                               berth__arena *arena)
{
    uint32_t statics = 0;
    list_met(classes);
    for (uint32_t i = 0; i < classes->met_count; i++)
        classes->totals[classes->met[i]] = 0;
    const berth__score_sample sample = {
        .slots = classes->slots,
        .count = classes->met_count,
        .feasible_count = feasible_count,
        .having_count = classes->parts.required_count > 0 ? classes->having : feasible_count};
    for (uint32_t i = 0; i < classes->scorer_count; i++)
        if (!rate_by(classes, classes->scorers[i], &sample, &statics, arena))
            return false;
    classes->most = 0;
    for (uint32_t i = 0; i < classes->met_count; i++)
        if (classes->totals[classes->met[i]] > classes->most)
            classes->most = classes->totals[classes->met[i]];
    return true;
}
