/* Sums and fragmentation of a replay: incremental updates and a computation from the engine agree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/random.h" /* must be first: its locals must not shadow the tools' types */

#include "berth/engine.h"
#include "replay/replay_load.h"

enum { NODES = 12, PODS = 60, STEPS = 3000, RESOURCES = 4 };

static berth_str text(const char *from)
{
    return (berth_str){from, (uint32_t)strlen(from)};
}

/* The state of one run: the objects, and the mix that is expected. */
typedef struct world {
    berth_engine *engine;
    replay_load load;
    berth__random random;
    berth_node_id nodes[NODES]; /* BERTH_NODE_NONE: absent */
    berth_pod_id pods[PODS];    /* BERTH_POD_NONE: absent */
    int64_t seen[4096][RESOURCES];
    size_t seen_count;
    bool gpus; /* nodes have GPUs */
} world;

static void add_node(world *w, uint32_t which)
{
    char name[16];
    snprintf(name, sizeof(name), "n%u", which);
    const berth_resource allocatable[] = {
        {text("cpu"), {2 + berth__random_below(&w->random, 6), 0}},
        {text("memory"), {(int64_t)(1 + berth__random_below(&w->random, 8)) << 30, 0}},
        {text("pods"), {1 + berth__random_below(&w->random, 10), 0}},
        {text("example.com/gpu"), {berth__random_below(&w->random, 4), 0}},
    };
    const berth_node node = {.meta.name = text(name),
                             .allocatable = {allocatable, w->gpus ? 4 : 3}};
    assert_int_equal(berth_engine_add_node(w->engine, &node, &w->nodes[which], NULL), BERTH_OK);
    replay_load_set_node(&w->load, w->engine, w->nodes[which], &node);
}

static void remove_pod(world *w, uint32_t which)
{
    char name[16];
    int64_t amounts[16];
    berth_node_id node = berth_engine_pod_node(w->engine, w->pods[which]);
    replay_load_pod(&w->load, w->engine, w->pods[which], amounts);
    if (node != BERTH_NODE_NONE)
        replay_load_add(&w->load, node, amounts, -1);
    snprintf(name, sizeof(name), "p%u", which);
    assert_int_equal(
        berth_engine_remove(w->engine, BERTH_KIND_POD, text("default"), text(name), NULL),
        BERTH_OK);
    w->pods[which] = BERTH_POD_NONE;
}

static void remove_node(world *w, uint32_t which)
{
    char name[16];
    for (uint32_t p = 0; p < PODS; p++)
        if (w->pods[p] != BERTH_POD_NONE &&
            berth_engine_pod_node(w->engine, w->pods[p]) == w->nodes[which])
            remove_pod(w, p);
    snprintf(name, sizeof(name), "n%u", which);
    replay_load_drop_node(&w->load, w->nodes[which]);
    assert_int_equal(
        berth_engine_remove(w->engine, BERTH_KIND_NODE, (berth_str){0}, text(name), NULL),
        BERTH_OK);
    w->nodes[which] = BERTH_NODE_NONE;
}

static void add_pod(world *w, uint32_t which)
{
    char name[16];
    int64_t amounts[16] = {0};
    snprintf(name, sizeof(name), "p%u", which);
    const berth_resource requests[] = {
        {text("cpu"), {0, 250000000 * (int32_t)berth__random_below(&w->random, 4)}},
        {text("memory"), {(int64_t)berth__random_below(&w->random, 3) << 29, 0}},
        {text("example.com/gpu"), {1, 0}},
    };
    bool gpu = w->gpus && berth__random_below(&w->random, 4) == 0;
    const berth_container container = {.requests = {requests, gpu ? 3 : 2}};
    const berth_pod pod = {.meta.name = text(name), .containers = &container, .container_count = 1};
    assert_int_equal(berth_engine_add_pod(w->engine, &pod, &w->pods[which], NULL), BERTH_OK);
    replay_load_pod(&w->load, w->engine, w->pods[which], amounts);
    replay_load_submit(&w->load, amounts);
    assert_true(w->seen_count < 4096);
    memcpy(w->seen[w->seen_count++], amounts, sizeof(w->seen[0]));
    berth_placement placement;
    assert_int_equal(berth_engine_schedule(w->engine, w->pods[which], &placement, NULL), BERTH_OK);
    if (placement.verdict == BERTH_VERDICT_PLACED)
        replay_load_add(&w->load, placement.node, amounts, 1);
}

static void get_free(const world *w, uint32_t node, int64_t *out)
{
    for (uint32_t r = 0; r < w->load.resources.count; r++) {
        int64_t allocatable = 0;
        int64_t requested = 0;
        berth_engine_node_resource(w->engine, w->nodes[node], word_table_get(&w->load.resources, r),
                                   &allocatable, &requested, NULL);
        out[r] = allocatable - requested;
    }
}

/* The definition, computed pod by pod and node by node. */
static double fragmentation(const world *w, uint32_t resource)
{
    double unusable = 0.0;
    double all = 0.0;
    for (uint32_t node = 0; node < NODES; node++) {
        int64_t free_amounts[RESOURCES] = {0};
        if (w->nodes[node] == BERTH_NODE_NONE)
            continue;
        get_free(w, node, free_amounts);
        for (size_t p = 0; p < w->seen_count; p++) {
            bool fits = true;
            for (uint32_t r = 0; r < w->load.resources.count; r++)
                fits = fits && w->seen[p][r] <= free_amounts[r];
            if (w->seen[p][resource] == 0)
                continue;
            all += (double)free_amounts[resource];
            unusable += fits ? 0.0 : (double)free_amounts[resource];
        }
    }
    return all > 0.0 ? unusable / all : 0.0;
}

static void compare(world *w)
{
    double found[16];
    replay_load_fragments(&w->load, found);
    for (uint32_t r = 0; r < w->load.resources.count; r++) {
        int64_t requested = 0;
        int64_t allocatable = 0;
        for (uint32_t node = 0; node < NODES; node++) {
            int64_t cells[2] = {0, 0};
            if (w->nodes[node] != BERTH_NODE_NONE)
                berth_engine_node_resource(w->engine, w->nodes[node],
                                           word_table_get(&w->load.resources, r), &cells[0],
                                           &cells[1], NULL);
            allocatable += cells[0];
            requested += cells[1];
        }
        assert_int_equal(w->load.total_requested[r], requested);
        assert_int_equal(w->load.total_allocatable[r], allocatable);
        assert_true(fabs(found[r] - fragmentation(w, r)) < 1e-9);
    }
}

static void step(world *w)
{
    uint32_t node = berth__random_below(&w->random, NODES);
    uint32_t pod = berth__random_below(&w->random, PODS);
    if (berth__random_below(&w->random, 20) == 0) {
        if (w->nodes[node] == BERTH_NODE_NONE)
            add_node(w, node);
        else
            remove_node(w, node);
    } else if (w->pods[pod] == BERTH_POD_NONE) {
        add_pod(w, pod);
    } else {
        remove_pod(w, pod);
    }
}

static void test_against_definition(void **state)
{
    (void)state;
    world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    w->random.state = 20231;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &w->engine, NULL), BERTH_OK);
    replay_load_init(&w->load);
    for (uint32_t i = 0; i < NODES; i++)
        w->nodes[i] = BERTH_NODE_NONE;
    for (uint32_t i = 0; i < PODS; i++)
        w->pods[i] = BERTH_POD_NONE;
    for (uint32_t i = 0; i < STEPS; i++) {
        w->gpus = i > STEPS / 2;
        step(w);
        if (i % 7 == 0)
            compare(w);
    }
    replay_load_free(&w->load);
    berth_engine_destroy(w->engine);
    free(w);
}

/* More distinct requests than the mix has room for: the first ones stay, and the covered share is
 * known. */
static void test_full_mix(void **state)
{
    (void)state;
    replay_load load;
    double found[16];
    replay_load_init(&load);
    for (int64_t i = 0; i < 2 * LOAD_SORTS_MAX; i++) {
        const int64_t amounts[] = {i + 1, 0, 1};
        replay_load_submit(&load, amounts);
        replay_load_submit(&load, amounts);
    }
    assert_int_equal(load.sort_count, LOAD_SORTS_MAX);
    assert_int_equal(load.pods_seen, 4 * LOAD_SORTS_MAX);
    assert_int_equal(load.pods_mixed, 2 * LOAD_SORTS_MAX);
    replay_load_fragments(&load, found);
    assert_true(found[0] == 0.0);
    replay_load_free(&load);
}

/* Amounts whose sums do not fit in 64 bits. */
static void test_largest(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    berth_engine *engine = NULL;
    replay_load load;
    double found[16];
    const berth_resource largest[] = {{text("pods"), {10, 0}}, {text("x.com/r"), {INT64_MAX, 0}}};
    assert_int_equal(berth_engine_create(NULL, &engine, NULL), BERTH_OK);
    replay_load_init(&load);
    for (int i = 0; i < COUNT; i++) {
        char name[16];
        berth_node_id id;
        snprintf(name, sizeof(name), "n%d", i);
        const berth_node node = {.meta.name = text(name), .allocatable = {largest, 2}};
        assert_int_equal(berth_engine_add_node(engine, &node, &id, NULL), BERTH_OK);
        replay_load_set_node(&load, engine, id, &node);
    }
    int64_t amounts[] = {0, 0, 1, 5};
    replay_load_submit(&load, amounts);
    replay_load_add(&load, 0, (int64_t[]){0, 0, 1, INT64_MAX - 4}, 1);
    replay_load_fragments(&load, found);
    assert_true(load.total_allocatable[3] == (__int128)COUNT * INT64_MAX);
    assert_true(load.total_free[3] == (__int128)(COUNT - 1) * INT64_MAX + 4);
    assert_true(found[3] > 0.0 && found[3] < 1e-15); /* 4 of them on a node without room for 5 */
    assert_true(fabs(replay_load_share(&load, 3) - 0.25) < 1e-12);
    for (int i = 1; i < COUNT; i++)
        replay_load_add(&load, (berth_node_id)i, (int64_t[]){0, 0, 1, INT64_MAX - 4}, 1);
    replay_load_fragments(&load, found);
    assert_true(found[3] == 1.0);
    replay_load_free(&load);
    berth_engine_destroy(engine);
}

static void test_time(void **state)
{
    (void)state;
    replay_load load;
    replay_load_init(&load);
    load.total_allocatable[0] = 4000;
    load.total_requested[0] = 1000;
    replay_load_pass(&load, INT64_C(2000000000));
    load.total_requested[0] = 3000;
    replay_load_pass(&load, INT64_C(500000000));
    assert_true(load.allocatable_seconds[0] == 10000.0);
    assert_true(load.requested_seconds[0] == 3500.0);
    assert_true(load.peak[0] == 0.75);
    replay_load_free(&load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_definition),
        cmocka_unit_test(test_full_mix),
        cmocka_unit_test(test_largest),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
