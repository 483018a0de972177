/* The deadline of a request over a real socket, with a clock that the test stops and moves: to the
 * nanosecond, on new and on kept connections, and when a request waits for credentials; the timers
 * that libcurl sets, and the events that it is told of. The linker redirects the transport's clock,
 * its timers and its calls of libcurl for them here (CMakeLists.txt). */
#include <arpa/inet.h>
#include <stdatomic.h>

#include <curl/curl.h>
#include <microhttpd.h>

#include "loopback_client.h"

static const int64_t millisecond = 1000000;

static int64_t stopped_ns; /* 0: the clock runs */

int64_t __real_event_loop_now(void);
int64_t __wrap_event_loop_now(void);

/* Whatever the loop calls next finds zeros where it has not written yet. */
static void __attribute__((noinline)) blank_stack(void)
{
    volatile unsigned char below[4096];
    for (size_t i = 0; i < sizeof(below); i++)
        below[i] = 0;
}

int64_t __wrap_event_loop_now(void)
{
    blank_stack();
    return stopped_ns != 0 ? stopped_ns : __real_event_loop_now();
}

/* ---- timers ---- */

static int timers;             /* that were set */
static bool set_by_libcurl;    /* in the last call for a timer that fired */
static int timers_then;        /* at the end of that call */
static int readable, writable; /* events of sockets that libcurl was told of */

live_id __real_event_loop_timer(event_loop *loop, int64_t at_ns, live_timer_fn fire, void *context);
live_id __wrap_event_loop_timer(event_loop *loop, int64_t at_ns, live_timer_fn fire, void *context);

live_id __wrap_event_loop_timer(event_loop *loop, int64_t at_ns, live_timer_fn fire, void *context)
{
    timers++;
    return __real_event_loop_timer(loop, at_ns, fire, context);
}

CURLMcode __real_curl_multi_socket_action(CURLM *multi, curl_socket_t fd, int events, int *running);
CURLMcode __wrap_curl_multi_socket_action(CURLM *multi, curl_socket_t fd, int events, int *running);

CURLMcode __wrap_curl_multi_socket_action(CURLM *multi, curl_socket_t fd, int events, int *running)
{
    const int before = timers;
    readable += fd != CURL_SOCKET_TIMEOUT && (events & CURL_CSELECT_IN) != 0;
    writable += fd != CURL_SOCKET_TIMEOUT && (events & CURL_CSELECT_OUT) != 0;
    const CURLMcode code = __real_curl_multi_socket_action(multi, fd, events, running);
    set_by_libcurl = fd == CURL_SOCKET_TIMEOUT && timers > before;
    timers_then = timers;
    return code;
}

/* ---- the server ---- */

static struct MHD_Daemon *server;
static char url[64];
static atomic_int requests, open_connections, most_connections;

static struct MHD_Connection *hanging[128];
static atomic_int hanging_count;
static atomic_bool ends;

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
                                  const char *path, const char *method, const char *version,
                                  const char *bytes, size_t *count, void **state)
{
    static int seen; /* its address marks a request whose headers were read */
    (void)context;
    (void)method;
    (void)version;
    (void)bytes;
    (void)count;
    if (*state == NULL) {
        *state = &seen;
        requests++;
        return MHD_YES;
    }
    if (strcmp(path, "/hang") == 0 && !ends) {
        MHD_suspend_connection(connection);
        hanging[hanging_count++] = connection;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result =
        MHD_queue_response(connection, strcmp(path, "/who") == 0 ? 401 : 200, response);
    MHD_destroy_response(response);
    return result;
}

static void on_connection(void *context, struct MHD_Connection *connection, void **state,
                          enum MHD_ConnectionNotificationCode how)
{
    (void)context;
    (void)connection;
    (void)state;
    open_connections += how == MHD_CONNECTION_NOTIFY_STARTED ? 1 : -1;
    if (open_connections > most_connections)
        most_connections = open_connections;
}

static int start(void **state)
{
    (void)state;
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    stopped_ns = 0;
    requests = open_connections = most_connections = hanging_count = 0;
    ends = false;
    server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL,
                              NULL, on_request, NULL, MHD_OPTION_SOCK_ADDR, &any,
                              MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_END);
    assert_non_null(server);
    snprintf(url, sizeof(url), "http://127.0.0.1:%d",
             MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
    client_open();
    client.access.server = url;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    stopped_ns = 0;
    client_close();
    ends = true;
    for (int i = 0; i < hanging_count; i++)
        MHD_resume_connection(hanging[i]);
    MHD_stop_daemon(server);
    return 0;
}

static void stop_clock(void)
{
    stopped_ns = __real_event_loop_now();
}

/* Sends a request whose deadline is `after_ns` from now, and says whether the server has got it. */
static bool arrives(int64_t after_ns)
{
    loopback_end end;
    const int before = requests;
    client_send("POST", "/x", stopped_ns + after_ns, &end);
    client_wait(&end);
    const bool answered = end.outcome == LIVE_ANSWERED;
    assert_int_equal(requests - before, answered);
    if (!answered) {
        assert_int_equal(end.outcome, LIVE_NOT_SENT);
        assert_string_equal(end.why, "its deadline is over");
    }
    return answered;
}

static void when_it_is_sent(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) { /* on a new connection, then on one that is open */
        stop_clock();
        assert_false(arrives(-millisecond));
        assert_false(arrives(-1));
        assert_int_equal(most_connections, kept); /* not even a connection is made */
        assert_true(arrives(0));
        assert_true(arrives(1));
        assert_true(arrives(millisecond));
    }
    assert_int_equal(most_connections, 1);
}

static int64_t moves_ns;

static void move_clock(void)
{
    stopped_ns += moves_ns;
}

/* The clock moves between the first look at it and the connection to the server. */
static bool arrives_after(int64_t ns)
{
    moves_ns = ns;
    stop_clock();
    return arrives(10 * millisecond);
}

static void when_it_is_handed_over(void **state)
{
    (void)state;
    client.authorizes = move_clock;
    assert_false(arrives_after(10 * millisecond + 1));
    assert_true(arrives_after(10 * millisecond));
    /* and on the connection that is open by now */
    assert_false(arrives_after(10 * millisecond + 1));
    assert_false(arrives_after(11 * millisecond));
    assert_true(arrives_after(10 * millisecond));
    assert_true(arrives_after(9 * millisecond));
}

static void without_a_deadline(void **state)
{
    (void)state;
    loopback_end end;
    stop_clock();
    client_send("POST", "/x", 0, &end);
    client_wait(&end);
    assert_int_equal(end.status, 200);
}

/* A request that waits for a token is not sent when the token comes too late. */
static void while_credentials_are_awaited(void **state)
{
    (void)state;
    for (int64_t late = 0; late < 2; late++) {
        loopback_end end;
        stop_clock();
        client.state = ACCESS_WAIT;
        client_send("POST", "/x", stopped_ns + millisecond, &end);
        client_turn(3);
        assert_int_equal(end.done, 0);
        stopped_ns += millisecond + late;
        client.state = ACCESS_READY;
        curl_transport_resume(client.curl);
        client_wait(&end);
        assert_int_equal(end.outcome, late ? LIVE_NOT_SENT : LIVE_ANSWERED);
        assert_int_equal(client.took_ns, millisecond + late);
        assert_int_equal(requests, 1);
    }
}

/* Nor is one sent again with a new token. */
static void after_a_refused_token(void **state)
{
    (void)state;
    client.renews = true;
    client.refuses = move_clock;
    for (int64_t late = 0; late < 2; late++) {
        loopback_end end;
        stop_clock();
        requests = 0;
        moves_ns = millisecond + late;
        client_send("POST", "/who", stopped_ns + millisecond, &end);
        client_wait(&end);
        assert_int_equal(end.outcome, late ? LIVE_NOT_SENT : LIVE_ANSWERED);
        assert_int_equal(requests, late ? 1 : 2);
    }
}

/* A timer that libcurl sets when one has fired stays as it is. */
static void timers_of_libcurl_stay(void **state)
{
    (void)state;
    loopback_end end;
    uint32_t seen = 0;
    client_send("GET", "/x", 0, &end);
    for (int i = 0; i < 2000 && end.done == 0; i++) {
        set_by_libcurl = false;
        client_turn(1);
        if (set_by_libcurl)
            assert_int_equal(timers, timers_then);
        seen += set_by_libcurl;
    }
    assert_int_equal(end.status, 200);
    assert_true(seen > 0);
}

/* A socket is not called readable before the server has sent something. */
static void events_are_told_apart(void **state)
{
    (void)state;
    loopback_end end;
    readable = writable = 0;
    client_send("GET", "/hang", 0, &end);
    for (int i = 0; i < 1000 && hanging_count < 1; i++)
        client_turn(1);
    assert_int_equal(hanging_count, 1);
    assert_true(writable > 0);
    assert_int_equal(readable, 0);
}

/* Requests share at most 128 connections; others wait. */
static void connections_are_limited(void **state)
{
    (void)state;
    enum { MANY = 150, LIMIT = 128 };
    static loopback_end over[MANY];
    /* While libcurl does not know whether the server can multiplex, it waits for one answer. */
    client_send("GET", "/x", 0, &over[0]);
    client_wait(&over[0]);
    requests = 0;
    for (int i = 0; i < MANY; i++)
        client_send("GET", "/hang", 0, &over[i]);
    for (int i = 0; i < 1000 && requests < LIMIT; i++)
        client_turn(1);
    client_turn(30);
    assert_int_equal(most_connections, LIMIT);
    assert_int_equal(requests, LIMIT);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(when_it_is_sent),        T(when_it_is_handed_over),
        T(without_a_deadline),     T(while_credentials_are_awaited),
        T(after_a_refused_token),  T(connections_are_limited),
        T(timers_of_libcurl_stay), T(events_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
