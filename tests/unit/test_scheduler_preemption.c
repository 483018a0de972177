/* Preemption whose evictions take time: what a preemptor waits for, and a storm of preemptors, each
 * of which must be tried twice, nominated once and bound to its nominated node. */
#include "queue/loop.h"
#include "scheduler_cluster.h"

enum {
    NODES = 100,
    PODS_A_NODE = 4,
    STORM = 60,
    APART_MS = 5, /* between two preemptors */
    PATCH_MS = 4, /* from the request of an eviction to the victim's condition */
    DELETE_MS = 8,
    BIND_MS = 3,
    LAST_MS = 1000,
};

/* ---- one preemptor ---- */

static void fill(loop *l)
{
    loop_node(l, "node", "2");
    loop_add(l, loop_pod_text("low-1", "1", "", ", nodeName: node"));
    loop_add(l, loop_pod_text("low-2", "1", "", ", nodeName: node"));
    l->evict_answer = BERTH_ANSWER_LATER;
}

static berth_pod_id preempt(loop *l, const char *name, const char *spec)
{
    berth_pod_id pod = loop_pod(l, name, "2", spec);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_not_equal(l->step.nominated, BERTH_NODE_NONE);
    return pod;
}

/* The first victim's removal does not wake the pod, the last one's does. */
static void test_waits_for_all_victims(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_advance(l, 2000);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.attempt, 2);
}

/* Victims that are seen to terminate are waited for in the pool. */
static void test_victims_terminate(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    loop_update(l, loop_pod_text("low-1", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                 ", nodeName: node"));
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_update(l, loop_pod_text("low-2", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                 ", nodeName: node"));
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_advance(l, 2000);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

static berth_status update_engine(void *engine, const berth_object *object,
                                  const berth_error *origin, berth_error *error)
{
    (void)origin;
    return berth_engine_update(engine, object, error);
}

static int set_up_1_37(void **state)
{
    loop *l = malloc(sizeof(*l));
    assert_non_null(l);
    loop_open_as(l, 37, berth_profile_default(), 1, 0, NULL);
    *state = l;
    return 0;
}

/* If all pods that must go terminate already, nobody is evicted (since 1.35), and the preemptor is
 * nominated for their node all the same. */
static void test_all_terminate_before(void **state)
{
    loop *l = *state;
    loop_node(l, "first", "2");
    loop_add(l, loop_pod_text("higher", "2", "", ", nodeName: first, priority: 20"));
    fill(l);
    for (int i = 1; i <= 2; i++)
        loop_update(l, loop_pod_text(i == 1 ? "low-1" : "low-2", "1",
                                     ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                     ", nodeName: node"));
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    const berth_node_id node = berth_engine_find_node(l->c.engine, BERTH_STR("node"));
    assert_int_equal(l->step.nominated, node);
    assert_int_equal(l->step.victim_count, 0);
    assert_int_equal(l->evictions, 0);
    assert_int_equal(berth_engine_pod_nominated(l->c.engine, high), node);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* A victim that terminates only in a transaction that is rolled back is still to be deleted. */
static void test_victim_rolled_back(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    assert_int_equal(berth_engine_begin(l->c.engine, NULL), BERTH_OK);
    const char *terminating = loop_pod_text(
        "low-1", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'", ", nodeName: node");
    assert_int_equal(berth_reader_text(l->c.reader,
                                       (berth_str){terminating, (uint32_t)strlen(terminating)},
                                       "test", update_engine, l->c.engine, NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_rollback(l->c.engine, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_check(l->scheduler, NULL), BERTH_OK);
    loop_advance(l, 2000);
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->evictions, 2);
}

/* Victims that are gone after a transaction are not waited for, not even the first one. */
static void test_victims_go_in_a_transaction(void **state)
{
    loop *l = *state;
    fill(l);
    const berth_pod_id high = preempt(l, "high", ", priority: 10");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_advance(l, 2000);
    assert_int_equal(berth_engine_begin(l->c.engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_remove(l->c.engine, BERTH_KIND_POD, BERTH_STR("default"),
                                         BERTH_STR("low-1"), NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_remove(l->c.engine, BERTH_KIND_POD, BERTH_STR("default"),
                                         BERTH_STR("low-2"), NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_commit(l->c.engine, NULL), BERTH_OK);
    loop_advance(l, 2001);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, high);
}

/* The condition that announces a deletion does not end the wait, and no victim is evicted twice. */
static void test_victim_changes(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    loop_update(l, loop_pod_text("low-1", "1", ", labels: {a: b}", ", nodeName: node"));
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    preempt(l, "higher", ", priority: 20");
    assert_int_equal(l->step.victim_count, 0);
    assert_int_equal(l->evictions, 2);
}

/* If one victim stays, the pod does not wait for the other one. */
static void test_victim_stays(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    loop_advance(l, 2000);
    loop_evict_done(l, "low-1", BERTH_ANSWER_FAILED);
    loop_advance(l, 2001);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_ACTIVE);
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 3);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
}

/* If one victim stays while the other leaves, the pod, which is tried at once and may not preempt
 * yet, waits for the other one, and for this only once. */
static void test_waits_once(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    assert_int_equal(l->scheduler->running.count, 2);
    loop_advance(l, 2000);
    loop_evict_done(l, "low-1", BERTH_ANSWER_FAILED);
    loop_advance(l, 2001);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 2);
    assert_int_equal(l->scheduler->running.count, 1);
}

/* A pod that loses its node to a more important one does not wait for the victims there. */
static void test_loses_its_node(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id middle = preempt(l, "middle", ", priority: 5");
    assert_int_equal(loop_state(l, middle), BERTH_POD_STATE_GATED);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_state(l, middle), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(l->unnominations, 1);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
}

/* A preemptor that changes is tried when its victims have left, whatever they leave. */
static void test_preemptor_changes(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    loop_update(l, loop_pod_text("high", "2", ", labels: {a: b}", ", priority: 10"));
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_update(l, loop_pod_text("high", "2", ", labels: {a: c}", ", priority: 10"));
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED); /* by one victim */
    loop_remove(l, BERTH_KIND_NODE, "", "node");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
}

/* A victim is seen to terminate; both, if `both`. */
static void terminate(loop *l, bool both)
{
    loop_update(l, loop_pod_text("low-1", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                 ", nodeName: node"));
    if (both)
        loop_update(l, loop_pod_text("low-2", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                     ", nodeName: node"));
}

/* Room elsewhere that appears before the evictions have begun is not forgotten: the preemptors are
 * tried once they are no longer gated. Another node that is too small wakes neither. */
static void test_room_elsewhere(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    loop_node(l, "small", "1");
    terminate(l, true);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_node(l, "other", "2");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);

    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    loop_add(l, loop_pod_text("low-1", "1", "", ", nodeName: node"));
    loop_add(l, loop_pod_text("low-2", "1", "", ", nodeName: node"));
    berth_pod_id second = preempt(l, "second", ", priority: 10");
    loop_node(l, "third", "2");
    terminate(l, false);
    assert_int_equal(loop_state(l, second), BERTH_POD_STATE_GATED);
    terminate(l, true);
    assert_int_equal(loop_state(l, second), BERTH_POD_STATE_BACKOFF);
    loop_advance(l, 6000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.attempt, 2);
}

/* Two gated preemptors of one node, of 2 cores and of 1; and a node of 1 core that is full. */
static void preempt_two(loop *l, berth_pod_id *large, berth_pod_id *small)
{
    loop_node(l, "node", "4");
    loop_add(l, loop_pod_text("low-1", "2", "", ", nodeName: node"));
    loop_add(l, loop_pod_text("low-2", "2", "", ", nodeName: node"));
    loop_node(l, "full", "1");
    loop_add(l, loop_pod_text("full-1", "500m", "", ", priority: 10, nodeName: full"));
    loop_add(l, loop_pod_text("full-2", "500m", "", ", priority: 5, nodeName: full"));
    l->evict_answer = BERTH_ANSWER_LATER;
    *large = preempt(l, "large", ", priority: 10");
    *small = loop_pod(l, "small", "1", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 2);
}

static void terminate_two(loop *l)
{
    for (int i = 0; i < 2; i++)
        loop_update(l, loop_pod_text(i == 0 ? "low-1" : "low-2", "2",
                                     ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                     ", nodeName: node"));
}

/* Room that a gated preemptor could only make by another preemption is none. */
static void test_room_by_preemption(void **state)
{
    loop *l = *state;
    berth_pod_id large, small;
    preempt_two(l, &large, &small);
    loop_remove(l, BERTH_KIND_POD, "default", "full-1");
    terminate_two(l);
    assert_int_equal(loop_state(l, large), BERTH_POD_STATE_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, small), BERTH_POD_STATE_UNSCHEDULABLE);
}

/* Each of them is asked for itself. */
static void test_room_for_one(void **state)
{
    loop *l = *state;
    berth_pod_id large, small;
    preempt_two(l, &large, &small);
    loop_node(l, "spare", "1");
    terminate_two(l);
    assert_int_equal(loop_state(l, large), BERTH_POD_STATE_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, small), BERTH_POD_STATE_BACKOFF);
}

/* The first eviction is done at once, the second one later. */
static void answer_in_turn(loop *l)
{
    l->evict_answer = l->evictions == 0 ? BERTH_ANSWER_DONE : BERTH_ANSWER_LATER;
}

/* A victim that leaves during the attempt may have made enough room. */
static void test_one_victim_leaves_at_once(void **state)
{
    loop *l = *state;
    fill(l);
    l->inside = answer_in_turn;
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    l->inside = NULL;
    assert_int_equal(l->evictions, 2);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_GATED);
    terminate(l, false);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
}

/* What helped one attempt does not shorten the wait after the next one. */
static void test_help_counts_once(void **state)
{
    loop *l = *state;
    fill(l);
    l->inside = answer_in_turn;
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    l->inside = NULL;
    terminate(l, false);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
    loop_pod(l, "higher", "1", ", priority: 20");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_UNSCHEDULABLE);
}

/* When a preemptor gives up its node, pods that its nomination kept away are tried again. */
static void test_node_is_given_up(void **state)
{
    loop *l = *state;
    fill(l);
    berth_pod_id high = preempt(l, "high", ", priority: 10");
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
    loop_pod(l, "higher", "1", ", priority: 20");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    berth_pod_id small = loop_pod(l, "small", "1", ", priority: 5");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, small), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_advance(l, 2000);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(berth_engine_pod_nominated(l->c.engine, high), BERTH_NODE_NONE);
    assert_int_equal(loop_state(l, small), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* Room that is kept for a preemptor of higher priority is no reason to try the other one, which
 * waits for its victims, too. */
static void test_room_kept_for_another(void **state)
{
    loop *l = *state;
    fill(l);
    loop_node(l, "other", "2");
    loop_add(l, loop_pod_text("low-3", "1", "", ", nodeName: other"));
    loop_add(l, loop_pod_text("low-4", "1", "", ", nodeName: other"));
    berth_pod_id first = preempt(l, "first", ", priority: 20");
    berth_node_id kept = l->step.nominated;
    berth_pod_id second = preempt(l, "second", ", priority: 10");
    assert_int_not_equal(l->step.nominated, kept);
    const bool on_node = kept == berth_engine_find_node(l->c.engine, BERTH_STR("node"));
    loop_remove(l, BERTH_KIND_POD, "default", on_node ? "low-1" : "low-3");
    loop_remove(l, BERTH_KIND_POD, "default", on_node ? "low-2" : "low-4");
    assert_int_not_equal(loop_state(l, first), BERTH_POD_STATE_GATED);
    for (int i = 0; i < 2; i++)
        loop_update(
            l, loop_pod_text(on_node ? (i == 0 ? "low-3" : "low-4") : (i == 0 ? "low-1" : "low-2"),
                             "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                             on_node ? ", nodeName: other" : ", nodeName: node"));
    assert_int_equal(loop_state(l, second), BERTH_POD_STATE_UNSCHEDULABLE);
}

/* A pod that no node refused for want of room is tried when its port becomes free, even if the
 * node is kept for another. */
static void test_port_is_freed_on_a_node_kept_for_another(void **state)
{
    static const char on_port[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: %s%s}\n"
        "spec: {priority: %d%s, containers: [{name: c, image: i, resources: {requests: {cpu: %d}}, "
        "ports: [{containerPort: 1, hostPort: 80, protocol: TCP}]}]}\n";
    loop *l = *state;
    char text[2200];
    l->evict_answer = BERTH_ANSWER_LATER;
    loop_node(l, "kept", "2");
    loop_node(l, "node", "2");
    snprintf(text, sizeof(text), "%sstatus: {nominatedNodeName: kept}\n",
             loop_pod_text("first", "2", "", ", priority: 20, schedulingGates: [{name: later}]"));
    loop_add(l, text);
    snprintf(text, sizeof(text), on_port, "higher", "", 30, ", nodeName: kept", 0);
    loop_add(l, text);
    snprintf(text, sizeof(text), on_port, "low", "", 0, ", nodeName: node", 1);
    loop_add(l, text);
    snprintf(text, sizeof(text), on_port, "high", "", 10, "", 1);
    const berth_pod_id high = loop_add(l, text);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.victim_count, 1);
    snprintf(text, sizeof(text), on_port, "low", ", deletionTimestamp: '2026-01-01T00:00:00Z'", 0,
             ", nodeName: node", 1);
    loop_update(l, text);
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_remove(l, BERTH_KIND_POD, "default", "higher");
    assert_int_equal(loop_state(l, high), BERTH_POD_STATE_BACKOFF);
}

/* ---- paced evictions ---- */

/* Two full nodes, and a scheduler that paces evictions. The first preemptor, of 1.5 cores, evicts
 * low-2 and low-3. The second one, of 1 core, can then only evict low-1; before, it could have
 * evicted any of the three. */
static void fill_paced(loop *l)
{
    berth_scheduler_options options;
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_destroy(l->scheduler);
    berth_scheduler_options_init(&options);
    options.callbacks = (berth_scheduler_callbacks){
        .context = l, .bind = loop_bind, .evict = loop_evict, .report = loop_report};
    options.pace_evictions = true;
    small_require(berth_scheduler_create(l->c.engine, &options, &l->scheduler, &error), &error);
    l->evict_answer = BERTH_ANSWER_LATER;
    loop_node(l, "node", "3");
    loop_add(l, loop_pod_text("low-1", "1", "", ", nodeName: node, priority: 1"));
    loop_add(l, loop_pod_text("low-2", "1", "", ", nodeName: node"));
    loop_add(l, loop_pod_text("low-3", "1", "", ", nodeName: node"));
    loop_node(l, "other", "2");
    loop_add(l, loop_pod_text("low-4", "2", "", ", nodeName: other, priority: 2"));
}

static berth_pod_id preempt_first(loop *l)
{
    berth_pod_id pod = loop_pod(l, "first", "1500m", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.victim_count, 2);
    return pod;
}

/* A pod that must evict others waits for the evictions of another pod, and is then tried in its
 * turn; its first decision is discarded. Pods that fit do not wait. */
static void test_paced(void **state)
{
    loop *l = *state;
    fill_paced(l);
    berth_pod_id first = preempt_first(l);
    berth_pod_id second = loop_pod(l, "second", "1", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(l->step.pod, BERTH_POD_NONE);
    assert_int_equal(loop_state(l, second), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_count(l).active, 1);
    assert_int_equal(loop_count(l).unplaced, 1);
    loop_node(l, "small", "1");
    loop_pod(l, "tiny", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_remove(l, BERTH_KIND_POD, "default", "low-3");
    assert_int_equal(berth_scheduler_next(l->scheduler), 0);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE); /* the first one is in backoff */
    assert_int_equal(l->step.pod, second);
    assert_int_equal(l->step.attempt, 1);
    assert_int_equal(l->step.victim_count, 1);
    assert_int_equal(l->evictions, 3);
    assert_int_equal(berth_scheduler_next(l->scheduler), 1000 * MS);
    loop_advance(l, 1000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, first);
}

/* Evictions that do not begin delay the others for a second; if one of them begins, for another
 * second. */
static void test_paced_for_a_second(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    loop_pod(l, "second", "1", ", priority: 10");
    loop_advance(l, 400);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(berth_scheduler_next(l->scheduler), 1000 * MS);
    loop_update(l, loop_pod_text("low-2", "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                 ", nodeName: node"));
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(berth_scheduler_next(l->scheduler), 1400 * MS);
    loop_advance(l, 1399);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 1400);
    assert_int_equal(berth_scheduler_next(l->scheduler), 1400 * MS);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_true(l->evictions > 2);
}

/* Once all evictions have begun, the others wait 20 ms for the victims to be gone. */
static void test_paced_while_victims_leave(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    loop_pod(l, "second", "1", ", priority: 10");
    loop_advance(l, 100);
    for (int i = 2; i <= 3; i++) {
        char name[8];
        snprintf(name, sizeof(name), "low-%d", i);
        loop_update(l, loop_pod_text(name, "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                     ", nodeName: node"));
    }
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(berth_scheduler_next(l->scheduler), 120 * MS);
    loop_advance(l, 119);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 120);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_true(l->evictions > 2);
}

/* A pod that waits in this way may change, leave, or lose its reason to wait. */
static void test_paced_pod_changes(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    loop_pod(l, "second", "1", ", priority: 10");
    berth_pod_id third = loop_pod(l, "third", "1", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_remove(l, BERTH_KIND_POD, "default", "second");
    loop_update(l, loop_pod_text("third", "1", ", labels: {a: b}", ", priority: 10"));
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    assert_int_equal(loop_state(l, third), BERTH_POD_STATE_ACTIVE);
    loop_evict_done(l, "low-2", BERTH_ANSWER_FAILED);
    loop_remove(l, BERTH_KIND_POD, "default", "first");
    loop_remove(l, BERTH_KIND_POD, "default", "low-3");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.pod, third);
}

/* When the 20 ms are over, victims that are still leaving delay no other pod, even while the
 * evictions of yet another one have not begun. */
static void test_paced_by_late_victims(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    for (int i = 2; i <= 3; i++) {
        char name[8];
        snprintf(name, sizeof(name), "low-%d", i);
        loop_update(l, loop_pod_text(name, "1", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
                                     ", nodeName: node"));
    }
    loop_advance(l, 30);
    loop_pod(l, "large", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 3);
    const berth_pod_id second = loop_pod(l, "second", "1", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.pod, second);
    assert_true(l->evictions > 3);
}

/* A pod that has lost its reason to wait is tried although other evictions are under way. */
static void test_paced_no_longer(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    berth_pod_id second = loop_pod(l, "second", "1", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_pod(l, "large", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    loop_advance(l, 500);
    loop_remove(l, BERTH_KIND_POD, "default", "low-3");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE); /* the first one is in backoff */
    assert_int_equal(l->step.pod, second);
    assert_int_equal(l->step.victim_count, 1);
    assert_int_equal(l->evictions, 4);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_advance(l, 1000);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* Room that the other pods make is of no use to a pod that is too large for it. */
static void test_paced_for_room_alone(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    loop_pod(l, "large", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 3);
}

/* A pod whose victims are all leaving already evicts nobody, so it does not wait. */
static void test_paced_evicts_nobody(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    loop_pod(l, "higher", "1500m", ", priority: 20");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_not_equal(l->step.nominated, BERTH_NODE_NONE);
    assert_int_equal(l->evictions, 2);
}

/* Victims whose node is gone make no room. */
static void test_paced_without_node(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    loop_remove(l, BERTH_KIND_NODE, "", "node");
    loop_pod(l, "second", "1", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 3);
}

/* A pod that must not evict anybody does not wait for the evictions of others. */
static void test_paced_gentle(void **state)
{
    loop *l = *state;
    fill_paced(l);
    preempt_first(l);
    berth_pod_id last = loop_pod(l, "last", "1", ", priority: 10, preemptionPolicy: Never");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->step.pod, last);
    assert_int_equal(loop_state(l, last), BERTH_POD_STATE_UNSCHEDULABLE);
}

/* A preemptor that is deleted leaves nothing behind. */
static void test_preemptor_goes(void **state)
{
    loop *l = *state;
    fill(l);
    preempt(l, "high", ", priority: 10");
    loop_remove(l, BERTH_KIND_POD, "default", "high");
    berth_pod_id next = loop_pod(l, "next", "2", ", priority: -1");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_remove(l, BERTH_KIND_POD, "default", "low-1");
    loop_remove(l, BERTH_KIND_POD, "default", "low-2");
    assert_int_equal(loop_state(l, next), BERTH_POD_STATE_BACKOFF);
}

/* ---- a storm ---- */

/* What the API server will do later: write a victim's condition, let it terminate, remove it,
 * answer a binding. */
typedef struct to_come {
    enum { NOTHING, CONDITION, TERMINATION, REMOVAL, ANSWER } kind;
    int64_t at_ms;
    char name[32], node[32];
    berth_binding_id binding;
} to_come;

typedef struct storm {
    loop l; /* must be first: its callbacks get it */
    to_come events[6 * NODES * PODS_A_NODE];
    uint32_t event_count;
    char nominated[STORM][32];
    int32_t leave_ms; /* victims terminate so long before they are gone; 0: they are gone at once */
    uint32_t elsewhere, renominations, bound;
} storm;

static to_come *plan(storm *s, int32_t after_ms)
{
    to_come *event = &s->events[s->event_count++];
    assert_true(s->event_count <= sizeof(s->events) / sizeof(s->events[0]));
    event->at_ms = s->l.now_ms + after_ms;
    return event;
}

static void copy_text(char *to, berth_str text)
{
    snprintf(to, 32, "%.*s", (int)text.len, text.data);
}

static berth_answer storm_evict(void *context, const berth_eviction *eviction)
{
    storm *s = context;
    berth_str space, name, node = berth_engine_node_name(s->l.c.engine, eviction->node);
    berth_engine_pod_name(s->l.c.engine, eviction->victim, &space, &name);
    for (int kind = CONDITION; kind <= REMOVAL; kind++) {
        if (kind == TERMINATION && s->leave_ms == 0)
            continue;
        to_come *event = plan(s, kind == CONDITION     ? PATCH_MS
                                 : kind == TERMINATION ? DELETE_MS
                                                       : DELETE_MS + s->leave_ms);
        event->kind = kind;
        copy_text(event->name, name);
        copy_text(event->node, node);
    }
    s->l.evictions++;
    return BERTH_ANSWER_LATER;
}

static uint32_t number_of(const storm *s, berth_pod_id pod)
{
    berth_str space, name;
    berth_engine_pod_name(s->l.c.engine, pod, &space, &name);
    return (uint32_t)atoi(name.data + strlen("high-"));
}

static berth_answer storm_bind(void *context, const berth_binding *binding)
{
    storm *s = context;
    char node[32];
    copy_text(node, berth_engine_node_name(s->l.c.engine, binding->node));
    s->elsewhere += strcmp(node, s->nominated[number_of(s, binding->pod)]) != 0;
    s->bound++;
    to_come *event = plan(s, BIND_MS);
    event->kind = ANSWER;
    event->binding = binding->id;
    return BERTH_ANSWER_LATER;
}

static void storm_open(storm *s, int minor, bool paced)
{
    berth_scheduler_options options;
    berth_error error = {.code = BERTH_OK};
    memset(s, 0, sizeof(*s));
    loop_open_as(&s->l, minor, berth_profile_default(), 1, 0, NULL);
    berth_scheduler_destroy(s->l.scheduler);
    berth_scheduler_options_init(&options);
    options.callbacks = (berth_scheduler_callbacks){
        .context = s, .bind = storm_bind, .evict = storm_evict, .report = loop_report};
    options.pace_evictions = paced;
    small_require(berth_scheduler_create(s->l.c.engine, &options, &s->l.scheduler, &error), &error);
    for (uint32_t i = 0; i < NODES; i++) {
        char node[32], pod[32], spec[64];
        snprintf(node, sizeof(node), "n-%03u", i);
        snprintf(spec, sizeof(spec), ", nodeName: %s, priority: 0", node);
        loop_node(&s->l, node, "8");
        for (uint32_t j = 0; j < PODS_A_NODE; j++) {
            snprintf(pod, sizeof(pod), "low-%03u-%u", i, j);
            loop_add(&s->l, loop_pod_text(pod, "2", "", spec));
        }
    }
}

static void update_with(storm *s, const char *object, const char *status)
{
    char text[2560];
    snprintf(text, sizeof(text), "%s%s", object, status);
    loop_update(&s->l, text);
}

static void happen(storm *s, to_come *event)
{
    char spec[64];
    switch (event->kind) {
    case CONDITION:
        snprintf(spec, sizeof(spec), ", nodeName: %s, priority: 0", event->node);
        update_with(s, loop_pod_text(event->name, "2", "", spec),
                    "status: {conditions: [{type: DisruptionTarget, status: 'True', "
                    "reason: PreemptionByScheduler}]}\n");
        break;
    case TERMINATION:
        snprintf(spec, sizeof(spec), ", nodeName: %s, priority: 0", event->node);
        update_with(
            s, loop_pod_text(event->name, "2", ", deletionTimestamp: '2026-01-01T00:00:00Z'", spec),
            "");
        break;
    case REMOVAL:
        loop_remove(&s->l, BERTH_KIND_POD, "default", event->name);
        break;
    case ANSWER:
        assert_int_equal(
            berth_scheduler_bind_done(s->l.scheduler, event->binding, BERTH_ANSWER_DONE, NULL),
            BERTH_OK);
        break;
    case NOTHING:
        break;
    }
    event->kind = NOTHING;
}

static void storm_pod(storm *s, uint32_t i, bool shows_node)
{
    char name[32], status[64];
    snprintf(name, sizeof(name), "high-%u", i);
    snprintf(status, sizeof(status), "status: {nominatedNodeName: %s}\n", s->nominated[i]);
    const char *text = loop_pod_text(name, "3", "", ", priority: 1000");
    if (shows_node)
        update_with(s, text, status);
    else
        loop_add(&s->l, text);
}

/* Our own write of the nomination comes back as an event. */
static void note_step(storm *s)
{
    uint32_t i = number_of(s, s->l.step.pod);
    if (s->l.step.nominated == BERTH_NODE_NONE)
        return;
    s->renominations += s->nominated[i][0] != '\0';
    copy_text(s->nominated[i], berth_engine_node_name(s->l.c.engine, s->l.step.nominated));
    storm_pod(s, i, true);
}

/* Run a storm in which pods arrive `apart_ms` apart. */
static void storm_run(storm *s, int64_t apart_ms, int64_t last_ms)
{
    berth_error error = {.code = BERTH_OK};
    for (uint32_t added = 0; s->l.now_ms < last_ms; s->l.now_ms++) {
        while (added < STORM && s->l.now_ms >= added * apart_ms)
            storm_pod(s, added++, false);
        for (uint32_t i = 0; i < s->event_count; i++)
            if (s->events[i].kind != NOTHING && s->events[i].at_ms <= s->l.now_ms)
                happen(s, &s->events[i]);
        for (;;) {
            small_require(
                berth_scheduler_step(s->l.scheduler, s->l.now_ms * MS, &s->l.step, &error), &error);
            if (s->l.step.kind == BERTH_STEP_IDLE)
                break;
            note_step(s);
        }
        loop_check(&s->l);
    }
}

/* Before 1.33, no pod leaves its backoff of a second early, and no pod waits for that. */
static void check_storm(int minor, bool paced, int64_t apart_ms, int32_t leave_ms, uint32_t least,
                        uint32_t most)
{
    storm *s = malloc(sizeof(*s));
    assert_non_null(s);
    storm_open(s, minor, paced);
    s->leave_ms = leave_ms;
    storm_run(s, apart_ms, (minor < 33 ? 2 * LAST_MS : LAST_MS) + 20 * leave_ms);
    const berth_scheduler_counters c = loop_count(&s->l);
    print_message("%u evictions, %u attempts without a node, %u nominated twice, %u elsewhere\n",
                  s->l.evictions, (unsigned)c.unplaced, s->renominations, s->elsewhere);
    assert_int_equal(s->bound, STORM);
    assert_int_equal(c.bound, STORM);
    assert_int_equal(c.unplaced, STORM);
    assert_int_equal(c.nominations, STORM);
    assert_int_equal(s->renominations, 0);
    assert_int_equal(s->elsewhere, 0);
    assert_in_range(s->l.evictions, least, most);
    loop_close(&s->l);
    free(s);
}

/* Two pods that share a node evict three others. Pods that arrive at the same time share no node
 * unless evictions are paced. */
static void test_storm(void **state)
{
    (void)state;
    for (int minor = 32; minor <= 37; minor += 5) {
        check_storm(minor, false, APART_MS, 0, 3 * STORM / 2, 2 * STORM);
        check_storm(minor, false, 0, 0, 2 * STORM, 2 * STORM);
        check_storm(minor, true, 0, 0, 3 * STORM / 2, 3 * STORM / 2);
        check_storm(minor, true, APART_MS, 0, 3 * STORM / 2, 3 * STORM / 2);
    }
}

/* Pods also wait for victims that terminate, but only for 20 ms: as long as kube-scheduler takes
 * for a preemption. */
static void test_storm_that_leaves_slowly(void **state)
{
    (void)state;
    check_storm(37, true, 0, 10, 3 * STORM / 2, 3 * STORM / 2);
    check_storm(37, true, 0, 200, 3 * STORM / 2, 2 * STORM);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, loop_set_up, loop_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_waits_for_all_victims),
        cmocka_unit_test_setup_teardown(test_all_terminate_before, set_up_1_37, loop_tear_down),
        TEST(test_victim_rolled_back),
        TEST(test_victims_go_in_a_transaction),
        TEST(test_victims_terminate),
        TEST(test_victim_changes),
        TEST(test_victim_stays),
        TEST(test_loses_its_node),
        TEST(test_preemptor_changes),
        TEST(test_preemptor_goes),
        TEST(test_room_elsewhere),
        TEST(test_room_by_preemption),
        TEST(test_room_for_one),
        TEST(test_one_victim_leaves_at_once),
        TEST(test_help_counts_once),
        TEST(test_node_is_given_up),
        TEST(test_waits_once),
        TEST(test_room_kept_for_another),
        TEST(test_port_is_freed_on_a_node_kept_for_another),
        TEST(test_paced),
        TEST(test_paced_for_a_second),
        TEST(test_paced_while_victims_leave),
        TEST(test_paced_by_late_victims),
        TEST(test_paced_no_longer),
        TEST(test_paced_evicts_nobody),
        TEST(test_paced_without_node),
        TEST(test_paced_gentle),
        TEST(test_paced_for_room_alone),
        TEST(test_paced_pod_changes),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_storm_that_leaves_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
