/* The objects of fuzzed operations: a few names of each kind, and several versions of the object
 * with each name, all derived from one number. */
#ifndef BERTH_TESTS_FUZZ_OPERATION_POOL_H
#define BERTH_TESTS_FUZZ_OPERATION_POOL_H

#include "cluster_gen.h"

enum {
    POOL_VERSIONS = 4,
    POOL_PODS = 24,
    POOL_NODES_MAX = 160,
    POOL_NAMES = 10, /* largest number of names of each other kind */
    POOL_PROFILES = 2,
    POOL_SCHEDULERS = 3, /* one of them serves no pod */
};

typedef struct operation_pool {
    cluster_gen gen;
    bool legacy;
    uint64_t seed;
    uint32_t nodes;
    const berth_pod *pods[POOL_PODS][POOL_VERSIONS];
    const berth_node *node[POOL_NODES_MAX][POOL_VERSIONS];
    berth_object others[BERTH_KIND_COUNT][POOL_NAMES][POOL_VERSIONS];
    uint32_t names[BERTH_KIND_COUNT];
    berth_kind kinds[BERTH_KIND_COUNT]; /* the kinds that have names */
    uint32_t kind_count;
    berth_profile profiles[POOL_PROFILES];
} operation_pool;

/* Replace the generator's slices, classes and claims by others (operation_devices.c). Call this
 * after everything else was made. */
void operation_pool_add_devices(operation_pool *pool);

void operation_pool_init(operation_pool *pool, uint64_t seed);
void operation_pool_free(operation_pool *pool);

#endif
