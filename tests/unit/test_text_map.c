/* The map from texts to pointers against a plain list, with many keys in few slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "live/writes/text_map.h"

enum { KEYS = 60, STEPS = 40000 };

static char names[KEYS][8];
static int values[KEYS];
static text_map map;

static berth_str key(size_t i)
{
    return (berth_str){names[i], (uint32_t)strlen(names[i])};
}

static int start(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEYS; i++)
        snprintf(names[i], sizeof(names[i]), "%.*s%zu", (int)(i % 4), "xyz", i);
    map = (text_map){.count = 0};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    text_map_free(&map);
    assert_int_equal(map.capacity, 0);
    return 0;
}

static void absent_keys_are_not_found(void **state)
{
    (void)state;
    assert_null(text_map_get(&map, key(0)));
    text_map_remove(&map, key(0));
    text_map_add(&map, key(0), &values[0]);
    assert_null(text_map_get(&map, key(1)));
    text_map_remove(&map, key(1));
    assert_int_equal(map.count, 1);
    assert_ptr_equal(text_map_get(&map, key(0)), &values[0]);
    text_map_remove(&map, key(0));
    assert_null(text_map_get(&map, key(0)));
    assert_int_equal(map.count, 0);
}

static void a_key_is_copied_and_counts_as_a_whole(void **state)
{
    (void)state;
    char text[] = "shop/web";
    text_map_add(&map, (berth_str){text, 8}, &values[0]);
    text_map_add(&map, (berth_str){text, 4}, &values[1]);
    memset(text, 'x', 8);
    assert_ptr_equal(text_map_get(&map, BERTH_STR("shop/web")), &values[0]);
    assert_ptr_equal(text_map_get(&map, BERTH_STR("shop")), &values[1]);
    assert_null(text_map_get(&map, BERTH_STR("shop/")));
    assert_null(text_map_get(&map, BERTH_STR("xxxx")));
}

/* It grows while the thirteenth of sixteen slots is taken, so a search always ends. */
static void a_quarter_stays_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEYS; i++) {
        text_map_add(&map, key(i), &values[i]);
        assert_int_equal(map.capacity, i < 12 ? 16 : i < 24 ? 32 : i < 48 ? 64 : 128);
    }
}

/* Keys come and go at random; after each step one of them is looked up. */
static void it_agrees_with_a_list(void **state)
{
    (void)state;
    bool has[KEYS] = {false};
    size_t count = 0;
    uint64_t drawn = 1;
    for (int step = 0; step < STEPS; step++) {
        drawn = drawn * 6364136223846793005U + 1442695040888963407U;
        const size_t limit = step < STEPS / 2 ? 14 : KEYS; /* first within sixteen slots */
        const size_t i = (size_t)(drawn >> 33) % limit, other = (size_t)(drawn >> 50) % limit;
        if (has[i])
            text_map_remove(&map, key(i));
        else if (limit == KEYS || count < 12)
            text_map_add(&map, key(i), &values[i]);
        else
            continue;
        has[i] = !has[i];
        count += has[i] ? 1 : (size_t)-1;
        assert_int_equal(map.count, count);
        assert_ptr_equal(text_map_get(&map, key(i)), has[i] ? &values[i] : NULL);
        assert_ptr_equal(text_map_get(&map, key(other)), has[other] ? &values[other] : NULL);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(absent_keys_are_not_found),
        T(a_key_is_copied_and_counts_as_a_whole),
        T(a_quarter_stays_free),
        T(it_agrees_with_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
