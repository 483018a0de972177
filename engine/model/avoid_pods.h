/* The node annotation scheduler.alpha.kubernetes.io/preferAvoidPods: it lists controllers whose
 * pods should preferably run on other nodes. */
#ifndef BERTH_MODEL_AVOID_PODS_H
#define BERTH_MODEL_AVOID_PODS_H

#include <stdbool.h>

#include "berth/status.h"

/* Whether the annotation's text lists the controller of that kind and uid. A malformed text lists
 * nothing.
 * Source: Kubernetes v1.15.3, apis/core/v1/helper/helpers.go, GetAvoidPodsFromNodeAnnotations. */
bool berth__avoid_pods_lists(berth_str annotation, berth_str kind, berth_str uid);

#endif
