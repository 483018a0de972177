/* Fields of ResourceSlices, in resource.k8s.io/v1, v1beta2 and v1beta1. In v1beta1 a device's
 * fields are below `basic`. */
#include "objects/fields.h"

/* ---- attributes, capacities, counters ---- */

static const berth__field attribute_fields[] = {
    BERTH__FIELD_SELF_ONLY(DEVICE_ATTRIBUTE),
    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_slice_attribute, text),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field range_fields[] = {
    BERTH__FIELD_HAS("min", QUANTITY, berth_request_policy, min, has_min),
    BERTH__FIELD_HAS("max", QUANTITY, berth_request_policy, max, has_max),
    BERTH__FIELD_HAS("step", QUANTITY, berth_request_policy, step, has_step),
    BERTH__FIELD_LAST,
};

static const berth__field policy_fields[] = {
    BERTH__FIELD_HAS("default", QUANTITY, berth_request_policy, default_amount, has_default),
    BERTH__FIELD_MANY_AS("validValues", QUANTITIES, berth_request_policy, valid_values,
                         valid_value_count, berth_quantity),
    BERTH__FIELD_SAME_HAS("validRange", berth_request_policy, has_range, range_fields),
    BERTH__FIELD_LAST,
};

static const berth__field capacity_fields[] = {
    BERTH__FIELD("value", QUANTITY, berth_slice_capacity, value),
    BERTH__FIELD_TO("requestPolicy", berth_slice_capacity, policy, policy_fields,
                    berth_request_policy),
    BERTH__FIELD_LAST,
};

static const berth__field counter_fields[] = {
    BERTH__FIELD("value", QUANTITY, berth_resource, amount),
    BERTH__FIELD_LAST,
};

static const berth__field shared_counters_fields[] = {
    BERTH__FIELD("name", STR, berth_slice_counters, name),
    BERTH__FIELD_KEYED("counters", berth_slice_counters, counters.items, counters.count,
                       counter_fields, berth_resource),
    BERTH__FIELD_SELF(UNWRITTEN, STRS, berth_slice_counters, compatibility_groups),
    BERTH__FIELD_LAST,
};

static const berth__field consumed_counters_fields[] = {
    BERTH__FIELD("counterSet", STR, berth_slice_counters, name),
    BERTH__FIELD("compatibilityGroups", STRS, berth_slice_counters, compatibility_groups),
    BERTH__FIELD_KEYED("counters", berth_slice_counters, counters.items, counters.count,
                       counter_fields, berth_resource),
    BERTH__FIELD_LAST,
};

/* ---- devices ---- */

#define DEVICE_FIELDS                                                                              \
    BERTH__FIELD_KEYED("attributes", berth_slice_device, attributes, attribute_count,              \
                       attribute_fields, berth_slice_attribute),                                   \
        BERTH__FIELD_KEYED("capacity", berth_slice_device, capacities, capacity_count,             \
                           capacity_fields, berth_slice_capacity),                                 \
        BERTH__FIELD_MANY("consumesCounters", berth_slice_device, consumes_counters,               \
                          consumes_counter_count, consumed_counters_fields, berth_slice_counters), \
        BERTH__FIELD("nodeName", STR, berth_slice_device, node_name),                              \
        BERTH__FIELD_TO("nodeSelector", berth_slice_device, node_selector,                         \
                        berth__fields_node_selector, berth_node_selector),                         \
        BERTH__FIELD("allNodes", BOOL, berth_slice_device, all_nodes),                             \
        BERTH__FIELD_MANY("taints", berth_slice_device, taints, taint_count, berth__fields_taint,  \
                          berth_taint),                                                            \
        BERTH__FIELD("bindsToNode", BOOL, berth_slice_device, binds_to_node),                      \
        BERTH__FIELD("bindingConditions", STRS, berth_slice_device, binding_conditions),           \
        BERTH__FIELD("bindingFailureConditions", STRS, berth_slice_device,                         \
                     binding_failure_conditions),                                                  \
        BERTH__FIELD("allowMultipleAllocations", BOOL, berth_slice_device,                         \
                     allow_multiple_allocations),                                                  \
        BERTH__FIELD_KNOWN("nodeAllocatableResourceMappings")

const berth__field berth__fields_basic_device[] = {DEVICE_FIELDS, BERTH__FIELD_LAST};

static const berth__field device_fields[] = {
    BERTH__FIELD("name", STR, berth_slice_device, name),
    BERTH__FIELD_ONLY("basic", BASIC_DEVICE),
    DEVICE_FIELDS,
    BERTH__FIELD_LAST,
};

/* ---- the slice ---- */

static const berth__field pool_fields[] = {
    BERTH__FIELD("name", STR, berth_resource_slice, pool),
    BERTH__FIELD("generation", INT64, berth_resource_slice, pool_generation),
    BERTH__FIELD("resourceSliceCount", INT64, berth_resource_slice, pool_slice_count),
    BERTH__FIELD_LAST,
};

static const berth__field spec_fields[] = {
    BERTH__FIELD("driver", STR, berth_resource_slice, driver),
    BERTH__FIELD_SAME("pool", pool_fields),
    BERTH__FIELD("nodeName", STR, berth_resource_slice, node_name),
    BERTH__FIELD_TO("nodeSelector", berth_resource_slice, node_selector,
                    berth__fields_node_selector, berth_node_selector),
    BERTH__FIELD("allNodes", BOOL, berth_resource_slice, all_nodes),
    BERTH__FIELD("perDeviceNodeSelection", BOOL, berth_resource_slice, per_device_node_selection),
    BERTH__FIELD_MANY("devices", berth_resource_slice, devices, device_count, device_fields,
                      berth_slice_device),
    BERTH__FIELD_MANY("sharedCounters", berth_resource_slice, shared_counters, shared_counter_count,
                      shared_counters_fields, berth_slice_counters),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_resource_slice[] = {
    BERTH__FIELD_IN("metadata", berth_resource_slice, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};
