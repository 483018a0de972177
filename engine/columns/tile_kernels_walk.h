/* Walks over the leaves of a search tree, a part of tile_kernels_body.h. A walk goes tile by tile,
 * so it makes two calls for a tile and not one for each group. */

enum { WORD_GROUPS = 64 / BERTH__FAN };

static void leaves_from(const int32_t *leaves, uint32_t groups, int32_t least, berth__mask *slots)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t kept = 0;
        uint32_t first = w * WORD_GROUPS;
        for (uint32_t g = 0; g < WORD_GROUPS && first + g < groups && slots->words[w] != 0; g++)
            kept |= (uint64_t)lanes_from(leaves + (first + g) * BERTH__FAN, least)
                    << (g * BERTH__FAN);
        slots->words[w] &= kept;
    }
}

#if defined(__AVX2__) && !defined(__AVX512BW__)

/* All bits set in the lanes whose slots, from `s` on, are in the mask. */
static inline __m256i lanes_in(const berth__mask *mask, uint32_t s)
{
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256i bits = _mm256_set1_epi32((int32_t)(mask->words[s / 64] >> (s % 64) & 0xff));
    return _mm256_cmpeq_epi32(_mm256_and_si256(bits, lanes), lanes);
}

#endif

static void raise_leaves(const berth__mask *mask, int32_t amount, int32_t *leaves)
{
#if defined(__AVX512F__)
    const __m512i more = _mm512_set1_epi32(amount);
    for (uint32_t s = 0; s < BERTH__TILE; s += 16) {
        const __mmask16 in = (__mmask16)(mask->words[s / 64] >> (s % 64));
        const __m512i leaf = _mm512_loadu_si512(leaves + s);
        _mm512_storeu_si512(leaves + s, _mm512_mask_add_epi32(leaf, in, leaf, more));
    }
#elif defined(__AVX2__)
    const __m256i more = _mm256_set1_epi32(amount);
    for (uint32_t s = 0; s < BERTH__TILE; s += 8) {
        const __m256i in = lanes_in(mask, s);
        __m256i leaf;
        memcpy(&leaf, leaves + s, sizeof(leaf));
        leaf = _mm256_add_epi32(leaf, _mm256_and_si256(in, more));
        memcpy(leaves + s, &leaf, sizeof(leaf));
    }
#else
    BERTH__MASK_EACH(mask, s)
    {
        leaves[s] += amount;
    }
#endif
}

static void add_to_leaves(const berth__mask *mask, const int64_t *restrict values, int32_t weight,
                          int32_t *restrict leaves)
{
#if defined(__AVX512BW__)
    const __m512i factor = _mm512_set1_epi32(weight);
    for (uint32_t s = 0; s < BERTH__TILE; s += 16) {
        const __mmask16 in = (__mmask16)(mask->words[s / 64] >> (s % 64));
        const __m256i low = _mm512_cvtepi64_epi32(_mm512_loadu_si512(values + s));
        const __m256i high = _mm512_cvtepi64_epi32(_mm512_loadu_si512(values + s + 8));
        const __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
        const __m512i leaf = _mm512_loadu_si512(leaves + s);
        const __m512i more = _mm512_mullo_epi32(all, factor);
        _mm512_storeu_si512(leaves + s, _mm512_mask_add_epi32(leaf, in, leaf, more));
    }
#elif defined(__AVX2__)
    const __m256i factor = _mm256_set1_epi32(weight);
    const __m256i evens = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    for (uint32_t s = 0; s < BERTH__TILE; s += 8) {
        const __m256i in = lanes_in(mask, s);
        __m256i low, high, leaf;
        memcpy(&low, values + s, sizeof(low));
        memcpy(&high, values + s + 4, sizeof(high));
        memcpy(&leaf, leaves + s, sizeof(leaf));
        low = _mm256_permutevar8x32_epi32(low, evens);
        high = _mm256_permutevar8x32_epi32(high, evens);
        const __m256i all = _mm256_permute2x128_si256(low, high, 0x20);
        const __m256i more = _mm256_and_si256(_mm256_mullo_epi32(all, factor), in);
        leaf = _mm256_add_epi32(leaf, more);
        memcpy(leaves + s, &leaf, sizeof(leaf));
    }
#else
    BERTH__MASK_EACH(mask, s)
    {
        leaves[s] = (int32_t)((uint32_t)leaves[s] + (uint32_t)values[s] * (uint32_t)weight);
    }
#endif
}

static void best_leaves(const int32_t *leaves, const int32_t *bests, const berth__mask *slots,
                        berth__tree_sum *best)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint32_t group = w * WORD_GROUPS, equal;
        for (uint64_t rest = slots->words[w]; rest != 0; rest >>= BERTH__FAN, group++) {
            uint32_t lanes = (uint32_t)rest & ((1u << BERTH__FAN) - 1);
            if (lanes == 0 || bests[group] < best->best)
                continue;
            int32_t total = best_lanes(leaves + group * BERTH__FAN, lanes, &equal);
            if (total < best->best)
                continue;
            uint32_t count = (uint32_t)__builtin_popcount(equal);
            best->best_count = total > best->best ? count : best->best_count + count;
            best->best = total;
        }
    }
}

#if defined(__AVX512F__)

static uint64_t class_bits(const uint16_t *restrict ids, const berth__mask *slots)
{
    const __m512i one = _mm512_set1_epi64(1);
    __m512i bits = _mm512_setzero_si512();
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t rest = slots->words[w];
        for (const uint16_t *at = ids + w * 64; rest != 0; at += 8, rest >>= 8) {
            __m512i id = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)at));
            __m512i bit = _mm512_sllv_epi64(one, id);
            bits = _mm512_mask_or_epi64(bits, (__mmask8)rest, bits, bit);
        }
    }
    return (uint64_t)_mm512_reduce_or_epi64(bits);
}

#elif defined(__AVX2__)

/* Bits 0 to 31 and 32 to 63 separately: a shift by 32 or more, or by a negative number, results in
 * 0. */
static uint64_t class_bits(const uint16_t *restrict ids, const berth__mask *slots)
{
    const __m256i one = _mm256_set1_epi32(1), half = _mm256_set1_epi32(32);
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i low = _mm256_setzero_si256(), high = low;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t rest = slots->words[w];
        for (const uint16_t *at = ids + w * 64; rest != 0; at += 8, rest >>= 8) {
            __m256i id = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)at));
            __m256i chosen = _mm256_and_si256(_mm256_set1_epi32((int32_t)(rest & 0xff)), lanes);
            __m256i bit = _mm256_and_si256(_mm256_cmpeq_epi32(chosen, lanes), one);
            low = _mm256_or_si256(low, _mm256_sllv_epi32(bit, id));
            high = _mm256_or_si256(high, _mm256_sllv_epi32(bit, _mm256_sub_epi32(id, half)));
        }
    }
    _Alignas(32) uint32_t halves[16];
    _mm256_store_si256((__m256i *)halves, low);
    _mm256_store_si256((__m256i *)(halves + 8), high);
    uint32_t first = 0, second = 0;
    for (uint32_t i = 0; i < 8; i++) {
        first |= halves[i];
        second |= halves[8 + i];
    }
    return (uint64_t)second << 32 | first;
}

#else

static uint64_t class_bits(const uint16_t *restrict ids, const berth__mask *slots)
{
    uint64_t bits = 0;
    BERTH__MASK_EACH(slots, s)
    {
        bits |= UINT64_C(1) << ids[s];
    }
    return bits;
}

#endif
