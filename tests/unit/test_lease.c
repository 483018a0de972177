/* Leader election against a scripted server: taking, keeping, losing and giving up the lease. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "live/lease/lease.h"
#include "scripted_transport.h"

static const int64_t second = INT64_C(1000000000);

typedef struct setup {
    scripted_transport *server;
    lease *l;
    json_t *stored; /* the server's Lease; NULL: none */
    int version;
    int64_t deadline_ns;
    size_t renewed, acquired, lost, released;
    uint64_t acquired_version;
    char holder[64];
} setup;

static setup now;

static void on_renewed(void *context, int64_t deadline_ns)
{
    setup *n = context;
    n->renewed++;
    n->deadline_ns = deadline_ns;
}

static void on_acquired(void *context, uint64_t version)
{
    setup *n = context;
    assert_true(n->renewed > 0);
    n->acquired++;
    n->acquired_version = version;
}

static void on_lost(void *context, const char *why)
{
    setup *n = context;
    assert_true(why[0] != '\0');
    n->lost++;
}

static void on_leader(void *context, const char *holder)
{
    snprintf(((setup *)context)->holder, sizeof(now.holder), "%s", holder);
}

static void on_released(void *context)
{
    ((setup *)context)->released++;
}

static int start(void **state)
{
    (void)state;
    lease_options options;
    lease_options_init(&options);
    assert_null(lease_options_wrong(&options));
    now = (setup){.server = scripted_create(), .version = 100};
    options.transport = &now.server->transport;
    options.identity = "me";
    now.l = lease_create(&options,
                         &(lease_callbacks){&now, on_renewed, on_acquired, on_lost, on_leader});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    lease_destroy(now.l);
    assert_int_equal(now.server->request_count, 0);
    assert_int_equal(now.server->timer_count, 0);
    json_decref(now.stored);
    scripted_destroy(now.server);
    return 0;
}

static const char *spec_text(const char *key)
{
    return json_string_value(json_object_get(json_object_get(now.stored, "spec"), key));
}

static json_int_t spec_number(const char *key)
{
    return json_integer_value(json_object_get(json_object_get(now.stored, "spec"), key));
}

static void store(json_t *object)
{
    json_object_set_new(json_object_get(object, "metadata"), "resourceVersion",
                        json_sprintf("%d", ++now.version));
    json_decref(now.stored);
    now.stored = object;
}

static void store_of(const char *holder, int seconds, int renewal)
{
    store(json_pack("{s{ss ss ss} s{ss si si ss si ss}}", "metadata", "name", "berth", "namespace",
                    "kube-system", "uid", "l-1", "spec", "holderIdentity", holder,
                    "leaseDurationSeconds", seconds, "leaseTransitions", 4, "acquireTime", "a",
                    "renewal", renewal, "renewTime", "1970-01-01T00:00:00.000000Z"));
}

static void reply(const scripted_request *r, int status)
{
    char *body = now.stored != NULL ? json_dumps(now.stored, JSON_COMPACT) : strdup("{}");
    scripted_answer(now.server, r, status, body);
    free(body);
}

/* The server answers the waiting requests, as a real one does. */
static void serve(void)
{
    while (now.server->request_count > 0) {
        scripted_request *r = &now.server->requests[0];
        assert_int_equal(r->connection, LIVE_LEASE);
        assert_int_equal(r->timeout_ns, 5 * second);
        if (strcmp(r->method, "GET") == 0) {
            assert_string_equal(r->path,
                                "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/berth");
            reply(r, now.stored != NULL ? 200 : 404);
            continue;
        }
        json_t *object = json_loads(r->body, 0, NULL);
        const char *version = json_string_value(
            json_object_get(json_object_get(object, "metadata"), "resourceVersion"));
        bool creates = strcmp(r->method, "POST") == 0;
        bool fits = creates ? now.stored == NULL
                            : now.stored != NULL && version != NULL && atoi(version) == now.version;
        if (fits)
            store(json_incref(object));
        json_decref(object);
        reply(r, !fits ? 409 : creates ? 201 : 200);
    }
}

/* Runs in steps of a tenth of a second; the server answers. */
static void run(double seconds)
{
    for (int i = 0; i < (int)(seconds * 10); i++) {
        scripted_advance(now.server, second / 10);
        serve();
    }
}

static void lead(void)
{
    lease_start(now.l);
    run(0.2);
    assert_true(lease_is_held(now.l));
}

static void nobody_has_it(void **state)
{
    (void)state;
    lead();
    assert_int_equal(now.acquired, 1);
    assert_int_equal(now.acquired_version, 101);
    assert_string_equal(now.holder, "me");
    assert_string_equal(spec_text("holderIdentity"), "me");
    assert_int_equal(spec_number("leaseDurationSeconds"), 15);
    assert_int_equal(spec_number("leaseTransitions"), 0);
    assert_int_equal(strlen(spec_text("renewTime")), strlen("2026-11-22T06:29:53.392389Z"));
    assert_string_equal(spec_text("acquireTime"), spec_text("renewTime"));
    assert_true(now.deadline_ns <= now.server->now_ns + 10 * second);
}

static void renewals_move_the_deadline(void **state)
{
    (void)state;
    lead();
    char *acquired = strdup(spec_text("acquireTime"));
    uint64_t sent = now.server->sent;
    run(20);
    assert_in_range(now.renewed, 9, 11);
    assert_int_equal(now.server->sent - sent, now.renewed - 1); /* one PUT for each, and no GET */
    assert_string_equal(spec_text("acquireTime"), acquired);
    assert_int_equal(spec_number("leaseTransitions"), 0);
    assert_true(now.deadline_ns >= now.server->now_ns + 7 * second);
    assert_int_equal(lease_renewed_ns(now.l) + 10 * second, now.deadline_ns);
    free(acquired);
}

/* Times in the lease mean nothing; only changes of it count. */
static void another_has_it_while_it_changes(void **state)
{
    (void)state;
    store_of("other", 15, 0);
    lease_start(now.l);
    for (int i = 1; i < 10; i++) {
        run(5);
        store_of("other", 15, i);
    }
    assert_string_equal(now.holder, "other");
    assert_int_equal(now.renewed, 0);
    run(14);
    assert_int_equal(now.renewed, 0);
    run(10);
    assert_int_equal(now.acquired, 1);
    assert_int_equal(spec_number("leaseTransitions"), 5);
    assert_string_not_equal(spec_text("acquireTime"), "a");
    assert_int_equal(spec_number("renewal"), 9); /* unknown fields stay */
}

static void given_up_by_another(void **state)
{
    (void)state;
    store_of("", 1, 0);
    lead();
    assert_int_equal(spec_number("leaseTransitions"), 5);
}

static void of_our_own_from_before(void **state)
{
    (void)state;
    store_of("me", 15, 0);
    lead();
    assert_int_equal(spec_number("leaseTransitions"), 4);
    assert_string_equal(spec_text("acquireTime"), "a");
}

static void taken_away(void **state)
{
    (void)state;
    lead();
    store_of("other", 15, 0);
    run(3);
    assert_int_equal(now.lost, 1);
    assert_false(lease_is_held(now.l));
    run(60);
    assert_string_equal(spec_text("holderIdentity"), "other");
}

static void deleted_and_made_again(void **state)
{
    (void)state;
    lead();
    json_decref(now.stored);
    now.stored = NULL;
    run(3);
    assert_int_equal(now.lost, 0);
    assert_string_equal(spec_text("holderIdentity"), "me");
}

static void changed_by_hand(void **state)
{
    (void)state;
    lead();
    store_of("me", 15, 7);
    run(3); /* PUT 409, GET, PUT */
    assert_int_equal(now.lost, 0);
    assert_int_equal(spec_number("renewal"), 7);
}

/* No writes after the deadline, and no leadership 12 s after the last successful renewal. */
static void the_server_is_silent(void **state)
{
    (void)state;
    lead();
    int64_t deadline_ns = now.deadline_ns;
    scripted_advance(now.server, 11 * second);
    assert_int_equal(now.lost, 0);
    assert_int_equal(now.deadline_ns, deadline_ns);
    assert_true(now.deadline_ns < now.server->now_ns);
    scripted_advance(now.server, 2 * second);
    assert_int_equal(now.lost, 1);
    assert_int_equal(now.server->request_count, 0);
}

static void a_short_silence_is_borne(void **state)
{
    (void)state;
    lead();
    scripted_advance(now.server, 8 * second);
    run(3);
    assert_int_equal(now.lost, 0);
    assert_true(lease_is_held(now.l));
    assert_true(now.deadline_ns > now.server->now_ns);
}

static void errors_are_borne_while_waiting(void **state)
{
    (void)state;
    static const int statuses[] = {401, 403, 429, 500, 503};
    lease_start(now.l);
    for (size_t i = 0; i < 5; i++) {
        scripted_advance(now.server, 5 * second);
        scripted_request *r = scripted_find(now.server, "GET", "/leases/berth");
        assert_non_null(r);
        scripted_answer(now.server, r, statuses[i], "{\"message\":\"no\"}");
        assert_int_equal(lease_is_denied(now.l), statuses[i] < 404);
    }
    scripted_advance(now.server, 5 * second);
    scripted_answer(now.server, scripted_find(now.server, "GET", ""), 200, "not a Lease");
    run(5);
    assert_int_equal(now.acquired, 1);
}

static void giving_up(void **state)
{
    (void)state;
    lead();
    lease_release(now.l, on_released, &now);
    run(1);
    assert_int_equal(now.released, 1);
    assert_string_equal(spec_text("holderIdentity"), "");
    assert_int_equal(spec_number("leaseDurationSeconds"), 1);
    assert_int_equal(now.lost, 0);
    run(30);
    assert_string_equal(spec_text("holderIdentity"), "");
}

static void giving_up_what_is_not_ours(void **state)
{
    (void)state;
    store_of("other", 15, 0);
    lease_start(now.l);
    run(1);
    lease_release(now.l, on_released, &now);
    assert_int_equal(now.released, 0); /* never from inside a call */
    run(1);
    assert_int_equal(now.released, 1);
    assert_string_equal(spec_text("holderIdentity"), "other");
}

static void giving_up_while_the_server_is_silent(void **state)
{
    (void)state;
    lead();
    lease_release(now.l, on_released, &now);
    scripted_advance(now.server, 10 * second);
    assert_int_equal(now.released, 1);
}

static void wrong_times(void **state)
{
    (void)state;
    static const struct {
        int64_t duration_ns, deadline_ns, retry_ns;
        bool wrong;
    } cases[] = {
        {15, 15, 2, true},           {15, 15000000001, 2, true},
        {15, 14999999999, 2, false}, {15000000001, 10, 2, true},
        {15500000000, 10, 2, true},  {16, 10, 2, false},
        {1, 900000000, 1000, false}, {0, 0, 1000, true},
        {15, 12, 10, true},          {15, 12000000001, 10, false},
        {15, 10, 0, true},           {15, 10, -1, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lease_options options; /* small numbers are seconds */
        lease_options_init(&options);
        options.duration_ns = cases[i].duration_ns * (cases[i].duration_ns < 100 ? second : 1);
        options.deadline_ns = cases[i].deadline_ns * (cases[i].deadline_ns < 100 ? second : 1);
        options.retry_ns = cases[i].retry_ns * (cases[i].retry_ns < 100 ? second : 1);
        assert_int_equal(lease_options_wrong(&options) != NULL, cases[i].wrong);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(nobody_has_it),
        T(renewals_move_the_deadline),
        T(another_has_it_while_it_changes),
        T(given_up_by_another),
        T(of_our_own_from_before),
        T(taken_away),
        T(deleted_and_made_again),
        T(changed_by_hand),
        T(the_server_is_silent),
        T(a_short_silence_is_borne),
        T(errors_are_borne_while_waiting),
        T(giving_up),
        T(giving_up_what_is_not_ours),
        T(giving_up_while_the_server_is_silent),
        T(wrong_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
