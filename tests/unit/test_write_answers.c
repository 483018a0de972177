/* Every kind of write with every answer: which are repeated, which are given up, what is read
 * instead; and the lease's deadline, to the millisecond. */
#include "scripted_writes.h"

static const int64_t second = INT64_C(1000000000), millisecond = 1000000;

#define CLAIM "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/gpu"
#define CLASS "/apis/resource.k8s.io/v1/deviceclasses/gpu.example.com"
#define VOLUME "/api/v1/persistentvolumes/pv-7"
#define VOLUME_CLAIM "/api/v1/namespaces/shop/persistentvolumeclaims/data"
#define HEAD "\"metadata\":{\"uid\":\"c-1\",\"resourceVersion\":\"7\""
#define SPEC                                                                                  \
    ",\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":" \
    "\"gpu.example.com\"}}]}}}"

static const char plain[] = "{" HEAD "}" SPEC;
static const char protected[] =
    "{" HEAD ",\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]}" SPEC;

/* ---- the kinds of requests ---- */

static void reply(const char *method, const char *part, int status, const char *body)
{
    scripted_answer(server, sent(method, part), status, body);
}

static void bind_pod(void)
{
    writes_bind(w, 1, &web, BERTH_STR("n1"));
}

static void nominate(void)
{
    writes_nominate(w, &web, BERTH_STR("n1"));
}

static void fail_pod(void)
{
    writes_failed(w, &web, &(write_failure){.message = BERTH_STR("full")});
}

static void fail_pod_once(void)
{
    fail_pod();
    reply("POST", "/events", 201, "{}");
    reply("PATCH", "/status", 200, "{\"metadata\":{\"resourceVersion\":\"80\"}}");
}

static void report_leader(void)
{
    writes_leader(w, &(leader_event){.namespace_name = "kube-system",
                                     .name = "berth",
                                     .component = "berth",
                                     .message = "me became leader"});
}

static void evict(void)
{
    static const write_pod victim = {
        .namespace_name = {"shop", 4}, .name = {"old-1", 5}, .uid = {"u-9", 3}, .version = 71};
    writes_evict(w, &victim, &web, BERTH_STR("n1"));
}

static void mark_victim(void)
{
    reply("PATCH", "/pods/old-1/status", 200, "{}");
}

static void put_volume(bool chosen)
{
    const volume_choice choice = {.claim_namespace = BERTH_STR("shop"),
                                  .claim_name = BERTH_STR("data"),
                                  .claim_uid = BERTH_STR("c-1"),
                                  .claim_version = 50,
                                  .volume_name = chosen ? BERTH_STR("pv-7") : (berth_str){0},
                                  .volume_version = 60};
    writes_bind_with_volumes(
        w,
        &(volume_job){
            .id = 1, .pod = &web, .node = BERTH_STR("n1"), .choices = &choice, .choice_count = 1});
}

static void put_chosen(void)
{
    put_volume(true);
}

static void put_provisioned(void)
{
    put_volume(false);
}

static void volume_has_changed(void)
{
    reply("PATCH", VOLUME, 409, "{}");
}

static void volume_claim_has_changed(void)
{
    reply("PATCH", VOLUME_CLAIM, 409, "{}");
}

static void put_devices(void)
{
    const device_choice choice = {
        .claim_namespace = BERTH_STR("shop"),
        .claim_name = BERTH_STR("gpu"),
        .claim_uid = BERTH_STR("c-1"),
        .allocation = BERTH_STR("{\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":"
                                "\"gpu.example.com\",\"pool\":\"n1\",\"device\":\"gpu-0\"}]}}")};
    writes_devices(
        w,
        &(device_job){
            .id = 1, .pod = &web, .node = BERTH_STR("n1"), .choices = &choice, .choice_count = 1});
}

static void read_claim(void)
{
    put_devices();
    bind_pod();
}

static void claim_is_plain(void)
{
    reply("GET", CLAIM, 200, plain);
}

static void claim_is_protected(void)
{
    reply("GET", CLAIM, 200, protected);
}

static void read_class(void)
{
    read_claim();
    claim_is_protected();
    reply("GET", CLASS, 200, "{}");
    scripted_advance(server, 1);
}

static void write_claim(void)
{
    read_class();
    claim_is_protected();
}

static void unbind(void)
{
    writes_unbind(w, 1);
}

static void free_claim(void)
{
    writes_free_claim(w, &(freed_claim){.namespace_name = BERTH_STR("shop"),
                                        .name = BERTH_STR("gpu"),
                                        .uid = BERTH_STR("c-1"),
                                        .version = 7});
}

/* ---- the answers ---- */

static const struct {
    int status; /* 0: no answer */
    live_outcome outcome;
} answers[] = {
    {200, LIVE_ANSWERED}, {400, LIVE_ANSWERED}, {401, LIVE_ANSWERED}, {403, LIVE_ANSWERED},
    {404, LIVE_ANSWERED}, {409, LIVE_ANSWERED}, {410, LIVE_ANSWERED}, {422, LIVE_ANSWERED},
    {429, LIVE_ANSWERED}, {500, LIVE_ANSWERED}, {502, LIVE_ANSWERED}, {503, LIVE_ANSWERED},
    {504, LIVE_ANSWERED}, {0, LIVE_NOT_SENT},   {0, LIVE_UNKNOWN},
};
enum { ANSWERS = sizeof(answers) / sizeof(answers[0]), TOO_MANY = 8 };

/* What follows a request after each of the answers, with a letter for each:
 *   a  the same request again, later       g  a GET of `object` instead
 *   s  never again                         D, P  a DELETE or a POST of `object` instead */
typedef struct kind {
    const char *name;
    void (*prepare)(void), (*trigger)(void); /* `trigger` sends the request at once */
    const char *method, *part, *fates, *object;
} kind;

static void nothing(void)
{
}

static const kind kinds[] = {
    /* 200 400 401 403 404 409 410 422 429 500 502 503 504 not-sent unknown */
    {"binding", nothing, bind_pod, "POST", "/binding", "ssaassssaaaaaaa", ""},
    {"pod status", nothing, nominate, "PATCH", "/pods/web-1/status", "sssssassaaaaaaa", ""},
    {"event", nothing, fail_pod, "POST", "/events", "ssaassssaaaaaaa", ""},
    {"series", fail_pod_once, fail_pod, "PATCH", "/events/", "ssaaPsssaaaaaaa", "/events"},
    {"leader", nothing, report_leader, "POST", "/events", "ssaassssaaaaaaa", ""},
    {"victim", nothing, evict, "PATCH", "/pods/old-1/status", "Dsaasassaaaaaaa", "/pods/old-1"},
    {"deletion", evict, mark_victim, "DELETE", "/pods/old-1", "ssaassssaaaaaaa", ""},
    {"volume", nothing, put_chosen, "PATCH", VOLUME, "gsaasgssaaaaaaa", VOLUME},
    {"volume read", put_chosen, volume_has_changed, "GET", VOLUME, "saaasaaaaaaaaaa", ""},
    {"volume claim", nothing, put_provisioned, "PATCH", VOLUME_CLAIM, "gsaasgssaaaaaaa",
     VOLUME_CLAIM},
    {"volume claim read", put_provisioned, volume_claim_has_changed, "GET", VOLUME_CLAIM,
     "saaasaaaaaaaaaa", ""},
    {"claim read", put_devices, bind_pod, "GET", CLAIM, "saaasaaaaaaaaaa", ""},
    {"finalizer", read_claim, claim_is_plain, "PATCH", CLAIM, "gsaasgssaagagag", CLAIM},
    {"class read", read_claim, claim_is_protected, "GET", CLASS, "saaasaaaaaaaaaa", ""},
    {"claim", read_class, claim_is_protected, "PATCH", CLAIM "/status", "gsaasgssaagagag", CLAIM},
    {"claim given back", write_claim, unbind, "PATCH", CLAIM "/status", "ssaassssaaaaaaa", ""},
    {"claim freed", nothing, free_claim, "PATCH", CLAIM "/status", "ssaassssaaaaaaa", ""},
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static scripted_request *waiting(const kind *k)
{
    return scripted_find(server, k->method, k->part);
}

/* Advances until a request waits; returns NULL after 40 s without one. */
static scripted_request *wait_for(const char *method, const char *part)
{
    for (int i = 0; i < 4000; i++) {
        scripted_request *r = scripted_find(server, method, part);
        if (r != NULL)
            return r;
        scripted_advance(server, 10 * millisecond);
    }
    return NULL;
}

static void give(const kind *k, size_t answer)
{
    const scripted_request *r = waiting(k);
    assert_non_null(r);
    if (answers[answer].outcome == LIVE_ANSWERED)
        scripted_answer(server, r, answers[answer].status, "{\"message\":\"so\"}");
    else
        scripted_fail(server, r, answers[answer].outcome);
}

static void check_fate(const kind *k, size_t answer)
{
    char *body = strdup(waiting(k)->body);
    give(k, answer);
    const char fate = k->fates[answer];
    const char *method = fate == 'g' ? "GET" : fate == 'D' ? "DELETE" : "POST";
    const scripted_request *next = NULL;
    if (fate == 'a') {
        bool at_once = waiting(k) != NULL;
        next = wait_for(k->method, k->part);
        if (at_once || next == NULL || strcmp(next->body, body) != 0)
            fail_msg("%s, answer %d/%d: not repeated", k->name, answers[answer].status,
                     (int)answers[answer].outcome);
    } else if (fate != 's') {
        next = wait_for(method, k->object);
        if (next == NULL)
            fail_msg("%s, answer %d: no %s follows", k->name, answers[answer].status, method);
    }
    const scripted_request *repeated = fate != 'a' ? wait_for(k->method, k->part) : NULL;
    if (repeated != NULL && strcmp(repeated->body, body) == 0) /* and not what gives it back */
        fail_msg("%s, answer %d/%d: repeated", k->name, answers[answer].status,
                 (int)answers[answer].outcome);
    free(body);
}

static void each_answer_to_each_kind(void **state)
{
    for (size_t i = 0; i < KINDS; i++) {
        assert_int_equal(strlen(kinds[i].fates), ANSWERS);
        for (size_t answer = 0; answer < ANSWERS; answer++) {
            start(state);
            kinds[i].prepare();
            kinds[i].trigger();
            check_fate(&kinds[i], answer);
            stop(state);
        }
    }
}

/* A busy server asks clients to wait: 429 answers are never an error, however many there are.
 * Devices that nobody needs are the exception: they are given up after 10. */
static void many_times_too_many(void **state)
{
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        bool bounded = k->trigger == unbind || k->trigger == free_claim;
        start(state);
        k->prepare();
        k->trigger();
        for (int times = 0; times < (bounded ? 3 : 40); times++) {
            give(k, TOO_MANY);
            if (wait_for(k->method, k->part) == NULL)
                fail_msg("%s: given up after %d answers 429", k->name, times + 1);
        }
        assert_int_equal(settled, 0);
        writes_counters counters;
        writes_count(w, &counters);
        assert_int_equal(counters.pushed_back, bounded ? 3 : 40);
        stop(state);
    }
}

static void retry_after_is_kept(void **state)
{
    static const int statuses[] = {429, 503};
    for (size_t i = 0; i < KINDS * 2; i++) {
        const kind *k = &kinds[i / 2];
        start(state);
        k->prepare();
        k->trigger();
        scripted_retry_after(server, waiting(k), statuses[i % 2], 7);
        scripted_advance(server, 7 * second - 1);
        if (waiting(k) != NULL)
            fail_msg("%s: repeated before Retry-After, %d", k->name, statuses[i % 2]);
        scripted_advance(server, 1);
        if (waiting(k) == NULL)
            fail_msg("%s: not repeated at Retry-After, %d", k->name, statuses[i % 2]);
        stop(state);
    }
}

/* ---- the lease's deadline ---- */

/* The request is due `before_ns` before the deadline: it is sent, or waits for the next lease. */
static void near_the_deadline(const kind *k, int64_t before_ns)
{
    k->prepare();
    int64_t deadline_ns = server->now_ns + 10 * second;
    writes_fence(w, deadline_ns);
    scripted_advance(server, 10 * second - before_ns);
    k->trigger();
    const scripted_request *r = waiting(k);
    if ((r != NULL) != (before_ns > 0))
        fail_msg("%s: %s %d ns before the deadline", k->name, r != NULL ? "sent" : "not sent",
                 (int)before_ns);
    if (r != NULL && r->not_after_ns != deadline_ns)
        fail_msg("%s: the deadline is not the request's", k->name);
    if (before_ns > 0)
        return;
    scripted_advance(server, 20 * second);
    if (waiting(k) != NULL)
        fail_msg("%s: sent after the deadline", k->name);
    writes_fence(w, server->now_ns + 1);
    if (waiting(k) == NULL)
        fail_msg("%s: not sent with the next lease", k->name);
}

static void nothing_from_the_deadline_on(void **state)
{
    static const int64_t befores[] = {1000000, 1, 0, -1000000};
    for (size_t i = 0; i < KINDS; i++)
        for (size_t at = 0; at < sizeof(befores) / sizeof(befores[0]); at++) {
            start(state);
            near_the_deadline(&kinds[i], befores[at]);
            stop(state);
        }
}

/* A request that was postponed before the deadline is not repeated after it. */
static void no_repetition_after_the_deadline(void **state)
{
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        start(state);
        k->prepare();
        k->trigger();
        writes_fence(w, server->now_ns + second);
        scripted_retry_after(server, waiting(k), 429, 1);
        scripted_advance(server, 20 * second);
        if (waiting(k) != NULL)
            fail_msg("%s: repeated at the deadline", k->name);
        writes_fence(w, server->now_ns + 1);
        if (waiting(k) == NULL)
            fail_msg("%s: not repeated with the next lease", k->name);
        stop(state);
    }
}

/* Without a lease, nothing is sent; without an election, there is no deadline. */
static void no_lease_and_no_election(void **state)
{
    for (size_t i = 0; i < KINDS; i++) {
        start(state);
        kinds[i].prepare();
        writes_fence(w, 0);
        kinds[i].trigger();
        assert_null(waiting(&kinds[i]));
        writes_fence(w, LIVE_NEVER);
        assert_non_null(waiting(&kinds[i]));
        assert_int_equal(waiting(&kinds[i])->not_after_ns, 0);
        stop(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_answer_to_each_kind),
        cmocka_unit_test(many_times_too_many),
        cmocka_unit_test(retry_after_is_kept),
        cmocka_unit_test(nothing_from_the_deadline_on),
        cmocka_unit_test(no_repetition_after_the_deadline),
        cmocka_unit_test(no_lease_and_no_election),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
