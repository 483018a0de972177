/* Fields of a Pod and of a pod's template. */
#include "objects/fields.h"

/* ---- containers ---- */

static const berth__field port_fields[] = {
    BERTH__FIELD("hostIP", STR, berth_port, host_ip),
    BERTH__FIELD("protocol", STR, berth_port, protocol),
    BERTH__FIELD("hostPort", INT32, berth_port, host_port),
    BERTH__FIELD("containerPort", INT32, berth_port, container_port),
    BERTH__FIELD_KNOWN("name"),
    BERTH__FIELD_LAST,
};

static const berth__field device_fields[] = {
    BERTH__FIELD_KNOWN("name"),
    BERTH__FIELD_KNOWN("request"),
    BERTH__FIELD_LAST,
};

static const berth__field container_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_container, requests),
    BERTH__FIELD("limits", RESOURCES, berth_container, limits),
    BERTH__FIELD_KNOWN_PARTS("claims", device_fields),
    BERTH__FIELD_LAST,
};

static const berth__field container_fields[] = {
    BERTH__FIELD("name", STR, berth_container, name),
    BERTH__FIELD("image", STR, berth_container, image),
    BERTH__FIELD_SAME("resources", container_resource_fields),
    BERTH__FIELD_MANY("ports", berth_container, ports, port_count, port_fields, berth_port),
    BERTH__FIELD_AS("restartPolicy", RESTART_POLICY, BOOL, berth_container, restart_always),
    BERTH__FIELD_AS("restartPolicyRules", RESTART_RULES, BOOL, berth_container, restarts_all),
    BERTH__FIELD_KNOWN("command"),
    BERTH__FIELD_KNOWN("args"),
    BERTH__FIELD_KNOWN("env"),
    BERTH__FIELD_KNOWN("envFrom"),
    BERTH__FIELD_KNOWN("workingDir"),
    BERTH__FIELD_KNOWN("resizePolicy"),
    BERTH__FIELD_KNOWN("volumeMounts"),
    BERTH__FIELD_KNOWN("volumeDevices"),
    BERTH__FIELD_KNOWN("livenessProbe"),
    BERTH__FIELD_KNOWN("readinessProbe"),
    BERTH__FIELD_KNOWN("startupProbe"),
    BERTH__FIELD_KNOWN("lifecycle"),
    BERTH__FIELD_KNOWN("terminationMessagePath"),
    BERTH__FIELD_KNOWN("terminationMessagePolicy"),
    BERTH__FIELD_KNOWN("imagePullPolicy"),
    BERTH__FIELD_KNOWN("securityContext"),
    BERTH__FIELD_KNOWN("stdin"),
    BERTH__FIELD_KNOWN("stdinOnce"),
    BERTH__FIELD_KNOWN("tty"),
    BERTH__FIELD_KNOWN("targetContainerName"),
    BERTH__FIELD_LAST,
};

/* ---- affinity ---- */

static const berth__field preferred_node_fields[] = {
    BERTH__FIELD("weight", INT32, berth_preferred_node_term, weight),
    BERTH__FIELD_IN("preference", berth_preferred_node_term, preference, berth__fields_node_term),
    BERTH__FIELD_LAST,
};

static const berth__field node_affinity_fields[] = {
    BERTH__FIELD_TO("requiredDuringSchedulingIgnoredDuringExecution", berth_pod,
                    node_affinity.required, berth__fields_node_selector, berth_node_selector),
    BERTH__FIELD_MANY_OR_NONE("preferredDuringSchedulingIgnoredDuringExecution", berth_pod,
                              node_affinity.preferred, node_affinity.preferred_count,
                              preferred_node_fields, berth_preferred_node_term),
    BERTH__FIELD_LAST,
};

static const berth__field affinity_term_fields[] = {
    BERTH__FIELD_TO("labelSelector", berth_pod_affinity_term, label_selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("namespaces", STRS, berth_pod_affinity_term, namespaces),
    BERTH__FIELD_TO("namespaceSelector", berth_pod_affinity_term, namespace_selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("topologyKey", STR, berth_pod_affinity_term, topology_key),
    /* An API server adds these to the labelSelector: kube/defaulting.c. */
    BERTH__FIELD_KNOWN("matchLabelKeys"),
    BERTH__FIELD_KNOWN("mismatchLabelKeys"),
    BERTH__FIELD_LAST,
};

static const berth__field weighted_term_fields[] = {
    BERTH__FIELD("weight", INT32, berth_pod_affinity_term, weight),
    BERTH__FIELD_SAME("podAffinityTerm", affinity_term_fields),
    BERTH__FIELD_LAST,
};

static const berth__field pod_affinity_fields[] = {
    BERTH__FIELD_MANY("requiredDuringSchedulingIgnoredDuringExecution", berth_pod_affinity,
                      required, required_count, affinity_term_fields, berth_pod_affinity_term),
    BERTH__FIELD_MANY("preferredDuringSchedulingIgnoredDuringExecution", berth_pod_affinity,
                      preferred, preferred_count, weighted_term_fields, berth_pod_affinity_term),
    BERTH__FIELD_LAST,
};

static const berth__field affinity_fields[] = {
    BERTH__FIELD_SAME("nodeAffinity", node_affinity_fields),
    BERTH__FIELD_IN_HAS("podAffinity", berth_pod, pod_affinity, pod_affinity.present,
                        pod_affinity_fields),
    BERTH__FIELD_IN_HAS("podAntiAffinity", berth_pod, pod_anti_affinity, pod_anti_affinity.present,
                        pod_affinity_fields),
    BERTH__FIELD_LAST,
};

/* ---- the rest of the specification ---- */

static const berth__field spread_fields[] = {
    BERTH__FIELD("maxSkew", INT32, berth_topology_spread, max_skew),
    BERTH__FIELD("minDomains", INT32, berth_topology_spread, min_domains),
    BERTH__FIELD("topologyKey", STR, berth_topology_spread, topology_key),
    BERTH__FIELD("whenUnsatisfiable", STR, berth_topology_spread, when_unsatisfiable),
    BERTH__FIELD_TO("labelSelector", berth_topology_spread, label_selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("nodeAffinityPolicy", STR, berth_topology_spread, node_affinity_policy),
    BERTH__FIELD("nodeTaintsPolicy", STR, berth_topology_spread, node_taints_policy),
    BERTH__FIELD("matchLabelKeys", STRS, berth_topology_spread, match_label_keys),
    BERTH__FIELD_LAST,
};

static const berth__field ephemeral_fields[] = {
    BERTH__FIELD_KNOWN_PARTS("volumeClaimTemplate", berth__fields_volume_claim_template),
    BERTH__FIELD_LAST,
};

static const berth__field claim_source_fields[] = {
    BERTH__FIELD_KNOWN("claimName"),
    BERTH__FIELD_KNOWN("readOnly"),
    BERTH__FIELD_LAST,
};

static const berth__field volume_fields[] = {
    BERTH__FIELD("name", STR, berth_volume, name),
    BERTH__FIELD_SELF_IN(POD_VOLUME, berth_volume, source, berth__fields_volume_source),
    BERTH__FIELD_KNOWN_PARTS("persistentVolumeClaim", claim_source_fields),
    BERTH__FIELD_KNOWN_PARTS("ephemeral", ephemeral_fields),
    BERTH__FIELD_KNOWN("emptyDir"),
    BERTH__FIELD_KNOWN("configMap"),
    BERTH__FIELD_KNOWN("secret"),
    BERTH__FIELD_KNOWN("hostPath"),
    BERTH__FIELD_KNOWN("projected"),
    BERTH__FIELD_KNOWN("csi"),
    BERTH__FIELD_KNOWN("nfs"),
    BERTH__FIELD_KNOWN("downwardAPI"),
    BERTH__FIELD_KNOWN("image"),
    BERTH__FIELD_KNOWN("gcePersistentDisk"),
    BERTH__FIELD_KNOWN("awsElasticBlockStore"),
    BERTH__FIELD_KNOWN("gitRepo"),
    BERTH__FIELD_KNOWN("iscsi"),
    BERTH__FIELD_KNOWN("glusterfs"),
    BERTH__FIELD_KNOWN("rbd"),
    BERTH__FIELD_KNOWN("flexVolume"),
    BERTH__FIELD_KNOWN("cinder"),
    BERTH__FIELD_KNOWN("cephfs"),
    BERTH__FIELD_KNOWN("flocker"),
    BERTH__FIELD_KNOWN("fc"),
    BERTH__FIELD_KNOWN("azureFile"),
    BERTH__FIELD_KNOWN("vsphereVolume"),
    BERTH__FIELD_KNOWN("quobyte"),
    BERTH__FIELD_KNOWN("azureDisk"),
    BERTH__FIELD_KNOWN("photonPersistentDisk"),
    BERTH__FIELD_KNOWN("portworxVolume"),
    BERTH__FIELD_KNOWN("scaleIO"),
    BERTH__FIELD_KNOWN("storageos"),
    BERTH__FIELD_LAST,
};

static const berth__field gate_fields[] = {
    BERTH__FIELD_KNOWN("name"),
    BERTH__FIELD_LAST,
};

static const berth__field pod_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_pod, pod_requests),
    BERTH__FIELD("limits", RESOURCES, berth_pod, pod_limits),
    BERTH__FIELD_KNOWN_PARTS("claims", device_fields),
    BERTH__FIELD_LAST,
};

static const berth__field pod_claim_fields[] = {
    BERTH__FIELD("name", STR, berth_pod_claim, name),
    BERTH__FIELD("resourceClaimName", STR, berth_pod_claim, claim),
    BERTH__FIELD("resourceClaimTemplateName", STR, berth_pod_claim, claim_template),
    BERTH__FIELD_KNOWN("source"),
    BERTH__FIELD_LAST,
};

static const berth__field scheduling_group_fields[] = {
    BERTH__FIELD("podGroupName", STR, berth_pod, pod_group),
    BERTH__FIELD_LAST,
};

static const berth__field spec_fields[] = {
    BERTH__FIELD("nodeName", STR, berth_pod, node_name),
    BERTH__FIELD("schedulerName", STR, berth_pod, scheduler_name),
    BERTH__FIELD_HAS("priority", INT32, berth_pod, priority, has_priority),
    BERTH__FIELD("preemptionPolicy", STR, berth_pod, preemption_policy),
    BERTH__FIELD_MANY("containers", berth_pod, containers, container_count, container_fields,
                      berth_container),
    BERTH__FIELD_MANY("initContainers", berth_pod, init_containers, init_container_count,
                      container_fields, berth_container),
    BERTH__FIELD("overhead", RESOURCES, berth_pod, overhead),
    BERTH__FIELD("nodeSelector", MAP, berth_pod, node_selector),
    BERTH__FIELD_SAME("affinity", affinity_fields),
    BERTH__FIELD_MANY("tolerations", berth_pod, tolerations, toleration_count,
                      berth__fields_toleration, berth_toleration),
    BERTH__FIELD_MANY("topologySpreadConstraints", berth_pod, spreads, spread_count, spread_fields,
                      berth_topology_spread),
    BERTH__FIELD_MANY("volumes", berth_pod, volumes, volume_count, volume_fields, berth_volume),
    BERTH__FIELD_STRS_AS("schedulingGates", NAMES, berth_pod, scheduling_gates, gate_fields),
    BERTH__FIELD_SAME("resources", pod_resource_fields),
    BERTH__FIELD("hostNetwork", BOOL, berth_pod, host_network),
    BERTH__FIELD_AS("hostUsers", HOST_USERS, BOOL, berth_pod, host_users_off),
    BERTH__FIELD_MANY("resourceClaims", berth_pod, resource_claims, resource_claim_count,
                      pod_claim_fields, berth_pod_claim),
    BERTH__FIELD_SAME("schedulingGroup", scheduling_group_fields),
    BERTH__FIELD_KNOWN("priorityClassName"),
    BERTH__FIELD_KNOWN_PARTS("ephemeralContainers", container_fields),
    BERTH__FIELD_KNOWN("restartPolicy"),
    BERTH__FIELD_KNOWN("terminationGracePeriodSeconds"),
    BERTH__FIELD_KNOWN("activeDeadlineSeconds"),
    BERTH__FIELD_KNOWN("dnsPolicy"),
    BERTH__FIELD_KNOWN("serviceAccountName"),
    BERTH__FIELD_KNOWN("serviceAccount"),
    BERTH__FIELD_KNOWN("automountServiceAccountToken"),
    BERTH__FIELD_KNOWN("hostPID"),
    BERTH__FIELD_KNOWN("hostIPC"),
    BERTH__FIELD_KNOWN("shareProcessNamespace"),
    BERTH__FIELD_KNOWN("securityContext"),
    BERTH__FIELD_KNOWN("imagePullSecrets"),
    BERTH__FIELD_KNOWN("hostname"),
    BERTH__FIELD_KNOWN("subdomain"),
    BERTH__FIELD_KNOWN("hostAliases"),
    BERTH__FIELD_KNOWN("dnsConfig"),
    BERTH__FIELD_KNOWN("readinessGates"),
    BERTH__FIELD_KNOWN("runtimeClassName"),
    BERTH__FIELD_KNOWN("enableServiceLinks"),
    BERTH__FIELD_KNOWN("setHostnameAsFQDN"),
    BERTH__FIELD_KNOWN("hostnameOverride"),
    BERTH__FIELD_KNOWN("os"),
    BERTH__FIELD_KNOWN("workloadRef"),
    BERTH__FIELD_LAST,
};

/* ---- status ---- */

static const berth__field container_status_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_container_status, requests),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field container_status_fields[] = {
    BERTH__FIELD("name", STR, berth_container_status, name),
    BERTH__FIELD_SAME_HAS("resources", berth_container_status, has_resources,
                          container_status_resource_fields),
    BERTH__FIELD("allocatedResources", RESOURCES, berth_container_status, allocated),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field pod_status_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_pod, status_requests),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field status_fields[] = {
    BERTH__FIELD("phase", STR, berth_pod, phase),
    BERTH__FIELD("nominatedNodeName", STR, berth_pod, nominated_node_name),
    BERTH__FIELD("startTime", TIME, berth_pod, start_time_ns),
    BERTH__FIELD_MANY("conditions", berth_pod, conditions, condition_count, berth__fields_condition,
                      berth_condition),
    BERTH__FIELD_MANY("resourceClaimStatuses", berth_pod, resource_claim_statuses,
                      resource_claim_status_count, pod_claim_fields, berth_pod_claim),
    BERTH__FIELD_MANY("containerStatuses", berth_pod, container_statuses, container_status_count,
                      container_status_fields, berth_container_status),
    BERTH__FIELD_MANY("initContainerStatuses", berth_pod, init_container_statuses,
                      init_container_status_count, container_status_fields, berth_container_status),
    BERTH__FIELD_SAME_HAS("resources", berth_pod, has_status_resources, pod_status_resource_fields),
    BERTH__FIELD("allocatedResources", RESOURCES, berth_pod, status_allocated),
    BERTH__FIELD_AND_OTHERS,
};

const berth__field berth__fields_pod[] = {
    BERTH__FIELD_IN("metadata", berth_pod, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_SAME("status", status_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

const berth__field berth__fields_pod_template[] = {
    BERTH__FIELD_IN("metadata", berth_pod, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_LAST,
};
