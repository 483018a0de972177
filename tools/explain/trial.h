/* What would come of a pod if something were different: tried on a branch of the engine, so that
 * the answer is the engine's own and the engine stays as it is. */
#ifndef BERTH_TOOLS_TRIAL_H
#define BERTH_TOOLS_TRIAL_H

#include "berth/berth.h"

typedef struct trial {
    berth_engine *branch;
    berth_explanation *why; /* of the last attempt that was asked for with it */
    berth_pod_id pod;       /* whose place the pods that are tried take */
    uint64_t attempts;
} trial;

/* Make a branch of the engine as it is, without the pod. `pod` is pending. Owner: the trial is the
 * caller's, to be closed before the engine is destroyed, also after a failure. */
berth_status trial_open(trial *t, berth_engine *engine, berth_pod_id pod, berth_error *error);
void trial_close(trial *t);

/* What came of an attempt. */
typedef struct trial_answer {
    berth_verdict verdict;
    uint32_t fits;      /* nodes that take the pod, all nodes looked at */
    char node[256];     /* the one chosen; "" if none */
    bool preempts;      /* none takes it, but one would without some pods: */
    char evicting[256]; /* "default/a, default/b, ..." */
} trial_answer;

enum {
    TRIAL_EXPLAIN = 1, /* fill `why` */
    TRIAL_PREEMPT = 2, /* fill `why`, and say what preemption would do */
};

/* Around attempts: changes of nodes made on the branch in between are undone by trial_back. */
berth_status trial_begin(trial *t, berth_error *error);
void trial_back(trial *t);

/* Decide about a pod on the branch as it is now, and leave it so. */
berth_status trial_decide(trial *t, const berth_pod *pod, uint32_t flags, trial_answer *out,
                          berth_error *error);

#endif
