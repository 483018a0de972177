/* The machine's topology by hwloc: cores, NUMA nodes, and binding of workers. */
#include "base/machine.h"

#include <hwloc.h>
#include <pthread.h>

struct berth__machine {
    const berth_allocator *allocator;
    hwloc_topology_t topology;
    bool own;  /* the topology is destroyed with the machine */
    bool real; /* false: synthetic, threads are not bound */
};

static bool load(const char *synthetic, hwloc_topology_t *out)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return false;
    if ((synthetic != NULL && hwloc_topology_set_synthetic(topology, synthetic) != 0) ||
        hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return false;
    }
    *out = topology;
    return true;
}

/* The topology of this machine is loaded once. Loading reads hundreds of files of /sys, which would
 * be most of the cost of creating a small engine. A loaded topology is no longer written, so
 * engines share it. It stays as long as the process. */
static hwloc_topology_t this_machine(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static hwloc_topology_t topology;
    pthread_mutex_lock(&lock);
    if (topology == NULL && !load(NULL, &topology))
        topology = NULL;
    hwloc_topology_t found = topology;
    pthread_mutex_unlock(&lock);
    return found;
}

berth_status berth__machine_create(const berth_allocator *allocator, const char *synthetic,
                                   berth__machine **out)
{
    berth__machine *machine = berth__alloc(allocator, sizeof(*machine), 64);
    if (machine == NULL)
        return BERTH_E_NOMEM;
    *machine = (berth__machine){.allocator = allocator, .own = synthetic != NULL};
    if (!machine->own)
        machine->topology = this_machine();
    else if (!load(synthetic, &machine->topology))
        machine->topology = NULL;
    if (machine->topology == NULL) {
        berth__free(allocator, machine, sizeof(*machine));
        return BERTH_E_INTERNAL;
    }
    /* The environment can make hwloc describe another machine. */
    machine->real = hwloc_topology_is_thissystem(machine->topology) != 0;
    *out = machine;
    return BERTH_OK;
}

void berth__machine_destroy(berth__machine *machine)
{
    if (machine == NULL)
        return;
    if (machine->own)
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
