/* Asks an API server for its version until it answers, or a retry cannot help. */
#ifndef BERTH_TOOLS_SERVER_WAIT_H
#define BERTH_TOOLS_SERVER_WAIT_H

#include "live/read/server_version.h"
#include "live/transport/transport.h"

/* The first part is set before the start, and what it points to must live as long as the
 * transport's requests. Must not move. */
typedef struct server_wait {
    const live_transport *transport;
    const char *command; /* whose messages these are: "run" */
    const char *server;  /* its address, for messages */
    const char *rules;   /* from --kubernetes: these decide; or NULL */
    /* Called once, at the end. False: nothing will help, and standard error says why. */
    void (*ended)(void *context, bool is_known);
    void *context;

    server_version version; /* once it is known */
    int64_t pause_ns;       /* before the last retry; 0: none yet */
    int64_t denied_ns;      /* when the 403 answers began; -1: the last one was no 403 */
} server_wait;

/* Send the first request. A server that does not answer is asked again after half a second, one,
 * two and four seconds, then every five. One that denies access gets ten seconds to learn its
 * rules. */
void server_wait_start(server_wait *wait);

#endif
