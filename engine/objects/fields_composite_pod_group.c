/* Fields of a CompositePodGroup (scheduling.k8s.io). */
#include "objects/fields.h"

static const berth__field gang_fields[] = {
    BERTH__FIELD("minGroupCount", INT32, berth_composite_pod_group, min_group_count),
    BERTH__FIELD_LAST,
};

static const berth__field policy_fields[] = {
    BERTH__FIELD_ONLY("basic", BASIC_COMPOSITE_POLICY),
    BERTH__FIELD_SAME_HAS("gang", berth_composite_pod_group, gang, gang_fields),
    BERTH__FIELD_LAST,
};

static const berth__field topology_fields[] = {
    BERTH__FIELD_KNOWN("key"),
    BERTH__FIELD_LAST,
};

static const berth__field constraints_fields[] = {
    BERTH__FIELD_STRS_AS("topology", TOPOLOGY_KEYS, berth_composite_pod_group, topology_keys,
                         topology_fields),
    BERTH__FIELD_LAST,
};

static const berth__field disruption_fields[] = {
    BERTH__FIELD_AS("all", EMPTY_OBJECT, BOOL, berth_composite_pod_group, disrupts_all),
    BERTH__FIELD_KNOWN("single"),
    BERTH__FIELD_LAST,
};

static const berth__field spec_fields[] = {
    BERTH__FIELD("parentCompositePodGroupName", STR, berth_composite_pod_group, parent),
    BERTH__FIELD_SAME("schedulingPolicy", policy_fields),
    BERTH__FIELD_SAME("schedulingConstraints", constraints_fields),
    BERTH__FIELD_SAME("disruptionMode", disruption_fields),
    BERTH__FIELD("priorityClassName", STR, berth_composite_pod_group, priority_class),
    BERTH__FIELD_HAS("priority", INT32, berth_composite_pod_group, priority, has_priority),
    BERTH__FIELD("preemptionPolicy", STR, berth_composite_pod_group, preemption_policy),
    BERTH__FIELD_KNOWN("workloadRef"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_composite_pod_group[] = {
    BERTH__FIELD_IN("metadata", berth_composite_pod_group, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};
