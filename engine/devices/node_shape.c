/* Node shapes: what a kind of claims sees of a node. */
#include "devices/node_shape.h"

#include <string.h>

#include "base/error.h"
#include "devices/words.h"

enum { NOT_YET, NONE, FIRST }; /* values of `by_model` */

typedef struct shape {
    berth__keymap_entry entry;
    uint32_t number;
    uint32_t words[];
} shape;

berth_status berth__node_shapes_init(berth__node_shapes *shapes, const berth_allocator *allocator)
{
    *shapes = (berth__node_shapes){0};
    berth__arena_init(&shapes->arena, allocator);
    BERTH_TRY(berth__keymap_init(&shapes->shapes, allocator));
    return berth__keymap_init(&shapes->states, allocator);
}

void berth__node_shapes_destroy(berth__node_shapes *shapes)
{
    const berth_allocator *allocator = shapes->arena.allocator;
    if (allocator == NULL)
        return;
    if (shapes->shapes.allocator != NULL)
        berth__keymap_destroy(&shapes->shapes);
    if (shapes->states.allocator != NULL)
        berth__keymap_destroy(&shapes->states);
    berth__free(allocator, shapes->by_model, shapes->model_capacity * sizeof(*shapes->by_model));
    berth__arena_destroy(&shapes->arena);
}

/* ---- whether a node has a shape ---- */

static bool can_have_one(const berth__device_search *search, const berth__node_offers *offers)
{
    uint32_t devices = 0;
    for (uint32_t p = 0; p < offers->count; p++)
        devices += offers->pools[p]->offer_count;
    for (uint32_t i = 0; i < search->line_count; i++)
        if (search->lines[i].class_facts == NULL)
            return false;
    return (uint64_t)devices * search->line_count <= BERTH__SHAPE_VERDICTS;
}

/* ---- a shape as words ---- */

/* Add the verdicts of all lines on a device. Returns false if one is an error. */
static bool put_verdicts(berth__words *words, berth__device_search *search,
                         const berth__offer *offer)
{
    for (uint32_t i = 0; i < search->line_count; i++) {
        const berth__device_line *line = &search->lines[i];
        berth__step step = berth__device_selectable(search, line, offer);
        berth__step fits = berth__device_has_capacity(search, line, offer);
        berth__step would_fit = line->ask->mode == BERTH__ALLOCATE_ALL
                                    ? berth__device_had_capacity(search, line, offer)
                                    : fits;
        if (step == BERTH__STEP_ERROR || fits == BERTH__STEP_ERROR)
            return false;
        berth__words_put(words, (uint32_t)(step == BERTH__STEP_YES) |
                                    (uint32_t)(fits == BERTH__STEP_YES) << 1 |
                                    (uint32_t)berth__device_is_tolerated(search, line, offer) << 2 |
                                    (uint32_t)(would_fit == BERTH__STEP_YES) << 3);
    }
    return true;
}

static void put_attribute(berth__words *words, const berth__device_attribute *attribute)
{
    berth__words_put(words, attribute != NULL);
    if (attribute == NULL)
        return;
    berth__words_put(words, attribute->kind);
    berth__words_put(words, attribute->text);
    berth__words_put_wide(words, attribute->number);
}

static void put_compared(berth__words *words, const berth__device_search *search,
                         const berth__offer *offer)
{
    for (uint32_t c = 0; c < search->want_count; c++)
        for (uint32_t i = 0; i < search->wants[c].constraint_count; i++)
            put_attribute(words,
                          berth__constraint_attribute(&search->wants[c].constraints[i], offer));
}

static void put_consumed(berth__words *words, const berth__device *device)
{
    berth__words_put(words, device->consume_count);
    for (uint32_t c = 0; c < device->consume_count; c++) {
        const berth__counter_set *set = &device->consumes[c];
        berth__words_put(words, set->name);
        berth__words_put(words, set->count);
        for (uint32_t i = 0; i < set->count; i++) {
            berth__words_put(words, set->items[i].name);
            berth__words_put_wide(words, set->items[i].value);
        }
    }
}

/* Describe a node. Returns false if it has no shape. */
static bool describe(berth__words *words, berth__device_search *search,
                     const berth__node_offers *offers)
{
    for (uint32_t p = 0; p < offers->count; p++) {
        const berth__pool_view *view = offers->pools[p];
        berth__words_put_pool(words, view);
        berth__words_put(words, berth__node_offers_name(offers, p));
        for (uint32_t i = 0; i < view->offer_count; i++) {
            if (!put_verdicts(words, search, view->offers[i]))
                return false;
            put_compared(words, search, view->offers[i]);
            put_consumed(words, view->offers[i]->device);
        }
    }
    return true;
}

/* ---- numbers ---- */

/* The number of a shape; NOT_YET when out of memory. */
static uint32_t number_of(berth__node_shapes *shapes, const berth__words *words)
{
    size_t bytes = words->count * sizeof(*words->items);
    const void *key = words->count > 0 ? words->items : (const void *)"";
    void *found = berth__keymap_find(&shapes->shapes, key, bytes);
    shape *made = found;
    if (made != NULL)
        return made->number;
    made = berth__arena_alloc_zero(&shapes->arena, sizeof(*made) + bytes, 16);
    if (made == NULL)
        return NOT_YET;
    memcpy(made->words, key, bytes);
    made->number = FIRST + shapes->shapes.count;
    made->entry.key = made->words;
    made->entry.key_bytes = (uint32_t)bytes;
    berth__keymap_add(&shapes->shapes, &made->entry);
    return made->number;
}

static uint32_t look(berth__node_shapes *shapes, berth__device_search *search,
                     const berth__node_offers *offers)
{
    berth__words words = {.arena = search->arena};
    berth__arena_reset(search->arena);
    search->no_memory = false;
    if (!can_have_one(search, offers))
        return NONE;
    bool has_one = describe(&words, search, offers);
    if (search->no_memory || words.no_memory)
        return NOT_YET;
    return has_one ? number_of(shapes, &words) : NONE;
}

static berth__node_state *get_state(berth__node_shapes *shapes, uint32_t number, uint64_t in_use)
{
    berth__node_state wanted = {.key = {.in_use = in_use, .shape = number}};
    void *found = berth__keymap_find(&shapes->states, &wanted.key, sizeof(wanted.key));
    if (found != NULL || shapes->states.count == BERTH__SHAPE_STATES)
        return found;
    berth__node_state *made = berth__arena_alloc(&shapes->arena, sizeof(*made), 16);
    if (made == NULL)
        return NULL;
    *made = wanted;
    made->entry.key = &made->key;
    made->entry.key_bytes = sizeof(made->key);
    berth__keymap_add(&shapes->states, &made->entry);
    return made;
}

static bool make_room(berth__node_shapes *shapes, uint32_t model)
{
    uint32_t before = shapes->model_capacity;
    if (!berth__grow(shapes->arena.allocator, &shapes->by_model, &shapes->model_capacity, model + 1,
                     sizeof(*shapes->by_model)))
        return false;
    for (uint32_t i = before; i < shapes->model_capacity; i++)
        shapes->by_model[i] = NOT_YET;
    return true;
}

berth__node_state *berth__node_shapes_state(berth__node_shapes *shapes,
                                            berth__device_search *search,
                                            const berth__listed_node *node)
{
    const uint32_t model = node->model;
    if (model == 0 || (model >= shapes->model_capacity && !make_room(shapes, model)))
        return NULL;
    if (shapes->by_model[model] == NOT_YET)
        shapes->by_model[model] = look(shapes, search, node->offers);
    return shapes->by_model[model] >= FIRST
               ? get_state(shapes, shapes->by_model[model], node->in_use)
               : NULL;
}
