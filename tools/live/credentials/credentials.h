/* The client's credentials, kept current: token files are read again, plugins run again, and
 * changed certificates lead to new connections.
 *
 * Threads: the loop's. */
#ifndef BERTH_LIVE_CREDENTIALS_H
#define BERTH_LIVE_CREDENTIALS_H

#include "live/credentials/kubeconfig.h"
#include "live/transport/curl_transport.h"

typedef struct credentials_options {
    event_loop *loop;         /* outlives the credentials */
    const kubeconfig *config; /* outlives the credentials */
    int64_t token_age_ns;     /* an older token file is read again; 0: 50 s */
    int64_t look_every_ns;    /* how often certificate files are checked; 0: 5 min */
    int64_t exec_timeout_ns;  /* 0: 60 s */
} credentials_options;

typedef struct credentials credentials;

credentials *credentials_create(const credentials_options *options);

/* Accepts NULL. Call it after the transport has been destroyed. */
void credentials_destroy(credentials *c);

/* Set the transport that is notified of changes. Call it before the first request. */
void credentials_attach(credentials *c, curl_transport *transport);

/* For the transport's options; `self` is the credentials. */
extern const access_ops credentials_access_ops;

#endif
