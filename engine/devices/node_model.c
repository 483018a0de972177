/* Node models: nodes with equal offers, by models of the pools that they see. */
#include "devices/node_model.h"

#include <string.h>

#include "devices/node_offers.h"
#include "devices/words.h"

/* A model of a pool or of a node. */
typedef struct numbered {
    berth__keymap_entry entry;
    uint32_t number;
    uint32_t words[];
} numbered;

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

/* ---- numbers ---- */

enum { OF_POOL, OF_NODE }; /* the first word of a key */

static uint32_t number_of(berth__catalog *catalog, const berth__words *words)
{
    size_t bytes = words->count * sizeof(*words->items);
    if (words->no_memory)
        return 0;
    void *found = berth__keymap_find(&catalog->models, words->items, bytes);
    numbered *made = found;
    if (made != NULL)
        return made->number;
    made = berth__arena_alloc_zero(&catalog->models_arena, sizeof(*made) + bytes, 16);
    if (made == NULL)
        return 0;
    memcpy(made->words, words->items, bytes);
    made->number = catalog->models.count + 1;
    made->entry.key = made->words;
    made->entry.key_bytes = (uint32_t)bytes;
    berth__keymap_add(&catalog->models, &made->entry);
    return made->number;
}

uint32_t berth__pool_model(berth__catalog *catalog, const berth__pool_view *view)
{
    berth__words words = {.arena = &catalog->scratch};
    if (view->offer_count > BERTH__MODEL_DEVICES || !is_plain(view))
        return 0;
    berth__arena_reset(&catalog->scratch);
    berth__words_put(&words, OF_POOL);
    berth__words_put_pool(&words, view);
    for (uint32_t i = 0; i < view->offer_count; i++)
        berth__words_put(&words, view->offers[i]->content);
    return number_of(catalog, &words);
}

uint32_t berth__node_model(berth__catalog *catalog, const berth__node_offers *offers)
{
    berth__words words = {.arena = &catalog->scratch};
    uint32_t devices = 0;
    berth__arena_reset(&catalog->scratch);
    berth__words_put(&words, OF_NODE);
    for (uint32_t p = 0; p < offers->count; p++) {
        const berth__pool_view *view = offers->pools[p];
        if (view->model == 0 || view->offer_count > BERTH__MODEL_DEVICES - devices)
            return 0;
        devices += view->offer_count;
        berth__words_put(&words, view->model);
        berth__words_put(&words, berth__node_offers_name(offers, p));
    }
    return number_of(catalog, &words);
}
