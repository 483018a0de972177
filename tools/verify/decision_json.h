/* Decisions as JSON, with the members of the decision vectors and in one normal form, so that
 * expected and actual decisions are compared and shown member by member.
 *
 * Normal form: every member is present; sets in the vectors (refusals, their reasons, victims) are
 * sorted or keyed by name:
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

/* Pods placed by decisions of the scenario. */
typedef struct decision_json_placed {
    const berth_pod_id *pods;
    size_t count;
} decision_json_placed;

/* An actual decision in normal form; a new reference. Victims among `placed` are left out: the
 * recorded scheduler's API server knew only the running pods, so no vector names other victims. */
json_t *decision_json_taken(const berth_engine *engine, const berth_placement *placement,
                            const berth_explanation *explanation, decision_json_placed placed);

/* The normal form of v1.15: feasible, failed (node -> predicate -> sorted reasons), scores, total,
 * best and error, with nodes sorted by name. Only the scores of the profile's `priorities` are
 * kept, unweighted. */
json_t *decision_json_expected_legacy(const json_t *decision, const berth_plugin_list *priorities);
json_t *decision_json_taken_legacy(const berth_engine *engine, const berth_placement *placement,
                                   const berth_explanation *explanation,
                                   const berth_plugin_list *priorities);

/* The part on which a decision without an explanation must agree, from the normal form and from a
 * placement: the chosen node, and the numbers of best and feasible nodes. New references. */
json_t *decision_json_outcome_expected(const json_t *normal, const json_t *decision);
json_t *decision_json_outcome_taken(const berth_engine *engine, const berth_placement *placement);

/* The same for v1.15, whose vectors do not record the order of visited nodes: the chosen node is
 * right if it is one of the best, and an attempt that ended in an error chooses none. */
json_t *decision_json_outcome_expected_legacy(const json_t *normal, const json_t *taken);

/* Text that is not terminated; null if absent. A new reference. */
json_t *decision_json_text(berth_str text);

#endif
