/* The public engine: life cycle, cluster state, ids, orphans, order, decisions and every error that
 * engine.h names. The model tests check which node is right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "profile_points.h"
#include "small_cluster.h"

static berth_engine *engine;

static berth_engine *make_engine(berth_path path, uint32_t threads, uint64_t seed)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    berth_profile profile = *berth_profile_default();
    profile.tie = BERTH_TIE_RANDOM;
    config.profiles = &profile;
    config.profile_count = 1;
    config.path = path;
    config.threads = threads;
    config.seed = seed;
    berth_engine *made;
    assert_int_equal(berth_engine_create(&config, &made, NULL), BERTH_OK);
    return made;
}

static int set_up(void **state)
{
    (void)state;
    engine = make_engine(BERTH_PATH_AUTO, 1, 1);
    return 0;
}

/* The state passes its check after every test. */
static int tear_down(void **state)
{
    (void)state;
    berth_error error = {0};
    berth_status status = berth_engine_check(engine, &error);
    if (status != BERTH_OK)
        print_message("%s: %s\n", error.object, error.message);
    berth_engine_destroy(engine);
    engine = NULL;
    return status;
}

static berth_node_id add_node(const char *name, const char *zone)
{
    small_node storage;
    berth_object object;
    berth_object_id id;
    assert_int_equal(
        berth_engine_add(engine, small_node_object(&storage, &object, name, zone), &id, NULL),
        BERTH_OK);
    assert_true(id.kind == BERTH_KIND_NODE && id.pod == BERTH_POD_NONE);
    return id.node;
}

static berth_pod_id add_pod(const char *name, const char *node, int32_t milli)
{
    small_pod storage;
    berth_object object;
    berth_object_id id;
    assert_int_equal(
        berth_engine_add(engine, small_pod_object(&storage, &object, name, node, milli), &id, NULL),
        BERTH_OK);
    assert_true(id.kind == BERTH_KIND_POD && id.node == BERTH_NODE_NONE);
    return id.pod;
}

static void remove_node(const char *name)
{
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_NODE, text(""), text(name), NULL),
                     BERTH_OK);
}

static uint32_t node_order(berth_node_id *order, uint32_t capacity)
{
    uint32_t count = 0;
    assert_int_equal(berth_engine_node_order(engine, order, capacity, &count, NULL), BERTH_OK);
    return count;
}

static void expect_counts(uint32_t nodes, uint64_t running, uint64_t pending, uint64_t orphaned)
{
    berth_counts counts;
    berth_engine_counts(engine, &counts);
    assert_int_equal(counts.nodes, nodes);
    assert_int_equal(counts.pods_running, running);
    assert_int_equal(counts.pods_pending, pending);
    assert_int_equal(counts.pods_orphaned, orphaned);
}

static void expect_cpu(berth_node_id node, int64_t allocatable, int64_t requested)
{
    int64_t a, r;
    assert_int_equal(berth_engine_node_resource(engine, node, text("cpu"), &a, &r, NULL), BERTH_OK);
    assert_int_equal(a, allocatable);
    assert_int_equal(r, requested);
}

/* ---- life ---- */

static void expect_refused(const berth_engine_config *config, berth_status status)
{
    berth_error error;
    berth_engine *made = (berth_engine *)&error;
    assert_int_equal(berth_engine_create(config, &made, &error), status);
    assert_null(made);
    assert_int_equal(error.code, status);
    assert_true(error.message[0] != '\0');
    assert_int_equal(berth_engine_create(config, &made, NULL), status);
}

static void test_config_is_checked(void **state)
{
    (void)state;
    berth_engine_config good, config;
    berth_engine_config_init(&good);
    config = good;
    config.size = 0;
    expect_refused(&config, BERTH_E_ARG);
    config = good;
    config.threads = 1025;
    expect_refused(&config, BERTH_E_ARG);
    config = good;
    config.path = (berth_path)9;
    expect_refused(&config, BERTH_E_ARG);
    config = good;
    config.profiles = berth_profile_default();
    config.profile_count = 0;
    expect_refused(&config, BERTH_E_ARG);
}

static void test_profiles_are_checked(void **state)
{
    (void)state;
    berth_engine_config config;
    berth_engine_config_init(&config);
    berth_profile profiles[2] = {*berth_profile_default(), *berth_profile_default()};
    config.profiles = profiles;
    config.profile_count = 2;
    profiles[1].scheduler_name = text("second");
    profiles[1].era = BERTH_ERA_V1ALPHA1;
    expect_refused(&config, BERTH_E_INVALID);
    profiles[1].era = BERTH_ERA_V1;
    profiles[1].percentage_of_nodes_to_score = -1;
    expect_refused(&config, BERTH_E_INVALID);
    profiles[1].percentage_of_nodes_to_score = 0;
    const berth_plugin_ref unknown = {.name = text("NoSuchPlugin"), .weight = 1};
    profile_points room;
    berth_plugin_list *points = own_points(&profiles[1], &room);
    points[BERTH_POINT_FILTER] = (berth_plugin_list){&unknown, 1};
    expect_refused(&config, BERTH_E_UNSUPPORTED);
    berth_error error;
    berth_engine *none;
    assert_int_equal(berth_engine_create(&config, &none, &error), BERTH_E_UNSUPPORTED);
    assert_non_null(strstr(error.field, "NoSuchPlugin"));
    points[BERTH_POINT_FILTER].count = 0;
    points[BERTH_POINT_SCORE] = (berth_plugin_list){&unknown, 1};
    expect_refused(&config, BERTH_E_UNSUPPORTED);
}

static void test_engines_come_and_go(void **state)
{
    (void)state;
    berth_engine_destroy(NULL);
    for (uint32_t threads = 0; threads <= 4; threads++)
        berth_engine_destroy(make_engine(BERTH_PATH_AUTO, threads, 0));
    berth_engine *made;
    assert_int_equal(berth_engine_create(NULL, &made, NULL), BERTH_OK);
    berth_engine_destroy(made);
}

/* ---- adding, updating, removing ---- */

static void test_adding_twice(void **state)
{
    (void)state;
    small_node node;
    small_pod pod;
    berth_object object;
    berth_error error;
    uint64_t id = 77;
    add_node("n", NULL);
    berth_pod_id first = add_pod("p", NULL, 100);
    assert_int_equal(
        berth_engine_add(engine, small_node_object(&node, &object, "n", NULL), NULL, &error),
        BERTH_E_EXISTS);
    assert_string_equal(error.object, "Node n");
    (void)small_pod_object(&pod, &object, "p", "n", 100);
    pod.pod.meta.namespace_name = text("default");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, &error), BERTH_E_EXISTS);
    assert_string_equal(error.object, "Pod default/p");
    pod.pod.meta.namespace_name = text("other");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, &error), BERTH_OK);
    assert_true(id != first);
    const berth_service service = {.meta = {.name = text("s")}};
    object = (berth_object){.kind = BERTH_KIND_SERVICE};
    object.as.service = &service;
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_E_EXISTS);
    expect_counts(1, 1, 1, 0);
}

static void test_what_is_not_there(void **state)
{
    (void)state;
    small_node node;
    small_pod pod;
    berth_object object;
    berth_error error;
    assert_int_equal(
        berth_engine_update(engine, small_node_object(&node, &object, "n", NULL), &error),
        BERTH_E_NOT_FOUND);
    assert_string_equal(error.object, "Node n");
    assert_int_equal(
        berth_engine_update(engine, small_pod_object(&pod, &object, "p", NULL, 1), &error),
        BERTH_E_NOT_FOUND);
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        assert_int_equal(
            berth_engine_remove(engine, (berth_kind)kind, text("x"), text("none"), &error),
            BERTH_E_NOT_FOUND);
        assert_int_equal(error.code, BERTH_E_NOT_FOUND);
        assert_non_null(strstr(error.object, berth_kind_name((berth_kind)kind)));
    }
    assert_true(berth_engine_find_pod(engine, text(""), text("p")) == BERTH_POD_NONE);
    assert_true(berth_engine_find_pod(engine, text("x"), text("p")) == BERTH_POD_NONE);
    assert_int_equal(berth_engine_find_node(engine, text("n")), BERTH_NODE_NONE);
    expect_counts(0, 0, 0, 0);
}

static void test_nonsense(void **state)
{
    (void)state;
    berth_error error;
    small_node node;
    small_pod pod;
    berth_object object;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        static const berth_pod large; /* zeroed, and as large as the struct of any kind */
        object = (berth_object){.kind = (berth_kind)kind};
        object.as.any = &large;
        assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_INVALID);
        assert_string_equal(error.field, "metadata.name");
    }
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        object = (berth_object){.kind = (berth_kind)kind};
        assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_ARG);
        assert_non_null(strstr(error.message, "is NULL"));
    }
    (void)small_node_object(&node, &object, "n", NULL);
    object.kind = BERTH_KIND_COUNT;
    assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_ARG);
    (void)small_pod_object(&pod, &object, "p", NULL, 100);
    pod.requests[0].amount = (berth_quantity){-1, 0};
    assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_INVALID);
    assert_string_equal(error.object, "Pod p");
    assert_string_equal(error.field, "spec.containers[0].resources.requests.cpu");
    pod.requests[0].amount = (berth_quantity){INT64_MAX, 0};
    assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_RANGE);
    (void)small_node_object(&node, &object, "n", NULL);
    node.allocatable[0].amount = (berth_quantity){INT64_MAX, 0};
    assert_int_equal(berth_engine_add(engine, &object, NULL, &error), BERTH_E_RANGE);
    assert_true(error.field[0] != '\0');
    expect_counts(0, 0, 0, 0);
}

static void test_finished_pods_are_ignored(void **state)
{
    (void)state;
    small_pod pod;
    berth_object object;
    uint64_t id = 1;
    berth_node_id node = add_node("n", NULL);
    (void)small_pod_object(&pod, &object, "done", "n", 500);
    pod.pod.phase = text("Succeeded");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    assert_true(id == BERTH_POD_NONE);
    pod.pod.phase = text("Running");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    expect_cpu(node, 4000, 500);
    pod.pod.phase = text("Failed");
    assert_int_equal(berth_engine_update(engine, &object, NULL), BERTH_OK);
    expect_cpu(node, 4000, 0);
    expect_counts(1, 0, 0, 0);
    assert_true(berth_engine_find_pod(engine, text(""), text("done")) == BERTH_POD_NONE);
}

static void test_update_of_a_pod(void **state)
{
    (void)state;
    small_pod pod;
    berth_object object;
    berth_node_id a = add_node("a", NULL), b = add_node("b", NULL);
    berth_pod_id id = add_pod("p", NULL, 500);
    assert_int_equal(
        berth_engine_update(engine, small_pod_object(&pod, &object, "p", "a", 700), NULL),
        BERTH_OK);
    expect_cpu(a, 4000, 700);
    assert_int_equal(
        berth_engine_update(engine, small_pod_object(&pod, &object, "p", "b", 900), NULL),
        BERTH_OK);
    expect_cpu(a, 4000, 0);
    expect_cpu(b, 4000, 900);
    assert_int_equal(
        berth_engine_update(engine, small_pod_object(&pod, &object, "p", NULL, 900), NULL),
        BERTH_OK);
    expect_cpu(b, 4000, 0);
    expect_counts(2, 0, 1, 0);
    assert_true(berth_engine_find_pod(engine, text("default"), text("p")) == id);
    pod.requests[0].amount = (berth_quantity){-1, 0};
    assert_int_equal(berth_engine_update(engine, &object, NULL), BERTH_E_INVALID);
    assert_true(berth_engine_find_pod(engine, text("default"), text("p")) == id);
    berth_counts counts;
    berth_engine_counts(engine, &counts);
    assert_int_equal(counts.pod_classes, 1);
}

static void test_update_of_a_node(void **state)
{
    (void)state;
    small_node node;
    berth_object object;
    berth_node_id a = add_node("a", "z1");
    add_pod("p", "a", 500);
    berth_node_id order[4];
    assert_int_equal(node_order(order, 4), 1);
    (void)small_node_object(&node, &object, "a", "z2");
    node.allocatable[0].amount = (berth_quantity){8, 0};
    assert_int_equal(berth_engine_update(engine, &object, NULL), BERTH_OK);
    expect_cpu(a, 8000, 500);
    assert_text(berth_engine_node_label(engine, a, text("topology.kubernetes.io/zone")), "z2");
    assert_null(berth_engine_node_label(engine, a, text("absent")).data);
    expect_counts(1, 1, 0, 0);
}

static void test_ids_and_names(void **state)
{
    (void)state;
    berth_node_id a = add_node("a", NULL), b = add_node("b", NULL);
    berth_pod_id p = add_pod("p", NULL, 1);
    berth_str space, name;
    assert_text(berth_engine_node_name(engine, a), "a");
    assert_text(berth_engine_node_name(engine, b), "b");
    assert_null(berth_engine_node_name(engine, 99).data);
    assert_null(berth_engine_node_name(engine, BERTH_NODE_NONE).data);
    berth_engine_pod_name(engine, p, &space, &name);
    assert_text(space, "default");
    assert_text(name, "p");
    berth_engine_pod_name(engine, BERTH_POD_NONE, &space, &name);
    assert_null(name.data);
    assert_null(space.data);
    assert_int_equal(berth_engine_pod_node(engine, p), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_pod_node(engine, BERTH_POD_NONE), BERTH_NODE_NONE);
    remove_node("a");
    assert_int_equal(berth_engine_find_node(engine, text("a")), BERTH_NODE_NONE);
    assert_int_equal(add_node("a", NULL), a); /* the id stays with the name */
}

static int by_value(const void *left, const void *right)
{
    const berth_pod_id *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void test_pod_ids_are_not_used_again(void **state)
{
    (void)state;
    enum { IDS = 6000 };
    static berth_pod_id ids[IDS];
    char name[16];
    for (uint32_t i = 0; i < IDS; i++) {
        snprintf(name, sizeof(name), "p%u", (unsigned)i % 5);
        if (i >= 5) {
            assert_int_equal(
                berth_engine_remove(engine, BERTH_KIND_POD, text(""), text(name), NULL), BERTH_OK);
            assert_int_equal(berth_engine_unbind(engine, ids[i - 5], NULL), BERTH_E_NOT_FOUND);
        }
        ids[i] = add_pod(name, NULL, 1);
    }
    qsort(ids, IDS, sizeof(*ids), by_value);
    for (uint32_t i = 1; i < IDS; i++)
        assert_true(ids[i - 1] < ids[i]);
    assert_true(ids[IDS - 1] != BERTH_POD_NONE);
}

/* ---- orphans ---- */

static void test_orphans(void **state)
{
    (void)state;
    berth_str node_name = {0};
    assert_true(berth_engine_orphan(engine, &node_name) == BERTH_POD_NONE);
    berth_pod_id p = add_pod("p", "later", 500);
    expect_counts(0, 0, 0, 1);
    assert_true(berth_engine_orphan(engine, &node_name) == p);
    assert_text(node_name, "later");
    assert_int_equal(berth_engine_find_node(engine, text("later")), BERTH_NODE_NONE);
    berth_node_id later = add_node("later", NULL);
    expect_counts(1, 1, 0, 0);
    expect_cpu(later, 4000, 500);
    assert_true(berth_engine_orphan(engine, &node_name) == BERTH_POD_NONE);
    remove_node("later");
    expect_counts(0, 0, 0, 1);
    assert_true(berth_engine_orphan(engine, NULL) == p);
    int64_t a, r;
    assert_int_equal(berth_engine_node_resource(engine, later, text("cpu"), &a, &r, NULL),
                     BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_unbind(engine, p, NULL), BERTH_OK);
    expect_counts(0, 0, 1, 0);
}

/* Decisions do not see an orphan, which returns with its node. */
static void test_orphans_take_nothing(void **state)
{
    (void)state;
    add_node("a", NULL);
    add_pod("big", "a", 3900);
    berth_pod_id p = add_pod("p", NULL, 200);
    berth_placement got;
    assert_int_equal(berth_engine_decide(engine, p, NULL, &got, NULL), BERTH_OK);
    assert_int_equal(got.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(got.node, BERTH_NODE_NONE);
    remove_node("a");
    berth_node_id b = add_node("b", NULL);
    assert_int_equal(berth_engine_decide(engine, p, NULL, &got, NULL), BERTH_OK);
    assert_int_equal(got.node, b);
    add_node("a", NULL);
    assert_int_equal(berth_engine_decide(engine, p, NULL, &got, NULL), BERTH_OK);
    assert_int_equal(got.node, b);
    assert_int_equal(got.feasible_count, 1);
}

/* ---- order ---- */

static void expect_order(const berth_node_id *wanted, uint32_t count)
{
    berth_node_id order[16];
    assert_int_equal(node_order(order, 16), count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(order[i], wanted[i]);
}

static void test_order_of_nodes(void **state)
{
    (void)state;
    berth_node_id a1 = add_node("a1", "a"), a2 = add_node("a2", "a"), b1 = add_node("b1", "b");
    expect_order((berth_node_id[]){a1, b1, a2}, 3);
    /* Removed and added again between two decisions: the order is not rebuilt. */
    remove_node("a1");
    add_node("a1", "a");
    expect_order((berth_node_id[]){a1, b1, a2}, 3);
    /* A new node: now the order is rebuilt, and a1 is the last of its zone. */
    berth_node_id b2 = add_node("b2", "b");
    expect_order((berth_node_id[]){a2, b1, a1, b2}, 4);
    /* Removed, with a decision before it is added again. */
    remove_node("b1");
    remove_node("b2");
    expect_order((berth_node_id[]){a2, a1}, 2);
    remove_node("a1");
    remove_node("a2");
    expect_order(NULL, 0);
    add_node("b1", "b");
    add_node("a1", "a");
    add_node("b2", "b");
    expect_order((berth_node_id[]){b1, a1, b2}, 3);
    /* A changed zone has no effect before the next new node. */
    small_node node;
    berth_object object;
    assert_int_equal(
        berth_engine_update(engine, small_node_object(&node, &object, "b1", "a"), NULL), BERTH_OK);
    expect_order((berth_node_id[]){b1, a1, b2}, 3);
    add_node("a2", "a");
    expect_order((berth_node_id[]){b2, a1, b1, a2}, 4);
    assert_int_equal(node_order(NULL, 0), 4);
}

/* ---- resources ---- */

static void test_resources_of_a_node(void **state)
{
    (void)state;
    int64_t a = 7, r = 7;
    berth_node_id n = add_node("n", NULL);
    add_pod("p", "n", 250);
    add_pod("q", "n", 500);
    expect_cpu(n, 4000, 750);
    assert_int_equal(berth_engine_node_resource(engine, n, text("memory"), &a, &r, NULL), BERTH_OK);
    assert_true(a == INT64_C(16) << 30 && r == 2 << 20);
    assert_int_equal(berth_engine_node_resource(engine, n, text("pods"), &a, &r, NULL), BERTH_OK);
    assert_true(a == 10 && r == 2);
    assert_int_equal(berth_engine_node_resource(engine, n, text("no/such"), &a, &r, NULL),
                     BERTH_OK);
    assert_true(a == 0 && r == 0);
    assert_int_equal(berth_engine_node_resource(engine, 9, text("cpu"), &a, &r, NULL),
                     BERTH_E_NOT_FOUND);
}

/* ---- decisions ---- */

static void test_errors_of_decisions(void **state)
{
    (void)state;
    small_pod pod;
    berth_object object;
    berth_error error;
    berth_placement got = {.node = 77};
    uint64_t stranger;
    berth_node_id n = add_node("n", NULL);
    berth_pod_id p = add_pod("p", NULL, 100), on_node = add_pod("q", "n", 100);
    berth_decide_options options = {.size = 1};
    assert_int_equal(berth_engine_decide(engine, p, &options, &got, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_decide(engine, on_node, NULL, &got, &error), BERTH_E_STATE);
    assert_int_equal(berth_engine_decide(engine, 99, NULL, &got, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_schedule(engine, on_node, &got, &error), BERTH_E_STATE);
    assert_int_equal(berth_engine_schedule(engine, BERTH_POD_NONE, &got, &error),
                     BERTH_E_NOT_FOUND);
    (void)small_pod_object(&pod, &object, "r", NULL, 100);
    pod.pod.scheduler_name = text("nobody");
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &stranger, NULL), BERTH_OK);
    assert_int_equal(berth_engine_decide(engine, stranger, NULL, &got, &error), BERTH_E_NOT_FOUND);
    assert_non_null(strstr(error.message, "nobody"));
    assert_int_equal(got.node, BERTH_NODE_NONE);
    assert_int_equal(got.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(berth_engine_bind(engine, p, 5, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_bind(engine, p, BERTH_NODE_NONE, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_bind(engine, 99, n, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_bind(engine, on_node, n, &error), BERTH_E_STATE);
    assert_int_equal(berth_engine_unbind(engine, p, &error), BERTH_E_STATE);
    assert_int_equal(berth_engine_unbind(engine, 99, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_nominate(engine, on_node, n, &error), BERTH_E_STATE);
    assert_int_equal(berth_engine_nominate(engine, p, 5, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_engine_nominate(engine, 99, n, &error), BERTH_E_NOT_FOUND);
    expect_counts(1, 1, 2, 0);
}

static void test_no_nodes(void **state)
{
    (void)state;
    berth_placement got;
    berth_explanation *explanation;
    assert_int_equal(berth_explanation_create(NULL, &explanation, NULL), BERTH_OK);
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    berth_pod_id p = add_pod("p", NULL, 100);
    assert_int_equal(berth_engine_decide(engine, p, &options, &got, NULL), BERTH_OK);
    assert_int_equal(got.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_text(berth_explanation_message(explanation), "no nodes available to schedule pods");
    berth_explanation_destroy(explanation);
    berth_explanation_destroy(NULL);
}

static void test_bind_and_unbind(void **state)
{
    (void)state;
    berth_node_id a = add_node("a", NULL), b = add_node("b", NULL);
    berth_pod_id p = add_pod("p", NULL, 3000), q = add_pod("q", NULL, 3000);
    uint64_t before = berth_engine_digest(engine);
    assert_int_equal(berth_engine_bind(engine, p, a, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(engine, q, a, NULL), BERTH_OK); /* whether it fits or not */
    expect_cpu(a, 4000, 6000);
    assert_int_equal(berth_engine_pod_node(engine, p), a);
    expect_counts(2, 2, 0, 0);
    uint64_t both_on_a = berth_engine_digest(engine);
    assert_true(both_on_a != before);
    assert_int_equal(berth_engine_unbind(engine, p, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(engine, p, b, NULL), BERTH_OK);
    assert_true(berth_engine_digest(engine) != both_on_a);
    assert_int_equal(berth_engine_unbind(engine, p, NULL), BERTH_OK);
    assert_int_equal(berth_engine_unbind(engine, q, NULL), BERTH_OK);
    assert_true(berth_engine_digest(engine) == before);
    assert_int_equal(berth_engine_bind(engine, q, a, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(engine, p, a, NULL), BERTH_OK);
    assert_true(berth_engine_digest(engine) == both_on_a); /* independent of the order */
}

static void test_schedule_fills_up(void **state)
{
    (void)state;
    char name[16];
    add_node("a", "z1");
    add_node("b", "z2");
    for (int i = 0; i < 9; i++) {
        berth_placement got;
        snprintf(name, sizeof(name), "p%d", i);
        berth_pod_id p = add_pod(name, NULL, 1000);
        assert_int_equal(berth_engine_schedule(engine, p, &got, NULL), BERTH_OK);
        assert_int_equal(got.verdict, i < 8 ? BERTH_VERDICT_PLACED : BERTH_VERDICT_UNSCHEDULABLE);
        assert_int_equal(berth_engine_pod_node(engine, p), got.node);
    }
    expect_counts(2, 8, 1, 0);
}

static void test_order_of_the_queue(void **state)
{
    (void)state;
    static const int32_t priorities[] = {0, 5, -3, 5, 0};
    static const int wanted[] = {1, 3, 0, 4, 2};
    berth_pod_id ids[5], pending[5] = {0};
    for (int i = 0; i < 5; i++) {
        char name[16];
        small_pod pod;
        berth_object object;
        snprintf(name, sizeof(name), "p%d", i);
        (void)small_pod_object(&pod, &object, name, NULL, 1);
        pod.pod.has_priority = priorities[i] != 0;
        pod.pod.priority = priorities[i];
        assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &ids[i], NULL), BERTH_OK);
    }
    uint64_t count = 0;
    assert_int_equal(berth_engine_pending(engine, NULL, 0, &count, NULL), BERTH_OK);
    assert_int_equal(count, 5);
    assert_int_equal(berth_engine_pending(engine, pending, 2, NULL, NULL), BERTH_OK);
    assert_true(pending[0] == ids[1] && pending[1] == ids[3] && pending[2] == 0);
    assert_int_equal(berth_engine_pending(engine, pending, 5, NULL, NULL), BERTH_OK);
    for (int i = 0; i < 5; i++)
        assert_true(pending[i] == ids[wanted[i]]);
}

/* ---- choices among equals ---- */

enum { EQUALS = 8, CHOICES = 8000 };

static void choose_among_equals(berth_path path, uint64_t seed, berth_node_id *out)
{
    berth_engine_destroy(engine);
    engine = make_engine(path, 1, seed);
    for (int i = 0; i < EQUALS; i++)
        add_node((char[]){(char)('a' + i), '\0'}, NULL);
    berth_pod_id p = add_pod("p", NULL, 100);
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags = BERTH_DECIDE_KEEP_ROTATION};
    for (int i = 0; i < CHOICES; i++) {
        berth_placement got;
        assert_int_equal(berth_engine_decide(engine, p, &options, &got, NULL), BERTH_OK);
        assert_int_equal(got.best_count, EQUALS);
        assert_int_equal(got.feasible_count, EQUALS);
        out[i] = got.node;
    }
}

static void test_random_choices(void **state)
{
    (void)state;
    static berth_node_id first[CHOICES], other[CHOICES];
    uint32_t counts[EQUALS] = {0}, same = 0;
    choose_among_equals(BERTH_PATH_SCAN, 42, first);
    choose_among_equals(BERTH_PATH_SCAN, 42, other);
    assert_memory_equal(first, other, sizeof(first));
    choose_among_equals(BERTH_PATH_INDEX, 42, other);
    assert_memory_equal(first, other, sizeof(first));
    choose_among_equals(BERTH_PATH_AUTO, 43, other);
    for (int i = 0; i < CHOICES; i++) {
        same += first[i] == other[i];
        counts[first[i]]++;
    }
    /* Five standard deviations (30 each) around 1,000. */
    assert_true(same > 850 && same < 1150);
    for (int i = 0; i < EQUALS; i++)
        assert_true(counts[i] > 850 && counts[i] < 1150);
}

static void test_first_of_equals(void **state)
{
    (void)state;
    berth_engine_config config;
    berth_engine_config_init(&config);
    berth_profile profile = *berth_profile_default();
    profile.tie = BERTH_TIE_FIRST;
    config.profiles = &profile;
    config.profile_count = 1;
    config.threads = 1;
    berth_engine_destroy(engine);
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    berth_node_id a = add_node("a", NULL);
    add_node("b", NULL);
    berth_pod_id p = add_pod("p", NULL, 100);
    for (int i = 0; i < 20; i++) {
        berth_placement got;
        assert_int_equal(berth_engine_decide(engine, p, NULL, &got, NULL), BERTH_OK);
        assert_int_equal(got.node, a);
        assert_int_equal(got.best_count, 2);
    }
}

/* ---- rotation and threads ---- */

static void add_many_nodes(uint32_t count)
{
    char name[16];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "n%u", (unsigned)i);
        add_node(name, i % 2 == 0 ? "z0" : "z1");
    }
}

/* 1,000 nodes, all fit: 42 % are visited, and the next search starts behind them. */
static void test_rotation(void **state)
{
    (void)state;
    static const uint32_t starts[] = {0, 420, 840, 260, 680};
    add_many_nodes(1000);
    berth_pod_id p = add_pod("p", NULL, 100);
    for (int i = 0; i < 4; i++) {
        berth_placement got;
        const berth_decide_options keep = {.size = sizeof(keep),
                                           .flags = BERTH_DECIDE_KEEP_ROTATION};
        for (int again = 0; again < 2; again++) {
            assert_int_equal(berth_engine_decide(engine, p, again == 0 ? &keep : NULL, &got, NULL),
                             BERTH_OK);
            assert_int_equal(got.start, starts[i]);
            assert_int_equal(got.next, starts[i + 1]);
            assert_int_equal(got.feasible_count, 420);
        }
    }
}

/* A pod that lists its nodes: the rotation counts among these, so every second decision visits the
 * half with the only empty node. */
static void test_rotation_in_a_list(void **state)
{
    enum { NODES = 400, LISTED = NODES / 2, EMPTY = 150, VISITED = 100 };
    (void)state;
    char names[NODES][16];
    berth_str values[LISTED];
    berth_requirement fields[LISTED];
    berth_node_selector_term terms[LISTED];
    add_many_nodes(NODES);
    for (uint32_t i = 0; i < NODES; i++) {
        snprintf(names[i], sizeof(names[i]), "n%u", (unsigned)i);
        if (i != 2 * EMPTY)
            add_pod(names[i], names[i], 500);
    }
    for (uint32_t i = 0; i < LISTED; i++) {
        values[i] = text(names[2 * i]);
        fields[i] = (berth_requirement){text("metadata.name"), text("In"), {&values[i], 1}};
        terms[i] = (berth_node_selector_term){.match_fields = {&fields[i], 1}};
    }
    const berth_node_selector required = {terms, LISTED};
    small_pod storage;
    berth_object object;
    berth_object_id id;
    (void)small_pod_object(&storage, &object, "p", NULL, 100);
    storage.pod.node_affinity.required = &required;
    assert_int_equal(berth_engine_add(engine, &object, &id, NULL), BERTH_OK);
    for (uint32_t i = 0; i < 4; i++) {
        berth_placement got;
        assert_int_equal(berth_engine_decide(engine, id.pod, NULL, &got, NULL), BERTH_OK);
        assert_int_equal(got.start, i * VISITED);
        assert_int_equal(got.feasible_count, VISITED);
        const bool found = strcmp(berth_engine_node_name(engine, got.node).data, "n300") == 0;
        assert_int_equal(found, i % 2);
    }
}

static uint64_t fill_with_threads(uint32_t threads)
{
    char name[16];
    berth_engine_destroy(engine);
    engine = make_engine(BERTH_PATH_SCAN, threads, 5);
    add_many_nodes(6000);
    for (int i = 0; i < 60; i++) {
        berth_placement got;
        snprintf(name, sizeof(name), "p%d", i);
        berth_pod_id p = add_pod(name, NULL, 100 + i % 7 * 300);
        assert_int_equal(berth_engine_schedule(engine, p, &got, NULL), BERTH_OK);
        assert_int_equal(got.verdict, BERTH_VERDICT_PLACED);
    }
    return berth_engine_digest(engine);
}

static void test_threads_place_alike(void **state)
{
    (void)state;
    uint64_t alone = fill_with_threads(1);
    for (uint32_t threads = 2; threads <= 4; threads++)
        assert_true(fill_with_threads(threads) == alone);
}

#define WITH_ENGINE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ENGINE(test_config_is_checked),
        WITH_ENGINE(test_profiles_are_checked),
        WITH_ENGINE(test_engines_come_and_go),
        WITH_ENGINE(test_adding_twice),
        WITH_ENGINE(test_what_is_not_there),
        WITH_ENGINE(test_nonsense),
        WITH_ENGINE(test_finished_pods_are_ignored),
        WITH_ENGINE(test_update_of_a_pod),
        WITH_ENGINE(test_update_of_a_node),
        WITH_ENGINE(test_ids_and_names),
        WITH_ENGINE(test_pod_ids_are_not_used_again),
        WITH_ENGINE(test_orphans),
        WITH_ENGINE(test_orphans_take_nothing),
        WITH_ENGINE(test_order_of_nodes),
        WITH_ENGINE(test_resources_of_a_node),
        WITH_ENGINE(test_errors_of_decisions),
        WITH_ENGINE(test_no_nodes),
        WITH_ENGINE(test_bind_and_unbind),
        WITH_ENGINE(test_schedule_fills_up),
        WITH_ENGINE(test_order_of_the_queue),
        WITH_ENGINE(test_random_choices),
        WITH_ENGINE(test_first_of_equals),
        WITH_ENGINE(test_rotation),
        WITH_ENGINE(test_rotation_in_a_list),
        WITH_ENGINE(test_threads_place_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
