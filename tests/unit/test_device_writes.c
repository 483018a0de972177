/* ResourceClaims written and waited for, against a scripted server. */
#include "scripted_writes.h"

static const int64_t second = INT64_C(1000000000);

#define CLAIM "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/gpu"
#define STATUS CLAIM "/status"
#define CLASS "/apis/resource.k8s.io/v1/deviceclasses/gpu.example.com"
#define HEAD "\"metadata\":{\"uid\":\"c-1\",\"resourceVersion\":\"7\""
#define SPEC                                                                                 \
    "\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":" \
    "\"gpu.example.com\",\"tolerations\":[{\"operator\":\"Exists\"}]}}],\"config\":[{"       \
    "\"requests\":[\"r\"],\"opaque\":{\"driver\":\"own\"}}"                                  \
    "]}}"
#define RESULTS                                                                                  \
    "\"results\":[{\"request\":\"r\",\"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":" \
    "\"gpu-0\"}]"
/* in the written form */
#define GIVEN                                                                                    \
    "\"results\":[{\"request\":\"r\",\"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":" \
    "\"gpu-0\",\"tolerations\":[{\"operator\":\"Exists\"}]}]"
#define FINALIZERS ",\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]"
#define RESERVED "\"reservedFor\":[{\"resource\":\"pods\",\"name\":\"web-1\",\"uid\":\"u-1\"}]"

static const char plain[] = "{" HEAD "}," SPEC "}";
static const char protected[] = "{" HEAD FINALIZERS "}," SPEC "}";
static const char allocated[] =
    "{" HEAD FINALIZERS "}," SPEC ",\"status\":{\"allocation\":{\"devices\":{" RESULTS "}}}}";
static const char taken[] =
    "{" HEAD FINALIZERS "}," SPEC ",\"status\":{\"allocation\":{\"devices\":{" RESULTS
    "}}," RESERVED "}}";
static const char class_text[] = "{\"spec\":{\"config\":[{\"opaque\":{\"driver\":\"class\"}}]}}";

static const char choice_text[] = "{\"devices\":{" RESULTS "}}";

static int64_t timeout_ns;

static void put(bool chosen)
{
    const device_choice choice = {
        .claim_namespace = BERTH_STR("shop"),
        .claim_name = BERTH_STR("gpu"),
        .claim_uid = BERTH_STR("c-1"),
        .allocation = chosen ? (berth_str){choice_text, sizeof(choice_text) - 1} : (berth_str){0}};
    writes_devices(w, &(device_job){.id = 1,
                                    .pod = &web,
                                    .node = BERTH_STR("n1"),
                                    .choices = &choice,
                                    .choice_count = 1,
                                    .timeout_ns = timeout_ns});
    assert_int_equal(server->request_count, 0);
    writes_bind(w, 1, &web, BERTH_STR("n1"));
}

static void answer(const char *method, const char *part, int status, const char *body)
{
    scripted_answer(server, sent(method, part), status, body);
    scripted_advance(server, 1); /* immediate requests are sent */
}

static void failed_with(const char *text)
{
    assert_int_equal(settled, 1);
    assert_int_equal(verdict, BIND_FAILED);
    if (strstr(why, text) == NULL)
        fail_msg("%s", why);
    assert_null(scripted_find(server, "POST", "/binding"));
    assert_non_null(strstr(sent("PATCH", "/pods/web-1/status")->body,
                           "PreBind plugin \\\"DynamicResources\\\""));
    answer("PATCH", "/pods/web-1/status", 404, "{}");
    while (scripted_find(server, "", "/events") != NULL)
        answer("", "/events", 201, "{}");
}

static void the_claim_is_written_before_the_binding(void **state)
{
    (void)state;
    put(true);
    answer("GET", CLAIM, 200, plain);
    assert_string_equal(sent("PATCH", CLAIM)->body,
                        "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"c-1\",\"finalizers\":["
                        "\"resource.kubernetes.io/delete-protection\"]}}");
    answer("PATCH", CLAIM, 200, "{}");
    answer("GET", CLAIM, 200, protected);
    answer("GET", CLASS, 200, class_text);
    answer("GET", CLAIM, 200, protected);
    const scripted_request *status = sent("PATCH", STATUS);
    assert_string_equal(status->content_type, "application/merge-patch+json");
    assert_non_null(strstr(status->body, "{\"devices\":{" GIVEN ",\"config\":[{\"opaque\":{"
                                         "\"driver\":\"class\"},\"source\":\"FromClass\","
                                         "\"requests\":[\"r\"]},{\"requests\":[\"r\"],\"opaque\":{"
                                         "\"driver\":\"own\"},\"source\":\"FromClaim\"}]}"));
    assert_non_null(strstr(status->body, "\"allocationTimestamp\":\""));
    assert_non_null(strstr(status->body, RESERVED));
    answer("PATCH", STATUS, 200, "{}");
    assert_null(scripted_find(server, "POST", "/binding"));
    answer("GET", CLAIM, 200, taken);
    answer("POST", "/binding", 201, "{}");
    assert_int_equal(verdict, BIND_BOUND);
}

static void a_claim_with_devices_is_shared(void **state)
{
    (void)state;
    put(false);
    answer("GET", CLAIM, 200, allocated);
    assert_null(strstr(sent("PATCH", STATUS)->body, "allocation"));
    answer("PATCH", STATUS, 409, "{}"); /* another pod was faster */
    answer("GET", CLAIM, 200, allocated);
    answer("PATCH", STATUS, 200, "{}");
    answer("GET", CLAIM, 200, taken);
    answer("POST", "/binding", 201, "{}");
}

static void a_lost_answer_is_found_in_the_claim(void **state)
{
    (void)state;
    put(true);
    answer("GET", CLAIM, 200, protected);
    answer("GET", CLASS, 404, "{}");
    answer("GET", CLAIM, 200, protected);
    answer("PATCH", STATUS, 504, "{}");
    answer("GET", CLAIM, 200, taken);
    answer("POST", "/binding", 201, "{}");
}

static void what_was_written_is_given_back(void **state)
{
    (void)state;
    put(true);
    answer("GET", CLAIM, 200, allocated);
    answer("PATCH", STATUS, 200, "{}");
    writes_unbind(w, 1);
    const scripted_request *back = sent("PATCH", STATUS);
    assert_string_equal(back->content_type, "application/strategic-merge-patch+json");
    assert_string_equal(back->body, "{\"metadata\":{\"uid\":\"c-1\"},\"status\":{\"reservedFor\":[{"
                                    "\"$patch\":\"delete\",\"uid\":\"u-1\"}]}}");
    answer("PATCH", STATUS, 500, "{}");
    scripted_advance(server, second);
    answer("PATCH", STATUS, 200, "{}");
    assert_int_equal(settled, 0);
}

/* From 200 ms up to 5 s, and up to a fifth longer by chance. */
static void pauses_grow(void **state)
{
    (void)state;
    put(false);
    for (int64_t delay_ns = second / 5; delay_ns < 100 * second; delay_ns *= 2) {
        const int64_t least_ns = delay_ns < 5 * second ? delay_ns : 5 * second;
        scripted_answer(server, sent("GET", CLAIM), 503, "{}");
        scripted_advance(server, least_ns - 1);
        assert_int_equal(server->request_count, 0);
        scripted_advance(server, least_ns / 5 + 1);
    }
    answer("GET", CLAIM, 200, allocated);
}

/* Whichever of three jobs is dropped, the others go on; a node that is gone ends its own. */
static void jobs_are_told_apart(void **state)
{
    (void)state;
    static const char *const nodes[] = {"n1", "n2", "n1"};
    const device_choice choice = {.claim_namespace = BERTH_STR("shop"),
                                  .claim_name = BERTH_STR("gpu"),
                                  .claim_uid = BERTH_STR("c-1")};
    for (uint64_t dropped = 2; dropped <= 4; dropped++) {
        writes_counters counters;
        for (uint64_t id = 2; id <= 4; id++) {
            writes_devices(w, &(device_job){.id = id,
                                            .pod = &web,
                                            .node = write_str(nodes[id - 2]),
                                            .choices = &choice,
                                            .choice_count = 1});
            writes_bind(w, id, &web, write_str(nodes[id - 2]));
        }
        scripted_advance(server, 1);
        assert_int_equal(server->request_count, 3);
        settled = 0;
        writes_unbind(w, dropped);
        writes_node_gone(w, BERTH_STR("n1"));
        assert_int_equal(settled, dropped == 3 ? 2 : 1);
        writes_count(w, &counters);
        assert_int_equal(counters.devices, dropped == 3 ? 0 : 1);
        stop(NULL);
        start(NULL);
    }
}

static void claims_that_changed_end_the_attempt(void **state)
{
    (void)state;
    static const struct {
        bool chosen;
        int status;
        const char *claim, *says;
    } cases[] = {
        {true, 404, "{}", "claim gpu got deleted in the meantime"},
        {true, 200, "{\"metadata\":{\"uid\":\"c-2\"}}", "claim gpu got deleted in the meantime"},
        {false, 200, plain, "claim gpu got deallocated elsewhere in the meantime"},
        {true, 200,
         "{" HEAD "}," SPEC ",\"status\":{\"allocation\":{\"devices\":{\"results\":[]}}}}",
         "claim gpu got allocated elsewhere in the meantime"},
        {true, 200, "no JSON", "claim gpu got deleted in the meantime"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        settled = 0;
        put(cases[i].chosen);
        answer("GET", CLAIM, cases[i].status, cases[i].claim);
        failed_with(cases[i].says);
    }
}

static void refusals_name_what_was_to_be_done(void **state)
{
    (void)state;
    put(true);
    answer("GET", CLAIM, 200, plain);
    answer("PATCH", CLAIM, 422, "{\"kind\":\"Status\",\"message\":\"no\"}");
    failed_with("add finalizer to claim gpu: no");
    settled = 0;
    put(false);
    answer("GET", CLAIM, 200, allocated);
    answer("PATCH", STATUS, 422, "{\"kind\":\"Status\",\"message\":\"no\"}");
    answer("PATCH", STATUS, 200, "{}"); /* released, because it may exist */
    failed_with("add reservation to claim gpu: no");
}

#define CONDITIONS(devices)                                                                     \
    "{" HEAD FINALIZERS "}," SPEC ",\"status\":{\"allocation\":{\"devices\":{\"results\":[{"    \
    "\"request\":\"r\",\"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":\"gpu-0\","    \
    "\"bindingConditions\":[\"Ready\"],\"bindingFailureConditions\":[\"Broken\"]}]}}," RESERVED \
    ",\"devices\":[" devices "]}}"
#define DEVICE(type)                                                                         \
    "{\"driver\":\"gpu.example.com\",\"pool\":\"n1\",\"device\":\"gpu-0\",\"conditions\":[{" \
    "\"type\":\"" type "\",\"status\":\"True\",\"reason\":\"R\",\"message\":\"M\"}]}"

static void conditions_are_waited_for(void **state)
{
    (void)state;
    put(false);
    answer("GET", CLAIM, 200, CONDITIONS(""));
    assert_null(scripted_find(server, "GET", CLAIM));
    const scripted_request *event = sent("POST", "/events");
    assert_non_null(strstr(event->body, "\"reason\":\"BindingConditionsPending\""));
    assert_non_null(strstr(event->body, "waiting for binding conditions for device on node n1"));
    answer("POST", "/events", 201, "{}");
    scripted_advance(server, 5 * second);
    answer("GET", CLAIM, 200, CONDITIONS(DEVICE("Ready")));
    answer("POST", "/binding", 201, "{}");
    settled = 0;
    put(false);
    answer("GET", CLAIM, 200, CONDITIONS(DEVICE("Broken")));
    failed_with("device binding failed: claim=gpu, reason=R, message=\"M\"");
}

/* The conditions never come: a second before the limit `for_ns` the job still waits; then the limit
 * passes. */
static void wait_in_vain(int64_t for_ns)
{
    settled = 0;
    put(false);
    answer("GET", CLAIM, 200, CONDITIONS(""));
    scripted_advance(server, for_ns - second);
    while (scripted_find(server, "GET", CLAIM) != NULL && settled == 0)
        answer("GET", CLAIM, 200, CONDITIONS(""));
    assert_int_equal(settled, 0);
    scripted_advance(server, 2 * second);
}

#define FREED                                                                \
    "{\"metadata\":{\"uid\":\"c-1\",\"resourceVersion\":\"7\"},\"status\":{" \
    "\"allocation\":null,\"reservedFor\":null,\"devices\":null}}"

static void devices_that_come_late_are_taken_away(void **state)
{
    (void)state;
    wait_in_vain(600 * second);
    assert_string_equal(sent("PATCH", STATUS)->body, FREED);
    answer("PATCH", STATUS, 200, "{}");
    failed_with("device binding timeout: claim=gpu");
    timeout_ns = 20 * second;
    wait_in_vain(20 * second);
    timeout_ns = 0;
    assert_string_equal(sent("PATCH", STATUS)->body, FREED);
    answer("PATCH", STATUS, 409, "{}"); /* another pod has come: only our own entry is removed */
    assert_non_null(strstr(sent("PATCH", STATUS)->body, "\"$patch\":\"delete\""));
    answer("PATCH", STATUS, 200, "{}");
    failed_with("device binding timeout: claim=gpu");
}

static void a_node_that_is_gone_is_not_waited_for(void **state)
{
    (void)state;
    put(false);
    answer("GET", CLAIM, 200, CONDITIONS(""));
    answer("POST", "/events", 201, "{}");
    writes_node_gone(w, BERTH_STR("other"));
    assert_int_equal(settled, 0);
    writes_node_gone(w, BERTH_STR("n1"));
    failed_with("the node is gone");
}

static void a_claim_is_freed_as_it_was(void **state)
{
    (void)state;
    static const int answers[] = {200, 404, 409, 422};
    const freed_claim claim = {.namespace_name = BERTH_STR("shop"),
                               .name = BERTH_STR("gpu"),
                               .uid = BERTH_STR("c-1"),
                               .version = 7};
    for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        writes_free_claim(w, &claim);
        assert_string_equal(sent("PATCH", STATUS)->body, FREED);
        answer("PATCH", STATUS, 503, "{}");
        scripted_advance(server, second);
        answer("PATCH", STATUS, answers[i], "{}");
        assert_int_equal(server->request_count, 0);
        assert_int_equal(server->timer_count, 0);
    }
    writes_free_claim(w, &claim);
    for (int i = 0; i < 10; i++) {
        answer("PATCH", STATUS, 503, "{}");
        scripted_advance(server, 10 * second);
    }
    assert_int_equal(server->timer_count, 0); /* the pod's next attempt requests it again */
    writes_free_claim(w, &claim);
    writes_end(w);
    assert_int_equal(server->request_count, 0);
}

/* ---- extended resources ---- */

#define POD_STATUS "/pods/web-1/status"
#define MADE "/resourceclaims/web-1-extended-resources-x7"
#define CREATION "POST", "/namespaces/shop/resourceclaims"
#define OWNED                                                                                  \
    "\"annotations\":{\"resource.kubernetes.io/extended-resource-claim\":\"true\"},"           \
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"web-1\",\"uid\":" \
    "\"u-1\",\"controller\":true}]"
#define REQUESTS                                                                       \
    "[{\"name\":\"container-0-request-0\",\"exactly\":{\"deviceClassName\":\"gpu.x\"," \
    "\"allocationMode\":\"ExactCount\",\"count\":1}}]"
#define MADE_SPEC "\"spec\":{\"devices\":{\"requests\":" REQUESTS "}}"
#define MADE_HEAD                                                              \
    "{\"metadata\":{\"name\":\"web-1-extended-resources-x7\",\"uid\":\"e-1\"," \
    "\"resourceVersion\":\"7\"," OWNED
#define MAPPINGS                                                                   \
    "[{\"containerName\":\"main\",\"resourceName\":\"x.org/gpu\",\"requestName\":" \
    "\"container-0-request-0\"}]"
#define ONE_GPU                                                                               \
    "{\"devices\":{\"results\":[{\"request\":\"container-0-request-0\",\"driver\":\"gpu.x\"," \
    "\"pool\":\"n1\",\"device\":\"gpu-0\"}]}}"

static const char made[] = MADE_HEAD "}," MADE_SPEC "}";
static const char made_protected[] = MADE_HEAD FINALIZERS "}," MADE_SPEC "}";
static const char made_allocated[] =
    MADE_HEAD FINALIZERS "}," MADE_SPEC ",\"status\":{\"allocation\":" ONE_GPU "," RESERVED "}}";

static void put_extended(const char *claim_name)
{
    const device_choice choice = {.claim_namespace = BERTH_STR("shop"),
                                  .claim_name = write_str(claim_name),
                                  .claim_uid = BERTH_STR("e-1"),
                                  .allocation = BERTH_STR(ONE_GPU),
                                  .requests =
                                      claim_name == NULL ? BERTH_STR(REQUESTS) : (berth_str){0},
                                  .mappings = BERTH_STR(MAPPINGS)};
    settled = 0;
    writes_devices(
        w,
        &(device_job){
            .id = 1, .pod = &web, .node = BERTH_STR("n1"), .choices = &choice, .choice_count = 1});
    writes_bind(w, 1, &web, BERTH_STR("n1"));
}

/* Proceed from the answer to the creation to the reservation, which is not answered yet. */
static void allocate_made(void)
{
    assert_string_equal(sent("PATCH", MADE)->body,
                        "{\"metadata\":{\"resourceVersion\":\"7\",\"uid\":\"e-1\",\"finalizers\":["
                        "\"resource.kubernetes.io/delete-protection\"]}}");
    answer("PATCH", MADE, 200, "{}");
    answer("GET", MADE, 200, made_protected);
    answer("GET", "/deviceclasses/gpu.x", 200, class_text);
    answer("GET", MADE, 200, made_protected);
    const char *status = sent("PATCH", MADE "/status")->body;
    assert_non_null(strstr(status, "\"device\":\"gpu-0\""));
    assert_non_null(strstr(status, "\"source\":\"FromClass\""));
    assert_non_null(strstr(status, RESERVED));
}

/* The steps of a deletion. */
static void expect_deletion(void)
{
    answer("GET", MADE, 200, made_allocated);
    assert_string_equal(sent("PATCH", MADE)->body, "{\"metadata\":{\"resourceVersion\":\"7\","
                                                   "\"uid\":\"e-1\",\"finalizers\":[]}}");
    answer("PATCH", MADE, 409, "{}");
    answer("GET", MADE, 200, made_allocated);
    answer("PATCH", MADE, 200, "{}");
    answer("GET", MADE, 200, made);
    assert_string_equal(sent("DELETE", MADE)->body, "{\"preconditions\":{\"uid\":\"e-1\"}}");
    answer("DELETE", MADE, 503, "{}");
    scripted_advance(server, second);
    answer("DELETE", MADE, 200, "{}");
    assert_null(scripted_find(server, "", "/resourceclaims"));
}

static void a_claim_is_created_for_extended_resources(void **state)
{
    (void)state;
    put_extended(NULL);
    const scripted_request *creation = sent(CREATION);
    assert_string_equal(creation->content_type, "application/json");
    assert_string_equal(creation->body,
                        "{\"apiVersion\":\"resource.k8s.io/v1\",\"kind\":\"ResourceClaim\","
                        "\"metadata\":{\"generateName\":\"web-1-extended-resources-\","
                        "\"namespace\":\"shop\"," OWNED "}," MADE_SPEC "}");
    answer(CREATION, 429, "{}");
    scripted_advance(server, second);
    answer(CREATION, 201, made);
    allocate_made();
    answer("PATCH", MADE "/status", 200, "{}");
    answer("GET", MADE, 200, made_allocated);
    const scripted_request *status = sent("PATCH", POD_STATUS);
    assert_string_equal(status->content_type, "application/strategic-merge-patch+json");
    assert_string_equal(status->body,
                        "{\"metadata\":{\"uid\":\"u-1\"},\"status\":{"
                        "\"extendedResourceClaimStatus\":{\"requestMappings\":" MAPPINGS
                        ",\"resourceClaimName\":\"web-1-extended-resources-x7\"}}}");
    answer("PATCH", POD_STATUS, 504, "{}");
    scripted_advance(server, second);
    assert_null(scripted_find(server, "POST", "/binding"));
    answer("PATCH", POD_STATUS, 200, "{}");
    answer("GET", MADE, 200, made_allocated);
    answer("POST", "/binding", 201, "{}");
    assert_int_equal(verdict, BIND_BOUND);
    assert_null(scripted_find(server, "", "/resourceclaims"));
}

static void a_claim_without_requests_is_used(void **state)
{
    (void)state;
    put_extended("web-1-extended-resources-x7");
    answer("GET", MADE, 200, made_protected);
    answer("GET", "/deviceclasses/gpu.x", 404, "{}");
    answer("GET", MADE, 200, made_protected);
    answer("PATCH", MADE "/status", 200, "{}");
    answer("GET", MADE, 200, made_allocated);
    answer("PATCH", POD_STATUS, 200, "{}");
    answer("GET", MADE, 200, made_allocated);
    answer("POST", "/binding", 201, "{}");
    assert_int_equal(verdict, BIND_BOUND);
}

static void a_claim_that_is_not_needed_is_deleted(void **state)
{
    (void)state;
    put_extended(NULL);
    answer(CREATION, 201, made);
    allocate_made();
    answer("PATCH", MADE "/status", 422, "{\"kind\":\"Status\",\"message\":\"no\"}");
    assert_int_equal(verdict, BIND_FAILED);
    expect_deletion();
    failed_with("add allocation and reservation to claim web-1-extended-resources-x7: no");
    put_extended(NULL);
    answer(CREATION, 201, made);
    allocate_made();
    answer("PATCH", MADE "/status", 200, "{}");
    answer("GET", MADE, 200, made_allocated);
    answer("PATCH", POD_STATUS, 422, "{\"kind\":\"Status\",\"message\":\"no\"}");
    expect_deletion();
    failed_with("update pod shop/web-1 ExtendedResourceClaimStatus: no");
    put_extended(NULL);
    answer(CREATION, 201, made);
    writes_unbind(w, 1);
    expect_deletion();
}

static void a_claim_that_comes_too_late_is_deleted(void **state)
{
    (void)state;
    put_extended(NULL);
    (void)sent(CREATION);
    writes_unbind(w, 1);
    answer(CREATION, 201, made);
    expect_deletion();
    put_extended(NULL);
    writes_unbind(w, 1);
    answer(CREATION, 429, "{}"); /* nothing was created */
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
}

static void a_claim_that_is_not_created_ends_the_attempt(void **state)
{
    (void)state;
    put_extended(NULL);
    answer(CREATION, 403, "{}"); /* the role may be changed */
    scripted_advance(server, second);
    answer(CREATION, 422, "{\"kind\":\"Status\",\"message\":\"no\"}");
    failed_with("create claim for extended resources shop/: no");
    put_extended(NULL);
    answer(CREATION, 504, "{}"); /* it may exist: the next attempt finds it by its owner */
    failed_with("create claim for extended resources shop/: ");
    put_extended(NULL);
    answer(CREATION, 201, "{}");
    failed_with("the server's answer has no name or uid");
    put_extended(NULL);
    answer(CREATION, 201, "{\"metadata\":{\"name\":\"x\"}}");
    failed_with("the server's answer has no name or uid");
    put_extended(NULL);
    scripted_fail(server, sent(CREATION), LIVE_UNKNOWN);
    failed_with("create claim for extended resources shop/: no answer");
}

static void only_the_pods_own_claim_is_deleted(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *claim;
    } others[] = {
        {404, "{}"},
        {200, "no JSON"},
        {200, "{\"metadata\":{\"uid\":\"e-2\"," OWNED "}}"},
        {200, "{\"metadata\":{\"uid\":\"e-1\"}}"},
        {200, "{\"metadata\":{\"uid\":\"e-1\",\"annotations\":{"
              "\"resource.kubernetes.io/extended-resource-claim\":\"true\"},"
              "\"ownerReferences\":[{\"uid\":\"u-0\",\"controller\":true}]}}"},
    };
    const deleted_claim claim = {.namespace_name = BERTH_STR("shop"),
                                 .name = BERTH_STR("web-1-extended-resources-x7"),
                                 .uid = BERTH_STR("e-1"),
                                 .pod_uid = BERTH_STR("u-1")};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        writes_delete_claim(w, &claim);
        writes_delete_claim(w, &claim); /* is under way already */
        assert_int_equal(server->request_count, 1);
        answer("GET", MADE, others[i].status, others[i].claim);
        assert_int_equal(server->request_count, 0);
    }
    writes_delete_claim(w, &claim);
    expect_deletion();
    writes_delete_claim(w, &claim);
    for (int i = 0; i < 10; i++) {
        answer("GET", MADE, 503, "{}");
        scripted_advance(server, 10 * second);
    }
    assert_int_equal(server->timer_count, 0); /* the pod's next attempt requests it again */
    writes_delete_claim(w, &claim);
    writes_end(w);
    assert_int_equal(server->request_count, 0);
}

static void the_end_forgets(void **state)
{
    (void)state;
    writes_counters counters;
    put(true);
    writes_count(w, &counters);
    assert_int_equal(counters.devices, 1);
    writes_end(w);
    writes_count(w, &counters);
    assert_int_equal(counters.devices, 0);
    assert_int_equal(server->request_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_claim_is_written_before_the_binding, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_with_devices_is_shared, start, stop),
        cmocka_unit_test_setup_teardown(a_lost_answer_is_found_in_the_claim, start, stop),
        cmocka_unit_test_setup_teardown(what_was_written_is_given_back, start, stop),
        cmocka_unit_test_setup_teardown(pauses_grow, start, stop),
        cmocka_unit_test_setup_teardown(jobs_are_told_apart, start, stop),
        cmocka_unit_test_setup_teardown(claims_that_changed_end_the_attempt, start, stop),
        cmocka_unit_test_setup_teardown(refusals_name_what_was_to_be_done, start, stop),
        cmocka_unit_test_setup_teardown(conditions_are_waited_for, start, stop),
        cmocka_unit_test_setup_teardown(devices_that_come_late_are_taken_away, start, stop),
        cmocka_unit_test_setup_teardown(a_node_that_is_gone_is_not_waited_for, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_is_freed_as_it_was, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_is_created_for_extended_resources, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_without_requests_is_used, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_that_is_not_needed_is_deleted, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_that_comes_too_late_is_deleted, start, stop),
        cmocka_unit_test_setup_teardown(a_claim_that_is_not_created_ends_the_attempt, start, stop),
        cmocka_unit_test_setup_teardown(only_the_pods_own_claim_is_deleted, start, stop),
        cmocka_unit_test_setup_teardown(the_end_forgets, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
