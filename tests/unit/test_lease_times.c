/* The times of leader election to the nanosecond, and every answer of the server: when a lease may
 * be taken over, until when its holder may write, and when it is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "live/lease/lease.h"
#include "scripted_transport.h"

static const int64_t second = INT64_C(1000000000), millisecond = 1000000;

static scripted_transport *server;
static lease *l;
static size_t renewed, acquired, lost, released, told;
static char leader[16]; /* the last one told */
static int64_t deadline_ns;
static int version;

static void on_renewed(void *context, int64_t until_ns)
{
    (void)context;
    renewed++;
    deadline_ns = until_ns;
}

static void on_acquired(void *context, uint64_t of_version)
{
    (void)context;
    (void)of_version;
    acquired++;
}

static void on_lost(void *context, const char *why)
{
    (void)context;
    (void)why;
    lost++;
}

static void on_leader(void *context, const char *holder)
{
    (void)context;
    told++;
    snprintf(leader, sizeof(leader), "%s", holder);
}

static void on_released(void *context)
{
    (void)context;
    released++;
}

/* The ids that are given back are of something that is still there. */
static void cancel_what_waits(void *self, live_id id)
{
    const size_t before = server->request_count;
    scripted_cancel(self, id);
    assert_true(id == 0 || server->request_count < before);
}

static void stop_what_runs(void *self, live_id id)
{
    const size_t before = server->timer_count;
    scripted_timer_stop(self, id);
    assert_true(id == 0 || server->timer_count < before);
}

static uint64_t number; /* what every draw gives, if it is not 0 */

static uint64_t draw(void *self)
{
    return number != 0 ? number : scripted_random(self);
}

static int start(void **state)
{
    (void)state;
    lease_options options;
    lease_options_init(&options);
    server = scripted_create();
    static live_transport_ops strict;
    strict = *server->transport.ops;
    strict.cancel = cancel_what_waits;
    strict.timer_stop = stop_what_runs;
    strict.random = draw;
    server->transport.ops = &strict;
    number = 0;
    renewed = acquired = lost = released = told = 0;
    deadline_ns = version = 0;
    options.transport = &server->transport;
    options.identity = "me";
    l = lease_create(&options,
                     &(lease_callbacks){NULL, on_renewed, on_acquired, on_lost, on_leader});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    lease_destroy(l);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
    scripted_destroy(server);
    return 0;
}

/* The waiting request, which is the only one; NULL: none. */
static scripted_request *waiting(const char *method)
{
    assert_true(server->request_count < 2);
    return scripted_find(server, method, "");
}

/* Advances until the request waits. */
static void wait_for(const char *method)
{
    for (int i = 0; i < 10000 && waiting(method) == NULL; i++)
        scripted_advance(server, millisecond);
    assert_non_null(waiting(method));
}

static void answer(const char *method, int status, const char *body)
{
    assert_non_null(waiting(method));
    scripted_answer(server, waiting(method), status, body);
}

/* Answers 200 with a lease. */
static void show(const char *method, const char *holder, int seconds, int renewal)
{
    char body[512];
    snprintf(body, sizeof(body),
             "{\"metadata\":{\"name\":\"berth\",\"resourceVersion\":\"%d\"},\"spec\":{"
             "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d,\"renewal\":%d}}",
             ++version, holder, seconds, renewal);
    answer(method, 200, body);
}

static void lead(void)
{
    lease_start(l);
    wait_for("GET");
    answer("GET", 404, "{}");
    show("POST", "me", 15, 0);
    assert_int_equal(acquired, 1);
}

/* ---- another's lease ---- */

/* Whether a lease of another that was first seen `after_ns` ago is taken over. Attempts come at
 * random times; so the answer to the last one is held back until that moment. */
static bool is_taken_over(int seconds, int64_t after_ns)
{
    start(NULL);
    lease_start(l);
    wait_for("GET");
    const int64_t seen_ns = server->now_ns;
    show("GET", "other", seconds, 0);
    do {
        wait_for("GET");
        if (seen_ns + after_ns - server->now_ns > 5 * second)
            show("GET", "other", seconds, 0);
    } while (waiting("GET") == NULL);
    scripted_advance(server, seen_ns + after_ns - server->now_ns);
    show("GET", "other", seconds, 0);
    const bool taken = waiting("PUT") != NULL;
    stop(NULL);
    return taken;
}

static void another_holder_has_its_whole_time(void **state)
{
    static const int durations[] = {15, 30, 60};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const int64_t whole_ns = durations[i] * second;
        assert_false(is_taken_over(durations[i], whole_ns - second));
        assert_false(is_taken_over(durations[i], whole_ns - millisecond));
        assert_false(is_taken_over(durations[i], whole_ns - 1));
        assert_true(is_taken_over(durations[i], whole_ns));
        assert_true(is_taken_over(durations[i], whole_ns + millisecond));
    }
}

/* A change starts the time anew, even if it comes at the last moment. */
static void a_change_begins_anew(void **state)
{
    (void)state;
    lease_start(l);
    wait_for("GET");
    show("GET", "other", 4, 0);
    for (int renewal = 1; renewal < 20; renewal++) {
        wait_for("GET");
        scripted_advance(server, 4 * second);
        show("GET", "other", 4, renewal);
        assert_null(waiting("PUT"));
    }
    wait_for("GET");
    scripted_advance(server, 4 * second);
    show("GET", "other", 4, 19);
    assert_non_null(waiting("PUT"));
}

/* Even one second is respected: in that time its holder may renew it. */
static void one_second_is_respected(void **state)
{
    (void)state;
    lease_start(l);
    wait_for("GET");
    show("GET", "other", 1, 0);
    assert_null(waiting("PUT"));
    wait_for("GET");
    show("GET", "other", 1, 0);
    assert_non_null(waiting("PUT"));
}

/* The order of the record's members says nothing; a record that goes, and one that comes, are
 * changes. */
static void what_is_a_change(void **state)
{
    static const char *const texts[] = {
        "{\"metadata\":{\"name\":\"berth\"},\"spec\":{"
        "\"holderIdentity\":\"other\",\"leaseDurationSeconds\":4}}",
        "{\"metadata\":{\"name\":\"berth\"},\"spec\":{"
        "\"leaseDurationSeconds\":4,\"holderIdentity\":\"other\"}}",
        "{\"metadata\":{\"name\":\"berth\"}}",
    };
    (void)state;
    lease_start(l);
    wait_for("GET");
    answer("GET", 200, texts[0]);
    wait_for("GET");
    scripted_advance(server, 4 * second);
    answer("GET", 200, texts[1]);
    answer("PUT", 409, "{}");
    wait_for("GET");
    answer("GET", 200, texts[2]);
    answer("PUT", 409, "{}");
    wait_for("GET");
    answer("GET", 200, texts[0]);
    assert_null(waiting("PUT"));
}

/* The first attempt is made at once; the others after 2 s to 4.4 s, by chance. */
static void candidates_try_at_different_times(void **state)
{
    static const struct {
        uint64_t number;
        int64_t delay_ns;
    } cases[] = {{INT64_C(2400000001), INT64_C(2000000000)},
                 {INT64_C(2400000000), INT64_C(4400000000)},
                 {1, INT64_C(2000000001)}};
    (void)state;
    lease_start(l);
    scripted_advance(server, 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        number = cases[i].number;
        show("GET", "other", 60, (int)i);
        scripted_advance(server, cases[i].delay_ns - 1);
        assert_null(waiting("GET"));
        scripted_advance(server, 1);
        assert_non_null(waiting("GET"));
    }
}

/* ---- our own lease ---- */

/* Writing is allowed until 10 s after the renewal was sent, however late its answer came. */
static void the_deadline_counts_from_sending(void **state)
{
    (void)state;
    int renewal = 0;
    lead();
    for (int64_t delay_ns = 0; delay_ns < 5 * second; delay_ns += 900 * millisecond + 1) {
        wait_for("PUT");
        const int64_t sent_ns = server->now_ns;
        scripted_advance(server, delay_ns);
        show("PUT", "me", 15, ++renewal);
        assert_int_equal(deadline_ns, sent_ns + 10 * second);
        assert_int_equal(lease_renewed_ns(l), sent_ns);
    }
    assert_int_equal(lost, 0);
}

/* Neither a failed renewal nor a read moves the deadline. */
static void only_a_renewal_moves_the_deadline(void **state)
{
    static const int statuses[] = {401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504};
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        start(NULL);
        lead();
        const int64_t before_ns = deadline_ns;
        wait_for("PUT");
        answer("PUT", statuses[i], "{}");
        answer("GET", statuses[i] == 404 ? 500 : statuses[i], "{}");
        wait_for("PUT");
        scripted_fail(server, waiting("PUT"), LIVE_UNKNOWN);
        show("GET", "me", 15, 0);
        assert_int_equal(deadline_ns, before_ns);
        assert_int_equal(renewed, 1);
        assert_int_equal(lost, 0);
        show("PUT", "me", 15, 0);
        assert_int_equal(renewed, 2);
        stop(NULL);
    }
}

/* The lease is lost 12 s after the answer to the last renewal, and nothing is sent from then on. */
static void it_is_lost_in_time(void **state)
{
    (void)state;
    lead();
    wait_for("PUT");
    scripted_advance(server, second);
    show("PUT", "me", 15, 0);
    scripted_advance(server, 12 * second - 1);
    assert_int_equal(lost, 0);
    assert_true(lease_is_held(l));
    scripted_advance(server, 1);
    assert_int_equal(lost, 1);
    assert_false(lease_is_held(l));
    scripted_advance(server, 60 * second);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(renewed, 2);
}

/* Each renewal is sent 2 s after the answer to the one before. */
static void renewals_come_every_two_seconds(void **state)
{
    (void)state;
    lead();
    for (int i = 0; i < 5; i++) {
        scripted_advance(server, 2 * second - 1);
        assert_null(waiting("PUT"));
        scripted_advance(server, 1);
        assert_non_null(waiting("PUT"));
        scripted_advance(server, 300 * millisecond);
        show("PUT", "me", 15, i + 1);
    }
}

/* So do attempts after a failed one: a leader draws no lots. */
static void failed_renewals_are_repeated_every_two_seconds(void **state)
{
    (void)state;
    lead();
    number = INT64_C(2400000000);
    for (int i = 0; i < 3; i++) {
        wait_for("PUT");
        answer("PUT", 500, "{}");
        answer("GET", 500, "{}");
        scripted_advance(server, 2 * second - 1);
        assert_null(waiting("PUT"));
        scripted_advance(server, 1);
        assert_non_null(waiting("PUT"));
    }
}

/* A lease of ours from before is renewed without a read for as long as it lives. */
static void our_own_from_before_lives_as_long(void **state)
{
    (void)state;
    lease_start(l);
    wait_for("GET");
    show("GET", "me", 1, 0);
    answer("PUT", 500, "{}");
    const int64_t tried_ns = server->now_ns;
    wait_for("GET"); /* the next attempt, at least 2 s later: it has expired */
    assert_true(server->now_ns - tried_ns >= 2 * second);
    show("GET", "me", 600, 0);
    answer("PUT", 500, "{}");
    wait_for("PUT"); /* it lives: no read */
}

/* ---- answers ---- */

/* No answer to a waiting candidate makes it a leader, or ends its attempts. */
static void answers_while_waiting(void **state)
{
    static const int statuses[] = {0, 201, 400, 401, 403, 409, 410, 422, 429, 500, 502, 503, 504};
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        start(NULL);
        lease_start(l);
        wait_for("GET");
        if (statuses[i] == 0)
            scripted_fail(server, waiting("GET"), LIVE_UNKNOWN);
        else
            answer("GET", statuses[i], "{}");
        assert_int_equal(server->request_count, 0);
        wait_for("GET");
        answer("GET", 404, "{}");
        if (statuses[i] == 0)
            scripted_fail(server, waiting("POST"), LIVE_UNKNOWN);
        else
            answer("POST", statuses[i], "{}");
        assert_int_equal(server->request_count, 0);
        wait_for("GET");
        show("GET", "", 1, 0);
        if (statuses[i] == 0)
            scripted_fail(server, waiting("PUT"), LIVE_NOT_SENT);
        else
            answer("PUT", statuses[i], "{}");
        wait_for("GET");
        assert_int_equal(renewed + acquired + lost, 0);
        stop(NULL);
    }
}

/* Giving up ends with any answer, and at the latest with the second time-out. */
static void answers_while_giving_up(void **state)
{
    static const int statuses[] = {400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504};
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        for (int at_read = 0; at_read < 2; at_read++) {
            start(NULL);
            lead();
            lease_release(l, on_released, NULL);
            if (!at_read)
                show("GET", "me", 15, 0);
            answer(at_read ? "GET" : "PUT", statuses[i], "{}");
            assert_int_equal(released, 1);
            scripted_advance(server, 60 * second);
            assert_int_equal(server->request_count + lost, 0);
            stop(NULL);
        }
    }
}

/* A lease that somebody else has taken meanwhile is not given up. */
static void giving_up_what_was_taken_away(void **state)
{
    (void)state;
    lead();
    lease_release(l, on_released, NULL);
    assert_false(lease_is_held(l));
    assert_string_equal(waiting("GET")->content_type, "");
    show("GET", "other", 15, 0);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(released, 1);
    assert_int_equal(lost, 0);
}

/* Nor is a lease that we do not hold even asked for. */
static void giving_up_nothing(void **state)
{
    (void)state;
    lease_start(l);
    wait_for("GET");
    show("GET", "other", 15, 0);
    lease_release(l, on_released, NULL);
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, 0);
    assert_int_equal(released, 1);
    assert_int_equal(server->request_count, 0);
}

/* Whether we are denied is known from answers alone, to reads and writes. */
static void denied_until_the_next_answer(void **state)
{
    (void)state;
    lease_start(l);
    wait_for("GET");
    answer("GET", 404, "{}");
    assert_string_equal(waiting("POST")->content_type, "application/json");
    answer("POST", 403, "{}");
    assert_true(lease_is_denied(l));
    wait_for("GET");
    scripted_fail(server, waiting("GET"), LIVE_UNKNOWN);
    assert_true(lease_is_denied(l));
    wait_for("GET");
    answer("GET", 500, "{}");
    assert_false(lease_is_denied(l));
    wait_for("GET");
    answer("GET", 401, "{}");
    assert_true(lease_is_denied(l));
    wait_for("GET");
    answer("GET", 404, "{}");
    assert_false(lease_is_denied(l));
}

/* That we are denied is logged when it begins, and why. */
static void denials_are_logged_once(void **state)
{
    char log[4096] = "";
    FILE *records = tmpfile();
    const int own = dup(STDERR_FILENO);
    (void)state;
    assert_non_null(records);
    dup2(fileno(records), STDERR_FILENO);
    lease_start(l);
    static const int statuses[] = {403, 401, 500, 401, 404};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        wait_for("GET");
        answer("GET", statuses[i], "{\"kind\":\"Status\",\"message\":\"no lease for you\"}");
    }
    dup2(own, STDERR_FILENO);
    close(own);
    rewind(records);
    log[fread(log, 1, sizeof(log) - 1, records)] = '\0';
    fclose(records);
    const char *lacks = strstr(log, "\"not allowed: the role lacks a rule\""),
               *unknown = strstr(log, "\"the API server does not accept our credentials\"");
    assert_true(lacks != NULL && unknown != NULL && lacks < unknown);
    assert_null(strstr(lacks + 1, "\"not allowed"));
    assert_null(strstr(unknown + 1, "\"the API server does not"));
    assert_non_null(strstr(lacks, "message=\"no lease for you\""));
}

/* No caller has to listen. */
static void nobody_listens(void **state)
{
    lease_options options;
    (void)state;
    lease_options_init(&options);
    options.transport = &server->transport;
    options.identity = "me";
    lease_destroy(l);
    lease_destroy(NULL);
    l = lease_create(&options, &(lease_callbacks){.context = NULL});
    lease_start(l);
    wait_for("GET");
    answer("GET", 404, "{}");
    show("POST", "me", 15, 0);
    assert_true(lease_is_held(l));
    scripted_advance(server, 12 * second);
    assert_false(lease_is_held(l));
}

/* The holder is told when it changes, and not at every look. */
static void the_leader_is_told_once(void **state)
{
    (void)state;
    lease_start(l);
    for (int i = 0; i < 3; i++) {
        wait_for("GET");
        show("GET", "other", 60, i);
        assert_int_equal(told, 1);
        assert_string_equal(leader, "other");
    }
    wait_for("GET");
    show("GET", "", 60, 0);
    assert_int_equal(told, 2);
    assert_string_equal(leader, "");
    show("PUT", "me", 15, 0);
    assert_int_equal(told, 3);
    assert_string_equal(leader, "me");
}

/* A nanosecond is a time, too. */
static void the_shortest_retry(void **state)
{
    lease_options options;
    (void)state;
    lease_options_init(&options);
    options.retry_ns = 1;
    assert_null(lease_options_wrong(&options));
    options.retry_ns = 0;
    assert_non_null(lease_options_wrong(&options));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
        cmocka_unit_test(another_holder_has_its_whole_time),
        T(a_change_begins_anew),
        T(one_second_is_respected),
        T(what_is_a_change),
        T(candidates_try_at_different_times),
        T(the_deadline_counts_from_sending),
        cmocka_unit_test(only_a_renewal_moves_the_deadline),
        T(it_is_lost_in_time),
        T(renewals_come_every_two_seconds),
        T(failed_renewals_are_repeated_every_two_seconds),
        T(our_own_from_before_lives_as_long),
        cmocka_unit_test(answers_while_waiting),
        cmocka_unit_test(answers_while_giving_up),
        T(giving_up_what_was_taken_away),
        T(giving_up_nothing),
        T(denied_until_the_next_answer),
        T(denials_are_logged_once),
        T(nobody_listens),
        T(the_leader_is_told_once),
        T(the_shortest_retry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
