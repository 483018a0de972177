/* The deciding thread without a network: changes in, orders out, room, pauses, the dry run. The
 * linker redirects the thread's clock, its creation and its decisions here (CMakeLists.txt). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kept_stderr.h"
#include "live/log/log.h"
#include "live/run/deciding.h"
#include "live/transport/event_loop.h"

#define SECOND INT64_C(1000000000)

typedef struct world {
    engine_setup setup;
    deciding d;
    berth_reader *reader;
    message_kind how;
    _Atomic int ordered;
} world;

static world w;
static metrics *measured; /* NULL: no metrics */

static _Atomic int64_t ticks_ns; /* a millisecond later at each look; 0: the clock runs */
static int64_t alive_ns;         /* what the watchdog sees as the thread is created */
static bool refused;             /* whether the thread is refused */
static _Atomic int looks;        /* at the clock */
static _Atomic int failing;      /* so many of the next decisions fail */

int64_t __real_event_loop_now(void);
int64_t __wrap_event_loop_now(void);
berth_status __real_berth_scheduler_step_sized(berth_scheduler *scheduler, int64_t now_ns,
                                               berth_step *out, size_t size, size_t placement_size,
                                               berth_error *error);
berth_status __wrap_berth_scheduler_step_sized(berth_scheduler *scheduler, int64_t now_ns,
                                               berth_step *out, size_t size, size_t placement_size,
                                               berth_error *error);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context);

int64_t __wrap_event_loop_now(void)
{
    atomic_fetch_add(&looks, 1);
    return atomic_load(&ticks_ns) != 0 ? atomic_fetch_add(&ticks_ns, SECOND / 1000)
                                       : __real_event_loop_now();
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *context)
{
    if (context != &w.d) /* one of the engine's */
        return __real_pthread_create(thread, attributes, start, context);
    alive_ns = atomic_load(&w.d.alive_ns);
    return refused ? EAGAIN : __real_pthread_create(thread, attributes, start, context);
}

berth_status __wrap_berth_scheduler_step_sized(berth_scheduler *scheduler, int64_t now_ns,
                                               berth_step *out, size_t size, size_t placement_size,
                                               berth_error *error)
{
    if (atomic_load(&failing) == 0)
        return __real_berth_scheduler_step_sized(scheduler, now_ns, out, size, placement_size,
                                                 error);
    atomic_fetch_sub(&failing, 1);
    *error = (berth_error){.code = BERTH_E_NOMEM, .message = "out of luck"};
    return BERTH_E_NOMEM;
}

static void on_ordered(void *context)
{
    atomic_fetch_add(&((world *)context)->ordered, 1);
}

static const char *config_text; /* NULL: the defaults */

static berth_status try_to_open(bool dry_run, berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options), .threads = 1};
    memset(&w, 0, sizeof(w));
    (void)engine_setup_options(&w.setup);
    w.setup.kubernetes = "1.36";
    assert_int_equal(engine_setup_resolve_text(&w.setup, berth_str_of(config_text), "c", error),
                     BERTH_OK);
    w.d.setup = &w.setup;
    w.d.dry_run = dry_run;
    w.d.metrics = measured;
    w.d.ordered = on_ordered;
    w.d.context = &w;
    assert_int_equal(berth_reader_create(&options, &w.reader, NULL), BERTH_OK);
    return deciding_start(&w.d, error);
}

static void open_world(bool dry_run)
{
    berth_error error;
    assert_int_equal(try_to_open(dry_run, &error), BERTH_OK);
}

static int start(void **state)
{
    (void)state;
    open_world(false);
    return 0;
}

static int start_dry(void **state)
{
    (void)state;
    open_world(true);
    return 0;
}

static void close_world(void)
{
    berth_reader_destroy(w.reader);
    engine_setup_release(&w.setup);
}

static int stop(void **state)
{
    (void)state;
    deciding_stop(&w.d);
    deciding_free(&w.d);
    close_world();
    return 0;
}

static berth_status on_object(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    const berth_metadata *meta = object->as.any;
    (void)context;
    (void)origin;
    (void)error;
    (void)inbox_put_change(&w.d.in, w.how, object->kind, meta->namespace_name, meta->name, object);
    return BERTH_OK;
}

static void put(message_kind how, const char *text)
{
    berth_error error;
    w.how = how;
    assert_int_equal(berth_reader_text(w.reader, (berth_str){text, (uint32_t)strlen(text)}, "t",
                                       on_object, NULL, &error),
                     BERTH_OK);
}

static void put_node(message_kind how, const char *name, const char *cpu)
{
    char text[256];
    snprintf(text, sizeof(text),
             "{apiVersion: v1, kind: Node, metadata: {name: %s}, status: {allocatable: {cpu: '%s', "
             "pods: '9000'}}}",
             name, cpu);
    put(how, text);
}

static void put_pod(message_kind how, const char *name, const char *cpu, const char *spec)
{
    char text[512];
    snprintf(text, sizeof(text),
             "{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: ns}, spec: {%s "
             "containers: [{name: c, image: i, resources: {requests: {cpu: '%s'}}}]}}",
             name, spec, cpu);
    put(how, text);
}

static void decide(void)
{
    (void)inbox_put(&w.d.in, MESSAGE_SYNCED);
    (void)inbox_put(&w.d.in, MESSAGE_DECIDE);
}

/* Returns the next order; the test fails if none comes. */
static order *next_order(void)
{
    for (int64_t until_ns = __real_event_loop_now() + 20 * SECOND;
         __real_event_loop_now() < until_ns;) {
        order *o = outbox_take(&w.d.out);
        if (o != NULL)
            return o;
        usleep(500);
    }
    fail_msg("no order came");
    return NULL;
}

static void assert_order(order *o, order_kind kind, const char *name, const char *node)
{
    char text[128];
    assert_int_equal(o->kind, kind);
    snprintf(text, sizeof(text), "%.*s/%.*s %.*s", (int)o->namespace_name.len,
             o->namespace_name.data, (int)o->name.len, o->name.data, (int)o->node.len,
             o->node.data != NULL ? o->node.data : "");
    char expected[128];
    snprintf(expected, sizeof(expected), "ns/%s %s", name, node);
    assert_string_equal(text, expected);
}

static void settle(void)
{
    int64_t until_ns = __real_event_loop_now() + 20 * SECOND;
    while (inbox_backlog(&w.d.in) > 0 && __real_event_loop_now() < until_ns)
        usleep(500);
    (void)inbox_put(&w.d.in, MESSAGE_SYNCED);
    while (inbox_backlog(&w.d.in) > 0 && __real_event_loop_now() < until_ns)
        usleep(500);
}

/* Nothing is decided before every list is complete and this process leads. */
static void test_waits_for_both(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "2");
    put_pod(MESSAGE_ADD, "p", "1", "");
    (void)inbox_put(&w.d.in, MESSAGE_DECIDE);
    usleep(50000);
    assert_int_equal(outbox_count(&w.d.out), 0);
    (void)inbox_put(&w.d.in, MESSAGE_SYNCED);
    order *o = next_order();
    assert_order(o, ORDER_BIND, "p", "a");
    assert_int_equal(o->attempt, 1);
    assert_true(o->decided_at >= 3);
    assert_true(o->waited_ns >= 0);
    assert_true(atomic_load(&w.ordered) >= 1);
    deciding_bind_done(&w.d, o->binding, true);
    free(o);
    settle();
    berth_scheduler_counters counters;
    deciding_count(&w.d, &counters);
    assert_int_equal(counters.bound, 1);
}

/* What is ordered for pod p, which requests so much of node a with two cores. */
static order *first_order(const char *cpu)
{
    put_node(MESSAGE_ADD, "a", "2");
    put_pod(MESSAGE_ADD, "p", cpu, "");
    decide();
    return next_order();
}

static void test_a_failed_binding_comes_again(void **state)
{
    (void)state;
    order *o = first_order("1");
    deciding_bind_done(&w.d, o->binding, false);
    free(o);
    o = next_order();
    assert_order(o, ORDER_UNBIND, "p", "a");
    assert_int_equal(o->why, BERTH_UNBIND_FAILED);
    free(o);
    o = next_order();
    assert_order(o, ORDER_BIND, "p", "a");
    assert_int_equal(o->attempt, 2);
    free(o);
    (void)inbox_put_change(&w.d.in, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("ns"), BERTH_STR("p"),
                           NULL);
    o = next_order();
    assert_order(o, ORDER_UNBIND, "p", "a");
    assert_int_equal(o->why, BERTH_UNBIND_DELETED);
    free(o);
}

/* The wait after a failure is the one that the configuration names. */
static void test_configured_backoff(void **state)
{
    berth_pod_status status;
    (void)state;
    config_text = "{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, "
                  "podInitialBackoffSeconds: 200, podMaxBackoffSeconds: 300}";
    open_world(false);
    config_text = NULL;
    order *o = first_order("1");
    deciding_bind_done(&w.d, o->binding, false);
    free(o);
    o = next_order();
    assert_order(o, ORDER_UNBIND, "p", "a");
    free(o);
    settle();
    deciding_stop(&w.d);
    berth_scheduler_pod(
        w.d.scheduler, berth_engine_find_pod(w.d.engine, BERTH_STR("ns"), BERTH_STR("p")), &status);
    assert_int_equal(status.state, BERTH_POD_STATE_BACKOFF);
    const int64_t left_ns = status.due_ns - __real_event_loop_now();
    assert_true(left_ns > 100 * SECOND && left_ns < 202 * SECOND);
    deciding_free(&w.d);
    close_world();
}

static void test_failed_attempt(void **state)
{
    (void)state;
    order *o = first_order("3");
    assert_order(o, ORDER_FAILED, "p", "");
    assert_false(o->error);
    assert_memory_equal(o->message.data, "0/1 nodes are available: 1 Insufficient cpu.", 44);
    free(o);
    /* The pod is tried again once there is room. */
    put_node(MESSAGE_UPDATE, "a", "4");
    o = next_order();
    assert_order(o, ORDER_BIND, "p", "a");
    free(o);
}

static int start_measured(void **state)
{
    measured = metrics_create(true);
    return start(state);
}

static int stop_measured(void **state)
{
    int code = stop(state);
    metrics_destroy(measured);
    measured = NULL;
    return code;
}

/* Waits for the line: gauges are set once a second. */
static void await_line(const char *line)
{
    for (int64_t until_ns = __real_event_loop_now() + 20 * SECOND;
         __real_event_loop_now() < until_ns;) {
        size_t length;
        char *text = metrics_text(measured, &length);
        bool found = strstr(text, line) != NULL;
        free(text);
        if (found)
            return;
        usleep(5000);
    }
    fail_msg("no line '%s'", line);
}

#define UNSCHEDULABLE(PLUGIN, PODS) \
    "scheduler_unschedulable_pods{plugin=\"" PLUGIN "\",profile=\"default-scheduler\"} " PODS "\n"

/* Waiting pods are counted by their rejecting plugin, until they are removed or find room. */
static void test_rejections(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "2");
    put_pod(MESSAGE_ADD, "p", "3", "");
    put_pod(MESSAGE_ADD, "q", "3", "");
    put_pod(MESSAGE_ADD, "r", "1", "nodeSelector: {disk: ssd},");
    decide();
    for (int i = 0; i < 3; i++)
        free(next_order());
    await_line(UNSCHEDULABLE("NodeResourcesFit", "2"));
    await_line(UNSCHEDULABLE("NodeAffinity", "1"));
    (void)inbox_put_change(&w.d.in, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("ns"), BERTH_STR("r"),
                           NULL);
    await_line(UNSCHEDULABLE("NodeAffinity", "0"));
    put_node(MESSAGE_UPDATE, "a", "4"); /* room for one: the other is rejected again */
    free(next_order());
    free(next_order());
    await_line(UNSCHEDULABLE("NodeResourcesFit", "1"));
    await_line("scheduler_event_handling_duration_seconds_count{event=\"NodeAdd\"} 1\n");
    await_line("scheduler_event_handling_duration_seconds_count{event=\"NodeUpdate\"} 1\n");
    await_line("scheduler_event_handling_duration_seconds_count{event=\"UnscheduledPodAdd\"} 3\n");
    await_line(
        "scheduler_event_handling_duration_seconds_count{event=\"UnscheduledPodDelete\"} 1\n");
    put_pod(MESSAGE_ADD, "runs", "1", "nodeName: a,");
    await_line("scheduler_event_handling_duration_seconds_count{event=\"AssignedPodAdd\"} 1\n");
}

static int start_ticking(void **state)
{
    atomic_store(&ticks_ns, 5000 * SECOND);
    return start_measured(state);
}

static int stop_ticking(void **state)
{
    int code = stop_measured(state);
    atomic_store(&ticks_ns, 0);
    return code;
}

/* A duration is what lies between two looks at the clock. */
static void test_durations(void **state)
{
    (void)state;
    free(first_order("1"));
    settle();
#define EVENT_SECONDS "scheduler_event_handling_duration_seconds_sum{event="
    await_line(EVENT_SECONDS "\"NodeAdd\"} 0.001\n");
    await_line(EVENT_SECONDS "\"UnscheduledPodAdd\"} 0.001\n");
    await_line("\nberth_decision_duration_seconds_sum 0.001\n");
    await_line("\nscheduler_scheduling_algorithm_duration_seconds_sum 0.001\n");
}

/* The watchdog sees the thread alive before its first turn. */
static void test_alive_from_the_start(void **state)
{
    (void)state;
    assert_int_equal(alive_ns, 5000 * SECOND);
}

static void test_a_refused_thread(void **state)
{
    berth_error error;
    (void)state;
    refused = true;
    assert_int_equal(try_to_open(false, &error), BERTH_E_INTERNAL);
    refused = false;
    assert_string_equal(error.message, "a thread can't be started");
    assert_null(w.d.engine);
    deciding_stop(&w.d); /* nothing is there to stop */
    close_world();
}

static void test_preemption(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "2");
    put_pod(MESSAGE_ADD, "low", "2", "nodeName: a,");
    put_pod(MESSAGE_ADD, "high", "2", "priority: 7,");
    decide();
    order *o = next_order();
    assert_order(o, ORDER_EVICT, "low", "a");
    assert_memory_equal(o->preemptor_name.data, "high", 4);
    free(o);
    o = next_order();
    assert_order(o, ORDER_FAILED, "high", "a");
    free(o);
    (void)inbox_put_change(&w.d.in, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("ns"),
                           BERTH_STR("low"), NULL);
    o = next_order();
    assert_order(o, ORDER_BIND, "high", "a");
    free(o);
}

/* With many pods, orders are bounded, and continue as they are taken. */
static void test_room(void **state)
{
    enum { PODS = 1000 };
    (void)state;
    put_node(MESSAGE_ADD, "a", "900");
    for (int i = 0; i < PODS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "p%d", i);
        put_pod(MESSAGE_ADD, name, "1m", "");
    }
    decide();
    int64_t until_ns = __real_event_loop_now() + 20 * SECOND;
    while (outbox_count(&w.d.out) < ORDERS_MAX && __real_event_loop_now() < until_ns)
        usleep(500);
    usleep(20000);
    assert_int_equal(outbox_count(&w.d.out), ORDERS_MAX);
    for (int i = 0; i < PODS; i++) {
        order *o = next_order();
        assert_int_equal(o->kind, ORDER_BIND);
        deciding_bind_done(&w.d, o->binding, true);
        free(o);
    }
    settle();
    berth_scheduler_counters counters;
    deciding_count(&w.d, &counters);
    assert_int_equal(counters.bound, PODS);
    assert_int_equal(atomic_load(&w.d.decisions), PODS);
}

/* Compares a new list with the known objects. */
static void test_comparison(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "8");
    put_pod(MESSAGE_ADD, "p", "1", "nodeName: a,");
    put_pod(MESSAGE_ADD, "q", "1", "nodeName: a,");
    put_node(MESSAGE_COMPARE, "a", "8");
    put_pod(MESSAGE_COMPARE, "p", "1", "nodeName: a,");
    settle();
    assert_int_equal(w.d.comparison.nodes, 1);
    assert_int_equal(w.d.comparison.pods, 1);
    assert_int_equal(w.d.comparison.differences, 0);
    put_pod(MESSAGE_COMPARE, "q", "1", "nodeName: b,");
    put_pod(MESSAGE_COMPARE, "unknown", "1", "");
    put_node(MESSAGE_COMPARE, "b", "8");
    settle();
    assert_int_equal(w.d.comparison.differences, 3);
    comparison missing = {.nodes = 1, .pods = 1};
    assert_int_equal(comparison_end(&missing, w.d.engine), 1); /* a pod that is not listed */
    assert_int_equal(missing.nodes, 0);
    (void)inbox_put(&w.d.in, MESSAGE_COMPARED);
    settle();
    assert_int_equal(w.d.comparison.pods, 0);
}

static void test_pause(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "2");
    decide();
    (void)inbox_put(&w.d.in, MESSAGE_PAUSE);
    put_pod(MESSAGE_ADD, "p", "1", "");
    settle();
    usleep(20000);
    assert_int_equal(outbox_count(&w.d.out), 0);
    (void)inbox_put(&w.d.in, MESSAGE_DECIDE);
    order *o = next_order();
    assert_order(o, ORDER_BIND, "p", "a");
    free(o);
}

/* An object that the engine refuses stops nothing. */
static void test_refused_changes(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "2");
    put_node(MESSAGE_ADD, "a", "2");
    put_node(MESSAGE_UPDATE, "none", "2");
    put_pod(MESSAGE_ADD, "p", "1", "");
    decide();
    order *o = next_order();
    assert_order(o, ORDER_BIND, "p", "a");
    free(o);
    deciding_stop(&w.d);
    assert_int_equal(w.d.refused, 2);
}

static message *update_of(const char *name, int32_t priority, uint64_t born)
{
    static inbox box;
    const berth_pod pod = {.meta = {.name = {name, (uint32_t)strlen(name)}},
                           .has_priority = priority != 0,
                           .priority = priority,
                           .node_name = BERTH_STR("n")};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    inbox_init(&box);
    (void)inbox_put_update(&box, &object, born);
    message *m = inbox_take(&box, 0);
    inbox_destroy(&box);
    return m;
}

static void expect_next(seen_bindings *b, int64_t now_ns, const char *name)
{
    message *m = seen_bindings_next(b, now_ns);
    assert_non_null(m);
    assert_memory_equal(m->object->as.pod->meta.name.data, name, strlen(name));
    message_free(m);
}

/* Bindings are put back into the order of the queue if they are seen within two seconds. */
static void test_seen_bindings(void **state)
{
    (void)state;
    seen_bindings b = {.count = 0};
    seen_bindings_hold(&b, update_of("third", 0, 9), 0);
    seen_bindings_hold(&b, update_of("second", 0, 7), SECOND);
    seen_bindings_hold(&b, update_of("taken", 0, 1), SECOND);
    assert_null(seen_bindings_next(&b, SECOND * 19 / 10));
    seen_bindings_hold(&b, update_of("first", 5, 11), SECOND * 19 / 10);
    assert_null(seen_bindings_take(&b, BERTH_STR(""), BERTH_STR("nobody")));
    message *m = seen_bindings_take(&b, (berth_str){0}, BERTH_STR("taken"));
    assert_non_null(m);
    message_free(m);
    expect_next(&b, 2 * SECOND, "first");
    expect_next(&b, 2 * SECOND, "second");
    expect_next(&b, 2 * SECOND, "third");
    assert_null(seen_bindings_next(&b, 9 * SECOND));
    seen_bindings_hold(&b, update_of("late", 0, 2), 9 * SECOND);
    seen_bindings_free(&b);
}

/* While an extender is awaited, the watchdog sees that the thread lives; at the end it is not. */
static void test_waiting_for_an_extender(void **state)
{
    static deciding d;
    (void)state;
    const int64_t before_ns = __real_event_loop_now();
    assert_true(deciding_waits(&d));
    assert_true(atomic_load(&d.alive_ns) >= before_ns);
    atomic_store(&d.gives_up, true);
    assert_false(deciding_waits(&d));
}

static void test_dry_run(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "8");
    put_node(MESSAGE_ADD, "b", "2");
    put_pod(MESSAGE_ADD, "best", "1", "");
    put_pod(MESSAGE_ADD, "lower", "1", "");
    put_pod(MESSAGE_ADD, "wrong", "4", "");
    put_pod(MESSAGE_ADD, "huge", "40", "");
    put_pod(MESSAGE_ADD, "lost", "1", "");
    put_pod(MESSAGE_ADD, "foreign", "1", "schedulerName: other,");
    decide();
    put_pod(MESSAGE_UPDATE, "best", "1", "nodeName: a,");
    put_pod(MESSAGE_UPDATE, "best", "1", "nodeName: a,"); /* seen only once */
    put_pod(MESSAGE_UPDATE, "lower", "1", "nodeName: b,");
    put_pod(MESSAGE_UPDATE, "wrong", "4", "nodeName: b,");
    put_pod(MESSAGE_UPDATE, "huge", "40", "nodeName: a,");
    put_pod(MESSAGE_UPDATE, "lost", "1", "nodeName: nowhere,");
    put_pod(MESSAGE_UPDATE, "foreign", "1", "schedulerName: other, nodeName: a,");
    settle();
    assert_int_equal(outbox_count(&w.d.out), 0);
    deciding_stop(&w.d);
    const agreement *a = &w.d.agreement;
    for (int verdict = 0; verdict < AGREEMENT_COUNT; verdict++)
        assert_int_equal(a->counts[verdict], 1);
    assert_int_equal(a->item_count, 4);
    char *report = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&report, &size);
    agreement_print(a, out);
    fclose(out);
    assert_non_null(strstr(report, "Of 5 placements 1 were among Berth's best.\n"));
    assert_non_null(strstr(report, "ns/lower on b: scores "));
    assert_non_null(strstr(report, "ns/wrong on b: does not fit there, NodeResourcesFit: "
                                   "Insufficient cpu; a is the best\n"));
    assert_non_null(strstr(report, "ns/huge on a: fits nowhere; there, NodeResourcesFit"));
    assert_non_null(strstr(report, "ns/lost on nowhere: could not be decided\n"));
    free(report);
}

/* A decision that fails is logged, and the next one follows. */
static void test_a_failed_decision(void **state)
{
    (void)state;
    if (stderr_keep() != 0)
        fail_msg("standard error can't be kept");
    put_node(MESSAGE_ADD, "a", "8");
    put_pod(MESSAGE_ADD, "p", "1", "");
    atomic_store(&failing, 1);
    decide();
    order *o = next_order();
    const int logged = stderr_count("\"a decision failed\" error=\"out of luck\"");
    stderr_restore();
    assert_order(o, ORDER_BIND, "p", "a");
    free(o);
    assert_int_equal(logged, 1);
}

/* A thread that has nothing to decide sleeps. */
static void test_sleeps(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "8");
    put_pod(MESSAGE_ADD, "p", "1", "");
    decide();
    free(next_order());
    settle();
    const int before = atomic_load(&looks);
    usleep(200000);
    assert_true(atomic_load(&looks) - before < 100);
}

/* A pod is updated again while its binding is held back, and then it goes: the changes keep their
 * order, so the engine refuses none of them. */
static void test_changes_of_a_held_binding(void **state)
{
    (void)state;
    put_node(MESSAGE_ADD, "a", "8");
    put_pod(MESSAGE_ADD, "p", "1", "");
    decide();
    put_pod(MESSAGE_UPDATE, "p", "1", "nodeName: a,");
    put_pod(MESSAGE_UPDATE, "p", "1", "nodeName: a,");
    (void)inbox_put_change(&w.d.in, MESSAGE_REMOVE, BERTH_KIND_POD, BERTH_STR("ns"), BERTH_STR("p"),
                           NULL);
    settle();
    deciding_stop(&w.d);
    assert_int_equal(w.d.refused, 0);
    assert_int_equal(w.d.agreement.counts[AGREEMENT_BEST], 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_waits_for_both),
        TEST(test_a_failed_binding_comes_again),
        cmocka_unit_test(test_configured_backoff),
        TEST(test_failed_attempt),
        cmocka_unit_test_setup_teardown(test_rejections, start_measured, stop_measured),
        cmocka_unit_test_setup_teardown(test_durations, start_ticking, stop_ticking),
        cmocka_unit_test_setup_teardown(test_alive_from_the_start, start_ticking, stop_ticking),
        cmocka_unit_test(test_a_refused_thread),
        TEST(test_preemption),
        TEST(test_room),
        TEST(test_comparison),
        TEST(test_pause),
        TEST(test_a_failed_decision),
        TEST(test_sleeps),
        TEST(test_refused_changes),
        cmocka_unit_test(test_seen_bindings),
        cmocka_unit_test(test_waiting_for_an_extender),
        cmocka_unit_test_setup_teardown(test_dry_run, start_dry, stop),
        cmocka_unit_test_setup_teardown(test_changes_of_a_held_binding, start_dry, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
