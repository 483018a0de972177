/* The scripted transport of the tests: order of timers, timeouts, streams, cancelling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scripted_transport.h"

typedef struct seen {
    scripted_transport *s;
    int fired[4], fired_count;
    int64_t fired_ns[4];
    live_outcome outcome;
    int status, done_count;
    char body[64];
    size_t data_max; /* the reader stops after this many bytes */
    size_t data_count;
} seen;

static seen now;

static void on_first(void *context)
{
    seen *n = context;
    n->fired_ns[n->fired_count] = n->s->now_ns;
    n->fired[n->fired_count++] = 1;
}

static void on_second(void *context)
{
    seen *n = context;
    n->fired_ns[n->fired_count] = n->s->now_ns;
    n->fired[n->fired_count++] = 2;
    if (n->fired_count < 3)
        live_timer_set(&n->s->transport, n->s->now_ns + 5, on_first, n);
}

static void on_done(void *context, const live_answer *answer)
{
    seen *n = context;
    n->outcome = answer->outcome;
    n->status = answer->status;
    n->done_count++;
    memcpy(n->body, answer->body.data, answer->body.len);
}

static bool on_data(void *context, const char *bytes, size_t count)
{
    seen *n = context;
    (void)bytes;
    n->data_count += count;
    return n->data_count < n->data_max;
}

static int start(void **state)
{
    (void)state;
    now = (seen){.s = scripted_create(), .data_max = 100};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    scripted_destroy(now.s);
    return 0;
}

static void test_timers_fire_in_order_of_time(void **state)
{
    (void)state;
    const live_transport *t = &now.s->transport;
    int64_t from = live_now(t);
    live_timer_set(t, from + 20, on_second, &now);
    live_timer_set(t, from + 10, on_first, &now);
    live_timer_stop(t, live_timer_set(t, from + 15, on_first, &now));
    scripted_advance(now.s, 30);
    assert_int_equal(now.fired_count, 3);
    assert_int_equal(now.fired[0], 1);
    assert_int_equal(now.fired[1], 2);
    assert_int_equal(now.fired[2], 1);
    assert_int_equal(now.fired_ns[1], from + 20);
    assert_int_equal(now.fired_ns[2], from + 25);
    assert_int_equal(live_now(t), from + 30);
}

static void test_requests_are_answered_and_time_out(void **state)
{
    (void)state;
    const live_transport *t = &now.s->transport;
    live_request request = {.method = "POST",
                            .path = "/a",
                            .content_type = "application/json",
                            .body = BERTH_STR("{}"),
                            .timeout_ns = 50,
                            .done = on_done,
                            .context = &now};
    live_send(t, &request);
    assert_string_equal(scripted_find(now.s, "POST", "/a")->body, "{}");
    scripted_answer(now.s, scripted_find(now.s, "POST", "/a"), 201, "made");
    assert_int_equal(now.status, 201);
    assert_string_equal(now.body, "made");
    live_send(t, &request);
    scripted_advance(now.s, 51);
    assert_int_equal(now.outcome, LIVE_UNKNOWN);
    live_cancel(t, live_send(t, &request));
    assert_int_equal(now.done_count, 2);
    assert_null(scripted_find(now.s, "", ""));
}

static void test_a_stream_ends_when_its_reader_has_enough(void **state)
{
    (void)state;
    live_send(
        &now.s->transport,
        &(live_request){
            .method = "GET", .path = "/w", .done = on_done, .data = on_data, .context = &now});
    assert_true(scripted_data(now.s, scripted_find(now.s, "GET", "/w"), "12", 2));
    now.data_max = 4;
    assert_false(scripted_data(now.s, scripted_find(now.s, "GET", "/w"), "34", 2));
    assert_int_equal(now.done_count, 1);
    assert_int_equal(now.outcome, LIVE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_timers_fire_in_order_of_time, start, stop),
        cmocka_unit_test_setup_teardown(test_requests_are_answered_and_time_out, start, stop),
        cmocka_unit_test_setup_teardown(test_a_stream_ends_when_its_reader_has_enough, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
