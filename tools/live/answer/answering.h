/* `berth serve`: follows a cluster and answers questions about it, until a signal ends it. Nothing
 * is written to the cluster, except for reviews of the clients. */
#ifndef BERTH_LIVE_ANSWERING_H
#define BERTH_LIVE_ANSWERING_H

#include "live/credentials/kubeconfig.h"
#include "live/run/reviewing.h"
#include "loading/engine_setup.h"

typedef struct answering_options {
    const kubeconfig *config;
    engine_setup *setup; /* not resolved: the server's version decides unless it names one */
    const char *listen;  /* HOST:PORT, or http://HOST:PORT for plain HTTP */
    const char *certificate_file, *key_file, *client_ca_file;
    reviewing_options reviewing;
    const char *flags; /* lines NAME=VALUE, for /flagz; NULL: none */
    uint32_t threads;  /* that answer */
    uint32_t of_client;
    int64_t time_ns;
} answering_options;

/* Returns an exit code. */
int answering_run(const answering_options *options);

#endif
