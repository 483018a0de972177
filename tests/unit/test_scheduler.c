/* The scheduling loop: order, backoff, gates, flush, bindings and their outcomes, events, profiles,
 * preemption. test_scheduler_wake tests which pods a change wakes. */
#include "profile_points.h"
#include "scheduler_cluster.h"

/* ---- options ---- */

static void test_options(void **state)
{
    loop *l = *state;
    berth_scheduler *other = NULL;
    berth_error error;
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &other, &error), BERTH_E_STATE);
    options.size = 0;
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &other, &error), BERTH_E_ARG);
    berth_scheduler_options_init(&options);
    options.backoff_max_ns = options.backoff_initial_ns - 1;
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &other, &error), BERTH_E_ARG);
    berth_scheduler_options_init(&options);
    options.backoff_initial_ns = -1;
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &other, &error), BERTH_E_ARG);
    assert_string_equal(error.message, "backoff must be 0 <= backoff_initial_ns <= backoff_max_ns");
    berth_scheduler_options_init(&options);
    options.bind_timeout_ns = -1;
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &other, &error), BERTH_E_ARG);
    berth_scheduler_options_init(&options);
    options.unschedulable_max_ns = -1;
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &other, &error), BERTH_E_ARG);
    assert_null(other);
    berth_scheduler_destroy(NULL);
    assert_string_equal(berth_pod_state_name(BERTH_POD_STATE_UNSCHEDULABLE), "unschedulable");
    assert_string_equal(berth_pod_state_name((berth_pod_state)99), "?");
}

/* Pods that existed before the scheduler are submitted in their order of arrival. */
static void test_pods_from_before(void **state)
{
    loop *l = *state;
    berth_scheduler_destroy(l->scheduler);
    small_node(&l->c, "node", "");
    berth_pod_id low = small_pod(&l->c, "low", NULL, "", "containers: []");
    berth_pod_id high = small_pod(&l->c, "high", NULL, "", "priority: 5, containers: []");
    small_pod(&l->c, "there", "node", "", "containers: []");
    assert_int_equal(berth_scheduler_create(l->c.engine, NULL, &l->scheduler, NULL), BERTH_OK);
    assert_int_equal(loop_count(l).submitted, 2);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, high);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, low);
}

/* ---- order ---- */

static void test_order(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    berth_pod_id a = loop_pod(l, "a", "1m", "");
    berth_pod_id b = loop_pod(l, "b", "1m", "");
    l->now_ms = 1;
    berth_pod_id urgent = loop_pod(l, "urgent", "1m", ", priority: 7");
    berth_pod_id never = loop_pod(l, "never", "1m", ", priority: -7");
    const berth_pod_id wanted[] = {urgent, a, b, never};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
        assert_int_equal(l->step.pod, wanted[i]);
        assert_int_equal(l->step.attempt, 1);
    }
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(l->step.pod, BERTH_POD_NONE);
    assert_int_equal(berth_scheduler_next(l->scheduler), BERTH_TIME_NEVER);
}

/* An update that raises a waiting pod's priority moves it ahead. */
static void test_order_follows_updates(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    loop_pod(l, "a", "1m", "");
    berth_pod_id b = loop_pod(l, "b", "1m", "");
    loop_update(l, loop_pod_text("b", "1m", "", ", priority: 3"));
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, b);
}

/* A failed attempt counts once for each plugin that refused a node, and for no other. */
static void test_refusals_by_plugin(void **state)
{
    loop *l = *state;
    berth_str plugin;
    loop_node(l, "node", "4");
    loop_pod(l, "large", "8", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(berth_engine_refusal_kinds(l->c.engine), 1);
    assert_int_equal(berth_engine_refusals(l->c.engine, 0, &plugin, NULL, NULL), 1);
    assert_text(plugin, "NodeResourcesFit");
}

/* ---- backoff ---- */

/* 1 s, doubled up to 10 s, counted from the failed attempt. */
static void test_backoff(void **state)
{
    static const int64_t waits_ms[] = {1000, 2000, 4000, 8000, 10000, 10000};
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_FAILED;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    for (int i = 0; i < 6; i++) {
        assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
        assert_int_equal(l->step.attempt, i + 1);
        assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
        assert_int_equal(loop_due_ms(l, pod), l->now_ms + waits_ms[i]);
        assert_int_equal(berth_scheduler_next(l->scheduler), (l->now_ms + waits_ms[i]) * MS);
        loop_advance(l, l->now_ms + waits_ms[i] - 1);
        assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
        l->now_ms++;
    }
    /* An earlier time is ignored. */
    l->now_ms -= 5000;
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    l->now_ms += 5000;
    l->bind_answer = BERTH_ANSWER_DONE;
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.waited_ns, l->now_ms * MS);
}

/* A pod woken during its backoff waits for the backoff's end. A pod woken later is active at once
 * and keeps its place in the order. */
static void test_backoff_after_waking(void **state)
{
    loop *l = *state;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_advance(l, 400);
    loop_node(l, "small", "500m");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, pod), 1000);
    loop_advance(l, 1000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    l->now_ms = 9000;
    loop_node(l, "large", "4");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_count(l).woken, 2);
    assert_int_equal(loop_count(l).backoff_ended, 1);
    assert_int_equal(loop_count(l).freed_active + loop_count(l).freed_backoff, 0);
}

/* Pods that are woken because a pod has left a node, during and after their backoff. */
static void test_freed_room(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "2");
    (void)loop_pod(l, "first", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    (void)loop_pod(l, "second", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_remove(l, BERTH_KIND_POD, "default", "first");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_count(l).freed_backoff, 1);
    loop_advance(l, 1000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    pod = loop_pod(l, "q", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    l->now_ms = 9000;
    loop_remove(l, BERTH_KIND_POD, "default", "second");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_count(l).freed_active, 1);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* ---- backoff since 1.33 ---- */

static int set_up_newest(void **state)
{
    loop *l = malloc(sizeof(*l));
    assert_non_null(l);
    loop_open_as(l, 36, berth_profile_default(), 1, 0, NULL);
    *state = l;
    return 0;
}

/* Errors have their own backoffs: they double with consecutive errors, end on whole seconds, and
 * are never cut short. */
static void test_backoff_of_errors_in_seconds(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_FAILED;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    l->now_ms = 300;
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(loop_due_ms(l, pod), 2000); /* ends at 1.3 s, noticed at 2 s */
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 1999);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(loop_due_ms(l, pod), 5000);
}

/* Start over with another initial backoff, which is the longest one, too. */
static void set_backoff(loop *l, int64_t backoff_ns)
{
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    berth_scheduler_destroy(l->scheduler);
    options.backoff_initial_ns = options.backoff_max_ns = backoff_ns;
    options.callbacks = (berth_scheduler_callbacks){.context = l, .bind = loop_bind};
    assert_int_equal(berth_scheduler_create(l->c.engine, &options, &l->scheduler, NULL), BERTH_OK);
    l->bind_answer = BERTH_ANSWER_FAILED;
    l->now_ms = 300;
}

/* A backoff beyond the end of time never ends, and one of no length ends at once, not on the next
 * second. */
static void test_extreme_backoffs(void **state)
{
    loop *l = *state;
    set_backoff(l, BERTH_TIME_NEVER - 1);
    loop_node(l, "node", "4");
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(loop_due_ms(l, pod), -1);
    loop_advance(l, INT64_C(1000000000));
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    set_backoff(l, 0);
    loop_advance(l, 300);
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(l->binds, 3);
}

/* If nothing is active, the first pod in backoff is taken before its time. */
static void test_backoff_pops_early(void **state)
{
    loop *l = *state;
    berth_pod_id low = loop_pod(l, "low", "1", "");
    berth_pod_id high = loop_pod(l, "high", "1", ", priority: 5");
    loop_node(l, "tiny", "100m");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_advance(l, 400);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_node(l, "large", "4");
    assert_int_equal(loop_state(l, low), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(berth_scheduler_next(l->scheduler), l->now_ms * MS);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, high);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, low);
    assert_int_equal(l->now_ms, 400);
    assert_int_equal(loop_count(l).popped_early, 2);
}

/* Of pods whose backoffs end in the same second, the one first in the queue's order is taken first,
 * not the one that waited longer. */
static void test_equal_backoffs(void **state)
{
    loop *l = *state;
    berth_pod_id low = loop_pod(l, "low", "1", "");
    loop_node(l, "tiny", "100m");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    l->now_ms = 100;
    berth_pod_id high = loop_pod(l, "high", "1", ", priority: 5");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_advance(l, 400);
    loop_node(l, "large", "4");
    assert_int_equal(loop_due_ms(l, low), 2000);
    assert_int_equal(loop_due_ms(l, high), 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, high);
}

/* After a rejection, the backoff depends only on the number of rejections; after an error, on the
 * errors since the last rejection. */
static void test_rejections_and_errors_count_apart(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_FAILED;
    berth_pod_id pod = loop_pod(l, "p", "3", "");
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    loop_pod(l, "filler", "2", ", nodeName: node");
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_remove(l, BERTH_KIND_POD, "default", "filler");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, pod), 4000); /* one rejection: 1 s from 2 s on */
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(loop_due_ms(l, pod), 4000); /* one consecutive error */
}

/* ---- gates ---- */

static void test_gates(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    berth_pod_id pod = loop_pod(l, "p", "1", ", schedulingGates: [{name: a}, {name: b}]");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_node(l, "m", "4");
    loop_advance(l, 1000000);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_update(l, loop_pod_text("p", "1", "", ", schedulingGates: [{name: b}]"));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_update(l, loop_pod_text("p", "1", "", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.attempt, 1);
}

/* ---- flush ---- */

static void test_flush(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "1");
    berth_pod_id pod = loop_pod(l, "p", "2", "");
    loop_advance(l, 50);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_due_ms(l, pod), 300050);
    assert_int_equal(berth_scheduler_next(l->scheduler), 300050 * MS);
    loop_advance(l, 300049);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_advance(l, 300050);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_count(l).flushed, 1);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.attempt, 2);
    loop_node(l, "large",
              "4"); /* The pod was woken, so its third attempt does not come from the flush. */
    loop_advance(l, 310000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_count(l).bound_after_flush, 0);
    (void)loop_pod(l, "huge", "8", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_advance(l, 700000);
    loop_node(l, "larger", "16");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_count(l).bound_after_flush, 1);
}

/* ---- bindings ---- */

static int64_t used_cpu(const loop *l, const char *node)
{
    int64_t allocatable, requested;
    berth_node_id id =
        berth_engine_find_node(l->c.engine, (berth_str){node, (uint32_t)strlen(node)});
    assert_int_equal(berth_engine_node_resource(l->c.engine, id, (berth_str){"cpu", 3},
                                                &allocatable, &requested, NULL),
                     BERTH_OK);
    return requested;
}

static void answer(loop *l, berth_binding_id binding, berth_answer how)
{
    assert_int_equal(berth_scheduler_bind_done(l->scheduler, binding, how, NULL), BERTH_OK);
    loop_advance(l, l->now_ms);
}

static void test_bind_later(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(l->bound.pod, pod);
    assert_int_equal(l->bound.id, l->step.binding);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ASSUMED);
    assert_int_equal(used_cpu(l, "node"), 1000);
    assert_int_equal(berth_scheduler_bind_done(l->scheduler, l->bound.id, BERTH_ANSWER_LATER, NULL),
                     BERTH_E_ARG);
    answer(l, l->bound.id, BERTH_ANSWER_DONE);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BOUND);
    assert_int_equal(loop_count(l).bound, 1);
    /* A second answer is late and has no effect, whatever it says. */
    answer(l, l->bound.id, BERTH_ANSWER_FAILED);
    assert_int_equal(loop_count(l).late_answers, 1);
    assert_int_equal(l->trouble, BERTH_TROUBLE_LATE_ANSWER);
    assert_int_equal(used_cpu(l, "node"), 1000);
    assert_int_equal(l->unbinds, 0);
}

static void test_bind_fails_later(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_step(l);
    l->now_ms = 100;
    answer(l, l->bound.id, BERTH_ANSWER_FAILED);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, pod), 1100);
    assert_int_equal(used_cpu(l, "node"), 0);
    assert_int_equal(l->unbinds, 1);
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_FAILED);
    assert_int_equal(l->unbound.id, l->bound.id);
    /* The deadline of a finished binding has no effect. */
    loop_advance(l, 5000);
    assert_int_equal(l->unbinds, 1);
    assert_int_equal(loop_count(l).forgotten, 1);
}

/* The resources of a failed binding wake a pod that waits for them. */
static void test_forgotten_wakes(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "1");
    l->bind_answer = BERTH_ANSWER_LATER;
    loop_pod(l, "first", "1", "");
    berth_pod_id second = loop_pod(l, "second", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_advance(l, 2000);
    answer(l, l->bound.id, BERTH_ANSWER_FAILED);
    assert_int_equal(loop_state(l, second), BERTH_POD_STATE_ACTIVE);
}

static void test_expiry(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_step(l);
    assert_int_equal(loop_due_ms(l, pod), 5000);
    assert_int_equal(berth_scheduler_next(l->scheduler), 5000 * MS);
    loop_advance(l, 4999);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ASSUMED);
    loop_advance(l, 5000);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(used_cpu(l, "node"), 0);
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_EXPIRED);
    assert_int_equal(loop_count(l).expired, 1);
    answer(l, l->bound.id, BERTH_ANSWER_DONE);
    assert_int_equal(loop_count(l).late_answers, 1);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(l->unbinds, 1);
}

/* An answer posted in time counts, even if it is read after the deadline. */
static void test_answer_before_expiry(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_step(l);
    assert_int_equal(berth_scheduler_bind_done(l->scheduler, l->bound.id, BERTH_ANSWER_DONE, NULL),
                     BERTH_OK);
    loop_advance(l, 9000);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BOUND);
}

/* An update with the node confirms the binding; one without a node does not undo it. */
static void test_updates_of_assumed(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_step(l);
    loop_update(l, loop_pod_text("p", "1", ", labels: {a: b}", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ASSUMED);
    loop_update(l, loop_pod_text("p", "1", "", ", nodeName: node"));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BOUND);
    assert_int_equal(loop_count(l).bound, 1);
    loop_update(l, loop_pod_text("p", "1", ", labels: {c: d}", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BOUND);
    assert_int_equal(used_cpu(l, "node"), 1000);
    assert_int_equal(l->unbinds, 0);
}

static void test_taken(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    loop_add(l, loop_node_text("m", "4", "", "unschedulable: true"));
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id assumed = loop_pod(l, "p", "1", "");
    loop_step(l);
    berth_pod_id waiting = loop_pod(l, "q", "1", "");
    loop_update(l, loop_pod_text("p", "1", "", ", nodeName: m"));
    loop_update(l, loop_pod_text("q", "1", "", ", nodeName: m"));
    assert_int_equal(loop_state(l, assumed), BERTH_POD_STATE_BOUND);
    assert_int_equal(loop_state(l, waiting), BERTH_POD_STATE_BOUND);
    assert_int_equal(used_cpu(l, "node"), 0);
    assert_int_equal(used_cpu(l, "m"), 2000);
    assert_int_equal(loop_count(l).taken, 2);
    assert_int_equal(loop_count(l).given_up, 1);
    assert_int_equal(l->unbinds, 1);
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_TAKEN);
}

static void test_deleted_meanwhile(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_step(l);
    loop_remove(l, BERTH_KIND_POD, "default", "p");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GONE);
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_DELETED);
    assert_int_equal(l->unbound.pod, pod);
    assert_int_equal(loop_count(l).deleted, 1);
    answer(l, l->bound.id, BERTH_ANSWER_DONE);
    assert_int_equal(loop_count(l).late_answers, 1);
    assert_int_equal(used_cpu(l, "node"), 0);
}

/* A terminating pod is not tried any more; its deletion is not a second outcome. */
static void test_terminating(void **state)
{
    loop *l = *state;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_update(l, loop_pod_text("p", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GONE);
    loop_remove(l, BERTH_KIND_POD, "default", "p");
    assert_int_equal(loop_count(l).deleted, 1);
}

/* A pod that began to terminate while it was assumed is not tried again if its binding fails. */
static void test_terminating_while_assumed(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    loop_update(l, loop_pod_text("p", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ASSUMED);
    answer(l, l->bound.id, BERTH_ANSWER_FAILED);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GONE);
    assert_int_equal(loop_count(l).deleted, 1);
    assert_int_equal(l->unbinds, 1);
    assert_int_equal(used_cpu(l, "node"), 0);
    loop_advance(l, 10000);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
}

/* The node of an assumed pod is removed: the binding may still fail, once. */
static void test_node_lost_while_assumed(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    loop_step(l);
    loop_remove(l, BERTH_KIND_NODE, "", "node");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ASSUMED);
    answer(l, l->bound.id, BERTH_ANSWER_FAILED);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_BACKOFF);
    loop_node(l, "node", "4");
    assert_int_equal(used_cpu(l, "node"), 0);
}

/* ---- events ---- */

/* Posted events are applied first; they may free the name that the engine returned. */
static void test_removed_by_its_own_name(void **state)
{
    loop *l = *state;
    berth_error error;
    berth_str space, name;
    berth_pod_id pod = loop_pod(l, "pod", "1", "");
    berth_engine_pod_name(l->c.engine, pod, &space, &name);
    assert_int_equal(berth_scheduler_post_remove(l->scheduler, BERTH_KIND_POD, space, name, &error),
                     BERTH_OK);
    assert_int_equal(berth_scheduler_remove(l->scheduler, 0, BERTH_KIND_POD, space, name, &error),
                     BERTH_E_NOT_FOUND);
    assert_string_equal(error.object, "Pod default/pod");
    pod = loop_pod(l, "pod", "1", "");
    berth_engine_pod_name(l->c.engine, pod, &space, &name);
    assert_int_equal(berth_scheduler_remove(l->scheduler, 0, BERTH_KIND_POD, space, name, &error),
                     BERTH_OK);
    /* Names longer than Kubernetes allows. */
    char text[600];
    memset(text, 'x', sizeof(text));
    const berth_pod longer = {.meta = {.name = {text, sizeof(text)}}};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &longer};
    const berth_str of_it = {text, sizeof(text)}, none = TEXT("");
    assert_int_equal(berth_scheduler_add(l->scheduler, 0, &object, NULL, &error), BERTH_OK);
    assert_int_equal(berth_scheduler_remove(l->scheduler, 0, BERTH_KIND_POD, none, of_it, &error),
                     BERTH_OK);
    assert_int_equal(berth_scheduler_remove(l->scheduler, 0, BERTH_KIND_POD, none, of_it, &error),
                     BERTH_E_NOT_FOUND);
}

static void test_refused_events(void **state)
{
    loop *l = *state;
    const berth_pod stranger = {.meta = {.name = TEXT("stranger")}};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &stranger};
    const berth_object nothing = {.kind = BERTH_KIND_POD};
    const berth_object unknown = {.kind = (berth_kind)77, .as.pod = &stranger};
    const berth_str space = TEXT("default"), name = TEXT("stranger");
    berth_error error;
    assert_int_equal(berth_scheduler_last_trouble(l->scheduler)->code, BERTH_OK);
    assert_int_equal(berth_scheduler_update(l->scheduler, 0, &object, &error), BERTH_E_NOT_FOUND);
    assert_int_equal(berth_scheduler_remove(l->scheduler, 0, BERTH_KIND_POD, space, name, &error),
                     BERTH_E_NOT_FOUND);
    assert_int_equal(berth_scheduler_post_update(l->scheduler, &object, &error), BERTH_OK);
    assert_int_equal(berth_scheduler_post_remove(l->scheduler, BERTH_KIND_POD, space, name, &error),
                     BERTH_OK);
    assert_int_equal(berth_scheduler_post_add(l->scheduler, &object, &error), BERTH_OK);
    assert_int_equal(berth_scheduler_post_add(l->scheduler, &object, &error), BERTH_OK);
    assert_int_equal(berth_scheduler_post_remove(l->scheduler, BERTH_KIND_POD, space, name, &error),
                     BERTH_OK);
    assert_int_equal(berth_scheduler_post_remove(l->scheduler, BERTH_KIND_POD, space, name, &error),
                     BERTH_OK);
    assert_int_equal(berth_scheduler_post_add(l->scheduler, &nothing, &error), BERTH_E_ARG);
    assert_int_equal(berth_scheduler_post_add(l->scheduler, &unknown, &error), BERTH_E_ARG);
    assert_int_equal(berth_scheduler_post_remove(l->scheduler, (berth_kind)77, space, name, &error),
                     BERTH_E_ARG);
    loop_advance(l, 0);
    assert_int_equal(l->troubles, 4); /* update, removal, second addition, second removal */
    assert_int_equal(loop_count(l).events_posted, 6);
    assert_int_equal(loop_count(l).events_refused, 4);
    assert_int_equal(loop_count(l).submitted, 1);
    assert_int_equal(loop_count(l).deleted, 1);
    const berth_error *trouble = berth_scheduler_last_trouble(l->scheduler);
    assert_int_equal(trouble->code, BERTH_E_NOT_FOUND);
    assert_string_equal(trouble->object, "Pod default/stranger");
}

/* ---- profiles ---- */

static void test_profiles(void **state)
{
    (void)state;
    loop l;
    berth_profile profiles[] = {*berth_profile_default(), *berth_profile_default()};
    profiles[1].scheduler_name = (berth_str)TEXT("plain");
    profile_points points;
    berth_plugin_list *filters = &own_points(&profiles[1], &points)[BERTH_POINT_FILTER];
    filters->items++; /* only NodeUnschedulable */
    filters->count = 1;
    loop_open(&l, profiles, 2, 0);
    loop_add(&l, loop_node_text("node", "1", "", "unschedulable: true"));
    berth_pod_id first = loop_pod(&l, "first", "2", "");
    berth_pod_id plain = loop_pod(&l, "plain", "2", ", schedulerName: plain");
    berth_pod_id other = loop_pod(&l, "other", "2", ", schedulerName: nobody");
    assert_int_equal(loop_state(&l, other), BERTH_POD_STATE_GONE);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_step(&l), BERTH_STEP_IDLE);
    /* Each pod waits for what its own profile's filters report; here both wait for the node to be
     * uncordoned. */
    loop_advance(&l, 5000);
    loop_update(&l, loop_node_text("node", "1", "", ""));
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l.step.pod, first);
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);
    assert_int_equal(l.step.pod, plain);
    assert_text(berth_scheduler_rejector(l.scheduler, first, 0), "NodeResourcesFit");
    assert_null(berth_scheduler_rejector(l.scheduler, first, 1).data);
    /* A waiting pod whose scheduler changes is decided by the other profile's filters. */
    loop_update(&l, loop_pod_text("first", "2", "", ", schedulerName: plain"));
    assert_null(berth_scheduler_rejector(l.scheduler, first, 0).data);
    loop_advance(&l, 20000);
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);
    loop_close(&l);
}

/* Pods of unknown schedulers are not served until their scheduler is known. */
static void test_served_later(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    berth_pod_id pod = loop_pod(l, "p", "1", ", schedulerName: nobody");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_update(l, loop_pod_text("p", "1", "", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    loop_update(l, loop_pod_text("p", "1", "", ", schedulerName: nobody"));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GONE);
    assert_int_equal(loop_count(l).deleted, 1);
}

/* ---- preemption ---- */

static void fill(loop *l)
{
    loop_node(l, "node", "2");
    loop_add(l, loop_pod_text("low-1", "1", "", ", nodeName: node"));
    loop_add(l, loop_pod_text("low-2", "1", "", ", nodeName: node"));
}

/* Victims that are deleted at once: their room is known, so the pod goes to backoff, not to the
 * pool. */
static void test_preemption_at_once(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = loop_pod(l, "high", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.victim_count, 2);
    assert_int_equal(l->evictions, 2);
    assert_int_equal(l->step.nominated,
                     berth_engine_find_node(l->c.engine, (berth_str)TEXT("node")));
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
    /* The node is kept for the pod. */
    loop_pod(l, "late", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_advance(l, 1000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, high);
    assert_int_equal(loop_count(l).evictions, 2);
    assert_int_equal(loop_count(l).nominations, 1);
}

/* Victims that terminate slowly: no other pod is evicted meanwhile, and their removal wakes the
 * pod. */
static void test_preemption_later(void **state)
{
    loop *l = *state;
    fill(l);
    loop_node(l, "other", "1");
    loop_add(l, loop_pod_text("low-3", "1", "", ", nodeName: other"));
    l->evict_answer = BERTH_ANSWER_LATER;
    berth_pod_id high = loop_pod(l, "high", "1500m", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 2);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_advance(l, 300000);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(l->evictions, 2);
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* Two pods want the room of the same victims, which are evicted only once. */
static void test_victims_asked_once(void **state)
{
    loop *l = *state;
    fill(l);
    l->evict_answer = BERTH_ANSWER_LATER;
    loop_pod(l, "high", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 2);
    loop_pod(l, "higher", "2", ", priority: 20");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_not_equal(l->step.nominated, BERTH_NODE_NONE);
    assert_int_equal(l->step.victim_count, 0);
    assert_int_equal(l->evictions, 2);
    assert_int_equal(loop_count(l).evictions, 2);
}

static void test_preemption_refused(void **state)
{
    loop *l = *state;
    fill(l);
    l->evict_answer = BERTH_ANSWER_FAILED;
    berth_pod_id high = loop_pod(l, "high", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.nominated, BERTH_NODE_NONE);
    assert_int_equal(l->step.victim_count, 0);
    assert_int_equal(l->evictions, 1);
    assert_int_equal(l->trouble, BERTH_TROUBLE_EVICTION);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_UNSCHEDULABLE);
}

/* A pod with a nominated node fails again: checks whether it keeps the node. */
static void check_nomination(uint32_t minor, const berth_plugin_ref *post_filters, uint32_t count,
                             const char *spec, bool kept)
{
    loop l;
    berth_profile profile = *berth_profile_default_of(minor);
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_POST_FILTER] =
        (berth_plugin_list){post_filters, count};
    loop_open_as(&l, minor, &profile, 1, 5000, NULL);
    berth_node_id node = loop_node(&l, "node", "1");
    berth_pod_id pod = loop_pod(&l, "p", "2", spec);
    assert_int_equal(berth_engine_nominate(l.c.engine, pod, node, NULL), BERTH_OK);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    berth_pod_status status;
    berth_scheduler_pod(l.scheduler, pod, &status);
    assert_int_equal(status.nominated, kept ? node : BERTH_NODE_NONE);
    loop_close(&l);
}

static void test_nominations_of_failed_pods(void **state)
{
    static const berth_plugin_ref both[] = {{.name = TEXT("DynamicResources")},
                                            {.name = TEXT("DefaultPreemption")}};
    static const char lost[] =
        ", volumes: [{name: v, persistentVolumeClaim: {claimName: missing}}]";
    (void)state;
    check_nomination(32, NULL, 0, "", true);
    check_nomination(34, NULL, 0, "", true);
    check_nomination(35, NULL, 0, "", false);
    check_nomination(36, NULL, 0, "", false);
    check_nomination(36, both, 1, "", true); /* no plugin could tell */
    check_nomination(36, both, 2, "", false);
    check_nomination(36, both, 2, lost, true); /* DynamicResources fails before preemption */
    check_nomination(32, both + 1, 1, lost, false);
}

/* Without any node, a pod gives up the node that it was nominated for, which is gone. */
static void test_nomination_without_nodes(void **state)
{
    loop *l = *state;
    const berth_node_id node = loop_node(l, "node", "1");
    const berth_pod_id pod = loop_pod(l, "p", "1", "");
    berth_pod_status status;
    assert_int_equal(berth_engine_nominate(l->c.engine, pod, node, NULL), BERTH_OK);
    loop_remove(l, BERTH_KIND_NODE, "", "node");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    berth_scheduler_pod(l->scheduler, pod, &status);
    assert_int_equal(status.nominated, BERTH_NODE_NONE);
}

/* A pod gives up its node if it would not fit there without the pods of lower priority either. */
static void test_nomination_in_vain(void **state)
{
    loop *l = *state;
    const berth_node_id node = loop_node(l, "node", "2");
    loop_add(l, loop_pod_text("low", "1", "", ", nodeName: node, priority: -5"));
    loop_add(l, loop_pod_text("high", "1", "", ", nodeName: node, priority: 5"));
    const berth_pod_id pod = loop_pod(l, "p", "2", "");
    berth_pod_status status;
    assert_int_equal(berth_engine_nominate(l->c.engine, pod, node, NULL), BERTH_OK);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    berth_scheduler_pod(l->scheduler, pod, &status);
    assert_int_equal(status.nominated, BERTH_NODE_NONE);
}

/* A dry run that ends with an error does not affect the pod's nominated node. */
static void test_nomination_outlasts_errors(void **state)
{
    (void)state;
    loop l;
    berth_profile profile = *berth_profile_default();
    profile_points points;
    berth_plugin_list *list = &own_points(&profile, &points)[BERTH_POINT_PRE_FILTER];
    berth_plugin_ref refs[32];
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (strncmp(list->items[i].name.data, "PodTopologySpread", list->items[i].name.len) != 0)
            refs[count++] = list->items[i];
    *list = (berth_plugin_list){refs, count};
    loop_open_as(&l, 0, &profile, 1, 5000, NULL);
    berth_node_id node = loop_node(&l, "node", "1");
    loop_pod(&l, "low", "1", ", nodeName: node, priority: -5");
    berth_pod_id pod = loop_pod(&l, "p", "1", "");
    assert_int_equal(berth_engine_nominate(l.c.engine, pod, node, NULL), BERTH_OK);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    berth_pod_status status;
    berth_scheduler_pod(l.scheduler, pod, &status);
    assert_int_equal(status.nominated, node);
    loop_close(&l);
}

/* A pod of still higher priority takes the node over: the first pod looks elsewhere. */
static void test_nomination_taken_over(void **state)
{
    loop *l = *state;
    fill(l);
    l->evict_answer = BERTH_ANSWER_LATER;
    berth_pod_id high = loop_pod(l, "high", "2", ", priority: 10");
    loop_step(l);
    loop_advance(l, 5000);
    berth_pod_id higher = loop_pod(l, "higher", "2", ", priority: 20");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.pod, higher);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_ACTIVE);
    berth_pod_status status;
    berth_scheduler_pod(l->scheduler, high, &status);
    assert_int_equal(status.nominated, BERTH_NODE_NONE);
    berth_scheduler_pod(l->scheduler, higher, &status);
    assert_int_equal(status.nominated,
                     berth_engine_find_node(l->c.engine, (berth_str)TEXT("node")));
}

/* ---- transactions ---- */

static void test_transactions(void **state)
{
    loop *l = *state;
    berth_placement placement;
    berth_engine *engine = l->c.engine;
    loop_node(l, "node", "4");
    berth_pod_id kept = loop_pod(l, "kept", "1", ""), tried = loop_pod(l, "tried", "1", "");
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_schedule(engine, tried, &placement, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_advance(l->scheduler, 0, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_schedule(engine, kept, &placement, NULL), BERTH_OK);
    small_pod(&l->c, "new", NULL, "", "containers: []");
    assert_int_equal(berth_engine_commit(engine, NULL), BERTH_OK);
    loop_advance(l, 0);
    assert_int_equal(loop_count(l).taken, 1);
    assert_int_equal(loop_count(l).submitted, 3);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, tried);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* A pod whose binding is under way leaves in a transaction; the binding's answer comes too late. */
static void test_deleted_in_a_transaction(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    l->bind_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, "p", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(berth_engine_begin(l->c.engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_remove(l->c.engine, BERTH_KIND_POD, (berth_str)TEXT("default"),
                                         (berth_str)TEXT("p"), NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_commit(l->c.engine, NULL), BERTH_OK);
    loop_advance(l, 0);
    assert_int_equal(l->unbinds, 1);
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_DELETED);
    assert_int_equal(l->unbound.pod, pod);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GONE);
    answer(l, l->bound.id, BERTH_ANSWER_DONE);
    assert_int_equal(loop_count(l).late_answers, 1);
}

static void test_no_scheduler_in_a_transaction(void **state)
{
    (void)state;
    berth_engine_config config;
    berth_engine *engine;
    berth_scheduler *scheduler = NULL;
    berth_error error = {.code = BERTH_OK};
    berth_engine_config_init(&config);
    config.threads = 1;
    assert_int_equal(berth_engine_create(&config, &engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_create(engine, NULL, &scheduler, &error), BERTH_E_STATE);
    assert_null(scheduler);
    berth_engine_destroy(engine);
}

/* ---- the engine's own calls ---- */

/* Pods bound and unbound without the scheduler: bound ones count as taken, unbound ones are
 * submitted. */
static void test_past_the_scheduler(void **state)
{
    loop *l = *state;
    berth_placement placement;
    berth_engine *engine = l->c.engine;
    loop_node(l, "node", "2");
    berth_pod_id pod = loop_pod(l, "p", "2", ""), other = loop_pod(l, "q", "2", "");
    assert_int_equal(berth_engine_schedule(engine, pod, &placement, NULL), BERTH_OK);
    loop_check(l);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.pod, other);
    assert_int_equal(loop_count(l).taken, 1);
    assert_int_equal(berth_engine_unbind(engine, pod, NULL), BERTH_OK);
    loop_advance(l, 0);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_state(l, other), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_count(l).submitted, 3);

    l->bind_answer = BERTH_ANSWER_LATER;
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(berth_engine_unbind(engine, pod, NULL), BERTH_OK);
    loop_advance(l, 0);
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_TAKEN);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_count(l).submitted, 4);
}

/* A transaction removes a pod, and another pod gets its place in the engine before the scheduler
 * looks. */
static void test_index_taken_over(void **state)
{
    loop *l = *state;
    berth_engine *engine = l->c.engine;
    berth_pod_id old = loop_pod(l, "old", "1", "");
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_POD, (berth_str)TEXT("default"),
                                         (berth_str)TEXT("old"), NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_commit(engine, NULL), BERTH_OK);
    berth_pod_id fresh = small_pod(&l->c, "fresh", NULL, "", "containers: []");
    assert_int_equal(loop_state(l, old), BERTH_POD_STATE_GONE);
    assert_int_equal(loop_state(l, fresh), BERTH_POD_STATE_ACTIVE);
    loop_check(l);
    assert_int_equal(loop_count(l).deleted, 1);
    assert_int_equal(loop_count(l).submitted, 2);
}

/* Before the scheduler looks again, a transaction removes the only pod of its kind from the pool,
 * and a node changes. */
static void test_news_before_a_look(void **state)
{
    loop *l = *state;
    berth_engine *engine = l->c.engine;
    berth_node_id node = loop_node(l, "node", "1");
    loop_pod(l, "old", "2", "");
    berth_pod_id other = loop_pod(l, "other", "3", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_POD, (berth_str)TEXT("default"),
                                         (berth_str)TEXT("old"), NULL),
                     BERTH_OK);
    assert_int_equal(berth_scheduler_check(l->scheduler, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_commit(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_close_node(engine, node, true, NULL), BERTH_OK);
    assert_int_equal(berth_engine_close_node(engine, node, false, NULL), BERTH_OK);
    loop_advance(l, 0);
    assert_int_equal(loop_count(l).deleted, 1);
    assert_int_equal(loop_state(l, other), BERTH_POD_STATE_BACKOFF);
}

/* Without any time limits nothing happens by itself, whether time is negative or positive. */
static void test_never_is_never(void **state)
{
    (void)state;
    loop l;
    loop_open(&l, NULL, 0, 0);
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    berth_scheduler_destroy(l.scheduler);
    options.now_ns = -1000;
    options.unschedulable_max_ns = BERTH_TIME_NEVER;
    options.callbacks = (berth_scheduler_callbacks){.context = &l, .bind = loop_bind};
    assert_int_equal(berth_scheduler_create(l.c.engine, &options, &l.scheduler, NULL), BERTH_OK);
    l.bind_answer = BERTH_ANSWER_LATER;
    small_node(&l.c, "node", "");
    small_pod(&l.c, "p", NULL, "", "containers: []");
    small_pod(&l.c, "q", NULL, "", "containers: [], nodeSelector: {a: b}");
    for (int i = 0; i < 2; i++)
        assert_int_equal(berth_scheduler_step(l.scheduler, -1000, &l.step, NULL), BERTH_OK);
    assert_int_equal(loop_count(&l).assumed, 1);
    assert_int_equal(loop_count(&l).unschedulable, 1);
    assert_true(berth_scheduler_next(l.scheduler) == BERTH_TIME_NEVER);
    loop_close(&l);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_set_up, loop_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_options),
        TEST(test_pods_from_before),
        TEST(test_order),
        TEST(test_order_follows_updates),
        TEST(test_refusals_by_plugin),
        TEST(test_backoff),
        cmocka_unit_test_setup_teardown(test_backoff_of_errors_in_seconds, set_up_newest,
                                        loop_tear_down),
        cmocka_unit_test_setup_teardown(test_extreme_backoffs, set_up_newest, loop_tear_down),
        cmocka_unit_test_setup_teardown(test_backoff_pops_early, set_up_newest, loop_tear_down),
        cmocka_unit_test_setup_teardown(test_equal_backoffs, set_up_newest, loop_tear_down),
        cmocka_unit_test_setup_teardown(test_rejections_and_errors_count_apart, set_up_newest,
                                        loop_tear_down),
        TEST(test_backoff_after_waking),
        TEST(test_freed_room),
        TEST(test_gates),
        TEST(test_flush),
        TEST(test_bind_later),
        TEST(test_bind_fails_later),
        TEST(test_forgotten_wakes),
        TEST(test_expiry),
        TEST(test_answer_before_expiry),
        TEST(test_updates_of_assumed),
        TEST(test_taken),
        TEST(test_deleted_meanwhile),
        TEST(test_terminating),
        TEST(test_terminating_while_assumed),
        TEST(test_node_lost_while_assumed),
        TEST(test_removed_by_its_own_name),
        TEST(test_refused_events),
        cmocka_unit_test(test_profiles),
        TEST(test_served_later),
        TEST(test_preemption_at_once),
        TEST(test_preemption_later),
        TEST(test_victims_asked_once),
        TEST(test_preemption_refused),
        TEST(test_nomination_taken_over),
        TEST(test_nomination_without_nodes),
        TEST(test_nomination_in_vain),
        cmocka_unit_test(test_nominations_of_failed_pods),
        cmocka_unit_test(test_nomination_outlasts_errors),
        TEST(test_transactions),
        TEST(test_deleted_in_a_transaction),
        cmocka_unit_test(test_no_scheduler_in_a_transaction),
        TEST(test_past_the_scheduler),
        TEST(test_index_taken_over),
        TEST(test_news_before_a_look),
        cmocka_unit_test(test_never_is_never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
