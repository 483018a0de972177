/* columns/value_slots.h: the slots of a value, from the column and from the table that takes its
 * place after some look-ups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns/value_slots.h"
#include "counted_memory.h"

enum {
    SLOTS = 300, /* three tiles, the last one partly filled */
    LABEL = 7,
    OFTEN = 20, /* look-ups: more than it takes to make a table */
};

typedef struct world {
    counted memory;
    berth_allocator allocator;
    berth__layout layout;
    berth__sym column[SLOTS];
    berth__value_slots table;
} world;

static void set_up(world *w)
{
    *w = (world){.layout = {.count = SLOTS, .label_epoch = 1}};
    w->allocator = (berth_allocator){&w->memory, counted_allocate, counted_release};
    w->table.allocator = &w->allocator;
}

static void tear_down(world *w)
{
    berth__value_slots_destroy(&w->table);
    assert_int_equal(w->memory.bytes, 0);
}

static uint32_t find(world *w, berth__sym value, uint32_t *slots, uint32_t room)
{
    return berth__value_slots_find(&w->table, &w->layout, LABEL, w->column, value, slots, room);
}

/* With room for all slots of a value, for one fewer, and for one more. */
static void check(world *w, berth__sym value)
{
    bool wanted[SLOTS], got[SLOTS] = {false};
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        count += wanted[slot] = w->column[slot] == value;
    for (uint32_t room = count > 0 ? count - 1 : 0; room <= count + 1; room++) {
        uint32_t *slots = malloc((room > 0 ? room : 1) * sizeof(*slots)); /* no room behind it */
        assert_non_null(slots);
        const uint32_t found = find(w, value, slots, room);
        assert_int_equal(found, room < count ? room + 1 : count);
        memset(got, 0, sizeof(got));
        for (uint32_t i = 0; i < found && found <= room; i++)
            got[slots[i]] = true;
        if (found <= room)
            assert_memory_equal(got, wanted, sizeof(got));
        free(slots);
    }
}

/* Numbers of texts, far apart, so that some share a place in the table. 0: none. */
static berth__sym text_of(uint32_t value)
{
    return value * (value + 987);
}

/* Value 0 stands for nodes without the label. */
static void fill(world *w, uint32_t values)
{
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        w->column[slot] = text_of(slot * 7919 % (values + 1));
}

static void test_column_and_table(void **state)
{
    (void)state;
    static const uint32_t values[] = {1, 3, 40, 100, SLOTS};
    static world w;
    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        set_up(&w);
        fill(&w, values[v]);
        for (uint32_t i = 0; i < OFTEN; i++)
            check(&w, text_of(1 + i % values[v]));
        assert_true(w.table.made);
        for (uint32_t value = 1; value <= values[v] + 1; value++)
            check(&w, text_of(value));
        tear_down(&w);
    }
}

/* A table is for one label, and for the labels and the order of nodes at one time. */
static void test_table_is_void(void **state)
{
    (void)state;
    static world w;
    set_up(&w);
    fill(&w, 40);
    for (uint32_t i = 0; i < OFTEN; i++)
        check(&w, text_of(1));
    assert_true(w.table.made);
    fill(&w, 50);
    w.layout.label_epoch++;
    check(&w, text_of(1));
    assert_false(w.table.made);
    for (uint32_t i = 0; i < OFTEN; i++)
        check(&w, text_of(1 + i));
    assert_true(w.table.made);
    berth__sym other[SLOTS] = {0};
    uint32_t slots[2];
    other[299] = 1;
    assert_int_equal(berth__value_slots_find(&w.table, &w.layout, LABEL + 1, other, 1, slots, 2),
                     1);
    assert_int_equal(slots[0], 299);
    assert_false(w.table.made);
    check(&w, text_of(1));
    tear_down(&w);
}

/* Without memory for a table, the column is read. */
static void test_no_memory(void **state)
{
    (void)state;
    static world w;
    set_up(&w);
    fill(&w, 40);
    for (uint32_t i = 0; i < OFTEN; i++) {
        uint32_t slots[SLOTS];
        w.memory.fail_at = w.memory.calls + 1 + i % 2;
        assert_true(find(&w, text_of(1), slots, SLOTS) > 0);
        assert_int_equal(w.column[slots[0]], text_of(1));
    }
    w.memory.fail_at = 0;
    check(&w, text_of(1));
    assert_true(w.table.made);
    tear_down(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_column_and_table),
        cmocka_unit_test(test_table_is_void),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
