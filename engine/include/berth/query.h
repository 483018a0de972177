/* Questions about a pending pod that leave everything as it is: does it fit a node, and why not;
 * which nodes does it fit at all.
 *
 * They are answered as a decision on the same state would answer them: by the filters of the pod's
 * profile, nodes kept for nominated pods included (a node takes the pod only if it does with the
 * nominated pods of no lower priority there, too, and without them). Nothing is placed, the
 * rotation stands still, no tie is drawn: later decisions are those that would have been taken
 * without the question, but that the order of nodes is brought up to date by it, as by a decision.
 * Preemption has no part in them.
 *
 * They work on engines and branches, in transactions or out of them.
 *
 * Threads: the engine's. Errors: where a function names them; E_STATE while a callback of the
 * engine's scheduler runs. */
#ifndef BERTH_QUERY_H
#define BERTH_QUERY_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BERTH_FIT_REASONS = 1u << 0, /* the texts of a refusal, too */
};

/* Whether a pod fits a node. Owner: the caller's; texts are the engine's, borrowed until it is next
 * asked or decides. */
typedef struct berth_fit {
    uint32_t size; /* set by the caller: sizeof(berth_fit) */
    /* PLACED: it fits. UNSCHEDULABLE: it does not. ERROR: a plugin failed on this pod or node. */
    berth_verdict verdict;
    berth_code code;          /* of a refusal: whether preemption may help */
    uint32_t reason_count;    /* 0 unless BERTH_FIT_REASONS was asked for */
    berth_str plugin;         /* the first that refuses, or failed */
    const berth_str *reasons; /* in that plugin's words, as an explanation has them */
} berth_fit;

/* Whether a pending pod fits a node. `flags`: BERTH_FIT_*. A pod that no node would take, for its
 * scheduling gates or by a plugin's preFilter, is refused by that plugin. Where a profile checks
 * all predicates of a node (era v1alpha1) the first one that refuses is told.
 * Errors: E_NOT_FOUND (the pod, the node, or a profile that serves the pod), E_STATE (the pod is on
 * a node), E_ARG (a flag, or the struct's size), E_NOMEM; `out` says ERROR then, and no plugin.
 * Cost: under a microsecond for a kind of pod that was met before, what it asks of other pods
 * included, nothing allocated; besides, that of a new layout if nodes came or went; with reasons a
 * few texts. A node with nominated pods costs what putting these there and
 * taking them off costs. */
BERTH_API berth_status berth_engine_fits(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                                         uint32_t flags, berth_fit *out, berth_error *error);

/* All nodes that a pending pod fits, in the order of berth_engine_node_order, whatever share of
 * them its profile would look at: into `nodes` and, unless it is NULL, what each would score into
 * `totals`, at most `capacity`; `*count` (NULL: not asked for) is how many there are. Totals are
 * those of a decision that visits every node; a node that is the only one has one, too. A pod that
 * a plugin fails on fits nowhere.
 * Errors: E_NOT_FOUND (the pod, or a profile that serves it), E_STATE (the pod is on a node),
 * E_INVALID (totals are asked for, and a score plugin fails on the pod), E_NOMEM.
 * Cost: a look at each node where the index knows the pod's kind; else that of a scan of all nodes,
 * scores included if they are asked for. */
BERTH_API berth_status berth_engine_feasible_nodes(berth_engine *engine, berth_pod_id pod,
                                                   berth_node_id *nodes, int64_t *totals,
                                                   uint32_t capacity, uint32_t *count,
                                                   berth_error *error);

/* How the devices that a node sees stand to one request of a pod's ResourceClaims. Each device is
 * looked at by itself: constraints of the claim, and what its other requests take, are not. */
typedef struct berth_device_fit {
    berth_str claim_namespace;
    berth_str claim_name;
    berth_str request;
    berth_str subrequest; /* an alternative of firstAvailable; absent: the request has but one */
    berth_str device_class;
    int64_t asked; /* how many; 0: all that there are */
    /* Devices of the class, and how many of them */
    uint32_t devices;
    uint32_t used;           /* are a claim's already */
    uint32_t unlike;         /* are free, and not what the request's selectors ask for */
    uint32_t tainted;        /* have but taints that the request does not tolerate against them */
    uint32_t cramped;        /* have but too little capacity left, or counters of their pool */
    uint32_t fit;            /* would do */
    uint32_t pools_left_out; /* that offer nothing for now: incomplete or invalid; of any class */
} berth_device_fit;

/* Of each request of those claims of a pending pod that have no devices yet, in order: how the
 * node's devices stand to it, into `out`, at most `capacity`; `*count` is how many there are. None
 * where a claim is missing or can't be served anywhere: the pod's message says why. Owner: texts
 * are the engine's, until it changes. Errors: E_NOT_FOUND (the pod, the node, or a profile that
 * serves the pod), E_STATE (the pod is on a node), E_NOMEM. Cost: a look at each device of the node
 * for each request. */
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
