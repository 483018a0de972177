/* Tile kernels for values kept in 16 bits between two passes over the tiles; a part of
 * tile_kernels_body.h. */
/* Values that are too large become the largest plus one. */
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

/* Extremes of the kept values in a mask, without marks: INT16_MAX and INT16_MIN if there are
 * none. */
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
    __m256i low16 = _mm512_castsi512_si256(low), high16 = _mm512_castsi512_si256(high);
    low16 = _mm256_min_epi16(low16, _mm512_extracti64x4_epi64(low, 1));
    high16 = _mm256_max_epi16(high16, _mm512_extracti64x4_epi64(high, 1));
    __m128i low8 = _mm256_castsi256_si128(low16), high8 = _mm256_castsi256_si128(high16);
    low8 = _mm_min_epi16(low8, _mm256_extracti128_si256(low16, 1));
    high8 = _mm_max_epi16(high8, _mm256_extracti128_si256(high16, 1));
    /* The only horizontal minimum that the processor has: the least of eight unsigned numbers. */
    const __m128i sign = _mm_set1_epi16(INT16_MIN), all = _mm_set1_epi16(-1);
    low8 = _mm_minpos_epu16(_mm_xor_si128(low8, sign));
    high8 = _mm_minpos_epu16(_mm_xor_si128(_mm_xor_si128(high8, sign), all));
    *lowest = (int16_t)(_mm_extract_epi16(low8, 0) ^ 0x8000);
    *highest = (int16_t)(_mm_extract_epi16(high8, 0) ^ 0x7fff);
}

#else

/* Vectors of eight, which the compiler has to use whether or not it expects a gain. */
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

static void widen_kept(const int16_t *restrict kept, const berth__mask *mask, int64_t *lowest,
                       int64_t *highest)
{
    int16_t low, high;
    narrow_range(kept, mask, &low, &high);
    if (high == INT16_MIN)
        return;
    *lowest = low < *lowest ? low : *lowest;
    *highest = high > *highest ? high : *highest;
}

static void restore(const int16_t *restrict kept, int64_t *restrict values)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        values[s] = kept[s] == INT16_MIN ? INT64_MIN : kept[s];
}

static void gather_kept(const int16_t *restrict table, uint32_t count,
                        const uint32_t *restrict index, int16_t *restrict out)
{
#if defined(__AVX512BW__)
    if (count <= 32) {
        __mmask32 present = (__mmask32)((UINT64_C(1) << count) - 1);
        const __m512i few = _mm512_maskz_loadu_epi16(present, table);
        for (uint32_t s = 0; s < BERTH__TILE; s += 32) {
            __m256i low = _mm512_cvtepi32_epi16(_mm512_loadu_si512(index + s));
            __m256i high = _mm512_cvtepi32_epi16(_mm512_loadu_si512(index + s + 16));
            __m512i at = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
            _mm512_storeu_si512(out + s, _mm512_permutexvar_epi16(at, few));
        }
        return;
    }
#endif
    (void)count;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = table[index[s]];
}

static void add_where_kept(const berth__mask *mask, int16_t amount, int16_t *restrict out)
{
#if defined(__AVX512BW__)
    const __m512i more = _mm512_set1_epi16(amount);
    for (uint32_t s = 0; s < BERTH__TILE; s += 32) {
        __mmask32 in = (__mmask32)(mask->words[s / 64] >> (s % 64));
        __m512i value = _mm512_loadu_si512(out + s);
        _mm512_storeu_si512(out + s, _mm512_mask_add_epi16(value, in, value, more));
    }
#else
    const shorts lanes = {1, 2, 4, 8, 16, 32, 64, 128};
    for (uint32_t first = 0; first < BERTH__TILE; first += SHORTS) {
        int16_t bits = (int16_t)(mask->words[first / 64] >> (first % 64) & 0xff);
        shorts value;
        memcpy(&value, out + first, sizeof(value));
        value += ((lanes & bits) != 0) & amount;
        memcpy(out + first, &value, sizeof(value));
    }
#endif
}

/* Unsigned, because slots that no scorer wrote may hold anything. */
static inline void add_sums(const int16_t *restrict sums, int64_t *restrict total)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        total[s] = (int64_t)((uint64_t)total[s] + (uint64_t)sums[s]);
}

#if defined(__AVX512BW__)

/* The entries of 32 slots. One permutation reads from 64 entries, two read from all. */
static inline __m512i entries_of(const berth__narrow_part *part, uint32_t first)
{
    const __m512i last = _mm512_set1_epi16((int16_t)part->count);
    __m512i at =
        _mm512_sub_epi16(_mm512_loadu_si512(part->kept + first), _mm512_set1_epi16(part->lowest));
    at = _mm512_min_epu16(at, last);
    __m512i low = _mm512_permutex2var_epi16(_mm512_loadu_si512(part->table), at,
                                            _mm512_loadu_si512(part->table + 32));
    if (part->count < 64)
        return low;
    __m512i high = _mm512_permutex2var_epi16(_mm512_loadu_si512(part->table + 64), at,
                                             _mm512_loadu_si512(part->table + 96));
    return _mm512_mask_mov_epi16(low, _mm512_test_epi16_mask(at, _mm512_set1_epi16(64)), high);
}

static void add_parts(const berth__narrow_part *parts, uint32_t part_count, int64_t *restrict total)
{
    int16_t sums[BERTH__TILE];
    for (uint32_t first = 0; first < BERTH__TILE; first += 32) {
        __m512i sum = _mm512_setzero_si512();
        for (uint32_t i = 0; i < part_count; i++)
            sum = _mm512_add_epi16(sum, entries_of(&parts[i], first));
        _mm512_storeu_si512(sums + first, sum);
    }
    add_sums(sums, total);
}

#elif defined(__AVX2__)

/* The places of the entries of 16 slots, in two halves. */
static inline void places_of(const berth__narrow_part *part, uint32_t first, __m128i *low,
                             __m128i *high)
{
    const __m128i lowest = _mm_set1_epi16(part->lowest);
    const __m128i last = _mm_set1_epi16((int16_t)part->count);
    const __m128i *kept = (const __m128i *)(part->kept + first);
    *low = _mm_min_epu16(_mm_sub_epi16(_mm_loadu_si128(kept), lowest), last);
    *high = _mm_min_epu16(_mm_sub_epi16(_mm_loadu_si128(kept + 1), lowest), last);
}

/* The entries of 16 slots from a table of 16: one shuffle for the lower bytes and one for the
 * higher. */
static inline __m256i few_entries(const berth__narrow_part *part, uint32_t first)
{
    const __m128i *table = (const __m128i *)part->table, bytes = _mm_set1_epi16(0xff);
    __m128i front = _mm_loadu_si128(table), back = _mm_loadu_si128(table + 1), low, high;
    places_of(part, first, &low, &high);
    __m128i at = _mm_packus_epi16(low, high);
    low = _mm_packus_epi16(_mm_and_si128(front, bytes), _mm_and_si128(back, bytes));
    high = _mm_packus_epi16(_mm_srli_epi16(front, 8), _mm_srli_epi16(back, 8));
    low = _mm_shuffle_epi8(low, at);
    high = _mm_shuffle_epi8(high, at);
    return _mm256_set_m128i(_mm_unpackhi_epi8(low, high), _mm_unpacklo_epi8(low, high));
}

/* The entries of 8 slots: the lower halves of the gathered words. */
static inline __m128i gathered(const berth__narrow_part *part, __m128i at)
{
    const int *table = (const int *)(const void *)part->table;
    __m256i found = _mm256_i32gather_epi32(table, _mm256_cvtepu16_epi32(at), 2);
    found = _mm256_srai_epi32(_mm256_slli_epi32(found, 16), 16);
    return _mm_packs_epi32(_mm256_castsi256_si128(found), _mm256_extracti128_si256(found, 1));
}

static inline __m256i entries_of(const berth__narrow_part *part, uint32_t first)
{
    __m128i low, high;
    if (part->count < 16)
        return few_entries(part, first);
    places_of(part, first, &low, &high);
    return _mm256_set_m128i(gathered(part, high), gathered(part, low));
}

static void add_parts(const berth__narrow_part *parts, uint32_t part_count, int64_t *restrict total)
{
    int16_t sums[BERTH__TILE];
    for (uint32_t first = 0; first < BERTH__TILE; first += 16) {
        __m256i sum = _mm256_setzero_si256();
        for (uint32_t i = 0; i < part_count; i++)
            sum = _mm256_add_epi16(sum, entries_of(&parts[i], first));
        _mm256_storeu_si256((__m256i *)(sums + first), sum);
    }
    add_sums(sums, total);
}

#else

static void add_parts(const berth__narrow_part *parts, uint32_t part_count, int64_t *restrict total)
{
    int16_t sums[BERTH__TILE] = {0};
    for (uint32_t i = 0; i < part_count; i++) {
        const berth__narrow_part part = parts[i];
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            uint16_t at = (uint16_t)(part.kept[s] - part.lowest);
            sums[s] = (int16_t)(sums[s] + part.table[at < part.count ? at : part.count]);
        }
    }
    add_sums(sums, total);
}

#endif
