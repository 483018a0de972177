/* Embedders' plugins that break the promises of their flags: an engine with checks detects them,
 * and keeps them from reading what they must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "columns/view.h"
#include "counted_memory.h"
#include "profile_points.h"
#include "small_cluster.h"

enum { NODES = 200 };

/* One plugin that refuses or favours a node as the test decides. */
typedef struct whim {
    uint32_t refused; /* slot; UINT32_MAX: none */
    uint32_t prized;  /* slot */
    bool by_usage;    /* refuses nodes with a pod on them instead */
    bool skips;
    bool saw_usage, saw_none;
} whim;

static whim mood;

static berth_prepared whim_prepare(berth_preparation *preparation)
{
    *(uint32_t *)preparation->state = mood.refused;
    return mood.skips ? BERTH_PREPARED_SKIP : BERTH_PREPARED_ACTIVE;
}

static int64_t pods_on(const berth_cycle *cycle, uint32_t slot)
{
    int64_t allocatable, requested;
    berth_cycle_node_resource(cycle, slot, text("pods"), &allocatable, &requested);
    return requested;
}

static void refuse(berth_slice *slice, uint32_t i)
{
    slice->mask[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void whim_filter(const berth_cycle *cycle, const void *instance, const void *state,
                        berth_slice *slice)
{
    (void)instance;
    for (uint32_t i = 0; i < slice->count; i++) {
        uint32_t slot = slice->index * BERTH_SLICE + i;
        if (mood.by_usage ? pods_on(cycle, slot) > 0 : slot == *(const uint32_t *)state)
            refuse(slice, i);
    }
    const int64_t *used =
        berth_cycle_requested(cycle, slice->index, berth_cycle_column(cycle, text("cpu")));
    *(used != NULL ? &mood.saw_usage : &mood.saw_none) = true;
    assert_true((used == NULL) == (pods_on(cycle, 0) == BERTH_USAGE_NONE));
}

static void whim_score(const berth_cycle *cycle, const void *instance, const void *state,
                       const berth_slice *slice, int64_t *values)
{
    (void)cycle;
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++)
        values[i] = slice->index * BERTH_SLICE + i == mood.prized ? 100 : 0;
}

static counted memory;
static const berth_allocator counting = {&memory, counted_allocate, counted_release};

typedef struct fixture {
    berth_plugin table;
    const berth_plugin *plugins[1];
    berth_plugin_ref refs[2][64];
    berth_profile profile;
    profile_points points;
    berth_engine *engine;
    uint32_t pods;
} fixture;

/* Put the plugin into a list, in front of the others or behind them. */
static void insert(fixture *own, berth_point point, bool front, berth_plugin_ref *items)
{
    berth_plugin_list *list = &own->points.lists[point];
    uint32_t count = list->count;
    for (uint32_t i = 0; i < count; i++)
        items[i + front] = list->items[i];
    items[front ? 0 : count] = (berth_plugin_ref){.name = text("Whim"), .weight = 1};
    *list = (berth_plugin_list){items, count + 1};
}

static void start(fixture *own, uint32_t flags, bool check)
{
    berth_engine_config config;
    mood = (whim){.refused = UINT32_MAX, .prized = UINT32_MAX};
    *own = (fixture){.profile = *berth_profile_default()};
    own_points(&own->profile, &own->points);
    own->table = (berth_plugin){.size = sizeof(own->table),
                                .flags = flags,
                                .name = "Whim",
                                .filter_state_bytes = sizeof(uint32_t),
                                .prepare_filter = whim_prepare,
                                .filter = whim_filter,
                                .score = whim_score};
    own->plugins[0] = &own->table;
    insert(own, BERTH_POINT_FILTER, true, own->refs[0]);
    insert(own, BERTH_POINT_SCORE, false, own->refs[1]);
    berth_engine_config_init(&config);
    config.threads = 1;
    config.profiles = &own->profile;
    config.profile_count = 1;
    config.plugins = own->plugins;
    config.plugin_count = 1;
    config.check_plugins = check;
    config.allocator = &counting;
    assert_int_equal(berth_engine_create(&config, &own->engine, NULL), BERTH_OK);
    assert_int_equal(small_add_nodes(own->engine, NODES), BERTH_OK);
}

static berth_pod_id add_pod(fixture *own)
{
    char name[32];
    snprintf(name, sizeof(name), "pod-%u", (unsigned)own->pods++);
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    small_pod_object(&pod, &object, name, NULL, 100);
    assert_int_equal(berth_engine_add_pod(own->engine, &pod.pod, &id, NULL), BERTH_OK);
    return id;
}

static void place(fixture *own, berth_status wanted, const char *words)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    berth_status status = berth_engine_schedule(own->engine, add_pod(own), &placement, &error);
    assert_int_equal(status, wanted);
    if (words != NULL) {
        assert_non_null(strstr(error.message, "plugin Whim is"));
        assert_non_null(strstr(error.message, words));
    }
}

/* An honest plugin passes whatever happens to nodes and pods. */
static void honest(uint32_t flags)
{
    fixture own;
    start(&own, flags, true);
    mood.refused = 3;
    mood.prized = 150;
    mood.by_usage = flags == BERTH_PLUGIN_NODE_LOCAL;
    for (uint32_t i = 0; i < 20; i++)
        place(&own, BERTH_OK, NULL);
    small_node node;
    berth_object object;
    small_node_object(&node, &object, "node-7", "b");
    assert_int_equal(berth_engine_update(own.engine, &object, NULL), BERTH_OK);
    mood.prized = 20; /* as if a node had changed */
    for (uint32_t i = 0; i < 20; i++)
        place(&own, BERTH_OK, NULL);
    assert_int_equal(berth_engine_begin(own.engine, NULL), BERTH_OK);
    for (uint32_t i = 0; i < 20; i++)
        place(&own, BERTH_OK, NULL);
    assert_int_equal(berth_engine_rollback(own.engine, NULL), BERTH_OK);
    place(&own, BERTH_OK, NULL);
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    berth_engine_destroy(own.engine);
}

static void test_honest(void **state)
{
    (void)state;
    honest(BERTH_PLUGIN_STATIC);
    honest(BERTH_PLUGIN_NODE_LOCAL);
    honest(0);
}

/* Its answer changes without any of the reasons that its flags allow. */
static void liar(uint32_t flags, const char *flag)
{
    char words[128];
    fixture own;
    start(&own, flags, true);
    place(&own, BERTH_OK, NULL);
    mood.prized = 140;
    snprintf(words, sizeof(words), "%s, but its score now says something else about node node-140",
             flag);
    place(&own, flags != 0 ? BERTH_E_INTERNAL : BERTH_OK, flags != 0 ? words : NULL);
    place(&own, flags != 0 ? BERTH_E_INTERNAL : BERTH_OK, NULL); /* the error is repeated */
    mood.prized = UINT32_MAX;
    place(&own, BERTH_OK, NULL);
    mood.refused = 130;
    snprintf(words, sizeof(words), "%s, but its filter now says something else about node node-130",
             flag);
    place(&own, BERTH_E_INTERNAL, words);
    mood.refused = UINT32_MAX;
    mood.skips = true;
    snprintf(words, sizeof(words), "%s, but preparing its filter anew", flag);
    place(&own, BERTH_E_INTERNAL, words);
    berth_engine_destroy(own.engine);
    start(&own, flags, false); /* unchecked */
    place(&own, BERTH_OK, NULL);
    mood.prized = 140;
    mood.refused = 130;
    place(&own, BERTH_OK, NULL);
    berth_engine_destroy(own.engine);
}

static void test_liars(void **state)
{
    (void)state;
    liar(BERTH_PLUGIN_STATIC, "BERTH_PLUGIN_STATIC");
    liar(BERTH_PLUGIN_NODE_LOCAL, "BERTH_PLUGIN_NODE_LOCAL");
    liar(0, "not BERTH_PLUGIN_EACH");
}

/* Answers are also remembered in clusters with extended resources. They are forgotten when a new
 * resource gets a name, because the columns may differ then. */
static void add_gpus(fixture *own, const char *name, const char *resource)
{
    small_node node;
    berth_object object;
    small_node_object(&node, &object, name, "a");
    const berth_resource amounts[] = {
        node.allocatable[0], node.allocatable[1], node.allocatable[2], {text(resource), {8, 0}}};
    node.node.allocatable = (berth_resources){amounts, 4};
    assert_int_equal(berth_engine_add(own->engine, &object, NULL, NULL), BERTH_OK);
}

static void test_named_resources(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PLUGIN_STATIC, true);
    add_gpus(&own, "gpu-1", "example.com/gpu");
    place(&own, BERTH_OK, NULL);
    mood.prized = 140;
    place(&own, BERTH_E_INTERNAL, "but its score now says something else about node node-140");
    add_gpus(&own, "gpu-2", "example.com/other");
    place(&own, BERTH_OK, NULL);
    mood.refused = 130;
    place(&own, BERTH_E_INTERNAL, "but its filter now says something else about node node-130");
    berth_engine_destroy(own.engine);
}

/* The first node is compared, too. */
static void test_first_node(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PLUGIN_STATIC, true);
    place(&own, BERTH_OK, NULL);
    mood.prized = 0;
    place(&own, BERTH_E_INTERNAL, "but its score now says something else about node node-0 than");
    berth_engine_destroy(own.engine);
}

/* After more changes than the engine remembers, any node may have changed. */
static void test_many_changes(void **state)
{
    (void)state;
    fixture own;
    small_pod pod;
    berth_object object;
    start(&own, BERTH_PLUGIN_NODE_LOCAL, true);
    place(&own, BERTH_OK, NULL);
    small_pod_object(&pod, &object, "passing", "node-1", 100);
    for (uint32_t i = 0; i <= BERTH__JOURNAL; i++) {
        assert_int_equal(berth_engine_add(own.engine, &object, NULL, NULL), BERTH_OK);
        assert_int_equal(berth_engine_remove(own.engine, BERTH_KIND_POD, (berth_str){0},
                                             pod.pod.meta.name, NULL),
                         BERTH_OK);
    }
    mood.prized = 140;
    place(&own, BERTH_OK, NULL);
    mood.prized = 150;
    place(&own, BERTH_E_INTERNAL, "but its score now says something else about node node-1");
    berth_engine_destroy(own.engine);
}

/* EACH makes no promises. */
static void test_each(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PLUGIN_EACH, true);
    place(&own, BERTH_OK, NULL);
    mood.prized = 140;
    mood.refused = 130;
    place(&own, BERTH_OK, NULL);
    berth_engine_destroy(own.engine);
}

/* A static plugin's answers are kept, so it is not shown usage. */
static void test_usage(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PLUGIN_STATIC, false);
    place(&own, BERTH_OK, NULL);
    assert_true(mood.saw_none && !mood.saw_usage);
    berth_engine_destroy(own.engine);
    start(&own, BERTH_PLUGIN_NODE_LOCAL, false);
    place(&own, BERTH_OK, NULL);
    assert_true(mood.saw_usage && !mood.saw_none);
    berth_engine_destroy(own.engine);
}

/* Answers that were kept for nodes as they were before take no memory after a change of them. */
static void test_memory_of_changes(void **state)
{
    enum { ROUNDS = 300, ANSWERS_OF_A_ROUND = NODES };
    (void)state;
    fixture own;
    start(&own, BERTH_PLUGIN_STATIC, true);
    const berth_pod_id pod = add_pod(&own);
    size_t early = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
        small_node node;
        berth_object object;
        berth_placement placement;
        small_node_object(&node, &object, "node-7", i % 2 == 0 ? "a" : "b");
        assert_int_equal(berth_engine_update(own.engine, &object, NULL), BERTH_OK);
        assert_int_equal(berth_engine_decide(own.engine, pod, NULL, &placement, NULL), BERTH_OK);
        if (i == ROUNDS)
            early = memory.bytes;
    }
    assert_true(memory.bytes < early + ROUNDS * ANSWERS_OF_A_ROUND);
    berth_engine_destroy(own.engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_honest),          cmocka_unit_test(test_liars),
        cmocka_unit_test(test_named_resources), cmocka_unit_test(test_first_node),
        cmocka_unit_test(test_many_changes),    cmocka_unit_test(test_each),
        cmocka_unit_test(test_usage),           cmocka_unit_test(test_memory_of_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
