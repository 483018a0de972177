/* Everything that plugins read, followed: a reflector for each kind.
 *
 * Pods are listed last, once the rest is there: a decision about one is taken on nodes, volumes and
 * namespaces that are known.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_WATCHER_H
#define BERTH_LIVE_WATCHER_H

#include "live/watch/reflector.h"

typedef struct watcher watcher;

/* What a server of Kubernetes 1.`minor` has. Owner: `sink` is copied, but for its context;
 * `transport` outlives the watcher. NULL: no memory for a reader. */
watcher *watcher_create(const live_transport *transport, const watch_sink *sink, int minor);
void watcher_start(watcher *w);
void watcher_stop(watcher *w);
void watcher_destroy(watcher *w);

/* Whether every kind was listed once. */
bool watcher_is_synced(const watcher *w);

/* How long the worst of the watches has been lost; 0: none is. */
int64_t watcher_lost_ns(const watcher *w);

/* The first resource that the server does not let us read ("pods"); NULL: there is none. */
const char *watcher_denied(const watcher *w);

/* What is known of an object; NULL: there is none. Borrowed until the loop goes on. */
const object_entry *watcher_find(const watcher *w, berth_kind kind, berth_str namespace_name,
                                 berth_str name);

const reflector *watcher_reflector(const watcher *w, berth_kind kind);

#endif
