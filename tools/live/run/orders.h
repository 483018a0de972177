/* Carries out orders of the deciding thread: looks each one up in what the watches know, and writes
 * it if it is still about the pod and the node of the decision.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_ORDERS_H
#define BERTH_LIVE_ORDERS_H

#include "live/run/deciding.h"
#include "live/watch/watcher.h"
#include "live/writes/writes.h"

/* Owner: all three must outlive it. */
typedef struct orders {
    deciding *deciding;
    const watcher *watcher;
    writes *writes;
    bool ends;                 /* the program ends: begin nothing new */
    bool holds, held;          /* an object is about to be forgotten: take no orders; one was due */
    int64_t volume_timeout_ns; /* time for a pod's claims to be bound; 0: 600 s */
    int64_t device_timeout_ns; /* time for the conditions of its devices; 0: 600 s */
} orders;

/* Take orders while there is room for them. Call this when the loop was woken, and when room
 * appears. */
void orders_take(orders *o);

/* For the callbacks of writes and watches. Check `held` after orders_gone: if it is set, take
 * orders once the object is forgotten. */
void orders_bound(orders *o, const bind_outcome *outcome);
void orders_evicted(orders *o, const eviction_outcome *outcome);
void orders_seen(orders *o, const object_entry *entry, const object_view *view);
void orders_gone(orders *o, berth_kind kind, const object_entry *entry);
void orders_changed(orders *o, berth_kind kind, berth_str namespace_name, berth_str name);

#endif
