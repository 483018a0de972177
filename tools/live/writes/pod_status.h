/* The condition PodScheduled and the nominated node of pods that were not placed.
 *
 * A patch costs the server several times what a binding does, so nothing is sent that would change
 * nothing, and of several patches of one pod that wait only the newest is.
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
    const char *reason; /* a literal: "Unschedulable", "SchedulerError"; NULL: it stays as it is */
    berth_str message;
    nomination nomination;
    berth_str node; /* of SET */
} pod_condition;

typedef struct pod_statuses pod_statuses;

/* Owner: `gate` outlives it. `observed_generation`: the server is 1.33 or later. */
pod_statuses *pod_statuses_create(write_gate *gate, bool observed_generation);
void pod_statuses_destroy(pod_statuses *s);

/* Have the pod's status say that. Owner: copied. Returns whether anything is to be sent for it. */
bool pod_statuses_put(pod_statuses *s, const write_pod *pod, const pod_condition *condition);

/* The pod is gone, or on a node: nothing more is sent for it. */
void pod_statuses_drop(pod_statuses *s, const write_pod *pod);

/* Whether something is still to be written for the pod. */
bool pod_statuses_is_pending(const pod_statuses *s, const write_pod *pod);

/* Patches that are not answered. */
size_t pod_statuses_pending(const pod_statuses *s);
uint64_t pod_statuses_sent(const pod_statuses *s);
bool pod_statuses_denied(const pod_statuses *s);

/* Events wait for it (write_lane.after). */
write_lane *pod_statuses_lane(pod_statuses *s);

#endif
