/* The arithmetic of a tile: each kernel, for each instruction set that this processor has. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "cli/heap.h"
#include "columns/tile_kernels.h"
#include "harness.h"

enum { DOMAINS = 64, FEW = 4 };

typedef struct columns {
    _Alignas(64) int64_t allocatable[2][BERTH__TILE];
    int64_t used[2][BERTH__TILE];
    int64_t out[BERTH__TILE];
    double sums[BERTH__TILE], weights[BERTH__TILE];
    double slots[BERTH__BASIC_VALUES][BERTH__TILE];
    berth__basic_state states[BERTH__TILE];
    int32_t basic_totals[BERTH__TILE];
    int32_t evenness[BERTH__TILE];
    berth__basic_ask ask;
    uint32_t domains[BERTH__TILE], few[BERTH__TILE], counts[BERTH__TILE], table[DOMAINS];
    int32_t pods_used[BERTH__TILE], pods_max[BERTH__TILE];
    int16_t kept[BERTH__TILE], parts[BERTH__FEW + 1];
    int32_t leaves[BERTH__TILE], best[BERTH__FAN];
    uint32_t best_count[BERTH__FAN], feasible[BERTH__FAN];
} columns;

typedef struct kernel_case {
    const berth__kernels *kernels;
    void (*run)(const berth__kernels *kernels, columns *c);
    double parts; /* number of slots or leaves */
} kernel_case;

static void fill_columns(columns *c)
{
    berth__random random = {1};
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        for (uint32_t r = 0; r < 2; r++) {
            c->allocatable[r][s] = 32000;
            c->used[r][s] = berth__random_below(&random, 34000);
        }
        c->out[s] = berth__random_below(&random, 300);
        c->weights[s] = 2.0;
        c->pods_max[s] = 110;
        c->pods_used[s] = (int32_t)berth__random_below(&random, 111);
        c->domains[s] = berth__random_below(&random, DOMAINS);
        c->few[s] = c->domains[s] % FEW;
        c->counts[s] = berth__random_below(&random, 20);
        for (uint32_t i = 0; i < BERTH__BASIC_VALUES; i++)
            c->states[s].values[i] = c->slots[i][s] =
                i % 3 == 0 ? 32000.0 : berth__random_below(&random, 33000);
    }
    c->ask = (berth__basic_ask){.cpu = 500,
                                .memory = 900,
                                .least_cpu = 500,
                                .least_memory = 900,
                                .cpu_weight = 1,
                                .memory_weight = 1,
                                .balance_cpu = 500,
                                .balance_memory = 900,
                                .least_weight = 1,
                                .balance_weight = 1,
                                .places = 1};
    for (uint32_t i = 0; i < DOMAINS; i++)
        c->table[i] = i;
    for (uint32_t i = 0; i < BERTH__TILE; i++)
        c->leaves[i] = (int32_t)berth__random_below(&random, 200) - 20;
    for (uint32_t i = 0; i < BERTH__FAN; i++) {
        c->best[i] = c->leaves[i];
        c->best_count[i] = c->feasible[i] = 1 + i;
    }
}

static void run_fit(const berth__kernels *kernels, columns *c)
{
    berth__mask mask = berth__mask_range(0, BERTH__TILE);
    kernels->fit(c->allocatable[0], c->used[0], 500, &mask);
    bench_keep(mask);
}

static void run_fit_pods(const berth__kernels *kernels, columns *c)
{
    berth__mask mask = berth__mask_range(0, BERTH__TILE);
    kernels->fit_pods(c->pods_used, c->pods_max, &mask);
    bench_keep(mask);
}

static void run_least(const berth__kernels *kernels, columns *c)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        c->sums[s] = c->weights[s] = 0.0;
    kernels->least(c->allocatable[0], c->used[0], 500, 1.0, c->sums, c->weights);
    kernels->least(c->allocatable[1], c->used[1], 500, 1.0, c->sums, c->weights);
    kernels->average(c->sums, c->weights, c->out);
}

static void run_balance(const berth__kernels *kernels, columns *c)
{
    kernels->balance(c->allocatable[0], c->used[0], 500, c->allocatable[1], c->used[1], 900,
                     c->out);
}

static void run_best(const berth__kernels *kernels, columns *c)
{
    const berth__mask mask = berth__mask_range(0, BERTH__TILE);
    int64_t best;
    uint32_t count;
    kernels->best(c->out, &mask, &best, &count);
    bench_keep(best);
}

static void run_narrow(const berth__kernels *kernels, columns *c)
{
    const berth__mask mask = {{UINT64_C(0x7fff7fff7fff7fff), UINT64_MAX}};
    int64_t lowest = INT64_MAX, highest = INT64_MIN;
    kernels->narrow(c->out, &mask, c->kept, &lowest, &highest);
    bench_keep(lowest);
    bench_keep(highest);
}

static void run_add_parts(const berth__kernels *kernels, columns *c)
{
    berth__narrow_part parts[FEW];
    for (uint32_t i = 0; i < FEW; i++)
        parts[i] = (berth__narrow_part){c->kept, c->parts, 0, 30};
    kernels->add_parts(parts, FEW, c->out);
}

static void basic_scores(const berth__kernels *kernels, columns *c, bool of_difference)
{
    berth__basic_ask ask = c->ask;
    ask.balance_difference = of_difference;
    const berth__amount_columns tile = {.cpu = c->allocatable[0],
                                        .cpu_used = c->used[0],
                                        .cpu_nonzero = c->used[0],
                                        .memory = c->allocatable[1],
                                        .memory_used = c->used[1],
                                        .memory_nonzero = c->used[1],
                                        .evenness = c->evenness};
    kernels->basic_scores(&tile, &ask, c->out);
}

static void run_basic_scores(const berth__kernels *kernels, columns *c)
{
    basic_scores(kernels, c, false);
}

/* With the balance score of 1.36. */
static void run_basic_scores_difference(const berth__kernels *kernels, columns *c)
{
    basic_scores(kernels, c, true);
}

static void run_accumulate(const berth__kernels *kernels, columns *c)
{
    kernels->accumulate(c->out, c->used[0], 1);
}

/* Filter and score the changed slots of a tree: resources and balance at once. */
static void run_basic(const berth__kernels *kernels, columns *c)
{
    const berth__basic_columns slots = {.cpu = c->slots[0],
                                        .cpu_used = c->slots[1],
                                        .cpu_nonzero = c->slots[2],
                                        .memory = c->slots[3],
                                        .memory_used = c->slots[4],
                                        .memory_nonzero = c->slots[5],
                                        .places = c->slots[6],
                                        .evenness = c->basic_totals};
    kernels->basic(&slots, 0, BERTH__TILE, &c->ask, c->basic_totals);
}

/* The same for slots that are listed. */
static void run_basic_listed(const berth__kernels *kernels, columns *c)
{
    kernels->basic_listed(c->states, true, c->domains, BERTH__BASIC_RUN, &c->ask, c->basic_totals);
}

static void run_gather(const berth__kernels *kernels, columns *c)
{
    kernels->gather(c->table, DOMAINS, c->domains, c->counts);
}

static void run_gather_few(const berth__kernels *kernels, columns *c)
{
    kernels->gather(c->table, FEW, c->few, c->counts);
}

static void run_at_most(const berth__kernels *kernels, columns *c)
{
    berth__mask mask = berth__mask_range(0, BERTH__TILE);
    kernels->at_most(c->counts, 15, &mask);
    bench_keep(mask);
}

static void run_spread(const berth__kernels *kernels, columns *c)
{
    const berth__mask present = berth__mask_range(0, BERTH__TILE);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        c->sums[s] = 0.0;
    kernels->spread_add(c->counts, 1.6, 4.0, present.words, c->sums);
    kernels->round_small(c->sums, c->out);
    kernels->spread_normalize(4, 40, BERTH__TILE, c->out);
}

static void run_affinity(const berth__kernels *kernels, columns *c)
{
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        c->out[s] = 0;
    kernels->affinity_add(c->counts, 7, c->out);
    kernels->affinity_normalize(0, 140, BERTH__TILE, c->out);
}

static void run_best_lanes(const berth__kernels *kernels, columns *c)
{
    uint32_t equal;
    bench_keep(kernels->best_lanes(c->leaves, kernels->feasible_lanes(c->leaves), &equal));
    bench_keep(equal);
}

static void run_leaves_from(const berth__kernels *kernels, columns *c)
{
    berth__mask slots = berth__mask_range(0, BERTH__TILE);
    kernels->leaves_from(c->leaves, BERTH__TILE / BERTH__FAN, 0, &slots);
    bench_keep((int32_t)slots.words[0]);
}

static void run_regroup_leaves(const berth__kernels *kernels, columns *c)
{
    int32_t best = 0;
    uint32_t best_count = 0, feasible = 0, position = 0;
    const berth__tree_level nodes = {&best, &best_count, &feasible};
    bench_keep(kernels->regroup_leaves(c->leaves, &nodes, &position, 1));
}

static void run_regroup_groups(const berth__kernels *kernels, columns *c)
{
    int32_t best = 0;
    uint32_t best_count = 0, feasible = 0, position = 0;
    const berth__tree_level nodes = {&best, &best_count, &feasible};
    const berth__tree_level children = {c->best, c->best_count, c->feasible};
    bench_keep(kernels->regroup_groups(&children, &nodes, &position, 1));
}

static void kernel(bench_state *state)
{
    const kernel_case *c = bench_context(state);
    columns *data = aligned_alloc(64, sizeof(columns));
    if (data == NULL) {
        bench_fail(state, "out of memory");
        return;
    }
    fill_columns(data);
    while (bench_next(state)) {
        c->run(c->kernels, data);
        bench_clobber();
    }
    bench_items(state, bench_rounds(state) * (int64_t)c->parts);
    bench_time_per(state, "ns_per_node", c->parts);
    free(data);
}

static void fill(bench_suite suite)
{
    static const struct {
        const char *name;
        void (*run)(const berth__kernels *kernels, columns *c);
        uint32_t parts;
    } kinds[] = {
        {"fit", run_fit, BERTH__TILE},
        {"fit_pods", run_fit_pods, BERTH__TILE},
        {"least_allocated", run_least, BERTH__TILE},
        {"balance", run_balance, BERTH__TILE},
        {"best", run_best, BERTH__TILE},
        {"narrow", run_narrow, BERTH__TILE},
        {"add_4_parts", run_add_parts, BERTH__TILE},
        {"basic_scores", run_basic_scores, BERTH__TILE},
        {"basic_scores_difference", run_basic_scores_difference, BERTH__TILE},
        {"accumulate", run_accumulate, BERTH__TILE},
        {"basic", run_basic, BERTH__TILE},
        {"basic_listed", run_basic_listed, BERTH__BASIC_RUN},
        {"gather", run_gather, BERTH__TILE},
        {"gather_few", run_gather_few, BERTH__TILE},
        {"at_most", run_at_most, BERTH__TILE},
        {"spread", run_spread, BERTH__TILE},
        {"affinity", run_affinity, BERTH__TILE},
        {"best_lanes", run_best_lanes, BERTH__FAN},
        {"leaves_from", run_leaves_from, BERTH__TILE},
        {"regroup_leaves", run_regroup_leaves, BERTH__FAN},
        {"regroup_groups", run_regroup_groups, BERTH__FAN},
    };
    (void)suite;
    for (uint32_t isa = 0; isa < 3; isa++)
        for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
            const berth__kernels *kernels = berth__kernels_at(isa);
            if (kernels == NULL)
                continue;
            char name[64];
            kernel_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
            *kept = (kernel_case){kernels, kinds[i].run, kinds[i].parts};
            snprintf(name, sizeof(name), "kernel/%s/%s", kinds[i].name, kernels->isa);
            bench_case_add(&(bench_case){.name = name, .fn = kernel, .context = kept});
        }
}
BENCH_SUITE(fill)
