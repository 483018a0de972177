/* Tile kernels: each instruction set of this processor, and the portable version, must agree with
 * plain arithmetic. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bits.h"
#include "base/random.h"
#include "columns/tile_kernels.h"
#include "columns/view.h"

enum { TABLES_MAX = 8, ROUNDS = 4000 };

static const berth__kernels *tables[TABLES_MAX];
static uint32_t table_count;
static berth__random source;

typedef struct columns {
    _Alignas(64) int64_t allocatable[BERTH__TILE];
    int64_t used[BERTH__TILE];
    int64_t allocatable2[BERTH__TILE];
    int64_t used2[BERTH__TILE];
} columns;

static int set_up(void **state)
{
    (void)state;
    const char *seed = getenv("BERTH_TEST_SEED");
    source.state = seed != NULL ? strtoull(seed, NULL, 0) : 1;
    print_message("seed %llu, instruction sets:", (unsigned long long)source.state);
    for (uint32_t i = 0; i < TABLES_MAX; i++)
        if (berth__kernels_at(i) != NULL) {
            tables[table_count++] = berth__kernels_at(i);
            print_message(" %s", berth__kernels_at(i)->isa);
        }
    print_message("\n");
    return table_count > 0 ? 0 : -1;
}

/* ---- amounts ---- */

/* An amount up to `highest`; small ones and edge cases are as likely as large ones. */
static int64_t amount(int64_t highest)
{
    static const int64_t edges[] = {0, 0, 1, 2, 99, 100, 101, 1000, 4000, INT64_C(1) << 32};
    uint32_t kind = berth__random_below(&source, 8);
    int64_t below = berth__random_below(&source, 3);
    if (kind == 0)
        return highest > below ? highest - below : 0;
    uint32_t bits = berth__random_below(&source, 63);
    int64_t value = (int64_t)(berth__random_next(&source) & berth__low_bits(bits + 1));
    if (kind == 1)
        value = edges[berth__random_below(&source, sizeof(edges) / sizeof(edges[0]))];
    return value <= highest ? value : value % (highest + 1);
}

/* The used part of a capacity: nothing, all, slightly less or more, or anything. */
static int64_t use_of(int64_t capacity, int64_t highest)
{
    int64_t step = (int64_t)berth__random_below(&source, 5) - 2;
    int64_t near = step > 0 && capacity > highest - step ? highest : capacity + step;
    switch (berth__random_below(&source, 5)) {
    case 0:
        return 0;
    case 1:
        return near < 0 ? 0 : near > highest ? highest : near;
    case 2:
        return amount(capacity);
    default:
        return amount(highest);
    }
}

static void fill(columns *out, int64_t highest)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        out->allocatable[s] = amount(highest);
        out->allocatable2[s] = amount(highest);
        out->used[s] = use_of(out->allocatable[s], highest);
        out->used2[s] = use_of(out->allocatable2[s], highest);
    }
}

static berth__mask random_mask(void)
{
    berth__mask mask;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        switch (berth__random_below(&source, 4)) {
        case 0:
            mask.words[w] = 0;
            break;
        case 1:
            mask.words[w] = UINT64_MAX;
            break;
        default:
            mask.words[w] = berth__random_next(&source);
        }
    return mask;
}

/* ---- comparing ---- */

static void check(const char *what, uint32_t table, uint32_t slot, int64_t wanted, int64_t got)
{
    if (wanted != got)
        fail_msg("%s, %s, slot %u: %lld instead of %lld", what, tables[table]->isa, (unsigned)slot,
                 (long long)got, (long long)wanted);
}

static void check_mask(const char *what, uint32_t table, const berth__mask *before,
                       const bool *passes, const berth__mask *got)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        check(what, table, s, berth__bit_get(before->words, s) && passes[s],
              berth__bit_get(got->words, s));
}

/* ---- filters ---- */

static void test_fit(void **state)
{
    (void)state;
    static columns c;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t highest = round % 2 == 0 ? INT64_MAX : BERTH__SMALL_AMOUNT;
        bool passes[BERTH__TILE];
        fill(&c, highest);
        int64_t ask = use_of(c.allocatable[round % BERTH__TILE], highest);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            passes[s] = (__int128)ask <= (__int128)c.allocatable[s] - c.used[s];
        const berth__mask before = random_mask();
        for (uint32_t t = 0; t < table_count; t++) {
            berth__mask mask = before;
            tables[t]->fit(c.allocatable, c.used, ask, &mask);
            check_mask("fit", t, &before, passes, &mask);
        }
    }
}

static void test_fit_pods(void **state)
{
    (void)state;
    _Alignas(64) static int32_t used[BERTH__TILE], max[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        bool passes[BERTH__TILE];
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            max[s] = (int32_t)amount(INT32_MAX);
            used[s] = (int32_t)use_of(max[s], INT32_MAX);
            passes[s] = (int64_t)used[s] + 1 <= max[s];
        }
        const berth__mask before = random_mask();
        for (uint32_t t = 0; t < table_count; t++) {
            berth__mask mask = before;
            tables[t]->fit_pods(used, max, &mask);
            check_mask("fit_pods", t, &before, passes, &mask);
        }
    }
}

static void test_at_most(void **state)
{
    (void)state;
    _Alignas(64) static uint32_t values[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        bool passes[BERTH__TILE];
        uint32_t limit = (uint32_t)amount(UINT32_MAX);
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            values[s] = (uint32_t)use_of(limit, UINT32_MAX);
            passes[s] = values[s] <= limit;
        }
        const berth__mask before = random_mask();
        for (uint32_t t = 0; t < table_count; t++) {
            berth__mask mask = before;
            tables[t]->at_most(values, limit, &mask);
            check_mask("at_most", t, &before, passes, &mask);
        }
    }
}

/* ---- scores ---- */

static int64_t plain_least(int64_t capacity, int64_t used, int64_t ask)
{
    return used + ask > capacity ? 0 : (capacity - used - ask) * 100 / capacity;
}

static int64_t plain_most(int64_t capacity, int64_t used, int64_t ask)
{
    return (used + ask > capacity ? capacity : used + ask) * 100 / capacity;
}

/* Two resources with weights, as NodeResourcesFit scores them. */
static void check_strategy(const columns *c, int64_t ask, int64_t ask2, const int64_t *weight,
                           bool is_least)
{
    for (uint32_t t = 0; t < table_count; t++) {
        _Alignas(64) double sums[BERTH__TILE] = {0}, weights[BERTH__TILE] = {0};
        _Alignas(64) int64_t got[BERTH__TILE];
        const berth__kernels *k = tables[t];
        void (*score)(const int64_t *, const int64_t *, int64_t, double, double *, double *) =
            is_least ? k->least : k->most;
        score(c->allocatable, c->used, ask, (double)weight[0], sums, weights);
        score(c->allocatable2, c->used2, ask2, (double)weight[1], sums, weights);
        k->average(sums, weights, got);
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            int64_t (*plain)(int64_t, int64_t, int64_t) = is_least ? plain_least : plain_most;
            int64_t sum = 0, count = 0;
            if (c->allocatable[s] > 0) {
                sum += weight[0] * plain(c->allocatable[s], c->used[s], ask);
                count += weight[0];
            }
            if (c->allocatable2[s] > 0) {
                sum += weight[1] * plain(c->allocatable2[s], c->used2[s], ask2);
                count += weight[1];
            }
            check(is_least ? "least" : "most", t, s, count > 0 ? sum / count : 0, got[s]);
        }
    }
}

static void test_allocation_scores(void **state)
{
    (void)state;
    static columns c;
    for (int round = 0; round < ROUNDS; round++) {
        fill(&c, round % 2 == 0 ? BERTH__SMALL_AMOUNT : 100000);
        int64_t ask = use_of(c.allocatable[0], BERTH__SMALL_AMOUNT);
        int64_t ask2 = use_of(c.allocatable2[1], BERTH__SMALL_AMOUNT);
        const int64_t weight[] = {1 + berth__random_below(&source, 100),
                                  1 + berth__random_below(&source, 100)};
        check_strategy(&c, ask, ask2, weight, round % 4 < 2);
    }
}

/* Quotients close to an integer, which a rounded division could exceed. */
static void test_scores_next_to_integers(void **state)
{
    (void)state;
    static columns c;
    static const int64_t weight[] = {1, 1};
    for (int round = 0; round < ROUNDS; round++) {
        memset(&c, 0, sizeof(c));
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            int64_t capacity = amount(BERTH__SMALL_AMOUNT - 4) + 4;
            int64_t exact = capacity / 100 * berth__random_below(&source, 101);
            int64_t used = exact + (int64_t)berth__random_below(&source, 5) - 2;
            c.allocatable[s] = capacity;
            c.used[s] = used < 0 ? 0 : used;
        }
        check_strategy(&c, 0, 0, weight, round % 2 == 0);
    }
}

static void test_mean_tenths(void **state)
{
    (void)state;
    for (int64_t first = 0; first <= 100; first++) {
        for (int64_t second = 0; second <= 100; second++) {
            _Alignas(64) double a[BERTH__TILE], b[BERTH__TILE];
            _Alignas(64) int64_t got[BERTH__TILE];
            for (uint32_t s = 0; s < BERTH__TILE; s++) {
                a[s] = (double)((first + s) % 101);
                b[s] = (double)second;
            }
            for (uint32_t t = 0; t < table_count; t++) {
                tables[t]->mean_tenths(a, b, got);
                for (uint32_t s = 0; s < BERTH__TILE; s++)
                    check("mean_tenths", t, s, ((first + s) % 101 / 10 + second / 10) / 2, got[s]);
            }
        }
    }
}

static double fraction_of(int64_t capacity, int64_t taken)
{
    double fraction = (double)taken / (double)capacity;
    return fraction > 1.0 ? 1.0 : fraction;
}

static int64_t plain_balance(const columns *c, uint32_t s, int64_t ask, int64_t ask2)
{
    if (c->allocatable[s] == 0 || c->allocatable2[s] == 0)
        return 100;
    double difference = fraction_of(c->allocatable[s], c->used[s] + ask) -
                        fraction_of(c->allocatable2[s], c->used2[s] + ask2);
    return (int64_t)((1.0 - (difference < 0 ? -difference : difference) / 2.0) * 100.0);
}

static int64_t plain_balance_tenths(const columns *c, uint32_t s, int64_t ask, int64_t ask2)
{
    if (c->allocatable[s] <= c->used[s] + ask || c->allocatable2[s] <= c->used2[s] + ask2)
        return 0;
    double difference = (double)(c->used[s] + ask) / (double)c->allocatable[s] -
                        (double)(c->used2[s] + ask2) / (double)c->allocatable2[s];
    return (int64_t)((1.0 - (difference < 0 ? -difference : difference)) * 10.0);
}

static void test_balance(void **state)
{
    (void)state;
    static columns c;
    for (int round = 0; round < ROUNDS; round++) {
        fill(&c, round % 2 == 0 ? BERTH__SMALL_AMOUNT : 10000);
        int64_t ask = use_of(c.allocatable[0], BERTH__SMALL_AMOUNT);
        int64_t ask2 = use_of(c.allocatable2[1], BERTH__SMALL_AMOUNT);
        for (uint32_t t = 0; t < table_count; t++) {
            _Alignas(64) int64_t got[BERTH__TILE], tenths[BERTH__TILE];
            tables[t]->balance(c.allocatable, c.used, ask, c.allocatable2, c.used2, ask2, got);
            tables[t]->balance_tenths(c.allocatable, c.used, ask, c.allocatable2, c.used2, ask2,
                                      tenths);
            for (uint32_t s = 0; s < BERTH__TILE; s++) {
                check("balance", t, s, plain_balance(&c, s, ask, ask2), got[s]);
                check("balance_tenths", t, s, plain_balance_tenths(&c, s, ask, ask2), tenths[s]);
            }
        }
    }
}

/* ---- reductions ---- */

static void test_best(void **state)
{
    (void)state;
    _Alignas(64) static int64_t totals[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        const berth__mask mask = random_mask();
        uint32_t spread = 1 + berth__random_below(&source, 50);
        int64_t highest = INT64_MIN;
        uint32_t sharing = 0;
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            totals[s] = (int64_t)berth__random_below(&source, spread) - 5;
            if (round % 3 == 0)
                totals[s] = (int64_t)berth__random_next(&source) >> 1;
            if (!berth__bit_get(mask.words, s))
                continue;
            sharing = totals[s] > highest ? 1 : sharing + (totals[s] == highest);
            highest = totals[s] > highest ? totals[s] : highest;
        }
        for (uint32_t t = 0; t < table_count; t++) {
            int64_t best = 7;
            uint32_t count = 7;
            tables[t]->best(totals, &mask, &best, &count);
            check("best", t, 0, highest, best);
            check("count of the best", t, 0, sharing, count);
        }
    }
}

/* Small values, large ones, and the mark for none. */
static void test_narrow(void **state)
{
    (void)state;
    _Alignas(64) static int64_t values[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        const berth__mask mask = random_mask();
        int64_t lowest = INT64_MAX, highest = INT64_MIN;
        if (round % 2 == 0)
            lowest = highest = (int64_t)berth__random_below(&source, 50);
        int64_t from_lowest = lowest, from_highest = highest;
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            values[s] = (int64_t)berth__random_below(&source, 100) - 20;
            if (round % 3 == 0)
                values[s] = (int64_t)berth__random_next(&source);
            if (round % 3 == 1)
                values[s] = (INT16_MAX - 3 + (int64_t)berth__random_below(&source, 7)) *
                            (berth__random_below(&source, 2) == 0 ? 1 : -1);
            if (berth__random_below(&source, 4) == 0)
                values[s] = INT64_MIN;
            if (!berth__bit_get(mask.words, s) || values[s] == INT64_MIN)
                continue;
            lowest = values[s] < lowest ? values[s] : lowest;
            highest = values[s] > highest ? values[s] : highest;
        }
        for (uint32_t t = 0; t < table_count; t++) {
            int64_t low = from_lowest, high = from_highest;
            int16_t kept[BERTH__TILE];
            tables[t]->narrow(values, &mask, kept, &low, &high);
            check("lowest", t, 0, lowest, low);
            check("highest", t, 0, highest, high);
            _Alignas(64) int64_t restored[BERTH__TILE];
            tables[t]->restore(kept, restored);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                if (values[s] == INT64_MIN ||
                    (values[s] >= -BERTH__NARROW_MAX && values[s] <= BERTH__NARROW_MAX))
                    check("kept", t, s, values[s], restored[s]);
            if (round % 3 == 2) { /* all of them fit */
                int64_t low_kept = from_lowest, high_kept = from_highest;
                tables[t]->widen_kept(kept, &mask, &low_kept, &high_kept);
                check("lowest kept", t, 0, lowest, low_kept);
                check("highest kept", t, 0, highest, high_kept);
            }
            tables[t]->clear(restored);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("clear", t, s, 0, restored[s]);
        }
    }
}

static void test_accumulate(void **state)
{
    (void)state;
    _Alignas(64) static int64_t values[BERTH__TILE], before[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t weight = amount(INT32_MAX);
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            values[s] = amount(1 << 30) - (1 << 29);
            before[s] = amount(INT64_C(1) << 60);
        }
        for (uint32_t t = 0; t < table_count; t++) {
            _Alignas(64) int64_t total[BERTH__TILE];
            memcpy(total, before, sizeof(total));
            tables[t]->accumulate(total, values, weight);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("accumulate", t, s, before[s] + values[s] * weight, total[s]);
        }
    }
}

static void test_add_where(void **state)
{
    (void)state;
    _Alignas(64) static int64_t before[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        const berth__mask mask = random_mask();
        int64_t more = amount(INT64_C(1) << 60) - (INT64_C(1) << 59);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            before[s] = amount(INT64_C(1) << 60);
        for (uint32_t t = 0; t < table_count; t++) {
            _Alignas(64) int64_t total[BERTH__TILE];
            memcpy(total, before, sizeof(total));
            tables[t]->add_where(&mask, more, total);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("add_where", t, s,
                      berth__bit_get(mask.words, s) ? before[s] + more : before[s], total[s]);
        }
    }
}

static void test_add_to_leaves(void **state)
{
    (void)state;
    _Alignas(64) static int64_t values[BERTH__TILE];
    _Alignas(64) static int32_t before[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        const berth__mask mask = random_mask();
        const int32_t weight = (int32_t)berth__random_below(&source, 2001) - 1000;
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            before[s] = (int32_t)amount(1 << 30);
            values[s] = amount(2000000) - 1000000;
        }
        for (uint32_t t = 0; t < table_count; t++) {
            _Alignas(64) int32_t leaves[BERTH__TILE];
            memcpy(leaves, before, sizeof(leaves));
            tables[t]->add_to_leaves(&mask, values, weight, leaves);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("add_to_leaves", t, s,
                      before[s] + (berth__bit_get(mask.words, s) ? values[s] * weight : 0),
                      leaves[s]);
            memcpy(leaves, before, sizeof(leaves));
            tables[t]->raise_leaves(&mask, weight, leaves);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("raise_leaves", t, s,
                      before[s] + (berth__bit_get(mask.words, s) ? weight : 0), leaves[s]);
        }
    }
}

static void test_kept(void **state)
{
    (void)state;
    uint32_t index[BERTH__TILE];
    int16_t table[BERTH__FEW], kept[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        const berth__mask mask = random_mask();
        uint32_t count = 1 + berth__random_below(&source, round % 2 == 0 ? 34 : BERTH__FEW);
        int16_t more = (int16_t)((int32_t)berth__random_below(&source, 2001) - 1000);
        for (uint32_t i = 0; i < count; i++)
            table[i] = (int16_t)((int32_t)berth__random_below(&source, 60001) - 30000);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            index[s] = berth__random_below(&source, count);
        for (uint32_t t = 0; t < table_count; t++) {
            tables[t]->gather_kept(table, count, index, kept);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("gather_kept", t, s, table[index[s]], kept[s]);
            tables[t]->add_where_kept(&mask, more, kept);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("add_where_kept", t, s,
                      table[index[s]] + (berth__bit_get(mask.words, s) ? more : 0), kept[s]);
        }
    }
}

/* A part with small entries, so that the sum for a slot fits in an int16. */
static void random_part(int16_t *kept, int16_t *table, berth__narrow_part *out)
{
    uint32_t count = berth__random_below(&source, BERTH__FEW);
    int16_t lowest = (int16_t)((int32_t)berth__random_below(&source, UINT16_MAX - BERTH__FEW) -
                               BERTH__NARROW_MAX);
    for (uint32_t i = 0; i <= BERTH__FEW; i++)
        table[i] = (int16_t)((int32_t)berth__random_below(&source, 8001) - 4000);
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        kept[s] = (int16_t)(lowest + (int32_t)berth__random_below(&source, count + 1));
        if (berth__random_below(&source, 8) == 0)
            kept[s] = (int16_t)berth__random_next(&source);
    }
    *out = (berth__narrow_part){kept, table, lowest, (uint16_t)count};
}

static int64_t part_of(const berth__narrow_part *part, uint32_t s)
{
    bool inside = part->kept[s] >= part->lowest && part->kept[s] < part->lowest + part->count;
    return part->table[inside ? part->kept[s] - part->lowest : part->count];
}

static void test_add_parts(void **state)
{
    (void)state;
    enum { PARTS = 8 };
    _Alignas(64) static int64_t before[BERTH__TILE];
    static int16_t kept[PARTS][BERTH__TILE], table[PARTS][BERTH__FEW + 1];
    berth__narrow_part parts[PARTS];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t count = berth__random_below(&source, PARTS + 1);
        for (uint32_t i = 0; i < count; i++)
            random_part(kept[i], table[i], &parts[i]);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            before[s] = amount(INT64_C(1) << 60);
        for (uint32_t t = 0; t < table_count; t++) {
            _Alignas(64) int64_t total[BERTH__TILE];
            memcpy(total, before, sizeof(total));
            tables[t]->add_parts(parts, count, total);
            for (uint32_t s = 0; s < BERTH__TILE; s++) {
                int64_t wanted = before[s];
                for (uint32_t i = 0; i < count; i++)
                    wanted += part_of(&parts[i], s);
                check("add_parts", t, s, wanted, total[s]);
            }
        }
    }
}

static void test_equal(void **state)
{
    (void)state;
    _Alignas(64) static uint32_t values[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t wanted = (uint32_t)amount(UINT32_MAX);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            values[s] = berth__random_below(&source, 2) == 0 ? wanted
                                                             : (uint32_t)use_of(wanted, UINT32_MAX);
        for (uint32_t t = 0; t < table_count; t++) {
            berth__mask mask = tables[t]->equal(values, wanted);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("equal", t, s, values[s] == wanted, berth__bit_get(mask.words, s));
        }
    }
}

static void test_equal_totals(void **state)
{
    (void)state;
    _Alignas(64) static int64_t totals[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        int64_t wanted = amount(INT64_MAX);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            totals[s] = wanted ^ (int64_t)(berth__random_below(&source, 2) *
                                           (UINT64_C(1) << berth__random_below(&source, 64)));
        for (uint32_t t = 0; t < table_count; t++) {
            berth__mask mask = tables[t]->equal_totals(totals, wanted);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("equal_totals", t, s, totals[s] == wanted, berth__bit_get(mask.words, s));
        }
    }
}

static void check_group(const char *what, uint32_t table, berth__tree_sum wanted,
                        berth__tree_sum got)
{
    check(what, table, 0, wanted.best, got.best);
    check(what, table, 1, wanted.best_count, got.best_count);
    check(what, table, 2, wanted.feasible, got.feasible);
}

/* A tree level of one node with these numbers. */
typedef struct one_node {
    int32_t best;
    uint32_t best_count, feasible;
} one_node;

static berth__tree_level level_of(one_node *node)
{
    return (berth__tree_level){&node->best, &node->best_count, &node->feasible};
}

/* Node 0 must have the wanted sum, and must be listed if it differed before. */
static void check_regrouped(const char *what, uint32_t table, berth__tree_sum wanted,
                            one_node *node, bool same, uint32_t listed)
{
    check_group(what, table, wanted,
                (berth__tree_sum){node->best, node->best_count, node->feasible});
    check(what, table, 3, !same, listed);
}

static one_node node_before(berth__tree_sum wanted, bool same)
{
    return (one_node){wanted.best, wanted.best_count, wanted.feasible + !same};
}

static void test_regroup_leaves(void **state)
{
    (void)state;
    _Alignas(64) static int32_t scores[BERTH__FAN];
    for (int round = 0; round < ROUNDS; round++) {
        berth__tree_sum wanted = {-1, 0, 0};
        uint32_t spread = 1 + berth__random_below(&source, 400);
        for (uint32_t i = 0; i < BERTH__FAN; i++) {
            bool feasible = berth__random_below(&source, 5) < (uint32_t)round % 6;
            scores[i] = feasible ? (int32_t)berth__random_below(&source, spread) : -1;
            wanted.feasible += feasible;
            if (!feasible || scores[i] < wanted.best)
                continue;
            wanted.best_count = scores[i] > wanted.best ? 1 : wanted.best_count + 1;
            wanted.best = scores[i];
        }
        for (uint32_t t = 0; t < table_count; t++) {
            bool same = berth__random_below(&source, 2) == 0;
            one_node node = node_before(wanted, same);
            uint32_t position = 0;
            const berth__tree_level level = level_of(&node);
            uint32_t listed = tables[t]->regroup_leaves(scores, &level, &position, 1);
            check_regrouped("regroup_leaves", t, wanted, &node, same, listed);
        }
    }
}

static void test_regroup_groups(void **state)
{
    (void)state;
    _Alignas(64) static int32_t best[BERTH__FAN];
    _Alignas(64) static uint32_t best_count[BERTH__FAN], feasible[BERTH__FAN];
    for (int round = 0; round < ROUNDS; round++) {
        berth__tree_sum wanted = {-1, 0, 0};
        uint32_t spread = 1 + berth__random_below(&source, 20);
        for (uint32_t i = 0; i < BERTH__FAN; i++) {
            bool any = berth__random_below(&source, 5) < (uint32_t)round % 6;
            best[i] = any ? (int32_t)berth__random_below(&source, spread) : -1;
            best_count[i] = any ? 1 + berth__random_below(&source, 1000000) : 0;
            feasible[i] = any ? best_count[i] + berth__random_below(&source, 1000000) : 0;
            wanted.feasible += feasible[i];
            if (!any || best[i] < wanted.best)
                continue;
            wanted.best_count =
                best[i] > wanted.best ? best_count[i] : wanted.best_count + best_count[i];
            wanted.best = best[i];
        }
        for (uint32_t t = 0; t < table_count; t++) {
            bool same = berth__random_below(&source, 2) == 0;
            one_node node = node_before(wanted, same);
            uint32_t position = 0;
            const berth__tree_level children = {best, best_count, feasible};
            const berth__tree_level level = level_of(&node);
            uint32_t listed = tables[t]->regroup_groups(&children, &level, &position, 1);
            check_regrouped("regroup_groups", t, wanted, &node, same, listed);
        }
    }
}

static void test_lanes(void **state)
{
    (void)state;
    _Alignas(64) static int32_t scores[BERTH__FAN];
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t spread = 1 + berth__random_below(&source, 20), feasible = 0, equal = 0;
        for (uint32_t i = 0; i < BERTH__FAN; i++) {
            scores[i] = (int32_t)berth__random_below(&source, spread + 2) - 2;
            feasible |= (uint32_t)(scores[i] >= 0) << i;
        }
        uint32_t lanes = (uint32_t)berth__random_next(&source) & feasible, from = 0;
        int32_t best = -1, least = (int32_t)berth__random_below(&source, spread + 3) - 2;
        for (uint32_t i = 0; i < BERTH__FAN; i++)
            from |= (uint32_t)(scores[i] >= least) << i;
        for (uint32_t i = 0; i < BERTH__FAN; i++)
            best = (lanes >> i & 1) != 0 && scores[i] > best ? scores[i] : best;
        for (uint32_t i = 0; i < BERTH__FAN; i++)
            equal |= (lanes >> i & (uint32_t)(scores[i] == best)) << i;
        for (uint32_t t = 0; t < table_count; t++) {
            uint32_t got = 0;
            check("feasible_lanes", t, 0, feasible, tables[t]->feasible_lanes(scores));
            check("lanes_from", t, 0, from, tables[t]->lanes_from(scores, least));
            if (lanes == 0)
                continue;
            check("best_lanes", t, 0, best, tables[t]->best_lanes(scores, lanes, &got));
            check("lanes that share it", t, 0, equal, got);
        }
    }
}

/* The leaves of a tile with `groups` groups and some of its slots, and the best of each group. */
typedef struct leaf_tile {
    _Alignas(64) int32_t leaves[BERTH__TILE];
    int32_t bests[BERTH__TILE / BERTH__FAN];
    uint32_t groups;
    berth__mask slots;
} leaf_tile;

static void fill_leaf_tile(leaf_tile *out)
{
    uint32_t spread = 1 + berth__random_below(&source, 20);
    uint32_t chosen = berth__random_below(&source, 3);
    *out = (leaf_tile){.groups = 1 + berth__random_below(&source, BERTH__TILE / BERTH__FAN)};
    for (uint32_t i = 0; i < BERTH__TILE; i++) {
        int32_t *best = &out->bests[i / BERTH__FAN];
        out->leaves[i] = (int32_t)berth__random_below(&source, spread + 2) - 2;
        *best = i % BERTH__FAN == 0 || out->leaves[i] > *best ? out->leaves[i] : *best;
        berth__bit_put(out->slots.words, i, berth__random_below(&source, 3) >= chosen);
    }
}

static void test_leaf_tiles(void **state)
{
    (void)state;
    static leaf_tile tile;
    for (int round = 0; round < ROUNDS; round++) {
        fill_leaf_tile(&tile);
        int32_t least = (int32_t)berth__random_below(&source, 4);
        berth__tree_sum before = {(int32_t)berth__random_below(&source, 20) - 1, 7, 0};
        berth__tree_sum wanted = before;
        berth__mask kept = {{0}};
        for (uint32_t i = 0; i < tile.groups * BERTH__FAN; i++) {
            int32_t total = tile.leaves[i];
            if (!berth__bit_get(tile.slots.words, i) || total < least)
                continue;
            berth__bit_set(kept.words, i);
            wanted.best_count = total > wanted.best    ? 1
                                : total == wanted.best ? wanted.best_count + 1
                                                       : wanted.best_count;
            wanted.best = total > wanted.best ? total : wanted.best;
        }
        for (uint32_t t = 0; t < table_count; t++) {
            berth__mask got = tile.slots;
            berth__tree_sum best = before;
            tables[t]->leaves_from(tile.leaves, tile.groups, least, &got);
            for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
                check("leaves_from", t, w, (int64_t)kept.words[w], (int64_t)got.words[w]);
            tables[t]->best_leaves(tile.leaves, tile.bests, &kept, &best);
            check("best_leaves", t, 0, wanted.best, best.best);
            check("leaves that share it", t, 0, wanted.best_count, best.best_count);
        }
    }
}

/* Ids of few classes or many; small tables are kept in vectors. */
static void test_class_tiles(void **state)
{
    (void)state;
    static leaf_tile tile;
    enum { CLASSES = 512 };
    uint16_t ids[BERTH__TILE];
    int32_t parts[CLASSES], totals[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        fill_leaf_tile(&tile);
        uint32_t count = 1 + berth__random_below(&source, 1u << berth__random_below(&source, 10));
        uint64_t bits = 0;
        for (uint32_t i = 0; i < count; i++)
            parts[i] = (int32_t)berth__random_below(&source, 1000);
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            ids[s] = (uint16_t)berth__random_below(&source, count);
            if (berth__bit_get(tile.slots.words, s))
                bits |= UINT64_C(1) << ids[s] % 64;
        }
        for (uint32_t t = 0; t < table_count; t++) {
            tables[t]->class_totals(tile.leaves, tile.groups, ids, parts, count, totals);
            for (uint32_t s = 0; s < tile.groups * BERTH__FAN && s < BERTH__TILE; s++)
                check("class_totals", t, s, tile.leaves[s] + parts[ids[s]], totals[s]);
            if (count <= 64)
                check("class_bits", t, 0, (int64_t)bits,
                      (int64_t)tables[t]->class_bits(ids, &tile.slots));
        }
    }
}

/* The n-th slot of a range whose total is at least `least`. UINT32_MAX if there are too few; `n` is
 * reduced by their number. */
static uint32_t plain_nth(const leaf_tile *tile, const berth__class_parts *classes, uint32_t first,
                          uint32_t last, int32_t least, uint32_t *n)
{
    for (uint32_t s = first; s < last; s++)
        if (tile->leaves[s] >= 0 && tile->leaves[s] + classes->parts[classes->ids[s]] >= least &&
            (*n)-- == 0)
            return s;
    return UINT32_MAX;
}

/* Random classes of a tile's slots, and parts below `most`. */
static void fill_classes(uint16_t *ids, int32_t *parts, uint32_t count, uint32_t most)
{
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (int32_t)berth__random_below(&source, most);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        ids[s] = (uint16_t)berth__random_below(&source, count);
}

/* Sums of leaves and the parts of their classes, over any range. */
static void test_class_ranges(void **state)
{
    (void)state;
    static leaf_tile tile;
    enum { CLASSES = 512 };
    uint16_t ids[BERTH__TILE];
    int32_t parts[CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        fill_leaf_tile(&tile);
        uint32_t count = 1 + berth__random_below(&source, 1u << berth__random_below(&source, 10));
        fill_classes(ids, parts, count, 1 + 4 * (uint32_t)round % 9);
        const berth__class_parts classes = {ids, parts, count};
        uint32_t slots =
            tile.groups * BERTH__FAN < BERTH__TILE ? tile.groups * BERTH__FAN : BERTH__TILE;
        uint32_t first = berth__random_below(&source, slots);
        uint32_t last = first + 1 + berth__random_below(&source, slots - first);
        const berth__tree_sum before = {(int32_t)berth__random_below(&source, 12) - 1, 7, 0};
        berth__tree_sum wanted = before;
        for (uint32_t s = first; s < last; s++) {
            int32_t total = tile.leaves[s] + parts[ids[s]];
            if (tile.leaves[s] < 0 || total < wanted.best)
                continue;
            wanted.best_count = total > wanted.best ? 1 : wanted.best_count + 1;
            wanted.best = total;
        }
        int32_t least = (int32_t)berth__random_below(&source, 12);
        uint32_t n = berth__random_below(&source, 1u << berth__random_below(&source, 7)), left = n;
        uint32_t nth = plain_nth(&tile, &classes, first, last, least, &left);
        for (uint32_t t = 0; t < table_count; t++) {
            berth__tree_sum best = before;
            uint32_t rest = n;
            tables[t]->class_best(tile.leaves, &classes, first, last, &best);
            check("class_best", t, first, wanted.best, best.best);
            check("slots that share it", t, first, wanted.best_count, best.best_count);
            check("class_nth", t, first, nth,
                  tables[t]->class_nth(tile.leaves, &classes, first, last, least, &rest));
            if (nth == UINT32_MAX)
                check("slots before the range's end", t, first, left, rest);
        }
    }
}

/* The same for some of the feasible slots. A tree may have more groups than one tile; what follows
 * the tile's mask in memory does not count. */
static void test_class_masks(void **state)
{
    (void)state;
    static leaf_tile tile;
    enum { CLASSES = 64 };
    uint16_t ids[BERTH__TILE];
    int32_t parts[CLASSES];
    for (int round = 0; round < ROUNDS; round++) {
        fill_leaf_tile(&tile);
        const uint32_t count = 1 + berth__random_below(&source, CLASSES);
        fill_classes(ids, parts, count, 1 + 4 * (uint32_t)round % 9);
        const berth__class_parts classes = {ids, parts, count};
        const berth__tree_sum before = {(int32_t)berth__random_below(&source, 12) - 1, 7, 0};
        berth__tree_sum wanted = before;
        berth__mask slots[2] = {{{0}}, {{0}}};
        const uint32_t groups = tile.groups + (round % 2 == 0 ? 0 : BERTH__TILE / BERTH__FAN);
        const uint32_t sparse = 1 + berth__random_below(&source, 20);
        for (uint32_t s = 0; s < tile.groups * BERTH__FAN && s < BERTH__TILE; s++)
            if (tile.leaves[s] >= 0 && berth__random_below(&source, sparse) == 0) {
                berth__bit_set(slots[0].words, s);
                berth__tree_sum_take(&wanted, tile.leaves[s] + parts[ids[s]], 1);
            }
        berth__bit_set(slots[1].words, 0);
        for (uint32_t t = 0; t < table_count; t++) {
            berth__tree_sum best = before;
            tables[t]->class_best_of(tile.leaves, groups, &classes, slots, &best);
            check("class_best_of", t, count, wanted.best, best.best);
            check("slots of the mask that share it", t, count, wanted.best_count, best.best_count);
        }
    }
}

/* Listed slots with a total, in lists of any length. */
static void test_listed(void **state)
{
    (void)state;
    static leaf_tile tile;
    enum { CELLS = 64 };
    int32_t parts[CELLS];
    berth__peopled_slot listed[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        fill_leaf_tile(&tile);
        const int32_t total = (int32_t)berth__random_below(&source, 8);
        const uint32_t cells = 1 + berth__random_below(&source, CELLS);
        uint32_t count = 0, wanted = 0;
        for (uint32_t i = 0; i < cells; i++)
            parts[i] = berth__random_below(&source, 4) == 0
                           ? INT32_MIN / 2
                           : (int32_t)berth__random_below(&source, 5);
        for (uint32_t s = 0; s < tile.groups * BERTH__FAN && s < BERTH__TILE; s++) {
            if (berth__random_below(&source, 3) == 0)
                continue;
            const uint16_t cell = (uint16_t)berth__random_below(&source, cells);
            listed[count++] = (berth__peopled_slot){s, UINT16_MAX, cell};
            wanted += tile.leaves[s] >= 0 && tile.leaves[s] + parts[cell] == total;
        }
        for (uint32_t t = 0; t < table_count; t++)
            check("count_listed", t, count, wanted,
                  tables[t]->count_listed(tile.leaves, listed, count, parts, total));
    }
}

/* The best leaves by lane, of few lanes and of many, some of which have no feasible slot. The
 * kernel must not write behind the last lane. */
static void test_best_by_lane(void **state)
{
    (void)state;
    static leaf_tile tile;
    enum { LANES = 64, NONE = -1000 };
    for (int round = 0; round < ROUNDS; round++) {
        fill_leaf_tile(&tile);
        uint8_t ids[BERTH__TILE];
        int32_t best[LANES + 1];
        uint32_t counts[LANES + 1] = {0};
        const uint32_t lanes = 1 + berth__random_below(&source, LANES);
        const uint32_t used = 1 + berth__random_below(&source, lanes);
        for (uint32_t i = 0; i <= LANES; i++)
            best[i] = NONE;
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            const int32_t leaf = s < tile.groups * BERTH__FAN ? tile.leaves[s] : -1;
            ids[s] = (uint8_t)berth__random_below(&source, used);
            if (leaf < 0)
                continue;
            counts[ids[s]] = leaf > best[ids[s]] ? 1 : counts[ids[s]] + (leaf == best[ids[s]]);
            best[ids[s]] = leaf > best[ids[s]] ? leaf : best[ids[s]];
        }
        for (uint32_t t = 0; t < table_count; t++) {
            int32_t got[LANES + 1];
            uint32_t equal[LANES + 1];
            got[lanes] = NONE;
            equal[lanes] = 0;
            tables[t]->best_by_lane(tile.leaves, tile.groups, ids, lanes, NONE, got, equal);
            for (uint32_t lane = 0; lane <= lanes; lane++) {
                check("best_by_lane", t, lane, best[lane], got[lane]);
                check("leaves that share it", t, lane, counts[lane], equal[lane]);
            }
        }
    }
}

/* ---- the fused kernel must equal the separate ones ---- */

typedef struct basic_slots {
    columns amounts; /* cpu, memory: allocatable, used */
    _Alignas(64) int64_t nonzero[2][BERTH__TILE];
    int32_t pods_used[BERTH__TILE], pods_max[BERTH__TILE];
    double doubles[7][BERTH__TILE];
    int32_t evenness[BERTH__TILE];
    bool invertible;
} basic_slots;

/* A capacity made of any amount, such that its quotients may be products; often the largest. */
static int64_t invertible_amount(int64_t amount)
{
    if (berth__random_below(&source, 8) == 0)
        return BERTH__INVERTIBLE_AMOUNT - (int64_t)berth__random_below(&source, 3);
    return amount > BERTH__INVERTIBLE_AMOUNT ? amount - BERTH__INVERTIBLE_AMOUNT : amount + !amount;
}

/* Use of which a whole number of hundredths is free, or one unit more or less. */
static int64_t use_near_hundredth(int64_t capacity)
{
    const int64_t share = (int64_t)berth__random_below(&source, 101);
    const int64_t used = capacity - (capacity / 100 * share + capacity % 100 * share / 100) - 1 +
                         (int64_t)berth__random_below(&source, 3);
    return used > 0 ? used : 0;
}

static void fill_basic(basic_slots *out)
{
    fill(&out->amounts, BERTH__SMALL_AMOUNT);
    out->invertible = berth__random_below(&source, 2) == 0;
    const bool near = berth__random_below(&source, 2) == 0;
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        if (out->invertible) {
            out->amounts.allocatable[s] = invertible_amount(out->amounts.allocatable[s]);
            out->amounts.allocatable2[s] = invertible_amount(out->amounts.allocatable2[s]);
        }
        const int64_t cpu = out->amounts.allocatable[s], memory = out->amounts.allocatable2[s];
        out->nonzero[0][s] = near ? use_near_hundredth(cpu) : use_of(cpu, BERTH__SMALL_AMOUNT);
        out->nonzero[1][s] =
            near ? use_near_hundredth(memory) : use_of(memory, BERTH__SMALL_AMOUNT);
        out->pods_max[s] = (int32_t)berth__random_below(&source, 4);
        out->pods_used[s] = (int32_t)berth__random_below(&source, 4);
        const double values[7] = {(double)out->amounts.allocatable[s],
                                  (double)out->amounts.used[s],
                                  (double)out->nonzero[0][s],
                                  (double)out->amounts.allocatable2[s],
                                  (double)out->amounts.used2[s],
                                  (double)out->nonzero[1][s],
                                  (double)out->pods_max[s] - (double)out->pods_used[s]};
        for (uint32_t c = 0; c < 7; c++)
            out->doubles[c][s] = values[c];
        out->evenness[s] = berth__evenness_of(values[0], values[1], values[3], values[4]);
    }
}

typedef struct basic_pod {
    int64_t cpu, memory, nonzero_cpu, nonzero_memory;
    int64_t cpu_weight, memory_weight, least_weight, balance_weight;
    bool tests_cpu, tests_memory, tests_pods;
    bool of_difference;
} basic_pod;

static basic_pod random_pod(void)
{
    bool plain = berth__random_below(&source, 2) == 0;
    return (basic_pod){.cpu = amount(BERTH__SMALL_AMOUNT),
                       .memory = amount(BERTH__SMALL_AMOUNT),
                       .nonzero_cpu = plain ? 0 : amount(BERTH__SMALL_AMOUNT),
                       .nonzero_memory = plain ? 0 : amount(BERTH__SMALL_AMOUNT),
                       .cpu_weight = plain ? 1 : 1 + amount(99),
                       .memory_weight = plain ? 1 : 1 + amount(99),
                       .least_weight = amount(5),
                       .balance_weight = amount(5),
                       .tests_cpu = berth__random_below(&source, 4) > 0,
                       .tests_memory = berth__random_below(&source, 4) > 0,
                       .tests_pods = berth__random_below(&source, 4) > 0,
                       .of_difference = berth__random_below(&source, 2) == 0};
}

/* Computes the totals with the portable kernels, one score after the other. */
static void separate(const basic_slots *slots, const basic_pod *pod, int32_t *totals)
{
    const berth__kernels *kernels = tables[0];
    const columns *of = &slots->amounts;
    _Alignas(64) double sums[BERTH__TILE] = {0}, weights[BERTH__TILE] = {0};
    _Alignas(64) int64_t least[BERTH__TILE], balance[BERTH__TILE];
    berth__mask mask = berth__mask_range(0, BERTH__TILE);
    if (pod->tests_pods)
        kernels->fit_pods(slots->pods_used, slots->pods_max, &mask);
    if (pod->tests_cpu)
        kernels->fit(of->allocatable, of->used, pod->cpu, &mask);
    if (pod->tests_memory)
        kernels->fit(of->allocatable2, of->used2, pod->memory, &mask);
    kernels->least(of->allocatable, slots->nonzero[0], pod->nonzero_cpu, (double)pod->cpu_weight,
                   sums, weights);
    kernels->least(of->allocatable2, slots->nonzero[1], pod->nonzero_memory,
                   (double)pod->memory_weight, sums, weights);
    kernels->average(sums, weights, least);
    kernels->balance(of->allocatable, of->used, pod->cpu, of->allocatable2, of->used2, pod->memory,
                     balance);
    if (pod->of_difference) {
        _Alignas(64) int64_t without[BERTH__TILE];
        kernels->balance(of->allocatable, of->used, 0, of->allocatable2, of->used2, 0, without);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            balance[s] = berth__balance_difference(balance[s], without[s]);
    }
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        totals[s] = berth__bit_get(mask.words, s)
                        ? (int32_t)(least[s] * pod->least_weight + balance[s] * pod->balance_weight)
                        : -1;
}

static berth__basic_ask ask_of(const basic_pod *pod)
{
    return (berth__basic_ask){.cpu = pod->tests_cpu ? (double)pod->cpu : -INFINITY,
                              .memory = pod->tests_memory ? (double)pod->memory : -INFINITY,
                              .least_cpu = (double)pod->nonzero_cpu,
                              .least_memory = (double)pod->nonzero_memory,
                              .cpu_weight = (double)pod->cpu_weight,
                              .memory_weight = (double)pod->memory_weight,
                              .balance_cpu = (double)pod->cpu,
                              .balance_memory = (double)pod->memory,
                              .least_weight = (int32_t)pod->least_weight,
                              .balance_weight = (int32_t)pod->balance_weight,
                              .places = pod->tests_pods ? 1 : -INFINITY,
                              .balance_difference = pod->of_difference};
}

static void test_basic(void **state)
{
    (void)state;
    static basic_slots slots;
    for (int round = 0; round < ROUNDS; round++) {
        fill_basic(&slots);
        const basic_pod pod = random_pod();
        int32_t wanted[BERTH__TILE], got[BERTH__TILE];
        separate(&slots, &pod, wanted);
        const berth__basic_columns of = {slots.doubles[0], slots.doubles[1], slots.doubles[2],
                                         slots.doubles[3], slots.doubles[4], slots.doubles[5],
                                         slots.doubles[6], slots.evenness,   slots.invertible};
        const berth__basic_ask ask = ask_of(&pod);
        uint32_t first = berth__random_below(&source, BERTH__TILE - BERTH__BASIC_RUN);
        uint32_t runs = (BERTH__TILE - first) / BERTH__BASIC_RUN;
        uint32_t count = 1 + berth__random_below(&source, runs * BERTH__BASIC_RUN);
        for (uint32_t t = 0; t < table_count; t++) {
            tables[t]->basic(&of, first, count, &ask, got);
            for (uint32_t i = 0; i < count; i++)
                check("basic", t, first + i, wanted[first + i], got[i]);
        }
    }
}

static void test_basic_listed(void **state)
{
    (void)state;
    static basic_slots slots;
    static berth__basic_state states[BERTH__TILE];
    for (int round = 0; round < ROUNDS; round++) {
        fill_basic(&slots);
        const basic_pod pod = random_pod();
        const berth__basic_ask ask = ask_of(&pod);
        const uint32_t count = 1 + berth__random_below(&source, BERTH__TILE);
        int32_t wanted[BERTH__TILE], got[BERTH__TILE];
        uint32_t listed[BERTH__TILE];
        separate(&slots, &pod, wanted);
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            listed[s] = berth__random_below(&source, BERTH__TILE);
            states[s].evenness = slots.evenness[s];
            for (uint32_t i = 0; i < BERTH__BASIC_VALUES; i++)
                states[s].values[i] = slots.doubles[i][s];
        }
        for (uint32_t t = 0; t < table_count; t++) {
            tables[t]->basic_listed(states, slots.invertible, listed, count, &ask, got);
            for (uint32_t i = 0; i < count; i++)
                check("basic_listed", t, listed[i], wanted[listed[i]], got[i]);
        }
    }
}

static void test_balance_differences(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        _Alignas(64) int64_t with[BERTH__TILE], without[BERTH__TILE], got[BERTH__TILE];
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            with[s] = 50 + amount(50);
            without[s] = 50 + amount(50);
        }
        for (uint32_t t = 0; t < table_count; t++) {
            memcpy(got, with, sizeof(got));
            tables[t]->balance_differences(without, got);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("balance_differences", t, s, berth__balance_difference(with[s], without[s]),
                      got[s]);
        }
    }
}

static void test_basic_scores(void **state)
{
    (void)state;
    static basic_slots slots;
    for (int round = 0; round < ROUNDS; round++) {
        fill_basic(&slots);
        basic_pod pod = random_pod();
        pod.tests_cpu = pod.tests_memory = pod.tests_pods = false;
        if (round % 3 == 0) {
            pod.cpu_weight = 1 + amount(999999);
            pod.memory_weight = 1 + amount(999999);
        }
        int32_t wanted[BERTH__TILE];
        int32_t evenness[BERTH__TILE];
        separate(&slots, &pod, wanted);
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            evenness[s] = berth__evenness_of(
                (double)slots.amounts.allocatable[s], (double)slots.amounts.used[s],
                (double)slots.amounts.allocatable2[s], (double)slots.amounts.used2[s]);
        const berth__amount_columns of = {
            slots.amounts.allocatable,
            slots.amounts.used,
            slots.nonzero[0],
            slots.amounts.allocatable2,
            slots.amounts.used2,
            slots.nonzero[1],
            evenness,
        };
        const berth__basic_ask ask = ask_of(&pod); /* the check for room is left to the filters */
        for (uint32_t t = 0; t < table_count; t++) {
            _Alignas(64) int64_t got[BERTH__TILE];
            tables[t]->basic_scores(&of, &ask, got);
            for (uint32_t s = 0; s < BERTH__TILE; s++)
                check("basic_scores", t, s, wanted[s], got[s]);
        }
    }
}

/* ---- masks, and the choice of a table ---- */

static void test_mask_ranges(void **state)
{
    (void)state;
    for (uint32_t first = 0; first <= BERTH__TILE; first++)
        for (uint32_t last = first; last <= BERTH__TILE; last++) {
            const berth__mask mask = berth__mask_range(first, last);
            assert_int_equal(berth__mask_count(&mask), last - first);
            assert_int_equal(berth__mask_empty(&mask), first == last);
            uint32_t seen = first;
            BERTH__MASK_EACH(&mask, s)
            {
                assert_int_equal(s, seen);
                seen++;
            }
            assert_int_equal(seen, last);
        }
}

static void test_the_best_table_is_one_of_them(void **state)
{
    (void)state;
    assert_non_null(berth__kernels_at(0));
    assert_null(berth__kernels_at(TABLES_MAX));
    assert_ptr_equal(berth__kernels_best(), tables[table_count - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_fit_pods),
        cmocka_unit_test(test_at_most),
        cmocka_unit_test(test_allocation_scores),
        cmocka_unit_test(test_scores_next_to_integers),
        cmocka_unit_test(test_mean_tenths),
        cmocka_unit_test(test_balance),
        cmocka_unit_test(test_best),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_accumulate),
        cmocka_unit_test(test_add_where),
        cmocka_unit_test(test_add_to_leaves),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_add_parts),
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_equal_totals),
        cmocka_unit_test(test_regroup_leaves),
        cmocka_unit_test(test_regroup_groups),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_leaf_tiles),
        cmocka_unit_test(test_class_tiles),
        cmocka_unit_test(test_class_ranges),
        cmocka_unit_test(test_class_masks),
        cmocka_unit_test(test_listed),
        cmocka_unit_test(test_best_by_lane),
        cmocka_unit_test(test_basic),
        cmocka_unit_test(test_basic_listed),
        cmocka_unit_test(test_balance_differences),
        cmocka_unit_test(test_basic_scores),
        cmocka_unit_test(test_mask_ranges),
        cmocka_unit_test(test_the_best_table_is_one_of_them),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
