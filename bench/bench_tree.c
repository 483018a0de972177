/* The search tree alone: an answer over all slots and over a sampled range, the n-th of the best,
 * new totals for some slots, and inner nodes built from all leaves; by size, and changes also by
 * instruction set. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "cli/heap.h"
#include "harness.h"
#include "index/search_tree.h"

typedef struct tree_case {
    const berth__kernels *kernels;
    uint32_t slots;
    uint32_t limit; /* maximum of feasible slots; for changes: the number of changed slots */
} tree_case;

/* Realistic totals: a few values, and one node in ten full. */
static int32_t some_total(berth__random *random)
{
    return berth__random_below(random, 10) == 0 ? BERTH__TREE_INFEASIBLE
                                                : 150 + (int32_t)berth__random_below(random, 40);
}

static bool open_tree(berth__search_tree *tree, const tree_case *c, bench_state *state)
{
    berth__random random = {1};
    *tree = (berth__search_tree){0};
    if (!berth__search_tree_create(tree, berth__allocator_default(), c->slots)) {
        bench_fail(state, "out of memory");
        return false;
    }
    for (uint32_t slot = 0; slot < c->slots; slot++)
        tree->leaves[slot] = some_total(&random);
    berth__search_tree_group(tree, c->kernels);
    return true;
}

static void close_tree(berth__search_tree *tree)
{
    berth__search_tree_destroy(tree, berth__allocator_default());
}

/* One answer and its node, starting where the last search stopped. */
static void tree_ask(bench_state *state)
{
    const tree_case *c = bench_context(state);
    berth__search_tree tree;
    if (!open_tree(&tree, c, state))
        return;
    berth__tree_answer answer;
    uint32_t start = 0;
    while (bench_next(state)) {
        berth__search_tree_ask(&tree, start, c->limit, &answer);
        bench_keep(berth__search_tree_nth_best(&tree, start, &answer, answer.best_count / 2));
        start = (answer.next + 1) % c->slots;
    }
    bench_items(state, bench_rounds(state));
    close_tree(&tree);
}

/* Changes as a rotation makes them: neighbours in the order of the layout. */
static void change_all(bench_state *state, const tree_case *c, berth__search_tree *tree,
                       berth__tree_scratch *scratch)
{
    uint32_t *slots = heap_new(c->limit, sizeof(*slots));
    int32_t *totals = heap_new(c->limit, sizeof(*totals));
    berth__random random = {2};
    uint32_t first = 0;
    for (uint32_t i = 0; i < c->limit; i++)
        totals[i] = some_total(&random);
    while (bench_next(state)) {
        for (uint32_t i = 0; i < c->limit; i++)
            slots[i] = (first + 3 * i) % c->slots;
        berth__search_tree_change(tree, c->kernels, scratch, slots, totals, c->limit);
        first = (first + 3 * c->limit) % c->slots;
    }
    bench_items(state, bench_rounds(state) * c->limit);
    bench_time_per(state, "ns_per_change", c->limit);
    free(slots);
    free(totals);
}

static void tree_change(bench_state *state)
{
    const tree_case *c = bench_context(state);
    const berth_allocator *allocator = berth__allocator_default();
    berth__search_tree tree;
    berth__tree_scratch scratch = {0};
    if (!open_tree(&tree, c, state))
        return;
    if (berth__tree_scratch_reserve(&scratch, allocator, c->slots, c->limit))
        change_all(state, c, &tree, &scratch);
    else
        bench_fail(state, "out of memory");
    berth__tree_scratch_destroy(&scratch, allocator);
    close_tree(&tree);
}

static void tree_group(bench_state *state)
{
    const tree_case *c = bench_context(state);
    berth__search_tree tree;
    if (!open_tree(&tree, c, state))
        return;
    while (bench_next(state)) {
        berth__search_tree_group(&tree, c->kernels);
        bench_clobber();
    }
    bench_items(state, bench_rounds(state) * c->slots);
    bench_time_per(state, "ns_per_node", c->slots);
    close_tree(&tree);
}

static void add(const char *name, bench_fn fn, tree_case c)
{
    tree_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    bench_case_add(&(bench_case){.name = name, .fn = fn, .context = kept});
}

static void add_size(uint32_t slots)
{
    static const uint32_t changes[] = {1, 64, 1024};
    const berth__kernels *best = berth__kernels_best();
    char name[96];
    snprintf(name, sizeof(name), "tree/ask/nodes:%" PRIu32 "/limit:all", slots);
    add(name, tree_ask, (tree_case){best, slots, slots});
    snprintf(name, sizeof(name), "tree/ask/nodes:%" PRIu32 "/limit:500", slots);
    add(name, tree_ask, (tree_case){best, slots, 500});
    for (uint32_t isa = 0; isa < 3; isa++) {
        const berth__kernels *kernels = berth__kernels_at(isa);
        for (size_t i = 0; kernels != NULL && i < 3; i++) {
            snprintf(name, sizeof(name), "tree/change/nodes:%" PRIu32 "/changes:%" PRIu32 "/%s",
                     slots, changes[i], kernels->isa);
            add(name, tree_change, (tree_case){kernels, slots, changes[i]});
        }
        if (kernels == NULL)
            continue;
        snprintf(name, sizeof(name), "tree/group/nodes:%" PRIu32 "/%s", slots, kernels->isa);
        add(name, tree_group, (tree_case){kernels, slots, 0});
    }
}

static void fill(bench_suite suite)
{
    add_size(5000);
    if (suite == BENCH_SMOKE)
        return;
    add_size(100000);
    add_size(1000000);
}
BENCH_SUITE(fill)
