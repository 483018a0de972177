/* One pending pod and one node: whether the pod passes all filters there, and if not, who refuses
 * it and why. */
#ifndef BERTH_DECIDE_ONE_NODE_H
#define BERTH_DECIDE_ONE_NODE_H

#include "decide/decide.h"

/* The verdict of one node. */
typedef struct berth__node_verdict {
    berth_verdict verdict; /* PLACED: it fits */
    berth_code code;       /* of a refusal */
    berth_str plugin;      /* that refuses, or fails; absent: the node does not count (no slot) */
    /* Of a refusal or failure, if they were asked for; in the decider's arena, or that of what the
     * pod's kind has prepared. */
    const berth_str *reasons;
    uint32_t reason_count;
} berth__node_verdict;

/* Whether a pending pod passes all filters on a present node, nominated pods included. Errors:
 * those of berth__decide. Cost: that of one node, and of preparing the pod's class; with `reasons`
 * that of their texts. */
berth_status berth__decider_fits(berth__decider *decider, uint32_t pod, uint32_t node, bool reasons,
                                 berth__node_verdict *out, berth_error *error);

#endif
