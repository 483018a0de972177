/* Writes a pod's volumes between the decision and the binding: writes the choices to volumes and
 * claims, then waits until every claim is bound.
 *
 *   a chosen volume            gets claimRef; the cluster's controller binds the claim
 *   a claim to be provisioned  gets the annotation selected-node; the provisioner removes it if it
 *                              cannot provision there
 *
 * A write is valid only for the resourceVersion that the decision saw. Nothing written is undone:
 * the pod's next attempt continues from there.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_VOLUME_WRITES_H
#define BERTH_LIVE_VOLUME_WRITES_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

/* One claim, as the decision saw it. */
typedef struct volume_choice {
    berth_str claim_namespace, claim_name, claim_uid;
    uint64_t claim_version;
    berth_str volume_name; /* absent: provision a volume */
    uint64_t volume_version;
} volume_choice;

/* The volumes to write for a pod. */
typedef struct volume_job {
    uint64_t id;
    const write_pod *pod;
    berth_str node;
    const volume_choice *choices;
    size_t choice_count;
    int64_t timeout_ns; /* for the whole job; 0: 600 s */
} volume_job;

/* Borrowed during the callback. */
typedef struct volume_outcome {
    uint64_t id;
    const write_pod *pod;
    berth_str node;
    bool bound; /* every claim is bound; else see `why` */
    const char *why;
} volume_outcome;

typedef void (*volumes_settled_fn)(void *context, const volume_outcome *outcome);

typedef struct volume_writes volume_writes;

/* Owner: `gate` must outlive it. `settled` is called once for each job that was put and not
 * dropped, never from within volume_writes_put. */
volume_writes *volume_writes_create(write_gate *gate, volumes_settled_fn settled, void *context);
void volume_writes_destroy(volume_writes *v);

/* Needs at least one choice. Owner: copied. */
void volume_writes_put(volume_writes *v, const volume_job *plan);

/* Drop the job; its outcome does not matter any more. */
void volume_writes_drop(volume_writes *v, uint64_t id);

/* The watch shows that a node is gone: its pods' volumes are not awaited any more. Do not drop jobs
 * from within the callback. Cost: linear in the jobs in progress. */
void volume_writes_node_gone(volume_writes *v, berth_str node);

/* The watch shows a change of a claim: jobs that wait for it check it at once. Cost: linear in the
 * awaited claims. */
void volume_writes_claim_seen(volume_writes *v, berth_str namespace_name, berth_str name);

/* Drop all jobs without a callback. */
void volume_writes_end(volume_writes *v);

#endif
