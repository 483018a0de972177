/* Values kept in 16 bits between two passes over the tiles; a part of tile_kernels_body.h. */
/* Values that are too large become one more than the largest. */
static inline void clamp_narrow(const int64_t *restrict values, int16_t *restrict kept)
{
#if defined(__AVX512BW__)
    const __m512i ignored = _mm512_set1_epi64(INT64_MIN), least = _mm512_set1_epi64(-INT16_MAX);
    for (uint32_t s = 0; s < BERTH__TILE; s += 8) {
        __m512i value = _mm512_loadu_si512(values + s);
        __mmask8 counts = _mm512_cmpneq_epi64_mask(value, ignored);
        value = _mm512_mask_max_epi64(value, counts, value, least);
        _mm_storeu_si128((__m128i *)(kept + s), _mm512_cvtsepi64_epi16(value));
    }
#else
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        int64_t value = values[s] > INT16_MAX ? INT16_MAX : values[s];
        value = value < -INT16_MAX ? -INT16_MAX : value;
        kept[s] = values[s] == INT64_MIN ? INT16_MIN : (int16_t)value;
    }
#endif
}

/* Extremes of the kept values in a mask, marks aside: INT16_MAX and INT16_MIN if there are none. */
#if defined(__AVX512BW__)

static inline void narrow_range(const int16_t *restrict kept, const berth__mask *mask,
                                int16_t *lowest, int16_t *highest)
{
    const __m512i ignored = _mm512_set1_epi16(INT16_MIN);
    __m512i low = _mm512_set1_epi16(INT16_MAX), high = ignored;
    for (uint32_t first = 0; first < BERTH__TILE; first += 32) {
        __m512i value = _mm512_loadu_si512(kept + first);
        __mmask32 in = (__mmask32)(mask->words[first / 64] >> (first % 64));
        in = _mm512_mask_cmpneq_epi16_mask(in, value, ignored);
        low = _mm512_mask_min_epi16(low, in, low, value);
        high = _mm512_mask_max_epi16(high, in, high, value);
    }
    __m256i least = _mm256_min_epi16(_mm512_castsi512_si256(low), _mm512_extracti64x4_epi64(low, 1));
    __m256i most = _mm256_max_epi16(_mm512_castsi512_si256(high), _mm512_extracti64x4_epi64(high, 1));
    __m128i least8 = _mm_min_epi16(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
    __m128i most8 = _mm_max_epi16(_mm256_castsi256_si128(most), _mm256_extracti128_si256(most, 1));
    /* The one horizontal extreme there is: the least of eight unsigned numbers. */
    const __m128i sign = _mm_set1_epi16(INT16_MIN), all = _mm_set1_epi16(-1);
    least8 = _mm_minpos_epu16(_mm_xor_si128(least8, sign));
    most8 = _mm_minpos_epu16(_mm_xor_si128(_mm_xor_si128(most8, sign), all));
    *lowest = (int16_t)(_mm_extract_epi16(least8, 0) ^ 0x8000);
    *highest = (int16_t)(_mm_extract_epi16(most8, 0) ^ 0x7fff);
}

#else

/* Eight of them, in a form that the compiler makes vectors of whatever it thinks of the gain. */
enum { SHORTS = 8 };
typedef int16_t shorts __attribute__((vector_size(SHORTS * sizeof(int16_t))));

static inline shorts either(shorts condition, shorts yes, shorts no)
{
    return (condition & yes) | (~condition & no);
}

static inline void narrow_range(const int16_t *restrict kept, const berth__mask *mask,
                                int16_t *lowest, int16_t *highest)
{
    const shorts lanes = {1, 2, 4, 8, 16, 32, 64, 128};
    const shorts ignored = (shorts){0} + INT16_MIN, most = (shorts){0} + INT16_MAX;
    shorts low = most, high = ignored;
    for (uint32_t first = 0; first < BERTH__TILE; first += SHORTS) {
        int16_t bits = (int16_t)(mask->words[first / 64] >> (first % 64) & 0xff);
        shorts value;
        memcpy(&value, kept + first, sizeof(value));
        value = either((lanes & bits) == 0, ignored, value);
        high = either(value > high, value, high);
        value = either(value == ignored, most, value);
        low = either(value < low, value, low);
    }
    *lowest = INT16_MAX, *highest = INT16_MIN;
    for (uint32_t b = 0; b < SHORTS; b++) {
        *lowest = low[b] < *lowest ? low[b] : *lowest;
        *highest = high[b] > *highest ? high[b] : *highest;
    }
}

#endif

static void narrow(const int64_t *restrict values, const berth__mask *mask, int16_t *restrict kept,
                   int64_t *lowest, int64_t *highest)
{
    int16_t low, high;
    clamp_narrow(values, kept);
    narrow_range(kept, mask, &low, &high);
    if (high == INT16_MIN)
        return;
    if (low < -BERTH__NARROW_MAX || high > BERTH__NARROW_MAX) {
        widen(values, mask, lowest, highest);
        return;
    }
    *lowest = low < *lowest ? low : *lowest;
    *highest = high > *highest ? high : *highest;
}

static void add_narrow(const int32_t *restrict table, uint32_t count, const int16_t *restrict kept,
                       int64_t lowest, int64_t *restrict total)
{
    uint32_t index[BERTH__TILE];
    uint16_t base = (uint16_t)lowest, most = (uint16_t)count;
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        uint16_t at = (uint16_t)((uint16_t)kept[s] - base);
        index[s] = at < most ? at : most;
    }
    gather_add(table, count + 1, index, total);
}
