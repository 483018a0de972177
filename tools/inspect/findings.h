/* What was found odd about an input, each thing once and counted, and how it is said. */
#ifndef BERTH_TOOLS_FINDINGS_H
#define BERTH_TOOLS_FINDINGS_H

#include <stdint.h>

#include "berth/status.h"
#include "cli/words.h"

/* In the order in which they are said. */
typedef enum finding_kind {
    FINDING_VERSION, /* of the nodes, where another one decides */
    /* of one object, with its place; the text is a sentence */
    FINDING_KIND,        /* a kind that is probably misspelt */
    FINDING_FIELD,       /* no such field, or one that is given twice */
    FINDING_PLUGIN,      /* arguments of a plugin that kube-scheduler does not have */
    FINDING_API_VERSION, /* not served under it */
    FINDING_VALUE,       /* what an API server would refuse */
    FINDING_ADMISSION,   /* what admission could not be applied to */
    /* something that the input refers to and has not; the text names it */
    FINDING_NODE,
    FINDING_CONTROLLER,
    FINDING_CLAIM,
    FINDING_CLAIM_RUNNING,
    FINDING_VOLUME,
    FINDING_STORAGE_CLASS,
    FINDING_DEVICE_CLASS,
    FINDING_SLICES,
    FINDING_RUNTIME_CLASS,
    FINDING_PRIORITY_CLASS,
    FINDING_HOME, /* the namespace of a new pod */
    FINDING_NAMESPACE,
    FINDING_CSI_NODE,
    FINDING_BUDGETS,
    FINDING_WORKLOAD,
    FINDING_AUTOSCALER, /* that --scale could not apply */
    FINDING_PRICE,      /* of a node, in the file of --prices */
    /* no faults */
    FINDING_CHANGE,   /* the first that is no fault: what becomes of a workload that runs already */
    FINDING_NO_PODS,  /* a workload of which no pods are made */
    FINDING_COMPUTED, /* what a controller would write into a status */
    FINDING_APPLIED,  /* what admission has done */
    FINDING_PASSED_OVER, /* kinds that no rule reads */
    FINDING_KIND_COUNT
} finding_kind;

typedef struct finding {
    finding_kind kind;
    char *text;
    char *place; /* of the first; NULL: none */
    uint64_t count;
} finding;

/* Zeroed: none. */
typedef struct findings {
    word_table keys; /* kind and text, numbered as `items` */
    finding *items;
    size_t count;
    size_t capacity;
} findings;

/* One more of a thing. `place` (NULL: none) says where the object stands. */
void findings_add(findings *f, finding_kind kind, berth_str text, const berth_error *place,
                  uint64_t count);

/* Whether there is any of a kind. */
bool findings_has(const findings *f, finding_kind kind);

/* Say them all on standard error, of each kind the most frequent; `speaker` ("berth drain") says
 * so. Returns how many are warnings. */
size_t findings_say(const findings *f, const char *speaker);

void findings_free(findings *f);

#endif
