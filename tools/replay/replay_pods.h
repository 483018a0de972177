/* Handles pods in a replay; called by replay.c. */
#ifndef BERTH_TOOLS_REPLAY_PODS_H
#define BERTH_TOOLS_REPLAY_PODS_H

#include "replay/replay.h"

/* Ranks of events: the order in which they happen at one time. The subjects of the last two are
 * nodes, of all others records of pods. The stamps are the record's run, run, generation, and the
 * node's stamp. */
typedef enum replay_rank {
    RANK_CONFIRM,
    RANK_FINISH,
    RANK_LEAVE,
    RANK_RETURN,
    RANK_CHANCE, /* a node fails at random */
} replay_rank;

enum { REPLAY_NAME_BYTES = 512 };

/* A name that outlives its object. */
typedef struct name_copy {
    char namespace_name[REPLAY_NAME_BYTES];
    char name[REPLAY_NAME_BYTES];
} name_copy;

typedef struct pod_restart {
    uint32_t pod;
    name_copy names;
} pod_restart;

/* Apply the trace's events about pods. Errors of adding: BERTH_E_RANGE, the pod's name or namespace
 * has REPLAY_NAME_BYTES or more bytes. */
berth_status replay_pod_add(replay *r, const trace_event *event, const berth_error *origin,
                            berth_error *error);
berth_status replay_pod_update(replay *r, const trace_event *event, const berth_error *origin,
                               berth_error *error);
berth_status replay_pod_remove(replay *r, const trace_event *event, const berth_error *origin,
                               berth_error *error);

/* Record that a step has placed a pod: its node is confirmed, or will be. */
void replay_pod_placed(replay *r, const berth_step *step);
/* Confirm the node of a pod whose binding was pending. */
berth_status replay_pod_confirm(replay *r, uint32_t pod, berth_error *error);
/* Let a pod leave by itself. */
berth_status replay_pod_leave(replay *r, uint32_t pod, replay_outcome outcome, berth_error *error);
/* Remove a pod because its node was removed. */
berth_status replay_pod_lose(replay *r, uint32_t pod, berth_error *error);
/* Submit the pods that were kept for a new submission. */
berth_status replay_pod_restart_all(replay *r, berth_error *error);

/* The scheduler's callbacks; the context is the replay. */
berth_answer replay_on_bind(void *context, const berth_binding *binding);
void replay_on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason);
berth_answer replay_on_evict(void *context, const berth_eviction *eviction);

/* Compute the amounts of all pods again, because resources have appeared. */
void replay_pod_measure_all(replay *r);

/* Record the outcome of each pod that is left at the end. */
berth_status replay_pod_end_all(replay *r, berth_error *error);

/* Handle an event that changes nothing: count it, or return an error if the replay is strict. Other
 * errors are passed on. Both get the place in the trace. */
berth_status replay_refuse(replay *r, berth_status status, const berth_error *origin,
                           berth_error *error);

/* Write the first line of the file of pods. */
void replay_pods_header(FILE *file);

#endif
