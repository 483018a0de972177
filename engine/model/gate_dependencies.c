/* Feature gates that kube-scheduler refuses to enable while another one is disabled.
 * Source: the dependencies of the registered gates of v1.35.4, v1.36.2 and v1.37.2, without those
 * on gates that are locked to true; earlier releases have none. */
#include "model/gate_dependencies.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"
#include "model/behaviours.h"

enum { LAST = BERTH__KUBERNETES_NEWEST };

typedef struct gate_default {
    const char *name;
    bool on;
} gate_default;

/* Two gates with their defaults in Kubernetes 1.`first` to 1.`last`. */
typedef struct dependency {
    gate_default gate, needs;
    uint8_t first, last;
} dependency;

static const dependency dependencies[] = {
    {{"ClusterTrustBundleProjection", false}, {"ClusterTrustBundle", false}, 35, 36},
    {{"ClusterTrustBundleProjection", true}, {"ClusterTrustBundle", true}, 37, LAST},
    {{"CompositePodGroup", false}, {"GenericWorkload", false}, 37, LAST},
    {{"CompositePodGroup", false}, {"TopologyAwareWorkloadScheduling", false}, 37, LAST},
    {{"DRADeviceBindingConditions", false}, {"DRAResourceClaimDeviceStatus", true}, 35, 35},
    {{"DRADeviceBindingConditions", true}, {"DRAResourceClaimDeviceStatus", true}, 36, 36},
    {{"DRADeviceCompatibilityGroups", false}, {"DRAPartitionableDevices", true}, 37, LAST},
    {{"DRADeviceTaintRules", false}, {"DRADeviceTaints", false}, 35, 35},
    {{"DRADeviceTaintRules", false}, {"DRADeviceTaints", true}, 36, 36},
    {{"DRADeviceTaintRules", true}, {"DRADeviceTaints", true}, 37, LAST},
    {{"DRAFractionalCapacityRange", false}, {"DRAConsumableCapacity", true}, 37, LAST},
    {{"DRAPartitionableDevicesType", false}, {"DRAPartitionableDevices", true}, 37, LAST},
    {{"DRAPartitionableDevicesType", false}, {"DRAResourcePoolStatus", false}, 37, LAST},
    {{"DRAResourceClaimGranularStatusAuthorization", true},
     {"DRAResourceClaimDeviceStatus", true},
     36,
     36},
    {{"DRAWorkloadResourceClaims", false}, {"GenericWorkload", false}, 36, LAST},
    {{"DeclarativeValidationTakeover", false}, {"DeclarativeValidation", true}, 35, 35},
    {{"ExtendWebSocketsToKubelet", true}, {"NodeDeclaredFeatures", true}, 36, 36},
    {{"GangScheduling", false}, {"GenericWorkload", false}, 35, 36},
    {{"GracefulNodeShutdownBasedOnPodPriority", true}, {"GracefulNodeShutdown", true}, 35, LAST},
    {{"InPlacePodLevelResourcesVerticalScaling", false}, {"NodeDeclaredFeatures", false}, 35, 35},
    {{"InPlacePodLevelResourcesVerticalScaling", true}, {"NodeDeclaredFeatures", true}, 36, 36},
    {{"InPlacePodLevelResourcesVerticalScaling", false}, {"PodLevelResources", true}, 35, 35},
    {{"InPlacePodLevelResourcesVerticalScaling", true}, {"PodLevelResources", true}, 36, LAST},
    {{"InPlacePodVerticalScalingInitContainers", true}, {"NodeDeclaredFeatures", true}, 36, 36},
    {{"MatchLabelKeysInPodTopologySpreadSelectorMerge", true},
     {"MatchLabelKeysInPodTopologySpread", true},
     35,
     LAST},
    {{"NodeControllerLeaseCircuitBreaker", true}, {"AtomicFIFO", true}, 37, LAST},
    {{"PodGroupPreemptionPolicy", false}, {"GenericWorkload", false}, 37, LAST},
    {{"PodLevelResourceManagers", false}, {"PodLevelResources", true}, 36, LAST},
    {{"PodLevelResourcesFixDefaulting", true}, {"PodLevelResources", true}, 37, LAST},
    {{"PodLevelResourcesFixKubeletQOSClass", true}, {"PodLevelResources", true}, 37, LAST},
    {{"ProcMountType", true}, {"UserNamespacesSupport", true}, 35, 35},
    {{"ResourceHealthStatusMessage", true}, {"ResourceHealthStatus", true}, 36, LAST},
    {{"RestartAllContainersOnContainerExits", false}, {"ContainerRestartRules", true}, 35, 35},
    {{"RestartAllContainersOnContainerExits", true}, {"ContainerRestartRules", true}, 36, LAST},
    {{"RestartAllContainersOnContainerExits", false}, {"NodeDeclaredFeatures", false}, 35, 35},
    {{"RestartAllContainersOnContainerExits", true}, {"NodeDeclaredFeatures", true}, 36, 36},
    {{"StaleControllerConsistencyDaemonSet", true}, {"AtomicFIFO", true}, 36, LAST},
    {{"StaleControllerConsistencyHPA", true}, {"AtomicFIFO", true}, 37, LAST},
    {{"StaleControllerConsistencyJob", true}, {"AtomicFIFO", true}, 36, LAST},
    {{"StaleControllerConsistencyReplicaSet", true}, {"AtomicFIFO", true}, 36, LAST},
    {{"StaleControllerConsistencyStatefulSet", true}, {"AtomicFIFO", true}, 36, LAST},
    {{"StorageVersionAPI", false}, {"APIServerIdentity", true}, 35, LAST},
    {{"TopologyAwareWorkloadScheduling", false}, {"GenericWorkload", false}, 36, LAST},
    {{"UnknownVersionInteroperabilityProxy", false}, {"APIServerIdentity", true}, 35, 35},
    {{"UnknownVersionInteroperabilityProxy", true}, {"APIServerIdentity", true}, 36, LAST},
    {{"UserNamespacesHostNetworkSupport", false}, {"UserNamespacesSupport", true}, 35, 35},
    {{"UserNamespacesHostNetworkSupport", false}, {"NodeDeclaredFeatures", true}, 36, 36},
    {{"WindowsGracefulNodeShutdown", true}, {"GracefulNodeShutdown", true}, 35, LAST},
    {{"WorkloadAwarePreemption", false}, {"GangScheduling", false}, 36, 36},
    {{"WorkloadWithJob", false}, {"GenericWorkload", false}, 36, LAST},
};

/* Whether a gate is on: its last setting counts. */
static bool is_on(gate_default gate, berth_str switches)
{
    bool on = gate.on;
    while (switches.len > 0) {
        const berth__gate_switch set = berth__gate_switch_next(&switches);
        if (berth__str_is(set.name, gate.name))
            on = berth__str_is(set.value, "true");
    }
    return on;
}

berth_status berth__gate_dependencies_check(berth_str switches, uint32_t minor, berth_error *error)
{
    for (size_t i = 0; i < sizeof(dependencies) / sizeof(dependencies[0]); i++) {
        const dependency *d = &dependencies[i];
        if (d->first <= minor && minor <= d->last && is_on(d->gate, switches) &&
            !is_on(d->needs, switches))
            return berth__error_set(error, BERTH_E_INVALID,
                                    "feature gate %s, which is true%s, needs %s=true", d->gate.name,
                                    d->gate.on ? " by default" : "", d->needs.name);
    }
    return BERTH_OK;
}
