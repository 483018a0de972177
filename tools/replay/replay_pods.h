/* What happens to pods in a replay; between replay.c and its events. */
#ifndef BERTH_TOOLS_REPLAY_PODS_H
#define BERTH_TOOLS_REPLAY_PODS_H

#include "replay/replay.h"

/* Ranks of events, in the order in which they happen at one time. Their subjects are records of
 * pods but for the last two, which are nodes; their stamps are the record's run, run,
 * generation, and the node's stamp. */
typedef enum replay_rank {
    RANK_CONFIRM,
    RANK_FINISH,
    RANK_LEAVE,
    RANK_RETURN,
    RANK_CHANCE, /* a node fails by chance */
} replay_rank;

/* A name that outlives its object. */
typedef struct name_copy {
    char namespace_name[320];
    char name[320];
} name_copy;

typedef struct pod_restart {
    uint32_t pod;
    name_copy names;
} pod_restart;

/* Apply the trace's events about pods. */
berth_status replay_pod_add(replay *r, const trace_event *event, const berth_error *origin,
                            berth_error *error);
berth_status replay_pod_update(replay *r, const trace_event *event, const berth_error *origin,
                               berth_error *error);
berth_status replay_pod_remove(replay *r, const trace_event *event, const berth_error *origin,
                               berth_error *error);

/* A pod has been placed by a step: its node is told, or is on its way to be. */
void replay_pod_placed(replay *r, const berth_step *step);
/* The node of a pod on its way is confirmed. */
berth_status replay_pod_confirm(replay *r, uint32_t pod, berth_error *error);
/* A pod leaves by itself. */
berth_status replay_pod_leave(replay *r, uint32_t pod, replay_outcome outcome, berth_error *error);
/* A pod goes because its node went. */
berth_status replay_pod_lose(replay *r, uint32_t pod, berth_error *error);
/* Submit what waits for it. */
berth_status replay_pod_restart_all(replay *r, berth_error *error);

/* The scheduler's callbacks; the context is the replay. */
berth_answer replay_on_bind(void *context, const berth_binding *binding);
void replay_on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason);
berth_answer replay_on_evict(void *context, const berth_eviction *eviction);

/* Ask for a pod's amounts again, as resources have appeared. */
void replay_pod_measure_all(replay *r);

/* The outcome of each pod that is left at the end. */
berth_status replay_pod_end_all(replay *r, berth_error *error);

/* An event that changes nothing: counted, or an error where the replay is strict. Other errors
 * are handed on. Both get their place in the trace. */
berth_status replay_refuse(replay *r, berth_status status, const berth_error *origin,
                           berth_error *error);

/* The first line of the file of pods. */
void replay_pods_header(FILE *file);

#endif
