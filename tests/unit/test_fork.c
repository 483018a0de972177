/* An embedder that forks to start programs while an engine lives: the engine continues undisturbed,
 * and the started program inherits nothing of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "small_cluster.h"

enum { NODES = 3000, PODS = 60, FORKS = 20 };

static berth_engine *make(uint32_t threads)
{
    berth_engine_config config;
    berth_engine *engine = NULL;
    berth_error error;
    berth_engine_config_init(&config);
    config.threads = threads;
    config.path = BERTH_PATH_SCAN; /* gives the workers work */
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_OK);
    for (unsigned i = 0; i < NODES; i++) {
        small_node storage;
        berth_object object;
        char name[16];
        snprintf(name, sizeof(name), "n%u", i);
        assert_int_equal(berth_engine_add(engine, small_node_object(&storage, &object, name, NULL),
                                          NULL, &error),
                         BERTH_OK);
    }
    return engine;
}

/* Places a pod; returns its node. */
static berth_node_id place(berth_engine *engine, unsigned number)
{
    small_pod storage;
    berth_object object;
    berth_object_id id;
    berth_placement placement;
    berth_error error;
    char name[16];
    snprintf(name, sizeof(name), "p%u", number);
    const int32_t milli = 100 + (int32_t)(number % 7) * 300;
    assert_int_equal(berth_engine_add(engine,
                                      small_pod_object(&storage, &object, name, NULL, milli), &id,
                                      &error),
                     BERTH_OK);
    assert_int_equal(berth_engine_schedule(engine, id.pod, &placement, &error), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    return placement.node;
}

/* Start a program that ends with 0 (`program` NULL: a child that ends at once) and wait for it. */
static bool start(const char *program)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        if (program != NULL)
            execl(program, program, (char *)NULL);
        _exit(program == NULL ? 0 : 127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void test_between_decisions(void **state)
{
    berth_engine *engine = make(4);
    berth_engine *twin = make(4);
    berth_error error;
    (void)state;
    for (unsigned i = 0; i < PODS; i++) {
        if (i % 3 == 0)
            assert_true(start(i % 2 == 0 ? "/bin/true" : NULL));
        assert_int_equal(place(engine, i), place(twin, i));
    }
    assert_int_equal(berth_engine_check(engine, &error), BERTH_OK);
    berth_engine_destroy(engine);
    berth_engine_destroy(twin);
}

static atomic_uint started;

static void *keep_starting(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < FORKS; i++)
        if (start(i % 2 == 0 ? "/bin/true" : NULL))
            atomic_fetch_add(&started, 1);
    return NULL;
}

/* Forks on another thread, whatever the engine and its workers do. */
static void test_during_decisions(void **state)
{
    berth_engine *twin = make(1);
    berth_engine *engine = make(4);
    pthread_t thread;
    berth_error error;
    (void)state;
    atomic_store(&started, 0);
    assert_int_equal(pthread_create(&thread, NULL, keep_starting, NULL), 0);
    for (unsigned i = 0; i < PODS || atomic_load(&started) == 0; i++)
        assert_int_equal(place(engine, i), place(twin, i));
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(atomic_load(&started), FORKS);
    assert_int_equal(berth_engine_check(engine, &error), BERTH_OK);
    berth_engine_destroy(engine);
    berth_engine_destroy(twin);
}

static unsigned open_files(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0; /* nothing to compare here */
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* A started program inherits files, signal masks and handlers. */
static void test_nothing_is_inherited(void **state)
{
    sigset_t before, after;
    struct sigaction handlers[32], found;
    unsigned files = open_files();
    (void)state;
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &before), 0);
    for (int i = 1; i < 32; i++)
        assert_int_equal(sigaction(i, NULL, &handlers[i]), 0);
    berth_engine *engine = make(4);
    for (unsigned i = 0; i < PODS; i++)
        (void)place(engine, i);
    assert_int_equal(open_files(), files);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &after), 0);
    for (int i = 1; i < 32; i++) {
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
        assert_int_equal(sigaction(i, NULL, &found), 0);
        assert_true(found.sa_handler == handlers[i].sa_handler);
    }
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_between_decisions),
        cmocka_unit_test(test_during_decisions),
        cmocka_unit_test(test_nothing_is_inherited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
