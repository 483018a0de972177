/* Host ports that several pods of a node have: the first of them that leaves frees the port, also
 * on a node without a slot; and what happens then to the others, in preemption and without
 * memory. */
#include "rule_cluster.h"

#include "arena_pieces.h"
#include "berth/transaction.h"
#include "counted_memory.h"

#define PORT(number) "containers: [{name: c, ports: [{containerPort: 80, hostPort: " number "}]}]"

static void remove_object(small_cluster *c, berth_kind kind, const char *name)
{
    berth_error error = {.code = BERTH_OK};
    small_require(
        berth_engine_remove(c->engine, kind,
                            kind == BERTH_KIND_POD ? BERTH_STR("default") : (berth_str){0},
                            (berth_str){name, (uint32_t)strlen(name)}, &error),
        &error);
}

static berth_status update_object(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    small_cluster *c = context;
    return berth_engine_update(c->engine, object, error);
}

static void update_pod(small_cluster *c, const char *name, const char *node, const char *spec)
{
    char text[1024];
    berth_error error = {.code = BERTH_OK};
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {nodeName: %s, %s}\n", name,
             node, spec);
    small_require(berth_reader_text(c->reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    update_object, c, &error),
                  &error);
}

static void expect_free(small_cluster *c, const char *pod, const char *spec, bool is_free)
{
    small_decide(c, small_pod(c, pod, NULL, "", spec));
    assert_int_equal(c->placement.verdict,
                     is_free ? BERTH_VERDICT_PLACED : BERTH_VERDICT_UNSCHEDULABLE);
    remove_object(c, BERTH_KIND_POD, pod);
}

static void test_node_not_yet_laid_out(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_pod(c, "one", "a", "", PORT("80"));
    small_pod(c, "two", "a", "", PORT("80"));
    small_pod(c, "three", "a", "", PORT("81"));
    remove_object(c, BERTH_KIND_POD, "one");
    expect_free(c, "p", PORT("80"), true);
    expect_free(c, "p", PORT("81"), false);
}

static void test_port_taken_again(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_pod(c, "one", "a", "", PORT("80"));
    small_pod(c, "two", "a", "", PORT("80"));
    remove_object(c, BERTH_KIND_POD, "one");
    small_pod(c, "three", "a", "", PORT("80"));
    expect_free(c, "p", PORT("80"), false);
    remove_object(c, BERTH_KIND_POD, "two");
    expect_free(c, "p", PORT("80"), true);
}

/* A changed pod also frees its ports before it takes those of its new class. */
static void test_pod_changes(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_pod(c, "one", "a", "", PORT("80"));
    small_pod(c, "two", "a", "", PORT("80"));
    update_pod(c, "one", "a", PORT("81"));
    expect_free(c, "p", PORT("80"), true);
    expect_free(c, "p", PORT("81"), false);
}

/* A node that is removed and added again has the same ports. */
static void test_node_comes_back(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_node(c, "b", ", labels: {other: x}");
    small_pod(c, "one", "a", "", PORT("80"));
    small_pod(c, "two", "a", "", PORT("80"));
    small_pod(c, "full", "b", "", PORT("80"));
    expect_free(c, "p", PORT("80"), false);
    remove_object(c, BERTH_KIND_POD, "one");
    expect_free(c, "p", PORT("80"), true);
    remove_object(c, BERTH_KIND_NODE, "a");
    expect_free(c, "p", PORT("80"), false);
    small_node(c, "a", "");
    expect_free(c, "p", PORT("80"), true);
    remove_object(c, BERTH_KIND_NODE, "a");
    small_pod(c, "three", "a", "", PORT("80"));
    small_node(c, "a", "");
    expect_free(c, "p", PORT("80"), false);
}

/* As many ports are free on a node that was removed as pods have on the node that is removed. */
static void test_second_node_comes_back(void **state)
{
    small_cluster *c = *state;
    static const char *const names[] = {"a", "b"};
    for (int i = 0; i < 2; i++) {
        char one[8], two[8];
        snprintf(one, sizeof(one), "one-%s", names[i]);
        snprintf(two, sizeof(two), "two-%s", names[i]);
        small_node(c, names[i], "");
        small_pod(c, one, names[i], "", PORT("80"));
        small_pod(c, two, names[i], "", PORT("80"));
        expect_free(c, "p", PORT("80"), false); /* lays the node out */
        remove_object(c, BERTH_KIND_POD, one);
        expect_free(c, "p", PORT("80"), true);
        remove_object(c, BERTH_KIND_NODE, names[i]);
    }
    small_node(c, "b", "");
    expect_free(c, "p", PORT("80"), true);
}

/* A rollback restores the ports. */
static void test_rollback(void **state)
{
    small_cluster *c = *state;
    berth_error error = {.code = BERTH_OK};
    small_node(c, "a", "");
    small_pod(c, "one", "a", "", PORT("80"));
    small_pod(c, "two", "a", "", PORT("80"));
    small_require(berth_engine_begin(c->engine, &error), &error);
    remove_object(c, BERTH_KIND_POD, "one");
    expect_free(c, "p", PORT("80"), true);
    small_require(berth_engine_rollback(c->engine, &error), &error);
    expect_free(c, "p", PORT("80"), false);
}

/* A node with 4 cpu: `one` and `two` had port 80, `one` has left, and `three` has come with port
 * 81. */
static void crowd_more(small_cluster *c)
{
    small_pod(c, "one", "a", "", PORT("80"));
    small_pod(c, "two", "a", "", PORT("80"));
    remove_object(c, BERTH_KIND_POD, "one");
    expect_free(c, "p", PORT("80"), true); /* lays the node out */
    small_pod(c, "three", "a", "", PORT("81"));
}

static void crowd(small_cluster *c)
{
    small_node(c, "a", "");
    crowd_more(c);
}

/* A victim whose port is free comes back with it, for which the node's set has no room. */
static void test_victim_with_a_freed_port(void **state)
{
    small_cluster *c = *state;
    crowd(c);
    small_pod(c, "four", "a", "", "containers: [{name: c, resources: {requests: {cpu: 1}}}]");
    small_decide(c, small_pod(c, "high", NULL, "",
                              "priority: 10, containers: [{name: c, resources: {requests: {cpu: "
                              "4}}}]"));
    assert_int_equal(berth_explanation_victim_count(c->explanation), 1);
    small_decide(c, small_pod(c, "higher", NULL, "", "priority: 20, " PORT("81")));
    assert_int_equal(berth_explanation_victim_count(c->explanation), 1);
    expect_free(c, "p", PORT("80"), true); /* as before */
    expect_free(c, "p", PORT("81"), false);
}

/* The same for two victims, beside a pod without ports that has been there the longest. */
static void test_victims_with_freed_ports(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_pod(c, "plain", "a", "", "containers: [{name: c}]");
    small_pod(c, "zero", "a", "", PORT("79"));
    small_pod(c, "other", "a", "", PORT("79"));
    remove_object(c, BERTH_KIND_POD, "other");
    crowd_more(c);
    small_pod(c, "four", "a", "", "containers: [{name: c, resources: {requests: {cpu: 1}}}]");
    small_decide(c, small_pod(c, "high", NULL, "",
                              "priority: 10, containers: [{name: c, resources: {requests: {cpu: "
                              "4}}}]"));
    assert_int_equal(berth_explanation_victim_count(c->explanation), 1);
    expect_free(c, "p", PORT("79"), true); /* as before */
    expect_free(c, "p", PORT("80"), true);
    expect_free(c, "p", PORT("81"), false);
}

static void open_counting(small_cluster *c, const berth_allocator *allocator)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.allocator = allocator;
    small_open_as(c, config);
}

/* An update that fails for lack of memory leaves free what was free, and taken what was taken. */
static void update_without_memory(const char *name, const char *port)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    unsigned refused = 0;
    bool ended = true;
    for (unsigned fail_at = 1; ended; fail_at++) {
        char text[512];
        small_cluster c;
        berth_error error = {.code = BERTH_OK};
        snprintf(text, sizeof(text),
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {nodeName: a, containers: "
                 "[{name: c, ports: [{hostPort: %s}, {hostPort: 82}, {hostPort: 83}]}]}\n",
                 name, port);
        open_counting(&c, &allocator);
        crowd(&c);
        atomic_store(&memory.fail_at, atomic_load(&memory.calls) + fail_at);
        const berth_status status = berth_reader_text(
            c.reader, (berth_str){text, (uint32_t)strlen(text)}, "test", update_object, &c, &error);
        ended = atomic_load(&memory.calls) >= atomic_load(&memory.fail_at);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || (ended && status == BERTH_E_NOMEM));
        expect_free(&c, "p", PORT("80"), status != BERTH_OK || strcmp(port, "80") != 0);
        expect_free(&c, "p", PORT("81"), false);
        small_close(&c);
        refused += status == BERTH_E_NOMEM;
    }
    assert_true(refused > 2);
}

static void test_update_without_memory(void **state)
{
    (void)state;
    update_without_memory("two", "80");
    update_without_memory("three", "81");
}

/* The same on a node that is not laid out yet, while a snapshot has the list of free ports: the pod
 * that could not change is on the node as before. */
static void test_update_on_a_new_node_without_memory(void **state)
{
    unsigned refused = 0;
    bool ended = true;
    (void)state;
    for (unsigned fail_at = 1; ended; fail_at++) {
        counted memory = {0};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        static const char text[] =
            "apiVersion: v1\nkind: Pod\nmetadata: {name: plain}\nspec: {nodeName: b, containers: "
            "[{name: c, ports: [{hostPort: 80}], resources: {requests: {cpu: 3}}}]}\n";
        small_cluster c;
        berth_error error = {.code = BERTH_OK};
        open_counting(&c, &allocator);
        small_node(&c, "a", "");
        small_pod(&c, "one", "a", "", PORT("80"));
        small_pod(&c, "two", "a", "", PORT("80"));
        remove_object(&c, BERTH_KIND_POD, "one");
        assert_int_equal(berth_engine_publish(c.engine, NULL), BERTH_OK);
        const berth_node_id b = small_node(&c, "b", "");
        small_pod(&c, "plain", "b", "", "containers: [{name: c, resources: {requests: {cpu: 3}}}]");
        atomic_store(&memory.fail_at, atomic_load(&memory.calls) + fail_at);
        const berth_status status =
            berth_reader_text(c.reader, (berth_str)TEXT(text), "test", update_object, &c, &error);
        ended = atomic_load(&memory.calls) >= atomic_load(&memory.fail_at);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || (ended && status == BERTH_E_NOMEM));
        assert_int_equal(berth_engine_node_pods(c.engine, b, NULL, 0), 1);
        small_decide(&c, small_pod(&c, "large", NULL, "",
                                   "containers: [{name: c, resources: {requests: {cpu: 3}}}]"));
        assert_int_not_equal(c.placement.node, b);
        small_close(&c);
        refused += status == BERTH_E_NOMEM;
    }
    assert_true(refused > 2);
}

/* Many pods on a node, whose ports 1 to 320 are free. */
static void add_many_free(small_cluster *c)
{
    enum { PAIRS = 20, PORTS = 16 };
    for (int i = 0; i < PAIRS; i++) {
        char spec[512] = "containers: [{name: c, ports: [", stays[16];
        size_t length = strlen(spec);
        for (int port = 1; port <= PORTS; port++)
            length += (size_t)snprintf(spec + length, sizeof(spec) - length, "{hostPort: %d}%s",
                                       i * PORTS + port, port < PORTS ? ", " : "]}]");
        snprintf(stays, sizeof(stays), "stays%d", i);
        small_pod(c, "leaves", "a", "", spec);
        small_pod(c, stays, "a", "", spec);
        remove_object(c, BERTH_KIND_POD, "leaves");
    }
}

/* A second node goes in a transaction, after one with many free ports, whose record is large. For
 * lack of memory it stays, and what was free and taken is so again after a rollback. */
static void test_node_goes_without_memory(void **state)
{
    unsigned refused = 0;
    bool ended = true;
    (void)state;
    for (unsigned fail_at = 1; ended; fail_at++) {
        counted memory = {0};
        const berth_allocator allocator = {&memory, counted_allocate, counted_release};
        small_cluster c;
        berth_error error = {.code = BERTH_OK};
        open_counting(&c, &allocator);
        small_node(&c, "a", "");
        small_node(&c, "b", ", labels: {is: b}");
        add_many_free(&c);
        small_pod(&c, "one", "b", "", PORT("80"));
        small_pod(&c, "two", "b", "", PORT("80"));
        small_pod(&c, "three", "b", "", PORT("81"));
        remove_object(&c, BERTH_KIND_POD, "one");
        expect_free(&c, "p", "nodeSelector: {is: b}, " PORT("80"), true); /* lays them out */
        small_require(berth_engine_begin(c.engine, &error), &error);
        remove_object(&c, BERTH_KIND_NODE, "a");
        atomic_store(&memory.fail_at, atomic_load(&memory.calls) + fail_at);
        const berth_status status = berth_engine_remove(c.engine, BERTH_KIND_NODE, (berth_str){0},
                                                        (berth_str)TEXT("b"), &error);
        ended = atomic_load(&memory.calls) >= atomic_load(&memory.fail_at);
        atomic_store(&memory.fail_at, 0);
        assert_true(status == BERTH_OK || (ended && status == BERTH_E_NOMEM));
        error = (berth_error){.code = BERTH_OK};
        small_require(berth_engine_rollback(c.engine, &error), &error);
        expect_free(&c, "p", "nodeSelector: {is: b}, " PORT("80"), true);
        expect_free(&c, "p", "nodeSelector: {is: b}, " PORT("81"), false);
        small_close(&c);
        refused += status == BERTH_E_NOMEM;
    }
    assert_true(refused > 0);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
#define TEST(name) cmocka_unit_test_setup_teardown(name, small_set_up, small_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_node_not_yet_laid_out),
        TEST(test_port_taken_again),
        TEST(test_pod_changes),
        TEST(test_node_comes_back),
        TEST(test_second_node_comes_back),
        TEST(test_rollback),
        TEST(test_victim_with_a_freed_port),
        TEST(test_victims_with_freed_ports),
        cmocka_unit_test(test_update_without_memory),
        cmocka_unit_test(test_update_on_a_new_node_without_memory),
        cmocka_unit_test(test_node_goes_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
