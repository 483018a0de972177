/* What is wrong with a selector that can't be read, in the words of the Kubernetes version whose
 * decisions are given: they end up in what kube-scheduler says of the pod. */
#ifndef BERTH_MODEL_SELECTOR_PROBLEMS_H
#define BERTH_MODEL_SELECTOR_PROBLEMS_H

#include "base/arena.h"
#include "berth/objects.h"
#include "model/behaviours.h"

/* Of a label selector, in `arena`: its first requirement that can't be read. Absent: none.
 * Source: apimachinery v0.36, meta/v1/helpers.go, LabelSelectorAsSelector; labels/selector.go,
 * NewRequirement; util/validation. */
berth_str berth__selector_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                  const berth_label_selector *selector, bool *ok);

/* Of all preferred terms of a node affinity. Absent: none.
 * Source: component-helpers v0.36, scheduling/corev1/nodeaffinity, NewPreferredSchedulingTerms;
 * v1.15.3, v1helper.NodeSelectorRequirementsAsSelector. */
berth_str berth__preferred_terms_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                         const berth_node_affinity *affinity, bool *ok);

/* Of all terms of a node selector. Absent: none.
 * Source: component-helpers v0.36, scheduling/corev1/nodeaffinity, NewNodeSelector. */
berth_str berth__node_selector_problem(berth__arena *arena, const berth__behaviours *behaviours,
                                       const berth_node_selector *selector, bool *ok);

#endif
