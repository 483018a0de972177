/* Writes a pod's devices between the decision and the binding: each of its ResourceClaims gets the
 * chosen allocation and the pod in reservedFor, then the conditions of its devices are awaited. If
 * the pod is not bound after all, its reservations are removed; allocations stay. The claim for
 * extended resources is created first, the pod's status names it, and it is deleted if the pod is
 * not bound.
 *
 * The life of a job: put; held until device_writes_go; in progress; settled; then, with the outcome
 * of the binding, forgotten (device_writes_bound) or given back (device_writes_drop).
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_DEVICE_WRITES_H
#define BERTH_LIVE_DEVICE_WRITES_H

#include "live/writes/claim_deletions.h"
#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

/* One claim, as the decision saw it. */
typedef struct device_choice {
    berth_str claim_namespace, claim_name, claim_uid;
    berth_str allocation; /* JSON of the chosen allocation; absent: the claim has one */
    /* of the claim for extended resources, as JSON; absent for others */
    berth_str requests; /* to create it with, if it has no name */
    berth_str mappings; /* for the pod's status */
} device_choice;

typedef struct device_job {
    uint64_t id;
    const write_pod *pod;
    berth_str node;
    const device_choice *choices;
    size_t choice_count;
    int64_t timeout_ns; /* for the conditions of its devices; 0: 600 s */
} device_job;

/* Borrowed during the callback. */
typedef struct device_outcome {
    uint64_t id;
    const write_pod *pod;
    berth_str node;
    bool ready; /* every claim is ready; else see `why` */
    const char *why;
} device_outcome;

typedef void (*devices_settled_fn)(void *context, const device_outcome *outcome);

/* Called once for a job when its devices are allocated and their conditions are awaited. */
typedef void (*devices_wait_fn)(void *context, const write_pod *pod, berth_str node);

typedef struct device_writes device_writes;

/* Owner: `gate` and `deletions` must outlive it. `settled` is called once for each job that was
 * begun and not dropped, never from within device_writes_go. */
device_writes *device_writes_create(write_gate *gate, claim_deletions *deletions,
                                    devices_settled_fn settled, devices_wait_fn waits,
                                    void *context);
void device_writes_destroy(device_writes *d);

/* Needs at least one choice. Owner: copied. Nothing is written before device_writes_go. */
void device_writes_put(device_writes *d, const device_job *plan);

/* Begin the job; false if there is none with that id. */
bool device_writes_go(device_writes *d, uint64_t id);

/* The pod is bound: what was written for it stays. */
void device_writes_bound(device_writes *d, uint64_t id);

/* The pod will not be bound: undo its reservations. */
void device_writes_drop(device_writes *d, uint64_t id);

/* The watch shows a change of a claim: jobs that wait for it check it at once. Cost: linear in the
 * awaited claims. */
void device_writes_claim_seen(device_writes *d, berth_str namespace_name, berth_str name);

/* The node is gone: its jobs fail. */
void device_writes_node_gone(device_writes *d, berth_str node);

/* Begin nothing more; jobs in progress are dropped without a callback. */
void device_writes_end(device_writes *d);

size_t device_writes_count(const device_writes *d);

#endif
