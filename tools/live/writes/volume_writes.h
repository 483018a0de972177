/* Volumes of a pod between the decision and the binding: what was chosen is written to volumes and
 * claims, then every claim is waited for until it is bound.
 *
 *   a volume that was chosen   gets claimRef; the claim is bound by the cluster's controller
 *   a claim to be provisioned  gets the annotation selected-node; whoever provisions takes it off
 *                              again where that can't be done
 *
 * A write holds for the resourceVersion that the decision saw. Nothing written is undone: the next
 * attempt of the pod goes on from there.
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
    berth_str volume_name; /* absent: it is to be provisioned */
    uint64_t volume_version;
} volume_choice;

/* What the volumes of a pod are for. */
typedef struct volume_job {
    uint64_t id;
    const write_pod *pod;
    berth_str node;
    const volume_choice *choices;
    size_t choice_count;
    int64_t timeout_ns; /* for all of it; 0: 600 s */
} volume_job;

/* Borrowed during the callback. */
typedef struct volume_outcome {
    uint64_t id;
    const write_pod *pod;
    berth_str node;
    bool bound; /* every claim is; else `why` */
    const char *why;
} volume_outcome;

typedef void (*volumes_settled_fn)(void *context, const volume_outcome *outcome);

typedef struct volume_writes volume_writes;

/* Owner: `gate` outlives it. `settled` is called once for each job that was put and not dropped,
 * never from within volume_writes_put. */
volume_writes *volume_writes_create(write_gate *gate, volumes_settled_fn settled, void *context);
void volume_writes_destroy(volume_writes *v);

/* At least one choice. Owner: copied. */
void volume_writes_put(volume_writes *v, const volume_job *plan);

/* Nobody waits any more. */
void volume_writes_drop(volume_writes *v, uint64_t id);

/* The watch has shown that a node is gone: its pods' volumes are not waited for any more. Drop
 * none from within the callback. Cost: linear in what is under way. */
void volume_writes_node_gone(volume_writes *v, berth_str node);

/* The watch shows a change of a claim: whoever waits for it looks at once. Cost: linear in the
 * claims that are waited for. */
void volume_writes_claim_seen(volume_writes *v, berth_str namespace_name, berth_str name);

/* All of it is dropped, without a word. */
void volume_writes_end(volume_writes *v);

size_t volume_writes_count(const volume_writes *v);

#endif
