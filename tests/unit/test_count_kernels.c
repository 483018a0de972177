/* Kernels that read counters: every instruction set of this processor returns exactly the bits of
 * the plain formula. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "base/bits.h"
#include "base/random.h"
#include "columns/tile_kernels.h"

enum { ROUNDS = 300 };

typedef struct columns {
    _Alignas(64) uint32_t pods[BERTH__TILE];
    uint32_t domains[BERTH__TILE];
    uint32_t table[BERTH__TILE];
    int64_t values[BERTH__TILE];
    double sums[BERTH__TILE];
    uint64_t present[BERTH__TILE_WORDS];
} columns;

static void draw(berth__random *random, columns *out)
{
    uint32_t range = 1u << berth__random_below(random, 30);
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        out->pods[s] = berth__random_below(random, range);
        out->domains[s] = berth__random_below(random, BERTH__TILE);
        out->table[s] = berth__random_below(random, range);
        out->values[s] = (int64_t)berth__random_below(random, range) - range / 4;
        out->sums[s] = (double)berth__random_below(random, range) / 2 +
                       (double)berth__random_below(random, 100) / 100 - range / 8;
    }
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        out->present[w] =
            berth__random_below(random, 2) == 0 ? UINT64_MAX : berth__random_next(random);
}

static void check_masks(const berth__kernels *kernels, const columns *in, uint32_t limit)
{
    berth__mask mask = {{in->present[0], in->present[1]}};
    kernels->at_most(in->pods, limit, &mask);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        assert_int_equal(berth__bit_get(mask.words, s),
                         berth__bit_get(in->present, s) && in->pods[s] <= limit);
}

/* Small tables use other code than large ones. */
static void check_look_ups(const berth__kernels *kernels, const columns *in, uint32_t count)
{
    uint32_t index[BERTH__TILE], out[BERTH__TILE];
    int32_t table[BERTH__TILE];
    int64_t sums[BERTH__TILE];
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        index[s] = in->domains[s] % count;
        table[s] = (int32_t)in->table[s] - 1000;
    }
    memcpy(sums, in->values, sizeof(sums));
    kernels->gather(in->table, count, index, out);
    kernels->gather_add(table, count, index, sums);
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        assert_int_equal(out[s], in->table[index[s]]);
        assert_int_equal(sums[s], in->values[s] + table[index[s]]);
    }
}

static void check_spread(const berth__kernels *kernels, const columns *in, double weight)
{
    double sums[BERTH__TILE];
    int64_t rounded[BERTH__TILE];
    memcpy(sums, in->sums, sizeof(sums));
    kernels->spread_add(in->pods, weight, 4, in->present, sums);
    kernels->round_small(in->sums, rounded);
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        volatile double product = (double)in->pods[s] * weight; /* no fused operations */
        double more = berth__bit_get(in->present, s) ? product + 4 : 0;
        double wanted = in->sums[s] + more;
        assert_memory_equal(&sums[s], &wanted, sizeof(wanted));
        assert_int_equal(rounded[s], (int64_t)round(in->sums[s]));
    }
}

/* Of the first `count` values; those of other steps of 16 stay. */
static void check_normals(const berth__kernels *kernels, const columns *in, uint32_t count)
{
    int64_t spread[BERTH__TILE], affinity[BERTH__TILE];
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        lowest = in->values[s] < lowest ? in->values[s] : lowest;
        highest = in->values[s] > highest ? in->values[s] : highest;
    }
    if (highest == lowest)
        return;
    memcpy(affinity, in->values, sizeof(affinity));
    kernels->affinity_normalize(lowest, highest, count, affinity);
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        spread[s] = s % 16 == 0 ? INT64_MIN : in->values[s] - lowest;
        volatile double share = (double)(in->values[s] - lowest) / (double)(highest - lowest);
        if (s < count)
            assert_int_equal(affinity[s], (int64_t)(100.0 * share));
        else if (s / 16 > (count - 1) / 16)
            assert_int_equal(affinity[s], in->values[s]);
    }
    kernels->spread_normalize(1, highest - lowest, count, spread);
    for (uint32_t s = 0; s < count; s++) {
        int64_t value = in->values[s] - lowest, top = highest - lowest;
        bool inside = s % 16 != 0 && value >= 1;
        assert_int_equal(spread[s], inside ? 100 * (top + 1 - value) / top : 0);
    }
}

static void check_sums(const berth__kernels *kernels, const columns *in, int64_t weight)
{
    int64_t sums[BERTH__TILE];
    memcpy(sums, in->values, sizeof(sums));
    kernels->affinity_add(in->pods, weight, sums);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        assert_int_equal(sums[s], in->values[s] + weight * (int64_t)in->pods[s]);
}

static void test_tables(void **state)
{
    (void)state;
    for (uint32_t i = 0; berth__kernels_at(i) != NULL; i++) {
        const berth__kernels *kernels = berth__kernels_at(i);
        berth__random random = {5};
        print_message("%s\n", kernels->isa);
        for (uint32_t round_number = 0; round_number < ROUNDS; round_number++) {
            columns in;
            draw(&random, &in);
            check_masks(kernels, &in, in.pods[0]);
            check_look_ups(
                kernels, &in,
                1 + berth__random_below(&random, round_number % 2 == 0 ? 34 : BERTH__TILE));
            check_spread(kernels, &in, 1.0 / (1 + berth__random_below(&random, 9)) + 1);
            check_normals(kernels, &in, BERTH__TILE);
            check_normals(kernels, &in, 1 + berth__random_below(&random, BERTH__TILE));
            check_sums(kernels, &in, (int64_t)berth__random_below(&random, 201) - 100);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests_name("count_kernels", tests, NULL, NULL);
}
