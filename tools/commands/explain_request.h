/* The request of `berth explain`, and its answers for more than one pod. */
#ifndef BERTH_TOOLS_EXPLAIN_REQUEST_H
#define BERTH_TOOLS_EXPLAIN_REQUEST_H

#include "explain/explained.h"
#include "explain/finished_pods.h"
#include "explain/pending_groups.h"
#include "explain/pod_owner.h"
#include "loading/cluster_input.h"

typedef struct explain_request {
    engine_setup setup;
    cluster_input input;
    finished_pods finished;
    const char *node;
    uint64_t nodes;
    bool all;
    bool in_turn;
    bool pending;
    bool no_remedies;
    bool exit_code;
    int format; /* an output_format */
    berth_engine *engine;
} explain_request;

/* Whether the answer is text, not a document. */
bool explain_is_text(const explain_request *x);

/* Fill in how a pod's explanation is shown; looks up its node. Errors: BERTH_E_NOT_FOUND. */
berth_status explain_view(const explain_request *x, explained_view *view, berth_error *error);

/* Explain all pending pods by group; or explain a workload: where its pods run, why others do not,
 * and one of them in full. `*negative`: a pod in question fits nowhere or is refused. Errors: the
 * engine's, and those of finding the workload. */
berth_status explain_pending(explain_request *x, bool *negative, berth_error *error);
berth_status explain_owner(explain_request *x, pod_owner *owner, bool *negative,
                           berth_error *error);

#endif
