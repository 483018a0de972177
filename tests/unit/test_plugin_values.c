/* What an embedder's plugins read of nodes and pods by id and name, requests of any resource,
 * memory of their own, and values that are normalized to the largest one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "one_plugin.h"
#include "small_cluster.h"

#define TEXT(literal)                  \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }

enum { NODES = 40, PODS = 60 };

/* ---- Licences: a node serves the pods of one licence; its value is its rank ---- */

static const berth_str licence = TEXT("example.com/licence"), seats = TEXT("example.com/seats"),
                       rank = TEXT("rank");

typedef struct wanted {
    char *licence; /* from berth_preparation_allocate */
} wanted;

/* The engine that runs, to compare with. */
static const berth_engine *running;

static berth_prepared licences_prepare(berth_preparation *preparation)
{
    const berth_cycle *cycle = preparation->cycle;
    const berth_str text = berth_cycle_pod_annotation(cycle, licence);
    wanted *own = preparation->state;
    assert_int_equal(berth_cycle_pod_request(cycle, (berth_str)TEXT("cpu")), 100);
    assert_int_equal(berth_cycle_pod_request(cycle, (berth_str)TEXT("example.com/other")), 0);
    assert_int_equal(berth_cycle_pod_request(cycle, (berth_str)TEXT("never seen")), 0);
    if (berth_cycle_pod_request(cycle, seats) == 0)
        return BERTH_PREPARED_SKIP;
    own->licence = berth_preparation_allocate(preparation, (size_t)text.len + 1);
    if (own->licence == NULL)
        return BERTH_PREPARED_NO_MEMORY;
    for (uint32_t i = 0; i <= text.len; i++)
        assert_int_equal(own->licence[i], 0);
    memcpy(own->licence, text.data, text.len);
    return BERTH_PREPARED_ACTIVE;
}

static void licences_filter(const berth_cycle *cycle, const void *instance, const void *state,
                            berth_slice *slice)
{
    const wanted *own = state;
    (void)instance;
    for (uint32_t i = 0; i < slice->count; i++) {
        const uint32_t slot = slice->index * BERTH_SLICE + i;
        berth_pod_id pods[PODS];
        assert_true(same_text(berth_cycle_node_name(cycle, slot),
                              berth_engine_node_name(running, berth_cycle_node(cycle, slot))));
        const uint32_t count = berth_cycle_node_pods(cycle, slot, pods, PODS);
        for (uint32_t k = 0; k < count; k++) {
            const berth_str other = berth_cycle_annotation_of(cycle, pods[k], licence);
            if (other.data != NULL && !same_text(other, text(own->licence)))
                refuse(slice, i);
        }
    }
    assert_null(berth_cycle_annotation_of(cycle, BERTH_POD_NONE, licence).data);
}

static void licences_score(const berth_cycle *cycle, const void *instance, const void *state,
                           const berth_slice *slice, int64_t *values)
{
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++) {
        const berth_str digits =
            berth_cycle_node_label(cycle, slice->index * BERTH_SLICE + i, rank);
        values[i] = digits.len > 0 ? digits.data[0] - '0' : 0;
    }
}

static const berth_plugin licences = {.size = sizeof(licences),
                                      .flags = BERTH_PLUGIN_EACH,
                                      .name = "Licences",
                                      .filter_state_bytes = sizeof(wanted),
                                      .prepare_filter = licences_prepare,
                                      .filter = licences_filter,
                                      .score = licences_score,
                                      .normalize = BERTH_NORMALIZE_MAX};

/* ---- the cluster ---- */

static void add_nodes(berth_engine *engine)
{
    for (unsigned i = 0; i < NODES; i++) {
        char name[16], digit[2] = {(char)('0' + i % 8), '\0'};
        snprintf(name, sizeof(name), "n%u", i);
        const berth_resource room_of[] = {{TEXT("cpu"), {4, 0}},
                                          {TEXT("pods"), {10, 0}},
                                          {seats, {3, 0}},
                                          {TEXT("example.com/other"), {1, 0}}};
        const berth_key_value label = {rank, text(digit)};
        const berth_node node = {.meta = {.name = text(name), .labels = {&label, i % 9 != 8}},
                                 .allocatable = {room_of, 4}};
        assert_int_equal(berth_engine_add_node(engine, &node, NULL, NULL), BERTH_OK);
    }
}

static berth_engine *open_cluster(void)
{
    one_plugin room;
    berth_engine_config *config = one_plugin_config(&room, &licences);
    berth_plugin_list lists[BERTH_POINT_SCORE + 1] = {{0}};
    const berth_plugin_ref score = {.name = text("Licences"), .weight = 3};
    berth_engine *engine;
    lists[BERTH_POINT_FILTER] = room.points[BERTH_POINT_FILTER];
    lists[BERTH_POINT_SCORE] = (berth_plugin_list){&score, 1};
    room.profile.points = lists;
    room.profile.point_count = BERTH_POINT_SCORE + 1;
    room.profile.percentage_of_nodes_to_score = 100;
    config->annotation_keys = (berth_strs){&licence, 1};
    assert_int_equal(berth_engine_create(config, &engine, NULL), BERTH_OK);
    add_nodes(engine);
    return engine;
}

/* A pod that takes a seat; without a licence none. */
static berth_pod_id put_pod(berth_engine *engine, unsigned i, const char *of)
{
    char name[16];
    snprintf(name, sizeof(name), "p%u", i);
    const berth_resource requests[] = {{TEXT("cpu"), {0, 100000000}}, {seats, {1, 0}}};
    const berth_container container = {.requests = {requests, of != NULL ? 2 : 1}};
    const berth_key_value annotation = {licence, text(of)};
    const berth_pod pod = {.meta = {.name = text(name), .annotations = {&annotation, of != NULL}},
                           .containers = &container,
                           .container_count = 1};
    berth_pod_id id;
    assert_int_equal(berth_engine_add_pod(engine, &pod, &id, NULL), BERTH_OK);
    return id;
}

static int64_t rank_of(const berth_engine *engine, berth_node_id node)
{
    const berth_str digits = berth_engine_node_label(engine, node, rank);
    return digits.len > 0 ? digits.data[0] - '0' : 0;
}

/* Each score is 3 times the value in percent of the largest one among the feasible nodes. */
static void compare_scores(const berth_engine *engine, const berth_explanation *why)
{
    int64_t most = 0;
    const uint32_t count = berth_explanation_feasible_count(why);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t value = rank_of(engine, berth_explanation_feasible(why, i, NULL));
        most = value > most ? value : most;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int64_t value = rank_of(engine, berth_explanation_feasible(why, i, NULL));
        assert_int_equal(berth_explanation_score(why, 0, i),
                         most > 0 ? 3 * (100 * value / most) : 0);
    }
}

static void test_licences(void **state)
{
    (void)state;
    static const char *const names[] = {"cad", "cam", "sim", NULL};
    berth_engine *engine = open_cluster();
    berth_explanation *why;
    unsigned shared = 0;
    running = engine;
    assert_int_equal(berth_explanation_create(NULL, &why, NULL), BERTH_OK);
    const berth_decide_options how = {.size = sizeof(how), .explanation = why};
    for (unsigned i = 0; i < PODS; i++) {
        berth_placement placement;
        const berth_pod_id pod = put_pod(engine, i, names[i % 4]);
        assert_int_equal(berth_engine_decide(engine, pod, &how, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
        compare_scores(engine, why);
        assert_int_equal(berth_engine_bind(engine, pod, placement.node, NULL), BERTH_OK);
        const berth_pod_id before = berth_engine_next_pod(engine, placement.node, pod);
        shared += before != BERTH_POD_NONE;
    }
    assert_true(shared > 0);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_explanation_destroy(why);
    berth_engine_destroy(engine);
}

/* ---- Ranks: many plugins whose values are normalized ---- */

static const berth_plugin rank_plugins[] = {
#define RANKS(number)                                                                     \
    {                                                                                     \
        .size = sizeof(berth_plugin), .flags = BERTH_PLUGIN_EACH, .name = "Ranks" number, \
        .score = licences_score, .normalize = BERTH_NORMALIZE_MAX                         \
    }
    RANKS("0"), RANKS("1"), RANKS("2"), RANKS("3"), RANKS("4"),
    RANKS("5"), RANKS("6"), RANKS("7"), RANKS("8"), RANKS("9"),
#undef RANKS
};

/* Ten plugins rank the nodes alike, and the best node has the greatest values of all. */
static void test_many_normalized_plugins(void **state)
{
    (void)state;
    enum { MANY = sizeof(rank_plugins) / sizeof(*rank_plugins) };
    const berth_plugin *plugins[MANY];
    berth_plugin_ref scores[MANY];
    one_plugin room;
    berth_engine_config *config = one_plugin_config(&room, &rank_plugins[0]);
    berth_plugin_list lists[BERTH_POINT_SCORE + 1] = {{0}};
    berth_engine *engine;
    berth_placement placement;
    for (unsigned i = 0; i < MANY; i++) {
        plugins[i] = &rank_plugins[i];
        scores[i] = (berth_plugin_ref){.name = text(plugins[i]->name), .weight = 1};
    }
    lists[BERTH_POINT_FILTER] = (berth_plugin_list){room.filters, 1};
    lists[BERTH_POINT_SCORE] = (berth_plugin_list){scores, MANY};
    room.profile.points = lists;
    room.profile.point_count = BERTH_POINT_SCORE + 1;
    room.profile.percentage_of_nodes_to_score = 100;
    config->plugins = plugins;
    config->plugin_count = MANY;
    assert_int_equal(berth_engine_create(config, &engine, NULL), BERTH_OK);
    add_nodes(engine);
    assert_int_equal(berth_engine_decide(engine, put_pod(engine, 0, NULL), NULL, &placement, NULL),
                     BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(placement.total, 100 * MANY);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_licences),
                                       cmocka_unit_test(test_many_normalized_plugins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
