/* The transport over libcurl: HTTP/2 by TLS, a connection for each class of requests.
 *
 * Threads: all of it on the thread that turns the loop. */
#ifndef BERTH_LIVE_CURL_TRANSPORT_H
#define BERTH_LIVE_CURL_TRANSPORT_H

#include "live/transport/event_loop.h"
#include "live/transport/transport.h"

/* Where the server is and by what it is known. Texts that are absent are NULL, data without `data`.
 * Owner: the caller that hands it out; it stays until curl_transport_renew was called for a
 * change. */
typedef struct server_access {
    const char *server;          /* "https://10.0.0.1:6443", perhaps with a path */
    const char *tls_server_name; /* the name that is verified; NULL: the server's */
    bool insecure;               /* the server's certificate is not looked at */
    const char *ca_file;
    berth_str ca_data; /* wins over the file, as everywhere below */
    const char *certificate_file;
    berth_str certificate_data;
    const char *key_file;
    berth_str key_data;
    const char *proxy;          /* NULL: as the environment says */
    const char *const *headers; /* whole lines, of impersonation */
    size_t header_count;
} server_access;

typedef enum access_state {
    ACCESS_READY = 0,
    ACCESS_WAIT,   /* a token is on its way: curl_transport_resume will follow */
    ACCESS_FAILED, /* there will be none for now: the request ends as NOT_SENT */
} access_state;

/* How requests come by what proves who sends them (credentials.h). */
typedef struct access_ops {
    const server_access *(*access)(void *self);
    /* Asked before each request. `*bearer`: NULL or a token, good until the next call; `*why`: of a
     * failure. */
    access_state (*authorize)(void *self, const char **bearer, const char **why);
    /* The server did not accept what authorize said: whether it is worth while to ask again. */
    bool (*refused)(void *self);
} access_ops;

typedef struct curl_transport_options {
    event_loop *loop; /* outlives the transport, which uses its each_turn */
    const access_ops *access;
    void *access_self;
    live_observer observer; /* of all requests; its function may be NULL */
} curl_transport_options;

typedef struct curl_transport curl_transport;

/* Call once for the process, before other threads are there. false: libcurl can't be used. */
bool curl_transport_setup(void);

/* Owner: the transport is the caller's; `options` are copied. */
curl_transport *curl_transport_create(const curl_transport_options *options);

/* Requests that are under way are dropped without a word. Accepts NULL. */
void curl_transport_destroy(curl_transport *transport);

/* What others stand upon; lives as long as the transport. */
const live_transport *curl_transport_interface(curl_transport *transport);

/* A token is there, or won't be: requests that wait ask again. */
void curl_transport_resume(curl_transport *transport);

/* Certificates have changed: streams end as UNKNOWN, other requests end in peace, new ones take new
 * connections. */
void curl_transport_renew(curl_transport *transport);

#endif
