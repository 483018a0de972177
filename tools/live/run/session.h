/* A running scheduler: the network's loop with credentials, watches and writes on this thread,
 * decisions on another one. */
#ifndef BERTH_LIVE_SESSION_H
#define BERTH_LIVE_SESSION_H

#include "live/credentials/kubeconfig.h"
#include "loading/engine_setup.h"

typedef struct session_options {
    const kubeconfig *config;
    engine_setup *setup; /* not resolved yet: the server's version may decide */
    bool dry_run;
    uint64_t dry_run_placements; /* end after so many; 0: at a signal */
    double rate, burst;          /* requests a second, and at once; 0: as the server takes them */
    bool leader_elect;           /* decide and write only while the Lease is ours */
    const char *lease_namespace, *lease_name;
    int64_t lease_ns, renew_deadline_ns, retry_period_ns;
    int64_t unschedulable_max_ns;            /* a pod is tried again after so long; 0: 5 minutes */
    int64_t volume_timeout_ns;               /* for a pod's claims to be bound */
    int64_t device_timeout_ns;               /* for the conditions of its devices */
    const char *serve;                       /* an address for health and metrics; NULL: none */
    const char *certificate_file, *key_file; /* to serve with; NULL: plain HTTP */
} session_options;

/* Run until a signal ends it. Returns an exit code. */
int session_run(const session_options *options);

#endif
