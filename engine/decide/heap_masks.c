/* The tie rule `kubernetes` over lists that lie in masks: one pass, as positions only rise. */
#include "decide/heap_masks.h"

#include "base/bits.h"
#include "base/heap_order.h"

static uint32_t first_bit(const berth__mask *mask)
{
    uint32_t w = 0;
    while (mask->words[w] == 0)
        w++;
    return w * 64 + (uint32_t)__builtin_ctzll(mask->words[w]);
}

static berth__mask both(const berth__mask *a, const berth__mask *b)
{
    berth__mask out;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        out.words[w] = a->words[w] & b->words[w];
    return out;
}

/* Drop the first `n` slots of `list`, which has more, from `best`. */
static berth__mask after(const berth__mask *best, const berth__mask *list, uint32_t n)
{
    uint32_t w = 0;
    for (uint32_t count; n >= (count = (uint32_t)__builtin_popcountll(list->words[w])); w++)
        n -= count;
    const berth__mask rest =
        berth__mask_range(w * 64 + berth__nth_bit(list->words[w], n), BERTH__TILE);
    return both(best, &rest);
}

/* Answer what is asked about the positions of one mask, which begin at `before`. */
static void take_mask(const berth__heap_masks *list, uint32_t mask, uint32_t before, uint32_t past,
                      berth__heap_order *order, berth__heap_place *place)
{
    const berth__mask best = list->best(list->context, mask);
    while (berth__heap_order_open(order) && berth__heap_order_from(order) < past) {
        uint32_t from = berth__heap_order_from(order);
        berth__mask rest = best;
        if (from > before && !berth__mask_empty(&best))
            rest = after(&best, &list->masks[mask], from - before);
        if (berth__mask_empty(&rest))
            return;
        uint32_t bit = first_bit(&rest);
        const berth__mask below = berth__mask_range(0, bit);
        const berth__mask earlier = both(&list->masks[mask], &below);
        if (berth__heap_order_tell(order, before + berth__mask_count(&earlier)))
            *place = (berth__heap_place){mask, bit};
    }
}

berth__heap_place berth__heap_first(const berth__heap_masks *list)
{
    berth__heap_place place = {UINT32_MAX, 0};
    berth__heap_order order = berth__heap_order_of(list->count);
    uint32_t before = 0;
    for (uint32_t i = 0; i < list->mask_count && berth__heap_order_open(&order); i++) {
        uint32_t past = before + berth__mask_count(&list->masks[i]);
        if (berth__heap_order_from(&order) < past) {
            take_mask(list, i, before, past, &order, &place);
            berth__heap_order_pass(&order, past);
        }
        before = past;
    }
    return place;
}
