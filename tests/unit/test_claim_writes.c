/* Claims deleted and freed against a scripted server: how many at a time, how often each step is
 * tried, and what ends it. */
#include "gated_writes.h"

#include "live/writes/claim_deletions.h"
#include "live/writes/claim_frees.h"

static const int64_t first_delay_ns = 200000000, last_delay_ns = INT64_C(5000000000);

static claim_deletions *deletions;
static claim_frees *frees;

static int start(void **state)
{
    (void)state;
    gate_open();
    deletions = claim_deletions_create(&gate);
    frees = claim_frees_create(&gate);
    return 0;
}

#define CLAIMS "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/"
#define HEAD                                                                  \
    "{\"metadata\":{\"name\":\"a\",\"uid\":\"e-a\",\"resourceVersion\":\"7\"" \
    ",\"annotations\":{\"resource.kubernetes.io/extended-resource-claim\":\"true\"},"
#define OWNERS "\"ownerReferences\":[{\"uid\":\"u-1\",\"controller\":true}]"

static const char protected[] =
    HEAD "\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]," OWNERS "}}";
static const char free_to_go[] = HEAD OWNERS "}}";

/* Delete the claim with this name, whose uid is "e-" and the name. */
static void put(const char *name)
{
    char uid[16];
    snprintf(uid, sizeof(uid), "e-%s", name);
    claim_deletions_put(deletions, &(deleted_claim){.namespace_name = BERTH_STR("shop"),
                                                    .name = write_str(name),
                                                    .uid = write_str(uid),
                                                    .pod_uid = BERTH_STR("u-1")});
}

static void put_free(const char *name)
{
    claim_frees_put(frees, &(freed_claim){.namespace_name = BERTH_STR("shop"),
                                          .name = write_str(name),
                                          .uid = BERTH_STR("e-1"),
                                          .version = 7});
}

static int stop(void **state)
{
    (void)state;
    put("z"); /* these are cancelled */
    put_free("y");
    put_free("z");
    claim_deletions_destroy(deletions);
    claim_frees_destroy(frees);
    gate_close();
    return 0;
}

static scripted_request *sent(const char *method, const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), CLAIMS "%s", name);
    scripted_request *r = scripted_find(server, method, path);
    assert_non_null(r);
    assert_string_equal(r->path, path);
    assert_int_equal(r->connection, LIVE_WRITES);
    return r;
}

/* Answers the request about claim "a"; immediate requests are sent. */
static void answer(const char *method, int status, const char *body)
{
    scripted_answer(server, sent(method, "a"), status, body);
    scripted_advance(server, 1);
}

static void assert_over(void)
{
    assert_int_equal(claim_deletions_count(deletions), 0);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
}

static void eight_at_a_time(void **state)
{
    (void)state;
    char name[2] = "a";
    for (; name[0] <= 't'; name[0]++)
        put(name);
    for (size_t left = 20; left > 0; left--) {
        assert_int_equal(claim_deletions_count(deletions), left);
        assert_int_equal(server->request_count, left < 8 ? left : 8);
        scripted_answer(server, scripted_find(server, "GET", CLAIMS), 404, "{}");
    }
    assert_int_equal(server->sent, 20);
    assert_over();
}

/* What has begun is ended before another deletion begins. */
static void a_step_goes_before_other_deletions(void **state)
{
    (void)state;
    char name[2] = "a";
    for (; name[0] <= 'j'; name[0]++)
        put(name);
    answer("GET", 200, protected);
    assert_string_equal(sent("PATCH", "a")->content_type, "application/merge-patch+json");
    assert_null(scripted_find(server, "", CLAIMS "i"));
    answer("PATCH", 404, "{}");
    (void)sent("GET", "i");
    claim_deletions_end(deletions);
    assert_over();
}

/* Each failure is followed by a pause twice as long as the last, of at most five seconds, and up to
 * a fifth longer by chance. Leaves the step with one try less than the last. */
static void fail_nine_times(const char *method, int status)
{
    int64_t delay_ns = first_delay_ns;
    for (int tries = 1; tries < 10; tries++) {
        scripted_answer(server, sent(method, "a"), status, "{}");
        scripted_advance(server, delay_ns - 1);
        assert_int_equal(server->request_count, 0);
        scripted_advance(server, delay_ns / 5 + 1);
        (void)sent(method, "a");
        delay_ns = delay_ns * 2 < last_delay_ns ? delay_ns * 2 : last_delay_ns;
    }
}

static void each_step_is_tried_ten_times(void **state)
{
    (void)state;
    static const int statuses[] = {503, 500, 429, 403};
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        put("a");
        fail_nine_times("GET", statuses[i]);
        answer("GET", statuses[i], "{}");
        assert_over();
        put("a");
        fail_nine_times("GET", statuses[i]);
        answer("GET", 200, protected);
        fail_nine_times("PATCH", statuses[i]);
        answer("PATCH", 200, "{}");
        fail_nine_times("GET", statuses[i]);
        answer("GET", 200, free_to_go);
        fail_nine_times("DELETE", statuses[i]);
        answer("DELETE", statuses[i], "{}");
        assert_over();
    }
}

/* A claim that another client changes again and again is read eleven times. */
static void conflicts_are_not_endless(void **state)
{
    (void)state;
    put("a");
    for (int reads = 1; reads <= 11; reads++) {
        assert_int_equal(claim_deletions_count(deletions), 1);
        answer("GET", 200, protected);
        answer("PATCH", 409, "{}");
    }
    assert_over();
}

/* A write without an answer may have taken effect: the claim is read again, a little later. */
static void a_lost_answer_is_looked_for(void **state)
{
    static const char *const methods[] = {"PATCH", "DELETE"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        put("a");
        answer("GET", 200, i == 0 ? protected : free_to_go);
        scripted_fail(server, sent(methods[i], "a"), LIVE_UNKNOWN);
        scripted_advance(server, first_delay_ns - 1);
        assert_int_equal(server->request_count, 0);
        scripted_advance(server, 1);
        answer("GET", 404, "{}");
        assert_over();
    }
}

static void a_claim_of_another_is_left_alone(void **state)
{
    static const int at_patch[] = {404, 422}, at_delete[] = {404, 409, 422};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        put("a");
        answer("GET", 200, protected);
        answer("PATCH", at_patch[i], "{}");
        assert_over();
    }
    for (size_t i = 0; i < 3; i++) {
        put("a");
        answer("GET", 200, free_to_go);
        answer("DELETE", at_delete[i], "{}");
        assert_over();
    }
}

/* Whichever of three deletions ends, the other two remain known. */
static void the_others_remain(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "b", "c"};
    for (size_t ended = 0; ended < 3; ended++) {
        for (size_t i = 0; i < 3; i++)
            put(names[i]);
        scripted_answer(server, sent("GET", names[ended]), 404, "{}");
        assert_int_equal(claim_deletions_count(deletions), 2);
        for (size_t i = 0; i < 3; i++)
            put(names[i]);
        assert_int_equal(claim_deletions_count(deletions), 3);
        assert_int_equal(server->request_count, 3);
        claim_deletions_end(deletions);
        assert_over();
    }
}

/* ---- freed claims ---- */

static void eight_are_freed_at_a_time(void **state)
{
    (void)state;
    char name[2] = "a";
    for (; name[0] <= 't'; name[0]++)
        put_free(name);
    for (size_t left = 20; left > 0; left--) {
        assert_int_equal(server->request_count, left < 8 ? left : 8);
        const scripted_request *request = &server->requests[left % server->request_count];
        assert_int_equal(request->connection, LIVE_WRITES);
        scripted_answer(server, request, 200, "{}");
    }
    assert_int_equal(server->sent, 20);
    assert_over();
}

static void a_release_is_tried_ten_times(void **state)
{
    static const int statuses[] = {503, 429, 403, 502};
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        put_free("a");
        int64_t delay_ns = first_delay_ns;
        for (int tries = 1; tries < 10; tries++) {
            scripted_answer(server, sent("PATCH", "a/status"), statuses[i], "{}");
            scripted_advance(server, delay_ns - 1);
            assert_int_equal(server->request_count, 0);
            scripted_advance(server, delay_ns / 5 + 1);
            delay_ns = delay_ns * 2 < last_delay_ns ? delay_ns * 2 : last_delay_ns;
        }
        scripted_answer(server, sent("PATCH", "a/status"), statuses[i], "{}");
        assert_over();
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(eight_at_a_time),
        T(a_step_goes_before_other_deletions),
        T(each_step_is_tried_ten_times),
        T(conflicts_are_not_endless),
        T(a_lost_answer_is_looked_for),
        T(a_claim_of_another_is_left_alone),
        T(the_others_remain),
        T(eight_are_freed_at_a_time),
        T(a_release_is_tried_ten_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
