/* The table of ids against a plain array: ids are added and removed, and none is lost when its
 * neighbours are removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "traces/id_table.h"

enum { IDS = 600, STEPS = 200000 };

static void test_against_an_array(void **state)
{
    (void)state;
    id_table table = {0};
    uint32_t numbers[IDS];
    uint64_t count = 0;
    berth__random random = {.state = 7};
    for (uint32_t i = 0; i < IDS; i++)
        numbers[i] = ID_TABLE_NONE;
    assert_int_equal(id_table_find(&table, 1), ID_TABLE_NONE);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t which = (uint32_t)berth__random_below(&random, IDS);
        uint64_t id = which % 2 == 0 ? which : (uint64_t)which << 40;
        assert_int_equal(id_table_find(&table, id), numbers[which]);
        if (numbers[which] == ID_TABLE_NONE) {
            numbers[which] = step;
            id_table_add(&table, id, step);
            count++;
        } else {
            numbers[which] = ID_TABLE_NONE;
            id_table_remove(&table, id);
            count--;
        }
        assert_int_equal(table.count, count);
    }
    id_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_an_array)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
