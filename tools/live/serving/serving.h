/* What is served about the running scheduler: /livez, /readyz, /healthz, /metrics, /metrics/slis,
 * /configz, over HTTP or HTTPS, on a thread of its own.
 *
 * Health answers anybody. Whoever reaches the address reads the metrics and the configuration,
 * too; neither holds a secret. */
#ifndef BERTH_LIVE_SERVING_H
#define BERTH_LIVE_SERVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"
#include "live/serving/metrics.h"

/* Part of an answer about health. Threads: `passes` is called on the server's: it reads atomics. */
typedef struct health_check {
    const char *name;            /* "leaderElection", "shutdown", "sched-handler-sync" */
    bool livez, readyz, healthz; /* which of them ask it */
    bool (*passes)(void *context);
    void *context;
} health_check;

/* Owner: all of it is borrowed until serving_stop. */
typedef struct serving_options {
    const char *address; /* "127.0.0.1:10259", "[::]:10259", ":10259" (every address) */
    const char *certificate_file, *key_file; /* PEM; NULL, both: no TLS */
    const health_check *checks;
    size_t check_count;
    metrics *metrics;
    void (*refresh)(void *context); /* called before metrics are read; NULL: nothing to do */
    void *context;
    /* The configuration, JSON; NULL, both: "{}" as long as nobody knows. Called on the server's
     * thread; what it gives stays. */
    const char *(*configuration)(void *context);
} serving_options;

typedef struct serving serving;

/* Listen, and start the thread. Errors: E_ARG (the address), E_IO (it is in use, a file can't be
 * read, TLS does not accept them). */
berth_status serving_start(const serving_options *options, serving **out, berth_error *error);
/* Accepts NULL. */
void serving_stop(serving *s);

/* Where it listens: of use with port 0. */
uint16_t serving_port(const serving *s);

#endif
