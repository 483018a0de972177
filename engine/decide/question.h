/* How a question about a pending pod begins, whether it is about one node, all nodes or the best:
 * between the files that answer. */
#ifndef BERTH_DECIDE_QUESTION_H
#define BERTH_DECIDE_QUESTION_H

#include "decide/decide.h"

/* Find the pod's class and profile and bring the layout up to date. Errors: E_STATE (the pod is on
 * a node), E_NOT_FOUND (no profile serves it), E_NOMEM. */
berth_status berth__question_ask(berth__decider *decider, uint32_t pod, berth__question *cycle,
                                 berth__decision *decision, berth_error *error);

/* Empty the memory of the last question and follow budgets. */
void berth__question_begin(berth__decider *decider);

/* Before filters prepare, while nominated pods are about, which what-ifs put on nodes: hold the
 * counters as they are and have them know these pods' terms. `*held` is for
 * berth__question_release, which follows in any case. Errors: E_NOMEM. */
berth_status berth__question_hold(berth__decider *decider, bool *held);
void berth__question_release(berth__decider *decider, bool held);

static inline bool berth__question_nominations(const berth__decider *decider)
{
    return decider->cluster->nominations.by_pod.count > 0;
}

/* Whether the pod waits for scheduling gates, and the reason that says so. */
static inline bool berth__question_gated(const berth__decision *decision)
{
    return decision->cycle->cls->gates != 0 && decision->profile->gates;
}
void berth__question_explain_gates(const berth__decision *decision, berth__reasons *reasons);

/* What nodes say that preparing ruled out by name. */
const char *berth__question_not_named(const berth__decision *decision);

/* Of a pod that was refused, or failed, before any node was visited: by which filter. */
const berth__stage *berth__question_refuser(const berth__decision *decision);

#endif
