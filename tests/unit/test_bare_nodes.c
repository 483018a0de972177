/* Nodes that lack a resource which NodeResourcesFit scores, or all of them: the index scores single
 * nodes as the scan scores tiles. */
#include "berth/kube.h"
#include "both_paths.h"

enum { NODES = 60, PODS = 150 };

static const char *const strategies[] = {
    "{type: LeastAllocated, resources: [{name: cpu, weight: 1}, {name: x.org/gpu, weight: 3}]}",
    "{type: LeastAllocated, resources: [{name: x.org/gpu, weight: 2}]}",
    "{type: LeastAllocated, resources: [{name: x.org/gpu, weight: 1}, {name: memory, weight: 1}]}",
    "{type: MostAllocated, resources: [{name: cpu, weight: 1}, {name: x.org/gpu, weight: 3}]}",
    "{type: RequestedToCapacityRatio, resources: [{name: x.org/gpu, weight: 5}], "
    "requestedToCapacityRatio: {shape: [{utilization: 0, score: 2}, {utilization: 100, score: "
    "9}]}}",
};

static void compare(const berth_profile *profile)
{
    static const char *const amounts[] = {"pods: 9", "pods: 9, cpu: 4", "pods: 9, x.org/gpu: 3",
                                          "pods: 9, cpu: 3, memory: 4Gi, x.org/gpu: 4"};
    static const char *const requests[] = {"", "cpu: 500m", "x.org/gpu: 1", ""};
    both_paths b;
    both_open(&b, profile);
    for (uint32_t i = 0; i < NODES; i++)
        both_addf(
            &b, "apiVersion: v1\nkind: Node\nmetadata: {name: n%u}\nstatus: {allocatable: {%s}}\n",
            (unsigned)i, amounts[i % 4]);
    for (uint32_t i = 0; i < PODS; i++)
        both_schedule(&b, both_addf(&b,
                                    "apiVersion: v1\nkind: Pod\nmetadata: {name: p%1$u}\n"
                                    "spec: {containers: [{name: c, resources: {requests: {%2$s}, "
                                    "limits: {%2$s}}}]}\n",
                                    (unsigned)i, requests[i % 4]));
    both_close(&b);
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
