/* A pool of threads that help with a job.
 *
 * A job hands out its work by a ticket of its own, so it is done by whoever comes: the
 * caller always does, a worker if it arrives while the job is open. The caller works until
 * no ticket is left, closes the job and waits for those inside. A worker that wakes late, or
 * that the system has not let run, holds nobody up; so more threads than cores cost little.
 *
 * States of a worker: waiting (spins briefly, then parks), inside a job, stopped.
 * The gate is one word: the round's number, the number of workers inside, whether it is open,
 * whether the pool stops. The caller alone opens and closes it; workers enter and leave it.
 * Ordering:
 *   WORK-1  the caller writes the job, then opens the gate (release); a worker enters by an
 *           acquiring compare-and-swap, which succeeds only on an open gate of that round, before
 *           it reads the job. The caller writes the next job only when the gate is closed and
 *           nobody is inside.
 *   WORK-2  a worker finishes its part, then leaves (release); the caller acquires "nobody inside"
 *           before it reads what the workers wrote.
 *   PARK-1  a worker says that it is parked (sequentially consistent) before it looks at the gate
 *           a last time under its lock; the caller opens the gate (sequentially consistent)
 *           before it looks who is parked: one of the two sees the other. A wake-up lost would
 *           cost help, not progress; one lost at the end would cost the join.
 * Progress: the caller never waits for a worker that has not entered; workers never wait for
 * each other. The job belongs to the caller and lives until berth__workers_run returns. */
#ifndef BERTH_BASE_WORKERS_H
#define BERTH_BASE_WORKERS_H

#include "base/machine.h"
#include "base/shares.h"

typedef struct berth__workers berth__workers;

/* `worker` is 0 for the calling thread, then 1, 2, ... */
typedef void (*berth__job)(void *context, uint32_t worker);

/* Start count - 1 threads (the caller is worker 0). `count` >= 1. `bound`: each stays on a
 * core of its own, if there are as many; the caller's thread is the caller's to place. */
berth_status berth__workers_create(const berth_allocator *allocator, const berth__machine *machine,
                                   uint32_t count, bool bound, berth__workers **out);

/* Stop and join. Accepts NULL. */
void berth__workers_destroy(berth__workers *workers);

uint32_t berth__workers_count(const berth__workers *workers);

/* Run `job` on the caller and on any of the workers, each at most once at a time, and
 * return when it is done on all that took part. Workers are woken up to the number of
 * cores. Threads: one at a time. */
void berth__workers_run(berth__workers *workers, berth__job job, void *context);

/* Groups of workers: those whose cores share a NUMA node, numbered in the order of their
 * first workers. One group where workers are not bound, for they may run anywhere, and
 * where there are more nodes than BERTH__GROUPS_MAX. */
uint32_t berth__workers_groups(const berth__workers *workers);
uint32_t berth__workers_group_of(const berth__workers *workers, uint32_t index);

/* The NUMA node of a group's cores; 0 where there is one group. */
uint32_t berth__workers_group_numa(const berth__workers *workers, uint32_t group);

#endif
