/* The table of objects that were seen against a plain list: found by namespace and name, and each
 * unmarked one found once, even while entries are removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "live/watch/object_table.h"

enum { KEYS = 200, STEPS = 40000 };

static object_table table;
static object_entry *entries[KEYS]; /* NULL: not in the table */
static uint64_t drawn;

static int start(void **state)
{
    (void)state;
    table = (object_table){0};
    memset(entries, 0, sizeof(entries));
    drawn = 1;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    object_table_free(&table);
    assert_int_equal(table.count, 0);
    return 0;
}

static size_t draw(size_t limit)
{
    drawn = drawn * 6364136223846793005U + 1442695040888963407U;
    return (size_t)(drawn >> 33) % limit;
}

/* The texts of a key: one in four has no namespace. */
static berth_str space_of(size_t i)
{
    static const berth_str spaces[] = {BERTH_STR("a"), BERTH_STR("ab"), BERTH_STR("b"), {0}};
    return spaces[i % 4];
}

static berth_str name_of(size_t i)
{
    static char name[16];
    snprintf(name, sizeof(name), "b%zu", i / 4);
    return (berth_str){name, (uint32_t)strlen(name)};
}

static void add(size_t i)
{
    entries[i] = object_table_add(&table, space_of(i), name_of(i), BERTH_STR("u-1"));
    entries[i]->mark = 1;
}

static void drop(size_t i)
{
    object_table_remove(&table, entries[i]);
    entries[i] = NULL;
}

static void an_entry_has_its_texts(void **state)
{
    (void)state;
    const object_entry *entry =
        object_table_add(&table, BERTH_STR("shop"), BERTH_STR("web-1"), BERTH_STR("u-77"));
    assert_int_equal(object_entry_namespace(entry).len, 4);
    assert_memory_equal(object_entry_namespace(entry).data, "shop", 4);
    assert_int_equal(object_entry_name(entry).len, 5);
    assert_memory_equal(object_entry_name(entry).data, "web-1", 5);
    assert_int_equal(object_entry_uid(entry).len, 4);
    assert_memory_equal(object_entry_uid(entry).data, "u-77", 4);
    assert_null(object_table_find(&table, BERTH_STR("shop"), BERTH_STR("web-2")));
    assert_null(object_table_find(&table, BERTH_STR("shog"), BERTH_STR("web-1")));
    assert_null(object_table_find(&table, BERTH_STR("shopweb"), BERTH_STR("-1")));
    assert_null(object_table_find(&table, (berth_str){0}, BERTH_STR("web-1")));
    assert_ptr_equal(object_table_find(&table, BERTH_STR("shop"), BERTH_STR("web-1")), entry);
}

static void a_quarter_stays_free(void **state)
{
    (void)state;
    for (size_t i = 0; i < KEYS; i++) {
        add(i);
        assert_int_equal(table.capacity, i < 48 ? 64 : i < 96 ? 128 : i < 192 ? 256 : 512);
    }
}

/* First within the first 64 slots, nearly full; then with all keys. */
static void it_agrees_with_a_list(void **state)
{
    (void)state;
    size_t count = 0;
    assert_null(object_table_find(&table, space_of(0), name_of(0)));
    for (int step = 0; step < STEPS; step++) {
        const size_t limit = step < STEPS / 2 ? 60 : KEYS, i = draw(limit), other = draw(limit);
        if (entries[i] != NULL)
            drop(i);
        else if (limit == KEYS || count < 48)
            add(i);
        else
            continue;
        count += entries[i] != NULL ? 1 : (size_t)-1;
        assert_int_equal(table.count, count);
        assert_ptr_equal(object_table_find(&table, space_of(i), name_of(i)), entries[i]);
        assert_ptr_equal(object_table_find(&table, space_of(other), name_of(other)),
                         entries[other]);
    }
}

/* After a list, what it did not contain is removed, one by one; nothing else is. */
static void the_unmarked_are_removed(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        const size_t count = 1 + draw(KEYS);
        size_t marked = 0;
        for (size_t i = 0; i < count; i++) {
            add(i);
            entries[i]->mark = 1 + (uint32_t)draw(2);
            marked += entries[i]->mark == 2;
        }
        size_t from = 0;
        for (object_entry *e; (e = object_table_unmarked(&table, 2, &from)) != NULL;) {
            assert_int_equal(e->mark, 1);
            object_table_remove(&table, e);
        }
        assert_int_equal(table.count, marked);
        from = 0;
        assert_null(object_table_unmarked(&table, 2, &from));
        stop(NULL);
        memset(entries, 0, sizeof(entries));
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(an_entry_has_its_texts),
        T(a_quarter_stays_free),
        T(it_agrees_with_a_list),
        T(the_unmarked_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
