/* The outcomes of searches. */
#include "devices/outcomes.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "devices/words.h"

/* The number of words with one bit per slot, for whole tiles. */
static uint32_t words_of(uint32_t slot_count)
{
    return (slot_count + BERTH__TILE - 1) / BERTH__TILE * BERTH__TILE_WORDS;
}

static void free_slots(const berth__outcome_table *table, berth__outcomes *outcomes)
{
    size_t count = outcomes->slot_count, bits = words_of(outcomes->slot_count) * sizeof(uint64_t);
    berth__free(table->allocator, outcomes->by_slot, count);
    berth__free(table->allocator, outcomes->scores, count * sizeof(*outcomes->scores));
    berth__free(table->allocator, outcomes->known, bits);
    berth__free(table->allocator, outcomes->fit, bits);
    berth__node_shapes_destroy(&outcomes->shapes);
}

static void forget(berth__outcome_table *table, uint32_t at)
{
    berth__outcomes *gone = table->list[at];
    berth__keymap_remove(&table->kinds, &gone->entry);
    free_slots(table, gone);
    berth__free(table->allocator, gone, sizeof(*gone) + gone->key_bytes);
    table->list[at] = table->list[--table->count];
}

berth_status berth__outcomes_init(berth__outcome_table *table, const berth_allocator *allocator)
{
    table->allocator = allocator;
    return berth__keymap_init(&table->kinds, allocator);
}

void berth__outcomes_destroy(berth__outcome_table *table)
{
    while (table->count > 0)
        forget(table, 0);
    berth__keymap_destroy(&table->kinds);
}

void berth__outcomes_follow(berth__outcome_table *table, uint64_t build, uint64_t layout_epoch,
                            uint64_t removals)
{
    if (table->build == build && table->layout_epoch == layout_epoch && table->removals == removals)
        return;
    while (table->count > 0)
        forget(table, 0);
    table->build = build;
    table->layout_epoch = layout_epoch;
    table->removals = removals;
}

void berth__outcomes_note_node(berth__outcome_table *table, uint32_t node)
{
    table->changed[table->changed_end++ % BERTH__NODES_CHANGED] = node;
}

void berth__outcomes_note(berth__outcome_table *table, const berth__offer_pool *pool)
{
    if (!pool->watched && !pool->watched_by_many)
        return;
    berth__outcomes_note_node(table, pool->watcher);
    if (pool->watched_by_many)
        table->void_until = table->changed_end;
}

/* ---- requests as words ---- */

static void put_selectors(berth__words *own, const berth__device_selector *selectors,
                          uint32_t count)
{
    berth__words_put(own, count);
    for (uint32_t i = 0; i < count; i++) {
        berth__words_put(own, selectors[i].cel);
        berth__words_put(own, selectors[i].expression);
    }
}

static void put_ask(berth__words *own, const berth__device_search *search,
                    const berth__device_ask *ask)
{
    const berth__device_class_facts *of = search->find_class(search->context, ask->class_name);
    berth__words_put(own, ask->name);
    berth__words_put(own, ask->class_name);
    berth__words_put(own, of != NULL);
    if (of != NULL)
        put_selectors(own, of->selectors, of->selector_count);
    put_selectors(own, ask->selectors, ask->selector_count);
    berth__words_put(own, ask->mode);
    berth__words_put(own, ask->mode_text);
    berth__words_put_wide(own, ask->count);
    berth__words_put(own, ask->admin_access);
    berth__words_put(own, ask->toleration_count);
    for (uint32_t i = 0; i < ask->toleration_count; i++) {
        const berth__device_toleration *t = &ask->tolerations[i];
        berth__words_put(own, t->key);
        berth__words_put(own, t->value);
        berth__words_put(own, t->effect);
        berth__words_put(own, (uint32_t)t->exists << 1 | t->equal);
    }
    berth__words_put(own, ask->capacity_count);
    for (uint32_t i = 0; i < ask->capacity_count; i++) {
        berth__words_put_name(own, ask->capacities[i].name);
        berth__words_put_wide(own, ask->capacities[i].value);
    }
}

static void put_want(berth__words *own, const berth__device_search *search,
                     const berth__device_want *want)
{
    berth__words_put(own, want->request_count);
    for (uint32_t r = 0; r < want->request_count; r++) {
        const berth__device_request *request = &want->requests[r];
        berth__words_put(own, request->name);
        berth__words_put(own, request->first_available);
        berth__words_put(own, request->ask_count);
        for (uint32_t a = 0; a < request->ask_count; a++)
            put_ask(own, search, &request->asks[a]);
    }
    berth__words_put(own, want->constraint_count);
    for (uint32_t c = 0; c < want->constraint_count; c++) {
        const berth__device_constraint *constraint = &want->constraints[c];
        berth__words_put(own, constraint->request_count);
        for (uint32_t i = 0; i < constraint->request_count; i++)
            berth__words_put(own, constraint->requests[i]);
        berth__words_put_name(own, constraint->match);
        berth__words_put_name(own, constraint->distinct);
    }
}

/* ---- kinds ---- */

static void make_room(berth__outcome_table *table)
{
    uint32_t oldest = 0;
    if (table->count < BERTH__OUTCOMES_MAX)
        return;
    for (uint32_t i = 1; i < table->count; i++)
        if (table->list[i]->used < table->list[oldest]->used)
            oldest = i;
    forget(table, oldest);
}

/* Reserve room for the slots of a layout; their number is fixed while these outcomes hold. */
static bool make_slots(const berth__outcome_table *table, berth__outcomes *outcomes, uint32_t count)
{
    size_t bits = words_of(count) * sizeof(uint64_t);
    outcomes->slot_count = count;
    outcomes->by_slot = berth__alloc_zero(table->allocator, count, 64);
    outcomes->scores = berth__alloc_zero(table->allocator, count * sizeof(*outcomes->scores), 64);
    outcomes->known = berth__alloc_zero(table->allocator, bits, 64);
    outcomes->fit = berth__alloc_zero(table->allocator, bits, 64);
    return outcomes->by_slot != NULL && outcomes->scores != NULL && outcomes->known != NULL &&
           outcomes->fit != NULL &&
           berth__node_shapes_init(&outcomes->shapes, table->allocator) == BERTH_OK;
}

static berth__outcomes *make(berth__outcome_table *table, const berth__words *key,
                             uint32_t slot_count)
{
    uint32_t bytes = key->count * (uint32_t)sizeof(uint32_t);
    make_room(table);
    berth__outcomes *made = berth__alloc_zero(table->allocator, sizeof(*made) + bytes, 16);
    if (made == NULL)
        return NULL;
    if (!make_slots(table, made, slot_count)) {
        free_slots(table, made);
        berth__free(table->allocator, made, sizeof(*made) + bytes);
        return NULL;
    }
    if (bytes > 0)
        memcpy(made->words, key->items, bytes);
    made->key_bytes = made->entry.key_bytes = bytes;
    made->entry.key = made->words;
    made->seen = table->changed_end;
    berth__keymap_add(&table->kinds, &made->entry);
    table->list[table->count++] = made;
    return made;
}

static void void_all(berth__outcomes *outcomes)
{
    memset(outcomes->known, 0, words_of(outcomes->slot_count) * sizeof(uint64_t));
    outcomes->filled = outcomes->bad = 0;
}

static uint32_t slot_of(const berth__view *view, uint32_t node)
{
    return berth__node_at(&view->nodes, node)->slot;
}

/* Forget the outcomes of nodes that have changed. An error may be gone by now, so if there is one,
 * forget all. */
static void catch_up(const berth__outcome_table *table, const berth__view *view,
                     berth__outcomes *outcomes)
{
    if (outcomes->seen < table->void_until ||
        table->changed_end - outcomes->seen > BERTH__NODES_CHANGED || outcomes->bad > 0)
        void_all(outcomes);
    else
        for (uint64_t i = outcomes->seen; i < table->changed_end; i++) {
            uint32_t slot = slot_of(view, table->changed[i % BERTH__NODES_CHANGED]);
            if (slot < outcomes->slot_count)
                berth__bit_clear(outcomes->known, slot);
        }
    outcomes->seen = table->changed_end;
}

berth__outcomes *berth__outcomes_get(berth__outcome_table *table,
                                     const berth__device_search *search, const berth__view *view,
                                     berth__arena *arena)
{
    berth__words key = {.arena = arena};
    for (uint32_t i = 0; i < search->want_count; i++)
        put_want(&key, search, &search->wants[i]);
    if (key.no_memory)
        return NULL;
    void *found = berth__keymap_find(&table->kinds, key.items, key.count * sizeof(*key.items));
    berth__outcomes *outcomes = found != NULL ? found : make(table, &key, view->layout->count);
    if (outcomes == NULL)
        return NULL;
    BERTH_ASSERT(outcomes->slot_count == view->layout->count);
    catch_up(table, view, outcomes);
    outcomes->used = ++table->asked;
    outcomes->sights++;
    return outcomes;
}

void berth__outcomes_put(berth__outcomes *outcomes, uint32_t slot, berth__outcome_kept outcome)
{
    BERTH_ASSERT(slot < outcomes->slot_count);
    outcomes->by_slot[slot] = outcome.value;
    outcomes->scores[slot] = outcome.score;
    outcomes->bad += outcome.bad;
    berth__bit_set(outcomes->known, slot);
    berth__bit_put(outcomes->fit, slot, outcome.fits);
}
