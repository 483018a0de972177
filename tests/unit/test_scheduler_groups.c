/* PodGroups in the scheduler: when a group's turn comes, what its pods get, and how long those that
 * got nothing wait.
 * Source: kube-scheduler v1.37, backend/queue/scheduling_queue.go, schedule_one_podgroup.go. */
#include "base/hash.h"
#include "counted_memory.h"
#include "queue/loop.h"
#include "scheduler_cluster.h"

static int set_up_with(void **state, const char *gates)
{
    loop *l = malloc(sizeof(*l));
    berth_engine_config config;
    assert_non_null(l);
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str){gates, (uint32_t)strlen(gates)};
    loop_open_config(l, config, 0);
    *state = l;
    return 0;
}

static int set_up(void **state)
{
    return set_up_with(state, "GenericWorkload=true");
}

static int set_up_domains(void **state)
{
    return set_up_with(state, "GenericWorkload=true,TopologyAwareWorkloadScheduling=true");
}

static const char *group_text(const char *name, const char *spec)
{
    static char text[512];
    snprintf(text, sizeof(text),
             "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: %s}\n"
             "spec: {%s}\n",
             name, spec);
    return text;
}

static void add_gang(loop *l, const char *name, int minimum, int priority)
{
    char spec[128];
    snprintf(spec, sizeof(spec), "schedulingPolicy: {gang: {minCount: %d}}, priority: %d", minimum,
             priority);
    loop_add(l, group_text(name, spec));
}

/* A pod of one core. */
static berth_pod_id add_member(loop *l, const char *name, const char *group, int priority)
{
    char spec[128];
    snprintf(spec, sizeof(spec), ", priority: %d, schedulingGroup: {podGroupName: %s}", priority,
             group);
    return loop_pod(l, name, "1", spec);
}

/* A node with four cores, and the first pod of a gang that needs so many. */
static berth_pod_id add_first(loop *l, uint32_t least)
{
    loop_node(l, "n1", "4");
    add_gang(l, "g", least, 0);
    return add_member(l, "a", "g", 0);
}

/* ---- when a group enters ---- */

static void test_waits_for_its_pods(void **state)
{
    loop *l = *state;
    berth_pod_id a = add_first(l, 2);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    berth_pod_id b = add_member(l, "b", "g", 0);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_count(l).woken, 1);
    assert_int_equal(loop_count(l).active, 2);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == a);
    assert_int_equal(l->binds, 2); /* both are placed by then */
    assert_int_equal(berth_scheduler_next(l->scheduler), 0);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == b);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(l->groups, 1);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(l->group.placed, 2);
    assert_int_equal(l->group.waiting, 0);
}

static void test_waits_for_its_object(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "4");
    berth_pod_id a = add_member(l, "a", "g", 0);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    loop_add(l, group_text("other", "schedulingPolicy: {basic: {}}"));
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    loop_add(l, group_text("g", "schedulingPolicy: {basic: {}}"));
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_POD_GROUP, "default", "g");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    loop_add(l, group_text("g", "schedulingPolicy: {basic: {}}"));
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* Pods on nodes count, even if another scheduler bound them; and so does a lower minimum. */
static void test_known_pods_count(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "8");
    add_gang(l, "g", 3, 0);
    loop_pod(l, "on1", "1", ", nodeName: n1, schedulingGroup: {podGroupName: g}");
    berth_pod_id a = add_member(l, "a", "g", 0);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    loop_pod(l, "on2", "1", ", nodeName: n1, schedulingGroup: {podGroupName: g}");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    add_gang(l, "h", 2, 0);
    berth_pod_id b = add_member(l, "b", "h", 0);
    loop_pod(l, "c", "1", ", schedulerName: other, schedulingGroup: {podGroupName: h}");
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_GATED);
    loop_update(l, group_text("h", "schedulingPolicy: {gang: {minCount: 1}}"));
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_ACTIVE);
}

/* A pod whose group was changed waits for its new group, and no longer counts for the old one. */
static void test_changes_its_group(void **state)
{
    loop *l = *state;
    berth_pod_id a = add_first(l, 3);
    add_gang(l, "h", 1, 0);
    berth_pod_id b = add_member(l, "b", "g", 0);
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_GATED);
    loop_update(l, loop_pod_text("b", "1", "", ", schedulingGroup: {podGroupName: h}"));
    add_member(l, "c", "g", 0);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == b);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    add_member(l, "d", "g", 0);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
}

static void test_gated_pod_gates_all(void **state)
{
    loop *l = *state;
    berth_pod_id a = add_first(l, 1);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    loop_pod(l, "b", "1", ", schedulingGroup: {podGroupName: g}, schedulingGates: [{name: w}]");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_count(l).gated, 2);
    loop_update(l, loop_pod_text("b", "1", "", ", schedulingGroup: {podGroupName: g}"));
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_POD, "default", "a");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* The turn has the priority of the PodGroup; pods of it keep the order in which they came. */
static void test_order(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "8");
    berth_pod_id single = loop_pod(l, "s", "1", ", priority: 5");
    add_gang(l, "low", 1, 1);
    add_gang(l, "high", 2, 9);
    berth_pod_id low = add_member(l, "z", "low", 1);
    berth_pod_id second = add_member(l, "second", "high", 9),
                 third = add_member(l, "first", "high", 9);
    const berth_pod_id order[] = {second, third, single, low};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
        assert_true(l->step.pod == order[i]);
    }
}

/* ---- groups that are refused ---- */

static void test_backs_off(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "1");
    add_gang(l, "g", 2, 0);
    berth_pod_id a = add_member(l, "a", "g", 0), b = add_member(l, "b", "g", 0);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_true(l->step.pod == a && l->step.placement.node == BERTH_NODE_NONE);
    assert_int_equal(l->step.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_true(l->step.pod == b);
    assert_int_equal(l->binds, 0);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(l->group.waiting, 2);
    assert_string_equal(l->group_message,
                        "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, pod group "
                        "preemption: No preemption victims found for incoming preemptor");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, a), 2000); /* the second after the backoff of one second */
    assert_int_equal(loop_count(l).backoff, 2);
    assert_int_equal(loop_count(l).unplaced, 2);
    berth_pod_status status;
    berth_scheduler_pod(l->scheduler, b, &status);
    assert_int_equal(status.rejector_count, 1); /* b itself did not fit, a did */
    berth_scheduler_pod(l->scheduler, a, &status);
    assert_int_equal(status.rejector_count, 0);
    /* Nothing ends the backoff early, neither a new node nor the lack of other active pods. */
    loop_node(l, "n2", "1");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 1999);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_BACKOFF);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.attempt, 2);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_count(l).popped_early, 0);
    assert_int_equal(loop_count(l).backoff_ended, 2);
}

/* A change of the PodGroup neither ends the backoff of its pods nor forgets their attempts. */
static void test_changed_in_backoff(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "1");
    add_gang(l, "g", 2, 0);
    berth_pod_id a = add_member(l, "a", "g", 0);
    add_member(l, "b", "g", 0);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_update(l, group_text("g", "schedulingPolicy: {gang: {minCount: 2}}, priority: 0"));
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, a), 2000);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.attempt, 2);
}

/* The reported rejectors of a pod are those of its last attempt. */
static void test_rejectors(void **state)
{
    loop *l = *state;
    const uint32_t rejected[2][3] = {{0, 1, 0}, {0, 0, 1}};
    berth_pod_id pods[3];
    add_gang(l, "g", 3, 0);
    for (int i = 0; i < 3; i++)
        pods[i] = add_member(l, (const char *[]){"a", "b", "c"}[i], "g", 0);
    for (int attempt = 0; attempt < 2; attempt++) {
        loop_node(l, attempt == 0 ? "n1" : "n2", "1");
        loop_advance(l, loop_state(l, pods[0]) == BERTH_POD_STATE_BACKOFF ? loop_due_ms(l, pods[0])
                                                                          : 0);
        for (int i = 0; i < 3; i++)
            assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
        for (int i = 0; i < 3; i++) {
            berth_pod_status status;
            berth_scheduler_pod(l->scheduler, pods[i], &status);
            assert_int_equal(status.rejector_count, rejected[attempt][i]);
        }
    }
}

/* Replace the scheduler by one that explains. */
static void explain(loop *l)
{
    berth_scheduler_options options;
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_destroy(l->scheduler);
    berth_scheduler_options_init(&options);
    options.explanation = l->c.explanation;
    small_require(berth_scheduler_create(l->c.engine, &options, &l->scheduler, &error), &error);
}

static void check_words(loop *l, const char *const *words, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
        assert_text(berth_explanation_message(l->c.explanation), words[i]);
    }
}

/* Each pod has its own message if it did not fit. Otherwise it has the group's message; if the pod
 * was not tried, the one from before preemption. */
static void test_words(void **state)
{
    loop *l = *state;
    explain(l);
    loop_node(l, "n1", "1");
    add_gang(l, "g", 3, 0);
    add_member(l, "a", "g", 0);
    add_member(l, "b", "g", 0);
    add_member(l, "c", "g", 0);
    static const char *const words[] = {
        ("pod group is unschedulable, minCount (3) cannot be satisfied: 1 scheduled, 1 remaining, "
         "pod group preemption: No preemption victims found for incoming preemptor"),
        "0/1 nodes are available: 1 Insufficient cpu.",
        "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"};
    check_words(l, words, 3);
}

/* With domains, the message is about the first one: there, the last two pods were not tried,
 * although the second domain takes two pods. */
static void test_words_of_domains(void **state)
{
    static const char *const words[] = {
        "0/1 nodes are available: 1 Insufficient cpu.",
        ("pod group is unschedulable, 0/2 placements are available, first placement status: "
         "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining"),
        ("pod group is unschedulable, 0/2 placements are available, first placement status: "
         "minCount (3) cannot be satisfied: 0 scheduled, 2 remaining")};
    loop *l = *state;
    explain(l);
    loop_add(l, loop_node_text("n1", "500m", ", labels: {rack: a}", ""));
    loop_add(l, loop_node_text("n2", "2", ", labels: {rack: b}", ""));
    loop_add(l, group_text("g", "schedulingPolicy: {gang: {minCount: 3}}, "
                                "schedulingConstraints: {topology: [{key: rack}]}"));
    add_member(l, "a", "g", 0);
    add_member(l, "b", "g", 0);
    add_member(l, "c", "g", 0);
    check_words(l, words, 3);
    loop_add(l, loop_node_text("n3", "2", ", labels: {rack: b}", ""));
    loop_advance(l, 60000);
    for (int i = 0; i < 3; i++)
        assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* The longest backoff grows with the square root of the number of pods. */
static void test_long_backoff(void **state)
{
    loop *l = *state;
    char name[8];
    loop_node(l, "n1", "1");
    add_gang(l, "g", 4, 0);
    berth_pod_id pods[4];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = add_member(l, name, "g", 0);
    }
    const int64_t backoffs_ms[] = {1000, 2000, 4000, 8000, 16000, 20000, 20000};
    for (unsigned i = 0; i < sizeof(backoffs_ms) / sizeof(backoffs_ms[0]); i++) {
        for (int k = 0; k < 4; k++)
            assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
        assert_int_equal(loop_due_ms(l, pods[3]), l->now_ms + backoffs_ms[i] + 1000);
        loop_advance(l, l->now_ms + backoffs_ms[i] + 1000);
        assert_int_equal(loop_state(l, pods[3]), BERTH_POD_STATE_ACTIVE);
    }
}

/* Pods that were left over are tried again at once, and go to backoff if they still do not fit. */
static void test_left_over(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "2");
    add_gang(l, "g", 2, 0);
    add_member(l, "a", "g", 0);
    add_member(l, "b", "g", 0);
    berth_pod_id c = add_member(l, "c", "g", 0);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(l->group.waiting, 1);
    assert_int_equal(loop_state(l, c), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, c), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, c), 2000);
    loop_remove(l, BERTH_KIND_POD, "default", "a");
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

static void test_contradiction(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "4");
    add_gang(l, "g", 1, 7);
    berth_pod_id a = add_member(l, "a", "g", 3);
    assert_int_equal(loop_step(l), BERTH_STEP_ERROR);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(loop_count(l).errors, 1);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_due_ms(l, a), 2000); /* one error: the first backoff */
}

/* ---- bindings ---- */

static void refuse_second(loop *l)
{
    l->bind_answer = l->binds == 1 ? BERTH_ANSWER_FAILED : BERTH_ANSWER_DONE;
}

/* A node with room for a gang of two pods; returns the second one. */
static berth_pod_id add_pair(loop *l)
{
    add_first(l, 2);
    return add_member(l, "b", "g", 0);
}

/* A pod whose binding fails at once takes part in the group's next turn. */
static void test_binding_fails(void **state)
{
    loop *l = *state;
    berth_pod_id b = add_pair(l);
    l->inside = refuse_second;
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_true(l->step.pod == b);
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_ACTIVE);
    l->inside = NULL;
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->group.placed, 1);
}

/* A binding that fails later starts a new turn, which comes at once. */
static void test_binding_fails_later(void **state)
{
    loop *l = *state;
    berth_pod_id b = add_pair(l);
    l->bind_answer = BERTH_ANSWER_LATER;
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(loop_count(l).assumed, 2);
    assert_int_equal(
        berth_scheduler_bind_done(l->scheduler, l->step.binding, BERTH_ANSWER_FAILED, NULL),
        BERTH_OK);
    loop_advance(l, 1);
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
}

/* ---- preemption ---- */

static void test_preempts_as_a_whole(void **state)
{
    loop *l = *state;
    berth_node_id n1 = loop_node(l, "n1", "1"), n2 = loop_node(l, "n2", "1");
    berth_pod_id low = loop_pod(l, "low", "1", ", nodeName: n1");
    berth_pod_id lower = loop_pod(l, "lower", "1", ", nodeName: n2");
    add_gang(l, "g", 2, 10);
    berth_pod_id a = add_member(l, "a", "g", 10), b = add_member(l, "b", "g", 10);
    l->evict_answer = BERTH_ANSWER_LATER;
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 2);
    assert_int_equal(l->step.victim_count, 2);
    assert_int_not_equal(l->step.nominated, BERTH_NODE_NONE);
    berth_node_id first = l->step.nominated;
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.nominated, first == n1 ? n2 : n1);
    assert_int_equal(l->step.victim_count, 0);
    assert_int_equal(berth_engine_pod_nominated(l->c.engine, a), first);
    assert_int_equal(berth_engine_pod_nominated(l->c.engine, b), l->step.nominated);
    assert_true(l->group.preempts);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED); /* until the evictions begin */
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_remove(l, BERTH_KIND_POD, "default", "low");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    loop_update(l, loop_pod_text("lower", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                 ", nodeName: n2"));
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED); /* no pod has left since */
    loop_remove(l, BERTH_KIND_POD, "default", "lower");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == a);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == b);
    (void)low;
    (void)lower;
}

/* An eviction that fails lets the group try again at once. */
static void test_victim_stays(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "1");
    berth_pod_id low = loop_pod(l, "low", "1", ", nodeName: n1");
    add_gang(l, "g", 1, 10);
    berth_pod_id a = add_member(l, "a", "g", 10);
    l->evict_answer = BERTH_ANSWER_LATER;
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    assert_int_equal(berth_scheduler_evict_done(l->scheduler, low, BERTH_ANSWER_FAILED, NULL),
                     BERTH_OK);
    loop_advance(l, 1);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    l->evict_answer = BERTH_ANSWER_DONE;
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_advance(l, loop_due_ms(l, a));
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

static void test_eviction_is_refused(void **state)
{
    loop *l = *state;
    loop_node(l, "n1", "1");
    loop_pod(l, "low", "1", ", nodeName: n1");
    add_gang(l, "g", 1, 10);
    berth_pod_id a = add_member(l, "a", "g", 10);
    l->evict_answer = BERTH_ANSWER_FAILED;
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->troubles, 1);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_BACKOFF);
}

/* ---- changes behind the scheduler's back ---- */

static void test_transaction(void **state)
{
    loop *l = *state;
    berth_error error = {.code = BERTH_OK};
    berth_node_id n1 = loop_node(l, "n1", "4");
    add_gang(l, "g", 3, 0);
    berth_pod_id a = add_member(l, "a", "g", 0), b = add_member(l, "b", "g", 0);
    small_require(berth_engine_begin(l->c.engine, &error), &error);
    small_require(berth_engine_bind(l->c.engine, a, n1, &error), &error);
    small_add(&l->c, loop_pod_text("c", "1", "", ", schedulingGroup: {podGroupName: g}"));
    small_require(berth_engine_commit(l->c.engine, &error), &error);
    loop_advance(l, 1);
    assert_int_equal(loop_count(l).taken, 1);
    assert_int_equal(loop_state(l, b), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
}

static berth_status update_object(void *context, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    return berth_engine_update(((loop *)context)->c.engine, object, error);
}

/* Pods that are gone, a PodGroup that was replaced, and a pod of another group. */
static void test_transaction_removes(void **state)
{
    loop *l = *state;
    berth_error error = {.code = BERTH_OK};
    berth_pod_id a = add_first(l, 2);
    add_member(l, "b", "g", 0);
    berth_pod_id c = loop_pod(l, "c", "1", "");
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
    small_require(berth_engine_begin(l->c.engine, &error), &error);
    for (int i = 0; i < 2; i++)
        small_require(berth_engine_remove(l->c.engine, BERTH_KIND_POD, BERTH_STR("default"),
                                          i == 0 ? BERTH_STR("a") : BERTH_STR("b"), &error),
                      &error);
    const char *text = loop_pod_text("c", "1", "", ", schedulingGroup: {podGroupName: h}");
    small_require(berth_reader_text(l->c.reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    update_object, l, &error),
                  &error);
    small_require(berth_engine_commit(l->c.engine, &error), &error);
    loop_advance(l, 1);
    assert_int_equal(loop_count(l).deleted, 2);
    assert_int_equal(loop_state(l, c), BERTH_POD_STATE_GATED);
    small_require(berth_engine_begin(l->c.engine, &error), &error);
    small_add(&l->c, group_text("h", "schedulingPolicy: {basic: {}}"));
    small_require(berth_engine_commit(l->c.engine, &error), &error);
    loop_advance(l, 2);
    assert_int_equal(loop_state(l, c), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* If a claim is removed while another reason gates the group, the group then waits for the claim.
 */
static void test_claim_goes_and_comes(void **state)
{
    static const char class[] = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
                                "metadata: {name: d}\n";
    static const char claim[] =
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: r}\n"
        "spec: {devices: {requests: [{name: q, exactly: {deviceClassName: d}}]}}\n";
    loop *l = *state;
    loop_node(l, "n1", "4");
    loop_add(l, class);
    loop_add(l, claim);
    add_gang(l, "g", 2, 0);
    berth_pod_id a = loop_pod(l, "a", "1",
                              ", schedulingGroup: {podGroupName: g}, resourceClaims: [{name: r, "
                              "resourceClaimName: r}]");
    loop_remove(l, BERTH_KIND_RESOURCE_CLAIM, "default", "r");
    add_member(l, "b", "g", 0);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_GATED);
    loop_add(l, claim);
    assert_int_equal(loop_state(l, a), BERTH_POD_STATE_ACTIVE);
}

/* A refused group ends the nominations of those of its pods that would have fitted, only. */
static void test_nominations_of_a_refused_group(void **state)
{
    static const char pod[] = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\n"
                              "spec: {schedulingGroup: {podGroupName: g}, containers: [{name: c, "
                              "image: i, resources: {requests: {cpu: %d}}}]}\n"
                              "status: {nominatedNodeName: %s}\n";
    loop *l = *state;
    char text[512];
    berth_pod_status status;
    loop_node(l, "n1", "4");
    loop_node(l, "n2", "4");
    add_gang(l, "g", 2, 0);
    snprintf(text, sizeof(text), pod, "fits", 1, "n1");
    loop_add(l, text);
    snprintf(text, sizeof(text), pod, "large", 9, "n2");
    loop_add(l, text);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    berth_scheduler_pod(l->scheduler, loop_find(l, "fits"), &status);
    assert_int_equal(status.nominated, BERTH_NODE_NONE);
    berth_scheduler_pod(l->scheduler, loop_find(l, "large"), &status);
    assert_int_not_equal(status.nominated, BERTH_NODE_NONE);
}

/* A group is dropped with its last pod, however that pod is deleted. */
static void test_groups_go(void **state)
{
    loop *l = *state;
    char name[16];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof(name), "g%d", i);
        add_member(l, "a", name, 0);
        loop_check(l);
        loop_remove(l, BERTH_KIND_POD, "default", "a");
        loop_check(l);
    }
    assert_int_equal(loop_count(l).deleted, 100);
}

/* Groups that still wait go with their scheduler, those of the table's first and last place too. */
static void test_memory_of_waiting_groups(void **state)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    loop l;
    berth_engine_config config;
    (void)state;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str)TEXT("GenericWorkload=true");
    config.allocator = &allocator;
    loop_open_config(&l, config, 0);
    const berth__keymap *groups = &l.scheduler->queue.groups.by_name;
    for (int i = 0; groups->buckets[0] == NULL || groups->buckets[groups->bucket_count - 1] == NULL;
         i++) {
        char pod[16], group[16];
        assert_true(i < 10000);
        snprintf(pod, sizeof(pod), "p%d", i);
        snprintf(group, sizeof(group), "g%d", i);
        add_member(&l, pod, group, 0);
    }
    loop_close(&l);
    assert_int_equal(atomic_load(&memory.bytes), 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, loop_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_waits_for_its_pods),
        TEST(test_waits_for_its_object),
        TEST(test_known_pods_count),
        TEST(test_changes_its_group),
        TEST(test_gated_pod_gates_all),
        TEST(test_order),
        TEST(test_backs_off),
        TEST(test_changed_in_backoff),
        TEST(test_words),
        cmocka_unit_test_setup_teardown(test_words_of_domains, set_up_domains, loop_tear_down),
        TEST(test_rejectors),
        TEST(test_long_backoff),
        TEST(test_left_over),
        TEST(test_contradiction),
        TEST(test_binding_fails),
        TEST(test_binding_fails_later),
        TEST(test_preempts_as_a_whole),
        TEST(test_victim_stays),
        TEST(test_eviction_is_refused),
        TEST(test_transaction),
        TEST(test_nominations_of_a_refused_group),
        TEST(test_groups_go),
        TEST(test_transaction_removes),
        TEST(test_claim_goes_and_comes),
        cmocka_unit_test(test_memory_of_waiting_groups),
    };
    berth__hash_set_secret(1); /* groups then fill the first and the last place of their table */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
