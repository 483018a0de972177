/* What an embedder's plugins can read beyond their node and pod: annotations, which the index
 * keeps, and counts of pods by topology domain, compared with counts made by hand. */
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

enum { NODES = 24, ROUNDS = 400 };

/* ---- Rack: static; a pod that names a rack may use only nodes of that rack ---- */

static const berth_str rack = TEXT("example.com/rack"), other = TEXT("example.com/other");

static berth_prepared rack_prepare(berth_preparation *preparation)
{
    assert_true(berth_cycle_pod_annotation(preparation->cycle, other).data == NULL);
    return berth_cycle_pod_annotation(preparation->cycle, rack).data != NULL ? BERTH_PREPARED_ACTIVE
                                                                             : BERTH_PREPARED_SKIP;
}

static void rack_filter(const berth_cycle *cycle, const void *instance, const void *state,
                        berth_slice *slice)
{
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++) {
        uint32_t slot = slice->index * BERTH_SLICE + i;
        if (is_asked(slice, i) && !same_text(berth_cycle_node_annotation(cycle, slot, rack),
                                             berth_cycle_pod_annotation(cycle, rack)))
            refuse(slice, i);
    }
}

static const berth_plugin racks = {.size = sizeof(racks),
                                   .flags = BERTH_PLUGIN_STATIC,
                                   .name = "Rack",
                                   .prepare_filter = rack_prepare,
                                   .filter = rack_filter};

/* An engine with one plugin after NodeResourcesFit. */
static berth_engine *open_with(const berth_plugin *plugin, berth_strs annotations)
{
    one_plugin room;
    berth_engine_config *config = one_plugin_config(&room, plugin);
    berth_engine *engine;
    config->keep_objects = true;
    config->annotation_keys = annotations;
    assert_int_equal(berth_engine_create(config, &engine, NULL), BERTH_OK);
    return engine;
}

static void put_node(berth_engine *engine, const char *name, const char *in_rack, bool is_new)
{
    small_node node;
    berth_object object;
    (void)small_node_object(&node, &object, name, "z");
    const berth_key_value annotations[] = {
        {rack, text(in_rack)}, {other, text("x")}, {text("far"), text("y")}};
    node.node.meta.annotations = (berth_map){annotations, 3};
    assert_int_equal(is_new ? berth_engine_add(engine, &object, NULL, NULL)
                            : berth_engine_update(engine, &object, NULL),
                     BERTH_OK);
}

static berth_pod_id put_pod(berth_engine *engine, const char *name, const char *in_rack)
{
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    (void)small_pod_object(&pod, &object, name, NULL, 10);
    const berth_key_value annotations[] = {{other, text("x")}, {rack, text(in_rack)}};
    pod.pod.meta.annotations = (berth_map){annotations, in_rack != NULL ? 2 : 1};
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    return id;
}

static bool goes_to(berth_engine *engine, const char *in_rack, const char *node)
{
    static unsigned serial;
    char name[32];
    berth_placement placement;
    bool indexed = false;
    for (int i = 0; i < 8; i++) { /* until the index has them */
        snprintf(name, sizeof(name), "pod-%u", serial++);
        berth_pod_id pod = put_pod(engine, name, in_rack);
        assert_int_equal(berth_engine_schedule(engine, pod, &placement, NULL), BERTH_OK);
        indexed |= placement.path == BERTH_PATH_INDEX;
        if (node == NULL && placement.verdict == BERTH_VERDICT_PLACED)
            return false;
        if (node != NULL && !same_text(berth_engine_node_name(engine, placement.node), text(node)))
            return false;
        if (node != NULL)
            assert_int_equal(berth_engine_unbind(engine, pod, NULL), BERTH_OK);
    }
    assert_true(indexed);
    return true;
}

/* Whether two pods that want different racks are of the same kind. */
static bool are_alike(berth_engine *engine)
{
    berth_pod_info one = {.size = sizeof(one)}, two = {.size = sizeof(two)};
    assert_int_equal(berth_engine_pod_info(engine, put_pod(engine, "x", "r1"), &one, NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_pod_info(engine, put_pod(engine, "y", "r2"), &two, NULL),
                     BERTH_OK);
    return one.kind == two.kind;
}

static void test_annotations(void **state)
{
    (void)state;
    berth_engine *engine = open_with(&racks, (berth_strs){&rack, 1});
    put_node(engine, "a", "r1", true);
    put_node(engine, "b", "r2", true);
    assert_true(goes_to(engine, "r1", "a"));
    assert_true(goes_to(engine, "r2", "b"));
    assert_true(goes_to(engine, "r3", NULL));
    put_node(engine, "b", "r3", false);
    assert_true(goes_to(engine, "r2", NULL));
    assert_true(goes_to(engine, "r3", "b"));
    assert_false(are_alike(engine));
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
}

/* If the annotation is not listed, the pods are of one kind again, and the plugin sees nothing. */
static void test_unlisted(void **state)
{
    (void)state;
    berth_engine *engine = open_with(&racks, (berth_strs){NULL, 0});
    put_node(engine, "a", "r1", true);
    assert_true(goes_to(engine, "r2", "a"));
    assert_true(are_alike(engine));
    berth_engine_destroy(engine);
    berth_engine_config config;
    berth_str keys[256] = {{0}};
    berth_error error;
    berth_engine_config_init(&config);
    config.annotation_keys = (berth_strs){keys, 256};
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_ARG);
    assert_string_equal(error.field, "annotation_keys");
}

/* Objects that are read back contain the annotations that plugins read. */
static berth_status look(void *context, const berth_object *object, berth_error *error)
{
    uint32_t *seen = context;
    const berth_metadata *meta = object->as.any;
    (void)error;
    assert_int_equal(meta->annotations.count, 1);
    assert_true(same_text(meta->annotations.entries[0].key, rack));
    ++*seen;
    return BERTH_OK;
}

static void test_given_back(void **state)
{
    (void)state;
    uint32_t seen = 0;
    berth_engine *engine = open_with(&racks, (berth_strs){&rack, 1});
    put_node(engine, "a", "r1", true);
    (void)put_pod(engine, "x", "r1");
    assert_int_equal(berth_engine_objects(engine, BERTH_KIND_NODE, look, &seen, NULL), BERTH_OK);
    assert_int_equal(berth_engine_objects(engine, BERTH_KIND_POD, look, &seen, NULL), BERTH_OK);
    assert_int_equal(seen, 2);
    berth_engine_destroy(engine);
}

static berth_status look_at_avoids(void *context, const berth_object *object, berth_error *error)
{
    const berth_str *avoids = context;
    const berth_metadata *meta = object->as.any;
    (void)error;
    assert_int_equal(meta->annotations.count, 1);
    assert_true(same_text(meta->annotations.entries[0].key, *avoids));
    assert_true(same_text(meta->annotations.entries[0].value, text("{}")));
    return BERTH_OK;
}

/* The engine itself reads an annotation of nodes. It is read back once, whether or not the caller's
 * plugins read it, too. */
static void test_avoids_given_back(void **state)
{
    berth_str avoids = TEXT("scheduler.alpha.kubernetes.io/preferAvoidPods");
    (void)state;
    for (uint32_t listed = 0; listed < 2; listed++) {
        berth_engine *engine = open_with(&racks, (berth_strs){&avoids, listed});
        small_node node;
        berth_object object;
        const berth_key_value annotation = {avoids, text("{}")};
        (void)small_node_object(&node, &object, "a", "z");
        node.node.meta.annotations = (berth_map){&annotation, 1};
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
        assert_int_equal(
            berth_engine_objects(engine, BERTH_KIND_NODE, look_at_avoids, &avoids, NULL), BERTH_OK);
        berth_engine_destroy(engine);
    }
}

/* ---- Crowd: each decision; at most three pods of an app in a zone, and the counts are right
 * ---- */

enum { SELECTIONS = 4 };

typedef struct crowd {
    const berth_domain_count *counts[SELECTIONS];
} crowd;

static const berth_str app = TEXT("app"), zone = TEXT("topology.kubernetes.io/zone"),
                       host = TEXT("kubernetes.io/hostname");
static unsigned long compared;

static berth_str topology_of(uint32_t selection)
{
    return selection % 2 == 0 ? zone : host;
}

/* Which pods each selection includes, computed by hand. */
static bool is_meant(const berth_cycle *cycle, uint32_t selection, berth_pod_id pod)
{
    berth_str value = berth_cycle_label_of(cycle, pod, app);
    bool own = same_text(berth_cycle_namespace_of(cycle, pod), berth_cycle_pod_namespace(cycle));
    bool web = same_text(value, text("web")), unknown = value.data == NULL;
    return selection == 0   ? own && !unknown && same_text(value, berth_cycle_pod_label(cycle, app))
           : selection == 1 ? own && !web && !unknown
           : selection == 2 ? same_text(berth_cycle_namespace_of(cycle, pod), text("two"))
                            : web;
}

static berth_prepared crowd_prepare(berth_preparation *preparation)
{
    crowd *own = preparation->state;
    const berth_str web[] = {TEXT("web"), TEXT("never seen")}, two = TEXT("two");
    const berth_key_value mine = {app, berth_cycle_pod_label(preparation->cycle, app)};
    const berth_requirement not_web[] = {{app, TEXT("NotIn"), {web, 2}},
                                         {app, TEXT("Exists"), {0}}};
    const berth_requirement is_web[] = {{app, TEXT("In"), {web, 2}},
                                        {TEXT("never seen"), TEXT("DoesNotExist"), {0}}};
    const berth_label_selector selectors[SELECTIONS] = {
        {.match_labels = {&mine, 1}},
        {.match_expressions = {not_web, 2}},
        {.match_labels = {NULL, 0}},
        {.match_expressions = {is_web, 2}},
    };
    const berth_label_selector everywhere = {.match_labels = {NULL, 0}};
    for (uint32_t i = 0; i < SELECTIONS; i++) {
        const berth_pod_selection what = {.size = sizeof(what),
                                          .namespaces = {&two, i == 2},
                                          .namespace_selector = i == 3 ? &everywhere : NULL,
                                          .selector = &selectors[i],
                                          .topology_key = topology_of(i)};
        own->counts[i] = berth_preparation_count(preparation, &what);
        assert_non_null(own->counts[i]);
    }
    return BERTH_PREPARED_ACTIVE;
}

static uint32_t count_by_hand(const berth_cycle *cycle, uint32_t selection, uint32_t slot)
{
    berth_str key = topology_of(selection);
    berth_str domain = berth_cycle_node_label(cycle, slot, key);
    uint32_t sum = 0;
    for (uint32_t s = 0; domain.data != NULL && s < berth_cycle_slot_count(cycle); s++) {
        berth_pod_id pods[64];
        if (!same_text(berth_cycle_node_label(cycle, s, key), domain))
            continue;
        uint32_t count = berth_cycle_node_pods(cycle, s, pods, 64);
        for (uint32_t i = 0; i < count && i < 64; i++)
            sum += is_meant(cycle, selection, pods[i]);
    }
    return sum;
}

static void crowd_filter(const berth_cycle *cycle, const void *instance, const void *state,
                         berth_slice *slice)
{
    const crowd *own = state;
    (void)instance;
    for (uint32_t i = 0; i < slice->count; i++) {
        uint32_t slot = slice->index * BERTH_SLICE + i;
        for (uint32_t c = 0; c < SELECTIONS; c++, compared++)
            assert_int_equal(berth_cycle_domain_pods(cycle, own->counts[c], slot),
                             count_by_hand(cycle, c, slot));
        if (berth_cycle_domain_pods(cycle, own->counts[0], slot) >= 3)
            refuse(slice, i);
    }
}

static const berth_plugin crowds = {.size = sizeof(crowds),
                                    .flags = BERTH_PLUGIN_EACH,
                                    .name = "Crowd",
                                    .filter_state_bytes = sizeof(crowd),
                                    .prepare_filter = crowd_prepare,
                                    .filter = crowd_filter};

static void put_in_zone(berth_engine *engine, unsigned i, unsigned in_zone, bool is_new)
{
    char name[32], place[32];
    small_node node;
    berth_object object;
    snprintf(name, sizeof(name), "node-%u", i);
    snprintf(place, sizeof(place), "zone-%u", in_zone);
    (void)small_node_object(&node, &object, name, in_zone < 4 ? place : NULL);
    assert_int_equal(is_new ? berth_engine_add(engine, &object, NULL, NULL)
                            : berth_engine_update(engine, &object, NULL),
                     BERTH_OK);
}

static berth_pod_id put_app(berth_engine *engine, unsigned i)
{
    static const char *const apps[] = {"web", "db", "batch", "queue"};
    char name[32];
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    snprintf(name, sizeof(name), "pod-%u", i);
    (void)small_pod_object(&pod, &object, name, NULL, 10);
    const berth_key_value labels = {app, text(apps[i * 7 % 4])};
    pod.pod.meta.labels = (berth_map){&labels, i % 11 != 0};
    pod.pod.meta.namespace_name = i % 5 == 0 ? text("two") : text("one");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    return id;
}

static void put_namespace(berth_engine *engine, const char *name)
{
    const berth_namespace space = {.meta.name = text(name)};
    const berth_object object = {.kind = BERTH_KIND_NAMESPACE, .as.namespace_object = &space};
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
}

/* A branch has its own counters, which the same plugin reads. */
static void decide_on_branch(berth_engine *engine, berth_pod_id pod)
{
    static const berth_decide_options plainly = {.size = sizeof(plainly)};
    berth_engine *branch;
    berth_placement placement;
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    if (berth_engine_pod_node(branch, pod) != BERTH_NODE_NONE)
        assert_int_equal(berth_engine_unbind(branch, pod, NULL), BERTH_OK);
    unsigned long before = compared;
    assert_int_equal(berth_engine_decide(branch, pod, &plainly, &placement, NULL), BERTH_OK);
    assert_true(compared > before);
    berth_branch_drop(branch);
}

static void test_counts(void **state)
{
    (void)state;
    static berth_pod_id pods[ROUNDS];
    unsigned refused = 0, placed = 0;
    berth_engine *engine = open_with(&crowds, (berth_strs){NULL, 0});
    put_namespace(engine, "one");
    put_namespace(engine, "two");
    for (unsigned i = 0; i < NODES; i++)
        put_in_zone(engine, i, i % 5, true);
    for (unsigned i = 0; i < ROUNDS; i++) {
        static const berth_decide_options plainly = {.size = sizeof(plainly)};
        berth_placement placement;
        pods[i] = put_app(engine, i);
        assert_int_equal(berth_engine_decide(engine, pods[i], &plainly, &placement, NULL),
                         BERTH_OK);
        assert_int_equal(placement.path, BERTH_PATH_SCAN);
        refused += placement.verdict != BERTH_VERDICT_PLACED;
        placed += placement.verdict == BERTH_VERDICT_PLACED;
        if (placement.verdict == BERTH_VERDICT_PLACED)
            assert_int_equal(berth_engine_bind(engine, pods[i], placement.node, NULL), BERTH_OK);
        if (i % 3 == 2 && berth_engine_pod_node(engine, pods[i - 2]) != BERTH_NODE_NONE)
            assert_int_equal(berth_engine_unbind(engine, pods[i - 2], NULL), BERTH_OK);
        if (i % 29 == 28)
            put_in_zone(engine, i % NODES, i % 3, false);
    }
    assert_true(placed > 50 && refused > 50 && compared > 30000);
    decide_on_branch(engine, pods[ROUNDS - 1]);
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
}

/* 64 counts in a question; the next one is refused. */
static uint32_t prepared;

static berth_prepared ask_too_often(berth_preparation *preparation)
{
    const berth_label_selector all = {.match_labels = {NULL, 0}};
    const berth_pod_selection what = {.size = sizeof(what), .selector = &all, .topology_key = zone};
    for (int i = 0; i < 64; i++)
        assert_non_null(berth_preparation_count(preparation, &what));
    assert_null(berth_preparation_count(preparation, &what));
    prepared++;
    return BERTH_PREPARED_ACTIVE;
}

static void accept_all(const berth_cycle *cycle, const void *instance, const void *state,
                       berth_slice *slice);

static void test_many_counts(void **state)
{
    (void)state;
    const berth_plugin greedy = {.size = sizeof(greedy),
                                 .flags = BERTH_PLUGIN_EACH,
                                 .name = "Greedy",
                                 .prepare_filter = ask_too_often,
                                 .filter = accept_all};
    berth_engine *engine = open_with(&greedy, (berth_strs){NULL, 0});
    berth_placement placement;
    put_in_zone(engine, 0, 0, true);
    for (unsigned i = 1; i <= 2; i++) {
        assert_int_equal(berth_engine_schedule(engine, put_app(engine, i), &placement, NULL),
                         BERTH_OK);
        assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
        assert_int_equal(prepared, i);
    }
    berth_engine_destroy(engine);
}

/* Plugins whose answers are kept, in the index or by kind of pod, get no counts: they would be
 * stale. */
static berth_prepared ask_in_vain(berth_preparation *preparation)
{
    const berth_pod_selection what = {.size = sizeof(what), .topology_key = zone};
    assert_null(berth_preparation_count(preparation, &what));
    return BERTH_PREPARED_ACTIVE;
}

static void accept_all(const berth_cycle *cycle, const void *instance, const void *state,
                       berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slice;
}

static void test_not_each(void **state)
{
    (void)state;
    const berth_plugin kept = {
        .size = sizeof(kept), .name = "Kept", .prepare_filter = ask_in_vain, .filter = accept_all};
    berth_engine *engine = open_with(&kept, (berth_strs){NULL, 0});
    berth_placement placement;
    put_in_zone(engine, 0, 0, true);
    assert_int_equal(berth_engine_schedule(engine, put_app(engine, 1), &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_annotations), cmocka_unit_test(test_unlisted),
        cmocka_unit_test(test_given_back),  cmocka_unit_test(test_avoids_given_back),
        cmocka_unit_test(test_counts),      cmocka_unit_test(test_not_each),
        cmocka_unit_test(test_many_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
