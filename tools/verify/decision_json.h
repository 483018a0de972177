/* A decision as JSON, in the members of the decision vectors and in one normal form, so that an
 * expected decision and one taken here are compared, and shown, member by member.
 *
 * Normal form: every member present; what is a set in the vectors (refusals, their reasons,
 * victims) sorted or keyed by name:
 *   start, next       integers            feasible, best   lists of nodes
 *   failed            node -> refusal     scores           plugin -> list of values
 *   total             list of sums        victims          sorted list of "namespace/name"
 *   preFilter, message, nominated: text or null             error: true or false */
#ifndef BERTH_TOOLS_DECISION_JSON_H
#define BERTH_TOOLS_DECISION_JSON_H

#include <jansson.h>

#include "berth/engine.h"
#include "berth/profile.h"

/* An expected decision in normal form; a new reference. */
json_t *decision_json_expected(const json_t *decision);

/* Pods that decisions of the scenario have placed. */
typedef struct decision_json_placed {
    const berth_pod_id *pods;
    size_t count;
} decision_json_placed;

/* A decision taken, in normal form; a new reference. Victims among `placed` are left out: the
 * recorded scheduler's API server knew the running pods alone, and no vector names another
 * victim. */
json_t *decision_json_taken(const berth_engine *engine, const berth_placement *placement,
                            const berth_explanation *explanation, decision_json_placed placed);

/* The normal form of v1.15, which has feasible, failed (node -> predicate -> sorted reasons),
 * scores, total, best and error, nodes in the order of their names. `priorities` are those of the
 * profile: only their scores are kept, unweighted. */
json_t *decision_json_expected_legacy(const json_t *decision, const berth_plugin_list *priorities);
json_t *decision_json_taken_legacy(const berth_engine *engine, const berth_placement *placement,
                                   const berth_explanation *explanation,
                                   const berth_plugin_list *priorities);

/* What a decision without an explanation must agree on, from the normal form and from a placement:
 * the node taken, and how many are best and feasible. New references. */
json_t *decision_json_outcome_expected(const json_t *normal, const json_t *decision);
json_t *decision_json_outcome_taken(const berth_engine *engine, const berth_placement *placement);

/* The same for v1.15, whose vectors do not tell in which order nodes are visited: the node that was
 * taken will do if it is one of the best, and an attempt that ended in an error takes none. */
json_t *decision_json_outcome_expected_legacy(const json_t *normal, const json_t *taken);

/* Text that is not terminated; null if absent. A new reference. */
json_t *decision_json_text(berth_str text);

#endif
