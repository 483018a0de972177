/* Which changes wake a pod that a predicate of v1.15 has refused. */
#include "legacy_rules.h"
#include "scheduler_cluster.h"

static const char wanted[] = ", volumes: [{name: v, awsElasticBlockStore: {volumeID: d}}]";

static berth_pod_id refused(loop *l, const char *name)
{
    const berth_pod_id pod = loop_pod(l, name, "1", wanted);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
    assert_text(berth_scheduler_rejector(l->scheduler, pod, 0), "NoDiskConflict");
    return pod;
}

/* A pod with the disk leaves its node, or a node comes; not if one with another disk leaves. */
static void test_no_disk_conflict(void **state)
{
    (void)state;
    loop l;
    lone_plugin plugin;
    loop_open(&l, lone(&plugin, "NoDiskConflict", NULL, NULL), 1, 0);
    loop_node(&l, "a", "4");
    loop_add(&l, loop_pod_text(
                     "r1", "1", "",
                     ", nodeName: a, volumes: [{name: u, awsElasticBlockStore: {volumeID: d}}]"));
    loop_add(&l, loop_pod_text(
                     "r2", "1", "",
                     ", nodeName: a, volumes: [{name: u, awsElasticBlockStore: {volumeID: e}}]"));
    const berth_pod_id p = refused(&l, "p");
    loop_remove(&l, BERTH_KIND_POD, "default", "r2");
    assert_int_equal(loop_state(&l, p), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_remove(&l, BERTH_KIND_POD, "default", "r1");
    assert_int_equal(loop_state(&l, p), BERTH_POD_STATE_BACKOFF);
    loop_advance(&l, 20000);
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);

    const berth_pod_id q = refused(&l, "q");
    loop_node(&l, "b", "4");
    assert_int_equal(loop_state(&l, q), BERTH_POD_STATE_BACKOFF);
    loop_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_disk_conflict)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
