/* The one source of the tile kernels, compiled once for each instruction set. The including file
 * defines KERNELS_TABLE and KERNELS_ISA. Loops are plain, so that the compiler vectorises them. */
#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/heap_order.h"
#include "columns/tile_kernels.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* 0 <= amount < 2^52 as a double, by placing it in the fraction bits of 2^52. This vectorises
 * without 64-bit conversions. */
static inline double small_double(int64_t amount)
{
#if defined(__AVX512DQ__)
    return (double)amount;
#else
    uint64_t bits = (uint64_t)amount | UINT64_C(0x4330000000000000);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value - 4503599627370496.0;
#endif
}

/* For each bit, a word with that bit set: spreads a mask over lanes with `and` and a compare, which
 * vectorises where shifts by lane do not. */
#define LANES_4(b) UINT64_C(1) << (b), UINT64_C(2) << (b), UINT64_C(4) << (b), UINT64_C(8) << (b)
#define LANES_16(b) LANES_4(b), LANES_4((b) + 4), LANES_4((b) + 8), LANES_4((b) + 12)
static const uint64_t lane_bits[64] = {LANES_16(0), LANES_16(16), LANES_16(32), LANES_16(48)};

#include "columns/tile_kernels_masks.h"
#include "columns/tile_kernels_quotients.h"

/* Add the scores of one resource to the weighted sums. A resource without capacity does not
 * count. */
static void add_weighted(const int64_t *restrict allocatable, const int32_t *restrict scores,
                         double weight, double *restrict sums, double *restrict weights)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double counts = allocatable[s] > 0 ? weight : 0.0;
        sums[s] += (double)scores[s] * counts;
        weights[s] += counts;
    }
}

static void least(const int64_t *restrict allocatable, const int64_t *restrict used, int64_t ask,
                  double weight, double *restrict sums, double *restrict weights)
{
    int32_t scores[BERTH__TILE];
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double capacity = small_double(allocatable[s]);
        double free = capacity - (small_double(used[s]) + (double)ask);
        double divisor = capacity > 0 ? capacity : 1.0;
        scores[s] = (int32_t)((free > 0 ? free : 0.0) * 100.0 / divisor);
    }
    add_weighted(allocatable, scores, weight, sums, weights);
}

static void most(const int64_t *restrict allocatable, const int64_t *restrict used, int64_t ask,
                 double weight, double *restrict sums, double *restrict weights)
{
    int32_t scores[BERTH__TILE];
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double capacity = small_double(allocatable[s]);
        double taken = small_double(used[s]) + (double)ask;
        double divisor = capacity > 0 ? capacity : 1.0;
        scores[s] = (int32_t)((taken > capacity ? capacity : taken) * 100.0 / divisor);
    }
    add_weighted(allocatable, scores, weight, sums, weights);
}

static void average(const double *restrict sums, const double *restrict weights,
                    int64_t *restrict out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = (int32_t)(sums[s] / (weights[s] > 0 ? weights[s] : 1.0));
}

static void mean_tenths(const double *restrict first, const double *restrict second,
                        int64_t *restrict out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = ((int32_t)first[s] / 10 + (int32_t)second[s] / 10) / 2;
}

static void balance(const int64_t *restrict allocatable1, const int64_t *restrict used1,
                    int64_t ask1, const int64_t *restrict allocatable2,
                    const int64_t *restrict used2, int64_t ask2, int64_t *restrict out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double capacity1 = small_double(allocatable1[s]);
        double capacity2 = small_double(allocatable2[s]);
        bool both = (capacity1 > 0) & (capacity2 > 0);
        double fraction1 =
            (small_double(used1[s]) + (double)ask1) / (capacity1 > 0 ? capacity1 : 1.0);
        double fraction2 =
            (small_double(used2[s]) + (double)ask2) / (capacity2 > 0 ? capacity2 : 1.0);
        fraction1 = fraction1 > 1.0 ? 1.0 : fraction1;
        fraction2 = fraction2 > 1.0 ? 1.0 : fraction2;
        double difference = fraction1 - fraction2;
        double deviation = (difference < 0 ? -difference : difference) / 2.0;
        out[s] = (int32_t)((1.0 - (both ? deviation : 0.0)) * 100.0);
    }
}

static void balance_differences(const int64_t *restrict without, int64_t *restrict with)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        with[s] = 50 + ((50 + with[s] - without[s]) >> 1);
}

static void balance_tenths(const int64_t *restrict allocatable1, const int64_t *restrict used1,
                           int64_t ask1, const int64_t *restrict allocatable2,
                           const int64_t *restrict used2, int64_t ask2, int64_t *restrict out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double capacity1 = small_double(allocatable1[s]);
        double capacity2 = small_double(allocatable2[s]);
        double taken1 = small_double(used1[s]) + (double)ask1;
        double taken2 = small_double(used2[s]) + (double)ask2;
        bool room = (taken1 < capacity1) & (taken2 < capacity2);
        double difference =
            taken1 / (capacity1 > 0 ? capacity1 : 1.0) - taken2 / (capacity2 > 0 ? capacity2 : 1.0);
        double distance = difference < 0 ? -difference : difference;
        double score = (1.0 - (room ? distance : 1.0)) * 10.0;
        out[s] = (int32_t)score;
    }
}

static void spread_add(const uint32_t *restrict pods, double weight, double skew,
                       const uint64_t *restrict present, double *restrict sums)
{
    if ((present[0] & present[1]) == UINT64_MAX) {
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            sums[s] += (double)(int32_t)pods[s] * weight + skew;
        return;
    }
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double value = (double)(int32_t)pods[s] * weight + skew;
        sums[s] += present[s / 64] >> (s % 64) & 1 ? value : 0.0;
    }
}

/* The subtraction, which leaves the fraction of a sum, is exact. */
static void round_small(const double *restrict sums, int64_t *restrict out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        int32_t whole = (int32_t)sums[s];
        double fraction = sums[s] - (double)whole;
        out[s] = whole + (fraction >= 0.5) - (fraction <= -0.5);
    }
}

/* A multiple of 16 values, for loops over part of a tile: no vector is left half full. */
static inline uint32_t whole_steps(uint32_t count)
{
    return count < BERTH__TILE ? (count + 15) / 16 * 16 : BERTH__TILE;
}

/* Products and quotients are below 2^53, where quotients of doubles truncate as those of integers
 * do. */
static void spread_normalize(int64_t lowest, int64_t highest, uint32_t count,
                             int64_t *restrict values)
{
    int64_t sum = highest + lowest;
    double divisor = (double)highest;
    for (uint32_t s = 0; s < whole_steps(count); s++) {
        bool inside = (values[s] >= lowest) & (values[s] <= highest);
        int32_t part = inside ? (int32_t)(sum - values[s]) : 0;
        values[s] = (int32_t)((double)part * 100.0 / divisor);
    }
}

static void affinity_add(const uint32_t *restrict pods, int64_t weight, int64_t *restrict out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] += weight * (int64_t)pods[s];
}

static void affinity_normalize(int64_t lowest, int64_t highest, uint32_t count,
                               int64_t *restrict values)
{
    double divisor = (double)(highest - lowest);
    for (uint32_t s = 0; s < whole_steps(count); s++) {
        bool inside = (values[s] >= lowest) & (values[s] <= highest);
        int32_t part = inside ? (int32_t)(values[s] - lowest) : 0;
        values[s] = (int32_t)(100.0 * ((double)part / divisor));
    }
}

static void clear(int64_t *out)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = 0;
}

static void accumulate(int64_t *restrict total, const int64_t *restrict values, int64_t weight)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        total[s] = (int64_t)((uint64_t)total[s] + (uint64_t)values[s] * (uint64_t)weight);
}

static void add_where(const berth__mask *mask, int64_t amount, int64_t *restrict total)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t bits = mask->words[w];
        for (uint32_t b = 0; b < 64; b++) {
            uint64_t part = (bits & lane_bits[b]) != 0 ? (uint64_t)amount : 0;
            total[w * 64 + b] = (int64_t)((uint64_t)total[w * 64 + b] + part);
        }
    }
}

#include "columns/tile_kernels_groups.h"
#include "columns/tile_kernels_heap.h"
#include "columns/tile_kernels_lookup.h"
#include "columns/tile_kernels_walk.h"

/* These use the functions above. */
#include "columns/tile_kernels_classes.h"
#include "columns/tile_kernels_lanes.h"

static bool store_group(const berth__tree_level *nodes, uint32_t position, berth__tree_sum group)
{
    bool same = nodes->best[position] == group.best &&
                nodes->best_count[position] == group.best_count &&
                nodes->feasible[position] == group.feasible;
    nodes->best[position] = group.best;
    nodes->best_count[position] = group.best_count;
    nodes->feasible[position] = group.feasible;
    return !same;
}

static uint32_t regroup_leaves(const int32_t *leaves, const berth__tree_level *nodes,
                               uint32_t *positions, uint32_t count)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = positions[i];
        berth__tree_sum group;
        group_leaves(leaves + (size_t)position * BERTH__FAN, &group);
        positions[changed] = position;
        changed += store_group(nodes, position, group);
    }
    return changed;
}

static uint32_t regroup_groups(const berth__tree_level *children, const berth__tree_level *nodes,
                               uint32_t *positions, uint32_t count)
{
    uint32_t changed = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t position = positions[i];
        size_t first = (size_t)position * BERTH__FAN;
        berth__tree_sum group;
        group_groups(children->best + first, children->best_count + first,
                     children->feasible + first, &group);
        positions[changed] = position;
        changed += store_group(nodes, position, group);
    }
    return changed;
}

/* berth__balance_difference for an evenness of 50 to 100, where no sign has to be considered. */
static inline int32_t difference_score(int32_t with, int32_t without)
{
    return (int32_t)((uint32_t)(150 + with - without) >> 1);
}

/* One run of slots. The steps are those of fit, least, average and balance, so the bits are the
 * same. */
static inline __attribute__((always_inline)) void basic_run(const berth__basic_columns *slots,
                                                            size_t at, const berth__basic_ask *ask,
                                                            bool of_difference,
                                                            int32_t *restrict totals)
{
    for (uint32_t i = 0; i < BERTH__BASIC_RUN; i++) {
        double cpu = slots->cpu[at + i], memory = slots->memory[at + i];
        double cpu_used = slots->cpu_used[at + i], memory_used = slots->memory_used[at + i];
        double cpu_divisor = cpu > 0 ? cpu : 1.0, memory_divisor = memory > 0 ? memory : 1.0;
        bool fits = (slots->places[at + i] >= ask->places) & (ask->cpu <= cpu - cpu_used) &
                    (ask->memory <= memory - memory_used);
        double cpu_free = cpu - (slots->cpu_nonzero[at + i] + ask->least_cpu);
        double memory_free = memory - (slots->memory_nonzero[at + i] + ask->least_memory);
        int32_t cpu_score = (int32_t)((cpu_free > 0 ? cpu_free : 0.0) * 100.0 / cpu_divisor);
        int32_t memory_score =
            (int32_t)((memory_free > 0 ? memory_free : 0.0) * 100.0 / memory_divisor);
        double cpu_weight = cpu > 0 ? ask->cpu_weight : 0.0;
        double memory_weight = memory > 0 ? ask->memory_weight : 0.0;
        double weights = cpu_weight + memory_weight;
        double sum = (double)cpu_score * cpu_weight + (double)memory_score * memory_weight;
        int32_t least_score = (int32_t)(sum / (weights > 0 ? weights : 1.0));
        double cpu_fraction = (cpu_used + ask->balance_cpu) / cpu_divisor;
        double memory_fraction = (memory_used + ask->balance_memory) / memory_divisor;
        cpu_fraction = cpu_fraction > 1.0 ? 1.0 : cpu_fraction;
        memory_fraction = memory_fraction > 1.0 ? 1.0 : memory_fraction;
        double difference = cpu_fraction - memory_fraction;
        double deviation = (difference < 0 ? -difference : difference) / 2.0;
        bool both = (cpu > 0) & (memory > 0);
        int32_t balance_score = (int32_t)((1.0 - (both ? deviation : 0.0)) * 100.0);
        if (of_difference)
            balance_score = difference_score(balance_score, slots->evenness[at + i]);
        int32_t total = least_score * ask->least_weight + balance_score * ask->balance_weight;
        totals[i] = fits ? total : -1;
    }
}

/* The same if the cpu and memory of every slot are invertible and both weigh 1. Halving is exact,
 * and so is the truncation of positive doubles below 2^31. */
static inline __attribute__((always_inline)) void common_run(const berth__basic_columns *slots,
                                                             size_t at, const berth__basic_ask *ask,
                                                             bool of_difference,
                                                             int32_t *restrict totals)
{
    for (uint32_t i = 0; i < BERTH__BASIC_RUN; i++) {
        const double cpu = slots->cpu[at + i], memory = slots->memory[at + i];
        const double cpu_used = slots->cpu_used[at + i], memory_used = slots->memory_used[at + i];
        const bool fits = (slots->places[at + i] >= ask->places) & (ask->cpu <= cpu - cpu_used) &
                          (ask->memory <= memory - memory_used);
        const double cpu_free = cpu - (slots->cpu_nonzero[at + i] + ask->least_cpu);
        const double memory_free = memory - (slots->memory_nonzero[at + i] + ask->least_memory);
        const double cpu_inverse = inverse_of(cpu), memory_inverse = inverse_of(memory);
        const double cpu_score = hundredths(cpu_free > 0 ? cpu_free : 0.0, cpu, cpu_inverse);
        const double memory_score =
            hundredths(memory_free > 0 ? memory_free : 0.0, memory, memory_inverse);
        const int32_t least_score = (int32_t)((cpu_score + memory_score) * 0.5);
        double cpu_fraction = quotient(cpu_used + ask->balance_cpu, cpu, cpu_inverse);
        double memory_fraction =
            quotient(memory_used + ask->balance_memory, memory, memory_inverse);
        cpu_fraction = cpu_fraction > 1.0 ? 1.0 : cpu_fraction;
        memory_fraction = memory_fraction > 1.0 ? 1.0 : memory_fraction;
        const double deviation = __builtin_fabs(cpu_fraction - memory_fraction) * 0.5;
        int32_t balance_score = (int32_t)((1.0 - deviation) * 100.0);
        if (of_difference)
            balance_score = difference_score(balance_score, slots->evenness[at + i]);
        const int32_t total = least_score * ask->least_weight + balance_score * ask->balance_weight;
        totals[i] = fits ? total : -1;
    }
}

static void basic(const berth__basic_columns *slots, uint32_t first, uint32_t count,
                  const berth__basic_ask *ask, int32_t *totals)
{
    const berth__basic_columns columns = *slots;
    const berth__basic_ask own = *ask;
    const bool common = columns.invertible && own.cpu_weight == 1.0 && own.memory_weight == 1.0;
    if (common && own.balance_difference)
        for (uint32_t i = 0; i < count; i += BERTH__BASIC_RUN)
            common_run(&columns, (size_t)first + i, &own, true, totals + i);
    else if (common)
        for (uint32_t i = 0; i < count; i += BERTH__BASIC_RUN)
            common_run(&columns, (size_t)first + i, &own, false, totals + i);
    else if (own.balance_difference)
        for (uint32_t i = 0; i < count; i += BERTH__BASIC_RUN)
            basic_run(&columns, (size_t)first + i, &own, true, totals + i);
    else
        for (uint32_t i = 0; i < count; i += BERTH__BASIC_RUN)
            basic_run(&columns, (size_t)first + i, &own, false, totals + i);
}

#include "columns/tile_kernels_basic.h"
#include "columns/tile_kernels_listed.h"

/* Copies values, with INT64_MIN for slots that are not in the mask. */
static inline void take_masked(const int64_t *restrict values, const berth__mask *mask,
                               int64_t *restrict masked)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t bits = mask->words[w];
        for (uint32_t b = 0; b < 64; b++) {
            int64_t value = values[w * 64 + b]; /* always read: vectorises better */
            masked[w * 64 + b] = (bits & lane_bits[b]) != 0 ? value : INT64_MIN;
        }
    }
}

static void widen(const int64_t *restrict values, const berth__mask *mask, int64_t *lowest,
                  int64_t *highest)
{
    int64_t masked[BERTH__TILE], low = *lowest, high = *highest;
    take_masked(values, mask, masked);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        high = masked[s] > high ? masked[s] : high;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        masked[s] = masked[s] == INT64_MIN ? INT64_MAX : masked[s];
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        low = masked[s] < low ? masked[s] : low;
    *lowest = low;
    *highest = high;
}

static void best(const int64_t *restrict totals, const berth__mask *mask, int64_t *out,
                 uint32_t *count)
{
    int64_t masked[BERTH__TILE], highest = INT64_MIN;
    take_masked(totals, mask, masked);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        highest = masked[s] > highest ? masked[s] : highest;
    uint64_t equal = 0;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        equal += masked[s] == highest;
    *out = highest;
    *count = highest == INT64_MIN ? 0 : (uint32_t)equal;
}

#include "columns/tile_kernels_narrow.h"

const berth__kernels KERNELS_TABLE = {
    .isa = KERNELS_ISA,
    .fit = fit,
    .fit_pods = fit_pods,
    .least = least,
    .most = most,
    .average = average,
    .mean_tenths = mean_tenths,
    .balance = balance,
    .balance_differences = balance_differences,
    .at_most = at_most,
    .gather = gather,
    .gather_add = gather_add,
    .spread_add = spread_add,
    .round_small = round_small,
    .spread_normalize = spread_normalize,
    .affinity_add = affinity_add,
    .affinity_normalize = affinity_normalize,
    .regroup_leaves = regroup_leaves,
    .regroup_groups = regroup_groups,
    .feasible_lanes = feasible_lanes,
    .best_lanes = best_lanes,
    .lanes_from = lanes_from,
    .first_leaf = first_leaf,
    .heap_leaf = heap_leaf,
    .leaves_from = leaves_from,
    .best_leaves = best_leaves,
    .class_bits = class_bits,
    .class_totals = class_totals,
    .class_best = class_best,
    .class_best_of = class_best_of,
    .class_nth = class_nth,
    .count_listed = count_listed,
    .best_by_lane = best_by_lane,
    .basic = basic,
    .basic_listed = basic_listed,
    .balance_tenths = balance_tenths,
    .best = best,
    .basic_scores = basic_scores,
    .narrow = narrow,
    .accumulate = accumulate,
    .add_where = add_where,
    .raise_leaves = raise_leaves,
    .add_to_leaves = add_to_leaves,
    .widen_kept = widen_kept,
    .gather_kept = gather_kept,
    .add_where_kept = add_where_kept,
    .add_parts = add_parts,
    .restore = restore,
    .clear = clear,
    .equal = equal,
    .equal_totals = equal_totals,
};
