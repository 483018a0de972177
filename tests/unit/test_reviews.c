/* Who a client is and what it may read, according to a scripted API server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gnutls/crypto.h>
#include <pthread.h>
#include <stdatomic.h>

#include "live/log/log.h"
#include "live/reviews/expiring_cache.h"
#include "live/reviews/reviews.h"
#include "scripted_transport.h"

#define SECOND INT64_C(1000000000)
static const char tokens_path[] = "/apis/authentication.k8s.io/v1/tokenreviews";
static const char access_path[] = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

typedef struct world {
    scripted_transport *server;
    reviews *reviews;
    int wakes;
    int status; /* of the last verdict; 0: none yet */
    char message[1024];
} world;

static world w;

static void wake(void *context)
{
    ((world *)context)->wakes++;
}

static void begin(const review_options *changed)
{
    review_options options = *changed;
    w = (world){.server = scripted_create()};
    options.authentication = options.authorization = &w.server->transport;
    options.wake = wake;
    options.context = &w;
    w.reviews = reviews_create(&options);
}

static int start(void **state)
{
    (void)state;
    log_setup(false, 0);
    begin(&(review_options){0});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    reviews_stop(w.reviews);
    reviews_destroy(w.reviews);
    scripted_destroy(w.server);
    return 0;
}

static void on_verdict(void *context, const review_verdict *verdict)
{
    world *of = context;
    assert_int_equal(of->status, 0); /* once */
    of->status = verdict->status;
    snprintf(of->message, sizeof(of->message), "%s", verdict->message);
}

static void ask_as(const review_question *question)
{
    w.status = 0;
    reviews_ask(w.reviews, question, on_verdict, &w);
    reviews_turn(w.reviews);
}

static void ask(const char *token, const char *path)
{
    ask_as(&(review_question){.token = token, .verb = "get", .path = path});
}

/* The request that waits is this one; it gets this answer. */
static void answer(const char *path, const char *in_body, int status, const char *body)
{
    const scripted_request *request = scripted_find(w.server, "POST", path);
    assert_non_null(request);
    assert_string_equal(request->path, path);
    assert_string_equal(request->content_type, "application/json");
    assert_non_null(strstr(request->body, in_body));
    scripted_answer(w.server, request, status, body);
}

static void verdict_is(int status, const char *message)
{
    assert_int_equal(w.status, status);
    assert_string_equal(w.message, message);
    assert_int_equal(w.server->request_count, 0);
}

#define JANE                                                                             \
    "{\"status\":{\"authenticated\":true,\"user\":{\"username\":\"jane\",\"uid\":\"7\"," \
    "\"groups\":[\"ops\",\"system:authenticated\"],\"extra\":{\"scopes\":[\"a\"]}}}}"
#define MAY "{\"status\":{\"allowed\":true}}"
#define MAY_NOT "{\"status\":{\"allowed\":false,\"reason\":\"no rule says so\"}}"

static void test_token(void **state)
{
    (void)state;
    ask("secret", "/metrics");
    answer(tokens_path,
           "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
           "\"spec\":{\"token\":\"secret\"}}",
           201, JANE);
    assert_int_equal(w.status, 0);
    const scripted_request *request = scripted_find(w.server, "POST", access_path);
    assert_non_null(request);
    assert_string_equal(request->body,
                        "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":"
                        "\"SubjectAccessReview\",\"spec\":{\"user\":\"jane\","
                        "\"nonResourceAttributes\":{\"path\":\"/metrics\",\"verb\":\"get\"},"
                        "\"uid\":\"7\",\"groups\":[\"ops\",\"system:authenticated\"],"
                        "\"extra\":{\"scopes\":[\"a\"]}}}");
    answer(access_path, "jane", 201, MAY);
    verdict_is(200, "");
    assert_int_equal(w.wakes, 3); /* for the question, and for each review */
}

static void test_refused(void **state)
{
    (void)state;
    ask(NULL, "/metrics");
    answer(access_path, "\"user\":\"system:anonymous\"", 201, "{\"status\":{\"allowed\":false}}");
    verdict_is(403, "forbidden: User \"system:anonymous\" cannot get path \"/metrics\"");
    ask(NULL, "/configz");
    answer(access_path, "\"groups\":[\"system:unauthenticated\"]", 201, MAY_NOT);
    verdict_is(403, "forbidden: User \"system:anonymous\" cannot get path \"/configz\": "
                    "no rule says so");
}

static void test_nobodys_token(void **state)
{
    (void)state;
    ask("forged", "/metrics");
    answer(tokens_path, "forged", 201, "{\"status\":{\"error\":\"unknown\"}}");
    verdict_is(401, "Unauthorized");
    ask("forged", "/metrics"); /* it is remembered */
    verdict_is(401, "Unauthorized");
    ask("other", "/metrics");
    answer(tokens_path, "other", 201, "{\"status\":{\"authenticated\":false,\"user\":{}}}");
    verdict_is(401, "Unauthorized");
}

/* An answer that is remembered until a moment is requested again from that moment on. */
static void remembers(int64_t token_s, int64_t allowed_s, int64_t denied_s)
{
    ask("t", "/metrics");
    answer(tokens_path, "", 201, JANE);
    answer(access_path, "", 201, MAY);
    ask(NULL, "/metrics");
    answer(access_path, "anonymous", 201, MAY_NOT);
    const int64_t first = w.server->now_ns;
    for (int64_t s = 0; s < 40; s++) {
        const int64_t at[] = {s * SECOND - 1, s * SECOND};
        for (int i = s == 0; i < 2; i++) {
            scripted_advance(w.server, first + at[i] - w.server->now_ns);
            ask(NULL, "/metrics");
            assert_int_equal(w.status, at[i] < denied_s * SECOND ? 403 : 0);
            assert_int_equal(w.server->request_count, w.status == 0);
            if (w.status == 0)
                scripted_fail(w.server, &w.server->requests[0], LIVE_UNKNOWN);
            ask("t", "/metrics");
            const bool asked = scripted_find(w.server, "POST", tokens_path) != NULL;
            assert_int_equal(asked, at[i] >= token_s * SECOND);
            if (!asked)
                assert_int_equal(w.status, at[i] < allowed_s * SECOND ? 200 : 0);
            if (w.status == 0)
                scripted_fail(w.server, &w.server->requests[0], LIVE_UNKNOWN);
        }
    }
}

static void test_default_times(void **state)
{
    (void)state;
    remembers(10, 10, 10);
}

static void test_times(void **state)
{
    (void)state;
    stop(NULL);
    begin(&(review_options){
        .token_ns = 30 * SECOND, .allowed_ns = 20 * SECOND, .denied_ns = 5 * SECOND});
    remembers(30, 20, 5);
    stop(NULL);
    begin(&(review_options){.token_ns = -1, .allowed_ns = -1, .denied_ns = -1});
    remembers(0, 0, 0);
}

static void test_failures(void **state)
{
    (void)state;
    static const struct {
        int status;
        const char *body;
    } wrong[] = {{403, "{}"}, {500, ""}, {201, "no JSON"}, {200, "[]"}};
    for (size_t i = 0; i < 4; i++) {
        char message[200];
        ask("t", "/metrics");
        answer(tokens_path, "", wrong[i].status, wrong[i].body);
        verdict_is(401, "Unauthorized");
        ask(NULL, "/metrics");
        answer(access_path, "", wrong[i].status, wrong[i].body);
        snprintf(message, sizeof(message),
                 "Internal Server Error: \"/metrics\": the API server answers %d", wrong[i].status);
        verdict_is(500, message);
    }
    ask("t", "/metrics");
    scripted_advance(w.server, 11 * SECOND);
    verdict_is(401, "Unauthorized");
    ask(NULL, "/metrics");
    scripted_advance(w.server, 11 * SECOND);
    verdict_is(500, "Internal Server Error: \"/metrics\": no answer in time");
    ask("t", "/metrics"); /* nothing wrong is remembered */
    answer(tokens_path, "", 201, JANE);
    answer(access_path, "", 201, "{\"status\":{\"allowed\":\"yes\"}}");
    assert_int_equal(w.status, 500);
}

/* An error is no verdict, whatever its body says, and neither is the lack of an answer. */
static void test_errors_say_nothing(void **state)
{
    static const int statuses[] = {199, 202, 204, 301, 401, 403, 409, 500, 503};
    (void)state;
    for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
        ask("t", "/metrics");
        answer(tokens_path, "", statuses[i], JANE);
        verdict_is(401, "Unauthorized");
        ask(NULL, "/metrics");
        answer(access_path, "", statuses[i], MAY);
        assert_int_equal(w.status, 500);
    }
    for (int created = 0; created < 2; created++) {
        const live_answer unknown = {
            .outcome = LIVE_UNKNOWN, .status = 200 + created, .body = BERTH_STR(MAY)};
        ask(NULL, "/metrics");
        scripted_end(w.server, &w.server->requests[0], &unknown);
        verdict_is(500, "Internal Server Error: \"/metrics\": scripted");
    }
}

/* 200 is as good as 201. */
static void test_status_200(void **state)
{
    (void)state;
    ask("t", "/metrics");
    answer(tokens_path, "", 200, JANE);
    answer(access_path, "jane", 200, MAY);
    verdict_is(200, "");
}

/* Whose token it is, one server says; what its owner may do, another. */
static void test_two_servers(void **state)
{
    (void)state;
    stop(NULL);
    scripted_transport *other = scripted_create();
    other->last_id = 100;
    w = (world){.server = scripted_create()};
    w.reviews = reviews_create(&(review_options){.authentication = &w.server->transport,
                                                 .authorization = &other->transport,
                                                 .wake = wake,
                                                 .context = &w});
    ask("t", "/metrics");
    assert_int_equal(other->request_count, 0);
    scripted_advance(w.server, 10 * SECOND); /* cancels the request to the first */
    verdict_is(401, "Unauthorized");
    ask("t", "/metrics");
    answer(tokens_path, "\"t\"", 201, JANE);
    assert_int_equal(w.server->request_count, 0);
    assert_int_equal(other->request_count, 1);
    scripted_advance(w.server, 10 * SECOND);
    assert_int_equal(w.status, 500);
    assert_int_equal(other->request_count, 0);
    ask(NULL, "/metrics");
    assert_int_equal(other->request_count, 1);
    w.status = 0;
    reviews_stop(w.reviews);
    assert_int_equal(w.status, 503);
    assert_int_equal(other->request_count, 0);
    scripted_destroy(other);
}

/* ---- tokens in memory ---- */

static const char *secret; /* looked for where memory is wiped; NULL: nothing is looked for */
static int wiped;
static bool hash_fails;

void __wrap_gnutls_memset(void *data, int to, size_t size);
void __wrap_gnutls_memset(void *data, int to, size_t size)
{
    if (secret != NULL && memmem(data, size, secret, strlen(secret)) != NULL && to == 0)
        wiped++;
    memset(data, to, size);
}

int __real_gnutls_hash_fast(gnutls_digest_algorithm_t algorithm, const void *text, size_t length,
                            void *out);
int __wrap_gnutls_hash_fast(gnutls_digest_algorithm_t algorithm, const void *text, size_t length,
                            void *out);
int __wrap_gnutls_hash_fast(gnutls_digest_algorithm_t algorithm, const void *text, size_t length,
                            void *out)
{
    assert_int_equal(algorithm, GNUTLS_DIG_SHA256);
    return hash_fails ? GNUTLS_E_HASH_FAILED
                      : __real_gnutls_hash_fast(algorithm, text, length, out);
}

/* A token is wiped from the question when that is answered, and from the review when it is sent. */
static void test_tokens_are_wiped(void **state)
{
    (void)state;
    secret = "sesame";
    wiped = 0;
    ask("sesame", "/metrics");
    assert_int_equal(wiped, 1);
    answer(tokens_path, "sesame", 201, "{\"status\":{}}");
    verdict_is(401, "Unauthorized");
    assert_int_equal(wiped, 2);
    ask("sesame", "/metrics"); /* its user is remembered */
    assert_int_equal(wiped, 3);
    secret = NULL;
}

/* No token is taken for another one that is known. */
static void test_many_tokens(void **state)
{
    char token[16];
    (void)state;
    for (int i = 0; i < 300; i++) {
        snprintf(token, sizeof(token), "t%d", i);
        ask(token, "/metrics");
        assert_int_equal(w.server->request_count, 1);
        answer(tokens_path, token, 201, "{\"status\":{}}");
    }
    ask("t0", "/metrics");
    verdict_is(401, "Unauthorized");
}

/* Without a hash nothing is known about a token, least of all what is known about another one. */
static void test_no_hash(void **state)
{
    (void)state;
    hash_fails = true;
    for (int i = 0; i < 2; i++) {
        ask(i == 0 ? "t" : "u", "/metrics");
        verdict_is(401, "Unauthorized");
    }
    hash_fails = false;
}

static void test_certificate(void **state)
{
    (void)state;
    static const char *const groups[] = {"ops", NULL}, *const masters[] = {"system:masters", NULL};
    review_question question = {.token = "unused",
                                .user = "eve",
                                .groups = groups,
                                .verb = "put",
                                .path = "/debug/flags/v"};
    ask_as(&question);
    answer(access_path, "\"groups\":[\"ops\",\"system:authenticated\"]", 201, MAY_NOT);
    verdict_is(403, "forbidden: User \"eve\" cannot put path \"/debug/flags/v\": no rule says so");
    question.groups = masters;
    ask_as(&question);
    verdict_is(200, "");
}

static void test_not_utf8(void **state)
{
    (void)state;
    static const char *const groups[] = {NULL};
    ask("t\xff", "/metrics");
    verdict_is(401, "Unauthorized");
    ask(NULL, "/\xff");
    assert_int_equal(w.status, 400);
    ask_as(&(review_question){.user = "\xff", .groups = groups, .verb = "get", .path = "/metrics"});
    verdict_is(401, "Unauthorized");
}

static void test_paths(void **state)
{
    (void)state;
    assert_true(reviews_is_open(w.reviews, "/livez"));
    assert_true(reviews_is_open(w.reviews, "/healthz"));
    assert_false(reviews_is_open(w.reviews, "/livez/ping"));
    assert_false(reviews_is_open(w.reviews, "/live"));
    assert_false(reviews_is_open(w.reviews, "/metrics"));
    stop(NULL);
    begin(&(review_options){.always_allowed = "/metrics*,,/configz"});
    assert_true(reviews_is_open(w.reviews, "/metrics"));
    assert_true(reviews_is_open(w.reviews, "/metrics/slis"));
    assert_true(reviews_is_open(w.reviews, "/configz"));
    assert_false(reviews_is_open(w.reviews, "/configz/"));
    assert_false(reviews_is_open(w.reviews, "/livez"));
    assert_false(reviews_is_open(w.reviews, ""));
    stop(NULL);
    begin(&(review_options){.always_allowed = "livez,debug/*"});
    assert_true(reviews_is_open(w.reviews, "/livez"));
    assert_true(reviews_is_open(w.reviews, "/debug/flags/v"));
    assert_false(reviews_is_open(w.reviews, "/debug"));
    stop(NULL);
    begin(&(review_options){.always_allowed = "*"});
    assert_true(reviews_is_open(w.reviews, "/"));
    stop(NULL);
    begin(&(review_options){.always_allowed = "/"});
    assert_true(reviews_is_open(w.reviews, "/"));
    assert_false(reviews_is_open(w.reviews, "/metrics"));
    stop(NULL);
    begin(&(review_options){.always_allowed = ""});
    assert_false(reviews_is_open(w.reviews, "/livez"));
}

static void on_count(void *context, const review_verdict *verdict)
{
    assert_int_equal(verdict->status, 503);
    atomic_fetch_add((_Atomic int *)context, 1);
}

static void test_stop(void **state)
{
    (void)state;
    const review_question question = {.token = "t", .verb = "get", .path = "/metrics"},
                          anonymous = {.verb = "get", .path = "/metrics"};
    _Atomic int answered = 0;
    reviews_ask(w.reviews, &question, on_count, &answered);
    reviews_ask(w.reviews, &anonymous, on_count, &answered);
    reviews_turn(w.reviews);
    assert_int_equal(w.server->request_count, 2);
    reviews_ask(w.reviews, &question, on_count, &answered); /* not taken yet */
    assert_int_equal(answered, 0);
    reviews_stop(w.reviews);
    assert_int_equal(answered, 3);
    assert_int_equal(w.server->request_count, 0);
    reviews_ask(w.reviews, &question, on_count, &answered);
    assert_int_equal(answered, 4);
    reviews_turn(w.reviews);
    assert_int_equal(w.server->request_count, 0);
}

/* Questions from another thread, until it is told that all is over. */
static void *ask_on(void *context)
{
    const review_question question = {.verb = "get", .path = "/metrics"};
    for (int i = 0; i < REVIEWS_WAITING; i++)
        reviews_ask(w.reviews, &question, on_count, context);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    pthread_t other;
    for (int round = 0; round < 50; round++) {
        _Atomic int answered = 0;
        assert_int_equal(pthread_create(&other, NULL, ask_on, &answered), 0);
        reviews_stop(w.reviews);
        pthread_join(other, NULL);
        assert_int_equal(answered, REVIEWS_WAITING);
        stop(NULL);
        begin(&(review_options){0});
    }
}

static void on_status(void *context, const review_verdict *verdict)
{
    *(int *)context = verdict->status;
}

/* REVIEWS_WAITING questions may wait; the next one is refused until one of them is answered. */
static void test_waiting(void **state)
{
    (void)state;
    int statuses[REVIEWS_WAITING + 2] = {0};
    const review_question question = {.token = "t", .verb = "get", .path = "/metrics"};
    for (int i = 0; i <= REVIEWS_WAITING; i++)
        reviews_ask(w.reviews, &question, on_status, &statuses[i]);
    assert_int_equal(statuses[REVIEWS_WAITING - 1], 0);
    assert_int_equal(statuses[REVIEWS_WAITING], 429);
    reviews_turn(w.reviews);
    assert_int_equal(w.server->request_count, REVIEWS_WAITING);
    scripted_answer(w.server, &w.server->requests[0], 201, "{\"status\":{}}");
    reviews_ask(w.reviews, &question, on_status, &statuses[REVIEWS_WAITING + 1]);
    assert_int_equal(statuses[REVIEWS_WAITING + 1], 0);
    reviews_turn(w.reviews);
    scripted_advance(w.server, 10 * SECOND - 1);
    assert_int_equal(statuses[3], 0);
    scripted_advance(w.server, 1); /* none waits longer, whatever the transport does */
    for (int i = 0; i < REVIEWS_WAITING; i++)
        assert_int_equal(statuses[i], 401);
    assert_int_equal(w.server->request_count, 0);
}

static void refused_for_rate(int sent)
{
    for (int i = 0; i < sent; i++) {
        ask(NULL, "/metrics");
        assert_int_equal(w.server->request_count, 1);
        scripted_fail(w.server, &w.server->requests[0], LIVE_UNKNOWN);
    }
    ask(NULL, "/metrics");
    verdict_is(429, "429 too many requests");
}

static void test_rate(void **state)
{
    (void)state;
    refused_for_rate(REVIEWS_BURST);
    scripted_advance(w.server, SECOND / 4);
    refused_for_rate(REVIEWS_A_SECOND / 4);
    scripted_advance(w.server, 100 * SECOND);
    refused_for_rate(REVIEWS_BURST);
}

/* The answer about a very long path is not remembered. */
static void test_long_paths(void **state)
{
    (void)state;
    static char path[REVIEWS_KEPT_BYTES + 1];
    memset(path, 'x', sizeof(path) - 1);
    path[0] = '/';
    for (int i = 0; i < 2; i++) {
        ask(NULL, path);
        answer(access_path, "anonymous", 201, MAY);
        verdict_is(200, "");
    }
    for (int longer = 1; longer >= 0; longer--) { /* the longest that is, to the byte */
        ask(NULL, "/x");
        const scripted_request *request = scripted_find(w.server, "POST", access_path);
        const size_t others = strlen(strstr(request->body, "{\"user\"")) - 1 - strlen("/x");
        scripted_fail(w.server, request, LIVE_UNKNOWN);
        char *one = strndup(path, REVIEWS_KEPT_BYTES - others + (size_t)longer);
        ask(NULL, one);
        answer(access_path, "anonymous", 201, MAY);
        ask(NULL, one);
        assert_int_equal(w.server->request_count, longer);
        if (longer)
            scripted_fail(w.server, &w.server->requests[0], LIVE_UNKNOWN);
        free(one);
    }
    path[REVIEWS_KEPT_BYTES / 2] = '\0';
    ask(NULL, path);
    answer(access_path, "anonymous", 201, MAY);
    ask(NULL, path);
    verdict_is(200, "");
}

static void test_cache(void **state)
{
    (void)state;
    expiring_cache cache = {0};
    char key[16];
    assert_null(expiring_cache_find(&cache, "a", 0));
    for (int i = 0; i < EXPIRING_CACHE_MAX; i++) {
        snprintf(key, sizeof(key), "%d", i);
        expiring_cache_keep(&cache, key, json_integer(i), 0, i == 7 ? 1 : 100);
    }
    assert_int_equal(json_integer_value(expiring_cache_find(&cache, "7", 0)), 7);
    assert_null(expiring_cache_find(&cache, "7", 1));
    expiring_cache_keep(&cache, "new", json_true(), 1, 100); /* replaces an expired entry */
    assert_int_equal(json_object_size(cache.entries), EXPIRING_CACHE_MAX);
    assert_non_null(expiring_cache_find(&cache, "3", 99));
    assert_null(expiring_cache_find(&cache, "3", 100));
    expiring_cache_keep(&cache, "more", json_true(), 1, 100); /* nothing has expired */
    assert_null(expiring_cache_find(&cache, "3", 1));
    assert_non_null(expiring_cache_find(&cache, "more", 1));
    expiring_cache_keep(&cache, "late", json_true(), 5, 5);
    assert_null(expiring_cache_find(&cache, "late", 4));
    expiring_cache_free(&cache);
    assert_null(expiring_cache_find(&cache, "more", 1));
}

#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(test_token),         T(test_refused),     T(test_nobodys_token),
        T(test_default_times), T(test_times),       T(test_failures),
        T(test_certificate),   T(test_not_utf8),    T(test_errors_say_nothing),
        T(test_status_200),    T(test_two_servers), T(test_tokens_are_wiped),
        T(test_many_tokens),   T(test_no_hash),     T(test_paths),
        T(test_stop),          T(test_threads),     T(test_waiting),
        T(test_rate),          T(test_long_paths),  T(test_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
