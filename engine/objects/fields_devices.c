/* Fields of DeviceClasses, DeviceTaintRules and ResourceClaims, in resource.k8s.io/v1, v1beta2 and
 * v1beta1. In v1beta1 the fields of `exactly` are in the request itself. */
#include "objects/fields.h"

/* ---- parts of several kinds ---- */

static const berth__field cel_fields[] = {
    BERTH__FIELD("expression", STR, berth_cel_selector, expression),
    BERTH__FIELD_LAST,
};

static const berth__field selector_fields[] = {
    BERTH__FIELD_SAME_HAS("cel", berth_cel_selector, has_cel, cel_fields),
    BERTH__FIELD_LAST,
};

static const berth__field opaque_fields[] = {
    BERTH__FIELD("driver", STR, berth_claim_config, driver),
    BERTH__FIELD_AS("parameters", JSON, STR, berth_claim_config, parameters),
    BERTH__FIELD_LAST,
};

static const berth__field config_fields[] = {
    BERTH__FIELD("source", STR, berth_claim_config, source),
    BERTH__FIELD("requests", STRS, berth_claim_config, requests),
    BERTH__FIELD_SAME_HAS("opaque", berth_claim_config, has_opaque, opaque_fields),
    BERTH__FIELD_LAST,
};

/* ---- DeviceClass ---- */

static const berth__field class_spec_fields[] = {
    BERTH__FIELD_MANY("selectors", berth_device_class, selectors, selector_count, selector_fields,
                      berth_cel_selector),
    BERTH__FIELD_MANY("config", berth_device_class, configs, config_count, config_fields,
                      berth_claim_config),
    BERTH__FIELD("extendedResourceName", STR, berth_device_class, extended_resource),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_device_class[] = {
    BERTH__FIELD_IN("metadata", berth_device_class, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", class_spec_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- DeviceTaintRule ---- */

static const berth__field rule_selector_fields[] = {
    BERTH__FIELD("driver", STR, berth_device_taint_rule, driver),
    BERTH__FIELD("pool", STR, berth_device_taint_rule, pool),
    BERTH__FIELD("device", STR, berth_device_taint_rule, device),
    BERTH__FIELD_LAST,
};

static const berth__field rule_spec_fields[] = {
    BERTH__FIELD_SAME_HAS("deviceSelector", berth_device_taint_rule, has_selector,
                          rule_selector_fields),
    BERTH__FIELD_IN("taint", berth_device_taint_rule, taint, berth__fields_taint),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_device_taint_rule[] = {
    BERTH__FIELD_IN("metadata", berth_device_taint_rule, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", rule_spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- ResourceClaim: requests ---- */

static const berth__field amounts_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_exact_request, capacity),
    BERTH__FIELD_LAST,
};

/* The fields that a request of v1beta1 has itself, and that are below `exactly` in later versions;
 * alternatives have them, too. */
#define CLASS_NAME_FIELD BERTH__FIELD("deviceClassName", STR, berth_exact_request, class_name)
#define SELECTORS_FIELD                                                            \
    BERTH__FIELD_MANY("selectors", berth_exact_request, selectors, selector_count, \
                      selector_fields, berth_cel_selector)
#define MODE_FIELD BERTH__FIELD("allocationMode", STR, berth_exact_request, allocation_mode)
#define COUNT_FIELD BERTH__FIELD("count", INT64, berth_exact_request, count)
#define ADMIN_FIELD \
    BERTH__FIELD_HAS("adminAccess", BOOL, berth_exact_request, admin_access, has_admin_access)
#define TOLERATIONS_FIELD                                                                \
    BERTH__FIELD_MANY("tolerations", berth_exact_request, tolerations, toleration_count, \
                      berth__fields_toleration, berth_toleration)
#define CAPACITY_FIELD BERTH__FIELD_SAME("capacity", amounts_fields)

static const berth__field exact_fields[] = {
    CLASS_NAME_FIELD,  SELECTORS_FIELD,
    MODE_FIELD,        COUNT_FIELD,
    ADMIN_FIELD,       TOLERATIONS_FIELD,
    CAPACITY_FIELD,    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_exact_request, name),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_flat_request[] = {
    CLASS_NAME_FIELD, SELECTORS_FIELD,   MODE_FIELD,     COUNT_FIELD,
    ADMIN_FIELD,      TOLERATIONS_FIELD, CAPACITY_FIELD, BERTH__FIELD_AND_OTHERS,
};

static const berth__field alternative_fields[] = {
    BERTH__FIELD("name", STR, berth_exact_request, name),
    CLASS_NAME_FIELD,
    SELECTORS_FIELD,
    MODE_FIELD,
    COUNT_FIELD,
    TOLERATIONS_FIELD,
    CAPACITY_FIELD,
    BERTH__FIELD_LAST,
};

static const berth__field request_fields[] = {
    BERTH__FIELD("name", STR, berth_claim_request, name),
    BERTH__FIELD_TO("exactly", berth_claim_request, exactly, exact_fields, berth_exact_request),
    BERTH__FIELD_SELF_ONLY(FLAT_REQUEST),
    BERTH__FIELD_MANY("firstAvailable", berth_claim_request, first_available, first_available_count,
                      alternative_fields, berth_exact_request),
    BERTH__FIELD_KNOWN("deviceClassName"),
    BERTH__FIELD_KNOWN_PARTS("selectors", selector_fields),
    BERTH__FIELD_KNOWN("allocationMode"),
    BERTH__FIELD_KNOWN("count"),
    BERTH__FIELD_KNOWN("adminAccess"),
    BERTH__FIELD_KNOWN_PARTS("tolerations", berth__fields_toleration),
    BERTH__FIELD_KNOWN_PARTS("capacity", amounts_fields),
    BERTH__FIELD_LAST,
};

static const berth__field constraint_fields[] = {
    BERTH__FIELD("requests", STRS, berth_claim_constraint, requests),
    BERTH__FIELD("matchAttribute", STR, berth_claim_constraint, match_attribute),
    BERTH__FIELD("distinctAttribute", STR, berth_claim_constraint, distinct_attribute),
    BERTH__FIELD_LAST,
};

static const berth__field asked_fields[] = {
    BERTH__FIELD_MANY("requests", berth_resource_claim, requests, request_count, request_fields,
                      berth_claim_request),
    BERTH__FIELD_MANY("constraints", berth_resource_claim, constraints, constraint_count,
                      constraint_fields, berth_claim_constraint),
    BERTH__FIELD_MANY("config", berth_resource_claim, configs, config_count, config_fields,
                      berth_claim_config),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_claim_spec[] = {
    BERTH__FIELD_SAME("devices", asked_fields),
    BERTH__FIELD_LAST,
};

/* ---- ResourceClaim: allocations ---- */

static const berth__field result_fields[] = {
    BERTH__FIELD("request", STR, berth_allocated_device, request),
    BERTH__FIELD("driver", STR, berth_allocated_device, driver),
    BERTH__FIELD("pool", STR, berth_allocated_device, pool),
    BERTH__FIELD("device", STR, berth_allocated_device, device),
    BERTH__FIELD_HAS("adminAccess", BOOL, berth_allocated_device, admin_access, has_admin_access),
    BERTH__FIELD_MANY("tolerations", berth_allocated_device, tolerations, toleration_count,
                      berth__fields_toleration, berth_toleration),
    BERTH__FIELD("bindingConditions", STRS, berth_allocated_device, binding_conditions),
    BERTH__FIELD("bindingFailureConditions", STRS, berth_allocated_device,
                 binding_failure_conditions),
    BERTH__FIELD("shareID", STR, berth_allocated_device, share_id),
    BERTH__FIELD("consumedCapacity", RESOURCES, berth_allocated_device, consumed_capacity),
    BERTH__FIELD_LAST,
};

static const berth__field given_fields[] = {
    BERTH__FIELD_MANY("results", berth_claim_allocation, results, result_count, result_fields,
                      berth_allocated_device),
    BERTH__FIELD_MANY("config", berth_claim_allocation, configs, config_count, config_fields,
                      berth_claim_config),
    BERTH__FIELD_LAST,
};

static const berth__field allocation_fields[] = {
    BERTH__FIELD_SAME("devices", given_fields),
    BERTH__FIELD_TO("nodeSelector", berth_claim_allocation, node_selector,
                    berth__fields_node_selector, berth_node_selector),
    BERTH__FIELD("allocationTimestamp", TIME, berth_claim_allocation, allocation_time_ns),
    BERTH__FIELD_LAST,
};

static const berth__field consumer_fields[] = {
    BERTH__FIELD("apiGroup", STR, berth_claim_consumer, api_group),
    BERTH__FIELD("resource", STR, berth_claim_consumer, resource),
    BERTH__FIELD("name", STR, berth_claim_consumer, name),
    BERTH__FIELD("uid", STR, berth_claim_consumer, uid),
    BERTH__FIELD_LAST,
};

static const berth__field device_status_fields[] = {
    BERTH__FIELD("driver", STR, berth_allocated_status, driver),
    BERTH__FIELD("pool", STR, berth_allocated_status, pool),
    BERTH__FIELD("device", STR, berth_allocated_status, device),
    BERTH__FIELD("shareID", STR, berth_allocated_status, share_id),
    BERTH__FIELD_MANY("conditions", berth_allocated_status, conditions, condition_count,
                      berth__fields_condition, berth_condition),
    BERTH__FIELD_KNOWN("data"),
    BERTH__FIELD_KNOWN("networkData"),
    BERTH__FIELD_LAST,
};

static const berth__field claim_status_fields[] = {
    BERTH__FIELD_TO("allocation", berth_resource_claim, allocation, allocation_fields,
                    berth_claim_allocation),
    BERTH__FIELD_MANY("reservedFor", berth_resource_claim, reserved_for, reserved_for_count,
                      consumer_fields, berth_claim_consumer),
    BERTH__FIELD_MANY("devices", berth_resource_claim, devices, device_count, device_status_fields,
                      berth_allocated_status),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_resource_claim[] = {
    BERTH__FIELD_IN("metadata", berth_resource_claim, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", berth__fields_claim_spec),
    BERTH__FIELD_SAME("status", claim_status_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};
