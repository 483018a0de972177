/* The scores in an explanation: the plugin's own value, the normalized one as a part of the
 * weighted one, and no own value if the plugin does not score the node. */
#include "rule_cluster.h"

static uint32_t plugin_number(const small_cluster *c, const char *name)
{
    for (uint32_t p = 0; p < berth_explanation_score_count(c->explanation); p++) {
        berth_str one = berth_explanation_score_plugin(c->explanation, p);
        if (one.len == strlen(name) && memcmp(one.data, name, one.len) == 0)
            return p;
    }
    fail_msg("%s did not score", name);
    return 0;
}

/* One node with two soft taints, and one without. */
static void test_raw(void **state)
{
    small_cluster *c = *state;
    small_add(c, "apiVersion: v1\nkind: Node\nmetadata: {name: two}\nspec: {taints: [\n"
                 "  {key: a, value: v, effect: PreferNoSchedule},\n"
                 "  {key: b, value: v, effect: PreferNoSchedule}]}\n"
                 "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    small_node(c, "none", "");
    small_decide(c, small_pod(c, "p", NULL, "", "containers: [{name: c, image: i}]"));
    assert_int_equal(berth_explanation_feasible_count(c->explanation), 2);
    uint32_t p = plugin_number(c, "TaintToleration");
    int64_t raw = -1;
    assert_int_equal(berth_explanation_score_weight(c->explanation, p), 3);
    assert_true(berth_explanation_raw_score(c->explanation, p, 0, &raw));
    assert_int_equal(raw, 2);
    assert_int_equal(berth_explanation_score(c->explanation, p, 0), 0);
    assert_true(berth_explanation_raw_score(c->explanation, p, 1, &raw));
    assert_int_equal(raw, 0);
    assert_int_equal(berth_explanation_score(c->explanation, p, 1), 300);
}

/* Without soft taints all nodes are equal, so the plugin is not called. */
static void test_no_say(void **state)
{
    small_cluster *c = *state;
    small_node(c, "a", "");
    small_node(c, "b", "");
    small_decide(c, small_pod(c, "p", NULL, "", "containers: [{name: c, image: i}]"));
    uint32_t p = plugin_number(c, "TaintToleration");
    int64_t raw = -7;
    assert_false(berth_explanation_raw_score(c->explanation, p, 1, &raw));
    assert_int_equal(raw, -7);
    assert_int_equal(berth_explanation_score(c->explanation, p, 1), 300);
    p = plugin_number(c, "NodeResourcesFit");
    assert_true(berth_explanation_raw_score(c->explanation, p, 1, &raw));
    assert_int_equal(raw, berth_explanation_score(c->explanation, p, 1));
    assert_int_equal(berth_explanation_score_weight(c->explanation, 1000), 0);
}

/* Where scoring fails, the nodes that the pod fits have no totals. */
static void test_failed_scoring(void **state)
{
    small_cluster *c = *state;
    int64_t total = -1;
    small_node(c, "a", "");
    small_node(c, "b", "");
    small_decide(c, small_pod(c, "p", NULL, "",
                              "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuring"
                              "Execution: [{weight: 1, preference: {matchExpressions: [{key: k, "
                              "operator: Bogus}]}}]}}, containers: [{name: c, image: i}]"));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_ERROR);
    assert_int_equal(berth_explanation_feasible_count(c->explanation), 2);
    for (uint32_t i = 0; i < 2; i++) {
        (void)berth_explanation_feasible(c->explanation, i, &total);
        assert_int_equal(total, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_raw, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_no_say, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_failed_scoring, small_set_up, small_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
