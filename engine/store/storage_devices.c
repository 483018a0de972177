/* ResourceSlices, DeviceClasses and ResourceClaims compiled into interned facts. */
#include <string.h>

#include "base/text.h"
#include "model/selector_problems.h"
#include "store/device_facts.h"

typedef struct compiling {
    berth__storage *storage;
    berth__arena *arena; /* of the facts */
    bool *ok;            /* false: out of memory */
} compiling;

static berth__sym intern(const compiling *own, berth_str text)
{
    return berth__intern_add(&own->storage->model->strings, text, own->ok);
}

/* Absent and empty texts are both 0. */
static berth__sym intern_filled(const compiling *own, berth_str text)
{
    return text.len > 0 ? intern(own, text) : 0;
}

/* A zeroed array; NULL when out of memory, and for 0 items. */
static void *array(const compiling *own, uint32_t count, size_t item_bytes)
{
    if (count == 0 || !*own->ok)
        return NULL;
    void *items = berth__arena_alloc_zero(own->arena, count * item_bytes, 16);
    *own->ok = items != NULL;
    return items;
}

/* Make an array for all items of a source, then run `var` over it, with `i` counting. */
#define EACH(own, type, to, to_count, from_count, var)              \
    type *const var##_items = array(own, from_count, sizeof(type)); \
    (to) = var##_items;                                             \
    (to_count) = var##_items != NULL ? (from_count) : 0;            \
    for (uint32_t i = 0; i < (to_count); i++)                       \
        for (type *var = &var##_items[i]; var != NULL; var = NULL)

static const berth__sym *intern_all(const compiling *own, berth_strs texts, uint32_t *count)
{
    const berth__sym *out;
    EACH(own, berth__sym, out, *count, texts.count, sym)
    *sym = intern(own, texts.items[i]);
    return out;
}

static berth__device_name name_of(const compiling *own, berth_str text)
{
    const char *slash = text.len > 0 ? memchr(text.data, '/', text.len) : NULL;
    if (slash == NULL)
        return (berth__device_name){0, intern(own, text)};
    uint32_t len = (uint32_t)(slash - text.data);
    return (berth__device_name){
        .domain = intern_filled(own, (berth_str){text.data, len}),
        .id = intern(own, (berth_str){slash + 1, text.len - len - 1}),
    };
}

/* ---- slices ---- */

static void compile_reach(const compiling *own, berth_str node_name, bool all_nodes,
                          const berth_node_selector *selector, berth__device_reach *out)
{
    berth__model *model = own->storage->model;
    out->node_name = intern_filled(own, node_name);
    out->all_nodes = all_nodes;
    out->has_selector = selector != NULL;
    if (selector == NULL)
        return;
    out->selector = berth__node_selector_make(&model->strings, own->arena, selector, own->ok);
    out->problem = berth__node_selector_problem(own->arena, &model->behaviours, selector, own->ok);
}

static void compile_attribute(const compiling *own, const berth_slice_attribute *source,
                              berth__device_attribute *out)
{
    out->name = name_of(own, source->name);
    out->number = source->number;
    switch (source->kind) {
    case BERTH_ATTRIBUTE_INT:
        out->kind = BERTH__ATTRIBUTE_INT;
        break;
    case BERTH_ATTRIBUTE_BOOL:
        out->kind = BERTH__ATTRIBUTE_BOOL;
        break;
    case BERTH_ATTRIBUTE_STRING:
    case BERTH_ATTRIBUTE_VERSION:
        out->kind = source->kind == BERTH_ATTRIBUTE_STRING ? BERTH__ATTRIBUTE_STRING
                                                           : BERTH__ATTRIBUTE_VERSION;
        out->text = intern(own, source->text);
        break;
    default:
        out->kind = BERTH__ATTRIBUTE_UNSUPPORTED;
        break;
    }
}

static void compile_policy(const compiling *own, const berth_request_policy *source,
                           berth__device_capacity *out)
{
    out->has_policy = source != NULL;
    if (source == NULL)
        return;
    out->policy = source->valid_value_count > 0 ? BERTH__CAPACITY_VALUES
                  : source->has_range           ? BERTH__CAPACITY_RANGE
                                                : BERTH__CAPACITY_WHOLE;
    out->has_default = source->has_default;
    out->fallback = berth__amount_nanos(source->default_amount);
    out->has_min = source->has_min;
    out->min = berth__amount_nanos(source->min);
    out->has_max = source->has_max;
    out->max = berth__amount_nanos(source->max);
    out->has_step = source->has_step;
    out->step = berth__amount_nanos(source->step);
    EACH(own, __int128, out->values, out->value_count, source->valid_value_count, value)
    *value = berth__amount_nanos(source->valid_values[i]);
}

static void compile_counter_set(const compiling *own, const berth_slice_counters *source,
                                berth__counter_set *out)
{
    const berth_resources *counters = &source->counters;
    out->name = intern(own, source->name);
    EACH(own, berth__device_counter, out->items, out->count, counters->count, counter)
    {
        counter->name = intern(own, counters->items[i].name);
        counter->value = berth__amount_nanos(counters->items[i].amount);
    }
}

static const berth__counter_set *compile_counters(const compiling *own,
                                                  const berth_slice_counters *source,
                                                  uint32_t source_count, uint32_t *count)
{
    const berth__counter_set *out;
    EACH(own, berth__counter_set, out, *count, source_count, set)
    compile_counter_set(own, &source[i], set);
    return out;
}

/* Orders by text of domain, then of id. */
static int name_order(const berth__model *model, berth__device_name a, berth__device_name b)
{
    const berth_str none = BERTH_STR("");
    int order = berth__str_cmp(a.domain != 0 ? berth__text(model, a.domain) : none,
                               b.domain != 0 ? berth__text(model, b.domain) : none);
    return order != 0 ? order : berth__str_cmp(berth__text(model, a.id), berth__text(model, b.id));
}

/* Insertion sort: there are few items, mostly in order already. Each item begins with its name. */
static void sort_by_name(const berth__model *model, void *items, uint32_t count, size_t bytes)
{
    char *first = items, spare[sizeof(berth__device_capacity)];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t at = i;
        memcpy(spare, first + i * bytes, bytes);
        while (at > 0 &&
               name_order(model, *(const berth__device_name *)(const void *)spare,
                          *(const berth__device_name *)(const void *)(first + (at - 1) * bytes)) <
                   0)
            at--;
        memmove(first + (at + 1) * bytes, first + at * bytes, (i - at) * bytes);
        memcpy(first + at * bytes, spare, bytes);
    }
}

static void compile_attributes(const compiling *own, const berth_slice_device *source,
                               berth__device *out)
{
    EACH(own, berth__device_attribute, out->attributes, out->attribute_count,
         source->attribute_count, attribute)
    compile_attribute(own, &source->attributes[i], attribute);
    if (*own->ok)
        sort_by_name(own->storage->model, attribute_items, out->attribute_count,
                     sizeof(*attribute_items));
}

static void compile_capacities(const compiling *own, const berth_slice_device *source,
                               berth__device *out)
{
    EACH(own, berth__device_capacity, out->capacities, out->capacity_count, source->capacity_count,
         capacity)
    {
        capacity->name = name_of(own, source->capacities[i].name);
        capacity->value = berth__amount_nanos(source->capacities[i].value);
        compile_policy(own, source->capacities[i].policy, capacity);
    }
    if (*own->ok)
        sort_by_name(own->storage->model, capacity_items, out->capacity_count,
                     sizeof(*capacity_items));
}

static void compile_device(const compiling *own, const berth_slice_device *source,
                           berth__device *out)
{
    out->name = intern(own, source->name);
    out->allow_multiple = source->allow_multiple_allocations;
    out->binds_to_node = source->binds_to_node;
    compile_attributes(own, source, out);
    compile_capacities(own, source, out);
    out->consumes = compile_counters(own, source->consumes_counters, source->consumes_counter_count,
                                     &out->consume_count);
    EACH(own, berth__device_taint, out->taints, out->taint_count, source->taint_count, taint)
    {
        taint->key = intern_filled(own, source->taints[i].key);
        taint->value = intern_filled(own, source->taints[i].value);
        taint->effect = intern_filled(own, source->taints[i].effect);
    }
    out->binding_conditions =
        intern_all(own, source->binding_conditions, &out->binding_condition_count);
    out->binding_failures =
        intern_all(own, source->binding_failure_conditions, &out->binding_failure_count);
    compile_reach(own, source->node_name, source->all_nodes, source->node_selector, &out->reach);
}

static bool declares_groups(const berth_resource_slice *slice)
{
    for (uint32_t i = 0; i < slice->device_count; i++)
        for (uint32_t c = 0; c < slice->devices[i].consumes_counter_count; c++)
            if (slice->devices[i].consumes_counters[c].compatibility_groups.count > 0)
                return true;
    return false;
}

void berth__storage_compile_slice(berth__storage *storage, const berth_resource_slice *source,
                                  berth__slice_facts *out, bool *ok)
{
    const compiling own = {storage, &out->head.arena, ok};
    out->driver = intern(&own, source->driver);
    out->pool = intern(&own, source->pool);
    out->generation = source->pool_generation;
    out->slice_count = source->pool_slice_count;
    out->per_device = source->per_device_node_selection;
    compile_reach(&own, source->node_name, source->all_nodes, source->node_selector, &out->reach);
    out->shared_counters = compile_counters(
        &own, source->shared_counters, source->shared_counter_count, &out->shared_counter_count);
    EACH(&own, berth__device, out->devices, out->device_count, source->device_count, device)
    compile_device(&own, &source->devices[i], device);
    out->left_out = storage->model->behaviours.compatibility_groups_off && declares_groups(source);
}

/* ---- classes ---- */

static const berth__device_selector *compile_selectors(const compiling *own,
                                                       const berth_cel_selector *source,
                                                       uint32_t source_count, uint32_t *count)
{
    const berth__device_selector *out;
    EACH(own, berth__device_selector, out, *count, source_count, selector)
    {
        selector->cel = source[i].has_cel;
        selector->expression = intern(own, source[i].expression);
    }
    return out;
}

/* An absent text matches anything, like an empty one. */
static berth__sym any_or(const compiling *own, berth_str text)
{
    return text.data != NULL ? intern(own, text) : 0;
}

void berth__storage_compile_taint_rule(berth__storage *storage,
                                       const berth_device_taint_rule *source,
                                       berth__taint_rule_facts *out, bool *ok)
{
    const compiling own = {storage, &out->head.arena, ok};
    out->selects = source->has_selector;
    out->driver = any_or(&own, source->driver);
    out->pool = any_or(&own, source->pool);
    out->device = any_or(&own, source->device);
    out->taint = (berth__device_taint){.key = intern(&own, source->taint.key),
                                       .value = intern(&own, source->taint.value),
                                       .effect = intern(&own, source->taint.effect)};
}

void berth__storage_compile_device_class(berth__storage *storage, const berth_device_class *source,
                                         berth__device_class_facts *out, bool *ok)
{
    const compiling own = {storage, &out->head.arena, ok};
    out->selectors =
        compile_selectors(&own, source->selectors, source->selector_count, &out->selector_count);
    out->extended_resource = intern_filled(&own, source->extended_resource);
    out->created_ns =
        source->meta.creation_time_ns != 0 ? source->meta.creation_time_ns : INT64_MIN;
}

/* ---- claims ---- */

static void compile_toleration(const compiling *own, const berth_toleration *source,
                               berth__device_toleration *out)
{
    out->key = intern_filled(own, source->key);
    out->value = intern_filled(own, source->value);
    out->effect = intern_filled(own, source->effect);
    out->exists = berth__str_is(source->op, "Exists");
    out->equal = source->op.len == 0 || berth__str_is(source->op, "Equal");
}

/* An absent mode is ExactCount with count 1, as the API server sets it. */
static void compile_ask(const compiling *own, const berth_exact_request *source,
                        berth__device_ask *out)
{
    bool unsaid = source->allocation_mode.len == 0;
    out->name = intern_filled(own, source->name);
    out->class_name = intern_filled(own, source->class_name);
    out->selectors =
        compile_selectors(own, source->selectors, source->selector_count, &out->selector_count);
    out->mode = unsaid || berth__str_is(source->allocation_mode, "ExactCount")
                    ? BERTH__ALLOCATE_COUNT
                : berth__str_is(source->allocation_mode, "All") ? BERTH__ALLOCATE_ALL
                                                                : BERTH__ALLOCATE_UNKNOWN;
    out->mode_text = intern(own, unsaid ? BERTH_STR("ExactCount") : source->allocation_mode);
    out->count = out->mode == BERTH__ALLOCATE_COUNT && source->count == 0 ? 1 : source->count;
    out->admin_access = source->admin_access;
    EACH(own, berth__device_toleration, out->tolerations, out->toleration_count,
         source->toleration_count, toleration)
    compile_toleration(own, &source->tolerations[i], toleration);
    berth_resources capacity = source->capacity;
    EACH(own, berth__capacity_ask, out->capacities, out->capacity_count, capacity.count, amount)
    {
        amount->name = name_of(own, capacity.items[i].name);
        amount->value = berth__amount_nanos(capacity.items[i].amount);
    }
}

static void compile_request(const compiling *own, const berth_claim_request *source,
                            berth__device_request *out)
{
    bool exact = source->exactly != NULL;
    const berth_exact_request *asks = exact ? source->exactly : source->first_available;
    uint32_t count = exact ? 1 : source->first_available_count;
    out->name = intern(own, source->name);
    out->first_available = !exact && count > 0;
    EACH(own, berth__device_ask, out->asks, out->ask_count, count, ask)
    compile_ask(own, &asks[i], ask);
}

static void compile_constraint(const compiling *own, const berth_claim_constraint *source,
                               berth__device_constraint *out)
{
    out->requests = intern_all(own, source->requests, &out->request_count);
    if (source->match_attribute.data != NULL)
        out->match = name_of(own, source->match_attribute);
    if (source->distinct_attribute.data != NULL)
        out->distinct = name_of(own, source->distinct_attribute);
}

static void compile_result(const compiling *own, const berth_allocated_device *source,
                           berth__device_result *out)
{
    out->request = intern(own, source->request);
    out->driver = intern(own, source->driver);
    out->pool = intern(own, source->pool);
    out->device = intern(own, source->device);
    out->admin_access = source->admin_access;
    out->share_id = intern_filled(own, source->share_id);
    berth_resources consumed = source->consumed_capacity;
    EACH(own, berth__consumed_capacity, out->consumed, out->consumed_count, consumed.count, amount)
    {
        amount->name = name_of(own, consumed.items[i].name);
        amount->value = berth__amount_nanos(consumed.items[i].amount);
    }
    out->binding_conditions =
        intern_all(own, source->binding_conditions, &out->binding_condition_count);
    out->binding_failures =
        intern_all(own, source->binding_failure_conditions, &out->binding_failure_count);
}

static const berth__device_allocation *compile_allocation(const compiling *own,
                                                          const berth_claim_allocation *source)
{
    berth__model *model = own->storage->model;
    berth__device_allocation *out = source != NULL ? array(own, 1, sizeof(*out)) : NULL;
    if (out == NULL)
        return NULL;
    EACH(own, berth__device_result, out->results, out->result_count, source->result_count, result)
    compile_result(own, &source->results[i], result);
    out->has_selector = source->node_selector != NULL;
    if (out->has_selector) {
        const berth_node_selector *selector = source->node_selector;
        out->selector = berth__node_selector_make(&model->strings, own->arena, selector, own->ok);
        out->problem =
            berth__node_selector_problem(own->arena, &model->behaviours, selector, own->ok);
    }
    out->allocated_ns = source->allocation_time_ns != 0 ? source->allocation_time_ns : INT64_MIN;
    return out;
}

static void compile_status(const compiling *own, const berth_allocated_status *source,
                           berth__device_status *out)
{
    out->driver = intern(own, source->driver);
    out->pool = intern(own, source->pool);
    out->device = intern(own, source->device);
    EACH(own, berth__device_condition, out->conditions, out->condition_count,
         source->condition_count, condition)
    {
        condition->type = intern(own, source->conditions[i].type);
        condition->is_true = berth__str_is(source->conditions[i].status, "True");
    }
}

static const berth_owner *controller_of(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->owner_count; i++)
        if (meta->owners[i].controller)
            return &meta->owners[i];
    return NULL;
}

static bool is_extended(const berth_metadata *meta)
{
    for (uint32_t i = 0; i < meta->annotations.count; i++) {
        const berth_key_value *entry = &meta->annotations.entries[i];
        if (berth__str_is(entry->key, "resource.kubernetes.io/extended-resource-claim"))
            return berth__str_is(entry->value, "true");
    }
    return false;
}

void berth__storage_compile_device_claim(berth__storage *storage,
                                         const berth_resource_claim *source,
                                         berth__device_claim_facts *out, bool *ok)
{
    const compiling own = {storage, &out->head.arena, ok};
    out->uid = intern_filled(&own, source->meta.uid);
    const berth_owner *owner = controller_of(&source->meta);
    out->owner_uid = owner != NULL ? intern_filled(&own, owner->uid) : 0;
    out->owner_name = owner != NULL ? intern_filled(&own, owner->name) : 0;
    out->deleting = source->meta.deleting;
    out->extended = is_extended(&source->meta);
    EACH(&own, berth__device_request, out->requests, out->request_count, source->request_count,
         request)
    compile_request(&own, &source->requests[i], request);
    EACH(&own, berth__device_constraint, out->constraints, out->constraint_count,
         source->constraint_count, constraint)
    compile_constraint(&own, &source->constraints[i], constraint);
    out->allocation = compile_allocation(&own, source->allocation);
    EACH(&own, berth__sym, out->reserved_for, out->reserved_for_count, source->reserved_for_count,
         uid)
    *uid = intern(&own, source->reserved_for[i].uid);
    EACH(&own, berth__device_status, out->statuses, out->status_count, source->device_count, status)
    compile_status(&own, &source->devices[i], status);
}
