/* What an API server applies to new pods: which kinds are listed, what the copy holds, and lists
 * that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kept_stderr.h"
#include "live/answer/standing.h"
#include "scripted_transport.h"

#define SECOND INT64_C(1000000000)
#define WARNING "what applies to new pods can't be listed"

static scripted_transport *server;
static standing *kept;
static int listed; /* calls */

static void on_listed(void *context)
{
    assert_ptr_equal(context, &listed);
    listed++;
}

static int start(void **state)
{
    (void)state;
    server = scripted_create();
    kept = NULL;
    listed = 0;
    return stderr_keep();
}

static int stop(void **state)
{
    (void)state;
    stderr_restore();
    standing_stop(kept);
    standing_destroy(kept);
    scripted_destroy(server);
    return 0;
}

static void begin(int minor)
{
    kept = standing_create(&server->transport, minor, on_listed, &listed);
    standing_start(kept);
}

/* Answers the request for a kind, the only one that waits. */
static void answer(const char *resource, int status, const char *text)
{
    const scripted_request *request = scripted_find(server, "GET", resource);
    assert_non_null(request);
    assert_int_equal(server->request_count, 1);
    scripted_answer(server, request, status, text);
}

static void holds(const char *items)
{
    char text[1024];
    snprintf(text, sizeof(text), "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[%s]}", items);
    standing_text *now = standing_take(kept);
    const berth_str found = standing_words(now);
    assert_int_equal(found.len, strlen(text));
    assert_memory_equal(found.data, text, found.len);
    standing_drop(kept, now);
}

/* The warnings so far. */
static int warnings(void)
{
    return stderr_count(WARNING);
}

static const char *const of_all[] = {"/priorityclasses", "/runtimeclasses", "/limitranges",
                                     "/resourcequotas"};

/* Answers the requests for the kinds that every server has, with this text for LimitRanges. */
static void answer_all(const char *ranges)
{
    for (size_t i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++)
        answer(of_all[i], 200, i == 2 ? ranges : "{\"items\":[]}");
}

static void every_kind(void **state)
{
    (void)state;
    begin(34);
    answer("/priorityclasses", 200,
           "{\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"metadata\":{\"name\":\"b\"}}]}");
    answer("/runtimeclasses", 200, "{\"items\":null}");
    answer("/limitranges", 200, "{\"items\":[]}");
    answer("/resourcequotas", 200, "{\"items\":[{\"spec\":{}}]}");
    assert_int_equal(listed, 0);
    holds("");
    answer("/resourceclaimtemplates", 200, "{\"items\":[{\"spec\":{\"spec\":{}}}]}");
    assert_int_equal(listed, 1);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(warnings(), 0);
#define CLASS(name)                                                                           \
    "{\"metadata\":{\"name\":\"" name "\"},\"apiVersion\":\"scheduling.k8s.io/v1\",\"kind\":" \
    "\"PriorityClass\"}"
    holds(CLASS("a") "," CLASS("b") ",{\"spec\":{},\"apiVersion\":\"v1\",\"kind\":"
                                    "\"ResourceQuota\"},{\"spec\":{\"spec\":{}},\"apiVersion\":"
                                    "\"resource.k8s.io/v1\",\"kind\":\"ResourceClaimTemplate\"}");
}

/* Kubernetes 1.33 does not serve resource.k8s.io/v1. */
static void older_server(void **state)
{
    (void)state;
    begin(33);
    answer_all("{\"items\":[]}");
    assert_int_equal(listed, 1);
    assert_int_equal(server->request_count, 0);
}

/* The last list of a kind stays in use, and the failure is reported once. */
static void failing_lists(void **state)
{
    static const char range[] = "{\"spec\":{},\"apiVersion\":\"v1\",\"kind\":\"LimitRange\"}";
    static const char *const no_lists[] = {"", "[]", "{\"items\":7}", "{\"kind\":\"Status\"}"};
    (void)state;
    begin(33);
    answer_all("{\"items\":[{\"spec\":{}}]}");
    holds(range);
    for (size_t i = 0; i < sizeof(no_lists) / sizeof(no_lists[0]); i++) {
        scripted_advance(server, 30 * SECOND);
        answer_all(no_lists[i]);
        holds(range);
        assert_int_equal(warnings(), 1);
    }
    scripted_advance(server, 30 * SECOND);
    answer_all("{\"items\":[]}");
    holds("");
    scripted_advance(server, 30 * SECOND);
    answer("/priorityclasses", 403, "{\"items\":[{}]}");
    holds("");
    assert_int_equal(warnings(), 2);
    assert_int_equal(listed, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        TEST(every_kind),
        TEST(older_server),
        TEST(failing_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
