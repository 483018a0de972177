/* Bindings against a scripted server: every response, no response, and events in between. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/writes/bindings.h"
#include "scripted_transport.h"

static const int64_t second = INT64_C(1000000000);

typedef struct setup {
    scripted_transport *s;
    write_gate gate;
    bindings *b;
    size_t settled;
    uint64_t id;
    bind_verdict verdict;
    char why[256];
} setup;

static setup now;

static void on_settled(void *context, const bind_outcome *outcome)
{
    setup *n = context;
    n->settled++;
    n->id = outcome->id;
    n->verdict = outcome->verdict;
    snprintf(n->why, sizeof(n->why), "%s", outcome->why);
}

static int start(void **state)
{
    (void)state;
    now = (setup){.s = scripted_create()};
    now.gate = (write_gate){.transport = &now.s->transport, .fence_ns = LIVE_NEVER};
    now.b = bindings_create(&now.gate, on_settled, &now);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    bindings_destroy(now.b);
    assert_int_equal(now.s->request_count, 0);
    assert_int_equal(now.s->timer_count, 0);
    scripted_destroy(now.s);
    return 0;
}

static const write_pod web = {
    .namespace_name = {"shop", 4}, .name = {"web-1", 5}, .uid = {"u-1", 3}};

static void put(uint64_t id)
{
    bindings_put(now.b, id, &web, BERTH_STR("n1"));
}

static scripted_request *sent(void)
{
    scripted_request *r = scripted_find(now.s, "POST", "/binding");
    assert_non_null(r);
    return r;
}

static void answer(int status, const char *body)
{
    scripted_answer(now.s, sent(), status, body);
}

static void is_settled(bind_verdict verdict)
{
    assert_int_equal(now.settled, 1);
    assert_int_equal(now.id, 7);
    assert_int_equal(now.verdict, verdict);
    assert_int_equal(bindings_count(now.b), 0);
    assert_int_equal(now.s->request_count, 0);
}

static void says_what_the_server_wants(void **state)
{
    (void)state;
    put(7);
    const scripted_request *r = sent();
    assert_string_equal(r->path, "/api/v1/namespaces/shop/pods/web-1/binding");
    assert_string_equal(r->content_type, "application/json");
    assert_string_equal(
        r->body, "{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":\"web-1\","
                 "\"namespace\":\"shop\",\"uid\":\"u-1\"},\"target\":{\"kind\":\"Node\","
                 "\"name\":\"n1\"}}");
    assert_int_equal(r->connection, LIVE_BINDINGS);
    assert_int_equal(r->timeout_ns, 40 * second);
    answer(201, "{\"kind\":\"Status\",\"status\":\"Success\",\"code\":201}");
    is_settled(BIND_BOUND);
}

static void definite_answers(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
        bind_verdict verdict;
    } cases[] = {
        {404, "{\"message\":\"pods \\\"web-1\\\" not found\"}", BIND_REFUSED},
        {409, "{\"message\":\"pod web-1 is already assigned to node \\\"n1\\\"\"}", BIND_BOUND},
        {409, "{\"message\":\"pod web-1 is already assigned to node \\\"n12\\\"\"}", BIND_REFUSED},
        {409, "{\"message\":\"Precondition failed: UID in precondition\"}", BIND_REFUSED},
        {409, "not even JSON", BIND_REFUSED},
        {400, "{\"message\":\"no\"}", BIND_FAILED},
        {422, "{\"message\":\"no\"}", BIND_FAILED},
        {500, "{\"message\":\"target.kind: Unsupported value\"}", BIND_FAILED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        now.settled = 0;
        put(7);
        answer(cases[i].status, cases[i].body);
        is_settled(cases[i].verdict);
    }
}

static void unknown_is_repeated_the_same(void **state)
{
    (void)state;
    static const int statuses[] = {0, 502, 504, 500, 503, 500};
    for (size_t i = 0; i < 6; i++) {
        now.settled = 0;
        put(7);
        char *first = strdup(sent()->body);
        if (statuses[i] == 0)
            scripted_fail(now.s, sent(), LIVE_UNKNOWN);
        else
            answer(statuses[i], i == 5 ? "{\"message\":\"targets are away\"}" : "{}");
        assert_int_equal(now.settled, 0);
        assert_null(scripted_find(now.s, "", ""));
        scripted_advance(now.s, second / 4);
        assert_string_equal(sent()->body, first);
        free(first);
        answer(409, "{\"message\":\"already assigned to node \\\"n1\\\"\"}");
        is_settled(BIND_BOUND);
    }
}

static void server_away_for_long_loses_nothing(void **state)
{
    (void)state;
    put(7);
    uint64_t before = now.s->sent;
    for (int i = 0; i < 60; i++) {
        scripted_fail(now.s, sent(), LIVE_NOT_SENT);
        scripted_advance(now.s, 6 * second);
    }
    assert_int_equal(now.s->sent - before, 60);
    answer(201, "{}");
    is_settled(BIND_BOUND);
}

static void time_out_counts_as_unknown(void **state)
{
    (void)state;
    put(7);
    scripted_advance(now.s, 40 * second + second / 2);
    assert_int_equal(now.settled, 0);
    answer(201, "{}");
    is_settled(BIND_BOUND);
}

/* If errors do not stop, the pod is fetched as soon as no attempt can take effect any more, and not
 * before. */
static void after_many_errors_the_pod_is_asked_for(void **state)
{
    (void)state;
    put(7);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    int64_t unsure_ns = now.s->now_ns;
    for (int i = 0; i < 8; i++) {
        scripted_advance(now.s, 6 * second);
        answer(500, "{\"message\":\"etcdserver: mvcc: database space exceeded\"}");
        if (i == 0)
            assert_null(scripted_find(now.s, "GET", ""));
    }
    assert_null(scripted_find(now.s, "POST", ""));
    if (scripted_find(now.s, "GET", "") == NULL)
        scripted_advance(now.s, 40 * second);
    scripted_request *get = scripted_find(now.s, "GET", "/api/v1/namespaces/shop/pods/web-1");
    assert_non_null(get);
    assert_true(get->sent_ns >= unsure_ns + 40 * second);
    scripted_answer(now.s, get, 500, "{}");
    scripted_advance(now.s, 6 * second);
    scripted_answer(now.s, scripted_find(now.s, "GET", ""), 200,
                    "{\"metadata\":{\"uid\":\"u-1\"},\"spec\":{}}");
    is_settled(BIND_FAILED);
}

static void asked(const char *pod, int status, bind_verdict verdict)
{
    now.settled = 0;
    put(7);
    for (int i = 0; i < 8; i++) {
        answer(503, "{}");
        scripted_advance(now.s, 6 * second);
    }
    scripted_request *get = scripted_find(now.s, "GET", "/pods/web-1");
    assert_non_null(get);
    scripted_answer(now.s, get, status, pod);
    is_settled(verdict);
}

static void what_the_pod_tells(void **state)
{
    (void)state;
    asked("{\"metadata\":{\"uid\":\"u-1\"},\"spec\":{\"nodeName\":\"n1\"}}", 200, BIND_BOUND);
    asked("{\"metadata\":{\"uid\":\"u-1\"},\"spec\":{\"nodeName\":\"n2\"}}", 200, BIND_REFUSED);
    asked("{\"metadata\":{\"uid\":\"u-2\"},\"spec\":{}}", 200, BIND_REFUSED);
    asked("{}", 404, BIND_REFUSED);
}

static void too_many_requests(void **state)
{
    (void)state;
    put(7);
    assert_int_equal(bindings_window(now.b), 16);
    scripted_retry_after(now.s, sent(), 429, 3);
    assert_int_equal(bindings_window(now.b), 8);
    scripted_advance(now.s, 3 * second - 1);
    assert_null(scripted_find(now.s, "", ""));
    scripted_advance(now.s, 1);
    answer(201, "{}");
    is_settled(BIND_BOUND);
}

static void window_bounds_what_is_under_way(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 200; i++)
        put(i);
    assert_int_equal(now.s->request_count, 16);
    size_t most = 0;
    while (now.s->request_count > 0) {
        most = now.s->request_count > most ? now.s->request_count : most;
        scripted_advance(now.s, second / 1000);
        answer(201, "{}");
        assert_true(now.s->request_count <= bindings_window(now.b));
    }
    assert_int_equal(now.settled, 200);
    assert_int_equal(most, bindings_window(now.b) - 1);
    assert_true(bindings_window(now.b) > 20);
}

static void denied_is_told_and_recovers(void **state)
{
    (void)state;
    put(7);
    for (int i = 0; i < 20; i++) {
        answer(403, "{\"message\":\"pods is forbidden: cannot create resource pods/binding\"}");
        assert_true(bindings_denied(now.b));
        scripted_advance(now.s, 6 * second);
    }
    answer(201, "{}");
    assert_false(bindings_denied(now.b));
    is_settled(BIND_BOUND);
}

/* Answer `count` attempts with 503, each as soon as it comes. */
static void fail_at_once(int count)
{
    for (int i = 0; i < count; i++) {
        while (scripted_find(now.s, "POST", "/binding") == NULL)
            scripted_advance(now.s, second / 1000);
        answer(503, "{}");
    }
}

/* An attempt without an answer may take effect until 40 s after it was sent. */
static void the_pod_is_asked_for_at_the_earliest_moment(void **state)
{
    (void)state;
    put(7);
    const int64_t sent_ns = now.s->now_ns;
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    fail_at_once(8);
    assert_true(now.s->now_ns < sent_ns + 39 * second);
    scripted_advance(now.s, sent_ns + 40 * second - 1 - now.s->now_ns);
    assert_int_equal(now.s->request_count, 0);
    scripted_advance(now.s, 1);
    assert_non_null(scripted_find(now.s, "GET", "/pods/web-1"));
}

/* After so many attempts, the pauses are long already. */
static void asking_is_repeated(void **state)
{
    (void)state;
    put(7);
    fail_at_once(8);
    scripted_advance(now.s, 0);
    for (int i = 0; i < 3; i++) {
        scripted_answer(now.s, scripted_find(now.s, "GET", ""), 500, "{}");
        scripted_advance(now.s, 5 * second - 1);
        assert_int_equal(now.s->request_count, 0);
        scripted_advance(now.s, second + 1);
        assert_non_null(scripted_find(now.s, "GET", ""));
    }
    bindings_pod_seen(now.b, web.namespace_name, web.name, web.uid, BERTH_STR("n1"));
    scripted_answer(now.s, scripted_find(now.s, "GET", ""), 500, "{}");
    is_settled(BIND_BOUND);
}

static void attempts_pause_longer_and_longer(void **state)
{
    (void)state;
    put(7);
    for (int64_t delay_ns = second / 5; delay_ns < 20 * second; delay_ns *= 2) {
        const int64_t least_ns = delay_ns < 5 * second ? delay_ns : 5 * second;
        scripted_fail(now.s, sent(), LIVE_NOT_SENT);
        scripted_advance(now.s, least_ns - 1);
        assert_int_equal(now.s->request_count, 0);
        scripted_advance(now.s, least_ns / 5 + 1);
        (void)sent();
    }
}

/* Requests that were sent together and get no answer halve the window once; refusals change it
 * neither way. */
static void the_window_follows_answers(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 16; i++)
        put(i);
    scripted_advance(now.s, second / 1000);
    for (int i = 0; i < 16; i++)
        scripted_fail(now.s, &now.s->requests[0], LIVE_UNKNOWN);
    assert_int_equal(bindings_window(now.b), 8);
    bindings_end(now.b);
    stop(NULL);
    start(NULL);
    for (uint64_t i = 1; i <= 40; i++) {
        put(i);
        answer(404, "{}");
    }
    assert_int_equal(bindings_window(now.b), 16);
}

static void a_pod_without_a_uid(void **state)
{
    (void)state;
    write_pod pod = web;
    pod.uid = (berth_str){0};
    bindings_put(now.b, 7, &pod, BERTH_STR("n1"));
    assert_null(strstr(sent()->body, "uid"));
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    bindings_pod_seen(now.b, web.namespace_name, web.name, web.uid, BERTH_STR("n1"));
    is_settled(BIND_BOUND);
    now.settled = 0;
    put(7);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    bindings_pod_seen(now.b, web.namespace_name, web.name, (berth_str){0}, BERTH_STR("n1"));
    is_settled(BIND_BOUND);
}

/* ---- the watch ---- */

static void the_watch_settles(void **state)
{
    (void)state;
    put(7);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    bindings_pod_seen(now.b, web.namespace_name, web.name, BERTH_STR("u-2"), BERTH_STR("n1"));
    bindings_pod_seen(now.b, web.namespace_name, web.name, web.uid, BERTH_STR("n2"));
    assert_int_equal(now.settled, 0);
    bindings_pod_seen(now.b, web.namespace_name, web.name, web.uid, BERTH_STR("n1"));
    is_settled(BIND_BOUND);
    /* in progress: wait for the response, whatever it is */
    now.settled = 0;
    put(7);
    bindings_pod_seen(now.b, web.namespace_name, web.name, web.uid, BERTH_STR("n1"));
    assert_int_equal(now.settled, 0);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    is_settled(BIND_BOUND);
}

static void nothing_for_a_node_that_is_gone(void **state)
{
    (void)state;
    put(7);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    bindings_node_gone(now.b, BERTH_STR("n2"));
    assert_int_equal(now.settled, 0);
    bindings_node_gone(now.b, BERTH_STR("n1"));
    is_settled(BIND_FAILED);
    now.settled = 0;
    put(7);
    bindings_node_gone(now.b, BERTH_STR("n1"));
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    is_settled(BIND_FAILED);
    now.settled = 0;
    put(7);
    bindings_node_gone(now.b, BERTH_STR("n1"));
    answer(503, "{}");
    is_settled(BIND_FAILED);
    assert_string_equal(now.why, "the node is gone");
    now.settled = 0;
    put(7);
    bindings_node_gone(now.b, BERTH_STR("n1"));
    answer(201, "{}"); /* the server confirms it */
    is_settled(BIND_BOUND);
    scripted_advance(now.s, 60 * second);
    assert_int_equal(now.s->request_count, 0);
}

static void dropped_is_not_heard_of(void **state)
{
    (void)state;
    put(7);
    bindings_drop(now.b, 7);
    assert_int_equal(bindings_count(now.b), 1);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    assert_int_equal(bindings_count(now.b), 0);
    put(7);
    bindings_drop(now.b, 7);
    answer(503, "{}"); /* is not repeated */
    assert_int_equal(bindings_count(now.b), 0);
    put(7);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    bindings_drop(now.b, 7);
    assert_int_equal(bindings_count(now.b), 0);
    scripted_advance(now.s, 60 * second);
    assert_int_equal(now.settled, 0);
    assert_int_equal(now.s->request_count, 0);
}

/* ---- the fence, the end, the rate ---- */

static void nothing_after_the_deadline(void **state)
{
    (void)state;
    write_gate_fence(&now.gate, now.s->now_ns + 10 * second);
    put(7);
    assert_int_equal(sent()->not_after_ns, now.s->now_ns + 10 * second);
    scripted_advance(now.s, 11 * second);
    scripted_fail(now.s, sent(), LIVE_NOT_SENT);
    put(8);
    scripted_advance(now.s, 20 * second);
    assert_int_equal(now.s->request_count, 0);
    write_gate_fence(&now.gate, now.s->now_ns + 10 * second);
    assert_int_equal(now.s->request_count, 2);
    write_gate_fence(&now.gate, 0);
    put(9);
    assert_int_equal(now.s->request_count, 2);
}

static void the_end_settles_what_is_unknown(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 20; i++)
        put(i);
    scripted_fail(now.s, sent(), LIVE_UNKNOWN);
    assert_int_equal(bindings_unsettled(now.b), 16);
    bindings_end(now.b);
    assert_int_equal(bindings_count(now.b), 16);
    while (scripted_find(now.s, "", "") != NULL)
        answer(201, "{}");
    assert_int_equal(bindings_count(now.b), 1);
    scripted_advance(now.s, second);
    answer(201, "{}");
    assert_int_equal(now.settled, 16);
    assert_true(write_gate_is_idle(&now.gate));
}

/* What is certainly not done is not repeated at the end, and nothing new begins. */
static void the_end_begins_nothing(void **state)
{
    (void)state;
    put(7);
    bindings_end(now.b);
    answer(503, "{}");
    assert_int_equal(bindings_count(now.b), 0);
    assert_int_equal(now.settled, 0);
    put(8);
    scripted_advance(now.s, 60 * second);
    assert_int_equal(now.s->request_count, 0);
}

static void a_rate_is_kept(void **state)
{
    (void)state;
    now.gate.rate = 10;
    now.gate.burst = 2;
    for (uint64_t i = 1; i <= 12; i++)
        put(i);
    assert_int_equal(now.s->sent, 2);
    scripted_advance(now.s, second / 2 + second / 100);
    assert_int_equal(now.s->sent, 7);
    scripted_advance(now.s, second);
    assert_int_equal(now.s->sent, 12);
}

/* ---- an extender that binds ---- */

static void put_extended(bool ignorable)
{
    write_pod pod = web;
    pod.by_extender = true;
    bindings_use_extender(now.b, &(bind_extender){.transport = &now.s->transport,
                                                  .path = "/x/bind",
                                                  .timeout_ns = 5 * second,
                                                  .ignorable = ignorable});
    bindings_put(now.b, 7, &pod, BERTH_STR("n1"));
}

static scripted_request *sent_to_extender(void)
{
    scripted_request *r = scripted_find(now.s, "POST", "/x/bind");
    assert_non_null(r);
    return r;
}

static void extender_binds(void **state)
{
    (void)state;
    put_extended(false);
    const scripted_request *r = sent_to_extender();
    assert_string_equal(r->body, "{\"PodName\":\"web-1\",\"PodNamespace\":\"shop\","
                                 "\"PodUID\":\"u-1\",\"Node\":\"n1\"}");
    assert_int_equal(r->timeout_ns, 5 * second);
    scripted_answer(now.s, sent_to_extender(), 200, "{\"Error\":\"\"}");
    is_settled(BIND_BOUND);
}

static void other_pods_are_the_servers(void **state)
{
    (void)state;
    put_extended(false);
    put(8);
    (void)sent();
    scripted_answer(now.s, sent_to_extender(), 200, "{}");
    assert_int_equal(now.settled, 1);
    answer(201, "");
    assert_int_equal(now.settled, 2);
}

/* 64 requests to the extender are under way at a time; the next one waits for an answer. */
static void extender_is_asked_64_times_at_once(void **state)
{
    (void)state;
    write_pod pod = web;
    pod.by_extender = true;
    bindings_use_extender(now.b, &(bind_extender){.transport = &now.s->transport,
                                                  .path = "/x/bind",
                                                  .timeout_ns = 5 * second});
    for (uint64_t id = 1; id <= 66; id++)
        bindings_put(now.b, id, &pod, BERTH_STR("n1"));
    assert_int_equal(now.s->request_count, 64);
    scripted_answer(now.s, sent_to_extender(), 200, "{}");
    assert_int_equal(now.s->request_count, 64);
    assert_int_equal(now.s->sent, 65);
    while (now.s->request_count > 0)
        scripted_answer(now.s, sent_to_extender(), 200, "{}");
    assert_int_equal(now.settled, 66);
}

static void extender_fails(void **state)
{
    static const struct {
        int status;
        const char *body, *why;
    } cases[] = {
        {200, "{\"Error\":\"no\"}", "no"},
        {200, "{\"error\":\"no\"}", "no"},
        {200, "?", "answer is none"},
        {200, "[]", "answer is none"},
        {200, "{\"ERROR\":\"no\"}", "no"},
        {404, "", "failed bind with extender at URL /x/bind, code 404"},
        {500, "", "code 500"},
        {429, "", "code 429"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bindings_destroy(now.b);
        now.b = bindings_create(&now.gate, on_settled, &now);
        now.settled = 0;
        put_extended(false);
        scripted_answer(now.s, sent_to_extender(), cases[i].status, cases[i].body);
        is_settled(BIND_FAILED);
        assert_non_null(strstr(now.why, cases[i].why));
    }
}

static void extender_does_not_answer(void **state)
{
    (void)state;
    put_extended(false);
    scripted_end(now.s, sent_to_extender(), &(live_answer){.outcome = LIVE_UNKNOWN});
    is_settled(BIND_FAILED);
}

static void ignorable_extender_leaves_it_to_the_server(void **state)
{
    (void)state;
    put_extended(true);
    scripted_answer(now.s, sent_to_extender(), 200, "{\"Error\":\"no\"}");
    assert_int_equal(now.settled, 0);
    assert_non_null(strstr(sent()->body, "\"kind\":\"Binding\""));
    answer(201, "");
    is_settled(BIND_BOUND);
}

static void extender_obeys_the_fence(void **state)
{
    (void)state;
    bindings_use_extender(now.b, &(bind_extender){.transport = &now.s->transport,
                                                  .path = "/x/bind",
                                                  .timeout_ns = 5 * second});
    bindings_fence(now.b, 0);
    write_pod pod = web;
    pod.by_extender = true;
    bindings_put(now.b, 7, &pod, BERTH_STR("n1"));
    assert_null(scripted_find(now.s, "POST", "/x/bind"));
    bindings_fence(now.b, LIVE_NEVER);
    scripted_answer(now.s, sent_to_extender(), 200, "{}");
    is_settled(BIND_BOUND);
}

/* A fence that has passed before the extender is known holds for it, too. */
static void extender_begins_behind_the_fence(void **state)
{
    (void)state;
    write_gate_fence(&now.gate, 0);
    put_extended(false);
    assert_null(scripted_find(now.s, "POST", "/x/bind"));
    bindings_fence(now.b, LIVE_NEVER);
    scripted_answer(now.s, sent_to_extender(), 200, "{}");
    is_settled(BIND_BOUND);
}

static void seen_while_the_extender_binds(void **state)
{
    (void)state;
    put_extended(false);
    bindings_pod_seen(now.b, web.namespace_name, web.name, web.uid, BERTH_STR("n1"));
    assert_int_equal(now.settled, 0);
    scripted_answer(now.s, sent_to_extender(), 500, "");
    is_settled(BIND_BOUND);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(says_what_the_server_wants),
        T(definite_answers),
        T(unknown_is_repeated_the_same),
        T(server_away_for_long_loses_nothing),
        T(time_out_counts_as_unknown),
        T(after_many_errors_the_pod_is_asked_for),
        T(what_the_pod_tells),
        T(too_many_requests),
        T(window_bounds_what_is_under_way),
        T(denied_is_told_and_recovers),
        T(the_pod_is_asked_for_at_the_earliest_moment),
        T(asking_is_repeated),
        T(attempts_pause_longer_and_longer),
        T(the_window_follows_answers),
        T(a_pod_without_a_uid),
        T(the_watch_settles),
        T(nothing_for_a_node_that_is_gone),
        T(dropped_is_not_heard_of),
        T(nothing_after_the_deadline),
        T(the_end_settles_what_is_unknown),
        T(the_end_begins_nothing),
        T(a_rate_is_kept),
        T(extender_binds),
        T(other_pods_are_the_servers),
        T(extender_is_asked_64_times_at_once),
        T(extender_fails),
        T(extender_does_not_answer),
        T(ignorable_extender_leaves_it_to_the_server),
        T(extender_obeys_the_fence),
        T(extender_begins_behind_the_fence),
        T(seen_while_the_extender_binds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
