/* The notes of the configuration reader about an accepted configuration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "base/text.h"
#include "config/config.h"
#include "scarce_memory.h"

#define HEAD                                       \
    "apiVersion: kubescheduler.config.k8s.io/v1\n" \
    "kind: KubeSchedulerConfiguration\n"

static char said[1024];

static void keep(void *context, const berth_note *note)
{
    const size_t at = strlen(said);
    assert_ptr_equal(context, said);
    assert_int_equal(note->size, sizeof(*note));
    const char *kind = note->what == BERTH_NOTE_FOREIGN_PLUGIN ? " foreign"
                       : note->what == BERTH_NOTE_GATED_PLUGIN ? " gated"
                                                               : "";
    assert_true(*kind != '\0' || note->what == BERTH_NOTE_UNKNOWN_PLUGIN);
    assert_true(berth__str_is(note->kind, "KubeSchedulerConfiguration"));
    assert_int_equal(note->place->code, BERTH_OK);
    snprintf(said + at, sizeof(said) - at, "%s:%u%s %s %.*s (%.*s)\n", note->place->source,
             note->place->line, kind, note->place->field, (int)note->word.len, note->word.data,
             (int)note->suggestion.len, note->suggestion.data != NULL ? note->suggestion.data : "");
}

static void check(const char *text, uint32_t kubernetes, const char *wanted)
{
    berth_error error = {.code = BERTH_OK};
    berth_scheduler_config *config = NULL;
    assert_int_equal(
        berth_scheduler_config_text(berth__text_of(text), "test.yaml", kubernetes, &config, &error),
        BERTH_OK);
    said[0] = '\0';
    berth_scheduler_config_notes(config, keep, said);
    assert_string_equal(said, wanted);
    berth_scheduler_config_notes(config, NULL, NULL);
    berth_scheduler_config_destroy(config);
}

static void test_unknown_plugins(void **state)
{
    (void)state;
    check(HEAD "profiles:\n"
               "- schedulerName: a\n"
               "  pluginConfig:\n"
               "  - name: NodeResourceFit\n"
               "    args: {scoringStrategy: {type: MostAllocated}}\n"
               "- schedulerName: b\n"
               "  pluginConfig:\n"
               "  - {name: NodeResourcesFit}\n"
               "  - {name: Coscheduling, args: {permitWaitingTimeSeconds: 10}}\n",
          0,
          "test.yaml:6 profiles[0].pluginConfig[0].name NodeResourceFit (NodeResourcesFit)\n"
          "test.yaml:11 profiles[1].pluginConfig[1].name Coscheduling ()\n");
    /* Kubernetes 1.32 lacks this plugin. */
    check(HEAD "profiles: [{pluginConfig: [{name: NodeDeclaredFeatures}]}]\n", 32,
          "test.yaml:3 profiles[0].pluginConfig[0].name NodeDeclaredFeatures ()\n");
}

static void test_nothing_to_say(void **state)
{
    (void)state;
    check(HEAD, 0, "");
    check(HEAD "profiles: [{pluginConfig: [{name: NodeDeclaredFeatures}]}]\n", 36, "");
    check(HEAD "profiles: [{pluginConfig: [{name: GangScheduling}]}]\n", 0, "");
    check(HEAD "profiles: [{pluginConfig: [{name: DynamicResources}]}]\n", 32, "");
    /* Disabled, but it exists. */
    check(HEAD "profiles: [{plugins: {multiPoint: {disabled: [{name: ImageLocality}]}},\n"
               "            pluginConfig: [{name: ImageLocality}]}]\n",
          0, "");
}

/* Enabled plugins that only an embedder could have, at any point. */
static void test_foreign_plugins(void **state)
{
    (void)state;
    check(HEAD
          "profiles: [{plugins: {score: {enabled: [{name: Own}]}}, pluginConfig: [{name: Own}]}]\n",
          0, "test.yaml:3 foreign profiles[0].plugins.score.enabled[0].name Own ()\n");
    check(HEAD "profiles: [{plugins: {multiPoint: {enabled: [{name: Own}]}},\n"
               "            pluginConfig: [{name: Own, args: {a: 1}}]}]\n",
          0, "test.yaml:3 foreign profiles[0].plugins.multiPoint.enabled[0].name Own ()\n");
    check(HEAD "profiles:\n"
               "- plugins:\n"
               "    permit:\n"
               "      enabled:\n"
               "      - name: Coscheduling\n"
               "    postFilter: {enabled: [{name: DefaultPremption}]}\n"
               "    placementScore: {enabled: [{name: Mine}]}\n",
          0,
          "test.yaml:7 foreign profiles[0].plugins.permit.enabled[0].name Coscheduling ()\n"
          "test.yaml:8 foreign profiles[0].plugins.postFilter.enabled[0].name DefaultPremption "
          "(DefaultPreemption)\n"
          "test.yaml:9 foreign profiles[0].plugins.placementScore.enabled[0].name Mine ()\n");
    static const char *const points[] = {"preEnqueue", "queueSort", "preFilter", "filter",
                                         "postFilter", "preScore",  "score",     "reserve",
                                         "permit",     "preBind",   "bind",      "postBind"};
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        char text[512], wanted[128];
        snprintf(text, sizeof(text),
                 HEAD "profiles: [{plugins: {%s: {disabled: [{name: '*'}], "
                      "enabled: [{name: Own}]}}}]\n",
                 points[i]);
        snprintf(wanted, sizeof(wanted),
                 "test.yaml:3 foreign profiles[0].plugins.%s.enabled[0].name Own ()\n", points[i]);
        check(text, 0, wanted);
    }
    /* In kube-scheduler's registry, but not in the default set of 1.32. */
    check(HEAD "profiles: [{plugins: {filter: {enabled: [{name: DynamicResources}]}}}]\n", 32, "");
    /* Not yet a plugin of 1.34. */
    check(HEAD "profiles: [{plugins: {permit: {enabled: [{name: GangScheduling}]}}}]\n", 34,
          "test.yaml:3 foreign profiles[0].plugins.permit.enabled[0].name GangScheduling ()\n");
}

/* They are in no list of the profile, and the plugin's gate is named. */
static void test_gated_plugins(void **state)
{
    (void)state;
    check(HEAD "profiles: [{plugins: {permit: {enabled: [{name: GangScheduling}]},\n"
               "  placementGenerate: {enabled: [{name: TopologyPlacementGenerator}]},\n"
               "  multiPoint: {enabled: [{name: PodGroupPodsCount}]}}}]\n",
          37,
          "test.yaml:3 gated profiles[0].plugins.permit.enabled[0].name GangScheduling "
          "(GenericWorkload)\n"
          "test.yaml:4 gated profiles[0].plugins.placementGenerate.enabled[0].name "
          "TopologyPlacementGenerator (TopologyAwareWorkloadScheduling)\n"
          "test.yaml:5 gated profiles[0].plugins.multiPoint.enabled[0].name PodGroupPodsCount "
          "(TopologyAwareWorkloadScheduling)\n");
}

static berth_status read_scarcely(const berth_allocator *allocator, const void *text)
{
    const berth__config_source from = {.text = berth__text_of(text)};
    berth_scheduler_config *config = NULL;
    const berth_status status = berth__config_read(allocator, from, "x", &config, NULL);
    berth_scheduler_config_destroy(config);
    return status;
}

static void test_scarce_memory(void **state)
{
    (void)state;
    scarce_each_request(read_scarcely,
                        HEAD "profiles: [{plugins: {permit: {enabled: [{name: Own}]}}, "
                             "pluginConfig: [{name: Coscheduling}]}]\n");
}

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unknown_plugins), cmocka_unit_test(test_nothing_to_say),
        cmocka_unit_test(test_foreign_plugins), cmocka_unit_test(test_gated_plugins),
        cmocka_unit_test(test_scarce_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
