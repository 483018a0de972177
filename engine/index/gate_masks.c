/* Caches the sets of slots that gates let pass, and repairs them by the change journal. */
#include "index/gate_masks.h"

#include <string.h>

#include "base/bits.h"
#include "base/limit.h"
#include "columns/facts_news.h"
#include "columns/volume_use.h"

enum { MASKS_MAX = BERTH__LIMIT(2048, 2), OFFERS_MAX = 64 };
static const size_t MASK_BYTES_MAX = (size_t)64 << 20;

/* ---- the cache ---- */

berth_status berth__gate_masks_init(berth__gate_masks *masks, const berth_allocator *allocator)
{
    *masks = (berth__gate_masks){.allocator = allocator};
    return berth__keymap_init(&masks->map, allocator);
}

static size_t mask_bytes(uint32_t tile_count, bool scores)
{
    const size_t values = scores ? BERTH__TILE * sizeof(int16_t) : 0;
    return tile_count * (sizeof(berth__mask) + values + 1);
}

static void free_bits(berth__gate_masks *masks, berth__gate_mask *mask)
{
    const size_t bytes = mask_bytes(mask->tile_count, mask->scores);
    if (mask->passing != NULL)
        masks->bytes -= bytes;
    berth__free(masks->allocator, mask->passing, bytes);
    mask->passing = NULL;
    mask->values = NULL;
    mask->tile_count = 0;
}

static berth__gate_mask *oldest(const berth__gate_masks *masks)
{
    return (berth__gate_mask *)masks->order.oldest;
}

static void drop(berth__gate_masks *masks, berth__gate_mask *mask)
{
    berth__use_remove(&masks->order, &mask->used);
    berth__keymap_remove(&masks->map, &mask->used.entry);
    masks->epoch++;
    free_bits(masks, mask);
    berth__free(masks->allocator, mask, sizeof(*mask));
}

void berth__gate_masks_destroy(berth__gate_masks *masks)
{
    if (masks->allocator == NULL)
        return;
    while (masks->order.oldest != NULL)
        drop(masks, oldest(masks));
    berth__keymap_destroy(&masks->map);
}

static berth__gate_mask *add(berth__gate_masks *masks, const uint64_t *key, uint32_t words)
{
    berth__gate_mask *mask = berth__alloc_zero(masks->allocator, sizeof(*mask), 8);
    if (mask == NULL)
        return NULL;
    memcpy(mask->key, key, words * sizeof(*key));
    mask->used.entry.key = mask->key;
    mask->used.entry.key_bytes = words * (uint32_t)sizeof(*key);
    mask->epoch = BERTH__EPOCH_NONE;
    berth__keymap_add(&masks->map, &mask->used.entry);
    berth__use_add(&masks->order, &mask->used);
    return mask;
}

static bool allocate(berth__gate_masks *masks, berth__gate_mask *mask, uint32_t tile_count)
{
    free_bits(masks, mask);
    size_t bytes = mask_bytes(tile_count, mask->scores);
    while (oldest(masks) != mask &&
           (masks->map.count > MASKS_MAX || masks->bytes + bytes > MASK_BYTES_MAX))
        drop(masks, oldest(masks));
    mask->passing = berth__alloc(masks->allocator, bytes, 64);
    if (mask->passing == NULL)
        return false;
    mask->tile_count = tile_count;
    void *rest = mask->passing + tile_count;
    if (mask->scores) {
        mask->values = rest;
        rest = mask->values + (size_t)tile_count * BERTH__TILE;
    }
    mask->filled = rest;
    masks->bytes += bytes;
    return true;
}

/* ---- finding ---- */

/* Two words for each gate identify it as long as its topology stays. */
static uint32_t key_of(const berth__gates *gates, uint64_t *words)
{
    uint32_t count = 0;
    words[count++] = (uint64_t)gates->domain_count << 32 | gates->slot_count;
    for (uint32_t i = 0; i < gates->domain_count; i++) {
        const berth__domain_gate *gate = &gates->domains[i];
        words[count++] = (uint64_t)gate->topology->key << 1 | gate->absent_passes;
        words[count++] = gate->passing;
    }
    for (uint32_t i = 0; i < gates->slot_count; i++) {
        const berth__slot_gate *gate = &gates->slots[i];
        words[count++] = gate->counts->serial << 1 | gate->present;
        words[count++] = (uint64_t)gate->lowest << 32 | gate->highest;
    }
    return count;
}

static berth__gate_mask *find(berth__gate_masks *masks, const berth__decision *decision,
                              const berth__gates *gates)
{
    uint64_t key[BERTH__GATE_WORDS];
    uint32_t words = key_of(gates, key);
    size_t bytes = words * sizeof(*key);
    const berth__prepared_memory *memory = &decision->prepared->memory;
    berth__gate_mask *mask = memory->mask;
    if (mask == NULL || memory->mask_epoch != masks->epoch || mask->used.entry.key_bytes != bytes ||
        memcmp(mask->key, key, bytes) != 0)
        mask = (berth__gate_mask *)berth__keymap_find(&masks->map, key, bytes);
    if (mask == NULL)
        return add(masks, key, words);
    berth__use_again(&masks->order, &mask->used);
    return mask;
}

/* ---- filling ---- */

static bool passes(const berth__gates *gates, uint32_t slot)
{
    for (uint32_t i = 0; i < gates->domain_count; i++)
        if (!berth__domain_gate_passes(&gates->domains[i], slot))
            return false;
    for (uint32_t i = 0; i < gates->slot_count; i++)
        if (!berth__slot_gate_passes(&gates->slots[i], slot))
            return false;
    return true;
}

/* Whether to discard the set instead of applying the changes: the journal no longer has them all,
 * or filling tiles again costs less. */
static bool too_many(const berth__gate_mask *mask, uint64_t changes)
{
    return changes > BERTH__JOURNAL || changes > (uint64_t)mask->tile_count * (BERTH__TILE / 8);
}

static void void_tiles(berth__gate_mask *mask)
{
    memset(mask->filled, 0, mask->tile_count);
    memset(mask->of_cells, 0, sizeof(mask->of_cells));
    mask->unfilled = mask->tile_count;
    mask->lowest = INT16_MAX;
    mask->highest = INT16_MIN;
}

/* Update the verdicts on slots whose pods changed. Verdicts by domain hold as long as the key
 * does. */
static void follow(berth__gate_mask *mask, const berth__view *view, const berth__gates *gates)
{
    if (gates->slot_count > 0 && too_many(mask, view->journal_end - mask->seen))
        void_tiles(mask);
    else if (gates->slot_count > 0)
        for (uint64_t i = mask->seen; i != view->journal_end; i++) {
            uint32_t slot = view->journal[i % BERTH__JOURNAL], tile = slot / BERTH__TILE;
            if (mask->filled[tile])
                berth__bit_put(mask->passing[tile].words, slot % BERTH__TILE, passes(gates, slot));
        }
    mask->seen = view->journal_end;
}

/* When the nodes or a topology of the gates changed last. */
static uint64_t since_of(const berth__layout *layout, const berth__gates *gates)
{
    uint64_t last = layout->order_epoch;
    for (uint32_t i = 0; i < gates->domain_count; i++)
        if (gates->domains[i].topology->since > last)
            last = gates->domains[i].topology->since;
    for (uint32_t i = 0; i < gates->slot_count; i++)
        if (gates->slots[i].counts->topology->since > last)
            last = gates->slots[i].counts->topology->since;
    return last;
}

/* Forget the tiles of nodes with other facts. False: it is not known which ones these are, or the
 * key has addresses in a former layout. */
static bool follow_facts(berth__gate_mask *mask, const berth__layout *layout)
{
    berth__facts_news news;
    if (!berth__facts_news_since(layout, BERTH__ON_ALL, mask->epoch, &news) ||
        (news.changes & BERTH__FACTS_MOVED) != 0)
        return false;
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, BERTH__FACTS_VERDICTS)) != NULL;) {
        uint8_t *filled = &mask->filled[note->slot / BERTH__TILE];
        mask->unfilled += *filled;
        *filled = 0;
    }
    memset(mask->of_cells, 0, sizeof(mask->of_cells));
    mask->epoch = layout->epoch;
    return true;
}

/* Discard the contents of the set if it is of another epoch. Returns false, without the set, when
 * out of memory. */
static bool bring_up(berth__gate_masks *masks, berth__gate_mask *mask, const berth__view *view,
                     uint64_t epoch)
{
    const berth__layout *layout = view->layout;
    if (mask->epoch == epoch)
        return true;
    if (mask->tile_count != layout->tile_count && !allocate(masks, mask, layout->tile_count)) {
        drop(masks, mask);
        return false;
    }
    void_tiles(mask);
    mask->epoch = epoch;
    mask->seen = view->journal_end;
    return true;
}

/* Compute verdicts and values on some slots of a tile. */
static void compute(berth__gate_mask *mask, const berth__decision *decision,
                    const berth__keyed_stages *stages, uint32_t tile, const berth__mask *slots)
{
    berth__mask passing = *slots;
    berth__filter_list_keep(&stages->filters, decision, tile, &passing);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->passing[tile].words[w] =
            (mask->passing[tile].words[w] & ~slots->words[w]) | passing.words[w];
    if (!stages->scores)
        return;
    const berth__stage *stage = &decision->profile->scorers[stages->scorer];
    int16_t *values = mask->values + (size_t)tile * BERTH__TILE;
    int64_t raws[BERTH__TILE];
    stage->plugin->score(decision->cycle, stage->instance,
                         decision->prepared->scorers[stages->scorer].state, tile, &passing, raws);
    BERTH__MASK_EACH(slots, s)
    {
        values[s] = berth__bit_get(passing.words, s) ? (int16_t)raws[s] : 0;
    }
    BERTH__MASK_EACH(&passing, s)
    {
        mask->lowest = values[s] < mask->lowest ? values[s] : mask->lowest;
        mask->highest = values[s] > mask->highest ? values[s] : mask->highest;
    }
}

/* Compute the slots again whose offers changed. */
static void follow_offers(berth__gate_mask *mask, const berth__decision *decision,
                          const berth__keyed_stages *stages, uint64_t classes)
{
    const berth__view *view = decision->cycle->view;
    berth__volume_offers *offers = &view->volume_use->offers;
    uint32_t slots[OFFERS_MAX];
    berth__volume_offers_follow(offers, view->storage, view->layout, &view->nodes);
    const uint32_t count =
        berth__volume_offers_since(offers, mask->offers_seen, classes, slots, OFFERS_MAX);
    if (count > OFFERS_MAX)
        void_tiles(mask);
    for (uint32_t i = 0; i < count && count <= OFFERS_MAX; i++) {
        const uint32_t tile = slots[i] / BERTH__TILE, s = slots[i] % BERTH__TILE;
        const berth__mask one = berth__mask_range(s, s + 1);
        if (mask->filled[tile])
            compute(mask, decision, stages, tile, &one);
    }
    if (count > 0)
        memset(mask->of_cells, 0, sizeof(mask->of_cells));
    mask->offers_seen = offers->end;
}

berth__gate_mask *berth__gate_masks_fixed(berth__gate_masks *masks, const berth__decision *decision,
                                          const berth__keyed_stages *stages,
                                          const berth__verdict_key *key)
{
    /* The first word of a key for gates holds only counts, so it never equals this one. */
    uint64_t words[BERTH__GATE_WORDS] = {UINT64_MAX};
    const uint32_t count = 1 + key->count;
    const size_t bytes = count * sizeof(*words);
    memcpy(words + 1, key->words, key->count * sizeof(*words));
    berth__gate_mask *mask = (berth__gate_mask *)berth__keymap_find(&masks->map, words, bytes);
    if (mask != NULL)
        berth__use_again(&masks->order, &mask->used);
    else if ((mask = add(masks, words, count)) == NULL)
        return NULL;
    mask->scores = stages->scores;
    const berth__view *view = decision->cycle->view;
    if (mask->epoch != view->layout->epoch && !follow_facts(mask, view->layout) &&
        !bring_up(masks, mask, view, view->layout->epoch))
        return NULL;
    if (key->offers != 0)
        follow_offers(mask, decision, stages, key->offers);
    return mask;
}

berth__gate_mask *berth__gate_masks_get(berth__gate_masks *masks, const berth__decision *decision,
                                        const berth__gates *gates)
{
    const berth__view *view = decision->cycle->view;
    berth__gate_mask *mask = find(masks, decision, gates);
    if (mask == NULL || !bring_up(masks, mask, view, since_of(view->layout, gates)))
        return NULL;
    follow(mask, view, gates);
    decision->prepared->memory.mask = mask;
    decision->prepared->memory.mask_epoch = masks->epoch;
    return mask;
}

void berth__filter_list_keep(const berth__filter_list *filters, const berth__decision *decision,
                             uint32_t tile, berth__mask *slots)
{
    for (uint32_t i = 0; i < filters->count && !berth__mask_empty(slots); i++) {
        const berth__stage *stage = &decision->profile->filters[filters->items[i]];
        stage->plugin->filter(decision->cycle, stage->instance,
                              decision->prepared->filters[filters->items[i]].state, tile, slots);
    }
}

const berth__mask *berth__gate_mask_tile(berth__gate_mask *mask, const berth__decision *decision,
                                         const berth__keyed_stages *stages, uint32_t tile)
{
    berth__mask *out = &mask->passing[tile];
    if (mask->filled[tile])
        return out;
    const uint32_t rest = decision->cycle->view->layout->count - tile * BERTH__TILE;
    const berth__mask all = berth__mask_range(0, rest < BERTH__TILE ? rest : BERTH__TILE);
    *out = (berth__mask){{0}};
    if (stages->scores)
        memset(mask->values + (size_t)tile * BERTH__TILE, 0, BERTH__TILE * sizeof(*mask->values));
    compute(mask, decision, stages, tile, &all);
    mask->filled[tile] = 1;
    mask->unfilled--;
    return out;
}
