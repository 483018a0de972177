/* Waiting for an API server: when it is asked again, what ends the wait, and what is said then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kept_stderr.h"
#include "live/read/server_wait.h"
#include "scripted_transport.h"

#define MILLISECOND INT64_C(1000000)
#define SECOND (1000 * MILLISECOND)

static scripted_transport *server;
static server_wait waits;
static int ended; /* calls */
static bool is_known;

static void on_ended(void *context, bool known)
{
    assert_ptr_equal(context, &waits);
    ended++;
    is_known = known;
}

static int start(void **state)
{
    (void)state;
    server = scripted_create();
    waits = (server_wait){.transport = &server->transport,
                          .command = "run",
                          .server = "https://api",
                          .ended = on_ended,
                          .context = &waits};
    ended = 0;
    is_known = false;
    return stderr_keep();
}

static int stop(void **state)
{
    (void)state;
    stderr_restore();
    scripted_destroy(server);
    return 0;
}

static bool says(const char *part)
{
    return stderr_count(part) > 0;
}

static const scripted_request *asked(void)
{
    const scripted_request *request = scripted_find(server, "GET", "/version");
    assert_int_equal(server->request_count, request != NULL);
    return request;
}

static void answer(int status, const char *body)
{
    assert_non_null(asked());
    scripted_answer(server, asked(), status, body);
}

static void break_off(live_outcome outcome, const char *why)
{
    assert_non_null(asked());
    scripted_end(server, asked(),
                 &(live_answer){.outcome = outcome, .why = why, .retry_after_ns = -1});
}

/* The next request comes after this time, to the millisecond. */
static void asks_after(int64_t pause_ns)
{
    assert_int_equal(ended, 0);
    assert_null(asked());
    scripted_advance(server, pause_ns - MILLISECOND);
    assert_null(asked());
    scripted_advance(server, MILLISECOND);
    assert_non_null(asked());
}

static void ends(bool known)
{
    assert_int_equal(ended, 1);
    assert_int_equal(is_known, known);
    assert_null(asked());
    scripted_advance(server, 60 * SECOND);
    assert_null(asked());
    assert_int_equal(ended, 1);
}

static void test_version(void **state)
{
    (void)state;
    server_wait_start(&waits);
    answer(200, "{\"major\": \"1\", \"minor\": \"36+\"}");
    ends(true);
    assert_int_equal(waits.version.minor, 36);
    assert_string_equal(waits.version.rules, "1.36");
    assert_true(says("\"connected\""));
}

static void test_rules_given(void **state)
{
    (void)state;
    waits.rules = "1.34";
    server_wait_start(&waits);
    answer(200, "{\"major\": \"1\", \"minor\": \"99\"}");
    ends(true);
    assert_string_equal(waits.version.rules, "1.34");
    assert_int_equal(waits.version.minor, 99);
}

static void test_unknown_rules(void **state)
{
    (void)state;
    waits.command = "serve";
    server_wait_start(&waits);
    answer(200, "{\"major\": \"1\", \"minor\": \"99\"}");
    ends(false);
    assert_true(says("berth serve: the API server is of Kubernetes 1.99, whose rules are not"));
    assert_false(says("\"connected\""));
}

/* Half a second, doubled up to five; also for answers that a retry may fix. */
static void test_pauses(void **state)
{
    (void)state;
    server_wait_start(&waits);
    break_off(LIVE_NOT_SENT, "refused");
    asks_after(500 * MILLISECOND);
    break_off(LIVE_UNKNOWN, "reset");
    asks_after(1 * SECOND);
    answer(500, "");
    asks_after(2 * SECOND);
    answer(503, "");
    asks_after(4 * SECOND);
    answer(429, "");
    asks_after(5 * SECOND);
    break_off(LIVE_NOT_SENT, "refused");
    asks_after(5 * SECOND);
    assert_true(says("\"the API server does not answer\" server=\"https://api\" status=\"429\""));
    answer(200, "{\"major\": \"1\", \"minor\": \"37\"}");
    ends(true);
}

/* A request without an answer ends after ten seconds. */
static void test_silence(void **state)
{
    (void)state;
    server_wait_start(&waits);
    scripted_advance(server, 10 * SECOND);
    assert_non_null(asked());
    assert_int_equal(server->sent, 1);
    scripted_advance(server, MILLISECOND);
    assert_null(asked());
    scripted_advance(server, 500 * MILLISECOND);
    assert_int_equal(server->sent, 2);
    assert_non_null(asked());
}

static void test_start_again(void **state)
{
    (void)state;
    server_wait_start(&waits);
    break_off(LIVE_NOT_SENT, "refused");
    asks_after(500 * MILLISECOND);
    break_off(LIVE_NOT_SENT, "refused");
    asks_after(1 * SECOND);
    scripted_cancel(server, asked()->id);
    server_wait_start(&waits);
    break_off(LIVE_NOT_SENT, "refused");
    asks_after(500 * MILLISECOND);
}

static void ends_at(int status, const char *body, const char *part)
{
    server_wait_start(&waits);
    answer(status, body);
    ends(false);
    assert_true(says(part));
    ended = 0;
}

static void test_hopeless_answers(void **state)
{
    (void)state;
    ends_at(401, "{}", "berth run: https://api: the API server does not accept the credentials");
    ends_at(404, "", "berth run: https://api: what answers there is no API server");
    ends_at(200, "welcome", "berth run: https://api: what answers there is no API server");
    ends_at(200, "{\"major\": \"1\"}", "it has no /version");
}

static void test_hopeless_connections(void **state)
{
    (void)state;
    server_wait_start(&waits);
    break_off(LIVE_NOT_SENT, "unable to verify the certificate");
    ends(false);
    assert_true(says("berth run: https://api: unable to verify the certificate"));
    ended = 0;
    server_wait_start(&waits);
    break_off(LIVE_NOT_SENT, "SSL connect error");
    ends(false);
    assert_true(says("berth run: https://api: SSL connect error"));
}

/* A server that denies access has ten seconds, counted from the first denial in a row. */
static void test_denied(void **state)
{
    (void)state;
    server_wait_start(&waits);
    answer(403, "");
    asks_after(500 * MILLISECOND);
    answer(503, "");
    asks_after(1 * SECOND);
    answer(403, ""); /* the ten seconds begin anew */
    asks_after(2 * SECOND);
    answer(403, "");
    asks_after(4 * SECOND);
    scripted_advance(server, 4 * SECOND - MILLISECOND);
    answer(403, "");
    asks_after(5 * SECOND);
    answer(403, "");
    ends(false);
    assert_true(says("the role lacks the verb get of the nonResourceURL /version"));
}

static void test_denied_for_ten_seconds(void **state)
{
    (void)state;
    server_wait_start(&waits);
    answer(403, "");
    asks_after(500 * MILLISECOND);
    scripted_advance(server, 9500 * MILLISECOND);
    answer(403, "");
    ends(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_version, start, stop),
        cmocka_unit_test_setup_teardown(test_rules_given, start, stop),
        cmocka_unit_test_setup_teardown(test_unknown_rules, start, stop),
        cmocka_unit_test_setup_teardown(test_pauses, start, stop),
        cmocka_unit_test_setup_teardown(test_silence, start, stop),
        cmocka_unit_test_setup_teardown(test_start_again, start, stop),
        cmocka_unit_test_setup_teardown(test_hopeless_answers, start, stop),
        cmocka_unit_test_setup_teardown(test_hopeless_connections, start, stop),
        cmocka_unit_test_setup_teardown(test_denied, start, stop),
        cmocka_unit_test_setup_teardown(test_denied_for_ten_seconds, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
