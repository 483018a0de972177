/* Requests to the API server, and time: the basis of everything that talks to a cluster.
 *
 * A transport is a table of functions, so that lists, watches, bindings and leases can be tested
 * without a network. The tests have tests/unit/scripted_transport.h, where the test is the server
 * and moves the clock.
 *
 * Threads: a transport is used on one thread only, the network loop's; its callbacks are called
 * there, too.
 *
 * The life of a request: send -> [data ...] -> done, once. Neither callback comes from within
 * `send`. `cancel` ends a request at any moment, also from within callbacks: no callback comes
 * afterwards, and it stays unknown whether the server carries out the request. Every callback may
 * send requests and set timers. */
#ifndef BERTH_LIVE_TRANSPORT_H
#define BERTH_LIVE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"

/* Separate connections, so that none waits for another: an endless list delays no binding, events
 * delay no lease. */
typedef enum live_connection {
    LIVE_READS = 0, /* A: lists and watches */
    LIVE_BINDINGS,  /* B: bindings, and the reads that settle them */
    LIVE_WRITES,    /* C: status patches, events, deletions, volumes */
    LIVE_LEASE,     /* D: leader election */
    LIVE_CONNECTION_COUNT
} live_connection;

/* The outcome of a request. */
typedef enum live_outcome {
    LIVE_ANSWERED = 0, /* a complete answer with a status arrived */
    LIVE_NOT_SENT,     /* the server has certainly not seen it */
    LIVE_UNKNOWN,      /* it may have been carried out, or may still be */
} live_outcome;

/* The end of a request. Owner: borrowed until the callback returns. */
typedef struct live_answer {
    live_outcome outcome;
    int status;             /* HTTP status if ANSWERED; else 0 */
    berth_str body;         /* if ANSWERED, without parts that went to `data`; never NULL data */
    int64_t retry_after_ns; /* Retry-After, a day at most; -1: absent */
    const char *why;        /* what went wrong, if not ANSWERED; else "" */
} live_answer;

typedef void (*live_done_fn)(void *context, const live_answer *answer);

/* A piece of the body of a 200 answer as it arrives, cut anywhere. Return false to stop; then
 * `done` follows with UNKNOWN. */
typedef bool (*live_data_fn)(void *context, const char *bytes, size_t count);

/* No deadline. */
#define LIVE_NEVER INT64_MAX

/* Owner: `send` copies everything. Use designated initializers; absent members are 0. */
typedef struct live_request {
    live_connection connection;
    const char *method;       /* "GET", "POST", ... */
    const char *path;         /* with the query, percent-encoded: "/api/v1/pods?limit=500" */
    const char *content_type; /* of the body; NULL: no body */
    berth_str body;
    size_t body_max;      /* longest collected body; 0: LIVE_BODY_MAX */
    int64_t timeout_ns;   /* from `send` to `done`; 0: none (streams) */
    int64_t not_after_ns; /* of now(): nothing is handed to the network later than that, but ended
                            * as NOT_SENT (the lease's deadline); 0: no such */
    live_done_fn done;
    live_data_fn data; /* NULL: the body is collected, up to `body_max`, else UNKNOWN */
    void *context;     /* for both */
} live_request;

enum { LIVE_BODY_MAX = 4 << 20 };

/* A request in progress, or a timer that is set; never 0, never reused. */
typedef uint64_t live_id;

typedef void (*live_timer_fn)(void *context);

typedef struct live_transport_ops {
    live_id (*send)(void *self, const live_request *request);
    /* Accepts 0 and requests that are over. */
    void (*cancel)(void *self, live_id request);
    /* Call `fire` once, at or after `at_ns` of now(), never from within this call. */
    live_id (*timer_set)(void *self, int64_t at_ns, live_timer_fn fire, void *context);
    void (*timer_stop)(void *self, live_id timer);
    int64_t (*now)(void *self);     /* nanoseconds of CLOCK_BOOTTIME: for intervals */
    int64_t (*wall)(void *self);    /* nanoseconds since 1970: only for texts */
    uint64_t (*random)(void *self); /* for jitter and names; any 64 bits */
} live_transport_ops;

typedef struct live_transport {
    const live_transport_ops *ops;
    void *self;
} live_transport;

static inline live_id live_send(const live_transport *t, const live_request *request)
{
    return t->ops->send(t->self, request);
}

static inline void live_cancel(const live_transport *t, live_id request)
{
    t->ops->cancel(t->self, request);
}

static inline live_id live_timer_set(const live_transport *t, int64_t at_ns, live_timer_fn fire,
                                     void *context)
{
    return t->ops->timer_set(t->self, at_ns, fire, context);
}

static inline void live_timer_stop(const live_transport *t, live_id timer)
{
    t->ops->timer_stop(t->self, timer);
}

static inline int64_t live_now(const live_transport *t)
{
    return t->ops->now(t->self);
}

static inline int64_t live_wall(const live_transport *t)
{
    return t->ops->wall(t->self);
}

static inline uint64_t live_random(const live_transport *t)
{
    return t->ops->random(t->self);
}

/* Called for each finished request, for the metrics rest_client_requests_total and
 * rest_client_request_duration_seconds. Threads: the network loop's. */
typedef struct live_observer {
    /* `status` 0: no answer. The duration of a stream ends with its first byte. */
    void (*request_over)(void *context, const char *method, int status, int64_t duration_ns);
    void *context;
} live_observer;

#endif
