/* The public functions that report how decisions ended. */
#include "berth/statistics.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "versions/engine_state.h"

const char *berth_scan_reason_text(berth_scan_reason reason)
{
    static const char *const texts[] = {
#define X(name, text) [BERTH_SCAN_##name] = (text),
        BERTH_SCAN_REASON_LIST(X)
#undef X
    };
    return (unsigned)reason < BERTH_SCAN_REASON_COUNT ? texts[reason] : "";
}

berth_status berth_engine_statistics(const berth_engine *engine, berth_statistics *out,
                                     berth_error *error)
{
    if (engine == NULL)
        return berth__no_engine(error);
    const berth__decision_counts *counts = &engine->decider.counts;
    const berth__index_cache *indexes = &engine->decider.indexes;
    BERTH_TRY(berth__sized_check(out, "berth_statistics", error));
    berth_statistics own = {.size = sizeof(own),
                            .trees = (uint32_t)indexes->map.count,
                            .tree_bytes = indexes->bytes,
                            .decisions = counts->decisions,
                            .placed = counts->placed,
                            .errors = counts->errors,
                            .indexed = counts->indexed,
                            .early_stops = counts->early_stops,
                            .visited = counts->visited,
                            .questions = counts->questions,
                            .trees_built = indexes->counts.built,
                            .trees_dropped = indexes->counts.dropped,
                            .repairs = indexes->counts.repairs,
                            .layouts = engine->cluster.layouts};
    memcpy(own.scans, counts->scans, sizeof(counts->scans));
    berth__sized_write(out, &own, sizeof(own));
    return BERTH_OK;
}

uint32_t berth_engine_refusal_kinds(const berth_engine *engine)
{
    if (engine == NULL)
        return 0;
    const berth__refusals *refusals = &engine->decider.refusals;
    return refusals->count + (refusals->others > 0);
}

uint64_t berth_engine_refusals(const berth_engine *engine, uint32_t i, berth_str *plugin,
                               berth_str *reason, berth_code *code)
{
    const berth__refusals *refusals = engine != NULL ? &engine->decider.refusals : NULL;
    berth__refusal found = {.count = 0};
    if (refusals != NULL && i == refusals->count)
        found.count = refusals->others;
    else if (refusals != NULL && i < refusals->count)
        found = refusals->items[i];
    if (plugin != NULL)
        *plugin = found.plugin;
    if (reason != NULL)
        *reason = found.reason;
    if (code != NULL)
        *code = found.code;
    return found.count;
}
