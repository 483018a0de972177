/* The parts of a KubeSchedulerConfiguration besides its profiles: access to the API server, and
 * leader election. The library reads the profiles (berth/kube.h). */
#ifndef BERTH_LIVE_RUN_CONFIG_H
#define BERTH_LIVE_RUN_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "berth/status.h"

/* Absent values have kube-scheduler's defaults. Owner: texts belong to the struct. */
typedef struct run_config {
    char *kubeconfig; /* clientConnection.kubeconfig; NULL: none */
    double qps;       /* 0: no limit */
    uint32_t burst;
    bool leader_elect;
    int64_t lease_ns, renew_deadline_ns, retry_period_ns;
    char *resource_name, *resource_namespace; /* of the Lease */
    int64_t
        volume_timeout_ns; /* bindTimeoutSeconds of VolumeBinding, the longest of all profiles */
    int64_t device_timeout_ns; /* bindingTimeout of DynamicResources, the longest of all profiles */
    bool qps_given;
} run_config;

/* Set kube-scheduler's defaults, except for the limits. */
void run_config_init(run_config *config);

/* Read a file, which overrides the present values. Errors: BERTH_E_IO, BERTH_E_PARSE,
 * BERTH_E_INVALID (with the field). */
berth_status run_config_read(run_config *config, const char *path, berth_error *error);

/* Read text in memory; `source` names it. */
berth_status run_config_read_text(run_config *config, berth_str text, const char *source,
                                  berth_error *error);

void run_config_free(run_config *config);

/* Read a duration in Go's form (berth_duration_parse). Returns false, and leaves `ns` as it is, if
 * the text is not one, or is negative. */
bool duration_read(const char *text, int64_t *ns);

/* Check the lease's times: lease > deadline > 1.2 times the retry period. Returns NULL, or what is
 * wrong. */
const char *run_config_wrong_times(const run_config *config);

#endif
