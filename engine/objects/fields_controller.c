/* Fields of Namespaces, Services, controllers and PodDisruptionBudgets. */
#include "objects/fields.h"

/* ---- Namespace, Service ---- */

static const berth__field namespace_spec_fields[] = {
    BERTH__FIELD_KNOWN("finalizers"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_namespace[] = {
    BERTH__FIELD_IN("metadata", berth_namespace, meta, berth__fields_metadata),
    BERTH__FIELD_KNOWN_PARTS("spec", namespace_spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

static const berth__field service_spec_fields[] = {
    BERTH__FIELD_HAS("selector", MAP, berth_service, selector, has_selector),
    BERTH__FIELD_KNOWN("ports"),
    BERTH__FIELD_KNOWN("type"),
    BERTH__FIELD_KNOWN("clusterIP"),
    BERTH__FIELD_KNOWN("clusterIPs"),
    BERTH__FIELD_KNOWN("externalIPs"),
    BERTH__FIELD_KNOWN("sessionAffinity"),
    BERTH__FIELD_KNOWN("loadBalancerIP"),
    BERTH__FIELD_KNOWN("loadBalancerSourceRanges"),
    BERTH__FIELD_KNOWN("externalName"),
    BERTH__FIELD_KNOWN("externalTrafficPolicy"),
    BERTH__FIELD_KNOWN("healthCheckNodePort"),
    BERTH__FIELD_KNOWN("publishNotReadyAddresses"),
    BERTH__FIELD_KNOWN("sessionAffinityConfig"),
    BERTH__FIELD_KNOWN("ipFamilies"),
    BERTH__FIELD_KNOWN("ipFamilyPolicy"),
    BERTH__FIELD_KNOWN("loadBalancerClass"),
    BERTH__FIELD_KNOWN("internalTrafficPolicy"),
    BERTH__FIELD_KNOWN("allocateLoadBalancerNodePorts"),
    BERTH__FIELD_KNOWN("trafficDistribution"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_service[] = {
    BERTH__FIELD_IN("metadata", berth_service, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", service_spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- controllers ---- */

static const berth__field controller_spec_fields[] = {
    BERTH__FIELD_ONLY("replicas", NO_REPLICAS),
    BERTH__FIELD_TO("selector", berth_controller, selector, berth__fields_label_selector,
                    berth_label_selector),
    BERTH__FIELD_AND_OTHERS,
};

const berth__field berth__fields_controller[] = {
    BERTH__FIELD_IN("metadata", berth_controller, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", controller_spec_fields),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field replication_spec_fields[] = {
    BERTH__FIELD_ONLY("replicas", NO_REPLICAS),
    BERTH__FIELD_TO_AS("selector", MAP_SELECTOR, berth_controller, selector,
                       berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD_AND_OTHERS,
};

const berth__field berth__fields_replication_controller[] = {
    BERTH__FIELD_IN("metadata", berth_controller, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", replication_spec_fields),
    BERTH__FIELD_AND_OTHERS,
};

/* ---- PodDisruptionBudget ---- */

static const berth__field budget_spec_fields[] = {
    BERTH__FIELD("minAvailable", COUNT, berth_pod_disruption_budget, min_available),
    BERTH__FIELD("maxUnavailable", COUNT, berth_pod_disruption_budget, max_unavailable),
    BERTH__FIELD_TO("selector", berth_pod_disruption_budget, selector, berth__fields_label_selector,
                    berth_label_selector),
    BERTH__FIELD_KNOWN("unhealthyPodEvictionPolicy"),
    BERTH__FIELD_LAST,
};

static const berth__field budget_status_fields[] = {
    BERTH__FIELD_AS("disruptionsAllowed", ALLOWED, INT32, berth_pod_disruption_budget,
                    disruptions_allowed),
    BERTH__FIELD("disruptedPods", KEYS, berth_pod_disruption_budget, disrupted_pods),
    BERTH__FIELD_KNOWN("currentHealthy"),
    BERTH__FIELD_KNOWN("desiredHealthy"),
    BERTH__FIELD_KNOWN("expectedPods"),
    BERTH__FIELD_KNOWN("observedGeneration"),
    BERTH__FIELD_KNOWN("conditions"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_pod_disruption_budget[] = {
    BERTH__FIELD_SELF(STATUS_ABSENT, BOOL, berth_pod_disruption_budget, status_absent),
    BERTH__FIELD_IN("metadata", berth_pod_disruption_budget, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", budget_spec_fields),
    BERTH__FIELD_SAME("status", budget_status_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};
