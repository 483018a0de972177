/* Oddities of an input, each recorded once with a count, and their report. */
#ifndef BERTH_TOOLS_FINDINGS_H
#define BERTH_TOOLS_FINDINGS_H

#include <stdint.h>

#include "berth/status.h"
#include "cli/words.h"

/* In the order of the report. */
typedef enum finding_kind {
    FINDING_VERSION, /* the nodes' version, if another version decides */
    /* about one object, with its place; the text is a sentence */
    FINDING_KIND,        /* a kind that is probably misspelt */
    FINDING_FIELD,       /* an unknown field, or one that is given twice */
    FINDING_PLUGIN,      /* arguments of a plugin that kube-scheduler lacks */
    FINDING_API_VERSION, /* the kind is not served under this version */
    FINDING_VALUE,       /* a value that an API server would refuse */
    FINDING_REPLICAS,    /* a workload that wants more pods than the nodes take */
    FINDING_ADMISSION,   /* an object to which admission could not be applied */
    /* something that the input refers to but lacks; the text names it */
    FINDING_NODE,
    FINDING_CONTROLLER,
    FINDING_CLAIM,
    FINDING_CLAIM_RUNNING,
    FINDING_CLAIM_SHARED, /* a pod's own claim, which further pods like it share */
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
    FINDING_AUTOSCALER, /* an autoscaler that --scale could not apply */
    FINDING_PRICE,      /* a node's price is missing in the file of --prices */
    /* information, not warnings */
    FINDING_CHANGE,      /* the first that is not a warning: a manifest changes a workload */
    FINDING_NO_PODS,     /* a workload without pods */
    FINDING_COMPUTED,    /* a status computed as a controller would */
    FINDING_APPLIED,     /* a change made by admission */
    FINDING_PASSED_OVER, /* kinds that no rule reads */
    FINDING_KIND_COUNT
} finding_kind;

typedef struct finding {
    finding_kind kind;
    char *text;
    char *place; /* place of the first; NULL: none */
    uint64_t count;
} finding;

/* Zeroed: none. */
typedef struct findings {
    word_table keys; /* kind and text, numbered as `items` */
    finding *items;
    size_t count;
    size_t capacity;
} findings;

/* Record a finding `count` more times. `place` (may be NULL) is the place of the object. */
void findings_add(findings *f, finding_kind kind, berth_str text, const berth_error *place,
                  uint64_t count);

/* Whether there is a finding of a kind. */
bool findings_has(const findings *f, finding_kind kind);

/* Report all findings on standard error, of each kind the most frequent. `speaker` is the prefix
 * ("berth drain"). Returns the number of warnings. */
size_t findings_say(const findings *f, const char *speaker);

void findings_free(findings *f);

#endif
