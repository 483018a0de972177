/* Plugins of an embedder: their arguments, the effect of their results, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "assert_text.h"
#include "berth/berth.h"
#include "one_plugin.h"
#include "profile_points.h"
#include "small_cluster.h"

enum { NODES = 300 };

/* ---- NodePrice: static; pods may name a highest price, cheap nodes are better ---- */

static int64_t number(berth_str digits, int64_t otherwise)
{
    int64_t value = 0;
    for (uint32_t i = 0; i < digits.len; i++)
        value = value * 10 + (digits.data[i] - '0');
    return digits.len > 0 ? value : otherwise;
}

typedef struct price_limit {
    int64_t highest;
} price_limit;

static berth_prepared price_prepare(berth_preparation *preparation)
{
    berth_str limit = berth_cycle_pod_label(preparation->cycle, text("max-price"));
    if (limit.len == 0)
        return BERTH_PREPARED_SKIP;
    ((price_limit *)preparation->state)->highest = number(limit, 0);
    if (number(limit, 0) > 0)
        return BERTH_PREPARED_ACTIVE;
    berth_preparation_refuse(preparation, BERTH_CODE_UNRESOLVABLE, text("nothing is free"));
    return BERTH_PREPARED_REFUSE;
}

static int64_t price_of(const berth_cycle *cycle, uint32_t slot)
{
    return number(berth_cycle_node_label(cycle, slot, text("price")), 0);
}

static void price_filter(const berth_cycle *cycle, const void *instance, const void *state,
                         berth_slice *slice)
{
    (void)instance;
    for (uint32_t i = 0; i < slice->count; i++)
        if (is_asked(slice, i) &&
            price_of(cycle, slice->index * BERTH_SLICE + i) > ((const price_limit *)state)->highest)
            refuse(slice, i);
}

static berth_str price_reason(const berth_cycle *cycle, const void *instance, const void *state,
                              uint32_t slot)
{
    (void)instance;
    (void)state;
    return price_of(cycle, slot) > 100 ? text("node(s) were a luxury")
                                       : text("node(s) were too expensive");
}

static void price_score(const berth_cycle *cycle, const void *instance, const void *state,
                        const berth_slice *slice, int64_t *values)
{
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++)
        values[i] = price_of(cycle, slice->index * BERTH_SLICE + i);
}

static const berth_plugin node_price = {
    .size = sizeof(node_price),
    .flags = BERTH_PLUGIN_STATIC,
    .name = "NodePrice",
    .filter_state_bytes = sizeof(price_limit),
    .prepare_filter = price_prepare,
    .filter = price_filter,
    .reason = price_reason,
    .code = BERTH_CODE_UNRESOLVABLE,
    .score = price_score,
    .normalize = BERTH_NORMALIZE_MAX_REVERSED,
};

/* ---- PodCap: node-local; a maximum of pods for each node, emptier nodes are better ---- */

typedef struct cap {
    int64_t most;
    uint32_t reserves, unreserves;
    berth_pod_id last_pod;
    berth_node_id last_node;
    berth_status answer;
    berth_pod_id refused; /* BERTH_POD_NONE: none */
    uint64_t held;        /* the sum of the reservations */
    bool obeys;           /* it refuses only where a refusal counts, and adds up cpu */
} cap;

static uint64_t holding(berth_pod_id pod, berth_node_id node)
{
    return (pod + 1) * UINT64_C(1000003) + node;
}

static berth_status cap_configure(void *context, berth_str arguments, void *instance,
                                  berth_error *error)
{
    (void)error;
    ((cap *)instance)->most = ((cap *)context)->most;
    for (uint32_t i = 0; i < arguments.len; i++)
        if (arguments.data[i] >= '0' && arguments.data[i] <= '9')
            ((cap *)instance)->most = arguments.data[i] - '0';
    return arguments.len > 0 && arguments.data[0] != '{' ? BERTH_E_INVALID : BERTH_OK;
}

static void cap_filter(const berth_cycle *cycle, const void *instance, const void *state,
                       berth_slice *slice)
{
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++) {
        int64_t allocatable, requested;
        if (!is_asked(slice, i))
            continue;
        berth_cycle_node_resource(cycle, slice->index * BERTH_SLICE + i, text("pods"), &allocatable,
                                  &requested);
        if (requested >= ((const cap *)instance)->most)
            refuse(slice, i);
    }
}

static void cap_score(const berth_cycle *cycle, const void *instance, const void *state,
                      const berth_slice *slice, int64_t *values)
{
    (void)instance;
    (void)state;
    uint32_t cpu = berth_cycle_column(cycle, text("cpu"));
    const int64_t *allocatable = berth_cycle_allocatable(cycle, slice->index, cpu);
    const int64_t *requested = berth_cycle_requested(cycle, slice->index, cpu);
    for (uint32_t i = 0; i < slice->count; i++)
        if (is_asked(slice, i))
            values[i] = allocatable[i] > requested[i]
                            ? (allocatable[i] - requested[i]) * 100 / allocatable[i]
                            : 0;
}

static uint64_t asked_milli(const cap *own, const berth_cycle *cycle)
{
    return own->obeys ? (uint64_t)berth_cycle_pod_request(cycle, text("cpu")) : 0;
}

static berth_status cap_reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                                berth_node_id node)
{
    cap *own = context;
    own->reserves++;
    own->last_pod = pod;
    own->last_node = node;
    assert_true(berth_cycle_pod_namespace(cycle).len > 0);
    berth_status answer = pod == own->refused ? BERTH_E_CONFLICT : own->answer;
    bool counted = answer == BERTH_OK || (own->obeys && !berth_cycle_may_refuse(cycle));
    own->held += counted ? holding(pod, node) + asked_milli(own, cycle) : 0;
    return answer;
}

static void cap_unreserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                          berth_node_id node)
{
    cap *own = context;
    own->unreserves++;
    own->held -= holding(pod, node) + asked_milli(own, cycle);
    own->last_pod = pod;
    own->last_node = node;
}

static berth_plugin cap_plugin(cap *own)
{
    return (berth_plugin){
        .size = sizeof(berth_plugin),
        .flags = BERTH_PLUGIN_NODE_LOCAL,
        .name = "PodCap",
        .context = own,
        .instance_bytes = sizeof(cap),
        .configure = cap_configure,
        .filter = cap_filter,
        .score = cap_score,
        .reserve = cap_reserve,
        .unreserve = cap_unreserve,
    };
}

/* ---- an engine with them ---- */

/* The default profile with both plugins at the end of its lists. */
typedef struct fixture {
    cap cap;
    berth_plugin tables[2];
    const berth_plugin *plugins[2];
    berth_plugin_args args;
    berth_plugin_ref refs[2][64];
    berth_profile profile;
    profile_points points;
    berth_engine_config config;
    berth_engine *engine;
    uint32_t pods;
} fixture;

static void append(fixture *own, berth_point point, berth_plugin_ref *items)
{
    berth_plugin_list *list = &own->points.lists[point];
    uint32_t count = list->count;
    for (uint32_t i = 0; i < count; i++)
        items[i] = list->items[i];
    items[count++] = (berth_plugin_ref){.name = text("NodePrice"), .weight = 3};
    items[count++] = (berth_plugin_ref){.name = text("PodCap"), .weight = 2, .args = &own->args};
    *list = (berth_plugin_list){items, count};
}

static void configure(fixture *own, berth_path path, uint32_t threads)
{
    *own = (fixture){.cap = {.most = 3, .refused = BERTH_POD_NONE},
                     .profile = *berth_profile_default()};
    own_points(&own->profile, &own->points);
    own->tables[0] = node_price;
    own->tables[1] = cap_plugin(&own->cap);
    own->plugins[0] = &own->tables[0];
    own->plugins[1] = &own->tables[1];
    append(own, BERTH_POINT_FILTER, own->refs[0]);
    append(own, BERTH_POINT_SCORE, own->refs[1]);
    berth_engine_config_init(&own->config);
    own->config.path = path;
    own->config.threads = threads;
    own->config.profiles = &own->profile;
    own->config.profile_count = 1;
    own->config.plugins = own->plugins;
    own->config.plugin_count = 2;
}

static void add_node(fixture *own, uint32_t i)
{
    char name[32], price[32];
    snprintf(name, sizeof(name), "node-%u", (unsigned)i);
    snprintf(price, sizeof(price), "%u", (unsigned)(i * 7 % 200 + 1));
    small_node node;
    berth_object object;
    small_node_object(&node, &object, name, "a");
    node.labels[2] = (berth_key_value){text("price"), text(price)};
    node.node.meta.labels = (berth_map){node.labels, 3};
    assert_int_equal(berth_engine_add(own->engine, &object, NULL, NULL), BERTH_OK);
}

static void start(fixture *own, berth_path path, uint32_t threads)
{
    configure(own, path, threads);
    assert_int_equal(berth_engine_create(&own->config, &own->engine, NULL), BERTH_OK);
    for (uint32_t i = 0; i < NODES; i++)
        add_node(own, i);
}

static berth_pod_id add_pod(fixture *own, const char *max_price, int32_t milli)
{
    char name[32];
    snprintf(name, sizeof(name), "pod-%u", (unsigned)own->pods++);
    small_pod pod;
    berth_object object;
    small_pod_object(&pod, &object, name, NULL, milli);
    berth_key_value labels[] = {{text("max-price"), text(max_price)}};
    pod.pod.meta.labels = (berth_map){labels, max_price != NULL ? 1 : 0};
    berth_pod_id id;
    assert_int_equal(berth_engine_add_pod(own->engine, &pod.pod, &id, NULL), BERTH_OK);
    return id;
}

static int64_t node_price_of(const fixture *own, berth_node_id node)
{
    return number(berth_engine_node_label(own->engine, node, text("price")), 0);
}

/* ---- tests ---- */

static void test_answers_count(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PATH_AUTO, 1);
    for (uint32_t i = 0; i < 100; i++) {
        berth_placement placement;
        berth_pod_id pod = add_pod(&own, i % 2 == 0 ? "20" : NULL, 100);
        assert_int_equal(berth_engine_schedule(own.engine, pod, &placement, NULL), BERTH_OK);
        if (placement.verdict == BERTH_VERDICT_PLACED && i % 2 == 0)
            assert_true(node_price_of(&own, placement.node) <= 20);
    }
    for (berth_node_id node = 0; node < NODES; node++) {
        int64_t most, pods;
        assert_int_equal(
            berth_engine_node_resource(own.engine, node, text("pods"), &most, &pods, NULL),
            BERTH_OK);
        assert_true(pods <= 3);
    }
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    berth_engine_destroy(own.engine);
}

static void test_explained(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PATH_AUTO, 1);
    berth_explanation *why;
    assert_int_equal(berth_explanation_create(NULL, &why, NULL), BERTH_OK);
    berth_decide_options options = {.size = sizeof(options), .explanation = why};
    berth_placement placement;
    berth_pod_id pod = add_pod(&own, "40", 100);
    assert_int_equal(berth_engine_decide(own.engine, pod, &options, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    bool seen = false;
    for (uint32_t i = 0; i < berth_explanation_refusal_count(why); i++) {
        berth_refusal refusal = berth_explanation_refusal(why, i);
        berth_str reason = berth_explanation_reason(why, i, 0);
        const char *expected = node_price_of(&own, refusal.node) > 100
                                   ? "node(s) were a luxury"
                                   : "node(s) were too expensive";
        assert_true(refusal.code == BERTH_CODE_UNRESOLVABLE);
        assert_text(reason, expected);
        seen = true;
    }
    assert_true(seen);
    uint32_t scores = berth_explanation_score_count(why);
    assert_true(scores >= 2);
    berth_str last = berth_explanation_score_plugin(why, scores - 1);
    assert_text(last, "PodCap");
    assert_int_equal(berth_explanation_score(why, scores - 1, 0), 200); /* empty, weight 2 */

    pod = add_pod(&own, "0", 100);
    assert_int_equal(berth_engine_decide(own.engine, pod, &options, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_str refusal = berth_explanation_pre_filter(why);
    assert_int_equal(refusal.len, strlen("nothing is free"));
    berth_explanation_destroy(why);
    berth_engine_destroy(own.engine);
}

/* The same stream, with pods that leave, on every path and number of threads. */
static uint64_t stream(berth_path path, uint32_t threads)
{
    fixture own;
    start(&own, path, threads);
    berth_pod_id pods[600];
    static const char *const prices[] = {NULL, "20", "150", "60"};
    for (uint32_t i = 0; i < 600; i++) {
        berth_placement placement;
        pods[i] = add_pod(&own, prices[i % 4], (int32_t)(i % 5 + 1) * 100);
        assert_int_equal(berth_engine_schedule(own.engine, pods[i], &placement, NULL), BERTH_OK);
        if (i % 3 == 2 && berth_engine_pod_node(own.engine, pods[i - 2]) != BERTH_NODE_NONE)
            assert_int_equal(berth_engine_unbind(own.engine, pods[i - 2], NULL), BERTH_OK);
    }
    uint64_t digest = berth_engine_digest(own.engine);
    berth_engine_destroy(own.engine);
    return digest;
}

static void test_paths_agree(void **state)
{
    (void)state;
    uint64_t expected = stream(BERTH_PATH_SCAN, 1);
    assert_true(stream(BERTH_PATH_INDEX, 1) == expected);
    assert_true(stream(BERTH_PATH_AUTO, 2) == expected);
    assert_true(stream(BERTH_PATH_SCAN, 4) == expected);
}

static void test_reserve(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PATH_AUTO, 1);
    berth_pod_id pod = add_pod(&own, NULL, 100);
    assert_int_equal(berth_engine_bind(own.engine, pod, 5, NULL), BERTH_OK);
    assert_int_equal(own.cap.reserves, 1);
    assert_true(own.cap.last_pod == pod && own.cap.last_node == 5);
    assert_int_equal(berth_engine_unbind(own.engine, pod, NULL), BERTH_OK);
    assert_int_equal(own.cap.unreserves, 1);
    own.cap.answer = BERTH_E_CONFLICT;
    assert_int_equal(berth_engine_bind(own.engine, pod, 6, NULL), BERTH_E_CONFLICT);
    assert_true(berth_engine_pod_node(own.engine, pod) == BERTH_NODE_NONE);
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    berth_engine_destroy(own.engine);
}

/* Filters and scores work on a branch; reservations belong to the engine, and can refuse at the
 * commit. */
static void test_branch(void **state)
{
    (void)state;
    fixture own;
    berth_placement placement, same;
    berth_engine *branch;
    berth_conflict conflict;
    uint32_t count = 0;
    start(&own, BERTH_PATH_AUTO, 1);
    berth_pod_id pod = add_pod(&own, NULL, 100);
    assert_int_equal(berth_engine_publish(own.engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(own.engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    assert_int_equal(berth_engine_schedule(branch, pod, &placement, NULL), BERTH_OK);
    assert_int_equal(berth_engine_decide(own.engine, pod, NULL, &same, NULL), BERTH_OK);
    assert_true(placement.verdict == BERTH_VERDICT_PLACED && placement.node == same.node &&
                placement.total == same.total);
    assert_int_equal(own.cap.reserves, 0);
    own.cap.answer = BERTH_E_CONFLICT;
    assert_int_equal(berth_branch_commit(branch, &conflict, 1, &count, NULL), BERTH_OK);
    assert_int_equal(count, 1);
    assert_true(conflict.kind == BERTH_CONFLICT_REFUSED && conflict.pod == pod &&
                conflict.node == placement.node);
    assert_true(berth_engine_pod_node(own.engine, pod) == BERTH_NODE_NONE);
    own.cap.answer = BERTH_OK;
    assert_int_equal(berth_branch_commit(branch, &conflict, 1, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    assert_true(berth_engine_pod_node(own.engine, pod) == placement.node);
    assert_int_equal(own.cap.reserves, 2);
    assert_int_equal(own.cap.unreserves, 0);
    assert_int_equal(berth_engine_unbind(branch, pod, NULL), BERTH_OK);
    assert_int_equal(own.cap.unreserves, 0);
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    berth_engine_destroy(own.engine);
}

/* A commit whose third placement is refused: the reservations of the first two are undone, and the
 * pod that was unbound is reserved on its node again. */
static void test_refused_commit(void **state)
{
    (void)state;
    fixture own;
    berth_engine *branch;
    berth_conflict conflict = {.pod = BERTH_POD_NONE};
    uint32_t count = 0;
    start(&own, BERTH_PATH_AUTO, 1);
    berth_pod_id moved = add_pod(&own, NULL, 100), first = add_pod(&own, NULL, 100),
                 last = add_pod(&own, NULL, 100);
    assert_int_equal(berth_engine_bind(own.engine, moved, 5, NULL), BERTH_OK);
    assert_int_equal(berth_engine_publish(own.engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(own.engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    assert_int_equal(berth_engine_bind(branch, first, 6, NULL), BERTH_OK);
    assert_int_equal(berth_engine_unbind(branch, moved, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(branch, moved, 7, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(branch, last, 8, NULL), BERTH_OK);
    uint64_t digest = berth_engine_digest(own.engine);
    assert_true(own.cap.held == holding(moved, 5));
    own.cap.refused = last;
    assert_int_equal(berth_branch_commit(branch, &conflict, 1, &count, NULL), BERTH_OK);
    assert_int_equal(count, 1);
    assert_true(conflict.kind == BERTH_CONFLICT_REFUSED && conflict.pod == last &&
                conflict.node == 8);
    assert_true(own.cap.held == holding(moved, 5));
    assert_int_equal(own.cap.unreserves, 3); /* moved from 5, then from 7 and first from 6 */
    assert_true(berth_engine_digest(own.engine) == digest);
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    own.cap.refused = BERTH_POD_NONE;
    assert_int_equal(berth_branch_commit(branch, &conflict, 1, &count, NULL), BERTH_OK);
    assert_int_equal(count, 0);
    assert_true(own.cap.held == holding(moved, 7) + holding(first, 6) + holding(last, 8));
    berth_branch_drop(branch);
    berth_engine_destroy(own.engine);
}

static void test_rolled_back(void **state)
{
    (void)state;
    fixture own;
    start(&own, BERTH_PATH_AUTO, 1);
    berth_pod_id first = add_pod(&own, NULL, 100), second = add_pod(&own, NULL, 100);
    assert_int_equal(berth_engine_bind(own.engine, first, 5, NULL), BERTH_OK);
    assert_int_equal(berth_engine_begin(own.engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(own.engine, second, 6, NULL), BERTH_OK);
    assert_int_equal(berth_engine_unbind(own.engine, first, NULL), BERTH_OK);
    assert_int_equal(own.cap.reserves, 2);
    assert_int_equal(own.cap.unreserves, 1);
    own.cap.answer = BERTH_E_CONFLICT;
    assert_int_equal(berth_engine_bind(own.engine, first, 7, NULL), BERTH_E_CONFLICT);
    assert_true(berth_engine_pod_node(own.engine, first) == BERTH_NODE_NONE);
    assert_int_equal(own.cap.unreserves, 1); /* it had not reserved */
    assert_int_equal(berth_engine_rollback(own.engine, NULL), BERTH_OK);
    assert_int_equal(own.cap.reserves, 4);
    assert_int_equal(own.cap.unreserves, 2);
    assert_true(own.cap.last_pod == second && own.cap.last_node == 6);
    assert_true(berth_engine_pod_node(own.engine, first) == 5);
    assert_true(berth_engine_pod_node(own.engine, second) == BERTH_NODE_NONE);
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    berth_engine_destroy(own.engine);
}

/* ---- every pod that comes or leaves ---- */

static berth_status put_running(fixture *own, bool update, const char *node, int32_t milli)
{
    small_pod pod;
    berth_object object;
    small_pod_object(&pod, &object, "running", node, milli);
    return update ? berth_engine_update(own->engine, &object, NULL)
                  : berth_engine_add(own->engine, &object, NULL, NULL);
}

static void expect_calls(fixture *own, uint32_t reserves, uint32_t unreserves, uint64_t held)
{
    assert_int_equal(own->cap.reserves, reserves);
    assert_int_equal(own->cap.unreserves, unreserves);
    assert_true(own->cap.held == held);
}

/* A pod is added as running, changes, moves, loses its node, gets it back and is removed: events
 * that have happened cannot be refused. */
static void test_hears_of_all(void **state)
{
    (void)state;
    fixture own;
    berth_str none = {0};
    start(&own, BERTH_PATH_AUTO, 1);
    own.cap.obeys = true;
    own.cap.answer = BERTH_E_CONFLICT;
    assert_int_equal(put_running(&own, false, "node-5", 100), BERTH_OK);
    berth_pod_id pod = berth_engine_find_pod(own.engine, none, text("running"));
    berth_node_id other = berth_engine_find_node(own.engine, text("node-6"));
    expect_calls(&own, 1, 0, holding(pod, 5) + 100);
    assert_int_equal(put_running(&own, true, "node-5", 100), BERTH_OK); /* no change */
    expect_calls(&own, 1, 0, holding(pod, 5) + 100);
    assert_int_equal(put_running(&own, true, "node-5", 300), BERTH_OK);
    expect_calls(&own, 2, 1, holding(pod, 5) + 300);
    assert_int_equal(put_running(&own, true, "node-6", 300), BERTH_OK);
    expect_calls(&own, 3, 2, holding(pod, other) + 300);
    assert_int_equal(berth_engine_remove(own.engine, BERTH_KIND_NODE, none, text("node-6"), NULL),
                     BERTH_OK);
    expect_calls(&own, 3, 3, 0);
    assert_int_equal(berth_engine_unbind(own.engine, pod, NULL), BERTH_OK); /* an orphan */
    expect_calls(&own, 3, 3, 0);
    assert_int_equal(put_running(&own, true, "node-6", 300), BERTH_OK);
    expect_calls(&own, 3, 3, 0);
    add_node(&own, 6);
    expect_calls(&own, 4, 3, holding(pod, other) + 300);
    assert_int_equal(berth_engine_remove(own.engine, BERTH_KIND_POD, none, text("running"), NULL),
                     BERTH_OK);
    expect_calls(&own, 4, 4, 0);
    berth_engine_destroy(own.engine);
    expect_calls(&own, 4, 4, 0);
}

/* The pods of a second profile without the plugin count, too, and cannot be refused. */
static void test_hears_of_other_profiles(void **state)
{
    (void)state;
    fixture own;
    configure(&own, BERTH_PATH_AUTO, 1);
    berth_profile profiles[2] = {own.profile, *berth_profile_default()};
    profiles[1].scheduler_name = text("other");
    own.config.profiles = profiles;
    own.config.profile_count = 2;
    assert_int_equal(berth_engine_create(&own.config, &own.engine, NULL), BERTH_OK);
    add_node(&own, 0);
    own.cap.obeys = true;
    own.cap.answer = BERTH_E_CONFLICT;
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    small_pod_object(&pod, &object, "served", NULL, 100);
    pod.pod.scheduler_name = text("other");
    assert_int_equal(berth_engine_add_pod(own.engine, &pod.pod, &id, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(own.engine, id, 0, NULL), BERTH_OK);
    expect_calls(&own, 1, 0, holding(id, 0) + 100);
    assert_int_equal(berth_engine_unbind(own.engine, id, NULL), BERTH_OK);
    expect_calls(&own, 1, 1, 0);
    berth_engine_destroy(own.engine);
}

/* ---- a resource without a column when the plugin looks for it ---- */

static berth_prepared licence_prepare(berth_preparation *preparation)
{
    *(uint32_t *)preparation->state =
        berth_cycle_column(preparation->cycle, text("example.com/licence"));
    return BERTH_PREPARED_ACTIVE;
}

static void licence_filter(const berth_cycle *cycle, const void *instance, const void *state,
                           berth_slice *slice)
{
    uint32_t column = *(const uint32_t *)state;
    (void)instance;
    for (uint32_t i = 0; i < slice->count && column != BERTH_COLUMN_NONE; i++)
        if (is_asked(slice, i) && berth_cycle_requested(cycle, slice->index, column)[i] > 0)
            refuse(slice, i);
}

/* Leaves a column that has lost its name. */
static void leave_column(berth_engine *engine)
{
    small_pod pod;
    berth_object object;
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    small_pod_object(&pod, &object, "gone", NULL, 100);
    pod.requests[1] = (berth_resource){text("example.com/gone"), {1, 0}};
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
}

/* Only a pod names the resource, so no node changes; nevertheless the plugin is prepared again,
 * even if the column existed before. */
static void expect_new_column(berth_path path, bool was_there)
{
    fixture own;
    small_pod pod;
    berth_object object;
    berth_pod_id taker;
    berth_placement placement;
    configure(&own, path, 1);
    own.tables[0].flags = BERTH_PLUGIN_NODE_LOCAL;
    own.tables[0].filter_state_bytes = sizeof(uint32_t);
    own.tables[0].prepare_filter = licence_prepare;
    own.tables[0].filter = licence_filter;
    own.tables[0].reason = NULL;
    assert_int_equal(berth_engine_create(&own.config, &own.engine, NULL), BERTH_OK);
    add_node(&own, 0);
    berth_pod_id asks = add_pod(&own, NULL, 100);
    if (was_there)
        leave_column(own.engine);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(berth_engine_decide(own.engine, asks, NULL, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    }
    small_pod_object(&pod, &object, "taker", NULL, 100);
    pod.requests[1] = (berth_resource){text("example.com/licence"), {1, 0}};
    assert_int_equal(berth_engine_add_pod(own.engine, &pod.pod, &taker, NULL), BERTH_OK);
    assert_int_equal(berth_engine_bind(own.engine, taker, 0, NULL), BERTH_OK);
    assert_int_equal(berth_engine_decide(own.engine, asks, NULL, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_engine_destroy(own.engine);
}

static void test_new_column(void **state)
{
    (void)state;
    for (int was_there = 0; was_there < 2; was_there++) {
        expect_new_column(BERTH_PATH_SCAN, was_there != 0);
        expect_new_column(BERTH_PATH_INDEX, was_there != 0);
    }
}

/* ---- values that are kept ---- */

static uint32_t times_scored;

static void counted_score(const berth_cycle *cycle, const void *instance, const void *state,
                          const berth_slice *slice, int64_t *values)
{
    times_scored++;
    price_score(cycle, instance, state, slice, values);
}

/* What depends on nodes alone is kept once a kind of pods has been decided a few times. */
static void test_static_values_are_kept(void **state)
{
    (void)state;
    fixture own;
    berth_placement placement;
    configure(&own, BERTH_PATH_SCAN, 1);
    own.tables[0].score = counted_score;
    assert_int_equal(berth_engine_create(&own.config, &own.engine, NULL), BERTH_OK);
    add_node(&own, 0);
    add_node(&own, 1);
    const berth_pod_id pod = add_pod(&own, NULL, 100);
    times_scored = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(berth_engine_decide(own.engine, pod, NULL, &placement, NULL), BERTH_OK);
    const uint32_t before = times_scored;
    assert_true(before > 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(berth_engine_decide(own.engine, pod, NULL, &placement, NULL), BERTH_OK);
    assert_int_equal(times_scored, before);
    berth_engine_destroy(own.engine);
}

/* ---- extreme weights ---- */

static void favourite_score(const berth_cycle *cycle, const void *instance, const void *state,
                            const berth_slice *slice, int64_t *values)
{
    (void)cycle;
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++)
        values[i] = slice->nodes[i] == 7 ? 100 : 0;
}

/* Node 7 is the best for so many plugins of such weights that its total passes INT32_MAX. */
static void place_by_extreme_weights(berth_path path)
{
    enum { PLUGINS = 24 };
    static char names[PLUGINS][16];
    fixture own;
    berth_plugin tables[PLUGINS];
    const berth_plugin *plugins[PLUGINS];
    berth_plugin_ref refs[PLUGINS];
    berth_placement placement;
    configure(&own, path, 1);
    for (int i = 0; i < PLUGINS; i++) {
        snprintf(names[i], sizeof(names[i]), "Favourite%d", i);
        tables[i] = (berth_plugin){.size = sizeof(tables[i]),
                                   .flags = BERTH_PLUGIN_STATIC,
                                   .name = names[i],
                                   .score = favourite_score};
        plugins[i] = &tables[i];
        refs[i] = (berth_plugin_ref){.name = text(names[i]), .weight = 1 << 20};
    }
    own.points.lists[BERTH_POINT_FILTER].count -= 2; /* without NodePrice and PodCap */
    own.points.lists[BERTH_POINT_SCORE] = (berth_plugin_list){refs, PLUGINS};
    own.config.plugins = plugins;
    own.config.plugin_count = PLUGINS;
    own.profile.percentage_of_nodes_to_score = 100;
    assert_int_equal(berth_engine_create(&own.config, &own.engine, NULL), BERTH_OK);
    for (uint32_t i = 0; i < NODES; i++)
        add_node(&own, i);
    for (int i = 0; i < 5; i++) {
        const berth_pod_id pod = add_pod(&own, NULL, 100);
        assert_int_equal(berth_engine_schedule(own.engine, pod, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.node, 7);
    }
    berth_engine_destroy(own.engine);
}

static void test_extreme_weights(void **state)
{
    (void)state;
    place_by_extreme_weights(BERTH_PATH_SCAN);
    place_by_extreme_weights(BERTH_PATH_INDEX);
}

/* ---- arguments ---- */

static void test_arguments(void **state)
{
    (void)state;
    fixture own;
    configure(&own, BERTH_PATH_AUTO, 1);
    own.args.raw_json = text("{\"most\":1}");
    assert_int_equal(berth_engine_create(&own.config, &own.engine, NULL), BERTH_OK);
    add_node(&own, 0);
    berth_placement placement;
    berth_pod_id first = add_pod(&own, NULL, 100), second = add_pod(&own, NULL, 100);
    assert_int_equal(berth_engine_schedule(own.engine, first, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(berth_engine_schedule(own.engine, second, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    berth_engine_destroy(own.engine);

    own.args.raw_json = text("[]");
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_engine_create(&own.config, &own.engine, &error), BERTH_E_INVALID);
    assert_string_equal(error.object, "plugin PodCap");
}

static void refused_table(void (*break_it)(fixture *), berth_status status, const char *field)
{
    fixture own;
    berth_error error = {.code = BERTH_OK};
    configure(&own, BERTH_PATH_AUTO, 1);
    break_it(&own);
    assert_int_equal(berth_engine_create(&own.config, &own.engine, &error), status);
    assert_string_equal(error.field, field);
    assert_true(error.message[0] != '\0');
}

static void break_size(fixture *own)
{
    own->tables[0].size = 8;
}
static void break_pointer(fixture *own)
{
    own->plugins[1] = NULL;
}
static void break_name(fixture *own)
{
    own->tables[1].name = "";
}
static void break_phases(fixture *own)
{
    own->tables[0].filter = NULL;
    own->tables[0].score = NULL;
}
static void break_flags(fixture *own)
{
    own->tables[0].flags = 1 << 9;
}
static void break_each(fixture *own)
{
    own->tables[0].flags |= BERTH_PLUGIN_EACH;
}
static void break_pair(fixture *own)
{
    own->tables[1].unreserve = NULL;
}
static void break_reserve(fixture *own)
{
    own->tables[1].filter = NULL;
}
static void break_wake(fixture *own)
{
    own->tables[0].wake_on = 1 << 8;
}
static void wake_score(fixture *own)
{
    own->tables[1].wake_on = BERTH_WAKE_NODE_ADD;
    own->tables[1].reserve = NULL;
    own->tables[1].unreserve = NULL;
    own->tables[1].filter = NULL;
}
static void take_registered(fixture *own)
{
    own->tables[0].name = "NodeName";
}
static void take_twice(fixture *own)
{
    own->tables[1].name = "NodePrice";
}
static void break_count(fixture *own)
{
    own->config.plugins = NULL;
}
static void leave_out(fixture *own)
{
    own->config.plugin_count = 1;
}
static void drop_filter(fixture *own)
{
    own->tables[0].filter = NULL;
}

static void test_refused_tables(void **state)
{
    (void)state;
    refused_table(break_size, BERTH_E_ARG, "plugins[0]");
    refused_table(break_pointer, BERTH_E_ARG, "plugins[1]");
    refused_table(break_name, BERTH_E_ARG, "plugins[1].");
    refused_table(break_phases, BERTH_E_ARG, "plugins[0].NodePrice");
    refused_table(break_flags, BERTH_E_ARG, "plugins[0].NodePrice");
    refused_table(break_each, BERTH_E_ARG, "plugins[0].NodePrice");
    refused_table(break_pair, BERTH_E_ARG, "plugins[1].PodCap");
    refused_table(break_reserve, BERTH_E_ARG, "plugins[1].PodCap");
    refused_table(break_wake, BERTH_E_ARG, "plugins[0].NodePrice");
    refused_table(wake_score, BERTH_E_ARG, "plugins[1].PodCap");
    refused_table(take_registered, BERTH_E_EXISTS, "plugins[0].NodeName");
    refused_table(take_twice, BERTH_E_EXISTS, "plugins[1].NodePrice");
    refused_table(break_count, BERTH_E_ARG, "");
    refused_table(leave_out, BERTH_E_UNSUPPORTED, "plugins.filter.PodCap");
    refused_table(drop_filter, BERTH_E_UNSUPPORTED, "plugins.filter.NodePrice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_count),   cmocka_unit_test(test_explained),
        cmocka_unit_test(test_paths_agree),     cmocka_unit_test(test_reserve),
        cmocka_unit_test(test_branch),          cmocka_unit_test(test_refused_commit),
        cmocka_unit_test(test_new_column),      cmocka_unit_test(test_rolled_back),
        cmocka_unit_test(test_extreme_weights), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_refused_tables),  cmocka_unit_test(test_static_values_are_kept),
        cmocka_unit_test(test_hears_of_all),    cmocka_unit_test(test_hears_of_other_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
