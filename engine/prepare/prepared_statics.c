/* Verdicts and raw scores that depend on node facts alone: kept by tile, and followed. */
#include "prepare/prepared_statics.h"

#include <string.h>

#include "columns/facts_news.h"

/* ---- memory ---- */

static size_t tile_bytes(uint32_t tiles)
{
    return tiles * (sizeof(berth__mask) + sizeof(uint8_t));
}

size_t berth__statics_bytes(const berth__prepared_statics *statics)
{
    return tile_bytes(statics->tile_count) + statics->raw_bytes;
}

static void free_raws(const berth_allocator *allocator, berth__prepared_statics *statics)
{
    berth__free(allocator, statics->raws, statics->raw_bytes);
    statics->raws = NULL;
    statics->raw_bytes = 0;
    statics->keeps = false;
}

void berth__statics_free(const berth_allocator *allocator, berth__prepared_statics *statics)
{
    free_raws(allocator, statics);
    berth__free(allocator, statics->mask, tile_bytes(statics->tile_count));
    *statics = (berth__prepared_statics){.valid = false};
}

/* ---- preparing ---- */

static bool is_static(const berth__stage *stage, uint32_t flag)
{
    return (stage->plugin->flags & flag) != 0;
}

static bool reserve_tiles(const berth_allocator *allocator, berth__prepared_statics *statics,
                          uint32_t tiles)
{
    if (statics->tile_count == tiles && statics->mask != NULL)
        return true;
    berth__statics_free(allocator, statics);
    statics->mask = berth__alloc(allocator, tile_bytes(tiles), 64);
    if (statics->mask == NULL)
        return false;
    statics->ready = (uint8_t *)(statics->mask + tiles);
    statics->tile_count = tiles;
    return true;
}

uint64_t berth__prepared_image_worth(const berth__decision *decision)
{
    uint64_t worth = 0;
    for (uint32_t i = 0; i < decision->profile->scorer_count; i++)
        if (decision->prepared->scorers[i].outcome == BERTH__ACTIVE)
            worth = worth * 31 + decision->prepared->scorers[i].image_worth;
    return worth;
}

/* Forget what other facts may have changed since the kind was prepared; everything unless it is
 * known which nodes have other facts. If one of the pod's images is worth something else, because
 * another number of nodes has it, all raw values may have changed. */
static void follow_facts(const berth__decision *decision, const berth__layout *layout)
{
    berth__prepared_kind *prepared = decision->prepared;
    berth__prepared_statics *statics = &prepared->statics;
    berth__facts_news news;
    if (!statics->valid ||
        !berth__facts_news_since(layout, BERTH__ON_ALL, prepared->epoch, &news)) {
        memset(statics->ready, 0, statics->tile_count);
        statics->keeps = false; /* it may have been for another profile */
        return;
    }
    if (berth__class_has_image(decision->cycle->cls, news.images) &&
        statics->image_worth != berth__prepared_image_worth(decision))
        statics->keeps = false;
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, BERTH__FACTS_ANY)) != NULL;)
        statics->ready[note->slot / BERTH__TILE] = 0;
}

static uint32_t count_static(const berth__decision *decision)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < decision->profile->scorer_count; i++)
        count += decision->prepared->scorers[i].is_static;
    return count;
}

/* Whether the arrays for raw values are those of the scorers that are static now. */
static bool fits_scorers(const berth__decision *decision)
{
    const berth__prepared_statics *statics = &decision->prepared->statics;
    bool fits = statics->keeps && statics->scorer_count == count_static(decision);
    for (uint32_t i = 0; i < statics->scorer_count && fits; i++)
        fits = decision->prepared->scorers[statics->scorers[i]].is_static;
    return fits;
}

static int64_t *raws_of(const berth__prepared_statics *statics, uint32_t place)
{
    return statics->raws + (size_t)place * statics->tile_count * BERTH__TILE;
}

static void point_at_raws(const berth__decision *decision)
{
    const berth__prepared_statics *statics = &decision->prepared->statics;
    for (uint32_t i = 0; i < statics->scorer_count && statics->keeps; i++)
        decision->prepared->scorers[statics->scorers[i]].static_raw = raws_of(statics, i);
}

/* List the static filters that are active. */
static bool list_filters(const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    const berth__ready_profile *profile = decision->profile;
    uint32_t *filters =
        berth__arena_alloc(&prepared->arena, profile->filter_count * sizeof(*filters), 4);
    uint32_t count = 0;
    for (uint32_t i = 0; filters != NULL && i < profile->filter_count; i++)
        if (prepared->filters[i].outcome == BERTH__ACTIVE &&
            is_static(&profile->filters[i], BERTH__STATIC_FILTER))
            filters[count++] = i;
    prepared->statics.filters = filters;
    prepared->statics.filter_count = count;
    return filters != NULL;
}

bool berth__statics_prepare(const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    berth__prepared_statics *statics = &prepared->statics;
    const berth__ready_profile *profile = decision->profile;
    const berth__layout *layout = decision->cycle->view->layout;
    for (uint32_t i = 0; i < profile->scorer_count; i++) {
        berth__prepared_stage *stage = &prepared->scorers[i];
        stage->static_raw = NULL;
        stage->is_static = stage->outcome == BERTH__ACTIVE && !stage->by_node &&
                           is_static(&profile->scorers[i], BERTH__STATIC_SCORE);
    }
    if (!reserve_tiles(decision->cycle->view->model->allocator, statics, layout->tile_count) ||
        !list_filters(decision))
        return false;
    follow_facts(decision, layout);
    statics->image_worth = berth__prepared_image_worth(decision);
    statics->keeps = fits_scorers(decision);
    if (!statics->keeps)
        for (uint32_t tile = 0; tile < statics->tile_count; tile++)
            statics->ready[tile] &= BERTH__STATIC_MASK;
    statics->valid = true;
    point_at_raws(decision);
    return true;
}

/* Give the arrays to the scorers that are static now. */
static void list_static(const berth__decision *decision, uint32_t count)
{
    berth__prepared_statics *statics = &decision->prepared->statics;
    statics->scorers = (uint32_t *)(void *)raws_of(statics, count);
    statics->scorer_count = 0;
    for (uint32_t i = 0; i < decision->profile->scorer_count; i++)
        if (decision->prepared->scorers[i].is_static)
            statics->scorers[statics->scorer_count++] = i;
    point_at_raws(decision);
}

bool berth__prepared_keep(const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    berth__prepared_statics *statics = &prepared->statics;
    const size_t before = statics->raw_bytes;
    if (statics->keeps)
        return true;
    const uint32_t count = count_static(decision);
    const size_t slots = (size_t)statics->tile_count * BERTH__TILE;
    const size_t bytes = count * (slots * sizeof(int64_t) + sizeof(uint32_t)) + 1; /* never none */
    if (bytes != before) {
        const berth_allocator *allocator = decision->cycle->view->model->allocator;
        free_raws(allocator, statics);
        statics->raws = berth__alloc(allocator, bytes, 64);
        statics->raw_bytes = statics->raws != NULL ? bytes : 0;
    }
    statics->keeps = statics->raw_bytes == bytes;
    if (statics->keeps)
        list_static(decision, count);
    if (prepared->counted != NULL)
        *prepared->counted += statics->raw_bytes - before;
    return statics->keeps;
}

/* ---- computing ---- */

void berth__prepared_mask_make(const berth__decision *decision, uint32_t tile)
{
    berth__prepared_kind *prepared = decision->prepared;
    berth__prepared_statics *statics = &prepared->statics;
    berth__mask mask = {{UINT64_MAX, UINT64_MAX}};
    for (uint32_t i = 0; i < statics->filter_count; i++) {
        const berth__stage *stage = &decision->profile->filters[statics->filters[i]];
        stage->plugin->filter(decision->cycle, stage->instance,
                              prepared->filters[statics->filters[i]].state, tile, &mask);
    }
    statics->mask[tile] = mask;
    statics->ready[tile] |= BERTH__STATIC_MASK;
}

void berth__prepared_tile(const berth__decision *decision, uint32_t tile)
{
    const berth__prepared_kind *prepared = decision->prepared;
    const berth__ready_profile *profile = decision->profile;
    (void)berth__prepared_mask(decision, tile);
    if (!prepared->statics.keeps || (prepared->statics.ready[tile] & BERTH__STATIC_RAW) != 0)
        return;
    static const berth__mask all = {{UINT64_MAX, UINT64_MAX}};
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        if (prepared->scorers[i].is_static)
            profile->scorers[i].plugin->score(
                decision->cycle, profile->scorers[i].instance, prepared->scorers[i].state, tile,
                &all, prepared->scorers[i].static_raw + (size_t)tile * BERTH__TILE);
    prepared->statics.ready[tile] |= BERTH__STATIC_RAW;
}
