/* Which nodes the pending pods need, and those of a manifest if there is one, and which nodes could
 * go, as `berth grow -o json` shows. Arguments: shape (NAME=cpu=4,memory=16Gi,price=0.2;
 * repeatable), effort, keep-nodes, summary, namespace. */
#include <string.h>

#include "cli/exits.h"
#include "live/answer/answer_manifest.h"
#include "live/answer/answers.h"
#include "plans/growth_question.h"
#include "plans/plan_pods.h"

enum { EFFORT_MAX = 1000000 };

static void add_shape(void *context, const char *value)
{
    text_list_add(context, value);
}

/* A shape may not name a file: the file would be one of the server's machine. */
static berth_status read_question(answer_room *room, growth_question *grow, bool *summary,
                                  berth_error *error)
{
    const question *asked = room->asked;
    TRY(answer_number(asked, "effort", EFFORT_MAX, &grow->effort, error));
    grow->effort = grow->effort > 0 ? grow->effort : GROWTH_EFFORT;
    TRY(answer_flag(asked, "keep-nodes", &grow->keep, error));
    TRY(answer_flag(asked, "summary", summary, error));
    question_arguments(asked, "shape", add_shape, &grow->shape_texts);
    for (size_t i = 0; i < grow->shape_texts.count; i++)
        if (!node_shape_is_spec(grow->shape_texts.items[i]))
            return error_set(error, BERTH_E_ARG, NULL,
                             "shape: '%s' is no shape such as m=cpu=4,memory=16Gi",
                             grow->shape_texts.items[i]);
    return grow->shape_texts.count == 0 && grow->keep
               ? error_set(error, BERTH_E_ARG, NULL,
                           "nothing is asked: give a shape, or leave keep-nodes out")
               : BERTH_OK;
}

static void see_pod(void *context, const berth_pod *pod, berth_pod_id id)
{
    answer_room *room = context;
    cluster_input_pass_over(&room->input, room->world->setup, id, false, pod->scheduler_name);
}

static berth_status read_pods(answer_room *room, berth_error *error)
{
    TRY(plan_pass_over(room->branch, &room->input, room->world->setup, error));
    return strcmp(room->asked->method, "POST") == 0
               ? answer_manifest_read(room, see_pod, room, error)
               : BERTH_OK;
}

berth_status answer_grow(answer_room *room, FILE *out, berth_error *error)
{
    growth_question grow = {.engine = room->branch,
                            .input = &room->input,
                            .setup = room->world->setup,
                            .cancel = room->cancel};
    bool summary = false;
    berth_status status = read_question(room, &grow, &summary, error);
    if (status == BERTH_OK)
        status = read_pods(room, error);
    if (status == BERTH_OK)
        status = growth_question_answer(&grow, error);
    if (status == BERTH_OK)
        growth_write(&grow.answer, out, OUTPUT_JSON, summary);
    growth_question_free(&grow);
    return status;
}
