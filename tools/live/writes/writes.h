/* Everything that is written to a cluster: bindings, the status of unplaced pods, evictions,
 * volumes, and events about them.
 *
 * How to use it, on the network's thread:
 *   - create it with writes_create on the transport's interface, and call writes_fence(w, 0) if a
 *     lease must be won first; the lease's callback `renewed` passes the deadline, `lost` 0;
 *   - take orders of the deciding thread while writes_has_room(w), and again in `room`:
 *       bind    writes_bind(w, id, pod, node), which `bound` answers once: BOUND is DONE for
 *               berth_scheduler_bind_done, anything else FAILED. The event Scheduled, and the
 *               status of the pod after a failed binding, are written from here;
 *               a pod with newly chosen volumes goes to writes_bind_with_volumes; before either,
 *               writes_devices gets the devices of the pod's claims;
 *       unbind  writes_unbind(w, id): there will be no answer;
 *       failed  writes_failed(w, pod, failure): the condition and the event;
 *       group   writes_pod_group(w, group, outcome): the condition of a PodGroup;
 *       free    writes_free_claim(w, claim): the watch shows when its devices are free;
 *       delete  writes_delete_claim(w, claim): the watch shows when it is gone;
 *       evict   writes_evict(w, victim, preemptor, node): `evicted` reports that the server has
 *               accepted it, the watch that the pod is gone;
 *   - report each change of the watches: writes_pod_seen for a pod that has a node,
 *     writes_pod_gone for one that is deleted, writes_node_gone, writes_claim_seen,
 *     writes_device_claim_seen;
 *   - at the end call writes_end(w), turn the loop until writes_is_settled(w) or 5 s are over, then
 *     release the lease, then call writes_destroy.
 * A write_pod is made from what the watch knows (object_entry: names, uid, version, generation,
 * `scheduled`, `nominated`) and the pod's scheduler name. Look the pod up when the order is taken:
 * if it is gone, or a different one by now (object_entry.born), the caller answers FAILED and does
 * not pass the order on.
 *
 * Threads: the network loop's. Callbacks come from within the loop or from within the calls of this
 * header that report changes, never from within an order; they may pass on more orders. */
#ifndef BERTH_LIVE_WRITES_H
#define BERTH_LIVE_WRITES_H

#include "live/writes/bindings.h"
#include "live/writes/claim_deletions.h"
#include "live/writes/claim_frees.h"
#include "live/writes/device_writes.h"
#include "live/writes/evictions.h"
#include "live/writes/pod_events.h"
#include "live/writes/status_writes.h"
#include "live/writes/volume_writes.h"

/* Each may be NULL. */
typedef struct writes_callbacks {
    void *context;
    void (*bound)(void *context, const bind_outcome *outcome);
    void (*evicted)(void *context, const eviction_outcome *outcome);
    void (*room)(void *context); /* there may be room for another order */
    /* a write is sent after waiting so long for the rate limiter, mostly 0 */
    void (*limited)(void *context, const char *method, int64_t waited_ns);
} writes_callbacks;

/* Owner: texts and callbacks are copied; the transport must outlive the writes. */
typedef struct writes_options {
    const live_transport *transport;
    const char *host;      /* our host's name, for events */
    int minor;             /* of the server's version: 36 of 1.36 */
    bool scheduled_events; /* write an event for each bound pod */
    size_t events_waiting; /* at most this many events wait; 0: 50,000 */
    bind_extender binder;  /* of the pods that an extender binds */
    double rate, burst;    /* requests per second, and in a burst; 0: only the server's limit */
    writes_callbacks callbacks;
} writes_options;

typedef struct writes writes;

writes *writes_create(const writes_options *options);
/* Cancels requests in progress. Accepts NULL. */
void writes_destroy(writes *w);

/* Pass nothing to the network after `deadline_ns` of now(); LIVE_NEVER: no election; 0: stop at
 * once. Waiting requests continue once the deadline is extended. */
void writes_fence(writes *w, int64_t deadline_ns);

/* ---- orders ---- */

bool writes_has_room(const writes *w);
void writes_bind(writes *w, uint64_t id, const write_pod *pod, berth_str node);
/* The same, once the pod's volumes are bound. The caller has checked that there is at least one
 * choice. */
void writes_bind_with_volumes(writes *w, const volume_job *job);
/* Call this before either if the pod has ResourceClaims: they get the chosen devices after the
 * pod's volumes are bound and before the pod is. */
void writes_devices(writes *w, const device_job *job);
void writes_unbind(writes *w, uint64_t id);

typedef struct write_failure {
    bool error; /* SchedulerError, not Unschedulable */
    berth_str message;
    berth_str nominated; /* absent: preemption does not help, the nomination is removed */
} write_failure;
void writes_failed(writes *w, const write_pod *pod, const write_failure *failure);

typedef struct write_group_outcome {
    bool placed, error; /* neither: it is unschedulable */
    berth_str message;
} write_group_outcome;
/* The condition of a PodGroup, which is described like a pod. */
void writes_pod_group(writes *w, const write_pod *group, const write_group_outcome *outcome);

/* Set only the nomination, or (absent node) remove it. */
void writes_nominate(writes *w, const write_pod *pod, berth_str node);

/* Release the devices of a ResourceClaim. */
void writes_free_claim(writes *w, const freed_claim *claim);
/* Delete a ResourceClaim that was created for a pod's extended resources. */
void writes_delete_claim(writes *w, const deleted_claim *claim);

void writes_evict(writes *w, const write_pod *victim, const write_pod *preemptor, berth_str node);

/* Write an event about a lease. */
void writes_leader(writes *w, const leader_event *event);

/* ---- changes that the watches show ---- */

void writes_pod_seen(writes *w, const write_pod *pod, berth_str node);
void writes_pod_gone(writes *w, const write_pod *pod);
void writes_pod_group_gone(writes *w, const write_pod *group);
void writes_node_gone(writes *w, berth_str node);
void writes_claim_seen(writes *w, berth_str namespace_name, berth_str name);
void writes_device_claim_seen(writes *w, berth_str namespace_name, berth_str name);

/* ---- the end, and figures ---- */

/* Begin no new bindings and evictions; those not sent are dropped without a callback. Events and
 * statuses continue. */
void writes_end(writes *w);
/* Whether every binding and eviction that was sent has its outcome, and no event waits. */
bool writes_is_settled(const writes *w);

/* The first kind of write that the server forbids us, as a rule of a role ("create pods/binding");
 * NULL: none. */
const char *writes_denied(const writes *w);

typedef struct writes_counters {
    uint64_t bind[BIND_VERDICT_COUNT], bind_requests; /* requests include repetitions */
    uint64_t events_dropped;
    uint64_t pushed_back; /* answers 429 */
    size_t devices;       /* pods whose ResourceClaims are written and that are not bound yet */
    size_t binding, unsettled, window;
} writes_counters;
void writes_count(const writes *w, writes_counters *out);

#endif
