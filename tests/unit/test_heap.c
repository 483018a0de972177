/* Heaps: what is handed out is counted, what is given back is not, and everything goes with the heap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/heap.h"
#include "berth/engine.h"

static berth__heap *new_heap(bool huge_pages)
{
    berth__heap *heap;
    assert_int_equal(berth__heap_create(huge_pages, &heap), BERTH_OK);
    return heap;
}

static void test_use_is_counted(void **state)
{
    (void)state;
    enum { PIECES = 1000 };
    berth__heap *heap = new_heap(false), *other = new_heap(false);
    const berth_allocator *allocator = berth__heap_allocator(heap);
    uint64_t before = berth__heap_usage(heap).used_bytes;
    uint64_t beside = berth__heap_usage(other).used_bytes;
    void *pieces[PIECES];
    size_t asked = 0;
    for (size_t i = 0; i < PIECES; i++) {
        size_t bytes = 1 + i * 37;
        pieces[i] = berth__alloc(allocator, bytes, i % 2 == 0 ? 8 : 64);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % (i % 2 == 0 ? 8 : 64), 0);
        memset(pieces[i], (int)i, bytes);
        asked += bytes;
    }
    uint64_t held = berth__heap_usage(heap).used_bytes - before;
    assert_true(held >= asked);
    assert_true(held <= asked + asked / 4 + PIECES * 64); /* size classes are 25 % apart */
    assert_int_equal(berth__heap_usage(other).used_bytes, beside);
    for (size_t i = 0; i < PIECES; i++)
        berth__free(allocator, pieces[i], 1 + i * 37);
    assert_int_equal(berth__heap_usage(heap).used_bytes, before);
    berth__heap_destroy(heap);
    berth__heap_destroy(other);
    berth__heap_destroy(NULL);
}

/* A large heap asks for huge pages, and whether or not there are any, its memory works. */
static void test_huge_pages_are_asked_for(void **state)
{
    (void)state;
    enum { PIECES = 48 };
    const size_t bytes = 1 << 20;
    for (int asked = 0; asked < 2; asked++) {
        berth__heap *heap = new_heap(asked != 0);
        const berth_allocator *allocator = berth__heap_allocator(heap);
        char *pieces[PIECES];
        for (size_t i = 0; i < PIECES; i++) {
            pieces[i] = berth__alloc(allocator, bytes, 64);
            assert_non_null(pieces[i]);
            pieces[i][0] = pieces[i][bytes - 1] = (char)i;
        }
        berth__heap_use use = berth__heap_usage(heap);
#ifdef BERTH_PLAIN_MALLOC
        assert_int_equal(use.huge_bytes, 0);
#else
        assert_int_equal(use.huge_bytes > 0 || use.huge_refused, asked != 0);
        assert_true(use.resident_bytes > 0);
#endif
        for (size_t i = 0; i < PIECES; i++) {
            assert_int_equal(pieces[i][bytes - 1], (char)i);
            berth__free(allocator, pieces[i], bytes);
        }
        berth__heap_destroy(heap);
    }
}

static void test_heaps_come_and_go(void **state)
{
    (void)state;
    for (int i = 0; i < 200; i++) {
        berth__heap *heap = new_heap(i % 2 == 0);
        void *piece = berth__alloc(berth__heap_allocator(heap), 100 + (size_t)i, 8);
        assert_non_null(piece);
        berth__free(berth__heap_allocator(heap), piece, 100 + (size_t)i);
        berth__heap_destroy(heap);
    }
}

static void *own_allocate(void *context, size_t bytes, size_t align)
{
    return berth__alloc(context, bytes, align);
}

static void own_release(void *context, void *memory, size_t bytes)
{
    berth__free(context, memory, bytes);
}

/* An engine tells what it holds, unless the memory is not its own. */
static void test_engine_tells(void **state)
{
    (void)state;
    const berth_allocator *standard = berth__allocator_default();
    const berth_allocator own = {(void *)(uintptr_t)standard, own_allocate, own_release};
    berth_engine_config config;
    berth_engine *engine;
    berth_memory memory = {0};
    berth_error error;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.huge_pages = true;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_memory(engine, &memory, &error), BERTH_OK);
    assert_true(memory.used_bytes > 0);
    berth_engine_destroy(engine);
    config.allocator = &own;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    memory.used_bytes = 7;
    assert_int_equal(berth_engine_memory(engine, &memory, &error), BERTH_E_UNSUPPORTED);
    assert_int_equal(memory.used_bytes, 7);
    assert_non_null(strstr(error.message, "allocator"));
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_use_is_counted),
        cmocka_unit_test(test_huge_pages_are_asked_for),
        cmocka_unit_test(test_heaps_come_and_go),
        cmocka_unit_test(test_engine_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
