/* Questions about a pending pod that change nothing: does it fit a node, and if not, why; which
 * nodes does it fit?
 *
 * The answers agree with a decision in the same state: the filters of the pod's profile run, and
 * nominated pods count (a node takes the pod only if it fits there both beside the nominated pods
 * of the same or a higher priority and without them). Nothing is placed, the rotation index stays,
 * and no random number is drawn, so later decisions are the same as without the question. Only the
 * order of nodes is updated, as by a decision. Preemption is not considered.
 *
 * The calls work on engines and branches, inside and outside of transactions.
 *
 * Threads: the engine's. Errors: as listed below, and BERTH_E_STATE while a callback of the
 * engine's scheduler is running. */
#ifndef BERTH_QUERY_H
#define BERTH_QUERY_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BERTH_FIT_REASONS = 1u << 0, /* also return the reasons of a refusal */
};

/* Whether a pod fits a node. Owner: the caller's; texts are the engine's, borrowed until it answers
 * the next question or takes the next decision. */
typedef struct berth_fit {
    uint32_t size; /* set by the caller: sizeof(berth_fit) */
    /* PLACED: it fits. UNSCHEDULABLE: it does not. ERROR: a plugin failed for this pod or node. */
    berth_verdict verdict;
    berth_code code;          /* of a refusal: whether preemption may help */
    uint32_t reason_count;    /* 0 without BERTH_FIT_REASONS */
    berth_str plugin;         /* the first plugin that refuses, or that failed */
    const berth_str *reasons; /* in the plugin's words, as in an explanation */
} berth_fit;

/* Whether a pending pod fits a node. `flags`: BERTH_FIT_*. A pod that no node would take
 * (scheduling gates, or a plugin's preFilter) is refused by the plugin responsible. In profiles of
 * era v1alpha1 that check all predicates of a node, the first predicate that refuses is returned.
 * Errors: BERTH_E_NOT_FOUND (the pod, the node, or a profile for the pod), BERTH_E_STATE (the pod
 * is on a node), BERTH_E_ARG (a flag, or the struct's size), BERTH_E_NOMEM; `out` then says ERROR
 * and names no plugin.
 * Cost: under a microsecond for a kind of pod seen before, including its rules about other pods,
 * without allocations; plus a new layout if nodes came or went; plus a few texts with reasons; plus
 * adding and removing the nominated pods of the node, if it has any. */
BERTH_API berth_status berth_engine_fits(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                         uint32_t flags, berth_fit *out, berth_error *error);

/* All nodes that a pending pod fits, in the order of berth_engine_node_order, even if its profile
 * would visit only a share of the nodes. Writes at most `capacity` entries to `nodes` and, unless
 * NULL, the nodes' scores to `totals`; `*count` (may be NULL) receives how many nodes fit. The
 * totals are those of a decision that visits every node; a single feasible node has one, too. A pod
 * for which a plugin fails fits nowhere.
 * Errors: BERTH_E_NOT_FOUND (the pod, or a profile for it), BERTH_E_STATE (the pod is on a node),
 * BERTH_E_INVALID (a score plugin fails for the pod; only with totals), BERTH_E_NOMEM.
 * Cost: reads every node if the index has the kind of pod; otherwise a scan of all nodes, including
 * scores if totals are requested. */
BERTH_API berth_status berth_engine_feasible_nodes(berth_engine *engine, berth_pod_id pod,
                                                   berth_node_id *nodes, int64_t *totals,
                                                   uint32_t capacity, uint32_t *count,
                                                   berth_error *error);

/* How well the devices that a node can use match one request of a pod's ResourceClaims. Each device
 * is judged on its own: constraints of the claim, and devices taken by its other requests, are
 * ignored. */
typedef struct berth_device_fit {
    /* Absent: the claim that would be created for the pod's extended resources, which the class
     * provides. */
    berth_str claim_namespace;
    berth_str claim_name;
    berth_str request;
    berth_str subrequest; /* an alternative of firstAvailable; absent: the request has one form */
    berth_str device_class;
    int64_t asked; /* number of devices requested; 0: all of them */
    /* Numbers of devices of the class: all of them, and those that */
    uint32_t devices;
    uint32_t used;           /* belong to a claim already */
    uint32_t unlike;         /* are free, but do not match the request's selectors */
    uint32_t tainted;        /* match, but have a taint that the request does not tolerate */
    uint32_t cramped;        /* match, but their capacity or their pool's counters are used up */
    uint32_t fit;            /* can be allocated */
    uint32_t pools_left_out; /* pools ignored because they are incomplete or invalid; any class */
} berth_device_fit;

/* For each request of the pending pod's claims that have no devices yet, in order: how the node's
 * devices match it. Writes at most `capacity` entries to `out`; `*count` receives how many there
 * are: none if a claim is missing or cannot be satisfied on any node (the pod's message says why).
 * Owner: texts are the engine's, until it changes. Errors: BERTH_E_NOT_FOUND (the pod, the node, or
 * a profile for the pod), BERTH_E_STATE (the pod is on a node), BERTH_E_NOMEM. Cost: reads every
 * device of the node for each request. */
static inline berth_status berth_engine_device_fits(berth_engine *engine, berth_pod_id pod,
                                                    berth_node_id node, berth_device_fit *out,
                                                    uint32_t capacity, uint32_t *count,
                                                    berth_error *error)
{
    return berth_engine_device_fits_sized(engine, pod, node, out, sizeof(*out), capacity, count,
                                          error);
}

#ifdef __cplusplus
}
#endif

#endif
