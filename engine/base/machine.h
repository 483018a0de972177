/* The machine as hwloc or the kernel describes it: how many workers make sense and where they
 * run. */
#ifndef BERTH_BASE_MACHINE_H
#define BERTH_BASE_MACHINE_H

#include "base/memory.h"

typedef struct berth__machine berth__machine;

/* Read the topology of this machine (`synthetic` is NULL), as it was at the first call; or a
 * synthetic topology for tests ("numa:2 core:4 pu:1"). Threads: any. */
berth_status berth__machine_create(const berth_allocator *allocator, const char *synthetic,
                                   berth__machine **out);
void berth__machine_destroy(berth__machine *machine);

/* Cores this process may run on, at least 1. */
uint32_t berth__machine_cores(const berth__machine *machine);

/* The NUMA node of the core of worker `index` of `count` (0 if there are no NUMA nodes). Workers
 * are spread over the cores so that neighbours in number share caches. */
uint32_t berth__machine_numa_of(const berth__machine *machine, uint32_t index, uint32_t count);

/* Bind the calling thread to the core of worker `index` of `count`. If the machine refuses, the
 * thread stays where it is: placement affects speed only. */
void berth__machine_bind_worker(const berth__machine *machine, uint32_t index, uint32_t count);

/* Request that the pages of `memory` (whole pages that nobody has touched) come from this NUMA
 * node, as numbered by berth__machine_numa_of, as long as it has free ones. Returns whether the
 * machine agreed. Threads: any. Cost: a system call. */
bool berth__machine_settle(const berth__machine *machine, void *memory, size_t bytes,
                           uint32_t numa_node);

#endif
