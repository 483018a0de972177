/* What proves who we are, kept fresh: token files are read again, plugins run again, changed
 * certificates make new connections.
 *
 * Threads: the loop's. */
#ifndef BERTH_LIVE_CREDENTIALS_H
#define BERTH_LIVE_CREDENTIALS_H

#include "live/credentials/kubeconfig.h"
#include "live/transport/curl_transport.h"

typedef struct credentials_options {
    event_loop *loop;         /* outlives the credentials, as does */
    const kubeconfig *config; /* this */
    int64_t token_age_ns;     /* a token file is read again when older; 0: 50 s */
    int64_t look_every_ns;    /* certificate files are looked at that often; 0: 5 min */
    int64_t exec_timeout_ns;  /* 0: 60 s */
} credentials_options;

typedef struct credentials credentials;

credentials *credentials_create(const credentials_options *options);

/* Accepts NULL. After the transport. */
void credentials_destroy(credentials *c);

/* Tell who is to hear of changes; before the first request. */
void credentials_attach(credentials *c, curl_transport *transport);

/* For the transport's options; `self` is the credentials. */
extern const access_ops credentials_access_ops;

#endif
