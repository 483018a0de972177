/* Requests over a real socket: responses and their outcomes, streams, deadlines, tokens. The server
 * is libmicrohttpd on loopback. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <microhttpd.h>

#include "live/transport/curl_transport.h"

#define SECOND INT64_C(1000000000)

/* ---- the server ---- */

static const char *const good_token = "Bearer good";

static enum MHD_Result answer_with(struct MHD_Connection *connection, unsigned status,
                                   const char *text, const char *header, const char *value)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(
        strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    if (header != NULL)
        MHD_add_response_header(response, header, value);
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Sends four pieces, then the end, or an abort if the context says so. */
static ssize_t give_piece(void *context, uint64_t at, char *out, size_t room)
{
    (void)room;
    if (at >= 8)
        return context != NULL ? MHD_CONTENT_READER_END_WITH_ERROR
                               : MHD_CONTENT_READER_END_OF_STREAM;
    usleep(2000);
    out[0] = 'a';
    out[1] = '\n';
    return 2;
}

static ssize_t give_nothing(void *context, uint64_t at, char *out, size_t room)
{
    (void)context;
    (void)at;
    (void)out;
    (void)room;
    usleep(300000);
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

static atomic_bool held;

/* Gives nothing while held, then the end. */
static ssize_t give_later(void *context, uint64_t at, char *out, size_t room)
{
    (void)context;
    (void)at;
    (void)out;
    (void)room;
    while (atomic_load(&held))
        usleep(1000);
    return MHD_CONTENT_READER_END_OF_STREAM;
}

static enum MHD_Result answer_pieces(struct MHD_Connection *connection,
                                     MHD_ContentReaderCallback give, void *context)
{
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16, give, context, NULL);
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return result;
}

typedef struct upload {
    char text[256];
    size_t bytes;
} upload;

static enum MHD_Result answer_path(struct MHD_Connection *connection, const char *path,
                                   const char *method, const upload *body)
{
    char text[512];
    const char *token = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization");
    const char *type = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Type");
    const char *user = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Impersonate-User");
    snprintf(text, sizeof(text), "%s %s %s %s %s", method, body->text, type != NULL ? type : "-",
             token != NULL ? token : "-", user != NULL ? user : "-");
    if (strcmp(path, "/base/auth") == 0 && (token == NULL || strcmp(token, good_token) != 0))
        return answer_with(connection, 401, "who?", NULL, NULL);
    if (strcmp(path, "/base/busy") == 0)
        return answer_with(connection, 429, "later", "Retry-After", "3");
    if (strcmp(path, "/base/closed") == 0)
        return answer_with(connection, 429, "never", "Retry-After", "34444444444444444");
    if (strcmp(path, "/base/stream") == 0)
        return answer_pieces(connection, give_piece, NULL);
    if (strcmp(path, "/base/cut") == 0)
        return answer_pieces(connection, give_piece, text);
    if (strcmp(path, "/base/hang") == 0)
        return answer_pieces(connection, give_nothing, NULL);
    if (strcmp(path, "/base/held") == 0)
        return answer_pieces(connection, give_later, NULL);
    if (strcmp(path, "/base/large") == 0) {
        static char large[LIVE_BODY_MAX + 2];
        memset(large, 'x', sizeof(large) - 1);
        return answer_with(connection, 200, large, NULL, NULL);
    }
    return answer_with(connection, strcmp(method, "POST") == 0 ? 201 : 200, text, NULL, NULL);
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *count, void **state)
{
    (void)context;
    (void)version;
    if (*state == NULL) {
        *state = calloc(1, sizeof(upload));
        return *state != NULL ? MHD_YES : MHD_NO;
    }
    upload *body = *state;
    if (*count > 0) {
        size_t room = sizeof(body->text) - 1 - body->bytes;
        size_t taken = *count < room ? *count : room;
        memcpy(body->text + body->bytes, bytes, taken);
        body->bytes += taken;
        *count = 0;
        return MHD_YES;
    }
    return answer_path(connection, path, method, body);
}

static void on_end(void *context, struct MHD_Connection *connection, void **state,
                   enum MHD_RequestTerminationCode how)
{
    (void)context;
    (void)connection;
    (void)how;
    free(*state);
    *state = NULL;
}

/* ---- who sends ---- */

typedef struct world {
    struct MHD_Daemon *server;
    char url[64];
    const char *headers[1];
    server_access access;
    event_loop *loop;
    curl_transport *curl;
    const live_transport *t;
    /* credentials */
    access_state state;
    const char *token;
    int refusals;
    bool renews;
    /* observed */
    int observed, observed_status;
} world;

static world w;

typedef struct seen {
    int done, data_calls;
    live_outcome outcome;
    int status;
    char body[512], why[256];
    int64_t retry_after_ns;
    size_t data_bytes;
    bool enough;
    live_id cancel; /* in `data` */
} seen;

static const server_access *get_access(void *self)
{
    return &((world *)self)->access;
}

static access_state authorize(void *self, const char **bearer, const char **why)
{
    const world *now = self;
    *bearer = now->token;
    *why = "no token";
    return now->state;
}

static bool refused(void *self)
{
    world *now = self;
    now->refusals++;
    if (now->renews)
        now->token = "good";
    return now->renews;
}

static void on_over(void *context, const char *method, int status, int64_t duration_ns)
{
    world *now = context;
    assert_non_null(method);
    assert_true(duration_ns >= 0);
    now->observed++;
    now->observed_status = status;
}

static void on_done(void *context, const live_answer *answer)
{
    seen *s = context;
    s->done++;
    s->outcome = answer->outcome;
    s->status = answer->status;
    s->retry_after_ns = answer->retry_after_ns;
    snprintf(s->body, sizeof(s->body), "%.*s", (int)answer->body.len, answer->body.data);
    snprintf(s->why, sizeof(s->why), "%s", answer->why);
}

static bool on_data(void *context, const char *bytes, size_t count)
{
    seen *s = context;
    (void)bytes;
    s->data_calls++;
    s->data_bytes += count;
    if (s->cancel != 0)
        live_cancel(w.t, s->cancel);
    return !s->enough;
}

static int start(void **state)
{
    static const access_ops ops = {get_access, authorize, refused};
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)state;
    w = (world){
        .server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION,
                                   0, NULL, NULL, on_request, NULL, MHD_OPTION_SOCK_ADDR, &any,
                                   MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_END)};
    assert_non_null(w.server);
    snprintf(w.url, sizeof(w.url), "http://127.0.0.1:%d/base/",
             MHD_get_daemon_info(w.server, MHD_DAEMON_INFO_BIND_PORT)->port);
    w.headers[0] = "Impersonate-User: jane";
    w.access = (server_access){.server = w.url, .headers = w.headers, .header_count = 1};
    w.loop = event_loop_create();
    assert_non_null(w.loop);
    assert_true(curl_transport_setup());
    w.curl = curl_transport_create(&(curl_transport_options){
        .loop = w.loop, .access = &ops, .access_self = &w, .observer = {on_over, &w}});
    w.t = curl_transport_interface(w.curl);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    curl_transport_destroy(w.curl);
    event_loop_destroy(w.loop);
    if (w.server != NULL)
        MHD_stop_daemon(w.server);
    return 0;
}

/* A transport that is gone takes no more turns: its place in the loop is free for the next one. */
static void test_leaves_the_loop(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        curl_transport_destroy(
            curl_transport_create(&(curl_transport_options){.loop = w.loop, .access_self = &w}));
        event_loop_turn(w.loop, 0);
    }
}

static void turn_until(const int *count, int wanted)
{
    int64_t until_ns = event_loop_now() + 20 * SECOND;
    while (*count < wanted && event_loop_now() < until_ns)
        event_loop_turn(w.loop, SECOND / 10);
    assert_int_equal(*count, wanted);
}

static void turn_for(int64_t ns)
{
    for (int64_t until_ns = event_loop_now() + ns; event_loop_now() < until_ns;)
        event_loop_turn(w.loop, SECOND / 100);
}

static live_request get(const char *path, seen *s)
{
    return (live_request){
        .method = "GET", .path = path, .timeout_ns = 10 * SECOND, .done = on_done, .context = s};
}

/* Sends a GET request and waits for its end. */
static void send_and_wait(const char *path, seen *s)
{
    live_request request = get(path, s);
    live_send(w.t, &request);
    turn_until(&s->done, 1);
}

/* Sockets whose peer is the server, and how many of them another program would inherit. */
static int connections(int *inherited)
{
    int found = 0;
    *inherited = 0;
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer;
        socklen_t size = sizeof(peer);
        if (getpeername(fd, (struct sockaddr *)&peer, &size) != 0 || peer.sin_family != AF_INET ||
            ntohs(peer.sin_port) != MHD_get_daemon_info(w.server, MHD_DAEMON_INFO_BIND_PORT)->port)
            continue;
        found++;
        *inherited += (fcntl(fd, F_GETFD) & FD_CLOEXEC) == 0;
    }
    return found;
}

/* ---- answers ---- */

static void test_methods(void **state)
{
    (void)state;
    seen all[4] = {{.done = 0}};
    live_request request = get("/x?y=1", &all[0]);
    w.token = "good";
    live_send(w.t, &request);
    request.content_type = "application/json";
    request.body = BERTH_STR("{\"a\":1}");
    static const char *const methods[] = {"POST", "PATCH", "DELETE"};
    for (int i = 0; i < 3; i++) {
        request.method = methods[i];
        request.context = &all[i + 1];
        live_send(w.t, &request);
    }
    assert_int_equal(all[0].done, 0);
    for (int i = 0; i < 4; i++)
        turn_until(&all[i].done, 1);
    assert_string_equal(all[0].body, "GET  - Bearer good jane");
    assert_int_equal(all[0].status, 200);
    assert_int_equal(all[1].status, 201);
    assert_string_equal(all[1].body, "POST {\"a\":1} application/json Bearer good jane");
    assert_string_equal(all[2].body, "PATCH {\"a\":1} application/json Bearer good jane");
    assert_string_equal(all[3].body, "DELETE {\"a\":1} application/json Bearer good jane");
    assert_int_equal(all[3].outcome, LIVE_ANSWERED);
    assert_int_equal(all[3].retry_after_ns, -1);
    assert_int_equal(w.observed, 4);
}

/* Requests one after the other use the same handle; nothing of one may be left in the next. */
static void test_one_after_the_other(void **state)
{
    (void)state;
    static const struct {
        const char *method, *type, *wanted;
    } cases[] = {
        {"PATCH", "application/json", "PATCH {\"a\":1} application/json - jane"},
        {"GET", NULL, "GET  - - jane"},
        {"POST", "text/plain", "POST {\"a\":1} text/plain - jane"},
        {"DELETE", NULL, "DELETE  - - jane"},
        {"POST", "application/json", "POST {\"a\":1} application/json - jane"},
        {"PUT", "application/json", "PUT {\"a\":1} application/json - jane"},
        {"GET", NULL, "GET  - - jane"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        seen s = {.done = 0};
        live_request request = get("/x", &s);
        request.method = cases[i].method;
        request.content_type = cases[i].type;
        request.body = cases[i].type != NULL ? BERTH_STR("{\"a\":1}") : (berth_str){0};
        request.timeout_ns = i % 2 == 0 ? 10 * SECOND : 0;
        live_send(w.t, &request);
        turn_until(&s.done, 1);
        assert_string_equal(s.body, cases[i].wanted);
    }
}

/* A credential plugin must not have the connection that its token is for. */
static void test_is_not_inherited(void **state)
{
    (void)state;
    int inherited;
    seen s = {.done = 0};
    send_and_wait("/x", &s);
    assert_int_equal(connections(&inherited), 1); /* it is kept */
    assert_int_equal(inherited, 0);
}

/* As many at once as there are writers for: each has a connection. */
static void test_many_at_once(void **state)
{
    (void)state;
    enum { MANY = 100 };
    static seen all[MANY];
    int inherited;
    for (int i = 0; i < MANY; i++) {
        all[i] = (seen){.done = 0};
        live_request request = get("/stream", &all[i]);
        request.connection = LIVE_BINDINGS;
        live_send(w.t, &request);
    }
    const int64_t until_ns = event_loop_now() + 20 * SECOND;
    while (connections(&inherited) < MANY && event_loop_now() < until_ns)
        event_loop_turn(w.loop, SECOND / 1000);
    assert_int_equal(connections(&inherited), MANY);
    for (int i = 0; i < MANY; i++) {
        turn_until(&all[i].done, 1);
        assert_int_equal(all[i].status, 200);
    }
}

static void test_retry_after(void **state)
{
    (void)state;
    seen s = {.done = 0};
    send_and_wait("/busy", &s);
    assert_int_equal(s.status, 429);
    assert_int_equal(s.retry_after_ns, 3 * SECOND);
    assert_string_equal(s.body, "later");
    assert_int_equal(w.observed_status, 429);
    seen closed = {.done = 0};
    send_and_wait("/closed", &closed);
    assert_int_equal(closed.status, 429);
    assert_int_equal(closed.retry_after_ns, 24 * 60 * 60 * SECOND);
}

static void test_not_sent(void **state)
{
    (void)state;
    seen refused_connection = {.done = 0}, late = {.done = 0}, failed = {.done = 0};
    live_request request = get("/x", &late);
    request.not_after_ns = 1;
    live_send(w.t, &request);
    turn_until(&late.done, 1);
    assert_int_equal(late.outcome, LIVE_NOT_SENT);
    w.state = ACCESS_FAILED;
    send_and_wait("/x", &failed);
    assert_int_equal(failed.outcome, LIVE_NOT_SENT);
    assert_string_equal(failed.why, "no token");
    w.state = ACCESS_READY;
    MHD_stop_daemon(w.server);
    w.server = NULL;
    send_and_wait("/x", &refused_connection);
    assert_int_equal(refused_connection.outcome, LIVE_NOT_SENT);
    assert_int_equal(refused_connection.status, 0);
    assert_int_not_equal(refused_connection.why[0], '\0');
    assert_int_equal(w.observed_status, 0);
}

static void test_unknown(void **state)
{
    (void)state;
    seen cut = {.done = 0}, timed_out = {.done = 0}, large = {.done = 0};
    send_and_wait("/cut", &cut);
    assert_int_equal(cut.outcome, LIVE_UNKNOWN);
    assert_int_equal(cut.status, 0);
    live_request request = get("/hang", &timed_out);
    request.timeout_ns = SECOND / 20;
    live_send(w.t, &request);
    turn_until(&timed_out.done, 1);
    assert_int_equal(timed_out.outcome, LIVE_UNKNOWN);
    send_and_wait("/large", &large);
    assert_int_equal(large.outcome, LIVE_UNKNOWN);
    assert_string_equal(large.why, "the answer is too large");
}

/* ---- streams ---- */

/* Sends the same request for another path and waits for its end. */
static void send_again(live_request *request, const char *path, seen *s)
{
    request->path = path;
    request->context = s;
    live_send(w.t, request);
    turn_until(&s->done, 1);
}

static void test_streams(void **state)
{
    (void)state;
    seen whole = {.done = 0}, cut = {.done = 0}, short_one = {.enough = true}, no = {.done = 0};
    live_request request = get("/stream", &whole);
    request.timeout_ns = 0;
    request.data = on_data;
    live_send(w.t, &request);
    turn_until(&whole.done, 1);
    assert_int_equal(whole.outcome, LIVE_ANSWERED);
    assert_int_equal(whole.status, 200);
    assert_int_equal(whole.data_bytes, 8);
    assert_string_equal(whole.body, "");
    send_again(&request, "/cut", &cut);
    assert_int_equal(cut.outcome, LIVE_UNKNOWN);
    assert_int_equal(cut.data_bytes, 8);
    send_again(&request, "/stream", &short_one);
    assert_int_equal(short_one.outcome, LIVE_UNKNOWN);
    assert_int_equal(short_one.data_calls, 1);
    /* A response other than 200 is collected. */
    send_again(&request, "/busy", &no);
    assert_int_equal(no.data_calls, 0);
    assert_string_equal(no.body, "later");
}

static void test_cancel(void **state)
{
    (void)state;
    seen within = {.done = 0}, before = {.done = 0}, other = {.done = 0};
    live_request request = get("/stream", &within);
    request.data = on_data;
    within.cancel = live_send(w.t, &request);
    request = get("/x", &before);
    live_id id = live_send(w.t, &request);
    live_cancel(w.t, id);
    live_cancel(w.t, 0);
    live_cancel(w.t, 12345);
    send_and_wait("/x", &other);
    turn_for(SECOND / 10);
    assert_int_equal(within.data_calls, 1);
    assert_int_equal(within.done, 0);
    assert_int_equal(before.done, 0);
}

/* How many connections the server has. */
static unsigned connections_served(void)
{
    return MHD_get_daemon_info(w.server, MHD_DAEMON_INFO_CURRENT_CONNECTIONS)->num_connections;
}

/* With new certificates a stream ends, but other requests in progress get their response. */
static void test_renew(void **state)
{
    (void)state;
    seen stream = {.done = 0}, slow = {.done = 0}, later = {.done = 0};
    live_request request = get("/hang", &stream);
    request.data = on_data;
    live_send(w.t, &request);
    atomic_store(&held, true);
    request = get("/held", &slow);
    live_send(w.t, &request);
    turn_for(SECOND / 100);
    curl_transport_renew(w.curl);
    atomic_store(&held, false);
    turn_until(&stream.done, 1);
    assert_int_equal(stream.outcome, LIVE_UNKNOWN);
    turn_until(&slow.done, 1);
    assert_int_equal(slow.outcome, LIVE_ANSWERED);
    send_and_wait("/x", &later);
    assert_int_equal(later.status, 200);
    /* the former connections are closed */
    for (int64_t end_ns = live_now(w.t) + 10 * SECOND; connections_served() > 1;) {
        assert_true(live_now(w.t) < end_ns);
        event_loop_turn(w.loop, SECOND / 100);
    }
}

/* ---- tokens ---- */

static void test_refused_once(void **state)
{
    (void)state;
    seen s = {.done = 0};
    live_request request = get("/auth", &s);
    w.token = "old";
    w.renews = true;
    live_send(w.t, &request);
    turn_until(&s.done, 1);
    assert_int_equal(s.status, 200);
    assert_int_equal(w.refusals, 1);
    assert_int_equal(w.observed, 1);
}

static void test_refused_for_good(void **state)
{
    (void)state;
    seen s = {.done = 0};
    send_and_wait("/auth", &s);
    assert_int_equal(s.status, 401);
    assert_int_equal(w.refusals, 1);
}

static void test_waits_for_a_token(void **state)
{
    (void)state;
    seen s = {.done = 0}, late = {.done = 0};
    live_request request = get("/auth", &s);
    w.state = ACCESS_WAIT;
    live_send(w.t, &request);
    request = get("/auth", &late);
    request.timeout_ns = SECOND / 50;
    live_send(w.t, &request);
    turn_for(SECOND / 10);
    assert_int_equal(s.done, 0);
    w.state = ACCESS_READY;
    w.token = "good";
    curl_transport_resume(w.curl);
    turn_until(&s.done, 1);
    assert_int_equal(s.status, 200);
    turn_until(&late.done, 1);
    assert_int_equal(late.outcome, LIVE_NOT_SENT);
}

/* ---- time, other threads ---- */

static int fired;
static live_id stopped;

static void fire(void *context)
{
    fired = fired * 10 + (int)(intptr_t)context;
    if (context == (void *)1)
        live_timer_stop(w.t, stopped);
}

static void test_timers(void **state)
{
    (void)state;
    int64_t now_ns = live_now(w.t);
    fired = 0;
    live_timer_set(w.t, now_ns + SECOND / 50, fire, (void *)3);
    live_timer_set(w.t, now_ns, fire, (void *)1);
    stopped = live_timer_set(w.t, now_ns + SECOND / 100, fire, (void *)2);
    for (int i = 0; i < 40; i++)
        live_timer_stop(w.t, live_timer_set(w.t, now_ns + i * 1000000, fire, (void *)9));
    turn_for(SECOND / 20);
    assert_int_equal(fired, 13);
    assert_true(live_wall(w.t) > INT64_C(1700000000) * SECOND);
    assert_int_not_equal(live_random(w.t), live_random(w.t));
}

static void test_wake(void **state)
{
    (void)state;
    fired = 0;
    event_loop_on_wake(w.loop, fire, (void *)7);
    event_loop_wake(w.loop);
    event_loop_wake(w.loop);
    event_loop_turn(w.loop, 10 * SECOND);
    assert_int_equal(fired, 7);
}

/* Requests in progress are dropped without a call when their transport is destroyed. */
static void test_destroyed_with_requests(void **state)
{
    (void)state;
    seen s = {.done = 0};
    live_request request = get("/hang", &s);
    live_send(w.t, &request);
    turn_for(SECOND / 100);
    live_send(w.t, &request);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_methods),
        TEST(test_one_after_the_other),
        TEST(test_is_not_inherited),
        TEST(test_many_at_once),
        TEST(test_retry_after),
        TEST(test_not_sent),
        TEST(test_unknown),
        TEST(test_streams),
        TEST(test_cancel),
        TEST(test_renew),
        TEST(test_refused_once),
        TEST(test_refused_for_good),
        TEST(test_waits_for_a_token),
        TEST(test_timers),
        TEST(test_wake),
        TEST(test_destroyed_with_requests),
        TEST(test_leaves_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
