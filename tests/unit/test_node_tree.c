/* The order of nodes: zones in rotation, and the effect of adding and removing nodes.
 * Source of the rules: kube-scheduler v1.32, backend/cache/node_tree.go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "columns/node_tree.h"

enum { LIST_MAX = 512 };

static void expect_order(const berth__node_tree *tree, const uint32_t *wanted, uint32_t count)
{
    uint32_t got[LIST_MAX];
    assert_int_equal(tree->node_count, count);
    berth__node_tree_list(tree, got);
    for (uint32_t i = 0; i < count; i++)
        if (got[i] != wanted[i])
            fail_msg("place %u: node %u, expected %u", (unsigned)i, (unsigned)got[i],
                     (unsigned)wanted[i]);
}

#define EXPECT_ORDER(tree, ...)                                              \
    do {                                                                     \
        const uint32_t wanted_[] = {__VA_ARGS__};                            \
        expect_order((tree), wanted_, sizeof(wanted_) / sizeof(wanted_[0])); \
    } while (0)

static void add(berth__node_tree *tree, berth__sym zone, uint32_t node)
{
    assert_true(berth__node_tree_add(tree, zone, node));
}

static void test_zones_take_turns(void **state)
{
    (void)state;
    berth__node_tree tree;
    berth__node_tree_init(&tree, berth__allocator_default());
    expect_order(&tree, NULL, 0);
    for (uint32_t node = 1; node <= 4; node++)
        add(&tree, 10, node);
    add(&tree, 20, 5);
    add(&tree, 20, 6);
    EXPECT_ORDER(&tree, 1, 5, 2, 6, 3, 4);
    berth__node_tree_destroy(&tree);
}

static void test_zones_are_in_order_of_appearance(void **state)
{
    (void)state;
    berth__node_tree tree;
    berth__node_tree_init(&tree, berth__allocator_default());
    add(&tree, 30, 1);
    add(&tree, 10, 2);
    add(&tree, 0, 3); /* nodes without a zone form a zone */
    add(&tree, 30, 4);
    add(&tree, 0, 5);
    EXPECT_ORDER(&tree, 1, 2, 3, 4, 5);
    add(&tree, 10, 6);
    EXPECT_ORDER(&tree, 1, 2, 3, 4, 6, 5);
    berth__node_tree_destroy(&tree);
}

static void test_removal_keeps_the_order(void **state)
{
    (void)state;
    berth__node_tree tree;
    berth__node_tree_init(&tree, berth__allocator_default());
    for (uint32_t node = 1; node <= 5; node++)
        add(&tree, 10, node);
    add(&tree, 20, 6);
    add(&tree, 20, 7);
    berth__node_tree_remove(&tree, 10, 2);
    EXPECT_ORDER(&tree, 1, 6, 3, 7, 4, 5);
    add(&tree, 10, 2); /* returns as the last of its zone */
    EXPECT_ORDER(&tree, 1, 6, 3, 7, 4, 5, 2);
    berth__node_tree_destroy(&tree);
}

static void test_an_emptied_zone_comes_back_last(void **state)
{
    (void)state;
    berth__node_tree tree;
    berth__node_tree_init(&tree, berth__allocator_default());
    add(&tree, 10, 1);
    add(&tree, 20, 2);
    add(&tree, 30, 3);
    berth__node_tree_remove(&tree, 10, 1);
    EXPECT_ORDER(&tree, 2, 3);
    assert_int_equal(tree.zone_count, 2);
    add(&tree, 10, 1);
    EXPECT_ORDER(&tree, 2, 3, 1);
    berth__node_tree_remove(&tree, 20, 2);
    berth__node_tree_remove(&tree, 30, 3);
    berth__node_tree_remove(&tree, 10, 1);
    assert_int_equal(tree.zone_count, 0);
    expect_order(&tree, NULL, 0);
    add(&tree, 20, 9);
    EXPECT_ORDER(&tree, 9);
    berth__node_tree_destroy(&tree);
}

/* Another zone label: removed from the old zone, then added at the end of the new one. */
static void test_moving_between_zones(void **state)
{
    (void)state;
    berth__node_tree tree;
    berth__node_tree_init(&tree, berth__allocator_default());
    add(&tree, 10, 1);
    add(&tree, 10, 2);
    add(&tree, 20, 3);
    add(&tree, 20, 4);
    berth__node_tree_remove(&tree, 10, 1);
    add(&tree, 20, 1);
    EXPECT_ORDER(&tree, 2, 3, 4, 1);
    berth__node_tree_destroy(&tree);
}

/* Zones as plain lists. */
typedef struct plain {
    uint32_t zones[8][LIST_MAX]; /* by position */
    uint32_t sizes[8];
    berth__sym names[8];
    uint32_t zone_count;
} plain;

static void plain_add(plain *p, berth__sym zone, uint32_t node)
{
    uint32_t z = 0;
    while (z < p->zone_count && p->names[z] != zone)
        z++;
    if (z == p->zone_count) {
        p->names[z] = zone;
        p->sizes[z] = 0;
        p->zone_count++;
    }
    p->zones[z][p->sizes[z]++] = node;
}

static void plain_remove(plain *p, berth__sym zone, uint32_t node)
{
    uint32_t z = 0, kept = 0;
    while (p->names[z] != zone)
        z++;
    for (uint32_t i = 0; i < p->sizes[z]; i++)
        if (p->zones[z][i] != node)
            p->zones[z][kept++] = p->zones[z][i];
    p->sizes[z] = kept;
    if (kept > 0)
        return;
    for (p->zone_count--; z < p->zone_count; z++) {
        p->names[z] = p->names[z + 1];
        p->sizes[z] = p->sizes[z + 1];
        memcpy(p->zones[z], p->zones[z + 1], sizeof(p->zones[z]));
    }
}

static uint32_t plain_list(const plain *p, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < LIST_MAX; i++)
        for (uint32_t z = 0; z < p->zone_count; z++)
            if (i < p->sizes[z])
                out[count++] = p->zones[z][i];
    return count;
}

static void test_random_changes(void **state)
{
    (void)state;
    static plain model;
    static berth__sym zone_of[60]; /* 0: not in the tree */
    uint32_t wanted[LIST_MAX];
    berth__random random = {7};
    berth__node_tree tree;
    berth__node_tree_init(&tree, berth__allocator_default());
    for (int op = 0; op < 5000; op++) {
        uint32_t node = berth__random_below(&random, 60);
        if (zone_of[node] == 0) {
            zone_of[node] = 1 + berth__random_below(&random, 7);
            add(&tree, zone_of[node], node);
            plain_add(&model, zone_of[node], node);
        } else {
            berth__node_tree_remove(&tree, zone_of[node], node);
            plain_remove(&model, zone_of[node], node);
            zone_of[node] = 0;
        }
        if (op % 7 == 0)
            expect_order(&tree, wanted, plain_list(&model, wanted));
    }
    berth__node_tree_destroy(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zones_take_turns),
        cmocka_unit_test(test_zones_are_in_order_of_appearance),
        cmocka_unit_test(test_removal_keeps_the_order),
        cmocka_unit_test(test_an_emptied_zone_comes_back_last),
        cmocka_unit_test(test_moving_between_zones),
        cmocka_unit_test(test_random_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
