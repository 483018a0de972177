/* Takes a device during a search and puts it back, including the state that the scheduler leaves
 * behind when it refuses a device. */
#include <string.h>

#include "naive_devices.h"

bool naive_is_result(const berth_allocated_device *result, const naive_device *device)
{
    return naive_same(result->driver, device->slice->driver) &&
           naive_same(result->pool, device->slice->pool) &&
           naive_same(result->device, device->device->name);
}

static bool is_allocated(const naive_search *s, const naive_device *device)
{
    NAIVE_EACH_RESULT(s, result)
    {
        if (result->share_id.len == 0 && naive_is_result(result, device)) {
            return true;
        }
    }
    return false;
}

static bool is_taken(const naive_search *s, const naive_device *device, size_t claim, bool any)
{
    for (size_t i = 0; i < s->take_count; i++) {
        const naive_take *take = &s->takes[i];
        if (!take->device.device->allow_multiple_allocations &&
            take->device.device == device->device && (any || take->claim == claim)) {
            return true;
        }
    }
    return false;
}

/* ---- capacity ---- */

static naive_nanos round_up(naive_nanos value, naive_nanos from, naive_nanos step)
{
    int64_t v = naive_value(value), low = naive_value(from), by = naive_value(step);
    int64_t steps = by > 0 ? (v - low) / by + ((v - low) % by != 0) : 0;
    int64_t rounded = (int64_t)((uint64_t)low + (uint64_t)steps * (uint64_t)by); /* may wrap */
    return (naive_nanos)rounded * 1000000000;
}

/* The amount of a capacity that a request takes. */
static naive_nanos taken_amount(const berth_slice_capacity *capacity, bool asked, naive_nanos value)
{
    const berth_request_policy *policy = capacity->policy;
    naive_nanos whole = naive_amount(capacity->value);
    if (!asked) {
        return policy != NULL && policy->has_default ? naive_amount(policy->default_amount) : whole;
    }
    if (policy == NULL) {
        return value;
    }
    if (policy->has_range) {
        naive_nanos min = naive_amount(policy->min);
        if (value < min) {
            return min;
        }
        return policy->has_step ? round_up(value, min, naive_amount(policy->step)) : value;
    }
    for (uint32_t i = 0; i < policy->valid_value_count; i++) {
        if (naive_amount(policy->valid_values[i]) >= value) {
            return naive_amount(policy->valid_values[i]);
        }
    }
    return value;
}

static bool breaks_policy(const berth_request_policy *policy, naive_nanos value)
{
    if (policy == NULL || (policy->has_default && naive_amount(policy->default_amount) == value)) {
        return false;
    }
    if (policy->has_range) {
        int64_t v = naive_value(value), min = naive_value(naive_amount(policy->min));
        int64_t step = policy->has_step ? naive_value(naive_amount(policy->step)) : 0;
        return (policy->has_max && value > naive_amount(policy->max)) ||
               (step > 0 && (v - min) % step != 0);
    }
    for (uint32_t i = 0; i < policy->valid_value_count; i++) {
        if (naive_amount(policy->valid_values[i]) == value) {
            return false;
        }
    }
    return policy->valid_value_count > 0;
}

static naive_nanos consumed(const naive_search *s, const naive_device *device, berth_str name)
{
    naive_nanos sum = 0, amount;
    NAIVE_EACH_RESULT(s, result)
    {
        if (result->share_id.len > 0 && naive_is_result(result, device) &&
            naive_resource(result->consumed_capacity, name, &amount)) {
            sum += amount;
        }
    }
    for (size_t i = 0; i < s->take_count; i++) {
        const naive_take *take = &s->takes[i];
        if (take->device.device == device->device &&
            naive_resource(take->consumed, name, &amount)) {
            sum += amount;
        }
    }
    return sum;
}

static bool knows_capacity(const naive_device *device, berth_str name)
{
    for (uint32_t i = 0; i < device->device->capacity_count; i++) {
        if (naive_same(device->device->capacities[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* The canonical text of an amount, with the kind of suffix that makes it shorter. */
static const char *amount_text(naive_region *region, naive_nanos amount)
{
    static const char *const tens[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
    static const char *const twos[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    int ten = 0, two = 0;
    int64_t units = naive_value(amount);
    bool whole = (naive_nanos)units * 1000000000 == amount;
    for (; ten < 9 && amount % 1000 == 0; ten++) {
        amount /= 1000;
    }
    for (; whole && two < 6 && units % 1024 == 0; two++) {
        units /= 1024;
    }
    const int64_t high = (int64_t)(amount / 1000000000), low = (int64_t)(amount % 1000000000);
    const char *decimal =
        high > 0 ? naive_print(region, "%lld%09lld%s", (long long)high, (long long)low, tens[ten])
                 : naive_print(region, "%lld%s", (long long)low, tens[ten]);
    const char *binary = naive_print(region, "%lld%s", (long long)units, twos[two]);
    return two > 0 && strlen(binary) < strlen(decimal) ? binary : decimal;
}

/* Why the amount that a request takes of a capacity can't be computed, since 1.37; NULL: it can. */
static const char *amount_problem(const naive_search *s, const berth_slice_capacity *capacity,
                                  naive_nanos wanted)
{
    const berth_request_policy *policy = capacity->policy;
    if (policy == NULL || !policy->has_range || !policy->has_step ||
        wanted < naive_amount(policy->min)) {
        return NULL;
    }
    const char *request = amount_text(s->a->region, wanted);
    const naive_nanos most = INT64_MAX;
    if (wanted > most * 1000000000) {
        return naive_print(s->a->region, "request %s exceeds MaxInt64", request);
    }
    naive_nanos min = naive_value(naive_amount(policy->min));
    naive_nanos step = naive_value(naive_amount(policy->step));
    naive_nanos steps = (naive_value(wanted) - min + step - 1) / step;
    return min + steps * step > most
               ? naive_print(s->a->region,
                             "rounding request %s up to the next step passes MaxInt64", request)
               : NULL;
}

const char *naive_capacity_problem(const naive_search *s, const berth_exact_request *ask,
                                   const naive_device *device)
{
    const berth_slice_device *d = device->device;
    naive_nanos wanted;
    for (uint32_t i = 0; i < ask->capacity.count; i++) {
        if (s->a->cluster->kubernetes < 37 ||
            !knows_capacity(device, ask->capacity.items[i].name)) {
            return NULL;
        }
    }
    for (uint32_t i = 0; i < d->capacity_count; i++) {
        const berth_slice_capacity *capacity = &d->capacities[i];
        const char *problem = naive_resource(ask->capacity, capacity->name, &wanted)
                                  ? amount_problem(s, capacity, wanted)
                                  : NULL;
        if (problem != NULL) {
            return naive_print(s->a->region,
                               "capacity \"%.*s\": capacity request cannot be represented in the "
                               "device's range arithmetic: %s",
                               NAIVE_TEXT(capacity->name), problem);
        }
    }
    return NULL;
}

/* Does the device have the requested capacity? `whole`: would it have it if none of it were in use?
 * `*out`, if not NULL, receives the amount that it takes of each capacity. */
bool naive_capacity_fits(const naive_search *s, const berth_exact_request *ask,
                         const naive_device *device, bool whole, berth_resources *out)
{
    const berth_slice_device *d = device->device;
    berth_resource *items = naive_alloc(s->a->region, (d->capacity_count + 1) * sizeof(*items));
    for (uint32_t i = 0; i < ask->capacity.count; i++) {
        if (!knows_capacity(device, ask->capacity.items[i].name)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < d->capacity_count; i++) {
        const berth_slice_capacity *capacity = &d->capacities[i];
        naive_nanos wanted = 0;
        bool asked = naive_resource(ask->capacity, capacity->name, &wanted);
        naive_nanos value = taken_amount(capacity, asked, wanted);
        if (breaks_policy(capacity->policy, value) ||
            (whole ? 0 : consumed(s, device, capacity->name)) + value >
                naive_amount(capacity->value)) {
            return false;
        }
        items[i] = (berth_resource){capacity->name,
                                    {(int64_t)(value / 1000000000), (int32_t)(value % 1000000000)}};
    }
    if (out != NULL) {
        *out = (berth_resources){items, d->capacity_count};
    }
    return true;
}

/* ---- counters ---- */

/* Until v1.36 a pool is identified by its name alone, whatever its driver. */
static bool is_of_pool(const naive_search *s, const naive_counter *c, berth_str driver,
                       berth_str pool)
{
    return naive_same(c->pool, pool) &&
           (s->a->cluster->kubernetes < 37 || naive_same(c->driver, driver));
}

static naive_counter *counter_of(naive_search *s, const berth_resource_slice *slice, berth_str set,
                                 berth_str name)
{
    for (size_t i = 0; i < s->counter_count; i++) {
        naive_counter *c = &s->counters[i];
        if (is_of_pool(s, c, slice->driver, slice->pool) && naive_same(c->set, set) &&
            naive_same(c->name, name)) {
            return c;
        }
    }
    return NULL;
}

static void change_counters(naive_search *s, const naive_device *device, int sign, bool available)
{
    for (uint32_t i = 0; i < device->device->consumes_counter_count; i++) {
        const berth_slice_counters *set = &device->device->consumes_counters[i];
        for (uint32_t n = 0; n < set->counters.count; n++) {
            naive_counter *c = counter_of(s, device->slice, set->name, set->counters.items[n].name);
            if (c != NULL) {
                *(available ? &c->available : &c->used) +=
                    sign * naive_amount(set->counters.items[n].amount);
            }
        }
    }
}

static bool is_in_use(const naive_search *s, const naive_device *device)
{
    NAIVE_EACH_RESULT(s, result)
    {
        if (naive_is_result(result, device)) {
            return true;
        }
    }
    return false;
}

/* Does a pool also use slices other than those visible from the node? */
static bool looks_around(const naive_pool *pool)
{
    return (int64_t)pool->slice_count != pool->slices[0]->pool_slice_count;
}

static bool is_visible(const naive_pool *pool, const berth_resource_slice *slice)
{
    for (size_t i = 0; i < pool->slice_count; i++) {
        if (pool->slices[i] == slice) {
            return true;
        }
    }
    return false;
}

/* The counters of the first pool of that name, minus the use by its devices on any node. If all of
 * its slices are visible from this node, only those slices count. */
static void open_counters(naive_search *s, const naive_pool *pool)
{
    const naive_objects *all = &s->a->cluster->objects[BERTH_KIND_RESOURCE_SLICE];
    for (size_t i = 0; i < s->counter_count; i++) {
        if (is_of_pool(s, &s->counters[i], pool->driver, pool->name)) {
            return;
        }
    }
    for (size_t i = 0; i < pool->counter_count; i++) {
        for (uint32_t c = 0; c < pool->counters[i]->shared_counter_count; c++) {
            const berth_slice_counters *set = &pool->counters[i]->shared_counters[c];
            for (uint32_t n = 0; n < set->counters.count; n++) {
                naive_counter counter = {.driver = pool->driver,
                                         .pool = pool->name,
                                         .set = set->name,
                                         .name = set->counters.items[n].name,
                                         .available = naive_amount(set->counters.items[n].amount)};
                APPEND(s->a->region, s->counters, s->counter_count, counter);
            }
        }
    }
    for (size_t i = 0; i < all->count; i++) {
        const berth_resource_slice *slice = all->items[i];
        const bool counts = naive_pool_has(pool, slice) &&
                            slice->pool_generation == pool->generation &&
                            (looks_around(pool) || is_visible(pool, slice));
        for (uint32_t d = 0; counts && d < slice->device_count; d++) {
            const naive_device device = {slice, &slice->devices[d], NULL};
            if (is_in_use(s, &device)) {
                change_counters(s, &device, -1, true);
            }
        }
    }
}

static bool counters_suffice(naive_search *s, const naive_device *device)
{
    open_counters(s, device->pool);
    change_counters(s, device, 1, false);
    for (size_t i = 0; i < s->counter_count; i++) {
        const naive_counter *c = &s->counters[i];
        if (is_of_pool(s, c, device->slice->driver, device->slice->pool) &&
            c->available < c->used) {
            change_counters(s, device, -1, false);
            return false;
        }
    }
    return true;
}

/* Is some of its capacity in use? Then its counters are already taken. */
static bool is_shared_already(const naive_search *s, const naive_device *device)
{
    for (size_t i = 0; i < s->take_count; i++) {
        if (s->takes[i].device.device == device->device) {
            return true;
        }
    }
    NAIVE_EACH_RESULT(s, result)
    {
        if (result->share_id.len > 0 && naive_is_result(result, device) &&
            (s->a->cluster->kubernetes >= 37 || result->consumed_capacity.count > 0)) {
            return true;
        }
    }
    return false;
}

/* ---- taints and constraints ---- */

static bool tolerates(const berth_exact_request *ask, const berth_taint *taint)
{
    for (uint32_t i = 0; i < ask->toleration_count; i++) {
        const berth_toleration *t = &ask->tolerations[i];
        bool equal = t->op.len == 0 || naive_is(t->op, "Equal");
        if ((t->effect.len == 0 || naive_same(t->effect, taint->effect)) &&
            (t->key.len == 0 || naive_same(t->key, taint->key)) &&
            (naive_is(t->op, "Exists") || (equal && naive_same(t->value, taint->value)))) {
            return true;
        }
    }
    return false;
}

static bool is_selected(const berth_device_taint_rule *rule, const naive_device *device)
{
    return rule->has_selector &&
           (rule->driver.data == NULL || naive_same(rule->driver, device->slice->driver)) &&
           (rule->pool.data == NULL || naive_same(rule->pool, device->slice->pool)) &&
           (rule->device.data == NULL || naive_same(rule->device, device->device->name));
}

static bool prevents(const berth_exact_request *ask, const berth_taint *taint)
{
    return (naive_is(taint->effect, "NoSchedule") || naive_is(taint->effect, "NoExecute")) &&
           !tolerates(ask, taint);
}

static bool tolerates_all(const naive_search *s, const berth_exact_request *ask,
                          const naive_device *device)
{
    const naive_objects *rules = &s->a->cluster->objects[BERTH_KIND_DEVICE_TAINT_RULE];
    for (size_t i = 0; i < rules->count && s->a->cluster->kubernetes >= 37; i++) {
        const berth_device_taint_rule *rule = rules->items[i];
        if (is_selected(rule, device) && prevents(ask, &rule->taint)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < device->device->taint_count; i++) {
        if (prevents(ask, &device->device->taints[i])) {
            return false;
        }
    }
    return true;
}

static const berth_slice_attribute *attribute_named(const naive_device *device, berth_str name)
{
    for (uint32_t i = 0; i < device->device->attribute_count; i++) {
        if (naive_same(device->device->attributes[i].name, name)) {
            return &device->device->attributes[i];
        }
    }
    return NULL;
}

/* Finds the attribute by its exact name, or, in the driver's domain, by the bare name. */
static const berth_slice_attribute *attribute_of(const naive_device *device, berth_str name)
{
    const berth_slice_attribute *exact = attribute_named(device, name);
    berth_str driver = device->slice->driver;
    if (exact != NULL || name.len <= driver.len || name.data[driver.len] != '/' ||
        memcmp(name.data, driver.data, driver.len) != 0) {
        return exact;
    }
    return attribute_named(device,
                           (berth_str){name.data + driver.len + 1, name.len - driver.len - 1});
}

static bool same_value(const berth_slice_attribute *a, const berth_slice_attribute *b)
{
    return a->kind == b->kind && (a->kind == BERTH_ATTRIBUTE_INT || a->kind == BERTH_ATTRIBUTE_BOOL
                                      ? a->number == b->number
                                      : naive_same(a->text, b->text));
}

static bool names_request(const berth_claim_constraint *constraint, const naive_device_ask *ask)
{
    return constraint->requests.count == 0 || naive_in(constraint->requests, ask->request->name) ||
           naive_in(constraint->requests, naive_str(ask->name));
}

static naive_bond *bond_of(naive_search *s, size_t claim, const berth_claim_constraint *constraint)
{
    for (size_t i = 0; i < s->bond_count; i++) {
        if (s->bonds[i].constraint == constraint && s->bonds[i].claim == claim) {
            return &s->bonds[i];
        }
    }
    const naive_bond made = {.claim = claim, .constraint = constraint};
    APPEND(s->a->region, s->bonds, s->bond_count, made);
    return &s->bonds[s->bond_count - 1];
}

static bool matches(naive_bond *bond, const berth_slice_attribute *value)
{
    if (bond->count == 0) {
        bond->value = value;
    } else if (!same_value(bond->value, value)) {
        return false;
    }
    bond->count++;
    return true;
}

/* One value is remembered for each request; since v1.37 for each device. */
static bool differs(naive_search *s, naive_bond *bond, berth_str request,
                    const berth_slice_attribute *value)
{
    for (size_t i = 0; bond->count > 0 && i < bond->slot_count; i++) {
        if (bond->slots[i].value != NULL && same_value(bond->slots[i].value, value)) {
            return false;
        }
    }
    bond->count++;
    for (size_t i = 0; i < bond->slot_count && s->a->cluster->kubernetes < 37; i++) {
        if (naive_same(bond->slots[i].request, request)) {
            bond->slots[i].value = value;
            return true;
        }
    }
    const naive_bond_slot slot = {request, value};
    APPEND(s->a->region, bond->slots, bond->slot_count, slot);
    return true;
}

static void untie(naive_search *s, const naive_device_ask *ask,
                  const berth_claim_constraint *constraint)
{
    naive_bond *bond = bond_of(s, ask->claim, constraint);
    bond->count--;
    if (s->a->cluster->kubernetes >= 37) {
        bond->slot_count -= constraint->distinct_attribute.len > 0;
        return;
    }
    for (size_t i = 0; constraint->distinct_attribute.len > 0 && i < bond->slot_count; i++) {
        if (naive_same(bond->slots[i].request, ask->request->name)) {
            bond->slots[i].value = NULL;
        }
    }
}

static bool tie(naive_search *s, const naive_device_ask *ask,
                const berth_claim_constraint *constraint, const naive_device *device)
{
    bool same = constraint->match_attribute.len > 0;
    const berth_slice_attribute *value =
        attribute_of(device, same ? constraint->match_attribute : constraint->distinct_attribute);
    naive_bond *bond = bond_of(s, ask->claim, constraint);
    return value != NULL &&
           (same ? matches(bond, value) : differs(s, bond, ask->request->name, value));
}

static void untie_first(naive_search *s, const naive_device_ask *ask, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (names_request(&ask->of->constraints[i], ask)) {
            untie(s, ask, &ask->of->constraints[i]);
        }
    }
}

static bool tie_all(naive_search *s, const naive_device_ask *ask, const naive_device *device)
{
    for (uint32_t i = 0; i < ask->of->constraint_count; i++) {
        const berth_claim_constraint *constraint = &ask->of->constraints[i];
        if (names_request(constraint, ask) && !tie(s, ask, constraint, device)) {
            untie_first(s, ask, i);
            return false;
        }
    }
    return true;
}

/* ---- taking a device ---- */

bool naive_device_free(const naive_search *s, const naive_device_ask *ask,
                       const naive_device *device)
{
    if (ask->exact->admin_access) {
        return !is_taken(s, device, ask->claim, false);
    }
    /* A claim may have a device of the same name in the same pool, on another node, to itself. */
    return !is_allocated(s, device) && !is_taken(s, device, 0, true);
}

naive_found naive_fail(naive_search *s, const char *text)
{
    s->problem = text;
    return NAIVE_FAILED;
}

static bool rolls_back(const naive_search *s)
{
    uint32_t kubernetes = s->a->cluster->kubernetes;
    return kubernetes > 36 || (kubernetes == 36 && !s->a->cluster->early_patch);
}

/* Take back the counts, if this version of the scheduler does. */
static void uncount(naive_search *s, const naive_take *take)
{
    if (rolls_back(s) && take->counted) {
        change_counters(s, &take->device, -1, false);
    }
}

/* Returns NAIVE_SOLVED if the device is taken. A refusal by taint, constraint or capacity leaves
 * the same state behind as in the scheduler. */
naive_found naive_take_device(naive_search *s, const naive_device_ask *ask,
                              const naive_device *device, bool must)
{
    bool multi = device->device->allow_multiple_allocations;
    naive_take made = {.ask = ask, .claim = ask->claim, .device = *device};
    if (!naive_device_free(s, ask, device)) {
        return NAIVE_NONE;
    }
    made.counted =
        device->device->consumes_counter_count > 0 && !(multi && is_shared_already(s, device));
    if (made.counted && !counters_suffice(s, device)) {
        return NAIVE_NONE;
    }
    if (!tolerates_all(s, ask->exact, device)) {
        uncount(s, &made);
        return NAIVE_NONE;
    }
    if (!tie_all(s, ask, device)) {
        uncount(s, &made);
        return !must ? NAIVE_NONE
                     : naive_fail(s,
                                  naive_print(s->a->region,
                                              "claim %s, request %.*s: cannot add device "
                                              "%.*s/%.*s/%.*s because a claim constraint would not "
                                              "be satisfied",
                                              naive_claim_key(s->a, ask->of),
                                              NAIVE_TEXT(naive_own_name(ask)),
                                              NAIVE_TEXT(device->slice->driver),
                                              NAIVE_TEXT(device->slice->pool),
                                              NAIVE_TEXT(device->device->name)));
    }
    if (!naive_capacity_fits(s, ask->exact, device, false, multi ? &made.consumed : NULL)) {
        if (rolls_back(s)) {
            untie_first(s, ask, ask->of->constraint_count);
        }
        uncount(s, &made);
        return NAIVE_NONE;
    }
    APPEND(s->a->region, s->takes, s->take_count, made);
    return NAIVE_SOLVED;
}

void naive_release_device(naive_search *s)
{
    const naive_take *last = &s->takes[--s->take_count];
    untie_first(s, last->ask, last->ask->of->constraint_count);
    uncount(s, last);
    if (!rolls_back(s) && !last->device.device->allow_multiple_allocations) {
        change_counters(s, &last->device, -1, false);
    }
}
