/* A running scheduler: the network's loop with credentials, watches and writes on this thread,
 * decisions on another one. */
#ifndef BERTH_LIVE_SESSION_H
#define BERTH_LIVE_SESSION_H

#include "live/credentials/kubeconfig.h"
#include "live/run/reviewing.h"
#include "loading/engine_setup.h"

typedef struct session_options {
    const kubeconfig *config;
    engine_setup *setup; /* not resolved yet: the server's version may decide */
    bool dry_run;
    uint64_t dry_run_placements; /* end after this many placements; 0: on a signal */
    double rate, burst; /* requests per second, and in a burst; 0: as the server accepts them */
    bool leader_elect;  /* decide and write only while holding the Lease */
    const char *lease_namespace, *lease_name;
    int64_t lease_ns, renew_deadline_ns, retry_period_ns;
    int64_t unschedulable_max_ns;            /* time until a pod is tried again; 0: 5 minutes */
    int64_t volume_timeout_ns;               /* time for a pod's claims to be bound */
    int64_t device_timeout_ns;               /* time for the conditions of its devices */
    const char *serve;                       /* address for health and metrics; NULL: none */
    const char *certificate_file, *key_file; /* for HTTPS; NULL: a certificate of our own */
    const char *client_ca_file;              /* who signs the certificates of clients; NULL: none */
    reviewing_options reviewing;             /* over HTTPS: who may read what is served */
    bool no_profiles;                        /* do not serve /debug/pprof/ */
    const char *flags;                       /* for /flagz: lines NAME=VALUE */
    /* Called on SIGHUP: returns whether the configuration file is present and valid, and logs what
     * is wrong. NULL: there is no such file. The counters are of all sessions of this process. */
    bool (*reload)(void *context);
    void *reload_context;
    const uint64_t *reloads, *bad_reloads;
} session_options;

/* Not an exit code: the configuration is good, so run again with it. */
enum { SESSION_RELOAD = 256 };

/* Run until a signal ends it. Returns an exit code, or SESSION_RELOAD. The setup keeps what it
 * resolved. */
int session_run(const session_options *options);

#endif
