/* Answers questions about single pods that all plans have. */
#include "plans/plan_pods.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"

enum { REASONS_READ = 64 };

berth_status plan_pending(const berth_engine *engine, berth_pod_id **out, uint64_t *count,
                          berth_error *error)
{
    uint64_t found = 0;
    TRY(berth_engine_pending(engine, NULL, 0, &found, error));
    berth_pod_id *pods = heap_new(found, sizeof(*pods));
    berth_status status = berth_engine_pending(engine, pods, found, NULL, error);
    if (status != BERTH_OK) {
        free(pods);
        return status;
    }
    *out = pods;
    *count = found;
    return BERTH_OK;
}

static int by_id(const void *a, const void *b)
{
    const berth_pod_id left = *(const berth_pod_id *)a, right = *(const berth_pod_id *)b;
    return (left > right) - (left < right);
}

berth_status plan_pass_over(const berth_engine *engine, cluster_input *input,
                            const engine_setup *setup, berth_error *error)
{
    berth_pod_id *pods;
    uint64_t count;
    TRY(plan_pending(engine, &pods, &count, error));
    if (count > 0)
        qsort(pods, count, sizeof(*pods), by_id);
    berth_status status = BERTH_OK;
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++) {
        berth_pod_info info = {.size = sizeof(info)};
        status = berth_engine_pod_info(engine, pods[i], &info, error);
        if (status == BERTH_OK)
            cluster_input_pass_over(input, setup, pods[i], info.deleting, info.scheduler_name);
    }
    free(pods);
    return status;
}

bool plan_pod_stays(const berth_pod_info *info)
{
    return words_equal(info->owner_kind, words_of("DaemonSet")) ||
           words_equal(info->owner_kind, words_of("Node"));
}

/* Merge equal reasons that came from several plugins. */
static uint32_t merge_counts(berth_reason_count *counts, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        while (at < kept && !words_equal(counts[at].reason, counts[i].reason))
            at++;
        if (at < kept)
            counts[at].nodes += counts[i].nodes;
        else
            counts[kept++] = counts[i];
    }
    return kept;
}

/* The order of reasons: by number of nodes, the largest first and otherwise unchanged; or by name.
 */
static bool comes_before(const berth_reason_count *a, const berth_reason_count *b, bool by_name)
{
    return by_name ? words_compare(a->reason, b->reason) < 0 : a->nodes > b->nodes;
}

static void sort_counts(berth_reason_count *counts, uint32_t count, bool by_name)
{
    for (uint32_t i = 1; i < count; i++) {
        berth_reason_count one = counts[i];
        uint32_t at = i;
        for (; at > 0 && comes_before(&one, &counts[at - 1], by_name); at--)
            counts[at] = counts[at - 1];
        counts[at] = one;
    }
}

static void write_reasons(const berth_explanation *explanation, bool as_set, text_buffer *out)
{
    berth_reason_count counts[REASONS_READ];
    uint32_t count = berth_explanation_reason_counts(explanation, counts, REASONS_READ);
    count = merge_counts(counts, count < REASONS_READ ? count : REASONS_READ);
    sort_counts(counts, count, as_set);
    for (uint32_t i = 0; i < count; i++) {
        const char *unit = i > 0 ? "" : counts[i].nodes > 1 ? " nodes" : " node";
        text_add_str(out, words_of(i > 0 ? ", " : ""));
        text_add_str(out, counts[i].reason);
        if (!as_set)
            text_add(out, " (%" PRIu32 "%s)", counts[i].nodes, unit);
    }
}

berth_status plan_reason(berth_engine *engine, berth_pod_id pod, berth_explanation *explanation,
                         bool as_set, text_buffer *out, berth_error *error)
{
    const berth_decide_options options = {.size = sizeof(options),
                                          .flags =
                                              BERTH_DECIDE_KEEP_ROTATION | BERTH_DECIDE_SEARCH_ONLY,
                                          .explanation = explanation};
    berth_placement placement;
    TRY(berth_engine_decide(engine, pod, &options, &placement, error));
    berth_str before = berth_explanation_pre_filter(explanation);
    text_clear(out);
    if (placement.verdict == BERTH_VERDICT_PLACED)
        text_add(out, "fits by the end: it came before what it waited for");
    else if (before.len > 0)
        text_add_str(out, before);
    else
        write_reasons(explanation, as_set, out);
    if (out->len == 0)
        text_add(out, "%s",
                 placement.verdict == BERTH_VERDICT_ERROR ? "a rule failed on it"
                                                          : "there is no node");
    return BERTH_OK;
}
