/* Arithmetic on a tile's columns: the inner loops of every scan. There is one table of functions
 * for each instruction set; the processor decides which is used. All tables compute the same bits.
 *
 * In the score kernels amounts are at most BERTH__SMALL_AMOUNT, so that double precision is exact:
 * a quotient below 2^52 truncates as integer division would (a non-integer quotient is farther than
 * half a unit in the last place from the next integer). */
#ifndef BERTH_COLUMNS_TILE_KERNELS_H
#define BERTH_COLUMNS_TILE_KERNELS_H

#include "columns/tile.h"

/* The fan-out of a search tree. */
enum { BERTH__FAN_BITS = 4, BERTH__FAN = 1 << BERTH__FAN_BITS };

typedef struct berth__tree_sum {
    int32_t best; /* negative: nothing is feasible */
    uint32_t best_count;
    uint32_t feasible;
} berth__tree_sum;

/* Add `count` (perhaps 0) slots with a total to a sum. */
static inline void berth__tree_sum_take(berth__tree_sum *sum, int32_t total, uint32_t count)
{
    if (total > sum->best && count > 0) {
        sum->best = total;
        sum->best_count = count;
    } else if (total == sum->best) {
        sum->best_count += count;
    }
}

/* The inner nodes of one level, as columns. */
typedef struct berth__tree_level {
    int32_t *best;
    uint32_t *best_count;
    uint32_t *feasible;
} berth__tree_level;

/* The state of slots as columns of doubles, which are exact up to BERTH__SMALL_AMOUNT. */
typedef struct berth__basic_columns {
    const double *cpu, *cpu_used, *cpu_nonzero;
    const double *memory, *memory_used, *memory_nonzero;
    const double *places;    /* pods that may still come; negative: there are too many */
    const int32_t *evenness; /* of the slot without the pod: berth__evenness_of */
    bool invertible; /* all cpu and memory is (berth__is_invertible), which makes `basic` cheaper */
} berth__basic_columns;

enum { BERTH__BASIC_VALUES = 7 };

/* The state of one slot, in one cache line. */
typedef struct berth__basic_state {
    _Alignas(64) double values[BERTH__BASIC_VALUES]; /* in the order of berth__basic_columns */
    int64_t evenness;
} berth__basic_state;

/* Amounts whose quotients the kernels may compute by their inverse (tile_kernels_quotients.h). */
#define BERTH__INVERTIBLE_AMOUNT (INT64_C(1) << 44)

static inline bool berth__is_invertible(double amount)
{
    return amount > 0 && amount <= (double)BERTH__INVERTIBLE_AMOUNT;
}

/* The input of `basic`, which rates slots for the common plugins: room, LeastAllocated of cpu and
 * memory, and balance. */
typedef struct berth__basic_ask {
    double cpu, memory;                   /* to fit; -INFINITY: not tested */
    double least_cpu, least_memory;       /* requests that LeastAllocated counts */
    double cpu_weight, memory_weight;     /* of cpu and memory in LeastAllocated */
    double balance_cpu, balance_memory;   /* requests that the balance counts */
    int32_t least_weight, balance_weight; /* of the two scores; 0: not scored */
    double places;                        /* that must be free: 1; -INFINITY: not tested */
    bool balance_difference;              /* the balance's score is berth__balance_difference */
} berth__basic_ask;

/* How evenly two resources are used: trunc((1 - |f1 - f2| / 2) * 100), where a fraction is min(used
 * / allocatable, 1); 100 if an allocatable is 0. The result is 50 to 100. */
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

/* The balance's score in 1.36: how the pod changes the evenness. Arguments are 0 to 100. Source:
 * engine/plugins/rules/v1.36.md, section 5. */
static inline int64_t berth__balance_difference(int64_t with, int64_t without)
{
    return 50 + (50 + with - without) / 2;
}

/* The greatest weight of a score that the `basic` kernels accept. */
enum { BERTH__BASIC_WEIGHT_MAX = 1 << 20 };

/* Amounts of a tile's slots as columns of BERTH__TILE entries. */
typedef struct berth__amount_columns {
    const int64_t *cpu, *cpu_used, *cpu_nonzero;
    const int64_t *memory, *memory_used, *memory_nonzero;
    const int32_t *evenness; /* of the slot without the pod: berth__evenness_of */
} berth__amount_columns;

/* How `narrow` stores values in 16 bits: values of up to this magnitude unchanged, IGNORED for no
 * value, anything for other values. */
enum { BERTH__NARROW_MAX = INT16_MAX - 1, BERTH__NARROW_IGNORED = INT16_MIN };

/* Entries of a table that maps kept values to parts of a total. */
enum { BERTH__FEW = 128 };

typedef struct berth__narrow_part {
    const int16_t *kept;  /* by slot */
    const int16_t *table; /* BERTH__FEW entries and one more, from the lowest value on */
    int16_t lowest;
    uint16_t count; /* of values, below BERTH__FEW; the next entry is for all other values */
} berth__narrow_part;

/* What the class of a slot adds to its leaf: class ids by slot, in whole groups, all below
 * `count`. */
typedef struct berth__class_parts {
    const uint16_t *ids;
    const int32_t *parts; /* by class, none of them negative */
    uint32_t count;
} berth__class_parts;

/* A slot with counted pods, its class, and the class's cell (index/class_maps.h). */
typedef struct berth__peopled_slot {
    uint32_t slot;
    uint16_t id, cell;
} berth__peopled_slot;

/* `basic` reads and writes whole runs of this many slots, enough to fill the widest vectors of
 * totals. */
enum { BERTH__BASIC_RUN = 16 };

typedef struct berth__kernels {
    const char *isa;
    /* Clear the slots where ask > allocatable - used. Amounts may be any int64. */
    void (*fit)(const int64_t *allocatable, const int64_t *used, int64_t ask, berth__mask *mask);
    /* Clear the slots where used + 1 > max. */
    void (*fit_pods)(const int32_t *used, const int32_t *max, berth__mask *mask);
    /* For slots whose allocatable is not 0, add weight * score and weight to the sums. The score is
     * (allocatable - used - ask) * 100 / allocatable, at least 0 (least), or min(used + ask,
     * allocatable) * 100 / allocatable (most). */
    void (*least)(const int64_t *allocatable, const int64_t *used, int64_t ask, double weight,
                  double *sums, double *weights);
    void (*most)(const int64_t *allocatable, const int64_t *used, int64_t ask, double weight,
                 double *sums, double *weights);
    /* sums / weights truncated, 0 if the weight is 0. */
    void (*average)(const double *sums, const double *weights, int64_t *out);
    /* The mean of two sums of hundredths (0..100) in whole tenths, as v1.15 computes it:
     * (trunc(first / 10) + trunc(second / 10)) / 2. */
    void (*mean_tenths)(const double *first, const double *second, int64_t *out);
    /* Balance of two resources: trunc((1 - |f1 - f2| / 2) * 100), where a fraction is min((used +
     * ask) / allocatable, 1); 100 if an allocatable is 0. */
    void (*balance)(const int64_t *allocatable1, const int64_t *used1, int64_t ask1,
                    const int64_t *allocatable2, const int64_t *used2, int64_t ask2, int64_t *out);
    /* with = berth__balance_difference(with, without), for values of `balance`. */
    void (*balance_differences)(const int64_t *without, int64_t *with);
    /* The lanes (a bit each) of BERTH__FAN scores that are feasible; the best of the chosen lanes
     * and which of them share it (`lanes` is not 0 and has only feasible ones). */
    uint32_t (*feasible_lanes)(const int32_t *scores);
    int32_t (*best_lanes)(const int32_t *scores, uint32_t lanes, uint32_t *equal);
    /* The lanes whose score is at least `least`. */
    uint32_t (*lanes_from)(const int32_t *scores, int32_t least);
    /* Clear the slots of a tile whose leaf scores less than `least`. The tile has `groups` groups
     * of leaves; slots beyond them are cleared, too. */
    void (*leaves_from)(const int32_t *leaves, uint32_t groups, int32_t least, berth__mask *slots);
    /* Raise `best` to the best leaf of the slots, which are feasible, and count its equals. `bests`
     * are the best scores of the tile's groups. */
    void (*best_leaves)(const int32_t *leaves, const int32_t *bests, const berth__mask *slots,
                        berth__tree_sum *best);
    /* The class ids, below 64, of the slots in a mask: a bit each. */
    uint64_t (*class_bits)(const uint16_t *ids, const berth__mask *slots);
    /* totals = leaf + parts[id], for the leaves of a tile with `groups` groups. Ids are below
     * `count`. The leaves and the totals may be the same array. */
    void (*class_totals)(const int32_t *leaves, uint32_t groups, const uint16_t *ids,
                         const int32_t *parts, uint32_t count, int32_t *totals);
    /* Raise `best` to the best total of the feasible slots first .. last (not empty) of a tree, and
     * count its equals. */
    void (*class_best)(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                       uint32_t last, berth__tree_sum *best);
    /* The same for the slots of a mask, which are feasible, of a tile with `groups` groups. */
    void (*class_best_of)(const int32_t *leaves, uint32_t groups, const berth__class_parts *classes,
                          const berth__mask *slots, berth__tree_sum *best);
    /* The n-th (from 0) of the slots first .. last whose total is at least `least`. UINT32_MAX:
     * there are too few, and their number was subtracted from `n`. */
    uint32_t (*class_nth)(const int32_t *leaves, const berth__class_parts *classes, uint32_t first,
                          uint32_t last, int32_t least, uint32_t *n);
    /* How many of the listed slots are feasible and have leaf + parts[cell] = total. */
    uint32_t (*count_listed)(const int32_t *leaves, const berth__peopled_slot *listed,
                             uint32_t count, const int32_t *parts, int32_t total);
    /* The best leaf of each lane of a tile with `groups` groups, and how many leaves share it; for
     * a lane without feasible slots `none`, which is negative, and 0. A lane is below `lanes`; ids
     * are those of a whole tile. */
    void (*best_by_lane)(const int32_t *leaves, uint32_t groups, const uint8_t *ids, uint32_t lanes,
                         int32_t none, int32_t *best, uint32_t *counts);
    /* The first of a tree's leaves first .. last (not empty) whose score is at least `least`;
     * UINT32_MAX: there is none. A node of `levels` groups the leaves or nodes below it. */
    uint32_t (*first_leaf)(const int32_t *leaves, const berth__tree_level *levels, uint32_t first,
                           uint32_t last, int32_t least);
    /* The first leaf in heap order (base/heap_order.h) that has the best score among `count` leaves
     * from `start` on, wrapping around after `slots` leaves. */
    uint32_t (*heap_leaf)(const int32_t *leaves, const berth__tree_level *levels, uint32_t slots,
                          uint32_t start, uint32_t count, int32_t best);
    /* Update the nodes at these positions. A node groups BERTH__FAN scores (negative: not feasible)
     * from number BERTH__FAN * position on: the best, how many share it, how many are feasible; or
     * as many nodes of the level below. Returns how many nodes changed; their positions are moved
     * to the front. */
    uint32_t (*regroup_leaves)(const int32_t *leaves, const berth__tree_level *nodes,
                               uint32_t *positions, uint32_t count);
    uint32_t (*regroup_groups)(const berth__tree_level *children, const berth__tree_level *nodes,
                               uint32_t *positions, uint32_t count);
    /* Totals of slots `first` up to `first + count`: weighted sums of `least`, averaged over the
     * two resources, and of `balance`; -1 if the pod does not fit. Reads and writes up to the next
     * multiple of BERTH__BASIC_RUN. */
    void (*basic)(const berth__basic_columns *slots, uint32_t first, uint32_t count,
                  const berth__basic_ask *ask, int32_t *totals);
    /* The totals of `basic` of the slots that are listed, given the states of all slots. Writes up
     * to the next multiple of BERTH__BASIC_RUN. `invertible`: see berth__basic_columns. */
    void (*basic_listed)(const berth__basic_state *states, bool invertible, const uint32_t *listed,
                         uint32_t count, const berth__basic_ask *ask, int32_t *totals);
    /* Balance by v1.15's rule: trunc((1 - |f1 - f2|) * 10), where a fraction is (used + ask) /
     * allocatable; 0 if a fraction is 1 or more or an allocatable is 0. */
    void (*balance_tenths)(const int64_t *allocatable1, const int64_t *used1, int64_t ask1,
                           const int64_t *allocatable2, const int64_t *used2, int64_t ask2,
                           int64_t *out);
    /* Clear the slots where value > limit. */
    void (*at_most)(const uint32_t *values, uint32_t limit, berth__mask *mask);
    /* out = table[index], out += table[index]; the table has `count` entries. */
    void (*gather)(const uint32_t *table, uint32_t count, const uint32_t *index, uint32_t *out);
    void (*gather_add)(const int32_t *table, uint32_t count, const uint32_t *index, int64_t *out);
    /* sums += pods * weight + skew, for slots whose bit in `present` (BERTH__TILE_WORDS words) is
     * set. */
    void (*spread_add)(const uint32_t *pods, double weight, double skew, const uint64_t *present,
                       double *sums);
    /* Round, halves away from zero; |sums| < 2^31. */
    void (*round_small)(const double *sums, int64_t *out);
    /* The first `count` values, and perhaps some more: 100 * (highest + lowest - value) / highest,
     * truncated; 0 for values outside the range. 0 <= lowest <= highest < 2^31, highest > 0. */
    void (*spread_normalize)(int64_t lowest, int64_t highest, uint32_t count, int64_t *values);
    /* out += weight * pods. */
    void (*affinity_add)(const uint32_t *pods, int64_t weight, int64_t *out);
    /* The first `count` values, and perhaps some more: 100 * ((value - lowest) / (highest -
     * lowest)), truncated; 0 for values outside the range. 0 < highest - lowest < 2^31. */
    void (*affinity_normalize)(int64_t lowest, int64_t highest, uint32_t count, int64_t *values);
    /* The best total of the slots in `mask`, and how many share it; INT64_MIN and 0 if the mask is
     * empty. */
    void (*best)(const int64_t *totals, const berth__mask *mask, int64_t *best, uint32_t *count);
    /* The scores of `basic` for a whole tile, without the test for room, into `totals`. Amounts are
     * not wide. */
    void (*basic_scores)(const berth__amount_columns *tile, const berth__basic_ask *ask,
                         int64_t *totals);
    /* Widen lowest..highest by the values whose slots are in `mask`, and keep all values in 16
     * bits. INT64_MIN is no value. */
    void (*narrow)(const int64_t *values, const berth__mask *mask, int16_t *kept, int64_t *lowest,
                   int64_t *highest);
    /* total += value * weight. */
    void (*accumulate)(int64_t *total, const int64_t *values, int64_t weight);
    /* total += amount, for the slots in `mask`. */
    void (*add_where)(const berth__mask *mask, int64_t amount, int64_t *total);
    /* leaf += amount, for the slots in `mask`; the results fit into 32 bits. */
    void (*raise_leaves)(const berth__mask *mask, int32_t amount, int32_t *leaves);
    /* leaf += value * weight, for the slots in `mask`; the results fit into 32 bits. */
    void (*add_to_leaves)(const berth__mask *mask, const int64_t *values, int32_t weight,
                          int32_t *leaves);
    /* Widen lowest..highest by values kept in 16 bits whose slots are in `mask`. */
    void (*widen_kept)(const int16_t *kept, const berth__mask *mask, int64_t *lowest,
                       int64_t *highest);
    /* out = table[index]; the table has `count` entries. */
    void (*gather_kept)(const int16_t *table, uint32_t count, const uint32_t *index, int16_t *out);
    /* out += amount, for the slots in `mask`. */
    void (*add_where_kept)(const berth__mask *mask, int16_t amount, int16_t *out);
    /* total += the entries of all parts' tables. The entries for one slot add up to an int16. */
    void (*add_parts)(const berth__narrow_part *parts, uint32_t part_count, int64_t *total);
    /* Restore kept values, as far as 16 bits kept them. */
    void (*restore)(const int16_t *kept, int64_t *values);
    /* out = 0. */
    void (*clear)(int64_t *out);
    /* The slots whose value equals `wanted`. */
    berth__mask (*equal)(const uint32_t *values, uint32_t wanted);
    berth__mask (*equal_totals)(const int64_t *totals, int64_t wanted);
} berth__kernels;

/* The best table that this processor runs. Threads: any. */
const berth__kernels *berth__kernels_best(void);

/* Table number `index`, for tests. NULL if there is none, or if the processor cannot run it. */
const berth__kernels *berth__kernels_at(uint32_t index);

#endif
