/* What a pod's decision would be if something were different. Tried on a branch, so the answer is
 * the engine's own and the engine is unchanged. */
#ifndef BERTH_TOOLS_TRIAL_H
#define BERTH_TOOLS_TRIAL_H

#include "berth/berth.h"

typedef struct trial {
    berth_engine *branch;
    berth_explanation *why; /* explanation of the last attempt that requested one */
    berth_pod_id pod;       /* the pod that the tried pods replace */
    uint64_t attempts;
} trial;

/* Make a branch without the pod: of `state`, a pinned snapshot, or, if that is NULL, of the
 * engine's present state, in which the pod is pending. Owner: the caller closes the trial before
 * the engine is destroyed, even after a failure. */
berth_status trial_open(trial *t, berth_engine *engine, berth_snapshot *state, berth_pod_id pod,
                        berth_error *error);
void trial_close(trial *t);

/* The result of an attempt. */
typedef struct trial_answer {
    berth_verdict verdict;
    uint32_t fits;      /* nodes that fit the pod, all nodes visited */
    char node[256];     /* the chosen node; "" if none */
    bool preempts;      /* no node fits, but one would if these pods were evicted */
    char evicting[256]; /* "default/a, default/b, ..." */
} trial_answer;

enum {
    TRIAL_EXPLAIN = 1, /* fill `why` */
    TRIAL_PREEMPT = 2, /* fill `why`, and report preemption */
};

/* Begin and end attempts: trial_back undoes changes of nodes that were made on the branch in
 * between. */
berth_status trial_begin(trial *t, berth_error *error);
void trial_back(trial *t);

/* Decide about a pod on the branch's present state, and leave the branch unchanged. */
berth_status trial_decide(trial *t, const berth_pod *pod, uint32_t flags, trial_answer *out,
                          berth_error *error);

#endif
