/* Status patches against a scripted server: which are sent and which are not. */
#include "gated_writes.h"

#include "live/writes/status_writes.h"

static status_writes *statuses;

static int start(void **state)
{
    (void)state;
    gate_open();
    statuses = status_writes_create(&gate, &status_of_pods, true);
    return 0;
}

static const write_pod web = {.namespace_name = {"shop", 4},
                              .name = {"web-1", 5},
                              .uid = {"u-1", 3},
                              .version = 70,
                              .generation = 2};
static const wanted_condition full = {.reason = "Unschedulable", .message = {"full", 4}};
static const wanted_condition fuller = {.reason = "Unschedulable", .message = {"fuller", 6}};

static int stop(void **state)
{
    (void)state;
    write_pod last = web;
    last.name = BERTH_STR("last");
    assert_true(status_writes_put(statuses, &last, &full)); /* is cancelled */
    status_writes_destroy(statuses);
    gate_close();
    return 0;
}

static scripted_request *sent(void)
{
    scripted_request *r =
        scripted_find(server, "PATCH", "/api/v1/namespaces/shop/pods/web-1/status");
    assert_non_null(r);
    return r;
}

static void answer(int status)
{
    scripted_answer(server, sent(), status, "{\"metadata\":{\"resourceVersion\":\"80\"}}");
}

static void says_what_the_server_wants(void **state)
{
    (void)state;
    wanted_condition nominated = full;
    nominated.nomination = NOMINATION_SET;
    nominated.node = BERTH_STR("n1");
    assert_true(status_writes_put(statuses, &web, &nominated));
    assert_string_equal(sent()->content_type, "application/strategic-merge-patch+json");
    assert_string_equal(
        sent()->body,
        "{\"status\":{\"conditions\":[{\"lastProbeTime\":null,\"lastTransitionTime\":"
        "\"2026-11-18T11:06:40Z\",\"message\":\"full\",\"reason\":\"Unschedulable\",\"status\":"
        "\"False\",\"type\":\"PodScheduled\",\"observedGeneration\":2}],\"nominatedNodeName\":"
        "\"n1\"},\"metadata\":{\"uid\":\"u-1\"}}");
    answer(200);
    assert_int_equal(status_writes_pending(statuses), 0);
}

/* The condition of a PodGroup has no lastProbeTime, and may be True. */
static void says_it_of_groups(void **state)
{
    (void)state;
    status_writes *groups = status_writes_create(&gate, &status_of_pod_groups, true);
    write_pod group = web;
    wanted_condition placed = {.holds = true, .reason = "Scheduled"};
    static const char path[] =
        "/apis/scheduling.k8s.io/v1beta1/namespaces/shop/podgroups/web-1/status";
    group.scheduled = BERTH_STR("{\"type\":\"PodGroupInitiallyScheduled\",\"status\":\"False\","
                                "\"reason\":\"Unschedulable\",\"message\":\"full\","
                                "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}");
    assert_false(status_writes_put(groups, &group, &full));
    assert_true(status_writes_put(groups, &group, &placed));
    assert_false(status_writes_put(groups, &group, &fuller)); /* what is left over does not fit */
    scripted_request *request = scripted_find(server, "PATCH", path);
    assert_non_null(request);
    assert_string_equal(
        request->body,
        "{\"status\":{\"conditions\":[{\"lastTransitionTime\":\"2026-11-18T11:06:40Z\","
        "\"message\":\"\",\"reason\":\"Scheduled\",\"status\":\"True\",\"type\":"
        "\"PodGroupInitiallyScheduled\",\"observedGeneration\":2}]},\"metadata\":{\"uid\":"
        "\"u-1\"}}");
    scripted_answer(server, request, 200, "{\"metadata\":{\"resourceVersion\":\"80\"}}");
    group.scheduled = BERTH_STR("{\"type\":\"PodGroupInitiallyScheduled\",\"status\":\"True\","
                                "\"reason\":\"Scheduled\",\"message\":\"\"}");
    assert_false(status_writes_put(groups, &group, &fuller));
    group.version = 80;
    assert_false(status_writes_put(groups, &group, &placed));
    status_writes_destroy(groups);
}

/* lastTransitionTime stays while the condition is False. */
static void what_is_shown_is_not_sent(void **state)
{
    (void)state;
    write_pod pod = web;
    pod.scheduled = BERTH_STR("{\"type\":\"PodScheduled\",\"status\":\"False\",\"reason\":"
                              "\"Unschedulable\",\"message\":\"full\",\"lastTransitionTime\":"
                              "\"2026-01-01T00:00:00Z\"}");
    assert_false(status_writes_put(statuses, &pod, &full));
    wanted_condition cleared = full;
    cleared.nomination = NOMINATION_CLEARED;
    assert_false(status_writes_put(statuses, &pod, &cleared));
    assert_int_equal(server->sent, 0);
    pod.nominated = BERTH_STR("n2");
    assert_true(status_writes_put(statuses, &pod, &cleared));
    assert_non_null(strstr(sent()->body, "\"nominatedNodeName\":null"));
    answer(200);
    assert_true(status_writes_put(statuses, &pod, &fuller));
    assert_non_null(strstr(sent()->body, "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\""));
    assert_null(strstr(sent()->body, "nominated"));
    answer(200);
}

/* If the watch lags behind our write, the write counts. */
static void a_late_watch_is_no_reason(void **state)
{
    (void)state;
    assert_true(status_writes_put(statuses, &web, &full));
    assert_false(status_writes_put(statuses, &web, &full));
    answer(200);
    assert_false(status_writes_put(statuses, &web, &full));
    write_pod later = web;
    later.version = 79;
    assert_false(status_writes_put(statuses, &later, &full));
    later.version = 80;
    assert_true(status_writes_put(statuses, &later, &full)); /* somebody removed the condition */
    answer(200);
}

/* Status, reason, message and nominated node must all be as wanted. */
static void what_differs_is_sent(void **state)
{
    (void)state;
    static const struct {
        const char *status, *reason, *message, *nominated;
        bool sends;
    } cases[] = {
        {"False", "Unschedulable", "full", "n1", false},
        {"True", "Unschedulable", "full", "n1", true},
        {"False", "SchedulerError", "full", "n1", true},
        {"False", "Unschedulable", "fuller", "n1", true},
        {"False", "Unschedulable", "full", "n2", true},
        {"False", "Unschedulable", "full", NULL, true},
    };
    const size_t count = sizeof(cases) / sizeof(cases[0]);
    for (size_t i = 0; i < 2 * count; i++) {
        char scheduled[256];
        write_pod pod = web;
        wanted_condition wanted = full;
        snprintf(scheduled, sizeof(scheduled),
                 "{\"status\":\"%s\",\"reason\":\"%s\",\"message\":\"%s\"}",
                 cases[i % count].status, cases[i % count].reason, cases[i % count].message);
        pod.scheduled = write_str(scheduled);
        pod.nominated = write_str(cases[i % count].nominated);
        const bool nominates = i < count;
        if (nominates) { /* else the nominated node stays, whatever it is */
            wanted.nomination = NOMINATION_SET;
            wanted.node = BERTH_STR("n1");
        }
        assert_int_equal(status_writes_put(statuses, &pod, &wanted),
                         cases[i % count].sends && (nominates || i % count < 4));
        status_writes_drop(statuses, &pod);
    }
}

static void only_a_known_generation_is_said(void **state)
{
    (void)state;
    for (int generation = 0; generation < 2; generation++) {
        write_pod pod = web;
        pod.generation = generation;
        assert_true(status_writes_put(statuses, &pod, &full));
        assert_true((strstr(sent()->body, "\"observedGeneration\":") != NULL) == (generation == 1));
        status_writes_drop(statuses, &pod);
    }
}

static void the_newest_wins(void **state)
{
    (void)state;
    assert_true(status_writes_put(statuses, &web, &full));
    assert_true(status_writes_put(statuses, &web, &fuller));
    assert_true(status_writes_put(
        statuses, &web,
        &(wanted_condition){.nomination = NOMINATION_SET, .node = BERTH_STR("n3")}));
    assert_int_equal(server->request_count, 1);
    answer(200);
    assert_non_null(strstr(sent()->body, "\"message\":\"fuller\""));
    assert_non_null(strstr(sent()->body, "\"nominatedNodeName\":\"n3\""));
    answer(200);
    assert_int_equal(server->sent, 2);
    assert_int_equal(status_writes_pending(statuses), 0);
}

/* A new state is compared with that of the request in progress: a change to another message and
 * back is no change. */
static void there_and_back_is_no_change(void **state)
{
    (void)state;
    assert_true(status_writes_put(statuses, &web, &full));
    assert_true(status_writes_put(statuses, &web, &fuller));
    assert_false(status_writes_put(statuses, &web, &full));
    answer(200);
    assert_int_equal(server->sent, 1);
    assert_int_equal(status_writes_pending(statuses), 0);
}

static void errors_are_tried_four_times(void **state)
{
    (void)state;
    static const int statuses_tried[] = {409, 500, 503};
    for (size_t i = 0; i < 3; i++) {
        uint64_t before = server->sent;
        status_writes_put(statuses, &web, &full);
        for (int tries = 0; tries < 4; tries++) {
            answer(statuses_tried[i]);
            scripted_advance(server, second);
        }
        assert_int_equal(server->sent - before, 4);
        assert_int_equal(status_writes_pending(statuses), 0);
    }
}

static void gone_and_replaced_are_dropped(void **state)
{
    (void)state;
    static const int statuses_tried[] = {404, 422, 403};
    for (size_t i = 0; i < 3; i++) {
        status_writes_put(statuses, &web, &full);
        answer(statuses_tried[i]);
        assert_int_equal(status_writes_pending(statuses), 0);
    }
    status_writes_put(statuses, &web, &full);
    status_writes_drop(statuses, &web);
    assert_int_equal(status_writes_pending(statuses), 0);
}

static void an_absent_server_is_waited_for(void **state)
{
    (void)state;
    status_writes_put(statuses, &web, &full);
    for (int i = 0; i < 20; i++) {
        scripted_fail(server, sent(), i % 2 == 0 ? LIVE_NOT_SENT : LIVE_UNKNOWN);
        scripted_advance(server, 31 * second);
    }
    scripted_retry_after(server, sent(), 429, 50);
    scripted_advance(server, 50 * second);
    answer(200);
    assert_int_equal(status_writes_pending(statuses), 0);
}

/* The request is sent again after so long, and not earlier. */
static void fail_and_wait(int64_t delay_ns)
{
    scripted_fail(server, sent(), LIVE_NOT_SENT);
    scripted_advance(server, delay_ns - 1);
    assert_int_equal(server->request_count, 0);
    assert_true(status_writes_is_pending(statuses, &web));
    scripted_advance(server, 1);
    (void)sent();
}

static void pauses_grow_fivefold(void **state)
{
    static const int64_t milliseconds[] = {10, 50, 250, 1250, 6250, 30000, 30000};
    (void)state;
    status_writes_put(statuses, &web, &full);
    for (size_t i = 0; i < sizeof(milliseconds) / sizeof(milliseconds[0]); i++)
        fail_and_wait(milliseconds[i] * 1000000);
    answer(200);
    assert_false(status_writes_is_pending(statuses, &web));
    status_writes_put(statuses, &web, &fuller); /* begins anew */
    fail_and_wait(10000000);
    fail_and_wait(50000000);
    status_writes_put(statuses, &web, &full); /* and while one is sent, too: then at once */
    scripted_fail(server, sent(), LIVE_NOT_SENT);
    assert_non_null(strstr(sent()->body, "\"message\":\"full\""));
    fail_and_wait(10000000);
    answer(200);
}

static void a_retry_after_is_the_least(void **state)
{
    (void)state;
    status_writes_put(statuses, &web, &full);
    scripted_retry_after(server, sent(), 429, 0);
    scripted_advance(server, 10000000 - 1);
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, 1);
    scripted_retry_after(server, sent(), 429, 50);
    scripted_advance(server, 50 * second - 1);
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, 1);
    answer(200);
}

/* Errors count for the state that they refuse. */
static void another_state_has_four_tries_too(void **state)
{
    (void)state;
    status_writes_put(statuses, &web, &full);
    for (int tries = 0; tries < 3; tries++) {
        answer(500);
        scripted_advance(server, second);
    }
    status_writes_put(statuses, &web, &fuller);
    answer(500); /* for the old state */
    for (int tries = 0; tries < 4; tries++) {
        assert_int_equal(status_writes_pending(statuses), 1);
        answer(500);
        scripted_advance(server, second);
    }
    assert_int_equal(status_writes_pending(statuses), 0);
    status_writes_put(statuses, &web, &full);
    for (int tries = 0; tries < 3; tries++) {
        answer(500);
        scripted_advance(server, second);
    }
    answer(200);
    write_pod later = web;
    later.version = 90;
    status_writes_put(statuses, &later, &full); /* after success, all four again */
    for (int tries = 0; tries < 3; tries++) {
        answer(500);
        scripted_advance(server, second);
    }
    answer(200);
}

/* A state that waits, for a pause or for its turn, is replaced where it stands. */
static void one_that_waits_is_replaced(void **state)
{
    (void)state;
    status_writes_put(statuses, &web, &full);
    scripted_fail(server, sent(), LIVE_NOT_SENT);
    assert_true(status_writes_put(statuses, &web, &fuller));
    assert_int_equal(status_writes_pending(statuses), 1);
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, 10000000);
    assert_int_equal(server->request_count, 1);
    assert_non_null(strstr(sent()->body, "\"message\":\"fuller\""));
    answer(200);
    assert_int_equal(server->sent, 2);
}

static void eight_at_a_time(void **state)
{
    (void)state;
    char name[16];
    for (int i = 0; i < 30; i++) {
        write_pod pod = web;
        snprintf(name, sizeof(name), "p-%d", i);
        pod.name = write_str(name);
        status_writes_put(statuses, &pod, &full);
    }
    assert_int_equal(server->request_count, 8);
    assert_int_equal(status_writes_pending(statuses), 30); /* sent or queued */
    for (int i = 0; i < 3; i++)
        scripted_fail(server, &server->requests[0], LIVE_NOT_SENT);
    assert_int_equal(status_writes_pending(statuses), 30); /* or waiting */
    scripted_advance(server, second);
    while (server->request_count > 0)
        scripted_answer(server, scripted_find(server, "PATCH", ""), 200,
                        "{\"metadata\":{\"resourceVersion\":\"80\"}}");
    assert_int_equal(server->sent, 33);
    assert_int_equal(status_writes_pending(statuses), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(says_what_the_server_wants),
        T(says_it_of_groups),
        T(what_is_shown_is_not_sent),
        T(a_late_watch_is_no_reason),
        T(the_newest_wins),
        T(errors_are_tried_four_times),
        T(gone_and_replaced_are_dropped),
        T(an_absent_server_is_waited_for),
        T(what_differs_is_sent),
        T(only_a_known_generation_is_said),
        T(pauses_grow_fivefold),
        T(a_retry_after_is_the_least),
        T(another_state_has_four_tries_too),
        T(one_that_waits_is_replaced),
        T(eight_at_a_time),
        T(there_and_back_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
