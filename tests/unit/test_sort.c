/* Sorting words, and finding texts in a list by their bytes: few and many, in every order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/names.h"
#include "base/random.h"
#include "base/sort.h"
#include "counted_memory.h"

enum { COUNT_MAX = 300 };

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void words_are_sorted(void **state)
{
    uint64_t words[COUNT_MAX], wanted[COUNT_MAX];
    berth__random random = {1};
    (void)state;
    for (uint32_t count = 0; count < COUNT_MAX; count++)
        for (uint32_t bound = 1; bound <= 4000; bound *= 20) {
            for (uint32_t i = 0; i < count; i++)
                words[i] = wanted[i] = (uint64_t)berth__random_below(&random, bound)
                                       << (bound > 1 ? 40 : 0);
            qsort(wanted, count, sizeof(*wanted), by_value);
            berth__sort_words(words, count);
            assert_memory_equal(words, wanted, count * sizeof(*words));
            berth__sort_words(words, count); /* already sorted */
            assert_memory_equal(words, wanted, count * sizeof(*words));
        }
}

static void elements_are_sorted(void **state)
{
    struct {
        uint64_t key;
        uint64_t same;
    } items[COUNT_MAX];
    uint64_t wanted[COUNT_MAX];
    berth__random random = {2};
    (void)state;
    for (uint32_t count = 0; count < COUNT_MAX; count++)
        for (uint32_t bound = 1; bound <= 4000; bound *= 20) {
            for (uint32_t i = 0; i < count; i++)
                items[i].key = items[i].same = wanted[i] = berth__random_below(&random, bound);
            qsort(wanted, count, sizeof(*wanted), by_value);
            berth__sort(items, count, sizeof(*items), by_value);
            for (uint32_t i = 0; i < count; i++) {
                assert_true(items[i].key == wanted[i]);
                assert_true(items[i].same == wanted[i]);
            }
        }
}

typedef struct named {
    berth_str name;
    uint32_t other;
} named;

static void texts_are_found(void **state)
{
    static char texts[COUNT_MAX][16];
    named items[COUNT_MAX];
    berth__arena arena;
    berth__names names;
    (void)state;
    for (uint32_t i = 0; i < COUNT_MAX; i++) {
        snprintf(texts[i], sizeof(texts[i]), "text %u", (unsigned)(i % 290));
        items[i] = (named){{texts[i], (uint32_t)strlen(texts[i])}, i};
    }
    for (uint32_t count = 0; count < COUNT_MAX; count++) {
        berth__arena_init(&arena, berth__allocator_default());
        uint32_t made = count / 2;
        assert_true(berth__names_make(&arena, items, sizeof(*items), made, count, &names));
        for (uint32_t i = made; i < count; i++)
            berth__names_put(&names);
        assert_int_equal(names.count, count);
        for (uint32_t i = 0; i < COUNT_MAX; i++) {
            uint32_t found = berth__names_find(&names, items[i].name);
            uint32_t last = i % 290 + 290 < count ? i % 290 + 290 : i % 290;
            assert_int_equal(found, last < count ? last : BERTH__NAMES_NONE);
        }
        berth__arena_destroy(&arena);
    }
}

static void texts_of_a_list_that_moves_are_found(void **state)
{
    static char texts[COUNT_MAX][16];
    named items[2][COUNT_MAX];
    berth__arena arena;
    berth__names names = {0};
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    for (uint32_t i = 0; i < COUNT_MAX; i++) {
        snprintf(texts[i], sizeof(texts[i]), "text %u", (unsigned)i);
        named *own = items[i % 2];
        if (i > 0)
            memcpy(own, items[1 - i % 2], i * sizeof(*own));
        own[i] = (named){{texts[i], (uint32_t)strlen(texts[i])}, i};
        assert_true(berth__names_follow(&arena, &names, own, sizeof(*own), i + 1));
        berth__names_put(&names);
        memset(items[1 - i % 2], 0, sizeof(items[0]));
        for (uint32_t k = 0; k <= i; k++)
            assert_int_equal(berth__names_find(&names, own[k].name), k);
        assert_int_equal(berth__names_find(&names, BERTH_STR("no such")), BERTH__NAMES_NONE);
    }
    berth__arena_destroy(&arena);
}

/* Without memory for an index of many texts the list is refused; few texts need none. */
static void many_texts_need_memory(void **state)
{
    counted memory = {.fail_at = 1, .for_good = true};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    static const named items[1] = {{{"text", 4}, 0}};
    berth__arena arena;
    berth__names names;
    (void)state;
    berth__arena_init(&arena, &allocator);
    assert_true(berth__names_make(&arena, items, sizeof(*items), 1, 8, &names));
    assert_false(berth__names_make(&arena, items, sizeof(*items), 1, COUNT_MAX, &names));
    berth__arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_sorted),
        cmocka_unit_test(elements_are_sorted),
        cmocka_unit_test(texts_are_found),
        cmocka_unit_test(texts_of_a_list_that_moves_are_found),
        cmocka_unit_test(many_texts_need_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
