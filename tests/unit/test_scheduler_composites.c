/* CompositePodGroups in the scheduler: all groups below one have a turn together, wherever the
 * groups between them and the root come from or go.
 * Source: kube-scheduler v1.37, backend/queue/scheduling_queue.go, workload_forest.go;
 * plugins/gangscheduling. */
#include "queue/loop.h"
#include "scheduler_cluster.h"

static int set_up(void **state)
{
    loop *l = malloc(sizeof(*l));
    berth_engine_config config;
    assert_non_null(l);
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str)TEXT(
        "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true");
    loop_open_config(l, config, 0);
    loop_node(l, "n1", "4");
    *state = l;
    return 0;
}

static int tear_down(void **state)
{
    loop *l = *state;
    loop_check(l);
    loop_close(l);
    free(l);
    return 0;
}

/* `parent` may be empty. */
static const char *composite_text(const char *name, const char *parent, const char *policy)
{
    static char text[512];
    snprintf(text, sizeof(text),
             "apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\n"
             "metadata: {name: %s}\nspec: {%s%s%sschedulingPolicy: {%s}}\n",
             name, parent[0] != '\0' ? "parentCompositePodGroupName: " : "", parent,
             parent[0] != '\0' ? ", " : "", policy);
    return text;
}

static const char *group_text(const char *name, const char *parent, int least)
{
    static char text[512];
    snprintf(text, sizeof(text),
             "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: %s}\n"
             "spec: {%s%s%sschedulingPolicy: {gang: {minCount: %d}}}\n",
             name, parent[0] != '\0' ? "parentCompositePodGroupName: " : "", parent,
             parent[0] != '\0' ? ", " : "", least);
    return text;
}

/* A pod of one core. */
static berth_pod_id add_member(loop *l, const char *name, const char *group)
{
    char spec[128];
    snprintf(spec, sizeof(spec), ", schedulingGroup: {podGroupName: %s}", group);
    const berth_pod_id pod = loop_pod(l, name, "1", spec);
    loop_check(l);
    return pod;
}

static void need(loop *l, berth_pod_id pod, berth_pod_state state)
{
    assert_int_equal(loop_state(l, pod), state);
    loop_check(l);
}

/* ---- when a tree enters ---- */

/* Each group must have its pods, and enough groups theirs. */
static void test_waits_for_enough(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("c", "", "gang: {minGroupCount: 2}"));
    loop_add(l, group_text("a", "c", 1));
    loop_add(l, group_text("b", "c", 2));
    berth_pod_id a = add_member(l, "a", "a");
    need(l, a, BERTH_POD_STATE_GATED);
    berth_pod_id b = add_member(l, "b0", "b");
    need(l, a, BERTH_POD_STATE_GATED);
    add_member(l, "b1", "b");
    need(l, a, BERTH_POD_STATE_ACTIVE);
    need(l, b, BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->binds, 3); /* in one turn */
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(l->groups, 3); /* two groups, then the composite one */
    assert_true(l->group.composite);
    assert_false(l->group.below);
    assert_int_equal(l->group.placed, 3);
    assert_int_equal(l->group.waiting, 0);
}

/* A group counts with its pods on nodes, and without the composite group's own policy one is
 * enough. */
static void test_known_pods_count(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("c", "", "gang: {minGroupCount: 2}"));
    loop_add(l, group_text("a", "c", 1));
    loop_add(l, group_text("b", "c", 1));
    berth_pod_id b = add_member(l, "b", "b");
    need(l, b, BERTH_POD_STATE_GATED);
    loop_pod(l, "far", "1", ", nodeName: n1, schedulingGroup: {podGroupName: a}");
    need(l, b, BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_POD, "default", "far");
    loop_update(l, composite_text("c", "", "gang: {minGroupCount: 3}"));
    berth_pod_id late = add_member(l, "late", "b");
    need(l, late, BERTH_POD_STATE_GATED);
    loop_update(l, composite_text("c", "", "basic: {}"));
    need(l, late, BERTH_POD_STATE_ACTIVE);
}

/* ---- groups that come and go ---- */

/* Pods wait for the first group on the way up that is missing. */
static void test_from_below(void **state)
{
    loop *l = *state;
    berth_pod_id a = add_member(l, "a", "leaf"), b = add_member(l, "b", "leaf");
    need(l, a, BERTH_POD_STATE_GATED);
    loop_add(l, group_text("leaf", "mid", 1));
    need(l, a, BERTH_POD_STATE_GATED);
    loop_add(l, composite_text("mid", "top", "basic: {}"));
    need(l, a, BERTH_POD_STATE_GATED);
    loop_add(l, composite_text("top", "", "basic: {}"));
    need(l, a, BERTH_POD_STATE_ACTIVE);
    need(l, b, BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_COMPOSITE_POD_GROUP, "default", "mid");
    need(l, a, BERTH_POD_STATE_GATED);
    need(l, b, BERTH_POD_STATE_GATED);
    loop_add(l, composite_text("mid", "top", "basic: {}"));
    need(l, a, BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_POD_GROUP, "default", "leaf");
    need(l, b, BERTH_POD_STATE_GATED);
    loop_add(l, group_text("leaf", "", 1));
    need(l, b, BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->binds, 2);
    assert_int_equal(l->groups, 1);
    assert_false(l->group.composite);
}

/* Only the pods below a group that goes leave the turn of the others. */
static void test_part_goes(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("top", "", "basic: {}"));
    loop_add(l, composite_text("left", "top", "basic: {}"));
    loop_add(l, composite_text("right", "top", "basic: {}"));
    loop_add(l, group_text("a", "left", 1));
    loop_add(l, group_text("b", "right", 1));
    berth_pod_id a = add_member(l, "a", "a"), b = add_member(l, "b", "b");
    need(l, a, BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_COMPOSITE_POD_GROUP, "default", "left");
    need(l, a, BERTH_POD_STATE_GATED);
    need(l, b, BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == b);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_add(l, composite_text("left", "", "basic: {}")); /* now a root */
    need(l, a, BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == a);
}

/* The same if all of it happens in one transaction, which the queue only sees at its end. */
static void test_transaction(void **state)
{
    loop *l = *state;
    berth_error error = {.code = BERTH_OK};
    loop_add(l, composite_text("top", "", "basic: {}"));
    loop_add(l, group_text("a", "top", 1));
    loop_add(l, group_text("b", "top", 1));
    berth_pod_id a = add_member(l, "a", "a"), b = add_member(l, "b", "b");
    small_require(berth_engine_begin(l->c.engine, &error), &error);
    small_addf(&l->c, "%s", group_text("c", "other", 1));
    small_require(berth_engine_remove(l->c.engine, BERTH_KIND_POD_GROUP, (berth_str)TEXT("default"),
                                      (berth_str)TEXT("a"), &error),
                  &error);
    small_addf(&l->c, "%s", group_text("a", "other", 1));
    small_require(berth_engine_commit(l->c.engine, &error), &error);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == b);
    need(l, a, BERTH_POD_STATE_GATED);
    loop_add(l, composite_text("other", "", "basic: {}"));
    need(l, a, BERTH_POD_STATE_ACTIVE);
}

/* The pods of several groups change their roots one by one, those of each group in two steps. */
static void test_many_move(void **state)
{
    static const char *const groups[] = {"a", "b", "c", "d"};
    loop *l = *state;
    berth_error error = {.code = BERTH_OK};
    char name[16], parent[16];
    for (int i = 0; i < 4; i++) {
        snprintf(parent, sizeof(parent), "old-%s", groups[i]);
        loop_add(l, group_text(groups[i], parent, 1));
    }
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        add_member(l, name, groups[i % 4]);
    }
    small_require(berth_engine_begin(l->c.engine, &error), &error);
    for (int i = 0; i < 4; i++) {
        const berth_str group = {groups[i], 1};
        snprintf(parent, sizeof(parent), "new-%s", groups[i]);
        small_require(berth_engine_remove(l->c.engine, BERTH_KIND_POD_GROUP,
                                          (berth_str)TEXT("default"), group, &error),
                      &error);
        small_addf(&l->c, "%s", group_text(groups[i], parent, 1));
    }
    small_require(berth_engine_commit(l->c.engine, &error), &error);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_add(l, composite_text("new-b", "", "basic: {}"));
    need(l, loop_find(l, "p1"), BERTH_POD_STATE_ACTIVE);
    need(l, loop_find(l, "p0"), BERTH_POD_STATE_GATED);
}

/* A group below too many others waits for a change, and holds nobody else up. */
static void test_too_deep(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("c1", "", "basic: {}"));
    loop_add(l, composite_text("c2", "c1", "basic: {}"));
    loop_add(l, composite_text("c3", "c2", "basic: {}"));
    loop_add(l, composite_text("c4", "c3", "basic: {}"));
    loop_add(l, group_text("leaf", "c4", 1));
    loop_add(l, group_text("other", "c1", 1));
    berth_pod_id a = add_member(l, "a", "leaf"), b = add_member(l, "b", "other");
    need(l, a, BERTH_POD_STATE_GATED);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_true(l->step.pod == b);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_update(l, composite_text("c2", "", "basic: {}")); /* an API server refuses this */
    need(l, a, BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* Groups that are above one another have no root. */
static void test_circle(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("c1", "c2", "basic: {}"));
    loop_add(l, composite_text("c2", "c1", "basic: {}"));
    loop_add(l, group_text("leaf", "c1", 1));
    berth_pod_id a = add_member(l, "a", "leaf");
    need(l, a, BERTH_POD_STATE_GATED);
    loop_update(l, composite_text("c2", "c1", "gang: {minGroupCount: 1}"));
    need(l, a, BERTH_POD_STATE_GATED);
    loop_remove(l, BERTH_KIND_COMPOSITE_POD_GROUP, "default", "c2");
    loop_update(l, composite_text("c1", "", "basic: {}"));
    need(l, a, BERTH_POD_STATE_ACTIVE);
}

/* ---- outcomes ---- */

/* Two gangs of three below c, of which a node of four cores takes one. */
static void add_two_gangs(loop *l, berth_pod_id *pods)
{
    char name[8];
    loop_add(l, group_text("a", "c", 3));
    loop_add(l, group_text("b", "c", 3));
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        pods[i] = add_member(l, name, i < 3 ? "a" : "b");
    }
}

/* The pods of a group that did not fit stay, and get another turn. */
static void test_left_over(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("c", "", "basic: {}"));
    berth_pod_id pods[6];
    add_two_gangs(l, pods);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->binds, 3);
    assert_int_equal(l->groups, 3);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(l->group.waiting, 3);
    assert_int_equal(l->part_placed, 3); /* one group has all its pods placed, the other none */
    assert_int_equal(l->part_waiting, 3);
    for (int i = 1; i < 6; i++)
        assert_int_equal(loop_step(l), i < 3 ? BERTH_STEP_BOUND : BERTH_STEP_UNSCHEDULABLE);
    need(l, pods[4], BERTH_POD_STATE_ACTIVE);
    loop_node(l, "n2", "4");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->binds, 6);
}

/* An error of one pod is that of the whole tree, whose words each pod gets, that one too. */
static void test_error(void **state)
{
    static const char words[] =
        "composite pod group evaluation failed due to child error: failed to schedule other pod "
        "from a pod group: running PreFilter plugin";
    loop *l = *state;
    berth_scheduler_options options;
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_destroy(l->scheduler);
    berth_scheduler_options_init(&options);
    options.explanation = l->c.explanation;
    small_require(berth_scheduler_create(l->c.engine, &options, &l->scheduler, &error), &error);
    loop_add(l, composite_text("c", "", "basic: {}"));
    loop_add(l, group_text("a", "c", 1));
    loop_add(l, group_text("b", "c", 1));
    loop_pod(l, "a0", "1",
             ", schedulingGroup: {podGroupName: a}, topologySpreadConstraints: [{maxSkew: 1, "
             "topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
             "{matchExpressions: [{key: a, operator: Foo}]}}]");
    add_member(l, "b0", "b");
    for (int i = 0; i < 2; i++) {
        assert_int_equal(loop_step(l), BERTH_STEP_ERROR);
        const berth_str message = berth_explanation_message(l->c.explanation);
        assert_true(message.len > sizeof(words));
        assert_memory_equal(message.data, words, sizeof(words) - 1);
    }
}

/* A refused tree waits as a whole, for longer than a pod would. */
static void test_refused(void **state)
{
    loop *l = *state;
    loop_add(l, composite_text("c", "", "gang: {minGroupCount: 2}"));
    berth_pod_id pods[6];
    add_two_gangs(l, pods);
    for (int i = 0; i < 6; i++)
        assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->binds, 0);
    assert_int_equal(l->group.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(l->group.waiting, 6);
    for (int i = 0; i < 6; i++)
        need(l, pods[i], BERTH_POD_STATE_BACKOFF);
    loop_node(l, "n2", "4");
    loop_advance(l, 60000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->binds, 6);
}

/* The composite group preempts under its own name. */
static void test_preempts(void **state)
{
    loop *l = *state;
    loop_pod(l, "low", "4", ", nodeName: n1, priority: -5");
    loop_add(l, composite_text("c", "", "gang: {minGroupCount: 2}"));
    loop_add(l, group_text("a", "c", 1));
    loop_add(l, group_text("b", "c", 1));
    l->evict_answer = BERTH_ANSWER_LATER;
    berth_pod_id a = add_member(l, "a", "a"), b = add_member(l, "b", "b");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 1);
    assert_true(l->group.preempts);
    assert_int_equal(l->group.victim_count, 1);
    need(l, a, BERTH_POD_STATE_GATED);
    loop_remove(l, BERTH_KIND_POD, "default", "low");
    loop_advance(l, 60000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE); /* the second pod's report */
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->binds, 2);
    (void)b;
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_waits_for_enough), TEST(test_known_pods_count),
        TEST(test_from_below),       TEST(test_part_goes),
        TEST(test_transaction),      TEST(test_many_move),
        TEST(test_circle),           TEST(test_too_deep),
        TEST(test_left_over),        TEST(test_error),
        TEST(test_refused),          TEST(test_preempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
