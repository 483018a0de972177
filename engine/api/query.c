/* The public functions that ask about a pod without changing anything. */
#include "berth/query.h"

#include "base/error.h"
#include "base/sized.h"
#include "cluster/cluster_read.h"
#include "decide/all_nodes.h"
#include "decide/device_fits.h"
#include "decide/one_node.h"
#include "versions/engine_state.h"

static berth_status find_pod(const berth_engine *engine, berth_pod_id id, uint32_t *index,
                             berth_error *error)
{
    *index = berth__cluster_pod(&engine->cluster, id);
    return *index != BERTH_POD_INDEX_NONE
               ? BERTH_OK
               : berth__error_set(error, BERTH_E_NOT_FOUND, "there is no pod with this id");
}

static berth_status fits(berth_engine *engine, berth_pod_id pod, berth_node_id node, uint32_t flags,
                         berth_fit *out, berth_error *error)
{
    uint32_t index;
    berth__node_verdict verdict;
    BERTH_TRY(find_pod(engine, pod, &index, error));
    if (berth__cluster_present(&engine->cluster, node) == NULL)
        return berth__error_set(error, BERTH_E_NOT_FOUND, "there is no node with this id");
    BERTH_TRY(berth__decider_fits(&engine->decider, index, node, (flags & BERTH_FIT_REASONS) != 0,
                                  &verdict, error));
    const berth_fit fit = {.size = sizeof(fit),
                           .verdict = verdict.verdict,
                           .code = verdict.code,
                           .reason_count = verdict.reason_count,
                           .plugin = verdict.plugin,
                           .reasons = verdict.reason_count > 0 ? verdict.reasons : NULL};
    berth__sized_write(out, &fit, sizeof(fit));
    return BERTH_OK;
}

berth_status berth_engine_fits(berth_engine *engine, berth_pod_id pod, berth_node_id node,
                               uint32_t flags, berth_fit *out, berth_error *error)
{
    static const berth_fit none = {.size = sizeof(none), .verdict = BERTH_VERDICT_ERROR};
    BERTH_TRY(berth__sized_check(out, "berth_fit", error));
    berth__sized_write(out, &none, sizeof(none));
    if ((flags & ~BERTH_FIT_REASONS) != 0)
        return berth__error_set(error, BERTH_E_ARG, "there are no flags %#x", (unsigned)flags);
    BERTH_TRY(berth__engine_enter(engine, error));
    return berth__engine_leave(engine, fits(engine, pod, node, flags, out, error));
}

berth_status berth_engine_feasible_nodes(berth_engine *engine, berth_pod_id pod,
                                         berth_node_id *nodes, int64_t *totals, uint32_t capacity,
                                         uint32_t *count, berth_error *error)
{
    uint32_t index;
    berth__node_list list = {.nodes = nodes, .totals = totals, .capacity = capacity};
    if (count != NULL)
        *count = 0;
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = find_pod(engine, pod, &index, error);
    if (status == BERTH_OK)
        status = berth__decider_list(&engine->decider, index, &list, error);
    if (status == BERTH_OK && count != NULL)
        *count = list.count;
    return berth__engine_leave(engine, status);
}

berth_status berth_engine_device_fits_sized(berth_engine *engine, berth_pod_id pod,
                                            berth_node_id node, berth_device_fit *out, size_t size,
                                            uint32_t capacity, uint32_t *count, berth_error *error)
{
    uint32_t index;
    BERTH_TRY(berth__need(count, "count", error));
    *count = 0;
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = find_pod(engine, pod, &index, error);
    if (status == BERTH_OK)
        status = berth__decider_device_fits(&engine->decider, index, node, out, size, capacity,
                                            count, error);
    return berth__engine_leave(engine, status);
}
