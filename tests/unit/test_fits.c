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

/* Ask about a pod and a node; the answer as "plugin: reason", or "" if the pod fits. */
static const char *why_not(const small_cluster *c, berth_pod_id pod, berth_node_id node)
{
    static char text[256];
    berth_error error = {.code = BERTH_OK};
    berth_fit fit = {.size = sizeof(fit)};
    small_require(berth_engine_fits(c->engine, pod, node, BERTH_FIT_REASONS, &fit, &error), &error);
    assert_int_equal(fit.verdict == BERTH_VERDICT_PLACED, fit.reason_count == 0);
    text[0] = '\0';
    if (fit.reason_count > 0)
        snprintf(text, sizeof(text), "%.*s: %.*s", (int)fit.plugin.len, fit.plugin.data,
                 (int)fit.reasons[0].len, fit.reasons[0].data);
    return text;
}

/* Nodes that an affinity by name excludes are refused without asking the filters, except for the
 * node for which the pod is nominated, because a decision tries that node first. */
static void test_excluded_by_name(void **state)
{
    small_cluster *c = *state;
    berth_error error;
    const berth_node_id a = small_node(c, "a", ""), b = small_node(c, "b", ""),
                        d = small_node(c, "d", "");
    const berth_pod_id pod =
        small_pod(c, "p", NULL, "",
                  "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
                  "[a]}]}]}}}, "
                  "containers: [{name: c}]");
    static const char plain[] = "NodeAffinity: node(s) didn't match Pod's node affinity/selector";
    static const char excluded[] = "NodeAffinity: node(s) didn't satisfy plugin(s) [NodeAffinity]";
    assert_string_equal(why_not(c, pod, a), "");
    assert_string_equal(why_not(c, pod, b), excluded);
    small_require(berth_engine_nominate(c->engine, pod, b, &error), &error);
    assert_string_equal(why_not(c, pod, b), plain);
    assert_string_equal(why_not(c, pod, d), excluded);
    assert_string_equal(why_not(c, pod, a), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_CLUSTER(test_counters_are_released),
                                       WITH_CLUSTER(test_excluded_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
