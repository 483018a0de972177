/* The tie rule `kubernetes` over lists in masks: a single pass, because positions only increase. */
#include "scan/heap_masks.h"

#include "base/bits.h"
#include "base/heap_order.h"

/* Answer the queries of the heap order about the slots of one word, whose positions are `before` ..
 * `past`. Returns the chosen bit, or UINT32_MAX. */
static uint32_t take_word(uint64_t best, uint64_t list, uint32_t before, uint32_t past,
                          berth__heap_order *order)
{
    uint32_t chosen = UINT32_MAX, from;
    while (berth__heap_order_open(order) && (from = berth__heap_order_from(order)) < past) {
        if (from > before)
            best &= UINT64_MAX << berth__nth_bit(list, from - before);
        if (best == 0)
            break;
        uint32_t bit = (uint32_t)__builtin_ctzll(best);
        uint64_t earlier = list & berth__low_bits(bit);
        if (berth__heap_order_tell(order, before + (uint32_t)__builtin_popcountll(earlier)))
            chosen = bit;
    }
    return chosen;
}

/* The same for a mask, whose positions begin at `before`. */
static void take_mask(const berth__heap_masks *list, uint32_t mask, uint32_t before,
                      berth__heap_order *order, berth__heap_place *place)
{
    const berth__mask best = list->best(list->context, mask);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t word = list->masks[mask].words[w];
        uint32_t past = before + (uint32_t)__builtin_popcountll(word), chosen = UINT32_MAX;
        if (best.words[w] != 0)
            chosen = take_word(best.words[w], word, before, past, order);
        if (chosen != UINT32_MAX)
            *place = (berth__heap_place){mask, w * 64 + chosen};
        before = past;
    }
    berth__heap_order_pass(order, before);
}

berth__heap_place berth__heap_first(const berth__heap_masks *list)
{
    berth__heap_place place = {UINT32_MAX, 0};
    berth__heap_order order = berth__heap_order_of(list->count);
    uint32_t before = 0;
    for (uint32_t i = 0; i < list->mask_count && berth__heap_order_open(&order); i++) {
        uint32_t past = before + berth__mask_count(&list->masks[i]);
        if (berth__heap_order_from(&order) < past)
            take_mask(list, i, before, &order, &place);
        before = past;
    }
    return place;
}
