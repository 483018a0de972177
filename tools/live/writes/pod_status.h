/* Writes the condition PodScheduled and the nominated node of pods that were not placed.
 *
 * A patch costs the server several times as much as a binding. So patches that would change nothing
 * are not sent, and of several waiting patches for one pod only the newest is.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_POD_STATUS_H
#define BERTH_LIVE_POD_STATUS_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

typedef enum nomination {
    NOMINATION_STAYS = 0,
    NOMINATION_SET,
    NOMINATION_CLEARED,
} nomination;

typedef struct pod_condition {
    const char *reason; /* a literal: "Unschedulable", "SchedulerError"; NULL: unchanged */
    berth_str message;
    nomination nomination;
    berth_str node; /* for SET */
} pod_condition;

typedef struct pod_statuses pod_statuses;

/* Owner: `gate` must outlive it. `observed_generation`: the server is 1.33 or later. */
pod_statuses *pod_statuses_create(write_gate *gate, bool observed_generation);
void pod_statuses_destroy(pod_statuses *s);

/* Set the condition in the pod's status. Owner: copied. Returns whether anything has to be sent. */
bool pod_statuses_put(pod_statuses *s, const write_pod *pod, const pod_condition *condition);

/* The pod is gone, or has a node: send nothing more for it. */
void pod_statuses_drop(pod_statuses *s, const write_pod *pod);

/* Whether a write for the pod is pending. */
bool pod_statuses_is_pending(const pod_statuses *s, const write_pod *pod);

/* Number of patches without an answer. */
size_t pod_statuses_pending(const pod_statuses *s);
uint64_t pod_statuses_sent(const pod_statuses *s);
bool pod_statuses_denied(const pod_statuses *s);

/* The lane, for which events wait (write_lane.after). */
write_lane *pod_statuses_lane(pod_statuses *s);

#endif
