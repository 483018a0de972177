/* Sets of host ports, compared with a plain loop. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "columns/port_set.h"

enum { ROUNDS = 3000, PORTS_MAX = 40, ANY_IP = 1 };

static uint32_t draw(berth__random *random, berth__host_port *out)
{
    uint32_t count = berth__random_below(random, PORTS_MAX);
    for (uint32_t i = 0; i < count; i++)
        out[i] = (berth__host_port){1 + berth__random_below(random, 4),
                                    1 + berth__random_below(random, 2),
                                    (int32_t)berth__random_below(random, 9)};
    qsort(out, count, sizeof(*out), berth__host_port_order);
    return count;
}

static bool has(const berth__host_port *items, uint32_t count, const berth__host_port *port)
{
    for (uint32_t i = 0; i < count; i++)
        if (berth__host_port_order(&items[i], port) == 0)
            return true;
    return false;
}

static bool conflict(const berth__host_port *a, const berth__host_port *b)
{
    return a->port == b->port && a->protocol == b->protocol &&
           (a->ip == b->ip || a->ip == ANY_IP || b->ip == ANY_IP);
}

static void assert_is_set(const berth__port_set *set)
{
    for (uint32_t i = 1; i < set->count; i++)
        assert_true(berth__host_port_order(&set->items[i - 1], &set->items[i]) < 0);
}

static void ports_come_and_go(void **state)
{
    berth__random random = {1};
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        berth__port_set *own = calloc(1, sizeof(*own) + 3 * PORTS_MAX * sizeof(berth__host_port));
        assert_non_null(own);
        own->capacity = 3 * PORTS_MAX;
        berth__host_port lists[3][PORTS_MAX], before[3 * PORTS_MAX];
        uint32_t counts[3];
        for (uint32_t i = 0; i < 3; i++) {
            counts[i] = draw(&random, lists[i]);
            const berth__port_list list = {.items = lists[i], .count = counts[i]};
            berth__port_set_add(own, &list);
            assert_is_set(own);
            for (uint32_t k = 0; k <= i; k++)
                for (uint32_t p = 0; p < counts[k]; p++)
                    assert_true(berth__host_ports_have(own->items, own->count, &lists[k][p]));
        }
        uint32_t had = own->count;
        memcpy(before, own->items, had * sizeof(*before));
        berth__port_set_remove(own, lists[1], counts[1]);
        assert_is_set(own);
        for (uint32_t i = 0; i < had; i++)
            assert_true(has(own->items, own->count, &before[i]) !=
                        has(lists[1], counts[1], &before[i]));
        free(own);
    }
}

static void conflicts_are_found(void **state)
{
    berth__random random = {2};
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        berth__host_port wanted[PORTS_MAX], used[PORTS_MAX];
        uint32_t wanted_count = draw(&random, wanted) / 8, used_count = draw(&random, used) / 4;
        bool expected = false;
        for (uint32_t i = 0; i < wanted_count; i++)
            for (uint32_t k = 0; k < used_count; k++)
                expected |= conflict(&wanted[i], &used[k]);
        assert_int_equal(berth__host_ports_conflict(wanted, wanted_count, used, used_count, ANY_IP),
                         expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_come_and_go),
        cmocka_unit_test(conflicts_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
