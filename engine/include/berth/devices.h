/* Devices as objects, for dynamic resource allocation: claims, classes, slices, taint rules.
 *
 * Amounts by name, as in capacity and counters, are berth_resources; taints, tolerations and
 * conditions are those of nodes and pods. How these structs grow, and who owns them: objects.h.
 * Source of the shapes: k8s.io/api v0.36 resource/v1. */
#ifndef BERTH_DEVICES_H
#define BERTH_DEVICES_H

#include "berth/object_parts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* selectors[]: a CEL expression. */
typedef struct berth_cel_selector {
    bool has_cel; /* `cel` is set; no other kind is known */
    berth_str expression;
    const struct berth_later *later;
} berth_cel_selector;

/* config[] of claims, classes and allocations; only drivers read it. */
typedef struct berth_claim_config {
    berth_str source; /* of an allocation: FromClass, FromClaim */
    berth_strs requests;
    bool has_opaque;
    berth_str driver;
    berth_str parameters; /* JSON, unchanged */
    const struct berth_later *later;
} berth_claim_config;

/* `exactly` of a request, or an alternative of firstAvailable. */
typedef struct berth_exact_request {
    berth_str name; /* of an alternative */
    berth_str class_name;
    const berth_cel_selector *selectors;
    uint32_t selector_count;
    berth_str allocation_mode; /* ExactCount, All */
    int64_t count;
    bool has_admin_access;
    bool admin_access;
    const berth_toleration *tolerations;
    uint32_t toleration_count;
    berth_resources capacity; /* capacity.requests */
    const struct berth_later *later;
} berth_exact_request;

typedef struct berth_claim_request {
    berth_str name;
    const berth_exact_request *exactly; /* NULL: absent */
    const berth_exact_request *first_available;
    uint32_t first_available_count;
    const struct berth_later *later;
} berth_claim_request;

typedef struct berth_claim_constraint {
    berth_strs requests;
    berth_str match_attribute;    /* absent: none */
    berth_str distinct_attribute; /* absent: none */
    const struct berth_later *later;
} berth_claim_constraint;

/* One allocated device. */
typedef struct berth_allocated_device {
    berth_str request; /* REQUEST or REQUEST/SUBREQUEST */
    berth_str driver;
    berth_str pool;
    berth_str device;
    bool has_admin_access;
    bool admin_access;
    const berth_toleration *tolerations;
    uint32_t toleration_count;
    berth_strs binding_conditions;
    berth_strs binding_failure_conditions;
    berth_str share_id;
    berth_resources consumed_capacity;
    const struct berth_later *later;
} berth_allocated_device;

/* status.allocation */
typedef struct berth_claim_allocation {
    const berth_allocated_device *results;
    uint32_t result_count;
    const berth_claim_config *configs;
    uint32_t config_count;
    const berth_node_selector *node_selector; /* NULL: absent, any node */
    int64_t allocation_time_ns;               /* Unix time, 0: absent */
    const struct berth_later *later;
} berth_claim_allocation;

/* An entry of status.reservedFor. */
typedef struct berth_claim_consumer {
    berth_str api_group;
    berth_str resource;
    berth_str name;
    berth_str uid;
    const struct berth_later *later;
} berth_claim_consumer;

/* An entry of status.devices: a driver's report about an allocated device. */
typedef struct berth_allocated_status {
    berth_str driver;
    berth_str pool;
    berth_str device;
    berth_str share_id;
    const berth_condition *conditions;
    uint32_t condition_count;
    const struct berth_later *later;
} berth_allocated_status;

typedef struct berth_resource_claim {
    berth_metadata meta;
    const berth_claim_request *requests;
    uint32_t request_count;
    const berth_claim_constraint *constraints;
    uint32_t constraint_count;
    const berth_claim_config *configs;
    uint32_t config_count;
    const berth_claim_allocation *allocation; /* NULL: not allocated */
    const berth_claim_consumer *reserved_for;
    uint32_t reserved_for_count;
    const berth_allocated_status *devices;
    uint32_t device_count;
} berth_resource_claim;

typedef struct berth_device_class {
    berth_metadata meta;
    const berth_cel_selector *selectors;
    uint32_t selector_count;
    const berth_claim_config *configs;
    uint32_t config_count;
    berth_str extended_resource; /* extendedResourceName */
} berth_device_class;

typedef enum berth_attribute_kind {
    BERTH_ATTRIBUTE_NONE = 0, /* none of the following */
    BERTH_ATTRIBUTE_INT,      /* number */
    BERTH_ATTRIBUTE_BOOL,     /* number: 0 or 1 */
    BERTH_ATTRIBUTE_STRING,   /* text */
    BERTH_ATTRIBUTE_VERSION,  /* text */
    BERTH_ATTRIBUTE_LIST,     /* text: the attribute as JSON; no selector can read it */
} berth_attribute_kind;

typedef struct berth_slice_attribute {
    berth_str name; /* `id` or `domain/id` */
    berth_attribute_kind kind;
    int64_t number;
    berth_str text;
    const struct berth_later *later;
} berth_slice_attribute;

/* requestPolicy: which amounts of a capacity may be requested. */
typedef struct berth_request_policy {
    bool has_default;
    berth_quantity default_amount;
    const berth_quantity *valid_values;
    uint32_t valid_value_count;
    bool has_range;
    bool has_min, has_max, has_step; /* of the range */
    berth_quantity min, max, step;
    const struct berth_later *later;
} berth_request_policy;

typedef struct berth_slice_capacity {
    berth_str name; /* `id` or `domain/id` */
    berth_quantity value;
    const berth_request_policy *policy; /* NULL: absent */
    const struct berth_later *later;
} berth_slice_capacity;

/* An entry of sharedCounters, or of consumesCounters. */
typedef struct berth_slice_counters {
    berth_str name; /* counterSet in the latter */
    berth_resources counters;
    const struct berth_later *later;
    berth_strs compatibility_groups; /* of the latter */
} berth_slice_counters;

typedef struct berth_slice_device {
    berth_str name;
    const berth_slice_attribute *attributes;
    uint32_t attribute_count;
    const berth_slice_capacity *capacities;
    uint32_t capacity_count;
    const berth_slice_counters *consumes_counters;
    uint32_t consumes_counter_count;
    berth_str node_name;
    const berth_node_selector *node_selector; /* NULL: absent */
    bool all_nodes;
    const berth_taint *taints;
    uint32_t taint_count;
    bool binds_to_node;
    berth_strs binding_conditions;
    berth_strs binding_failure_conditions;
    bool allow_multiple_allocations;
    const struct berth_later *later;
} berth_slice_device;

typedef struct berth_resource_slice {
    berth_metadata meta;
    berth_str driver;
    berth_str pool;
    int64_t pool_generation;
    int64_t pool_slice_count; /* pool.resourceSliceCount */
    berth_str node_name;
    const berth_node_selector *node_selector; /* NULL: absent */
    bool all_nodes;
    bool per_device_node_selection;
    const berth_slice_device *devices;
    uint32_t device_count;
    const berth_slice_counters *shared_counters;
    uint32_t shared_counter_count;
} berth_resource_slice;

/* Taints devices as if their slices had the taint (1.37). */
typedef struct berth_device_taint_rule {
    berth_metadata meta;
    bool has_selector; /* false: nil, taints no device; a selector without entries: every device */
    berth_str driver;  /* of the selector; absent: any; so are pool and device */
    berth_str pool;
    berth_str device;
    berth_taint taint;
} berth_device_taint_rule;

#ifdef __cplusplus
}
#endif

#endif
