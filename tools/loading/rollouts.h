/* Plays rollouts step by step: makes new pods and removes old ones as the workload's strategy
 * allows, until all are replaced, or a new pod fits nowhere and no further old pod may be removed.
 * Source: kubernetes v1.36 pkg/controller, deployment/rolling.go, statefulset and daemon. */
#ifndef BERTH_TOOLS_ROLLOUTS_H
#define BERTH_TOOLS_ROLLOUTS_H

#include "loading/changes.h"

/* The caller's functions that add and schedule pods. */
typedef struct rollout_player {
    /* Add a pending pod. */
    berth_status (*add)(void *context, const berth_object *pod, berth_pod_id *id,
                        berth_error *error);
    /* Schedule a pod; it may have been tried before. */
    berth_status (*decide)(void *context, berth_pod_id pod, bool *placed, berth_error *error);
    void *context;
} rollout_player;

/* Play all rollouts whose pods are held, in the order of the input. Errors: the player's and the
 * engine's. Cost: the decisions. */
berth_status rollouts_play(changes *c, berth_engine *engine, const rollout_player *player,
                           berth_error *error);

size_t rollouts_count(const changes *c);
const rollout *rollouts_at(const changes *c, size_t number);

/* Print the rollouts as lines of a summary; write them as the member "rollouts" of a document. */
void rollouts_print(const changes *c, const berth_engine *engine, FILE *file);
void rollouts_write(const changes *c, const berth_engine *engine, output *o);

#endif
