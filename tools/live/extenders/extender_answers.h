/* What extenders answer, in the form of k8s.io/kube-scheduler/extender/v1. Like Go's decoder, names
 * of members are compared without regard to case.
 *
 * A function returns false if the answer is not of its form, or says that the extender failed; then
 * `error` is filled. Owner: texts point into `root`, which the caller frees with json_decref. */
#ifndef BERTH_LIVE_EXTENDER_ANSWERS_H
#define BERTH_LIVE_EXTENDER_ANSWERS_H

#include <jansson.h>

#include "berth/berth.h"

/* A node of the question, by its name. */
typedef struct asked_node {
    berth_str name;
    uint32_t place; /* in the question */
} asked_node;

/* The nodes of the question, sorted by name for lookup. */
typedef struct asked_nodes {
    asked_node *items;
    uint32_t count;
} asked_nodes;

asked_nodes asked_nodes_make(const berth_engine *engine, const berth_node_id *nodes,
                             uint32_t count);
void asked_nodes_free(asked_nodes *asked);

bool answer_parse(berth_str body, json_t **root, berth_error *error);

/* ExtenderFilterResult. `by_name`: the names of NodeNames win over Nodes. `url` is the extender's,
 * for errors. */
bool answer_of_filter(json_t *root, const asked_nodes *asked, bool by_name, const char *url,
                      berth_extender_verdict *verdicts, berth_str *reasons, berth_error *error);

/* HostPriorityList. Names that were not asked about are ignored. */
bool answer_of_prioritize(json_t *root, const asked_nodes *asked, int64_t *scores,
                          berth_error *error);

/* One victim of an ExtenderPreemptionResult, by its node and uid. */
typedef struct answered_victims {
    berth_str node;
    int64_t budget_violations;
    json_t *pods; /* an array of objects with a UID; NULL: none */
} answered_victims;

/* The entries of NodeNameToMetaVictims; freed by the caller with free. */
bool answer_of_preempt(json_t *root, answered_victims **out, uint32_t *count, berth_error *error);

/* The uid of an entry of `pods`; "" if it has none. */
const char *answered_uid(json_t *pod);

#endif
