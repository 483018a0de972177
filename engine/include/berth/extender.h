/* Extenders: programs outside the cluster's scheduler that take part in its decisions after
 * Kubernetes' plugins, like the HTTP extenders of a KubeSchedulerConfiguration.
 *
 * An extender is a table of functions in berth_engine_config.extenders. A decision calls them in
 * the order of the list, those with BERTH_EXTENDER_IGNORABLE last:
 *
 *   filter about the nodes that passed every filter, and that earlier extenders kept;
 *   prioritize  about the nodes that are left, if there are several: what it returns is added to
 *               their totals. Among nodes with the best total that an extender has scored, one is
 *               then chosen at random;
 *   preempt     about the nodes on which preemption found victims: it may drop nodes and change
 *               their victims.
 *
 * Each is called once per attempt, even if a scheduler decides the attempt again to get its
 * message. A function may be NULL. Decisions about pods for which an extender is called are scans;
 * all others cost the same as without extenders. berth_engine_fits and the other calls of query.h
 * use plugins only.
 *
 * Threads: the functions run on the thread of the call that decides; for branches (branch.h), on
 * the branches' threads, also at the same time. They may read the engine's names of nodes and pods
 * (berth_engine_node_name, berth_engine_pod_name); calls that decide or change something return
 * BERTH_E_STATE.
 *
 * Source: kube-scheduler v1.37, schedule_one.go (findNodesThatPassExtenders, prioritizeNodes),
 * framework/preemption (callExtenders); engine/plugins/rules/cycle.md, section 10. */
#ifndef BERTH_EXTENDER_H
#define BERTH_EXTENDER_H

#include "berth/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An extender's verdict on a node. */
typedef enum berth_extender_verdict {
    BERTH_EXTENDER_KEEPS = 0,
    BERTH_EXTENDER_REFUSES,          /* preemption may help */
    BERTH_EXTENDER_REFUSES_FOR_GOOD, /* preemption cannot help */
    BERTH_EXTENDER_LEAVES_OUT,       /* neither kept nor refused: no reason is given */
} berth_extender_verdict;

/* A node on which preemption would make room, and the pods that it would evict there. */
typedef struct berth_extender_victims {
    berth_node_id node;
    uint32_t pod_count;
    const berth_pod_id *pods; /* most important first */
    int64_t budget_violations;
} berth_extender_victims;

#define BERTH_EXTENDER_NO_SCORE INT64_MIN

enum {
    /* An error of this extender does not fail the decision: its answer is ignored. */
    BERTH_EXTENDER_IGNORABLE = 1 << 0,
};

/* A function that returns anything but BERTH_OK has failed, and says why in `error`, which is never
 * NULL: the attempt then ends with BERTH_VERDICT_ERROR, unless the extender is ignorable. A failure
 * of `prioritize` never fails a decision. BERTH_E_NOMEM ends the call that decides. */
typedef struct berth_extender {
    uint32_t size;  /* sizeof(berth_extender) when it was compiled */
    uint32_t flags; /* BERTH_EXTENDER_* */
    berth_str name; /* in explanations; copied */
    void *context;  /* yours, passed to the functions; must outlive the engine */
    /* The extender is called only for pods that request one of these extended resources; none: for
     * all pods. Copied. */
    berth_strs managed_resources;
    /* Weight of its priorities, above 0 if it has `prioritize`: a node's total grows by
     * score * weight * 10. */
    int64_t weight;

    /* Judge `count` nodes in search order: fill `verdicts`, which holds zeros, and for refused
     * nodes `reasons`, whose texts must live until the extender's next call. */
    berth_status (*filter)(void *context, berth_pod_id pod, const berth_node_id *nodes,
                           uint32_t count, berth_extender_verdict *verdicts, berth_str *reasons,
                           berth_error *error);

    /* Write the scores of nodes to `scores`, which holds BERTH_EXTENDER_NO_SCORE. Nodes that keep
     * this value have no score: nothing is added to their totals, and they lose to nodes with a
     * score if totals are equal. Kubernetes' scores are 0 to 10. */
    berth_status (*prioritize)(void *context, berth_pod_id pod, const berth_node_id *nodes,
                               uint32_t count, int64_t *scores, berth_error *error);

    /* Choose among `count` nodes: `*kept` and `*kept_count` receive the chosen nodes, with the
     * victims there, in memory that lives until the extender's next call. A node without victims
     * fails the decision; if the extender is ignorable, the node is dropped. */
    berth_status (*preempt)(void *context, berth_pod_id pod,
                            const berth_extender_victims *candidates, uint32_t count,
                            const berth_extender_victims **kept, uint32_t *kept_count,
                            berth_error *error);
} berth_extender;

#ifdef __cplusplus
}
#endif

#endif
