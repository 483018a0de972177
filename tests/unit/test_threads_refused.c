/* The system refuses threads: creating an engine fails and leaves nothing behind; a reader works
 * alone. The linker redirects the library's calls to create threads to this file. */
#include <pthread.h>
#include <stdio.h>

#include "berth/berth.h"
#include "counted_memory.h"

static uint32_t asked, refused_at; /* counted from 1; 0: no refusal */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context)
{
    if (++asked == refused_at)
        return 11; /* EAGAIN: too many */
    return __real_pthread_create(thread, attributes, start, context);
}

/* ---- engine ---- */

enum { THREADS = 4 };

static void test_engine(void **state)
{
    (void)state;
    counted memory = {.bytes = 0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = THREADS;
    config.allocator = &allocator;
    for (uint32_t n = 1; n <= THREADS; n++) {
        berth_engine *engine = NULL;
        berth_error error = {.code = BERTH_OK};
        asked = 0;
        refused_at = n;
        berth_status status = berth_engine_create(&config, &engine, &error);
        if (n < THREADS) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_int_equal(error.code, BERTH_E_NOMEM);
            assert_null(engine);
            assert_int_equal(asked, n); /* no thread is requested after the refused one */
        } else {
            assert_int_equal(status, BERTH_OK); /* the caller is one of the threads */
            assert_int_equal(asked, THREADS - 1);
        }
        berth_engine_destroy(engine);
        assert_int_equal(atomic_load(&memory.bytes), 0);
    }
}

/* ---- reader ---- */

enum { PODS = 12000 };

static berth_status count(void *context, const berth_object *object, const berth_error *origin,
                          berth_error *error)
{
    uint32_t *pods = context;
    (void)origin;
    (void)error;
    *pods += object->kind == BERTH_KIND_POD;
    return BERTH_OK;
}

static uint32_t read_pods(berth_str text)
{
    const berth_read_options options = {.size = sizeof(options), .threads = 2};
    berth_reader *reader;
    uint32_t pods = 0;
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_reader_create(&options, &reader, NULL), BERTH_OK);
    assert_int_equal(berth_reader_text(reader, text, "pods", count, &pods, &error), BERTH_OK);
    berth_reader_destroy(reader);
    return pods;
}

static void test_reader(void **state)
{
    (void)state;
    enum { EACH = 256 };
    char *text = malloc((size_t)PODS * EACH);
    size_t len = 0;
    assert_non_null(text);
    for (uint32_t i = 0; i < PODS; i++)
        len +=
            (size_t)snprintf(text + len, EACH,
                             "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": "
                             "\"pod-%u\"}, \"spec\": {\"containers\": [{\"name\": \"c%u\"}]}}\n",
                             i, i);
    const berth_str pods = {text, (uint32_t)len};
    asked = refused_at = 0;
    assert_int_equal(read_pods(pods), PODS);
    assert_int_equal(asked, 1);
    asked = 0;
    refused_at = 1;
    assert_int_equal(read_pods(pods), PODS);
    assert_int_equal(asked, 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_engine),
                                       cmocka_unit_test(test_reader)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
