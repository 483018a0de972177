#include "plans/growth_question.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/stopwatch.h"
#include "loading/node_list.h"
#include "plans/plan_pods.h"

enum { EFFORT_UNIT = 1000 };

/* Place the pods that fit, and repeat while this helps, because a pod may wait for another one. The
 * remaining pods are moved to the front of `pods`. */
static berth_status place_what_fits(growth_question *g, berth_pod_id *pods, uint64_t *count,
                                    berth_error *error)
{
    uint64_t placed = 1;
    while (placed > 0 && *count > 0) {
        uint64_t left = 0;
        for (uint64_t i = 0; i < *count; i++) {
            berth_placement placement;
            TRY(berth_engine_schedule(g->engine, pods[i], &placement, error));
            if (placement.verdict != BERTH_VERDICT_PLACED)
                pods[left++] = pods[i];
        }
        placed = *count - left;
        g->answer.fitted += placed;
        *count = left;
    }
    return BERTH_OK;
}

static berth_status take_pending(growth_question *g, berth_pod_id *pods, uint64_t *count,
                                 berth_error *error)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < *count; i++)
        if (cluster_input_skipped(g->input, pods[i]) == NULL)
            pods[kept++] = pods[i];
    g->answer.pending = *count;
    g->answer.passed_over = *count - kept;
    *count = kept;
    TRY(place_what_fits(g, pods, count, error));
    g->answer.unfitted = *count;
    if (g->shapes.count == 0)
        return BERTH_OK;
    TRY(growth_prepare(&g->growth, pods, *count, error));
    return growth_search(&g->growth, error);
}

static berth_status answer(growth_question *g, berth_pod_id **pods, berth_error *error)
{
    uint64_t count = 0;
    TRY(node_list_make(g->engine, &g->nodes, &g->node_count, error));
    TRY(node_shapes_read(&g->shapes, &g->shape_texts, &g->input->prices, g->engine, error));
    TRY(plan_pending(g->engine, pods, &count, error));
    TRY(take_pending(g, *pods, &count, error));
    if (g->growth.best.tried)
        TRY(growth_carry_out(&g->growth, &g->growth.best, error));
    TRY(growth_answer_pods(&g->answer, *pods, count, error));
    return g->keep ? BERTH_OK
                   : shrink_make(&g->shrink, g->engine, g->setup, g->nodes, g->node_count, error);
}

berth_status growth_question_answer(growth_question *g, berth_error *error)
{
    stopwatch watch;
    berth_pod_id *pods = NULL;
    stopwatch_start(&watch);
    g->growth.engine = g->engine;
    g->growth.shapes = &g->shapes;
    g->growth.decisions_max = g->effort * EFFORT_UNIT;
    g->growth.cancel = g->cancel;
    g->answer.growth = &g->growth;
    g->answer.prices = &g->input->prices;
    berth_status status = answer(g, &pods, error);
    free(pods);
    stopwatch_stop(&watch);
    g->answer.shrink = g->keep ? NULL : &g->shrink;
    g->answer.seconds = stopwatch_seconds(&watch);
    return status;
}

void growth_question_free(growth_question *g)
{
    growth_answer_free(&g->answer);
    shrink_free(&g->shrink);
    growth_free(&g->growth);
    node_shapes_free(&g->shapes);
    text_list_free(&g->shape_texts);
    free(g->nodes);
}
