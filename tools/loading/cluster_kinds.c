/* The table of kinds that matter for placements, and the plugins that read them. */
#include "loading/cluster_kinds.h"

#include "cli/words.h"
#include "loading/autoscalers.h"

#define SPREADING {"PodTopologySpread"}, "default spreading"

const cluster_kind cluster_kinds[] = {
    {"namespaces", "Namespace", {"InterPodAffinity"}, "namespaceSelector of pod affinity"},
    {"priorityclasses.scheduling.k8s.io", "PriorityClass", {NULL}, "priorities of manifests' pods"},
    {"runtimeclasses.node.k8s.io",
     "RuntimeClass",
     {NULL},
     "overhead and selectors of manifests' pods"},
    {"limitranges", "LimitRange", {NULL}, "what manifests' pods ask for that do not say"},
    {"resourcequotas", "ResourceQuota", {NULL}, "which of manifests' pods are let in"},
    {"nodes", "Node", {NULL}, "where pods go"},
    {"storageclasses.storage.k8s.io",
     "StorageClass",
     {"VolumeBinding", "VolumeZone"},
     "where volumes are made"},
    {"persistentvolumes",
     "PersistentVolume",
     {"VolumeBinding", "VolumeZone", "NodeVolumeLimits"},
     "where volumes can be reached"},
    {"persistentvolumeclaims",
     "PersistentVolumeClaim",
     {"VolumeBinding", "VolumeZone", "NodeVolumeLimits", "VolumeRestrictions"},
     "which volumes pods use"},
    {"csinodes.storage.k8s.io",
     "CSINode",
     {"NodeVolumeLimits", "VolumeBinding"},
     "volumes a node takes"},
    {"csidrivers.storage.k8s.io",
     "CSIDriver",
     {"NodeVolumeLimits", "VolumeBinding"},
     "what drivers publish"},
    {"csistoragecapacities.storage.k8s.io",
     "CSIStorageCapacity",
     {"VolumeBinding"},
     "where new volumes have room"},
    {"volumeattachments.storage.k8s.io",
     "VolumeAttachment",
     {"NodeVolumeLimits"},
     "which volumes are attached"},
    {"deviceclasses.resource.k8s.io",
     "DeviceClass",
     {"DynamicResources"},
     "which devices claims ask for"},
    {"resourceslices.resource.k8s.io",
     "ResourceSlice",
     {"DynamicResources"},
     "which devices there are"},
    {"resourceclaims.resource.k8s.io",
     "ResourceClaim",
     {"DynamicResources"},
     "devices that pods request and hold"},
    {"resourceclaimtemplates.resource.k8s.io",
     "ResourceClaimTemplate",
     {"DynamicResources"},
     "claims of manifests' pods"},
    {"devicetaintrules.resource.k8s.io",
     "DeviceTaintRule",
     {"DynamicResources"},
     "devices that are tainted"},
    {"services", "Service", SPREADING},
    {"replicationcontrollers", "ReplicationController", SPREADING},
    {"replicasets.apps", "ReplicaSet", SPREADING},
    {"statefulsets.apps", "StatefulSet", SPREADING},
    {"deployments.apps", "Deployment", {NULL}, "what manifests change"},
    {"daemonsets.apps", "DaemonSet", {NULL}, "what manifests change"},
    {"jobs.batch", "Job", {NULL}, "what manifests change"},
    {"cronjobs.batch", "CronJob", {NULL}, "what manifests change"},
    {"horizontalpodautoscalers.autoscaling",
     AUTOSCALER_KIND,
     {NULL},
     "how many pods --scale makes"},
    {"poddisruptionbudgets.policy", "PodDisruptionBudget", {NULL}, "preemption and drains"},
    {"compositepodgroups.scheduling.k8s.io",
     "CompositePodGroup",
     {NULL},
     "groups of groups, placed together"},
    {"podgroups.scheduling.k8s.io", "PodGroup", {NULL}, "groups of pods, placed as a whole"},
    {"pods", "Pod", {NULL}, "running and pending pods"},
};

const size_t cluster_kind_count = sizeof(cluster_kinds) / sizeof(cluster_kinds[0]);

/* Whether any profile runs a plugin at any point. */
static bool runs(const engine_setup *setup, const char *plugin)
{
    for (uint32_t p = 0; p < setup->profile_count; p++)
        for (int point = 0; point < BERTH_POINT_COUNT; point++) {
            berth_plugin_list list = berth_profile_list(&setup->profiles[p], (berth_point)point);
            for (uint32_t i = 0; i < list.count; i++) {
                const berth_plugin_ref *one = &list.items[i];
                berth_str name = one->implementation.len > 0 ? one->implementation : one->name;
                if (words_equal(name, words_of(plugin)))
                    return true;
            }
        }
    return false;
}

/* Plugins of v1.15 policies have other names, so every kind is read for them. */
bool cluster_kind_is_read(const cluster_kind *kind, const engine_setup *setup)
{
    for (uint32_t p = 0; p < setup->profile_count; p++)
        if (setup->profiles[p].era == BERTH_ERA_V1ALPHA1)
            return true;
    for (int i = 0; i < 4 && kind->plugins[i] != NULL; i++)
        if (runs(setup, kind->plugins[i]))
            return true;
    return kind->plugins[0] == NULL;
}
