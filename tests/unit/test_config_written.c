/* Files in the form of `kube-scheduler --write-config-to`: each one reads as the default profile of
 * its version. And the points of kube-scheduler that run only for groups of pods. */
#include "config_check.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

static void check_written(uint32_t minor)
{
    char name[64], path[1024];
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    snprintf(name, sizeof(name), "written-1.%u.yaml", (unsigned)minor);
    golden_path(path, sizeof(path), name);
    if (berth_scheduler_config_file(path, minor, &config, &error) != BERTH_OK)
        report(name, &error);
    const berth_profile *read = first_profile(config);
    const berth_profile *wanted = berth_profile_default_of(minor);
    for (unsigned p = 0; p < BERTH_POINT_COUNT; p++) {
        const berth_plugin_list a = berth_profile_list(read, (berth_point)p);
        const berth_plugin_list b = berth_profile_list(wanted, (berth_point)p);
        assert_int_equal(a.count, b.count);
        for (uint32_t i = 0; i < a.count; i++) {
            assert_true(berth__str_eq(a.items[i].name, b.items[i].name));
            assert_int_equal(a.items[i].weight, b.items[i].weight);
        }
    }
    berth_scheduler_config_destroy(config);
}

static void test_written(void **state)
{
    (void)state;
    for (uint32_t minor = 32; minor <= 37; minor++)
        check_written(minor);
}

static void test_null_lists(void **state)
{
    (void)state;
    berth_scheduler_config_destroy(
        accept(HEAD "extenders: null\nprofiles: [{plugins: null, pluginConfig: null}]\n"
                    "delayCacheUntilActive: false\n"));
}

static void test_group_points(void **state)
{
    static const refusal table[] = {
        {"placementScore: {enabled: [{name: ImageLocality}]}", BERTH_E_INVALID,
         "profiles[0].plugins.placementScore.enabled[0]", "does not extend placementScore"},
        {"placementScore: {enabled: [{name: NodeResourcesFit}, {name: NodeResourcesFit}]}",
         BERTH_E_INVALID, "profiles[0].plugins.placementScore.enabled[1]", "enabled twice"},
        {"placementScore: {enabled: [{name: GangScheduling}]}", BERTH_E_INVALID,
         "profiles[0].plugins.placementScore.enabled[0]", "does not extend placementScore"},
        {"placementGenerate: {enabled: [{name: Mine}]}", BERTH_E_INVALID,
         "profiles[0].plugins.placementGenerate", "at most one plugin may make placements"},
        {"multiPoint: {enabled: [{name: DeferredPodScheduling}]}", BERTH_E_UNSUPPORTED,
         "profiles[0].plugins.multiPoint.enabled[0].name", "is not implemented here"},
        {"placementScore: {enabled: 1}", BERTH_E_INVALID,
         "profiles[0].plugins.placementScore.enabled", "must be a list"},
        {"placementScore: {first: 1}", BERTH_E_INVALID, "profiles[0].plugins.placementScore.first",
         "unknown field"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char text[512];
        snprintf(text, sizeof(text), HEAD "profiles: [{plugins: {%s}}]\n", table[i].text);
        check_refusal(text, &table[i]);
    }
}

/* Check a point's list in the profile with these plugins: "NAME:WEIGHT ...", or without weights. */
static void check_point(const char *plugins, berth_point point, const char *wanted)
{
    char text[512], found[256] = "";
    snprintf(text, sizeof(text), HEAD "profiles: [{plugins: {%s}}]\n", plugins);
    berth_scheduler_config *config = accept(text);
    uint32_t count;
    const berth_profile *profile = berth_scheduler_config_profiles(config, &count);
    const berth_plugin_list list = berth_profile_list(profile, point);
    assert_non_null(list.items); /* it is not left open */
    for (uint32_t i = 0; i < list.count; i++) {
        const size_t at = strlen(found);
        const berth_str name = list.items[i].name;
        snprintf(found + at, sizeof(found) - at, "%s%.*s", i == 0 ? "" : " ", (int)name.len,
                 name.data);
        if (list.items[i].weight > 0)
            snprintf(found + strlen(found), sizeof(found) - strlen(found), ":%d",
                     (int)list.items[i].weight);
    }
    assert_string_equal(found, wanted);
    berth_scheduler_config_destroy(config);
}

/* Lists of the points that run only for groups, merged with multiPoint. */
static void test_lists_for_groups(void **state)
{
    const berth_point generate = BERTH_POINT_PLACEMENT_GENERATE,
                      score = BERTH_POINT_PLACEMENT_SCORE, post = BERTH_POINT_POD_GROUP_POST_FILTER;
    (void)state;
    check_point("", generate, "TopologyPlacementGenerator");
    check_point("", score, "NodeResourcesFit:1 PodGroupPodsCount:1");
    check_point("", post, "DynamicResources DefaultPreemption");
    check_point("multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, "
                "{name: DefaultBinder}]}",
                generate, "");
    check_point("multiPoint: {disabled: [{name: TopologyPlacementGenerator}]}", generate, "");
    check_point("placementGenerate: {disabled: [{name: '*'}]}", generate, "");
    check_point("placementScore: {enabled: [{name: PodGroupPodsCount, weight: 4}]}", score,
                "PodGroupPodsCount:4 NodeResourcesFit:1");
    check_point("placementScore: {disabled: [{name: '*'}], enabled: [{name: NodeResourcesFit, "
                "weight: 3}]}",
                score, "NodeResourcesFit:3");
    check_point("multiPoint: {enabled: [{name: PodGroupPodsCount, weight: 5}]}", score,
                "NodeResourcesFit:1 PodGroupPodsCount:5");
    /* Lists at the points for single pods change nothing here. */
    check_point("score: {disabled: [{name: '*'}]}", score,
                "NodeResourcesFit:1 PodGroupPodsCount:1");
    check_point("postFilter: {disabled: [{name: '*'}]}", post,
                "DynamicResources DefaultPreemption");
    check_point("podGroupPostFilter: {disabled: [{name: DefaultPreemption}]}", post,
                "DynamicResources");
    check_point("podGroupPostFilter: {enabled: [{name: DefaultPreemption}]}", post,
                "DefaultPreemption DynamicResources");
}

/* Earlier versions lack the points for groups. */
static void test_versions(void **state)
{
    static const struct {
        const char *point;
        uint32_t since;
    } cases[] = {{"placementGenerate", 36}, {"placementScore", 36}, {"podGroupPostFilter", 37}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[512];
        berth_error error = {0};
        berth_scheduler_config *config = NULL;
        snprintf(text, sizeof(text), HEAD "profiles: [{plugins: {%s: {}}}]\n", cases[i].point);
        assert_int_equal(berth_scheduler_config_text(berth__text_of(text), "x", cases[i].since - 1,
                                                     &config, &error),
                         BERTH_E_INVALID);
        assert_string_equal(error.message, "unknown field");
        assert_int_equal(
            berth_scheduler_config_text(berth__text_of(text), "x", cases[i].since, &config, &error),
            BERTH_OK);
        berth_scheduler_config_destroy(config);
    }
}

/* Since 1.33, DefaultPreemption can be listed at preEnqueue. */
static void test_preemption_holds(void **state)
{
    const berth_str text = BERTH_STR(
        HEAD "profiles: [{plugins: {preEnqueue: {enabled: [{name: DefaultPreemption}]}}}]\n");
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    (void)state;
    assert_int_equal(berth_scheduler_config_text(text, "x", 32, &config, &error), BERTH_E_INVALID);
    assert_non_null(strstr(error.message, "does not extend preEnqueue"));
    assert_int_equal(berth_scheduler_config_text(text, "x", 33, &config, &error), BERTH_OK);
    berth_scheduler_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written),      cmocka_unit_test(test_null_lists),
        cmocka_unit_test(test_group_points), cmocka_unit_test(test_lists_for_groups),
        cmocka_unit_test(test_versions),     cmocka_unit_test(test_preemption_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
