/* A scheduling cycle of a PodGroup in progress: its pods, what they got, and the words about it. */
#ifndef BERTH_API_POD_GROUP_H
#define BERTH_API_POD_GROUP_H

#include "berth/pod_group.h"
#include "berth/transaction.h"
#include "decide/one_node.h"
#include "model/related.h"
#include "versions/engine_state.h"

typedef struct berth__group_member {
    uint32_t pod; /* index */
    berth_pod_id id;
    uint32_t node; /* where it was placed, or BERTH_NODE_NONE */
    bool fits;     /* it was placed in the first attempt */
    /* Filters that preFilter skipped when it was placed last. */
    berth__filter_set skipped;
    uint32_t kept;       /* during preemption: the node for which it is nominated, and a pod that */
    berth_pod_id shadow; /* has the nomination while it is on a node; or BERTH_POD_NONE */
} berth__group_member;

typedef struct berth__group_cycle {
    berth_engine *engine;
    const berth__group_facts *facts;
    berth__sym namespace_name, name; /* of the PodGroup */
    berth__group_member *members;
    uint32_t count;
    uint32_t already; /* pods of the group that are on nodes */
    uint32_t placed;
    berth_verdict verdict;
    berth__arena arena; /* words, members and victims */
    berth_str message;  /* of an attempt without success */
    bool preempts;
    bool sees_claims; /* DynamicResources looked at a member in the first attempt */
    berth_pod_id *victims;
    uint32_t victim_count;
    berth_error *error;
} berth__group_cycle;

/* Decide and bind the members one after the other; the caller has a transaction open and takes
 * everything back unless the verdict is PLACED. Fills verdict, placed, message and each member.
 * Errors: those of a decision. */
berth_status berth__group_place(berth__group_cycle *cycle);

/* Find victims for a group that was just refused, with no change since (pod_group_preemption.c).
 * Completes the message; fills `preempts`, the victims, and the nodes of members, for which they
 * must be nominated. Nothing has changed afterwards. Errors: BERTH_E_NOMEM and those of a
 * decision. */
berth_status berth__group_preempt(berth__group_cycle *cycle);

/* Append words to the message. Errors: BERTH_E_NOMEM. */
berth_status berth__group_say(berth__group_cycle *cycle, berth_str more);

#endif
