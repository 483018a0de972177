/* PreEnqueue of DynamicResources: pods whose device claims are missing are not tried; what admits
 * them, and what keeps them out again. */
#include "scheduler_cluster.h"

#include "queue/loop.h"

#define CLAIM(name, meta)                                                              \
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: " name meta \
    "}\nspec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n---\n"
#define OWNER(uid) \
    ", ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: " uid ", controller: true}]"
#define NAMED \
    ", resourceClaims: [{name: a, resourceClaimName: one}, {name: b, resourceClaimName: two}]"
#define FROM_TEMPLATE ", resourceClaims: [{name: t, resourceClaimTemplateName: tmpl}]"

static int set_up(void **state)
{
    loop *l = malloc(sizeof(*l));
    assert_non_null(l);
    loop_open_as(l, 36, NULL, 0, 5000, NULL);
    loop_add(l, "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n---\n"
                "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: "
                "{driver: x.org, pool: {name: s, generation: 1, resourceSliceCount: 1}, allNodes: "
                "true, devices: [{name: d0}, {name: d1}, {name: d2}]}\n");
    loop_node(l, "node", "4");
    *state = l;
    return 0;
}

static uint64_t gated(const loop *l)
{
    berth_scheduler_counters counters;
    berth_scheduler_count(l->scheduler, &counters);
    return counters.gated;
}

/* A pod is admitted and tried when the last of its claims arrives; other claims and changes do not
 * admit it. */
static void test_claims_arrive(void **state)
{
    loop *l = *state;
    berth_pod_id pod = loop_pod(l, "p", "1", NAMED);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_due_ms(l, pod), -1);
    assert_int_equal(gated(l), 1);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_add(l, CLAIM("other", ""));
    loop_add(l, CLAIM("one", ""));
    loop_node(l, "more", "4");
    loop_advance(l, 1000000);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_add(l, CLAIM("two", ", namespace: elsewhere"));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_add(l, CLAIM("two", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(gated(l), 0);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.attempt, 1);
}

/* A claim from a template must be named in the pod's status and owned by the pod. */
static void test_from_template(void **state)
{
    loop *l = *state;
    const char *uid = ", uid: u1";
    berth_pod_id pod = loop_add(l, loop_pod_text("p", "1", uid, FROM_TEMPLATE));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_add(l, CLAIM("p-t", OWNER("u2")));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    char text[1024];
    snprintf(text, sizeof(text),
             "%sstatus: {resourceClaimStatuses: [{name: t, resourceClaimName: p-t}]}\n",
             loop_pod_text("p", "1", uid, FROM_TEMPLATE));
    loop_update(l, text);
    assert_int_equal(loop_state(l, pod),
                     BERTH_POD_STATE_GATED); /* the claim belongs to another pod */
    loop_update(l, CLAIM("p-t", OWNER("u1")));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* The status comes last: the pod's own update admits it. */
static void test_status_comes_last(void **state)
{
    loop *l = *state;
    loop_add(l, CLAIM("p-t", OWNER("u1")));
    berth_pod_id pod = loop_add(l, loop_pod_text("p", "1", ", uid: u1", FROM_TEMPLATE));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    char text[1024];
    snprintf(text, sizeof(text),
             "%sstatus: {resourceClaimStatuses: [{name: t, resourceClaimName: p-t}]}\n",
             loop_pod_text("p", "1", ", uid: u1", FROM_TEMPLATE));
    loop_update(l, text);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

/* A waking event does not activate a pod in the pool whose claim was removed; the claim's return
 * does. */
static void test_claim_goes(void **state)
{
    loop *l = *state;
    loop_add(l, CLAIM("one", ""));
    loop_add(l, CLAIM("two", ""));
    berth_pod_id pod = loop_pod(l, "p", "8", NAMED);
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    loop_remove(l, BERTH_KIND_RESOURCE_CLAIM, "default", "one");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_node(l, "large", "16");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    assert_int_equal(loop_step(l), BERTH_STEP_IDLE);
    loop_advance(l, 60000);
    loop_add(l, CLAIM("one", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE); /* its backoff is over */
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_equal(l->step.attempt, 2);
}

/* With both gates: removing one is not enough while the other remains. */
static void test_with_gates(void **state)
{
    loop *l = *state;
    berth_pod_id pod = loop_pod(l, "p", "1", NAMED ", schedulingGates: [{name: g}]");
    loop_add(l, CLAIM("one", ""));
    loop_add(l, CLAIM("two", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_update(l, loop_pod_text("p", "1", "", NAMED));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    pod = loop_pod(l, "q", "1", ", resourceClaims: [{name: a, resourceClaimName: three}]");
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_remove(l, BERTH_KIND_POD, "default", "q");
    assert_int_equal(gated(l), 0);
}

/* Many gated pods: when a claim arrives, its own pod and only a few others are examined. */
static void test_many_wait(void **state)
{
    loop *l = *state;
    enum { PODS = 2000 };
    static berth_pod_id pods[PODS];
    const berth__claim_waiters *waiters = &l->scheduler->queue.waiters;
    char name[16], text[256];
    for (int i = 0; i < PODS; i++) {
        snprintf(name, sizeof(name), "p%d", i);
        snprintf(text, sizeof(text), ", resourceClaims: [{name: a, resourceClaimName: c%d}]", i);
        pods[i] = loop_pod(l, name, "1m", text);
        assert_int_equal(loop_state(l, pods[i]), BERTH_POD_STATE_GATED);
    }
    for (int i = PODS; i-- > 0;) {
        uint32_t looked_at = 0;
        snprintf(name, sizeof(name), "c%d", i);
        const berth_str claim = {name, (uint32_t)strlen(name)};
        const berth__queue_item *item = berth__claim_waiters_first(
            waiters, berth__claim_waiters_hash(BERTH_STR("default"), claim));
        for (; item != NULL; item = item->group_next)
            looked_at++;
        assert_in_range(looked_at, 1, 32);
        snprintf(text, sizeof(text),
                 "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s}\n"
                 "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}\n",
                 name);
        loop_add(l, text);
        assert_int_equal(loop_state(l, pods[i]), BERTH_POD_STATE_ACTIVE);
        assert_int_equal(gated(l), i);
    }
    assert_int_equal(berth_scheduler_check(l->scheduler, NULL), BERTH_OK);
}

/* The first of two claims is removed again before the second one arrives. */
static void test_first_goes_again(void **state)
{
    loop *l = *state;
    berth_pod_id pod = loop_pod(l, "p", "1", NAMED);
    loop_add(l, CLAIM("one", ""));
    assert_int_equal(berth_scheduler_check(l->scheduler, NULL), BERTH_OK);
    loop_remove(l, BERTH_KIND_RESOURCE_CLAIM, "default", "one");
    loop_add(l, CLAIM("two", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_GATED);
    loop_add(l, CLAIM("one", ""));
    assert_int_equal(loop_state(l, pod), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(berth_scheduler_check(l->scheduler, NULL), BERTH_OK);
}

static int set_up_newest(void **state)
{
    loop *l = malloc(sizeof(*l));
    assert_non_null(l);
    loop_open_as(l, 37, NULL, 0, 5000, NULL);
    loop_add(l, "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s}\nspec: "
                "{driver: x.org, pool: {name: s, generation: 1, resourceSliceCount: 1}, allNodes: "
                "true, devices: [{name: d0}, {name: d1}]}\n");
    loop_node(l, "node", "4");
    *state = l;
    return 0;
}

/* A pod that requests one unit of an extended resource and finds none. */
static berth_pod_id wait_for(loop *l, const char *name, const char *resource)
{
    char text[512];
    snprintf(text, sizeof(text),
             "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec: {containers: [{name: c, "
             "image: i, resources: {requests: {%s: 1}, limits: {%s: 1}}}]}\n",
             name, resource, resource);
    const berth_pod_id pod = loop_add(l, text);
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    return pod;
}

#define DEVICE_CLASS(name, spec)                                                                  \
    "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: " name "}\nspec: {" spec \
    "}\n"

/* A class that backs the resource, by what it says or by its name, wakes the pod; others do not. */
static void test_class_backs_resource(void **state)
{
    loop *l = *state;
    const berth_pod_id said = wait_for(l, "said", "x.org/gpu");
    const berth_pod_id named = wait_for(l, "named", "deviceclass.resource.kubernetes.io/nic");
    loop_advance(l, 2000);
    loop_add(l, DEVICE_CLASS("other", ""));
    loop_add(l, DEVICE_CLASS("card", "extendedResourceName: x.org/card"));
    assert_int_equal(loop_state(l, said), BERTH_POD_STATE_UNSCHEDULABLE);
    assert_int_equal(loop_state(l, named), BERTH_POD_STATE_UNSCHEDULABLE);
    loop_update(l, DEVICE_CLASS("other", "extendedResourceName: x.org/gpu"));
    assert_int_equal(loop_state(l, said), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_state(l, named), BERTH_POD_STATE_UNSCHEDULABLE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    loop_add(l, DEVICE_CLASS("nic", ""));
    assert_int_equal(loop_state(l, named), BERTH_POD_STATE_ACTIVE);
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, loop_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_claims_arrive),
        TEST(test_from_template),
        TEST(test_status_comes_last),
        TEST(test_claim_goes),
        TEST(test_with_gates),
        TEST(test_many_wait),
        TEST(test_first_goes_again),
        cmocka_unit_test_setup_teardown(test_class_backs_resource, set_up_newest, loop_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
