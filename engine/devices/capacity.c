/* Capacities of devices that several claims may share.
 * Source: dynamic-resource-allocation v0.36 and v0.37,
 * structured/internal/incubating/consumable_capacity.go. */
#include "base/decimal.h"
#include "devices/device_search.h"

static const __int128 NANOS = 1000000000;

static bool same_name(berth__device_name a, berth__device_name b)
{
    return a.domain == b.domain && a.id == b.id;
}

/* Whole units, rounded away from zero, as quantities do. */
static int64_t units(__int128 nanos)
{
    __int128 whole = nanos / NANOS;
    if (nanos % NANOS != 0)
        whole += nanos > 0 ? 1 : -1;
    return (int64_t)whole;
}

static const __int128 *asked(const berth__device_line *line, berth__device_name name)
{
    for (uint32_t i = 0; i < line->ask->capacity_count; i++)
        if (same_name(line->ask->capacities[i].name, name))
            return &line->ask->capacities[i].value;
    return NULL;
}

/* Round up to the next step of the range. Steps are counted in 64-bit arithmetic that may wrap. */
static __int128 round_up(const berth__device_capacity *capacity, __int128 value)
{
    if (value < capacity->min)
        return capacity->min;
    int64_t step = capacity->has_step ? units(capacity->step) : 0;
    if (step == 0)
        return value;
    int64_t min = units(capacity->min);
    int64_t added = (int64_t)((uint64_t)units(value) - (uint64_t)min);
    int64_t steps = step == -1 ? -added : added / step + (added % step != 0);
    return (__int128)(int64_t)((uint64_t)min + (uint64_t)step * (uint64_t)steps) * NANOS;
}

__int128 berth__device_consumes(const berth__device_capacity *capacity,
                                const berth__device_line *line)
{
    const __int128 *value = asked(line, capacity->name);
    if (value == NULL)
        return capacity->has_policy && capacity->has_default ? capacity->fallback : capacity->value;
    if (!capacity->has_policy)
        return *value;
    if (capacity->policy == BERTH__CAPACITY_RANGE && capacity->has_min)
        return round_up(capacity, *value);
    for (uint32_t i = 0; capacity->policy == BERTH__CAPACITY_VALUES && i < capacity->value_count;
         i++)
        if (*value <= capacity->values[i])
            return capacity->values[i];
    return *value;
}

static bool breaks_policy(const berth__device_capacity *capacity, __int128 value)
{
    if (!capacity->has_policy || (capacity->has_default && value == capacity->fallback))
        return false;
    if (capacity->policy == BERTH__CAPACITY_RANGE) {
        if (capacity->has_max && value > capacity->max)
            return true;
        int64_t step = capacity->has_step ? units(capacity->step) : 0;
        int64_t min = capacity->has_min ? units(capacity->min) : 0;
        int64_t added = (int64_t)((uint64_t)units(value) - (uint64_t)min);
        return step != 0 && step != -1 && added % step != 0;
    }
    bool found = capacity->policy != BERTH__CAPACITY_VALUES || capacity->value_count == 0;
    for (uint32_t i = 0; i < capacity->value_count && !found; i++)
        found = value == capacity->values[i];
    return !found;
}

/* How much of a device's capacity this search has taken. */
static __int128 taken_of(const berth__device_search *search, const berth__device_use *use,
                         uint32_t capacity)
{
    __int128 sum = 0;
    for (uint32_t i = 0; use->entered && i < search->taken_count; i++)
        if (search->taken[i].offer->use == use && search->taken[i].shares)
            sum += search->amounts[search->taken[i].consumed + capacity];
    return sum;
}

/* ---- amounts that overflow ---- */

static bool is_rounded_by_step(const berth__device_capacity *capacity, __int128 value)
{
    return capacity->has_policy && capacity->policy == BERTH__CAPACITY_RANGE && capacity->has_min &&
           capacity->has_step && value >= capacity->min;
}

/* Why an amount does not fit into 64 bits; NULL: it does. */
static const char *range_problem(const berth__device_capacity *capacity, __int128 value)
{
    if (value > (__int128)INT64_MAX * NANOS)
        return "exceeds MaxInt64";
    const int64_t min = units(capacity->min), step = units(capacity->step);
    if (min < 0 || step <= 0)
        return NULL;
    const __int128 steps = ((__int128)units(value) - min + step - 1) / step;
    return steps > (INT64_MAX - min) / step ? "passes MaxInt64" : NULL;
}

/* The canonical text of an amount. Whether it was written with Ki, Mi, ... is not kept; the shorter
 * of the two texts is nearly always the one that was. */
static void write_amount(__int128 nanos, char out[BERTH__DECIMAL_TEXT])
{
    const berth_quantity amount = {.units = (int64_t)(nanos / NANOS),
                                   .nanos = (int32_t)(nanos % NANOS)};
    const size_t length = berth__decimal_write(amount, false, out, BERTH__DECIMAL_TEXT);
    if (berth__decimal_write(amount, true, NULL, 0) < length)
        (void)berth__decimal_write(amount, true, out, BERTH__DECIMAL_TEXT);
}

/* The problem of the amount that would be consumed of a capacity; absent: none. */
static berth_str amount_problem(berth__device_search *search,
                                const berth__device_capacity *capacity,
                                const berth__device_line *line)
{
    const __int128 *value = asked(line, capacity->name);
    if (value != NULL && is_rounded_by_step(capacity, *value)) {
        const char *problem = range_problem(capacity, *value);
        const bool rounding = problem != NULL && problem[0] == 'p';
        char request[BERTH__DECIMAL_TEXT];
        if (problem != NULL) {
            write_amount(*value, request);
            return berth__device_text(search->arena,
                                      "capacity request cannot be represented in the device's "
                                      "range arithmetic: %srequest %s%s %s",
                                      rounding ? "rounding " : "", request,
                                      rounding ? " up to the next step" : "", problem);
        }
    }
    if (berth__device_consumes(capacity, line) < 0)
        return (berth_str){"capacity value is negative", 26};
    return (berth_str){0};
}

/* Whether all amounts that a line requests can be computed; this is checked before any
 * comparison. */
static berth__step check_amounts(berth__device_search *search, const berth__device_line *line,
                                 const berth__offer *offer)
{
    const berth__device *device = offer->device;
    const bool all = line->ask->mode == BERTH__ALLOCATE_ALL;
    for (uint32_t i = 0; i < device->capacity_count; i++) {
        const berth__device_capacity *capacity = &device->capacities[i];
        const berth_str problem = amount_problem(search, capacity, line);
        if (problem.data == NULL)
            continue;
        const berth_str where = all ? berth__text(search->model, device->name)
                                    : berth__device_offer_name(search, offer);
        const berth_str claim = berth__device_claim_name(search, line->claim);
        const berth_str request = berth__device_line_name(search, line);
        const berth_str domain = capacity->name.domain != 0
                                     ? berth__text(search->model, capacity->name.domain)
                                     : (berth_str){"", 0};
        const berth_str id = berth__text(search->model, capacity->name.id);
        BERTH__DEVICE_PROBLEM(
            search,
            "claim %.*s, request %.*s: checking capacity for device %.*s: capacity \"%.*s%s%.*s\": "
            "%.*s",
            (int)claim.len, claim.data, (int)request.len, request.data, (int)where.len, where.data,
            (int)domain.len, domain.data, domain.len > 0 ? "/" : "", (int)id.len, id.data,
            (int)problem.len, problem.data);
        return BERTH__STEP_ERROR;
    }
    return BERTH__STEP_YES;
}

/* ---- comparing ---- */

static bool all_known(const berth__device_line *line, const berth__device *device)
{
    for (uint32_t i = 0; i < line->ask->capacity_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < device->capacity_count && !known; k++)
            known = same_name(line->ask->capacities[i].name, device->capacities[k].name);
        if (!known)
            return false;
    }
    return true;
}

/* Whether the device has the requested capacities left beside what is in use or, if `in_use` is
 * false, would have them if nothing were in use. */
static berth__step ask(berth__device_search *search, const berth__device_line *line,
                       const berth__offer *offer, bool in_use)
{
    const berth__device *device = offer->device;
    if (!all_known(line, device))
        return BERTH__STEP_NO;
    if (search->model->behaviours.capacity_may_fail &&
        check_amounts(search, line, offer) != BERTH__STEP_YES)
        return BERTH__STEP_ERROR;
    for (uint32_t i = 0; i < device->capacity_count; i++) {
        const berth__device_capacity *capacity = &device->capacities[i];
        __int128 value = berth__device_consumes(capacity, line);
        if (breaks_policy(capacity, value))
            return BERTH__STEP_NO;
        if (in_use)
            value += berth__device_use_consumed(offer->use, capacity->name) +
                     taken_of(search, offer->use, i);
        if (value > capacity->value)
            return BERTH__STEP_NO;
    }
    return BERTH__STEP_YES;
}

berth__step berth__device_has_capacity(berth__device_search *search, const berth__device_line *line,
                                       const berth__offer *offer)
{
    return ask(search, line, offer, true);
}

berth__step berth__device_had_capacity(berth__device_search *search, const berth__device_line *line,
                                       const berth__offer *offer)
{
    return ask(search, line, offer, !search->model->behaviours.all_asks_whole_capacity);
}
