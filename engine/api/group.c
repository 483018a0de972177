/* The public functions that place groups of pods; each group is tried in a transaction. */
#include "berth/transaction.h"

#include <inttypes.h>
#include <stdio.h>

#include "api/group_preemption.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/sized.h"
#include "versions/engine_state.h"

/* End an open transaction by commit or rollback, which do not fail. */
static void end(berth_engine *engine, bool commit)
{
    (void)(commit ? berth_engine_commit(engine, NULL) : berth_engine_rollback(engine, NULL));
}

berth_status berth_engine_schedule_group_sized(berth_engine *engine, const berth_pod_id *pods,
                                               uint32_t count, berth_placement *placements,
                                               size_t size, uint32_t *placed, berth_error *error)
{
    BERTH_TRY(berth__need(placed, "placed", error));
    *placed = 0;
    BERTH_TRY(berth_engine_begin(engine, error));
    for (uint32_t i = 0; i < count; i++) {
        berth_placement placement;
        berth_status status = berth_engine_schedule(engine, pods[i], &placement, error);
        if (status != BERTH_OK) {
            end(engine, false);
            return status;
        }
        if (placements != NULL)
            berth__sized_give_at(placements, i, size, &placement, sizeof(placement));
        if (placement.verdict != BERTH_VERDICT_PLACED)
            break;
        (*placed)++;
    }
    end(engine, *placed == count);
    return BERTH_OK;
}

/* ---- as many as fit ---- */

typedef struct group {
    berth_engine *engine;
    const berth_pod_id *pods;
    uint32_t count;
    berth_group_options how;
    berth_placement *placements; /* NULL, or the caller's array */
    size_t placement_size;
    uint32_t fitted;
    berth__group_preemption preemption;
} group;

static berth_status read_options(group *g, const berth_group_options *options, berth_error *error)
{
    if (options != NULL)
        BERTH_TRY(
            berth__sized_read(&g->how, sizeof(g->how), options, "berth_group_options", error));
    const uint32_t known = BERTH_GROUP_ALL | BERTH_GROUP_STOP | BERTH_GROUP_PREEMPT;
    if ((g->how.flags & ~known) != 0)
        return berth__error_set(error, BERTH_E_ARG, "there are no flags %#x",
                                (unsigned)g->how.flags);
    if ((g->how.flags & BERTH_GROUP_ALL) != 0)
        g->how.minimum = g->count;
    return BERTH_OK;
}

/* Whether to try another pod after `tried` ones. */
static bool goes_on(const group *g, uint32_t tried)
{
    bool all_fitted = g->fitted == tried;
    uint64_t reachable = (uint64_t)g->fitted + (g->count - tried);
    return tried < g->count && reachable >= g->how.minimum &&
           (all_fitted || (g->how.flags & BERTH_GROUP_STOP) == 0);
}

static void tell(const group *g, uint32_t i, const berth_placement *placement)
{
    berth__sized_give_at(g->placements, i, g->placement_size, placement, sizeof(*placement));
}

static berth_status place_pods(group *g, uint32_t *tried, berth_error *error)
{
    for (*tried = 0; goes_on(g, *tried); ++*tried) {
        berth_placement placement;
        BERTH_TRY(berth__cancel_check(g->how.cancel, error));
        BERTH_TRY(berth_engine_schedule(g->engine, g->pods[*tried], &placement, error));
        if (placement.verdict == BERTH_VERDICT_UNSCHEDULABLE &&
            (g->how.flags & BERTH_GROUP_PREEMPT) != 0)
            BERTH_TRY(berth__group_preempt(&g->preemption, *tried, &placement, error));
        if (g->placements != NULL)
            tell(g, *tried, &placement);
        g->fitted += placement.verdict == BERTH_VERDICT_PLACED;
    }
    return BERTH_OK;
}

berth_status berth_engine_schedule_pods_sized(berth_engine *engine, const berth_pod_id *pods,
                                              uint32_t count, const berth_group_options *options,
                                              berth_placement *placements, size_t size,
                                              uint32_t *fitted, berth_error *error)
{
    static const berth_placement untried = {.verdict = BERTH_VERDICT_UNSCHEDULABLE,
                                            .node = BERTH_NODE_NONE};
    group g = {engine,     pods, count, {.size = sizeof(g.how)},
               placements, size, 0,     {.engine = engine, .pods = pods}};
    uint32_t tried;
    BERTH_TRY(berth__need(fitted, "fitted", error));
    *fitted = 0;
    BERTH_TRY(read_options(&g, options, error));
    BERTH_TRY(berth_engine_begin(engine, error));
    berth_status status = place_pods(&g, &tried, error);
    const bool keeps = status == BERTH_OK && g.fitted >= g.how.minimum;
    end(engine, keeps);
    if (keeps && g.how.evicted != NULL)
        berth__group_preemption_tell(&g.preemption, g.how.evicted, g.how.context);
    berth__group_preemption_free(&g.preemption);
    if (status != BERTH_OK && status != BERTH_E_CANCELLED)
        return status;
    for (; placements != NULL && tried < count; tried++)
        tell(&g, tried, &untried);
    *fitted = g.fitted;
    return status;
}

/* ---- how many fit ---- */

enum { SUFFIX_MAX = 24 };

/* Add a copy of a pod under a new name. */
static berth_status add_copy(berth_engine *engine, berth_pod_id like, uint64_t *serial,
                             berth_pod_id *id, berth_error *error)
{
    char name[512];
    berth_str space, base;
    berth_status status;
    berth_error taken; /* the name is in use, which is not the caller's error */
    berth_engine_pod_name(engine, like, &space, &base);
    if (base.len > sizeof(name) - SUFFIX_MAX)
        base.len = sizeof(name) - SUFFIX_MAX;
    do {
        int len = snprintf(name, sizeof(name), "%.*s-%" PRIu64, (int)base.len,
                           base.data != NULL ? base.data : "", ++*serial);
        status = berth_engine_add_like(engine, like, (berth_str){name, (uint32_t)len}, id, &taken);
    } while (status == BERTH_E_EXISTS);
    if (status != BERTH_OK && error != NULL)
        *error = taken;
    return status;
}

static berth_status count_fits(berth_engine *engine, berth_pod_id like,
                               const berth_fit_count_options *how, uint32_t *count,
                               berth_error *error)
{
    const berth_decide_options why = {.size = sizeof(why), .explanation = how->explanation};
    uint64_t serial = 0;
    for (; *count < how->limit; (*count)++) {
        berth_placement placement;
        berth_pod_id id;
        BERTH_TRY(berth__cancel_check(how->cancel, error));
        BERTH_TRY(add_copy(engine, like, &serial, &id, error));
        BERTH_TRY(berth_engine_schedule(engine, id, &placement, error));
        if (placement.verdict != BERTH_VERDICT_PLACED)
            return how->explanation == NULL
                       ? BERTH_OK
                       : berth_engine_decide(engine, id, &why, &placement, error);
        if (how->nodes != NULL)
            how->nodes[*count] = placement.node;
    }
    return BERTH_OK;
}

berth_status berth_engine_fit_count_with(berth_engine *engine, berth_pod_id like,
                                         const berth_fit_count_options *options, uint32_t *count,
                                         berth_error *error)
{
    berth_fit_count_options how = {.size = sizeof(how)};
    BERTH_TRY(berth__need(count, "count", error));
    *count = 0;
    BERTH_TRY(berth__need(options, "options", error));
    BERTH_TRY(berth__sized_read(&how, sizeof(how), options, "berth_fit_count_options", error));
    BERTH_TRY(berth_engine_begin(engine, error));
    berth_status status = count_fits(engine, like, &how, count, error);
    end(engine, false);
    if (status != BERTH_OK && status != BERTH_E_CANCELLED)
        *count = 0;
    return status;
}

berth_status berth_engine_fit_count(berth_engine *engine, berth_pod_id like, uint32_t limit,
                                    uint32_t *count, berth_node_id *nodes,
                                    berth_explanation *explanation, berth_error *error)
{
    const berth_fit_count_options options = {
        .size = sizeof(options), .limit = limit, .nodes = nodes, .explanation = explanation};
    return berth_engine_fit_count_with(engine, like, &options, count, error);
}
