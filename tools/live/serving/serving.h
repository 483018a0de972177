/* The HTTP or HTTPS server of the running scheduler, on a thread of its own: /livez, /readyz,
 * /healthz, /metrics, /metrics/slis and /configz, and the pages of debug_pages.h.
 *
 * Who may have which page is a rule of the caller's (permission.h). Without a rule, everyone who
 * can reach the address reads everything; no page contains secrets. */
#ifndef BERTH_LIVE_SERVING_H
#define BERTH_LIVE_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"
#include "live/serving/metrics.h"
#include "live/serving/permission.h"
#include "live/serving/question.h"

/* One check of a health answer. Threads: `passes` is called on the server's thread and reads
 * atomics. */
typedef struct health_check {
    const char *name;            /* "leaderElection", "shutdown", "sched-handler-sync" */
    bool livez, readyz, healthz; /* which pages include it */
    bool (*passes)(void *context);
    void *context;
} health_check;

/* Owner: everything is borrowed until serving_stop. */
typedef struct serving_options {
    const char *address; /* "127.0.0.1:10259", "[::]:10259", ":10259" (every address) */
    const char *certificate_file, *key_file; /* PEM; both NULL: see self_signed */
    bool self_signed; /* without files: HTTPS with a certificate of our own, not plain HTTP */
    const char *client_ca_file; /* PEM: who signs the certificates of clients; NULL: none counts */
    permission_rule permission;
    question_rule questions; /* paths that are answered elsewhere; zeroed: none */
    uint32_t connections;    /* at a time; 0: 64 */
    const health_check *checks;
    size_t check_count;
    metrics *metrics;
    void (*refresh)(void *context); /* called before metrics are read; may be NULL */
    void *context;
    /* The configuration as JSON. If this or its result is NULL, "{}" is served. Called on the
     * server's thread; the text must stay valid. */
    const char *(*configuration)(void *context);
    /* The minor version whose rules decide, or 0; may be NULL. Called on the server's thread. */
    int (*rules)(void *context);
    bool no_profiles;  /* without /debug/pprof/ */
    const char *flags; /* for /flagz: lines NAME=VALUE; may be NULL */
} serving_options;

typedef struct serving serving;

/* Listen, and start the thread. Errors: BERTH_E_ARG (the address), BERTH_E_IO (the address is in
 * use, a file cannot be read, TLS does not accept the files). */
berth_status serving_start(const serving_options *options, serving **out, berth_error *error);
/* Call it when no request waits for permission and no question waits for its answer. Accepts
 * NULL. */
void serving_stop(serving *s);

/* The port that it listens on; useful with port 0. */
uint16_t serving_port(const serving *s);

#endif
