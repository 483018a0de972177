/* How long the taker of the inbox waits, and which calls signal it: with clocks, waits and signals
 * of the test, in one thread. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "live/run/inbox.h"

static const int64_t second = INT64_C(1000000000);

static inbox box;
static int64_t now_ns;             /* of event_loop_now */
static struct timespec steady, at; /* CLOCK_MONOTONIC; until when was waited last */
static size_t clocks, waits, signals;

int64_t __wrap_event_loop_now(void);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock);
int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until);
int __wrap_pthread_cond_signal(pthread_cond_t *condition);

int64_t __wrap_event_loop_now(void)
{
    return now_ns;
}

/* Of the condition variable. */
int __wrap_pthread_condattr_setclock(pthread_condattr_t *attributes, clockid_t clock)
{
    (void)attributes;
    assert_int_equal(clock, CLOCK_MONOTONIC);
    clocks++;
    return 0;
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *out)
{
    assert_int_equal(clock, CLOCK_MONOTONIC);
    *out = steady;
    return 0;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                  const struct timespec *until)
{
    assert_ptr_equal(condition, &box.changed);
    assert_ptr_equal(lock, &box.lock);
    assert_true(box.waiting);
    assert_int_equal(box.behind, 0); /* what was taken before is processed */
    waits++;
    at = *until;
    return ETIMEDOUT;
}

int __wrap_pthread_cond_signal(pthread_cond_t *condition)
{
    assert_ptr_equal(condition, &box.changed);
    signals++;
    return 0;
}

static int start(void **state)
{
    (void)state;
    clocks = 0;
    inbox_init(&box);
    assert_int_equal(clocks, 1);
    now_ns = 5000 * second;
    steady = (struct timespec){.tv_sec = 70, .tv_nsec = 900000000};
    waits = signals = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    inbox_destroy(&box);
    return 0;
}

static void put_removal(void)
{
    (void)inbox_put_change(&box, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("ns"), BERTH_STR("p"),
                           NULL);
}

/* Until the given time by the other clock, but at most a second. */
static void it_waits_for_a_second_at_most(void **state)
{
    static const struct {
        int64_t wait_ns;
        long seconds, ns;
    } cases[] = {
        {1, 70, 900000001},          {99999999, 70, 999999999},  {100000000, 71, 0},
        {300000000, 71, 200000000},  {999999999, 71, 899999999}, {1000000000, 71, 900000000},
        {1000000001, 71, 900000000}, {INT64_MAX, 71, 900000000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int64_t wait_ns = cases[i].wait_ns;
        assert_null(inbox_take(&box, wait_ns == INT64_MAX ? INT64_MAX : now_ns + wait_ns));
        assert_int_equal(waits, i + 1);
        assert_int_equal(at.tv_sec, cases[i].seconds);
        assert_int_equal(at.tv_nsec, cases[i].ns);
        assert_false(box.waiting);
    }
}

static void it_does_not_wait_without_need(void **state)
{
    (void)state;
    assert_null(inbox_take(&box, now_ns)); /* it is time */
    assert_null(inbox_take(&box, now_ns - 1));
    assert_null(inbox_take(&box, 0));
    put_removal();
    message *m = inbox_take(&box, INT64_MAX); /* there is a message */
    assert_non_null(m);
    message_free(m);
    inbox_wake(&box);
    assert_null(inbox_take(&box, INT64_MAX)); /* it was woken */
    assert_int_equal(waits, 0);
    assert_null(inbox_take(&box, INT64_MAX)); /* a wake counts once */
    assert_int_equal(waits, 1);
}

static void one_that_waits_is_signalled(void **state)
{
    (void)state;
    put_removal();
    inbox_wake(&box);
    inbox_flush(&box);
    (void)inbox_put(&box, MESSAGE_DECIDE);
    assert_int_equal(signals, 0); /* nobody waits */
    box.waiting = true;
    put_removal();
    assert_int_equal(signals, 1);
    inbox_wake(&box);
    assert_int_equal(signals, 2);
    (void)inbox_put(&box, MESSAGE_DECIDE);
    assert_int_equal(signals, 3);
    box.waiting = false;
}

static void what_is_gathered_is_signalled_by_a_flush(void **state)
{
    (void)state;
    inbox_gather(&box);
    box.waiting = true;
    inbox_flush(&box); /* there is nothing */
    put_removal();
    inbox_wake(&box);
    assert_int_equal(signals, 0);
    inbox_flush(&box);
    assert_int_equal(signals, 1);
    (void)inbox_put(&box, MESSAGE_DECIDE); /* does not wait for others */
    assert_int_equal(signals, 2);
    for (message *next, *m = inbox_take(&box, 0); m != NULL; m = next) {
        next = m->next;
        message_free(m);
    }
    inbox_flush(&box);
    assert_int_equal(signals, 2);
    inbox_wake(&box); /* without a message */
    inbox_flush(&box);
    assert_int_equal(signals, 3);
    box.waiting = false;
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(it_waits_for_a_second_at_most),
        T(it_does_not_wait_without_need),
        T(one_that_waits_is_signalled),
        T(what_is_gathered_is_signalled_by_a_flush),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
