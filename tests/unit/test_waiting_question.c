/* Requests whose answers take a while: how much of a body is kept, the arguments of a query, and
 * that each is asked once. The connection is not one: the server's library is the test's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/serving/question.h"

static char place;
static struct MHD_Connection *const connection = (void *)&place;
static int suspended, resumed;
static question q;

void __wrap_MHD_suspend_connection(struct MHD_Connection *of);
void __wrap_MHD_suspend_connection(struct MHD_Connection *of)
{
    assert_ptr_equal(of, connection);
    suspended++;
}

void __wrap_MHD_resume_connection(struct MHD_Connection *of);
void __wrap_MHD_resume_connection(struct MHD_Connection *of)
{
    assert_ptr_equal(of, connection);
    assert_int_equal(q.retry_s, 7); /* the answer is written before */
    assert_non_null(q.answer.text);
    resumed++;
}

int __wrap_MHD_get_connection_values(struct MHD_Connection *of, enum MHD_ValueKind kind,
                                     MHD_KeyValueIterator each, void *context);
int __wrap_MHD_get_connection_values(struct MHD_Connection *of, enum MHD_ValueKind kind,
                                     MHD_KeyValueIterator each, void *context)
{
    static const char *const values[][2] = {{"pod", "a"}, {"pods", "b"}, {"pod", NULL},
                                            {"Pod", "c"}, {"pod", ""},   {"pod", "d"}};
    assert_ptr_equal(of, connection);
    assert_int_equal(kind, MHD_GET_ARGUMENT_KIND);
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        if (each(context, kind, values[i][0], values[i][1]) != MHD_YES)
            return (int)i;
    return (int)(sizeof(values) / sizeof(values[0]));
}

static int start(void **state)
{
    (void)state;
    suspended = resumed = 0;
    q = (question){.connection = NULL};
    return 0;
}

static int stop(void **state)
{
    (void)state;
    question_free(&q);
    assert_null(q.body);
    assert_null(q.answer.text);
    return 0;
}

/* A body may be as long as the limit; of a longer one nothing more is kept, even if a later piece
 * would fit. */
static void bodies_at_the_limit(void **state)
{
    static const question_rule rule = {.body_max = 8};
    (void)state;
    question_body(&q, &rule, "abc", 3);
    assert_string_equal(q.body, "abc");
    question_body(&q, &rule, "defgh", 5);
    assert_string_equal(q.body, "abcdefgh");
    assert_int_equal(q.length, 8);
    assert_false(q.is_too_long);
    question_body(&q, &rule, "", 0);
    assert_false(q.is_too_long);
    question_body(&q, &rule, "i", 1);
    assert_true(q.is_too_long);
    assert_string_equal(q.body, "abcdefgh");
    question_free(&q);
    question_body(&q, &rule, "123456789", 9);
    assert_true(q.is_too_long);
    question_body(&q, &rule, "1", 1);
    assert_true(q.is_too_long);
    assert_int_equal(q.length, 0);
    assert_null(q.body);
    question_free(&q);
    assert_false(q.is_too_long);
}

static int asked;

static void on_ask(void *context, question *of)
{
    assert_ptr_equal(context, &asked);
    assert_ptr_equal(of, &q);
    assert_int_equal(suspended, 1); /* before it is asked: the answer may come at once */
    asked++;
}

/* Handled again, the request is not asked again; its answer has one owner. */
static void asked_once(void **state)
{
    static const question_rule rule = {.ask = on_ask, .context = &asked};
    (void)state;
    asked = 0;
    assert_false(question_is_answered(&q, &rule, connection, "GET", "/v1/grow"));
    assert_int_equal(asked, 1);
    assert_string_equal(q.method, "GET");
    assert_string_equal(q.path, "/v1/grow");
    const debug_page page = {.status = 200, .text = strdup("text"), .length = 4};
    question_settle(&q, &page, 7);
    assert_int_equal(resumed, 1);
    assert_true(question_is_answered(&q, &rule, connection, "GET", "/v1/grow"));
    assert_int_equal(asked + suspended, 2);
    const debug_page taken = question_take_answer(&q);
    assert_string_equal(taken.text, "text");
    assert_int_equal(taken.status, 200);
    assert_int_equal(taken.length, 4);
    assert_null(question_take_answer(&q).text);
    free(taken.text);
}

static void on_value(void *context, const char *value)
{
    strcat(context, value);
    strcat(context, ",");
}

/* All values of that very name, in order; an argument without a value is none. */
static void arguments(void **state)
{
    char all[64] = "";
    (void)state;
    q.connection = connection;
    question_arguments(&q, "pod", on_value, all);
    assert_string_equal(all, "a,,d,");
    all[0] = '\0';
    question_arguments(&q, "node", on_value, all);
    assert_string_equal(all, "");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {T(bodies_at_the_limit), T(asked_once), T(arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
