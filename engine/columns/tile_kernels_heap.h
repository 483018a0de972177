/* Leaves of a search tree by heap order, a part of tile_kernels_body.h. A decision asks a dozen
 * small questions; calls between functions would cost as much as the questions themselves. */

/* Go up and to the right to the first node that is good enough, then down to its first such
 * leaf. */
static uint32_t first_leaf(const int32_t *leaves, const berth__tree_level *levels, uint32_t first,
                           uint32_t last, int32_t least)
{
    const int32_t *scores = leaves;
    uint32_t position = first, bits = 0, found; /* bits of a leaf's number below the level */
    for (;;) {
        uint32_t lane = position % BERTH__FAN;
        found = lanes_from(scores + position - lane, least) >> lane;
        if (found != 0)
            break;
        position = position / BERTH__FAN + 1;
        scores = levels[bits / BERTH__FAN_BITS].best;
        bits += BERTH__FAN_BITS;
        if ((uint64_t)position << bits >= last)
            return UINT32_MAX;
    }
    position += (uint32_t)__builtin_ctz(found);
    while (bits > 0) {
        bits -= BERTH__FAN_BITS;
        scores = bits > 0 ? levels[bits / BERTH__FAN_BITS - 1].best : leaves;
        position *= BERTH__FAN;
        position += (uint32_t)__builtin_ctz(lanes_from(scores + position, least));
    }
    return position < last ? position : UINT32_MAX;
}

/* Answer the questions about the first `count` positions. `best` has a bit for each of them whose
 * leaf has the best score. Returns the position chosen so far. */
static inline uint32_t take_bits(uint64_t best, uint32_t count, berth__heap_order *order)
{
    uint32_t chosen = UINT32_MAX, from;
    best &= berth__low_bits(count);
    while (berth__heap_order_open(order) && (from = berth__heap_order_from(order)) < count) {
        best &= UINT64_MAX << from;
        if (best == 0) {
            berth__heap_order_pass(order, count);
            break;
        }
        uint32_t position = (uint32_t)__builtin_ctzll(best);
        if (berth__heap_order_tell(order, position))
            chosen = position;
    }
    return chosen;
}

static uint32_t heap_leaf(const int32_t *leaves, const berth__tree_level *levels, uint32_t slots,
                          uint32_t start, uint32_t count, int32_t best)
{
    enum { LEAD = 64 };
    berth__heap_order order = berth__heap_order_of(count);
    uint32_t chosen = UINT32_MAX;
    if (start + LEAD <= slots) {
        uint64_t bits = 0;
        for (uint32_t i = 0; i < LEAD; i += BERTH__FAN)
            bits |= (uint64_t)lanes_from(leaves + start + i, best) << i;
        chosen = take_bits(bits, count < LEAD ? count : LEAD, &order);
    }
    while (berth__heap_order_open(&order)) {
        uint32_t first = start + berth__heap_order_from(&order), found = UINT32_MAX;
        uint32_t end = berth__heap_order_end(&order), last = start + end;
        if (first < slots)
            found = first_leaf(leaves, levels, first, last < slots ? last : slots, best);
        if (found == UINT32_MAX && last > slots) {
            found =
                first_leaf(leaves, levels, first < slots ? 0 : first - slots, last - slots, best);
            found += found != UINT32_MAX ? slots : 0;
        }
        if (found == UINT32_MAX)
            berth__heap_order_pass(&order, end);
        else if (berth__heap_order_tell(&order, found - start))
            chosen = found - start;
    }
    if (chosen == UINT32_MAX)
        return chosen;
    return start + chosen < slots ? start + chosen : start + chosen - slots;
}
