/* Results for callers that were compiled with other headers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "berth/berth.h"
#include "sized_room.h"
#include "small_cluster.h"

/* ---- one struct ---- */

/* `call` fills `out`, of `size` bytes: the members that both sides know are set, up to `member`,
 * and no other byte changes. */
#define TELL(type, member, call)                                                       \
    do {                                                                               \
        type whole;                                                                    \
        const size_t shorter = SHORT_OF(type, member);                                 \
        const size_t all_sizes[] = {shorter, sizeof(whole), sizeof(whole) + MORE};     \
        memset(&whole, 0, sizeof(whole));                                              \
        {                                                                              \
            type *out = &whole;                                                        \
            const size_t size = sizeof(whole);                                         \
            call;                                                                      \
        }                                                                              \
        for (size_t s = 0; s < 3; s++) {                                               \
            room told;                                                                 \
            memset(told.bytes, ELSE, sizeof(told.bytes));                              \
            type *out = (type *)told.bytes;                                            \
            const size_t size = all_sizes[s];                                          \
            call;                                                                      \
            assert_memory_equal(&out->member, &whole.member, sizeof(whole.member));    \
            assert_true(holds(&told, size, sizeof(told.bytes), ELSE));                 \
            assert_true(size < sizeof(whole) || holds(&told, sizeof(whole), size, 0)); \
        }                                                                              \
    } while (0)

static void tell_of_engine(berth_engine *engine, berth_pod_id pod)
{
    berth_memory memory;
    small_node node;
    berth_object object;
    TELL(berth_counts, pods_running, berth_engine_counts_sized(engine, out, size));
    TELL(berth_placement, next,
         assert_int_equal(berth_engine_decide_sized(engine, pod, NULL, out, size, NULL), BERTH_OK));
    TELL(berth_placement, node,
         assert_int_equal(berth_engine_decide_sized(engine, 77, NULL, out, size, NULL),
                          BERTH_E_NOT_FOUND));
    if (berth_engine_memory(engine, &memory, NULL) == BERTH_OK)
        TELL(berth_memory, used_bytes,
             assert_int_equal(berth_engine_memory_sized(engine, out, size, NULL), BERTH_OK));
    TELL(berth_placement, verdict, {
        assert_int_equal(berth_engine_schedule_sized(engine, pod, out, size, NULL), BERTH_OK);
        assert_int_equal(berth_engine_unbind(engine, pod, NULL), BERTH_OK);
    });
    (void)small_node_object(&node, &object, "b", "z");
    TELL(berth_object_id, kind, {
        assert_int_equal(
            berth_engine_add_sized(engine, &object, berth_object_sizes(), out, size, NULL),
            BERTH_OK);
        assert_int_equal(berth_engine_remove(engine, BERTH_KIND_NODE, text(""), text("b"), NULL),
                         BERTH_OK);
    });
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    TELL(berth_counts, pods_running, berth_snapshot_counts_sized(snapshot, out, size));
    berth_snapshot_unpin(snapshot);
}

static void tell_of_scheduler(berth_engine *engine, berth_pod_id pod)
{
    berth_scheduler *scheduler;
    small_node node;
    berth_object object;
    assert_int_equal(berth_scheduler_create(engine, NULL, &scheduler, NULL), BERTH_OK);
    TELL(berth_pod_status, attempts, berth_scheduler_pod_sized(scheduler, pod, out, size));
    TELL(berth_scheduler_counters, active, berth_scheduler_count_sized(scheduler, out, size));
    (void)small_node_object(&node, &object, "b", "z");
    TELL(berth_object_id, kind, {
        assert_int_equal(
            berth_scheduler_add_sized(scheduler, 0, &object, berth_object_sizes(), out, size, NULL),
            BERTH_OK);
        assert_int_equal(
            berth_scheduler_remove(scheduler, 0, BERTH_KIND_NODE, text(""), text("b"), NULL),
            BERTH_OK);
    });
    berth_scheduler_destroy(scheduler);
}

static void test_told(void **state)
{
    (void)state;
    berth_engine *engine = new_engine();
    berth_object object;
    berth_object_id id;
    small_node node;
    small_pod pod;
    (void)small_node_object(&node, &object, "a", "z");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    (void)small_pod_object(&pod, &object, "p", NULL, 500);
    assert_int_equal(berth_engine_add(engine, &object, &id, NULL), BERTH_OK);
    tell_of_engine(engine, id.pod);
    tell_of_scheduler(engine, id.pod);
    berth_engine_destroy(engine);
}

/* The members after a step's placement follow the caller's placement. */
static void check_step(size_t placement_size, size_t tail)
{
    enum { BEFORE = offsetof(berth_step, placement), BEHIND = BEFORE + sizeof(berth_placement) };
    berth_engine *engine = new_engine();
    berth_scheduler *scheduler;
    berth_object object;
    small_node node;
    small_pod pod;
    room told;
    berth_step step;
    (void)small_node_object(&node, &object, "a", "z");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    (void)small_pod_object(&pod, &object, "p", NULL, 500);
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_create(engine, NULL, &scheduler, NULL), BERTH_OK);
    memset(told.bytes, ELSE, sizeof(told.bytes));
    memset(&step, ELSE, sizeof(step));
    const size_t size = BEFORE + placement_size + tail;
    assert_int_equal(berth_scheduler_step_sized(scheduler, 7, (berth_step *)told.bytes, size,
                                                placement_size, NULL),
                     BERTH_OK);
    assert_true(holds(&told, size, sizeof(told.bytes), ELSE));
    size_t both =
        placement_size < sizeof(berth_placement) ? placement_size : sizeof(berth_placement);
    assert_true(holds(&told, BEFORE + both, BEFORE + placement_size, 0));
    memcpy(&step, told.bytes, BEFORE + both);
    size_t known = tail < sizeof(step) - BEHIND ? tail : sizeof(step) - BEHIND;
    memcpy((char *)&step + BEHIND, told.bytes + BEFORE + placement_size, known);
    assert_true(holds(&told, BEFORE + placement_size + known, size, 0));
    assert_int_equal(step.kind, BERTH_STEP_BOUND);
    assert_int_equal(step.placement.node, berth_engine_find_node(engine, text("a")));
    if (tail > 0) {
        assert_true(step.binding != 0);
        assert_int_equal(step.nominated, BERTH_NODE_NONE);
        assert_int_equal(step.attempt, 1);
    }
    berth_scheduler_destroy(scheduler);
    berth_engine_destroy(engine);
}

static void test_step(void **state)
{
    (void)state;
    const size_t placements[] = {SHORT_OF(berth_placement, node), sizeof(berth_placement),
                                 sizeof(berth_placement) + MORE};
    const size_t whole =
        sizeof(berth_step) - offsetof(berth_step, placement) - sizeof(berth_placement);
    const size_t tails[] = {0, SHORT_OF(berth_step, attempt) - offsetof(berth_step, binding), whole,
                            whole + MORE};
    for (int p = 0; p < 3; p++)
        for (int t = 0; t < 4; t++)
            check_step(placements[p], tails[t]);
}

/* ---- arrays ---- */

enum { PODS = 3 };

static void check_placements(berth_engine *engine, const berth_pod_id *pods, const room *told,
                             size_t size)
{
    assert_true(holds(told, PODS * size, sizeof(told->bytes), ELSE));
    for (int i = 0; i < PODS; i++) {
        berth_placement got;
        memcpy(&got, told->bytes + i * size, SHORT_OF(berth_placement, node));
        assert_int_equal(got.verdict, BERTH_VERDICT_PLACED);
        assert_int_equal(got.node, berth_engine_find_node(engine, text("a")));
        assert_int_equal(berth_engine_unbind(engine, pods[i], NULL), BERTH_OK);
    }
}

/* A group's decisions are an array with the caller's element size. */
static void test_groups(void **state)
{
    (void)state;
    berth_engine *engine = new_engine();
    berth_object object;
    small_node node;
    small_pod pod;
    berth_pod_id pods[PODS];
    static const char *const names[PODS] = {"p", "q", "r"};
    (void)small_node_object(&node, &object, "a", "z");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    for (int i = 0; i < PODS; i++) {
        (void)small_pod_object(&pod, &object, names[i], NULL, 500);
        assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &pods[i], NULL), BERTH_OK);
    }
    const size_t sizes[] = {SHORT_OF(berth_placement, node), sizeof(berth_placement),
                            sizeof(berth_placement) + MORE};
    for (int s = 0; s < 3; s++) {
        room told;
        uint32_t placed;
        berth_placement *out = (berth_placement *)told.bytes;
        memset(told.bytes, ELSE, sizeof(told.bytes));
        assert_int_equal(
            berth_engine_schedule_group_sized(engine, pods, PODS, out, sizes[s], &placed, NULL),
            BERTH_OK);
        check_placements(engine, pods, &told, sizes[s]);
        memset(told.bytes, ELSE, sizeof(told.bytes));
        assert_int_equal(berth_engine_schedule_pods_sized(engine, pods, PODS, NULL, out, sizes[s],
                                                          &placed, NULL),
                         BERTH_OK);
        check_placements(engine, pods, &told, sizes[s]);
        /* Pods that were not tried have no node. */
        const berth_pod_id twice[] = {pods[0], pods[0]};
        assert_int_equal(berth_engine_close_node(engine, 0, true, NULL), BERTH_OK);
        const berth_group_options stop = {.size = sizeof(stop), .flags = BERTH_GROUP_STOP};
        memset(told.bytes, ELSE, sizeof(told.bytes));
        assert_int_equal(
            berth_engine_schedule_pods_sized(engine, twice, 2, &stop, out, sizes[s], &placed, NULL),
            BERTH_OK);
        assert_true(holds(&told, 2 * sizes[s], sizeof(told.bytes), ELSE));
        for (int i = 0; i < 2; i++)
            assert_memory_equal(told.bytes + i * sizes[s] + offsetof(berth_placement, node),
                                &(uint32_t){BERTH_NODE_NONE}, 4);
        assert_int_equal(berth_engine_close_node(engine, 0, false, NULL), BERTH_OK);
    }
    berth_engine_destroy(engine);
}

/* Conflicts of a branch whose pods were removed from the engine. */
static void test_conflicts(void **state)
{
    (void)state;
    berth_engine *engine = new_engine(), *branch;
    berth_object object;
    small_node node;
    small_pod pod;
    berth_pod_id pods[2];
    (void)small_node_object(&node, &object, "a", "z");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    for (int i = 0; i < 2; i++) {
        (void)small_pod_object(&pod, &object, i == 0 ? "p" : "q", NULL, 500);
        assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &pods[i], NULL), BERTH_OK);
    }
    assert_int_equal(berth_engine_publish(engine, NULL), BERTH_OK);
    berth_snapshot *snapshot = berth_engine_pin(engine);
    assert_int_equal(berth_branch_create(snapshot, &branch, NULL), BERTH_OK);
    berth_snapshot_unpin(snapshot);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(berth_engine_bind(branch, pods[i], 0, NULL), BERTH_OK);
        assert_int_equal(berth_engine_remove(engine, BERTH_KIND_POD, text("default"),
                                             text(i == 0 ? "p" : "q"), NULL),
                         BERTH_OK);
    }
    const size_t sizes[] = {sizeof(berth_pod_id), sizeof(berth_conflict),
                            sizeof(berth_conflict) + MORE};
    for (int s = 0; s < 3; s++) {
        room told;
        uint32_t count;
        memset(told.bytes, ELSE, sizeof(told.bytes));
        assert_int_equal(berth_branch_commit_sized(branch, (berth_conflict *)told.bytes, sizes[s],
                                                   2, &count, NULL),
                         BERTH_OK);
        assert_int_equal(count, 2);
        assert_true(holds(&told, 2 * sizes[s], sizeof(told.bytes), ELSE));
        for (int i = 0; i < 2; i++)
            assert_memory_equal(told.bytes + i * sizes[s], &pods[i], sizeof(pods[i]));
    }
    berth_branch_drop(branch);
    berth_engine_destroy(engine);
}

/* Refusals, one by one and counted. The struct of counts has never been smaller than today. */
static void test_refusals(void **state)
{
    (void)state;
    berth_engine *engine = new_engine();
    berth_object object;
    small_node node;
    small_pod pod;
    berth_pod_id id;
    berth_placement placement;
    berth_explanation *explanation;
    assert_int_equal(berth_explanation_create(NULL, &explanation, NULL), BERTH_OK);
    const berth_decide_options options = {.size = sizeof(options), .explanation = explanation};
    for (int i = 0; i < 2; i++) {
        (void)small_node_object(&node, &object, i == 0 ? "a" : "b", "z");
        assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    }
    (void)small_pod_object(&pod, &object, "p", NULL, 8000);
    assert_int_equal(berth_engine_add_pod(engine, &pod.pod, &id, NULL), BERTH_OK);
    assert_int_equal(berth_engine_cordon_node(engine, 0, true, NULL), BERTH_OK);
    assert_int_equal(berth_engine_decide(engine, id, &options, &placement, NULL), BERTH_OK);
    assert_int_equal(berth_explanation_refusal_count(explanation), 2);
    TELL(berth_refusal, code, berth_explanation_refusal_sized(explanation, 1, out, size));
    TELL(berth_refusal, node, berth_explanation_refusal_sized(explanation, 9, out, size));
    berth_reason_count expected[2];
    assert_int_equal(berth_explanation_reason_counts(explanation, expected, 2), 2);
    room told;
    const size_t size = sizeof(berth_reason_count) + MORE;
    memset(told.bytes, ELSE, sizeof(told.bytes));
    assert_int_equal(berth_explanation_reason_counts_sized(
                         explanation, (berth_reason_count *)told.bytes, size, 2),
                     2);
    for (size_t i = 0; i < 2; i++) {
        berth_reason_count got;
        memcpy(&got, told.bytes + i * size, sizeof(got));
        assert_int_equal(got.nodes, expected[i].nodes);
        assert_int_equal(got.code, expected[i].code);
        assert_ptr_equal(got.reason.data, expected[i].reason.data);
        assert_true(holds(&told, i * size + sizeof(expected[i]), (i + 1) * size, 0));
    }
    assert_true(holds(&told, 2 * size, sizeof(told.bytes), ELSE));
    berth_explanation_destroy(explanation);
    berth_engine_destroy(engine);
}

static void test_backoff(void **state)
{
    (void)state;
    berth_scheduler_config *config;
    assert_int_equal(
        berth_scheduler_config_text(BERTH_STR("apiVersion: kubescheduler.config.k8s.io/v1\n"
                                              "kind: KubeSchedulerConfiguration\n"
                                              "podMaxBackoffSeconds: 7\n"),
                                    "text", 0, &config, NULL),
        BERTH_OK);
    TELL(berth_backoff, initial_seconds, berth_scheduler_config_backoff_sized(config, out, size));
    assert_int_equal(berth_scheduler_config_backoff(config).max_seconds, 7);
    berth_scheduler_config_destroy(config);
}

/* A claim that waits for its first consumer, and the placement's choice for it. */
static void test_claims(void **state)
{
    (void)state;
    static const char claimed[] =
        "apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n"
        "provisioner: drv\nvolumeBindingMode: WaitForFirstConsumer\n---\n"
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c, namespace: default}\n"
        "spec: {storageClassName: late, accessModes: [ReadWriteOnce],\n"
        "  resources: {requests: {storage: 1Gi}}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
        "spec: {containers: [{name: a}], volumes: [{name: v, persistentVolumeClaim: "
        "{claimName: c}}]}\n";
    berth_engine *engine = new_engine();
    berth_object object;
    small_node node;
    (void)small_node_object(&node, &object, "a", "z");
    assert_int_equal(berth_engine_add(engine, &object, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_load_text(engine, text(claimed), "text", NULL, NULL, NULL),
                     BERTH_OK);
    berth_pod_id pod = berth_engine_find_pod(engine, (berth_str){0}, text("p"));
    berth_placement placement;
    assert_int_equal(berth_engine_schedule(engine, pod, &placement, NULL), BERTH_OK);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    TELL(berth_claim_choice, claim_name.data,
         assert_int_equal(berth_engine_pod_claims_sized(engine, pod, out, size, 1), 1));
    berth_engine_destroy(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_told),     cmocka_unit_test(test_step),
        cmocka_unit_test(test_groups),   cmocka_unit_test(test_conflicts),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
