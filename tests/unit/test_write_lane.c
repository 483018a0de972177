/* Lanes of writes: their order, how many are in progress, the rate limit, the fence, the pauses
 * between tries, and the counts. */
#include "gated_writes.h"

#include "live/writes/write_json.h"

enum { TASKS = 12 };

static write_lane lane, other;
static write_task tasks[TASKS];
static size_t answered;

static void on_answered(write_task *task, const live_answer *answer)
{
    (void)task;
    (void)answer;
    answered++;
}

static int start(void **state)
{
    (void)state;
    gate_open();
    write_lane_open(&lane, &gate, LIVE_WRITES, 2, "create things");
    write_lane_open(&other, &gate, LIVE_LEASE, 2, "create others");
    answered = 0;
    for (size_t i = 0; i < TASKS; i++)
        tasks[i] = (write_task){.method = "POST",
                                .path = write_path("/things/%c", (char)('a' + i)),
                                .answered = on_answered};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < TASKS; i++)
        write_task_clear(&tasks[i]);
    assert_int_equal(lane.queued + lane.sent + lane.waiting, 0);
    write_lane_close(&lane);
    write_lane_close(&other);
    assert_null(gate.lanes);
    gate_close();
    return 0;
}

static void answer(const char *path, int status)
{
    scripted_request *r = scripted_find(server, "POST", path);
    assert_non_null(r);
    scripted_answer(server, r, status, "{}");
}

static void assert_sent(const char *paths)
{
    assert_int_equal(server->request_count, strlen(paths));
    for (size_t i = 0; paths[i] != '\0'; i++)
        assert_int_equal(server->requests[i].path[strlen("/things/")], paths[i]);
}

static void put(size_t i)
{
    write_lane_put(&lane, &tasks[i], false);
}

static void first_come_first_served(void **state)
{
    (void)state;
    for (size_t i = 0; i < 5; i++)
        put(i);
    write_lane_put(&lane, &tasks[5], true);
    assert_sent("ab");
    assert_int_equal(lane.queued, 4);
    assert_int_equal(lane.sent, 2);
    answer("/a", 200);
    assert_sent("bf");
    answer("/b", 200);
    assert_sent("fc");
    write_task_drop(&tasks[3]); /* from the middle of the queue */
    put(6);
    answer("/f", 200);
    answer("/c", 200);
    assert_sent("eg");
    write_task_drop(&tasks[6]); /* a request in progress */
    assert_sent("e");
    assert_int_equal(lane.sent, 1);
    assert_true(write_task_is_sent(&tasks[4]));
    answer("/e", 200);
    assert_false(write_task_is_sent(&tasks[4]));
    write_task_again(&tasks[4], second);
    write_task_drop(&tasks[4]); /* a task that waits */
    assert_int_equal(lane.waiting, 0);
    write_task_clear(&tasks[4]);
    write_task_clear(&tasks[4]);
    assert_int_equal(answered, 5);
    assert_int_equal(lane.asked, 6);
}

static void a_request_says_what_its_lane_says(void **state)
{
    (void)state;
    gate.fence_ns = server->now_ns + 7;
    other.timeout_ns = 3 * second;
    tasks[1].content_type = "application/json";
    tasks[1].body = write_path("{}");
    put(0);
    write_lane_put(&other, &tasks[1], false);
    const scripted_request *plain = &server->requests[0], *whole = &server->requests[1];
    assert_int_equal(plain->connection, LIVE_WRITES);
    assert_int_equal(plain->timeout_ns, 40 * second);
    assert_int_equal(plain->not_after_ns, server->now_ns + 7);
    assert_string_equal(plain->body, "");
    assert_int_equal(whole->connection, LIVE_LEASE);
    assert_int_equal(whole->timeout_ns, 3 * second);
    assert_string_equal(whole->content_type, "application/json");
    assert_string_equal(whole->body, "{}");
    assert_int_equal(tasks[0].sent_ns, server->now_ns);
    gate.fence_ns = LIVE_NEVER;
    put(2);
    assert_int_equal(server->requests[2].not_after_ns, 0);
}

/* Nothing is sent at the fence; one nanosecond before it, all is. */
static void nothing_passes_the_fence(void **state)
{
    (void)state;
    gate.fence_ns = server->now_ns + second;
    scripted_advance(server, second);
    put(0);
    write_lane_put(&other, &tasks[1], false);
    assert_sent("");
    write_gate_fence(&gate, server->now_ns);
    assert_sent("");
    assert_false(write_gate_is_idle(&gate));
    write_gate_fence(&gate, server->now_ns + 1);
    assert_sent("ab");
}

static void a_lane_waits_for_another(void **state)
{
    (void)state;
    other.after = &lane;
    for (size_t i = 0; i < 3; i++)
        put(i);
    write_lane_put(&other, &tasks[3], false);
    assert_sent("ab");
    answer("/a", 200);
    assert_sent("bcd");
}

static void a_lane_that_ends_only_repeats(void **state)
{
    (void)state;
    put(0);
    put(1);
    lane.ends = true;
    put(2);
    answer("/a", 503);
    write_lane_put(&lane, &tasks[0], false);
    assert_sent("ba");
    answer("/b", 200);
    answer("/a", 200);
    assert_sent("");
    assert_int_equal(lane.queued, 1);
}

static void idle_is_nothing_at_all(void **state)
{
    (void)state;
    assert_true(write_gate_is_idle(&gate));
    write_lane_put(&other, &tasks[0], false);
    assert_false(write_gate_is_idle(&gate)); /* sent */
    answer("/a", 503);
    assert_true(write_gate_is_idle(&gate));
    write_task_again(&tasks[0], second);
    assert_false(write_gate_is_idle(&gate)); /* waiting */
    assert_int_equal(other.waiting, 1);
    scripted_advance(server, second - 1);
    assert_sent("");
    scripted_advance(server, 1);
    assert_sent("a");
    assert_int_equal(other.waiting, 0);
    answer("/a", 503);
    other.limit = 1;
    write_lane_put(&other, &tasks[1], false);
    write_task_again(&tasks[0], second);
    assert_false(write_gate_is_idle(&gate)); /* one is sent, one waits */
    write_task_drop(&tasks[0]);
    write_lane_put(&other, &tasks[2], false);
    assert_false(write_gate_is_idle(&gate)); /* one is sent, one is queued */
}

static void refusals_are_counted(void **state)
{
    static const int statuses[] = {429, 403, 429, 200, 401, 503};
    static const size_t refused[] = {1, 1, 2, 2, 2, 2};
    static const bool denied[] = {false, true, false, false, true, false};
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        put(0);
        answer("/a", statuses[i]);
        assert_int_equal(lane.refused, refused[i]);
        assert_int_equal(lane.denied, denied[i]);
    }
    put(0);
    answer("/a", 403);
    put(0);
    scripted_fail(server, &server->requests[0], LIVE_UNKNOWN);
    assert_true(lane.denied); /* no answer says nothing about rules */
}

/* ---- the rate ---- */

static const char *limited_method;
static int64_t limited_ns;
static size_t limited;

static void on_limited(void *context, const char *method, int64_t waited_ns)
{
    assert_ptr_equal(context, &limited);
    limited++;
    limited_method = method;
    limited_ns = waited_ns;
}

static void limit_rate(double rate, double burst)
{
    lane.limit = TASKS;
    gate.rate = rate;
    gate.burst = burst;
    gate.limited = on_limited;
    gate.context = &limited;
    limited = 0;
}

static void a_burst_then_the_rate(void **state)
{
    (void)state;
    limit_rate(4, 3);
    for (size_t i = 0; i < 6; i++)
        put(i);
    assert_sent("abc");
    assert_int_equal(limited, 3);
    assert_int_equal(limited_ns, 0);
    assert_int_equal(server->timer_count, 1);
    scripted_advance(server, second / 4 - 1);
    write_lane_pump(&lane);
    assert_sent("abc");
    scripted_advance(server, 2);
    assert_sent("abcd");
    assert_int_equal(limited, 4);
    assert_string_equal(limited_method, "POST");
    assert_int_equal(limited_ns, second / 4 + 1);
    scripted_advance(server, second / 4 + 1);
    assert_sent("abcde");
    assert_true(limited_ns <= second / 4 + 1); /* since the one before */
    scripted_advance(server, second / 4 + 1);
    assert_sent("abcdef");
    assert_int_equal(server->timer_count, 0);
    scripted_advance(server, 100 * second); /* the requests time out; a burst is saved at most */
    for (size_t i = 6; i < 10; i++)
        put(i);
    assert_sent("ghi");
}

/* A task that gave up its place has not waited for the rate. */
static void a_dropped_task_waits_for_nothing(void **state)
{
    (void)state;
    limit_rate(0.5, 1);
    put(0);
    put(1);
    scripted_advance(server, second / 2);
    write_task_drop(&tasks[1]);
    scripted_advance(server, 5 * second);
    put(2);
    assert_sent("ac");
    assert_int_equal(limited_ns, 0);
    put(3);
    put(4);
    scripted_advance(server, second);
    write_task_drop(&tasks[4]); /* the other one has waited all the time */
    scripted_advance(server, second + 1);
    assert_sent("acd");
    assert_int_equal(limited_ns, 2 * second + 1);
}

/* ---- pauses ---- */

static void pauses_double_up_to_a_limit(void **state)
{
    static const int64_t expected[] = {100, 100, 200, 400, 800, 1000, 1000};
    (void)state;
    for (unsigned tries = 0; tries < 7; tries++) {
        int64_t least_ns = INT64_MAX, most_ns = 0;
        for (int i = 0; i < 2000; i++) {
            const int64_t ns = write_backoff(&gate, tries, 100, 1000);
            least_ns = ns < least_ns ? ns : least_ns;
            most_ns = ns > most_ns ? ns : most_ns;
        }
        assert_int_equal(least_ns, expected[tries]);
        assert_int_equal(most_ns, expected[tries] + expected[tries] / 5);
    }
}

/* The server's Retry-After is respected if it is longer than the pause. */
static void the_servers_pause_counts(void **state)
{
    (void)state;
    for (int after_s = 1; after_s <= 100; after_s += 99) {
        put(0);
        answer("/a", 429);
        write_task_retry(&tasks[0], &(live_answer){.retry_after_ns = after_s * second}, 2,
                         5 * second, 20 * second);
        const int64_t least_ns = after_s == 100 ? 100 * second : 10 * second;
        scripted_advance(server, least_ns - 1);
        assert_sent("");
        scripted_advance(server, after_s == 100 ? 1 : 2 * second + 1);
        assert_sent("a");
        answer("/a", 200);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(first_come_first_served),
        T(a_request_says_what_its_lane_says),
        T(nothing_passes_the_fence),
        T(a_lane_waits_for_another),
        T(a_lane_that_ends_only_repeats),
        T(idle_is_nothing_at_all),
        T(refusals_are_counted),
        T(a_burst_then_the_rate),
        T(a_dropped_task_waits_for_nothing),
        T(pauses_double_up_to_a_limit),
        T(the_servers_pause_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
