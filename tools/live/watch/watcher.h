/* Watches everything that plugins read, with a reflector for each kind.
 *
 * Pods are listed last, so that a pod is decided when nodes, volumes and namespaces are known.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_WATCHER_H
#define BERTH_LIVE_WATCHER_H

#include "live/watch/reflector.h"

typedef struct watcher watcher;

/* Create a watcher for the kinds of a server of Kubernetes 1.`minor`. Owner: `sink` is copied,
 * except its context; `transport` must outlive the watcher. Returns NULL if there is no memory for
 * a reader. */
watcher *watcher_create(const live_transport *transport, const watch_sink *sink, int minor,
                        bool groups,
                        bool composites); /* PodGroups, CompositePodGroups are followed */
void watcher_start(watcher *w);
void watcher_stop(watcher *w);
void watcher_destroy(watcher *w);

/* Whether every kind has been listed once. */
bool watcher_is_synced(const watcher *w);

/* For how long the longest outage of a watch has lasted; 0: none. */
int64_t watcher_lost_ns(const watcher *w);

/* The first resource that the server forbids us to read ("pods"); NULL: none. */
const char *watcher_denied(const watcher *w);

/* The entry of an object; NULL: there is none. Borrowed until the loop continues. */
const object_entry *watcher_find(const watcher *w, berth_kind kind, berth_str namespace_name,
                                 berth_str name);

const reflector *watcher_reflector(const watcher *w, berth_kind kind);

#endif
