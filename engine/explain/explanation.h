/* The record of one decision for an embedder; the struct behind berth_explanation. */
#ifndef BERTH_EXPLAIN_EXPLANATION_H
#define BERTH_EXPLAIN_EXPLANATION_H

#include "berth/extender.h"
#include "scan/search.h"

typedef struct berth__refused_node {
    berth_node_id node;
    berth_str plugin;
    berth_code code;
    uint32_t first_reason;
    uint32_t reason_count;
} berth__refused_node;

typedef struct berth__explained_scorer {
    berth_str name;
    int64_t weight;
} berth__explained_scorer;

typedef struct berth__explained_score {
    int64_t weighted;
    int64_t raw; /* BERTH__SCORE_IGNORED: the plugin did not score this node */
} berth__explained_score;

struct berth_explanation {
    berth__arena arena; /* reset when filled again */
    berth_node_id *feasible;
    int64_t *totals;
    uint32_t feasible_count, feasible_capacity, total_capacity;
    berth__explained_scorer *scorers;
    uint32_t scorer_count, scorer_capacity;
    berth__explained_score *scores; /* scorer by scorer, one for each feasible node */
    uint32_t score_count, score_capacity;
    berth__refused_node *refused;
    uint32_t refused_count, refused_capacity;
    berth_str *reasons;
    uint32_t reason_count, reason_capacity;
    berth_str pre_filter;
    berth_code pre_filter_code;
    berth_str message;
    berth_str about_claims; /* DynamicResources' message before preemption; absent: none */
    berth_str freed_namespace, freed_claim;
    bool deletes_freed; /* the claim must be deleted */
    berth_node_id nominated;
    berth_pod_id *victims;
    uint32_t victim_count, victim_capacity;
};

/* Clear the record of the last decision. */
void berth__explanation_reset(berth_explanation *explanation);

/* Record the reasons for which a pod was refused before any node was visited. */
berth_status berth__explanation_refuse(berth_explanation *explanation,
                                       const berth__reasons *reasons);

/* Record the walk: the feasible nodes, and why each other visited node was refused. */
berth_status berth__explanation_walk(berth_explanation *explanation, const berth__search *search);

/* Record scores, after berth__search_score. */
berth_status berth__explanation_scores(berth_explanation *explanation, const berth__search *search);

/* Record an extender's answer about the feasible nodes: the nodes that it did not keep are no
 * longer feasible. `verdicts` and `reasons` have an entry for each. */
berth_status berth__explanation_extend(berth_explanation *explanation, berth_str extender,
                                       const berth_extender_verdict *verdicts,
                                       const berth_str *reasons);

/* Record an extender's refusal of one node. */
berth_status berth__explanation_add_refusal(berth_explanation *explanation, berth_node_id node,
                                            berth_str extender, berth_extender_verdict verdict,
                                            berth_str reason);

/* Record an extender's scores of the feasible nodes, as those of a scorer of that weight, and add
 * them to the totals. */
berth_status berth__explanation_add_extender(berth_explanation *explanation, berth_str extender,
                                             int64_t weight, const int64_t *scores);

/* Write kube-scheduler's message for a pod that fits no node, without preemption's part. The
 * cluster has `node_count` nodes; nodes without a recorded refusal have the reason `absent` (NULL:
 * none).
 * Source: kube-scheduler v1.32, framework/types.go, FitError.Error. */
berth_status berth__explanation_write_message(berth_explanation *explanation, uint32_t node_count,
                                              const berth_str *absent);

#endif
