/* Fields of workloads, which are read in order to make their pods. */
#include "kube/workload_fields.h"

#include "kube/workload.h"

/* How many pods, of which template: most kinds have these. */
#define REPLICAS_FIELD BERTH__FIELD_HAS("replicas", INT32, berth__workload, replicas, has_replicas)
#define SELECTOR_FIELD                                                                   \
    BERTH__FIELD_TO("selector", berth__workload, selector, berth__fields_label_selector, \
                    berth_label_selector)
#define TEMPLATE_FIELD \
    BERTH__FIELD_IN_HAS("template", berth__workload, pod, has_template, berth__fields_pod_template)

static const berth__field deployment_spec_fields[] = {
    REPLICAS_FIELD,
    SELECTOR_FIELD,
    TEMPLATE_FIELD,
    BERTH__FIELD_KNOWN("strategy"),
    BERTH__FIELD_KNOWN("minReadySeconds"),
    BERTH__FIELD_KNOWN("revisionHistoryLimit"),
    BERTH__FIELD_KNOWN("paused"),
    BERTH__FIELD_KNOWN("progressDeadlineSeconds"),
    BERTH__FIELD_LAST,
};

static const berth__field replica_set_spec_fields[] = {
    REPLICAS_FIELD,    SELECTOR_FIELD, TEMPLATE_FIELD, BERTH__FIELD_KNOWN("minReadySeconds"),
    BERTH__FIELD_LAST,
};

static const berth__field replication_spec_fields[] = {
    REPLICAS_FIELD,
    BERTH__FIELD_TO_AS("selector", MAP_SELECTOR, berth__workload, selector, NULL,
                       berth_label_selector),
    TEMPLATE_FIELD,
    BERTH__FIELD_KNOWN("minReadySeconds"),
    BERTH__FIELD_LAST,
};

static const berth__field ordinals_fields[] = {
    BERTH__FIELD("start", INT32, berth__workload, first_ordinal),
    BERTH__FIELD_LAST,
};

static const berth__field stateful_set_spec_fields[] = {
    REPLICAS_FIELD,
    SELECTOR_FIELD,
    TEMPLATE_FIELD,
    BERTH__FIELD_SAME("ordinals", ordinals_fields),
    BERTH__FIELD_MANY("volumeClaimTemplates", berth__workload, claims, claim_count,
                      berth__fields_persistent_volume_claim, berth_persistent_volume_claim),
    BERTH__FIELD_KNOWN("serviceName"),
    BERTH__FIELD_KNOWN("podManagementPolicy"),
    BERTH__FIELD_KNOWN("updateStrategy"),
    BERTH__FIELD_KNOWN("revisionHistoryLimit"),
    BERTH__FIELD_KNOWN("minReadySeconds"),
    BERTH__FIELD_KNOWN("persistentVolumeClaimRetentionPolicy"),
    BERTH__FIELD_LAST,
};

static const berth__field daemon_set_spec_fields[] = {
    SELECTOR_FIELD,
    TEMPLATE_FIELD,
    BERTH__FIELD_KNOWN("updateStrategy"),
    BERTH__FIELD_KNOWN("minReadySeconds"),
    BERTH__FIELD_KNOWN("revisionHistoryLimit"),
    BERTH__FIELD_LAST,
};

static const berth__field job_spec_fields[] = {
    BERTH__FIELD_HAS("parallelism", INT32, berth__workload, parallelism, has_parallelism),
    BERTH__FIELD_HAS("completions", INT32, berth__workload, completions, has_completions),
    BERTH__FIELD("completionMode", STR, berth__workload, completion_mode),
    BERTH__FIELD("suspend", BOOL, berth__workload, suspend),
    TEMPLATE_FIELD,
    BERTH__FIELD_KNOWN("backoffLimit"),
    BERTH__FIELD_KNOWN("activeDeadlineSeconds"),
    BERTH__FIELD_KNOWN("podFailurePolicy"),
    BERTH__FIELD_KNOWN("successPolicy"),
    BERTH__FIELD_KNOWN("backoffLimitPerIndex"),
    BERTH__FIELD_KNOWN("maxFailedIndexes"),
    BERTH__FIELD_KNOWN_PARTS("selector", berth__fields_label_selector),
    BERTH__FIELD_KNOWN("manualSelector"),
    BERTH__FIELD_KNOWN("ttlSecondsAfterFinished"),
    BERTH__FIELD_KNOWN("podReplacementPolicy"),
    BERTH__FIELD_KNOWN("managedBy"),
    BERTH__FIELD_LAST,
};

static const berth__field job_template_fields[] = {
    BERTH__FIELD_SAME("spec", job_spec_fields),
    BERTH__FIELD_KNOWN_PARTS("metadata", berth__fields_metadata),
    BERTH__FIELD_LAST,
};

static const berth__field cron_job_spec_fields[] = {
    BERTH__FIELD("suspend", BOOL, berth__workload, cron_suspend),
    BERTH__FIELD_SAME("jobTemplate", job_template_fields),
    BERTH__FIELD_KNOWN("schedule"),
    BERTH__FIELD_KNOWN("timeZone"),
    BERTH__FIELD_KNOWN("startingDeadlineSeconds"),
    BERTH__FIELD_KNOWN("concurrencyPolicy"),
    BERTH__FIELD_KNOWN("successfulJobsHistoryLimit"),
    BERTH__FIELD_KNOWN("failedJobsHistoryLimit"),
    BERTH__FIELD_LAST,
};

#define WHOLE(name, spec)                                                           \
    const berth__field berth__workload_fields_##name[] = {                          \
        BERTH__FIELD_IN("metadata", berth__workload, meta, berth__fields_metadata), \
        BERTH__FIELD_SAME("spec", spec),                                            \
        BERTH__FIELD_KNOWN("status"),                                               \
        BERTH__FIELD_LAST_OF_OBJECT,                                                \
    }

WHOLE(deployment, deployment_spec_fields);
WHOLE(replica_set, replica_set_spec_fields);
WHOLE(replication, replication_spec_fields);
WHOLE(stateful_set, stateful_set_spec_fields);
WHOLE(daemon_set, daemon_set_spec_fields);
WHOLE(job, job_spec_fields);
WHOLE(cron_job, cron_job_spec_fields);
