/* Answers of a server that may send anything: bytes on a socket, then its end. Each request ends
 * exactly once, and only a complete answer counts as an answer. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/transport/curl_transport.h"

typedef struct world {
    int listener, peer; /* peer: the client that has connected and not been answered; -1: none */
    event_loop *loop;
    curl_transport *curl;
    server_access access;
    char url[64];
    int done;
    size_t streamed;
} world;

static world w;

static const server_access *get_access(void *self)
{
    return &((world *)self)->access;
}

static access_state authorize(void *self, const char **bearer, const char **why)
{
    (void)self;
    *bearer = NULL;
    *why = "";
    return ACCESS_READY;
}

static bool refused(void *self)
{
    (void)self;
    return true; /* try again; a request is repeated only once */
}

static bool open_world(void)
{
    static const access_ops ops = {get_access, authorize, refused};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);
    signal(SIGPIPE, SIG_IGN);
    w.peer = -1;
    w.listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (w.listener < 0 || bind(w.listener, (struct sockaddr *)&at, size) != 0 ||
        listen(w.listener, 16) != 0 || getsockname(w.listener, (struct sockaddr *)&at, &size) != 0)
        return false;
    snprintf(w.url, sizeof(w.url), "http://127.0.0.1:%d", ntohs(at.sin_port));
    w.access.server = w.url;
    w.loop = event_loop_create();
    if (w.loop == NULL || !curl_transport_setup())
        return false;
    w.curl = curl_transport_create(&(curl_transport_options){
        .loop = w.loop, .access = &ops, .access_self = &w, .observer = {0}});
    return true;
}

static void on_done(void *context, const live_answer *answer)
{
    world *now = context;
    now->done++;
    FUZZ_CHECK(answer->body.data != NULL && answer->why != NULL);
    FUZZ_CHECK((answer->outcome == LIVE_ANSWERED) == (answer->status != 0));
    FUZZ_CHECK(answer->outcome == LIVE_ANSWERED || answer->why[0] != '\0');
    FUZZ_CHECK(answer->retry_after_ns >= -1);
}

static bool on_data(void *context, const char *bytes, size_t count)
{
    world *now = context;
    FUZZ_CHECK(bytes != NULL || count == 0);
    now->streamed += count;
    return now->streamed < 100000;
}

/* Send all of the data to the client and close the connection. Client and server share one thread,
 * so nothing may wait. */
static void serve(const uint8_t *data, size_t size)
{
    const struct linger none = {1, 0};
    char heard[4096];
    if (w.peer < 0)
        w.peer = accept4(w.listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (w.peer < 0 || recv(w.peer, heard, sizeof(heard), 0) < 0)
        return;
    (void)send(w.peer, data, size, 0);
    (void)shutdown(w.peer, SHUT_WR);
    if (size % 7 == 1) /* some end with a reset */
        (void)setsockopt(w.peer, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    close(w.peer);
    w.peer = -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (w.curl == NULL)
        FUZZ_CHECK(open_world());
    w.done = 0;
    w.streamed = 0;
    (void)live_send(curl_transport_interface(w.curl),
                    &(live_request){.connection = (live_connection)(size % LIVE_CONNECTION_COUNT),
                                    .method = size % 3 == 0 ? "POST" : "GET",
                                    .path = "/x",
                                    .content_type = size % 3 == 0 ? "application/json" : NULL,
                                    .body = BERTH_STR("{}"),
                                    .timeout_ns = INT64_C(300000000),
                                    .done = on_done,
                                    .data = size % 2 == 0 ? on_data : NULL,
                                    .context = &w});
    for (int turns = 0; w.done == 0; turns++) {
        FUZZ_CHECK(turns < 100000);
        event_loop_turn(w.loop, INT64_C(1000000));
        serve(data, size);
    }
    FUZZ_CHECK(w.done == 1);
    return 0;
}
