/* The allocation of a claim, as its status would state it.
 * Source: dynamic-resource-allocation v0.36,
 * structured/internal/incubating/allocator_incubating.go: Allocate, createNodeSelector. */
#include <string.h>

#include "devices/device_search.h"

/* Where a taken device may be used. */
static const berth__device_reach *reach_of(const berth__offer *offer)
{
    return offer->slice->facts->per_device ? &offer->device->reach : &offer->slice->facts->reach;
}

static bool is_of_one_node(const berth__offer *offer)
{
    return reach_of(offer)->node_name != 0 || offer->device->binds_to_node;
}

/* The number of terms to merge; 0 if there are none, or if a device for a single node decides
 * first. */
static uint32_t terms_of(const berth__device_search *search, uint32_t claim)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < search->taken_count; i++) {
        if (search->taken[i].claim != claim)
            continue;
        if (is_of_one_node(search->taken[i].offer))
            return 0;
        const berth__device_reach *reach = reach_of(search->taken[i].offer);
        if (reach->has_selector && reach->selector.count > most)
            most = reach->selector.count;
        if (most > 1)
            return most;
    }
    return most;
}

berth__step berth__device_search_nodes(berth__device_search *search)
{
    for (uint32_t c = 0; c < search->want_count; c++) {
        uint32_t terms = terms_of(search, c);
        const berth_str *name = &search->wants[c].name;
        if (terms <= 1)
            continue;
        BERTH__DEVICE_PROBLEM(search,
                              "create NodeSelector for claim %.*s: unsupported "
                              "ResourceSlice.NodeSelector with %u terms",
                              (int)name->len, name->data, terms);
        return BERTH__STEP_ERROR;
    }
    return BERTH__STEP_YES;
}

static bool same_requirement(const berth__interned_requirement *a,
                             const berth__interned_requirement *b)
{
    return a->key == b->key && a->op == b->op && a->number == b->number &&
           a->value_count == b->value_count &&
           (a->value_count == 0 ||
            memcmp(a->values, b->values, a->value_count * sizeof(*a->values)) == 0);
}

static void merge(const berth__interned_requirement *from, uint32_t count,
                  berth__interned_requirement *to, uint32_t *to_count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < *to_count && !known; k++)
            known = same_requirement(&from[i], &to[k]);
        if (!known)
            to[(*to_count)++] = from[i];
    }
}

/* Make a selector for the searched node alone. */
static bool select_node(const berth__device_search *search, berth__arena *arena,
                        berth__device_allocation *out)
{
    berth__node_term *term = berth__arena_alloc_zero(arena, sizeof(*term), 8);
    berth__interned_requirement *field = berth__arena_alloc_zero(arena, sizeof(*field), 8);
    berth__sym *value = berth__arena_alloc(arena, sizeof(*value), 4);
    if (term == NULL || field == NULL || value == NULL)
        return false;
    *value = search->node->name;
    *field = (berth__interned_requirement){.key = search->model->known.metadata_name,
                                           .op = BERTH__OP_IN,
                                           .values = value,
                                           .value_count = 1};
    *term = (berth__node_term){
        .valid = true, .expressions_valid = true, .fields = field, .field_count = 1};
    out->has_selector = true;
    out->selector = (berth__interned_node_selector){term, 1};
    return true;
}

/* Make a selector with all requirements of the terms of the devices' slices. */
static bool select_all(const berth__device_search *search, uint32_t claim, berth__arena *arena,
                       berth__device_allocation *out)
{
    uint32_t fields = 0;
    uint32_t expressions = 0;
    for (uint32_t i = 0; i < search->taken_count; i++) {
        const berth__device_reach *reach = reach_of(search->taken[i].offer);
        if (search->taken[i].claim != claim || !reach->has_selector || reach->selector.count == 0)
            continue;
        fields += reach->selector.terms[0].field_count;
        expressions += reach->selector.terms[0].expression_count;
    }
    if (fields + expressions == 0)
        return true;
    berth__node_term *term = berth__arena_alloc_zero(arena, sizeof(*term), 8);
    berth__interned_requirement *items =
        berth__arena_alloc_zero(arena, ((size_t)fields + expressions) * sizeof(*items), 8);
    if (term == NULL || items == NULL)
        return false;
    *term = (berth__node_term){
        .valid = true, .expressions_valid = true, .fields = items, .expressions = items + fields};
    for (uint32_t i = 0; i < search->taken_count; i++) {
        const berth__device_reach *reach = reach_of(search->taken[i].offer);
        if (search->taken[i].claim != claim || !reach->has_selector || reach->selector.count == 0)
            continue;
        const berth__node_term *from = &reach->selector.terms[0];
        merge(from->fields, from->field_count, items, &term->field_count);
        merge(from->expressions, from->expression_count, items + fields, &term->expression_count);
    }
    out->has_selector = true;
    out->selector = (berth__interned_node_selector){term, 1};
    return true;
}

static bool select_nodes(const berth__device_search *search, uint32_t claim, berth__arena *arena,
                         berth__device_allocation *out)
{
    for (uint32_t i = 0; i < search->taken_count; i++)
        if (search->taken[i].claim == claim && is_of_one_node(search->taken[i].offer))
            return select_node(search, arena, out);
    return select_all(search, claim, arena, out);
}

/* REQUEST, or REQUEST/ALTERNATIVE. */
static berth__sym request_name(const berth__device_search *search, const berth__device_line *line,
                               berth__arena *arena)
{
    if (!line->request->first_available)
        return line->request->name;
    berth_str request = berth__text(search->model, line->request->name);
    berth_str ask = berth__device_line_name(search, line);
    berth_str text = berth__device_text(arena, "%.*s/%.*s", (int)request.len, request.data,
                                        (int)ask.len, ask.data);
    bool ok = text.data != NULL;
    berth__sym name = ok ? berth__intern_add(&search->model->strings, text, &ok) : 0;
    return ok ? name : 0;
}

static bool fill_result(const berth__device_search *search, const berth__taken_device *taken,
                        berth__arena *arena, berth__device_result *out)
{
    const berth__device_line *line = &search->lines[taken->line];
    const berth__device *device = taken->offer->device;
    *out = (berth__device_result){
        .request = request_name(search, line, arena),
        .driver = taken->offer->slice->facts->driver,
        .pool = taken->offer->slice->facts->pool,
        .device = device->name,
        .admin_access = line->ask->admin_access,
        .binding_conditions = device->binding_conditions,
        .binding_condition_count = device->binding_condition_count,
        .binding_failures = device->binding_failures,
        .binding_failure_count = device->binding_failure_count,
    };
    if (out->request == 0)
        return false;
    if (!taken->shares)
        return true;
    berth__consumed_capacity *consumed =
        berth__arena_alloc(arena, (device->capacity_count + 1) * sizeof(*consumed), 16);
    if (consumed == NULL)
        return false;
    for (uint32_t i = 0; i < device->capacity_count; i++)
        consumed[i] = (berth__consumed_capacity){.name = device->capacities[i].name,
                                                 .value = search->amounts[taken->consumed + i]};
    out->share_id = search->model->known.empty; /* the value does not matter here */
    out->consumed = consumed;
    out->consumed_count = device->capacity_count;
    return true;
}

bool berth__device_search_allocation(const berth__device_search *search, uint32_t claim,
                                     berth__arena *arena, berth__device_allocation *out)
{
    *out = (berth__device_allocation){.allocated_ns = INT64_MIN};
    berth__device_result *results =
        berth__arena_alloc(arena, (search->states[claim].result_count + 1) * sizeof(*results), 16);
    if (results == NULL)
        return false;
    for (uint32_t i = 0; i < search->taken_count; i++)
        if (search->taken[i].claim == claim &&
            !fill_result(search, &search->taken[i], arena, &results[out->result_count++]))
            return false;
    out->results = results;
    return select_nodes(search, claim, arena, out);
}
