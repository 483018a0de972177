/* Takes one device for one line of a claim, and gives it back.
 * Source: dynamic-resource-allocation v0.36,
 * structured/internal/incubating/allocator_incubating.go, allocateDevice, including the state that
 * it leaves behind. */
#include "base/text.h"
#include "devices/device_search.h"

bool berth__device_is_of_claim(const berth__device_search *search, uint32_t claim,
                               const berth__device_use *use)
{
    for (uint32_t i = search->taken_count; use->taken > 0 && i-- > 0;)
        if (search->taken[i].claim == claim && search->taken[i].offer->use == use &&
            !search->taken[i].shares)
            return true;
    return false;
}

static bool tolerates(const berth__device_toleration *toleration, const berth__device_taint *taint)
{
    if ((toleration->effect != 0 && toleration->effect != taint->effect) ||
        (toleration->key != 0 && toleration->key != taint->key))
        return false;
    return toleration->exists || (toleration->equal && toleration->value == taint->value);
}

bool berth__device_is_tolerated(const berth__device_search *search, const berth__device_line *line,
                                const berth__offer *offer)
{
    const berth__device_ask *ask = line->ask;
    const berth__device *device = offer->device;
    for (uint32_t t = 0; t < device->taint_count; t++) {
        const berth__device_taint *taint = &device->taints[t];
        bool tolerated = taint->effect != search->model->known.no_schedule &&
                         taint->effect != search->model->known.no_execute;
        for (uint32_t i = 0; i < ask->toleration_count && !tolerated; i++)
            tolerated = tolerates(&ask->tolerations[i], taint);
        if (!tolerated)
            return false;
    }
    return true;
}

/* Whether a claim or this search consumes capacity of the device. */
static bool is_entered(const berth__device_search *search, const berth__device_use *use)
{
    return berth__device_is_shared_already(search, use) || use->entered;
}

static berth__step add_to_constraints(berth__device_search *search, uint32_t claim, uint32_t line,
                                      const berth__offer *offer, bool must)
{
    const berth__device_want *want = &search->wants[claim];
    for (uint32_t i = 0; i < want->constraint_count; i++) {
        if (berth__constraint_add(search, claim, i, line, offer))
            continue;
        if (!must) {
            while (i-- > 0)
                berth__constraint_remove(search, claim, i, line);
            return BERTH__STEP_NO;
        }
        berth_str claim_name = berth__device_claim_name(search, claim);
        berth_str name = berth__device_line_name(search, &search->lines[line]);
        berth_str driver = berth__text(search->model, offer->slice->facts->driver);
        berth_str pool = berth__text(search->model, offer->slice->facts->pool);
        berth_str device = berth__text(search->model, offer->device->name);
        BERTH__DEVICE_PROBLEM(
            search,
            "claim %.*s, request %.*s: cannot add device %.*s/%.*s/%.*s because a "
            "claim constraint would not be satisfied",
            (int)claim_name.len, claim_name.data, (int)name.len, name.data, (int)driver.len,
            driver.data, (int)pool.len, pool.data, (int)device.len, device.data);
        return BERTH__STEP_ERROR;
    }
    return BERTH__STEP_YES;
}

/* Note that this search has taken capacity of the device. */
static bool enter(berth__device_search *search, berth__device_use *use)
{
    if (use->entered)
        return true;
    if (!berth__device_search_grow(search, &search->entered, &search->entered_capacity,
                                   search->entered_count + 1, sizeof(*search->entered)))
        return false;
    search->entered[search->entered_count++] = use;
    use->entered = true;
    return true;
}

static void leave(berth__device_search *search, berth__device_use *use)
{
    uint32_t at = 0;
    while (search->entered[at] != use)
        at++;
    search->entered[at] = search->entered[--search->entered_count];
    use->entered = false;
}

static berth__step append(berth__device_search *search, uint32_t line, const berth__offer *offer,
                          bool counted)
{
    const berth__device *device = offer->device;
    uint32_t claim = search->lines[line].claim;
    uint32_t amounts = device->allow_multiple ? device->capacity_count : 0;
    uint32_t at = search->amount_count;
    const bool was_entered = offer->use->entered;
    search->no_memory |=
        !berth__device_search_grow(search, &search->taken, &search->taken_capacity,
                                   search->taken_count + 1, sizeof(*search->taken)) ||
        !berth__device_search_grow(search, &search->amounts, &search->amount_capacity, at + amounts,
                                   sizeof(*search->amounts)) ||
        (device->allow_multiple && !enter(search, offer->use));
    if (search->no_memory)
        return BERTH__STEP_ERROR;
    for (uint32_t i = 0; i < amounts; i++)
        search->amounts[search->amount_count++] =
            berth__device_consumes(&device->capacities[i], &search->lines[line]);
    offer->use->taken += !device->allow_multiple;
    search->taken[search->taken_count++] = (berth__taken_device){.offer = offer,
                                                                 .claim = claim,
                                                                 .line = line,
                                                                 .shares = device->allow_multiple,
                                                                 .counted = counted,
                                                                 .was_entered = was_entered,
                                                                 .consumed = at};
    search->states[claim].result_count++;
    return BERTH__STEP_YES;
}

/* The remaining steps after counters were taken. Until 1.36.2 a refusal leaves the counters taken
 * for the rest of the search, and a refusal for lack of capacity leaves the device in the
 * constraints. */
static berth__step take_counted(berth__device_search *search, uint32_t line,
                                const berth__offer *offer, bool must, bool counted)
{
    const uint32_t claim = search->lines[line].claim;
    if (!berth__device_is_tolerated(search, &search->lines[line], offer))
        return BERTH__STEP_NO;
    const berth__step step = add_to_constraints(search, claim, line, offer, must);
    if (step != BERTH__STEP_YES)
        return step;
    const berth__step fits = berth__device_has_capacity(search, &search->lines[line], offer);
    if (fits == BERTH__STEP_YES)
        return append(search, line, offer, counted);
    for (uint32_t i = search->wants[claim].constraint_count;
         i-- > 0 && search->model->behaviours.devices_roll_back;)
        berth__constraint_remove(search, claim, i, line);
    return fits;
}

berth__step berth__device_take(berth__device_search *search, uint32_t line,
                               const berth__offer *offer, bool must)
{
    const berth__device *device = offer->device;
    const berth__device_use *use = offer->use;
    const berth__device_ask *ask = search->lines[line].ask;
    uint32_t claim = search->lines[line].claim;
    if (!device->allow_multiple && ask->admin_access &&
        berth__device_is_of_claim(search, claim, use))
        return BERTH__STEP_NO;
    if (!ask->admin_access && (use->whole > 0 || use->taken > 0))
        return BERTH__STEP_NO;
    const bool counted =
        device->consume_count > 0 && !(device->allow_multiple && is_entered(search, use));
    berth__step step = counted ? berth__device_count(search, offer) : BERTH__STEP_YES;
    if (step != BERTH__STEP_YES)
        return step;
    step = take_counted(search, line, offer, must, counted);
    if (step != BERTH__STEP_YES && counted && search->model->behaviours.devices_roll_back)
        berth__device_uncount(search, offer);
    return step;
}

/* Whether this search no longer takes any of the device's capacity. */
static bool nothing_left(const berth__device_search *search, const berth__offer *offer)
{
    for (uint32_t i = 0; i < search->taken_count; i++)
        if (search->taken[i].offer == offer && search->taken[i].shares)
            for (uint32_t k = 0; k < offer->device->capacity_count; k++)
                if (search->amounts[search->taken[i].consumed + k] != 0)
                    return false;
    return true;
}

void berth__device_release(berth__device_search *search)
{
    const berth__taken_device *last = &search->taken[--search->taken_count];
    const berth__offer *offer = last->offer;
    for (uint32_t i = 0; i < search->wants[last->claim].constraint_count; i++)
        berth__constraint_remove(search, last->claim, i, last->line);
    search->states[last->claim].result_count--;
    if (!last->shares) {
        offer->use->taken--;
        if (offer->device->consume_count > 0)
            berth__device_uncount(search, offer);
        return;
    }
    search->amount_count = last->consumed;
    if (search->model->behaviours.devices_roll_back) {
        if (last->counted)
            berth__device_uncount(search, offer);
        if (!last->was_entered)
            leave(search, offer->use);
        return;
    }
    /* If the device has no capacities, its entry is never removed. */
    if (offer->device->capacity_count > 0 && offer->use->entered && nothing_left(search, offer))
        leave(search, offer->use);
}
