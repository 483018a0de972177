/* Finds reasons by kind of pod: pods that are alike have the same reason. */
#include "plans/side_reasons.h"

#include "cli/exits.h"
#include "cli/text_buffer.h"
#include "plans/plan_pods.h"

berth_status side_reasons_find(side_reasons *r, const cluster_side *side, const side_pod *pod,
                               uint32_t *number, berth_error *error)
{
    const cluster_skip *skip = cluster_input_skipped(&side->input, pod->pod);
    if (skip != NULL) {
        *number =
            word_table_add(&r->texts, word_table_get(&side->input.skip_reasons, skip->reason));
        return BERTH_OK;
    }
    berth_pod_info info = {.size = sizeof(info)};
    TRY(berth_engine_pod_info(side->engine, pod->pod, &info, error));
    *number = id_table_find(&r->kinds, info.kind);
    if (*number != ID_TABLE_NONE)
        return BERTH_OK;
    text_buffer text = {0};
    if (r->explanation == NULL)
        TRY(berth_explanation_create(NULL, &r->explanation, error));
    berth_status status =
        plan_reason(side->engine, pod->pod, r->explanation, r->as_sets, &text, error);
    *number = word_table_add(&r->texts, text_str(&text));
    text_free(&text);
    TRY(status);
    id_table_add(&r->kinds, info.kind, *number);
    return BERTH_OK;
}

void side_reasons_free(side_reasons *r)
{
    word_table_free(&r->texts);
    id_table_free(&r->kinds);
    berth_explanation_destroy(r->explanation);
}
