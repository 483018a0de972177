/* The machine: cores, NUMA nodes and the spreading of workers, on synthetic topologies; and which
 * threads are bound to a core of this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

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

/* A machine without cores has one NUMA node, and nothing to bind to. */
static void test_no_cores(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("pu:2");
    assert_int_equal(berth__machine_cores(machine), 1);
    assert_int_equal(berth__machine_numa_of(machine, 0, 1), 0);
    berth__machine_bind_worker(machine, 0, 1);
    berth__machine_destroy(machine);
}

typedef struct binding {
    const berth__machine *machine;
    uint32_t index, count;
    int processors; /* that the thread may run on afterwards */
} binding;

static int processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;
}

static void *bind_worker(void *context)
{
    binding *b = context;
    berth__machine_bind_worker(b->machine, b->index, b->count);
    b->processors = processors();
    return NULL;
}

/* A thread of its own, since a thread stays bound. */
static int bound_to(const berth__machine *machine, uint32_t index, uint32_t count)
{
    binding b = {.machine = machine, .index = index, .count = count};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, bind_worker, &b), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return b.processors;
}

/* Workers of this machine are bound to one core each, unless there are more of them than cores. */
static void test_workers_are_bound_to_cores(void **state)
{
    (void)state;
    berth__machine *machine = synthetic(NULL);
    const uint32_t cores = berth__machine_cores(machine);
    const int all = processors();
    if (cores < 2 || all < 2)
        skip();
    for (uint32_t w = 0; w < cores; w++)
        assert_in_range(bound_to(machine, w, cores), 1, all - 1);
    for (uint32_t w = 0; w <= cores; w++)
        assert_int_equal(bound_to(machine, w, cores + 1), all);
    berth__machine_destroy(machine);
}

static void test_workers_of_a_synthetic_machine_are_not_bound(void **state)
{
    (void)state;
    berth__machine *machine = synthetic("core:64 pu:1");
    assert_int_equal(bound_to(machine, 63, 64), processors());
    assert_int_equal(bound_to(machine, 0, 64), processors());
    berth__machine_destroy(machine);
}

/* Memory can be placed on NUMA node 0 of this machine if the system lets a process place any. */
static void test_memory_on_node_0(void **state)
{
    enum { BYTES = 1 << 16 };
    (void)state;
    hwloc_topology_t topology;
    berth__machine *machine = synthetic(NULL);
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    const hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    assert_non_null(nodes);
    hwloc_bitmap_only(nodes, 0);
    const bool possible = hwloc_set_area_membind(topology, memory, BYTES, nodes, HWLOC_MEMBIND_BIND,
                                                 HWLOC_MEMBIND_BYNODESET) == 0;
    const bool placed = berth__machine_settle(machine, memory, BYTES, 0);
    hwloc_bitmap_free(nodes);
    hwloc_topology_destroy(topology);
    berth__machine_destroy(machine);
    assert_int_equal(munmap(memory, BYTES), 0);
    assert_int_equal(placed, possible);
    if (!possible)
        skip();
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
        cmocka_unit_test(test_no_cores),
        cmocka_unit_test(test_memory_on_node_0),
        cmocka_unit_test(test_workers_are_bound_to_cores),
        cmocka_unit_test(test_workers_of_a_synthetic_machine_are_not_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
