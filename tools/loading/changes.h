/* What manifests change: pods of a workload that runs already stay, go, or are not made again.
 *
 * The answer is for the state after the rollout. Of a workload whose template stays, pods that run
 * stay, and only what is missing is made; of one whose template is another, all go first. A Job's
 * template does not change: what runs of it stays. */
#ifndef BERTH_TOOLS_CHANGES_H
#define BERTH_TOOLS_CHANGES_H

#include "berth/berth.h"
#include "cli/output.h"
#include "cli/words.h"
#include "inspect/findings.h"

/* A workload of a manifest of which pods run already. */
typedef struct workload_change {
    char *kind, *namespace_name, *name;
    uint64_t running; /* or wait, before the change */
    uint64_t leaving;
    uint64_t wanted;
    uint64_t made;           /* pods that are to be placed */
    uint64_t kept;           /* below a StatefulSet's partition */
    bool another;            /* template: what runs goes */
    bool waits_for_deletion; /* another template, and updateStrategy OnDelete: what runs stays */
    bool keeps;              /* a Job: what runs stays as it is */
    char *autoscaler;        /* the HPA that --scale applies; NULL: a manifest changes it */
    bool at_most;            /* the HPA's most pods, not its fewest */
} workload_change;

/* What becomes of a pod that a manifest makes. */
typedef enum change_fate {
    CHANGE_NEW,   /* it is to be added */
    CHANGE_STAYS, /* one that runs is in its place */
    CHANGE_HELD,  /* it is for changes_hold: its rollout is played later */
} change_fate;

/* What came of a rollout. */
typedef struct rollout {
    const workload_change *what;
    uint64_t replaced;     /* new pods that have a place */
    uint64_t left;         /* old ones that stay because it is stuck */
    uint64_t most;         /* pods at a time, old and new */
    uint64_t fewest;       /* that ran at a time */
    bool stuck;            /* not all new pods have a place, and nothing more may go */
    berth_pod_id stuck_at; /* the first that finds none; BERTH_POD_NONE: admission refuses them */
} rollout;

typedef struct changes changes;

/* `plays`: what has another template is not replaced, but held for loading/rollouts.h. */
changes *changes_create(bool plays);
void changes_destroy(changes *c); /* accepts NULL */

/* An object has been added; pods that are over have none (BERTH_POD_NONE). */
void changes_added(changes *c, const berth_object *object, const berth_object_id *id);

/* The reader's note of a workload, BERTH_NOTE_WORKLOAD. */
void changes_note(changes *c, const berth_note *note);

/* A pod that a manifest makes. What has to go before goes from the engine. Errors: the engine's. */
berth_status changes_pod(changes *c, berth_engine *engine, const berth_pod *pod, change_fate *fate,
                         berth_error *error);

/* Keep a copy of a pod for its rollout. */
void changes_hold(changes *c, const berth_object *pod);

/* Once all is read: what else goes. Errors: the engine's. */
berth_status changes_end(changes *c, berth_engine *engine, berth_error *error);

/* After changes_end: what an autoscaler does to a workload; its texts are copied. It becomes a
 * finding, too; `c` may be NULL. */
void changes_scaled(changes *c, findings *f, const workload_change *what);

/* Those of which pods run, in the order of the input. */
size_t changes_count(const changes *c);
const workload_change *changes_at(const changes *c, size_t number);

/* All of them as lines of a summary; nothing if there are none. */
void changes_print(const changes *c, FILE *file);

/* All of them as the member "changes" of a document. */
void changes_write(const changes *c, output *o);

/* "Deployment shop/web: 6 running, 12 wanted, 6 more to place". */
void workload_change_say(const workload_change *one, char *text, size_t size);

#endif
