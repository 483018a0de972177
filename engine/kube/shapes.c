/* The fields that Kubernetes 1.36 knows, read by Berth or not, so that what it does not know can be
 * told from what no rule reads. Parts in which no field matters to placement (probes, volumes'
 * sources, most statuses) are not looked into. Within an object the frequent fields stand first.
 * Source: k8s.io/api v0.36. */
#include "kube/shapes.h"

#include "base/text.h"

#define LEAF(key)                  \
    {                              \
        key, sizeof(key) - 1, NULL \
    }
#define PART(key, shape)            \
    {                               \
        key, sizeof(key) - 1, shape \
    }
/* No key is that long. */
#define LAST                   \
    {                          \
        NULL, UINT32_MAX, NULL \
    }

static const berth__shape owner_shape[] = {
    LEAF("apiVersion"),         LEAF("kind"), LEAF("name"), LEAF("uid"), LEAF("controller"),
    LEAF("blockOwnerDeletion"), LAST};

static const berth__shape metadata_shape[] = {LEAF("name"),
                                              LEAF("namespace"),
                                              LEAF("labels"),
                                              LEAF("annotations"),
                                              PART("ownerReferences", owner_shape),
                                              LEAF("generateName"),
                                              LEAF("creationTimestamp"),
                                              LEAF("uid"),
                                              LEAF("resourceVersion"),
                                              LEAF("generation"),
                                              LEAF("deletionTimestamp"),
                                              LEAF("deletionGracePeriodSeconds"),
                                              LEAF("finalizers"),
                                              LEAF("managedFields"),
                                              LEAF("selfLink"),
                                              LAST};

static const berth__shape requirement_shape[] = {LEAF("key"), LEAF("operator"), LEAF("values"),
                                                 LAST};

static const berth__shape label_selector_shape[] = {
    LEAF("matchLabels"), PART("matchExpressions", requirement_shape), LAST};

static const berth__shape node_term_shape[] = {PART("matchExpressions", requirement_shape),
                                               PART("matchFields", requirement_shape), LAST};

static const berth__shape node_selector_shape[] = {PART("nodeSelectorTerms", node_term_shape),
                                                   LAST};

static const berth__shape preferred_node_shape[] = {LEAF("weight"),
                                                    PART("preference", node_term_shape), LAST};

static const berth__shape node_affinity_shape[] = {
    PART("requiredDuringSchedulingIgnoredDuringExecution", node_selector_shape),
    PART("preferredDuringSchedulingIgnoredDuringExecution", preferred_node_shape), LAST};

static const berth__shape affinity_term_shape[] = {PART("labelSelector", label_selector_shape),
                                                   LEAF("topologyKey"),
                                                   LEAF("namespaces"),
                                                   PART("namespaceSelector", label_selector_shape),
                                                   LEAF("matchLabelKeys"),
                                                   LEAF("mismatchLabelKeys"),
                                                   LAST};

static const berth__shape weighted_term_shape[] = {
    LEAF("weight"), PART("podAffinityTerm", affinity_term_shape), LAST};

static const berth__shape pod_affinity_shape[] = {
    PART("requiredDuringSchedulingIgnoredDuringExecution", affinity_term_shape),
    PART("preferredDuringSchedulingIgnoredDuringExecution", weighted_term_shape), LAST};

static const berth__shape affinity_shape[] = {PART("nodeAffinity", node_affinity_shape),
                                              PART("podAffinity", pod_affinity_shape),
                                              PART("podAntiAffinity", pod_affinity_shape), LAST};

static const berth__shape port_shape[] = {LEAF("containerPort"), LEAF("name"),   LEAF("protocol"),
                                          LEAF("hostPort"),      LEAF("hostIP"), LAST};

static const berth__shape device_claim_shape[] = {LEAF("name"), LEAF("request"), LAST};

static const berth__shape resources_shape[] = {LEAF("requests"), LEAF("limits"),
                                               PART("claims", device_claim_shape), LAST};

static const berth__shape container_shape[] = {LEAF("name"),
                                               LEAF("image"),
                                               PART("resources", resources_shape),
                                               PART("ports", port_shape),
                                               LEAF("command"),
                                               LEAF("args"),
                                               LEAF("env"),
                                               LEAF("envFrom"),
                                               LEAF("workingDir"),
                                               LEAF("resizePolicy"),
                                               LEAF("restartPolicy"),
                                               LEAF("restartPolicyRules"),
                                               LEAF("volumeMounts"),
                                               LEAF("volumeDevices"),
                                               LEAF("livenessProbe"),
                                               LEAF("readinessProbe"),
                                               LEAF("startupProbe"),
                                               LEAF("lifecycle"),
                                               LEAF("terminationMessagePath"),
                                               LEAF("terminationMessagePolicy"),
                                               LEAF("imagePullPolicy"),
                                               LEAF("securityContext"),
                                               LEAF("stdin"),
                                               LEAF("stdinOnce"),
                                               LEAF("tty"),
                                               LEAF("targetContainerName"),
                                               LAST};

static const berth__shape claim_spec_shape[] = {LEAF("accessModes"),
                                                PART("selector", label_selector_shape),
                                                PART("resources", resources_shape),
                                                LEAF("volumeName"),
                                                LEAF("storageClassName"),
                                                LEAF("volumeMode"),
                                                LEAF("dataSource"),
                                                LEAF("dataSourceRef"),
                                                LEAF("volumeAttributesClassName"),
                                                LAST};

static const berth__shape claim_template_shape[] = {PART("metadata", metadata_shape),
                                                    PART("spec", claim_spec_shape), LAST};

static const berth__shape claim_source_shape[] = {LEAF("claimName"), LEAF("readOnly"), LAST};

static const berth__shape ephemeral_shape[] = {PART("volumeClaimTemplate", claim_template_shape),
                                               LAST};

static const berth__shape volume_shape[] = {LEAF("name"),
                                            PART("persistentVolumeClaim", claim_source_shape),
                                            PART("ephemeral", ephemeral_shape),
                                            LEAF("emptyDir"),
                                            LEAF("configMap"),
                                            LEAF("secret"),
                                            LEAF("hostPath"),
                                            LEAF("projected"),
                                            LEAF("csi"),
                                            LEAF("nfs"),
                                            LEAF("downwardAPI"),
                                            LEAF("image"),
                                            LEAF("gcePersistentDisk"),
                                            LEAF("awsElasticBlockStore"),
                                            LEAF("gitRepo"),
                                            LEAF("iscsi"),
                                            LEAF("glusterfs"),
                                            LEAF("rbd"),
                                            LEAF("flexVolume"),
                                            LEAF("cinder"),
                                            LEAF("cephfs"),
                                            LEAF("flocker"),
                                            LEAF("fc"),
                                            LEAF("azureFile"),
                                            LEAF("vsphereVolume"),
                                            LEAF("quobyte"),
                                            LEAF("azureDisk"),
                                            LEAF("photonPersistentDisk"),
                                            LEAF("portworxVolume"),
                                            LEAF("scaleIO"),
                                            LEAF("storageos"),
                                            LAST};

static const berth__shape toleration_shape[] = {
    LEAF("key"), LEAF("operator"), LEAF("value"), LEAF("effect"), LEAF("tolerationSeconds"), LAST};

static const berth__shape spread_shape[] = {LEAF("maxSkew"),
                                            LEAF("topologyKey"),
                                            LEAF("whenUnsatisfiable"),
                                            PART("labelSelector", label_selector_shape),
                                            LEAF("minDomains"),
                                            LEAF("nodeAffinityPolicy"),
                                            LEAF("nodeTaintsPolicy"),
                                            LEAF("matchLabelKeys"),
                                            LAST};

static const berth__shape gate_shape[] = {LEAF("name"), LAST};

static const berth__shape pod_claim_shape[] = {LEAF("name"), LEAF("resourceClaimName"),
                                               LEAF("resourceClaimTemplateName"), LEAF("source"),
                                               LAST};

static const berth__shape pod_spec_shape[] = {LEAF("nodeName"),
                                              LEAF("schedulerName"),
                                              LEAF("priority"),
                                              LEAF("priorityClassName"),
                                              LEAF("nodeSelector"),
                                              PART("affinity", affinity_shape),
                                              PART("tolerations", toleration_shape),
                                              PART("topologySpreadConstraints", spread_shape),
                                              PART("initContainers", container_shape),
                                              PART("containers", container_shape),
                                              PART("volumes", volume_shape),
                                              PART("ephemeralContainers", container_shape),
                                              PART("schedulingGates", gate_shape),
                                              PART("resourceClaims", pod_claim_shape),
                                              PART("resources", resources_shape),
                                              LEAF("restartPolicy"),
                                              LEAF("terminationGracePeriodSeconds"),
                                              LEAF("activeDeadlineSeconds"),
                                              LEAF("dnsPolicy"),
                                              LEAF("serviceAccountName"),
                                              LEAF("serviceAccount"),
                                              LEAF("automountServiceAccountToken"),
                                              LEAF("hostNetwork"),
                                              LEAF("hostPID"),
                                              LEAF("hostIPC"),
                                              LEAF("hostUsers"),
                                              LEAF("shareProcessNamespace"),
                                              LEAF("securityContext"),
                                              LEAF("imagePullSecrets"),
                                              LEAF("hostname"),
                                              LEAF("subdomain"),
                                              LEAF("hostAliases"),
                                              LEAF("dnsConfig"),
                                              LEAF("readinessGates"),
                                              LEAF("runtimeClassName"),
                                              LEAF("enableServiceLinks"),
                                              LEAF("preemptionPolicy"),
                                              LEAF("overhead"),
                                              LEAF("setHostnameAsFQDN"),
                                              LEAF("hostnameOverride"),
                                              LEAF("os"),
                                              LEAF("workloadRef"),
                                              LEAF("schedulingGroup"),
                                              LAST};

static const berth__shape template_shape[] = {PART("metadata", metadata_shape),
                                              PART("spec", pod_spec_shape), LAST};

static const berth__shape pod_shape[] = {
    LEAF("apiVersion"),           LEAF("kind"),   PART("metadata", metadata_shape),
    PART("spec", pod_spec_shape), LEAF("status"), LAST};

static const berth__shape taint_shape[] = {LEAF("key"), LEAF("value"), LEAF("effect"),
                                           LEAF("timeAdded"), LAST};

static const berth__shape node_spec_shape[] = {
    LEAF("unschedulable"), PART("taints", taint_shape), LEAF("podCIDR"),    LEAF("podCIDRs"),
    LEAF("providerID"),    LEAF("configSource"),        LEAF("externalID"), LAST};

static const berth__shape node_status_shape[] = {LEAF("capacity"),
                                                 LEAF("allocatable"),
                                                 LEAF("images"),
                                                 LEAF("conditions"),
                                                 LEAF("phase"),
                                                 LEAF("addresses"),
                                                 LEAF("daemonEndpoints"),
                                                 LEAF("nodeInfo"),
                                                 LEAF("volumesInUse"),
                                                 LEAF("volumesAttached"),
                                                 LEAF("config"),
                                                 LEAF("runtimeHandlers"),
                                                 LEAF("features"),
                                                 LEAF("declaredFeatures"),
                                                 LAST};

static const berth__shape node_shape[] = {LEAF("apiVersion"),
                                          LEAF("kind"),
                                          PART("metadata", metadata_shape),
                                          PART("spec", node_spec_shape),
                                          PART("status", node_status_shape),
                                          LAST};

static const berth__shape ordinals_shape[] = {LEAF("start"), LAST};

static const berth__shape deployment_spec_shape[] = {LEAF("replicas"),
                                                     PART("selector", label_selector_shape),
                                                     PART("template", template_shape),
                                                     LEAF("strategy"),
                                                     LEAF("minReadySeconds"),
                                                     LEAF("revisionHistoryLimit"),
                                                     LEAF("paused"),
                                                     LEAF("progressDeadlineSeconds"),
                                                     LAST};

static const berth__shape replica_set_spec_shape[] = {
    LEAF("replicas"), PART("selector", label_selector_shape), PART("template", template_shape),
    LEAF("minReadySeconds"), LAST};

static const berth__shape controller_spec_shape[] = {LEAF("replicas"), LEAF("selector"),
                                                     PART("template", template_shape),
                                                     LEAF("minReadySeconds"), LAST};

static const berth__shape claim_shape[] = {LEAF("apiVersion"),
                                           LEAF("kind"),
                                           PART("metadata", metadata_shape),
                                           PART("spec", claim_spec_shape),
                                           LEAF("status"),
                                           LAST};

static const berth__shape stateful_set_spec_shape[] = {LEAF("replicas"),
                                                       PART("selector", label_selector_shape),
                                                       PART("template", template_shape),
                                                       PART("volumeClaimTemplates", claim_shape),
                                                       LEAF("serviceName"),
                                                       LEAF("podManagementPolicy"),
                                                       LEAF("updateStrategy"),
                                                       LEAF("revisionHistoryLimit"),
                                                       LEAF("minReadySeconds"),
                                                       LEAF("persistentVolumeClaimRetentionPolicy"),
                                                       PART("ordinals", ordinals_shape),
                                                       LAST};

static const berth__shape daemon_set_spec_shape[] = {PART("selector", label_selector_shape),
                                                     PART("template", template_shape),
                                                     LEAF("updateStrategy"),
                                                     LEAF("minReadySeconds"),
                                                     LEAF("revisionHistoryLimit"),
                                                     LAST};

static const berth__shape job_spec_shape[] = {LEAF("parallelism"),
                                              LEAF("completions"),
                                              PART("template", template_shape),
                                              LEAF("backoffLimit"),
                                              LEAF("activeDeadlineSeconds"),
                                              LEAF("podFailurePolicy"),
                                              LEAF("successPolicy"),
                                              LEAF("backoffLimitPerIndex"),
                                              LEAF("maxFailedIndexes"),
                                              PART("selector", label_selector_shape),
                                              LEAF("manualSelector"),
                                              LEAF("ttlSecondsAfterFinished"),
                                              LEAF("completionMode"),
                                              LEAF("suspend"),
                                              LEAF("podReplacementPolicy"),
                                              LEAF("managedBy"),
                                              LAST};

static const berth__shape job_template_shape[] = {PART("metadata", metadata_shape),
                                                  PART("spec", job_spec_shape), LAST};

static const berth__shape cron_job_spec_shape[] = {LEAF("schedule"),
                                                   PART("jobTemplate", job_template_shape),
                                                   LEAF("timeZone"),
                                                   LEAF("startingDeadlineSeconds"),
                                                   LEAF("concurrencyPolicy"),
                                                   LEAF("suspend"),
                                                   LEAF("successfulJobsHistoryLimit"),
                                                   LEAF("failedJobsHistoryLimit"),
                                                   LAST};

static const berth__shape deployment_shape[] = {LEAF("apiVersion"),
                                                LEAF("kind"),
                                                PART("metadata", metadata_shape),
                                                PART("spec", deployment_spec_shape),
                                                LEAF("status"),
                                                LAST};

static const berth__shape replica_set_shape[] = {LEAF("apiVersion"),
                                                 LEAF("kind"),
                                                 PART("metadata", metadata_shape),
                                                 PART("spec", replica_set_spec_shape),
                                                 LEAF("status"),
                                                 LAST};

static const berth__shape replication_controller_shape[] = {LEAF("apiVersion"),
                                                            LEAF("kind"),
                                                            PART("metadata", metadata_shape),
                                                            PART("spec", controller_spec_shape),
                                                            LEAF("status"),
                                                            LAST};

static const berth__shape stateful_set_shape[] = {LEAF("apiVersion"),
                                                  LEAF("kind"),
                                                  PART("metadata", metadata_shape),
                                                  PART("spec", stateful_set_spec_shape),
                                                  LEAF("status"),
                                                  LAST};

static const berth__shape daemon_set_shape[] = {LEAF("apiVersion"),
                                                LEAF("kind"),
                                                PART("metadata", metadata_shape),
                                                PART("spec", daemon_set_spec_shape),
                                                LEAF("status"),
                                                LAST};

static const berth__shape job_shape[] = {
    LEAF("apiVersion"),           LEAF("kind"),   PART("metadata", metadata_shape),
    PART("spec", job_spec_shape), LEAF("status"), LAST};

static const berth__shape cron_job_shape[] = {LEAF("apiVersion"),
                                              LEAF("kind"),
                                              PART("metadata", metadata_shape),
                                              PART("spec", cron_job_spec_shape),
                                              LEAF("status"),
                                              LAST};

static const berth__shape namespace_spec_shape[] = {LEAF("finalizers"), LAST};

static const berth__shape namespace_shape[] = {LEAF("apiVersion"),
                                               LEAF("kind"),
                                               PART("metadata", metadata_shape),
                                               PART("spec", namespace_spec_shape),
                                               LEAF("status"),
                                               LAST};

static const berth__shape service_spec_shape[] = {LEAF("selector"),
                                                  LEAF("ports"),
                                                  LEAF("type"),
                                                  LEAF("clusterIP"),
                                                  LEAF("clusterIPs"),
                                                  LEAF("externalIPs"),
                                                  LEAF("sessionAffinity"),
                                                  LEAF("loadBalancerIP"),
                                                  LEAF("loadBalancerSourceRanges"),
                                                  LEAF("externalName"),
                                                  LEAF("externalTrafficPolicy"),
                                                  LEAF("healthCheckNodePort"),
                                                  LEAF("publishNotReadyAddresses"),
                                                  LEAF("sessionAffinityConfig"),
                                                  LEAF("ipFamilies"),
                                                  LEAF("ipFamilyPolicy"),
                                                  LEAF("loadBalancerClass"),
                                                  LEAF("internalTrafficPolicy"),
                                                  LEAF("allocateLoadBalancerNodePorts"),
                                                  LEAF("trafficDistribution"),
                                                  LAST};

static const berth__shape service_shape[] = {LEAF("apiVersion"),
                                             LEAF("kind"),
                                             PART("metadata", metadata_shape),
                                             PART("spec", service_spec_shape),
                                             LEAF("status"),
                                             LAST};

static const berth__shape budget_spec_shape[] = {LEAF("minAvailable"), LEAF("maxUnavailable"),
                                                 PART("selector", label_selector_shape),
                                                 LEAF("unhealthyPodEvictionPolicy"), LAST};

static const berth__shape budget_status_shape[] = {
    LEAF("disruptionsAllowed"), LEAF("disruptedPods"),
    LEAF("currentHealthy"),     LEAF("desiredHealthy"),
    LEAF("expectedPods"),       LEAF("observedGeneration"),
    LEAF("conditions"),         LAST};

static const berth__shape budget_shape[] = {LEAF("apiVersion"),
                                            LEAF("kind"),
                                            PART("metadata", metadata_shape),
                                            PART("spec", budget_spec_shape),
                                            PART("status", budget_status_shape),
                                            LAST};

static const berth__shape volume_affinity_shape[] = {PART("required", node_selector_shape), LAST};

static const berth__shape persistent_volume_spec_shape[] = {
    LEAF("capacity"),
    LEAF("accessModes"),
    LEAF("claimRef"),
    LEAF("storageClassName"),
    PART("nodeAffinity", volume_affinity_shape),
    LEAF("csi"),
    LEAF("persistentVolumeReclaimPolicy"),
    LEAF("mountOptions"),
    LEAF("volumeMode"),
    LEAF("volumeAttributesClassName"),
    LEAF("local"),
    LEAF("hostPath"),
    LEAF("nfs"),
    LEAF("gcePersistentDisk"),
    LEAF("awsElasticBlockStore"),
    LEAF("glusterfs"),
    LEAF("rbd"),
    LEAF("iscsi"),
    LEAF("cinder"),
    LEAF("cephfs"),
    LEAF("fc"),
    LEAF("flocker"),
    LEAF("flexVolume"),
    LEAF("azureFile"),
    LEAF("vsphereVolume"),
    LEAF("quobyte"),
    LEAF("azureDisk"),
    LEAF("photonPersistentDisk"),
    LEAF("portworxVolume"),
    LEAF("scaleIO"),
    LEAF("storageos"),
    LAST};

static const berth__shape persistent_volume_shape[] = {LEAF("apiVersion"),
                                                       LEAF("kind"),
                                                       PART("metadata", metadata_shape),
                                                       PART("spec", persistent_volume_spec_shape),
                                                       LEAF("status"),
                                                       LAST};

static const berth__shape topology_requirement_shape[] = {LEAF("key"), LEAF("values"), LAST};

static const berth__shape topology_term_shape[] = {
    PART("matchLabelExpressions", topology_requirement_shape), LAST};

static const berth__shape storage_class_shape[] = {LEAF("apiVersion"),
                                                   LEAF("kind"),
                                                   PART("metadata", metadata_shape),
                                                   LEAF("provisioner"),
                                                   LEAF("parameters"),
                                                   LEAF("reclaimPolicy"),
                                                   LEAF("mountOptions"),
                                                   LEAF("allowVolumeExpansion"),
                                                   LEAF("volumeBindingMode"),
                                                   PART("allowedTopologies", topology_term_shape),
                                                   LAST};

static const berth__shape priority_class_shape[] = {
    LEAF("apiVersion"),    LEAF("kind"),        PART("metadata", metadata_shape), LEAF("value"),
    LEAF("globalDefault"), LEAF("description"), LEAF("preemptionPolicy"),         LAST};

static const berth__shape overhead_shape[] = {LEAF("podFixed"), LAST};

static const berth__shape runtime_scheduling_shape[] = {
    LEAF("nodeSelector"), PART("tolerations", toleration_shape), LAST};

static const berth__shape runtime_class_shape[] = {LEAF("apiVersion"),
                                                   LEAF("kind"),
                                                   PART("metadata", metadata_shape),
                                                   LEAF("handler"),
                                                   PART("overhead", overhead_shape),
                                                   PART("scheduling", runtime_scheduling_shape),
                                                   LAST};

static const berth__shape limit_shape[] = {LEAF("type"),
                                           LEAF("max"),
                                           LEAF("min"),
                                           LEAF("default"),
                                           LEAF("defaultRequest"),
                                           LEAF("maxLimitRequestRatio"),
                                           LAST};

static const berth__shape limit_range_spec_shape[] = {PART("limits", limit_shape), LAST};

static const berth__shape limit_range_shape[] = {LEAF("apiVersion"),
                                                 LEAF("kind"),
                                                 PART("metadata", metadata_shape),
                                                 PART("spec", limit_range_spec_shape),
                                                 LEAF("status"),
                                                 LAST};

static const berth__shape quota_spec_shape[] = {LEAF("hard"), LEAF("scopes"), LEAF("scopeSelector"),
                                                LAST};

static const berth__shape quota_shape[] = {LEAF("apiVersion"),
                                           LEAF("kind"),
                                           PART("metadata", metadata_shape),
                                           PART("spec", quota_spec_shape),
                                           LEAF("status"),
                                           LAST};

static const berth__shape csi_limit_shape[] = {LEAF("count"), LAST};

static const berth__shape csi_node_driver_shape[] = {
    LEAF("name"), LEAF("nodeID"), LEAF("topologyKeys"), PART("allocatable", csi_limit_shape), LAST};

static const berth__shape csi_node_spec_shape[] = {PART("drivers", csi_node_driver_shape), LAST};

static const berth__shape csi_node_shape[] = {LEAF("apiVersion"), LEAF("kind"),
                                              PART("metadata", metadata_shape),
                                              PART("spec", csi_node_spec_shape), LAST};

static const berth__shape csi_driver_spec_shape[] = {LEAF("storageCapacity"),
                                                     LEAF("attachRequired"),
                                                     LEAF("podInfoOnMount"),
                                                     LEAF("volumeLifecycleModes"),
                                                     LEAF("fsGroupPolicy"),
                                                     LEAF("tokenRequests"),
                                                     LEAF("requiresRepublish"),
                                                     LEAF("seLinuxMount"),
                                                     LEAF("nodeAllocatableUpdatePeriodSeconds"),
                                                     LEAF("serviceAccountTokenInSecrets"),
                                                     LEAF("preventPodSchedulingIfMissing"),
                                                     LAST};

static const berth__shape csi_driver_shape[] = {LEAF("apiVersion"), LEAF("kind"),
                                                PART("metadata", metadata_shape),
                                                PART("spec", csi_driver_spec_shape), LAST};

static const berth__shape csi_storage_capacity_shape[] = {
    LEAF("apiVersion"),
    LEAF("kind"),
    PART("metadata", metadata_shape),
    LEAF("storageClassName"),
    PART("nodeTopology", label_selector_shape),
    LEAF("capacity"),
    LEAF("maximumVolumeSize"),
    LAST};

static const berth__shape attachment_source_shape[] = {LEAF("persistentVolumeName"),
                                                       LEAF("inlineVolumeSpec"), LAST};

static const berth__shape attachment_spec_shape[] = {LEAF("attacher"), LEAF("nodeName"),
                                                     PART("source", attachment_source_shape), LAST};

static const berth__shape volume_attachment_shape[] = {LEAF("apiVersion"),
                                                       LEAF("kind"),
                                                       PART("metadata", metadata_shape),
                                                       PART("spec", attachment_spec_shape),
                                                       LEAF("status"),
                                                       LAST};

#define KIND(name, api_version, shape)                                          \
    {                                                                           \
        {name, sizeof(name) - 1}, {api_version, sizeof(api_version) - 1}, shape \
    }

/* clang-format off */
static const berth__known_kind known[] = {
    KIND("Pod", "v1", pod_shape),
    KIND("Node", "v1", node_shape),
    KIND("Deployment", "apps/v1", deployment_shape),
    KIND("ReplicaSet", "apps/v1", replica_set_shape),
    KIND("StatefulSet", "apps/v1", stateful_set_shape),
    KIND("DaemonSet", "apps/v1", daemon_set_shape),
    KIND("Job", "batch/v1", job_shape),
    KIND("CronJob", "batch/v1", cron_job_shape),
    KIND("ReplicationController", "v1", replication_controller_shape),
    KIND("Service", "v1", service_shape),
    KIND("Namespace", "v1", namespace_shape),
    KIND("PersistentVolume", "v1", persistent_volume_shape),
    KIND("PersistentVolumeClaim", "v1", claim_shape),
    KIND("PodDisruptionBudget", "policy/v1", budget_shape),
    KIND("StorageClass", "storage.k8s.io/v1", storage_class_shape),
    KIND("CSINode", "storage.k8s.io/v1", csi_node_shape),
    KIND("CSIDriver", "storage.k8s.io/v1", csi_driver_shape),
    KIND("CSIStorageCapacity", "storage.k8s.io/v1", csi_storage_capacity_shape),
    KIND("VolumeAttachment", "storage.k8s.io/v1", volume_attachment_shape),
    KIND("PriorityClass", "scheduling.k8s.io/v1", priority_class_shape),
    KIND("RuntimeClass", "node.k8s.io/v1", runtime_class_shape),
    KIND("LimitRange", "v1", limit_range_shape),
    KIND("ResourceQuota", "v1", quota_shape),
};
/* clang-format on */

enum { KNOWN_COUNT = sizeof(known) / sizeof(known[0]) };

const berth__known_kind *berth__known_kind_of(berth_str kind)
{
    for (int i = 0; i < KNOWN_COUNT; i++)
        if (berth__str_eq(kind, known[i].name))
            return &known[i];
    return NULL;
}

const berth__known_kind *berth__known_kind_at(uint32_t i)
{
    return i < KNOWN_COUNT ? &known[i] : NULL;
}
