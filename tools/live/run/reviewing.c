#include "live/run/reviewing.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "live/credentials/credentials.h"

/* A connection to the API server of another kubeconfig. */
typedef struct other_server {
    credentials *access;
    curl_transport *curl;
} other_server;

struct reviewing {
    event_loop *loop;
    other_server authentication, authorization;
    reviews *reviews;
};

/* Returns the transport for a kubeconfig; `own` without one. */
static const live_transport *connect_to(other_server *server, event_loop *loop,
                                        const kubeconfig *config, const live_transport *own)
{
    if (config == NULL)
        return own;
    const credentials_options how = {.loop = loop, .config = config};
    server->access = credentials_create(&how);
    const curl_transport_options options = {
        .loop = loop, .access = &credentials_access_ops, .access_self = server->access};
    server->curl = curl_transport_create(&options);
    credentials_attach(server->access, server->curl);
    return curl_transport_interface(server->curl);
}

static void disconnect(other_server *server)
{
    if (server->access == NULL)
        return;
    curl_transport_destroy(server->curl);
    credentials_destroy(server->access);
}

static void wake(void *context)
{
    event_loop_wake(((reviewing *)context)->loop);
}

reviewing *reviewing_create(const reviewing_options *options, event_loop *loop,
                            const live_transport *own)
{
    reviewing *r = heap_new(1, sizeof(*r));
    r->loop = loop;
    const review_options how = {
        .authentication = connect_to(&r->authentication, loop, options->authentication, own),
        .authorization = connect_to(&r->authorization, loop, options->authorization, own),
        .token_ns = options->token_ns,
        .allowed_ns = options->allowed_ns,
        .denied_ns = options->denied_ns,
        .always_allowed = options->always_allowed,
        .wake = wake,
        .context = r};
    r->reviews = reviews_create(&how);
    return r;
}

/* ---- the rule; on the server's thread ---- */

static bool is_open(void *context, const char *path)
{
    return reviews_is_open(((reviewing *)context)->reviews, path);
}

static void on_verdict(void *context, const review_verdict *verdict)
{
    permission_settle(context, (unsigned)verdict->status, verdict->message);
}

static void ask(void *context, const serving_client *client, permission *waits)
{
    const review_question question = {.token = client->token,
                                      .user = client->user,
                                      .groups = client->groups,
                                      .verb = client->verb,
                                      .path = client->path};
    reviews_ask(((reviewing *)context)->reviews, &question, on_verdict, waits);
}

permission_rule reviewing_rule(reviewing *r)
{
    return (permission_rule){is_open, ask, r};
}

/* ---- the network's thread ---- */

void reviewing_turn(reviewing *r)
{
    reviews_turn(r->reviews);
}

void reviewing_stop(reviewing *r)
{
    if (r != NULL)
        reviews_stop(r->reviews);
}

void reviewing_destroy(reviewing *r)
{
    if (r == NULL)
        return;
    reviews_destroy(r->reviews);
    disconnect(&r->authentication);
    disconnect(&r->authorization);
    free(r);
}
