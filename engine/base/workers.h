/* A pool of threads that runs one function on all of them at once.
 *
 * States of a worker: waiting (spins briefly, then parks), running, stopped.
 * Ordering:
 *   WORK-1  the caller writes the job, then releases `round`; a worker acquires `round` before it
 *           reads the job.
 *   WORK-2  a worker finishes the job, then releases its decrement of `running`; the caller acquires
 *           `running` == 0 before it reads what the workers wrote.
 *   PARK    a worker counts itself in `parked` (sequentially consistent) before it looks at `round`
 *           a last time under the lock; the caller publishes `round` (sequentially consistent) before
 *           it looks at `parked`: one of the two sees the other, so no wake-up is lost. Weaker orders
 *           would let both look before either write is visible.
 * Progress: a run ends when every worker has run; workers never wait for each other.
 * The job belongs to the caller and lives until berth__workers_run returns. */
#ifndef BERTH_BASE_WORKERS_H
#define BERTH_BASE_WORKERS_H

#include "base/machine.h"

typedef struct berth__workers berth__workers;

/* `worker` is 0 for the calling thread, then 1, 2, ... */
typedef void (*berth__job)(void *context, uint32_t worker);

/* Start count - 1 threads (the caller is worker 0). `count` >= 1. */
berth_status berth__workers_create(const berth_allocator *allocator, const berth__machine *machine,
                                   uint32_t count, berth__workers **out);

/* Stop and join. Accepts NULL. */
void berth__workers_destroy(berth__workers *workers);

uint32_t berth__workers_count(const berth__workers *workers);

/* Run `job` once on each of the workers, the caller included, and return when all are done.
 * Threads: one at a time. */
void berth__workers_run(berth__workers *workers, berth__job job, void *context);

#endif
