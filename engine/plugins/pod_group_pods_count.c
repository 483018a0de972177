/* PodGroupPodsCount: prefers the domain that takes more pods of a PodGroup.
 * Source: kube-scheduler v1.37, plugins/podgrouppodscount. */
#include "plugins/placement_score.h"

bool berth__pod_group_pods_count_scores(int64_t *counts, uint32_t count)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++)
        most = counts[i] > most ? counts[i] : most;
    for (uint32_t i = 0; most > 0 && i < count; i++)
        counts[i] = counts[i] * BERTH__SCORE_MAX / most;
    return most > 0;
}
