/* The index: what it drops, and what it keeps through updates of nodes. That its answers are
 * those of the scan is tests/model/test_index_model.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "berth/plugin.h"
#include "profile_points.h"
#include "small_cluster.h"
#include "versions/engine_state.h"

enum { NODES = 90 }; /* too few for a search to be cut short */

static void must(berth_status status)
{
    assert_int_equal(status, BERTH_OK);
}

static berth_engine *open_engine(const berth_engine_config *config)
{
    berth_engine *engine;
    small_node node;
    berth_object object;
    char name[16];
    must(berth_engine_create(config, &engine, NULL));
    for (int i = 0; i < NODES; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        must(berth_engine_add(engine, small_node_object(&node, &object, name, "a"), NULL, NULL));
    }
    return engine;
}

static berth_engine *open_index(void)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.path = BERTH_PATH_INDEX;
    return open_engine(&config);
}

/* Decide for the pod of so many thousandths of a core, which is a kind of its own. */
static berth_placement decide(berth_engine *engine, int32_t milli)
{
    char name[16];
    small_pod pod;
    berth_object object;
    berth_placement placement;
    snprintf(name, sizeof(name), "p%d", (int)milli);
    berth_pod_id id = berth_engine_find_pod(engine, text("default"), text(name));
    if (id == BERTH_POD_NONE) {
        (void)small_pod_object(&pod, &object, name, NULL, milli);
        must(berth_engine_add_pod(engine, &pod.pod, &id, NULL));
    }
    must(berth_engine_decide(engine, id, NULL, &placement, NULL));
    return placement;
}

static void expect_drops(berth_engine *engine, int32_t milli, uint64_t drops)
{
    assert_int_equal(decide(engine, milli).path, BERTH_PATH_INDEX);
    assert_int_equal(engine->decider.indexes.epoch, drops);
}

static void test_least_recently_used_tree_is_dropped(void **state)
{
    (void)state;
    berth_engine *engine = open_index();
    decide(engine, 100);
    engine->decider.indexes.bytes_max = 3 * engine->decider.indexes.bytes;
    expect_drops(engine, 200, 0);
    expect_drops(engine, 300, 0);
    expect_drops(engine, 100, 0);
    expect_drops(engine, 400, 1); /* in place of 200 */
    expect_drops(engine, 300, 1);
    expect_drops(engine, 100, 1);
    expect_drops(engine, 200, 2); /* in place of 400 */
    expect_drops(engine, 100, 2);
    expect_drops(engine, 300, 2);
    assert_true(engine->decider.indexes.bytes <= engine->decider.indexes.bytes_max);
    berth_engine_destroy(engine);
}

/* A tree that is larger than all of its memory may be: the scan answers. */
static void test_no_room_for_one_tree(void **state)
{
    (void)state;
    berth_engine *engine = open_index();
    berth_placement by_index = decide(engine, 100);
    engine->decider.indexes.bytes_max = engine->decider.indexes.bytes - 1;
    berth_placement by_scan = decide(engine, 200);
    assert_int_equal(by_index.path, BERTH_PATH_INDEX);
    assert_int_equal(by_scan.path, BERTH_PATH_SCAN);
    assert_int_equal(by_scan.feasible_count, by_index.feasible_count);
    berth_engine_destroy(engine);
}

static void update(berth_engine *engine, const char *name, const char *zone, int64_t cores)
{
    small_node node;
    berth_object object;
    small_node_object(&node, &object, name, zone);
    node.allocatable[0].amount.units = cores;
    must(berth_engine_update(engine, &object, NULL));
}

static uint64_t epoch_of(const berth_engine *engine)
{
    return engine->cluster.view.layout->epoch;
}

static void test_reports_of_nodes_keep_trees(void **state)
{
    (void)state;
    berth_engine *engine = open_index();
    uint32_t all = decide(engine, 3000).feasible_count;
    uint64_t epoch = epoch_of(engine);
    assert_int_equal(all, NODES);
    update(engine, "n7", "a", 4); /* nothing new */
    assert_int_equal(decide(engine, 3000).feasible_count, all);
    update(engine, "n7", "a", 2);
    assert_int_equal(decide(engine, 3000).feasible_count, all - 1);
    update(engine, "n7", "a", 8);
    assert_int_equal(decide(engine, 3000).feasible_count, all);
    assert_int_equal(epoch_of(engine), epoch);
    update(engine, "n7", "b", 8);
    assert_int_equal(decide(engine, 3000).feasible_count, all);
    assert_true(epoch_of(engine) != epoch);
    berth_engine_destroy(engine);
}

/* ---- an own plugin that keeps amounts ---- */

static void filter_small(const berth_cycle *cycle, const void *instance, const void *state,
                         berth_slice *slice)
{
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++) {
        int64_t allocatable, requested;
        berth_cycle_node_resource(cycle, slice->index * BERTH_SLICE + i, text("cpu"), &allocatable,
                                  &requested);
        if (allocatable < 4000)
            slice->mask[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
}

static const berth_plugin no_small_nodes = {
    .size = sizeof(berth_plugin),
    .flags = BERTH_PLUGIN_STATIC,
    .name = "NoSmallNodes",
    .filter = filter_small,
    .code = BERTH_CODE_UNSCHEDULABLE,
};

static void test_own_plugins_see_reports(void **state)
{
    (void)state;
    const berth_plugin *plugins[] = {&no_small_nodes};
    berth_plugin_ref filters[32];
    berth_profile profile = *berth_profile_default();
    profile_points points;
    berth_plugin_list *list = &own_points(&profile, &points)[BERTH_POINT_FILTER];
    memcpy(filters, list->items, list->count * sizeof(*filters));
    filters[list->count] = (berth_plugin_ref){.name = text("NoSmallNodes")};
    *list = (berth_plugin_list){filters, list->count + 1};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.path = BERTH_PATH_INDEX;
    config.profiles = &profile;
    config.profile_count = 1;
    config.plugins = plugins;
    config.plugin_count = 1;
    berth_engine *engine = open_engine(&config);
    assert_int_equal(decide(engine, 100).feasible_count, NODES);
    update(engine, "n7", "a", 3);
    assert_int_equal(decide(engine, 100).feasible_count, NODES - 1);
    update(engine, "n7", "a", 4);
    assert_int_equal(decide(engine, 100).feasible_count, NODES);
    assert_int_equal(decide(engine, 100).path, BERTH_PATH_INDEX);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_recently_used_tree_is_dropped),
        cmocka_unit_test(test_no_room_for_one_tree),
        cmocka_unit_test(test_reports_of_nodes_keep_trees),
        cmocka_unit_test(test_own_plugins_see_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
