/* The machine as the kernel describes it, for a library without hwloc (BERTH_HWLOC=OFF): the cores
 * that this process may run on. It does not distinguish NUMA nodes, and there are no synthetic
 * machines. */
#include <sched.h>
#include <stdio.h>

#include "base/machine.h"

enum { CPUS_MAX = 4096 };

struct berth__machine {
    const berth_allocator *allocator;
    uint32_t count;
    uint16_t cores[CPUS_MAX]; /* the processor to run on, for each core */
};

/* The first processor of the core of `cpu`; `cpu` itself if the kernel does not say. */
static unsigned first_sibling(unsigned cpu)
{
    char path[96];
    unsigned first = cpu;
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
             cpu);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return cpu;
    if (fscanf(file, "%u", &first) != 1)
        first = cpu;
    fclose(file);
    return first;
}

/* Processors that this process may use. Empty if the kernel does not say. */
static cpu_set_t *allowed_cpus(void)
{
    cpu_set_t *set = CPU_ALLOC(CPUS_MAX);
    if (set == NULL)
        return NULL;
    CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
    if (sched_getaffinity(0, CPU_ALLOC_SIZE(CPUS_MAX), set) != 0)
        CPU_ZERO_S(CPU_ALLOC_SIZE(CPUS_MAX), set);
    return set;
}

static void find_cores(berth__machine *machine, const cpu_set_t *allowed)
{
    const size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
        if (!CPU_ISSET_S(cpu, bytes, allowed))
            continue;
        unsigned first = first_sibling(cpu);
        if (first < cpu && CPU_ISSET_S(first, bytes, allowed))
            continue; /* another thread of a core that is already counted */
        machine->cores[machine->count++] = (uint16_t)cpu;
    }
}

berth_status berth__machine_create(const berth_allocator *allocator, const char *synthetic,
                                   berth__machine **out)
{
    if (synthetic != NULL)
        return BERTH_E_INTERNAL;
    berth__machine *machine = berth__alloc_zero(allocator, sizeof(*machine), 64);
    cpu_set_t *allowed = allowed_cpus();
    if (machine == NULL || allowed == NULL) {
        berth__free(allocator, machine, sizeof(*machine));
        CPU_FREE(allowed);
        return BERTH_E_NOMEM;
    }
    machine->allocator = allocator;
    find_cores(machine, allowed);
    CPU_FREE(allowed);
    *out = machine;
    return BERTH_OK;
}

void berth__machine_destroy(berth__machine *machine)
{
    if (machine != NULL)
        berth__free(machine->allocator, machine, sizeof(*machine));
}

uint32_t berth__machine_cores(const berth__machine *machine)
{
    return machine->count > 0 ? machine->count : 1;
}

uint32_t berth__machine_numa_of(const berth__machine *machine, uint32_t index, uint32_t count)
{
    (void)machine;
    (void)index;
    (void)count;
    return 0;
}

void berth__machine_bind_worker(const berth__machine *machine, uint32_t index, uint32_t count)
{
    if (machine->count == 0 || count > machine->count)
        return;
    const size_t bytes = CPU_ALLOC_SIZE(CPUS_MAX);
    cpu_set_t *only = CPU_ALLOC(CPUS_MAX);
    if (only == NULL)
        return;
    CPU_ZERO_S(bytes, only);
    CPU_SET_S(machine->cores[index * machine->count / count], bytes, only);
    (void)sched_setaffinity(0, bytes, only);
    CPU_FREE(only);
}

bool berth__machine_settle(const berth__machine *machine, void *memory, size_t bytes,
                           uint32_t numa_node)
{
    (void)machine;
    (void)memory;
    (void)bytes;
    (void)numa_node;
    return false;
}
