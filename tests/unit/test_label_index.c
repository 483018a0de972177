/* model/label_index.h: a look-up visits every matching selector exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/text.h"
#include "model/label_index.h"

enum { KEYS = 3, VALUES = 4, NAMESPACES = 3, ITEMS = 60, ROUNDS = 40 };

typedef struct item {
    bool entered;
    berth__sym namespace_name;
    berth__selector selector;
    uint32_t visits;
} item;

typedef struct world {
    berth__intern strings;
    berth__arena arena;
    berth__label_index index;
    berth__random random;
    berth__sym keys[KEYS], values[VALUES];
    item items[ITEMS];
} world;

static uint32_t below(world *w, uint32_t bound)
{
    return berth__random_below(&w->random, bound);
}

static const char *const key_texts[KEYS] = {"app", "tier", "env"};
static const char *const value_texts[VALUES] = {"a", "b", "c", ""};
static const char *const ops[] = {"In", "NotIn", "Exists", "DoesNotExist", "Foo"};

static berth__selector random_selector(world *w)
{
    berth_str values[VALUES];
    berth_requirement requirements[2];
    uint32_t count = below(w, 3);
    bool ok = true;
    if (below(w, 10) == 0)
        return berth__selector_make(&w->strings, &w->arena, NULL, &ok);
    for (uint32_t v = 0; v < VALUES; v++)
        values[v] = berth__text_of(value_texts[below(w, VALUES)]); /* a value may occur twice */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t op = below(w, 20) == 0 ? 4 : below(w, 4);
        requirements[i] = (berth_requirement){berth__text_of(key_texts[below(w, KEYS)]),
                                              berth__text_of(ops[op]),
                                              {values, op < 2 ? 1 + below(w, VALUES) : 0}};
    }
    berth_label_selector selector = {.match_expressions = {requirements, count}};
    berth__selector out = berth__selector_make(&w->strings, &w->arena, &selector, &ok);
    assert_true(ok);
    return out;
}

static berth__labels random_labels(world *w, berth__label *items)
{
    berth__labels labels = {items, 0};
    for (uint32_t k = 0; k < KEYS; k++)
        if (below(w, 3) > 0)
            items[labels.count++] = (berth__label){w->keys[k], w->values[below(w, VALUES)]};
    return labels;
}

static bool count_visit(void *context, void *visited)
{
    (void)context;
    ((item *)visited)->visits++;
    return true;
}

static void look_up(world *w)
{
    berth__label labels_of[KEYS];
    berth__labels labels = random_labels(w, labels_of);
    berth__sym namespace_name = 1 + below(w, NAMESPACES);
    for (uint32_t i = 0; i < ITEMS; i++)
        w->items[i].visits = 0;
    berth__label_index_visit(&w->index, namespace_name, labels, count_visit, NULL);
    for (uint32_t i = 0; i < ITEMS; i++) {
        const item *one = &w->items[i];
        bool matches = one->entered &&
                       (one->namespace_name == 0 || one->namespace_name == namespace_name) &&
                       berth__selector_matches(&w->strings, &one->selector, labels);
        assert_in_range(one->visits, matches, one->entered);
    }
}

static void toggle(world *w)
{
    item *one = &w->items[below(w, ITEMS)];
    if (one->entered) {
        berth__label_index_remove(&w->index, one->namespace_name, &one->selector, one);
    } else {
        one->namespace_name = below(w, NAMESPACES + 1);
        one->selector = random_selector(w);
        assert_true(berth__label_index_add(&w->index, one->namespace_name, &one->selector, one));
    }
    one->entered = !one->entered;
}

static void test_random(void **state)
{
    (void)state;
    world *w = calloc(1, sizeof(*w));
    bool ok = true;
    assert_non_null(w);
    const berth_allocator *allocator = berth__allocator_default();
    assert_int_equal(berth__intern_init(&w->strings, allocator), BERTH_OK);
    assert_int_equal(berth__label_index_init(&w->index, allocator), BERTH_OK);
    berth__arena_init(&w->arena, allocator);
    w->random.state = 20;
    for (uint32_t i = 0; i < KEYS; i++)
        w->keys[i] = berth__intern_add(&w->strings, berth__text_of(key_texts[i]), &ok);
    for (uint32_t i = 0; i < VALUES; i++)
        w->values[i] = berth__intern_add(&w->strings, berth__text_of(value_texts[i]), &ok);
    for (uint32_t round = 0; round < ROUNDS * ITEMS; round++) {
        toggle(w);
        look_up(w);
    }
    for (uint32_t i = 0; i < ITEMS; i++)
        if (w->items[i].entered)
            berth__label_index_remove(&w->index, w->items[i].namespace_name, &w->items[i].selector,
                                      &w->items[i]);
    assert_int_equal(w->index.anchors.count, 0);
    berth__label_index_destroy(&w->index);
    berth__arena_destroy(&w->arena);
    berth__intern_destroy(&w->strings);
    free(w);
}

static bool stop_at_once(void *context, void *visited)
{
    (void)visited;
    ++*(uint32_t *)context;
    return false;
}

static void test_visits_stop(void **state)
{
    (void)state;
    berth__label_index index;
    uint32_t visits = 0;
    int items[2];
    const berth__selector all = {.kind = BERTH__SELECTOR_EVERYTHING};
    assert_int_equal(berth__label_index_init(&index, berth__allocator_default()), BERTH_OK);
    assert_true(berth__label_index_add(&index, 0, &all, &items[0]));
    assert_true(berth__label_index_add(&index, 5, &all, &items[1]));
    berth__label_index_visit(&index, 5, (berth__labels){0}, stop_at_once, &visits);
    assert_int_equal(visits, 1);
    berth__label_index_destroy(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_visits_stop),
    };
    return cmocka_run_group_tests_name("label_index", tests, NULL, NULL);
}
