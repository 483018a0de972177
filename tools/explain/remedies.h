/* Finds the smallest changes that would make a pod fit that fits nowhere. Each reported change was
 * tried; the engine's answer is reported with it. */
#ifndef BERTH_TOOLS_REMEDIES_H
#define BERTH_TOOLS_REMEDIES_H

#include "explain/edits.h"
#include "explain/trial.h"

typedef struct remedy {
    char *kind; /* for JSON: "request", "toleration+request", "nodeLabel", "newNode", ... */
    char *text; /* "ask for 2 cpu instead of 4" */
    trial_answer answer;
} remedy;

typedef struct remedies {
    remedy *items;
    size_t count;
    size_t capacity;
    uint64_t attempts; /* attempts made */
} remedies;

/* The input of the search for remedies. */
typedef struct remedy_search {
    berth_engine *engine;
    berth_snapshot *state;        /* the snapshot of the engine if it is a branch; else NULL */
    berth_pod_id pod;             /* pending and without a node */
    const berth_pod *object;      /* the pod */
    const berth_explanation *why; /* explanation of its decision */
    const shortfalls *lacks;      /* shortfalls of that decision */
} remedy_search;

/* Look for remedies: changes of the pod alone, then pairs if no single one is enough; labels;
 * cordons; priority; a new node like an existing one, or else one made for the pod. Errors: those
 * of the engine. Owner: the caller frees `*out`, even after a failure. */
berth_status remedies_find(const remedy_search *search, remedies *out, berth_error *error);
void remedies_free(remedies *r);

/* For the files that find remedies: record a remedy that helps; equal texts are recorded once. */
void remedies_add(remedies *r, const char *kind, const char *text, const trial_answer *answer);

#endif
