/* EqualPriority of v1.15: scores every node 1.
 * Source: Kubernetes v1.15.3, core/generic_scheduler.go, EqualPriorityMap. */
#include "legacy/legacy_registry.h"

static berth__outcome legacy_equal_prepare(berth__prepare *prepare)
{
    prepare->uniform = 1;
    return BERTH__UNIFORM;
}

static void legacy_equal_score(const berth__question *cycle, const void *instance,
                               const void *state, uint32_t tile, const berth__mask *mask,
                               int64_t *out)
{
    (void)cycle;
    (void)instance;
    (void)state;
    (void)tile;
    (void)mask;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        out[s] = 1;
}

const berth__plugin_ops berth__plugin_equal_priority = {
    .name = "EqualPriority",
    .flags = BERTH__STATIC_SCORE,
    .prepare_score = legacy_equal_prepare,
    .score = legacy_equal_score,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
