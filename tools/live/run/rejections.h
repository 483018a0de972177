/* Counts the pods that fit nowhere at present by the plugin that rejects them: a gauge that shows
 * what a cluster lacks.
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
    rejected_pod *pods; /* a pod may appear twice until the next count */
    size_t pod_count, pod_capacity;
    rejector *rejectors; /* all plugins so far, since a gauge must return to 0 */
    size_t rejector_count, rejector_capacity;
    char **profiles;
    size_t profile_count, profile_capacity;
    int64_t counted_ns;
} rejections;

/* An attempt placed `pod` nowhere. */
void rejections_note(rejections *r, berth_pod_id pod, berth_str profile);

/* Count again and set METRIC_UNSCHEDULABLE_PODS, at most once a second. Cost: n log n in the
 * recorded pods that are not placed. */
void rejections_show(rejections *r, const berth_scheduler *scheduler, metrics *m, int64_t now_ns);

void rejections_free(rejections *r);

#endif
