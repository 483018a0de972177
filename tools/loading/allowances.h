/* How many evictions PodDisruptionBudgets without a status allow, computed from their spec and the
 * pods as the disruption controller would do it.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go. */
#ifndef BERTH_TOOLS_ALLOWANCES_H
#define BERTH_TOOLS_ALLOWANCES_H

#include "berth/berth.h"
#include "cli/words.h"
#include "inspect/findings.h"
#include "loading/budgets.h"

/* A pod with a controller. */
typedef struct counted_pod {
    berth_pod_id pod;
    uint32_t owner; /* number */
} counted_pod;

/* Facts about pods and their controllers, collected while the input is read. Starts zeroed. */
typedef struct allowances {
    word_table owners;  /* controllers of pods: "ReplicaSet shop/web-1" */
    counted_pod *owned; /* sorted by id once all is read */
    size_t owned_count;
    size_t owned_capacity;
    berth_pod_id *unhealthy; /* not ready, or being deleted; sorted by id once all is read */
    size_t unhealthy_count;
    size_t unhealthy_capacity;
    word_table workloads; /* those with a known number of replicas, named as in `owners` */
    int64_t *replicas;    /* -1: it has no such number, for example a DaemonSet */
    size_t replicas_capacity;
} allowances;

/* Call for each pod that was added. */
void allowances_pod(allowances *a, const berth_pod *pod, berth_pod_id id);

/* Take the reader's note of a workload, BERTH_NOTE_WORKLOAD or BERTH_NOTE_NOT_EXPANDED. A later
 * note of the same workload replaces an earlier one. */
void allowances_note(allowances *a, const berth_note *note);

/* Call once all is read: completes the budgets without a status, in `b` and in the engine, and
 * reports each as a finding. Errors: the engine's. */
berth_status allowances_end(allowances *a, budgets *b, berth_engine *engine, findings *f,
                            berth_error *error);

void allowances_free(allowances *a);

#endif
