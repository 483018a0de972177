/* What the running scheduler shows: health and metrics, gathered on the threads that know, handed
 * out by the server's (serving.h).
 *
 * Threads: the network's, but for what is said below.
 *   SERVED-1  checks read atomics alone; each is set by one thread, and none is read to find
 *             something else by. */
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
    serving *server; /* NULL: nobody wants to look */
    deciding *deciding;
    char *host;        /* of the API server: a label */
    const char *lease; /* its name; NULL: no election */
    int64_t lease_ns;
    int minor;                     /* of the server's version */
    _Atomic(char *) configuration; /* JSON; NULL: not known yet */
    health_check checks[SERVED_CHECKS];
    berth_scheduler_counters before; /* what was counted when the gauges were last set */
    writes_counters written;
    /* for the checks */
    _Atomic bool stops, leads, watches, allowed, deciding_runs;
    _Atomic int64_t renewed_ns, network_ns; /* of event_loop_now: the lease; the loop's last turn */
    _Atomic bool synced;
} served;

/* Owner: texts are copied, but `lease_name`; `d` outlives it. */
void served_init(served *s, deciding *d, const char *server_url, const char *lease_name,
                 int64_t lease_ns);

/* Serve at an address; the certificate's files may be NULL. Errors: those of serving_start. */
berth_status served_start(served *s, const char *address, const char *certificate_file,
                          const char *key_file, berth_error *error);

/* What /configz tells, and whose names metrics bear, once. Takes `text`. */
void served_configure(served *s, char *text, int minor);
void served_free(served *s);

/* Look at everything: each second or so. `w` and `l` may be NULL. */
void served_look(served *s, const watcher *watches, const writes *w, const lease *l);

/* Why we are not ready ("pods"): the first thing that the server refuses us; NULL: nothing. */
const char *served_denied(const watcher *watches, const writes *w, const lease *l);

/* A binding is settled. */
void served_bound(served *s, const bind_outcome *outcome);

/* Of a live_observer, whose context is a served. */
void served_request(void *context, const char *method, int status, int64_t duration_ns);

/* An attempt that placed nobody, or the decision about one that was placed. Threads: the deciding
 * one's. */
void served_step(metrics *m, const berth_step *step, berth_str profile, int64_t took_ns);

/* A change of the cluster was applied: "Add", "Update" or "Delete". Of a pod it is told whether it
 * has a node. Threads: the deciding one's. */
void served_event(metrics *m, berth_kind kind, bool assigned, const char *action, int64_t took_ns);

#endif
