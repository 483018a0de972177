/* Writing volumes and waiting for them, against a scripted server. */
#include "scripted_writes.h"

static const int64_t second = INT64_C(1000000000);

static const volume_choice provisioned = {.claim_namespace = {"shop", 4},
                                          .claim_name = {"data", 4},
                                          .claim_uid = {"c-1", 3},
                                          .claim_version = 50};
static const volume_choice chosen = {.claim_namespace = {"shop", 4},
                                     .claim_name = {"logs", 4},
                                     .claim_uid = {"c-2", 3},
                                     .claim_version = 51,
                                     .volume_name = {"pv-7", 4},
                                     .volume_version = 60};

static void put(const volume_choice *choices, size_t count)
{
    writes_bind_with_volumes(w, &(volume_job){.id = 1,
                                              .pod = &web,
                                              .node = BERTH_STR("n1"),
                                              .choices = choices,
                                              .choice_count = count});
}

static void answer(const char *method, const char *part, int status, const char *body)
{
    scripted_answer(server, sent(method, part), status, body);
}

static const char *const claim_waits =
    "{\"metadata\":{\"uid\":\"c-1\",\"annotations\":{\"volume.kubernetes.io/selected-node\":"
    "\"n1\"}},\"spec\":{}}";
static const char *const claim_bound =
    "{\"metadata\":{\"uid\":\"c-1\",\"annotations\":{\"volume.kubernetes.io/selected-node\":"
    "\"n1\",\"pv.kubernetes.io/bind-completed\":\"yes\"}},\"spec\":{\"volumeName\":\"pv-1\"}}";
static const char *const logs_bound =
    "{\"metadata\":{\"uid\":\"c-2\",\"annotations\":{\"pv.kubernetes.io/bind-completed\":"
    "\"yes\"}},\"spec\":{\"volumeName\":\"pv-7\"}}";
static const char *const volume_ours = "{\"spec\":{\"claimRef\":{\"uid\":\"c-2\"}}}";

static void failed_with(const char *text)
{
    assert_int_equal(settled, 1);
    assert_int_equal(verdict, BIND_FAILED);
    assert_non_null(strstr(why, text));
    assert_null(scripted_find(server, "POST", "/binding"));
    assert_non_null(
        strstr(sent("PATCH", "/pods/web-1/status")->body, "PreBind plugin \\\"VolumeBinding\\\""));
    answer("PATCH", "/pods/web-1/status", 404, "{}");
    while (scripted_find(server, "", "/events") != NULL) /* equal events form a series */
        answer("", "/events", 201, "{}");
    settled = 0;
}

static void the_binding_comes_last(void **state)
{
    (void)state;
    const volume_choice both[] = {provisioned, chosen};
    put(both, 2);
    const scripted_request *claim = sent("PATCH", "/namespaces/shop/persistentvolumeclaims/data");
    assert_string_equal(claim->content_type, "application/merge-patch+json");
    assert_string_equal(claim->body,
                        "{\"metadata\":{\"resourceVersion\":\"50\",\"uid\":\"c-1\",\"annotations\":"
                        "{\"volume.kubernetes.io/selected-node\":\"n1\"}}}");
    assert_string_equal(
        sent("PATCH", "/api/v1/persistentvolumes/pv-7")->body,
        "{\"metadata\":{\"resourceVersion\":\"60\",\"annotations\":{"
        "\"pv.kubernetes.io/bound-by-controller\":\"yes\"}},\"spec\":{\"claimRef\":{\"kind\":"
        "\"PersistentVolumeClaim\",\"namespace\":\"shop\",\"name\":\"logs\",\"uid\":\"c-2\","
        "\"apiVersion\":\"v1\",\"resourceVersion\":\"51\"}}}");
    answer("PATCH", "claims/data", 200, "{}");
    answer("PATCH", "volumes/pv-7", 200, "{}");
    scripted_advance(server, second);
    answer("GET", "claims/data", 200, claim_waits);
    answer("GET", "volumes/pv-7", 200, volume_ours);
    answer("GET", "claims/logs", 200, logs_bound);
    assert_null(scripted_find(server, "POST", ""));
    scripted_advance(server, 10 * second);
    answer("GET", "claims/data", 200, claim_bound);
    answer("POST", "/binding", 201, "{}");
    assert_int_equal(settled, 1);
    assert_int_equal(verdict, BIND_BOUND);
}

static void the_watch_shortens_the_wait(void **state)
{
    (void)state;
    put(&provisioned, 1);
    writes_claim_seen(w, provisioned.claim_namespace, provisioned.claim_name);
    answer("PATCH", "claims/data", 200, "{}");
    assert_null(scripted_find(server, "GET", ""));
    writes_claim_seen(w, provisioned.claim_namespace, chosen.claim_name);
    assert_null(scripted_find(server, "GET", ""));
    writes_claim_seen(w, provisioned.claim_namespace, provisioned.claim_name);
    answer("GET", "claims/data", 200, claim_bound);
    answer("POST", "/binding", 201, "{}");
}

/* An attempt without an answer may have succeeded: then the next one conflicts with it. */
static void a_conflict_with_ourselves(void **state)
{
    (void)state;
    put(&chosen, 1);
    scripted_fail(server, sent("PATCH", "volumes/pv-7"), LIVE_UNKNOWN);
    scripted_advance(server, second);
    answer("PATCH", "volumes/pv-7", 409, "{}");
    answer("GET", "volumes/pv-7", 200, volume_ours);
    answer("GET", "claims/logs", 200, logs_bound);
    answer("POST", "/binding", 201, "{}");
    assert_int_equal(verdict, BIND_BOUND);
}

static void changed_by_others(void **state)
{
    (void)state;
    put(&chosen, 1);
    answer("PATCH", "volumes/pv-7", 409, "{}");
    answer("GET", "volumes/pv-7", 200, "{\"spec\":{\"claimRef\":{\"uid\":\"c-9\"}}}");
    failed_with("has changed");
    put(&provisioned, 1);
    answer("PATCH", "claims/data", 409, "{}");
    answer("GET", "claims/data", 200, "{\"metadata\":{\"uid\":\"c-1\"},\"spec\":{}}");
    failed_with("has changed");
    put(&provisioned, 1);
    answer("PATCH", "claims/data", 404, "{\"message\":\"not found\"}");
    failed_with("not found");
}

static void what_fails_later(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body, *why;
    } cases[] = {
        {404, "{}", "is gone"},
        {200, "{\"metadata\":{\"uid\":\"c-8\"},\"spec\":{}}", "another one"},
        {200, "{\"metadata\":{\"uid\":\"c-1\",\"annotations\":{}},\"spec\":{}}", "provisioning"},
    };
    for (size_t i = 0; i < 3; i++) {
        put(&provisioned, 1);
        answer("PATCH", "claims/data", 200, "{}");
        scripted_advance(server, second);
        answer("GET", "claims/data", cases[i].status, cases[i].body);
        failed_with(cases[i].why);
    }
    put(&chosen, 1);
    answer("PATCH", "volumes/pv-7", 200, "{}");
    scripted_advance(server, second);
    answer("GET", "volumes/pv-7", 200, "{\"spec\":{}}");
    failed_with("claimRef got reset");
}

/* The requests for other claims are cancelled before the failure is told. */
static void a_failure_ends_other_requests(void **state)
{
    (void)state;
    const volume_choice both[] = {provisioned, chosen};
    put(both, 2);
    assert_non_null(sent("PATCH", "/persistentvolumes/pv-7"));
    writes_volumes = true;
    answer("PATCH", "claims/data", 404, "{}");
    assert_false(writes_volumes);
    failed_with("");
}

static void nobody_binds_it(void **state)
{
    (void)state;
    put(&provisioned, 1);
    answer("PATCH", "claims/data", 200, "{}");
    for (int i = 0; i < 599; i++) {
        scripted_advance(server, second);
        if (scripted_find(server, "GET", "") != NULL)
            answer("GET", "claims/data", i % 7 == 0 ? 503 : 200, claim_waits);
    }
    assert_int_equal(settled, 0);
    scripted_advance(server, 2 * second);
    failed_with("timed out");
}

/* The request comes after that time, or up to a fifth later by chance. */
static void comes_after(int64_t delay_ns, const char *method, const char *part)
{
    scripted_advance(server, delay_ns - 1);
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, delay_ns / 5 + 1);
    (void)sent(method, part);
}

static void writes_and_reads_pause_longer_and_longer(void **state)
{
    (void)state;
    put(&provisioned, 1);
    for (int64_t delay_ns = second / 5; delay_ns < 20 * second; delay_ns *= 2) {
        answer("PATCH", "claims/data", 503, "{}");
        comes_after(delay_ns < 5 * second ? delay_ns : 5 * second, "PATCH", "claims/data");
    }
    answer("PATCH", "claims/data", 200, "{}");
    for (int64_t delay_ns = second / 4; delay_ns < 20 * second; delay_ns *= 2) {
        comes_after(delay_ns < 4 * second ? delay_ns : 4 * second, "GET", "claims/data");
        answer("GET", "claims/data", delay_ns == second ? 503 : 200, claim_waits);
    }
}

/* The limit counts from the beginning, to the nanosecond. */
static void the_time_is_that_of_the_job(void **state)
{
    static const int64_t seconds[] = {0, 600, 20};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const int64_t limit_ns = (i == 0 ? 600 : seconds[i]) * second;
        settled = 0;
        writes_bind_with_volumes(w, &(volume_job){.id = 1,
                                                  .pod = &web,
                                                  .node = BERTH_STR("n1"),
                                                  .choices = &provisioned,
                                                  .choice_count = 1,
                                                  .timeout_ns = seconds[i] * second});
        answer("PATCH", "claims/data", 200, "{}");
        const int64_t began_ns = server->now_ns;
        while (server->now_ns < began_ns + limit_ns - 1) {
            const int64_t left_ns = began_ns + limit_ns - 1 - server->now_ns;
            scripted_advance(server, left_ns < second ? left_ns : second);
            if (scripted_find(server, "GET", "") != NULL)
                answer("GET", "claims/data", 200, claim_waits);
        }
        assert_int_equal(settled, 0);
        scripted_advance(server, 1);
        failed_with("timed out");
    }
}

static void eight_claims_at_a_time(void **state)
{
    (void)state;
    char names[12][4];
    volume_choice choices[12];
    for (int i = 0; i < 12; i++) {
        snprintf(names[i], sizeof(names[i]), "d%d", i);
        choices[i] = provisioned;
        choices[i].claim_name = write_str(names[i]);
    }
    put(choices, 12);
    assert_int_equal(server->request_count, 8);
    assert_int_equal(server->requests[0].connection, LIVE_WRITES);
    answer("PATCH", "claims/d0", 200, "{}");
    assert_int_equal(server->request_count, 8);
    writes_unbind(w, 1);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
}

/* After a conflict, the claim itself shows that it was written. */
static void a_claim_that_is_found_written(void **state)
{
    (void)state;
    put(&provisioned, 1);
    answer("PATCH", "claims/data", 409, "{}");
    answer("GET", "claims/data", 200, claim_waits);
    writes_claim_seen(w, BERTH_STR("other"), provisioned.claim_name);
    assert_null(scripted_find(server, "GET", ""));
    writes_claim_seen(w, provisioned.claim_namespace, provisioned.claim_name);
    answer("GET", "claims/data", 200, "{\"metadata\":{\"uid\":\"c-1\"},\"spec\":{}}");
    failed_with("provisioning failed");
}

/* The watch says nothing about a write that waits to be repeated. */
static void an_unwritten_claim_is_not_read(void **state)
{
    (void)state;
    put(&provisioned, 1);
    answer("PATCH", "claims/data", 503, "{}");
    writes_claim_seen(w, provisioned.claim_namespace, provisioned.claim_name);
    assert_int_equal(server->request_count, 0);
    comes_after(second / 5, "PATCH", "claims/data");
}

/* Of three jobs each is dropped by its own id, and only those on a lost node end with it. */
static void jobs_are_told_apart(void **state)
{
    (void)state;
    static const char *const nodes[] = {"n1", "n2", "n1"};
    for (uint64_t dropped_id = 2; dropped_id <= 4; dropped_id++) {
        settled = 0;
        for (uint64_t id = 2; id <= 4; id++)
            writes_bind_with_volumes(w, &(volume_job){.id = id,
                                                      .pod = &web,
                                                      .node = write_str(nodes[id - 2]),
                                                      .choices = &provisioned,
                                                      .choice_count = 1});
        assert_int_equal(server->request_count, 3);
        writes_unbind(w, 5);
        writes_unbind(w, dropped_id);
        assert_int_equal(server->timer_count, 2);
        writes_node_gone(w, BERTH_STR("n1"));
        assert_int_equal(settled, dropped_id == 3 ? 2 : 1);
        assert_non_null(strstr(why, "the node is gone"));
        assert_int_equal(scripted_find(server, "PATCH", "claims/data") != NULL, dropped_id != 3);
        writes_end(w);
        stop(NULL);
        start(NULL);
    }
}

static void dropped(void **state)
{
    (void)state;
    put(&provisioned, 1);
    writes_unbind(w, 1);
    assert_int_equal(server->request_count, 0);
    put(&provisioned, 1);
    answer("PATCH", "claims/data", 200, "{}");
    writes_end(w);
    scripted_advance(server, 700 * second);
    assert_int_equal(settled, 0);
    assert_true(writes_is_settled(w));
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(the_binding_comes_last),
        T(the_watch_shortens_the_wait),
        T(a_conflict_with_ourselves),
        T(changed_by_others),
        T(what_fails_later),
        T(a_failure_ends_other_requests),
        T(nobody_binds_it),
        T(writes_and_reads_pause_longer_and_longer),
        T(the_time_is_that_of_the_job),
        T(eight_claims_at_a_time),
        T(a_claim_that_is_found_written),
        T(an_unwritten_claim_is_not_read),
        T(jobs_are_told_apart),
        T(dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
