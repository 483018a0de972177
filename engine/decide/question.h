/* How a question about a pending pod begins: whether it fits one node, all nodes that it fits, or
 * the best node. Internal to the files that answer these questions. */
#ifndef BERTH_DECIDE_QUESTION_H
#define BERTH_DECIDE_QUESTION_H

#include "decide/decide.h"

/* Find the pod's class and profile and bring the layout up to date. Errors: BERTH_E_STATE (the pod
 * is on a node), BERTH_E_NOT_FOUND (no profile serves it), BERTH_E_NOMEM. */
berth_status berth__question_ask(berth__decider *decider, uint32_t pod, berth__question *cycle,
                                 berth__decision *decision, berth_error *error);

/* Clear the memory of the last question and follow changes of budgets. */
void berth__question_begin(berth__decider *decider);

/* Call this before filters prepare. If pods are nominated, what-ifs will put them on nodes for a
 * moment, so this call holds the counters (berth__pod_counts_hold) and registers the terms of these
 * pods. berth__question_release must follow in any case, with `*held` and the question's status,
 * which it returns. Errors: BERTH_E_NOMEM, also if counts were lost that the answer may rest on. */
berth_status berth__question_hold(berth__decider *decider, bool *held);
berth_status berth__question_release(berth__decider *decider, bool held, berth_status status);

/* Whether pods are nominated that are not on a node. */
static inline bool berth__question_nominations(const berth__decider *decider)
{
    return decider->cluster->nominations.awake_count > 0;
}

/* Let the index ask about nodes for which pods are nominated, in the decision that follows. False:
 * it can't, because a refusal might be an error, or memory is short. */
bool berth__question_nominations_by_index(berth__decider *decider, const berth__decision *decision);

/* Whether the pod waits for scheduling gates, and the reason for that. */
static inline bool berth__question_gated(const berth__decision *decision)
{
    return decision->cycle->cls->gates != 0 && decision->profile->gates;
}
void berth__question_explain_gates(const berth__decision *decision, berth__reasons *reasons);

/* The reason reported for nodes that preparing excluded by name. */
const char *berth__question_not_named(const berth__decision *decision);

/* The filter that refused the pod, or failed, before any node was visited. */
const berth__stage *berth__question_refuser(const berth__decision *decision);

#endif
