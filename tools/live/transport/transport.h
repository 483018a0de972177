/* Requests to the API server, and time: what everything that speaks to a cluster stands upon.
 *
 * A transport is a table of functions, so that lists, watches, bindings and leases can be tried
 * without a network: that of the tests is tests/unit/scripted_transport.h, where the test is
 * the server and moves the clock.
 *
 * Threads: all of a transport is used on one thread, the network loop's; callbacks come there, too.
 *
 * The life of a request: send -> [data ...] -> done, once. Neither is called from within `send`.
 * `cancel` ends it at any moment, from within callbacks too: nothing is called afterwards, and
 * whether the server does what was asked stays unknown. Requests may be sent, and timers set, from
 * within every callback. */
#ifndef BERTH_LIVE_TRANSPORT_H
#define BERTH_LIVE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "berth/status.h"

/* Connections, so that none of them waits for another: an endless list delays no binding, events
 * delay no lease. */
typedef enum live_connection {
    LIVE_READS = 0, /* A: lists and watches */
    LIVE_BINDINGS,  /* B: bindings, and the questions that settle them */
    LIVE_WRITES,    /* C: status patches, events, deletions, volumes */
    LIVE_LEASE,     /* D: leader election */
    LIVE_CONNECTION_COUNT
} live_connection;

/* What became of a request. */
typedef enum live_outcome {
    LIVE_ANSWERED = 0, /* a whole answer with a status came */
    LIVE_NOT_SENT,     /* the server has not seen it, for certain */
    LIVE_UNKNOWN,      /* it may have been, or may yet be, carried out */
} live_outcome;

/* The end of a request. Owner: borrowed until the callback returns. */
typedef struct live_answer {
    live_outcome outcome;
    int status;             /* of HTTP, if ANSWERED; else 0 */
    berth_str body;         /* if ANSWERED, but what went to `data`; never NULL data */
    int64_t retry_after_ns; /* Retry-After; -1: the server said nothing of it */
    const char *why;        /* what went wrong, if not ANSWERED; else "" */
} live_answer;

typedef void (*live_done_fn)(void *context, const live_answer *answer);

/* A piece of the body of an answer 200, as it comes, cut anywhere. false: enough; `done` follows
 * with UNKNOWN. */
typedef bool (*live_data_fn)(void *context, const char *bytes, size_t count);

/* No deadline. */
#define LIVE_NEVER INT64_MAX

/* Owner: all of it is copied by `send`. Initialise with designators; what is left out is 0. */
typedef struct live_request {
    live_connection connection;
    const char *method;       /* "GET", "POST", ... */
    const char *path;         /* with its query, percent-encoded: "/api/v1/pods?limit=500" */
    const char *content_type; /* of the body; NULL: there is none */
    berth_str body;
    int64_t timeout_ns;   /* from `send` to `done`; 0: none (streams) */
    int64_t not_after_ns; /* of now(): nothing is handed to the network later than that, but ended
                            * as NOT_SENT (the lease's deadline); 0: no such */
    live_done_fn done;
    live_data_fn data; /* NULL: the body is collected, up to LIVE_BODY_MAX, else UNKNOWN */
    void *context;     /* of both */
} live_request;

enum { LIVE_BODY_MAX = 4 << 20 };

/* A request under way, or a timer that has been set; not 0, never comes again. */
typedef uint64_t live_id;

typedef void (*live_timer_fn)(void *context);

typedef struct live_transport_ops {
    live_id (*send)(void *self, const live_request *request);
    /* One that is over, or 0, is fine. */
    void (*cancel)(void *self, live_id request);
    /* Call `fire` once, at or after `at_ns` of now(), never from within this call. */
    live_id (*timer_set)(void *self, int64_t at_ns, live_timer_fn fire, void *context);
    void (*timer_stop)(void *self, live_id timer);
    int64_t (*now)(void *self);     /* nanoseconds of CLOCK_BOOTTIME: for intervals */
    int64_t (*wall)(void *self);    /* nanoseconds since 1970: for texts alone */
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

/* Told of each request that is over: for the metrics rest_client_requests_total and
 * rest_client_request_duration_seconds. Threads: the network loop's. */
typedef struct live_observer {
    /* `status` 0: no answer. A stream's duration is that until its first byte. */
    void (*request_over)(void *context, const char *method, int status, int64_t duration_ns);
    void *context;
} live_observer;

#endif
