/* How many feasible nodes a search looks for, and in which order it visits nodes: the examples of
 * Kubernetes' documentation, in both eras. */
#include "profile_points.h"
#include "rule_cluster.h"

static const berth_plugin_ref equal[] = {{.name = TEXT("EqualPriority"), .weight = 1}};
static const berth_plugin_ref modern[] = {{.name = TEXT("NodeResourcesFit"), .weight = 1}};

/* Skips a v1.15 case if the library was built without v1.15. */
static void needs(berth_era era)
{
#ifdef BERTH_NO_LEGACY
    if (era == BERTH_ERA_V1ALPHA1)
        skip();
#endif
    (void)era;
}

static berth_profile profile_of(berth_era era)
{
    static profile_points points[2]; /* by era */
    needs(era);
    berth_profile profile = {.era = era};
    own_points(&profile, &points[era])[BERTH_POINT_SCORE] =
        (berth_plugin_list){era == BERTH_ERA_V1ALPHA1 ? equal : modern, 1};
    return profile;
}

static void add_nodes(small_cluster *c, uint32_t count)
{
    berth_error error = {.code = BERTH_OK};
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        int len = snprintf(name, sizeof(name), "n%u", (unsigned)i);
        const berth_node node = {.meta.name = {name, (uint32_t)len}};
        const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
        small_require(berth_engine_add(c->engine, &object, NULL, &error), &error);
    }
}

/* Every node is feasible, so the number found is the number looked for. */
static uint32_t found(berth_profile profile, uint32_t nodes)
{
    small_cluster c;
    small_open(&c, &profile);
    add_nodes(&c, nodes);
    small_decide(&c, small_pod(&c, "p", NULL, "", ""));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_PLACED);
    uint32_t count = c.placement.feasible_count;
    small_close(&c);
    return count;
}

static uint32_t found_at(berth_era era, int32_t percentage, int32_t minimum, uint32_t nodes)
{
    berth_profile profile = profile_of(era);
    profile.percentage_of_nodes_to_score = percentage;
    profile.min_feasible_nodes = minimum;
    return found(profile, nodes);
}

/* Run for each era. */
static void check_formula(berth_era era)
{
    /* unset: 50 % of 100 nodes, 10 % of 5,000, never below 5 % */
    assert_int_equal(found_at(era, 0, 50, 100), 50);
    assert_int_equal(found_at(era, 0, 0, 5000), 500);
    assert_int_equal(found_at(era, 0, 0, 6000), 300);
    assert_int_equal(found_at(era, 0, 0, 10000), 500);
    assert_int_equal(found_at(era, 0, 0, 1000), 420);
    assert_int_equal(found_at(era, 0, 0, 400), 188);
    /* at least 100 nodes, or the option's minimum */
    assert_int_equal(found_at(era, 0, 0, 99), 99);
    assert_int_equal(found_at(era, 0, 0, 100), 100);
    assert_int_equal(found_at(era, 0, 0, 120), 100);
    assert_int_equal(found_at(era, 1, 0, 400), 100);
    assert_int_equal(found_at(era, 1, 50, 400), 50);
    assert_int_equal(found_at(era, 1, 50, 49), 49);
    /* set: that percentage, even below 5 %; 100 and above: all */
    assert_int_equal(found_at(era, 50, 0, 400), 200);
    assert_int_equal(found_at(era, 2, 0, 10000), 200);
    assert_int_equal(found_at(era, 100, 0, 400), 400);
    assert_int_equal(found_at(era, 101, 0, 400), 400);
    assert_int_equal(found_at(era, 2147483647, 0, 400), 400);
}

static void test_formula_modern(void **state)
{
    (void)state;
    check_formula(BERTH_ERA_V1);
}

static void test_formula_legacy(void **state)
{
    (void)state;
    check_formula(BERTH_ERA_V1ALPHA1);
}

static void test_negative(void **state)
{
    (void)state;
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine = NULL;
    berth_profile profile = profile_of(BERTH_ERA_V1ALPHA1);
    berth_engine_config config;
    profile.percentage_of_nodes_to_score = -1;
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_INVALID);
    assert_non_null(strstr(error.message, "percentageOfNodesToScore"));
}

/* ---- order ---- */

/* Nodes 1 to 4 in zone 1, nodes 5 and 6 in zone 2. */
static void add_two_zones(small_cluster *c)
{
    for (uint32_t i = 1; i <= 6; i++) {
        char name[16], more[128];
        snprintf(name, sizeof(name), "node-%u", (unsigned)i);
        snprintf(more, sizeof(more), ", labels: {failure-domain.beta.kubernetes.io/zone: zone-%u}",
                 i <= 4 ? 1U : 2U);
        small_node(c, name, more);
    }
}

static uint32_t number_of(const small_cluster *c, berth_node_id node)
{
    berth_str name = berth_engine_node_name(c->engine, node);
    return (uint32_t)(name.data[name.len - 1] - '0');
}

static void check_order(berth_era era)
{
    static const uint32_t order[] = {1, 5, 2, 6, 3, 4};
    berth_node_id nodes[6];
    berth_profile profile = profile_of(era);
    small_cluster c;
    small_open(&c, &profile);
    add_two_zones(&c);
    uint32_t count = 0;
    assert_int_equal(berth_engine_node_order(c.engine, nodes, 6, &count, NULL), BERTH_OK);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(number_of(&c, nodes[i]), order[i]);
    small_close(&c);
}

/* Each decision looks for one node, so the six nodes are taken in turn. v1.32 starts at the surplus
 * feasible node of the last search; v1.15 has already passed that node. */
static void check_rounds(berth_era era, const uint32_t *wanted, uint32_t count)
{
    berth_profile profile = profile_of(era);
    profile.percentage_of_nodes_to_score = 1;
    profile.min_feasible_nodes = 1;
    small_cluster c;
    small_open(&c, &profile);
    add_two_zones(&c);
    berth_pod_id pod = small_pod(&c, "p", NULL, "", "");
    for (uint32_t i = 0; i < count; i++) {
        small_decide(&c, pod);
        assert_int_equal(number_of(&c, c.placement.node), wanted[i]);
    }
    small_close(&c);
}

static void test_order(void **state)
{
    (void)state;
    check_order(BERTH_ERA_V1);
    check_order(BERTH_ERA_V1ALPHA1); /* last: may be skipped */
}

static void test_rounds(void **state)
{
    static const uint32_t modern_round[] = {1, 5, 2, 6, 3, 4, 1, 5};
    static const uint32_t legacy_round[] = {1, 2, 3, 1, 2};
    (void)state;
    check_rounds(BERTH_ERA_V1, modern_round, 8);
    check_rounds(BERTH_ERA_V1ALPHA1, legacy_round, 5);
}

/* After a search that visits every node, the next one starts at the first node again. */
static void test_full_round(void **state)
{
    berth_profile profile = profile_of(BERTH_ERA_V1ALPHA1);
    small_cluster c;
    (void)state;
    small_open(&c, &profile);
    add_two_zones(&c);
    berth_pod_id pod = small_pod(&c, "p", NULL, "", "");
    for (uint32_t i = 0; i < 2; i++) {
        small_decide(&c, pod);
        assert_int_equal(c.placement.feasible_count, 6);
        assert_int_equal(number_of(&c, berth_explanation_feasible(c.explanation, 0, NULL)), 1);
        assert_int_equal(c.placement.next, 0);
    }
    small_close(&c);
}

/* v1.15 picks among the best nodes in turn. */
static void test_turns(void **state)
{
    berth_profile profile = profile_of(BERTH_ERA_V1ALPHA1);
    small_cluster c;
    (void)state;
    profile.tie = BERTH_TIE_ROUND_ROBIN;
    small_open(&c, &profile);
    add_two_zones(&c);
    berth_pod_id pod = small_pod(&c, "p", NULL, "", "");
    static const uint32_t wanted[] = {1, 5, 2, 6, 3, 4, 1};
    for (uint32_t i = 0; i < 7; i++) {
        const berth_decide_options keep = {.size = sizeof(keep),
                                           .flags = BERTH_DECIDE_KEEP_ROTATION};
        berth_placement seen;
        assert_int_equal(berth_engine_decide(c.engine, pod, &keep, &seen, NULL), BERTH_OK);
        small_decide(&c, pod);
        assert_int_equal(number_of(&c, c.placement.node), wanted[i]);
        assert_int_equal(seen.node, c.placement.node);
    }
    small_close(&c);
}

/* A pod that fits on one node alone takes no turn, however its node is found. */
static void single_node(berth_path path)
{
    static const berth_plugin_ref selector = {.name = TEXT("MatchNodeSelector")};
    static const berth_decide_options options = {.size = sizeof(options)};
    static const uint32_t wanted[] = {1, 5, 2, 6, 3, 4, 1};
    profile_points points;
    berth_profile profile = {.era = BERTH_ERA_V1ALPHA1, .tie = BERTH_TIE_ROUND_ROBIN};
    berth_engine_config config;
    small_cluster c;
    berth_plugin_list *lists = own_points(&profile, &points);
    lists[BERTH_POINT_SCORE] = (berth_plugin_list){equal, 1};
    lists[BERTH_POINT_FILTER] = (berth_plugin_list){&selector, 1};
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    config.path = path;
    small_open_as(&c, config);
    add_two_zones(&c);
    small_node(&c, "node-7", ", labels: {only: here}");
    const berth_pod_id pods[] = {
        small_pod(
            &c, "p", NULL, "",
            "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
            "{nodeSelectorTerms: [{matchExpressions: [{key: only, operator: DoesNotExist}]}]}}}"),
        small_pod(&c, "q", NULL, "", "nodeSelector: {only: here}")};
    for (uint32_t i = 0; i < 14; i++) {
        berth_placement seen;
        assert_int_equal(berth_engine_decide(c.engine, pods[i % 2], &options, &seen, NULL),
                         BERTH_OK);
        assert_int_equal(number_of(&c, seen.node), i % 2 == 0 ? wanted[i / 2] : 7);
        assert_true(path == BERTH_PATH_AUTO || seen.path == path);
    }
    small_close(&c);
}

static void test_turns_and_a_single_node(void **state)
{
    (void)state;
    needs(BERTH_ERA_V1ALPHA1);
    single_node(BERTH_PATH_AUTO);
    single_node(BERTH_PATH_SCAN);
    single_node(BERTH_PATH_INDEX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formula_modern), cmocka_unit_test(test_formula_legacy),
        cmocka_unit_test(test_negative),       cmocka_unit_test(test_order),
        cmocka_unit_test(test_rounds),         cmocka_unit_test(test_full_round),
        cmocka_unit_test(test_turns),          cmocka_unit_test(test_turns_and_a_single_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
