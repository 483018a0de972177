/* Misuse of the library: told by an error, or, where a call says so, by a program that stops with a
 * sentence; never by a memory fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <signal.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "small_cluster.h"

static berth_engine *open_engine(uint32_t nodes)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    for (uint32_t i = 0; i < nodes; i++) {
        char name[32];
        snprintf(name, sizeof(name), "node-%u", (unsigned)i);
        small_node node;
        berth_object object;
        small_node_object(&node, &object, name, "a");
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    }
    return engine;
}

/* ---- what stops the program ---- */

static int told; /* where the hook writes */

static void tell(const char *file, int line, const char *condition)
{
    if (file != NULL && line > 0)
        (void)!write(told, condition, strlen(condition));
}

/* What a program tells its abort hook; it ends by SIGABRT. */
static void last_words(void (*misuse)(void), char *out, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        told = ends[1];
        berth_abort_hook_set(tell);
        misuse();
        _exit(0);
    }
    close(ends[1]);
    ssize_t len = read(ends[0], out, size - 1);
    out[len > 0 ? len : 0] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void destroy_pinned(void)
{
    berth_engine *engine = open_engine(3), *branch;
    (void)berth_engine_publish(engine, NULL);
    berth_snapshot *first = berth_engine_pin(engine);
    (void)berth_branch_create(first, &branch, NULL);
    (void)berth_engine_publish(engine, NULL);
    (void)berth_engine_pin(engine);
    berth_engine_destroy(engine);
}

static void destroy_pinned_once(void)
{
    berth_engine *engine = open_engine(3);
    (void)berth_engine_publish(engine, NULL);
    (void)berth_engine_pin(engine);
    berth_engine_destroy(engine);
}

static void destroy_scheduled(void)
{
    berth_engine *engine = open_engine(3);
    berth_scheduler *scheduler;
    (void)berth_scheduler_create(engine, NULL, &scheduler, NULL);
    berth_engine_destroy(engine);
}

static void test_destroyed_in_use(void **state)
{
    (void)state;
    char words[512];
    last_words(destroy_pinned, words, sizeof(words));
    assert_string_equal(words, "an engine was destroyed while 3 pins of its snapshots, by readers "
                               "and branches, have not been given back");
    last_words(destroy_pinned_once, words, sizeof(words));
    assert_string_equal(words, "an engine was destroyed while 1 pin of its snapshots, by readers "
                               "and branches, has not been given back");
    last_words(destroy_scheduled, words, sizeof(words));
    assert_string_equal(words, "an engine was destroyed before its scheduler");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroyed_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
