/* berth_scheduler_check, on which the tests of the loop rely, finds every fault: each part of a
 * sound state is changed in turn, the fault is found, and the part is restored. */
#include "queue/loop.h"
#include "scheduler_cluster.h"

/* The object and the message of the check's result; "" if there is no fault. */
static const char *said(const loop *l)
{
    static char text[sizeof(berth_error)];
    berth_error error = {.code = BERTH_OK};
    berth_status status = berth_scheduler_check(l->scheduler, &error);
    if (status != BERTH_E_INTERNAL || error.code != status)
        return "";
    snprintf(text, sizeof(text), "%s: %s", error.object, error.message);
    return text;
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
    BREAK(l, active->priority, active->priority - 1, "Pod default/active: waits with another");
    BREAK(l, active->profile, active->profile + 1, "another profile");
    BREAK(l, queue->released, queue->released + 1, "the number of pods");
    const berth__pods *records = &l->scheduler->cluster->pods;
    BREAK(l, berth__pod_at(records, active->pod)->cls, NULL, "a pod that is no more");
    BREAK(l, berth__pod_at(records, active->pod)->node, 0, "waits, but is on a node");
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

/* Two entries in each list and heap, the second of which is moved before the first. */
static void test_later_entries(void **state)
{
    loop *l = *state;
    berth__queue *queue = &l->scheduler->queue;
    (void)fill(l);
    const berth_pod_id active =
        small_pod(&l->c, "active-2", NULL, "", "priority: 6, containers: []");
    small_pod(&l->c, "gated-2", NULL, "", "schedulingGates: [{name: g}], containers: []");
    BREAK(l, item_of(l, active)->priority, 99, "a heap is out of order");
    BREAK(l, queue->gated.last->due_ns, 0, "out of order of time");
    assert_int_equal(loop_step(l), BERTH_STEP_ASSUMED);
    BREAK(l, queue->assumed.last->due_ns, 0, "out of order of time");
}

/* Pods whose binding failed wait in a heap of their own. */
static void test_backoff(void **state)
{
    loop *l = *state;
    berth__queue *queue = &l->scheduler->queue;
    l->bind_answer = BERTH_ANSWER_FAILED;
    small_node(&l->c, "node", "");
    berth_pod_id failed = small_pod(&l->c, "failed", NULL, "", "containers: []");
    (void)loop_step(l);
    assert_int_equal(loop_state(l, failed), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(queue->backoff.count + queue->backoff_of_errors.count, 1);
    BREAK(l, item_of(l, failed)->heap_at, 1, "a heap is out of order");
}

static void test_woken_backoff(void **state)
{
    loop *l = *state;
    berth__queue *queue = &l->scheduler->queue;
    loop_node(l, "node", "1");
    berth_pod_id large = loop_pod(l, "large", "2", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_node(l, "larger", "4");
    assert_int_equal(loop_state(l, large), BERTH_POD_STATE_BACKOFF);
    assert_int_equal(queue->backoff.count, 1);
    BREAK(l, item_of(l, large)->heap_at, 1, "a heap is out of order");
}

/* Pods that wait for device claims. */
static void test_claims(void **state)
{
    loop *l = *state;
    berth__queue *queue = &l->scheduler->queue;
    const char *claim = ", resourceClaims: [{name: a, resourceClaimName: one}]";
    berth_pod_id pod = loop_pod(l, "p", "1", claim);
    berth__queue_item *item = item_of(l, pod);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    assert_true(item->missing_claim != 0);
    BREAK(l, item->missing_claim, 0, "wait for claims are in wrong chains");
    BREAK(l, item->missing_claim, item->missing_claim + 1, "wait for claims are in wrong chains");
    BREAK(l, item->state, BERTH_POD_STATE_ACTIVE, "wait for claims are in wrong chains");
    BREAK(l, queue->waiters.capacity, 0, "wait for claims are in wrong chains");
}

/* A gang of which two pods wait for a third one. */
static void test_groups(void **state)
{
    loop *l = *state;
    berth__queue *queue = &l->scheduler->queue;
    static const char member[] = ", priority: 5, schedulingGroup: {podGroupName: g}";
    loop_node(l, "node", "4");
    loop_add(l, "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g}\n"
                "spec: {schedulingPolicy: {gang: {minCount: 3}}}\n");
    berth__queue_item *first = item_of(l, loop_pod(l, "a", "1", member));
    berth__queue_item *second = item_of(l, loop_pod(l, "b", "1", member));
    berth__queued_group *group = first->pod_group;
    assert_ptr_equal(group->first, first);
    assert_ptr_equal(first->list_next, second);
    sound(l);
    BREAK(l, first->pod_group, NULL, "a PodGroup is wrong");
    BREAK(l, first->state, BERTH_POD_STATE_GATED, "a PodGroup is wrong");
    BREAK(l, first->priority, 4, "a PodGroup is wrong");
    BREAK(l, second->attempts, 1, "a PodGroup is wrong");
    BREAK(l, first->queued_ns, first->queued_ns + 1, "a PodGroup is wrong");
    BREAK(l, first->order, second->order + 1, "a PodGroup is wrong");
    BREAK(l, group->count, 1, "a PodGroup is wrong");
    BREAK(l, group->known, 1, "a PodGroup is wrong");
    BREAK(l, group->turn.state, BERTH_POD_STATE_GONE, "a PodGroup is wrong");
    BREAK(l, queue->groups.pods_in[BERTH_POD_STATE_GATED], 3, "a PodGroup is wrong");
    BREAK(l, queue->groups.turns_in[BERTH_POD_STATE_GATED], 2, "a PodGroup is wrong");
}

static int set_up_groups(void **state)
{
    loop *l = malloc(sizeof(*l));
    berth_engine_config config;
    assert_non_null(l);
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str)TEXT("GenericWorkload=true");
    loop_open_config(l, config, 0);
    *state = l;
    return 0;
}

/* A preemptor waits for the pod that it evicts. */
static void test_waits(void **state)
{
    loop *l = *state;
    l->evict_answer = BERTH_ANSWER_LATER;
    loop_node(l, "node", "1");
    loop_pod(l, "low", "1", ", priority: 1, nodeName: node");
    loop_pod(l, "high", "1", ", priority: 2");
    (void)loop_step(l);
    assert_int_equal(l->evictions, 1);
    const uint32_t victim = berth__cluster_pod(l->scheduler->cluster, loop_find(l, "low"));
    berth__pod_record *record = berth__pod_at(&l->scheduler->cluster->pods, victim);
    assert_true(record->evicting);
    BREAK(l, record->node, BERTH_NODE_NONE, "waits for a pod that does not leave");
    record->evicting = false;
    const char *got = said(l);
    record->evicting = true;
    compare(got, "waits for a pod that does not leave");
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
        WITH_LOOP(test_items),
        WITH_LOOP(test_lost),
        WITH_LOOP(test_sums),
        WITH_LOOP(test_orders),
        WITH_LOOP(test_later_entries),
        WITH_LOOP(test_backoff),
        WITH_LOOP(test_woken_backoff),
        cmocka_unit_test_setup_teardown(test_claims, set_up_groups, loop_tear_down),
        cmocka_unit_test_setup_teardown(test_groups, set_up_groups, loop_tear_down),
        WITH_LOOP(test_waits),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
