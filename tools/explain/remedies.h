/* The smallest changes that would make a pod fit that fits nowhere: each was tried, and the
 * engine's answer is told with it. */
#ifndef BERTH_TOOLS_REMEDIES_H
#define BERTH_TOOLS_REMEDIES_H

#include "explain/edits.h"
#include "explain/trial.h"

typedef struct remedy {
    char *kind; /* "request", "toleration+request", "nodeLabel", "newNode", ...: of JSON */
    char *text; /* "ask for 2 cpu instead of 4" */
    trial_answer answer;
} remedy;

typedef struct remedies {
    remedy *items;
    size_t count;
    size_t capacity;
    uint64_t attempts; /* that were made to find them */
} remedies;

/* What they are looked for with. */
typedef struct remedy_search {
    berth_engine *engine;
    berth_pod_id pod;             /* pending, placed nowhere */
    const berth_pod *object;      /* the pod */
    const berth_explanation *why; /* of the decision about it */
    const shortfalls *lacks;      /* of that */
} remedy_search;

/* Look for them: changes of the pod alone, then pairs if none alone is enough; labels; cordons;
 * priority; a new node like one that is there, or else of what shape. Errors: those of the engine.
 * Owner: `*out` is the caller's, also after a failure. */
berth_status remedies_find(const remedy_search *search, remedies *out, berth_error *error);
void remedies_free(remedies *r);

/* For the files that find remedies: record one that helps, each text once. */
void remedies_add(remedies *r, const char *kind, const char *text, const trial_answer *answer);

#endif
