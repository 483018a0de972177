/* The fields that Kubernetes 1.36 knows, whether Berth reads them or not. They distinguish fields
 * that Kubernetes does not know from fields that no rule reads. Parts without any field that
 * matters to placement (probes, volume sources, most statuses) have no shape. In each object,
 * frequent fields come first. Source: k8s.io/api v0.36. */
#include "kube/shapes.h"

#include "base/text.h"

static const berth__shape owner_shape[] = {
    BERTH__LEAF("apiVersion"), BERTH__LEAF("kind"),       BERTH__LEAF("name"),
    BERTH__LEAF("uid"),        BERTH__LEAF("controller"), BERTH__LEAF("blockOwnerDeletion"),
    BERTH__SHAPE_LAST};

const berth__shape berth__metadata_shape[] = {BERTH__LEAF("name"),
                                              BERTH__LEAF("namespace"),
                                              BERTH__LEAF("labels"),
                                              BERTH__LEAF("annotations"),
                                              BERTH__PART("ownerReferences", owner_shape),
                                              BERTH__LEAF("generateName"),
                                              BERTH__LEAF("creationTimestamp"),
                                              BERTH__LEAF("uid"),
                                              BERTH__LEAF("resourceVersion"),
                                              BERTH__LEAF("generation"),
                                              BERTH__LEAF("deletionTimestamp"),
                                              BERTH__LEAF("deletionGracePeriodSeconds"),
                                              BERTH__LEAF("finalizers"),
                                              BERTH__LEAF("managedFields"),
                                              BERTH__LEAF("selfLink"),
                                              BERTH__SHAPE_LAST};

static const berth__shape requirement_shape[] = {BERTH__LEAF("key"), BERTH__LEAF("operator"),
                                                 BERTH__LEAF("values"), BERTH__SHAPE_LAST};

static const berth__shape label_selector_shape[] = {
    BERTH__LEAF("matchLabels"), BERTH__PART("matchExpressions", requirement_shape),
    BERTH__SHAPE_LAST};

static const berth__shape node_term_shape[] = {BERTH__PART("matchExpressions", requirement_shape),
                                               BERTH__PART("matchFields", requirement_shape),
                                               BERTH__SHAPE_LAST};

const berth__shape berth__node_selector_shape[] = {
    BERTH__PART("nodeSelectorTerms", node_term_shape), BERTH__SHAPE_LAST};

static const berth__shape preferred_node_shape[] = {
    BERTH__LEAF("weight"), BERTH__PART("preference", node_term_shape), BERTH__SHAPE_LAST};

static const berth__shape node_affinity_shape[] = {
    BERTH__PART("requiredDuringSchedulingIgnoredDuringExecution", berth__node_selector_shape),
    BERTH__PART("preferredDuringSchedulingIgnoredDuringExecution", preferred_node_shape),
    BERTH__SHAPE_LAST};

static const berth__shape affinity_term_shape[] = {
    BERTH__PART("labelSelector", label_selector_shape),
    BERTH__LEAF("topologyKey"),
    BERTH__LEAF("namespaces"),
    BERTH__PART("namespaceSelector", label_selector_shape),
    BERTH__LEAF("matchLabelKeys"),
    BERTH__LEAF("mismatchLabelKeys"),
    BERTH__SHAPE_LAST};

static const berth__shape weighted_term_shape[] = {
    BERTH__LEAF("weight"), BERTH__PART("podAffinityTerm", affinity_term_shape), BERTH__SHAPE_LAST};

static const berth__shape pod_affinity_shape[] = {
    BERTH__PART("requiredDuringSchedulingIgnoredDuringExecution", affinity_term_shape),
    BERTH__PART("preferredDuringSchedulingIgnoredDuringExecution", weighted_term_shape),
    BERTH__SHAPE_LAST};

static const berth__shape affinity_shape[] = {BERTH__PART("nodeAffinity", node_affinity_shape),
                                              BERTH__PART("podAffinity", pod_affinity_shape),
                                              BERTH__PART("podAntiAffinity", pod_affinity_shape),
                                              BERTH__SHAPE_LAST};

static const berth__shape port_shape[] = {BERTH__LEAF("containerPort"), BERTH__LEAF("name"),
                                          BERTH__LEAF("protocol"),      BERTH__LEAF("hostPort"),
                                          BERTH__LEAF("hostIP"),        BERTH__SHAPE_LAST};

static const berth__shape device_claim_shape[] = {BERTH__LEAF("name"), BERTH__LEAF("request"),
                                                  BERTH__SHAPE_LAST};

static const berth__shape resources_shape[] = {BERTH__LEAF("requests"), BERTH__LEAF("limits"),
                                               BERTH__PART("claims", device_claim_shape),
                                               BERTH__SHAPE_LAST};

static const berth__shape container_shape[] = {BERTH__LEAF("name"),
                                               BERTH__LEAF("image"),
                                               BERTH__PART("resources", resources_shape),
                                               BERTH__PART("ports", port_shape),
                                               BERTH__LEAF("command"),
                                               BERTH__LEAF("args"),
                                               BERTH__LEAF("env"),
                                               BERTH__LEAF("envFrom"),
                                               BERTH__LEAF("workingDir"),
                                               BERTH__LEAF("resizePolicy"),
                                               BERTH__LEAF("restartPolicy"),
                                               BERTH__LEAF("restartPolicyRules"),
                                               BERTH__LEAF("volumeMounts"),
                                               BERTH__LEAF("volumeDevices"),
                                               BERTH__LEAF("livenessProbe"),
                                               BERTH__LEAF("readinessProbe"),
                                               BERTH__LEAF("startupProbe"),
                                               BERTH__LEAF("lifecycle"),
                                               BERTH__LEAF("terminationMessagePath"),
                                               BERTH__LEAF("terminationMessagePolicy"),
                                               BERTH__LEAF("imagePullPolicy"),
                                               BERTH__LEAF("securityContext"),
                                               BERTH__LEAF("stdin"),
                                               BERTH__LEAF("stdinOnce"),
                                               BERTH__LEAF("tty"),
                                               BERTH__LEAF("targetContainerName"),
                                               BERTH__SHAPE_LAST};

static const berth__shape claim_spec_shape[] = {BERTH__LEAF("accessModes"),
                                                BERTH__PART("selector", label_selector_shape),
                                                BERTH__PART("resources", resources_shape),
                                                BERTH__LEAF("volumeName"),
                                                BERTH__LEAF("storageClassName"),
                                                BERTH__LEAF("volumeMode"),
                                                BERTH__LEAF("dataSource"),
                                                BERTH__LEAF("dataSourceRef"),
                                                BERTH__LEAF("volumeAttributesClassName"),
                                                BERTH__SHAPE_LAST};

static const berth__shape claim_template_shape[] = {BERTH__PART("metadata", berth__metadata_shape),
                                                    BERTH__PART("spec", claim_spec_shape),
                                                    BERTH__SHAPE_LAST};

static const berth__shape claim_source_shape[] = {BERTH__LEAF("claimName"), BERTH__LEAF("readOnly"),
                                                  BERTH__SHAPE_LAST};

static const berth__shape ephemeral_shape[] = {
    BERTH__PART("volumeClaimTemplate", claim_template_shape), BERTH__SHAPE_LAST};

static const berth__shape volume_shape[] = {
    BERTH__LEAF("name"),
    BERTH__PART("persistentVolumeClaim", claim_source_shape),
    BERTH__PART("ephemeral", ephemeral_shape),
    BERTH__LEAF("emptyDir"),
    BERTH__LEAF("configMap"),
    BERTH__LEAF("secret"),
    BERTH__LEAF("hostPath"),
    BERTH__LEAF("projected"),
    BERTH__LEAF("csi"),
    BERTH__LEAF("nfs"),
    BERTH__LEAF("downwardAPI"),
    BERTH__LEAF("image"),
    BERTH__LEAF("gcePersistentDisk"),
    BERTH__LEAF("awsElasticBlockStore"),
    BERTH__LEAF("gitRepo"),
    BERTH__LEAF("iscsi"),
    BERTH__LEAF("glusterfs"),
    BERTH__LEAF("rbd"),
    BERTH__LEAF("flexVolume"),
    BERTH__LEAF("cinder"),
    BERTH__LEAF("cephfs"),
    BERTH__LEAF("flocker"),
    BERTH__LEAF("fc"),
    BERTH__LEAF("azureFile"),
    BERTH__LEAF("vsphereVolume"),
    BERTH__LEAF("quobyte"),
    BERTH__LEAF("azureDisk"),
    BERTH__LEAF("photonPersistentDisk"),
    BERTH__LEAF("portworxVolume"),
    BERTH__LEAF("scaleIO"),
    BERTH__LEAF("storageos"),
    BERTH__SHAPE_LAST};

static const berth__shape toleration_shape[] = {
    BERTH__LEAF("key"),    BERTH__LEAF("operator"),          BERTH__LEAF("value"),
    BERTH__LEAF("effect"), BERTH__LEAF("tolerationSeconds"), BERTH__SHAPE_LAST};

static const berth__shape spread_shape[] = {BERTH__LEAF("maxSkew"),
                                            BERTH__LEAF("topologyKey"),
                                            BERTH__LEAF("whenUnsatisfiable"),
                                            BERTH__PART("labelSelector", label_selector_shape),
                                            BERTH__LEAF("minDomains"),
                                            BERTH__LEAF("nodeAffinityPolicy"),
                                            BERTH__LEAF("nodeTaintsPolicy"),
                                            BERTH__LEAF("matchLabelKeys"),
                                            BERTH__SHAPE_LAST};

static const berth__shape gate_shape[] = {BERTH__LEAF("name"), BERTH__SHAPE_LAST};

static const berth__shape pod_claim_shape[] = {
    BERTH__LEAF("name"), BERTH__LEAF("resourceClaimName"), BERTH__LEAF("resourceClaimTemplateName"),
    BERTH__LEAF("source"), BERTH__SHAPE_LAST};

static const berth__shape pod_spec_shape[] = {
    BERTH__LEAF("nodeName"),
    BERTH__LEAF("schedulerName"),
    BERTH__LEAF("priority"),
    BERTH__LEAF("priorityClassName"),
    BERTH__LEAF("nodeSelector"),
    BERTH__PART("affinity", affinity_shape),
    BERTH__PART("tolerations", toleration_shape),
    BERTH__PART("topologySpreadConstraints", spread_shape),
    BERTH__PART("initContainers", container_shape),
    BERTH__PART("containers", container_shape),
    BERTH__PART("volumes", volume_shape),
    BERTH__PART("ephemeralContainers", container_shape),
    BERTH__PART("schedulingGates", gate_shape),
    BERTH__PART("resourceClaims", pod_claim_shape),
    BERTH__PART("resources", resources_shape),
    BERTH__LEAF("restartPolicy"),
    BERTH__LEAF("terminationGracePeriodSeconds"),
    BERTH__LEAF("activeDeadlineSeconds"),
    BERTH__LEAF("dnsPolicy"),
    BERTH__LEAF("serviceAccountName"),
    BERTH__LEAF("serviceAccount"),
    BERTH__LEAF("automountServiceAccountToken"),
    BERTH__LEAF("hostNetwork"),
    BERTH__LEAF("hostPID"),
    BERTH__LEAF("hostIPC"),
    BERTH__LEAF("hostUsers"),
    BERTH__LEAF("shareProcessNamespace"),
    BERTH__LEAF("securityContext"),
    BERTH__LEAF("imagePullSecrets"),
    BERTH__LEAF("hostname"),
    BERTH__LEAF("subdomain"),
    BERTH__LEAF("hostAliases"),
    BERTH__LEAF("dnsConfig"),
    BERTH__LEAF("readinessGates"),
    BERTH__LEAF("runtimeClassName"),
    BERTH__LEAF("enableServiceLinks"),
    BERTH__LEAF("preemptionPolicy"),
    BERTH__LEAF("overhead"),
    BERTH__LEAF("setHostnameAsFQDN"),
    BERTH__LEAF("hostnameOverride"),
    BERTH__LEAF("os"),
    BERTH__LEAF("workloadRef"),
    BERTH__PART("schedulingGroup", berth__scheduling_group_shape),
    BERTH__SHAPE_LAST};

static const berth__shape template_shape[] = {BERTH__PART("metadata", berth__metadata_shape),
                                              BERTH__PART("spec", pod_spec_shape),
                                              BERTH__SHAPE_LAST};

static const berth__shape pod_shape[] = {BERTH__LEAF("apiVersion"),
                                         BERTH__LEAF("kind"),
                                         BERTH__PART("metadata", berth__metadata_shape),
                                         BERTH__PART("spec", pod_spec_shape),
                                         BERTH__LEAF("status"),
                                         BERTH__SHAPE_LAST};

static const berth__shape taint_shape[] = {BERTH__LEAF("key"), BERTH__LEAF("value"),
                                           BERTH__LEAF("effect"), BERTH__LEAF("timeAdded"),
                                           BERTH__SHAPE_LAST};

static const berth__shape node_spec_shape[] = {
    BERTH__LEAF("unschedulable"), BERTH__PART("taints", taint_shape),
    BERTH__LEAF("podCIDR"),       BERTH__LEAF("podCIDRs"),
    BERTH__LEAF("providerID"),    BERTH__LEAF("configSource"),
    BERTH__LEAF("externalID"),    BERTH__SHAPE_LAST};

static const berth__shape node_status_shape[] = {BERTH__LEAF("capacity"),
                                                 BERTH__LEAF("allocatable"),
                                                 BERTH__LEAF("images"),
                                                 BERTH__LEAF("conditions"),
                                                 BERTH__LEAF("phase"),
                                                 BERTH__LEAF("addresses"),
                                                 BERTH__LEAF("daemonEndpoints"),
                                                 BERTH__LEAF("nodeInfo"),
                                                 BERTH__LEAF("volumesInUse"),
                                                 BERTH__LEAF("volumesAttached"),
                                                 BERTH__LEAF("config"),
                                                 BERTH__LEAF("runtimeHandlers"),
                                                 BERTH__LEAF("features"),
                                                 BERTH__LEAF("declaredFeatures"),
                                                 BERTH__SHAPE_LAST};

static const berth__shape node_shape[] = {BERTH__LEAF("apiVersion"),
                                          BERTH__LEAF("kind"),
                                          BERTH__PART("metadata", berth__metadata_shape),
                                          BERTH__PART("spec", node_spec_shape),
                                          BERTH__PART("status", node_status_shape),
                                          BERTH__SHAPE_LAST};

static const berth__shape ordinals_shape[] = {BERTH__LEAF("start"), BERTH__SHAPE_LAST};

static const berth__shape deployment_spec_shape[] = {BERTH__LEAF("replicas"),
                                                     BERTH__PART("selector", label_selector_shape),
                                                     BERTH__PART("template", template_shape),
                                                     BERTH__LEAF("strategy"),
                                                     BERTH__LEAF("minReadySeconds"),
                                                     BERTH__LEAF("revisionHistoryLimit"),
                                                     BERTH__LEAF("paused"),
                                                     BERTH__LEAF("progressDeadlineSeconds"),
                                                     BERTH__SHAPE_LAST};

static const berth__shape replica_set_spec_shape[] = {
    BERTH__LEAF("replicas"), BERTH__PART("selector", label_selector_shape),
    BERTH__PART("template", template_shape), BERTH__LEAF("minReadySeconds"), BERTH__SHAPE_LAST};

static const berth__shape controller_spec_shape[] = {
    BERTH__LEAF("replicas"), BERTH__LEAF("selector"), BERTH__PART("template", template_shape),
    BERTH__LEAF("minReadySeconds"), BERTH__SHAPE_LAST};

static const berth__shape claim_shape[] = {BERTH__LEAF("apiVersion"),
                                           BERTH__LEAF("kind"),
                                           BERTH__PART("metadata", berth__metadata_shape),
                                           BERTH__PART("spec", claim_spec_shape),
                                           BERTH__LEAF("status"),
                                           BERTH__SHAPE_LAST};

static const berth__shape stateful_set_spec_shape[] = {
    BERTH__LEAF("replicas"),
    BERTH__PART("selector", label_selector_shape),
    BERTH__PART("template", template_shape),
    BERTH__PART("volumeClaimTemplates", claim_shape),
    BERTH__LEAF("serviceName"),
    BERTH__LEAF("podManagementPolicy"),
    BERTH__LEAF("updateStrategy"),
    BERTH__LEAF("revisionHistoryLimit"),
    BERTH__LEAF("minReadySeconds"),
    BERTH__LEAF("persistentVolumeClaimRetentionPolicy"),
    BERTH__PART("ordinals", ordinals_shape),
    BERTH__SHAPE_LAST};

static const berth__shape daemon_set_spec_shape[] = {BERTH__PART("selector", label_selector_shape),
                                                     BERTH__PART("template", template_shape),
                                                     BERTH__LEAF("updateStrategy"),
                                                     BERTH__LEAF("minReadySeconds"),
                                                     BERTH__LEAF("revisionHistoryLimit"),
                                                     BERTH__SHAPE_LAST};

static const berth__shape job_spec_shape[] = {BERTH__LEAF("parallelism"),
                                              BERTH__LEAF("completions"),
                                              BERTH__PART("template", template_shape),
                                              BERTH__LEAF("backoffLimit"),
                                              BERTH__LEAF("activeDeadlineSeconds"),
                                              BERTH__LEAF("podFailurePolicy"),
                                              BERTH__LEAF("successPolicy"),
                                              BERTH__LEAF("backoffLimitPerIndex"),
                                              BERTH__LEAF("maxFailedIndexes"),
                                              BERTH__PART("selector", label_selector_shape),
                                              BERTH__LEAF("manualSelector"),
                                              BERTH__LEAF("ttlSecondsAfterFinished"),
                                              BERTH__LEAF("completionMode"),
                                              BERTH__LEAF("suspend"),
                                              BERTH__LEAF("podReplacementPolicy"),
                                              BERTH__LEAF("managedBy"),
                                              BERTH__SHAPE_LAST};

static const berth__shape job_template_shape[] = {BERTH__PART("metadata", berth__metadata_shape),
                                                  BERTH__PART("spec", job_spec_shape),
                                                  BERTH__SHAPE_LAST};

static const berth__shape cron_job_spec_shape[] = {BERTH__LEAF("schedule"),
                                                   BERTH__PART("jobTemplate", job_template_shape),
                                                   BERTH__LEAF("timeZone"),
                                                   BERTH__LEAF("startingDeadlineSeconds"),
                                                   BERTH__LEAF("concurrencyPolicy"),
                                                   BERTH__LEAF("suspend"),
                                                   BERTH__LEAF("successfulJobsHistoryLimit"),
                                                   BERTH__LEAF("failedJobsHistoryLimit"),
                                                   BERTH__SHAPE_LAST};

static const berth__shape deployment_shape[] = {BERTH__LEAF("apiVersion"),
                                                BERTH__LEAF("kind"),
                                                BERTH__PART("metadata", berth__metadata_shape),
                                                BERTH__PART("spec", deployment_spec_shape),
                                                BERTH__LEAF("status"),
                                                BERTH__SHAPE_LAST};

static const berth__shape replica_set_shape[] = {BERTH__LEAF("apiVersion"),
                                                 BERTH__LEAF("kind"),
                                                 BERTH__PART("metadata", berth__metadata_shape),
                                                 BERTH__PART("spec", replica_set_spec_shape),
                                                 BERTH__LEAF("status"),
                                                 BERTH__SHAPE_LAST};

static const berth__shape replication_controller_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", controller_spec_shape),
    BERTH__LEAF("status"),
    BERTH__SHAPE_LAST};

static const berth__shape stateful_set_shape[] = {BERTH__LEAF("apiVersion"),
                                                  BERTH__LEAF("kind"),
                                                  BERTH__PART("metadata", berth__metadata_shape),
                                                  BERTH__PART("spec", stateful_set_spec_shape),
                                                  BERTH__LEAF("status"),
                                                  BERTH__SHAPE_LAST};

static const berth__shape daemon_set_shape[] = {BERTH__LEAF("apiVersion"),
                                                BERTH__LEAF("kind"),
                                                BERTH__PART("metadata", berth__metadata_shape),
                                                BERTH__PART("spec", daemon_set_spec_shape),
                                                BERTH__LEAF("status"),
                                                BERTH__SHAPE_LAST};

static const berth__shape job_shape[] = {BERTH__LEAF("apiVersion"),
                                         BERTH__LEAF("kind"),
                                         BERTH__PART("metadata", berth__metadata_shape),
                                         BERTH__PART("spec", job_spec_shape),
                                         BERTH__LEAF("status"),
                                         BERTH__SHAPE_LAST};

static const berth__shape cron_job_shape[] = {BERTH__LEAF("apiVersion"),
                                              BERTH__LEAF("kind"),
                                              BERTH__PART("metadata", berth__metadata_shape),
                                              BERTH__PART("spec", cron_job_spec_shape),
                                              BERTH__LEAF("status"),
                                              BERTH__SHAPE_LAST};

static const berth__shape namespace_spec_shape[] = {BERTH__LEAF("finalizers"), BERTH__SHAPE_LAST};

static const berth__shape namespace_shape[] = {BERTH__LEAF("apiVersion"),
                                               BERTH__LEAF("kind"),
                                               BERTH__PART("metadata", berth__metadata_shape),
                                               BERTH__PART("spec", namespace_spec_shape),
                                               BERTH__LEAF("status"),
                                               BERTH__SHAPE_LAST};

static const berth__shape service_spec_shape[] = {BERTH__LEAF("selector"),
                                                  BERTH__LEAF("ports"),
                                                  BERTH__LEAF("type"),
                                                  BERTH__LEAF("clusterIP"),
                                                  BERTH__LEAF("clusterIPs"),
                                                  BERTH__LEAF("externalIPs"),
                                                  BERTH__LEAF("sessionAffinity"),
                                                  BERTH__LEAF("loadBalancerIP"),
                                                  BERTH__LEAF("loadBalancerSourceRanges"),
                                                  BERTH__LEAF("externalName"),
                                                  BERTH__LEAF("externalTrafficPolicy"),
                                                  BERTH__LEAF("healthCheckNodePort"),
                                                  BERTH__LEAF("publishNotReadyAddresses"),
                                                  BERTH__LEAF("sessionAffinityConfig"),
                                                  BERTH__LEAF("ipFamilies"),
                                                  BERTH__LEAF("ipFamilyPolicy"),
                                                  BERTH__LEAF("loadBalancerClass"),
                                                  BERTH__LEAF("internalTrafficPolicy"),
                                                  BERTH__LEAF("allocateLoadBalancerNodePorts"),
                                                  BERTH__LEAF("trafficDistribution"),
                                                  BERTH__SHAPE_LAST};

static const berth__shape service_shape[] = {BERTH__LEAF("apiVersion"),
                                             BERTH__LEAF("kind"),
                                             BERTH__PART("metadata", berth__metadata_shape),
                                             BERTH__PART("spec", service_spec_shape),
                                             BERTH__LEAF("status"),
                                             BERTH__SHAPE_LAST};

static const berth__shape budget_spec_shape[] = {
    BERTH__LEAF("minAvailable"), BERTH__LEAF("maxUnavailable"),
    BERTH__PART("selector", label_selector_shape), BERTH__LEAF("unhealthyPodEvictionPolicy"),
    BERTH__SHAPE_LAST};

static const berth__shape budget_status_shape[] = {
    BERTH__LEAF("disruptionsAllowed"), BERTH__LEAF("disruptedPods"),
    BERTH__LEAF("currentHealthy"),     BERTH__LEAF("desiredHealthy"),
    BERTH__LEAF("expectedPods"),       BERTH__LEAF("observedGeneration"),
    BERTH__LEAF("conditions"),         BERTH__SHAPE_LAST};

static const berth__shape budget_shape[] = {BERTH__LEAF("apiVersion"),
                                            BERTH__LEAF("kind"),
                                            BERTH__PART("metadata", berth__metadata_shape),
                                            BERTH__PART("spec", budget_spec_shape),
                                            BERTH__PART("status", budget_status_shape),
                                            BERTH__SHAPE_LAST};

static const berth__shape volume_affinity_shape[] = {
    BERTH__PART("required", berth__node_selector_shape), BERTH__SHAPE_LAST};

static const berth__shape persistent_volume_spec_shape[] = {
    BERTH__LEAF("capacity"),
    BERTH__LEAF("accessModes"),
    BERTH__LEAF("claimRef"),
    BERTH__LEAF("storageClassName"),
    BERTH__PART("nodeAffinity", volume_affinity_shape),
    BERTH__LEAF("csi"),
    BERTH__LEAF("persistentVolumeReclaimPolicy"),
    BERTH__LEAF("mountOptions"),
    BERTH__LEAF("volumeMode"),
    BERTH__LEAF("volumeAttributesClassName"),
    BERTH__LEAF("local"),
    BERTH__LEAF("hostPath"),
    BERTH__LEAF("nfs"),
    BERTH__LEAF("gcePersistentDisk"),
    BERTH__LEAF("awsElasticBlockStore"),
    BERTH__LEAF("glusterfs"),
    BERTH__LEAF("rbd"),
    BERTH__LEAF("iscsi"),
    BERTH__LEAF("cinder"),
    BERTH__LEAF("cephfs"),
    BERTH__LEAF("fc"),
    BERTH__LEAF("flocker"),
    BERTH__LEAF("flexVolume"),
    BERTH__LEAF("azureFile"),
    BERTH__LEAF("vsphereVolume"),
    BERTH__LEAF("quobyte"),
    BERTH__LEAF("azureDisk"),
    BERTH__LEAF("photonPersistentDisk"),
    BERTH__LEAF("portworxVolume"),
    BERTH__LEAF("scaleIO"),
    BERTH__LEAF("storageos"),
    BERTH__SHAPE_LAST};

static const berth__shape persistent_volume_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", persistent_volume_spec_shape),
    BERTH__LEAF("status"),
    BERTH__SHAPE_LAST};

static const berth__shape topology_requirement_shape[] = {BERTH__LEAF("key"), BERTH__LEAF("values"),
                                                          BERTH__SHAPE_LAST};

static const berth__shape topology_term_shape[] = {
    BERTH__PART("matchLabelExpressions", topology_requirement_shape), BERTH__SHAPE_LAST};

static const berth__shape storage_class_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__LEAF("provisioner"),
    BERTH__LEAF("parameters"),
    BERTH__LEAF("reclaimPolicy"),
    BERTH__LEAF("mountOptions"),
    BERTH__LEAF("allowVolumeExpansion"),
    BERTH__LEAF("volumeBindingMode"),
    BERTH__PART("allowedTopologies", topology_term_shape),
    BERTH__SHAPE_LAST};

static const berth__shape priority_class_shape[] = {BERTH__LEAF("apiVersion"),
                                                    BERTH__LEAF("kind"),
                                                    BERTH__PART("metadata", berth__metadata_shape),
                                                    BERTH__LEAF("value"),
                                                    BERTH__LEAF("globalDefault"),
                                                    BERTH__LEAF("description"),
                                                    BERTH__LEAF("preemptionPolicy"),
                                                    BERTH__SHAPE_LAST};

static const berth__shape overhead_shape[] = {BERTH__LEAF("podFixed"), BERTH__SHAPE_LAST};

static const berth__shape runtime_scheduling_shape[] = {
    BERTH__LEAF("nodeSelector"), BERTH__PART("tolerations", toleration_shape), BERTH__SHAPE_LAST};

static const berth__shape runtime_class_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__LEAF("handler"),
    BERTH__PART("overhead", overhead_shape),
    BERTH__PART("scheduling", runtime_scheduling_shape),
    BERTH__SHAPE_LAST};

static const berth__shape limit_shape[] = {BERTH__LEAF("type"),
                                           BERTH__LEAF("max"),
                                           BERTH__LEAF("min"),
                                           BERTH__LEAF("default"),
                                           BERTH__LEAF("defaultRequest"),
                                           BERTH__LEAF("maxLimitRequestRatio"),
                                           BERTH__SHAPE_LAST};

static const berth__shape limit_range_spec_shape[] = {BERTH__PART("limits", limit_shape),
                                                      BERTH__SHAPE_LAST};

static const berth__shape limit_range_shape[] = {BERTH__LEAF("apiVersion"),
                                                 BERTH__LEAF("kind"),
                                                 BERTH__PART("metadata", berth__metadata_shape),
                                                 BERTH__PART("spec", limit_range_spec_shape),
                                                 BERTH__LEAF("status"),
                                                 BERTH__SHAPE_LAST};

static const berth__shape quota_spec_shape[] = {BERTH__LEAF("hard"), BERTH__LEAF("scopes"),
                                                BERTH__LEAF("scopeSelector"), BERTH__SHAPE_LAST};

static const berth__shape quota_shape[] = {BERTH__LEAF("apiVersion"),
                                           BERTH__LEAF("kind"),
                                           BERTH__PART("metadata", berth__metadata_shape),
                                           BERTH__PART("spec", quota_spec_shape),
                                           BERTH__LEAF("status"),
                                           BERTH__SHAPE_LAST};

static const berth__shape csi_limit_shape[] = {BERTH__LEAF("count"), BERTH__SHAPE_LAST};

static const berth__shape csi_node_driver_shape[] = {
    BERTH__LEAF("name"), BERTH__LEAF("nodeID"), BERTH__LEAF("topologyKeys"),
    BERTH__PART("allocatable", csi_limit_shape), BERTH__SHAPE_LAST};

static const berth__shape csi_node_spec_shape[] = {BERTH__PART("drivers", csi_node_driver_shape),
                                                   BERTH__SHAPE_LAST};

static const berth__shape csi_node_shape[] = {
    BERTH__LEAF("apiVersion"), BERTH__LEAF("kind"), BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", csi_node_spec_shape), BERTH__SHAPE_LAST};

static const berth__shape csi_driver_spec_shape[] = {
    BERTH__LEAF("storageCapacity"),
    BERTH__LEAF("attachRequired"),
    BERTH__LEAF("podInfoOnMount"),
    BERTH__LEAF("volumeLifecycleModes"),
    BERTH__LEAF("fsGroupPolicy"),
    BERTH__LEAF("tokenRequests"),
    BERTH__LEAF("requiresRepublish"),
    BERTH__LEAF("seLinuxMount"),
    BERTH__LEAF("nodeAllocatableUpdatePeriodSeconds"),
    BERTH__LEAF("serviceAccountTokenInSecrets"),
    BERTH__LEAF("preventPodSchedulingIfMissing"),
    BERTH__SHAPE_LAST};

static const berth__shape csi_driver_shape[] = {
    BERTH__LEAF("apiVersion"), BERTH__LEAF("kind"), BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", csi_driver_spec_shape), BERTH__SHAPE_LAST};

static const berth__shape csi_storage_capacity_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__LEAF("storageClassName"),
    BERTH__PART("nodeTopology", label_selector_shape),
    BERTH__LEAF("capacity"),
    BERTH__LEAF("maximumVolumeSize"),
    BERTH__SHAPE_LAST};

static const berth__shape attachment_source_shape[] = {
    BERTH__LEAF("persistentVolumeName"), BERTH__LEAF("inlineVolumeSpec"), BERTH__SHAPE_LAST};

static const berth__shape attachment_spec_shape[] = {
    BERTH__LEAF("attacher"), BERTH__LEAF("nodeName"),
    BERTH__PART("source", attachment_source_shape), BERTH__SHAPE_LAST};

static const berth__shape volume_attachment_shape[] = {
    BERTH__LEAF("apiVersion"),
    BERTH__LEAF("kind"),
    BERTH__PART("metadata", berth__metadata_shape),
    BERTH__PART("spec", attachment_spec_shape),
    BERTH__LEAF("status"),
    BERTH__SHAPE_LAST};

#define KIND_(name, api_version, of_devices, shape)                                         \
    {                                                                                       \
        {name, sizeof(name) - 1}, {api_version, sizeof(api_version) - 1}, of_devices, shape \
    }
#define KIND(name, api_version, shape) KIND_(name, api_version, false, shape)
#define DEVICES(name, shape) KIND_(name, "resource.k8s.io/v1", true, shape)

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
    DEVICES("ResourceSlice", berth__resource_slice_shape),
    DEVICES("DeviceClass", berth__device_class_shape),
    DEVICES("DeviceTaintRule", berth__device_taint_rule_shape),
    DEVICES("ResourceClaim", berth__resource_claim_shape),
    DEVICES("ResourceClaimTemplate", berth__resource_claim_template_shape),
    KIND("PodGroup", "scheduling.k8s.io/v1beta1", berth__pod_group_shape),
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
