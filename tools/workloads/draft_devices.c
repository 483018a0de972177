/* Builds devices: classes, slices and claims. */
#include <assert.h>

#include "cli/words.h"
#include "workloads/draft.h"

/* A list of selectors with only this expression; NULL: none. */
static const berth_cel_selector *add_selector(draft *d, const char *expression)
{
    if (expression == NULL)
        return NULL;
    assert(d->cel_count < DRAFT_LIST_MAX);
    d->cel[d->cel_count] =
        (berth_cel_selector){.has_cel = true, .expression = words_of(expression)};
    return &d->cel[d->cel_count++];
}

void draft_device_class(draft *d, berth_str name, const char *selector)
{
    d->device_class = (berth_device_class){0};
    d->cel_count = 0;
    draft_begin(d, BERTH_KIND_DEVICE_CLASS, &d->device_class.meta, name);
    d->device_class.selectors = add_selector(d, selector);
    d->device_class.selector_count = 1;
}

/* ---- slices ---- */

void draft_slice(draft *d, berth_str driver, berth_str node, const char *part, int64_t slices)
{
    d->slice = (berth_resource_slice){.driver = driver,
                                      .pool = node,
                                      .pool_generation = 1,
                                      .pool_slice_count = slices,
                                      .node_name = node,
                                      .devices = d->devices,
                                      .shared_counters = d->sets};
    draft_begin(
        d, BERTH_KIND_RESOURCE_SLICE, &d->slice.meta,
        draft_text(d, "%.*s-%.*s%s", (int)node.len, node.data, (int)driver.len, driver.data, part));
}

void draft_counter_set(draft *d, berth_str set, const char *counter, int64_t value)
{
    uint32_t at = d->slice.shared_counter_count++;
    assert(at < DRAFT_LIST_MAX);
    d->shared[at] = (berth_resource){words_of(counter), draft_units(value)};
    d->sets[at] = (berth_slice_counters){.name = set, .counters = {&d->shared[at], 1}};
}

void draft_device(draft *d, berth_str name)
{
    uint32_t at = d->slice.device_count++;
    assert(at < DRAFT_DEVICES_MAX);
    d->devices[at] = (berth_slice_device){
        .name = name, .attributes = d->facts[at].attributes, .capacities = d->facts[at].capacities};
}

static draft_device_facts *last_facts(draft *d)
{
    return &d->facts[d->slice.device_count - 1];
}

static berth_slice_device *last_device(draft *d)
{
    return &d->devices[d->slice.device_count - 1];
}

static void add_attribute(draft *d, berth_slice_attribute attribute)
{
    uint32_t at = last_device(d)->attribute_count++;
    assert(at < DRAFT_FACTS_MAX);
    last_facts(d)->attributes[at] = attribute;
}

void draft_device_int(draft *d, const char *name, int64_t value)
{
    add_attribute(d, (berth_slice_attribute){
                         .name = words_of(name), .kind = BERTH_ATTRIBUTE_INT, .number = value});
}

void draft_device_text(draft *d, const char *name, berth_str value)
{
    add_attribute(d, (berth_slice_attribute){
                         .name = words_of(name), .kind = BERTH_ATTRIBUTE_STRING, .text = value});
}

void draft_device_capacity(draft *d, const char *name, berth_quantity value)
{
    uint32_t at = last_device(d)->capacity_count++;
    assert(at < DRAFT_FACTS_MAX);
    last_facts(d)->capacities[at] = (berth_slice_capacity){.name = words_of(name), .value = value};
}

void draft_device_consumes(draft *d, berth_str set, const char *counter, int64_t value)
{
    draft_device_facts *facts = last_facts(d);
    facts->counters[0] = (berth_resource){words_of(counter), draft_units(value)};
    facts->consumes = (berth_slice_counters){.name = set, .counters = {facts->counters, 1}};
    last_device(d)->consumes_counters = &facts->consumes;
    last_device(d)->consumes_counter_count = 1;
}

/* ---- claims ---- */

void draft_device_claim(draft *d, berth_str namespace_name, berth_str name)
{
    d->device_claim = (berth_resource_claim){.requests = d->requests};
    d->ask_count = d->cel_count = 0;
    draft_begin(d, BERTH_KIND_RESOURCE_CLAIM, &d->device_claim.meta, name);
    d->device_claim.meta.namespace_name = namespace_name;
    d->device_claim.meta.uid = name;
}

static const berth_exact_request *add_ask(draft *d, const char *name, const char *class_name,
                                          int64_t count, const char *selector)
{
    assert(d->ask_count < DRAFT_LIST_MAX);
    berth_exact_request *ask = &d->asks[d->ask_count++];
    *ask = (berth_exact_request){.class_name = words_of(class_name),
                                 .allocation_mode = words_of("ExactCount"),
                                 .count = count,
                                 .selectors = add_selector(d, selector),
                                 .selector_count = selector != NULL};
    if (name != NULL)
        ask->name = words_of(name);
    return ask;
}

static berth_claim_request *add_request(draft *d, const char *name)
{
    assert(d->device_claim.request_count < DRAFT_LIST_MAX);
    berth_claim_request *request = &d->requests[d->device_claim.request_count++];
    *request = (berth_claim_request){.name = words_of(name)};
    return request;
}

void draft_ask(draft *d, const char *request, const char *class_name, int64_t count,
               const char *selector)
{
    add_request(d, request)->exactly = add_ask(d, NULL, class_name, count, selector);
}

void draft_ask_or(draft *d, const char *request, const char *name, const char *class_name,
                  int64_t count, const char *selector)
{
    uint32_t requests = d->device_claim.request_count;
    berth_claim_request *of = requests > 0 ? &d->requests[requests - 1] : NULL;
    const berth_exact_request *ask = add_ask(d, name, class_name, count, selector);
    if (of == NULL || !words_equal(of->name, words_of(request))) {
        of = add_request(d, request);
        of->first_available = ask;
    }
    of->first_available_count++;
}

void draft_match(draft *d, const char *attribute)
{
    d->constraint = (berth_claim_constraint){.match_attribute = words_of(attribute)};
    d->device_claim.constraints = &d->constraint;
    d->device_claim.constraint_count = 1;
}

void draft_use_devices(draft *d, berth_str claim)
{
    d->pod_claim = (berth_pod_claim){.name = words_of("devices"), .claim = claim};
    d->pod.resource_claims = &d->pod_claim;
    d->pod.resource_claim_count = 1;
}
