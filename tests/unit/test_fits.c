/* berth_engine_fits: what a question about one node leaves behind. */
#include "columns/pod_counts.h"
#include "rule_cluster.h"
#include "versions/engine_state.h"

/* Counters are held while nominated pods are added for the answer, and released after it. */
static void test_counters_are_released(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    berth_fit fit = {.size = sizeof(fit)};
    const berth_node_id node = small_node(c, "a", ", labels: {kubernetes.io/hostname: a}");
    const berth_pod_id other =
        small_pod(c, "o", NULL, ", labels: {app: web}", "priority: 9, containers: [{name: c}]");
    const berth_pod_id pod = small_pod(
        c, "p", NULL, "",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}, "
        "containers: [{name: c}]");
    small_require(berth_engine_nominate(c->engine, other, node, &error), &error);
    small_require(berth_engine_fits(c->engine, pod, node, 0, &fit, &error), &error);
    assert_int_equal(fit.verdict, BERTH_VERDICT_UNSCHEDULABLE); /* `o` may come first */
    assert_false(c->engine->cluster.view.counts->held);
    small_require(berth_engine_fits(c->engine, other, node, 0, &fit, &error), &error);
    assert_int_equal(fit.verdict, BERTH_VERDICT_PLACED);
    assert_false(c->engine->cluster.view.counts->held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CLUSTER(test_counters_are_released)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
