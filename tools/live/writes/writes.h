/* Everything that is written to a cluster: bindings, the status of pods that were not placed,
 * evictions, volumes, and the events that tell of them.
 *
 * How to join it, on the network's thread:
 *   - make it with writes_create on the transport's interface, and writes_fence(w, 0) if a lease is
 *     to be won first; the lease's callback `renewed` hands on the deadline, `lost` hands on 0;
 *   - take orders of the deciding thread while writes_has_room(w), and again in `room`:
 *       bind    writes_bind(w, id, pod, node), which `bound` answers once: BOUND is DONE for
 *               berth_scheduler_bind_done, anything else FAILED. The event Scheduled, and what a
 *               failed binding leaves in the pod's status, are written from here;
 *               a pod with volumes that were chosen now goes to writes_bind_with_volumes; what
 *               devices its claims get is told before, by writes_devices;
 *       unbind  writes_unbind(w, id): no answer will be given;
 *       failed  writes_failed(w, pod, failure): the condition and the event;
 *       free    writes_free_claim(w, claim): the watch tells when its devices are free;
 *       evict   writes_evict(w, victim, preemptor, node): `evicted` tells when the server has taken
 *               it, the watch when the pod is gone;
 *   - tell of each change of the watches: writes_pod_seen for a pod that has a node,
 *     writes_pod_gone for one that is deleted, writes_node_gone, writes_claim_seen,
 *     writes_device_claim_seen;
 *   - at the end writes_end(w), turn the loop until writes_is_settled(w) or 5 s are over, then give
 *     the lease up, then writes_destroy.
 * A write_pod is made from what the watch knows (object_entry: names, uid, version, generation,
 * `scheduled`, `nominated`) and the pod's scheduler name. Look the pod up when the order is taken:
 * one that is no longer there, or another one by now (object_entry.born), is answered FAILED by the
 * caller, and not handed over.
 *
 * Threads: the network loop's. Callbacks come from within the loop or from within the calls of
 * this header that tell of changes, never from within an order; they may hand over more. */
#ifndef BERTH_LIVE_WRITES_H
#define BERTH_LIVE_WRITES_H

#include "live/writes/bindings.h"
#include "live/writes/claim_frees.h"
#include "live/writes/device_writes.h"
#include "live/writes/evictions.h"
#include "live/writes/pod_events.h"
#include "live/writes/pod_status.h"
#include "live/writes/volume_writes.h"

/* Each may be NULL. */
typedef struct writes_callbacks {
    void *context;
    void (*bound)(void *context, const bind_outcome *outcome);
    void (*evicted)(void *context, const eviction_outcome *outcome);
    void (*room)(void *context); /* there is room for another order, perhaps */
} writes_callbacks;

/* Owner: texts and callbacks are copied; the transport outlives the writes. */
typedef struct writes_options {
    const live_transport *transport;
    const char *host;      /* our host's name: for events */
    int minor;             /* of the server's version: 36 of 1.36 */
    bool scheduled_events; /* tell of each pod that was bound */
    size_t events_waiting; /* at most; 0: 10,000 */
    double rate, burst;    /* requests a second, and at once; 0: no limit but the server's */
    writes_callbacks callbacks;
} writes_options;

typedef struct writes writes;

writes *writes_create(const writes_options *options);
/* What is under way is cut off. Accepts NULL. */
void writes_destroy(writes *w);

/* Nothing is handed to the network after `deadline_ns` of now(); LIVE_NEVER: no election; 0: stop
 * at once. What waits goes on when it is moved on. */
void writes_fence(writes *w, int64_t deadline_ns);

/* ---- orders ---- */

bool writes_has_room(const writes *w);
void writes_bind(writes *w, uint64_t id, const write_pod *pod, berth_str node);
/* The same, once the pod's volumes are bound. The caller has looked that there is at least one
 * choice. */
void writes_bind_with_volumes(writes *w, const volume_job *job);
/* Before either, where the pod has ResourceClaims: once its volumes are bound, and before the pod
 * is, they are given what was chosen. */
void writes_devices(writes *w, const device_job *job);
void writes_unbind(writes *w, uint64_t id);

typedef struct write_failure {
    bool error; /* SchedulerError, not Unschedulable */
    berth_str message;
    berth_str nominated; /* absent: preemption doesn't help, the nomination goes */
} write_failure;
void writes_failed(writes *w, const write_pod *pod, const write_failure *failure);

/* Set the nomination alone, or (absent) take it away. */
void writes_nominate(writes *w, const write_pod *pod, berth_str node);

/* Take a ResourceClaim's devices from it. */
void writes_free_claim(writes *w, const freed_claim *claim);

void writes_evict(writes *w, const write_pod *victim, const write_pod *preemptor, berth_str node);

/* Tell of a lease. */
void writes_leader(writes *w, const leader_event *event);

/* ---- what the watches show ---- */

void writes_pod_seen(writes *w, const write_pod *pod, berth_str node);
void writes_pod_gone(writes *w, const write_pod *pod);
void writes_node_gone(writes *w, berth_str node);
void writes_claim_seen(writes *w, berth_str namespace_name, berth_str name);
void writes_device_claim_seen(writes *w, berth_str namespace_name, berth_str name);

/* ---- the end, and looking ---- */

/* No new bindings and evictions; those not sent are dropped without a word. Events and statuses go
 * on. */
void writes_end(writes *w);
/* Every binding and eviction that was sent has its outcome; and no event waits. */
bool writes_is_settled(const writes *w);

/* The first kind of write that the server refuses us, as a rule of a role ("create pods/binding");
 * NULL: none. */
const char *writes_denied(const writes *w);

typedef struct writes_counters {
    uint64_t bind[BIND_VERDICT_COUNT], bind_requests; /* requests: repetitions included */
    uint64_t evictions, statuses, events, events_dropped;
    uint64_t pushed_back; /* answers 429 */
    size_t volumes;       /* pods whose volumes are waited for */
    size_t devices;       /* pods whose ResourceClaims are written, or were and are not bound yet */
    size_t binding, unsettled, window, statuses_pending, events_pending;
} writes_counters;
void writes_count(const writes *w, writes_counters *out);

#endif
