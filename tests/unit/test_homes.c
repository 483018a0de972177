/* The NUMA nodes on which tiles lie. The test simulates a machine with two of them through the
 * environment of hwloc. Each run of neighbouring tiles must lie on the NUMA node of the workers
 * that scan it, and stay there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "small_cluster.h"
#include "versions/engine_state.h"

enum { NODES = 3000 };

static berth_engine *open_engine(uint32_t threads, bool bound, const berth_allocator *allocator)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = threads;
    config.bind_workers = bound;
    config.allocator = allocator;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    return engine;
}

static void add_nodes(berth_engine *engine, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        char name[16], zone[16];
        small_node storage;
        berth_object object;
        snprintf(name, sizeof(name), "n%u", (unsigned)i);
        snprintf(zone, sizeof(zone), "z%u", (unsigned)(i % 3));
        assert_int_equal(
            berth_engine_add(engine, small_node_object(&storage, &object, name, zone), NULL, NULL),
            BERTH_OK);
    }
    uint32_t count = 0;
    assert_int_equal(berth_engine_node_order(engine, NULL, 0, &count, NULL), BERTH_OK);
    assert_int_equal(count, last);
}

static void check_homes(const berth_engine *engine)
{
    const berth__model *model = engine->cluster.model;
    const berth__view *view = &engine->cluster.view;
    assert_int_equal(model->home_count, 2);
    for (uint32_t t = 0; t < view->layout->tile_count; t++)
        assert_ptr_equal(view->tiles[t]->home, model->homes[t / BERTH__HOME_TILES % 2]);
}

static void test_tiles_lie_near_their_workers(void **state)
{
    (void)state;
    berth_memory before, after;
    berth_engine *engine = open_engine(4, true, NULL);
    assert_int_equal(berth_engine_memory(engine, &before, NULL), BERTH_OK);
    add_nodes(engine, 0, NODES / 2);
    check_homes(engine);
    add_nodes(engine, NODES / 2, NODES); /* the layout is rebuilt */
    check_homes(engine);
    assert_int_equal(berth_engine_memory(engine, &after, NULL), BERTH_OK);
    uint64_t tiles = 0;
    for (uint32_t g = 0; g < 2; g++)
        tiles += berth__heap_usage(engine->homes[g]).used_bytes;
    assert_true(tiles > (uint64_t)NODES * 64);
    assert_true(after.used_bytes > before.used_bytes + tiles);
    berth_engine_destroy(engine);
}

/* A later resource makes every tile wider. */
static void test_tiles_stay(void **state)
{
    (void)state;
    berth_engine *engine = open_engine(2, true, NULL);
    add_nodes(engine, 0, NODES);
    small_node storage;
    berth_object object;
    small_node_object(&storage, &object, "n7", "z1");
    storage.allocatable[0].name = text("example.com/new");
    assert_int_equal(berth_engine_update(engine, &object, NULL), BERTH_OK);
    small_pod pod;
    berth_pod_id id;
    berth_placement placement;
    small_pod_object(&pod, &object, "p", NULL, 100);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    assert_int_equal(berth_engine_schedule(engine, id, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    check_homes(engine);
    berth_engine_destroy(engine);
}

static void *own_allocate(void *context, size_t bytes, size_t align)
{
    return berth__alloc(context, bytes, align);
}

static void own_release(void *context, void *memory, size_t bytes)
{
    berth__free(context, memory, bytes);
}

static void test_elsewhere_all_lies_together(void **state)
{
    (void)state;
    const berth_allocator own = {(void *)(uintptr_t)berth__allocator_default(), own_allocate,
                                 own_release};
    berth_engine *engines[] = {open_engine(4, false, NULL), open_engine(1, true, NULL),
                               open_engine(4, true, &own)};
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        add_nodes(engines[i], 0, 500);
        assert_int_equal(engines[i]->cluster.model->home_count, 0);
        assert_ptr_equal(engines[i]->cluster.view.tiles[0]->home, engines[i]->allocator);
        berth_engine_destroy(engines[i]);
    }
}

int main(void)
{
    setenv("HWLOC_SYNTHETIC", "numa:2 core:2 pu:1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiles_lie_near_their_workers),
        cmocka_unit_test(test_tiles_stay),
        cmocka_unit_test(test_elsewhere_all_lies_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
