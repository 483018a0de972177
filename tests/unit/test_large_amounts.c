/* Amounts at the limits: rounded exactly, scored exactly beyond the precision of doubles, and
 * capped where a column is narrower than the amount. */
#include "branch_cluster.h"

#include "base/text.h"
#include "model/model.h"
#include "profile_points.h"

static const struct {
    __int128 nanos;
    bool milli;
    bool fits;
    int64_t amount;
} roundings[] = {
    {0, false, true, 0},
    {1, false, true, 1},
    {-1, false, true, -1},
    {1000000000, false, true, 1},
    {1000000001, false, true, 2},
    {1000001, true, true, 2},
    /* Beyond 64 bits of nanos the same rule applies. */
    {(__int128)10000000000 * 1000000000, false, true, 10000000000},
    {(__int128)10000000000 * 1000000000 + 1, false, true, 10000000001},
    {(__int128)-10000000000 * 1000000000 - 1, false, true, -10000000001},
    {(__int128)10000000000 * 1000000 + 1, true, true, 10000000001},
    {(__int128)INT64_MAX * 1000000000, false, true, INT64_MAX},
    {(__int128)INT64_MAX * 1000000000 + 1, false, false, 0},
    {(__int128)INT64_MIN * 1000000000, false, true, INT64_MIN},
    {(__int128)INT64_MIN * 1000000000 - 1, false, false, 0},
};

static void test_rounded_away_from_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(roundings) / sizeof(roundings[0]); i++) {
        int64_t amount = 0;
        assert_int_equal(berth__amount_read(roundings[i].nanos, roundings[i].milli, &amount),
                         roundings[i].fits);
        assert_true(!roundings[i].fits || amount == roundings[i].amount);
    }
}

static void add_node(small_cluster *c, const char *name, const char *memory, const char *pods)
{
    small_addf(c,
               "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"
               "status: {allocatable: {cpu: '4', memory: '%s', pods: '%s'}}\n",
               name, memory, pods);
}

static berth_pod_id add_pod(small_cluster *c, const char *name, const char *memory)
{
    char spec[256];
    snprintf(spec, sizeof(spec),
             "containers: [{name: c, image: i, resources: {requests: {cpu: 160m, memory: '%s'}}}]",
             memory);
    return small_pod(c, name, NULL, "", spec);
}

/* 100 * 2^48 bytes. A double cannot represent one byte less, so in doubles 100 % would be free
 * instead of 99. */
#define HUGE_MEMORY "28147497671065600"

/* 96 for cpu and 99 for memory, on the engine and on a branch of it. */
static void test_scored_exactly(void **state)
{
    small_cluster *c = *state;
    add_node(c, "a", HUGE_MEMORY, "110");
    add_node(c, "b", HUGE_MEMORY, "110");
    berth_pod_id pod = add_pod(c, "p", "1");
    small_decide(c, pod);
    assert_int_equal(small_score(c, "NodeResourcesFit", 0), 97);
    small_cluster branch = *c;
    branch.engine = branch_off(c);
    small_decide(&branch, pod);
    assert_int_equal(small_score(&branch, "NodeResourcesFit", 0), 97);
    berth_branch_drop(branch.engine);
}

/* The same if the amount came with an update, or if it is the request of pods. */
static void test_widened_later(void **state)
{
    small_cluster *c = *state;
    add_node(c, "a", "1Gi", "110");
    add_node(c, "b", "1Gi", "110");
    berth_pod_id pod = add_pod(c, "p", "1");
    small_decide(c, pod);
    const berth_resource amounts[] = {
        {TEXT("cpu"), {4, 0}},
        {TEXT("memory"), {INT64_C(100) << 48, 0}},
        {TEXT("pods"), {110, 0}},
    };
    const berth_node node = {.meta.name = TEXT("a"), .allocatable = {amounts, 3}};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    assert_int_equal(berth_engine_update(c->engine, &object, NULL), BERTH_OK);
    small_decide(c, pod);
    assert_int_equal(small_score(c, "NodeResourcesFit", 0), 97);
}

/* A number of pods beyond 32 bits is capped, and does not wrap around. */
static void test_pods_are_capped(void **state)
{
    small_cluster *c = *state;
    add_node(c, "a", "8Gi", "4294967296");
    small_decide(c, add_pod(c, "p", "1"));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
}

/* Weights that add up to more than 16 bits. */
static void test_large_weights(void **state)
{
    static const berth_plugin_ref scorers[] = {{.name = TEXT("TaintToleration"), .weight = 200},
                                               {.name = TEXT("NodeAffinity"), .weight = 200}};
    (void)state;
    for (int scans = 0; scans < 2; scans++) {
        small_cluster c;
        profile_points points;
        berth_engine_config config;
        berth_profile profile = *berth_profile_default();
        own_points(&profile, &points)[BERTH_POINT_SCORE] = (berth_plugin_list){scorers, 2};
        berth_engine_config_init(&config);
        config.path = scans != 0 ? BERTH_PATH_SCAN : BERTH_PATH_INDEX;
        config.profiles = &profile;
        config.profile_count = 1;
        small_open_as(&c, config);
        small_add(&c, "apiVersion: v1\nkind: Node\nmetadata: {name: tainted}\n"
                      "spec: {taints: [{key: k, effect: PreferNoSchedule}]}\n"
                      "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 110}}\n");
        const berth_node_id liked = small_node(&c, "liked", ", labels: {side: a}");
        const berth_pod_id pod = small_pod(
            &c, "p", NULL, "",
            "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
            "1, preference: {matchExpressions: [{key: side, operator: Exists}]}}]}}, containers: "
            "[{name: c, image: i}]");
        berth_placement placement;
        assert_int_equal(berth_engine_schedule(c.engine, pod, &placement, NULL), BERTH_OK);
        assert_int_equal(placement.node, liked);
        small_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounded_away_from_zero),
        cmocka_unit_test_setup_teardown(test_scored_exactly, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_widened_later, small_set_up, small_tear_down),
        cmocka_unit_test_setup_teardown(test_pods_are_capped, small_set_up, small_tear_down),
        cmocka_unit_test(test_large_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
