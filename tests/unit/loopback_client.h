/* A transport over libcurl and its event loop, for tests that bring their own server on loopback
 * and their own access to it. */
#ifndef BERTH_TESTS_LOOPBACK_CLIENT_H
#define BERTH_TESTS_LOOPBACK_CLIENT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/transport/curl_transport.h"

typedef struct loopback_client {
    server_access access;
    access_state state;       /* what `authorize` returns */
    bool renews;              /* whether a refused token is worth another try */
    void (*authorizes)(void); /* called by `authorize`; may be NULL */
    void (*refuses)(void);    /* called when the server has refused a token; may be NULL */
    int64_t took_ns;          /* the duration that the observer of the last request was told */
    event_loop *loop;
    curl_transport *curl;
    const live_transport *t;
} loopback_client;

static loopback_client client;

/* How a request ended. */
typedef struct loopback_end {
    int done, status;
    live_outcome outcome;
    char why[256];
} loopback_end;

static const server_access *loopback_access(void *self)
{
    return &((loopback_client *)self)->access;
}

static access_state loopback_authorize(void *self, const char **bearer, const char **why)
{
    const loopback_client *c = self;
    *bearer = NULL;
    *why = "no token";
    if (c->authorizes != NULL)
        c->authorizes();
    return c->state;
}

static bool loopback_refused(void *self)
{
    const loopback_client *c = self;
    if (c->refuses != NULL)
        c->refuses();
    return c->renews;
}

static void loopback_over(void *context, const char *method, int status, int64_t duration_ns)
{
    (void)method;
    (void)status;
    ((loopback_client *)context)->took_ns = duration_ns;
}

static void client_open(void)
{
    static const access_ops ops = {loopback_access, loopback_authorize, loopback_refused};
    static const char *const proxies[] = {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy",
                                          "ALL_PROXY"};
    for (size_t i = 0; i < sizeof(proxies) / sizeof(proxies[0]); i++)
        unsetenv(proxies[i]);
    client = (loopback_client){.loop = event_loop_create()};
    assert_non_null(client.loop);
    assert_true(curl_transport_setup());
    client.curl =
        curl_transport_create(&(curl_transport_options){.loop = client.loop,
                                                        .access = &ops,
                                                        .access_self = &client,
                                                        .observer = {loopback_over, &client}});
    client.t = curl_transport_interface(client.curl);
}

static void client_close(void)
{
    curl_transport_destroy(client.curl);
    event_loop_destroy(client.loop);
    client = (loopback_client){.loop = NULL};
}

static void loopback_done(void *context, const live_answer *answer)
{
    loopback_end *end = context;
    end->done++;
    end->outcome = answer->outcome;
    end->status = answer->status;
    snprintf(end->why, sizeof(end->why), "%s", answer->why);
}

/* Sends a request without a body. `not_after_ns` 0: it has no deadline. */
static void client_send(const char *method, const char *path, int64_t not_after_ns,
                        loopback_end *end)
{
    *end = (loopback_end){.done = 0};
    live_send(client.t, &(live_request){.method = method,
                                        .path = path,
                                        .timeout_ns = INT64_C(10000000000),
                                        .not_after_ns = not_after_ns,
                                        .done = loopback_done,
                                        .context = end});
}

static void client_turn(int turns)
{
    for (int i = 0; i < turns; i++)
        event_loop_turn(client.loop, INT64_C(10000000));
}

/* Turns the loop until the request has ended, for 20 s at most. */
static void client_wait(const loopback_end *end)
{
    for (int i = 0; i < 2000 && end->done == 0; i++)
        client_turn(1);
    assert_int_equal(end->done, 1);
}

#endif
