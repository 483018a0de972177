/* The order of equal elements: each list of tests/golden/go_sort.txt is sorted into the same order
 * as by Go's own sort.Slice, with the same number of comparisons. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/go_sort.h"

enum { COUNT_MAX = 5000 };

typedef struct item {
    uint64_t key;
    uint64_t id;
} item;

typedef struct list {
    item items[COUNT_MAX];
    size_t count;
    uint64_t comparisons;
    bool equal_is_less; /* a comparison that contradicts itself */
} list;

static bool is_less(void *context, size_t a, size_t b)
{
    list *l = context;
    assert_true(a < l->count && b < l->count);
    l->comparisons++;
    return l->items[a].key < l->items[b].key ||
           (l->equal_is_less && l->items[a].key == l->items[b].key);
}

static void swap(void *context, size_t a, size_t b)
{
    list *l = context;
    assert_true(a < l->count && b < l->count);
    const item moved = l->items[a];
    l->items[a] = l->items[b];
    l->items[b] = moved;
}

static uint64_t state;

static uint64_t next(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

/* Makes random lists, lists of ascending blocks, of descending pairs, and ascending ones with a few
 * random values. */
static void fill(list *l, uint64_t keys, size_t count, int form)
{
    l->count = count;
    l->comparisons = 0;
    l->equal_is_less = keys == 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = keys > 0 ? next() % keys : 0;
        if (form == 1)
            key = i / (1 + count / 8);
        else if (form == 2)
            key = (count - i) / 2;
        else if (form == 3 && next() % 16 != 0)
            key = i;
        l->items[i] = (item){key, i};
    }
}

static void order_is_that_of_go(void **unused)
{
    (void)unused;
    char path[1024], line[128];
    list *l = calloc(1, sizeof(*l));
    snprintf(path, sizeof(path), "%s/tests/golden/go_sort.txt", getenv("BERTH_SOURCE"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int lists = 0;
    state = 1;
    while (fgets(line, sizeof(line), file) != NULL) {
        uint64_t keys, comparisons, wanted;
        size_t count;
        int form;
        if (sscanf(line, "%" SCNu64 " %zu %d %" SCNu64 " %" SCNx64, &keys, &count, &form,
                   &comparisons, &wanted) != 5)
            continue;
        fill(l, keys, count, form);
        berth__go_sort(&(berth__go_sort_items){l, is_less, swap}, count);
        uint64_t sum = 14695981039346656037u;
        for (size_t i = 0; i < count; i++)
            sum = (sum ^ l->items[i].id) * 1099511628211u;
        if (sum != wanted || l->comparisons != comparisons)
            print_error("%s", line);
        assert_int_equal(sum, wanted);
        assert_int_equal(l->comparisons, comparisons);
        lists++;
    }
    assert_true(lists > 600);
    fclose(file);
    free(l);
}

/* Values that are only chosen as they are compared, so that each pivot turns out to be among the
 * smallest: the sort meets bad pivots until it gives up on them and heapsorts. As in the tests of
 * Go's sort package, after M. D. McIlroy, "A Killer Adversary for Quicksort". */
typedef struct adversary {
    size_t values[COUNT_MAX];
    size_t count, solid, candidate;
} adversary;

static bool is_less_to_the_adversary(void *context, size_t a, size_t b)
{
    adversary *o = context;
    const size_t open = o->count;
    if (o->values[a] == open && o->values[b] == open) {
        const size_t chosen = a == o->candidate ? a : b;
        o->values[chosen] = o->solid++;
    }
    if (o->values[a] == open)
        o->candidate = a;
    else if (o->values[b] == open)
        o->candidate = b;
    return o->values[a] < o->values[b];
}

static void swap_for_the_adversary(void *context, size_t a, size_t b)
{
    adversary *o = context;
    const size_t moved = o->values[a];
    o->values[a] = o->values[b];
    o->values[b] = moved;
}

static void worst_pivots_end_in_order(void **unused)
{
    (void)unused;
    adversary *o = calloc(1, sizeof(*o));
    for (size_t count = 2; count <= 2000; count = count * 3 / 2 + 1) {
        *o = (adversary){.count = count};
        for (size_t i = 0; i < count; i++)
            o->values[i] = count;
        berth__go_sort(&(berth__go_sort_items){o, is_less_to_the_adversary, swap_for_the_adversary},
                       count);
        for (size_t i = 1; i < count; i++)
            assert_true(o->values[i - 1] <= o->values[i]);
    }
    free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order_is_that_of_go),
                                       cmocka_unit_test(worst_pivots_end_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
