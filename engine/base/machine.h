/* The machine as hwloc or the kernel sees it: how many workers make sense and where they run. */
#ifndef BERTH_BASE_MACHINE_H
#define BERTH_BASE_MACHINE_H

#include "base/memory.h"

typedef struct berth__machine berth__machine;

/* Look at the machine, or at a synthetic topology ("numa:2 core:4 pu:1") for tests; NULL:
 * this one, as it was when it was first asked for. Threads: any. */
berth_status berth__machine_create(const berth_allocator *allocator, const char *synthetic,
                                   berth__machine **out);
void berth__machine_destroy(berth__machine *machine);

/* Cores this process may run on, at least 1. */
uint32_t berth__machine_cores(const berth__machine *machine);

/* NUMA node of the core that worker `index` of `count` is given (0 where there is none).
 * Workers are spread over the cores so that neighbours in number share caches. */
uint32_t berth__machine_numa_of(const berth__machine *machine, uint32_t index, uint32_t count);

/* Bind the calling thread to the core of worker `index` of `count`. A machine that refuses
 * leaves the thread where it is: placement is a matter of speed only. */
void berth__machine_bind_worker(const berth__machine *machine, uint32_t index, uint32_t count);

/* Let the pages of `memory`, whole ones that nobody has touched, come from the NUMA node
 * (as numbered by berth__machine_numa_of) while it has any. Returns whether the machine
 * agreed. Threads: any. Cost: a system call. */
bool berth__machine_settle(const berth__machine *machine, void *memory, size_t bytes,
                           uint32_t numa_node);

#endif
