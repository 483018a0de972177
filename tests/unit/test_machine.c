/* The machine: cores, NUMA nodes and the spreading of workers, on synthetic topologies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/machine.h"

static berth__machine *synthetic(const char *topology)
{
    berth__machine *machine;
    assert_int_equal(berth__machine_create(berth__allocator_default(), topology, &machine),
                     BERTH_OK);
    return machine;
}

static void test_cores(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        uint32_t cores;
    } cases[] = {
        {"pu:1", 1},
        {"core:4 pu:1", 4},
        {"core:4 pu:2", 4},
        {"numa:2 core:4 pu:1", 8},
        {"numa:2 core:8 pu:2", 16},
        {"package:2 numa:2 core:16 pu:2", 64},
        {"numa:1 l3:2 core:3 pu:1", 6},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth__machine *machine = synthetic(cases[i].topology);
        if (berth__machine_cores(machine) != cases[i].cores)
            fail_msg("\"%s\": %u cores", cases[i].topology,
                     (unsigned)berth__machine_cores(machine));
        berth__machine_destroy(machine);
    }
}

static void test_workers_fill_numa_nodes_in_order(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("numa:2 core:4 pu:1");
    for (uint32_t w = 0; w < 8; w++)
        assert_int_equal(berth__machine_numa_of(machine, w, 8), w / 4);
    berth__machine_destroy(machine);
}

static void test_few_workers_are_spread(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("numa:4 core:4 pu:1");
    for (uint32_t w = 0; w < 4; w++)
        assert_int_equal(berth__machine_numa_of(machine, w, 4), w);
    for (uint32_t w = 0; w < 2; w++)
        assert_int_equal(berth__machine_numa_of(machine, w, 2), w * 2);
    assert_int_equal(berth__machine_numa_of(machine, 0, 1), 0);
    berth__machine_destroy(machine);
}

static void test_more_workers_than_cores(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("numa:2 core:2 pu:1");
    uint32_t per_node[2] = {0};
    for (uint32_t w = 0; w < 12; w++) {
        uint32_t node = berth__machine_numa_of(machine, w, 12);
        assert_true(node < 2);
        per_node[node]++;
    }
    assert_int_equal(per_node[0], 6);
    assert_int_equal(per_node[1], 6);
    berth__machine_destroy(machine);
}

static void test_every_worker_has_a_node_that_exists(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("package:2 numa:3 core:5 pu:2");
    for (uint32_t count = 1; count <= 70; count++) {
        uint32_t last = 0;
        for (uint32_t w = 0; w < count; w++) {
            uint32_t node = berth__machine_numa_of(machine, w, count);
            assert_true(node < 6);
            assert_true(count > 30 || node >= last);
            last = node;
        }
    }
    berth__machine_destroy(machine);
}

static void test_this_machine(void **state)
{
    (void)state;
    berth__machine *machine = synthetic(NULL);
    assert_true(berth__machine_cores(machine) >= 1);
    berth__machine_destroy(machine);
    berth__machine_destroy(NULL);
}

static void test_bad_topology(void **state)
{
    (void)state;
    berth__machine *machine = NULL;
    assert_int_equal(berth__machine_create(berth__allocator_default(), "nonsense:x", &machine),
                     BERTH_E_INTERNAL);
    assert_null(machine);
}

/* Workers of a synthetic machine are not bound. */
static void test_synthetic_machines_do_not_bind(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("core:64 pu:1");
    berth__machine_bind_worker(machine, 63, 64);
    berth__machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_workers_fill_numa_nodes_in_order),
        cmocka_unit_test(test_few_workers_are_spread),
        cmocka_unit_test(test_more_workers_than_cores),
        cmocka_unit_test(test_every_worker_has_a_node_that_exists),
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_bad_topology),
        cmocka_unit_test(test_synthetic_machines_do_not_bind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
