/* Reads ResourceSlices, DeviceClasses and ResourceClaims of the decision vectors, of
 * resource.k8s.io/v1. */
#include "naive_json.h"

static int64_t number(const json_t *o, const char *key)
{
    return json_integer_value(naive_json_get(o, key));
}

static bool is_there(const json_t *o, const char *key)
{
    return naive_json_get(o, key) != NULL;
}

/* ---- slices ---- */

static berth_slice_attribute attribute(const char *name, const json_t *v)
{
    static const struct {
        const char *key;
        berth_attribute_kind kind;
    } kinds[] = {{"int", BERTH_ATTRIBUTE_INT},
                 {"bool", BERTH_ATTRIBUTE_BOOL},
                 {"string", BERTH_ATTRIBUTE_STRING},
                 {"version", BERTH_ATTRIBUTE_VERSION}};
    berth_slice_attribute out = {.name = naive_str(name)};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (is_there(v, kinds[i].key)) {
            out.kind = kinds[i].kind;
            out.text = naive_json_text(v, kinds[i].key);
            out.number = out.kind == BERTH_ATTRIBUTE_BOOL ? naive_json_flag(v, kinds[i].key)
                                                          : number(v, kinds[i].key);
        }
    }
    return out;
}

static berth_quantity amount(naive_region *r, const json_t *v)
{
    (void)r;
    return naive_json_quantity(v);
}

static const berth_request_policy *policy(naive_region *r, const json_t *v)
{
    const json_t *range = naive_json_get(v, "validRange");
    if (v == NULL) {
        return NULL;
    }
    berth_request_policy *out = naive_alloc(r, sizeof(*out));
    out->has_default = is_there(v, "default");
    out->default_amount = naive_json_quantity(naive_json_get(v, "default"));
    out->valid_values = NAIVE_JSON_LIST(r, berth_quantity, naive_json_get(v, "validValues"),
                                        out->valid_value_count, amount);
    out->has_range = range != NULL;
    out->has_min = is_there(range, "min");
    out->has_max = is_there(range, "max");
    out->has_step = is_there(range, "step");
    out->min = naive_json_quantity(naive_json_get(range, "min"));
    out->max = naive_json_quantity(naive_json_get(range, "max"));
    out->step = naive_json_quantity(naive_json_get(range, "step"));
    return out;
}

static berth_slice_capacity capacity(naive_region *r, const char *name, const json_t *v)
{
    return (berth_slice_capacity){.name = naive_str(name),
                                  .value = naive_json_quantity(naive_json_get(v, "value")),
                                  .policy = policy(r, naive_json_get(v, "requestPolicy"))};
}

/* {"name": {"value": "1"}} */
static berth_resources counters(naive_region *r, const json_t *v)
{
    berth_resource *items = naive_alloc(r, (json_object_size(v) + 1) * sizeof(*items));
    uint32_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)v, key, value)
    {
        items[count++] =
            (berth_resource){naive_str(key), naive_json_quantity(naive_json_get(value, "value"))};
    }
    return (berth_resources){items, count};
}

static berth_slice_counters shared(naive_region *r, const json_t *v)
{
    return (berth_slice_counters){.name = naive_json_text(v, "name"),
                                  .counters = counters(r, naive_json_get(v, "counters"))};
}

static berth_slice_counters consumed(naive_region *r, const json_t *v)
{
    return (berth_slice_counters){.name = naive_json_text(v, "counterSet"),
                                  .counters = counters(r, naive_json_get(v, "counters"))};
}

static void properties(naive_region *r, const json_t *v, berth_slice_device *out)
{
    const json_t *attributes = naive_json_get(v, "attributes"),
                 *capacities = naive_json_get(v, "capacity");
    berth_slice_attribute *a = naive_alloc(r, (json_object_size(attributes) + 1) * sizeof(*a));
    berth_slice_capacity *c = naive_alloc(r, (json_object_size(capacities) + 1) * sizeof(*c));
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)attributes, key, value)
    {
        a[out->attribute_count++] = attribute(key, value);
    }
    json_object_foreach((json_t *)(uintptr_t)capacities, key, value)
    {
        c[out->capacity_count++] = capacity(r, key, value);
    }
    out->attributes = a;
    out->capacities = c;
}

static berth_slice_device device(naive_region *r, const json_t *v)
{
    berth_slice_device out = {
        .name = naive_json_text(v, "name"),
        .node_name = naive_json_text(v, "nodeName"),
        .node_selector = naive_json_node_selector(r, naive_json_get(v, "nodeSelector")),
        .all_nodes = naive_json_flag(v, "allNodes"),
        .binds_to_node = naive_json_flag(v, "bindsToNode"),
        .allow_multiple_allocations = naive_json_flag(v, "allowMultipleAllocations"),
        .binding_conditions = naive_json_strs(r, naive_json_get(v, "bindingConditions")),
        .binding_failure_conditions =
            naive_json_strs(r, naive_json_get(v, "bindingFailureConditions"))};
    properties(r, v, &out);
    out.taints = NAIVE_JSON_LIST(r, berth_taint, naive_json_get(v, "taints"), out.taint_count,
                                 naive_json_taint);
    out.consumes_counters =
        NAIVE_JSON_LIST(r, berth_slice_counters, naive_json_get(v, "consumesCounters"),
                        out.consumes_counter_count, consumed);
    return out;
}

void *naive_json_resource_slice(naive_region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec"), *pool = naive_json_get(spec, "pool");
    berth_resource_slice *out = naive_alloc(r, sizeof(*out));
    out->meta = naive_json_metadata(r, v);
    out->driver = naive_json_text(spec, "driver");
    out->pool = naive_json_text(pool, "name");
    out->pool_generation = number(pool, "generation");
    out->pool_slice_count = number(pool, "resourceSliceCount");
    out->node_name = naive_json_text(spec, "nodeName");
    out->node_selector = naive_json_node_selector(r, naive_json_get(spec, "nodeSelector"));
    out->all_nodes = naive_json_flag(spec, "allNodes");
    out->per_device_node_selection = naive_json_flag(spec, "perDeviceNodeSelection");
    out->devices = NAIVE_JSON_LIST(r, berth_slice_device, naive_json_get(spec, "devices"),
                                   out->device_count, device);
    out->shared_counters =
        NAIVE_JSON_LIST(r, berth_slice_counters, naive_json_get(spec, "sharedCounters"),
                        out->shared_counter_count, shared);
    return out;
}

/* ---- rules ---- */

void *naive_json_device_taint_rule(naive_region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec");
    const json_t *selector = naive_json_get(spec, "deviceSelector");
    berth_device_taint_rule *out = naive_alloc(r, sizeof(*out));
    out->meta = naive_json_metadata(r, v);
    out->has_selector = selector != NULL;
    out->driver = naive_json_text(selector, "driver");
    out->pool = naive_json_text(selector, "pool");
    out->device = naive_json_text(selector, "device");
    out->taint = naive_json_taint(r, naive_json_get(spec, "taint"));
    return out;
}

/* ---- classes and claims ---- */

static berth_cel_selector selector(naive_region *r, const json_t *v)
{
    (void)r;
    return (berth_cel_selector){.has_cel = is_there(v, "cel"),
                                .expression =
                                    naive_json_text(naive_json_get(v, "cel"), "expression")};
}

void *naive_json_device_class(naive_region *r, const json_t *v)
{
    const json_t *spec = naive_json_get(v, "spec");
    berth_device_class *out = naive_alloc(r, sizeof(*out));
    out->meta = naive_json_metadata(r, v);
    out->selectors = NAIVE_JSON_LIST(r, berth_cel_selector, naive_json_get(spec, "selectors"),
                                     out->selector_count, selector);
    out->extended_resource = naive_json_text(spec, "extendedResourceName");
    return out;
}

static berth_exact_request exact(naive_region *r, const json_t *v)
{
    berth_exact_request out = {.name = naive_json_text(v, "name"),
                               .class_name = naive_json_text(v, "deviceClassName"),
                               .allocation_mode = naive_json_text(v, "allocationMode"),
                               .count = number(v, "count"),
                               .has_admin_access = is_there(v, "adminAccess"),
                               .admin_access = naive_json_flag(v, "adminAccess"),
                               .capacity = naive_json_resources(
                                   r, naive_json_get(naive_json_get(v, "capacity"), "requests"))};
    out.selectors = NAIVE_JSON_LIST(r, berth_cel_selector, naive_json_get(v, "selectors"),
                                    out.selector_count, selector);
    out.tolerations = NAIVE_JSON_LIST(r, berth_toleration, naive_json_get(v, "tolerations"),
                                      out.toleration_count, naive_json_toleration);
    return out;
}

static berth_claim_request request(naive_region *r, const json_t *v)
{
    berth_claim_request out = {.name = naive_json_text(v, "name")};
    if (is_there(v, "exactly")) {
        berth_exact_request *one = naive_alloc(r, sizeof(*one));
        *one = exact(r, naive_json_get(v, "exactly"));
        out.exactly = one;
    }
    out.first_available =
        NAIVE_JSON_LIST(r, berth_exact_request, naive_json_get(v, "firstAvailable"),
                        out.first_available_count, exact);
    return out;
}

static berth_claim_constraint constraint(naive_region *r, const json_t *v)
{
    return (berth_claim_constraint){.requests = naive_json_strs(r, naive_json_get(v, "requests")),
                                    .match_attribute = naive_json_text(v, "matchAttribute"),
                                    .distinct_attribute = naive_json_text(v, "distinctAttribute")};
}

static berth_allocated_device result(naive_region *r, const json_t *v)
{
    return (berth_allocated_device){
        .request = naive_json_text(v, "request"),
        .driver = naive_json_text(v, "driver"),
        .pool = naive_json_text(v, "pool"),
        .device = naive_json_text(v, "device"),
        .admin_access = naive_json_flag(v, "adminAccess"),
        .binding_conditions = naive_json_strs(r, naive_json_get(v, "bindingConditions")),
        .binding_failure_conditions =
            naive_json_strs(r, naive_json_get(v, "bindingFailureConditions")),
        .share_id = naive_json_text(v, "shareID"),
        .consumed_capacity = naive_json_resources(r, naive_json_get(v, "consumedCapacity"))};
}

static const berth_claim_allocation *allocation(naive_region *r, const json_t *v)
{
    if (v == NULL) {
        return NULL;
    }
    berth_claim_allocation *out = naive_alloc(r, sizeof(*out));
    out->results = NAIVE_JSON_LIST(r, berth_allocated_device,
                                   naive_json_get(naive_json_get(v, "devices"), "results"),
                                   out->result_count, result);
    out->node_selector = naive_json_node_selector(r, naive_json_get(v, "nodeSelector"));
    return out;
}

static berth_claim_consumer consumer(naive_region *r, const json_t *v)
{
    (void)r;
    return (berth_claim_consumer){.resource = naive_json_text(v, "resource"),
                                  .name = naive_json_text(v, "name"),
                                  .uid = naive_json_text(v, "uid")};
}

static berth_allocated_status status_of(naive_region *r, const json_t *v)
{
    berth_allocated_status out = {.driver = naive_json_text(v, "driver"),
                                  .pool = naive_json_text(v, "pool"),
                                  .device = naive_json_text(v, "device")};
    out.conditions = NAIVE_JSON_LIST(r, berth_condition, naive_json_get(v, "conditions"),
                                     out.condition_count, naive_json_condition);
    return out;
}

void *naive_json_resource_claim(naive_region *r, const json_t *v)
{
    const json_t *devices = naive_json_get(naive_json_get(v, "spec"), "devices"),
                 *status = naive_json_get(v, "status");
    berth_resource_claim *out = naive_alloc(r, sizeof(*out));
    out->meta = naive_json_metadata(r, v);
    out->requests = NAIVE_JSON_LIST(r, berth_claim_request, naive_json_get(devices, "requests"),
                                    out->request_count, request);
    out->constraints =
        NAIVE_JSON_LIST(r, berth_claim_constraint, naive_json_get(devices, "constraints"),
                        out->constraint_count, constraint);
    out->allocation = allocation(r, naive_json_get(status, "allocation"));
    out->reserved_for =
        NAIVE_JSON_LIST(r, berth_claim_consumer, naive_json_get(status, "reservedFor"),
                        out->reserved_for_count, consumer);
    out->devices = NAIVE_JSON_LIST(r, berth_allocated_status, naive_json_get(status, "devices"),
                                   out->device_count, status_of);
    return out;
}
