/* The transport over libcurl: HTTP/2 over TLS, with a connection for each class of requests.
 *
 * Threads: all of it on the thread that turns the loop. */
#ifndef BERTH_LIVE_CURL_TRANSPORT_H
#define BERTH_LIVE_CURL_TRANSPORT_H

#include "live/transport/event_loop.h"
#include "live/transport/transport.h"

/* The address of the server and how its identity is verified. Absent texts are NULL; absent
 * berth_strs have no `data`. Owner: the caller that hands it out; it stays valid until
 * curl_transport_renew is called for a change. */
typedef struct server_access {
    const char *server;          /* "https://10.0.0.1:6443", perhaps with a path */
    const char *tls_server_name; /* the name that is verified; NULL: the server's */
    bool insecure;               /* the server's certificate is not verified */
    const char *ca_file;
    berth_str ca_data; /* takes precedence over the file, as does all data below */
    const char *certificate_file;
    berth_str certificate_data;
    const char *key_file;
    berth_str key_data;
    const char *proxy;          /* NULL: the environment decides */
    const char *const *headers; /* whole lines, of impersonation */
    size_t header_count;
} server_access;

typedef enum access_state {
    ACCESS_READY = 0,
    ACCESS_WAIT,   /* a token is on its way: curl_transport_resume will follow */
    ACCESS_FAILED, /* no token can be had for now: the request ends as NOT_SENT */
} access_state;

/* How requests get their credentials (credentials.h). */
typedef struct access_ops {
    const server_access *(*access)(void *self);
    /* Called before each request. `*bearer`: NULL or a token, valid until the next call; `*why`:
     * the reason of a failure. */
    access_state (*authorize)(void *self, const char **bearer, const char **why);
    /* The server did not accept the token from `authorize`. Returns whether it is worthwhile to
     * call `authorize` again. */
    bool (*refused)(void *self);
} access_ops;

typedef struct curl_transport_options {
    event_loop *loop; /* outlives the transport, which uses its each_turn */
    const access_ops *access;
    void *access_self;
    live_observer observer; /* observes all requests; its function may be NULL */
} curl_transport_options;

typedef struct curl_transport curl_transport;

/* Call this once in the process, before other threads start. Returns false if libcurl cannot be
 * used. */
bool curl_transport_setup(void);

/* Owner: the transport is the caller's; `options` are copied. */
curl_transport *curl_transport_create(const curl_transport_options *options);

/* Requests in progress are dropped without a callback. Accepts NULL. */
void curl_transport_destroy(curl_transport *transport);

/* The interface that others use; lives as long as the transport. */
const live_transport *curl_transport_interface(curl_transport *transport);

/* A token is available, or will not be: waiting requests call `authorize` again. */
void curl_transport_resume(curl_transport *transport);

/* Certificates have changed: streams end as UNKNOWN, other requests in progress continue to their
 * end, and new requests use new connections. */
void curl_transport_renew(curl_transport *transport);

#endif
