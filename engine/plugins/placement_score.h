/* The scores by which a PodGroup's domains are compared: kube-scheduler's extension point
 * PlacementScore, at which two plugins run.
 * Source: kube-scheduler v1.37, framework/runtime/framework.go, RunPlacementScorePlugins. */
#ifndef BERTH_PLUGINS_PLACEMENT_SCORE_H
#define BERTH_PLUGINS_PLACEMENT_SCORE_H

#include "plugins/plugin.h"

/* NodeResourcesFit: how much of a domain's capacity is in use with the group's pods there,
 * regardless of the strategy for nodes. */

/* The number of resources that an instance scores. */
uint32_t berth__fit_resource_count(const void *instance);

/* Add the requests of a pod of the class to the sums, one sum for each of these resources. */
void berth__fit_add_request(const berth__view *view, const void *instance, const berth__class *cls,
                            int64_t *sums);

/* The score of the nodes of `part` if pods with these sums of requests were added to them: 0 to
 * 100, unless a product overflows. Cost: reads each of the nodes. */
int64_t berth__fit_score_part(const berth__view *view, const void *instance, const int64_t *sums,
                              const berth__node_part *part);

/* PodGroupPodsCount: turn the numbers of pods of the group that each of the domains would have into
 * scores from 0 to 100. Returns false if all are 0, which is an error in kube-scheduler. */
bool berth__pod_group_pods_count_scores(int64_t *counts, uint32_t count);

#endif
