/* Sweeping devices, their classes and claims: marks the texts that their facts hold. */
#include "model/sweep.h"
#include "store/device_facts.h"

static void mark_all(berth__sweep *sweep, const berth__sym *ids, uint32_t count)
{
    for (uint32_t i = 0; ids != NULL && i < count; i++)
        berth__sweep_mark(sweep, ids[i]);
}

static void mark_name(berth__sweep *sweep, berth__device_name name)
{
    berth__sweep_mark(sweep, name.domain);
    berth__sweep_mark(sweep, name.id);
}

static void mark_reach(berth__sweep *sweep, const berth__device_reach *reach)
{
    berth__sweep_mark(sweep, reach->node_name);
    berth__sweep_node_selector(sweep, &reach->selector);
}

static void mark_counters(berth__sweep *sweep, const berth__counter_set *sets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        berth__sweep_mark(sweep, sets[i].name);
        for (uint32_t c = 0; c < sets[i].count; c++)
            berth__sweep_mark(sweep, sets[i].items[c].name);
    }
}

static void mark_device(berth__sweep *sweep, const berth__device *device)
{
    berth__sweep_mark(sweep, device->name);
    for (uint32_t i = 0; i < device->attribute_count; i++) {
        mark_name(sweep, device->attributes[i].name);
        berth__sweep_mark(sweep, device->attributes[i].text);
    }
    for (uint32_t i = 0; i < device->capacity_count; i++)
        mark_name(sweep, device->capacities[i].name);
    mark_counters(sweep, device->consumes, device->consume_count);
    for (uint32_t i = 0; i < device->taint_count; i++) {
        const berth__sym ids[] = {device->taints[i].key, device->taints[i].value,
                                  device->taints[i].effect};
        mark_all(sweep, ids, 3);
    }
    mark_all(sweep, device->binding_conditions, device->binding_condition_count);
    mark_all(sweep, device->binding_failures, device->binding_failure_count);
    mark_reach(sweep, &device->reach);
}

static void mark_slice(berth__sweep *sweep, const berth__slice_facts *facts)
{
    if (facts == NULL)
        return;
    berth__sweep_mark(sweep, facts->driver);
    berth__sweep_mark(sweep, facts->pool);
    mark_reach(sweep, &facts->reach);
    mark_counters(sweep, facts->shared_counters, facts->shared_counter_count);
    for (uint32_t i = 0; i < facts->device_count; i++)
        mark_device(sweep, &facts->devices[i]);
}

static void mark_selectors(berth__sweep *sweep, const berth__device_selector *selectors,
                           uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        berth__sweep_mark(sweep, selectors[i].expression);
}

static void mark_class(berth__sweep *sweep, const berth__device_class_facts *facts)
{
    if (facts == NULL)
        return;
    mark_selectors(sweep, facts->selectors, facts->selector_count);
    berth__sweep_mark(sweep, facts->extended_resource);
}

static void mark_ask(berth__sweep *sweep, const berth__device_ask *ask)
{
    const berth__sym ids[] = {ask->name, ask->class_name, ask->mode_text};
    mark_all(sweep, ids, 3);
    mark_selectors(sweep, ask->selectors, ask->selector_count);
    for (uint32_t i = 0; i < ask->toleration_count; i++) {
        const berth__device_toleration *own = &ask->tolerations[i];
        const berth__sym texts[] = {own->key, own->value, own->effect};
        mark_all(sweep, texts, 3);
    }
    for (uint32_t i = 0; i < ask->capacity_count; i++)
        mark_name(sweep, ask->capacities[i].name);
}

static void mark_result(berth__sweep *sweep, const berth__device_result *result)
{
    const berth__sym ids[] = {result->request, result->driver, result->pool, result->device,
                              result->share_id};
    mark_all(sweep, ids, 5);
    for (uint32_t i = 0; i < result->consumed_count; i++)
        mark_name(sweep, result->consumed[i].name);
    mark_all(sweep, result->binding_conditions, result->binding_condition_count);
    mark_all(sweep, result->binding_failures, result->binding_failure_count);
}

static void mark_allocation(berth__sweep *sweep, const berth__device_allocation *allocation)
{
    if (allocation == NULL)
        return;
    for (uint32_t i = 0; i < allocation->result_count; i++)
        mark_result(sweep, &allocation->results[i]);
    berth__sweep_node_selector(sweep, &allocation->selector);
}

static void mark_claim_facts(berth__sweep *sweep, const berth__device_claim_facts *facts)
{
    if (facts == NULL)
        return;
    berth__sweep_mark(sweep, facts->uid);
    berth__sweep_mark(sweep, facts->owner_uid);
    berth__sweep_mark(sweep, facts->owner_name);
    for (uint32_t i = 0; i < facts->request_count; i++) {
        berth__sweep_mark(sweep, facts->requests[i].name);
        for (uint32_t a = 0; a < facts->requests[i].ask_count; a++)
            mark_ask(sweep, &facts->requests[i].asks[a]);
    }
    for (uint32_t i = 0; i < facts->constraint_count; i++) {
        const berth__device_constraint *constraint = &facts->constraints[i];
        mark_all(sweep, constraint->requests, constraint->request_count);
        mark_name(sweep, constraint->match);
        mark_name(sweep, constraint->distinct);
    }
    mark_allocation(sweep, facts->allocation);
    mark_all(sweep, facts->reserved_for, facts->reserved_for_count);
    for (uint32_t i = 0; i < facts->status_count; i++) {
        const berth__device_status *status = &facts->statuses[i];
        const berth__sym ids[] = {status->driver, status->pool, status->device};
        mark_all(sweep, ids, 3);
        for (uint32_t c = 0; c < status->condition_count; c++)
            berth__sweep_mark(sweep, status->conditions[c].type);
    }
}

static void mark_rule(berth__sweep *sweep, const berth__taint_rule_facts *facts)
{
    if (facts == NULL)
        return;
    const berth__sym ids[] = {facts->driver,    facts->pool,        facts->device,
                              facts->taint.key, facts->taint.value, facts->taint.effect};
    mark_all(sweep, ids, sizeof(ids) / sizeof(ids[0]));
}

void berth__sweep_devices(berth__sweep *sweep, const berth__stored *record)
{
    const void *any = record;
    if (record->kind == BERTH_KIND_RESOURCE_SLICE) {
        mark_slice(sweep, ((const berth__slice *)any)->facts);
    } else if (record->kind == BERTH_KIND_DEVICE_CLASS) {
        mark_class(sweep, ((const berth__device_class *)any)->facts);
    } else if (record->kind == BERTH_KIND_DEVICE_TAINT_RULE) {
        mark_rule(sweep, ((const berth__taint_rule *)any)->facts);
    } else {
        const berth__device_claim *claim = any;
        mark_claim_facts(sweep, claim->facts);
        mark_allocation(sweep, claim->chosen);
    }
}
