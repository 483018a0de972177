/* Drafts of pods: an engine counts the changes as it should, and the original stays unchanged. */
#include "rule_cluster.h"

#include "explain/pod_draft.h"

static small_cluster open_keeping(void)
{
    small_cluster c;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.keep_objects = true;
    small_open_as(&c, config);
    return c;
}

/* What a draft requests when it is added to the engine beside the original. */
static int64_t asked_by(small_cluster *c, const pod_draft *draft, const char *resource)
{
    berth_error error = {.code = BERTH_OK};
    berth_pod pod = draft->pod;
    berth_pod_id id = BERTH_POD_NONE;
    int64_t amount = -1;
    pod.meta.name = (berth_str)TEXT("draft");
    small_require(berth_engine_add_pod(c->engine, &pod, &id, &error), &error);
    small_require(berth_engine_pod_resource(c->engine, id,
                                            (berth_str){resource, (uint32_t)strlen(resource)},
                                            &amount, &error),
                  &error);
    small_require(berth_engine_remove(c->engine, BERTH_KIND_POD, (berth_str)TEXT("default"),
                                      (berth_str)TEXT("draft"), &error),
                  &error);
    return amount;
}

/* Reduce a pod's request step by step: the total is right however many containers share it. */
static void check_less(const char *spec, const char *resource, int64_t total, int64_t step)
{
    small_cluster c = open_keeping();
    berth_error error = {.code = BERTH_OK};
    berth_object *object = NULL;
    berth_pod_id pod = small_pod(&c, "p", NULL, "", spec);
    small_require(berth_engine_pod_object(c.engine, pod, NULL, &object, &error), &error);
    for (int64_t less = 0; less <= total; less += step) {
        pod_draft draft;
        pod_draft_open(&draft, object->as.pod);
        assert_int_equal(asked_by(&c, &draft, resource), total);
        pod_draft_ask_less(&draft, (berth_str){resource, (uint32_t)strlen(resource)}, total, less);
        assert_int_equal(asked_by(&c, &draft, resource), total - less);
        pod_draft_close(&draft);
    }
    berth_object_destroy(object);
    small_close(&c);
}

static void test_ask_less(void **state)
{
    (void)state;
    check_less("containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]", "cpu", 2000,
               250);
    check_less("containers: [{name: a, image: i, resources: {requests: {cpu: '1'}}},"
               "{name: b, image: i, resources: {requests: {cpu: 1500m}}}]",
               "cpu", 2500, 100);
    check_less("initContainers: [{name: f, image: i, resources: {requests: {cpu: '3'}}}],"
               "containers: [{name: a, image: i, resources: {requests: {cpu: '1'}}}]",
               "cpu", 3000, 300);
    check_less("containers: [{name: a, image: i, resources: {requests: {example.com/gpu: '8'},"
               "limits: {example.com/gpu: '8'}}}]",
               "example.com/gpu", 8, 1);
    check_less("resources: {requests: {memory: 4Gi}},"
               "containers: [{name: a, image: i, resources: {requests: {memory: 1Gi}}}]",
               "memory", INT64_C(4) << 30, INT64_C(1) << 30);
}

/* Claims from templates are named as in the pod's status; other entries stay. */
static void test_claims(void **state)
{
    (void)state;
    static const berth_pod_claim entries[] = {
        {.name = TEXT("a"), .claim_template = TEXT("t")},
        {.name = TEXT("b"), .claim = TEXT("mine")},
        {.name = TEXT("c"), .claim_template = TEXT("t")},
    };
    static const berth_pod_claim made[] = {{.name = TEXT("a"), .claim = TEXT("p-a")},
                                           {.name = TEXT("c")}};
    const berth_pod pod = {.resource_claims = entries,
                           .resource_claim_count = 3,
                           .resource_claim_statuses = made,
                           .resource_claim_status_count = 2};
    pod_draft draft;
    pod_draft_open(&draft, &pod);
    const berth_pod_claim *named = draft.pod.resource_claims;
    assert_memory_equal(named[0].claim.data, "p-a", 3);
    assert_null(named[0].claim_template.data);
    assert_memory_equal(named[1].claim.data, "mine", 4);
    assert_null(named[2].claim.data);
    assert_non_null(named[2].claim_template.data);
    pod_draft_close(&draft);
}

static void test_rules(void **state)
{
    (void)state;
    static const berth_key_value selector[] = {{TEXT("a"), TEXT("1")}, {TEXT("b"), TEXT("2")}};
    static const berth_taint taint = {.key = TEXT("k"), .value = TEXT("v"), .effect = TEXT("e")};
    static const berth_pod_affinity_term terms[] = {{.topology_key = TEXT("host")},
                                                    {.topology_key = TEXT("zone")}};
    static const berth_topology_spread spread = {.topology_key = TEXT("zone"),
                                                 .when_unsatisfiable = TEXT("DoNotSchedule"),
                                                 .min_domains = 2};
    const berth_pod pod = {.node_name = TEXT("n"),
                           .template_id = 7,
                           .node_selector = {selector, 2},
                           .pod_anti_affinity = {.required = terms, .required_count = 2},
                           .spreads = &spread,
                           .spread_count = 1};
    pod_draft draft;
    pod_draft_open(&draft, &pod);
    assert_int_equal(draft.pod.node_name.len, 0);
    assert_int_equal(draft.pod.template_id, 0);
    pod_draft_drop_selector(&draft, (berth_str)TEXT("a"));
    pod_draft_tolerate(&draft, &taint, 1);
    pod_draft_drop_anti_affinity(&draft, (berth_str)TEXT("host"));
    pod_draft_soften_spread(&draft, (berth_str)TEXT("zone"));
    pod_draft_set_priority(&draft, 9);
    assert_int_equal(draft.pod.node_selector.count, 1);
    assert_memory_equal(draft.pod.node_selector.entries[0].key.data, "b", 1);
    assert_int_equal(draft.pod.toleration_count, 1);
    assert_memory_equal(draft.pod.tolerations[0].key.data, "k", 1);
    assert_int_equal(draft.pod.pod_anti_affinity.required_count, 1);
    assert_memory_equal(draft.pod.pod_anti_affinity.required[0].topology_key.data, "zone", 4);
    assert_memory_equal(draft.pod.spreads[0].when_unsatisfiable.data, "ScheduleAnyway", 14);
    assert_int_equal(draft.pod.spreads[0].min_domains, 0);
    assert_true(draft.pod.has_priority && draft.pod.priority == 9);
    pod_draft_close(&draft);
    assert_int_equal(pod.node_selector.count, 2);
    assert_int_equal(spread.min_domains, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ask_less),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
