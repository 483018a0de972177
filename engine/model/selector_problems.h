/* Faults of malformed selectors, in the words of the Kubernetes version that the engine follows:
 * kube-scheduler's messages about the pod contain them. */
#ifndef BERTH_MODEL_SELECTOR_PROBLEMS_H
#define BERTH_MODEL_SELECTOR_PROBLEMS_H

#include "base/arena.h"
#include "berth/objects.h"
#include "model/behaviours.h"

/* The first malformed requirement of a label selector, as a text in `arena`. Absent: none.
 * Source: apimachinery v0.36, meta/v1/helpers.go, LabelSelectorAsSelector; labels/selector.go,
 * NewRequirement; util/validation. */
berth_str berth__selector_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                  const berth_label_selector *selector, bool *ok);

/* Faults in all preferred terms of a node affinity. Absent: none.
 * Source: component-helpers v0.36, scheduling/corev1/nodeaffinity, NewPreferredSchedulingTerms;
 * v1.15.3, v1helper.NodeSelectorRequirementsAsSelector. */
berth_str berth__preferred_terms_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                         const berth_node_affinity *affinity, bool *ok);

/* Faults in all terms of a node selector. Absent: none.
 * Source: component-helpers v0.36, scheduling/corev1/nodeaffinity, NewNodeSelector. */
berth_str berth__node_selector_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                       const berth_node_selector *selector, bool *ok);

#endif
