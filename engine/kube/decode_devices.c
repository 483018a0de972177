/* Tables of the fields of ResourceSlices, DeviceClasses and ResourceClaims, in resource.k8s.io/v1,
 * v1beta2 and v1beta1. In v1beta1 a device's fields are below `basic`, and the fields of `exactly`
 * are in the request itself. Encoding writes v1. */
#include "kube/decode_tables.h"

#include "base/text.h"
#include "berth/kube.h"
#include "kube/encode.h"

/* ---- JSON that is passed through ---- */

enum { DEPTH_MAX = 1024 }; /* like any other input */

/* Decode a value as text, into a berth_str. */
static berth_status decode_json(berth__decoder *decoder, const berth__field_path *path,
                                const berth__json *value, void *out)
{
    (void)path;
    berth__encoder encoder;
    berth__encoder_init(&encoder, berth__allocator_default());
    berth__encode_tree(&encoder, value, DEPTH_MAX);
    bool ok = encoder.ok;
    if (ok)
        *(berth_str *)out = berth__arena_str(
            decoder->arena, (berth_str){encoder.bytes, (uint32_t)encoder.count}, &ok);
    berth__encoder_destroy(&encoder);
    return ok ? BERTH_OK : berth__decode_no_memory(decoder);
}

static void encode_json(berth__encoder *encoder, const void *from)
{
    berth__encode_raw(encoder, *(const berth_str *)from);
}

/* Older versions have a field elsewhere; it is not written there. */
static void encode_nothing(berth__encoder *encoder, const void *from)
{
    (void)encoder;
    (void)from;
}

/* ---- parts of several kinds ---- */

static const berth__field cel_fields[] = {
    BERTH__FIELD("expression", STR, berth_cel_selector, expression),
    BERTH__FIELD_LAST,
};

static const berth__field selector_fields[] = {
    BERTH__FIELD("cel", PRESENT, berth_cel_selector, has_cel),
    BERTH__FIELD_SAME("cel", cel_fields),
    BERTH__FIELD_LAST,
};

static const berth__field opaque_fields[] = {
    BERTH__FIELD("driver", STR, berth_claim_config, driver),
    BERTH__FIELD_BY("parameters", berth_claim_config, parameters, decode_json, encode_json),
    BERTH__FIELD_LAST,
};

static const berth__field config_fields[] = {
    BERTH__FIELD("source", STR, berth_claim_config, source),
    BERTH__FIELD("requests", STRS, berth_claim_config, requests),
    BERTH__FIELD("opaque", PRESENT, berth_claim_config, has_opaque),
    BERTH__FIELD_SAME("opaque", opaque_fields),
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
    BERTH__FIELD_LAST,
};

/* ---- DeviceTaintRule ---- */

static const berth__field rule_selector_fields[] = {
    BERTH__FIELD("driver", STR, berth_device_taint_rule, driver),
    BERTH__FIELD("pool", STR, berth_device_taint_rule, pool),
    BERTH__FIELD("device", STR, berth_device_taint_rule, device),
    BERTH__FIELD_LAST,
};

static const berth__field rule_spec_fields[] = {
    BERTH__FIELD("deviceSelector", PRESENT, berth_device_taint_rule, has_selector),
    BERTH__FIELD_SAME("deviceSelector", rule_selector_fields),
    BERTH__FIELD_IN("taint", berth_device_taint_rule, taint, berth__fields_taint),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_device_taint_rule[] = {
    BERTH__FIELD_IN("metadata", berth_device_taint_rule, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", rule_spec_fields),
    BERTH__FIELD_LAST,
};

/* ---- ResourceClaim: requests ---- */

static const berth__field amounts_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_exact_request, capacity),
    BERTH__FIELD_LAST,
};

static const berth__field exact_fields[] = {
    BERTH__FIELD("deviceClassName", STR, berth_exact_request, class_name),
    BERTH__FIELD_MANY("selectors", berth_exact_request, selectors, selector_count, selector_fields,
                      berth_cel_selector),
    BERTH__FIELD("allocationMode", STR, berth_exact_request, allocation_mode),
    BERTH__FIELD("count", INT64, berth_exact_request, count),
    BERTH__FIELD("adminAccess", PRESENT, berth_exact_request, has_admin_access),
    BERTH__FIELD("adminAccess", BOOL, berth_exact_request, admin_access),
    BERTH__FIELD_MANY("tolerations", berth_exact_request, tolerations, toleration_count,
                      berth__fields_toleration, berth_toleration),
    BERTH__FIELD_SAME("capacity", amounts_fields),
    BERTH__FIELD_LAST,
};

static const berth__field alternative_fields[] = {
    BERTH__FIELD("name", STR, berth_exact_request, name),
    BERTH__FIELD("deviceClassName", STR, berth_exact_request, class_name),
    BERTH__FIELD_MANY("selectors", berth_exact_request, selectors, selector_count, selector_fields,
                      berth_cel_selector),
    BERTH__FIELD("allocationMode", STR, berth_exact_request, allocation_mode),
    BERTH__FIELD("count", INT64, berth_exact_request, count),
    BERTH__FIELD_MANY("tolerations", berth_exact_request, tolerations, toleration_count,
                      berth__fields_toleration, berth_toleration),
    BERTH__FIELD_SAME("capacity", amounts_fields),
    BERTH__FIELD_LAST,
};

/* v1beta1: a request that has the fields of `exactly` itself.
 * Source: api v0.36, resource/v1beta1/conversion.go, hasAnyMainRequestFieldsSet. */
static berth_status decode_flat_request(berth__decoder *decoder, const berth__field_path *path,
                                        const berth__json *value, void *out)
{
    static const char *const keys[] = {"deviceClassName", "selectors",   "allocationMode", "count",
                                       "adminAccess",     "tolerations", "capacity"};
    const berth_exact_request **exactly = out;
    bool flat = false;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        const berth__json *found = berth__json_get(value, keys[i]);
        flat |= found != NULL && found->type != BERTH__JSON_NULL;
    }
    if (!flat || *exactly != NULL)
        return BERTH_OK;
    berth_exact_request *made =
        berth__arena_alloc_zero(decoder->arena, sizeof(*made), _Alignof(berth_exact_request));
    if (made == NULL)
        return berth__decode_no_memory(decoder);
    *exactly = made;
    return berth__decode_fields(decoder, path, value, exact_fields, made);
}

static const berth__field request_fields[] = {
    BERTH__FIELD("name", STR, berth_claim_request, name),
    BERTH__FIELD_TO("exactly", berth_claim_request, exactly, exact_fields, berth_exact_request),
    BERTH__FIELD_SELF(berth_claim_request, exactly, decode_flat_request, NULL),
    BERTH__FIELD_MANY("firstAvailable", berth_claim_request, first_available, first_available_count,
                      alternative_fields, berth_exact_request),
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
    BERTH__FIELD("adminAccess", PRESENT, berth_allocated_device, has_admin_access),
    BERTH__FIELD("adminAccess", BOOL, berth_allocated_device, admin_access),
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
    BERTH__FIELD_LAST,
};

/* ---- ResourceSlice: attributes, capacities, counters ---- */

typedef struct attribute_key {
    const char *key;
    berth_attribute_kind kind;
} attribute_key;

static const attribute_key attribute_keys[] = {
    {"int", BERTH_ATTRIBUTE_INT},       {"bool", BERTH_ATTRIBUTE_BOOL},
    {"string", BERTH_ATTRIBUTE_STRING}, {"version", BERTH_ATTRIBUTE_VERSION},
    {"ints", BERTH_ATTRIBUTE_LIST},     {"bools", BERTH_ATTRIBUTE_LIST},
    {"strings", BERTH_ATTRIBUTE_LIST},  {"versions", BERTH_ATTRIBUTE_LIST},
};
enum { ATTRIBUTE_KEYS = sizeof(attribute_keys) / sizeof(*attribute_keys) };

static berth_status decode_attribute_value(berth__decoder *decoder, const berth__field_path *path,
                                           const berth__json *value, berth_slice_attribute *out)
{
    static const berth__field number = BERTH__FIELD("", INT64, berth_slice_attribute, number);
    static const berth__field text = BERTH__FIELD("", STR, berth_slice_attribute, text);
    if (out->kind == BERTH_ATTRIBUTE_INT)
        return berth__decode_value(decoder, path, value, &number, out);
    if (out->kind != BERTH_ATTRIBUTE_BOOL)
        return berth__decode_value(decoder, path, value, &text, out);
    if (value->type != BERTH__JSON_BOOL)
        return berth__decode_fault(decoder, path, BERTH_E_INVALID, "expected a boolean");
    out->number = value->count != 0;
    return BERTH_OK;
}

/* Decode the first known field that is set. */
static berth_status decode_attribute(berth__decoder *decoder, const berth__field_path *path,
                                     const berth__json *value, void *out)
{
    berth_slice_attribute *attribute = out;
    for (int i = 0; i < ATTRIBUTE_KEYS; i++) {
        const berth__json *found = berth__json_get(value, attribute_keys[i].key);
        if (found == NULL || found->type == BERTH__JSON_NULL)
            continue;
        berth__field_path at = {.up = path, .key = berth__text_of(attribute_keys[i].key)};
        attribute->kind = attribute_keys[i].kind;
        return attribute->kind == BERTH_ATTRIBUTE_LIST
                   ? decode_json(decoder, path, value, &attribute->text)
                   : decode_attribute_value(decoder, &at, found, attribute);
    }
    return BERTH_OK;
}

/* For a list, the text is the whole object; write the members inside its brackets. */
static void encode_attribute(berth__encoder *encoder, const void *from)
{
    static const berth__field number[] = {BERTH__FIELD("int", INT64, berth_slice_attribute, number),
                                          BERTH__FIELD_LAST};
    const berth_slice_attribute *attribute = from;
    if (attribute->kind == BERTH_ATTRIBUTE_NONE)
        return;
    if (attribute->kind == BERTH_ATTRIBUTE_LIST) {
        berth_str text = attribute->text;
        if (text.len > 2)
            berth__encode_raw(encoder, (berth_str){text.data + 1, text.len - 2});
        return;
    }
    for (int i = 0; i < ATTRIBUTE_KEYS; i++)
        if (attribute_keys[i].kind == attribute->kind)
            berth__encode_key(encoder, berth__text_of(attribute_keys[i].key));
    if (attribute->kind == BERTH_ATTRIBUTE_INT)
        berth__encode_value(encoder, number, attribute);
    else if (attribute->kind == BERTH_ATTRIBUTE_BOOL)
        berth__encode_raw(encoder, attribute->number != 0 ? BERTH_STR("true") : BERTH_STR("false"));
    else
        berth__encode_str(encoder, attribute->text);
}

static const berth__field attribute_fields[] = {
    BERTH__FIELD_SELF(berth_slice_attribute, name, decode_attribute, encode_attribute),
    BERTH__FIELD_LAST,
};

static const berth__field one_value_field = BERTH__FIELD("", QUANTITY, berth_request_policy, min);

/* Decode a list of amounts into valid_values and their count. */
static berth_status decode_values(berth__decoder *decoder, const berth__field_path *path,
                                  const berth__json *value, void *out)
{
    berth_request_policy *policy = out, one = {0};
    if (value->type != BERTH__JSON_ARRAY)
        return berth__decode_fault(decoder, path, BERTH_E_INVALID, "expected a list");
    berth_quantity *values = berth__arena_alloc_zero(
        decoder->arena, value->count * sizeof(*values) + 1, _Alignof(berth_quantity));
    if (values == NULL)
        return berth__decode_no_memory(decoder);
    for (uint32_t i = 0; i < value->count; i++) {
        berth__field_path at = {.up = path, .index = i};
        BERTH_TRY(berth__decode_value(decoder, &at, &value->as.items[i], &one_value_field, &one));
        values[i] = one.min;
    }
    policy->valid_values = values;
    policy->valid_value_count = value->count;
    return BERTH_OK;
}

static void encode_values(berth__encoder *encoder, const void *from)
{
    const berth_request_policy *policy = from;
    if (policy->valid_value_count == 0)
        return;
    berth__encode_raw(encoder, BERTH_STR("["));
    for (uint32_t i = 0; i < policy->valid_value_count; i++) {
        const berth_request_policy one = {.min = policy->valid_values[i]};
        berth__encode_item(encoder);
        berth__encode_value(encoder, &one_value_field, &one);
    }
    berth__encode_raw(encoder, BERTH_STR("]"));
}

static const berth__field range_fields[] = {
    BERTH__FIELD("min", PRESENT, berth_request_policy, has_min),
    BERTH__FIELD("min", QUANTITY, berth_request_policy, min),
    BERTH__FIELD("max", PRESENT, berth_request_policy, has_max),
    BERTH__FIELD("max", QUANTITY, berth_request_policy, max),
    BERTH__FIELD("step", PRESENT, berth_request_policy, has_step),
    BERTH__FIELD("step", QUANTITY, berth_request_policy, step),
    BERTH__FIELD_LAST,
};

static const berth__field policy_fields[] = {
    BERTH__FIELD("default", PRESENT, berth_request_policy, has_default),
    BERTH__FIELD("default", QUANTITY, berth_request_policy, default_amount),
    BERTH__FIELD_BY("validValues", berth_request_policy, has_default, decode_values, encode_values),
    BERTH__FIELD("validRange", PRESENT, berth_request_policy, has_range),
    BERTH__FIELD_SAME("validRange", range_fields),
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
    BERTH__FIELD_LAST,
};

static const berth__field consumed_counters_fields[] = {
    BERTH__FIELD("counterSet", STR, berth_slice_counters, name),
    BERTH__FIELD("compatibilityGroups", STRS, berth_slice_counters, compatibility_groups),
    BERTH__FIELD_KEYED("counters", berth_slice_counters, counters.items, counters.count,
                       counter_fields, berth_resource),
    BERTH__FIELD_LAST,
};

/* ---- ResourceSlice ---- */

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
        BERTH__FIELD_LAST

static const berth__field basic_fields[] = {DEVICE_FIELDS};

/* v1beta1 */
static berth_status decode_basic(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, void *out)
{
    return berth__decode_fields(decoder, path, value, basic_fields, out);
}

static const berth__field device_fields[] = {
    BERTH__FIELD("name", STR, berth_slice_device, name),
    BERTH__FIELD_BY("basic", berth_slice_device, name, decode_basic, encode_nothing),
    DEVICE_FIELDS,
};

static const berth__field pool_fields[] = {
    BERTH__FIELD("name", STR, berth_resource_slice, pool),
    BERTH__FIELD("generation", INT64, berth_resource_slice, pool_generation),
    BERTH__FIELD("resourceSliceCount", INT64, berth_resource_slice, pool_slice_count),
    BERTH__FIELD_LAST,
};

static const berth__field slice_spec_fields[] = {
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
    BERTH__FIELD_SAME("spec", slice_spec_fields),
    BERTH__FIELD_LAST,
};
