/* Misuse of the library: it returns an error, or, if a call is documented so, stops the program
 * with a message; it never causes a memory fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pthread.h>
#include <sched.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "last_words.h"
#include "profile_points.h"
#include "small_cluster.h"

static berth_engine *open_engine(uint32_t nodes)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(small_add_nodes(engine, nodes), BERTH_OK);
    return engine;
}

static berth_pod_id add_pod(berth_engine *engine, const char *name, const char *node)
{
    small_pod pod;
    berth_object object;
    berth_pod_id id;
    small_pod_object(&pod, &object, name, node, 100);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    return id;
}

/* ---- misuse that stops the program ---- */

static void destroy_pinned(int words)
{
    last_words_by(words, last_words_tell);
    berth_engine *engine = open_engine(3), *branch;
    (void)berth_engine_publish(engine, NULL);
    berth_snapshot *first = berth_engine_pin(engine);
    (void)berth_branch_create(first, &branch, NULL);
    (void)berth_engine_publish(engine, NULL);
    (void)berth_engine_pin(engine);
    berth_engine_destroy(engine);
}

static void destroy_pinned_once(int words)
{
    last_words_by(words, last_words_tell);
    berth_engine *engine = open_engine(3);
    (void)berth_engine_publish(engine, NULL);
    (void)berth_engine_pin(engine);
    berth_engine_destroy(engine);
}

/* The branch has a pin of its own, which keeps the snapshot alive. */
static void unpin_twice(int words)
{
    last_words_by(words, last_words_tell);
    berth_engine *engine = open_engine(3), *branch;
    (void)berth_engine_publish(engine, NULL);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    (void)berth_branch_create(snapshot, &branch, NULL);
    berth_snapshot_unpin(berth_snapshot_pin(snapshot));
    berth_snapshot_unpin(snapshot);
    berth_snapshot_unpin(snapshot);
}

static void unpin_current(int words)
{
    last_words_by(words, last_words_tell);
    berth_engine *engine = open_engine(3);
    (void)berth_engine_publish(engine, NULL);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    berth_snapshot_unpin(snapshot);
    berth_snapshot_unpin(snapshot);
}

static void destroy_scheduled(int words)
{
    last_words_by(words, last_words_tell);
    berth_engine *engine = open_engine(3);
    berth_scheduler *scheduler;
    (void)berth_scheduler_create(engine, NULL, &scheduler, NULL);
    berth_engine_destroy(engine);
}

static void test_destroyed_in_use(void **state)
{
    (void)state;
    assert_last_words(destroy_pinned,
                      "an engine was destroyed while 3 pins of its snapshots, by readers "
                      "and branches, have not been given back");
    assert_last_words(destroy_pinned_once,
                      "an engine was destroyed while 1 pin of its snapshots, by readers "
                      "and branches, has not been given back");
    assert_last_words(destroy_scheduled, "an engine was destroyed before its scheduler");
}

static void test_unpinned_too_often(void **state)
{
    (void)state;
    assert_last_words(unpin_twice, "a snapshot was unpinned more often than it was pinned");
    assert_last_words(unpin_current, "a snapshot was unpinned more often than it was pinned");
}

/* ---- a callback that calls back ---- */

typedef struct caller {
    berth_engine *engine;
    berth_pod_id pod;
    uint32_t refused, other; /* results: BERTH_E_STATE, or not */
} caller;

static void count(caller *own, berth_status status, const berth_error *error)
{
    bool right = status == BERTH_E_STATE && strstr(error->message, "in use") != NULL;
    *(right ? &own->refused : &own->other) += 1;
}

/* All calls that decide or change something. */
static void call_back(caller *own)
{
    berth_engine *engine = own->engine;
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    berth_object_id id;
    berth_pod_id pod;
    uint32_t fits;
    berth_fit fit = {.size = sizeof(fit)};
    small_pod source;
    small_node grown;
    berth_object object;
    small_node_object(&grown, &object, "grown", NULL);
    const berth_node_template from = {.size = sizeof(from), .node = &grown.node};
    small_pod_object(&source, &object, "another", NULL, 100);
    count(own, berth_engine_add(engine, &object, &id, &error), &error);
    count(own, berth_engine_update(engine, &object, &error), &error);
    count(own, berth_engine_remove(engine, BERTH_KIND_NODE, text(""), text("node-1"), &error),
          &error);
    count(own, berth_engine_add_like(engine, own->pod, text("like"), &pod, &error), &error);
    count(own, berth_engine_decide(engine, own->pod, NULL, &placement, &error), &error);
    count(own, berth_engine_schedule(engine, own->pod, &placement, &error), &error);
    count(own, berth_engine_bind(engine, own->pod, 1, &error), &error);
    count(own, berth_engine_unbind(engine, own->pod, &error), &error);
    count(own, berth_engine_nominate(engine, own->pod, 1, &error), &error);
    count(own, berth_engine_cordon_node(engine, 1, true, &error), &error);
    count(own, berth_engine_close_node(engine, 1, true, &error), &error);
    count(own, berth_engine_begin(engine, &error), &error);
    count(own, berth_engine_commit(engine, &error), &error);
    count(own, berth_engine_rollback(engine, &error), &error);
    count(own, berth_engine_fit_count(engine, own->pod, 3, &fits, NULL, NULL, &error), &error);
    count(own, berth_engine_schedule_group(engine, &own->pod, 1, NULL, &fits, &error), &error);
    count(own, berth_engine_schedule_pods(engine, &own->pod, 1, NULL, NULL, &fits, &error), &error);
    count(own, berth_engine_fits(engine, own->pod, 1, 0, &fit, &error), &error);
    count(own, berth_engine_feasible_nodes(engine, own->pod, NULL, NULL, 0, &fits, &error), &error);
    count(own, berth_engine_add_nodes(engine, &from, 1, NULL, &error), &error);
    count(own, berth_engine_node_order(engine, NULL, 0, NULL, &error), &error);
    count(own, berth_engine_publish(engine, &error), &error);
}

enum { CALLS = 22 };

static void filter(const berth_cycle *cycle, const void *instance, const void *state,
                   berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)slice;
}

static berth_status reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                            berth_node_id node)
{
    (void)cycle;
    (void)pod;
    (void)node;
    call_back(context);
    return BERTH_OK;
}

static void unreserve(void *context, const berth_cycle *cycle, berth_pod_id pod, berth_node_id node)
{
    (void)cycle;
    (void)pod;
    (void)node;
    call_back(context);
}

/* A profile with one filter. */
static void open_with_plugin(caller *own)
{
    static berth_plugin_ref ref;
    berth_plugin table = {.size = sizeof(table),
                          .name = "Caller",
                          .context = own,
                          .filter = filter,
                          .reserve = reserve,
                          .unreserve = unreserve};
    const berth_plugin *plugins[] = {&table};
    berth_profile profile = *berth_profile_default();
    profile_points points;
    berth_engine_config config;
    own_points(&profile, &points);
    ref = (berth_plugin_ref){.name = text("Caller")};
    points.lists[BERTH_POINT_FILTER] = (berth_plugin_list){&ref, 1};
    berth_engine_config_init(&config);
    config.threads = 1;
    config.profiles = &profile;
    config.profile_count = 1;
    config.plugins = plugins;
    config.plugin_count = 1;
    assert_int_equal(berth_engine_create(&config, &own->engine, NULL), BERTH_OK);
}

static void test_plugin_calls_back(void **state)
{
    (void)state;
    caller own = {.pod = BERTH_POD_NONE};
    open_with_plugin(&own);
    assert_int_equal(small_add_nodes(own.engine, 3), BERTH_OK);
    own.pod = add_pod(own.engine, "pod", NULL);
    assert_int_equal(berth_engine_bind(own.engine, own.pod, 0, NULL), BERTH_OK);
    assert_int_equal(own.refused, CALLS);
    (void)add_pod(own.engine, "running", "node-2");
    assert_int_equal(own.refused, 2 * CALLS);
    assert_int_equal(berth_engine_unbind(own.engine, own.pod, NULL), BERTH_OK);
    assert_int_equal(own.refused, 3 * CALLS);
    assert_int_equal(berth_engine_begin(own.engine, NULL), BERTH_OK);
    assert_int_equal(
        berth_engine_remove(own.engine, BERTH_KIND_NODE, text(""), text("node-2"), NULL), BERTH_OK);
    assert_int_equal(berth_engine_rollback(own.engine, NULL), BERTH_OK);
    assert_int_equal(own.refused, 5 * CALLS);
    assert_int_equal(own.other, 0);
    assert_int_equal(berth_engine_check(own.engine, NULL), BERTH_OK);
    berth_engine_destroy(own.engine);
}

/* ---- two threads ---- */

typedef struct hand {
    berth_engine *engine;
    berth_pod_id pod;
    uint32_t done, refused, other;
} hand;

/* Repeats until that many calls were accepted; refused calls are tried again. */
static void *use(void *argument)
{
    hand *own = argument;
    while (own->done < 2000 && own->other == 0) {
        berth_placement placement;
        berth_status status = berth_engine_schedule(own->engine, own->pod, &placement, NULL);
        while (status == BERTH_OK) {
            status = berth_engine_unbind(own->engine, own->pod, NULL);
            if (status == BERTH_OK)
                break;
            own->other += status != BERTH_E_STATE;
            own->refused++;
            sched_yield();
            status = own->other > 0 ? status : BERTH_OK;
        }
        *(status == BERTH_OK ? &own->done
                             : (status == BERTH_E_STATE ? &own->refused : &own->other)) += 1;
        if (status != BERTH_OK)
            sched_yield();
    }
    return NULL;
}

/* Whatever two threads do to one engine at once, every call is completed or refused. */
static void test_two_threads(void **state)
{
    (void)state;
    berth_engine *engine = open_engine(300);
    pthread_t threads[2];
    hand hands[2];
    for (int i = 0; i < 2; i++) {
        hands[i] = (hand){.engine = engine, .pod = add_pod(engine, i == 0 ? "a" : "b", NULL)};
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use, &hands[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(hands[i].done, 2000);
        assert_int_equal(hands[i].other, 0);
    }
    assert_int_equal(berth_engine_check(engine, NULL), BERTH_OK);
    berth_engine_destroy(engine);
}

/* ---- invalid handles ---- */

static void test_no_engine(void **state)
{
    (void)state;
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth_engine_begin(NULL, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "the engine is NULL");
    assert_int_equal(berth_engine_publish(NULL, NULL), BERTH_E_ARG);
    assert_int_equal(berth_engine_unbind(NULL, 0, NULL), BERTH_E_ARG);
}

/* Calls that only read answer as if nothing were there. */
static void test_nothing_to_read(void **state)
{
    (void)state;
    berth_counts counts;
    berth_str space, name;
    int64_t amount, other;
    bool forbidden;
    assert_null(berth_engine_node_name(NULL, 0).data);
    berth_engine_pod_name(NULL, 0, &space, &name);
    assert_true(space.data == NULL && name.data == NULL);
    assert_int_equal(berth_engine_find_node(NULL, text("n")), BERTH_NODE_NONE);
    assert_true(berth_engine_find_pod(NULL, text("s"), text("p")) == BERTH_POD_NONE);
    assert_int_equal(berth_engine_pod_node(NULL, 0), BERTH_NODE_NONE);
    assert_int_equal(berth_engine_node_pods(NULL, 0, NULL, 0), 0);
    berth_engine_counts(NULL, &counts);
    assert_int_equal(counts.nodes + counts.pods_running, 0);
    assert_int_equal(berth_engine_node_resource(NULL, 0, text("cpu"), &amount, &other, NULL),
                     BERTH_E_ARG);
    assert_int_equal(amount + other, 0);
    assert_int_equal(berth_engine_forbidden(NULL, NULL, 0, &forbidden), 0);
    assert_int_equal(berth_engine_depth(NULL) + berth_engine_rotation(NULL), 0);
    assert_int_equal(berth_engine_pending(NULL, NULL, 0, NULL, NULL), BERTH_E_ARG);
    assert_int_equal(berth_engine_check(NULL, NULL), BERTH_E_ARG);
    assert_true(berth_engine_digest(NULL) == 0);
    assert_int_equal(berth_engine_node_limit(NULL), 0);
    assert_int_equal(berth_engine_refusal_kinds(NULL), 0);
    assert_true(berth_engine_refusals(NULL, 0, &space, &name, NULL) == 0);
    assert_null(berth_engine_pin(NULL));
    assert_null(berth_snapshot_node_name(NULL, 0).data);
    berth_snapshot_counts(NULL, &counts);
    assert_int_equal(counts.nodes, 0);
    assert_true(berth_snapshot_number(NULL) == 0);
    assert_int_equal(berth_snapshot_check(NULL, NULL), BERTH_E_ARG);
    berth_engine_trim(NULL);
}

/* No place for an output, no snapshot, no array. */
static void test_null_arguments(void **state)
{
    (void)state;
    berth_engine *engine = open_engine(3), *branch = engine;
    berth_error error = {.code = BERTH_OK};
    berth_pod_id pod = add_pod(engine, "pod", NULL);
    assert_int_equal(berth_branch_create(NULL, &branch, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "the snapshot is NULL");
    assert_null(branch);
    assert_int_equal(berth_engine_fit_count(engine, pod, 1, NULL, NULL, NULL, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "`count` is NULL");
    assert_int_equal(berth_engine_decide(engine, pod, NULL, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_schedule(engine, pod, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_schedule_group(engine, &pod, 1, NULL, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_engine_schedule_pods(engine, &pod, 1, NULL, NULL, NULL, &error),
                     BERTH_E_ARG);
    assert_int_equal(berth_engine_create(NULL, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_branch_commit(engine, NULL, 0, NULL, &error), BERTH_E_ARG);
    const berth_pod empty = {.meta.name = text("empty"), .container_count = 1};
    assert_int_equal(berth_engine_add_pod(engine, &empty, NULL, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "container_count is not 0, and containers is NULL");
    assert_string_equal(error.field, "containers");
    const berth_pod starting = {.meta.name = text("starting"), .init_container_count = 1};
    assert_int_equal(berth_engine_add_pod(engine, &starting, NULL, &error), BERTH_E_ARG);
    const berth_node node = {.meta = {.name = text("labelled"), .labels = {NULL, 2}}};
    assert_int_equal(berth_engine_add_node(engine, &node, NULL, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "labels.count is not 0, and labels.entries is NULL");
    berth_engine_destroy(engine);
}

static void test_unknown_flags(void **state)
{
    (void)state;
    berth_engine *engine = open_engine(3);
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    berth_pod_id pod = add_pod(engine, "pod", NULL);
    const berth_decide_options options = {.size = sizeof(options), .flags = 0x80};
    assert_int_equal(berth_engine_decide(engine, pod, &options, &placement, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "there are no flags 0x80");
    berth_engine_destroy(engine);
}

/* The engine keeps it for the next branch, so its memory still exists. */
static void test_dropped_branch(void **state)
{
    (void)state;
    berth_engine *engine = open_engine(3), *branch;
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    berth_pod_id pod = add_pod(engine, "pod", NULL);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    assert_int_equal(berth_engine_schedule(branch, pod, &placement, NULL), BERTH_OK);
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_schedule(branch, pod, &placement, &error), BERTH_E_STATE);
    assert_string_equal(error.message, "the engine has been closed");
    uint32_t conflicts;
    assert_int_equal(berth_branch_commit(branch, NULL, 0, &conflicts, NULL), BERTH_E_STATE);
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destroyed_in_use), cmocka_unit_test(test_plugin_calls_back),
        cmocka_unit_test(test_two_threads),      cmocka_unit_test(test_no_engine),
        cmocka_unit_test(test_dropped_branch),   cmocka_unit_test(test_unpinned_too_often),
        cmocka_unit_test(test_nothing_to_read),  cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_unknown_flags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
