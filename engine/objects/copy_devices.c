/* Deep copies of ResourceSlices, DeviceClasses and ResourceClaims, in the manner of
 * object_copy.c. */
#include "objects/copying.h"

static void copy_selectors(berth__copying *own, const berth_cel_selector **selectors,
                           uint32_t count)
{
    BERTH__COPY_EACH(own, berth_cel_selector, *selectors, count, selector)
    berth__copy_str(own, &selector->expression);
}

static void copy_configs(berth__copying *own, const berth_claim_config **configs, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_claim_config, *configs, count, config)
    {
        berth__copy_str(own, &config->source);
        berth__copy_strs(own, &config->requests);
        berth__copy_str(own, &config->driver);
        berth__copy_str(own, &config->parameters);
    }
}

static void copy_asks(berth__copying *own, const berth_exact_request **asks, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_exact_request, *asks, count, ask)
    {
        berth__copy_str(own, &ask->name);
        berth__copy_str(own, &ask->class_name);
        copy_selectors(own, &ask->selectors, ask->selector_count);
        berth__copy_str(own, &ask->allocation_mode);
        berth__copy_tolerations(own, &ask->tolerations, ask->toleration_count);
        berth__copy_resources(own, &ask->capacity);
    }
}

static void copy_spec(berth__copying *own, berth_resource_claim *claim)
{
    BERTH__COPY_EACH(own, berth_claim_request, claim->requests, claim->request_count, request)
    {
        berth__copy_str(own, &request->name);
        copy_asks(own, &request->exactly, 1);
        copy_asks(own, &request->first_available, request->first_available_count);
    }
    BERTH__COPY_EACH(own, berth_claim_constraint, claim->constraints, claim->constraint_count,
                     constraint)
    {
        berth__copy_strs(own, &constraint->requests);
        berth__copy_str(own, &constraint->match_attribute);
        berth__copy_str(own, &constraint->distinct_attribute);
    }
    copy_configs(own, &claim->configs, claim->config_count);
}

static void copy_allocation(berth__copying *own, const berth_claim_allocation **field)
{
    BERTH__COPY_EACH(own, berth_claim_allocation, *field, 1, allocation)
    {
        BERTH__COPY_EACH(own, berth_allocated_device, allocation->results, allocation->result_count,
                         result)
        {
            berth__copy_str(own, &result->request);
            berth__copy_str(own, &result->driver);
            berth__copy_str(own, &result->pool);
            berth__copy_str(own, &result->device);
            berth__copy_tolerations(own, &result->tolerations, result->toleration_count);
            berth__copy_strs(own, &result->binding_conditions);
            berth__copy_strs(own, &result->binding_failure_conditions);
            berth__copy_str(own, &result->share_id);
            berth__copy_resources(own, &result->consumed_capacity);
        }
        copy_configs(own, &allocation->configs, allocation->config_count);
        allocation->node_selector = berth__copy_node_selector(own, allocation->node_selector);
    }
}

void berth__copy_resource_claim(berth__copying *own, berth_resource_claim *claim)
{
    berth__copy_metadata(own, &claim->meta);
    copy_spec(own, claim);
    copy_allocation(own, &claim->allocation);
    BERTH__COPY_EACH(own, berth_claim_consumer, claim->reserved_for, claim->reserved_for_count,
                     consumer)
    {
        berth__copy_str(own, &consumer->api_group);
        berth__copy_str(own, &consumer->resource);
        berth__copy_str(own, &consumer->name);
        berth__copy_str(own, &consumer->uid);
    }
    BERTH__COPY_EACH(own, berth_allocated_status, claim->devices, claim->device_count, status)
    {
        berth__copy_str(own, &status->driver);
        berth__copy_str(own, &status->pool);
        berth__copy_str(own, &status->device);
        berth__copy_str(own, &status->share_id);
        berth__copy_conditions(own, &status->conditions, status->condition_count);
    }
}

void berth__copy_device_taint_rule(berth__copying *own, berth_device_taint_rule *rule)
{
    berth__copy_metadata(own, &rule->meta);
    berth__copy_str(own, &rule->driver);
    berth__copy_str(own, &rule->pool);
    berth__copy_str(own, &rule->device);
    berth__copy_str(own, &rule->taint.key);
    berth__copy_str(own, &rule->taint.value);
    berth__copy_str(own, &rule->taint.effect);
}

void berth__copy_device_class(berth__copying *own, berth_device_class *device_class)
{
    berth__copy_metadata(own, &device_class->meta);
    copy_selectors(own, &device_class->selectors, device_class->selector_count);
    copy_configs(own, &device_class->configs, device_class->config_count);
    berth__copy_str(own, &device_class->extended_resource);
}

static void copy_counters(berth__copying *own, const berth_slice_counters **sets, uint32_t count)
{
    BERTH__COPY_EACH(own, berth_slice_counters, *sets, count, set)
    {
        berth__copy_str(own, &set->name);
        berth__copy_resources(own, &set->counters);
    }
}

static void copy_offers(berth__copying *own, berth_slice_device *device)
{
    BERTH__COPY_EACH(own, berth_slice_attribute, device->attributes, device->attribute_count,
                     attribute)
    {
        berth__copy_str(own, &attribute->name);
        berth__copy_str(own, &attribute->text);
    }
    BERTH__COPY_EACH(own, berth_slice_capacity, device->capacities, device->capacity_count,
                     capacity)
    {
        berth__copy_str(own, &capacity->name);
        BERTH__COPY_EACH(own, berth_request_policy, capacity->policy, 1, policy)
        policy->valid_values = berth__copy_array(
            own, policy->valid_values, policy->valid_value_count, sizeof(*policy->valid_values));
    }
}

static void copy_device(berth__copying *own, berth_slice_device *device)
{
    berth__copy_str(own, &device->name);
    copy_offers(own, device);
    copy_counters(own, &device->consumes_counters, device->consumes_counter_count);
    berth__copy_str(own, &device->node_name);
    device->node_selector = berth__copy_node_selector(own, device->node_selector);
    berth__copy_taints(own, &device->taints, device->taint_count);
    berth__copy_strs(own, &device->binding_conditions);
    berth__copy_strs(own, &device->binding_failure_conditions);
}

void berth__copy_resource_slice(berth__copying *own, berth_resource_slice *slice)
{
    berth__copy_metadata(own, &slice->meta);
    berth__copy_str(own, &slice->driver);
    berth__copy_str(own, &slice->pool);
    berth__copy_str(own, &slice->node_name);
    slice->node_selector = berth__copy_node_selector(own, slice->node_selector);
    BERTH__COPY_EACH(own, berth_slice_device, slice->devices, slice->device_count, device)
    copy_device(own, device);
    copy_counters(own, &slice->shared_counters, slice->shared_counter_count);
}
