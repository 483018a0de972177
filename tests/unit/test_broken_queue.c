/* berth_scheduler_check, on which the tests of the loop rely, finds every fault: each part of a
 * sound state is changed in turn, the fault is found, and the part is restored. */
#include "queue/loop.h"
#include "scheduler_cluster.h"

/* The result of the check; "" if there is no fault. */
static const char *said(const loop *l)
{
    static berth_error error;
    error = (berth_error){.code = BERTH_OK};
    berth_status status = berth_scheduler_check(l->scheduler, &error);
    return status == BERTH_E_INTERNAL && error.code == status ? error.message : "";
}

static void compare(const char *got, const char *words)
{
    if (strstr(got, words) == NULL)
        fail_msg("\"%s\" where \"%s\" was expected", got, words);
}

static void sound(const loop *l)
{
    berth_error error = {.code = BERTH_OK};
    small_require(berth_scheduler_check(l->scheduler, &error), &error);
}

/* Sets `place` to `value` while the check runs. */
#define BREAK(l, place, value, words)           \
    do {                                        \
        const __typeof__(place) kept = (place); \
        (place) = (value);                      \
        const char *got = said(l);              \
        (place) = kept;                         \
        compare(got, (words));                  \
        sound(l);                               \
    } while (0)

static berth__queue_item *item_of(const loop *l, berth_pod_id pod)
{
    return berth__queue_find(&l->scheduler->queue, berth__cluster_pod(l->scheduler->cluster, pod));
}

/* One pod is assumed, one fits nowhere, one is active, one is gated. */
typedef struct pods {
    berth_pod_id assumed, rejected, active, gated;
} pods;

static pods fill(loop *l)
{
    pods p;
    small_node(&l->c, "node", "");
    l->bind_answer = BERTH_ANSWER_LATER;
    p.assumed = small_pod(&l->c, "assumed", NULL, "", "priority: 9, containers: []");
    p.rejected = small_pod(&l->c, "rejected", NULL, "",
                           "priority: 8, nodeSelector: {no: such}, containers: []");
    p.active = small_pod(&l->c, "active", NULL, "", "priority: 7, containers: []");
    p.gated = small_pod(&l->c, "gated", NULL, "", "schedulingGates: [{name: g}], containers: []");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    sound(l);
    return p;
}

static void test_items(void **state)
{
    loop *l = *state;
    const pods p = fill(l);
    berth__queue *queue = &l->scheduler->queue;
    berth__queue_item *active = item_of(l, p.active), *assumed = item_of(l, p.assumed);
    BREAK(l, active->pod, active->pod + 1, "at another pod's place");
    BREAK(l, queue->item_count, queue->item_count + 1, "the number of pods");
    BREAK(l, queue->gated.count, queue->gated.count + 1, "in no place, or in two");
    BREAK(l, queue->gated.first->missing_claim, 1, "wait for claims are in wrong chains");
    BREAK(l, assumed->node, BERTH_NODE_NONE, "not on its node");
    BREAK(l, active->priority, active->priority - 1, "another priority");
    BREAK(l, active->profile, active->profile + 1, "another profile");
}

/* Records and pods that have lost their link to each other. */
static void test_lost(void **state)
{
    loop *l = *state;
    const pods p = fill(l);
    berth__queue *queue = &l->scheduler->queue;
    const uint32_t gated = berth__cluster_pod(l->scheduler->cluster, p.gated);
    berth__queue_item *const item = queue->by_pod[gated];
    queue->by_pod[gated] = NULL; /* and no counter includes it */
    berth__item_list_remove(&queue->gated, item);
    queue->item_count--;
    const char *got = said(l);
    queue->by_pod[gated] = item;
    berth__item_list_append(&queue->gated, item);
    queue->item_count++;
    compare(got, "is pending, but not in the queue");
    sound(l);
    item->state = BERTH_POD_STATE_ASSUMED;
    item->node = 0;
    got = said(l);
    item->state = BERTH_POD_STATE_GATED;
    compare(got, "assumed, but not on its node");
    sound(l);
}

static void test_sums(void **state)
{
    loop *l = *state;
    (void)fill(l);
    berth_scheduler_counters *counters = &l->scheduler->counters;
    BREAK(l, counters->submitted, counters->submitted + 1, "pods submitted");
    BREAK(l, counters->bound, counters->bound + 1, "pods submitted");
    BREAK(l, counters->forgotten, counters->forgotten + 1, "pods assumed");
    BREAK(l, counters->unplaced, counters->unplaced + 1, "decisions");
}

/* Heaps, lists and groups. */
static void test_orders(void **state)
{
    loop *l = *state;
    const pods p = fill(l);
    berth_pod_id other = small_pod(&l->c, "other", NULL, "", "priority: 6, containers: []");
    berth__queue_item *later = item_of(l, other);
    sound(l);
    BREAK(l, later->heap_at, later->heap_at + 1, "a heap is out of order");
    berth__queue_item *rejected = item_of(l, p.rejected);
    BREAK(l, l->scheduler->queue.pool.by_flush.first, NULL, "out of order of time");
    BREAK(l, rejected->group, NULL, "groups of the pool");
    BREAK(l, rejected->rejectors, rejected->rejectors + 1, "groups of the pool");
    BREAK(l, rejected->priority, rejected->priority + 1, "groups of the pool");
    BREAK(l, rejected->state, BERTH_POD_STATE_BACKOFF, "groups of the pool");
    BREAK(l, rejected->group->links[0].group, NULL, "groups of the pool");
}

static void test_names(void **state)
{
    (void)state;
    static const char *const names[BERTH_POD_STATE_COUNT] = {
        "gone", "gated", "active", "backoff", "unschedulable", "assumed", "bound"};
    for (int i = 0; i < BERTH_POD_STATE_COUNT; i++)
        assert_string_equal(berth_pod_state_name((berth_pod_state)i), names[i]);
}

int main(void)
{
#define WITH_LOOP(test) cmocka_unit_test_setup_teardown(test, loop_set_up, loop_tear_down)
    const struct CMUnitTest tests[] = {
        WITH_LOOP(test_items),  WITH_LOOP(test_lost),         WITH_LOOP(test_sums),
        WITH_LOOP(test_orders), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
