/* Writes a condition into the status of objects: PodScheduled, with the nominated node, of pods
 * that were not placed; PodGroupInitiallyScheduled of PodGroups.
 *
 * A patch costs the server several times as much as a binding. So patches that would change nothing
 * are not sent, and of several waiting patches for one object only the newest is.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_STATUS_WRITES_H
#define BERTH_LIVE_STATUS_WRITES_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

typedef enum nomination {
    NOMINATION_STAYS = 0,
    NOMINATION_SET,
    NOMINATION_CLEARED,
} nomination;

/* The differences between the two kinds of objects. */
typedef struct status_kind {
    const char *lane;      /* the write's name */
    const char *base;      /* of the path, before the namespace */
    const char *resource;  /* of the path, behind the namespace */
    const char *condition; /* its type */
    bool probes;           /* conditions have a lastProbeTime */
} status_kind;

extern const status_kind status_of_pods, status_of_pod_groups;

typedef struct wanted_condition {
    bool holds;         /* its status is True, not False */
    const char *reason; /* a literal: "Unschedulable", "SchedulerError"; NULL: unchanged */
    berth_str message;
    nomination nomination;
    berth_str node; /* for SET */
} wanted_condition;

typedef struct status_writes status_writes;

/* Owner: `gate` must outlive it. `observed_generation`: the conditions have one, as those of pods
 * have since 1.33. */
status_writes *status_writes_create(write_gate *gate, const status_kind *kind,
                                    bool observed_generation);
void status_writes_destroy(status_writes *s);

/* Set the condition in the status of a pod, or of a PodGroup in the same struct. One that was True
 * stays True. Owner: copied. Returns whether anything has to be sent. */
bool status_writes_put(status_writes *s, const write_pod *pod, const wanted_condition *condition);

/* The pod is gone, or has a node: send nothing more for it. */
void status_writes_drop(status_writes *s, const write_pod *pod);

/* Whether a write for the pod is pending. */
bool status_writes_is_pending(const status_writes *s, const write_pod *pod);

/* Number of patches without an answer. */
size_t status_writes_pending(const status_writes *s);
bool status_writes_denied(const status_writes *s);

/* The lane, for which events wait (write_lane.after). */
write_lane *status_writes_lane(status_writes *s);

#endif
