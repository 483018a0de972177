/* Leaves of a search tree plus what their classes add; a part of tile_kernels_body.h. Unless they
 * are asked for, totals exist only in registers. No group is skipped, because classes differ by
 * more than leaves do. */

static inline uint32_t count_listed_plain(const int32_t *leaves, const berth__peopled_slot *listed,
                                          uint32_t count, const int32_t *parts, int32_t total)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t leaf = leaves[listed[i].slot];
        found += (leaf >= 0) & (leaf + parts[listed[i].cell] == total);
    }
    return found;
}

#if defined(__AVX512F__) || defined(__AVX2__)

/* The lanes of a group that are in first .. last. */
static inline uint32_t lanes_within(uint32_t group, uint32_t first, uint32_t last)
{
    uint32_t at = group * BERTH__FAN, lanes = (1u << BERTH__FAN) - 1;
    if (at < first)
        lanes &= UINT32_MAX << (first - at);
    if (last - at < BERTH__FAN)
        lanes &= (1u << (last - at)) - 1;
    return lanes;
}

#endif

#if defined(__AVX512F__)

typedef struct class_source {
    const int32_t *leaves;
    const berth__class_parts *classes;
    few_table few; /* for a small table */
} class_source;

static inline class_source class_source_of(const int32_t *leaves, const berth__class_parts *classes)
{
    uint32_t count = classes->count < FEW_ENTRIES ? classes->count : FEW_ENTRIES;
    return (class_source){leaves, classes, few_load((const uint32_t *)classes->parts, count)};
}

/* The totals of a group; negative for slots that are not feasible. */
static inline __m512i class_lanes(const class_source *of, uint32_t group)
{
    size_t at = (size_t)group * BERTH__FAN;
    const __m512i leaf = _mm512_loadu_si512(of->leaves + at);
    const __m512i id =
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(of->classes->ids + at)));
    const __m512i part = of->classes->count <= FEW_ENTRIES
                             ? _mm512_permutex2var_epi32(of->few.low, id, of->few.high)
                             : _mm512_i32gather_epi32(id, of->classes->parts, 4);
    __mmask16 feasible = _mm512_cmpge_epi32_mask(leaf, _mm512_setzero_si512());
    return _mm512_mask_add_epi32(leaf, feasible, leaf, part);
}

/* The parts of few classes stay in two vectors. */
static void class_totals(const int32_t *leaves, uint32_t groups, const uint16_t *restrict ids,
                         const int32_t *restrict parts, uint32_t count, int32_t *totals)
{
    const few_table few = few_load((const uint32_t *)parts, count < 32 ? count : 32);
    for (uint32_t g = 0; g < groups && g < BERTH__TILE / 16; g++) {
        __m512i id = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(ids + g * 16)));
        __m512i part = count <= FEW_ENTRIES ? _mm512_permutex2var_epi32(few.low, id, few.high)
                                            : _mm512_i32gather_epi32(id, parts, 4);
        _mm512_storeu_si512(totals + g * 16,
                            _mm512_add_epi32(_mm512_loadu_si512(leaves + g * 16), part));
    }
}

/* The best total of each lane so far, and how many share it. */
typedef struct lane_bests {
    __m512i best, count;
} lane_bests;

static inline void lane_bests_take(lane_bests *own, __m512i total)
{
    const __m512i one = _mm512_set1_epi32(1);
    const __mmask16 more = _mm512_cmpgt_epi32_mask(total, own->best);
    const __mmask16 equal = _mm512_cmpeq_epi32_mask(total, own->best);
    own->best = _mm512_max_epi32(own->best, total);
    own->count = _mm512_mask_add_epi32(own->count, equal, own->count, one);
    own->count = _mm512_mask_mov_epi32(own->count, more, one);
}

static inline void lane_bests_end(const lane_bests *own, berth__tree_sum *best)
{
    const int32_t total = _mm512_reduce_max_epi32(own->best);
    const __mmask16 share = _mm512_cmpeq_epi32_mask(own->best, _mm512_set1_epi32(total));
    berth__tree_sum_take(best, total, (uint32_t)_mm512_mask_reduce_add_epi32(share, own->count));
}

/* A group of which only some slots may be in first .. last. */
static inline void take_cut(const class_source *source, uint32_t group, uint32_t first,
                            uint32_t last, lane_bests *own)
{
    const __mmask16 lanes = (__mmask16)lanes_within(group, first, last);
    const __m512i none = _mm512_set1_epi32(-1);
    lane_bests_take(own, _mm512_mask_blend_epi32(lanes, none, class_lanes(source, group)));
}

/* Each lane keeps its own best until the end; two vectors of them take turns, because each waits
 * for its last group. */
static void class_best(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                       uint32_t last, berth__tree_sum *best)
{
    const class_source source = class_source_of(leaves, classes);
    lane_bests even = {_mm512_setzero_si512(), _mm512_setzero_si512()}, odd = even;
    uint32_t group = first / BERTH__FAN;
    const uint32_t whole = last / BERTH__FAN;
    if (group * BERTH__FAN < first && group < whole)
        take_cut(&source, group++, first, last, &even);
    for (; group + 2 <= whole; group += 2) {
        lane_bests_take(&even, class_lanes(&source, group));
        lane_bests_take(&odd, class_lanes(&source, group + 1));
    }
    for (; group * BERTH__FAN < last; group++)
        take_cut(&source, group, first, last, &even);
    lane_bests_end(&even, best);
    lane_bests_end(&odd, best);
}

/* Lanes of which at least one exceeds the best so far, which happens rarely. */
static inline void take_512(__m512i total, uint32_t lanes, berth__tree_sum *best)
{
    int32_t totals[BERTH__FAN];
    _mm512_storeu_si512(totals, total);
    for (; lanes != 0; lanes &= lanes - 1)
        berth__tree_sum_take(best, totals[__builtin_ctz(lanes)], 1);
}

static void class_best_of(const int32_t *leaves, uint32_t groups, const berth__class_parts *classes,
                          const berth__mask *slots, berth__tree_sum *best)
{
    const class_source source = class_source_of(leaves, classes);
    for (uint32_t group = 0; group < BERTH__TILE / BERTH__FAN && group < groups; group++) {
        const uint32_t at = group * BERTH__FAN;
        const __mmask16 lanes = (__mmask16)(slots->words[at / 64] >> at % 64);
        if (lanes == 0)
            continue;
        const __m512i total = class_lanes(&source, group);
        const __mmask16 own =
            _mm512_mask_cmpge_epi32_mask(lanes, total, _mm512_set1_epi32(best->best));
        if ((own & _mm512_cmpgt_epi32_mask(total, _mm512_set1_epi32(best->best))) == 0)
            best->best_count += (uint32_t)__builtin_popcount(own);
        else
            take_512(total, own, best);
    }
}

static uint32_t class_nth(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                          uint32_t last, int32_t least, uint32_t *n)
{
    const class_source source = class_source_of(leaves, classes);
    const __m512i wanted = _mm512_set1_epi32(least);
    for (uint32_t group = first / BERTH__FAN; group * BERTH__FAN < last; group++) {
        uint32_t lanes = _mm512_cmpge_epi32_mask(class_lanes(&source, group), wanted);
        if (lanes == 0)
            continue;
        lanes &= lanes_within(group, first, last);
        uint32_t count = (uint32_t)__builtin_popcount(lanes);
        if (*n < count)
            return group * BERTH__FAN + berth__nth_bit(lanes, *n);
        *n -= count;
    }
    return UINT32_MAX;
}

static uint32_t count_listed(const int32_t *leaves, const berth__peopled_slot *listed,
                             uint32_t count, const int32_t *parts, int32_t total)
{
    enum { LISTED = 8 }; /* a vector of them */
    const __m256i wanted = _mm256_set1_epi32(total);
    uint32_t found = 0, at = 0;
    for (; at + LISTED <= count; at += LISTED) {
        const __m512i own = _mm512_loadu_si512(listed + at);
        const __m256i slot = _mm512_cvtepi64_epi32(own);
        const __m256i cell = _mm512_cvtepi64_epi32(_mm512_srli_epi64(own, 48));
        const __m256i leaf = _mm256_i32gather_epi32(leaves, slot, 4);
        const __m256i sum = _mm256_add_epi32(leaf, _mm256_i32gather_epi32(parts, cell, 4));
        const __mmask8 feasible = _mm256_cmpge_epi32_mask(leaf, _mm256_setzero_si256());
        found += (uint32_t)__builtin_popcount(_mm256_mask_cmpeq_epi32_mask(feasible, sum, wanted));
    }
    return found + count_listed_plain(leaves, listed + at, count - at, parts, total);
}

#elif defined(__AVX2__)

/* Half a group. */
enum { HALF = BERTH__FAN / 2 };

/* Parts that fit in a few vectors stay there: choosing from four of them costs less than gathering
 * from memory. Each loop is compiled for 1, 2 and 4 vectors, and for 0, gathering. */
enum { PART_VECTORS = 4 };

typedef struct class_source {
    const int32_t *leaves;
    const berth__class_parts *classes;
    __m256i few[PART_VECTORS]; /* the first 8, 16 or 32 parts */
} class_source;

#define KERNEL_INLINE static inline __attribute__((always_inline))

/* Call a loop for the number of vectors that holds the parts of these classes. */
#define BY_VECTORS(classes, loop, ...) \
    switch (vectors_of(classes)) {     \
    case 1:                            \
        loop(1, __VA_ARGS__);          \
        break;                         \
    case 2:                            \
        loop(2, __VA_ARGS__);          \
        break;                         \
    case 4:                            \
        loop(4, __VA_ARGS__);          \
        break;                         \
    default:                           \
        loop(0, __VA_ARGS__);          \
    }

static inline uint32_t vectors_of(const berth__class_parts *classes)
{
    const uint32_t count = classes->count;
    return count <= HALF ? 1 : count <= 2 * HALF ? 2 : count <= 4 * HALF ? 4 : 0;
}

KERNEL_INLINE class_source class_source_of(const int32_t *leaves, const berth__class_parts *classes,
                                           uint32_t vectors)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    class_source made = {.leaves = leaves, .classes = classes};
    for (uint32_t v = 0; v < vectors; v++) {
        const __m256i left = _mm256_set1_epi32((int32_t)classes->count - (int32_t)(v * HALF));
        if (v * HALF < classes->count)
            made.few[v] =
                _mm256_maskload_epi32(classes->parts + v * HALF, _mm256_cmpgt_epi32(left, lane));
    }
    return made;
}

/* Of two vectors, the second one in the lanes where this bit of the id is set. */
KERNEL_INLINE __m256i by_bit(__m256i first, __m256i second, __m256i id, int bit)
{
    const __m256 sign = _mm256_castsi256_ps(_mm256_slli_epi32(id, 31 - bit));
    return _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(first), _mm256_castsi256_ps(second), sign));
}

KERNEL_INLINE __m256i parts_at(const class_source *of, __m256i id, uint32_t vectors)
{
    if (vectors == 0)
        return _mm256_i32gather_epi32(of->classes->parts, id, 4);
    const __m256i first = _mm256_permutevar8x32_epi32(of->few[0], id);
    if (vectors == 1)
        return first;
    const __m256i low = by_bit(first, _mm256_permutevar8x32_epi32(of->few[1], id), id, 3);
    if (vectors == 2)
        return low;
    const __m256i high = by_bit(_mm256_permutevar8x32_epi32(of->few[2], id),
                                _mm256_permutevar8x32_epi32(of->few[3], id), id, 3);
    return by_bit(low, high, id, 4);
}

/* The leaves of half a group plus their parts. */
KERNEL_INLINE __m256i sum_half(const class_source *of, uint32_t at, uint32_t vectors)
{
    const __m256i id =
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(of->classes->ids + at)));
    return _mm256_add_epi32(load_lanes(of->leaves + at), parts_at(of, id, vectors));
}

/* The totals of half a group; negative for slots that are not feasible. */
KERNEL_INLINE __m256i class_half(const class_source *of, uint32_t at, uint32_t vectors)
{
    return _mm256_or_si256(sum_half(of, at, vectors),
                           _mm256_srai_epi32(load_lanes(of->leaves + at), 31));
}

KERNEL_INLINE void class_totals_by(uint32_t vectors, const int32_t *leaves,
                                   const berth__class_parts *classes, uint32_t halves,
                                   int32_t *totals)
{
    const class_source source = class_source_of(leaves, classes, vectors);
    for (uint32_t h = 0; h < halves; h++)
        _mm256_storeu_si256((__m256i *)(totals + h * HALF), sum_half(&source, h * HALF, vectors));
}

static void class_totals(const int32_t *leaves, uint32_t groups, const uint16_t *restrict ids,
                         const int32_t *restrict parts, uint32_t count, int32_t *totals)
{
    const berth__class_parts classes = {ids, parts, count};
    const uint32_t halves =
        2 * (groups < BERTH__TILE / BERTH__FAN ? groups : BERTH__TILE / BERTH__FAN);
    BY_VECTORS(&classes, class_totals_by, leaves, &classes, halves, totals)
}

/* All bits set in the lanes of half a group that are in first .. last. */
static inline __m256i half_within(uint32_t at, uint32_t first, uint32_t last)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    uint32_t lanes = lanes_within(at / BERTH__FAN, first, last) >> (at % BERTH__FAN);
    const __m256i own = _mm256_and_si256(_mm256_set1_epi32((int32_t)lanes), bits);
    return _mm256_cmpeq_epi32(own, bits);
}

/* Each lane keeps its own best, and how many share it, until the end. */
KERNEL_INLINE void class_best_by(uint32_t vectors, const int32_t *leaves,
                                 const berth__class_parts *classes, uint32_t first, uint32_t last,
                                 berth__tree_sum *best)
{
    const class_source source = class_source_of(leaves, classes, vectors);
    __m256i bests = _mm256_setzero_si256(), counts = bests;
    for (uint32_t at = first / HALF * HALF; at < last; at += HALF) {
        __m256i total = class_half(&source, at, vectors);
        if (at < first || last - at < HALF)
            total = _mm256_or_si256(
                total, _mm256_xor_si256(half_within(at, first, last), _mm256_set1_epi32(-1)));
        const __m256i more = _mm256_cmpgt_epi32(total, bests);
        const __m256i equal = _mm256_cmpeq_epi32(total, bests);
        bests = _mm256_max_epi32(bests, total);
        counts = _mm256_sub_epi32(_mm256_andnot_si256(more, counts), _mm256_or_si256(equal, more));
    }
    int32_t total = _mm256_cvtsi256_si32(highest_lane(bests, bests));
    int32_t lanes[HALF], of_lane[HALF];
    uint32_t count = 0;
    _mm256_storeu_si256((__m256i *)lanes, bests);
    _mm256_storeu_si256((__m256i *)of_lane, counts);
    for (uint32_t i = 0; i < HALF; i++)
        count += lanes[i] == total ? (uint32_t)of_lane[i] : 0;
    berth__tree_sum_take(best, total, count);
}

static void class_best(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                       uint32_t last, berth__tree_sum *best)
{
    BY_VECTORS(classes, class_best_by, leaves, classes, first, last, best)
}

/* Lanes of which at least one exceeds the best so far, which happens rarely. */
static inline void take_lanes(__m256i low, __m256i high, uint32_t lanes, berth__tree_sum *best)
{
    int32_t totals[BERTH__FAN];
    _mm256_storeu_si256((__m256i *)totals, low);
    _mm256_storeu_si256((__m256i *)(totals + HALF), high);
    for (; lanes != 0; lanes &= lanes - 1)
        berth__tree_sum_take(best, totals[__builtin_ctz(lanes)], 1);
}

static inline uint32_t lanes_above(__m256i low, __m256i high, int32_t total)
{
    const __m256i than = _mm256_set1_epi32(total);
    return sign_bits(_mm256_cmpgt_epi32(low, than), _mm256_cmpgt_epi32(high, than));
}

KERNEL_INLINE void class_best_of_by(uint32_t vectors, const int32_t *leaves, uint32_t groups,
                                    const berth__class_parts *classes, const berth__mask *slots,
                                    berth__tree_sum *best)
{
    const class_source source = class_source_of(leaves, classes, vectors);
    for (uint32_t group = 0; group < BERTH__TILE / BERTH__FAN && group < groups; group++) {
        const uint32_t at = group * BERTH__FAN;
        const uint32_t lanes = (uint32_t)(slots->words[at / 64] >> at % 64) & 0xffff;
        if (lanes == 0)
            continue;
        const __m256i low = sum_half(&source, at, vectors);
        const __m256i high = sum_half(&source, at + HALF, vectors);
        const uint32_t own = lanes & lanes_above(low, high, best->best - 1);
        if (own == 0)
            continue;
        if ((own & lanes_above(low, high, best->best)) == 0)
            best->best_count += (uint32_t)__builtin_popcount(own);
        else
            take_lanes(low, high, own, best);
    }
}

static void class_best_of(const int32_t *leaves, uint32_t groups, const berth__class_parts *classes,
                          const berth__mask *slots, berth__tree_sum *best){
    BY_VECTORS(classes, class_best_of_by, leaves, groups, classes, slots, best)}

KERNEL_INLINE
    void class_nth_by(uint32_t vectors, const int32_t *leaves, const berth__class_parts *classes,
                      uint32_t first, uint32_t last, int32_t least, uint32_t *n, uint32_t *slot)
{
    const class_source source = class_source_of(leaves, classes, vectors);
    const __m256i below = _mm256_set1_epi32(least - 1);
    for (uint32_t group = first / BERTH__FAN; group * BERTH__FAN < last; group++) {
        const uint32_t at = group * BERTH__FAN;
        const __m256i low = class_half(&source, at, vectors);
        const __m256i high = class_half(&source, at + HALF, vectors);
        uint32_t lanes = sign_bits(_mm256_cmpgt_epi32(low, below), _mm256_cmpgt_epi32(high, below));
        if (lanes == 0)
            continue;
        lanes &= lanes_within(group, first, last);
        uint32_t count = (uint32_t)__builtin_popcount(lanes);
        if (*n < count) {
            *slot = at + berth__nth_bit(lanes, *n);
            return;
        }
        *n -= count;
    }
}

static uint32_t class_nth(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                          uint32_t last, int32_t least, uint32_t *n)
{
    uint32_t slot = UINT32_MAX;
    BY_VECTORS(classes, class_nth_by, leaves, classes, first, last, least, n, &slot)
    return slot;
}

static uint32_t count_listed(const int32_t *leaves, const berth__peopled_slot *listed,
                             uint32_t count, const int32_t *parts, int32_t total)
{
    const __m256i wanted = _mm256_set1_epi32(total), none = _mm256_set1_epi32(-1);
    uint32_t found = 0, at = 0;
    for (; at + HALF <= count; at += HALF) {
        const __m256 low = _mm256_castsi256_ps(load_lanes((const int32_t *)(listed + at)));
        const __m256 high =
            _mm256_castsi256_ps(load_lanes((const int32_t *)(listed + at + HALF / 2)));
        /* The order of the lanes does not matter, as long as it is the same for both. */
        const __m256i slot = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
        const __m256i rest = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
        const __m256i part = _mm256_i32gather_epi32(parts, _mm256_srli_epi32(rest, 16), 4);
        const __m256i leaf = _mm256_i32gather_epi32(leaves, slot, 4);
        const __m256i equal = _mm256_cmpeq_epi32(_mm256_add_epi32(leaf, part), wanted);
        const __m256i own = _mm256_and_si256(equal, _mm256_cmpgt_epi32(leaf, none));
        found +=
            (uint32_t)__builtin_popcount((uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(own)));
    }
    return found + count_listed_plain(leaves, listed + at, count - at, parts, total);
}

#else

static void class_totals(const int32_t *leaves, uint32_t groups, const uint16_t *restrict ids,
                         const int32_t *restrict parts, uint32_t count, int32_t *totals)
{
    (void)count;
    uint32_t slots = (groups < BERTH__TILE / BERTH__FAN ? groups : BERTH__TILE / BERTH__FAN);
    for (uint32_t s = 0; s < slots * BERTH__FAN; s++)
        totals[s] = leaves[s] + parts[ids[s]];
}

/* The total of a slot; negative if the slot is not feasible. */
static inline int32_t class_total(const int32_t *leaves, const berth__class_parts *classes,
                                  uint32_t slot)
{
    int32_t leaf = leaves[slot];
    return leaf < 0 ? leaf : leaf + classes->parts[classes->ids[slot]];
}

static void class_best(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                       uint32_t last, berth__tree_sum *best)
{
    for (uint32_t slot = first; slot < last; slot++) {
        int32_t total = class_total(leaves, classes, slot);
        if (total >= 0)
            berth__tree_sum_take(best, total, 1);
    }
}

static void class_best_of(const int32_t *leaves, uint32_t groups, const berth__class_parts *classes,
                          const berth__mask *slots, berth__tree_sum *best)
{
    (void)groups;
    BERTH__MASK_EACH(slots, s)
    {
        berth__tree_sum_take(best, class_total(leaves, classes, s), 1);
    }
}

static uint32_t class_nth(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                          uint32_t last, int32_t least, uint32_t *n)
{
    for (uint32_t slot = first; slot < last; slot++)
        if (class_total(leaves, classes, slot) >= least && (*n)-- == 0)
            return slot;
    return UINT32_MAX;
}

static uint32_t count_listed(const int32_t *leaves, const berth__peopled_slot *listed,
                             uint32_t count, const int32_t *parts, int32_t total)
{
    return count_listed_plain(leaves, listed, count, parts, total);
}

#endif
