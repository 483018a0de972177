/* Pods that no node takes now, counted by the plugin that rejects them: the gauge that tells what a
 * cluster is short of.
 *
 * Threads: the deciding thread's. */
#ifndef BERTH_LIVE_REJECTIONS_H
#define BERTH_LIVE_REJECTIONS_H

#include "berth/berth.h"
#include "live/serving/metrics.h"

typedef struct rejected_pod {
    berth_pod_id pod;
    uint32_t profile;
} rejected_pod;

typedef struct rejector {
    char *plugin;
    uint32_t profile;
    uint64_t pods;
} rejector;

/* Zeroed: empty. */
typedef struct rejections {
    rejected_pod *pods; /* a pod may stand twice until the next count */
    size_t pod_count, pod_capacity;
    rejector *rejectors; /* all that ever were: a gauge goes back to 0 */
    size_t rejector_count, rejector_capacity;
    char **profiles;
    size_t profile_count, profile_capacity;
    int64_t counted_ns;
} rejections;

/* An attempt of `pod` placed it nowhere. */
void rejections_note(rejections *r, berth_pod_id pod, berth_str profile);

/* Count anew and set METRIC_UNSCHEDULABLE_PODS, once a second at most. Cost: n log n in the pods
 * that were noted and are not placed. */
void rejections_show(rejections *r, const berth_scheduler *scheduler, metrics *m, int64_t now_ns);

void rejections_free(rejections *r);

#endif
