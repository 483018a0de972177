/* Whether a pending pod passes all filters on one node, and if not, which plugin refuses it and
 * why. */
#ifndef BERTH_DECIDE_ONE_NODE_H
#define BERTH_DECIDE_ONE_NODE_H

#include "decide/decide.h"

/* The verdict of one node. */
typedef struct berth__node_verdict {
    berth_verdict verdict; /* PLACED: it fits */
    berth_code code;       /* for a refusal */
    /* The plugin that refuses or fails; absent: the node has no slot and does not count. */
    berth_str plugin;
    /* For a refusal or failure, if requested; in the decider's arena, or in that of the pod's
     * kind. */
    const berth_str *reasons;
    uint32_t reason_count;
} berth__node_verdict;

/* Check whether a pending pod passes all filters on a present node, nominated pods included.
 * Errors: those of berth__decide. Cost: one node, and preparing the pod's class; with `reasons`
 * also their texts. */
berth_status berth__decider_fits(berth__decider *decider, uint32_t pod, uint32_t node, bool reasons,
                                 berth__node_verdict *out, berth_error *error);

/* The filters that do not run for a pod, one bit for each; filters from number
 * BERTH__FILTER_SET_MAX on always run. */
typedef uint64_t berth__filter_set;
enum { BERTH__FILTER_SET_MAX = 64 };

/* The filters that were skipped in the last decision. */
berth__filter_set berth__decider_skipped(const berth__decider *decider);

/* Whether a pending pod passes the filters on a node, as in berth__decider_fits, but without those
 * in `skipped`: kube-scheduler decides once, at preFilter, which filters run for a pod. Errors and
 * cost: the same. */
berth_status berth__decider_still_fits(berth__decider *decider, uint32_t pod, uint32_t node,
                                       berth__filter_set skipped, bool *fits, berth_error *error);

#endif
