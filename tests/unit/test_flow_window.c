/* How many bindings may be in progress: one more after each window of answers, half as many when
 * the server pushes back or slows down, and how long the fastest answers count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/writes/flow_window.h"

static const int64_t second = INT64_C(1000000000), millisecond = 1000000;

static flow_window w;
static int64_t now_ns;

static int start(void **state)
{
    (void)state;
    now_ns = 5 * second;
    flow_window_init(&w, now_ns);
    return 0;
}

static void succeed(int64_t latency_ns)
{
    flow_window_success(&w, now_ns - latency_ns, now_ns);
}

/* A whole window of answers, each of which took as long. */
static void answer_window(int64_t latency_ns)
{
    for (size_t left = w.size; left > 0; left--)
        succeed(latency_ns);
}

static void each_whole_window_makes_room_for_one(void **state)
{
    (void)state;
    assert_int_equal(w.size, 16);
    for (size_t size = 16; size < 100; size++) {
        for (size_t i = 1; i < size; i++)
            succeed(millisecond);
        assert_int_equal(w.size, size);
        succeed(millisecond);
        assert_int_equal(w.size, size + 1);
    }
    answer_window(millisecond);
    assert_int_equal(w.size, 100);
}

/* Requests that were in progress when the window was halved say nothing about the new one. */
static void a_pushback_halves_once(void **state)
{
    static const size_t sizes[] = {16, 8, 4, 4};
    (void)state;
    for (size_t i = 1; i < 4; i++) {
        flow_window_pushback(&w, now_ns, now_ns + 10);
        assert_int_equal(w.size, sizes[i]);
        flow_window_pushback(&w, now_ns + 9, now_ns + 20);
        assert_int_equal(w.size, sizes[i]);
        now_ns += 10;
    }
    now_ns += 20;
    for (int i = 0; i < 20; i++)
        succeed(21);
    assert_int_equal(w.size, 4);
    answer_window(20);
    assert_int_equal(w.size, 5);
}

static void a_halved_window_begins_anew(void **state)
{
    (void)state;
    for (int i = 0; i < 15; i++)
        succeed(millisecond);
    flow_window_pushback(&w, now_ns, now_ns);
    assert_int_equal(w.size, 8);
    for (int i = 0; i < 7; i++)
        succeed(0);
    assert_int_equal(w.size, 8);
    succeed(0);
    assert_int_equal(w.size, 9);
}

/* Only more than twice the least latency, and more than 250 ms, is slow. */
static void a_slow_server_gets_half(void **state)
{
    (void)state;
    answer_window(100 * millisecond);
    answer_window(250 * millisecond); /* harmless in any case */
    assert_int_equal(w.size, 18);
    now_ns += second;
    answer_window(250 * millisecond + 1);
    assert_int_equal(w.size, 9);
    assert_int_equal(w.cut_ns, now_ns);
    start(NULL);
    answer_window(200 * millisecond);
    answer_window(400 * millisecond + 1);
    assert_int_equal(w.size, 18);
    answer_window(400 * millisecond + 2);
    assert_int_equal(w.size, 9);
}

/* A few slow answers are no reason, but a half of them is. */
static void the_median_counts(void **state)
{
    (void)state;
    answer_window(10 * millisecond);
    for (int i = 0; i < 17; i++)
        succeed(i >= 5 && i < 13 ? second : 10 * millisecond);
    assert_int_equal(w.size, 18);
    for (int i = 0; i < 18; i++)
        succeed(i < 9 ? second : 10 * millisecond);
    assert_int_equal(w.size, 9);
}

/* A server that has become slower for good is measured by what it does now: after one to two
 * minutes. */
static void the_past_is_forgotten(void **state)
{
    (void)state;
    const int64_t began_ns = now_ns;
    answer_window(millisecond);
    now_ns = began_ns + 60 * second - 1;
    answer_window(millisecond);
    assert_int_equal(w.period_ns, began_ns);
    now_ns++;
    answer_window(millisecond);
    assert_int_equal(w.period_ns, now_ns);
    start(NULL);
    answer_window(millisecond);
    now_ns = began_ns + 60 * second - 1;
    answer_window(second);
    assert_int_equal(w.size, 8);
    now_ns = began_ns + 62 * second;
    answer_window(second); /* begins the second period */
    assert_int_equal(w.size, 4);
    now_ns = began_ns + 121 * second;
    answer_window(second); /* still within a minute of that */
    assert_int_equal(w.size, 4);
    now_ns = began_ns + 123 * second;
    answer_window(second);
    assert_int_equal(w.size, 5);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup(name, start)
    const struct CMUnitTest tests[] = {
        T(each_whole_window_makes_room_for_one),
        T(a_pushback_halves_once),
        T(a_halved_window_begins_anew),
        T(a_slow_server_gets_half),
        T(the_median_counts),
        T(the_past_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
