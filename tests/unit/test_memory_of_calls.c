/* Calls that the other memory tests do not make: whichever allocation fails, the call fails or
 * manages without the memory, the engine is unchanged, the same call succeeds later, and no memory
 * leaks. */
#include "berth/query.h"
#include "berth/read.h"
#include "branch_cluster.h"

enum { PODS = 3 };

typedef struct scene {
    counted memory;
    berth_allocator allocator;
    berth_engine *engine;
    berth_scheduler *scheduler; /* NULL: none */
    berth_pod_id pods[PODS];
    berth_node_id node;
} scene;

#define NODE(name)                                                                              \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name                                        \
    ", labels: {kubernetes.io/hostname: " name                                                  \
    ", zone: z}}\nspec: {taints: [{key: t, effect: PreferNoSchedule}]}\nstatus: {allocatable: " \
    "{cpu: '4', memory: 8Gi, pods: '10'}}\n---\n"
#define POD(name, more)                                 \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name \
    ", namespace: default, labels: {app: x}}\n"         \
    "spec: {" more                                      \
    "containers: [{name: c, image: i, resources: {requests: {cpu: '1', memory: 1Gi}}}]}\n---\n"
#define SPREAD                                                                              \
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "       \
    "DoNotSchedule, labelSelector: {matchLabels: {app: x}}}], affinity: {podAntiAffinity: " \
    "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "                      \
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: other}}}]}}, "
static const char cluster[] = NODE("a") NODE("b") POD("p0", SPREAD) POD("p1", "")
    POD("p2", "nodeName: a, ") "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: "
                               "b, namespace: default}\n"
                               "spec: {selector: {matchLabels: {app: x}}}\nstatus: "
                               "{disruptionsAllowed: 1}\n---\n"
                               "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: "
                               "default}\nspec: {selector: {app: "
                               "x}}\n";

static void open_scene(scene *s, bool scheduled)
{
    berth_engine_config config;
    *s = (scene){.allocator = {NULL, counted_allocate, counted_release}};
    s->allocator.context = &s->memory;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &s->allocator;
    config.keep_objects = true;
    assert_int_equal(berth_engine_create(&config, &s->engine, NULL), BERTH_OK);
    berth_error error = {.code = BERTH_OK};
    small_require(berth_engine_load_text(s->engine, (berth_str){cluster, sizeof(cluster) - 1},
                                         "cluster", NULL, NULL, &error),
                  &error);
    for (uint32_t i = 0; i < PODS; i++) {
        const char name[] = {'p', (char)('0' + i), '\0'};
        s->pods[i] = berth_engine_find_pod(s->engine, BERTH_STR("default"), (berth_str){name, 2});
        assert_true(s->pods[i] != BERTH_POD_NONE);
    }
    s->node = berth_engine_find_node(s->engine, BERTH_STR("b"));
    if (scheduled) {
        berth_scheduler_options options;
        berth_scheduler_options_init(&options);
        assert_int_equal(berth_scheduler_create(s->engine, &options, &s->scheduler, NULL),
                         BERTH_OK);
    }
}

static void close_scene(scene *s)
{
    berth_scheduler_destroy(s->scheduler);
    berth_engine_destroy(s->engine);
    assert_int_equal(atomic_load(&s->memory.bytes), 0);
}

/* `changes`: the effect of the call stays, so it is not called twice. */
static void fail_in_turn(berth_status (*call)(scene *s, berth_error *error), bool scheduled,
                         bool changes)
{
    static scene s;
    bool failing = true;
    for (unsigned n = 1; failing; n++) {
        berth_error error = {.code = BERTH_OK};
        open_scene(&s, scheduled);
        const uint64_t digest = berth_engine_digest(s.engine);
        atomic_store(&s.memory.calls, 0);
        atomic_store(&s.memory.fail_at, n);
        berth_status status = call(&s, &error);
        failing = atomic_load(&s.memory.calls) >= n;
        atomic_store(&s.memory.fail_at, 0);
        if (status != BERTH_OK)
            assert_int_equal(status, BERTH_E_NOMEM);
        if (status != BERTH_OK || !changes)
            assert_int_equal(berth_engine_digest(s.engine), digest);
        small_require(berth_engine_check(s.engine, &error), &error);
        if (s.scheduler != NULL)
            small_require(berth_scheduler_check(s.scheduler, &error), &error);
        if (status != BERTH_OK)
            small_require(call(&s, &error), &error);
        close_scene(&s);
    }
}

/* ---- questions ---- */

static berth_status ask_feasible(scene *s, berth_error *error)
{
    berth_node_id nodes[4];
    int64_t totals[4];
    return berth_engine_feasible_nodes(s->engine, s->pods[0], nodes, totals, 4, NULL, error);
}

static berth_status ask_fit(scene *s, berth_error *error)
{
    berth_fit fit = {.size = sizeof(fit)};
    return berth_engine_fits(s->engine, s->pods[0], s->node, BERTH_FIT_REASONS, &fit, error);
}

static void test_questions(void **state)
{
    (void)state;
    fail_in_turn(ask_feasible, false, false);
    fail_in_turn(ask_fit, false, false);
}

/* ---- what is given out ---- */

static berth_status give_node(scene *s, berth_error *error)
{
    berth_object *object = NULL;
    berth_status status =
        berth_engine_node_object(s->engine, s->node, &s->allocator, &object, error);
    assert_int_equal(status == BERTH_OK, object != NULL);
    berth_object_destroy(object);
    return status;
}

static berth_status give_pod(scene *s, berth_error *error)
{
    berth_object *object = NULL, *copy = NULL;
    berth_status status =
        berth_engine_pod_object(s->engine, s->pods[0], &s->allocator, &object, error);
    assert_int_equal(status == BERTH_OK, object != NULL);
    if (status == BERTH_OK)
        status = berth_object_copy(object, &s->allocator, &copy, error);
    assert_int_equal(status == BERTH_OK, copy != NULL);
    berth_object_destroy(object);
    berth_object_destroy(copy);
    return status;
}

static berth_status count_object(void *context, const berth_object *object, berth_error *error)
{
    (void)object;
    (void)error;
    ++*(uint32_t *)context;
    return BERTH_OK;
}

static berth_status give_all(scene *s, berth_error *error)
{
    uint32_t count = 0;
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++) {
        berth_status status =
            berth_engine_objects(s->engine, (berth_kind)kind, count_object, &count, error);
        if (status != BERTH_OK)
            return status;
    }
    assert_int_equal(count, 7);
    return BERTH_OK;
}

static berth_status take_text(void *context, berth_str text, berth_error *error)
{
    (void)error;
    *(size_t *)context += text.len;
    return BERTH_OK;
}

static berth_status dump(scene *s, berth_error *error)
{
    size_t bytes = 0;
    berth_status status = berth_engine_dump(s->engine, take_text, &bytes, error);
    assert_true(status != BERTH_OK || bytes > 0);
    return status;
}

static void test_given_out(void **state)
{
    (void)state;
    fail_in_turn(give_node, false, false);
    fail_in_turn(give_pod, false, false);
    fail_in_turn(give_all, false, false);
    fail_in_turn(dump, false, false);
}

/* ---- groups ---- */

static berth_status place_some(scene *s, berth_error *error)
{
    const berth_group_options options = {.size = sizeof(options), .minimum = 2};
    uint32_t fitted = 0;
    return berth_engine_schedule_pods(s->engine, s->pods, 2, &options, NULL, &fitted, error);
}

static void test_group(void **state)
{
    (void)state;
    fail_in_turn(place_some, false, true);
}

/* ---- a scheduler's events ---- */

static berth_status update_by_scheduler(scene *s, berth_error *error)
{
    berth_object *object = NULL;
    berth_status status =
        berth_engine_node_object(s->engine, s->node, &s->allocator, &object, error);
    if (status == BERTH_OK)
        status = berth_scheduler_update(s->scheduler, 1, object, error);
    berth_object_destroy(object);
    return status;
}

static berth_status add_by_scheduler(scene *s, berth_error *error)
{
    static const berth_node node = {.meta = {.name = {"new", 3}}};
    static const berth_pod pod = {.meta = {.name = {"new", 3}, .namespace_name = {"default", 7}}};
    berth_node_id node_id;
    berth_pod_id pod_id;
    berth_status status = BERTH_OK;
    if (berth_engine_find_node(s->engine, node.meta.name) == BERTH_NODE_NONE)
        status = berth_scheduler_add_node(s->scheduler, 1, &node, &node_id, error);
    if (status == BERTH_OK &&
        berth_engine_find_pod(s->engine, pod.meta.namespace_name, pod.meta.name) == BERTH_POD_NONE)
        status = berth_scheduler_add_pod(s->scheduler, 1, &pod, &pod_id, error);
    return status;
}

static berth_status advance(scene *s, berth_error *error)
{
    berth_status status = berth_scheduler_post_remove(s->scheduler, BERTH_KIND_SERVICE,
                                                      BERTH_STR("default"), BERTH_STR("s"), error);
    if (status == BERTH_OK)
        status = berth_scheduler_evict_done(s->scheduler, s->pods[2], BERTH_ANSWER_FAILED, error);
    return status == BERTH_OK ? berth_scheduler_advance(s->scheduler, 1000, error) : status;
}

static void test_scheduler(void **state)
{
    (void)state;
    fail_in_turn(update_by_scheduler, true, true);
    fail_in_turn(add_by_scheduler, true, true);
    fail_in_turn(advance, true, true);
}

/* ---- evictions on a branch ---- */

/* The budget allows one of three; a pod about which memory ends counts as forbidden. */
static void test_forbidden_on_a_branch(void **state)
{
    static scene s;
    bool failing = true;
    uint32_t unsure = 0;
    (void)state;
    for (unsigned n = 1; failing; n++) {
        berth_engine *branch = NULL;
        berth_error error = {.code = BERTH_OK};
        bool forbidden[PODS + 1] = {[PODS] = false}, sure[PODS];
        open_scene(&s, false);
        small_require(branch_make(s.engine, &branch, &error), &error);
        atomic_store(&s.memory.calls, 0);
        atomic_store(&s.memory.fail_at, n);
        const uint32_t count = berth_engine_forbidden(branch, s.pods, PODS, forbidden);
        failing = atomic_load(&s.memory.calls) >= n;
        atomic_store(&s.memory.fail_at, 0);
        assert_int_equal(berth_engine_forbidden(branch, s.pods, PODS, sure), PODS - 1);
        assert_true(!sure[0] && sure[1] && sure[2]);
        assert_int_equal(count, (uint32_t)forbidden[0] + forbidden[1] + forbidden[2]);
        assert_false(forbidden[PODS]); /* it was not asked about */
        assert_true(count >= PODS - 1 && (failing || !forbidden[0]));
        unsure += forbidden[0];
        berth_branch_drop(branch);
        close_scene(&s);
    }
    assert_true(unsure > 0);
}

/* To list no pods takes no memory. */
static void test_none_is_pending(void **state)
{
    (void)state;
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine *engine;
    berth_pod_id pod;
    uint64_t count = 7;
    berth_engine_config_init(&config);
    config.allocator = &allocator;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    atomic_store(&memory.calls, 0);
    assert_int_equal(berth_engine_pending(engine, &pod, 1, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    assert_int_equal(atomic_load(&memory.calls), 0);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions), cmocka_unit_test(test_none_is_pending),
        cmocka_unit_test(test_given_out), cmocka_unit_test(test_group),
        cmocka_unit_test(test_scheduler), cmocka_unit_test(test_forbidden_on_a_branch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
