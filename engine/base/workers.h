/* A pool of threads that help with a job.
 *
 * A job hands out its work by a ticket of its own, so any thread may do it: the caller always takes
 * part, and a worker does if it arrives while the job is open. The caller works until no ticket is
 * left, closes the job and waits for the workers inside. A worker that wakes late, or that the
 * system has not scheduled, delays no other thread, so having more threads than cores costs little.
 *
 * States of a worker: waiting (spins briefly, then parks), inside a job, stopped. The gate is one
 * word: the round's number, the number of workers inside, whether it is open, and whether the pool
 * stops. Only the caller opens and closes it; workers enter and leave it.
 * Ordering:
 *   WORK-1  The caller writes the job, then opens the gate (release). A worker enters by an
 *           acquiring compare-and-swap, which succeeds only on an open gate of that round, before
 *           it reads the job. The caller writes the next job only when the gate is closed and
 *           nobody is inside.
 *   WORK-2  A worker finishes its part, then leaves (release). The caller acquires "nobody inside"
 *           before it reads what the workers wrote.
 *   PARK-1  A worker marks itself as parked (sequentially consistent) before it looks at the gate a
 *           last time under its lock. The caller opens the gate (sequentially consistent) before it
 *           checks which workers are parked. So one of the two sees the other. Without this, a
 *           wake-up could be lost: during a round that would only cost a helper, but at the end the
 *           join would never return.
 * Progress: the caller never waits for a worker that has not entered, and workers never wait for
 * each other. The job belongs to the caller and lives until berth__workers_run returns. */
#ifndef BERTH_BASE_WORKERS_H
#define BERTH_BASE_WORKERS_H

#include "base/machine.h"
#include "base/shares.h"

typedef struct berth__workers berth__workers;

/* `worker` is 0 for the calling thread and 1, 2, ... for the others. */
typedef void (*berth__job)(void *context, uint32_t worker);

/* Start count - 1 threads (the caller is worker 0); `count` >= 1. If `bound`, each thread stays on
 * a core of its own, as far as there are enough cores. The caller places its own thread. */
berth_status berth__workers_create(const berth_allocator *allocator, const berth__machine *machine,
                                   uint32_t count, bool bound, berth__workers **out);

/* Stop and join the threads. Accepts NULL. */
void berth__workers_destroy(berth__workers *workers);

uint32_t berth__workers_count(const berth__workers *workers);

/* Run `job` on the caller and on any of the workers, at most once on each thread at a time. Returns
 * when all threads that took part are done. At most as many workers are woken as there are cores.
 * Threads: one at a time. */
void berth__workers_run(berth__workers *workers, berth__job job, void *context);

/* Groups of workers whose cores share a NUMA node, numbered in the order of their first workers.
 * There is only one group if workers are not bound (they may run anywhere), or if there are more
 * NUMA nodes than BERTH__GROUPS_MAX. */
uint32_t berth__workers_groups(const berth__workers *workers);
uint32_t berth__workers_group_of(const berth__workers *workers, uint32_t index);

/* The NUMA node of a group's cores; 0 if there is only one group. */
uint32_t berth__workers_group_numa(const berth__workers *workers, uint32_t group);

#endif
