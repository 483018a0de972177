/* Blocking reads: which answers are worth another request, after what pause, and what is said of
 * those that are not. The linker gives the loop to the test, whose server answers in each turn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "live/read/api_reads.h"
#include "scripted_transport.h"

#define SECOND INT64_C(1000000000)

/* ---- a server and a loop ---- */

typedef struct reply {
    live_outcome outcome;
    int status, retry_after; /* retry_after 0: none */
    const char *body;
} reply;

static scripted_transport *s;
static const reply *replies;
static size_t reply_count, reply_at;
static int restarts;
static char received[64];

void __wrap_event_loop_wake(event_loop *loop);
void __wrap_event_loop_wake(event_loop *loop)
{
    (void)loop;
}

static void fire_next_timer(void)
{
    assert_int_equal(s->timer_count, 1);
    const scripted_timer timer = s->timers[0];
    scripted_timer_stop(s, timer.id);
    s->now_ns = timer.at_ns;
    timer.fire(timer.context);
}

void __wrap_event_loop_turn(event_loop *loop, int64_t wait_ns);
void __wrap_event_loop_turn(event_loop *loop, int64_t wait_ns)
{
    (void)loop;
    assert_int_equal(wait_ns, SECOND);
    if (s->request_count == 0) {
        fire_next_timer();
        return;
    }
    assert_true(reply_at < reply_count);
    const reply *r = &replies[reply_at++];
    const scripted_request *request = &s->requests[0];
    assert_string_equal(request->method, "GET");
    assert_string_equal(request->path, "/p");
    assert_int_equal(request->timeout_ns, 120 * SECOND);
    if (request->data != NULL && r->body != NULL)
        (void)scripted_data(s, request, r->body, strlen(r->body));
    const char *body = request->data == NULL && r->body != NULL ? r->body : "";
    scripted_end(
        s, request,
        &(live_answer){.outcome = r->outcome,
                       .status = r->status,
                       .body = {body, (uint32_t)strlen(body)},
                       .why = "the reason",
                       .retry_after_ns = r->retry_after > 0 ? r->retry_after * SECOND : -1});
}

static bool on_data(void *context, const char *bytes, size_t count)
{
    assert_ptr_equal(context, received);
    snprintf(received + strlen(received), sizeof(received) - strlen(received), "%.*s", (int)count,
             bytes);
    return true;
}

static void on_restart(void *context)
{
    assert_ptr_equal(context, received);
    restarts++;
    received[0] = '\0';
}

static api_reads reads;

static int start(void **state)
{
    (void)state;
    s = scripted_create();
    reads = (api_reads){.transport = &s->transport};
    reads.config.access.server = "https://h";
    restarts = 0;
    received[0] = '\0';
    return 0;
}

static int stop(void **state)
{
    (void)state;
    free(reads.body);
    scripted_destroy(s);
    return 0;
}

/* Ask, and expect to wait so long between the requests, together. */
static api_answer ask(const reply *script, size_t count, bool streams, int64_t waits_ns)
{
    const int64_t from_ns = s->now_ns;
    replies = script;
    reply_count = count;
    reply_at = 0;
    const api_answer answer = streams ? api_reads_get(&reads, "/p", on_data, on_restart, received)
                                      : api_reads_get(&reads, "/p", NULL, NULL, NULL);
    assert_int_equal(reply_at, reply_count);
    assert_int_equal(s->now_ns - from_ns, waits_ns);
    return answer;
}

#define ASK(script, streams, waits_ns) \
    ask(script, sizeof(script) / sizeof(*(script)), streams, waits_ns)

/* ---- questions ---- */

static void an_answer(void **state)
{
    static const reply one[] = {{LIVE_ANSWERED, 200, 0, "text"}};
    static const reply other[] = {{LIVE_ANSWERED, 404, 0, NULL}};
    (void)state;
    api_answer answer = ASK(one, false, 0);
    assert_true(answer.answered);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.body.len, 4);
    assert_memory_equal(answer.body.data, "text", 4);
    answer = ASK(one, true, 0);
    assert_int_equal(answer.body.len, 0);
    assert_string_equal(received, "text");
    answer = ASK(other, false, 0); /* nothing is left of the one before */
    assert_true(answer.answered);
    assert_int_equal(answer.status, 404);
    assert_int_equal(answer.body.len, 0);
    assert_int_equal(restarts, 0);
}

/* A busy server is asked six times at most, after half a second, one, and so on; or after the time
 * that it names, if that is longer, but never after more than 30 seconds. */
static void a_busy_server(void **state)
{
    static const reply all[] = {{LIVE_ANSWERED, 429, 0, NULL},  {LIVE_ANSWERED, 503, 3, NULL},
                                {LIVE_ANSWERED, 504, 1, NULL},  {LIVE_ANSWERED, 429, 90, NULL},
                                {LIVE_ANSWERED, 429, 30, NULL}, {LIVE_ANSWERED, 503, 0, NULL}};
    static const reply twice[] = {{LIVE_ANSWERED, 503, 0, "busy"}, {LIVE_ANSWERED, 200, 0, "text"}};
    static const reply error[] = {{LIVE_ANSWERED, 500, 0, NULL}};
    (void)state;
    assert_int_equal(ASK(all, false, SECOND / 2 + 3 * SECOND + 3 * SECOND / 2 + 60 * SECOND).status,
                     503);
    assert_int_equal(ASK(twice, true, SECOND / 2).status, 200);
    assert_int_equal(restarts, 1);
    assert_string_equal(received, "text"); /* the reader has dropped what came first */
    assert_int_equal(ASK(error, false, 0).status, 500);
}

/* An answer that breaks off is requested once more; what was not sent is not. */
static void broken_answers(void **state)
{
    static const reply once[] = {{LIVE_UNKNOWN, 0, 0, "te"}, {LIVE_ANSWERED, 200, 0, "text"}};
    static const reply twice[] = {{LIVE_UNKNOWN, 0, 0, NULL}, {LIVE_UNKNOWN, 0, 0, NULL}};
    static const reply not_sent[] = {{LIVE_NOT_SENT, 0, 0, NULL}};
    static const reply busy_then_broken[] = {{LIVE_ANSWERED, 429, 0, NULL},
                                             {LIVE_UNKNOWN, 0, 0, NULL}};
    (void)state;
    assert_int_equal(ASK(once, true, SECOND / 2).status, 200);
    assert_int_equal(restarts, 1);
    assert_string_equal(received, "text");
    api_answer answer = ASK(twice, false, SECOND / 2);
    assert_false(answer.answered);
    assert_string_equal(answer.why, "the reason");
    assert_false(ASK(not_sent, false, 0).answered);
    assert_false(ASK(busy_then_broken, false, SECOND / 2).answered);
}

static void what_is_said(void **state)
{
    static const struct {
        reply answer;
        const char *message;
    } cases[] = {
        {{LIVE_NOT_SENT, 0, 0, NULL}, "https://h: the API server does not answer: the reason"},
        {{LIVE_ANSWERED, 401, 0, "{\"message\":\"m\"}"},
         "https://h: the API server does not accept the credentials (401)"},
        {{LIVE_ANSWERED, 500, 0, "{\"message\":\"etcd is away\"}"},
         "https://h: the API server does not list pods (500): etcd is away"},
        {{LIVE_ANSWERED, 403, 0, "no JSON"}, "https://h: the API server does not list pods (403)"},
        {{LIVE_ANSWERED, 403, 0, "{\"message\":1}"},
         "https://h: the API server does not list pods (403)"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[800];
        berth_error error;
        const api_answer answer = ask(&cases[i].answer, 1, false, 0);
        assert_int_equal(api_reads_failed(&reads, &answer, "list pods", &error), BERTH_E_IO);
        berth_error_format(&error, text, sizeof(text));
        assert_string_equal(text, cases[i].message);
    }
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(an_answer),
        T(a_busy_server),
        T(broken_answers),
        T(what_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
