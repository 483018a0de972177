/* Fields of PriorityClasses, RuntimeClasses, LimitRanges and ResourceQuotas. */
#include "kube/admission_fields.h"

const berth__field berth__admission_fields_priority_class[] = {
    BERTH__FIELD_IN("metadata", berth__priority_class_object, meta, berth__fields_metadata),
    BERTH__FIELD("value", INT32, berth__priority_class_object, class.value),
    BERTH__FIELD("globalDefault", BOOL, berth__priority_class_object, class.global_default),
    BERTH__FIELD("preemptionPolicy", STR, berth__priority_class_object, class.preemption_policy),
    BERTH__FIELD_KNOWN("description"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- RuntimeClass: what it adds to a pod ---- */

static const berth__field overhead_fields[] = {
    BERTH__FIELD("podFixed", RESOURCES, berth_pod, overhead),
    BERTH__FIELD_LAST,
};

static const berth__field scheduling_fields[] = {
    BERTH__FIELD("nodeSelector", MAP, berth_pod, node_selector),
    BERTH__FIELD_MANY("tolerations", berth_pod, tolerations, toleration_count,
                      berth__fields_toleration, berth_toleration),
    BERTH__FIELD_LAST,
};

const berth__field berth__admission_fields_runtime_class[] = {
    BERTH__FIELD_IN("metadata", berth_pod, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("overhead", overhead_fields),
    BERTH__FIELD_SAME("scheduling", scheduling_fields),
    BERTH__FIELD_KNOWN("handler"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- LimitRange, ResourceQuota ---- */

static const berth__field limit_fields[] = {
    BERTH__FIELD_KNOWN("type"),
    BERTH__FIELD_KNOWN("max"),
    BERTH__FIELD_KNOWN("min"),
    BERTH__FIELD_KNOWN("default"),
    BERTH__FIELD_KNOWN("defaultRequest"),
    BERTH__FIELD_KNOWN("maxLimitRequestRatio"),
    BERTH__FIELD_LAST,
};

static const berth__field limit_range_spec_fields[] = {
    BERTH__FIELD_KNOWN_PARTS("limits", limit_fields),
    BERTH__FIELD_LAST,
};

const berth__field berth__admission_fields_limit_range[] = {
    BERTH__FIELD_KNOWN_PARTS("metadata", berth__fields_metadata),
    BERTH__FIELD_KNOWN_PARTS("spec", limit_range_spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

static const berth__field quota_spec_fields[] = {
    BERTH__FIELD_KNOWN("hard"),
    BERTH__FIELD_KNOWN("scopes"),
    BERTH__FIELD_KNOWN("scopeSelector"),
    BERTH__FIELD_LAST,
};

const berth__field berth__admission_fields_resource_quota[] = {
    BERTH__FIELD_KNOWN_PARTS("metadata", berth__fields_metadata),
    BERTH__FIELD_KNOWN_PARTS("spec", quota_spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};
