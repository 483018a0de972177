/* Questions whose answers come while the server stops: each text is freed once. Sanitizers notice
 * the rest; without them, the C library notices most double frees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "live/serving/question.h"
#include "live/serving/serving.h"

enum { ROUNDS = 100, ASKED = 8 };

static serving *server;
static metrics *counted;
static question *waiting[ASKED];
static _Atomic int asked;

static bool takes(void *context, const char *path)
{
    (void)context;
    return strcmp(path, "/v1/wait") == 0;
}

/* On the server's thread, as are all writes to `waiting`. */
static void keep(void *context, question *q)
{
    (void)context;
    const int index = atomic_load_explicit(&asked, memory_order_relaxed);
    waiting[index] = q;
    atomic_store_explicit(&asked, index + 1, memory_order_release);
}

static int start(void **state)
{
    const serving_options options = {.address = "127.0.0.1:0",
                                     .metrics = counted = metrics_create(false),
                                     .questions = {takes, keep, NULL, 4096}};
    berth_error error = {.code = BERTH_OK};
    (void)state;
    atomic_store(&asked, 0);
    assert_int_equal(serving_start(&options, &server, &error), BERTH_OK);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    serving_stop(server);
    metrics_destroy(counted);
    return 0;
}

/* Asks without waiting for the answer; returns the socket. */
static int begin(void)
{
    static const char text[] = "GET /v1/wait HTTP/1.1\r\nHost: x\r\n\r\n";
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(serving_port(server)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
    assert_int_equal(send(fd, text, sizeof(text) - 1, 0), sizeof(text) - 1);
    return fd;
}

static void settle_all(void)
{
    for (int i = 0; i < ASKED; i++) {
        const debug_page page = {200, "text/plain", strdup("an answer"), 9};
        question_settle(waiting[i], &page, 0);
    }
}

static void begin_all(int sockets[ASKED])
{
    for (int i = 0; i < ASKED; i++)
        sockets[i] = begin();
    while (atomic_load_explicit(&asked, memory_order_acquire) < ASKED)
        usleep(100);
}

static void answers_of_a_server_that_stops(void **state)
{
    int sockets[ASKED];
    for (int round = 0; round < ROUNDS; round++) {
        begin_all(sockets);
        settle_all();
        usleep((useconds_t)(round % 10) * 20); /* the server is at one point or another */
        assert_int_equal(stop(state), 0);
        for (int i = 0; i < ASKED; i++)
            close(sockets[i]);
        assert_int_equal(start(state), 0);
    }
}

static void answers(void **state)
{
    int sockets[ASKED];
    char text[1024];
    (void)state;
    begin_all(sockets);
    settle_all();
    for (int i = 0; i < ASKED; i++) {
        size_t length = 0;
        while (text[length] = '\0', strstr(text, "an answer") == NULL) {
            const ssize_t count = recv(sockets[i], text + length, sizeof(text) - 1 - length, 0);
            assert_true(count > 0);
            length += (size_t)count;
        }
        assert_non_null(strstr(text, "HTTP/1.1 200"));
        close(sockets[i]);
    }
}

static void the_text_has_one_owner(void **state)
{
    question q = {
        .answer = {.status = 200, .type = "text/plain", .text = strdup("x"), .length = 1}};
    (void)state;
    debug_page taken = question_take_answer(&q);
    assert_string_equal(taken.text, "x");
    assert_null(question_take_answer(&q).text);
    question_free(&q);
    free(taken.text);
    q.answer.text = strdup("not taken");
    question_free(&q);
    assert_null(q.answer.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(answers_of_a_server_that_stops, start, stop),
        cmocka_unit_test_setup_teardown(answers, start, stop),
        cmocka_unit_test(the_text_has_one_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
