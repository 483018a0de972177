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

/* A volume of a CSI driver that allows one volume a node. */
static void put_volume(loop *l, const char *name)
{
    char text[512];
    (void)snprintf(
        text, sizeof(text),
        "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: %1$s, annotations: "
        "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {volumeName: %1$s}\n---\n"
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: %1$s}\n"
        "spec: {csi: {driver: d, volumeHandle: %1$s}}\n",
        name);
    loop_add(l, text);
}

static void put_node(loop *l, const char *name, uint32_t limit)
{
    char text[256];
    (void)snprintf(
        text, sizeof(text),
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\nstatus: {allocatable: {cpu: 8, "
        "memory: 8Gi, pods: 10, attachable-volumes-csi-d: '%u'}}\n",
        name, (unsigned)limit);
    loop_add(l, text);
}

static berth_pod_id put_pod(loop *l, const char *name, const char *node)
{
    char spec[160];
    (void)snprintf(spec, sizeof(spec),
                   "%s%s, volumes: [{name: v, persistentVolumeClaim: {claimName: %s}}]",
                   node != NULL ? ", nodeName: " : "", node != NULL ? node : "", name);
    return loop_pod(l, name, "1", spec);
}

/* A pod leaves its node, a node comes or allows more volumes, a claim changes its volume. */
static void test_csi_limit(void **state)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    (void)state;
    loop l;
    lone_plugin plugin;
    loop_open(&l, lone(&plugin, "MaxCSIVolumeCountPred", NULL, NULL), 1, 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        put_volume(&l, names[i]);
    put_node(&l, "n1", 1);
    (void)put_pod(&l, "a", "n1");

    const berth_pod_id b = put_pod(&l, "b", NULL);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    assert_text(berth_scheduler_rejector(l.scheduler, b, 0), "MaxCSIVolumeCountPred");
    loop_remove(&l, BERTH_KIND_POD, "default", "a");
    assert_int_equal(loop_state(&l, b), BERTH_POD_STATE_BACKOFF);
    loop_advance(&l, 20000);
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);

    const berth_pod_id c = put_pod(&l, "c", NULL);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    put_node(&l, "n2", 1);
    assert_int_equal(loop_state(&l, c), BERTH_POD_STATE_BACKOFF);
    loop_advance(&l, 40000);
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);

    const berth_pod_id d = put_pod(&l, "d", NULL);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    l.updates = true;
    put_node(&l, "n2", 2);
    assert_int_equal(loop_state(&l, d), BERTH_POD_STATE_BACKOFF);
    l.updates = false;
    loop_advance(&l, 60000);
    assert_int_equal(loop_step(&l), BERTH_STEP_BOUND);

    const berth_pod_id e = put_pod(&l, "e", NULL);
    assert_int_equal(loop_step(&l), BERTH_STEP_UNSCHEDULABLE);
    loop_update(&l, "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: e, annotations: "
                    "{pv.kubernetes.io/bind-completed: 'yes'}}\nspec: {volumeName: d}\n");
    assert_int_equal(loop_state(&l, e), BERTH_POD_STATE_BACKOFF);
    loop_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_disk_conflict),
        cmocka_unit_test(test_csi_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
