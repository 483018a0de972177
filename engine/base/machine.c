/* hwloc topology: cores, NUMA nodes, binding of workers. */
#include "base/machine.h"

#include <hwloc.h>

struct berth__machine {
    const berth_allocator *allocator;
    hwloc_topology_t topology;
    bool real; /* false: synthetic, threads are not bound */
};

berth_status berth__machine_create(const berth_allocator *allocator, const char *synthetic,
                                   berth__machine **out)
{
    berth__machine *machine = berth__alloc(allocator, sizeof(*machine), 64);
    if (machine == NULL)
        return BERTH_E_NOMEM;
    *machine = (berth__machine){.allocator = allocator};
    if (hwloc_topology_init(&machine->topology) != 0)
        goto fail;
    if (synthetic != NULL && hwloc_topology_set_synthetic(machine->topology, synthetic) != 0)
        goto fail_topology;
    if (hwloc_topology_load(machine->topology) != 0)
        goto fail_topology;
    /* hwloc may have been told of another machine by its environment. */
    machine->real = hwloc_topology_is_thissystem(machine->topology) != 0;
    *out = machine;
    return BERTH_OK;
fail_topology:
    hwloc_topology_destroy(machine->topology);
fail:
    berth__free(allocator, machine, sizeof(*machine));
    return BERTH_E_INTERNAL;
}

void berth__machine_destroy(berth__machine *machine)
{
    if (machine == NULL)
        return;
    hwloc_topology_destroy(machine->topology);
    berth__free(machine->allocator, machine, sizeof(*machine));
}

uint32_t berth__machine_cores(const berth__machine *machine)
{
    int cores = hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_CORE);
    return cores > 0 ? (uint32_t)cores : 1;
}

static hwloc_obj_t core_of(const berth__machine *machine, uint32_t index, uint32_t count)
{
    uint32_t cores = berth__machine_cores(machine);
    uint32_t core = count <= cores ? index * cores / count : index % cores;
    return hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_CORE, core);
}

uint32_t berth__machine_numa_of(const berth__machine *machine, uint32_t index, uint32_t count)
{
    hwloc_obj_t core = core_of(machine, index, count);
    if (core == NULL || core->nodeset == NULL)
        return 0;
    int node = hwloc_bitmap_first(core->nodeset);
    return node > 0 ? (uint32_t)node : 0;
}

void berth__machine_bind_worker(const berth__machine *machine, uint32_t index, uint32_t count)
{
    hwloc_obj_t core = core_of(machine, index, count);
    if (machine->real && core != NULL && count <= berth__machine_cores(machine))
        hwloc_set_cpubind(machine->topology, core->cpuset, HWLOC_CPUBIND_THREAD);
}

bool berth__machine_settle(const berth__machine *machine, void *memory, size_t bytes,
                           uint32_t numa_node)
{
    hwloc_bitmap_t nodes = machine->real ? hwloc_bitmap_alloc() : NULL;
    if (nodes == NULL)
        return false;
    hwloc_bitmap_only(nodes, numa_node);
    bool done = hwloc_set_area_membind(machine->topology, memory, bytes, nodes, HWLOC_MEMBIND_BIND,
                                       HWLOC_MEMBIND_BYNODESET) == 0;
    hwloc_bitmap_free(nodes);
    return done;
}
