/* Nothing reports that a rejected pod has left the queue, so all of them are checked from time to
 * time. */
#include "live/run/rejections.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

static const int64_t apart_ns = 1000000000;

static bool is_text(const char *have, berth_str text)
{
    return strlen(have) == text.len && memcmp(have, text.data, text.len) == 0;
}

static uint32_t profile_of(rejections *r, berth_str name)
{
    for (size_t i = 0; i < r->profile_count; i++)
        if (is_text(r->profiles[i], name))
            return (uint32_t)i;
    r->profiles =
        heap_grow(r->profiles, &r->profile_capacity, r->profile_count + 1, sizeof(*r->profiles));
    r->profiles[r->profile_count] = heap_text(name.data, name.len);
    return (uint32_t)r->profile_count++;
}

void rejections_note(rejections *r, berth_pod_id pod, berth_str profile)
{
    r->pods = heap_grow(r->pods, &r->pod_capacity, r->pod_count + 1, sizeof(*r->pods));
    r->pods[r->pod_count++] = (rejected_pod){pod, profile_of(r, profile)};
}

static void count_rejector(rejections *r, berth_str plugin, uint32_t profile)
{
    for (size_t i = 0; i < r->rejector_count; i++)
        if (r->rejectors[i].profile == profile && is_text(r->rejectors[i].plugin, plugin)) {
            r->rejectors[i].pods++;
            return;
        }
    r->rejectors = heap_grow(r->rejectors, &r->rejector_capacity, r->rejector_count + 1,
                             sizeof(*r->rejectors));
    r->rejectors[r->rejector_count++] = (rejector){heap_text(plugin.data, plugin.len), profile, 1};
}

/* Whether the pod is still waiting for a scheduler. */
static bool count_pod(rejections *r, const rejected_pod *pod, const berth_scheduler *scheduler)
{
    berth_pod_status status;
    berth_scheduler_pod(scheduler, pod->pod, &status);
    if (status.state == BERTH_POD_STATE_GONE || status.state == BERTH_POD_STATE_ASSUMED ||
        status.state == BERTH_POD_STATE_BOUND)
        return false;
    for (uint32_t i = 0; i < status.rejector_count; i++)
        count_rejector(r, berth_scheduler_rejector(scheduler, pod->pod, i), pod->profile);
    return true;
}

static int by_pod(const void *a, const void *b)
{
    const rejected_pod *left = a, *right = b;
    return (left->pod > right->pod) - (left->pod < right->pod);
}

static void recount(rejections *r, const berth_scheduler *scheduler)
{
    size_t kept = 0;
    if (r->pod_count > 1)
        qsort(r->pods, r->pod_count, sizeof(*r->pods), by_pod);
    for (size_t i = 0; i < r->pod_count; i++) {
        const rejected_pod pod = r->pods[i];
        if ((kept == 0 || r->pods[kept - 1].pod != pod.pod) && count_pod(r, &pod, scheduler))
            r->pods[kept++] = pod;
    }
    r->pod_count = kept;
}

void rejections_show(rejections *r, const berth_scheduler *scheduler, metrics *m, int64_t now_ns)
{
    if (now_ns - r->counted_ns < apart_ns)
        return;
    r->counted_ns = now_ns;
    for (size_t i = 0; i < r->rejector_count; i++)
        r->rejectors[i].pods = 0;
    recount(r, scheduler);
    for (size_t i = 0; i < r->rejector_count; i++)
        metrics_set(m, METRIC_UNSCHEDULABLE_PODS, (double)r->rejectors[i].pods,
                    METRIC_LABELS(r->rejectors[i].plugin, r->profiles[r->rejectors[i].profile]));
}

void rejections_free(rejections *r)
{
    for (size_t i = 0; i < r->rejector_count; i++)
        free(r->rejectors[i].plugin);
    for (size_t i = 0; i < r->profile_count; i++)
        free(r->profiles[i]);
    free(r->rejectors);
    free(r->profiles);
    free(r->pods);
    memset(r, 0, sizeof(*r));
}
