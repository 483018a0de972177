/* Explained decisions and memory: whichever allocation of the engine or the explanation fails, the
 * call fails as a whole, and the next one gives the whole message. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "rule_cluster.h"

typedef berth_pod_id make_scene(small_cluster *c);

static void open_scarce(small_cluster *c, const berth_allocator *allocator)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.allocator = allocator;
    small_open_as(c, config);
    berth_explanation_destroy(c->explanation);
    assert_int_equal(berth_explanation_create(allocator, &c->explanation, NULL), BERTH_OK);
}

/* Decide on the pod of a scene, letting the allocation `at` fail (0: none). Returns whether the
 * decision needs fewer. */
static bool decides_without(make_scene *scene, unsigned at, char *said, size_t capacity)
{
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    small_cluster c;
    open_scarce(&c, &allocator);
    const berth_pod_id pod = scene(&c);
    const berth_decide_options options = {
        .size = sizeof(options), .explanation = c.explanation, .flags = BERTH_DECIDE_KEEP_ROTATION};
    berth_error error = {.code = BERTH_OK};
    atomic_store(&memory.calls, 0);
    atomic_store(&memory.fail_at, at);
    const berth_status status = berth_engine_decide(c.engine, pod, &options, &c.placement, &error);
    atomic_store(&memory.fail_at, 0);
    const bool fewer = atomic_load(&memory.calls) < at;
    if (status != BERTH_OK) {
        assert_int_equal(status, BERTH_E_NOMEM);
        assert_int_equal(error.code, BERTH_E_NOMEM);
        small_require(berth_engine_decide(c.engine, pod, &options, &c.placement, &error), &error);
    }
    const berth_str message = berth_explanation_message(c.explanation);
    snprintf(said, capacity, "%.*s", (int)message.len, message.data);
    small_close(&c);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return fewer;
}

static void expect_all(make_scene *scene, const char *wanted)
{
    char said[2048];
    bool fewer = false;
    for (unsigned at = 0; !fewer; at++) {
        assert_true(at < 4000);
        fewer = decides_without(scene, at, said, sizeof(said)) && at > 0;
        assert_string_equal(said, wanted);
    }
}

/* No victim is of lower priority, and one node is left out by name. */
static berth_pod_id excluded_scene(small_cluster *c)
{
    small_node(c, "a", "");
    small_node(c, "b", "");
    small_pod(c, "full", "a", "",
              "priority: 20, containers: [{name: c, resources: {requests: {cpu: 4}}}]");
    return small_pod(c, "p", NULL, "",
                     "priority: 10, affinity: {nodeAffinity: {"
                     "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                     "[{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}}, "
                     "containers: [{name: c, resources: {requests: {cpu: 1}}}]");
}

/* A victim would help, but the pod's own policy is against it. */
static berth_pod_id gentle_scene(small_cluster *c)
{
    small_node(c, "a", "");
    small_pod(c, "full", "a", "",
              "priority: 1, containers: [{name: c, resources: {requests: {cpu: 4}}}]");
    return small_pod(c, "p", NULL, "",
                     "priority: 10, preemptionPolicy: Never, containers: [{name: c, resources: "
                     "{requests: {cpu: 1}}}]");
}

/* The victim leaves although a budget protects it. */
static berth_pod_id victim_scene(small_cluster *c)
{
    small_node(c, "a", "");
    small_pod(c, "full", "a", ", labels: {app: x}",
              "priority: 1, containers: [{name: c, resources: {requests: {cpu: 4}}}]");
    small_budget(c, "{matchLabels: {app: x}}", "disruptionsAllowed: 0");
    return small_pod(c, "p", NULL, "",
                     "priority: 10, containers: [{name: c, resources: {requests: {cpu: 1}}}]");
}

/* A pod that waits for a claim. */
static berth_pod_id waiting_scene(small_cluster *c)
{
    small_node(c, "a", "");
    return small_pod(c, "p", NULL, "",
                     "volumes: [{name: v, persistentVolumeClaim: {claimName: absent}}], "
                     "containers: [{name: c}]");
}

/* A pod whose only claim has a device on another node, which is full; the claim is reserved for
 * nobody, so it is given back. */
static berth_pod_id freeing_scene(small_cluster *c)
{
    small_add(c, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n---\n"
                 "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
                 "metadata: {name: one, uid: u}\n"
                 "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n"
                 "status: {allocation: {devices: {results: [{request: r, driver: x.org, pool: s, "
                 "device: d}]}, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: "
                 "metadata.name, operator: In, values: [b]}]}]}}}\n");
    small_node(c, "a", "");
    return small_pod(c, "p", NULL, "",
                     "priority: 10, resourceClaims: [{name: a, resourceClaimName: one}], "
                     "containers: [{name: c, resources: {claims: [{name: a}]}}]");
}

/* A claim whose selector fails on two nodes. */
static berth_pod_id failing_scene(small_cluster *c)
{
    small_add(c, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n---\n"
                 "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"
                 "metadata: {name: one, uid: u}\n"
                 "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, selectors: "
                 "[{cel: {expression: 'device.attributes[\"x.org\"].absent == \"x\"'}}]}}]}}\n");
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? "a" : "b";
        small_node(c, name, "");
        small_addf(c,
                   "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s%s}\n"
                   "spec: {driver: x.org, nodeName: %s, pool: {name: %s, generation: 1, "
                   "resourceSliceCount: 1}, devices: [{name: d}]}\n",
                   name, name, name);
    }
    return small_pod(c, "p", NULL, "",
                     "resourceClaims: [{name: a, resourceClaimName: one}], "
                     "containers: [{name: c, resources: {claims: [{name: a}]}}]");
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    expect_all(excluded_scene,
               "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) "
               "[NodeAffinity]. preemption: 0/2 nodes are available: 1 No preemption victims found "
               "for incoming pod, 1 Preemption is not helpful for scheduling.");
    expect_all(gentle_scene, "0/1 nodes are available: 1 Insufficient cpu. preemption: not "
                             "eligible due to preemptionPolicy=Never.");
    expect_all(victim_scene, "0/1 nodes are available: 1 Insufficient cpu. preemption: found a "
                             "potential placement for pod on node a, preempting 1 victims");
    expect_all(waiting_scene, "0/1 nodes are available: persistentvolumeclaim \"absent\" not "
                              "found. not found");
    expect_all(failing_scene,
               "running \"DynamicResources\" filter plugin: claim default/one: selector #0 on "
               "device x.org/a/d: CEL runtime error: no such key: absent. consider using CEL "
               "optional chaining (.? followed by orValue()) or guarding the check with has() for "
               "optional fields");
    expect_all(freeing_scene,
               "0/1 nodes are available: 1 resourceclaim not available on the node. deallocation "
               "of ResourceClaim completed, preemption: 0/1 nodes are available: 1 Preemption is "
               "not helpful for scheduling.");
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory_runs_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
