/* Events as kube-scheduler writes them, best effort: last in turn, dropped and counted when too
 * many wait. Equal ones become a series.
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

/* `host`: for the reporting instance. `after`: events wait while that lane has queued tasks; NULL:
 * none. At most `waiting_max` wait. Owner: `gate` and `after` outlive it; `host` is copied. */
pod_events *pod_events_create(write_gate *gate, write_lane *after, const char *host,
                              size_t waiting_max);
void pod_events_destroy(pod_events *e);

/* Tell of a pod. Owner: copied. */
void pod_events_put(pod_events *e, event_kind kind, const write_pod *regarding, berth_str note);

/* Tell of a lease: "LeaderElection", as the recorder of leader election does. `component`: what is
 * elected. */
typedef struct leader_event {
    const char *namespace_name, *name, *component, *message;
} leader_event;
void pod_events_leader(pod_events *e, const leader_event *event);

uint64_t pod_events_dropped(const pod_events *e);
uint64_t pod_events_sent(const pod_events *e);
size_t pod_events_pending(const pod_events *e);
bool pod_events_denied(const pod_events *e);

#endif
