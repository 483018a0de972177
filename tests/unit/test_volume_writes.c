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
        T(nobody_binds_it),
        T(dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
