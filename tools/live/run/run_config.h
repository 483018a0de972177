/* What a KubeSchedulerConfiguration says beside its profiles: how the API server is reached, and
 * who leads. The library reads the profiles (berth/kube.h). */
#ifndef BERTH_LIVE_RUN_CONFIG_H
#define BERTH_LIVE_RUN_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/status.h"

/* kube-scheduler's defaults where nothing is said. Owner: texts are the configuration's. */
typedef struct run_config {
    char *kubeconfig; /* clientConnection.kubeconfig; NULL: none */
    double qps;       /* 0: no limit of our own */
    uint32_t burst;
    bool leader_elect;
    int64_t lease_ns, renew_deadline_ns, retry_period_ns;
    char *resource_name, *resource_namespace; /* of the Lease */
    int64_t
        volume_timeout_ns; /* bindTimeoutSeconds of VolumeBinding, the longest of all profiles */
    int64_t device_timeout_ns; /* likewise bindingTimeout of DynamicResources */
    bool qps_given;
} run_config;

/* kube-scheduler's defaults, but for the limits. */
void run_config_init(run_config *config);

/* Read a file on top of what is there. Errors: E_IO, E_PARSE, E_INVALID (the field is named). */
berth_status run_config_read(run_config *config, const char *path, berth_error *error);

/* Read text in memory; `source` names it. */
berth_status run_config_read_text(run_config *config, berth_str text, const char *source,
                                  berth_error *error);

void run_config_free(run_config *config);

/* A duration as Go prints it ("15s", "1m30s", "100ms", "1.5h"). false: it is none, or is
 * negative. */
bool duration_read(const char *text, int64_t *ns);

/* Whether the lease's times go together: lease > deadline > 1.2 times the retry period. NULL, or
 * what is wrong. */
const char *run_config_wrong_times(const run_config *config);

#endif
