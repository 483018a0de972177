/* Devices that several allocations share: nodes with the same devices differ by what is taken of
 * them, however little that is. */
#include "rule_cluster.h"

#define NODE(name)                                                                      \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name ", labels: {side: " name       \
    "}}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}\n---\n"                  \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: " name       \
    "}\nspec: {driver: x.org, pool: {name: " name                                       \
    ", generation: 1, resourceSliceCount: 1}, nodeName: " name                          \
    ", devices: [{name: d, allowMultipleAllocations: true, capacity: {memory: {value: " \
    "40Gi}}}]}\n---\n"

static berth_node_id place(small_cluster *c, const char *name, const char *amount, const char *side)
{
    berth_error error;
    berth_placement placement;
    const berth_pod_id pod = small_addf(
        c,
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %1$s, uid: "
        "%1$s}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: any, capacity: "
        "{requests: {memory: %2$s}}}}]}}\n---\n"
        "apiVersion: v1\nkind: Pod\nmetadata: {name: %1$s, uid: u%1$s}\nspec: {%3$scontainers: "
        "[{name: c}], resourceClaims: [{name: d, resourceClaimName: %1$s}]}\n",
        name, amount, side);
    small_require(berth_engine_schedule(c->engine, pod, &placement, &error), &error);
    return placement.node;
}

static void test_what_is_taken(void **state)
{
    small_cluster *c = *state;
    small_add(c, NODE("a") NODE("b") "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\n"
                                     "metadata: {name: any}\nspec: {}\n");
    const berth_node_id a = berth_engine_find_node(c->engine, BERTH_STR("a"));
    const berth_node_id b = berth_engine_find_node(c->engine, BERTH_STR("b"));
    assert_int_equal(place(c, "p1", "30Gi", "nodeSelector: {side: a}, "), a);
    assert_int_equal(place(c, "p2", "20Gi", ""), b); /* a has 10Gi left */
    assert_int_equal(place(c, "p3", "20Gi", ""), b); /* all that is left there */
    assert_int_equal(place(c, "p4", "20Gi", ""), BERTH_NODE_NONE);
    assert_int_equal(place(c, "p5", "10Gi", ""), a);
    assert_int_equal(place(c, "p6", "1Gi", ""), BERTH_NODE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CLUSTER(test_what_is_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
