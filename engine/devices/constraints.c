/* Constraints on the devices of a claim.
 * Source: dynamic-resource-allocation v0.36, structured/internal/incubating: constraint.go,
 * allocator_incubating.go. */
#include "base/text.h"
#include "devices/device_search.h"

struct berth__constraint_state {
    bool *applies;                         /* by line of the claim */
    const berth__device_attribute *common; /* matchAttribute: the common value */
    /* distinctAttribute: by device, its value. Until v1.36: by request, the value of the last
     * device taken for it, or NULL. */
    const berth__device_attribute **values;
    int64_t count;
};

/* Whether a name in a constraint or result refers to a line, or to its request. */
static bool names_line(const berth__device_search *search, berth__sym name,
                       const berth__device_line *line)
{
    if (name == line->request->name)
        return true;
    if (!line->request->first_available)
        return false;
    berth_str text = berth__text(search->model, name);
    berth_str request = berth__text(search->model, line->request->name);
    berth_str ask = berth__text(search->model, line->ask->name);
    return text.len == request.len + 1 + ask.len && text.data[request.len] == '/' &&
           berth__str_eq((berth_str){text.data, request.len}, request) &&
           berth__str_eq((berth_str){text.data + request.len + 1, ask.len}, ask);
}

static bool make_one(berth__device_search *search, uint32_t claim,
                     const berth__device_constraint *source, berth__constraint_state *out)
{
    const berth__device_want *want = &search->wants[claim];
    const uint32_t *first = search->states[claim].first_line;
    uint32_t count = first[want->request_count] - first[0];
    out->applies = berth__arena_alloc_zero(search->plan, (count + 1) * sizeof(bool), 1);
    uint32_t most = want->request_count > BERTH__DEVICE_RESULTS_MAX ? want->request_count
                                                                    : BERTH__DEVICE_RESULTS_MAX;
    out->values =
        berth__arena_alloc_zero(search->plan, (most + 1) * sizeof(berth__device_attribute *), 8);
    if (out->applies == NULL || out->values == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        out->applies[i] = source->request_count == 0;
        for (uint32_t k = 0; k < source->request_count && !out->applies[i]; k++)
            out->applies[i] = names_line(search, source->requests[k], &search->lines[first[0] + i]);
    }
    return true;
}

bool berth__constraints_make(berth__device_search *search, uint32_t claim)
{
    const berth__device_want *want = &search->wants[claim];
    berth__constraint_state *states =
        berth__arena_alloc_zero(search->plan, (want->constraint_count + 1) * sizeof(*states), 8);
    for (uint32_t i = 0; states != NULL && i < want->constraint_count; i++)
        if (!make_one(search, claim, &want->constraints[i], &states[i]))
            return false;
    search->states[claim].constraints = states;
    return states != NULL;
}

void berth__constraints_reset(berth__device_search *search, uint32_t claim)
{
    const berth__device_want *want = &search->wants[claim];
    for (uint32_t i = 0; i < want->constraint_count; i++) {
        berth__constraint_state *state = &search->states[claim].constraints[i];
        state->count = 0;
        for (uint32_t r = 0; r < want->request_count; r++)
            state->values[r] = NULL;
    }
}

static const berth__device_attribute *find(const berth__device *device, berth__sym domain,
                                           berth__sym id)
{
    for (uint32_t i = 0; i < device->attribute_count; i++)
        if (device->attributes[i].name.domain == domain && device->attributes[i].name.id == id)
            return &device->attributes[i];
    return NULL;
}

const berth__device_attribute *
berth__constraint_attribute(const berth__device_constraint *constraint, const berth__offer *offer)
{
    berth__device_name name = constraint->match.id != 0 ? constraint->match : constraint->distinct;
    const berth__device_attribute *found = find(offer->device, name.domain, name.id);
    if (found == NULL && name.domain != 0 && name.domain == offer->slice->facts->driver)
        found = find(offer->device, 0, name.id);
    return found;
}

static bool equal(const berth__device_attribute *a, const berth__device_attribute *b)
{
    return a->kind == b->kind && a->kind != BERTH__ATTRIBUTE_UNSUPPORTED && a->text == b->text &&
           a->number == b->number;
}

/* The index of a line's request in the claim. */
static uint32_t request_of(const berth__device_search *search, uint32_t claim, uint32_t line)
{
    return (uint32_t)(search->lines[line].request - search->wants[claim].requests);
}

static bool is_new(const berth__constraint_state *state, uint32_t value_count,
                   const berth__device_attribute *attribute)
{
    for (uint32_t i = 0; i < value_count; i++)
        if (state->values[i] != NULL &&
            (attribute->kind == BERTH__ATTRIBUTE_UNSUPPORTED || equal(state->values[i], attribute)))
            return false;
    return true;
}

bool berth__constraint_add(berth__device_search *search, uint32_t claim, uint32_t constraint,
                           uint32_t line, const berth__offer *offer)
{
    const berth__device_want *want = &search->wants[claim];
    const berth__device_constraint *source = &want->constraints[constraint];
    berth__constraint_state *state = &search->states[claim].constraints[constraint];
    if (!state->applies[line - search->states[claim].first_line[0]])
        return true;
    bool matches = source->match.id != 0;
    bool keeps_all = search->model->behaviours.distinct_keeps_all;
    const berth__device_attribute *attribute = berth__constraint_attribute(source, offer);
    if (attribute == NULL)
        return false;
    if (state->count != 0 &&
        (matches
             ? !equal(state->common, attribute)
             : !is_new(state, keeps_all ? (uint32_t)state->count : want->request_count, attribute)))
        return false;
    if (!matches)
        state->values[keeps_all ? (uint32_t)state->count : request_of(search, claim, line)] =
            attribute;
    else if (state->count == 0)
        state->common = attribute;
    state->count = state->count == 0 ? 1 : state->count + 1;
    return true;
}

void berth__constraint_remove(berth__device_search *search, uint32_t claim, uint32_t constraint,
                              uint32_t line)
{
    berth__constraint_state *state = &search->states[claim].constraints[constraint];
    if (!state->applies[line - search->states[claim].first_line[0]])
        return;
    if (search->wants[claim].constraints[constraint].match.id == 0 &&
        !search->model->behaviours.distinct_keeps_all)
        state->values[request_of(search, claim, line)] = NULL;
    state->count--;
}
