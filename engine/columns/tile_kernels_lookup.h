/* Tile kernels that look values up by slot, a part of tile_kernels_body.h. Tables are often small
 * (zones, taint lists). A table that fits into one or two vectors is read by a permutation; a
 * gather of the same number of lanes takes four times as long. */
#if defined(__AVX512F__)

enum { FEW_ENTRIES = 32 };

typedef struct few_table {
    __m512i low, high;
} few_table;

static inline few_table few_load(const uint32_t *table, uint32_t count)
{
    uint32_t present = count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
    return (few_table){_mm512_maskz_loadu_epi32((__mmask16)present, table),
                       _mm512_maskz_loadu_epi32((__mmask16)(present >> 16), table + 16)};
}

/* table[index] for all slots of a tile. */
static inline void few_read(const uint32_t *table, uint32_t count, const uint32_t *index,
                            uint32_t *out)
{
    const few_table few = few_load(table, count);
    for (uint32_t s = 0; s < BERTH__TILE; s += 16) {
        __m512i at = _mm512_loadu_si512(index + s);
        _mm512_storeu_si512(out + s, _mm512_permutex2var_epi32(few.low, at, few.high));
    }
}

#elif defined(__AVX2__)

enum { FEW_ENTRIES = 8 };

static inline void few_read(const uint32_t *table, uint32_t count, const uint32_t *index,
                            uint32_t *out)
{
    uint32_t padded[FEW_ENTRIES] = {0};
    memcpy(padded, table, count * sizeof(*table));
    const __m256i few = _mm256_loadu_si256((const __m256i *)padded);
    for (uint32_t s = 0; s < BERTH__TILE; s += 8) {
        __m256i at = _mm256_loadu_si256((const __m256i *)(index + s));
        _mm256_storeu_si256((__m256i *)(out + s), _mm256_permutevar8x32_epi32(few, at));
    }
}

#else

enum { FEW_ENTRIES = 0 };

static inline void few_read(const uint32_t *table, uint32_t count, const uint32_t *index,
                            uint32_t *out)
{
    (void)table, (void)count, (void)index, (void)out;
}

#endif

static void gather(const uint32_t *restrict table, uint32_t count, const uint32_t *restrict index,
                   uint32_t *restrict out)
{
    if (count <= FEW_ENTRIES) {
        few_read(table, count, index, out);
        return;
    }
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = table[index[s]];
}

static void gather_add(const int32_t *restrict table, uint32_t count,
                       const uint32_t *restrict index, int64_t *restrict out)
{
    uint32_t found[BERTH__TILE];
    gather((const uint32_t *)table, count, index, found);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = (int64_t)((uint64_t)out[s] + (uint64_t)(int32_t)found[s]);
}
