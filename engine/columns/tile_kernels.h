/* Arithmetic on a tile's columns, the inner loops of every scan: one table of functions for each
 * instruction set, chosen once from what the processor has. All tables give the same bits.
 *
 * Amounts are at most BERTH__SMALL_AMOUNT in the score kernels, so that double precision is exact:
 * a quotient below 2^52 truncates as the integer division would (the distance of a non-integer
 * quotient to the next integer exceeds half a unit in the last place). */
#ifndef BERTH_COLUMNS_TILE_KERNELS_H
#define BERTH_COLUMNS_TILE_KERNELS_H

#include "columns/tile.h"

/* Children of an inner node of a search tree, and what the node knows of them. */
enum { BERTH__FAN_BITS = 4, BERTH__FAN = 1 << BERTH__FAN_BITS };

typedef struct berth__tree_sum {
    int32_t best; /* negative: nothing is feasible */
    uint32_t best_count;
    uint32_t feasible;
} berth__tree_sum;

/* The inner nodes of one level, in columns. */
typedef struct berth__tree_level {
    int32_t *best;
    uint32_t *best_count;
    uint32_t *feasible;
} berth__tree_level;

/* Slots' state in columns of doubles, which hold it exactly up to BERTH__SMALL_AMOUNT. */
typedef struct berth__basic_columns {
    const double *cpu, *cpu_used, *cpu_nonzero;
    const double *memory, *memory_used, *memory_nonzero;
    const double *places;    /* pods that may still come; negative: there are too many */
    const int32_t *evenness; /* of the slot as it is: berth__evenness_of */
} berth__basic_columns;

/* What the common plugins make of a slot: room, LeastAllocated of cpu and memory, and their
 * balance. */
typedef struct berth__basic_ask {
    double cpu, memory;                   /* to fit; -INFINITY: not tested */
    double least_cpu, least_memory;       /* asked for in the score */
    double cpu_weight, memory_weight;     /* of the two within it */
    double balance_cpu, balance_memory;   /* asked for in the balance */
    int32_t least_weight, balance_weight; /* of the two scores; 0: no part in it */
    double places;                        /* that must be left: 1; -INFINITY: not tested */
    bool balance_difference;              /* the balance's score is of berth__balance_difference */
} berth__basic_ask;

/* How evenly two resources are used: trunc((1 - |f1 - f2| / 2) * 100), a fraction being
 * min(used / allocatable, 1); 100 where an allocatable is 0. 50 to 100. */
static inline int32_t berth__evenness_of(double capacity1, double used1, double capacity2,
                                         double used2)
{
    if (capacity1 <= 0 || capacity2 <= 0)
        return 100;
    double fraction1 = used1 / capacity1, fraction2 = used2 / capacity2;
    fraction1 = fraction1 > 1.0 ? 1.0 : fraction1;
    fraction2 = fraction2 > 1.0 ? 1.0 : fraction2;
    double difference = fraction1 - fraction2;
    double deviation = (difference < 0 ? -difference : difference) / 2.0;
    return (int32_t)((1.0 - deviation) * 100.0);
}

/* The balance's score in 1.36: what the pod makes of the evenness, each 0 to 100.
 * Source: engine/plugins/rules/v1.36.md, section 5. */
static inline int64_t berth__balance_difference(int64_t with, int64_t without)
{
    return 50 + (50 + with - without) / 2;
}

/* The greatest weight of a score that the `basic` kernels take. */
enum { BERTH__BASIC_WEIGHT_MAX = 1 << 20 };

/* Amounts of a tile's slots, BERTH__TILE each. */
typedef struct berth__amount_columns {
    const int64_t *cpu, *cpu_used, *cpu_nonzero;
    const int64_t *memory, *memory_used, *memory_nonzero;
    const int32_t *evenness; /* of the slot as it is: berth__evenness_of */
} berth__amount_columns;

/* Values as `narrow` keeps them: itself up to this size, a mark for no value, anything for
 * others. */
enum { BERTH__NARROW_MAX = INT16_MAX - 1, BERTH__NARROW_IGNORED = INT16_MIN };

/* Entries of a table of what kept values add to a total. */
enum { BERTH__FEW = 128 };

typedef struct berth__narrow_part {
    const int16_t *kept;  /* by slot */
    const int16_t *table; /* BERTH__FEW entries and one to spare, from the lowest value on */
    int16_t lowest;
    uint16_t count; /* of values, below BERTH__FEW; the entry after them is for all others */
} berth__narrow_part;

/* What slots get besides their leaves, by class: ids by slot, in whole groups, all below
 * `count`. */
typedef struct berth__class_parts {
    const uint16_t *ids;
    const int32_t *parts; /* by class, none of them negative */
    uint32_t count;
} berth__class_parts;

/* `basic` reads and writes whole runs of so many slots: as many as fill the widest vectors of
 * totals. */
enum { BERTH__BASIC_RUN = 16 };

typedef struct berth__kernels {
    const char *isa;
    /* Clear the slots where ask > allocatable - used. Any int64 amounts. */
    void (*fit)(const int64_t *allocatable, const int64_t *used, int64_t ask, berth__mask *mask);
    /* Clear the slots where used + 1 > max. */
    void (*fit_pods)(const int32_t *used, const int32_t *max, berth__mask *mask);
    /* Add weight * score and weight to the sums of slots whose allocatable is not 0, the score
     * being (allocatable - used - ask) * 100 / allocatable, 0 below 0 (least), or min(used +
     * ask, allocatable) * 100 / allocatable (most). */
    void (*least)(const int64_t *allocatable, const int64_t *used, int64_t ask, double weight,
                  double *sums, double *weights);
    void (*most)(const int64_t *allocatable, const int64_t *used, int64_t ask, double weight,
                 double *sums, double *weights);
    /* sums / weights truncated, 0 where there is no weight. */
    void (*average)(const double *sums, const double *weights, int64_t *out);
    /* The mean of two sums of hundredths (0..100) in whole tenths, as v1.15 has it:
     * (trunc(first / 10) + trunc(second / 10)) / 2. */
    void (*mean_tenths)(const double *first, const double *second, int64_t *out);
    /* Balance of two resources: trunc((1 - |f1 - f2| / 2) * 100), a fraction being
     * min((used + ask) / allocatable, 1); 100 where an allocatable is 0. */
    void (*balance)(const int64_t *allocatable1, const int64_t *used1, int64_t ask1,
                    const int64_t *allocatable2, const int64_t *used2, int64_t ask2, int64_t *out);
    /* with = berth__balance_difference(with, without), of values of `balance`. */
    void (*balance_differences)(const int64_t *without, int64_t *with);
    /* The lanes (a bit each) of BERTH__FAN scores that are feasible; the best of the lanes
     * chosen and which of them share it (`lanes` is not 0 and has feasible ones only). */
    uint32_t (*feasible_lanes)(const int32_t *scores);
    int32_t (*best_lanes)(const int32_t *scores, uint32_t lanes, uint32_t *equal);
    /* The lanes whose score is at least so much. */
    uint32_t (*lanes_from)(const int32_t *scores, int32_t least);
    /* Clear the slots of a tile whose leaf scores less, of `groups` groups of leaves; beyond them
     * all. */
    void (*leaves_from)(const int32_t *leaves, uint32_t groups, int32_t least, berth__mask *slots);
    /* Raise `best` to the best leaf of the slots, which are feasible, and count its equals. `bests`
     * are those of the tile's groups. */
    void (*best_leaves)(const int32_t *leaves, const int32_t *bests, const berth__mask *slots,
                        berth__tree_sum *best);
    /* The ids, below 64, of the slots in a mask: a bit each. */
    uint64_t (*class_bits)(const uint16_t *ids, const berth__mask *slots);
    /* totals = leaf + parts[id], of the leaves of a tile, of `groups` groups; ids are below
     * `count`. The leaves may be the totals themselves. */
    void (*class_totals)(const int32_t *leaves, uint32_t groups, const uint16_t *ids,
                         const int32_t *parts, uint32_t count, int32_t *totals);
    /* Raise `best` to the best total of the feasible slots first .. last (not empty) of a tree, and
     * count its equals. */
    void (*class_best)(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                       uint32_t last, berth__tree_sum *best);
    /* Of the same slots, the n-th (from 0) whose total is at least so much; UINT32_MAX: there are
     * too few, by which `n` is less then. */
    uint32_t (*class_nth)(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                          uint32_t last, int32_t least, uint32_t *n);
    /* The first of a tree's leaves first .. last (not empty) whose score is at least so much;
     * UINT32_MAX: there is none. Above 0 a node of `levels` groups those below it. */
    uint32_t (*first_leaf)(const int32_t *leaves, const berth__tree_level *levels, uint32_t first,
                           uint32_t last, int32_t least);
    /* Of `count` leaves from `start` on, around the end of `slots` leaves: the first in heap order
     * (base/heap_order.h) that has the best score of them all. */
    uint32_t (*heap_leaf)(const int32_t *leaves, const berth__tree_level *levels, uint32_t slots,
                          uint32_t start, uint32_t count, int32_t best);
    /* Group anew the nodes at these positions: of the BERTH__FAN scores (negative: not feasible)
     * from number BERTH__FAN * position on, the best, how many share it, how many are feasible;
     * and the same of as many groups. Returns how many nodes came out changed; their positions
     * are moved to the front. */
    uint32_t (*regroup_leaves)(const int32_t *leaves, const berth__tree_level *nodes,
                               uint32_t *positions, uint32_t count);
    uint32_t (*regroup_groups)(const berth__tree_level *children, const berth__tree_level *nodes,
                               uint32_t *positions, uint32_t count);
    /* Totals of slots `first` up to `first + count`: weighted sums of `least` averaged over the two
     * resources and of `balance`; -1 where the pod does not fit. Writes, and reads, up to the next
     * multiple of BERTH__BASIC_RUN. */
    void (*basic)(const berth__basic_columns *slots, uint32_t first, uint32_t count,
                  const berth__basic_ask *ask, int32_t *totals);
    /* Balance by v1.15's rule: trunc((1 - |f1 - f2|) * 10), a fraction being (used + ask) /
     * allocatable; 0 where a fraction is 1 or more or an allocatable is 0. */
    void (*balance_tenths)(const int64_t *allocatable1, const int64_t *used1, int64_t ask1,
                           const int64_t *allocatable2, const int64_t *used2, int64_t ask2,
                           int64_t *out);
    /* Clear the slots where value > limit. */
    void (*at_most)(const uint32_t *values, uint32_t limit, berth__mask *mask);
    /* out = table[index], out += table[index]; the table has `count` entries. */
    void (*gather)(const uint32_t *table, uint32_t count, const uint32_t *index, uint32_t *out);
    void (*gather_add)(const int32_t *table, uint32_t count, const uint32_t *index, int64_t *out);
    /* sums += pods * weight + skew, where `present` (BERTH__TILE_WORDS words) has a bit. */
    void (*spread_add)(const uint32_t *pods, double weight, double skew, const uint64_t *present,
                       double *sums);
    /* Halves away from zero; |sums| < 2^31. */
    void (*round_small)(const double *sums, int64_t *out);
    /* 100 * (highest + lowest - value) / highest, truncated; 0 for values outside of them.
     * 0 <= lowest <= highest < 2^31, highest > 0. */
    void (*spread_normalize)(int64_t lowest, int64_t highest, int64_t *values);
    /* out += weight * pods. */
    void (*affinity_add)(const uint32_t *pods, int64_t weight, int64_t *out);
    /* 100 * ((value - lowest) / (highest - lowest)), truncated; 0 for values outside of them.
     * 0 < highest - lowest < 2^31. */
    void (*affinity_normalize)(int64_t lowest, int64_t highest, int64_t *values);
    /* The best of the totals whose slots are in `mask`, and how many share it; INT64_MIN and 0 when
     * the mask is empty. */
    void (*best)(const int64_t *totals, const berth__mask *mask, int64_t *best, uint32_t *count);
    /* Scores of `basic` for a whole tile, room aside, into `totals`. Amounts are not wide. */
    void (*basic_scores)(const berth__amount_columns *tile, const berth__basic_ask *ask,
                         int64_t *totals);
    /* Widen lowest..highest by the values whose slots are in `mask`, and keep all in 16 bits;
     * INT64_MIN is no value. */
    void (*narrow)(const int64_t *values, const berth__mask *mask, int16_t *kept, int64_t *lowest,
                   int64_t *highest);
    /* total += value * weight. */
    void (*accumulate)(int64_t *total, const int64_t *values, int64_t weight);
    /* total += amount, for the slots in `mask`. */
    void (*add_where)(const berth__mask *mask, int64_t amount, int64_t *total);
    /* The same of values that come in 16 bits. */
    void (*widen_kept)(const int16_t *kept, const berth__mask *mask, int64_t *lowest,
                       int64_t *highest);
    /* out = table[index]; the table has `count` entries. */
    void (*gather_kept)(const int16_t *table, uint32_t count, const uint32_t *index, int16_t *out);
    /* out += amount, for the slots in `mask`. */
    void (*add_where_kept)(const berth__mask *mask, int16_t amount, int16_t *out);
    /* total += the entries of all parts' tables; those of a slot add up to an int16. */
    void (*add_parts)(const berth__narrow_part *parts, uint32_t part_count, int64_t *total);
    /* The values as they were, as far as they were kept. */
    void (*restore)(const int16_t *kept, int64_t *values);
    /* out = 0. */
    void (*clear)(int64_t *out);
    /* The slots whose value is the wanted one. */
    berth__mask (*equal)(const uint32_t *values, uint32_t wanted);
    berth__mask (*equal_totals)(const int64_t *totals, int64_t wanted);
} berth__kernels;

/* The best table that this processor runs. Threads: any. */
const berth__kernels *berth__kernels_best(void);

/* Table number `index`, or NULL when there is none (or the processor lacks it): for tests. */
const berth__kernels *berth__kernels_at(uint32_t index);

#endif
