/* Writes events as kube-scheduler does, after all other writes. No event is lost while the server
 * is away. Events are dropped and counted when too many wait, or when the server refuses them.
 * Equal events become a series.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_POD_EVENTS_H
#define BERTH_LIVE_POD_EVENTS_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

typedef enum event_kind {
    EVENT_SCHEDULED = 0,
    EVENT_FAILED_SCHEDULING,
    EVENT_PREEMPTED,
    EVENT_BINDING_CONDITIONS,
    EVENT_KIND_COUNT
} event_kind;

typedef struct pod_events pod_events;

/* `host` names the reporting instance. `after` (may be NULL): events wait while that lane has
 * queued tasks. At most `waiting_max` events wait. Owner: `gate` and `after` must outlive it;
 * `host` is copied. */
pod_events *pod_events_create(write_gate *gate, write_lane *after, const char *host,
                              size_t waiting_max);
void pod_events_destroy(pod_events *e);

/* Write an event about a pod. `related`: the preemptor; may be NULL. Owner: copied. */
void pod_events_put(pod_events *e, event_kind kind, const write_pod *regarding,
                    const write_pod *related, berth_str note);

/* An event about a lease: "LeaderElection", as the recorder of leader election writes it.
 * `component`: the elected component. */
typedef struct leader_event {
    const char *namespace_name, *name, *component, *message;
} leader_event;
void pod_events_leader(pod_events *e, const leader_event *event);

uint64_t pod_events_dropped(const pod_events *e);
uint64_t pod_events_sent(const pod_events *e);
size_t pod_events_pending(const pod_events *e);
bool pod_events_denied(const pod_events *e);

#endif
