/* Predicates of v1.15 on a node's conditions: CheckNodeCondition, CheckNodeMemoryPressure,
 * CheckNodeDiskPressure, CheckNodePIDPressure. In v1.32 taints replace them.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go. */
#include "legacy/legacy_registry.h"

/* ---- pressure ---- */

/* Clear the slots that have one of these conditions. */
static void clear_with(const berth__question *cycle, uint8_t bits, uint32_t tile, berth__mask *mask)
{
    const uint8_t *conditions = cycle->view->layout->conditions + (size_t)tile * BERTH__TILE;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t having = 0;
        for (uint32_t b = 0; b < 64; b++)
            having |= (uint64_t)((conditions[w * 64 + b] & bits) != 0) << b;
        mask->words[w] &= ~having;
    }
}

/* Memory pressure keeps away only pods without requests and limits, because these suffer first. */
static berth__outcome prepare_memory(berth__prepare *prepare)
{
    return prepare->cycle->cls->request->best_effort ? BERTH__ACTIVE : BERTH__SKIP;
}

/* Defines a predicate `symbol` on one condition. */
#define PRESSURE(symbol, predicate, bit, text, prepare)                              \
    static void filter_##symbol(const berth__question *cycle, const void *instance,  \
                                const void *state, uint32_t tile, berth__mask *mask) \
    {                                                                                \
        (void)instance;                                                              \
        (void)state;                                                                 \
        clear_with(cycle, bit, tile, mask);                                          \
    }                                                                                \
    BERTH__EXPLAIN_ALWAYS(explain_##symbol, BERTH_CODE_UNRESOLVABLE, text)           \
    const berth__plugin_ops berth__plugin_##symbol = {                               \
        .name = predicate,                                                           \
        .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,                  \
        .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_CONDITIONS,                 \
        .prepare_filter = prepare,                                                   \
        .filter = filter_##symbol,                                                   \
        .explain = explain_##symbol,                                                 \
    }

PRESSURE(check_node_memory_pressure, "CheckNodeMemoryPressure", BERTH__NODE_MEMORY_PRESSURE,
         "node(s) had memory pressure", prepare_memory);
PRESSURE(check_node_disk_pressure, "CheckNodeDiskPressure", BERTH__NODE_DISK_PRESSURE,
         "node(s) had disk pressure", NULL);
PRESSURE(check_node_pid_pressure, "CheckNodePIDPressure", BERTH__NODE_PID_PRESSURE,
         "node(s) had pid pressure", NULL);

/* ---- condition ---- */

static void legacy_node_condition_filter_condition(const berth__question *cycle,
                                                   const void *instance, const void *state,
                                                   uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    clear_with(cycle, BERTH__NODE_NOT_READY | BERTH__NODE_NETWORK_UNAVAILABLE, tile, mask);
    const uint64_t *cordoned =
        cycle->view->layout->unschedulable + (size_t)tile * BERTH__TILE_WORDS;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask->words[w] &= ~cordoned[w];
}

static void legacy_node_condition_explain_condition(const berth__question *cycle,
                                                    const void *instance, const void *state,
                                                    uint32_t slot, berth__reasons *reasons)
{
    (void)instance;
    (void)state;
    const berth__node_facts *facts = berth__view_node(cycle->view, slot)->facts;
    if (facts->conditions & BERTH__NODE_NOT_READY)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) were not ready");
    if (facts->conditions & BERTH__NODE_NETWORK_UNAVAILABLE)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) had unavailable network");
    if (facts->unschedulable)
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) were unschedulable");
}

const berth__plugin_ops berth__plugin_check_node_condition = {
    .name = "CheckNodeCondition",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_CONDITIONS | BERTH_WAKE_NODE_TAINTS,
    .filter = legacy_node_condition_filter_condition,
    .explain = legacy_node_condition_explain_condition,
};
