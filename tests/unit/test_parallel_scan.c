/* A scan of every node, shared with workers: it finds what one thread finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "berth/kube.h"
#include "berth/profile.h"
#include "berth/read.h"
#include "small_cluster.h"

enum {
    NODES = 13000,
    FULL = 7
}; /* more tiles than one thread scans alone; every seventh node is full */

/* An engine with all nodes. */
static berth_engine *open_with(uint32_t threads, uint32_t percentage)
{
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = (int32_t)percentage;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = threads;
    config.path = BERTH_PATH_SCAN;
    config.profiles = &profile;
    config.profile_count = 1;
    berth_engine *engine;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    for (int i = 0; i < NODES; i++) {
        char name[16];
        small_node node;
        berth_object object;
        snprintf(name, sizeof(name), "n%d", i);
        (void)small_node_object(&node, &object, name, i % 2 == 0 ? "a" : "b");
        node.allocatable[0].amount.units = i % FULL == 0 ? 1 : 4;
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    }
    return engine;
}

static berth_placement decide(uint32_t threads)
{
    berth_engine *engine = open_with(threads, 100);
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    berth_placement placement;
    (void)small_pod_object(&pod, &object, "p", NULL, 2000);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    for (int i = 0; i < 20; i++) /* workers come too late for the first decisions */
        assert_int_equal(berth_engine_decide(engine, id, NULL, &placement, NULL), BERTH_OK);
    berth_engine_destroy(engine);
    return placement;
}

static void test_workers_find_the_same(void **state)
{
    (void)state;
    berth_placement alone = decide(1), shared = decide(4);
    assert_int_equal(alone.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(alone.path, BERTH_PATH_SCAN);
    assert_int_equal(alone.feasible_count, NODES - (NODES + FULL - 1) / FULL);
    assert_int_equal(shared.feasible_count, alone.feasible_count);
    assert_int_equal(shared.node, alone.node);
    assert_int_equal(shared.next, alone.next);
}

/* Searches that end early start anywhere, also within a tile, whose two parts two workers may take.
 * Each pod is of a kind of its own, so nothing is known of the tile. */
static void test_any_start(void **state)
{
    enum { ENGINES = 2, PODS = 100 };
    berth_engine *engines[ENGINES] = {open_with(1, 60), open_with(4, 60)};
    bool within_a_tile = false;
    (void)state;
    for (int i = 0; i < PODS; i++) {
        berth_placement placements[ENGINES];
        for (int e = 0; e < ENGINES; e++) {
            char name[16];
            small_pod pod;
            berth_object object;
            berth_pod_id id;
            snprintf(name, sizeof(name), "p%d", i);
            (void)small_pod_object(&pod, &object, name, NULL, 2000 + i);
            assert_int_equal(berth_engine_add_pod(engines[e], &pod.pod, &id, NULL), BERTH_OK);
            assert_int_equal(berth_engine_decide(engines[e], id, NULL, &placements[e], NULL),
                             BERTH_OK);
        }
        assert_int_equal(placements[0].node, placements[1].node);
        assert_int_equal(placements[0].feasible_count, placements[1].feasible_count);
        assert_int_equal(placements[0].next, placements[1].next);
        within_a_tile |= placements[0].next % 128 != 0;
    }
    assert_true(within_a_tile);
    for (int e = 0; e < ENGINES; e++)
        berth_engine_destroy(engines[e]);
}

/* Scores depend on the extremes of all nodes. Node "heavy" has the largest weight of preferred
 * affinity and the only taint, yet "large" is the best node; to a worker that did not know these
 * extremes, "light" would be. */
static void test_extremes_of_all_workers(void **state)
{
    static const char objects[] =
        "{kind: Node, metadata: {name: heavy, labels: {heavy: x, light: x, "
        "topology.kubernetes.io/zone: a}}, spec: {taints: [{key: "
        "t, effect: PreferNoSchedule}]}, status: {allocatable: {cpu: 4, memory: 16Gi, pods: 10}}}\n"
        "--- {kind: Node, metadata: {name: light, labels: {light: x}}, "
        "status: {allocatable: {cpu: 4, memory: 16Gi, pods: 10}}}\n"
        "--- {kind: Node, metadata: {name: large}, status: {allocatable: {cpu: 64, memory: 256Gi, "
        "pods: 10}}}\n"
        "--- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: "
        "{cpu: 2}}}], affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
        "[{weight: 99, preference: {matchExpressions: [{key: heavy, operator: Exists}]}}, {weight: "
        "1, preference: {matchExpressions: [{key: light, operator: Exists}]}}]}}}}\n";
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        berth_engine *engine = open_with(threads, 100);
        berth_placement placement;
        assert_int_equal(berth_engine_load_text(engine, text(objects), "t", NULL, NULL, NULL),
                         BERTH_OK);
        const berth_pod_id pod = berth_engine_find_pod(engine, text("default"), text("p"));
        const berth_node_id large = berth_engine_find_node(engine, text("large"));
        for (int i = 0; i < 300; i++) {
            assert_int_equal(berth_engine_decide(engine, pod, NULL, &placement, NULL), BERTH_OK);
            assert_int_equal(placement.node, large);
        }
        berth_engine_destroy(engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_workers_find_the_same),
        cmocka_unit_test(test_any_start),
        cmocka_unit_test(test_extremes_of_all_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
