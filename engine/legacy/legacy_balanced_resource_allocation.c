/* BalancedResourceAllocation of v1.15: scores the distance between the used fractions of cpu and
 * memory. Unlike NodeResourcesBalancedAllocation it uses non-zero amounts and the whole distance,
 * and scores a full node 0.
 * Source: Kubernetes v1.15.3, algorithm/priorities/balanced_resource_allocation.go. */
#include "legacy/legacy_registry.h"
#include <math.h>

static double fraction(int64_t used, int64_t ask, int64_t allocatable)
{
    int64_t taken = (int64_t)((uint64_t)used + (uint64_t)ask);
    return allocatable == 0 ? 1 : (double)taken / (double)allocatable;
}

/* The score of one slot, for any amount. Defines the answer. */
static int64_t legacy_balanced_resource_allocation_score_slot(const berth__question *cycle,
                                                              const void *instance,
                                                              const void *state, uint32_t slot)
{
    (void)instance;
    (void)state;
    const berth__request *request = cycle->cls->request;
    berth__tile *tile = cycle->view->tiles[slot / BERTH__TILE];
    uint32_t at = slot % BERTH__TILE;
    double cpu = fraction(tile->nonzero_cpu[at], request->nonzero_cpu,
                          berth__tile_allocatable(tile, BERTH__CPU)[at]);
    double memory = fraction(tile->nonzero_memory[at], request->nonzero_memory,
                             berth__tile_allocatable(tile, BERTH__MEMORY)[at]);
    if (cpu >= 1 || memory >= 1)
        return 0;
    return (int64_t)((1 - fabs(cpu - memory)) * (double)BERTH__SCORE_MAX_LEGACY);
}

static void legacy_balanced_resource_allocation_score(const berth__question *cycle,
                                                      const void *instance, const void *state,
                                                      uint32_t index, const berth__mask *mask,
                                                      int64_t *out)
{
    const berth__request *request = cycle->cls->request;
    berth__tile *tile = cycle->view->tiles[index];
    if (cycle->view->wide || request->nonzero_cpu > BERTH__SMALL_AMOUNT ||
        request->nonzero_memory > BERTH__SMALL_AMOUNT) {
        BERTH__MASK_EACH(mask, s)
        {
            out[s] = legacy_balanced_resource_allocation_score_slot(cycle, instance, state,
                                                                    index * BERTH__TILE + s);
        }
        return;
    }
    cycle->view->kernels->balance_tenths(berth__tile_allocatable(tile, BERTH__CPU),
                                         tile->nonzero_cpu, request->nonzero_cpu,
                                         berth__tile_allocatable(tile, BERTH__MEMORY),
                                         tile->nonzero_memory, request->nonzero_memory, out);
}

const berth__plugin_ops berth__plugin_balanced_resource_allocation = {
    .name = "BalancedResourceAllocation",
    .score = legacy_balanced_resource_allocation_score,
    .score_slot = legacy_balanced_resource_allocation_score_slot,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
