/* Questions that wait for a thread: how many of one client there may be, and those whose time is
 * up. The only thread answers when the test lets it. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/heap.h"
#include "live/answer/asking.h"
#include "live/transport/event_loop.h"

static const int64_t second_ns = 1000000000;
static int64_t now_ns;
static sem_t begun, may_end;
static volatile const int32_t *cancel_flag; /* of the answer that is being made */
static asking *a;
static metrics *m;
static question_rule rule;
static question questions[4]; /* the first one is being answered */

int64_t __wrap_event_loop_now(void);
int64_t __wrap_event_loop_now(void)
{
    return now_ns;
}

uint64_t __wrap_live_copy_version(const live_copy *c);
uint64_t __wrap_live_copy_version(const live_copy *c)
{
    assert_null(c);
    return 7;
}

const char *__wrap_question_header(const question *q, const char *name);
const char *__wrap_question_header(const question *q, const char *name)
{
    (void)q;
    assert_string_equal(name, "Last-Event-ID");
    return "7"; /* nothing has changed */
}

debug_page __wrap_answers_make(const answer_world *world, const question *asked,
                               berth_cancel_flag cancel);
debug_page __wrap_answers_make(const answer_world *world, const question *asked,
                               berth_cancel_flag cancel)
{
    (void)world;
    (void)asked;
    cancel_flag = cancel;
    sem_post(&begun);
    sem_wait(&may_end);
    return (debug_page){
        .status = 200, .type = "text/plain", .text = heap_text("a", 1), .length = 1};
}

void __wrap_question_settle(question *q, const debug_page *answer, unsigned retry_s);
void __wrap_question_settle(question *q, const debug_page *answer, unsigned retry_s)
{
    free(q->answer.text);
    q->answer = *answer;
    q->retry_s = retry_s;
}

/* Asks a question of the client with this number. */
static void ask(int which, const char *path, uint8_t client)
{
    questions[which] = (question){.method = "GET", .path = path, .client = {client}};
    rule.ask(rule.context, &questions[which]);
}

static int start(void **state)
{
    (void)state;
    now_ns = 100 * second_ns;
    memset(questions, 0, sizeof(questions));
    sem_init(&begun, 0, 0);
    sem_init(&may_end, 0, 0);
    m = metrics_create(false);
    const asking_options options = {
        .metrics = m, .threads = 1, .of_client = 2, .waiting = 8, .time_ns = 5 * second_ns};
    assert_int_equal(asking_create(&options, &a, NULL), BERTH_OK);
    rule = asking_rule(a);
    ask(0, "/v1/fits", 1);
    sem_wait(&begun);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
        sem_post(&may_end); /* the thread may take those that wait before they are refused */
    asking_stop(a);
    asking_destroy(a);
    assert_int_equal(questions[0].answer.status, 200);
    for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
        free(questions[i].answer.text);
    metrics_destroy(m);
    sem_destroy(&begun);
    sem_destroy(&may_end);
    return 0;
}

static void is_refused(int which, unsigned status)
{
    assert_int_equal(questions[which].answer.status, status);
    assert_int_equal(questions[which].retry_s, 1);
}

/* Of a client count the question that is being answered and those that wait, in either list. */
static void questions_of_one_client(void **state)
{
    (void)state;
    ask(1, "/v1/fits", 1);
    assert_int_equal(questions[1].answer.status, 0);
    ask(2, "/v1/fits", 1);
    is_refused(2, 429);
    ask(3, "/v1/changes", 1);
    is_refused(3, 429);
    free(questions[3].answer.text);
    ask(3, "/v1/fits", 2);
    assert_int_equal(questions[3].answer.status, 0);
}

static void questions_for_changes_count(void **state)
{
    (void)state;
    ask(1, "/v1/changes", 1);
    assert_int_equal(questions[1].answer.status, 0);
    ask(2, "/v1/fits", 1);
    is_refused(2, 429);
}

/* A client's question counts, whatever other clients ask after it. */
static void questions_of_others(const char *path)
{
    ask(1, "/v1/fits", 1);
    ask(2, path, 2);
    assert_int_equal(questions[2].answer.status, 0);
    ask(3, "/v1/fits", 1);
    is_refused(3, 429);
}

static void another_one_waits(void **state)
{
    (void)state;
    questions_of_others("/v1/fits");
}

static void another_one_waits_for_changes(void **state)
{
    (void)state;
    questions_of_others("/v1/changes");
}

/* The time of a question that waits is up: it is settled, and its client is not told to try again.
 * That of the one that is being answered is up, too: it is cancelled. */
static void time_is_up(void **state)
{
    (void)state;
    ask(1, "/v1/fits", 1);
    now_ns += 5 * second_ns;
    asking_look(a);
    assert_int_equal(questions[1].answer.status, 0);
    assert_int_equal(*cancel_flag, 0);
    now_ns++;
    asking_look(a);
    assert_int_equal(questions[1].answer.status, 504);
    assert_int_equal(questions[1].retry_s, 0);
    assert_int_equal(*cancel_flag, 1);
    ask(2, "/v1/fits", 1); /* there is room for it now */
    assert_int_equal(questions[2].answer.status, 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(questions_of_one_client),
        T(questions_for_changes_count),
        T(another_one_waits),
        T(another_one_waits_for_changes),
        T(time_is_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
