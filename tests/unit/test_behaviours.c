/* The table of behaviours by Kubernetes version, and feature gates that switch them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "berth/engine.h"
#include "berth/kube.h"
#include "model/behaviours.h"

static berth__behaviours made(uint32_t minor, const char *gates)
{
    berth__behaviours out;
    berth_error error = {.code = BERTH_OK};
    if (berth__behaviours_make(minor, berth__text_of(gates), &out, &error) != BERTH_OK)
        fail_msg("%u %s: %s", minor, gates, error.message);
    return out;
}

static void refused(uint32_t minor, const char *gates, berth_status status, const char *text)
{
    berth__behaviours out = {.csi_migration = true}, before = out;
    berth_error error = {.code = BERTH_OK};
    assert_int_equal(berth__behaviours_make(minor, berth__text_of(gates), &out, &error), status);
    assert_int_equal(error.code, status);
    if (strstr(error.message, text) == NULL)
        fail_msg("%s: \"%s\" does not say \"%s\"", gates, error.message, text);
    assert_memory_equal(&out, &before, sizeof(out));
}

static void test_columns(void **state)
{
    (void)state;
    assert_false(made(32, "").requests_of_status);
    assert_true(made(33, "").requests_of_status);
    assert_false(made(33, "").fit_unresolvable);
    assert_true(made(34, "").fit_unresolvable);
    assert_false(made(34, "").ties_by_heap);
    assert_true(made(35, "").ties_by_heap);
    assert_false(made(35, "").balance_of_difference);
    assert_true(made(36, "").balance_of_difference);
    assert_false(made(BERTH__KUBERNETES_LEGACY, "").csi_migration);
    assert_true(made(0, "").volume_capacity_scores);
}

static void test_patches(void **state)
{
    (void)state;
    assert_false(made(BERTH_KUBERNETES(36, 0), "").devices_roll_back);
    assert_false(made(BERTH_KUBERNETES(36, 2), "").devices_roll_back);
    assert_true(made(BERTH_KUBERNETES(36, 3), "").devices_roll_back);
    assert_true(made(BERTH_KUBERNETES(36, 99), "").devices_roll_back);
    assert_true(made(36, "").devices_roll_back);
    assert_false(made(BERTH_KUBERNETES(35, 9), "").devices_roll_back);
    assert_false(made(BERTH_KUBERNETES(36, 99), "").volume_capacity_scores);
    assert_true(made(BERTH_KUBERNETES(37, 0), "").volume_capacity_scores);
}

/* The last setting of a gate counts, even if it is the default. */
static void test_gates_set_twice(void **state)
{
    (void)state;
    assert_true(made(36, "").backoff_pops_early);
    assert_false(made(36, "SchedulerPopFromBackoffQ=false").backoff_pops_early);
    assert_true(made(36, "SchedulerPopFromBackoffQ=false,SchedulerPopFromBackoffQ=true")
                    .backoff_pops_early);
    assert_false(made(37, "GenericWorkload=true,GenericWorkload=false").pod_groups);
}

static void test_list_of_versions(void **state)
{
    (void)state;
    uint32_t versions[16];
    const uint32_t count = berth_kubernetes_versions(versions, 16);
    assert_int_equal(count, berth_kubernetes_versions(NULL, 0));
    assert_int_equal(count, 7);
    assert_int_equal(versions[0], BERTH_KUBERNETES(37, 0));
    assert_int_equal(versions[1], BERTH_KUBERNETES(36, 3));
    assert_int_equal(versions[2], BERTH_KUBERNETES(36, 0));
    assert_int_equal(versions[6], BERTH_KUBERNETES(32, 0));
    assert_int_equal(BERTH_KUBERNETES_MINOR(versions[1]), 36);
    assert_int_equal(BERTH_KUBERNETES_PATCH(versions[1]), 3);
    uint32_t two[3] = {1, 1, 1};
    assert_int_equal(berth_kubernetes_versions(two, 2), count);
    assert_int_equal(two[2], 1);
    for (uint32_t i = 0; i < count; i++) {
        berth__behaviours behaviours;
        assert_int_equal(
            berth__behaviours_make(versions[i], (berth_str){NULL, 0}, &behaviours, NULL), BERTH_OK);
    }
}

static void test_unknown_versions(void **state)
{
    (void)state;
    refused(31, "", BERTH_E_UNSUPPORTED, "1.31 is not known: 1.32 to 1.37");
    refused(38, "", BERTH_E_UNSUPPORTED, "1.38");
    refused(BERTH_KUBERNETES(31, 4), "", BERTH_E_UNSUPPORTED, "1.31");
    for (uint32_t minor = 0; minor < 60; minor++)
        assert_int_equal(berth_profile_default_of(minor) != NULL,
                         minor == 0 || (minor >= 32 && minor <= 37));
    const uint32_t wrong[] = {1, 15, 31, 38};
    for (int i = 0; i < 4; i++) {
        berth_engine_config config;
        berth_error error = {.code = BERTH_OK};
        berth_engine *engine = NULL;
        berth_engine_config_init(&config);
        config.kubernetes = wrong[i];
        assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_UNSUPPORTED);
        assert_null(engine);
        assert_non_null(strstr(error.message, "is not known"));
    }
}

/* The weight of a plugin's score in the default profile of a version; 0: none. */
static int32_t weight_in(uint32_t minor, const char *name)
{
    const berth_plugin_list *list = &berth_profile_default_of(minor)->points[BERTH_POINT_SCORE];
    for (uint32_t i = 0; i < list->count; i++)
        if (berth__str_is(list->items[i].name, name))
            return list->items[i].weight;
    return 0;
}

static void test_default_scores(void **state)
{
    (void)state;
    const int32_t of_devices[] = {0, 0, 0, 2, 2};
    for (uint32_t minor = 32; minor <= 36; minor++) {
        assert_int_equal(weight_in(minor, "DynamicResources"), of_devices[minor - 32]);
        assert_int_equal(weight_in(minor, "TaintToleration"), 3);
    }
}

static void test_gates(void **state)
{
    (void)state;
    refused(32, "InPlacePodVerticalScaling=true", BERTH_E_UNSUPPORTED, "not implemented");
    assert_false(made(33, "InPlacePodVerticalScaling=false").requests_of_status);
    refused(32, "PodLevelResources=true", BERTH_E_UNSUPPORTED, "not implemented");
    assert_true(made(33, "PodLevelResources=true").requests_of_pod);
    assert_false(made(34, "PodLevelResources=false").requests_of_pod);
    const berth__behaviours by_container =
        made(36, "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false");
    assert_false(by_container.requests_of_pod);
    assert_false(by_container.requests_of_pod_status);
    assert_true(made(36, "StorageCapacityScoring=true").volume_capacity_scores);
    assert_false(made(37, "StorageCapacityScoring=false").volume_capacity_scores);
    assert_false(made(37, "VolumeLimitScaling=false").csi_drivers_required);
    assert_false(made(37, "DRADeviceTaintRules=false").device_taint_rules);
    assert_false(made(36, "DRAExtendedResource=false").devices_back_resources);
    assert_true(made(37, "DRAExtendedResource=true").devices_back_resources);
    assert_true(made(36, "TaintTolerationComparisonOperators=true").taint_comparisons);
    const berth__behaviours two =
        made(36, "NodeDeclaredFeatures=false,SchedulerPopFromBackoffQ=false,"
                 "InPlacePodLevelResourcesVerticalScaling=false,ExtendWebSocketsToKubelet=false,"
                 "InPlacePodVerticalScalingInitContainers=false,"
                 "RestartAllContainersOnContainerExits=false");
    assert_false(two.declared_features);
    assert_false(two.backoff_pops_early);
    /* Gates at their defaults, or without effect on placement. */
    const berth__behaviours plain = made(36, ""), same = made(36, "DynamicResourceAllocation=true,"
                                                                  "OpportunisticBatching=false,"
                                                                  "SchedulerAsyncPreemption=false");
    assert_memory_equal(&plain, &same, sizeof(plain));
    const berth__behaviours others =
        made(36, "AllAlpha=false,APIServerIdentity=false,UnknownVersionInteroperabilityProxy=false,"
                 "NativeHistograms=true,WatchListClient=false,CoordinatedLeaderElection=true,"
                 "ContextualLogging=false,WinDSR=true,ComponentFlagz=false");
    assert_memory_equal(&plain, &others, sizeof(plain));
    assert_false(made(34, "DynamicResourceAllocation=false").dynamic_resources);
    assert_false(made(34, "InPlacePodVerticalScaling=false").requests_of_status);
}

/* A gate that decides nothing: the versions that have it, and the first that locks it. */
static void test_versions_of_other_gate(void **state)
{
    (void)state;
    for (uint32_t minor = 32; minor <= 36; minor++)
        made(minor, "RelaxedDNSSearchValidation=true");
    for (uint32_t minor = 32; minor <= 33; minor++)
        made(minor, "RelaxedDNSSearchValidation=false");
    for (uint32_t minor = 34; minor <= 36; minor++)
        refused(minor, "RelaxedDNSSearchValidation=false", BERTH_E_INVALID, "locked to true");
    refused(37, "RelaxedDNSSearchValidation=true", BERTH_E_INVALID, "no feature gate");
    refused(32, "CPUManage=true", BERTH_E_INVALID, "did you mean CPUManager?");
    refused(35, "CRIListStreaming=false", BERTH_E_INVALID, "no feature gate");
    made(36, "CRIListStreaming=true");
}

/* A gate that is on and one that it needs: neither the order of the settings nor earlier settings
 * count, and the default does if there is none. */
static void test_dependencies(void **state)
{
    (void)state;
    refused(37, "PodLevelResources=false", BERTH_E_INVALID,
            "feature gate InPlacePodLevelResourcesVerticalScaling, which is true by default, needs "
            "PodLevelResources=true");
    refused(36, "PodLevelResources=true,PodLevelResources=false", BERTH_E_INVALID,
            "needs PodLevelResources=true");
    assert_true(made(36, "PodLevelResources=false,PodLevelResources=true").requests_of_pod);
    made(36, "InPlacePodLevelResourcesVerticalScaling=false,PodLevelResources=false");
    assert_false(made(35, "PodLevelResources=false").requests_of_pod);
    refused(37, "CompositePodGroup=true,GenericWorkload=true", BERTH_E_INVALID,
            "needs TopologyAwareWorkloadScheduling=true");
    refused(36, "AtomicFIFO=false", BERTH_E_INVALID,
            "StaleControllerConsistencyDaemonSet, which is true by default, needs AtomicFIFO=true");
    refused(35, "StorageVersionAPI=true,APIServerIdentity=false", BERTH_E_INVALID,
            "feature gate StorageVersionAPI, which is true, needs APIServerIdentity=true");
    made(34, "StorageVersionAPI=true,APIServerIdentity=false");
}

/* Of a locked gate the version before still takes both settings. */
static void test_first_version_of_lock(void **state)
{
    (void)state;
    made(35, "UserNamespacesSupport=false,ProcMountType=false");
    refused(36, "UserNamespacesSupport=false", BERTH_E_INVALID, "locked to true");
}

static void test_refused_gates(void **state)
{
    (void)state;
    refused(36, "NoSuchGate=true", BERTH_E_INVALID, "no feature gate \"NoSuchGate\"");
    refused(32, "NodeDeclaredFeatures=true", BERTH_E_INVALID, "of Kubernetes 1.32");
    refused(36, "InPlacePodVerticalScaling=false", BERTH_E_INVALID, "locked to true");
    refused(36, "DRADeviceTaintRules=true", BERTH_E_UNSUPPORTED, "not implemented");
    refused(35, "NodeDeclaredFeatures=true", BERTH_E_UNSUPPORTED,
            "feature gate NodeDeclaredFeatures=true changes decisions of Kubernetes 1.35 in a way "
            "that is not implemented");
    assert_true(made(37, "GenericWorkload=true").pod_groups);
    assert_false(made(37, "").pod_groups);
    refused(36, "GenericWorkload=true", BERTH_E_UNSUPPORTED, "not implemented");
    refused(36, "TopologyAwareWorkloadScheduling=true", BERTH_E_UNSUPPORTED, "not implemented");
    refused(37, "TopologyAwareWorkloadScheduling=true", BERTH_E_INVALID,
            "feature gate TopologyAwareWorkloadScheduling, which is true, needs "
            "GenericWorkload=true");
    assert_true(
        made(37, "TopologyAwareWorkloadScheduling=true,GenericWorkload=true").pod_group_placements);
    refused(37, "SidecarContainers=true", BERTH_E_INVALID, "no feature gate");
    refused(37, "NodeDeclaredFeatures=false", BERTH_E_INVALID, "locked to true");
    refused(37, "DRAExtendedResource=false", BERTH_E_INVALID, "locked to true");
    refused(37, "WinDSR=false", BERTH_E_INVALID, "feature gate WinDSR is locked to true");
    refused(37, "AllAlpha=true", BERTH_E_UNSUPPORTED, "not implemented");
    refused(35, "NativeHistograms=true", BERTH_E_INVALID, "has no feature gate");
    refused(36, "PodLevelResource=true", BERTH_E_INVALID,
            "no feature gate \"PodLevelResource\": did you mean PodLevelResources?");
    refused(36, "InPlacePodVerticalScalin=true", BERTH_E_INVALID,
            "did you mean InPlacePodVerticalScaling?");
    refused(36, "watchlistclient=true", BERTH_E_INVALID, "did you mean WatchListClient?");
    refused(35, "InPlacePodLevelResourcesVerticalScaling=true", BERTH_E_UNSUPPORTED,
            "not implemented");
    refused(36, "PodLevelResources", BERTH_E_INVALID, "NAME=true or NAME=false");
    refused(36, "PodLevelResources=1", BERTH_E_INVALID, "not \"PodLevelResources=1\"");
    refused(36, "=true", BERTH_E_INVALID, "NAME=true");
    refused(36, "PodLevelResources=true,,PodLevelResources=true", BERTH_E_INVALID, "not \"\"");
}

/* ---- a gate that some profiles refuse ---- */

static berth_status create(const char *profile, const char *gates, berth_error *error)
{
    char text[512];
    berth_scheduler_config *read = NULL;
    berth_engine *engine = NULL;
    berth_engine_config config;
    const int length = snprintf(text, sizeof(text),
                                "apiVersion: kubescheduler.config.k8s.io/v1\n"
                                "kind: KubeSchedulerConfiguration\nprofiles: [{%s}]\n",
                                profile);
    assert_int_equal(berth_scheduler_config_text((berth_str){text, (uint32_t)length}, "test.yaml",
                                                 37, &read, error),
                     BERTH_OK);
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str){gates, (uint32_t)strlen(gates)};
    config.profiles = berth_scheduler_config_profiles(read, &config.profile_count);
    const berth_status status = berth_engine_create(&config, &engine, error);
    berth_engine_destroy(engine);
    berth_scheduler_config_destroy(read);
    return status;
}

/* A profile whose PodTopologySpread has default constraints, or a different profile. */
static void test_reused_scores(void **state)
{
    static const char on[] = "OpportunisticBatching=true";
    static const char bare[] = "pluginConfig: [{name: PodTopologySpread, args: {defaultingType: "
                               "List, defaultConstraints: []}}]";
    static const char soft[] =
        "pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List, "
        "defaultConstraints: [{maxSkew: 1, topologyKey: a, "
        "whenUnsatisfiable: ScheduleAnyway}]}}]";
    static const char without[] =
        "schedulerName: x, plugins: {multiPoint: {disabled: [{name: PodTopologySpread}]}}";
    berth_error error = {.code = BERTH_OK};
    (void)state;
    assert_int_equal(create("", on, &error), BERTH_OK);
    assert_int_equal(create(soft, on, &error), BERTH_OK);
    assert_int_equal(create(bare, "", &error), BERTH_OK);
    assert_int_equal(create(bare, "OpportunisticBatching=true,OpportunisticBatching=false", &error),
                     BERTH_OK);
    assert_int_equal(create(bare, on, &error), BERTH_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "is not followed in profile \"default-scheduler\""));
    assert_int_equal(create(without, on, &error), BERTH_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "is not followed in profile \"x\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_patches),
        cmocka_unit_test(test_gates_set_twice),
        cmocka_unit_test(test_list_of_versions),
        cmocka_unit_test(test_unknown_versions),
        cmocka_unit_test(test_default_scores),
        cmocka_unit_test(test_gates),
        cmocka_unit_test(test_versions_of_other_gate),
        cmocka_unit_test(test_first_version_of_lock),
        cmocka_unit_test(test_dependencies),
        cmocka_unit_test(test_refused_gates),
        cmocka_unit_test(test_reused_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
