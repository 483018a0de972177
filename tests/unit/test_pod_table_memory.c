/* Pods, more than their table has room for at first: whichever request for memory is refused while
 * one is added, it is not there, and is added the next time. */
#include "arena_pieces.h"
#include "berth/snapshot.h"
#include "counted_memory.h"
#include "small_cluster.h"

enum { PODS = 1200 };

static berth_status add(berth_engine *engine, uint32_t number)
{
    char name[16];
    small_pod pod;
    berth_object object;
    snprintf(name, sizeof(name), "p%u", (unsigned)number);
    return berth_engine_add(engine, small_pod_object(&pod, &object, name, NULL, 100), NULL, NULL);
}

static bool is_there(const berth_engine *engine, uint32_t number)
{
    char name[16];
    const int length = snprintf(name, sizeof(name), "p%u", (unsigned)number);
    return berth_engine_find_pod(engine, text("default"), (berth_str){name, (uint32_t)length}) !=
           BERTH_POD_NONE;
}

static void fill(bool published)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &allocator;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    for (uint32_t i = 0; i < PODS; i++) {
        berth_status status = BERTH_E_NOMEM;
        if (published && i % 100 == 0)
            assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
        for (unsigned n = 1; status != BERTH_OK; n++) {
            atomic_store(&memory.fail_at, atomic_load(&memory.calls) + n);
            status = add(engine, i);
            const bool refused = atomic_load(&memory.calls) >= atomic_load(&memory.fail_at);
            atomic_store(&memory.fail_at, 0);
            assert_int_equal(status, refused ? BERTH_E_NOMEM : BERTH_OK);
            assert_true(is_there(engine, i) == !refused);
        }
    }
    for (uint32_t i = 0; i < PODS; i++)
        assert_true(is_there(engine, i));
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
    assert_int_equal(memory.bytes, 0);
}

static void test_alone(void **state)
{
    (void)state;
    fill(false);
}

static void test_published(void **state)
{
    (void)state;
    fill(true);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alone),
                                       cmocka_unit_test(test_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
