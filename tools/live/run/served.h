/* Health and metrics of the running scheduler: collected on the threads that know them, served by
 * the server's thread (serving.h).
 *
 * Threads: the network's, except where stated.
 *   SERVED-1  checks read only atomics. Each is set by one thread, and no other data depends on its
 * value. */
#ifndef BERTH_LIVE_SERVED_H
#define BERTH_LIVE_SERVED_H

#include <stdatomic.h>

#include "live/lease/lease.h"
#include "live/run/deciding.h"
#include "live/serving/serving.h"
#include "live/watch/watcher.h"
#include "live/writes/writes.h"

enum { SERVED_CHECKS = 6 };

typedef struct served {
    metrics *metrics;
    serving *server; /* NULL: not serving */
    deciding *deciding;
    char *host;        /* host of the API server, used as a label */
    const char *lease; /* name of the Lease; NULL: no election */
    int64_t lease_ns;
    int minor;                     /* minor version of the server */
    _Atomic(char *) configuration; /* JSON; NULL: not known yet */
    health_check checks[SERVED_CHECKS];
    berth_scheduler_counters before; /* counters when the gauges were last set */
    writes_counters written;
    /* for the checks */
    _Atomic bool stops, leads, watches, allowed, deciding_runs;
    _Atomic int64_t renewed_ns,
        network_ns; /* by event_loop_now: last renewal of the lease; the loop's last turn */
    _Atomic bool synced;
    _Atomic int rules_minor; /* for a page; 0: not known yet */
} served;

/* Owner: texts are copied, except `lease_name`; `d` must outlive it. */
void served_init(served *s, deciding *d, const char *server_url, const char *lease_name,
                 int64_t lease_ns);

/* What is served, and at which address; members of session_options. */
typedef struct served_place {
    const char *address, *certificate_file, *key_file, *client_ca_file, *flags;
    permission_rule permission;
    bool no_profiles;
} served_place;

/* Whether an address stands for plain HTTP, that is, begins with "http://". */
bool served_is_plain(const char *address);

/* Serve at an address, over HTTPS unless it begins with "http://". Without the certificate's files,
 * the certificate is our own. Errors: those of serving_start. */
berth_status served_start(served *s, const served_place *place, berth_error *error);

/* Set the configuration for /configz, the server's version, which names metrics, and the version
 * whose rules decide, once. Takes over `text`. */
void served_configure(served *s, char *text, int minor, int rules_minor);

/* Show which rules decide (37: those of 1.37) and which feature gates are set, once. `gates` is
 * "A=true,B=false", or NULL. */
void served_rules(served *s, int rules_minor, const char *gates);
void served_free(served *s);

/* Update everything, about once a second. `w` and `l` may be NULL. */
void served_look(served *s, const watcher *watches, const writes *w, const lease *l);

/* The first resource that the server forbids us to read or write ("pods"), which is why we are not
 * ready; NULL: none. */
const char *served_denied(const watcher *watches, const writes *w, const lease *l);

/* Count a settled binding. */
void served_bound(served *s, const bind_outcome *outcome);

/* For a live_observer; the context is a served. */
void served_request(void *context, const char *method, int status, int64_t duration_ns);

/* Count a preemption when its last eviction is settled. */
void served_evicted(served *s, const eviction_outcome *outcome);

/* Count a write's wait for the rate limiter; 0 if it did not wait. */
void served_limited(served *s, const char *method, int64_t waited_ns);

/* Count an attempt that placed nothing, or the decision about a placed pod. Threads: the deciding
 * thread's. */
void served_group(metrics *m, const berth_pod_group_attempt *attempt, berth_str profile,
                  int64_t took_ns);
void served_step(metrics *m, const berth_step *step, berth_str profile, int64_t took_ns);

/* Count an applied change of the cluster: "Add", "Update" or "Delete". `assigned`: the pod has a
 * node. Threads: the deciding thread's. */
void served_event(metrics *m, berth_kind kind, bool assigned, const char *action, int64_t took_ns);

#endif
