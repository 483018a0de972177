/* The configuration as `kube-scheduler --write-config-to` writes it: the contents of a file with
 * every default of the release filled in, as YAML with sorted keys. */
#ifndef BERTH_LIVE_WRITTEN_CONFIG_H
#define BERTH_LIVE_WRITTEN_CONFIG_H

#include "live/run/run_config.h"
#include "loading/engine_setup.h"

typedef struct written_config {
    const engine_setup *setup; /* resolved: the file's path, the release, the gates */
    const run_config *file;    /* read from the file; flags have been applied */
    const char *kubeconfig;    /* of a flag, for a run without a file; NULL: none */
    bool leader_elect, profiling;
    double qps;
    uint32_t burst;
} written_config;

/* Write it to a new file, which replaces `path`. Errors: those of reading the configuration, and
 * BERTH_E_IO. */
berth_status written_config_write(const written_config *from, const char *path, berth_error *error);

#endif
