/* Node models: nodes with equal offers. */
#include "devices/node_model.h"

#include <string.h>

#include "devices/words.h"

typedef struct node_model {
    berth__keymap_entry entry;
    uint32_t number;
    uint32_t words[];
} node_model;

static bool is_plain(const berth__pool_view *view)
{
    for (uint32_t i = 0; i < view->offer_count; i++) {
        const berth__slice_facts *facts = view->offers[i]->slice->facts;
        if (view->offers[i]->device->allow_multiple || facts->per_device ||
            facts->reach.has_selector)
            return false;
    }
    return view->other_count == 0;
}

static bool can_have_one(const berth__node_offers *offers)
{
    uint32_t devices = 0;
    for (uint32_t p = 0; p < offers->count; p++) {
        const berth__pool_view *view = offers->pools[p];
        if (view->offer_count > BERTH__MODEL_DEVICES - devices || !is_plain(view))
            return false;
        devices += view->offer_count;
    }
    return true;
}

static void put_pool(berth__words *words, const berth__node_offers *offers, uint32_t pool)
{
    const berth__pool_view *view = offers->pools[pool];
    berth__words_put_pool(words, offers, pool);
    for (uint32_t i = 0; i < view->offer_count; i++)
        berth__words_put(words, view->offers[i]->content);
}

static uint32_t number_of(berth__catalog *catalog, const berth__words *words)
{
    static const uint32_t nothing;
    size_t bytes = words->count * sizeof(*words->items);
    const uint32_t *key = words->count > 0 ? words->items : &nothing;
    void *found = berth__keymap_find(&catalog->models, key, bytes);
    node_model *model = found;
    if (model != NULL)
        return model->number;
    model = berth__arena_alloc_zero(&catalog->models_arena, sizeof(*model) + bytes, 16);
    if (model == NULL)
        return 0;
    memcpy(model->words, key, bytes);
    model->number = catalog->models.count + 1;
    model->entry.key = model->words;
    model->entry.key_bytes = (uint32_t)bytes;
    berth__keymap_add(&catalog->models, &model->entry);
    return model->number;
}

uint32_t berth__node_model(berth__catalog *catalog, const berth__node_offers *offers)
{
    berth__words words = {.arena = &catalog->scratch};
    berth__arena_reset(&catalog->scratch);
    if (!can_have_one(offers))
        return 0;
    for (uint32_t p = 0; p < offers->count; p++)
        put_pool(&words, offers, p);
    return words.no_memory ? 0 : number_of(catalog, &words);
}
