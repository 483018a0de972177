/* Pods whose volumes are still to be found, by index: what is kept about offers of volumes, in the
 * cases that random histories (tests/model/test_volume_offers.c) rarely make. */
#include "both_paths.h"

enum { NODES = 200 };

static berth_profile all_nodes(void)
{
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = 100;
    return profile;
}

static void add_nodes(both_paths *b)
{
    for (unsigned i = 0; i < NODES; i++)
        both_addf(b,
                  "{kind: Node, metadata: {name: n%u, labels: {kubernetes.io/hostname: n%u, "
                  "topology.kubernetes.io/zone: z%u}}, "
                  "status: {allocatable: {cpu: 8, memory: 8Gi, pods: 20}}}",
                  i, i, i % 2);
    both_addf(b, "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: local}, "
                 "provisioner: kubernetes.io/no-provisioner, "
                 "volumeBindingMode: WaitForFirstConsumer}");
}

static void add_volume(both_paths *b, unsigned host)
{
    both_addf(b,
              "{kind: PersistentVolume, metadata: {name: pv%u}, spec: {storageClassName: local, "
              "capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], local: {path: /x}, "
              "nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
              "kubernetes.io/hostname, operator: In, values: [n%u]}]}]}}}, "
              "status: {phase: Available}}",
              host, host);
}

static berth_pod_id add_pod(both_paths *b, unsigned number, unsigned gibibytes)
{
    both_addf(b,
              "{kind: PersistentVolumeClaim, metadata: {name: c%u}, spec: {storageClassName: "
              "local, accessModes: [ReadWriteOnce], resources: {requests: {storage: %uGi}}}}",
              number, gibibytes);
    return both_addf(b,
                     "{kind: Pod, metadata: {name: p%u, labels: {app: web}}, spec: {volumes: "
                     "[{name: v, persistentVolumeClaim: {claimName: c%u}}], containers: [{name: "
                     "c, image: i, resources: {requests: {cpu: 100m}}}]}}",
                     number, number);
}

/* The new volume's zone has no other, so the pod must go there; its node lies in another tile. */
static void test_volume_in_another_zone(void **state)
{
    (void)state;
    both_paths b;
    const berth_profile profile = all_nodes();
    both_open(&b, &profile);
    add_nodes(&b);
    both_addf(&b, "{kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}");
    for (unsigned host = 0; host < 12; host += 2) /* of zone z0 */
        add_volume(&b, host);
    both_schedule(&b, add_pod(&b, 0, 1));
    both_schedule(&b, add_pod(&b, 1, 1));
    add_volume(&b, 191); /* of zone z1 */
    const berth_pod_id last = add_pod(&b, 2, 1);
    both_schedule(&b, last);
    assert_int_equal(berth_engine_pod_node(b.c[0].engine, last),
                     berth_engine_find_node(b.c[0].engine, (berth_str)TEXT("n191")));
    both_close(&b);
}

/* More volumes come and go between two decisions than single changes are kept for. */
static void test_many_changes_at_once(void **state)
{
    (void)state;
    both_paths b;
    const berth_profile profile = all_nodes();
    both_open(&b, &profile);
    add_nodes(&b);
    unsigned next = 0, pod = 0;
    for (unsigned more = 1; next + more < NODES; more += 21) { /* up to 64 and above */
        for (unsigned i = 0; i < more; i++)
            add_volume(&b, next++);
        both_schedule(&b, add_pod(&b, pod++, 1));
    }
    both_close(&b);
}

/* Pods that differ in nothing but the size of their claims: a volume of 2 GiB serves one and not
 * the other, and each size keeps its own slots. */
static void test_claims_of_two_sizes(void **state)
{
    (void)state;
    both_paths b;
    const berth_profile profile = all_nodes();
    both_open(&b, &profile);
    add_nodes(&b);
    for (unsigned host = 0; host < 40; host++)
        add_volume(&b, host);
    for (unsigned i = 0; i < 40; i++) {
        const bool large = i % 3 == 0;
        const berth_pod_id id = add_pod(&b, i, large ? 3 : 2);
        both_decide(&b, id);
        if (!large)
            both_schedule(&b, id);
        assert_int_equal(both_bound(&b, id), !large);
    }
    both_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_volume_in_another_zone),
        cmocka_unit_test(test_many_changes_at_once),
        cmocka_unit_test(test_claims_of_two_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
