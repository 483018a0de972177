/* Devices for fuzzed operations: slices of a few nodes, classes, claims in all states, and pods
 * that name claims. */
#include "operation_pool.h"

#include <string.h>

enum { SLICES = 4, CLASSES = 2, CLAIMS = 6, DEVICES = 3 };

static berth_str numbered(operation_pool *pool, const char *prefix, uint32_t number)
{
    return naive_str(naive_print(&pool->gen.region, "%s%u", prefix, number));
}

static void *copy(operation_pool *pool, const void *items, size_t bytes)
{
    return memcpy(naive_alloc(&pool->gen.region, bytes), items, bytes);
}

/* A valid selector, one that is not CEL, or one of an unknown kind. */
static const berth_cel_selector *some_selector(operation_pool *pool, uint32_t *count)
{
    static const berth_cel_selector selectors[] = {
        {true, {"device.driver == 'gpu.x'", 24}, NULL},
        {true, {"device.attributes['gpu.x'].size > 1", 35}, NULL},
        {true, {"device.", 7}, NULL},
        {false, {NULL, 0}, NULL},
    };
    *count = gen_below(&pool->gen, 2);
    return &selectors[gen_below(&pool->gen, 4)];
}

static const void *make_slice(operation_pool *pool, uint32_t number)
{
    berth_slice_device devices[DEVICES] = {0};
    const berth_slice_attribute size = {
        .name = BERTH_STR("size"), .kind = BERTH_ATTRIBUTE_INT, .number = gen_below(&pool->gen, 4)};
    const berth_slice_capacity memory = {.name = BERTH_STR("memory"),
                                         .value = {1 + gen_below(&pool->gen, 4), 0}};
    const berth_taint taint = {.key = BERTH_STR("bad"), .effect = BERTH_STR("NoSchedule")};
    for (uint32_t i = 0; i < DEVICES; i++) {
        devices[i].name = numbered(pool, "d", i);
        devices[i].attributes = copy(pool, &size, sizeof(size));
        devices[i].attribute_count = gen_below(&pool->gen, 2);
        devices[i].capacities = copy(pool, &memory, sizeof(memory));
        devices[i].capacity_count = gen_below(&pool->gen, 2);
        devices[i].taints = copy(pool, &taint, sizeof(taint));
        devices[i].taint_count = gen_chance(&pool->gen, 20);
        devices[i].allow_multiple_allocations = gen_chance(&pool->gen, 20);
    }
    const bool everywhere = gen_chance(&pool->gen, 25);
    const berth_resource_slice slice = {
        .meta = {.name = numbered(pool, "slice", number)},
        .driver = gen_chance(&pool->gen, 80) ? BERTH_STR("gpu.x") : BERTH_STR("nic.y"),
        .pool = numbered(pool, "pool", number % 3),
        .pool_generation = gen_below(&pool->gen, 3),
        .pool_slice_count = 1 + gen_below(&pool->gen, 2),
        .node_name = everywhere ? (berth_str){0} : pool->node[number % pool->nodes][0]->meta.name,
        .all_nodes = everywhere,
        .devices = copy(pool, devices, sizeof(devices)),
        .device_count = gen_below(&pool->gen, DEVICES + 1)};
    return copy(pool, &slice, sizeof(slice));
}

static const void *make_class(operation_pool *pool, uint32_t number)
{
    berth_device_class class = {.meta = {.name = numbered(pool, "class", number)}};
    class.selectors = some_selector(pool, &class.selector_count);
    if (gen_chance(&pool->gen, 30))
        class.extended_resource = BERTH_STR("nvidia.com/gpu"); /* pods request it */
    return copy(pool, &class, sizeof(class));
}

static const void *make_claim(operation_pool *pool, uint32_t number)
{
    berth_exact_request exact = {
        .class_name = numbered(pool, "class", gen_below(&pool->gen, CLASSES + 1)),
        .allocation_mode = gen_chance(&pool->gen, 80) ? BERTH_STR("ExactCount") : BERTH_STR("All"),
        .count = 1 + gen_below(&pool->gen, 2)};
    exact.selectors = some_selector(pool, &exact.selector_count);
    const berth_claim_request request = {.name = BERTH_STR("r"),
                                         .exactly = copy(pool, &exact, sizeof(exact))};
    const berth_allocated_device device = {.request = BERTH_STR("r"),
                                           .driver = BERTH_STR("gpu.x"),
                                           .pool = numbered(pool, "pool", number % 3),
                                           .device = numbered(pool, "d", number % DEVICES)};
    const berth_claim_allocation allocation = {.results = copy(pool, &device, sizeof(device)),
                                               .result_count = 1};
    const berth_metadata *pod = &pool->pods[gen_below(&pool->gen, POOL_PODS)][0]->meta;
    const berth_claim_consumer consumer = {
        .resource = BERTH_STR("pods"), .name = pod->name, .uid = pod->uid};
    berth_resource_claim claim = {
        .meta = {.name = numbered(pool, "device-claim", number),
                 .namespace_name = number % 2 == 0 ? BERTH_STR("default") : BERTH_STR("prod"),
                 .uid = numbered(pool, "claim-uid", number)},
        .requests = copy(pool, &request, sizeof(request)),
        .request_count = 1};
    if (gen_chance(&pool->gen, 40))
        claim.allocation = copy(pool, &allocation, sizeof(allocation));
    if (claim.allocation != NULL && gen_chance(&pool->gen, 50)) {
        claim.reserved_for = copy(pool, &consumer, sizeof(consumer));
        claim.reserved_for_count = 1;
    }
    return copy(pool, &claim, sizeof(claim));
}

static void make_all(operation_pool *pool, berth_kind kind, uint32_t names,
                     const void *(*make)(operation_pool *, uint32_t))
{
    for (uint32_t i = 0; i < names; i++)
        for (uint32_t v = 0; v < POOL_VERSIONS; v++) {
            pool->others[kind][i][v].kind = kind;
            pool->others[kind][i][v].as.any = make(pool, i);
        }
    pool->names[kind] = names;
}

/* Some of the pods, in all of their versions, have a claim each. */
static void want_claims(operation_pool *pool)
{
    for (uint32_t p = 0; p < POOL_PODS; p += 5) {
        const berth_pod_claim claim = {
            .name = BERTH_STR("dev"),
            .claim = numbered(pool, "device-claim", gen_below(&pool->gen, CLAIMS))};
        for (uint32_t v = 0; v < POOL_VERSIONS; v++) {
            berth_pod *pod = copy(pool, pool->pods[p][v], sizeof(*pod));
            pod->resource_claims = copy(pool, &claim, sizeof(claim));
            pod->resource_claim_count = 1;
            pool->pods[p][v] = pod;
        }
    }
}

void operation_pool_add_devices(operation_pool *pool)
{
    make_all(pool, BERTH_KIND_RESOURCE_SLICE, SLICES, make_slice);
    make_all(pool, BERTH_KIND_DEVICE_CLASS, CLASSES, make_class);
    make_all(pool, BERTH_KIND_RESOURCE_CLAIM, CLAIMS, make_claim);
    want_claims(pool);
}
