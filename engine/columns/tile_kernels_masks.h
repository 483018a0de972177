/* Tile kernels that compare and return a mask, a part of tile_kernels_body.h. */
#if defined(__AVX512F__)

/* A compare sets one bit per lane: 8 lanes for amounts, 16 for numbers. These bytes in order are
 * the mask's words. */
typedef union lane_masks {
    berth__mask mask;
    uint8_t of_8[BERTH__TILE / 8];
    uint16_t of_16[BERTH__TILE / 16];
} lane_masks;

static inline void keep_slots(berth__mask *mask, const lane_masks *kept)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= kept->mask.words[w];
}

static void fit(const int64_t *restrict allocatable, const int64_t *restrict used, int64_t ask,
                berth__mask *mask)
{
    const __m512i asked = _mm512_set1_epi64(ask);
    lane_masks kept;
    for (uint32_t i = 0; i < BERTH__TILE / 8; i++) {
        __m512i left = _mm512_sub_epi64(_mm512_loadu_si512(allocatable + i * 8),
                                        _mm512_loadu_si512(used + i * 8));
        kept.of_8[i] = _mm512_cmple_epi64_mask(asked, left);
    }
    keep_slots(mask, &kept);
}

static void fit_pods(const int32_t *restrict used, const int32_t *restrict max, berth__mask *mask)
{
    lane_masks kept;
    for (uint32_t i = 0; i < BERTH__TILE / 16; i++)
        kept.of_16[i] = _mm512_cmplt_epi32_mask(_mm512_loadu_si512(used + i * 16),
                                                _mm512_loadu_si512(max + i * 16));
    keep_slots(mask, &kept);
}

static void at_most(const uint32_t *restrict values, uint32_t limit, berth__mask *mask)
{
    const __m512i most = _mm512_set1_epi32((int32_t)limit);
    lane_masks kept;
    for (uint32_t i = 0; i < BERTH__TILE / 16; i++)
        kept.of_16[i] = _mm512_cmple_epu32_mask(_mm512_loadu_si512(values + i * 16), most);
    keep_slots(mask, &kept);
}

static berth__mask equal(const uint32_t *restrict values, uint32_t wanted)
{
    const __m512i one = _mm512_set1_epi32((int32_t)wanted);
    lane_masks kept;
    for (uint32_t i = 0; i < BERTH__TILE / 16; i++)
        kept.of_16[i] = _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values + i * 16), one);
    return kept.mask;
}

static berth__mask equal_totals(const int64_t *restrict totals, int64_t wanted)
{
    const __m512i one = _mm512_set1_epi64(wanted);
    lane_masks kept;
    for (uint32_t i = 0; i < BERTH__TILE / 8; i++)
        kept.of_8[i] = _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(totals + i * 8), one);
    return kept.mask;
}

#else

static inline uint64_t pack_bits(const uint8_t *flags)
{
    uint64_t bits = 0;
    for (uint32_t byte = 0; byte < 8; byte++) {
        uint64_t eight;
        memcpy(&eight, flags + byte * 8, sizeof(eight));
        /* Packs eight bytes of 0 or 1 into eight bits: the multiplication lines them up in the top
         * byte. */
        bits |= ((eight * UINT64_C(0x0102040810204080)) >> 56) << (byte * 8);
    }
    return bits;
}

static void fit(const int64_t *restrict allocatable, const int64_t *restrict used, int64_t ask,
                berth__mask *mask)
{
    uint8_t flags[BERTH__TILE];
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        flags[s] = ask <= allocatable[s] - used[s];
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= pack_bits(flags + w * 64);
}

static void fit_pods(const int32_t *restrict used, const int32_t *restrict max, berth__mask *mask)
{
    uint8_t flags[BERTH__TILE];
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        flags[s] = used[s] < max[s];
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= pack_bits(flags + w * 64);
}

static void at_most(const uint32_t *restrict values, uint32_t limit, berth__mask *mask)
{
    uint8_t flags[BERTH__TILE];
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        flags[s] = values[s] <= limit;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= pack_bits(flags + w * 64);
}

static berth__mask equal(const uint32_t *restrict values, uint32_t wanted)
{
    uint8_t flags[BERTH__TILE];
    berth__mask mask;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        flags[s] = values[s] == wanted;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask.words[w] = pack_bits(flags + w * 64);
    return mask;
}

static berth__mask equal_totals(const int64_t *restrict totals, int64_t wanted)
{
    uint8_t flags[BERTH__TILE];
    berth__mask mask;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        flags[s] = totals[s] == wanted;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask.words[w] = pack_bits(flags + w * 64);
    return mask;
}

#endif
