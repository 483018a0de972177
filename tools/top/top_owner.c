/* Finds a pod's workload. Deployments and CronJobs are not controllers of pods; the names of their
 * ReplicaSets and Jobs lead to them. */
#include "top/top_owner.h"

#include "cli/words.h"

/* The CronJob controller appends the time of the run to a Job's name, in minutes since 1970. The
 * bounds are the years 2017 and 2046, so dates such as 20240131 are not taken for times. */
enum { CRON_DIGITS = 8, CRON_MINUTES_MIN = 25000000, CRON_MINUTES_MAX = 40000000 };

/* Returns `name` without "-SUFFIX"; empty if it does not end with it. */
static berth_str without_suffix(berth_str name, berth_str suffix)
{
    if (suffix.len == 0 || name.len < suffix.len + 2)
        return (berth_str){0};
    berth_str end = {name.data + name.len - suffix.len, suffix.len};
    if (!words_equal(end, suffix) || end.data[-1] != '-')
        return (berth_str){0};
    return (berth_str){name.data, name.len - suffix.len - 1};
}

static bool is_time_of_run(berth_str digits)
{
    long minutes = 0;
    for (uint32_t i = 0; i < digits.len; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
        minutes = minutes * 10 + (digits.data[i] - '0');
    }
    return minutes >= CRON_MINUTES_MIN && minutes <= CRON_MINUTES_MAX;
}

static berth_str cron_job_of(berth_str job)
{
    if (job.len < CRON_DIGITS + 2)
        return (berth_str){0};
    berth_str end = {job.data + job.len - CRON_DIGITS, CRON_DIGITS};
    return is_time_of_run(end) ? without_suffix(job, end) : (berth_str){0};
}

top_owner top_owner_of(const berth_engine *engine, berth_pod_id pod, const berth_pod_info *info)
{
    berth_str maker = {0};
    if (info->owner_kind.len == 0)
        return (top_owner){words_of("Pod"), info->name};
    /* A kubelet runs static pods from its own files and shows them as NAME-NODE. */
    if (words_equal(info->owner_kind, words_of("Node"))) {
        maker = without_suffix(info->name, info->owner_name);
        return (top_owner){words_of("StaticPod"), maker.len > 0 ? maker : info->name};
    }
    if (words_equal(info->owner_kind, words_of("ReplicaSet"))) {
        berth_str hash = berth_engine_pod_label(engine, pod, words_of("pod-template-hash"));
        maker = without_suffix(info->owner_name, hash);
        if (maker.len > 0)
            return (top_owner){words_of("Deployment"), maker};
    }
    if (words_equal(info->owner_kind, words_of("Job"))) {
        maker = cron_job_of(info->owner_name);
        if (maker.len > 0)
            return (top_owner){words_of("CronJob"), maker};
    }
    return (top_owner){info->owner_kind, info->owner_name};
}
