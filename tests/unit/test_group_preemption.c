/* Groups that preempt (berth/transaction.h): who leaves for whom, what stays together, and that a
 * group that is taken back evicts nobody. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "berth/extender.h"
#include "berth/kube.h"
#include "berth/transaction.h"
#include "counted_memory.h"
#include "small_cluster.h"

#define NODE(name)                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" \
    "status: {allocatable: {cpu: '4', pods: '10'}}\n---\n"
#define POD(name, cpu, priority, more)                                 \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name ", uid: " name \
    "}\nspec: {priority: " priority more                               \
    ", containers: [{name: c, image: i, resources: {requests: {cpu: " cpu "}}}]}\n---\n"
#define ON(node) ", nodeName: " node

/* Node a is full of a pod of priority 5, b of two pods of priority 1 and 2. */
static const char objects[] = NODE("a") NODE("b") POD("five", "4", "5", ON("a"))
    POD("one", "2", "1", ON("b")) POD("two", "2", "2", ON("b")) POD("low", "1", "0", "")
        POD("first", "3", "7", "") POD("second", "3", "7", "") POD("third", "3", "7", "")
            POD("gentle", "3", "9", ", preemptionPolicy: Never") POD("higher", "4", "8", "");

typedef struct scene {
    counted memory;
    berth_allocator allocator;
    berth_engine *engine;
    char said[512]; /* evictions: "two leaves b for 0; ..." */
} scene;

static berth_pod_id pod(const scene *s, const char *name)
{
    const berth_pod_id id = berth_engine_find_pod(s->engine, BERTH_STR("default"), text(name));
    assert_true(id != BERTH_POD_NONE);
    return id;
}

static void open_extended(scene *s, const berth_extender *extender)
{
    berth_engine_config config;
    berth_error error;
    *s = (scene){.allocator = {NULL, counted_allocate, counted_release}};
    s->allocator.context = &s->memory;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &s->allocator;
    config.extenders = &extender;
    config.extender_count = extender != NULL;
    assert_int_equal(berth_engine_create(&config, &s->engine, &error), BERTH_OK);
    assert_int_equal(berth_engine_load_text(s->engine, (berth_str){objects, sizeof(objects) - 1},
                                            "objects", NULL, NULL, &error),
                     BERTH_OK);
}

static void open_scene(scene *s)
{
    open_extended(s, NULL);
}

static void close_scene(scene *s)
{
    berth_engine_destroy(s->engine);
    assert_int_equal(atomic_load(&s->memory.bytes), 0);
}

static void on_evicted(void *context, berth_pod_id victim, berth_node_id node, uint32_t preemptor)
{
    scene *s = context;
    berth_str space, name;
    const size_t length = strlen(s->said);
    berth_engine_pod_name(s->engine, victim, &space, &name);
    const berth_str at = berth_engine_node_name(s->engine, node);
    assert_int_equal(berth_engine_pod_node(s->engine, victim), BERTH_NODE_NONE);
    snprintf(s->said + length, sizeof(s->said) - length, "%.*s leaves %.*s for %u; ", (int)name.len,
             name.data, (int)at.len, at.data, preemptor);
}

static berth_status place(scene *s, const char *const *names, uint32_t count, uint32_t flags,
                          uint32_t minimum, uint32_t *fitted)
{
    berth_pod_id ids[8];
    berth_placement placements[8];
    berth_error error;
    const berth_group_options how = {.size = sizeof(how),
                                     .flags = flags,
                                     .minimum = minimum,
                                     .evicted = on_evicted,
                                     .context = s};
    for (uint32_t i = 0; i < count; i++)
        ids[i] = pod(s, names[i]);
    s->said[0] = '\0';
    const berth_status status =
        berth_engine_schedule_pods(s->engine, ids, count, &how, placements, fitted, &error);
    for (uint32_t i = 0; i < count && status == BERTH_OK; i++) {
        const bool on = berth_engine_pod_node(s->engine, ids[i]) != BERTH_NODE_NONE;
        /* A decision that was taken back is still reported. */
        assert_true(!on || placements[i].verdict == BERTH_VERDICT_PLACED);
        assert_true(!on || placements[i].node == berth_engine_pod_node(s->engine, ids[i]));
    }
    return status;
}

#define PLACE(s, flags, minimum, fitted, ...)                                                  \
    assert_int_equal(place(s, (const char *const[]){__VA_ARGS__},                              \
                           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), flags, \
                           minimum, fitted),                                                   \
                     BERTH_OK)

static void test_who_leaves(void **state)
{
    scene s;
    uint32_t fitted;
    (void)state;
    open_scene(&s);
    PLACE(&s, 0, 0, &fitted, "first", "second");
    assert_int_equal(fitted, 0);
    assert_string_equal(s.said, "");
    /* The first pod takes the node whose victims are the least important; the third finds only pods
     * of its own group and nobody less important. */
    PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "first", "second", "third", "low");
    assert_int_equal(fitted, 3); /* a core is left for the low one */
    assert_string_equal(s.said, "two leaves b for 0; one leaves b for 0; five leaves a for 1; ");
    assert_int_equal(berth_engine_pod_node(s.engine, pod(&s, "third")), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_check(s.engine, NULL), BERTH_OK);
    /* Victims are pending, and may be placed again or removed. */
    PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "two");
    assert_int_equal(fitted, 0);
    close_scene(&s);
}

static void test_group_stays_together(void **state)
{
    scene s;
    uint32_t fitted;
    (void)state;
    open_scene(&s);
    /* The last pod is more important than the first two, and would have to evict one of them. */
    PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "first", "second", "higher");
    assert_int_equal(fitted, 2);
    /* In a group of its own, it may. */
    PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "higher");
    assert_int_equal(fitted, 1);
    assert_true(strcmp(s.said, "first leaves b for 0; ") == 0 ||
                strcmp(s.said, "second leaves a for 0; ") == 0);
    close_scene(&s);
}

static void test_policy(void **state)
{
    scene s;
    uint32_t fitted;
    (void)state;
    open_scene(&s);
    PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "gentle");
    assert_int_equal(fitted, 0);
    assert_string_equal(s.said, "");
    close_scene(&s);
}

static void test_taken_back(void **state)
{
    scene s;
    uint32_t fitted;
    (void)state;
    open_scene(&s);
    const uint64_t before = berth_engine_digest(s.engine);
    PLACE(&s, BERTH_GROUP_PREEMPT | BERTH_GROUP_ALL, 0, &fitted, "first", "second", "third");
    assert_int_equal(fitted, 2);
    assert_string_equal(s.said, "");
    assert_int_equal(berth_engine_digest(s.engine), before);
    PLACE(&s, BERTH_GROUP_PREEMPT, 3, &fitted, "first", "second", "third");
    assert_int_equal(fitted, 2);
    assert_int_equal(berth_engine_digest(s.engine), before);
    /* In a transaction of the caller's, too. */
    assert_int_equal(berth_engine_begin(s.engine, NULL), BERTH_OK);
    PLACE(&s, BERTH_GROUP_PREEMPT | BERTH_GROUP_ALL, 0, &fitted, "first", "second");
    assert_int_equal(fitted, 2);
    assert_int_equal(berth_engine_rollback(s.engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_digest(s.engine), before);
    assert_int_equal(berth_engine_check(s.engine, NULL), BERTH_OK);
    close_scene(&s);
}

static berth_status refuse_all(void *context, berth_pod_id pod, const berth_node_id *nodes,
                               uint32_t count, berth_extender_verdict *verdicts, berth_str *reasons,
                               berth_error *error)
{
    (void)context;
    (void)pod;
    (void)nodes;
    (void)error;
    for (uint32_t i = 0; i < count; i++) {
        verdicts[i] = BERTH_EXTENDER_REFUSES;
        reasons[i] = BERTH_STR("no");
    }
    return BERTH_OK;
}

/* Nobody leaves for a pod that an extender then keeps off the node. */
static void test_refused_after_the_evictions(void **state)
{
    const berth_extender extender = {
        .size = sizeof(extender), .name = BERTH_STR("no"), .filter = refuse_all};
    scene s;
    uint32_t fitted;
    (void)state;
    open_extended(&s, &extender);
    const uint64_t before = berth_engine_digest(s.engine);
    PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "first");
    assert_int_equal(fitted, 0);
    assert_string_equal(s.said, "");
    assert_int_equal(berth_engine_digest(s.engine), before);
    close_scene(&s);
}

/* Whichever allocation fails, nothing has changed. */
static void test_memory_runs_out(void **state)
{
    static const char *const names[] = {"first", "second"};
    uint32_t fitted, fails = 0;
    berth_status status = BERTH_E_NOMEM;
    (void)state;
    for (unsigned call = 1; status != BERTH_OK; call++) {
        scene s;
        open_scene(&s);
        const uint64_t before = berth_engine_digest(s.engine);
        atomic_store(&s.memory.fail_at, atomic_load(&s.memory.calls) + call);
        status = place(&s, names, 2, BERTH_GROUP_PREEMPT, 0, &fitted);
        atomic_store(&s.memory.fail_at, 0);
        if (status != BERTH_OK) {
            assert_int_equal(status, BERTH_E_NOMEM);
            assert_int_equal(berth_engine_digest(s.engine), before);
            assert_string_equal(s.said, "");
            assert_int_equal(berth_engine_check(s.engine, NULL), BERTH_OK);
            PLACE(&s, BERTH_GROUP_PREEMPT, 0, &fitted, "first", "second");
            fails++;
        }
        assert_int_equal(fitted, 2);
        close_scene(&s);
    }
    assert_true(fails > 10);
}

static void test_flags(void **state)
{
    static const char *const names[] = {"first"};
    scene s;
    uint32_t fitted;
    (void)state;
    open_scene(&s);
    assert_int_equal(place(&s, names, 1, BERTH_GROUP_PREEMPT << 1, 0, &fitted), BERTH_E_ARG);
    /* The victims need not be asked for. */
    const berth_pod_id id = pod(&s, "first");
    const berth_group_options how = {.size = sizeof(how), .flags = BERTH_GROUP_PREEMPT};
    assert_int_equal(berth_engine_schedule_pods(s.engine, &id, 1, &how, NULL, &fitted, NULL),
                     BERTH_OK);
    assert_int_equal(fitted, 1);
    close_scene(&s);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_leaves),
        cmocka_unit_test(test_group_stays_together),
        cmocka_unit_test(test_policy),
        cmocka_unit_test(test_taken_back),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_refused_after_the_evictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
