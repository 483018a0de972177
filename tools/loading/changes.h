/* What manifests change: which pods of an existing workload stay, which are removed, and which are
 * new.
 *
 * The answer is for the state after the rollout. If the template is unchanged, running pods stay
 * and only missing ones are made. If it has changed, all old pods are removed first. A Job's
 * template cannot change, so its running pods stay. */
#ifndef BERTH_TOOLS_CHANGES_H
#define BERTH_TOOLS_CHANGES_H

#include "berth/berth.h"
#include "cli/output.h"
#include "cli/words.h"
#include "inspect/findings.h"

/* A workload of a manifest that already has pods. */
typedef struct workload_change {
    char *kind, *namespace_name, *name;
    uint64_t running; /* or pending, before the change */
    uint64_t leaving;
    uint64_t wanted;
    uint64_t made;           /* new pods to place */
    uint64_t kept;           /* below a StatefulSet's partition */
    bool another;            /* the template has changed, so running pods are removed */
    bool waits_for_deletion; /* changed template with updateStrategy OnDelete: running pods stay */
    bool keeps;              /* a Job: running pods stay */
    char *autoscaler; /* the HPA that --scale applies; NULL: the change comes from a manifest */
    bool at_most;     /* scaled to maxReplicas, not minReplicas */
} workload_change;

/* What happens with a pod that a manifest makes. */
typedef enum change_fate {
    CHANGE_NEW,   /* add it */
    CHANGE_STAYS, /* a running pod stands for it */
    CHANGE_HELD,  /* pass it to changes_hold: its rollout is played later */
} change_fate;

/* The result of a rollout. */
typedef struct rollout {
    const workload_change *what;
    uint64_t replaced;     /* new pods that found a node */
    uint64_t left;         /* old pods that remain because the rollout is stuck */
    uint64_t most;         /* largest number of pods at one time, old and new */
    uint64_t fewest;       /* smallest number of running pods at one time */
    bool stuck;            /* some new pod has no node, and no further old pod may be removed */
    berth_pod_id stuck_at; /* first pod that fits nowhere; BERTH_POD_NONE: admission refuses it */
} rollout;

typedef struct changes changes;

/* With `plays`, new pods of a changed template are held for loading/rollouts.h instead of replacing
 * the old ones at once. */
changes *changes_create(bool plays);
void changes_destroy(changes *c); /* accepts NULL */

/* Call for each object that was added; finished pods have no id (BERTH_POD_NONE). */
void changes_added(changes *c, const berth_object *object, const berth_object_id *id);

/* Take the reader's note of a workload, BERTH_NOTE_WORKLOAD. */
void changes_note(changes *c, const berth_note *note);

/* Decide about a pod that a manifest makes. Old pods that must be removed before it are removed
 * from the engine. Errors: the engine's. */
berth_status changes_pod(changes *c, berth_engine *engine, const berth_pod *pod, change_fate *fate,
                         berth_error *error);

/* Keep a copy of a pod for its rollout. */
void changes_hold(changes *c, const berth_object *pod);

/* Call once all is read: removes the remaining surplus pods. Errors: the engine's. */
berth_status changes_end(changes *c, berth_engine *engine, berth_error *error);

/* Record how an autoscaler changes a workload, after changes_end; the texts are copied. Also
 * reports it as a finding. `c` may be NULL. */
void changes_scaled(changes *c, findings *f, const workload_change *what);

/* The changes of workloads that already have pods, in the order of the input. */
size_t changes_count(const changes *c);
const workload_change *changes_at(const changes *c, size_t number);

/* Print all changes as lines of a summary; nothing if there are none. */
void changes_print(const changes *c, FILE *file);

/* Write all changes as the member "changes" of a document. */
void changes_write(const changes *c, output *o);

/* Describes one change: "Deployment shop/web: 6 running, 12 wanted, 6 more to place". */
void workload_change_say(const workload_change *one, char *text, size_t size);

#endif
