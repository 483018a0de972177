/* Objects for fuzzed operations, from the generator of the property tests. */
#include "operation_pool.h"

static berth_str some_node(operation_pool *pool)
{
    return pool->node[gen_below(&pool->gen, pool->nodes)][0]->meta.name;
}

/* All versions of a pod have one name; some of them are on a node. */
static void make_pod(operation_pool *pool, uint32_t number)
{
    for (uint32_t v = 0; v < POOL_VERSIONS; v++) {
        const bool placed = gen_chance(&pool->gen, 20);
        berth_pod *pod = naive_alloc(&pool->gen.region, sizeof(*pod));
        *pod = *gen_pod(&pool->gen, number * POOL_VERSIONS + v,
                        placed ? some_node(pool) : (berth_str){0}, POOL_SCHEDULERS);
        if (v > 0) {
            pod->meta.name = pool->pods[number][0]->meta.name;
            pod->meta.namespace_name = pool->pods[number][0]->meta.namespace_name;
            if (gen_chance(&pool->gen, 80))
                pod->meta.uid = pool->pods[number][0]->meta.uid;
        }
        pool->pods[number][v] = pod;
    }
}

static void make_others(operation_pool *pool, berth_kind kind)
{
    uint32_t names = gen_object_names(kind), made = 0;
    names = names < POOL_NAMES ? names : POOL_NAMES;
    for (uint32_t i = 0; i < names; i++) {
        uint32_t v = 0;
        while (v < POOL_VERSIONS && gen_object(&pool->gen, kind, i, &pool->others[kind][made][v]))
            v++;
        made += v == POOL_VERSIONS;
    }
    pool->names[kind] = made;
}

static void list_kinds(operation_pool *pool)
{
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        if (pool->names[kind] > 0)
            pool->kinds[pool->kind_count++] = (berth_kind)kind;
}

static void make_profiles(operation_pool *pool)
{
    const berth_profile *base = berth_profile_default_of(pool->gen.kubernetes);
    for (uint32_t i = 0; i < POOL_PROFILES; i++)
        pool->profiles[i] = pool->legacy ? *gen_legacy_profile(&pool->gen, i)
                                         : *gen_profile(&pool->gen, i, base, NULL, NULL);
}

void operation_pool_init(operation_pool *pool, uint64_t seed)
{
    *pool = (operation_pool){.seed = seed};
    gen_init(&pool->gen, seed, seed % 4 == 0 ? GEN_ALL | GEN_CLAIMS : GEN_ALL);
    pool->legacy = gen_chance(&pool->gen, 12) && GEN_KNOWS_LEGACY;
    pool->gen.kubernetes = pool->legacy ? 32 : 32 + gen_below(&pool->gen, 5);
    /* Few nodes, so that operations affect the same ones; now and then more than fit in one tile of
     * the engine's columns. */
    pool->nodes =
        gen_chance(&pool->gen, 4) ? 120 + gen_below(&pool->gen, 40) : 3 + gen_below(&pool->gen, 14);
    pool->gen.node_names = pool->nodes;
    for (uint32_t i = 0; i < pool->nodes; i++)
        for (uint32_t v = 0; v < POOL_VERSIONS; v++)
            pool->node[i][v] = gen_node(&pool->gen, i);
    for (uint32_t i = 0; i < POOL_PODS; i++)
        make_pod(pool, i);
    for (int kind = 0; kind < BERTH_KIND_COUNT; kind++)
        make_others(pool, (berth_kind)kind);
    if (gen_chance(&pool->gen, 40))
        operation_pool_add_devices(pool);
    list_kinds(pool);
    make_profiles(pool);
}

void operation_pool_free(operation_pool *pool)
{
    gen_free(&pool->gen);
}
