/* A copy of the cluster in an engine, which follows the API server's watches and is published at
 * most 200 times a second. Questions are answered on branches of the newest snapshot.
 *
 * Threads: the loop's. Functions that take a const copy, and live_copy_pin, may be called on any
 * thread. */
#ifndef BERTH_LIVE_COPY_H
#define BERTH_LIVE_COPY_H

#include "berth/berth.h"
#include "live/watch/watcher.h"
#include "loading/engine_setup.h"

typedef struct live_copy live_copy;

/* `setup` must be resolved; `minor` is the server's minor version. Calls `synced` once every kind
 * has been listed. Errors: those of making an engine. Owner: `transport` outlives the copy. */
berth_status live_copy_create(const live_transport *transport, const engine_setup *setup, int minor,
                              void (*synced)(void *context), void *context, live_copy **out,
                              berth_error *error);
void live_copy_start(live_copy *c);
void live_copy_stop(live_copy *c);
/* Accepts NULL. Call it when no snapshot is pinned. */
void live_copy_destroy(live_copy *c);

const watcher *live_copy_watcher(const live_copy *c);

bool live_copy_is_synced(const live_copy *c);
/* The number of the newest publication. */
uint64_t live_copy_version(const live_copy *c);
/* The traits (loading/pod_traits.h) of a pod as last seen; if the pod has changed since a snapshot
 * was published, they are newer than that snapshot. */
unsigned live_copy_traits(const live_copy *c, berth_pod_id pod);
/* The newest snapshot; the caller unpins it. NULL: before the copy was synced. */
berth_snapshot *live_copy_pin(live_copy *c);

#endif
