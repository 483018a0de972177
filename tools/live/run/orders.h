/* Orders of the deciding thread carried out: each is looked up in what the watches know, and
 * written if it still is about the pod and the node that it was decided for.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_ORDERS_H
#define BERTH_LIVE_ORDERS_H

#include "live/run/deciding.h"
#include "live/watch/watcher.h"
#include "live/writes/writes.h"

/* Owner: all three outlive it. */
typedef struct orders {
    deciding *deciding;
    const watcher *watcher;
    writes *writes;
    bool ends;        /* nothing new is begun */
    bool holds, held; /* something is about to be forgotten: no order is taken; one was to be */
    int64_t volume_timeout_ns; /* for a pod's claims to be bound; 0: 600 s */
    int64_t device_timeout_ns; /* for the conditions of its devices; 0: 600 s */
} orders;

/* Take orders while there is room for them; call it when the loop was woken, and when there is
 * room. */
void orders_take(orders *o);

/* For the callbacks of the writes and the watches. After orders_gone look at `held`: orders are to
 * be taken once the object is forgotten. */
void orders_bound(orders *o, const bind_outcome *outcome);
void orders_evicted(orders *o, const eviction_outcome *outcome);
void orders_seen(orders *o, const object_entry *entry, const object_view *view);
void orders_gone(orders *o, berth_kind kind, const object_entry *entry);
void orders_changed(orders *o, berth_kind kind, berth_str namespace_name, berth_str name);

#endif
