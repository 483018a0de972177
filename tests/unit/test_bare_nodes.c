/* Nodes that lack a resource which NodeResourcesFit scores, or all of them: the index scores single
 * nodes as the scan scores tiles. */
#include "berth/kube.h"
#include "rule_cluster.h"

enum { NODES = 60, PODS = 150 };

static const char *const strategies[] = {
    "{type: LeastAllocated, resources: [{name: cpu, weight: 1}, {name: x.org/gpu, weight: 3}]}",
    "{type: LeastAllocated, resources: [{name: x.org/gpu, weight: 2}]}",
    "{type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: x.org/gpu, weight: 3}]}",
    "{type: RequestedToCapacityRatio, resources: [{name: x.org/gpu, weight: 5}], "
    "requestedToCapacityRatio: {shape: [{utilization: 0, score: 2}, {utilization: 100, score: "
    "9}]}}",
};

static void add_nodes(small_cluster *c)
{
    static const char *const amounts[] = {"pods: 9", "pods: 9, cpu: 4", "pods: 9, x.org/gpu: 3",
                                          "pods: 9, cpu: 3, memory: 4Gi, x.org/gpu: 4"};
    for (uint32_t i = 0; i < NODES; i++)
        small_addf(
            c, "apiVersion: v1\nkind: Node\nmetadata: {name: n%u}\nstatus: {allocatable: {%s}}\n",
            (unsigned)i, amounts[i % 4]);
}

static berth_pod_id add_pod(small_cluster *c, uint32_t number)
{
    static const char *const requests[] = {"", "cpu: 500m", "x.org/gpu: 1", ""};
    const char *wanted = requests[number % 4];
    return small_addf(
        c,
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u}\n"
        "spec: {containers: [{name: c, resources: {requests: {%s}, limits: {%s}}}]}\n",
        (unsigned)number, wanted, wanted);
}

static void compare(const berth_profile *profile)
{
    small_cluster c[2];
    for (uint32_t k = 0; k < 2; k++) {
        berth_engine_config config;
        berth_engine_config_init(&config);
        config.path = k == 0 ? BERTH_PATH_INDEX : BERTH_PATH_SCAN;
        config.profiles = profile;
        config.profile_count = 1;
        small_open_as(&c[k], config);
        add_nodes(&c[k]);
    }
    for (uint32_t i = 0; i < PODS; i++) {
        berth_placement got[2];
        for (uint32_t k = 0; k < 2; k++) {
            const berth_pod_id pod = add_pod(&c[k], i);
            assert_int_equal(berth_engine_schedule(c[k].engine, pod, &got[k], NULL), BERTH_OK);
        }
        assert_int_equal(got[0].path, BERTH_PATH_INDEX);
        assert_int_equal(got[0].total, got[1].total);
        assert_int_equal(got[0].best_count, got[1].best_count);
        assert_int_equal(got[0].node, got[1].node);
    }
    small_close(&c[0]);
    small_close(&c[1]);
}

static void test_scores(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(strategies) / sizeof(strategies[0]); i++) {
        char text[1024];
        berth_scheduler_config *config;
        berth_error error = {.code = BERTH_OK};
        uint32_t count;
        const int length = snprintf(
            text, sizeof(text),
            "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
            "percentageOfNodesToScore: 100\nprofiles: [{pluginConfig: [{name: NodeResourcesFit, "
            "args: {scoringStrategy: %s}}]}]\n",
            strategies[i]);
        small_require(berth_scheduler_config_text((berth_str){text, (uint32_t)length}, "test", 0,
                                                  &config, &error),
                      &error);
        compare(berth_scheduler_config_profiles(config, &count));
        berth_scheduler_config_destroy(config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_scores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
