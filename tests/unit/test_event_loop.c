/* The event loop: descriptors that are watched, at rest, closed and opened again, and timers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/transport/event_loop.h"

#define SECOND INT64_C(1000000000)

static struct {
    event_loop *loop;
    int ends[2];
    int calls, fired;
} w;

static int start(void **state)
{
    (void)state;
    w.calls = w.fired = 0;
    w.loop = event_loop_create();
    return w.loop == NULL || pipe(w.ends) != 0;
}

static int stop(void **state)
{
    (void)state;
    event_loop_destroy(w.loop);
    return close(w.ends[0]) | close(w.ends[1]);
}

static void on_ready(void *context, int fd, uint32_t events)
{
    assert_ptr_equal(context, &w);
    assert_int_equal(fd, w.ends[0]);
    assert_int_equal(events & EPOLLIN, EPOLLIN);
    w.calls++;
}

static void on_time(void *context)
{
    (void)context;
    w.fired++;
}

static void watch(void)
{
    assert_true(event_loop_fd(w.loop, w.ends[0], EPOLLIN, on_ready, &w));
}

static void fill(void)
{
    assert_int_equal(write(w.ends[1], "x", 1), 1);
}

static void turn_calls(int wanted)
{
    w.calls = 0;
    event_loop_turn(w.loop, 0);
    assert_int_equal(w.calls, wanted);
}

/* Bytes that lie in a descriptor at rest wait until it is watched again. */
static void test_rests(void **state)
{
    (void)state;
    watch();
    turn_calls(0);
    fill();
    turn_calls(1);
    event_loop_fd_rest(w.loop, w.ends[0]);
    turn_calls(0);
    turn_calls(0);
    watch();
    turn_calls(1);
    event_loop_fd_rest(w.loop, w.ends[0]);
    watch();
    turn_calls(1);
}

/* One that has something to tell while it rests does not keep the loop from waiting. */
static void test_rests_quietly(void **state)
{
    (void)state;
    watch();
    event_loop_fd_rest(w.loop, w.ends[0]);
    fill();
    turn_calls(0);
    (void)event_loop_timer(w.loop, event_loop_now() + SECOND / 100, on_time, NULL);
    event_loop_turn(w.loop, 20 * SECOND);
    assert_int_equal(w.calls, 0);
    assert_int_equal(w.fired, 1);
}

/* Another one with the number of one that was closed while it rested. */
static void test_closed_at_rest(void **state)
{
    (void)state;
    int others[2];
    watch();
    event_loop_fd_rest(w.loop, w.ends[0]);
    assert_int_equal(pipe(others), 0);
    assert_int_equal(close(w.ends[1]), 0);
    assert_int_equal(dup2(others[0], w.ends[0]), w.ends[0]);
    assert_int_equal(close(others[0]), 0);
    w.ends[1] = others[1];
    watch();
    turn_calls(0);
    fill();
    turn_calls(1);
    assert_true(event_loop_fd(w.loop, w.ends[0], 0, NULL, NULL));
    turn_calls(0);
}

enum { TIMERS = 31, TIMES = 20 };

static struct {
    int numbers[TIMERS], order[TIMERS], count; /* timer i has &numbers[i] */
} due;

static void on_due(void *context)
{
    due.order[due.count++] = (int)((const int *)context - due.numbers);
}

/* Timers fire in the order of their times, and those of equal times in the order in which they were
 * set, whichever of them are stopped. */
static void test_order_of_timers(void **state)
{
    (void)state;
    const int64_t begin_ns = event_loop_now() - SECOND;
    live_id ids[TIMERS];
    due.count = 0;
    for (int i = 0; i < TIMERS; i++)
        ids[i] = event_loop_timer(w.loop, begin_ns + 7 * i % TIMES, on_due, &due.numbers[i]);
    for (int i = 0; i < TIMERS; i += 5)
        event_loop_timer_stop(w.loop, ids[i]);
    event_loop_turn(w.loop, 0);
    assert_int_equal(due.count, 24);
    for (int at = 1; at < due.count; at++) {
        const int before = due.order[at - 1], after = due.order[at];
        const int earlier = 7 * before % TIMES, later = 7 * after % TIMES;
        assert_true(earlier < later || (earlier == later && before < after));
    }
}

static void test_never_watched(void **state)
{
    (void)state;
    event_loop_fd_rest(w.loop, w.ends[0]);
    event_loop_fd_rest(w.loop, 100000);
    assert_true(event_loop_fd(w.loop, w.ends[0], 0, NULL, NULL));
    event_loop_fd_rest(w.loop, w.ends[0]);
    watch();
    fill();
    turn_calls(1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(test_rests),         TEST(test_rests_quietly),   TEST(test_closed_at_rest),
        TEST(test_never_watched), TEST(test_order_of_timers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
