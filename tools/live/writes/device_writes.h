/* Devices of a pod between the decision and the binding: each of its ResourceClaims is given the
 * allocation that was chosen and the pod in reservedFor, then the conditions of its devices are
 * waited for. What a pod has reserved is given back when it is not bound after all; allocations
 * stay.
 *
 * The life of a job: put, held until its turn comes (device_writes_go), under way, settled; and
 * then, as the binding comes out, forgotten (device_writes_bound) or given back
 * (device_writes_drop).
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_DEVICE_WRITES_H
#define BERTH_LIVE_DEVICE_WRITES_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

/* One claim, as the decision saw it. */
typedef struct device_choice {
    berth_str claim_namespace, claim_name, claim_uid;
    berth_str
        allocation; /* JSON of what was chosen now; absent: the claim had its devices before */
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
    bool ready; /* every claim is; else `why` */
    const char *why;
} device_outcome;

typedef void (*devices_settled_fn)(void *context, const device_outcome *outcome);

/* The devices are given, and their conditions are waited for; once a job. */
typedef void (*devices_wait_fn)(void *context, const write_pod *pod, berth_str node);

typedef struct device_writes device_writes;

/* Owner: `gate` outlives it. `settled` is called once for each job that was begun and not dropped,
 * never from within device_writes_go. */
device_writes *device_writes_create(write_gate *gate, devices_settled_fn settled,
                                    devices_wait_fn waits, void *context);
void device_writes_destroy(device_writes *d);

/* At least one choice. Owner: copied. Nothing is written until its turn comes. */
void device_writes_put(device_writes *d, const device_job *plan);

/* Begin the job; false: there is none of that id. */
bool device_writes_go(device_writes *d, uint64_t id);

/* The pod is bound: what was written for it stays. */
void device_writes_bound(device_writes *d, uint64_t id);

/* It is not, and will not be: what was written is given back. */
void device_writes_drop(device_writes *d, uint64_t id);

/* The watch shows a change of a claim: whoever waits for it looks at once. Cost: linear in the
 * claims that are waited for. */
void device_writes_claim_seen(device_writes *d, berth_str namespace_name, berth_str name);

/* Jobs for that node fail. */
void device_writes_node_gone(device_writes *d, berth_str node);

/* Nothing more is begun; what is under way is forgotten, without a word. */
void device_writes_end(device_writes *d);

size_t device_writes_count(const device_writes *d);

#endif
