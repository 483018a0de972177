/* What a scheduler's callbacks may do, and which of their calls are refused. */
#include "branch_cluster.h"
#include "scheduler_cluster.h"
#include <pthread.h>

/* ---- nothing changes ---- */

static berth_metadata named(const char *name)
{
    return (berth_metadata){.name = {name, (uint32_t)strlen(name)}};
}

static void refuse_objects(loop *l)
{
    berth_engine *engine = l->c.engine;
    const berth_str space = TEXT("default"), name = TEXT("there");
    const berth_pod pod = {.meta = named("there")};
    const berth_node node = {.meta = named("another")};
    const berth_object objects[] = {{.kind = BERTH_KIND_POD, .as.pod = &pod},
                                    {.kind = BERTH_KIND_NODE, .as.node = &node}};
    berth_pod_id id;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(berth_engine_add(engine, &objects[i], NULL, NULL), BERTH_E_STATE);
        assert_int_equal(berth_engine_update(engine, &objects[i], NULL), BERTH_E_STATE);
        assert_int_equal(berth_scheduler_add(l->scheduler, 0, &objects[i], NULL, NULL),
                         BERTH_E_STATE);
        assert_int_equal(berth_scheduler_update(l->scheduler, 0, &objects[i], NULL), BERTH_E_STATE);
    }
    assert_int_equal(berth_engine_remove(engine, BERTH_KIND_POD, space, name, NULL), BERTH_E_STATE);
    assert_int_equal(berth_scheduler_remove(l->scheduler, 0, BERTH_KIND_POD, space, name, NULL),
                     BERTH_E_STATE);
    assert_int_equal(berth_engine_add_like(engine, berth_engine_find_pod(engine, space, name),
                                           (berth_str)TEXT("twin"), &id, NULL),
                     BERTH_E_STATE);
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_E_STATE);
}

static void refuse_decisions(loop *l)
{
    berth_engine *engine = l->c.engine;
    berth_placement placement;
    berth_step step;
    uint32_t count;
    berth_node_id node = berth_engine_find_node(engine, (berth_str)TEXT("spare"));
    berth_pod_id there =
        berth_engine_find_pod(engine, (berth_str)TEXT("default"), (berth_str)TEXT("there"));
    berth_pod_id waits =
        berth_engine_find_pod(engine, (berth_str)TEXT("default"), (berth_str)TEXT("waits"));
    assert_int_equal(berth_engine_decide(engine, waits, NULL, &placement, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_schedule(engine, waits, &placement, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_bind(engine, waits, node, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_unbind(engine, there, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_nominate(engine, waits, node, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_commit(engine, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_cordon_node(engine, node, true, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_close_node(engine, node, true, NULL), BERTH_E_STATE);
    assert_int_equal(berth_engine_schedule_group(engine, &waits, 1, &placement, &count, NULL),
                     BERTH_E_STATE);
    assert_int_equal(berth_engine_fit_count(engine, waits, 1, &count, &node, NULL, NULL),
                     BERTH_E_STATE);
    assert_int_equal(berth_scheduler_advance(l->scheduler, 0, NULL), BERTH_E_STATE);
    assert_int_equal(berth_scheduler_step(l->scheduler, 0, &step, NULL), BERTH_E_STATE);
}

static uint32_t refusals;

static void try_all(loop *l)
{
    uint64_t before = berth_engine_digest(l->c.engine);
    berth_error error = {.code = BERTH_OK};
    refuse_objects(l);
    refuse_decisions(l);
    assert_int_equal(berth_engine_begin(l->c.engine, &error), BERTH_E_STATE);
    assert_non_null(strstr(error.message, "callback"));
    assert_int_equal(berth_engine_digest(l->c.engine), before);
    refusals++;
}

/* A callback tries to change the engine. */
static void try_one(loop *l)
{
    assert_int_equal(berth_engine_begin(l->c.engine, NULL), BERTH_E_STATE);
}

/* From each of the four callbacks: bind, unbind, evict, report. Afterwards the scheduler
 * continues. */
static void test_changes_are_refused(void **state)
{
    loop *l = *state;
    loop_node(l, "spare", "500m");
    loop_node(l, "node", "2");
    loop_add(l, loop_pod_text("there", "100m", "", ", nodeName: spare"));
    loop_add(l, loop_pod_text("low", "2", "", ", nodeName: node"));
    loop_pod(l, "waits", "64", ", priority: -1");
    refusals = 0;
    l->inside = try_all;
    l->bind_answer = BERTH_ANSWER_FAILED; /* bound, then unbound */
    loop_pod(l, "p", "100m", "");
    assert_int_equal(loop_step(l), BERTH_STEP_FORGOTTEN);
    assert_int_equal(refusals, 2);
    loop_pod(l, "high", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 1);
    assert_int_equal(refusals, 3);
    assert_int_equal(berth_scheduler_post_remove(l->scheduler, BERTH_KIND_POD,
                                                 (berth_str)TEXT("default"),
                                                 (berth_str)TEXT("nobody"), NULL),
                     BERTH_OK);
    loop_advance(l, 1);
    assert_int_equal(l->troubles, 1);
    assert_int_equal(refusals, 4);
    l->inside = NULL;
    l->bind_answer = BERTH_ANSWER_DONE;
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(berth_engine_begin(l->c.engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_rollback(l->c.engine, NULL), BERTH_OK);
}

/* ---- a callback that waits for a branch ---- */

static berth_engine *branch;
static uint32_t branch_pods;

static void *add_to_branch(void *unused)
{
    char name[32];
    (void)unused;
    snprintf(name, sizeof(name), "of-branch-%u", (unsigned)branch_pods++);
    const berth_pod pod = {.meta = named(name)};
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = &pod};
    return berth_engine_add(branch, &object, NULL, NULL) == BERTH_OK ? branch : NULL;
}

static void wait_for_branch(loop *l)
{
    pthread_t thread;
    void *result = NULL;
    (void)l;
    assert_int_equal(pthread_create(&thread, NULL, add_to_branch, NULL), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_non_null(result);
}

static void assume(loop *l, const char *name)
{
    loop_pod(l, name, "100m", "");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
}

/* Pods and nodes are added and removed while another thread adds names to the same tables. */
static void test_callback_may_wait_for_a_branch(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    branch = branch_off(&l->c);
    branch_pods = 0;
    l->inside = wait_for_branch;
    l->bind_answer = BERTH_ANSWER_LATER;
    assume(l, "removed");
    loop_remove(l, BERTH_KIND_POD, "default", "removed");
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_DELETED);
    assume(l, "finished");
    loop_update(l, "apiVersion: v1\nkind: Pod\nmetadata: {name: finished}\n"
                   "spec: {containers: []}\nstatus: {phase: Succeeded}\n");
    assert_int_equal(l->unbinds, 2);
    /* A change by the engine's own call is noticed at once. */
    assume(l, "taken");
    berth_pod_id taken = l->step.pod;
    assert_int_equal(berth_engine_unbind(l->c.engine, taken, NULL), BERTH_OK);
    small_pod(&l->c, "next", NULL, "", "containers: []");
    assert_int_equal(l->unbind_reason, BERTH_UNBIND_TAKEN);
    assert_int_equal(l->unbinds, 3);
    assert_int_equal(branch_pods, 6);
    l->inside = NULL;
    berth_branch_drop(branch);
}

/* A commit from inside a callback is refused, too. */
static void commit_branch(loop *l)
{
    uint32_t count = 7;
    (void)l;
    assert_int_equal(berth_branch_commit(branch, NULL, 0, &count, NULL), BERTH_E_STATE);
    assert_int_equal(count, 0);
    refusals++;
}

static void test_commits_are_refused(void **state)
{
    loop *l = *state;
    loop_node(l, "node", "4");
    branch = branch_off(&l->c);
    refusals = 0;
    l->inside = commit_branch;
    loop_pod(l, "p", "100m", "");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(refusals, 1);
    l->inside = NULL;
    berth_branch_drop(branch);
}

/* Fills the node with pod `low`, which this pod of a higher priority preempts; the eviction is
 * answered later. */
static berth_pod_id preempt_low(loop *l, const char *name, const char *priority)
{
    loop_node(l, "node", "2");
    loop_add(l, loop_pod_text("low", "2", "", ", nodeName: node"));
    l->evict_answer = BERTH_ANSWER_LATER;
    berth_pod_id pod = loop_pod(l, name, "2", priority);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 1);
    return pod;
}

/* A victim that stays may be evicted again later, and the pod that waited for its room tries
 * again. */
static void test_victim_stays(void **state)
{
    loop *l = *state;
    berth_pod_id high = preempt_low(l, "high", ", priority: 10");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_advance(l, 20000);
    loop_evict_done(l, "low", BERTH_ANSWER_DONE);
    loop_advance(l, 20001);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    for (int i = 0; i < 2; i++) /* the second answer is ignored, as is one for an unknown pod */
        loop_evict_done(l, "low", BERTH_ANSWER_FAILED);
    assert_int_equal(
        berth_scheduler_evict_done(l->scheduler, BERTH_POD_NONE, BERTH_ANSWER_FAILED, NULL),
        BERTH_OK);
    loop_advance(l, 20002);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 2);
    assert_int_equal(l->troubles, 0);
}

/* The scheduler reports pods whose node is taken over by a more important pod. */
static void test_unnominated(void **state)
{
    loop *l = *state;
    berth_pod_id middle = preempt_low(l, "middle", ", priority: 5");
    assert_int_equal(l->unnominations, 0);
    l->inside = try_one;
    loop_pod(l, "high", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    l->inside = NULL;
    assert_int_equal(l->unnominations, 1);
    assert_int_equal(l->unnominated, middle);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_set_up, loop_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_changes_are_refused), TEST(test_callback_may_wait_for_a_branch),
        TEST(test_commits_are_refused), TEST(test_victim_stays),
        TEST(test_unnominated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
