/* The index: what it drops, and what it keeps when nodes are updated.
 * tests/model/test_index_model.c compares its results with those of the scan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "berth/plugin.h"
#include "berth/statistics.h"
#include "profile_points.h"
#include "small_cluster.h"
#include "versions/engine_state.h"

enum { NODES = 90 }; /* too few for an early stop */

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

/* Decides on a pod with that many thousandths of a core, which is a kind of its own. */
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
    expect_drops(engine, 400, 1); /* instead of 200 */
    expect_drops(engine, 300, 1);
    expect_drops(engine, 100, 1);
    expect_drops(engine, 200, 2); /* instead of 400 */
    expect_drops(engine, 100, 2);
    expect_drops(engine, 300, 2);
    assert_true(engine->decider.indexes.bytes <= engine->decider.indexes.bytes_max);
    berth_engine_destroy(engine);
}

/* If a tree would need more than the memory for all trees, the scan answers. */
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
    update(engine, "n7", "a", 4); /* no change */
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

/* ---- a plugin of the embedder that keeps amounts ---- */

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

/* ---- classes of nodes ---- */

/* Add a pod of an app; if `prefers`, it prefers pods of `x` and of `y`, each with its own weight.
 */
static berth_pod_id put_app_pod(berth_engine *engine, uint32_t serial, const char *app,
                                const char *node, bool prefers)
{
    static const berth_key_value labels[2] = {{{"app", 3}, {"x", 1}}, {{"app", 3}, {"y", 1}}};
    static const berth_label_selector apps[2] = {{.match_labels = {&labels[0], 1}},
                                                 {.match_labels = {&labels[1], 1}}};
    berth_pod_affinity_term terms[2] = {{.weight = 1}, {.weight = 100}};
    char name[16];
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    snprintf(name, sizeof(name), "a%u", (unsigned)serial);
    (void)small_pod_object(&pod, &object, name, node, 1);
    for (int i = 0; i < 2; i++) {
        terms[i].label_selector = &apps[i];
        terms[i].topology_key = text("kubernetes.io/hostname");
    }
    const berth_key_value own = {text("app"), text(app)};
    pod.pod.meta.labels = (berth_map){&own, 1};
    if (prefers)
        pod.pod.pod_affinity =
            (berth_pod_affinity){.present = true, .preferred = terms, .preferred_count = 2};
    must(berth_engine_add_pod(engine, &pod.pod, &id, NULL));
    return id;
}

/* Nodes with i / `side` pods of x and i % `side` of y: as many classes as nodes. */
static berth_engine *open_classes(berth_path path, uint32_t side)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.path = path;
    berth_engine *engine;
    uint32_t serial = 1;
    must(berth_engine_create(&config, &engine, NULL));
    for (uint32_t i = 0; i < side * side; i++) {
        small_node node;
        berth_object object;
        char name[16];
        snprintf(name, sizeof(name), "n%u", (unsigned)i);
        (void)small_node_object(&node, &object, name, "a");
        node.allocatable[2].amount.units = 110;
        must(berth_engine_add(engine, &object, NULL, NULL));
        for (uint32_t k = 0; k < i / side; k++)
            (void)put_app_pod(engine, serial++, "x", name, false);
        for (uint32_t k = 0; k < i % side; k++)
            (void)put_app_pod(engine, serial++, "y", name, false);
    }
    return engine;
}

/* As many as there is room for, and then one more. */
static void test_classes_are_bounded(void **state)
{
    (void)state;
    for (uint32_t side = 22; side <= 23; side++) {
        berth_engine *index = open_classes(BERTH_PATH_INDEX, side);
        berth_engine *scan = open_classes(BERTH_PATH_SCAN, side);
        berth_placement by_index, by_scan;
        berth_statistics statistics = {.size = sizeof(statistics)};
        berth_pod_id pod = put_app_pod(index, 0, "z", NULL, true);
        assert_int_equal(put_app_pod(scan, 0, "z", NULL, true), pod);
        must(berth_engine_decide(index, pod, NULL, &by_index, NULL));
        must(berth_engine_decide(scan, pod, NULL, &by_scan, NULL));
        assert_int_equal(by_index.path, side == 22 ? BERTH_PATH_INDEX : BERTH_PATH_SCAN);
        assert_int_equal(by_index.node, by_scan.node);
        assert_int_equal(by_index.total, by_scan.total);
        assert_int_equal(by_index.best_count, by_scan.best_count);
        must(berth_engine_statistics(index, &statistics, NULL));
        assert_int_equal(statistics.scans[BERTH_SCAN_DOMAINS], side == 23);
        berth_engine_destroy(index);
        berth_engine_destroy(scan);
    }
}

/* A pod that prefers pods of `x`, and whose replicas each need a node of their own. */
static berth_pod_id put_lone_pod(berth_engine *engine)
{
    static const berth_key_value x = {{"app", 3}, {"x", 1}};
    static const berth_label_selector apps = {.match_labels = {&x, 1}};
    const berth_pod_affinity_term prefers = {
        .label_selector = &apps, .topology_key = text("kubernetes.io/hostname"), .weight = 1};
    const berth_key_value own = {text("app"), text("lone")};
    const berth_label_selector same = {.match_labels = {&own, 1}};
    const berth_pod_affinity_term apart = {.label_selector = &same,
                                           .topology_key = text("kubernetes.io/hostname")};
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    (void)small_pod_object(&pod, &object, "lone", NULL, 1);
    pod.pod.meta.labels = (berth_map){&own, 1};
    pod.pod.pod_affinity =
        (berth_pod_affinity){.present = true, .preferred = &prefers, .preferred_count = 1};
    pod.pod.pod_anti_affinity =
        (berth_pod_affinity){.present = true, .required = &apart, .required_count = 1};
    must(berth_engine_add_pod(engine, &pod.pod, &id, NULL));
    return id;
}

/* A walk that passes gates rates the classes of the nodes behind them, without a scan. */
static void test_classes_behind_gates(void **state)
{
    (void)state;
    berth_engine *index = open_classes(BERTH_PATH_INDEX, 8);
    berth_engine *scan = open_classes(BERTH_PATH_SCAN, 8);
    const berth_pod_id pod = put_lone_pod(index);
    assert_int_equal(put_lone_pod(scan), pod);
    must(berth_engine_bind(index, put_app_pod(index, 0, "lone", NULL, false), 63, NULL));
    must(berth_engine_bind(scan, put_app_pod(scan, 0, "lone", NULL, false), 63, NULL));
    berth_placement by_index, by_scan;
    for (int i = 0; i < 4; i++) {
        must(berth_engine_decide(index, pod, NULL, &by_index, NULL));
        must(berth_engine_decide(scan, pod, NULL, &by_scan, NULL));
        assert_int_equal(by_index.node, by_scan.node);
        assert_int_equal(by_index.total, by_scan.total);
        assert_int_equal(by_index.feasible_count, 63);
    }
    assert_int_equal(by_index.path, BERTH_PATH_INDEX);
    berth_engine_destroy(index);
    berth_engine_destroy(scan);
}

enum { MANY_NODES = 8321, MANY_PODS = 200 }; /* more than 64 tiles: static scores are not kept */

/* A cluster in which every hundredth node has the image of the pods. */
static berth_engine *open_large(berth_path path)
{
    berth_engine *engine;
    berth_engine_config config;
    berth_str image = text("app:1");
    const berth_image images[] = {{.names = {&image, 1}, .size_bytes = INT64_C(64) << 30}};
    berth_engine_config_init(&config);
    config.threads = 1;
    config.path = path;
    must(berth_engine_create(&config, &engine, NULL));
    for (int i = 0; i < MANY_NODES; i++) {
        small_node node;
        berth_object object;
        char name[16];
        snprintf(name, sizeof(name), "n%d", i);
        (void)small_node_object(&node, &object, name, i % 2 == 0 ? "a" : "b");
        node.node.images = images;
        node.node.image_count = i % 100 == 0;
        must(berth_engine_add(engine, &object, NULL, NULL));
    }
    return engine;
}

/* Two kinds take turns, so that each repairs its tree where the other has bound pods. The nodes
 * with the image stay the best ones, even with pods on them. */
static void test_large_cluster_with_images(void **state)
{
    (void)state;
    berth_engine *scans = open_large(BERTH_PATH_SCAN), *chooses = open_large(BERTH_PATH_AUTO),
                 *asks = open_large(BERTH_PATH_INDEX), *engines[] = {scans, chooses, asks};
    for (int i = 0; i < MANY_PODS; i++) {
        berth_placement placements[3];
        for (int e = 0; e < 3; e++) {
            small_pod pod;
            berth_object object;
            berth_pod_id id;
            char name[16];
            snprintf(name, sizeof(name), "p%d", i);
            (void)small_pod_object(&pod, &object, name, NULL, i % 2 == 0 ? 100 : 250);
            must(berth_engine_add_pod(engines[e], &pod.pod, &id, NULL));
            must(berth_engine_schedule(engines[e], id, &placements[e], NULL));
        }
        for (int e = 1; e < 3; e++) {
            assert_int_equal(placements[e].node, placements[0].node);
            assert_int_equal(placements[e].total, placements[0].total);
        }
        assert_int_equal(placements[2].path, BERTH_PATH_INDEX);
    }
    for (int e = 0; e < 3; e++)
        berth_engine_destroy(engines[e]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_least_recently_used_tree_is_dropped),
        cmocka_unit_test(test_no_room_for_one_tree),
        cmocka_unit_test(test_reports_of_nodes_keep_trees),
        cmocka_unit_test(test_own_plugins_see_reports),
        cmocka_unit_test(test_classes_are_bounded),
        cmocka_unit_test(test_classes_behind_gates),
        cmocka_unit_test(test_large_cluster_with_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
