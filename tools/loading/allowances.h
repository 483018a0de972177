/* How many evictions PodDisruptionBudgets without a status allow: worked out of their spec and the
 * pods, as the disruption controller does it once it sees them.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go. */
#ifndef BERTH_TOOLS_ALLOWANCES_H
#define BERTH_TOOLS_ALLOWANCES_H

#include "berth/berth.h"
#include "cli/words.h"
#include "inspect/findings.h"
#include "loading/budgets.h"

/* A pod that a controller made. */
typedef struct counted_pod {
    berth_pod_id pod;
    uint32_t owner; /* number */
} counted_pod;

/* What is known of pods and of what made them, while the input is read. Zeroed: nothing. */
typedef struct allowances {
    word_table owners;  /* controllers of pods: "ReplicaSet shop/web-1" */
    counted_pod *owned; /* by id once all is read */
    size_t owned_count;
    size_t owned_capacity;
    berth_pod_id *unhealthy; /* not ready, or being deleted; by id once all is read */
    size_t unhealthy_count;
    size_t unhealthy_capacity;
    word_table workloads; /* whose replicas are known, named as owners */
    int64_t *replicas;    /* -1: it has none, as a DaemonSet */
    size_t replicas_capacity;
} allowances;

/* A pod has been added. */
void allowances_pod(allowances *a, const berth_pod *pod, berth_pod_id id);

/* The reader's note of a workload, BERTH_NOTE_WORKLOAD or BERTH_NOTE_NOT_EXPANDED; what comes later
 * is right. */
void allowances_note(allowances *a, const berth_note *note);

/* Once all is read: complete the budgets that have no status, here and in the engine, and tell of
 * each. Errors: the engine's. */
berth_status allowances_end(allowances *a, budgets *b, berth_engine *engine, findings *f,
                            berth_error *error);

void allowances_free(allowances *a);

#endif
