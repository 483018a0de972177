/* Random devices: slices, classes and claims, and pods with claims; for every fourth seed, from
 * Kubernetes 1.34 on. */
#include "cluster_gen_parts.h"

#define DRIVER "gpu.example.com"
#define ROOT "resource.kubernetes.io/root"

bool gen_has_devices(const cluster_gen *g)
{
    return g->devices && g->kubernetes >= 34;
}

/* ---- slices ---- */

static berth_slice_attribute attribute(const char *name, int64_t number)
{
    return (berth_slice_attribute){
        .name = naive_str(name), .kind = BERTH_ATTRIBUTE_INT, .number = number};
}

static berth_taint device_taint(cluster_gen *g)
{
    return (berth_taint){PICK(g, "broken", "old"), PICK(g, "yes", "no"),
                         PICK(g, "NoSchedule", "NoExecute", "None"), NULL};
}

static const berth_request_policy *policy(cluster_gen *g)
{
    berth_request_policy *p = naive_alloc(&g->region, sizeof(*p));
    p->has_default = gen_chance(g, 60);
    p->default_amount = (berth_quantity){2, 0};
    if (gen_chance(g, 50)) {
        p->has_range = p->has_min = true;
        p->min = (berth_quantity){2, 0};
        p->has_max = gen_chance(g, 50);
        p->max = (berth_quantity){8, 0};
        p->has_step = gen_chance(g, 50);
        p->step = (berth_quantity){2, 0};
    } else {
        berth_quantity *values = naive_alloc(&g->region, 3 * sizeof(*values));
        for (uint32_t i = 0; i < 3; i++) {
            values[i] = (berth_quantity){2 + 2 * i, 0};
        }
        p->valid_values = values;
        p->valid_value_count = 3;
    }
    return p;
}

static const berth_slice_counters *counters(cluster_gen *g, uint32_t value)
{
    berth_slice_counters *c = naive_alloc(&g->region, sizeof(*c));
    berth_resource *item = naive_alloc(&g->region, sizeof(*item));
    *item = (berth_resource){naive_str("parts"), {value, 0}};
    *c = (berth_slice_counters){.name = naive_str("set0"), .counters = {item, 1}};
    return c;
}

static berth_slice_device device(cluster_gen *g, uint32_t index, bool counts)
{
    berth_slice_device d = {.name = gen_numbered(g, "d", index)};
    berth_slice_attribute *attributes = naive_alloc(&g->region, 3 * sizeof(*attributes));
    berth_slice_capacity *capacity = naive_alloc(&g->region, sizeof(*capacity));
    attributes[d.attribute_count++] = attribute("k", gen_below(g, 3));
    if (gen_chance(g, 80)) {
        attributes[d.attribute_count++] = attribute(ROOT, gen_below(g, 2));
    }
    if (gen_chance(g, 20)) {
        attributes[d.attribute_count++] = attribute(DRIVER "/k2", gen_below(g, 2));
    }
    d.attributes = attributes;
    *capacity =
        (berth_slice_capacity){.name = naive_str("memory"), .value = {4 + 4 * gen_below(g, 3), 0}};
    if (gen_chance(g, 25)) {
        d.allow_multiple_allocations = true;
        capacity->policy = gen_chance(g, 70) ? policy(g) : NULL;
    }
    d.capacities = capacity;
    d.capacity_count = 1;
    if (gen_chance(g, 15)) {
        d.taints = SOME(g, berth_taint, 2, d.taint_count, device_taint);
    }
    if (counts) {
        d.consumes_counters = counters(g, 1 + gen_below(g, 3));
        d.consumes_counter_count = 1;
    }
    return d;
}

/* Every fourth slice has the counters of the one before it, and no devices. */
static void fill_slice(cluster_gen *g, uint32_t index, berth_resource_slice *s)
{
    bool counts = index % 4 == 2;
    berth_slice_device *devices = naive_alloc(&g->region, 5 * sizeof(*devices));
    s->pool_slice_count = counts || index % 4 == 3 ? 2 : 1;
    if (index % 4 == 3) {
        s->pool = gen_numbered(g, "pool", index - 1);
        s->shared_counters = counters(g, 2 + gen_below(g, 4));
        s->shared_counter_count = 1;
        return;
    }
    s->device_count = 1 + gen_below(g, 4);
    for (uint32_t i = 0; i < s->device_count; i++) {
        devices[i] = device(g, i, counts && gen_chance(g, 80));
    }
    s->devices = devices;
}

/* As a rule, slice i belongs to node i, and its pool is complete. */
static void *gen_slice(cluster_gen *g, uint32_t index)
{
    berth_resource_slice *s = naive_alloc(&g->region, sizeof(*s));
    uint32_t node = index % 4 == 3 ? index - 1 : index;
    s->driver = naive_str(index % 4 > 1 || gen_chance(g, 85) ? DRIVER : "nic.example.com");
    s->pool = gen_numbered(g, "pool", gen_chance(g, 85) ? index : gen_below(g, 3));
    s->pool_generation = 1 + gen_below(g, gen_chance(g, 90) ? 1 : 2);
    fill_slice(g, index, s);
    s->pool_slice_count += gen_chance(g, 5);
    if (gen_chance(g, 92)) {
        s->node_name = gen_numbered(g, "n", node);
    } else {
        s->all_nodes = gen_chance(g, 80);
    }
    return s;
}

/* ---- classes and claims ---- */

static const berth_cel_selector *selector(cluster_gen *g)
{
    berth_cel_selector *s = naive_alloc(&g->region, sizeof(*s));
    *s = (berth_cel_selector){.has_cel = true,
                              .expression =
                                  PICK(g, "device.driver == \"" DRIVER "\"",
                                       "device.attributes[\"" DRIVER "\"].?k.orValue(0) > 0",
                                       "device.capacity[\"" DRIVER "\"].?memory.hasValue()",
                                       "device.attributes[\"" DRIVER "\"].k == 1", "true")};
    return s;
}

static void *gen_device_class(cluster_gen *g)
{
    berth_device_class *c = naive_alloc(&g->region, sizeof(*c));
    if (gen_chance(g, 60)) {
        c->selectors = selector(g);
        c->selector_count = 1;
    }
    if (gen_chance(g, 40)) {
        c->extended_resource = PICK(g, "nvidia.com/gpu", "example.com/fpga");
        c->meta.creation_time_ns = (1 + gen_below(g, 2)) * INT64_C(1000000000);
    }
    return c;
}

/* Adds requests for resources that classes may back. */
void gen_class_requests(cluster_gen *g, berth_resources *list)
{
    naive_nanos there;
    bool has = naive_resource(*list, naive_str("nvidia.com/gpu"), &there);
    if (g->devices && !has && gen_chance(g, 8)) {
        gen_add_resource(g, list, "nvidia.com/gpu", gen_milli(1000 * (1 + gen_below(g, 2))));
    }
    if (g->devices && gen_chance(g, 6)) {
        gen_add_resource(g, list,
                         naive_print(&g->region, "deviceclass.resource.kubernetes.io/%.*s",
                                     NAIVE_TEXT(gen_random_name(g, "devclass", 3))),
                         gen_milli(1000));
    }
}

static berth_toleration toleration(cluster_gen *g)
{
    return (berth_toleration){PICK(g, "broken", "old", ""), PICK(g, "Exists", "Equal"),
                              PICK(g, "yes", "no"), PICK(g, "", "NoSchedule"), NULL};
}

static berth_exact_request exact(cluster_gen *g)
{
    bool all = gen_chance(g, 8);
    berth_exact_request e = {.class_name = gen_random_name(g, "devclass", 3),
                             .allocation_mode = naive_str(all ? "All" : "ExactCount"),
                             .count = all ? 0 : 1 + gen_below(g, gen_chance(g, 70) ? 1 : 3)};
    if (gen_chance(g, 25)) {
        e.selectors = selector(g);
        e.selector_count = 1;
    }
    if (gen_chance(g, 20)) {
        e.tolerations = SOME(g, berth_toleration, 2, e.toleration_count, toleration);
    }
    if (gen_chance(g, 15)) {
        berth_resource *item = naive_alloc(&g->region, sizeof(*item));
        *item = (berth_resource){naive_str("memory"), {1 + gen_below(g, 5), 0}};
        e.capacity = (berth_resources){item, 1};
    }
    return e;
}

static berth_claim_request request(cluster_gen *g, uint32_t index)
{
    berth_claim_request r = {.name = gen_numbered(g, "r", index)};
    berth_exact_request *asks = naive_alloc(&g->region, 2 * sizeof(*asks));
    asks[0] = exact(g);
    if (gen_chance(g, 75)) {
        asks[0].has_admin_access = asks[0].admin_access = gen_chance(g, 8);
        r.exactly = asks;
        return r;
    }
    asks[0].name = naive_str("s0");
    asks[1] = exact(g);
    asks[1].name = naive_str("s1");
    r.first_available = asks;
    r.first_available_count = 2;
    return r;
}

static void *gen_device_claim(cluster_gen *g, uint32_t index)
{
    berth_resource_claim *c = naive_alloc(&g->region, sizeof(*c));
    berth_claim_request *requests = naive_alloc(&g->region, 2 * sizeof(*requests));
    c->meta.namespace_name = naive_str("default");
    c->meta.uid = gen_numbered(g, "devclaim-uid-", index);
    c->request_count = 1 + gen_below(g, 2);
    for (uint32_t i = 0; i < c->request_count; i++) {
        requests[i] = request(g, i);
    }
    c->requests = requests;
    if (gen_chance(g, 25)) {
        berth_claim_constraint *one = naive_alloc(&g->region, sizeof(*one));
        bool same = gen_chance(g, 70);
        *(same ? &one->match_attribute : &one->distinct_attribute) =
            naive_str(gen_chance(g, 70) ? ROOT : DRIVER "/k");
        c->constraints = one;
        c->constraint_count = 1;
    }
    return c;
}

static void *gen_taint_rule(cluster_gen *g)
{
    berth_device_taint_rule *rule = naive_alloc(&g->region, sizeof(*rule));
    rule->has_selector = gen_chance(g, 85);
    rule->driver = gen_chance(g, 50) ? naive_str(DRIVER) : (berth_str){0};
    rule->pool = gen_chance(g, 50) ? gen_numbered(g, "pool", gen_below(g, 4)) : (berth_str){0};
    rule->device = gen_chance(g, 70) ? gen_numbered(g, "d", gen_below(g, 3)) : (berth_str){0};
    rule->taint = device_taint(g);
    return rule;
}

void *gen_device_object(cluster_gen *g, berth_kind kind, uint32_t index)
{
    return kind == BERTH_KIND_RESOURCE_SLICE      ? gen_slice(g, index)
           : kind == BERTH_KIND_DEVICE_CLASS      ? gen_device_class(g)
           : kind == BERTH_KIND_DEVICE_TAINT_RULE ? gen_taint_rule(g)
                                                  : gen_device_claim(g, index);
}

/* ---- pods ---- */

void gen_pod_devices(cluster_gen *g, berth_pod *pod)
{
    if (!gen_has_devices(g) || !gen_chance(g, 45)) {
        return;
    }
    berth_pod_claim *claims = naive_alloc(&g->region, 2 * sizeof(*claims));
    pod->resource_claim_count = gen_chance(g, 85) ? 1 : 2;
    for (uint32_t i = 0; i < pod->resource_claim_count; i++) {
        claims[i] = (berth_pod_claim){.name = gen_numbered(g, "devices", i),
                                      .claim = gen_random_name(g, "devclaim", 12)};
    }
    pod->resource_claims = claims;
}
