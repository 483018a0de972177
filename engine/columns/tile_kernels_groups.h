/* Tile kernels of a search tree's groups, a part of tile_kernels_body.h: they reduce sixteen lanes
 * to three numbers. Compilers use five times as many instructions for that. The plain form defines
 * the result. */

#if defined(__AVX512F__)

#include <immintrin.h>

static inline void group_leaves(const int32_t *scores, berth__tree_sum *out)
{
    __m512i lanes = _mm512_loadu_si512(scores);
    int32_t best = _mm512_reduce_max_epi32(lanes);
    __mmask16 equal = _mm512_cmpeq_epi32_mask(lanes, _mm512_set1_epi32(best));
    __mmask16 feasible = _mm512_cmpge_epi32_mask(lanes, _mm512_setzero_si512());
    *out = (berth__tree_sum){best, (uint32_t)__builtin_popcount(equal & feasible),
                             (uint32_t)__builtin_popcount(feasible)};
}

static inline void group_groups(const int32_t *bests, const uint32_t *best_counts,
                                const uint32_t *feasibles, berth__tree_sum *out)
{
    __m512i lanes = _mm512_loadu_si512(bests);
    int32_t best = _mm512_reduce_max_epi32(lanes);
    __mmask16 equal = _mm512_cmpeq_epi32_mask(lanes, _mm512_set1_epi32(best));
    __m512i counts = _mm512_loadu_si512(best_counts), sums = _mm512_loadu_si512(feasibles);
    *out = (berth__tree_sum){best, (uint32_t)_mm512_mask_reduce_add_epi32(equal, counts),
                             (uint32_t)_mm512_reduce_add_epi32(sums)};
}

static uint32_t feasible_lanes(const int32_t *scores)
{
    return _mm512_cmpge_epi32_mask(_mm512_loadu_si512(scores), _mm512_setzero_si512());
}

static uint32_t lanes_from(const int32_t *scores, int32_t least)
{
    return _mm512_cmpge_epi32_mask(_mm512_loadu_si512(scores), _mm512_set1_epi32(least));
}

static int32_t best_lanes(const int32_t *scores, uint32_t lanes, uint32_t *equal)
{
    __m512i all = _mm512_loadu_si512(scores);
    int32_t best = _mm512_mask_reduce_max_epi32((__mmask16)lanes, all);
    *equal = _mm512_mask_cmpeq_epi32_mask((__mmask16)lanes, all, _mm512_set1_epi32(best));
    return best;
}

#elif defined(__AVX2__)

#include <immintrin.h>

static inline __m256i load_lanes(const void *from)
{
    return _mm256_loadu_si256((const __m256i *)from);
}

/* The highest lane of both vectors, in every lane. */
static inline __m256i highest_lane(__m256i a, __m256i b)
{
    __m256i high = _mm256_max_epi32(a, b);
    high = _mm256_max_epi32(high, _mm256_permute2x128_si256(high, high, 1));
    high = _mm256_max_epi32(high, _mm256_shuffle_epi32(high, 0x4e));
    return _mm256_max_epi32(high, _mm256_shuffle_epi32(high, 0xb1));
}

/* A bit for each lane whose sign is set. */
static inline uint32_t sign_bits(__m256i a, __m256i b)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(a)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(b)) << 8;
}

static inline void group_leaves(const int32_t *scores, berth__tree_sum *out)
{
    __m256i a = load_lanes(scores), b = load_lanes(scores + 8), high = highest_lane(a, b);
    uint32_t equal = sign_bits(_mm256_cmpeq_epi32(a, high), _mm256_cmpeq_epi32(b, high));
    uint32_t feasible = ~sign_bits(a, b) & 0xffff;
    *out = (berth__tree_sum){_mm256_cvtsi256_si32(high),
                             (uint32_t)__builtin_popcount(equal & feasible),
                             (uint32_t)__builtin_popcount(feasible)};
}

static inline void group_groups(const int32_t *bests, const uint32_t *best_counts,
                                const uint32_t *feasibles, berth__tree_sum *out)
{
    __m256i a = load_lanes(bests), b = load_lanes(bests + 8), high = highest_lane(a, b);
    __m256i counts = _mm256_add_epi32(
        _mm256_and_si256(_mm256_cmpeq_epi32(a, high), load_lanes(best_counts)),
        _mm256_and_si256(_mm256_cmpeq_epi32(b, high), load_lanes(best_counts + 8)));
    __m256i sums = _mm256_add_epi32(load_lanes(feasibles), load_lanes(feasibles + 8));
    __m256i pairs = _mm256_hadd_epi32(counts, sums);
    pairs = _mm256_hadd_epi32(pairs, pairs);
    __m128i both = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
    *out = (berth__tree_sum){_mm256_cvtsi256_si32(high), (uint32_t)_mm_cvtsi128_si32(both),
                             (uint32_t)_mm_extract_epi32(both, 1)};
}

static uint32_t feasible_lanes(const int32_t *scores)
{
    return ~sign_bits(load_lanes(scores), load_lanes(scores + 8)) & 0xffff;
}

static uint32_t lanes_from(const int32_t *scores, int32_t least)
{
    __m256i wanted = _mm256_set1_epi32(least);
    return ~sign_bits(_mm256_cmpgt_epi32(wanted, load_lanes(scores)),
                      _mm256_cmpgt_epi32(wanted, load_lanes(scores + 8))) &
           0xffff;
}

static int32_t best_lanes(const int32_t *scores, uint32_t lanes, uint32_t *equal)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i low = _mm256_set1_epi32((int32_t)lanes), high = _mm256_set1_epi32((int32_t)lanes >> 8);
    __m256i none = _mm256_set1_epi32(-1);
    /* A lane that is not chosen becomes -1. */
    low = _mm256_andnot_si256(_mm256_cmpeq_epi32(_mm256_and_si256(low, bits), bits), none);
    high = _mm256_andnot_si256(_mm256_cmpeq_epi32(_mm256_and_si256(high, bits), bits), none);
    __m256i a = _mm256_or_si256(load_lanes(scores), low);
    __m256i b = _mm256_or_si256(load_lanes(scores + 8), high);
    __m256i best = highest_lane(a, b);
    *equal = sign_bits(_mm256_cmpeq_epi32(a, best), _mm256_cmpeq_epi32(b, best));
    return _mm256_cvtsi256_si32(best);
}

#else

static inline void group_leaves(const int32_t *scores, berth__tree_sum *out)
{
    int32_t best = scores[0];
    for (uint32_t i = 0; i < BERTH__FAN; i++)
        best = scores[i] > best ? scores[i] : best;
    uint32_t best_count = 0, feasible = 0;
    for (uint32_t i = 0; i < BERTH__FAN; i++) {
        best_count += scores[i] == best;
        feasible += scores[i] >= 0;
    }
    *out = (berth__tree_sum){best, best < 0 ? 0 : best_count, feasible};
}

static inline void group_groups(const int32_t *bests, const uint32_t *best_counts,
                                const uint32_t *feasibles, berth__tree_sum *out)
{
    int32_t best = bests[0];
    for (uint32_t i = 0; i < BERTH__FAN; i++)
        best = bests[i] > best ? bests[i] : best;
    uint32_t best_count = 0, feasible = 0;
    for (uint32_t i = 0; i < BERTH__FAN; i++) {
        best_count += bests[i] == best ? best_counts[i] : 0;
        feasible += feasibles[i];
    }
    *out = (berth__tree_sum){best, best_count, feasible};
}

static uint32_t feasible_lanes(const int32_t *scores)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < BERTH__FAN; i++)
        lanes |= (uint32_t)(scores[i] >= 0) << i;
    return lanes;
}

static uint32_t lanes_from(const int32_t *scores, int32_t least)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < BERTH__FAN; i++)
        lanes |= (uint32_t)(scores[i] >= least) << i;
    return lanes;
}

static int32_t best_lanes(const int32_t *scores, uint32_t lanes, uint32_t *equal)
{
    int32_t best = -1;
    for (uint32_t i = 0; i < BERTH__FAN; i++)
        best = (lanes >> i & 1) != 0 && scores[i] > best ? scores[i] : best;
    *equal = 0;
    for (uint32_t i = 0; i < BERTH__FAN; i++)
        *equal |= (lanes >> i & (uint32_t)(scores[i] == best)) << i;
    return best;
}

#endif
